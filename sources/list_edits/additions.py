"""A new entry as the list would write it, and where it belongs. Pure.

The form is learnt from the section's other entries. What comes out is read again before it is offered: an entry that
does not read as the paper, or that changes how another entry reads, is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import unescape

from sources.bibliography.identifiers import Identifier, named_identifiers, normal_identifier
from sources.bibliography.titles import title_key
from sources.bibliography.venues import Kind, kind_of
from sources.errors import AlreadyListed, UsageError
from sources.list_checks.findings import Edit, PaperFacts
from sources.list_edits.alike import LINKED_SHARE, obstacle_in, usual_forms_for
from sources.list_edits.edits import Change, apply_edits
from sources.list_edits.form import (
    ADDRESS,
    ARXIV_ID,
    NUMBER,
    is_plain,
    is_row,
    without_other_links,
)
from sources.list_edits.positions import Position, position_of, renumbering
from sources.list_edits.sections import section_named, shown_section
from sources.list_edits.siblings import WrittenEntry, WrittenList, filled, pdf_of, usual_forms
from sources.list_edits.tables import new_row
from sources.list_edits.writing import markdown_address
from sources.reading_list import parse_reading_list
from sources.records import Mention

_LINES_BEFORE = 2
"""Lines before the first entry of a section that belong to it, such as the head of a table."""
_NEAR = 20
"""Entries on either side of a new one that are read again with it, where it is only to be shown."""
_STATED = ("arxiv", "doi")
"""Schemes whose identifiers readers find in words and addresses alike."""
_INDENT = re.compile(r"[ \t>]*(?:[-*+]|\ue008[.)])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownEntry:
    """The entry of a paper as a list would write it; `error` says why there is none.

    `is_in_section` is whether it goes under the heading that was named.
    """

    words: str | None = None
    is_in_section: bool = False
    error: UsageError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    """A new entry as text, and where it is put."""

    words: str
    position: Position


def addition(text: str, paper: PaperFacts, *, section: str | None = None, url: str | None = None) -> Change:
    """Returns the change that adds `paper` to the list `text`, in the list's own form.

    Args:
        text: The list as decoded.
        paper: What is known of the paper.
        section: The heading under which it goes; None where the list has one section, or one for each year.
        url: The address that its entry is to lead to; None for the paper's own, in the form that the list uses.

    Raises:
        AlreadyListed: The paper stands in the list.
        UsageError: The section is not clear, or no entry's form can be copied.
    """
    mentions = parse_reading_list(text).mentions
    written = WrittenList(text, mentions)
    _refuse_known(mentions, paper)
    place, siblings = _siblings(written, mentions, section, paper)
    for tried in _fitting(written, siblings, paper, url=url):
        change = _change(written, siblings, tried, paper)
        if _reads_well(text, mentions, change, paper):
            return change
    raise _no_form(written, place, siblings, paper, url=url)


def _siblings(
    written: WrittenList, mentions: Sequence[Mention], section: str | None, paper: PaperFacts
) -> tuple[tuple[str, ...], Sequence[WrittenEntry]]:
    place = section_named(mentions, section, paper.year)
    siblings = written.siblings(place).entries
    if not siblings:
        raise UsageError(f"no entry of {shown_section(place)} shows how the list writes one; write it there by hand")
    return place, siblings


def _no_form(
    written: WrittenList,
    place: tuple[str, ...],
    siblings: Sequence[WrittenEntry],
    paper: PaperFacts,
    *,
    url: str | None,
) -> UsageError:
    """Returns why no entry beside could be copied for the paper."""
    tried = list(_fitting(written, siblings, paper, url=url))
    why = f"{obstacle_in(siblings, _values(written, paper, url))} (see line {siblings[-1].mention.line})"
    if tried:
        words = " ".join(tried[-1].words.split())
        why = f"in their form it would not be read as this paper, or others would be read otherwise: {words[:120]}"
    return UsageError(
        f"no entry of {shown_section(place)} can be copied for this paper: {why}; write it by hand, or name another"
        " section with --section"
    )


def shown_entries(text: str, papers: Iterable[tuple[PaperFacts, str | None]]) -> Iterator[ShownEntry]:
    """Yields the entry of each paper as the list would write it, or why there is none; to be shown only.

    The list is read once. An entry is read again among the nearest of its section, and not, as by `addition`, in the
    whole list.

    Args:
        text: The list as decoded.
        papers: Papers, each with the heading under which it may go.
    """
    mentions = parse_reading_list(text).mentions
    written = WrittenList(text, mentions)
    for paper, section in papers:
        yield _entry_of(written, mentions, paper, section)


def _entry_of(written: WrittenList, mentions: Sequence[Mention], paper: PaperFacts, section: str | None) -> ShownEntry:
    error: UsageError | None = None
    for name in dict.fromkeys((section, None)):
        try:
            _refuse_known(mentions, paper)
            place, siblings = _siblings(written, mentions, name, paper)
            for entry in _fitting(written, siblings, paper, url=None):
                if _reads_beside(written, siblings, _change(written, siblings, entry, paper), paper):
                    return ShownEntry(words=entry.words, is_in_section=name is not None)
            raise _no_form(written, place, siblings, paper, url=None)
        except UsageError as refusal:
            error = error or refusal
    return ShownEntry(error=error)


def _reads_beside(written: WrittenList, siblings: Sequence[WrittenEntry], change: Change, paper: PaperFacts) -> bool:
    """Returns whether the entries near a change, with the change made, read as `_reads_well` has it."""
    text = written.source.text
    at = sum(entry.spans.entry[0] < change.edits[0].start for entry in siblings)
    near = siblings[max(0, at - _NEAR) : at + _NEAR]
    first = min(near[0].spans.entry[0], *(edit.start for edit in change.edits))
    for _ in range(_LINES_BEFORE + 1):
        first = max(0, text.rfind("\n", 0, first))
    last = max(near[-1].spans.entry[1], *(edit.end for edit in change.edits))
    part = text[first:last]
    edits = tuple(replace(edit, start=edit.start - first, end=edit.end - first) for edit in change.edits)
    return _reads_well(part, parse_reading_list(part).mentions, replace(change, edits=edits), paper)


def _fitting(
    written: WrittenList, siblings: Sequence[WrittenEntry], paper: PaperFacts, *, url: str | None
) -> Iterable[_Written]:
    """Yields the possible entries of a paper, of which each has its address where most of the others have one."""
    values = _values(written, paper, url)
    has_links = sum(bool(entry.mention.url) for entry in siblings) > LINKED_SHARE * len(siblings)
    for entry in _possible(written, siblings, values, paper):
        if not has_links or _leads_to(entry.words, values):
            yield entry


def _leads_to(words: str, values: Mapping[str, str]) -> bool:
    """Returns whether an entry has the paper's address, or its arXiv identifier."""
    address = values.get(ADDRESS, "")
    return any(item in unescape(words) for item in (address, pdf_of(address), values.get(ARXIV_ID) or address))


def _refuse_known(mentions: Iterable[Mention], paper: PaperFacts) -> None:
    own = _own_identifiers(paper)
    key = title_key(paper.title)
    for mention in mentions:
        by_identifier = not own.isdisjoint(mention.identifiers)
        if by_identifier or (key and title_key(mention.title or "") == key):
            how = "with the same identifier" if by_identifier else "under the same title"
            raise AlreadyListed(f"line {mention.line} has this paper already, {how}: {mention.title or mention.url}")


def _own_identifiers(paper: PaperFacts) -> set[Identifier]:
    named = {*named_identifiers(paper.arxiv_id, paper.doi), *paper.identifiers}
    return named | set(map(normal_identifier, named))


def _values(written: WrittenList, paper: PaperFacts, url: str | None) -> dict[str, str]:
    publication = next((item for item in paper.publications if item.venue and item.year), None)
    venue = publication.venue if publication else paper.venue
    values = written.values(paper, venue=venue, year=publication.year if publication else paper.year)
    if publication is None and kind_of(venue) is Kind.PREPRINT and paper.arxiv_id:
        values |= written.preprint_values()
    return values | ({ADDRESS: markdown_address(url)} if url else {})


def _possible(
    written: WrittenList, siblings: Sequence[WrittenEntry], values: Mapping[str, str], paper: PaperFacts
) -> Iterable[_Written]:
    """Yields the entry in the forms that siblings have, that of the most alike first, then that of the nearest."""
    text = written.source.text
    usual = usual_forms_for(siblings, values)
    nearest = [_without_blank_end(without_other_links(entry.form.text)) for entry in reversed(siblings) if entry.form]
    elsewhere = [form for form, count in usual_forms(written.entries).most_common() if count > 2]
    for form in dict.fromkeys([*usual, *filter(is_plain, nearest), *elsewhere]):
        run = [entry for entry in siblings if _is_alike(entry, form)]
        if not run or form.startswith("|"):
            continue
        position = position_of(written, run, paper)
        words = filled(form, {**values, NUMBER: position.number}, written.language_of(*run))
        if words is not None:
            yield _Written(words=words, position=position)
    rows = [entry for entry in siblings if is_row(text[slice(*entry.spans.entry)])]
    if rows:
        position = position_of(written, rows, paper)
        words = new_row(text, rows, {**values, NUMBER: position.number})
        if words is not None:
            yield _Written(words=words, position=position)


def _without_blank_end(form: str) -> str:
    """Returns a form without the one blank at its end, which means nothing; two break the line."""
    return form[:-1] if form.endswith(" ") and not form.endswith("  ") else form


def _is_alike(entry: WrittenEntry, form: str) -> bool:
    """Returns whether an entry begins with the indentation and the bullet of a form."""
    own, other = (_INDENT.match(text) for text in (entry.form.text if entry.form else "", form))
    return own is not None and other is not None and own[0] == other[0]


def _change(written: WrittenList, siblings: Sequence[WrittenEntry], entry: _Written, paper: PaperFacts) -> Change:
    source, position = written.source, entry.position
    end = source.line_end
    gap = position.between
    words = f"{entry.words}{gap}{end}" if position.before else f"{end}{gap}{entry.words}"
    edits = (Edit(start=position.at, end=position.at, replacement=words), *renumbering(written, siblings, position))
    return Change(
        code="addition",
        line=source.line_of(position.at) + (0 if position.before else 1),
        message=f"“{paper.title}” is added",
        evidence=(position.why,),
        edits=edits,
    )


def _reads_well(text: str, mentions: Sequence[Mention], change: Change, paper: PaperFacts) -> bool:
    """Returns whether the list, with the change made, reads as before but for one mention more, which is the paper."""
    after = parse_reading_list(apply_edits(text, change.edits)).mentions
    new = [at for at, mention in enumerate(after) if title_key(mention.title or "") == title_key(paper.title)]
    if len(new) != 1 or len(after) != len(mentions) + 1:
        return False
    others = [_reading(mention) for at, mention in enumerate(after) if at != new[0]]
    mention = after[new[0]]
    if mention.struck:  # as the entries of what was read are
        return False
    if {item for item in mention.identifiers if item.scheme in _STATED} - _own_identifiers(paper):
        return False
    sound = not mention.authors or not paper.authors or len(mention.authors) <= len(paper.authors)
    return sound and others == [_reading(item) for item in mentions]


def _reading(mention: Mention) -> tuple[object, ...]:
    return (mention.title, mention.name, mention.authors, mention.year, mention.venue, mention.url, mention.identifiers)
