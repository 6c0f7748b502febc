"""All checks of one list, in the order of its lines. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from sources.list_checks.duplicates import check_duplicates
from sources.list_checks.findings import CODES, Entry, ListFinding
from sources.list_checks.identifiers import check_identifiers
from sources.list_checks.links import check_links
from sources.list_checks.list_text import ListText
from sources.list_checks.markup import check_markup
from sources.list_checks.order import check_order
from sources.list_checks.publication import check_publication
from sources.list_checks.suppression import Suppression
from sources.list_checks.titles import check_titles

_RANK = {code: rank for rank, code in enumerate(CODES)}


def check_list(
    text: ListText,
    entries: Sequence[Entry],
    *,
    suppression: Suppression,
    others: Iterable[ListFinding] = (),
    lines: Collection[int] | None = None,
) -> list[ListFinding]:
    """Returns the findings about a list by line, each once.

    Args:
        text: The list.
        entries: Its mentions in file order, with what is known of their papers.
        suppression: What not to report.
        others: Further findings, such as those about links that were asked.
        lines: The only lines to report about; None for all.
    """
    found = [
        *check_markup(text, entries),
        *check_identifiers(entries),
        *check_duplicates(text, entries),
        *check_titles(text, entries),
        *check_publication(entries),
        *check_links(entries),
        *check_order(entries),
        *others,
    ]
    remaining = suppression.without(dict.fromkeys(found))
    about = remaining if lines is None else [moved for item in remaining if (moved := _within(item, lines))]
    return sorted(about, key=lambda item: (item.line, _RANK[item.code], item.message))


def _within(item: ListFinding, lines: Collection[int]) -> ListFinding | None:
    """Returns the finding where it is about one of `lines`, at such a line; None where it is about none."""
    if any(line in lines for line in range(item.line, item.last_line + 1)):
        return item
    other = next((line for line in item.others if line in lines), None)
    if other is None:
        return None
    evidence = (f"line {item.line} is the other entry", *item.evidence)
    return replace(item, line=other, last_line=other, others=(item.line,), evidence=evidence)
