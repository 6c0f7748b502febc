"""The style of a list: the forms of its entries, and how it words names, venues and addresses. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property, partial
from typing import Any, Literal

from markdown_it.common.utils import normalizeReference, unescapeAll

from sources.bibliography.identifiers import ArxivId
from sources.bibliography.titles import title_key
from sources.bibliography.venues import Kind, known_venues, same_venue
from sources.bibliography.venues import kind_of as kind_of_venue
from sources.lists.checks.findings import Edit, PaperFacts
from sources.lists.checks.list_text import ListText, commonmark
from sources.lists.edits.forms import (
    ADDRESS,
    ARXIV_ID,
    AUTHORS,
    DATES,
    DOI,
    FEWEST_ALIKE,
    LABEL,
    LABEL_OF_ADDRESS,
    NAME,
    PDF,
    SHORT_YEAR,
    TITLE,
    VENUE,
    WORD,
    YEAR,
    Form,
    date_written,
    dates_in,
    form_of,
    is_at,
    is_plain,
    without_other_links,
    without_year,
)
from sources.lists.edits.people import PeopleForm
from sources.lists.edits.spans import AddressSpan, FieldSpans, first_line_of, name_in, span_of, spans_of
from sources.lists.edits.writing import Language, doi_address, markdown_address
from sources.lists.reading.addresses import word_of
from sources.lists.reading.marked_text import markdown
from sources.records import Mention

_DEFINITION = re.compile(r"[ \t>]*(?:[-*+][ \t]+)?\[((?:[^\[\]\\]|\\.)+)\]:[ \t]*<?([^\s<>]+)", re.DOTALL)
_LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.)+)\]", re.DOTALL)


_ARXIV = re.compile(
    r"https?://(?:www\.|export\.)?arxiv\.org/(abs|pdf|html)/[^\s?#]*?(?:v\d+)?(\.pdf)?/?$", re.IGNORECASE
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_REMARK = re.compile(r"[\d,]|workshop|demo|track|oral|spotlight|poster|best|findings|under review|submi", re.IGNORECASE)
_SOCIETY = re.compile(r"^(?:ACM|IEEE) ")  # before an acronym that often stands alone
_FEWEST = 3  # entries from which something is a habit of a list


def venue_word(written: Counter[str], true: str) -> str | None:
    """Returns what a list calls the venue `true`; None where none of its entries shows it.

    `written` counts the venues of its entries: acronyms, with the same words before them or none.
    """
    if not _is_only(_YEAR.sub("", true)):
        return next((word for word in written if word.casefold() == true.casefold()), None)
    bare = _SOCIETY.sub("", true)
    names = [word for word in written if _is_only(word) and (same_venue(word, true) or word == bare)]
    same = [(written[word], word) for word in names]
    if same:
        return max(same)[1]
    published = {word: count for word, count in written.items() if kind_of_venue(word) is not Kind.PREPRINT}
    before: Counter[str] = Counter()
    for word, count in published.items():
        head, _, last = word.rpartition(" ")
        if _is_acronym(last):
            before[f"{head} " if head else ""] += count
    words, count = before.most_common(1)[0] if before else ("", 0)
    is_habit = count > 0.8 * sum(published.values()) and count >= _FEWEST and _is_only(words)
    return f"{words}{true}" if is_habit and _is_acronym(true) else None


def possible_venue(written: Counter[str], true: str) -> str:
    """Returns what a list that names venues in its own way may call the venue `true`, for an entry that needs one.

    An acronym is named as most of the list's are; others by their names.
    """
    own = (word for word in written if kind_of_venue(word) is not Kind.PREPRINT)
    heads = Counter(head for head, _, last in (word.rpartition(" ") for word in own) if _is_acronym(last))
    heads = Counter({head: count for head, count in heads.items() if _is_only(head)})
    return f"{heads.most_common(1)[0][0]} {true}".strip() if heads and _is_acronym(true) else true


def _is_acronym(word: str) -> bool:
    return " " not in word and len(word) <= 12 and sum(map(str.isupper, word)) >= 2


def _is_only(word: str) -> bool:
    """Returns whether a venue is nothing but its name: no workshop or track of it, no pages, no remark."""
    return _REMARK.search(word) is None


@dataclass(frozen=True, eq=False)
class WrittenEntry:
    """An entry of a list with its place in the text and its form."""

    mention: Mention  # the mention as parsed
    spans: FieldSpans  # where its fields are
    form: Form | None  # the form it is written in; None where its title was not found in its lines
    day: date | None = None  # the date that it has, where it has more than a year; the first of its month

    @property
    def first(self) -> int:
        """Returns the line on which it begins."""
        return first_line_of(self.mention)


@dataclass(frozen=True, eq=False)
class Siblings:
    """The entries of a section that have a form, and what they have in common, counted once for all of them."""

    entries: Sequence[WrittenEntry]

    @cached_property
    def _forms(self) -> Counter[str]:
        return Counter({form: count for form, count in usual_forms(self.entries).items() if count > 1})

    @cached_property
    def _with_field(self) -> Mapping[str, int]:
        mentions = [entry.mention for entry in self.entries]
        return {name: sum(getattr(each, name) is not None for each in mentions) for name in ("year", "venue")}

    def usual_forms_beside(self, entry: WrittenEntry) -> list[tuple[str, int]]:
        """Returns the forms that can be copied of the others than `entry`, with their number, that of the most first.

        Forms that only one entry has are not among them.
        """
        others = self._forms.copy()
        others.subtract(form for form in _copied_forms(entry) if form in others)
        return others.most_common()

    def is_lacking(self, entry: WrittenEntry, field: Literal["year", "venue"]) -> bool:
        """Returns whether nearly all others than `entry`, and three at least, have a field that it lacks."""
        others = len(self.entries) - (entry.form is not None)
        return others >= _FEWEST and self._with_field[field] >= 0.75 * others


class WrittenList:
    """A list with its entries as written."""

    def __init__(self, text: str, mentions: Sequence[Mention]) -> None:
        self.source = ListText(text)
        lines = [(first_line_of(mention), mention.last_line) for mention in mentions]
        sharing = Counter(lines)
        self.entries: list[WrittenEntry] = []
        for mention, own in zip(mentions, lines, strict=True):
            spans = spans_of(self.source, mention, sharing=sharing[own])
            dates = list(dates_in(text, mention, spans))
            form = form_of(self.source, mention, spans, dates)
            self.entries.append(WrittenEntry(mention, spans, form, dates[0][-1] if dates else None))
        self._people = cache(self._people_of)
        self._venue_word = cache(partial(venue_word, self.venues))

    @cached_property
    def first_lines(self) -> frozenset[int]:
        """Returns the lines at which its entries begin."""
        return frozenset(entry.first for entry in self.entries)

    @cached_property
    def venues(self) -> Counter[str]:
        """Returns how often each venue is written."""
        venues = ((entry.mention.venue or "", entry.mention.year) for entry in self.entries)
        return Counter(without_year(venue, year) for venue, year in venues if venue)

    @cached_property
    def names_venues(self) -> bool:
        """Returns whether what is read as venues may be such: one of them is known, or they are few."""
        published = [word for word in self.venues.elements() if kind_of_venue(word) is not Kind.PREPRINT]
        return len(published) < FEWEST_ALIKE or any(map(known_venues, published))

    def _people_of(self, section: tuple[str, ...] | None) -> PeopleForm:
        """Returns how a section writes authors, or the list where too few of its entries name any."""
        if section is None:
            return PeopleForm((self.source, entry.mention, entry.spans) for entry in self.entries)
        of_list, siblings = self._people(None), self.siblings(section).entries
        own = PeopleForm(((self.source, entry.mention, entry.spans) for entry in siblings), of_list)
        # A family name alone may be part of a name, read so in a few entries; but not one with "et al." behind it.
        usual = (of_list.name_form, "full", "initials", "first reversed", *("family",) * own.has_others)
        is_shown = own.size >= _FEWEST and own.is_agreed and own.name_form in usual
        return own if is_shown else of_list

    @cached_property
    def _label_words(self) -> Mapping[bool, Counter[str]]:
        """Returns what links to papers are called, those to arXiv and others; but for words for other places."""
        words: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
        for entry in self.entries:
            match = LABEL_OF_ADDRESS.search(entry.form.text) if entry.form else None
            if match and word_of(match[1]) == "paper":
                url = entry.mention.url or ""
                is_arxiv = "arxiv.org" in url
                named = (each for each in WORD.findall(match[1]) if is_at(each, url))
                words[is_arxiv].update(each for each in named if is_arxiv or each.lower() != "pdf")
        return words

    @cached_property
    def _arxiv_form(self) -> tuple[str, str]:
        """Returns what is mostly before and behind the identifier in the list's addresses of arXiv."""
        matches = (_ARXIV.match(entry.mention.url or "") for entry in self.entries)
        kinds = Counter((match[1].lower(), match[2] or "") for match in matches if match)
        page, behind = kinds.most_common(1)[0][0] if kinds else ("abs", "")
        return f"https://arxiv.org/{page}/", behind

    def address_of(self, paper: PaperFacts, label: str = "") -> str | None:
        """Returns the address of `paper`: its preprint's, else its DOI's or that of another identifier; None of others.

        Where `label`, the words of the link, says PDF, it is that of the file.
        """
        if paper.arxiv_id:
            before, behind = self._arxiv_form
            is_file = PDF.search(label) and "/abs/" in before
            return f"https://arxiv.org/pdf/{paper.arxiv_id}" if is_file else f"{before}{paper.arxiv_id}{behind}"
        if paper.doi:
            return doi_address(paper.doi)
        places = {"acl": "https://aclanthology.org/", "openreview": "https://openreview.net/forum?id="}
        return next((f"{places[item.scheme]}{item.value}" for item in paper.identifiers if item.scheme in places), None)

    @cached_property
    def definitions(self) -> Mapping[int, tuple[AddressSpan, frozenset[int]]]:
        """Returns the addresses of link definitions that entries use, and the lines of these, by line."""
        source = self.source
        if "]:" not in source.markup:
            return {}
        environment: dict[str, Any] = {}
        commonmark().parse(source.text, environment)
        places: dict[str, AddressSpan] = {}
        for label, reference in environment.get("references", {}).items():
            line = reference["map"][0] + 1
            match = _DEFINITION.match(source.text, *source.stretch(line, line))
            if match is not None and normalizeReference(match[1]) == label and not label.startswith("^"):
                places[label] = span_of(match, match.span(2), unescapeAll(match[2]), "link")
        users: defaultdict[str, set[int]] = defaultdict(set)
        texts = {(entry.first, entry.mention.last_line, entry.mention.text) for entry in self.entries}
        for first, last, text in texts if places else ():
            for label in set(map(normalizeReference, _LABEL.findall(text))) & places.keys():
                users[label].update(range(first, last + 1))
        return {
            source.line_of(places[label].start): (places[label], frozenset(lines)) for label, lines in users.items()
        }

    def lines_of(self, edit: Edit) -> set[int]:
        """Returns the line of an edit and, of one in a link definition, those of the entries that use it."""
        line = self.source.line_of(edit.start)
        return {line, *(self.definitions[line][1] if line in self.definitions else ())}

    @cached_property
    def _sections(self) -> Mapping[tuple[str, ...], Siblings]:
        sections: defaultdict[tuple[str, ...], list[WrittenEntry]] = defaultdict(list)
        for entry in self.entries:
            if entry.form is not None:
                sections[entry.mention.section].append(entry)
        return {section: Siblings(entries) for section, entries in sections.items()}

    def siblings(self, section: tuple[str, ...]) -> Siblings:
        """Returns the entries of a section that have a form."""
        return self._sections.get(section, Siblings(()))

    @cached_property
    def _html_lines(self) -> frozenset[int]:
        tokens = markdown().parse(self.source.text) if "<" in self.source.text else ()
        ranges = [token.map for token in tokens if token.type == "html_block" and token.map]
        return frozenset(line for first, last in ranges for line in range(first + 1, last + 1))

    def language_of(self, *entries: WrittenEntry) -> Language:
        """Returns what one of `entries` is written in, HTML if one of them is: its references hold in Markdown too."""
        return "html" if any(entry.mention.line in self._html_lines for entry in entries) else "markdown"

    @cached_property
    def _near_dates(self) -> Mapping[bool, list[bool]]:
        """Returns of each date whether it is that of arXiv, not of a meeting or a reading, of preprints and others."""
        near: dict[bool, list[bool]] = {True: [], False: []}
        for entry in self.entries:
            if entry.day and (day := _month_of_preprint(entry.mention.arxiv_id)):
                near[_is_preprint(entry.mention)].append(abs(month_of(entry.day) - month_of(day)) < 2)
        return near

    @cached_property
    def orders(self) -> Mapping[tuple[str, int], float]:
        """Returns the share of entries that are in order of each field, from the lowest up (1) or down (-1).

        Each section counts for itself, and none of which all entries have the same key.
        """
        shares: dict[tuple[str, int], float] = {}
        for field in ("month", "year", "name", "title"):
            each = [known_keys(item.entries, field) for item in self._sections.values()]
            each = [keys for keys in each if len(keys) >= _FEWEST and len(set(keys)) > 1]
            for way in (1, -1):
                shares[field, way] = sum(in_order(keys, way) for keys in each) / (sum(map(len, each)) or 1)
        return shares

    def is_dated_by_arxiv(self, *, is_preprint: bool) -> bool | None:
        """Returns whether most dates of preprints, or of others, are those of arXiv; None where none is known.

        Where few have one, all that do count.
        """
        own = self._near_dates[is_preprint]
        near = own if len(own) >= _FEWEST else [*own, *self._near_dates[not is_preprint]]
        return 2 * sum(near) > len(near) if near else None

    @cached_property
    def has_newest_first(self) -> bool:
        """Returns whether more of its entries are in order with the newest first than with the newest last."""
        dated = [field for field in ("year", "month") if len(known_keys(self.entries, field)) > FEWEST_ALIKE]
        return next((self.orders[each, -1] > self.orders[each, 1] for each in dated if self.orders[each, 1]), False)

    def preprint_values(self, paper: PaperFacts) -> dict[str, str]:
        """Returns the venue of a preprint as the list words it, {} where it does not name one.

        The words are those of what is on arXiv; one with a DOI may have come out where nobody tells, so only its name.
        """
        mentions = [entry.mention for entry in self.entries if entry.mention.venue in self.venues]
        found = [("arxiv.org" in (each.url or ""), each.venue or "") for each in mentions if _is_preprint(each)]
        words = Counter(item for item in found if (item[0] and not paper.doi) or "arxiv" in item[1].casefold())
        return {VENUE: max(words, key=lambda word: (word[0], words[word]))[1]} if words else {}

    def values(
        self, paper: PaperFacts, *, venue: str | None, year: int | None, section: tuple[str, ...] | None = None
    ) -> dict[str, str]:
        """Returns the fields of `paper` as this list words them, without those that it does not know how to word."""
        word = self._venue_word(venue) if venue and self.names_venues else None
        address = self.address_of(paper)
        labels = self._label_words["arxiv.org" in (address or "")]
        fields = {
            TITLE: paper.title,
            AUTHORS: self._people(section).written(paper.authors),
            YEAR: str(year) if year else None,
            SHORT_YEAR: f"{year % 100:02}" if year else None,
            VENUE: word,
            ADDRESS: markdown_address(address) if address else None,
            NAME: name_in(paper.title),
            ARXIV_ID: paper.arxiv_id,
            DOI: paper.doi,
            LABEL: labels.most_common(1)[0][0] if labels else None,
        }
        day = came_out(paper)
        is_near = self.is_dated_by_arxiv(is_preprint=kind_of_venue(venue) is Kind.PREPRINT)
        if day and is_near is not False:
            is_known = is_near and paper.published_on and month_of(paper.published_on) == month_of(day)
            shown = paper.published_on if is_known and paper.published_on else day
            fields |= {sign: date_written(shown, form) for form, sign in DATES.items() if is_known or "d" not in form}
        return {slot: value for slot, value in fields.items() if value}


def _is_preprint(mention: Mention) -> bool:
    return kind_of_venue(mention.venue) is Kind.PREPRINT


def sort_key(entry: WrittenEntry, field: str) -> Any:
    """Returns what an entry is sorted by, in a list that goes by `field`; None where that is not known."""
    mention = entry.mention
    if field == "month":
        day = entry.day or _month_of_preprint(mention.arxiv_id)
        return month_of(day, None if entry.day else mention.year) if day else None
    if field == "year":
        return mention.year
    return (mention.name or "").casefold() or None if field == "name" else title_key(mention.title or "") or None


def known_keys(entries: Iterable[WrittenEntry], field: str) -> list[Any]:
    """Returns the keys of the entries that have one."""
    return [key for entry in entries if (key := sort_key(entry, field)) is not None]


def in_order(keys: Sequence[Any], way: int) -> int:
    """Returns how many of the keys, at most, are in order from the lowest up, or down where `way` is -1."""
    ends: list[Any] = []  # the lowest key with which so many in order may end
    for key in keys[::way]:
        at = bisect_right(ends, key)
        ends[at : at + 1] = [key]
    return len(ends)


def _month_of_preprint(arxiv_id: str | None) -> date | None:
    own = ArxivId.parse(arxiv_id) if arxiv_id else None
    return date(own.year, own.month, 1) if own and own.month else None


def came_out(paper: PaperFacts) -> date | None:
    """Returns when a paper was brought to arXiv, the first day of the month, or else came out first."""
    return _month_of_preprint(paper.arxiv_id) or paper.published_on


def month_of(day: date, year: int | None = None) -> int:
    """Returns the number of a month, in another year where one is given."""
    return (year or day.year) * 12 + day.month


def usual_forms(entries: Iterable[WrittenEntry]) -> Counter[str]:
    """Returns how often entries have each form that can be copied for another paper, with and without links to code."""
    return Counter(form for entry in entries for form in _copied_forms(entry))


def _copied_forms(entry: WrittenEntry) -> list[str]:
    """Returns the form of an entry, and that without links to code, as far as they can be copied."""
    if entry.form is None:
        return []
    both = (entry.form.text, without_other_links(entry.form.text))
    return [form for form in dict.fromkeys(both) if is_plain(form)]
