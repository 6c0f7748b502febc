"""The form of an entry: its own text with a sign in the place of each field. Pure.

Entries written in one way have the same form, and what one entry lacks beside another is seen.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from time import strptime

from sources.bibliography.years import SHORT_MONTHS
from sources.lists.checks.list_text import ListText, smallest_edit
from sources.lists.edits.people import ET_AL, people_stretch
from sources.lists.edits.spans import AddressSpan, FieldSpans, Stretch
from sources.lists.edits.writing import Language, address_for, written_words
from sources.lists.reading.addresses import carried_by, kind_of, says_only_link, split_address, word_of
from sources.lists.reading.citation_parts import imprint_of
from sources.records import Mention

TITLE, AUTHORS, YEAR, SHORT_YEAR = "\ue001", "\ue002", "\ue003", "\ue004"
VENUE, ADDRESS, OTHER_ADDRESS, NUMBER, NAME = "\ue005", "\ue006", "\ue007", "\ue008", "\ue009"
ARXIV_ID, DOI, LABEL = "\ue00a", "\ue00b", "\ue00c"  # the last is in no form: a word for links to the address
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
_NUMBER = re.compile(r"[\s>|]*(?:[-*+][ \t]+)?(?:\[[ xX]\][ \t]+)?[*_]*\\?\[?(\d{1,4})(?=\\?[.)\]、])")
_NUMBER_MARK = re.compile(rf"\A\W*(?:\d+|{NUMBER})\)")
_CHECKED = re.compile(r"(?<=[-*+] \[)[xX](?=\] )")
_SIGNS = r"(?:!\[[^\[\]]*\]\([^()\s]*\)|<img\b[^<>]*>|[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]|:[a-z_]+:)+"
_RATING, _TOKEN = re.compile(rf"[ \t]*{_SIGNS}"), re.compile(rf"{_SIGNS}|[^\W\d_]+|\d+")
WORD = re.compile(r"[^\W\d_]+")
_EMPTIED = re.compile(r"\n[ \t]*(?:\0[ \t]*)+(?=\n|\Z)|[ \t]*\([ \t\0]*\0[ \t]*\)")
_LED = re.compile(r"((?:\n[ \t]*|[(\[]))(?:\0[ \t]*)+[|,;·•/]?[ \t]*")
_OTHER_LINK = re.compile(
    rf"(?:(?<=[^\n \t])[ \t]*(?:[|,;:·•/–—→-][ \t]*)?)?(?:\\?\[\[[^\[\]]*\]\({OTHER_ADDRESS}\)\\?\]"
    rf"|\[\[?(?:!\[[^\[\]]*\]\([^()\s]*\)|\\[\[\]]|[^\[\]])*\]\]?\({OTHER_ADDRESS}\))"
)
SHORT_IN_VENUE = re.compile(r" ?['’-] ?(\d\d)\Z")
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
_ONE_OF_YEAR = re.compile(rf"[{YEAR}{SHORT_YEAR}][a-z]\b")  # "2018a", one of several papers
_BULLET = re.compile(r"^[ \t>]*\*(?=[ \t])", re.MULTILINE)
_END = re.compile(r"(?:[^\w\s\[(<{]|</\w+>)*")
_BREAK_AT_END = re.compile(r"[ \t]*(?:\n[ \t]*)?(?<!\\)\\\Z")
_CELL_TEXT = re.compile(r"\||[^ \t|](?:[^|]*[^ \t|])?")
LABEL_OF_ADDRESS = re.compile(rf"\[([^\[\]]*)\]\]?\({ADDRESS}")
PDF = re.compile(r"\bpdf\b", re.IGNORECASE)
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
    "github": "github.com",
}
_SEPARATORS = ":;,：；，、"
FEWEST_ALIKE = 4  # entries alike in what they say from which their form is a habit
_LITTLE_WORDS = frozenset(
    "in on by and at the of arxiv preprint proc proceedings authors author venue year title paper".split()
)
_OF_ONE_PAPER = frozenset("oral spotlight poster highlight previous".split())  # how it was presented, or which it is


@dataclass(frozen=True, slots=True)
class Form:
    """The form of an entry."""

    text: str  # the entry with a sign for each field, its cells without padding where it is a row of a table
    places: tuple[int, ...]  # where each character of `text`, and its end, is in the list's own text


_Dates = Sequence[tuple[int, int, str, date]]  # where dates are, with the signs of their forms and their days
_Field = tuple[int, int, str]  # where a field begins and ends, and its sign


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
    return "\n" not in line and line.lstrip().startswith("|")


def _fields(source: ListText, mention: Mention, spans: FieldSpans, dates: _Dates) -> Iterator[_Field]:
    identifier = _bare_identifier(source.text, mention.arxiv_id, spans)
    doi, people = _bare_identifier(source.text, mention.doi, spans), people_stretch(source, spans)
    # Family names in front of a title, as in "Turing, Gödel: ...", are read as a name.
    name = AUTHORS if people is None and "," in (mention.name or "") else NAME
    found = {TITLE: spans.title, AUTHORS: people, name: spans.name, ARXIV_ID: identifier, DOI: doi}
    yield from ((*stretch, slot) for slot, stretch in found.items() if stretch)
    yield from ((start, end, sign) for start, end, sign, _ in dates)
    years = [(first, last, YEAR if last - first == 4 else SHORT_YEAR) for first, last in spans.years]
    for each in (*_venue_fields(source.text, mention, spans, identifier), *years):
        if not any(start < each[1] and each[0] < end for start, end, *_ in dates):
            yield each
    number = _NUMBER.match(source.text, *spans.entry)
    if number and number.span(1) not in spans.years:
        yield (*number.span(1), NUMBER)
    own = _own_address(mention, spans)
    for span in spans.addresses:
        if span.place == "link" or (span.place != "image" and span.url):
            is_again = own is not None and span.place == own.place == "link" and span.url == own.url != ""
            is_own = span is own or is_again
            yield span.start, span.end, ADDRESS if is_own else OTHER_ADDRESS


def dates_in(text: str, mention: Mention, spans: FieldSpans) -> Iterator[tuple[int, int, str, date]]:
    """Yields where dates of the entry's year are, with the sign of their form and the day, the first of a month."""
    first, last = spans.title or (0, 0)
    for match in _DATE.finditer(text, *spans.entry):
        if (first < match.end() and match.start() < last) or _is_in_address(spans, match.start()):
            continue
        for form, sign in DATES.items():
            with suppress(ValueError):
                day = date(*strptime(match[0], form.strip("~").replace("_", " ").replace("%-", "%"))[:3])
                if date_written(day, form) == match[0] and mention.year in (None, day.year):
                    yield (*match.span(), sign, day)
                    break


def date_written(day: date, form: str) -> str:
    """Returns a day in one of the forms of `DATES`."""
    plain = form.strip("~").replace("%-d", str(day.day)).replace("%-m", str(day.month)).replace("_", " ")
    return day.strftime(plain).lower() if form.startswith("~") else day.strftime(plain)


def _is_in(stretch: Stretch | None, span: AddressSpan) -> bool:
    return stretch is not None and span.outer_start <= stretch[0] < span.start


def _venue_fields(text: str, mention: Mention, spans: FieldSpans, identifier: Stretch | None) -> Iterator[_Field]:
    """Yields the place of the venue, and that of a year in two digits that is read as part of it."""
    if spans.venue is None:
        return
    start, end = spans.venue
    is_of_id = identifier is not None and not text[end : identifier[0]].strip(" :")
    labels = (span.label.lower().strip("[]\\") for span in spans.addresses if _is_in(spans.venue, span))
    if is_of_id or any(label in _HOST_WORDS for label in labels):
        return
    short = SHORT_IN_VENUE.search(text, start, end) if mention.year is None else None
    yield start, start + len(without_year(text[start:end], mention.year)), VENUE
    if short:
        yield (*short.span(1), SHORT_YEAR)


def without_year(venue: str, year: int | None) -> str:
    """Returns a venue without the year of its entry at its end, or one in two digits where the entry has none."""
    return SHORT_IN_VENUE.sub("", venue) if year is None else venue.removesuffix(str(year)).rstrip()


def _bare_identifier(text: str, identifier: str | None, spans: FieldSpans) -> Stretch | None:
    """Returns where an identifier is outside of addresses; None where that is nowhere, or twice."""
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
    own, known = spans.paper_address, frozenset(mention.identifiers)
    if own is not None and not known:
        return own
    carrying = [
        span for span in spans.addresses if not known.isdisjoint(carried_by(split_address(span.url)).identifiers)
    ]
    if own is not None:
        return own if own in carrying else next(iter(carrying), own)
    papers = [span for span in spans.addresses if kind_of(split_address(span.url)) in ("paper", "pdf")]
    empty = [span for span in spans.addresses if not span.url and is_for_paper(spans, span)]
    return next(iter([*carrying, *papers, *empty]), None)


def without_other_links(form: str) -> str:
    """Returns a form without its links to what belongs to the paper, such as "[code](...)", behind its first field."""
    first = next((match.start() for match in _SLOT.finditer(form) if match[0] != OTHER_ADDRESS), 0)
    unlinked = _LINKED_FIELDS.sub(r"\1", form[first:])
    rest = _LED.sub(r"\1", _EMPTIED.sub("", _OTHER_LINK.sub(_left_of_link, unlinked)))
    rest = rest.replace("\0", "")
    return form[:first] + (rest if rest == form[first:] else rest.rstrip(_SEPARATORS))


def _left_of_link(link: re.Match[str]) -> str:
    """Returns what is left in the place of a link: the blank before it where the next one adjoins it."""
    return "\0 " if link[0][0] in " \t" and link.string[link.end() : link.end() + 1] == "[" else "\0"


def without_ratings(form: str, habits: Collection[str] = ()) -> str:
    """Returns a form without the badges and signs by which an owner rates or tags a paper, such as flames or stars."""
    rest = _RATING.sub(lambda match: match[0] if match[0].strip() in habits else "", form)
    return re.sub(r"(?<=\S)[ \t]{2,}(?=\S)", " ", rest)


def habits_of(forms: Sequence[str]) -> frozenset[str]:
    """Returns what four of five forms, or all, have beside their fields: words, or numbers and signs."""
    counts = Counter(token for form in forms for token in set(_TOKEN.findall(_SLOT.sub(" ", form))))
    # A sign that some lack is a rating; a picture is that of a badge.
    shares = {token: 0.8 if token.isalpha() or token[0] in "!<" else 1 for token in counts}
    return frozenset(
        token for token, count in counts.items() if count >= FEWEST_ALIKE and count >= shares[token] * len(forms)
    )


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
    found = next((each for each in tried if each and is_plain(each, habits)), "")
    # One blank at the end means nothing; two break the line. A sign for a break has nothing to part there.
    ended = _BREAK_AT_END.sub("", found)
    return ended if ended.endswith("  ") else ended.rstrip()


def _is_whole(form: str) -> bool:
    """Returns whether each element of HTML and words in italics or bold that end in a form begin in it.

    So no slip is copied, and no mark of words that were read as people's. A table that begins in it ends there, too.
    """
    starts, ends = (Counter(map(str.lower, pattern.findall(form))) for pattern in (_STARTING, _ENDING))
    stars = _BULLET.sub("", form).replace(r"\*", "").count("*")
    is_open = stars % 2 or form.count("**") % 2 or any(starts[name] > ends[name] for name in ("table", "div"))
    return not is_open and all(count <= starts[name] for name, count in ends.items())


def without_notes(form: str) -> str:
    """Returns a form without what is behind its last field, but for the marks that close it; "" if none do."""
    last = max((match.end() for match in _SLOT.finditer(form) if match[0] != OTHER_ADDRESS), default=0)
    end = _END.match(form, last)
    short = form[: end.end() if end else last]
    if short[-1:] in tuple("'’-/") and form[len(short) :][:1].isalnum():
        return ""  # within a word
    short = short if short == form else short.rstrip(_SEPARATORS)
    is_cut = any((form.count(mark) - short.count(mark)) % 2 for mark in ("*", "**", "_", "`", '"'))
    return short if is_paired(short) and not is_cut else ""


def is_paired(form: str) -> bool:
    """Returns whether each bracket and straight quotation mark of a form is closed, but for that of a number."""
    rest = _NUMBER_MARK.sub("", form)
    return not rest.count('"') % 2 and all(rest.count(first) == rest.count(last) for first, last in ("()", "[]", "<>"))


def is_plain(form: str, habits: Collection[str] = ()) -> bool:
    """Returns whether nothing in a form says something about one paper alone: it can be copied for another paper.

    What is beside the fields are marks, the names of links and fields, little words, and `habits`; no mark is left
    open.
    """
    words = WORD.findall(form.replace(f"{TITLE}.pdf", TITLE))  # a file's name is no word for a link
    links = (word for word in words if word.lower() not in _LITTLE_WORDS and says_only_link(word))
    leads_nowhere = {ADDRESS, OTHER_ADDRESS, ARXIV_ID, DOI}.isdisjoint(form)
    if not _is_whole(form) or _ONE_OF_YEAR.search(form) or (leads_nowhere and any(links)):  # "[pdf]" that is no link
        return False
    unlabelled = LABEL_OF_ADDRESS.sub(lambda link: ADDRESS if _names_paper(link[1]) else link[0], form)
    for part in _SLOT.split(_BEFORE_ID.sub("", _TAG.sub(" ", _TARGET.sub(ADDRESS, unlabelled)))):
        tokens = [token for token in _TOKEN.findall(part) if token not in habits]
        words = [token.lower() for token in tokens if WORD.fullmatch(token)]
        is_little = all(word in _LITTLE_WORDS or (says_only_link(word) and word not in _HOST_WORDS) for word in words)
        is_little = is_little and _OF_ONE_PAPER.isdisjoint(words)
        if len(words) < len(tokens) or not is_little or imprint_of(" ".join(words)) is not None:
            return False
    return True


def _names_paper(label: str) -> bool:
    return word_of(label) == "paper" and _OF_ONE_PAPER.isdisjoint(label.lower().split())


def filling(own: Form, model: str, wanted: str) -> list[tuple[int, str]]:
    """Returns what makes `own` an entry of the form `model`: places, and the pieces of `model` to insert there.

    Every field of `own` is in `model` in the same order, and between two of them `model` only adds a stretch, with
    fields among `wanted`; otherwise, there is nothing to insert.
    """
    shared = [slot for slot in _SLOT.findall(model) if slot not in wanted or slot in own.text]
    if shared != _SLOT.findall(own.text):
        return []
    # What is between the fields that both have, in each of the two; in rows of a table, by cells.
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


def pdf_of(address: str) -> str:
    """Returns the address of the file where `address` is that of arXiv's page about it."""
    return address.replace("://arxiv.org/abs/", "://arxiv.org/pdf/")


def filled(form: str, values: Mapping[str, str], language: Language = "markdown") -> str | None:
    """Returns a form with its fields filled in; None where one is not known, or the link is named for another place.

    `values` are not escaped yet.
    """
    address = values.get(ADDRESS, "")
    match = LABEL_OF_ADDRESS.search(form)
    label = match[1] if match and not _SLOT.search(match[1]) else ""
    if word_of(label) not in ("paper", "other"):
        return None
    if match and (wrong := wrong_label(form, address)):
        plain, usual = "Paper" if wrong[0].isupper() else "paper", values.get(LABEL, "")
        label = label.replace(wrong, usual if usual and is_at(usual, address) else plain, 1)
        form = f"{form[: match.start(1)]}{label}{form[match.end(1) :]}"
    if match and DOI in match[1] and DOI in values:
        values = {**values, ADDRESS: f"https://doi.org/{values[DOI]}"}
    if PDF.search(label):
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
    match = LABEL_OF_ADDRESS.search(form)
    words = WORD.findall(match[1]) if match and not _SLOT.search(match[1]) else ()
    return next((word for word in words if not is_at(word, address)), None)


def is_at(word: str, address: str) -> bool:
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
