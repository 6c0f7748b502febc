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

from sources.bibliography.identifiers import Identifier, named_identifiers, normal_identifier
from sources.bibliography.titles import title_key
from sources.bibliography.venues import Kind, kind_of, known_venues
from sources.bibliography.years import years_in
from sources.errors import AlreadyListed, UsageError
from sources.lists.checks.findings import Edit, PaperFacts
from sources.lists.checks.list_text import ListText
from sources.lists.edits.annotations import lacking_columns, new_row
from sources.lists.edits.edits import Change, apply_edits, composed
from sources.lists.edits.forms import (
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
    filled,
    fixed_part,
    habits_of,
    is_paired,
    is_row,
    led_to_paper,
    pdf_of,
    wrong_label,
)
from sources.lists.edits.places import Places, Position, indent_of, numbers_of, place_named, reading_of, shown_section
from sources.lists.edits.spans import lines_of, name_in
from sources.lists.edits.style import WrittenEntry, WrittenList, possible_venue, usual_forms
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
    {*DATES.values()},
    {NAME},
)
# There are none of preprints.
_PROCEEDINGS = re.compile(rf"\b(?:in|proc\w*)\W[^{TITLE}{AUTHORS}]*{VENUE}", re.IGNORECASE)
_ARXIV = "arXiv"  # the venue of a preprint in a list that names venues, and has no other preprint
_MOST = 0.8  # share of siblings with a number above which a new entry has one
_SHOWN = 0.3  # share of siblings with a field, several of them, above which a new entry has it, where it is known
_RARE = 0.2  # share of siblings with a field below which a new entry is better without it
_TOO_MANY_LACKING = 2  # columns that all rows fill, and a new one cannot: a reader has one of them to fill, at most
_LINES_BEFORE = 2  # lines before the first entry of a section that belong to it, such as the head of a table
_NEAR = 20  # entries on either side of a new one that are read again with it, where it is only to be shown
_STATED = ("arxiv", "doi")  # schemes whose identifiers readers find in words and addresses alike


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
        AlreadyListed: The paper is in the list.
        UsageError: The section is not clear, or no entry's form can be copied.
    """
    mentions = parse_reading_list(text).mentions if mentions is None else mentions
    new = _NewEntry(WrittenList(text, mentions), paper, section, url)
    for _, change in new.tried():
        if _reads_well(text, mentions, change, paper) or new.reads_beside(change):
            return change
    raise new.refusal()


def additions(
    text: str,
    papers: Iterable[tuple[PaperFacts, str | None]],
    *,
    mentions: Sequence[Mention] | None = None,
    section: str | None = None,
) -> tuple[list[Change], list[UsageError | None]]:
    """Returns the changes that add papers one after the other, and why which of them is not added.

    Each paper comes with the address that its entry is to lead to; all else is as in `addition`. A place where several
    go is one edit, which is in the change of each.
    """
    edits: list[Edit] = []
    added: list[tuple[Change, int]] = []  # with the place of its entry in `text`
    errors: list[UsageError | None] = []
    for paper, url in papers:
        try:
            change = addition(apply_edits(text, edits), paper, mentions=mentions, section=section, url=url)
        except UsageError as error:
            errors.append(error)
            continue
        _, entry = composed(text, edits, change.edits[:1])
        before, later = composed(text, edits, change.edits)
        edits = list(dict.fromkeys((*before.values(), *later.values())))
        added.append((change, entry[change.edits[0]].start))
        errors.append(None)
        mentions = None
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
    """Refuses a paper that is in the list.

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
        AlreadyListed: The paper is in the list.
        UsageError: The section is not clear, or has no entry with a form.
    """

    def __init__(self, written: WrittenList, paper: PaperFacts, section: str | None, url: str | None) -> None:
        mentions = [entry.mention for entry in written.entries]
        refuse_listed(mentions, _own_identifiers(paper), title_key(paper.title))
        self._written = written
        self._paper = paper
        self._section, words = place_named(written.source.text, mentions, section, paper.year)
        self._siblings = written.siblings(self._section).entries
        if not self._siblings:
            raise UsageError(
                f"no entry of {shown_section(self._section)} shows how the list writes one; write it there by hand"
            )
        self._incomplete = ""  # a row that lacks what nobody tells
        self._is_unclear = False  # whether no place was found that parts no entry from what belongs to it
        published = next((item for item in paper.publications if item.venue and item.year), None)
        venue = published.venue if published else paper.venue
        of_venue = years_in(venue) if published is None else frozenset()
        self._venue = venue
        year = published.year if published else next(iter(of_venue)) if len(of_venue) == 1 else paper.year
        values = written.values(paper, venue=venue, year=year, section=self._section)
        self._may_be_arxiv = published is None and kind_of(venue) is Kind.PREPRINT and bool(paper.arxiv_id)
        if self._may_be_arxiv:
            others = (item.mention for item in self._siblings if not item.mention.venue)
            bare = any("arxiv.org" in (other.url or "") or (other.year and not other.url) for other in others)
            values |= written.preprint_values(paper) or ({} if bare else {VENUE: _ARXIV})
        elif venue and VENUE not in values and (written.names_venues or not known_venues(venue)):
            values[VENUE] = possible_venue(written.venues, venue)
        self._values = values | ({ADDRESS: markdown_address(url)} if url else {})
        self._places = Places(written, paper, self._values, venue, year, words=words)
        self._outer = self._places.extents.outer(self._section)

    def tried(self) -> Iterator[tuple[str, Change]]:
        """Yields the possible entries of the paper, of which each has its address where most of the others have one.

        Those in the form of the entries most like it come first, then those in the form of the nearest.
        """
        has_links = sum(bool(entry.mention.url) for entry in self._siblings) > _LINKED_SHARE * len(self._siblings)
        address = self._values.get(ADDRESS, "")
        own = (address, pdf_of(address), *filter(None, map(self._values.get, (ARXIV_ID, DOI))))
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
        elif self._incomplete:
            why = f"nobody tells what all rows have in several columns of {' '.join(self._incomplete.split())}"
        elif tried:
            words = " ".join(tried[-1][0].split())
            why = f"in their form it would not be read as this paper, or others would be read otherwise: {words[:120]}"
        else:
            why = f"{self._obstacle()} (see line {self._siblings[-1].mention.line})"
        return UsageError(
            f"no entry of {shown_section(self._section)} can be copied for this paper: {why}; write it by hand, or name"
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

    def _possible(self) -> Iterator[tuple[str, Position]]:
        yield from self._possible_with_values()
        if self._may_be_arxiv and VENUE not in self._values:  # the list has preprints without a venue, but of no form
            self._values |= {VENUE: _ARXIV}
            yield from self._possible_with_values()

    def _possible_with_values(self) -> Iterator[tuple[str, Position]]:
        text = self._written.source.text
        rows = [entry for entry in self._siblings if is_row(text[slice(*entry.spans.entry)])]
        if 2 * len(rows) > len(self._siblings):
            yield from self._possible_rows(rows)
        for form in self._forms():
            run = [
                entry for entry in self._outer if indent_of(self._written.source.line(entry.first)) == indent_of(form)
            ]
            if run and not form.startswith("|"):
                position = self._places.among(run)
                if position is None:
                    self._is_unclear = True
                    continue
                language = self._written.language_of(*run)
                words = filled(form, {**self._values, NUMBER: position.number}, language)
                if words is not None:
                    yield words, position
        if rows:
            yield from self._possible_rows(rows)

    def _possible_rows(self, rows: Sequence[WrittenEntry]) -> Iterator[tuple[str, Position]]:
        position = self._places.among(rows)
        if position is not None:
            words = new_row(self._written.source.text, rows, {**self._values, NUMBER: position.number})
            if words is not None and lacking_columns(rows, words) < _TOO_MANY_LACKING:
                yield words, position
            elif words is not None:
                self._incomplete = words

    def _forms(self) -> Iterable[str]:
        """Returns the forms to try: those of the entries most like the paper, of the nearest, and of other sections.

        First come those with the fields that siblings have, and with words for their link that fit where it leads.
        """
        common = _forms_of(self._written.entries)
        own = _forms_of(self._siblings)
        own = dict(sorted(own.items(), key=lambda item: (-item[1], -common.get(item[0], 0))))
        alike = [form for group in self._alike() for form, count in _forms_of(group).items() if count > 1]
        alike.sort(key=lambda form: form not in own)
        often = [form for form, count in own.items() if count > 1]
        elsewhere = [form for form, count in common.items() if count > 2 and self._unlike(form) < 2]
        others = sorted([*own, *elsewhere], key=lambda form: -common.get(form, 0))
        is_numbered = sum(NUMBER in each for each in self._fields) > _MOST * len(self._fields)
        has_own_words = not own and len(self._siblings) >= FEWEST_ALIKE  # each sibling, so those of others do not fit
        tried = dict.fromkeys(() if has_own_words else [*alike, *often, *others])
        forms, address = (form for form in tried if NUMBER in form or not is_numbered), self._values.get(ADDRESS, "")
        is_preprint = kind_of(self._values.get(VENUE)) is Kind.PREPRINT
        return sorted(
            forms,
            key=lambda form: (
                is_preprint and _PROCEEDINGS.search(form) is not None,
                self._unlike(form),
                wrong_label(form, address) is not None,
                not is_paired(form),
            ),
        )

    @cached_property
    def _fields(self) -> list[frozenset[str]]:
        """Returns the signs in the forms of the siblings under the same words, published and named or not as the paper.

        Where these are few, it returns those in the forms of all under the same words, or of all siblings.
        """
        own = _kind(self._values.get(VENUE), None)
        near = [entry for entry in self._places.group(self._outer) if entry.form] if self._outer else []
        alike = [entry for entry in near if _kind(entry.mention.venue, None) == own]
        named = [entry for entry in alike if bool(name_in(entry.mention.title)) == (NAME in self._values)]
        shown = next((each for each in (named, alike, near) if len(each) >= FEWEST_ALIKE), self._siblings)
        return [frozenset(led_to_paper(entry.form.text)) for entry in shown if entry.form]

    @cached_property
    def _sides(self) -> frozenset[int]:
        """Returns on which sides of their titles the siblings have people."""
        return frozenset(map(_side_of_people, (item.form.text for item in self._siblings if item.form))) - {0}

    def _unlike(self, form: str) -> float:
        """Returns how many known fields of most siblings a form lacks, and how many it has that hardly any has.

        A field of several that are not most counts half. A form in which people are on the other side of the title
        than in all siblings is unlike these, too.
        """
        unlike = 0.0
        for signs in _FIELDS:
            count = sum(not signs.isdisjoint(each) for each in self._fields)
            share = count / len(self._fields)
            is_shown = 1 if share > 0.5 else 0.5 if count > 1 and share > _SHOWN else 0
            is_lacking = 0 if signs.isdisjoint(self._values) else is_shown
            unlike += is_lacking if signs.isdisjoint(form) else share < _RARE
        return unlike + (len(self._sides) == 1 and _side_of_people(form) not in (0, *self._sides))

    def _alike(self) -> Iterator[list[WrittenEntry]]:
        """Yields the siblings that are published or not as the paper is, and link to arXiv or not; then all the former.

        A list may write a venue behind what has come out alone. Where few siblings are such, those of the list come.
        """
        own = _kind(self._values.get(VENUE), self._values.get(ADDRESS))
        for size in (2, 1):
            for beside in (self._siblings, self._written.entries):
                kinds = ((entry, _kind(entry.mention.venue, entry.mention.url)) for entry in beside)
                alike = [entry for entry, kind in kinds if kind[:size] == own[:size]]
                if len(alike) >= FEWEST_ALIKE:
                    yield alike
                    break

    def _change(self, words: str, position: Position) -> Change:
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


def _side_of_people(form: str) -> int:
    """Returns whether people are behind the title of a form (1) or before it (-1); 0 where it has none."""
    return 0 if AUTHORS not in form else 1 if TITLE in form[: form.index(AUTHORS)] else -1


def _kind(venue: str | None, address: str | None) -> tuple[bool, bool]:
    """Returns whether an entry is of what was published, and whether it leads to arXiv."""
    return kind_of(venue) is not Kind.PREPRINT, "arxiv.org" in (address or "")


def _forms_of(entries: Sequence[WrittenEntry]) -> dict[str, int]:
    """Returns what can be copied of entries' forms, with how many have it: that of the most first, then of the last."""
    own = [entry.form.text for entry in reversed(entries) if entry.form]
    habits = habits_of(own)
    forms = [form for each in own if TITLE in (form := fixed_part(each, habits))]
    stopped = Counter(form for form in forms if form.endswith(f"{AUTHORS}."))  # the stop of "et al." is no second one
    forms = [f"{form}." if stopped[f"{form}."] > 2 else form for form in forms]
    counts = Counter(map(_without_blanks, forms))
    ends = Counter(form[form.index(TITLE) :] for form in forms)
    written: dict[tuple[str, ...], str] = {}
    # Blanks are as most of those alike have them, or most forms behind the title.
    for form, _ in sorted(Counter(forms).most_common(), key=lambda each: -ends[each[0][each[0].index(TITLE) :]]):
        written.setdefault(_without_blanks(form), form)
    return {written[key]: count for key, count in counts.most_common()}


def _without_blanks(form: str) -> tuple[str, ...]:
    """Returns the indentation of a form and its lines, without other blanks and empty lines."""
    return (indent_of(form), *filter(None, ("".join(line.split()) for line in form.splitlines())))


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
            whole = [lines for lines in map(lines_of, mentions) if first < lines[0] and lines[-1] <= last]
            known = {line for lines in (*whole, lines_of(mention)) for line in lines}
            return not known.issuperset(range(first + 1, last + 1))
    return False
