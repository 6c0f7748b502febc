"""The order of a section: where a new entry goes, so that it parts nothing that belongs together; and sorting. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, pairwise, product, takewhile
from typing import Any, Literal, NamedTuple

from sources.bibliography.titles import title_key
from sources.bibliography.venues import Kind, kind_of, venue_name
from sources.errors import UsageError
from sources.lists.checks.findings import CheckedEntry, Edit, PaperFacts
from sources.lists.edits.edits import Change, apply_edits
from sources.lists.edits.extents import HEADING, PICTURE, Extents, width_before
from sources.lists.edits.forms import NAME, NUMBER, VENUE, is_row
from sources.lists.edits.style import WrittenEntry, WrittenList, came_out, in_order, known_keys, month_of, sort_key
from sources.lists.reading import parse_reading_list
from sources.records import Mention

_FEWEST = 5  # entries from which an order is one; three, where it is one of years
_MANY = 20  # entries whose order is one, whatever that of the other sections is
# Shares of entries that are in order, from which a section has it, and from which its list has: wholly, or mostly,
# where a place by it is right twice as often as one at the end.
WHOLLY, MOSTLY = (0.95, 0.9), (0.75, 0.75)
_ANEW = 1.25  # how often a venue is named behind another, on average, where entries stand by venue
ORDERS = (
    ("month", -1, "month, the newest first"),
    ("month", 1, "month, the newest last"),
    ("year", -1, "year, the newest first"),
    ("year", 1, "year, the newest last"),
    ("name", 1, "name"),
    ("title", 1, "title"),
)
_INDENT = re.compile(r"[ \t>]*(?:[-*+]|(?:\ue008|\d{1,4})[.)])?")
_COUNTED = re.compile(r"[ \t>]*\|?[ \t]*\d{1,3}[ \t]*\|")  # a row of a ranking
Section = tuple[str, ...]  # the headings above, outermost first


class Position(NamedTuple):
    """A place for a new entry."""

    at: int  # offset at which it is inserted
    is_before: bool  # whether what is at `at` is the entry that follows it, and not the end of the one before
    between: str  # what is between two entries beside the end of a line: the empty lines
    number: str  # the number it has, "" where entries have none
    step: int  # by how much numbers grow from entry to entry
    why: str  # why it goes there, for people


class Places:
    """Where a paper may go among entries of its section; `values` are its fields as the list words them.

    `words` are those in bold, or of an item, under which it is to go; "" where none are named.
    """

    def __init__(
        self,
        written: WrittenList,
        paper: PaperFacts,
        values: Mapping[str, str],
        venue: str | None,
        year: int | None,
        *,
        words: str = "",
    ) -> None:
        self._words = words
        self._written = written
        self._paper = paper
        self._values = values
        self._venue = venue
        self._year = year
        self.extents = Extents(written)

    def among(self, run: Sequence[WrittenEntry]) -> Position | None:
        """Returns where the paper goes among `run`, entries of one section and form; None where that is not clear."""
        run = self.group(run)
        if not run:
            return None  # none of the words above them says that the paper belongs there
        places, why = self._places(run)
        return next((found for after in places if (found := self._behind(run, after, why))), None)

    def _behind(self, run: Sequence[WrittenEntry], after: int, why: str) -> Position | None:
        """Returns the place behind so many of a run; None where it is not clear what belongs to which entry."""
        source = self._written.source
        gap = source.line_end * self.extents.between(run)
        if after:
            last = self.extents.end(run[after - 1])
            if after == len(run) and last == self.extents.block(run[-1]):
                last = self._last_alike(run[-1], last)
            if not last:
                return None
            at = source.stretch(last, last)[1]
            behind = last + 1
        else:
            behind = run[0].first
            at = source.stretch(behind, behind)[0]
        above = range(run[after - 1].mention.last_line + 1, behind) if after else range(1)
        over_all = takewhile(lambda line: not HEADING.match(source.line(line)), range(run[0].first - 1, 0, -1))
        is_above = any(map(self._is_picture, over_all)) and (not after or any(map(self._is_picture, above)))
        if is_above or not self.extents.is_clear(run[max(after - 1, 0)]):
            return None  # a picture above, or words between, may belong to the entry that follows
        numbers = [number for *_, number in numbers_of(self._written, run)]
        formed = [entry.form is not None for entry in run]
        number = _number(numbers, sum(formed), sum(formed[:after]))
        return Position(at, not after, gap, *number, why) if number else None

    def group(self, run: Sequence[WrittenEntry]) -> Sequence[WrittenEntry]:
        """Returns the entries under words or in an item that name the paper's venue, year or kind; all without such."""
        groups = self.extents.groups(run)
        if self._words:
            return groups.get(self._words, ())
        if len(groups) < 2 and not self._is_in_one_item(run):
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

    def _is_in_one_item(self, run: Sequence[WrittenEntry]) -> bool:
        """Returns whether a run is in an item that is no entry, and other entries of the section are not."""
        if not run or not width_before(self._written.source.line(run[0].first)) or "" in self.extents.groups(run):
            return False
        return len(self.extents.groups(self.extents.outer(run[0].mention.section))) > 1

    def _last_alike(self, entry: WrittenEntry, last: int) -> int:
        """Returns the last line of the rows or items below an entry that are like it, and name no paper.

        0 where a picture or a comment is below them, which may belong to one of them or to all.
        """
        source, mark = self._written.source, indent_of(self._written.source.line(entry.first))
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
            is_within = line in self._written.first_lines and width_before(text) > depth  # an entry in an item
            if "](#" in text or HEADING.match(text) or (self.extents.is_border(line) and not is_within):
                break
            is_continued = line == last + 1 and not indent_of(text).strip()  # a line below an item is its own
            if (
                indent_of(text) == mark
                or (text.strip() and width_before(text) > depth)
                or (is_continued and text.strip())
            ):
                last = line
            elif text.strip():
                break
        return last

    def _is_picture(self, line: int) -> bool:
        return PICTURE.match(self._written.source.line(line)) is not None

    def _places(self, run: Sequence[WrittenEntry]) -> tuple[list[int], str]:
        """Returns how many of `run` may be before the paper, and why, for people.

        That is by their order where there is one, and else where the list has its newest entries.
        """
        own = {"year": self._year, "name": self._values.get(NAME, "").casefold(), "title": title_key(self._paper.title)}
        is_preprint = kind_of(self._venue) is Kind.PREPRINT
        day = came_out(self._paper)
        if day and self._written.is_dated_by_arxiv(is_preprint=is_preprint) is not False:
            names_years = any(entry.mention.year and not entry.day for entry in run)
            own["month"] = month_of(day, self._year if names_years else None)
        for shares, (field, way, name) in product((WHOLLY, MOSTLY), ORDERS):
            if own.get(field) and is_in_order(self._written, run, field, way, shares):
                # Entries of a year may go by their months; and the year that they show need not be the venue's.
                months = all(entry.day for entry in run) or is_in_order(self._written, run, "month", way, MOSTLY)
                key = "month" if field == "year" and own.get("month") and months else field
                how = "in" if shares == WHOLLY else "mostly in"
                places = places_among([sort_key(entry, key) for entry in run], own[key], way)
                return places, f"the section is {how} order of {name}"
        if (behind := self._behind_venue(run)) is not None:
            return [behind], "the section's entries stand by venue"
        is_counted = numbers_of(self._written, run) or _COUNTED.match(self._written.source.text, run[0].spans.entry[0])
        is_first = self._written.has_newest_first and not is_counted
        end = "before the first entry, as the list has newer ones first" if is_first else "behind the last entry"
        return [0] * is_first + [len(run)], f"the section is in no order that shows, so it goes {end}"

    def _behind_venue(self, run: Sequence[WrittenEntry]) -> int | None:
        """Returns behind how many of `run` those of the paper's venue and year end; None where they are not together.

        They are where few of the section's venues are named anew behind others, and the paper's own is not.
        """
        keys = [_venue_key(entry.mention.venue, entry.mention.year) for entry in run]
        known = [key for key in keys if key]
        turns, venues = 1 + sum(first != second for first, second in pairwise(known)), len(set(known))
        venue = self._values.get(VENUE)
        own = {_venue_key(venue, self._year), _venue_key(venue, None)} - {None}
        places = [at for at, key in enumerate(known) if key in own]
        is_by_venue = len(known) >= _FEWEST and turns <= _ANEW * venues and 2 * venues <= len(known)
        if not (is_by_venue and places and places[-1] - places[0] < len(places)):
            return None
        return max(at for at, key in enumerate(keys, 1) if key in own)


def _venue_key(venue: str | None, year: int | None) -> tuple[str, int | None] | None:
    return (name.key, year) if venue and (name := venue_name(venue)) else None


def indent_of(line: str) -> str:
    """Returns the indentation and the bullet of a form, or of an entry."""
    match = _INDENT.match(line)
    return re.sub(r"\d+", NUMBER, match[0]) if match else ""


def is_in_order(
    written: WrittenList, run: Sequence[WrittenEntry], field: str, way: int, shares: tuple[float, float] = WHOLLY
) -> bool:
    """Returns whether such shares of entries, and of those of the list's sections, are in order."""
    keys, orders = known_keys(run, field), written.orders
    is_enough = len(keys) >= max(3 if field == "year" else _FEWEST, len(run) / 2) and len(set(keys)) > 1
    is_usual = orders[field, way] >= shares[1] and orders[field, way] > orders[field, -way]
    is_usual = is_usual or len(keys) >= _MANY
    if not (is_enough and is_usual):
        return False
    return in_order(keys, way) >= max(shares[0] * len(keys), in_order(keys, -way))


def places_among(keys: Sequence[Any], own: Any, way: int) -> list[int]:
    """Returns behind how many of `keys` one more may be by their order: behind its like first, at the ends last.

    At the end to which an order grows, what has no key is with the others.
    """
    known = [(at, key) for at, key in enumerate(keys) if key is not None]
    later = ((key > own) if way > 0 else (key < own) for _, key in known)
    wrong = list(accumulate((1 if is_later else -1 for is_later in later), initial=0))
    places = [known[0][0], *(at + 1 for at, _ in known)]
    places[-1 if way > 0 else 0] = len(keys) if way > 0 else 0
    best = [number for number in reversed(range(len(wrong))) if wrong[number] == min(wrong)]
    is_like = [number > 0 and known[number - 1][1] == own for number in range(len(wrong))]
    return [places[number] for number in sorted(best, key=lambda at: (not is_like[at], at in (0, len(known))))]


def numbers_of(written: WrittenList, run: Sequence[WrittenEntry]) -> list[tuple[int, int, int]]:
    """Returns for each entry with a number where it is, and the number."""
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


def place_named(
    text: str, mentions: Sequence[Mention], name: str | None, year: int | None = None
) -> tuple[Section, str]:
    """Returns the section that is named as by `section_named`, and the words within it that are, in bold or an item.

    Raises:
        UsageError: There is neither a section nor such words, or there are several.
    """
    try:
        return section_named(mentions, name, year), ""
    except UsageError:
        wanted = title_key(name or "")
        extents = Extents(WrittenList(text, mentions))
        within = [
            (section, words)
            for section in dict.fromkeys(mention.section for mention in mentions)
            for words in extents.groups(extents.outer(section))
            if wanted and wanted in (title_key(words), title_key(f"{shown_section(section)} > {words}"))
        ]
        if len(within) != 1:
            raise
        return within[0]


def shown_section(section: Section) -> str:
    """Returns a section's headings in one line."""
    return " > ".join(section) or "the part without a heading"


# year: as the section mostly is already, else the newest first. citations: the most cited first.
Order = Literal["year", "venue", "title", "citations"]


def sorted_section(
    text: str, entries: Sequence[CheckedEntry], order: Order, *, section: str | None = None
) -> Change | None:
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
    extents = Extents(written)
    run = _run(written, extents, [item for item in written.entries if item.mention.section == place])
    keys = _keys(order, [known[id(item)] for item in run])
    keyed = [at for at, key in enumerate(keys) if key is not None]
    pairs = list(pairwise(keys[at] for at in keyed))
    rising = order != "year" or sum(first < second for first, second in pairs) > sum(
        first > second for first, second in pairs
    )
    ranks = sorted(keyed, key=lambda at: keys[at] if rising else -keys[at])
    ranks += [at for at, key in enumerate(keys) if key is None]
    edits = _exchanged(written, extents, run, ranks)
    if not edits:
        return None
    after = parse_reading_list(apply_edits(text, edits)).mentions
    before, now = (Counter((item.section, *reading_of(item)) for item in read) for read in (mentions, after))
    if before != now:
        raise UsageError("in another order the section's entries would read otherwise: sort it by hand")
    message = f"{shown_section(place)} is put in order of {order}"
    return Change(code="order", line=run[0].first, message=message, edits=tuple(edits))


def _keys(order: Order, entries: Sequence[CheckedEntry]) -> list[Any]:
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


def _run(written: WrittenList, extents: Extents, entries: Sequence[WrittenEntry]) -> list[WrittenEntry]:
    """Returns the entries of a section without those inside others.

    Raises:
        UsageError: Something else than empty lines is between two of them, two share a line, or what is below the last
            one may end the section.
    """
    run: list[WrittenEntry] = []
    end = 0
    for entry in entries:
        first = entry.first
        if first <= end and run and first > run[-1].first:
            continue  # it is in the item of the one before
        other = [line for line in range(end + 1, first) if written.source.line(line).strip()]
        if run and (first <= end or other):
            line = min([first, *other])
            raise UsageError(
                f"the section is no plain run of entries, see line {line}: only such a section can be sorted; name"
                " another one with --section"
            )
        run.append(entry)
        end = extents.end(entry)
    if len(run) > 1 and not extents.is_moved_whole(run[-1]):
        line = extents.block(run[-1])
        raise UsageError(f"what stands below line {line} may belong to its entry or end the section: sort it by hand")
    if not extents.is_plain(run):
        raise UsageError("some entries of the section are items and some are not: sort it by hand, or name another one")
    return run


def _exchanged(written: WrittenList, extents: Extents, run: Sequence[WrittenEntry], ranks: Sequence[int]) -> list[Edit]:
    """Returns the edits that put the entry `ranks[n]` at place `n`; numbers stay at their places."""
    source = written.source
    stretches = [source.stretch(item.first, extents.end(item)) for item in run]
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


def reading_of(mention: Mention) -> tuple[object, ...]:
    """Returns the fields of a mention that no edit of another entry may change."""
    return (mention.title, mention.name, mention.authors, mention.year, mention.venue, mention.url, mention.identifiers)
