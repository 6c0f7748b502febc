"""Writes a new entry in the style of the list, and finds its place. Pure.

The form is learnt from the section's other entries. What comes out is read again before it is offered: an entry that
does not read as the paper, or that changes how another entry reads, is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import unescape
from itertools import pairwise
from typing import Any

from sources.bibliography.identifiers import Identifier, named_identifiers, normal_identifier
from sources.bibliography.titles import title_key
from sources.bibliography.venues import Kind, kind_of
from sources.errors import AlreadyListed, UsageError
from sources.lists.checks.findings import Edit, PaperFacts
from sources.lists.edits.annotations import new_row
from sources.lists.edits.edits import Change, apply_edits
from sources.lists.edits.form import (
    ADDRESS,
    ARXIV_ID,
    AUTHORS,
    MONTHS,
    NAME,
    NUMBER,
    SHORT_YEAR,
    VENUE,
    YEAR,
    is_plain,
    is_row,
    without_notes,
    without_other_links,
    without_ratings,
)
from sources.lists.edits.siblings import WrittenEntry, WrittenList, filled, pdf_of, usual_forms
from sources.lists.edits.spans import first_line_of
from sources.lists.edits.writing import markdown_address
from sources.lists.reading import parse_reading_list
from sources.records import Mention

# The forms in which a list writes papers like a given one. Pure.
#
# A list may write a venue behind what has come out alone, and have links to some of its papers.


# Share of a section's entries with a link from which a new one has a link as well, where its paper has an address.
LINKED_SHARE = 0.5
_FEWEST_ALIKE = 4  # entries alike in what they say from which their form is a habit
# The signs of fields that a paper may lack -> what they are called in messages.
_FIELD_NAMES = {
    AUTHORS: "authors",
    YEAR: "a year",
    SHORT_YEAR: "a year",
    VENUE: "a venue",
    ADDRESS: "an address",
    NAME: "the name of a system",
    ARXIV_ID: "an arXiv identifier",
    **dict.fromkeys(MONTHS.values(), "a month"),
}


def usual_forms_for(siblings: Sequence[WrittenEntry], values: Mapping[str, str]) -> list[str]:
    """Returns the forms that several of `siblings` have, those of the ones most like a paper with `values` first."""
    groups = [alike for alike in _most_alike(siblings, values) if len(alike) >= _FEWEST_ALIKE]
    return [form for alike in (*groups, siblings) for form in _usual(alike)]


def _most_alike(siblings: Sequence[WrittenEntry], values: Mapping[str, str]) -> Iterator[list[WrittenEntry]]:
    """Yields the siblings that are published or not as the paper is, and link to the same host; then more of them."""
    published = [entry for entry in siblings if _is_published(entry) == (VENUE in values and not _is_preprint(values))]
    linked = [entry for entry in siblings if entry.form and ADDRESS in entry.form.text]
    if not values.get(ADDRESS) or len(linked) < LINKED_SHARE * len(siblings):
        linked = list(siblings)
    on_arxiv = [
        entry
        for entry in linked
        if ("arxiv.org" in (entry.mention.url or "")) == ("arxiv.org" in values.get(ADDRESS, ""))
    ]
    yield [entry for entry in published if entry in on_arxiv]
    yield [entry for entry in published if entry in linked]
    yield linked


def _is_published(entry: WrittenEntry) -> bool:
    return entry.mention.venue is not None and kind_of(entry.mention.venue) is not Kind.PREPRINT


def _is_preprint(values: Mapping[str, str]) -> bool:
    return kind_of(values.get(VENUE)) is Kind.PREPRINT


def _usual(entries: Sequence[WrittenEntry]) -> list[str]:
    """Returns the forms that several entries have, that of the most first; then those without notes, and ratings.

    Words and pictures that most entries have at the same place are the list's own, and not about one paper.
    """
    whole = usual_forms(entries)
    for form, count in Counter(without_other_links(entry.form.text) for entry in entries if entry.form).items():
        if count >= max(_FEWEST_ALIKE, len(entries) // 2 + 1) and not any(map(str.isdigit, form)):
            whole[form] = count
    own = [without_other_links(entry.form.text) for entry in entries if entry.form and not is_row(entry.form.text)]
    short, unrated = (
        Counter(form for form in forms if form and is_plain(form))
        for forms in (map(without_notes, own), (without_notes(without_ratings(form)) for form in own))
    )
    return [form for forms in (whole, short, unrated) for form, count in forms.most_common() if count > 1]


def obstacle_in(siblings: Sequence[WrittenEntry], values: Mapping[str, str]) -> str:
    """Returns why no form of `siblings` can be filled in: a field that is not known, or words about one paper alone."""
    lacking = [(set(form) & _FIELD_NAMES.keys()) - values.keys() for form in usual_forms(siblings)]
    if not lacking:
        return "each has words of its own beside the fields"
    names = [name for sign, name in _FIELD_NAMES.items() if sign in min(lacking, key=len)]
    return f"they have {' and '.join(names)}, which nobody tells" if names else "their links are named for other places"


# Where a new entry goes among those of its section: by their own order, else behind the last. Pure.


_FEWEST = 3  # entries from which an order is one
_WHITESPACE = re.compile(r"[ \t]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """A place for a new entry.

    Attributes:
        at: Offset at which it is inserted.
        before: Whether what stands at `at` is the entry that follows it, and not the end of the one before.
        between: What stands between two entries beside the end of a line: the empty lines.
        number: The number it has, "" where entries have none.
        after: How many of the entries stand before it.
        step: By how much numbers grow from entry to entry.
        why: Why it goes there, for people.
    """

    at: int
    before: bool
    between: str
    number: str
    after: int
    step: int
    why: str


def position_of(written: WrittenList, run: Sequence[WrittenEntry], paper: PaperFacts) -> Position:
    """Returns where `paper` goes among `run`, entries of one section and form."""
    after, why = _place_in_order(run, paper)
    source = written.source
    if after:
        last = block_end(written, run[after - 1])
        if after == len(run) and is_row(source.line(last)):  # behind rows that name no paper, too
            last = next((line for line in range(last, source.line_count) if not is_row(source.line(line + 1))), last)
        at, before = source.stretch(last, last)[1], False
    else:
        at, before = source.stretch(first_line_of(run[0].mention), first_line_of(run[0].mention))[0], True
    number, step = _number(written, run, after)
    return Position(
        at=at, before=before, between=_between(written, run), number=number, after=after, step=step, why=why
    )


def _place_in_order(run: Sequence[WrittenEntry], paper: PaperFacts) -> tuple[int, str]:
    years = [entry.mention.year for entry in run]
    year = next((item.year for item in paper.publications if item.venue and item.year), paper.year)
    if year is not None and None not in years and len(set(years)) > 1 and len(run) >= _FEWEST:
        keys: list[Any] = [-(item or 0) for item in years]
        if is_sorted(keys):
            return sum(key <= -year for key in keys), "the section is in order of year, the newest first"
        if is_sorted(keys[::-1]):
            return sum(key >= -year for key in keys), "the section is in order of year, the newest last"
    titles = [title_key(entry.mention.title or "") for entry in run]
    if len(run) > _FEWEST and is_sorted(titles):
        return sum(title <= title_key(paper.title) for title in titles), "the section is in order of title"
    return len(run), "the section is in no order that shows, so it goes behind the last entry"


def is_sorted(keys: Sequence[Any]) -> bool:
    """Returns whether no key is smaller than the one before it."""
    return all(first <= second for first, second in pairwise(keys))


def block_end(written: WrittenList, entry: WrittenEntry) -> int:
    """Returns the last line of an entry with all that stands in its list item: lines that are indented further."""
    source = written.source
    first, last = first_line_of(entry.mention), entry.mention.last_line
    indent = _width(source.line(first))
    if not _is_item(source.line(first)):
        return last
    line = last + 1
    while line <= source.line_count:
        text = source.line(line)
        if text.strip():
            if _width(text) <= indent:
                break
            last = line
        line += 1
    return last


def _width(line: str) -> int:
    match = _WHITESPACE.match(line)
    return len(match[0].expandtabs(4)) if match else 0


def _is_item(line: str) -> bool:
    return re.match(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]", line) is not None


def _between(written: WrittenList, run: Sequence[WrittenEntry]) -> str:
    """Returns the empty lines that stand between two entries: as many as between the last two."""
    if len(run) < 2:
        return ""
    line, count = first_line_of(run[-1].mention) - 1, 0
    while line > 0 and not written.source.line(line).strip():
        line, count = line - 1, count + 1
    return written.source.line_end * count if line == block_end(written, run[-2]) else ""


def numbers_of(written: WrittenList, run: Sequence[WrittenEntry]) -> list[tuple[int, int, int]]:
    """Returns for each entry with a number where it stands, and the number."""
    found = []
    for entry in run:
        if entry.form is not None and NUMBER in entry.form.text:
            start = entry.form.places[entry.form.text.index(NUMBER)]
            digits = re.compile(r"\d+").match(written.source.text, start)
            if digits:
                found.append((start, digits.end(), int(digits[0])))
    return found


def _number(written: WrittenList, run: Sequence[WrittenEntry], after: int) -> tuple[str, int]:
    numbers = [number for _, _, number in numbers_of(written, run)]
    if len(numbers) != len(run):
        return "", 0
    steps = {second - first for first, second in pairwise(numbers)}
    step = steps.pop() if len(steps) == 1 else 1 if len(run) == 1 else 0
    if step not in (-1, 1):
        return str(numbers[after - 1] if step == 0 and len(set(numbers)) == 1 else numbers[-1] + 1), 0
    number = numbers[after - 1] + step if after and step == 1 else numbers[0]
    if step == -1:
        number = numbers[after] + 1 if after < len(numbers) else numbers[-1]
    return str(number), step


def renumbering(written: WrittenList, siblings: Sequence[WrittenEntry], position: Position) -> Iterator[Edit]:
    """Yields the edits that count on the numbers of the entries that a new one is put before, or after, in its run."""
    if not position.step or not position.number:
        return
    numbers = numbers_of(written, siblings)
    own = int(position.number)
    for start, end, number in numbers:
        behind = start >= position.at
        if (position.step == 1 and behind and number >= own) or (position.step == -1 and not behind and number >= own):
            yield Edit(start=start, end=end, replacement=str(number + 1))


# Which section of a list is meant. Pure.


Section = tuple[str, ...]  # the headings above, outermost first


def section_named(mentions: Iterable[Mention], name: str | None, year: int | None = None) -> Section:
    """Returns the section that is named, or the only one; without a name, that of `year` where sections are years.

    A name is a heading, part of one, or headings from the outermost joined by " > ".

    Raises:
        UsageError: There is none, or there are several.
    """
    sections = list(dict.fromkeys(mention.section for mention in mentions))
    found = sections if len(sections) == 1 else [item for item in sections if _is_year(item, year)]
    if name is not None:
        wanted = name.casefold().strip("# ")
        exact = [item for item in sections if wanted in (shown_section(item).casefold(), _last(item))]
        found = exact or [item for item in sections if wanted and wanted in _last(item)]
    if len(found) == 1:
        return found[0]
    known = "; ".join(map(shown_section, (found or sections)[:12])) or "none with entries"
    is_unknown = name is not None and not found
    wrong = f"no section with entries is named {name!r}" if is_unknown else "which section is meant is not clear"
    raise UsageError(f"{wrong}: name one with --section, of {known}")


def shown_section(section: Section) -> str:
    """Returns a section's headings in one line."""
    return " > ".join(section) or "the part without a heading"


def _last(section: Section) -> str:
    return section[-1].casefold() if section else ""


def _is_year(section: Section, year: int | None) -> bool:
    return year is not None and re.fullmatch(rf"\W*{year}\W*", _last(section)) is not None


_LINES_BEFORE = 2  # lines before the first entry of a section that belong to it, such as the head of a table
_NEAR = 20  # entries on either side of a new one that are read again with it, where it is only to be shown
_STATED = ("arxiv", "doi")  # schemes whose identifiers readers find in words and addresses alike
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
