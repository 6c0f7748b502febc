"""Writes a new entry in the style of the list, and finds its place. Pure.

The form is learnt from the section's other entries. What comes out is read again before it is offered: an entry that
does not read as the paper, or that changes how another entry reads, is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import unescape
from itertools import accumulate, pairwise, product, takewhile
from typing import Any, NamedTuple

from sources.bibliography.identifiers import Identifier, named_identifiers, normal_identifier
from sources.bibliography.titles import title_key
from sources.bibliography.venues import Kind, kind_of
from sources.bibliography.years import years_in
from sources.errors import AlreadyListed, UsageError
from sources.lists.checks.findings import Edit, PaperFacts
from sources.lists.checks.list_text import ListText
from sources.lists.edits.annotations import new_row
from sources.lists.edits.edits import Change, apply_edits, composed
from sources.lists.edits.extents import HEADING, PICTURE, Extents, width_before
from sources.lists.edits.spans import first_line_of
from sources.lists.edits.style import (
    ADDRESS,
    ARXIV_ID,
    AUTHORS,
    DATES,
    DOI,
    FEWEST_ALIKE,
    NAME,
    NUMBER,
    SHORT_YEAR,
    TITLE,
    VENUE,
    YEAR,
    WrittenEntry,
    WrittenList,
    came_out,
    filled,
    fixed_part,
    habits_of,
    in_order,
    is_paired,
    is_row,
    known_keys,
    led_to_paper,
    month_of,
    pdf_of,
    possible_venue,
    sort_key,
    usual_forms,
    wrong_label,
)
from sources.lists.edits.writing import markdown_address
from sources.lists.reading import parse_reading_list
from sources.lists.reading.marked_text import markdown
from sources.lists.reading.tabular import read_table
from sources.records import Mention

# Share of a section's entries with a link from which a new one has a link as well, where its paper has an address.
_LINKED_SHARE = 0.5
# The signs of fields that a paper may lack -> what they are called in messages.
_FIELD_NAMES = {
    AUTHORS: "authors",
    YEAR: "a year",
    SHORT_YEAR: "a year",
    VENUE: "a venue",
    ADDRESS: "an address",
    NAME: "the name of a system",
    ARXIV_ID: "an arXiv identifier",
    DOI: "a DOI",
    **dict.fromkeys(DATES.values(), "a date"),
}
# What an entry is to have as its siblings do, as one sign or another.
_FIELDS = (
    {AUTHORS},
    {VENUE, ARXIV_ID},
    {ADDRESS, ARXIV_ID, DOI},
    {YEAR, SHORT_YEAR, ARXIV_ID, *DATES.values()},
)
_RARE = 0.2  # share of siblings with a field below which a new entry is better without it
_FEWEST = 5  # entries from which an order is one; three, where it is one of years
# Shares of entries that stand in an order, from which a section has it, and from which its list has: wholly, or mostly,
# where a place by it is right twice as often as one at the end.
WHOLLY, MOSTLY = (0.95, 0.9), (0.75, 0.75)
ORDERS = (
    ("month", -1, "month, the newest first"),
    ("month", 1, "month, the newest last"),
    ("year", -1, "year, the newest first"),
    ("year", 1, "year, the newest last"),
    ("name", 1, "name"),
    ("title", 1, "title"),
)
_LINES_BEFORE = 2  # lines before the first entry of a section that belong to it, such as the head of a table
_NEAR = 20  # entries on either side of a new one that are read again with it, where it is only to be shown
_STATED = ("arxiv", "doi")  # schemes whose identifiers readers find in words and addresses alike
_INDENT = re.compile(r"[ \t>]*(?:[-*+]|(?:\ue008|\d{1,4})[.)])?")
_COUNTED = re.compile(r"[ \t>]*\|?[ \t]*\d{1,3}[ \t]*\|")  # a row of a ranking
Section = tuple[str, ...]  # the headings above, outermost first


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownEntry:
    """The entry of a paper as a list would write it; `error` says why there is none.

    `is_in_section` is whether it goes under the heading that was named.
    """

    words: str | None = None
    is_in_section: bool = False
    error: UsageError | None = None


def addition(
    text: str,
    paper: PaperFacts,
    *,
    mentions: Sequence[Mention] | None = None,
    section: str | None = None,
    url: str | None = None,
) -> Change:
    """Returns the change that adds `paper` to the list `text`, in the list's own form.

    `section` is the heading under which it goes; None where the list has one section, or one for each year. `url` is
    what its entry is to lead to; None for the paper's own address, in the form that the list uses. `mentions` is what
    the parser finds in the text, where that is known.

    Raises:
        AlreadyListed: The paper stands in the list.
        UsageError: The section is not clear, or no entry's form can be copied.
    """
    mentions = parse_reading_list(text).mentions if mentions is None else mentions
    new = _NewEntry(WrittenList(text, mentions), paper, section, url)
    for _, change in new.tried():
        if _reads_well(text, mentions, change, paper) or new.reads_beside(change):
            return change
    raise new.refusal()


def additions(
    text: str, papers: Iterable[tuple[PaperFacts, str | None]], *, section: str | None = None
) -> tuple[list[Change], list[UsageError | None]]:
    """Returns the changes that add papers one after the other, and why which of them is not added.

    Each paper comes with the address that its entry is to lead to, as in `addition`. A place where several go is one
    edit, which stands in the change of each.
    """
    edits: list[Edit] = []
    added: list[tuple[Change, int]] = []  # with the place of its entry in `text`
    errors: list[UsageError | None] = []
    for paper, url in papers:
        try:
            change = addition(apply_edits(text, edits), paper, section=section, url=url)
        except UsageError as error:
            errors.append(error)
            continue
        _, entry = composed(text, edits, change.edits[:1])
        before, later = composed(text, edits, change.edits)
        edits = list(dict.fromkeys((*before.values(), *later.values())))
        added.append((change, entry[change.edits[0]].start))
        errors.append(None)
    places = {at: next(edit for edit in edits if edit.start <= at <= edit.end) for _, at in added}
    numbers = [edit for edit in edits if edit not in places.values()]
    source = ListText(text)
    changes = [
        replace(
            change,
            line=source.line_of(at) + places[at].replacement.startswith(("\n", "\r")),
            edits=(places[at], *(numbers if number == len(added) else ())),
        )
        for number, (change, at) in enumerate(added, start=1)
    ]
    return changes, errors


def shown_entries(text: str, papers: Iterable[tuple[PaperFacts, str | None]]) -> Iterator[ShownEntry]:
    """Yields the entry of each paper as the list would write it, or why there is none; to be shown only.

    The list is read once. An entry is read again among the nearest of its section, and not, as by `addition`, in the
    whole list. Each paper comes with the heading under which it may go.
    """
    written = WrittenList(text, parse_reading_list(text).mentions)
    table = read_table(text)
    for paper, section in papers:
        shown = _shown_entry(written, paper, section)
        elsewhere = _shown_entry(written, paper, None) if shown.words is None and section is not None else shown
        found = shown if elsewhere.words is None else elsewhere
        if table is not None and found.words is not None:
            found = ShownEntry(error=UsageError(f"the list is {table.form}, and only Markdown is written"))
        yield found


def _shown_entry(written: WrittenList, paper: PaperFacts, section: str | None) -> ShownEntry:
    try:
        new = _NewEntry(written, paper, section, None)
    except UsageError as error:
        return ShownEntry(error=error)
    for words, change in new.tried():
        if new.reads_beside(change):
            return ShownEntry(words=words, is_in_section=section is not None)
    return ShownEntry(error=new.refusal())


def refuse_listed(mentions: Iterable[Mention], identifiers: Collection[Identifier], key: str = "") -> None:
    """Refuses a paper that stands in the list.

    `key` is the `title_key` of its title; empty where that is not known yet.

    Raises:
        AlreadyListed: A mention has one of the identifiers, or the title.
    """
    own = frozenset(identifiers)
    for mention in mentions:
        by_identifier = not own.isdisjoint(mention.identifiers)
        if by_identifier or (key and title_key(mention.title or "") == key):
            how = "with the same identifier" if by_identifier else "under the same title"
            raise AlreadyListed(f"line {mention.line} has this paper already, {how}: {mention.title or mention.url}")


class _NewEntry:
    """A paper that is to be added to one section of a list.

    Raises:
        AlreadyListed: The paper stands in the list.
        UsageError: The section is not clear, or has no entry with a form.
    """

    def __init__(self, written: WrittenList, paper: PaperFacts, section: str | None, url: str | None) -> None:
        mentions = [entry.mention for entry in written.entries]
        refuse_listed(mentions, _own_identifiers(paper), title_key(paper.title))
        self._written = written
        self._paper = paper
        self._place = section_named(mentions, section, paper.year)
        self._siblings = written.siblings(self._place).entries
        if not self._siblings:
            raise UsageError(
                f"no entry of {shown_section(self._place)} shows how the list writes one; write it there by hand"
            )
        self._is_unclear = False  # whether no place was found that parts no entry from what belongs to it
        self._extents = Extents(written)
        self._outer = self._extents.outer(self._place)
        published = next((item for item in paper.publications if item.venue and item.year), None)
        venue = published.venue if published else paper.venue
        of_venue = years_in(venue) if published is None else frozenset()
        self._venue = venue
        self._year = published.year if published else next(iter(of_venue)) if len(of_venue) == 1 else paper.year
        values = written.values(paper, venue=venue, year=self._year, section=self._place)
        if venue and VENUE not in values:
            values[VENUE] = possible_venue(written.venues, venue)
        if published is None and kind_of(venue) is Kind.PREPRINT and paper.arxiv_id:
            values |= written.preprint_values()
        self._values = values | ({ADDRESS: markdown_address(url)} if url else {})

    def tried(self) -> Iterator[tuple[str, Change]]:
        """Yields the possible entries of the paper, of which each has its address where most of the others have one.

        Those in the form of the entries most like it come first, then those in the form of the nearest.
        """
        has_links = sum(bool(entry.mention.url) for entry in self._siblings) > _LINKED_SHARE * len(self._siblings)
        address = self._values.get(ADDRESS, "")
        own = (address, pdf_of(address), self._values.get(ARXIV_ID) or address)
        for words, position in self._possible():
            if not has_links or any(item in unescape(words) for item in own):
                yield words, self._change(words, position)

    def refusal(self) -> UsageError:
        """Returns why no entry beside could be copied for the paper."""
        tried = list(self.tried())
        if self._is_unclear or not self._outer:
            why = (
                "what stands between entries may belong to either, or they stand inside others or under words"
                " that do not tell where it belongs: the place is not clear"
            )
        elif tried:
            words = " ".join(tried[-1][0].split())
            why = f"in their form it would not be read as this paper, or others would be read otherwise: {words[:120]}"
        else:
            why = f"{self._obstacle()} (see line {self._siblings[-1].mention.line})"
        return UsageError(
            f"no entry of {shown_section(self._place)} can be copied for this paper: {why}; write it by hand, or name"
            " another section with --section"
        )

    def _obstacle(self) -> str:
        """Returns what no form can be filled in with: a field that is not known, or words about one paper alone."""
        lacking = [(set(form) & _FIELD_NAMES.keys()) - self._values.keys() for form in usual_forms(self._siblings)]
        if not lacking:
            return "each has words of its own beside the fields"
        names = [name for sign, name in _FIELD_NAMES.items() if sign in min(lacking, key=len)]
        known = {AUTHORS: self._paper.authors, VENUE: self._venue}
        if any(known.get(sign) for sign in min(lacking, key=len)):
            return f"they have {' and '.join(names)}, and the list does not show how it would write those of this paper"
        return (
            f"they have {' and '.join(names)}, which nobody tells"
            if names
            else "their links are named for other places"
        )

    def reads_beside(self, change: Change) -> bool:
        """Returns whether the entries near a change, with the change made, read as `_reads_well` has it."""
        text = self._written.source.text
        at = sum(entry.spans.entry[0] < change.edits[0].start for entry in self._siblings)
        near = self._siblings[max(0, at - _NEAR) : at + _NEAR]
        first = min(near[0].spans.entry[0], *(edit.start for edit in change.edits))
        for _ in range(_LINES_BEFORE + 1):
            first = max(0, text.rfind("\n", 0, first))
        part = text[first : max(near[-1].spans.entry[1], *(edit.end for edit in change.edits))]
        moved = replace(change, edits=tuple(edit.moved(-first) for edit in change.edits))
        return _reads_well(part, parse_reading_list(part).mentions, moved, self._paper)

    def _possible(self) -> Iterator[tuple[str, _Position]]:
        text = self._written.source.text
        rows = [entry for entry in self._siblings if is_row(text[slice(*entry.spans.entry)])]
        if 2 * len(rows) > len(self._siblings):
            yield from self._possible_rows(rows)
        for form in self._forms():
            run = [entry for entry in self._outer if self._indent(entry) == _indent(form)]
            if run and not form.startswith("|"):
                position = self._position(run)
                if position is None:
                    self._is_unclear = True
                    continue
                language = self._written.language_of(*run)
                words = filled(form, {**self._values, NUMBER: position.number}, language)
                if words is not None:
                    yield words, position
        if rows:
            yield from self._possible_rows(rows)

    def _possible_rows(self, rows: Sequence[WrittenEntry]) -> Iterator[tuple[str, _Position]]:
        position = self._position(rows)
        if position is not None:
            words = new_row(self._written.source.text, rows, {**self._values, NUMBER: position.number})
            if words is not None:
                yield words, position

    def _forms(self) -> Iterable[str]:
        """Returns the forms to try: those of the entries most like the paper, of the nearest, and of other sections.

        First come those with the fields that siblings have, and with words for their link that fit where it leads.
        """
        common = _forms_of(self._written.entries)
        own = _forms_of(self._siblings)
        own = dict(sorted(own.items(), key=lambda item: (-item[1], -common.get(item[0], 0))))
        alike = [form for group in self._alike() for form, count in _forms_of(group).items() if count > 1]
        often = [form for form, count in own.items() if count > 1]
        elsewhere = [form for form, count in common.items() if count > 2 and self._unlike(form) < 2]
        forms, address = dict.fromkeys([*alike, *often, *own, *elsewhere]), self._values.get(ADDRESS, "")
        return sorted(
            forms, key=lambda form: (self._unlike(form), wrong_label(form, address) is not None, not is_paired(form))
        )

    @cached_property
    def _fields(self) -> list[frozenset[str]]:
        """Returns the signs in the forms of the siblings under the same words, published or not as the paper is.

        Where these are few, it returns those in the forms of all under the same words, or of all siblings.
        """
        own = _kind(self._values.get(VENUE), None)
        near = [entry for entry in self._group(self._outer) if entry.form] if self._outer else []
        alike = [entry for entry in near if _kind(entry.mention.venue, None) == own]
        shown = next((each for each in (alike, near) if len(each) >= FEWEST_ALIKE), self._siblings)
        return [frozenset(led_to_paper(entry.form.text)) for entry in shown if entry.form]

    def _unlike(self, form: str) -> int:
        """Returns how many known fields of most siblings a form lacks, and how many it has that hardly any has."""
        unlike = 0
        for signs in _FIELDS:
            share = sum(not signs.isdisjoint(each) for each in self._fields) / len(self._fields)
            is_lacking = share > 0.5 and not signs.isdisjoint(self._values)
            unlike += is_lacking if signs.isdisjoint(form) else share < _RARE
        return unlike

    def _alike(self) -> Iterator[list[WrittenEntry]]:
        """Yields the siblings that are published or not as the paper is, and link to arXiv or not; then all the former.

        A list may write a venue behind what has come out alone.
        """
        beside = self._siblings if len(self._siblings) >= FEWEST_ALIKE else self._written.entries
        own = _kind(self._values.get(VENUE), self._values.get(ADDRESS))
        for size in (2, 1):
            alike = [entry for entry in beside if _kind(entry.mention.venue, entry.mention.url)[:size] == own[:size]]
            if len(alike) >= FEWEST_ALIKE:
                yield alike

    def _position(self, run: Sequence[WrittenEntry]) -> _Position | None:
        """Returns where the paper goes among `run`, entries of one section and form; None where that is not clear."""
        run = self._group(run)
        if not run:
            return None  # none of the words above them tells that the paper belongs there
        places, why = self._places(run)
        return next((found for after in places if (found := self._position_behind(run, after, why))), None)

    def _position_behind(self, run: Sequence[WrittenEntry], after: int, why: str) -> _Position | None:
        """Returns the place behind so many of a run; None where it is not clear what belongs to which entry."""
        source = self._written.source
        gap = source.line_end * self._extents.between(run)
        if after:
            last = self._extents.end(run[after - 1])
            if after == len(run) and last == self._extents.block(run[-1]):
                last = self._last_alike(run[-1], last)
            if not last:
                return None
            at = source.stretch(last, last)[1]
            behind = last + 1
        else:
            behind = first_line_of(run[0].mention)
            at = source.stretch(behind, behind)[0]
        above = range(run[after - 1].mention.last_line + 1, behind) if after else range(1)
        is_above = self._is_pictured(first_line_of(run[0].mention)) and (not after or any(map(self._is_picture, above)))
        if is_above or not self._extents.is_clear(run[max(after - 1, 0)]):
            return None  # a picture above, or words between, may belong to the entry that follows
        numbers = [number for *_, number in numbers_of(self._written, run)]
        formed = [entry.form is not None for entry in run]
        number = _number(numbers, sum(formed), sum(formed[:after]))
        return _Position(at, not after, gap, *number, why) if number else None

    def _group(self, run: Sequence[WrittenEntry]) -> Sequence[WrittenEntry]:
        """Returns the entries under words or in an item that name the paper's venue, year or kind; all without such."""
        groups = self._extents.groups(run)
        if len(groups) < 2:
            return run
        kind = kind_of(self._venue)
        named = (self._venue, self._values.get(VENUE), str(self._year), kind.value)
        for name in (*named, "arXiv" if kind is Kind.PREPRINT else None):
            fitting = [
                group
                for words, group in groups.items()
                if (name or "").casefold() in re.findall(r"\w+", words.casefold())
            ]
            if name and fitting:
                return fitting[0]
        return groups.get("", ())  # those right under the heading

    def _indent(self, entry: WrittenEntry) -> str:
        return _indent(self._written.source.text[slice(*entry.spans.entry)])

    def _last_alike(self, entry: WrittenEntry, last: int) -> int:
        """Returns the last line of the rows or items below an entry that are like it, and name no paper.

        0 where a picture or a comment stands below them, which may belong to one of them or to all.
        """
        source, mark = self._written.source, self._indent(entry)
        if is_row(source.line(last)):
            return next(
                (at for at in range(last, source.line_count) if not is_row(source.line(at + 1))), source.line_count
            )
        if not mark.strip(" >\t") or NUMBER in mark:
            return last
        depth = width_before(mark)
        for line in range(last + 1, source.line_count + 1):
            text = source.line(line)
            if self._is_picture(line) or (line == last + 1 and text.startswith("<!--")):
                return 0
            if "](#" in text or self._extents.is_border(line) or HEADING.match(text):
                break
            is_continued = line == last + 1 and not _indent(text).strip()  # a line below an item is its own
            if (
                _indent(text) == mark
                or (text.strip() and width_before(text) > depth)
                or (is_continued and text.strip())
            ):
                last = line
            elif text.strip():
                break
        return last

    def _is_pictured(self, first: int) -> bool:
        """Returns whether a picture stands between the first entry, on the line `first`, and the heading above."""
        source = self._written.source
        above = takewhile(lambda line: not HEADING.match(source.line(line)), range(first - 1, 0, -1))
        return any(map(self._is_picture, above))

    def _is_picture(self, line: int) -> bool:
        return PICTURE.match(self._written.source.line(line)) is not None

    def _places(self, run: Sequence[WrittenEntry]) -> tuple[list[int], str]:
        """Returns how many of `run` may stand before the paper, and why, for people.

        That is by their order where there is one, and else where the list has its newest entries.
        """
        own = {"year": self._year, "name": self._values.get(NAME, "").casefold(), "title": title_key(self._paper.title)}
        if day := came_out(self._paper):
            names_years = any(entry.mention.year and not entry.day for entry in run)
            own["month"] = month_of(day, self._year if names_years else None)
        for shares, (field, way, name) in product((WHOLLY, MOSTLY), ORDERS):
            if own.get(field) and is_in_order(self._written, run, field, way, shares):
                keys = [sort_key(entry, field) for entry in run]
                how = "in" if shares == WHOLLY else "mostly in"
                return places_among(keys, own[field], way), f"the section is {how} order of {name}"
        is_counted = numbers_of(self._written, run) or _COUNTED.match(self._written.source.text, run[0].spans.entry[0])
        is_first = self._written.has_newest_first and not is_counted
        end = "before the first entry, as the list has newer ones first" if is_first else "behind the last entry"
        return [0] * is_first + [len(run)], f"the section is in no order that shows, so it goes {end}"

    def _change(self, words: str, position: _Position) -> Change:
        source, gap = self._written.source, position.between
        end = source.line_end
        whole = f"{words}{gap}{end}" if position.is_before else f"{end}{gap}{words}"
        edits = [Edit(start=position.at, end=position.at, replacement=whole)]
        if position.step and position.number:  # the numbers of the entries behind it, or before it, grow by one
            for start, last, number in numbers_of(self._written, self._siblings):
                if (start >= position.at) == (position.step == 1) and number >= int(position.number):
                    grown = Edit(start=start, end=last, replacement=str(number + 1))
                    if start == position.at:  # the entry begins with it: one edit
                        edits[0] = replace(grown, replacement=whole + grown.replacement)
                    else:
                        edits.append(grown)
        return Change(
            code="addition",
            line=source.line_of(position.at) + (0 if position.is_before else 1),
            message=f"“{self._paper.title}” is added",
            evidence=(position.why,),
            edits=tuple(edits),
        )


class _Position(NamedTuple):
    """A place for a new entry."""

    at: int  # offset at which it is inserted
    is_before: bool  # whether what stands at `at` is the entry that follows it, and not the end of the one before
    between: str  # what stands between two entries beside the end of a line: the empty lines
    number: str  # the number it has, "" where entries have none
    step: int  # by how much numbers grow from entry to entry
    why: str  # why it goes there, for people


def _kind(venue: str | None, address: str | None) -> tuple[bool, bool]:
    """Returns whether an entry is of what was published, and whether it leads to arXiv."""
    return kind_of(venue) is not Kind.PREPRINT, "arxiv.org" in (address or "")


def _indent(form: str) -> str:
    """Returns the indentation and the bullet of a form, or of an entry."""
    match = _INDENT.match(form)
    return re.sub(r"\d+", NUMBER, match[0]) if match else ""


def _forms_of(entries: Sequence[WrittenEntry]) -> dict[str, int]:
    """Returns what can be copied of entries' forms, with how many have it: that of the most first, then of the last."""
    habits = habits_of(entries)
    forms = [fixed_part(entry.form.text, habits) for entry in reversed(entries) if entry.form]
    forms = [form for form in forms if TITLE in form]
    counts = Counter((_indent(form), *form.split()) for form in forms)
    written: dict[tuple[str, ...], str] = {}
    for form, _ in Counter(forms).most_common():  # blanks as most of those alike have them
        written.setdefault((_indent(form), *form.split()), form)
    return {written[key]: count for key, count in counts.most_common()}


def is_in_order(
    written: WrittenList, run: Sequence[WrittenEntry], field: str, way: int, shares: tuple[float, float] = WHOLLY
) -> bool:
    """Returns whether such shares of entries, and of those of the list's sections, stand in an order."""
    keys, orders = known_keys(run, field), written.orders
    is_enough = len(keys) >= max(3 if field == "year" else _FEWEST, len(run) / 2) and len(set(keys)) > 1
    is_usual = orders[field, way] >= shares[1] and orders[field, way] > orders[field, -way]
    if not (is_enough and is_usual):
        return False
    return in_order(keys, way) >= max(shares[0] * len(keys), in_order(keys, -way))


def places_among(keys: Sequence[Any], own: Any, way: int) -> list[int]:
    """Returns behind how many of `keys` one more may stand by their order, the last of these places first."""
    known = [(at, key) for at, key in enumerate(keys) if key is not None]
    later = ((key > own) if way > 0 else (key < own) for _, key in known)
    wrong = list(accumulate((1 if is_later else -1 for is_later in later), initial=0))
    places = [known[0][0], *(at + 1 for at, _ in known)]
    return [places[number] for number in reversed(range(len(wrong))) if wrong[number] == min(wrong)]


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


def _number(numbers: Sequence[int], size: int, after: int) -> tuple[str, int] | None:
    """Returns the number of an entry behind `after` of `size` entries with `numbers`, and how these grow.

    None where they do not show which one it has.
    """
    if not numbers or len(numbers) != size:
        return "", 0
    steps = {second - first for first, second in pairwise(numbers)}
    step = steps.pop() if len(steps) == 1 else 1 if size == 1 else 0
    if step not in (-1, 1):
        same = len(set(numbers)) == 1 and size > 1
        return (str(numbers[0] if same else numbers[-1] + 1), 0) if same or after == size else None
    number = numbers[after - 1] + step if after and step == 1 else numbers[0]
    if step == -1:
        number = numbers[after] + 1 if after < len(numbers) else numbers[-1]
    return str(number), step


def section_named(mentions: Iterable[Mention], name: str | None, year: int | None = None) -> Section:
    """Returns the section that is named, or the only one; without a name, that of `year` where sections are years.

    A name is a heading, part of one, or headings from the outermost joined by " > ".

    Raises:
        UsageError: There is none, or there are several.
    """
    sections = list(dict.fromkeys(mention.section for mention in mentions))
    last = {item: item[-1].casefold() if item else "" for item in sections}
    found = sections
    if name is not None:
        wanted = name.casefold().strip("# ")
        exact = [item for item in sections if wanted in (shown_section(item).casefold(), last[item])]
        found = exact or [item for item in sections if wanted and wanted in last[item]]
    elif len(sections) > 1:
        found = [item for item in sections if year is not None and re.fullmatch(rf"\W*{year}\W*", last[item])]
    if len(found) == 1:
        return found[0]
    known = "; ".join(map(shown_section, (found or sections)[:12])) or "none with entries"
    is_unknown = name is not None and not found
    wrong = f"no section with entries is named {name!r}" if is_unknown else "which section is meant is not clear"
    raise UsageError(f"{wrong}: name one with --section, of {known}")


def shown_section(section: Section) -> str:
    """Returns a section's headings in one line."""
    return " > ".join(section) or "the part without a heading"


def _own_identifiers(paper: PaperFacts) -> set[Identifier]:
    named = {*named_identifiers(paper.arxiv_id, paper.doi), *paper.identifiers}
    return named | set(map(normal_identifier, named))


def _reads_well(text: str, mentions: Sequence[Mention], change: Change, paper: PaperFacts) -> bool:
    """Returns whether the list, with the change made, reads as before but for one mention more, which is the paper."""
    mended = apply_edits(text, change.edits)
    after = parse_reading_list(mended).mentions
    new = [at for at, mention in enumerate(after) if title_key(mention.title or "") == title_key(paper.title)]
    if len(new) != 1 or len(after) != len(mentions) + 1:
        return False
    others = [reading_of(mention) for at, mention in enumerate(after) if at != new[0]]
    mention = after[new[0]]
    if mention.struck:  # as the entries of what was read are
        return False
    if {item for item in mention.identifiers if item.scheme in _STATED} - _own_identifiers(paper):
        return False
    if _is_joined(mended, mention, after):
        return False
    sound = not mention.authors or not paper.authors or len(mention.authors) <= len(paper.authors)
    return sound and others == [reading_of(item) for item in mentions]


def _is_joined(text: str, mention: Mention, mentions: Iterable[Mention]) -> bool:
    """Returns whether Markdown takes an entry for one paragraph with lines other than those of whole entries."""
    tokens = markdown().parse(text)
    for first, last in (token.map for token in tokens if token.type == "inline" and token.map):
        if first < mention.line <= last:
            whole = [range(first_line_of(each), each.last_line + 1) for each in mentions]
            known = {line for lines in whole if first < lines[0] and lines[-1] <= last for line in lines}
            known.update(range(first_line_of(mention), mention.last_line + 1))
            return not known.issuperset(range(first + 1, last + 1))
    return False


def reading_of(mention: Mention) -> tuple[object, ...]:
    """Returns the fields of a mention that no edit of another entry may change."""
    return (mention.title, mention.name, mention.authors, mention.year, mention.venue, mention.url, mention.identifiers)
