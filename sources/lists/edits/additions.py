"""Writes a new entry in the style of the list, finds its place, and sorts a section by whole entries. Pure.

The form is learnt from the section's other entries. What comes out is read again before it is offered: an entry that
does not read as the paper, or that changes how another entry reads, is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import unescape
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from sources.bibliography.identifiers import Identifier, named_identifiers, normal_identifier
from sources.bibliography.titles import title_key
from sources.bibliography.venues import Kind, kind_of
from sources.bibliography.years import years_in
from sources.errors import AlreadyListed, UsageError
from sources.lists.checks.findings import Edit, Entry, PaperFacts
from sources.lists.edits.annotations import new_row
from sources.lists.edits.edits import Change, apply_edits
from sources.lists.edits.spans import first_line_of
from sources.lists.edits.style import (
    ADDRESS,
    ARXIV_ID,
    AUTHORS,
    MONTHS,
    NAME,
    NUMBER,
    SHORT_YEAR,
    VENUE,
    YEAR,
    WrittenEntry,
    WrittenList,
    filled,
    is_plain,
    is_row,
    pdf_of,
    usual_forms,
    without_notes,
    without_other_links,
    without_ratings,
)
from sources.lists.edits.writing import markdown_address
from sources.lists.reading import parse_reading_list
from sources.lists.reading.tabular import read_table
from sources.records import Mention

# Share of a section's entries with a link from which a new one has a link as well, where its paper has an address.
_LINKED_SHARE = 0.5
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
_FEWEST = 3  # entries from which an order is one
_LINES_BEFORE = 2  # lines before the first entry of a section that belong to it, such as the head of a table
_NEAR = 20  # entries on either side of a new one that are read again with it, where it is only to be shown
_STATED = ("arxiv", "doi")  # schemes whose identifiers readers find in words and addresses alike
_INDENT = re.compile(r"[ \t>]*(?:[-*+]|\ue008[.)])?")
_WHITESPACE = re.compile(r"[ \t]*")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]")
Section = tuple[str, ...]  # the headings above, outermost first
# year: as the section mostly is already, else the newest first. citations: the most cited first.
Order = Literal["year", "venue", "title", "citations"]


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
        if _reads_well(text, mentions, change, paper):
            return change
    raise new.refusal()


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


_HEADING = re.compile(r"#{1,6}(?=\s)")
# What stands below a paragraph and belongs to it, also behind an empty line: a picture, a badge, a quotation.
_BESIDE = re.compile(
    r"\s*(?:!\[|\[!\[|<(?:a\s[^>]*>\s*<)?img\b|<(?:p|div|center)\b[^>]*>\s*<(?:a\b[^>]*>\s*<)?img\b|>)"
)


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
        published = next((item for item in paper.publications if item.venue and item.year), None)
        venue = published.venue if published else paper.venue
        of_venue = years_in(venue) if published is None else frozenset()
        self._year = published.year if published else next(iter(of_venue)) if len(of_venue) == 1 else paper.year
        values = written.values(paper, venue=venue, year=self._year)
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
        if tried:
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
        for form in self._forms():
            run = [entry for entry in self._siblings if entry.form and _indent(entry.form.text) == _indent(form)]
            if run and not form.startswith("|"):
                position = self._position(run)
                language = self._written.language_of(*run)
                words = filled(form, {**self._values, NUMBER: position.number}, language)
                if words is not None:
                    yield words, position
        text = self._written.source.text
        rows = [entry for entry in self._siblings if is_row(text[slice(*entry.spans.entry)])]
        if rows:
            position = self._position(rows)
            words = new_row(text, rows, {**self._values, NUMBER: position.number})
            if words is not None:
                yield words, position

    def _forms(self) -> Iterable[str]:
        """Returns the forms to try: those of the entries most like the paper, of the nearest, and of other sections."""
        groups = [alike for alike in self._most_alike() if len(alike) >= _FEWEST_ALIKE]
        usual = [form for alike in (*groups, self._siblings) for form in _usual(alike)]
        nearest = [without_other_links(entry.form.text) for entry in reversed(self._siblings) if entry.form]
        # One blank at the end means nothing; two break the line.
        nearest = [form[:-1] if form.endswith(" ") and not form.endswith("  ") else form for form in nearest]
        elsewhere = [form for form, count in usual_forms(self._written.entries).most_common() if count > 2]
        return dict.fromkeys([*usual, *filter(is_plain, nearest), *elsewhere])

    def _most_alike(self) -> Iterator[list[WrittenEntry]]:
        """Yields the siblings that are published or not as the paper is, and link to the same host; then more of them.

        A list may write a venue behind what has come out alone, and have links to some of its papers.
        """
        address, is_preprint = self._values.get(ADDRESS, ""), kind_of(self._values.get(VENUE)) is Kind.PREPRINT
        is_published = VENUE in self._values and not is_preprint
        published = [
            entry
            for entry in self._siblings
            if (entry.mention.venue is not None and kind_of(entry.mention.venue) is not Kind.PREPRINT) == is_published
        ]
        linked = [entry for entry in self._siblings if entry.form and ADDRESS in entry.form.text]
        if not address or len(linked) < _LINKED_SHARE * len(self._siblings):
            linked = list(self._siblings)
        is_on_arxiv = "arxiv.org" in address
        same_host = [entry for entry in linked if ("arxiv.org" in (entry.mention.url or "")) == is_on_arxiv]
        yield [entry for entry in published if entry in same_host]
        yield [entry for entry in published if entry in linked]
        yield linked

    def _position(self, run: Sequence[WrittenEntry]) -> _Position:
        """Returns where the paper goes among `run`, entries of one section and form."""
        after, why = self._place_in_order(run)
        source = self._written.source
        if after:
            last = block_end(self._written, run[after - 1])
            if after == len(run) and is_row(source.line(last)):  # behind rows that name no paper, too
                last = next((at for at in range(last, source.line_count) if not is_row(source.line(at + 1))), last)
            at = source.stretch(last, last)[1]
        else:
            at = source.stretch(first_line_of(run[0].mention), first_line_of(run[0].mention))[0]
        number, step = _number([number for *_, number in numbers_of(self._written, run)], len(run), after)
        return _Position(at, not after, _between(self._written, run), number, step, why)

    def _place_in_order(self, run: Sequence[WrittenEntry]) -> tuple[int, str]:
        """Returns how many of `run` stand before the paper, by their own order, and why, for people."""
        years, year = [entry.mention.year for entry in run], self._year
        if year is not None and None not in years and len(set(years)) > 1 and len(run) >= _FEWEST:
            keys = [-(item or 0) for item in years]
            if _is_sorted(keys):
                return sum(key <= -year for key in keys), "the section is in order of year, the newest first"
            if _is_sorted(keys[::-1]):
                return sum(key >= -year for key in keys), "the section is in order of year, the newest last"
        titles = [title_key(entry.mention.title or "") for entry in run]
        if len(run) > _FEWEST and _is_sorted(titles):
            own = title_key(self._paper.title)
            return sum(title <= own for title in titles), "the section is in order of title"
        return len(run), "the section is in no order that shows, so it goes behind the last entry"

    def _change(self, words: str, position: _Position) -> Change:
        source, gap = self._written.source, position.between
        end = source.line_end
        whole = f"{words}{gap}{end}" if position.is_before else f"{end}{gap}{words}"
        edits = [Edit(start=position.at, end=position.at, replacement=whole)]
        if position.step and position.number:  # the numbers of the entries behind it, or before it, grow by one
            for start, last, number in numbers_of(self._written, self._siblings):
                if (start >= position.at) == (position.step == 1) and number >= int(position.number):
                    edits.append(Edit(start=start, end=last, replacement=str(number + 1)))
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


def _indent(form: str) -> str:
    """Returns the indentation and the bullet of a form."""
    match = _INDENT.match(form)
    return match[0] if match else ""


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


def _is_sorted(keys: Sequence[Any]) -> bool:
    return all(first <= second for first, second in pairwise(keys))


def block_end(written: WrittenList, entry: WrittenEntry) -> int:
    """Returns the last line of an entry with all that belongs to it: its extent.

    In a list that is what is indented further, under a heading all up to the next one, and else the lines and the
    pictures and quotations right below it.
    """
    source = written.source
    first, last = first_line_of(entry.mention), entry.mention.last_line
    own = _HEADING.match(source.line(first))
    level = len(own[0]) if own else 0
    others = {first_line_of(other.mention) for other in written.entries} - {first}
    is_item = _ITEM.match(source.line(first)) is not None
    for line in range(last + 1, source.line_count + 1):
        text = source.line(line)
        if not text.strip():
            continue
        heading = _HEADING.match(text)
        if is_item:
            ends = _width(text) <= _width(source.line(first))
        elif level:
            ends = heading is not None and len(heading[0]) <= level
        else:
            ends = line in others or heading is not None or not (line == last + 1 or _BESIDE.match(text))
        if ends:
            break
        last = line
    return last


def _width(line: str) -> int:
    match = _WHITESPACE.match(line)
    return len(match[0].expandtabs(4)) if match else 0


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


def _number(numbers: Sequence[int], size: int, after: int) -> tuple[str, int]:
    """Returns the number of an entry behind `after` of `size` entries with `numbers`, and how these grow."""
    if len(numbers) != size:
        return "", 0
    steps = {second - first for first, second in pairwise(numbers)}
    step = steps.pop() if len(steps) == 1 else 1 if size == 1 else 0
    if step not in (-1, 1):
        return str(numbers[after - 1] if step == 0 and len(set(numbers)) == 1 else numbers[-1] + 1), 0
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


def sorted_section(text: str, entries: Sequence[Entry], order: Order, *, section: str | None = None) -> Change | None:
    """Returns the change that puts the entries of a section in order; None where they are.

    Entries with the same key stay in their order, and those without one go behind the others. `section` is its heading;
    None where the list has only one.

    Raises:
        UsageError: The section is not clear, or is no plain run of entries.
    """
    mentions = [entry.mention for entry in entries]
    written = WrittenList(text, mentions)
    place = section_named(mentions, section)
    known = {id(item): entry for item, entry in zip(written.entries, entries, strict=True)}
    run = _run(written, [item for item in written.entries if item.mention.section == place])
    edits = _exchanged(written, run, _ranks(order, [known[id(item)] for item in run]))
    if not edits:
        return None
    after = parse_reading_list(apply_edits(text, edits)).mentions
    before, now = (Counter((item.section, *_reading(item)) for item in read) for read in (mentions, after))
    if before != now:
        raise UsageError("in another order the section's entries would read otherwise: sort it by hand")
    message = f"{shown_section(place)} is put in order of {order}"
    return Change(code="order", line=first_line_of(run[0].mention), message=message, edits=tuple(edits))


def _ranks(order: Order, entries: Sequence[Entry]) -> list[int]:
    """Returns the positions of the entries in their new order."""
    keys = _keys(order, entries)
    known = [at for at, key in enumerate(keys) if key is not None]
    pairs = list(pairwise(keys[at] for at in known))
    rising = order != "year" or sum(first < second for first, second in pairs) > sum(
        first > second for first, second in pairs
    )
    ordered = sorted(known, key=lambda at: keys[at] if rising else -keys[at])
    return ordered + [at for at, key in enumerate(keys) if key is None]


def _keys(order: Order, entries: Sequence[Entry]) -> list[Any]:
    """Returns what each entry is sorted by, None where that is not known."""
    papers = [entry.paper for entry in entries]
    if order == "year":
        return [entry.mention.year or (entry.paper.year if entry.paper else None) for entry in entries]
    if order == "venue":
        return [(entry.mention.venue or "").casefold() or None for entry in entries]
    if order == "title":
        return [title_key(entry.mention.title or "") or None for entry in entries]
    # One service's counts for all: those of two are not to be compared.
    open_counts = [paper.open_citation_count if paper else None for paper in papers]
    others = [paper.citation_count if paper else None for paper in papers]
    counts = open_counts if open_counts.count(None) <= others.count(None) else others
    return [None if count is None else -count for count in counts]


def _run(written: WrittenList, entries: Sequence[WrittenEntry]) -> list[WrittenEntry]:
    """Returns the entries of a section without those inside others.

    Raises:
        UsageError: Something else than empty lines stands between two of them, or two share a line.
    """
    run: list[WrittenEntry] = []
    end = 0
    for entry in entries:
        first = first_line_of(entry.mention)
        if first <= end and run and first > first_line_of(run[-1].mention):
            continue  # it stands in the item of the one before
        other = [line for line in range(end + 1, first) if written.source.line(line).strip()]
        if run and (first <= end or other):
            line = min([first, *other])
            raise UsageError(
                f"the section is no plain run of entries, see line {line}: only such a section can be sorted; name"
                " another one with --section"
            )
        run.append(entry)
        end = block_end(written, entry)
    return run


def _exchanged(written: WrittenList, run: Sequence[WrittenEntry], ranks: Sequence[int]) -> list[Edit]:
    """Returns the edits that put the entry `ranks[n]` at place `n`; numbers stay at their places."""
    source = written.source
    stretches = [source.stretch(first_line_of(item.mention), block_end(written, item)) for item in run]
    numbers = {start: (start, end) for start, end, _ in numbers_of(written, run)}
    numbered = [next((numbers[at] for at in range(*stretch) if at in numbers), None) for stretch in stretches]
    if any(numbered) and not all(numbered):
        raise UsageError("some entries of the section are numbered and some are not: number them all to sort them")
    edits = []
    for place, rank in enumerate(ranks):
        start, end = stretches[rank]
        words = source.text[start:end]
        mine, other = numbered[place], numbered[rank]
        if mine and other:
            words = source.text[start : other[0]] + source.text[slice(*mine)] + source.text[other[1] : end]
        if words != source.text[slice(*stretches[place])]:
            edits.append(Edit(start=stretches[place][0], end=stretches[place][1], replacement=words))
    return edits
