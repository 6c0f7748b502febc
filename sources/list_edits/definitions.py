"""The link definitions of a list, `[1]: https://...`: where their addresses stand, and which entries use them. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference, unescapeAll

from sources.list_checks.list_text import ListText
from sources.list_edits.addresses import AddressSpan
from sources.list_edits.spans import first_line_of
from sources.records import Mention

_DEFINITION = re.compile(r"[ \t>]*(?:[-*+][ \t]+)?\[((?:[^\[\]\\]|\\.)+)\]:[ \t]*<?([^\s<>]+)", re.DOTALL)
_LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.)+)\]", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A link definition that entries use.

    Attributes:
        address: Where its address stands.
        lines: The lines of these entries.
    """

    address: AddressSpan
    lines: frozenset[int]


def definitions_of(source: ListText, mentions: Iterable[Mention]) -> list[Definition]:
    """Returns the definitions whose address stands on the line of their label and that some of `mentions` use."""
    places = _places(source)
    users: defaultdict[str, set[int]] = defaultdict(set)
    shared = {(first_line_of(each), each.last_line, each.text) for each in mentions} if places else ()
    for first, last, text in shared:
        for label in set(map(normalizeReference, _LABEL.findall(text))) & places.keys():
            users[label] |= {*range(first, last + 1)}
    return [Definition(address=places[label], lines=frozenset(lines)) for label, lines in users.items()]


def _places(source: ListText) -> dict[str, AddressSpan]:
    """Returns where the addresses of the definitions stand that CommonMark takes for such, by label."""
    if "]:" not in source.markup:
        return {}
    environment: dict[str, Any] = {}
    MarkdownIt("commonmark").parse(source.text, environment)
    places: dict[str, AddressSpan] = {}
    for label, reference in environment.get("references", {}).items():
        line = reference["map"][0] + 1
        match = _DEFINITION.match(source.text, *source.stretch(line, line))
        if match is not None and normalizeReference(match[1]) == label and not label.startswith("^"):
            start, end = match.span(2)
            places[label] = AddressSpan(
                start=start,
                end=end,
                url=unescapeAll(match[2]),
                place="link",
                outer_start=match.start(),
                outer_end=match.end(),
            )
    return places
