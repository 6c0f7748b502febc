"""The style in which a list writes its entries: their forms, and how it words names, venues and addresses. Pure.

The form of an entry is its own text with a sign in the place of each field, so that entries written in one way have the
same form, and what one entry lacks beside another is seen.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property
from itertools import pairwise
from time import strptime
from typing import Any, Literal

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference, unescapeAll

from sources.bibliography.identifiers import ArxivId, Identifier
from sources.bibliography.titles import title_key
from sources.bibliography.venues import Kind, same_venue
from sources.bibliography.venues import kind_of as kind_of_venue
from sources.bibliography.years import SHORT_MONTHS
from sources.lists.checks.findings import Edit, PaperFacts
from sources.lists.checks.list_text import ListText, smallest_edit
from sources.lists.edits.people import ET_AL, PeopleForm, people_stretch
from sources.lists.edits.spans import AddressSpan, FieldSpans, Stretch, first_line_of, span_of, spans_of
from sources.lists.edits.writing import Language, address_for, doi_address, markdown_address, written_words
from sources.lists.reading.addresses import carried_by, kind_of, says_only_link, split_address, word_of
from sources.lists.reading.citation_parts import imprint_of
from sources.lists.reading.marked_text import markdown
from sources.records import Mention

TITLE, AUTHORS, YEAR, SHORT_YEAR = "\ue001", "\ue002", "\ue003", "\ue004"
VENUE, ADDRESS, OTHER_ADDRESS, NUMBER, NAME = "\ue005", "\ue006", "\ue007", "\ue008", "\ue009"
ARXIV_ID, DOI, LABEL = "\ue00a", "\ue00b", "\ue00c"  # the last stands in no form: a word for links to the address
# How a date is written, as `strftime` has it, - for no zero in front, ~ for small letters -> the sign for such a date.
DATES = {
    form: chr(0xE010 + number)
    for number, form in enumerate(
        """%Y-%m-%d %Y/%m/%d %Y.%m.%d %Y/%-m/%-d %Y.%-m.%-d %Y-%m %Y/%m %Y.%m %Y-%-m %Y/%-m %Y.%-m %m/%Y %m.%Y
        %-d_%b_%Y %d_%b_%Y %-d_%B_%Y %b_%-d,_%Y %b_%d,_%Y %B_%-d,_%Y %b_%Y %b,_%Y %b._%Y %b.,_%Y %B_%Y %B,_%Y %Y_%b
        ~%-d_%b_%Y ~%b_%Y""".split()
    )
}
# The signs that stand for fields; characters of a private area, which a list's own text has no use for.
SLOTS = frozenset(
    (TITLE, AUTHORS, YEAR, SHORT_YEAR, VENUE, ADDRESS, OTHER_ADDRESS, NUMBER, NAME, ARXIV_ID, DOI, *DATES.values())
)
_SLOT = re.compile(f"[{''.join(sorted(SLOTS))}]")
_NUMBER = re.compile(r"[\s>|]*(?:[-*+][ \t]+)?[*_]*\\?\[?(\d{1,4})(?=\\?[.)\]、])")
_NUMBER_MARK = re.compile(rf"\A\W*(?:\d+|{NUMBER})\)")
_CHECKED = re.compile(r"(?<=[-*+] \[)[xX](?=\] )")
_SIGNS = r"(?:!\[[^\[\]]*\]\([^()\s]*\)|<img\b[^<>]*>|[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]|:[a-z_]+:)+"
_RATING, _TOKEN = re.compile(rf"[ \t]*{_SIGNS}"), re.compile(rf"{_SIGNS}|[^\W\d_]+|\d+")
_WORD = re.compile(r"[^\W\d_]+")
_EMPTIED = re.compile(r"\n[ \t]*(?:\0[ \t]*)+(?=\n|\Z)|[ \t]*\([ \t\0]*\0[ \t]*\)")
_LED = re.compile(r"((?:\n[ \t]*|[(\[]))(?:\0[ \t]*)+[|,;·•/]?[ \t]*")
_OTHER_LINK = re.compile(
    rf"(?:(?<=[^\n \t])[ \t]*(?:[|,;:·•/–—→-][ \t]*)?)?(?:\\?\[\[[^\[\]]*\]\({OTHER_ADDRESS}\)\\?\]"
    rf"|\[\[?(?:!\[[^\[\]]*\]\([^()\s]*\)|[^\[\]])*\]\]?\({OTHER_ADDRESS}\))"
)
_SHORT_IN_VENUE = re.compile(r" ?['’-] ?(\d\d)\Z")
_FULL_YEAR, _MONTH_NAME = r"(?:19|20)\d\d", rf"(?:{SHORT_MONTHS})[a-z]*[.,]{{0,2}}"
_DATE = re.compile(
    rf"(?<![^\W_])(?<![/.-])(?:(?:\d{{1,2}} )?{_MONTH_NAME} (?:\d{{1,2}}, )?{_FULL_YEAR}|{_FULL_YEAR} {_MONTH_NAME}"
    rf"|{_FULL_YEAR}(?:[-/.]\d{{1,2}}){{1,2}}|\d{{1,2}}[/.]{_FULL_YEAR})(?![/.-]?[^\W_])",
    re.IGNORECASE,
)
_TITLE_ELSEWHERE = re.compile(rf"(\[[^\[\]]*{TITLE}[^\[\]]*\]\(){OTHER_ADDRESS}(?=\))")
_LINKED_FIELDS = re.compile(
    rf"\[([^\[\]{ADDRESS}{OTHER_ADDRESS}]*[{TITLE}{VENUE}{YEAR}{SHORT_YEAR}][^\[\]{ADDRESS}]*)\]\({OTHER_ADDRESS}\)"
)
_TAG = re.compile(r"</?(?:b|i|u|em|strong|code|kbd|small|sub|sup|ins|p|br|li|ul|tr|td)\s*/?>", re.IGNORECASE)
_STARTING, _ENDING = re.compile(r"<([a-z]\w*)(?=[\s>])", re.IGNORECASE), re.compile(r"</([a-z]\w*)\s*>", re.IGNORECASE)
_ANCHOR = re.compile(r"<a\s+(?:name|id)\s*=[^<>]*>\s*</a>[ \t]*", re.IGNORECASE)
_TARGET = re.compile(rf"<a\s+href=([\"']){ADDRESS}\1(?:\s+target=([\"'])_blank\2)?>|</a>", re.IGNORECASE)
_BEFORE_ID = re.compile(rf"\barxiv\s*:?\s*(?={ARXIV_ID})", re.IGNORECASE)
_END = re.compile(r"(?:[^\w\s\[(<{]|</\w+>)*")
_CELL_TEXT = re.compile(r"\||[^ \t|](?:[^|]*[^ \t|])?")
_ROW = re.compile(r"^[ \t]*\|?.*(?<!\\)\|.*$")
_LABEL_OF_ADDRESS = re.compile(rf"\[([^\[\]]*)\]\]?\({ADDRESS}")
_ATTRIBUTE = re.compile(r"=\s*[\"']\Z")
_HOST_WORDS = {
    "arxiv": "arxiv.org",
    "openreview": "openreview.net",
    "acm": "10.1145/",
    "acmdl": "10.1145/",
    "ieee": "10.1109/",
    "springer": "10.1007/",
    "acl": "aclanthology.org",
    "doi": "doi.org",
}
_LITTLE_WORDS = frozenset(
    "in on by and at the of arxiv preprint proc proceedings authors author venue year title paper".split()
)


@dataclass(frozen=True, slots=True)
class Form:
    """The form of an entry."""

    text: str  # the entry with a sign for each field, its cells without padding where it is a row of a table
    places: tuple[int, ...]  # where each character of `text`, and its end, stands in the list's own text


_Dates = Sequence[tuple[int, int, str, date]]  # where dates stand, with the signs of their forms and their days


def form_of(source: ListText, mention: Mention, spans: FieldSpans, dates: _Dates) -> Form | None:
    """Returns the form of a mention's entry; None where its title was not found in it, or a field twice."""
    start, end = spans.entry
    raw = source.text[start:end]
    if spans.title is None or _SLOT.search(raw):
        return None
    fields = sorted(_fields(source, mention, spans, dates))
    if any(before[1] > after[0] for before, after in pairwise(fields)):
        return None
    text, places, position = "", [], start
    for first, last, slot in [*fields, (end, end, "")]:
        text += source.text[position:first] + slot
        places += [*range(position, first), first]
        position = last
    text = _CHECKED.sub(" ", text)
    if is_row(raw):  # without the blanks around its cells
        pieces = [match.span() for match in _CELL_TEXT.finditer(text)]
        text = "".join(text[first:last] for first, last in pieces)
        places = [*(place for first, last in pieces for place in places[first:last]), places[-1]]
    return Form(text, tuple(places))


def is_row(line: str) -> bool:
    """Returns whether a line looks like a row of a Markdown table."""
    return "\n" not in line and line.lstrip().startswith("|") and _ROW.match(line) is not None


def _fields(source: ListText, mention: Mention, spans: FieldSpans, dates: _Dates) -> Iterator[tuple[int, int, str]]:
    identifier = _bare_identifier(source.text, mention.arxiv_id, spans)
    doi, people = _bare_identifier(source.text, mention.doi, spans), people_stretch(source, spans)
    found = {TITLE: spans.title, NAME: spans.name, AUTHORS: people, ARXIV_ID: identifier, DOI: doi}
    yield from ((*stretch, slot) for slot, stretch in found.items() if stretch)
    is_of_id = identifier and spans.venue and not source.text[spans.venue[1] : identifier[0]].strip(" :")
    is_label = any(
        span.label.lower().strip("[]\\") in _HOST_WORDS for span in spans.addresses if _is_in(spans.venue, span)
    )
    venue = _venue_fields(source.text, mention, spans.venue) if spans.venue and not (is_of_id or is_label) else ()
    yield from ((start, end, sign) for start, end, sign, _ in dates)
    years = [(first, last, YEAR if last - first == 4 else SHORT_YEAR) for first, last in spans.years]
    yield from (
        each for each in (*venue, *years) if not any(start < each[1] and each[0] < end for start, end, *_ in dates)
    )
    start, end = spans.entry
    number = _NUMBER.match(source.text, start, end)
    if number and number.span(1) not in spans.years:
        yield (*number.span(1), NUMBER)
    own = _own_address(mention, spans)
    for span in spans.addresses:
        if span.place == "link" or (span.place != "image" and span.url):
            yield span.start, span.end, ADDRESS if span is own else OTHER_ADDRESS


def _dates(text: str, mention: Mention, spans: FieldSpans) -> Iterator[tuple[int, int, str, date]]:
    """Yields where dates of the entry's year stand, with the sign of their form and the day, the first of a month."""
    first, last = spans.title or (0, 0)
    for match in _DATE.finditer(text, *spans.entry):
        if (first < match.end() and match.start() < last) or _is_in_address(spans, match.start()):
            continue
        for form, sign in DATES.items():
            with suppress(ValueError):
                day = date(*strptime(match[0], form.strip("~").replace("_", " ").replace("%-", "%"))[:3])
                if _date_written(day, form) == match[0] and mention.year in (None, day.year):
                    yield (*match.span(), sign, day)
                    break


def _date_written(day: date, form: str) -> str:
    plain = form.strip("~").replace("%-d", str(day.day)).replace("%-m", str(day.month)).replace("_", " ")
    return day.strftime(plain).lower() if form.startswith("~") else day.strftime(plain)


def _is_in(stretch: Stretch | None, span: AddressSpan) -> bool:
    return stretch is not None and span.outer_start <= stretch[0] < span.start


def _venue_fields(text: str, mention: Mention, stretch: Stretch) -> Iterator[tuple[int, int, str]]:
    """Yields the place of the venue, and that of a year in two digits that is read as part of it."""
    start, end = stretch
    short = _SHORT_IN_VENUE.search(text, start, end) if mention.year is None else None
    yield start, short.start() if short else end, VENUE
    if short:
        yield (*short.span(1), SHORT_YEAR)


def _bare_identifier(text: str, identifier: str | None, spans: FieldSpans) -> Stretch | None:
    """Returns where an identifier stands outside of addresses; None where that is nowhere, or twice."""
    if not identifier:
        return None
    pattern = re.compile(rf"(?<![\w./]){re.escape(identifier)}(?!\w)", re.IGNORECASE)
    matches = pattern.finditer(text, *spans.entry)
    found = [match.span() for match in matches if not _is_in_address(spans, match.start())]
    return found[0] if len(found) == 1 else None


def _is_in_address(spans: FieldSpans, at: int) -> bool:
    before = bisect_right(spans.addresses, at, key=lambda span: span.start)
    return before > 0 and at < spans.addresses[before - 1].end


def is_for_paper(spans: FieldSpans, span: AddressSpan) -> bool:
    """Returns whether the words of a link are the title, or name the paper."""
    return word_of(span.label) == "paper" or _is_in(spans.title, span)


def _own_address(mention: Mention, spans: FieldSpans) -> AddressSpan | None:
    """Returns the address that leads to the mention's paper, or an empty one that is to lead there."""
    known, own = set(mention.identifiers), spans.paper_address
    if own is not None and (not known or _carries(own, known)):
        return own
    carrying = next((span for span in spans.addresses if _carries(span, known)), own)
    if carrying is not None:
        return carrying
    papers = [span for span in spans.addresses if kind_of(split_address(span.url)) in ("paper", "pdf")]
    empty = [span for span in spans.addresses if not span.url and is_for_paper(spans, span)]
    return next(iter([*papers, *empty]), None)


def _carries(span: AddressSpan, identifiers: Collection[Identifier]) -> bool:
    return any(item in identifiers for item in carried_by(split_address(span.url)).identifiers)


def without_other_links(form: str) -> str:
    """Returns a form without its links to what belongs to the paper, such as "[code](...)", behind its first field."""
    first = next((match.start() for match in _SLOT.finditer(form) if match[0] != OTHER_ADDRESS), 0)
    unlinked = _LINKED_FIELDS.sub(r"\1", form[first:])
    rest = _LED.sub(r"\1", _EMPTIED.sub("", _OTHER_LINK.sub("\0", unlinked)))
    return form[:first] + rest.replace("\0", "")


def without_ratings(form: str, habits: Collection[str] = ()) -> str:
    """Returns a form without the badges and signs by which an owner rates or tags a paper, such as flames or stars."""
    rest = _RATING.sub(lambda match: match[0] if match[0].strip() in habits else "", form)
    return re.sub(r"(?<=\S)[ \t]{2,}(?=\S)", " ", rest)


def habits_of(entries: Sequence[WrittenEntry]) -> frozenset[str]:
    """Returns the words, numbers and signs that four of five entries have beside their fields: they are the list's."""
    forms = [entry.form.text for entry in entries if entry.form]
    counts = Counter(token for form in forms for token in set(_TOKEN.findall(_SLOT.sub(" ", form))))
    return frozenset(token for token, count in counts.items() if count >= FEWEST_ALIKE and count >= 0.8 * len(forms))


def led_to_paper(form: str) -> str:
    """Returns a form whose title leads to the paper where it leads to notes, and nothing else to the paper."""
    return form if ADDRESS in form else _TITLE_ELSEWHERE.sub(rf"\1{ADDRESS}", form)


def fixed_part(form: str, habits: Collection[str]) -> str:
    """Returns what of a form can be copied: without anchors, links to code, ratings and notes; "" if nothing.

    Where the title leads to notes, that of a new entry leads to its paper.
    """
    own = without_other_links(led_to_paper(_ANCHOR.sub("", form)))
    unrated = without_ratings(own, habits)
    tried = (own, unrated, without_notes(own), without_notes(unrated))
    found = next((each for each in tried if each and is_plain(each, habits) and _is_whole(each)), "")
    # One blank at the end means nothing; two break the line.
    return found if found.endswith("  ") else found.rstrip()


def _is_whole(form: str) -> bool:
    """Returns whether each element of HTML that ends in a form begins in it: a slip of the owner is not copied."""
    starts, ends = (Counter(map(str.lower, pattern.findall(form))) for pattern in (_STARTING, _ENDING))
    return all(count <= starts[name] for name, count in ends.items())


def without_notes(form: str) -> str:
    """Returns a form without what stands behind its last field, but for the marks that close it; "" if none do."""
    last = max((match.end() for match in _SLOT.finditer(form) if match[0] != OTHER_ADDRESS), default=0)
    end = _END.match(form, last)
    short = form[: end.end() if end else last]
    if short[-1:] in tuple("'’-/") and form[len(short) :][:1].isalnum():
        return ""  # within a word
    short = short if short == form else short.rstrip(":;,：；，、")
    is_cut = any((form.count(mark) - short.count(mark)) % 2 for mark in '*_`"')
    return short if is_paired(short) and not is_cut else ""


def is_paired(form: str) -> bool:
    """Returns whether each bracket and straight quotation mark of a form is closed, but for that of a number."""
    rest = _NUMBER_MARK.sub("", form)
    return not rest.count('"') % 2 and all(rest.count(first) == rest.count(last) for first, last in ("()", "[]", "<>"))


def is_plain(form: str, habits: Collection[str] = ()) -> bool:
    """Returns whether nothing in a form says something about one paper alone: it can be copied for another paper.

    What stands beside the fields are marks, the names of links and fields, little words, and `habits`.
    """
    unlabelled = _LABEL_OF_ADDRESS.sub(lambda link: ADDRESS if word_of(link[1]) == "paper" else link[0], form)
    for part in _SLOT.split(_BEFORE_ID.sub("", _TAG.sub(" ", _TARGET.sub(ADDRESS, unlabelled)))):
        tokens = [token for token in _TOKEN.findall(part) if token not in habits]
        words = [token.lower() for token in tokens if _WORD.fullmatch(token)]
        is_little = all(word in _LITTLE_WORDS or says_only_link(word) for word in words)
        if len(words) < len(tokens) or not is_little or imprint_of(" ".join(words)) is not None:
            return False
    return True


def filling(own: Form, model: str, wanted: str) -> list[tuple[int, str]]:
    """Returns what makes `own` an entry of the form `model`: places, and the pieces of `model` to insert there.

    Every field of `own` stands in `model` in the same order, and between two of them `model` only adds a stretch, with
    fields among `wanted`; otherwise, there is nothing to insert.
    """
    shared = [slot for slot in _SLOT.findall(model) if slot not in wanted or slot in own.text]
    if shared != _SLOT.findall(own.text):
        return []
    # What stands between the fields that both have, in each of the two; in rows of a table, by cells.
    missing = set(wanted) - set(own.text)
    bar = "|" if own.text.startswith("|") and own.text.count("|") == model.count("|") else ""
    signs = [f"[{''.join(sorted(slots))}{bar}]" for slots in (SLOTS, SLOTS - missing)]
    parts, gaps = re.split(signs[0], own.text), re.split(signs[1], model)
    insertions: list[tuple[int, str]] = []
    position = 0
    for mine, theirs in zip(parts, gaps, strict=False):
        edit = smallest_edit(position, mine, theirs)
        if edit.end > edit.start:
            return []
        if edit.replacement:
            insertions.append((own.places[edit.start], edit.replacement))
        position += len(mine) + 1
    slots = {slot for _, piece in insertions for slot in _SLOT.findall(piece)}
    return insertions if len(parts) == len(gaps) and slots and slots <= set(wanted) else []


_DEFINITION = re.compile(r"[ \t>]*(?:[-*+][ \t]+)?\[((?:[^\[\]\\]|\\.)+)\]:[ \t]*<?([^\s<>]+)", re.DOTALL)
_LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.)+)\]", re.DOTALL)


_ARXIV = re.compile(
    r"https?://(?:www\.|export\.)?arxiv\.org/(abs|pdf|html)/[^\s?#]*?(?:v\d+)?(\.pdf)?/?$", re.IGNORECASE
)
_PDF = re.compile(r"\bpdf\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_FEWEST = 3  # entries from which something is a habit of a list
FEWEST_ALIKE = 4  # entries alike in what they say from which their form is a habit


def venue_word(written: Counter[str], true: str) -> str | None:
    """Returns what a list calls the venue `true`; None where none of its entries shows it.

    `written` counts the venues of its entries: acronyms, with the same words before them or none.
    """
    if not _is_only(_YEAR.sub("", true)):
        return next((word for word in written if word.casefold() == true.casefold()), None)
    same = [(count, word) for word, count in written.items() if same_venue(word, true) and _is_only(word)]
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
    return (
        re.search(r"[\d,]|workshop|demo|track|oral|spotlight|poster|best|findings|under review", word, re.IGNORECASE)
        is None
    )


@dataclass(frozen=True, eq=False)
class WrittenEntry:
    """An entry of a list with its place in the text and its form."""

    mention: Mention  # the mention as parsed
    spans: FieldSpans  # where its fields stand
    form: Form | None  # the form it is written in; None where its title was not found in its lines
    day: date | None = None  # the date that it has, where it has more than a year; the first of its month


@dataclass(frozen=True, eq=False)
class Siblings:
    """The entries of a section that have a form, and what they have in common, counted once for all of them."""

    entries: Sequence[WrittenEntry]

    @cached_property
    def _forms(self) -> Counter[str]:
        return Counter({form: count for form, count in usual_forms(self.entries).items() if count > 1})

    @cached_property
    def _with_field(self) -> Counter[str]:
        mentions = [entry.mention for entry in self.entries]
        return Counter(name for each in mentions for name in ("year", "venue") if getattr(each, name) is not None)

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
            dates = list(_dates(text, mention, spans))
            form = form_of(self.source, mention, spans, dates)
            self.entries.append(WrittenEntry(mention, spans, form, dates[0][-1] if dates else None))
        self._people = cache(self._people_of)
        self._venue_word = cache(lambda true: venue_word(self.venues, true))

    @cached_property
    def first_lines(self) -> frozenset[int]:
        """Returns the lines at which its entries begin."""
        return frozenset(first_line_of(entry.mention) for entry in self.entries)

    @cached_property
    def venues(self) -> Counter[str]:
        """Returns how often each venue is written."""
        venues = ((entry.mention.venue or "", entry.mention.year) for entry in self.entries)
        return Counter(_SHORT_IN_VENUE.sub("", venue) if year is None else venue for venue, year in venues if venue)

    @cached_property
    def _people_of_list(self) -> PeopleForm:
        return PeopleForm((self.source, entry.mention, entry.spans) for entry in self.entries)

    def _people_of(self, section: tuple[str, ...] | None) -> PeopleForm:
        """Returns how a section writes authors, or the list where too few of its entries name any."""
        of_list = self._people_of_list
        if section is None:
            return of_list
        siblings = self.siblings(section).entries
        own = PeopleForm(((self.source, entry.mention, entry.spans) for entry in siblings), of_list)
        # A family name alone may be part of a name, read so in a few entries.
        is_shown = own.size >= _FEWEST and own.is_agreed and own.name_form in (of_list.name_form, "full", "initials")
        return own if is_shown else of_list

    @cached_property
    def _label_words(self) -> Mapping[bool, Counter[str]]:
        """Returns what links to papers are called, those to arXiv and others; but for words for other places."""
        words: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
        for entry in self.entries:
            match = _LABEL_OF_ADDRESS.search(entry.form.text) if entry.form else None
            if match and word_of(match[1]) == "paper":
                url = entry.mention.url or ""
                is_arxiv = "arxiv.org" in url
                named = [each for each in _WORD.findall(match[1]) if _is_at(each, url)]
                words[is_arxiv].update(each for each in named if is_arxiv or each.lower() != "pdf")
        return words

    @cached_property
    def _arxiv_form(self) -> tuple[str, str]:
        """Returns what mostly stands before and behind the identifier in the list's addresses of arXiv."""
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
            is_file = _PDF.search(label) and "/abs/" in before
            return f"https://arxiv.org/pdf/{paper.arxiv_id}" if is_file else f"{before}{paper.arxiv_id}{behind}"
        if paper.doi:
            return doi_address(paper.doi)
        places = {"acl": "https://aclanthology.org/", "openreview": "https://openreview.net/forum?id="}
        return next((f"{places[item.scheme]}{item.value}" for item in paper.identifiers if item.scheme in places), None)

    @cached_property
    def definitions(self) -> Mapping[int, tuple[AddressSpan, frozenset[int]]]:
        """Returns the addresses of link definitions that entries use, and the lines of these, by line."""
        source = self.source
        mentions = [entry.mention for entry in self.entries]
        if "]:" not in source.markup:
            return {}
        environment: dict[str, Any] = {}
        MarkdownIt("commonmark").parse(source.text, environment)
        places: dict[str, AddressSpan] = {}
        for label, reference in environment.get("references", {}).items():
            line = reference["map"][0] + 1
            match = _DEFINITION.match(source.text, *source.stretch(line, line))
            if match is not None and normalizeReference(match[1]) == label and not label.startswith("^"):
                places[label] = span_of(match, match.span(2), unescapeAll(match[2]), "link")
        users: defaultdict[str, set[int]] = defaultdict(set)
        for first, last, text in (
            {(first_line_of(each), each.last_line, each.text) for each in mentions} if places else ()
        ):
            for label in set(map(normalizeReference, _LABEL.findall(text))) & places.keys():
                users[label] |= {*range(first, last + 1)}
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
            if entry.day and (day := _brought_to_arxiv(entry.mention.arxiv_id)):
                is_preprint = kind_of_venue(entry.mention.venue) is Kind.PREPRINT
                near[is_preprint].append(abs(month_of(entry.day) - month_of(day)) < 2)
        return near

    @cached_property
    def orders(self) -> Mapping[tuple[str, int], float]:
        """Returns the share of entries that stand in order of each field, from the lowest up (1) or down (-1).

        Each section counts for itself, and none of which all entries have the same key.
        """
        shares: dict[tuple[str, int], float] = {}
        for field in _SORT_FIELDS:
            each = [known_keys(item.entries, field) for item in self._sections.values()]
            each = [keys for keys in each if len(keys) >= _FEWEST and len(set(keys)) > 1]
            for way in (1, -1):
                shares[field, way] = sum(in_order(keys, way) for keys in each) / (sum(map(len, each)) or 1)
        return shares

    @cached_property
    def has_newest_first(self) -> bool:
        """Returns whether more of its entries stand in order with the newest first than with the newest last."""
        dated = [field for field in ("year", "month") if len(known_keys(self.entries, field)) > FEWEST_ALIKE]
        return next((self.orders[each, -1] > self.orders[each, 1] for each in dated if self.orders[each, 1]), False)

    def preprint_values(self) -> dict[str, str]:
        """Returns the venue of a preprint as the list words it, {} where it does not name one."""
        urls = ((entry.mention.venue, "arxiv.org" in (entry.mention.url or "")) for entry in self.entries)
        preprints = Counter((is_arxiv, venue) for venue, is_arxiv in urls if venue and venue in self.venues)
        words = [(*key, count) for key, count in preprints.items() if kind_of_venue(key[1]) is Kind.PREPRINT]
        return {VENUE: max(words, key=lambda word: (word[0], word[2]))[1]} if words else {}

    def values(
        self, paper: PaperFacts, *, venue: str | None, year: int | None, section: tuple[str, ...] | None = None
    ) -> dict[str, str]:
        """Returns the fields of `paper` as this list words them, without those that it does not know how to word."""
        word = self._venue_word(venue) if venue else None
        name, colon, _ = paper.title.partition(":")
        address = self.address_of(paper)
        labels = self._label_words["arxiv.org" in (address or "")]
        fields = {
            TITLE: paper.title,
            AUTHORS: self._people(section).written(paper.authors),
            YEAR: str(year) if year else None,
            SHORT_YEAR: f"{year % 100:02}" if year else None,
            VENUE: word,
            ADDRESS: markdown_address(address) if address else None,
            NAME: name if colon and " " not in name else None,
            ARXIV_ID: paper.arxiv_id,
            DOI: paper.doi,
            LABEL: labels.most_common(1)[0][0] if labels else None,
        }
        day = came_out(paper)
        is_preprint = kind_of_venue(venue) is Kind.PREPRINT
        near = self._near_dates[is_preprint] or self._near_dates[not is_preprint]
        if day and (not near or 2 * sum(near) > len(near)):
            is_known = near and paper.published_on and month_of(paper.published_on) == month_of(day)
            shown = paper.published_on if is_known and paper.published_on else day
            fields |= {sign: _date_written(shown, form) for form, sign in DATES.items() if is_known or "d" not in form}
        return {slot: value for slot, value in fields.items() if value}


_SORT_FIELDS = ("month", "year", "name", "title")


def sort_key(entry: WrittenEntry, field: str) -> Any:
    """Returns what an entry is sorted by, in a list that goes by `field`; None where it does not tell."""
    mention = entry.mention
    if field == "month":
        day = entry.day or _brought_to_arxiv(mention.arxiv_id)
        return month_of(day, None if entry.day else mention.year) if day else None
    if field == "year":
        return mention.year
    return (mention.name or "").casefold() or None if field == "name" else title_key(mention.title or "") or None


def known_keys(entries: Iterable[WrittenEntry], field: str) -> list[Any]:
    """Returns the keys of the entries that tell one."""
    return [key for entry in entries if (key := sort_key(entry, field)) is not None]


def in_order(keys: Sequence[Any], way: int) -> int:
    """Returns how many of the keys, at most, stand in order from the lowest up, or down where `way` is -1."""
    ends: list[Any] = []  # the lowest key with which so many in order may end
    for key in keys[::way]:
        at = bisect_right(ends, key)
        ends[at : at + 1] = [key]
    return len(ends)


def _brought_to_arxiv(arxiv_id: str | None) -> date | None:
    """Returns the first day of the month in which a paper was brought to arXiv."""
    own = ArxivId.parse(arxiv_id) if arxiv_id else None
    return date(own.year, own.month, 1) if own and own.month else None


def came_out(paper: PaperFacts) -> date | None:
    """Returns when a paper was brought to arXiv, the first day of the month, or else came out first."""
    return _brought_to_arxiv(paper.arxiv_id) or paper.published_on


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


def pdf_of(address: str) -> str:
    """Returns the address of the file where `address` is that of arXiv's page about it."""
    return address.replace("://arxiv.org/abs/", "://arxiv.org/pdf/")


def filled(form: str, values: Mapping[str, str], language: Language = "markdown") -> str | None:
    """Returns a form with its fields filled in; None where one is not known, or the link is named for another place.

    `values` are not escaped yet.
    """
    address = values.get(ADDRESS, "")
    match = _LABEL_OF_ADDRESS.search(form)
    label = match[1] if match and not _SLOT.search(match[1]) else ""
    if word_of(label) not in ("paper", "other"):
        return None
    if match and (wrong := wrong_label(form, address)):
        label = label.replace(wrong, values.get(LABEL) or ("Paper" if wrong[0].isupper() else "paper"), 1)
        form = f"{form[: match.start(1)]}{label}{form[match.end(1) :]}"
    if _PDF.search(label):
        values = {**values, ADDRESS: pdf_of(address)}
    parts: list[str] = []
    for at, sign in enumerate(form):
        words = _written(form, at, values.get(sign, ""), language) if sign in SLOTS else sign
        if not words:
            return None
        parts.append(
            "" if words == "." and parts and parts[-1].endswith((".", "!", "?")) and form[at - 1] in SLOTS else words
        )
    return "".join(parts)


def wrong_label(form: str, address: str) -> str | None:
    """Returns the word of a form's link that names another place than where the address leads; None without one."""
    match = _LABEL_OF_ADDRESS.search(form)
    words = _WORD.findall(match[1]) if match and not _SLOT.search(match[1]) else ()
    return next((word for word in words if not _is_at(word, address)), None)


def _is_at(word: str, address: str) -> bool:
    """Returns whether an address leads where a word of its link says, or may; a DOI leads to no file."""
    if word.lower() == "pdf":
        return "/doi.org/" not in address
    return _HOST_WORDS.get(word.lower(), "") in address


def _written(form: str, at: int, value: str, language: Language) -> str | None:
    """Returns what is put in the place `at` of a form; None where nothing can be escaped in it, and has to be."""
    if form[at] == ADDRESS:
        return address_for("html" if _ATTRIBUTE.search(form, 0, at) else language, value) if value else None
    others = ET_AL.search(value) if form[at] == AUTHORS else None  # as the list itself writes it
    names = value[: others.start()] if others else value
    words = written_words(names, language) + value[len(names) :]
    if words.endswith("!") and form[at + 1 : at + 2] == "[":
        words = f"{words[:-1]}&#33;"
    return words if words == value or form.count("`", 0, at) % 2 == 0 else None
