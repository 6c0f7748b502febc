"""The form of a list's entries: the order of the fields and what stands between them. Pure.

The form of an entry is its own text with a sign in the place of each field, so that entries written in one way have the
same form, and what one entry lacks beside another is seen.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from sources.lists.checks.list_text import ListText
from sources.lists.edits.spans import AddressSpan, FieldSpans, Stretch
from sources.lists.reading.carried_identifiers import carried_by, split_address
from sources.lists.reading.imprints import imprint_of
from sources.lists.reading.link_kinds import kind_of, says_only_link, word_of
from sources.records import Mention

TITLE, AUTHORS, YEAR, SHORT_YEAR = "\ue001", "\ue002", "\ue003", "\ue004"
VENUE, ADDRESS, OTHER_ADDRESS, NUMBER, NAME = "\ue005", "\ue006", "\ue007", "\ue008", "\ue009"
ARXIV_ID = "\ue00a"
# What stands between a year and its month -> the sign for both, as in 2023/04.
MONTHS = {"/": "\ue00b", ".": "\ue00c", "-": "\ue00d"}
# The signs that stand for fields; characters of a private area, which a list's own text has no use for.
SLOTS = frozenset(
    (TITLE, AUTHORS, YEAR, SHORT_YEAR, VENUE, ADDRESS, OTHER_ADDRESS, NUMBER, NAME, ARXIV_ID, *MONTHS.values())
)
_SLOT = re.compile(f"[{''.join(sorted(SLOTS))}]")
_NUMBER = re.compile(r"[\s>]*(?:[-*+][ \t]+)?[*_]*\[?(\d{1,4})(?=[.)\]、])")
_ET_AL = re.compile(r",?\s*[*_]*(?:et\.?\s*al\.?|and others|等)[*_]*", re.IGNORECASE)
_CHECKED = re.compile(r"(?<=[-*+] \[)[xX](?=\] )")
_DIGIT = re.compile(r"\d|[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]|:[a-z_]+:")
_RATING = re.compile(r"[ \t]*(?:!\[[^\[\]]*\]\([^()\s]*\)|[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]|:[a-z_]+:)+")
_WORD = re.compile(r"[^\W\d_]+")
_OTHER_LINK = re.compile(
    rf"[ \t]*(?:[|,;·•/][ \t]*)?(?:\[\[[^\[\]]*\]\({OTHER_ADDRESS}\)\]|\[\[?[^\[\]]*\]\]?\({OTHER_ADDRESS}\))"
)
_MONTH = re.compile(r"([/.-])(?:0[1-9]|1[0-2])(?![/.-]?\d)")
_TAG = re.compile(r"</?(?:b|i|u|em|strong|code|kbd|small|sub|sup|ins|p|br|li|ul|tr|td)\s*/?>", re.IGNORECASE)
_TARGET = re.compile(rf"<a\s+href=([\"']){ADDRESS}\1(?:\s+target=([\"'])_blank\2)?>|</a>", re.IGNORECASE)
_BEFORE_ID = re.compile(rf"\barxiv\s*:?\s*(?={ARXIV_ID})", re.IGNORECASE)
_END = re.compile(r"(?:[^\w\s\[(<{]|</\w+>)*")
_CELL_TEXT = re.compile(r"\||[^ \t|](?:[^|]*[^ \t|])?")
_ROW = re.compile(r"^[ \t]*\|?.*(?<!\\)\|.*$")
_LITTLE_WORDS = frozenset(
    "in on by and at the of arxiv preprint proc proceedings authors author venue year title paper".split()
)


@dataclass(frozen=True, slots=True)
class Form:
    """The form of an entry."""

    text: str  # the entry with a sign for each field, its cells without padding where it is a row of a table
    places: tuple[int, ...]  # where each character of `text`, and its end, stands in the list's own text


def form_of(source: ListText, mention: Mention, spans: FieldSpans) -> Form | None:
    """Returns the form of a mention's entry; None where its title was not found in it, or a field twice."""
    start, end = spans.entry
    raw = source.text[start:end]
    if spans.title is None or _SLOT.search(raw):
        return None
    fields = sorted(_fields(source, mention, spans))
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


def _fields(source: ListText, mention: Mention, spans: FieldSpans) -> Iterator[tuple[int, int, str]]:
    for stretch, slot in ((spans.title, TITLE), (spans.name, NAME), (people_stretch(source, spans), AUTHORS)):
        if stretch:
            yield (*stretch, slot)
    identifier = _bare_identifier(source.text, mention, spans)
    if identifier:
        yield (*identifier, ARXIV_ID)
    if spans.venue and not (identifier and not source.text[spans.venue[1] : identifier[0]].strip(" :")):
        yield (*spans.venue, VENUE)
    for first, last in spans.years:
        month = _MONTH.match(source.text, last, spans.entry[1])
        if month and last - first == 4:
            yield first, month.end(), MONTHS[month[1]]
        else:
            yield first, last, YEAR if last - first == 4 else SHORT_YEAR
    start, end = spans.entry
    number = _NUMBER.match(source.text, start, end)
    if number and number.span(1) not in spans.years:
        yield (*number.span(1), NUMBER)
    own = _own_address(mention, spans)
    for span in spans.addresses:
        if span.place == "link" or (span.place != "image" and span.url):
            yield span.start, span.end, ADDRESS if span is own else OTHER_ADDRESS


def _bare_identifier(text: str, mention: Mention, spans: FieldSpans) -> Stretch | None:
    """Returns where the arXiv identifier stands outside of addresses; None where that is nowhere, or twice."""
    if not mention.arxiv_id:
        return None
    found = []
    for match in re.compile(rf"(?<![\w./]){re.escape(mention.arxiv_id)}(?!\w)").finditer(text, *spans.entry):
        before = bisect_right(spans.addresses, match.start(), key=lambda span: span.start)
        if not before or match.start() >= spans.addresses[before - 1].end:
            found.append(match.span())
    return found[0] if len(found) == 1 else None


def is_for_paper(spans: FieldSpans, span: AddressSpan) -> bool:
    """Returns whether the words of a link are the title, or name the paper."""
    title = spans.title
    return word_of(span.label) == "paper" or (title is not None and span.outer_start <= title[0] < span.start)


def _own_address(mention: Mention, spans: FieldSpans) -> AddressSpan | None:
    """Returns the address that leads to the mention's paper, or an empty one that is to lead there."""
    if spans.paper_address is not None:
        return spans.paper_address
    known = set(mention.identifiers)
    carrying = [span for span in spans.addresses if known & {*carried_by(split_address(span.url)).identifiers}]
    papers = [span for span in spans.addresses if kind_of(split_address(span.url)) in ("paper", "pdf")]
    empty = [span for span in spans.addresses if not span.url and is_for_paper(spans, span)]
    return next(iter([*carrying, *papers, *empty]), None)


def people_stretch(source: ListText, spans: FieldSpans) -> Stretch | None:
    """Returns where the authors stand, an "et al." behind them among them."""
    if not spans.authors:
        return None
    start, end = spans.authors[0][0], spans.authors[-1][1]
    more = _ET_AL.match(source.text, end)
    return start, more.end() if more and more.end() <= spans.entry[1] else end


def without_other_links(form: str) -> str:
    """Returns a form without its links to what belongs to the paper, such as "[code](...)"."""
    return _OTHER_LINK.sub("", form)


def without_ratings(form: str) -> str:
    """Returns a form without the badges and signs by which an owner rates or tags a paper, such as flames or stars."""
    return re.sub(r"(?<=\S)[ \t]{2,}(?=\S)", " ", _RATING.sub("", form))


def without_notes(form: str) -> str:
    """Returns a form without what stands behind its last field, but for the marks that close it; "" if none do."""
    last = max((match.end() for match in _SLOT.finditer(form) if match[0] != OTHER_ADDRESS), default=0)
    end = _END.match(form, last)
    short = form[: end.end() if end else last]
    short = short if short == form else short.rstrip(":;,：；，、")
    return short if all(short.count(first) == short.count(second) for first, second in ("()", "[]", "<>")) else ""


def is_plain(form: str) -> bool:
    """Returns whether nothing in a form says something about one paper alone: it can be copied for another paper.

    What stands beside the fields are marks, the names of links and fields, and little words.
    """
    for part in _SLOT.split(_BEFORE_ID.sub("", _TAG.sub(" ", _TARGET.sub(ADDRESS, form)))):
        words = [word.lower() for word in _WORD.findall(part)]
        is_little = all(word in _LITTLE_WORDS or says_only_link(word) for word in words)
        if _DIGIT.search(part) or not is_little or imprint_of(" ".join(words)) is not None:
            return False
    return True


_LABEL = re.compile(rf"\[([^\[\]]*)\]\]?\({ADDRESS}")
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


def label_of(form: str) -> str:
    """Returns the words of the link to the paper in a form, "" where it has none of its own."""
    match = _LABEL.search(form)
    return "" if match is None or _SLOT.search(match[1]) else match[1]


def label_fits(label: str, address: str) -> bool:
    """Returns whether the words of a link name a paper, and no other place than where `address` leads."""
    if word_of(label) not in ("paper", "other"):
        return False
    words = [word.lower() for word in _WORD.findall(label)]
    named = [_HOST_WORDS[word] for word in words if word in _HOST_WORDS]
    return not named or any(place in address for place in named)


def filling(own: Form, model: str, wanted: str) -> list[tuple[int, str]]:
    """Returns what makes `own` an entry of the form `model`: places, and the pieces of `model` to insert there.

    Every field of `own` stands in `model` in the same order, and between two of them `model` only adds a stretch, with
    fields among `wanted`; otherwise, there is nothing to insert.
    """
    parts, gaps = _parts(own.text, model, wanted)
    insertions: list[tuple[int, str]] = []
    position = 0
    for mine, theirs in zip(parts, gaps, strict=False):
        at = _addition(mine, theirs)
        if at is None:
            return []
        if len(theirs) > len(mine):
            insertions.append((own.places[position + at], theirs[at : at + len(theirs) - len(mine)]))
        position += len(mine) + 1
    slots = {slot for _, piece in insertions for slot in _SLOT.findall(piece)}
    return insertions if len(parts) == len(gaps) and slots and slots <= set(wanted) else []


def _parts(own: str, model: str, wanted: str) -> tuple[list[str], list[str]]:
    """Returns what stands between the fields that both have, in each of the two; in rows of a table, by cells."""
    shared = [slot for slot in _SLOT.findall(model) if slot not in wanted or slot in own]
    if shared != _SLOT.findall(own):
        return [], [""]
    missing = set(wanted) - set(own)
    bar = "|" if own.startswith("|") and own.count("|") == model.count("|") else ""
    mine, theirs = (re.compile(f"[{''.join(sorted(slots))}{bar}]") for slots in (SLOTS, SLOTS - missing))
    return mine.split(own), theirs.split(model)


def _addition(mine: str, theirs: str) -> int | None:
    """Returns where `theirs` has a stretch more than `mine`; None where it does not differ in just that."""
    more = len(theirs) - len(mine)
    if more < 0:
        return None
    for at in range(len(mine), -1, -1):
        if theirs.startswith(mine[:at]) and theirs[at + more :] == mine[at:]:
            return at
    return None
