"""What can be mended in a list: the smallest edits for each kind of fault, in the list's own form. Pure.

An edit is made only where its evidence is certain and its place in the text is: what is doubtful stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from sources.list_checks.findings import Edit, Entry, ListFinding
from sources.list_edits.edits import Change, without_conflicts
from sources.list_edits.mending.address_fixes import (
    dead_link_changes,
    empty_link_changes,
    resolver_changes,
    scheme_changes,
)
from sources.list_edits.mending.field_fixes import (
    missing_link_changes,
    publication_changes,
    title_changes,
    venue_changes,
    year_changes,
)
from sources.list_edits.mending.sound import others_than, sound_changes
from sources.list_edits.siblings import KnownList, WrittenList

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
    text: str,
    entries: Sequence[Entry],
    findings: Sequence[ListFinding] = (),
    *,
    only: Sequence[str] = (),
    is_off: Callable[[str, int], bool] = lambda _code, _line: False,
) -> tuple[list[Change], list[Change]]:
    """Returns the changes that mend the list `text`, in order, and those that do not go with them or spoil a reading.

    Args:
        text: The list as decoded.
        entries: All its mentions in file order, each with what is known of its paper.
        findings: What the checks found; without them, only what needs no service is mended.
        only: Kinds of `FIXES`; all where empty.
        is_off: Whether a kind is switched off on a line.
    """
    known = KnownList(WrittenList(text, [entry.mention for entry in entries]), entries, findings)
    changes: list[Change] = []
    for code in FIXES:
        if not only or code in only:
            changes += _made_by_finding(known, code)
            changes += _MAKERS.get(code, _nothing)(known)
    markup = known.written.source.markup
    lines_of = known.written.lines_of
    shown = [
        change
        for change in changes
        if not any(is_off(change.code, line) for line in {change.line}.union(*map(lines_of, change.edits)))
        and not any(_is_in_code(text, markup, edit) for edit in change.edits)
    ]
    chosen, left_out = without_conflicts(text, shown)
    sound = sound_changes(text, known.written, chosen)
    return sound, [*left_out, *others_than(sound, chosen)]


def _is_in_code(text: str, markup: str, edit: Edit) -> bool:
    """Returns whether an edit is inside of code or of a comment, which `markup` has blanks for."""
    around = slice(max(edit.start - 1, 0), edit.end + 1)
    return bool(text[around].strip()) and not markup[around].strip()


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
