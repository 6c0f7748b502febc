"""What can be mended in a list: the smallest edits for each kind of fault, in the list's own form. Pure.

An edit is made only where its evidence is certain and its place in the text is: what is doubtful stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from sources.list_checks.findings import Edit, Entry, ListFinding
from sources.list_checks.list_text import ListText as CheckedText
from sources.list_edits.address_fixes import dead_link_changes, empty_link_changes, resolver_changes, scheme_changes
from sources.list_edits.edits import Change, apply_edits, without_conflicts
from sources.list_edits.field_fixes import (
    missing_link_changes,
    publication_changes,
    title_changes,
    venue_changes,
    year_changes,
)
from sources.list_edits.siblings import KnownList, WrittenEntry, WrittenList
from sources.list_edits.spans import first_line_of
from sources.reading_list import parse_reading_list
from sources.records import Mention

FIXES: Mapping[str, str] = {
    "broken-markup": "brackets of a link that are not closed, where there is one way to close them",
    "empty-link": "the address of a link that has none",
    "dead-link": "the paper's own address in the place of one that leads nowhere",
    "moved-link": "the address to which a page has moved for good",
    "missing-link": "the address of a paper whose neighbours in the list have one",
    "title-misspelt": "a typing error in a title",
    "published-version": "venue and year of a preprint that has been published",
    "missing-year": "the year, where the other entries of the section have one",
    "missing-venue": "the venue, where the other entries of the section have one",
    "doi-address": "doi.org in the place of dx.doi.org",
    "http-address": "https in the place of http, of hosts that serve it",
}
"""What is mended, the kinds with the first claim on a stretch of text first."""


def changes_of(
    text: str, entries: Sequence[Entry], findings: Sequence[ListFinding] = (), *, only: Sequence[str] = ()
) -> tuple[list[Change], list[Change]]:
    """Returns the changes that mend the list `text`, in order, and those that do not go with them or spoil a reading.

    Args:
        text: The list as decoded.
        entries: All its mentions in file order, each with what is known of its paper.
        findings: What the checks found; without them, only what needs no service is mended.
        only: Kinds of `FIXES`; all where empty.
    """
    known = KnownList(WrittenList(text, [entry.mention for entry in entries]), entries, findings)
    changes: list[Change] = []
    for code in FIXES:
        if not only or code in only:
            changes += _made_by_finding(known, code)
            changes += _MAKERS.get(code, _nothing)(known)
    markup = CheckedText(text).markup
    shown = [change for change in changes if not any(_is_in_code(text, markup, edit) for edit in change.edits)]
    chosen, left_out = without_conflicts(text, shown)
    sound = sound_changes(text, known.written, chosen)
    return sound, [*left_out, *(change for change in chosen if change not in sound)]


def _is_in_code(text: str, markup: str, edit: Edit) -> bool:
    """Returns whether an edit is inside of code or of a comment, which `markup` has blanks for."""
    around = slice(max(edit.start - 1, 0), edit.end + 1)
    return bool(text[around].strip()) and not markup[around].strip()


_MAY_DIFFER: Mapping[str, frozenset[str]] = {
    "title-misspelt": frozenset(("title", "name")),
    "published-version": frozenset(("venue", "year")),
    "missing-year": frozenset(("year",)),
    "missing-venue": frozenset(("venue", "year")),
    "doi-address": frozenset(("url", "notes")),
    "http-address": frozenset(("url", "notes")),
    "missing-link": frozenset(("url", "identifiers", "venue", "year")),
    **dict.fromkeys(("empty-link", "dead-link", "moved-link"), frozenset(("url", "identifiers"))),
}
"""The fields of a mention that a change of each kind may change; one of another kind may change all of them."""
_MOST_READINGS = 24
"""How often a list is read to find the changes at fault; what is undecided then is left out."""
_FIELDS = frozenset(("title", "name", "authors", "year", "venue", "url", "identifiers", "notes", "struck"))


def sound_changes(text: str, written: WrittenList, changes: Sequence[Change]) -> list[Change]:
    """Returns the changes after which all mentions read as before but for the field that is mended.

    Where they do not, the changes that are at fault are found by halves, and left out; what one of them spoils may be
    in order again with the others made, so each is tried until none is.
    """
    chosen: list[Change] = []
    rest = list(changes)
    while rest:
        more = _sound_part(text, written, chosen, rest)
        if not more:
            break
        chosen += more
        rest = [change for change in rest if change not in chosen]
    return [change for change in changes if change in chosen]


def _sound_part(text: str, written: WrittenList, made: Sequence[Change], changes: Sequence[Change]) -> list[Change]:
    chosen = list(made)
    groups = [list(changes)]
    for _ in range(_MOST_READINGS):
        if not groups:
            break
        group = groups.pop(0)
        if _reads_alike(text, written, [*chosen, *group]):
            chosen += group
        elif len(group) > 1:
            middle = len(group) // 2
            groups[:0] = [group[:middle], group[middle:]]
    return chosen[len(made) :]


def _reads_alike(text: str, written: WrittenList, changes: Sequence[Change]) -> bool:
    after = parse_reading_list(apply_edits(text, [edit for change in changes for edit in change.edits])).mentions
    if len(after) != len(written.entries):
        return any(change.code == "broken-markup" for change in changes)
    codes: dict[int, set[str]] = {}
    for change in changes:
        for edit in change.edits:
            codes.setdefault(written.source.line_at(edit.start), set()).add(change.code)
    return all(_reads_as(entry, mention, codes) for entry, mention in zip(written.entries, after, strict=True))


def _reads_as(entry: WrittenEntry, after: Mention, codes: Mapping[int, set[str]]) -> bool:
    lines = range(first_line_of(entry.mention), entry.mention.last_line + 1)
    mine = {code for line in lines for code in codes.get(line, ())}
    fixed = _FIELDS.difference(*(_MAY_DIFFER.get(code, _FIELDS) for code in mine))
    return all(getattr(entry.mention, name) == getattr(after, name) for name in fixed)


def _nothing(_known: KnownList) -> Iterator[Change]:
    yield from ()


def _made_by_finding(known: KnownList, code: str) -> Iterator[Change]:
    """Yields the changes that a check gives with what it found."""
    for item in known.findings:
        if item.code == code and item.edits:
            yield Change(code=code, line=item.line, message=item.message, evidence=item.evidence, edits=item.edits)


_MAKERS: Mapping[str, Callable[[KnownList], Iterator[Change]]] = {
    "empty-link": empty_link_changes,
    "dead-link": dead_link_changes,
    "missing-link": missing_link_changes,
    "title-misspelt": title_changes,
    "published-version": publication_changes,
    "missing-year": year_changes,
    "missing-venue": venue_changes,
    "doi-address": resolver_changes,
    "http-address": scheme_changes,
}
