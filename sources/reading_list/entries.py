"""Block -> entries: the lines of its text that belong together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sources.reading_list.fields.after_title import is_credit
from sources.reading_list.fields.author_lists import only_authors
from sources.reading_list.fields.citation import record_of_lines
from sources.reading_list.fields.citation_parts import GAP, odds_of_parts, title_numbers
from sources.reading_list.fields.imprints import imprint_of
from sources.reading_list.fields.masking import Bracket, without_brackets, without_resources
from sources.reading_list.fields.title_model import EVEN, UNLIKELY
from sources.reading_list.fields.titles import clean_title
from sources.reading_list.links.link_finder import Link, links_of
from sources.reading_list.links.link_kinds import OTHER_FIELD
from sources.reading_list.markdown.marked_text import Mark, Rich

_LONGEST = 4_000
_ENUMERATED = re.compile(r"\s*(?:\[\d{1,4}\]|\(\d{1,3}\)|\d{1,3}[.)、]\s)")
_BULLETED = re.compile(r"\s*[-*+•]\s+\S")
"""A bullet that stands too far in for Markdown to see it as one."""
_CAPTION = re.compile(r"\W*\w+(?: \w+){0,2}[*_]*[:：][*_]*")
"""A line of a few words and a colon over the entries below it: "Required:"."""
_LABEL = re.compile(r"[\W_]*([^\W\d_]\w*(?: \w+){0,2})[\W_]*?[:：](?!//)")
"""A few words and a colon at the start of a line or a block."""
RECURS = 3
"""In how many records of a file a label stands once each if it names a field of them."""
_WRAPPED = re.compile(r"(?:[,:–—-]|\b(?:a|an|the|of|for|in|on|to|with|and|or|by|from|via|using|et))\s*$", re.IGNORECASE)


@dataclass(slots=True)
class Entry:
    """The lines of a block that belong together. Positions count from the start of its text.

    Attributes:
        raw: The text as it stands.
        text: The same with resource links and telling brackets blanked; what is left are the entry's own words.
        marks: What is bold, italic, struck...
        links: The links in order.
        brackets: The brackets that were taken out.
        line: 1-based line on which the entry starts.
        numbers: The places where what looks like a year begins a title.
    """

    raw: str
    text: str
    marks: tuple[Mark, ...]
    links: list[Link]
    brackets: list[Bracket]
    line: int
    numbers: frozenset[int] = frozenset()

    def line_at(self, position: int) -> int:
        """Returns the line of the file on which the character at `position` stands."""
        return self.line + self.raw.count("\n", 0, position) if "\n" in self.raw else self.line


def labels_of_fields(texts: Iterable[str]) -> frozenset[str]:
    """Returns the labels that name a field of a record in the list of which `texts` are the blocks.

    Such a label stands once in each of several blocks of more than a line, and at the beginning of none.
    """
    count: Counter[str] = Counter()
    never: set[str] = set()
    for text in texts:
        first, _, rest = text.partition("\n")
        labels = Counter(label for line in rest.split("\n") if (label := label_of(line)))
        never.update(label for label, number in labels.items() if number > 1)
        never.add(label_of(first))
        count.update(labels.keys())
    return frozenset(label for label, number in count.items() if number >= RECURS and label not in never)


def label_of(line: str) -> str:
    """Returns the label that `line` begins with ("Authors: ..."), in lower case; "" where it begins with none."""
    match = _LABEL.match(line[:60])
    return match[1].lower() if match else ""


def _with_fields_apart(text: str, fields: frozenset[str]) -> str:
    """Returns `text` with a gap in place of the line break before every line that begins with one of `fields`."""
    if not fields or "\n" not in text:
        return text
    first, *others = text.split("\n")
    return first + "".join((GAP if label_of(line) in fields else "\n") + line for line in others)


def entries_of(
    rich: Rich, *, item: bool, fields: frozenset[str] = frozenset(), undated: bool = False
) -> Iterator[Entry]:
    """Yields the entries of one block's text.

    Args:
        rich: The text.
        item: Whether it is an item of a list.
        fields: The labels of lines that go on with an entry.
        undated: Whether a year before a title would be out of place.
    """
    links = links_of(rich)
    text = without_resources(rich, links)
    text, brackets = without_brackets(text)
    text = _with_fields_apart(text, fields)
    if len(text) <= _LONGEST and ("\n" not in text or record_of_lines(text) is not None):
        yield Entry(rich.text, text, rich.marks, links, brackets, rich.line, _numbers(text, brackets, undated=undated))
        return
    line = rich.line
    takers = (_taker(links), _taker(brackets), _taker(list(rich.marks)))
    for start, end in _bounded(_segments(rich.text, text, links, item=item)):
        inside, found, marks = (take(start, end) for take in takers)
        numbers = _numbers(text[start:end], found, undated=undated)
        yield Entry(rich.text[start:end], text[start:end], tuple(marks), inside, found, line, numbers)
        line += rich.text.count("\n", start, end)


def _numbers(text: str, brackets: list[Bracket], *, undated: bool) -> frozenset[int]:
    years = ((bracket.start, bracket.imprint.year) for bracket in brackets if bracket.imprint)
    return title_numbers(text, [(at, year) for at, year in years if year is not None], undated=undated)


def _taker(records: list[Any]) -> Callable[[int, int], list[Any]]:
    """Returns a function that takes the records of the next stretch, moved to its start; each record is met once."""
    position = 0

    def take(start: int, end: int) -> list[Any]:
        nonlocal position
        taken = []
        while position < len(records) and records[position].start < end:
            taken.append(_moved(records[position], start, end))
            position += 1
        return taken

    return take


def _moved(record: Any, start: int, end: int) -> Any:
    changed = {"start": max(record.start - start, 0), "end": min(record.end, end) - start}
    if isinstance(record, Link):
        changed |= {"outer_start": max(record.outer_start - start, 0), "outer_end": min(record.outer_end, end) - start}
    return record._replace(**changed)


def _bounded(stretches: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yields the stretches, those longer than any entry in pieces, so that the time an entry takes is bounded."""
    for start, end in stretches:
        cuts = [*range(start, end, _LONGEST), end] if end > start else [start, end]
        yield from pairwise(cuts)


def _segments(raw: str, text: str, links: list[Link], *, item: bool) -> Iterator[tuple[int, int]]:
    """Yields the stretches of a block's text that are one entry each."""
    if "\n" not in text:
        yield 0, len(text)
        return
    start, shape, pointer, lone = 0, "", 0, False
    for line_start, line_end in _line_spans(text):
        first = pointer
        while pointer < len(links) and links[pointer].start < line_end:
            pointer += 1
        line = text[line_start:line_end]
        numbered = _ENUMERATED.match(raw, line_start) is not None
        current = _shape(text, links[first:pointer], line_start, line_end, numbered=numbered)
        bulleted = current in "ET" and _BULLETED.match(line) is not None
        before = text[max(start, line_start - 400) : line_start]
        after_lone, lone = lone, _is_lone_paper(line, links[first:pointer])
        one_more = lone and after_lone and shape == "R"
        if line_start and (bulleted or one_more or _begins(before, line, shape, current, item=item)):
            yield start, line_start
            start, shape = line_start, ""
        shape += current if current not in shape else ""
    yield start, len(text)


def _is_lone_paper(line: str, links: list[Link]) -> bool:
    """Returns whether a line has one bare link, which names a paper, and no word."""
    return len(links) == 1 and links[0].bare and bool(links[0].carried.identifiers) and not any(map(str.isalnum, line))


def _line_spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start <= len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield start, end
        start = end + 1


def _shape(text: str, links: list[Link], start: int, end: int, *, numbered: bool) -> str:
    """Returns what a line is: E begins an entry, T is text, A is authors or imprint, R holds only resources."""
    line = text[start:end]
    words = clean_title(line[:_LONGEST])
    if not words or OTHER_FIELD.match(line):
        return "R"
    lead = next((link for link in links if link.own), None)
    if lead is not None and len(clean_title(text[start : lead.start]).split()) <= 4:
        return "E"
    if numbered:
        return "E"
    if imprint_of(words) or only_authors(words) or is_credit(words):
        return "A"
    if any(link.kind in ("paper", "pdf") for link in links) and odds_of_parts(words) > EVEN:
        return "E"
    return "T"


def _begins(before: str, line: str, shape: str, current: str, *, item: bool) -> bool:
    """Returns whether `line` begins an entry, after the lines `before` it of the shapes in `shape`."""
    if current in "RA" or not shape.strip("RA"):
        return False
    if item:
        return current == "E" and "E" in shape
    before = before.rstrip()
    captioned = _CAPTION.fullmatch(before) is not None
    if captioned or current == "E":
        return captioned or not _WRAPPED.search(before)
    if "E" in shape:
        return line[:1].isupper() or not line[:1].isascii()
    if _WRAPPED.search(before) or not (line[:1].isupper() or line[:1].isdigit()):
        return False
    return len(before) < 60 or odds_of_parts(before) > UNLIKELY
