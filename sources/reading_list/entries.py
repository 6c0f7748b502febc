"""Block -> entries: which of its lines belong together, and what each link in them is for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from sources.reading_list.citation import GAP
from sources.reading_list.links import word_of
from sources.reading_list.people import is_organisation, only_authors
from sources.reading_list.rich import BREAK, Mark, Rich
from sources.reading_list.spans import Link, links_of
from sources.reading_list.titles import clean_title, likeness
from sources.reading_list.venues import Imprint, imprint_of

_LONGEST = 4_000
_BRACKETS = re.compile(r"[(\[（【{]([^()\[\]（）【】{}\x1d]{1,160})[)\]）】}]")
_OPENING = re.compile(r"[(\[（【{]")
_EMPTY_BRACKETS = re.compile(r"[(\[（【{][\s\x1d,;/|&·]*[)\]）】}]")
_ENUMERATED = re.compile(r"\s*(?:\[\d{1,4}\]|\(\d{1,3}\)|\d{1,3}[.)、]\s)")
_WRAPPED = re.compile(r"(?:[,:–—-]|\b(?:a|an|the|of|for|in|on|to|with|and|or|by|from|via|using|et))\s*$", re.IGNORECASE)
_WIKI = re.compile(r"\[\[([^\[\]\n|]{4,300})\]\]")
_HASHTAG = re.compile(r"(?<=\s)#[^\W\d_][\w/-]{1,40}(?=\s|$)")
_LEADING = re.compile(r"[\s\x1d\v*_#>.,:|-]*(?:\d{1,3}[.)])?[\s\x1d]*")
_ACRONYM = re.compile(r"[A-Z][\w.+-]*[A-Z0-9][\w.+-]*")


class Bracket(NamedTuple):
    """A bracket that was taken out of the text, with what it told."""

    start: int
    end: int
    text: str
    imprint: Imprint | None = None
    authors: tuple[str, ...] = ()
    is_name: bool = False


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
    """

    raw: str
    text: str
    marks: tuple[Mark, ...]
    links: list[Link]
    brackets: list[Bracket]
    line: int

    def line_at(self, position: int) -> int:
        """Returns the line of the file on which the character at `position` stands."""
        return self.line + self.raw.count("\n", 0, position)


def entries_of(rich: Rich, *, item: bool) -> Iterator[Entry]:
    """Yields the entries of one block's text."""
    links = links_of(rich)
    text = _without_resources(rich, links)
    if "[[" in text:
        text = _WIKI.sub(lambda match: GAP * 2 + match[1] + GAP * 2, text)
    if " #" in text:
        text = _HASHTAG.sub(lambda match: _blank(match[0]), text)
    brackets: list[Bracket] = []
    if _OPENING.search(text):
        text = _without_brackets(text, brackets)
    brackets.sort(key=lambda bracket: bracket.start)
    if "\n" not in text and len(text) <= _LONGEST:
        yield Entry(rich.text, text, rich.marks, links, brackets, rich.line)
        return
    line = rich.line
    takers = (_taker(links), _taker(brackets), _taker(list(rich.marks)))
    for start, end in _bounded(_segments(text, links, item=item)):
        inside, told, marks = (take(start, end) for take in takers)
        yield Entry(rich.text[start:end], text[start:end], tuple(marks), inside, told, line)
        line += rich.text.count("\n", start, end)


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
        while end - start > _LONGEST:
            yield start, start + _LONGEST
            start += _LONGEST
        yield start, end


def _segments(text: str, links: list[Link], *, item: bool) -> Iterator[tuple[int, int]]:
    """Yields the stretches of a block's text that are one entry each."""
    if "\n" not in text:
        yield 0, len(text)
        return
    start, shape, pointer = 0, "", 0
    for line_start, line_end in _line_spans(text):
        first = pointer
        while pointer < len(links) and links[pointer].start < line_end:
            pointer += 1
        current = _shape(text, links[first:pointer], line_start, line_end)
        if line_start and _begins(text[start:line_start], text[line_start:line_end], shape, current, item=item):
            yield start, line_start
            start, shape = line_start, ""
        shape += current
    yield start, len(text)


def _line_spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start <= len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield start, end
        start = end + 1


def _shape(text: str, links: list[Link], start: int, end: int) -> str:
    """Returns what a line is: E begins an entry, T is text, A is authors or imprint, R holds only resources."""
    line = text[start:end]
    words = clean_title(line[:_LONGEST])
    if not words:
        return "R"
    lead = next((link for link in links if link.own), None)
    if lead is not None and len(clean_title(text[start : lead.start]).split()) <= 4:
        return "E"
    if _ENUMERATED.match(line):
        return "E"
    if imprint_of(words) or only_authors(words):
        return "A"
    if any(link.kind in ("paper", "pdf") for link in links) and likeness(words) > 0.5:
        return "E"
    return "T"


def _begins(before: str, line: str, shape: str, current: str, *, item: bool) -> bool:
    """Returns whether `line` begins an entry, after the lines `before` it of the shapes in `shape`."""
    if current in "RA" or not shape.strip("RA"):
        return False
    if item:
        return current == "E" and "E" in shape
    before = before.rstrip()[-400:]
    if current == "E":
        return not _WRAPPED.search(before)
    if "E" in shape:
        return line[:1].isupper() or not line[:1].isascii()
    if _WRAPPED.search(before) or not (line[:1].isupper() or line[:1].isdigit()):
        return False
    return likeness(before) > 0 or len(before) < 60


def _without_resources(rich: Rich, links: list[Link]) -> str:
    """Returns the text with resource links, images and telling code spans blanked, with the brackets around them."""
    text = rich.text
    parts: list[str] = []
    done = 0
    stretches = [(link.outer_start, link.outer_end) for link in links if not link.own]
    for link in links:
        if link.own:
            stretches += [(link.outer_start, link.start), (link.end, link.outer_end)]
    stretches += [(mark.start, mark.end) for mark in rich.marks if mark.kind == "image" or _is_tag(mark, text)]
    if not stretches:
        return text
    for start, end in sorted(stretches):
        if start < done or start == end:
            continue
        parts += [text[done:start], _blank(text[start:end])]
        done = end
    parts.append(text[done:])
    return _drop_empty("".join(parts))


def _drop_empty(text: str) -> str:
    for _ in range(3):
        shorter = _EMPTY_BRACKETS.sub(lambda match: _blank(match[0]), text)
        if shorter == text:
            break
        text = shorter
    return text


def _is_tag(mark: Mark, text: str) -> bool:
    """Returns whether `mark` is a code span that holds a rating, a venue or the name of a resource."""
    if mark.kind != "code":
        return False
    words = text[mark.start : mark.end].strip()
    return (
        not any(character.isalpha() for character in words)
        or imprint_of(words) is not None
        or word_of(words) != "other"
    )


def _blank(text: str) -> str:
    return "".join("\n" if character == "\n" else GAP for character in text)


def _without_brackets(text: str, brackets: list[Bracket]) -> str:
    """Returns the text without the brackets that tell venue, year, authors, a resource or a remark."""
    for _ in range(2):
        parts: list[str] = []
        done = 0
        for match in _BRACKETS.finditer(text):
            bracket = _read_bracket(text, match)
            if bracket is not None:
                brackets.append(bracket)
                parts += [text[done : match.start()], _blank(match[0])]
                done = match.end()
        if not done:
            break
        text = "".join(parts) + text[done:]
    return _drop_empty(text)


def _read_bracket(text: str, match: re.Match[str]) -> Bracket | None:
    """Returns what a bracket holds that is not part of the words around it; None where it is part of them."""
    inner = match[1].strip()
    start, end = match.span()
    if imprint := imprint_of(inner) or _first_imprint(inner):
        return Bracket(start, end, inner, imprint)
    glued = start > 0 and text[start - 1].isalnum()
    if word_of(inner) != "other" or is_organisation(inner) or text[end : end + 6].lstrip().startswith("et al"):
        return Bracket(start, end, inner)
    acronym = _ACRONYM.fullmatch(inner) is not None
    if not glued and (names := only_authors(inner)):
        return Bracket(start, end, inner, None, names)
    if likeness(inner) >= 2.0 and match[0][0] not in "(（":
        return None
    following = text[end : end + 2].strip(" .,;" + GAP + BREAK)
    if match[0][0] == "(" and text[end : end + 1] in (".", ":") and text[end + 1 :].lstrip(" " + GAP)[:1].isalpha():
        return None
    if _LEADING.fullmatch(text, max(text.rfind("\n", 0, start) + 1, start - 40), start):
        tag = len(inner.split()) <= 5 and (match[0][0] not in "(（" or acronym)
        return Bracket(start, end, inner, is_name=acronym) if tag or not following else None
    if glued or following[:1].isalnum() or following[:1] == "-":
        return None
    return Bracket(start, end, inner, is_name=acronym)


def _first_imprint(inner: str) -> Imprint | None:
    """Returns the venue and year that a bracket starts with before a remark: "SysML 2019, this is from Google"."""
    parts = [part.strip() for part in re.split(r"[,;，；]|\s[-–]\s", inner, maxsplit=3)]
    if len(parts) < 2:
        words = inner.split()
        return (
            imprint_of(words[0]) if 1 < len(words) <= 6 and imprint_of(words[0]) and imprint_of(words[0]).year else None
        )  # type: ignore[union-attr]
    found = [imprint for part in parts if (imprint := imprint_of(part))]
    if not found:
        return None
    venue = next((imprint.venue for imprint in found if imprint.venue), None)
    return Imprint(venue, next((imprint.year for imprint in found if imprint.year is not None), None))
