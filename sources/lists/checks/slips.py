"""Checks entries for slips of the pen that show beside other entries, or where the list is read otherwise. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sources.bibliography.names import compare_authors
from sources.bibliography.titles import title_key, title_words
from sources.bibliography.years import LAST_YEAR
from sources.lists.checks.duplicates import is_telling, people_of
from sources.lists.checks.findings import Edit, Entry, Level, ListFinding, finding, finding_on
from sources.lists.checks.list_text import ADDRESS, ListText
from sources.lists.reading import parse_reading_list
from sources.lists.reading.addresses import says_only_link
from sources.matching.evidence import owned_by
from sources.matching.word_match import weight
from sources.records import Mention


def check_slips(text: ListText, entries: Sequence[Entry]) -> Iterator[ListFinding]:
    """Yields findings about years to come, entries joined on one line, and a neighbour's code."""
    yield from _future_years(text, entries)
    yield from _joined(text, entries)
    yield from _copied_code(entries)


# A year to come, where the reader would take one of today for the entry's year.

_FUTURE = re.compile(r"(?:(?<![\da-z_./:#%&=?+-])|(?<=[\s(\[]\d\d[-/.]))20[2-9]\d(?![^\W_]|_\w|%|\.\d{3})")
# Such a year in brackets of its own, or with a month; there, it is no number of stars and no part of a title.
_CERTAIN = re.compile(r"[(\[（]\s?(20[2-9]\d)\s?[)\]）]|(?<![\w./:-])(20[2-9]\d)[./-][01]?\d(?!\d)")
_TARGET = re.compile(r"(?<=\]\()[^()\s]*\)?")
_TODAY = LAST_YEAR - 1


def _future_years(text: ListText, entries: Sequence[Entry]) -> Iterator[ListFinding]:
    """Yields findings about entries whose year is after the next."""
    excess: Counter[tuple[str, ...]] = Counter()  # section -> entries with a year beyond those without one
    for entry in entries:
        excess[entry.mention.section] += 1 if entry.mention.year is not None else -1
    years: dict[int, str] = {}  # offset -> year
    for entry in entries:
        start, end = text.stretch(entry.mention.line, entry.mention.last_line)
        words = _without_addresses(text.markup[start:end])
        states_year = entry.mention.year is not None and str(entry.mention.year) in words  # it is no identifier's
        if not states_year and not (entry.paper and _FUTURE.search(entry.paper.title)):
            is_usual = excess.total() >= 0 or excess[entry.mention.section] >= 0
            years |= {start + at: year for at, year in _years_to_come(entry.mention, words, is_usual=is_usual)}
    dated = _read_with(text, {at: (len(year), str(_TODAY)) for at, year in years.items()})
    for entry in entries if dated else ():
        start, end = text.stretch(entry.mention.line, entry.mention.last_line)
        own = {year for at, year in years.items() if start <= at < end}
        read = (other for other in dated[entry.mention.line] if str(_TODAY) not in (other.title or ""))
        if len(own) == 1 and any(other.year == _TODAY for other in read):
            yield finding("future-year", entry.mention, f"The year is {own.pop()}, which is still to come.")


def _years_to_come(mention: Mention, words: str, *, is_usual: bool) -> Iterator[tuple[int, str]]:
    """Yields the years to come among an entry's words, each with its place.

    A title may name such a year, and a number of stars in a row of a table may look like one. Where it is not usual
    that entries have a year, or where the title's link ends with it, it must be one beyond doubt.
    """
    title = mention.title or ""
    for match in _FUTURE.finditer(words):
        is_doubtful = match[0] in title or mention.text.startswith("|")
        label = words[: match.start()].rpartition("[")[2] if words.startswith("](", match.end()) else ""
        is_plain = (is_usual or not is_doubtful) and not (title and title_key(title) in title_key(label))
        if int(match[0]) > LAST_YEAR and (is_plain or _is_beyond_doubt(words, match.start())):
            yield match.start(), match[0]


def _is_beyond_doubt(words: str, at: int) -> bool:
    return any(match.start(match.lastindex or 0) == at for match in _CERTAIN.finditer(words))


def _without_addresses(words: str) -> str:
    """Returns words with blanks in the place of addresses."""
    words = _TARGET.sub(lambda match: " " * len(match[0]), words)
    return ADDRESS.sub(lambda match: " " * len(match[0]), words)


def _read_with(text: ListText, changes: Mapping[int, tuple[int, str]]) -> Mapping[int, Sequence[Mention]]:
    """Returns line -> the mentions of a list in which so many characters at some places are others; {} for none."""
    by_line: defaultdict[int, list[Mention]] = defaultdict(list)
    changed = text.text
    for at, (length, words) in sorted(changes.items(), reverse=True):
        changed = changed[:at] + words + changed[at + length :]
    for mention in parse_reading_list(changed).mentions if changes else ():
        by_line[mention.line].append(mention)
    return by_line


# Two entries on one line: what stands behind the mark of an item within a line is an entry like the one before.

_MARK = re.compile(r"[ \t>]*(?:([-*+])|(\d{1,3})[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_LABEL = re.compile(r"\[([^\[\]\n]{1,80})\]\(")
_LONGEST_LINE = 4_000
_FEW, _SHARE = 2, 20  # so many lines, and one in so many entries, may be slips; more are a habit


class _Join(NamedTuple):
    """Where on a line a second entry may begin: the line, the blanks before the mark of the entry, and its indent."""

    line: int
    start: int
    end: int
    new_line: str
    is_glued: bool


def _joined(text: ListText, entries: Sequence[Entry]) -> Iterator[ListFinding]:
    """Yields findings about lines that hold a second entry behind the mark of an item."""
    lines = sorted({line for entry in entries for line in range(entry.mention.line, entry.mention.last_line + 1)})
    joins = [join for line in lines if (join := _join_on(text, line)) is not None]
    read = _read_with(text, {join.start: (join.end - join.start, join.new_line) for join in joins})
    found = [join for number, join in enumerate(joins) if _are_two(read, join.line + number, is_glued=join.is_glued)]
    if len(found) <= max(_FEW, len(entries) / _SHARE):
        for join in found:
            message = "A second entry stands on the line, behind the mark of an item."
            edit = Edit(start=join.start, end=join.end, replacement=join.new_line)
            yield finding_on(join.line, "joined-entries", message, text.text[join.end :][:60], edits=(edit,))


def _join_on(text: ListText, number: int) -> _Join | None:
    """Returns where a second entry may begin on a line: it opens as the first does, and has an address if that has."""
    start, end = text.stretch(number, number)
    line = text.markup[start:end]
    mark = _MARK.match(line)
    if mark is None or len(line) > _LONGEST_LINE:
        return None
    words = line[mark.end() :]
    sign = same = re.escape(mark[1] or " ")
    if mark[2]:
        sign = rf"(?:{int(mark[2]) + 1}|{mark[2]})[.)]"
    for inner in re.finditer(rf"(?<=\S)(?<!{same})([ \t]*){sign}[ \t]+(\[[ xX]\][ \t]+)?(?=\S)", words):
        is_glued = not inner[1] and (inner[2] is not None or _is_no_hyphen(words, inner.start(), inner.end()))
        if (inner[1] or is_glued) and _may_begin(words[: inner.start()], words[inner.end() :], is_glued=is_glued):
            at = start + mark.end() + inner.start()
            indent = line[: len(line) - len(line.lstrip(" \t>"))]
            return _Join(number, at, at + len(inner[1]), text.line_end + indent, is_glued)
    return None


def _is_no_hyphen(words: str, start: int, end: int) -> bool:
    """Returns whether a mark that no blank parts from the word before is neither a hyphen nor the end of emphasis."""
    return words.count("*", 0, start) % 2 == 0 and not (words[start - 1].isalpha() and words[end].isalnum())


def _may_begin(first: str, second: str, *, is_glued: bool) -> bool:
    """Returns whether a second entry may begin behind a mark: as the first does, or glued to what ends an entry."""
    label = _LABEL.match(second)
    if label is not None and says_only_link(label[1]):
        return False
    return _has_address(first) == _has_address(second) and (is_glued or _opening(first) == _opening(second))


def _opening(words: str) -> str:
    return "word" if words[:1].isalnum() else words[:1]


def _has_address(words: str) -> bool:
    return "](" in words or "http" in words


def _are_two(read: Mapping[int, Sequence[Mention]], line: int, *, is_glued: bool) -> bool:
    """Returns whether two lines hold an entry each, with another title and link, and the same fields."""
    mine, theirs = (next(iter(read.get(number, ())), None) for number in (line, line + 1))
    if mine is None or theirs is None or not (is_telling(mine.title) and is_telling(theirs.title)):
        return False
    if title_key(mine.title or "") == title_key(theirs.title or "") or (mine.year is None) != (theirs.year is None):
        return False
    if mine.url and theirs.url:
        return mine.url != theirs.url
    is_plain = _MARK.sub("", mine.text)[:1].isalnum() and not is_glued
    return mine.year is not None or not (is_plain or mine.url or theirs.url)


# The code of a neighbour: an address that only two entries have, and that fits the other one alone.

_REPOSITORY = re.compile(
    r"//(?:www\.)?(?:github|gitlab|bitbucket)\.(?:com|org)/([\w.-]{1,60})/([\w.-]{1,100})([^\s()\[\]\"'<>]{0,200})",
    re.IGNORECASE,
)
_LONGEST_NAME = 3  # words of a system's name
_NEAR = 3  # how many entries on one may have been copied


def _copied_code(entries: Sequence[Entry]) -> Iterator[ListFinding]:
    """Yields findings about entries that link the code of another one close by, of other people."""
    linking = [(entry, frozenset(_REPOSITORY.findall(entry.mention.text.lower()))) for entry in entries]
    having = Counter(repository for _, each in linking for repository in each)
    for at, (entry, mine) in enumerate(linking):
        for other, theirs in linking[at + 1 : at + 1 + _NEAR]:
            is_near = other.mention.section == entry.mention.section and other.mention.line > entry.mention.last_line
            for address in sorted(mine & theirs):
                if is_near and having[address] == 2:
                    yield from _of_one(entry, other, address[0], address[1].removesuffix(".git"))


def _of_one(entry: Entry, other: Entry, owner: str, name: str) -> Iterator[ListFinding]:
    """Yields a finding where a repository that two entries link fits one of them alone."""
    people = compare_authors(people_of(entry), people_of(other)).agreement
    if people in ("agree", "weak"):
        return
    if title_key(entry.mention.title or "") == title_key(other.mention.title or ""):
        return
    mine, theirs = _fitting(entry, name), _fitting(other, name)
    if not mine and not theirs and people == "conflict":
        message = f"The code {owner}/{name} is that of the entry on line {entry.mention.line}, too, by other people."
        yield finding("copied-code", other.mention, message, level="note", others=(entry.mention.line,))
    if not (mine < theirs or theirs < mine):
        return
    wrong, right = (other, entry.mention) if theirs < mine else (entry, other.mention)
    level: Level = "warning" if people == "conflict" else "note"
    message = f"The code {owner}/{name} is that of the entry on line {right.line}, by its name."
    evidence = f"line {right.line}: {right.title}"
    yield finding("copied-code", wrong.mention, message, evidence, level=level, others=(right.line,))


def _fitting(entry: Entry, name: str) -> frozenset[str]:
    """Returns what of an entry a repository's name has: words, and "" for its own name, initials or people."""
    mention, letters = entry.mention, re.sub(r"[\W_]", "", name)
    titles = [title_words(title) for title in (mention.title, entry.paper and entry.paper.title) if title]
    initials = {"".join(word[0] for word in title.words if weight(word)) for title in titles}
    parts = (title.words[: title.head or None] for title in titles)
    heads = ("".join(part) for part in parts if len(part) <= _LONGEST_NAME)
    names = {re.sub(r"[\W_]", "", each.lower()) for each in (mention.name, *heads) if each} | initials
    by_name = any(len(each) > 2 and (each in letters or letters in each) for each in names if len(letters) > 2)
    words = {word for title in titles for word in title.words if len(word) > 3 and weight(word) > 1}
    is_own = by_name or owned_by(mention, people_of(entry))
    return frozenset(word for word in words if word in letters) | ({""} if is_own else set())
