"""Runs all checks of one list, without the findings that comments or settings switch off. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from sources.lists.checks.duplicates import check_duplicates
from sources.lists.checks.findings import CODES, MENDED_ONLY, CheckedEntry, ListFinding
from sources.lists.checks.list_text import ListText
from sources.lists.checks.markup import check_markup, check_order, check_rendered
from sources.lists.checks.slips import check_slips
from sources.lists.checks.titles import (
    check_authors,
    check_identifiers,
    check_links,
    check_publication,
    check_titles,
)

# `<!-- paperlake: ignore CODE -->` is about the entry on its line or, on a line of its own, about the next line
# that is not empty; `<!-- paperlake: ignore-file CODE -->` is about the whole list. Several codes are parted by
# commas or blanks; without a code, all are meant.
_COMMENT = re.compile(r"<!--\s*paperlake\s*:\s*ignore(-file)?\b[ \t:]{0,20}([\w ,-]{0,500}?)\s{0,20}-->", re.IGNORECASE)
_KNOWN = frozenset((*CODES, *MENDED_ONLY))
_SEPARATOR = re.compile(r"[\s,]+")


@dataclass(frozen=True, slots=True)
class Suppression:
    """What not to report of a list."""

    everywhere: frozenset[str]  # codes that are off in the whole list
    by_line: dict[int, frozenset[str]]  # line -> codes that are off on it
    unknown: tuple[tuple[int, str], ...] = ()  # words in comments that are no codes, each with its line

    def is_off(self, code: str, line: int) -> bool:
        """Returns whether findings of a code are not to be reported on a line."""
        return code in self.everywhere or code in self.by_line.get(line, ())


def suppression_of(text: ListText, ignored: Collection[str] = ()) -> Suppression:
    """Returns what the comments of a list switch off, beside the codes that are `ignored` anyway."""
    everywhere, by_line, unknown = set(ignored), dict[int, frozenset[str]](), list[tuple[int, str]]()
    for match in _COMMENT.finditer(text.text):
        line = text.line_of(match.start())
        words = [word.lower() for word in _SEPARATOR.split(match[2]) if word]
        unknown += [(line, word) for word in words if word not in _KNOWN]
        codes = frozenset(words) or _KNOWN
        if match[1]:
            everywhere |= codes
        else:
            below = range(line, text.line_count)
            target = next((at for at in below if _COMMENT.sub("", text.line(at)).strip()), text.line_count)
            by_line[target] = by_line.get(target, frozenset()) | codes
    return Suppression(frozenset(everywhere), by_line, tuple(unknown))


_RANK = {code: rank for rank, code in enumerate(CODES)}


def check_list(
    text: ListText,
    entries: Sequence[CheckedEntry],
    *,
    suppression: Suppression,
    others: Iterable[ListFinding] = (),
    lines: Collection[int] | None = None,
) -> list[ListFinding]:
    """Returns the findings about a list by line, each once.

    `others` are further findings, such as those about links; `lines` are the only ones to report about, None for all.
    """
    found = [
        *check_markup(text, entries),
        *check_rendered(text),
        *check_slips(text, entries),
        *check_identifiers(entries),
        *check_duplicates(text, entries),
        *check_titles(text, entries),
        *check_authors(entries),
        *check_publication(entries),
        *check_links(entries),
        *check_order(entries),
        *others,
    ]
    remaining = [
        item
        for item in dict.fromkeys(found)
        if not any(suppression.is_off(item.code, line) for line in range(item.line, item.last_line + 1))
    ]
    about = remaining if lines is None else [moved for item in remaining if (moved := _within(item, lines))]
    return sorted(about, key=lambda item: (item.line, _RANK[item.code], item.message))


def _within(item: ListFinding, lines: Collection[int]) -> ListFinding | None:
    """Returns the finding where it is about one of `lines`, at such a line; None where it is about none."""
    if any(line in lines for line in range(item.line, item.last_line + 1)):
        return item
    other = next((line for line in item.others if line in lines), None)
    if other is None:
        return None
    evidence = (f"line {item.line} is the other one", *item.evidence)
    return replace(item, line=other, last_line=other, others=(item.line,), evidence=evidence)
