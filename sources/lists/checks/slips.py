"""Checks entries for slips of the pen that show beside other entries, or where the list is read otherwise. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from sources.bibliography.names import compare_authors
from sources.bibliography.titles import title_key, title_words
from sources.bibliography.years import DATE, LAST_YEAR
from sources.lists.checks.duplicates import is_telling, people_of
from sources.lists.checks.findings import CheckedEntry, Edit, Level, ListFinding, finding, finding_on
from sources.lists.checks.list_text import ADDRESS, ListText, tables_of
from sources.lists.reading import parse_reading_list
from sources.lists.reading.addresses import says_only_link
from sources.lists.reading.document import cells_of
from sources.matching.evidence import owned_by
from sources.matching.word_match import LINKING, weight
from sources.records import Mention


def check_slips(text: ListText, entries: Sequence[CheckedEntry]) -> Iterator[ListFinding]:
    """Yields findings about years to come, entries joined on one line, and a neighbour's code."""
    yield from _future_years(text, entries)
    yield from _joined(text, entries)
    yield from _copied_code(entries)


# A year to come, where the reader would take another one for the entry's year.
_FUTURE = re.compile(
    r"(?:(?<![\d./:#%&=?+-])|(?<=[\s(\[]\d\d[-/.]))20[2-9]\d(?![^\W_]{2}|\d|_\w|%|\.\d{3}|\s?[-–—]+\s?\d{3})"
)
# Such a year in brackets of its own, or with a month; there, it is no number of stars and no part of a title.
_CERTAIN = re.compile(r"[(\[（]\s?(20[2-9]\d)\s?[)\]）]|(?<![\w./:-])(20[2-9]\d)[./-][01]?\d(?!\d)")
_TARGET = re.compile(r"(?<=\]\()[^()\s]*\)?")
_ADJOINING = 12  # signs of a title's end or beginning that are looked for beside a year


def _future_years(text: ListText, entries: Sequence[CheckedEntry]) -> Iterator[ListFinding]:
    words = text.markup
    for address in (_TARGET, ADDRESS):
        words = address.sub(lambda match: " " * len(match[0]), words)
    years = {match.start(): match[0] for match in _FUTURE.finditer(words) if int(match[0]) > LAST_YEAR}
    past = range(LAST_YEAR - 1, LAST_YEAR - 100, -1)
    marker = next((year for year in past if str(year) not in text.text), LAST_YEAR - 1)
    read = _read_with(text, {at: (len(year), str(marker)) for at, year in years.items()})
    tables = tables_of(ListText(text.markup)) if read else []
    sections = {entry.mention.section for entry in entries}  # in another one, a line may be no entry
    for mention in (mention for on_line in read.values() for mention in on_line):
        start, end = text.stretch(mention.line, mention.last_line)
        own = {year: at for at, year in years.items() if start <= at < end}
        if len(own) == 1 and mention.year == marker and str(marker) not in (mention.title or ""):
            year, at = own.popitem()
            may_be_other = _is_of_title(words[start:end], at - start, mention) or _is_count(text, tables, at)
            is_certain = any(match.start(match.lastindex or 0) == at for match in _CERTAIN.finditer(words, start, end))
            if (mention.section in sections and not may_be_other) or is_certain:
                yield finding("future-year", mention, f"The year is {year}, which is still to come.")


def _is_of_title(words: str, at: int, mention: Mention) -> bool:
    """Returns whether a year may be a word of the title: beside it, in its link, or behind a word such as “by”.

    In the link, a year behind a venue belongs to that.
    """
    title, before, behind = mention.title or "", words[:at].rstrip(), words[at + 4 :]
    last = before[-_ADJOINING:].rpartition(" ")[2]
    if last in LINKING and not DATE.fullmatch(last):
        return True
    if not title or (mention.venue and before.endswith(mention.venue)):
        return False
    label = before.rpartition("[")[2] if behind.startswith("](") else ""
    is_beside = before.endswith(title[-_ADJOINING:]) or behind.lstrip().startswith(title[:_ADJOINING])
    return is_beside or title_key(title) in title_key(label)


def _is_count(text: ListText, tables: Sequence[tuple[int, int]], at: int) -> bool:
    """Returns whether a year fills a cell of a column that has numbers which are no years."""
    number = text.line_of(at)
    first, last = next((table for table in tables if table[0] < number <= table[1]), (1, 0))
    start = text.stretch(number, number)[0]
    cells = enumerate(cells_of(text.line(number)))
    column = next((column for column, cell in cells if start + cell[0] <= at < start + cell[1]), 0)
    numbers = [cell for row in range(first, last + 1) if (cell := _cell(text.line(row), column)).isdecimal()]
    return _cell(text.line(number), column).isdecimal() and not all(1900 <= int(cell) < 2100 for cell in numbers)


def _cell(row: str, column: int) -> str:
    spans = cells_of(row)
    return row[slice(*spans[column])].strip() if column < len(spans) else ""


def _read_with(text: ListText, changes: Mapping[int, tuple[int, str]]) -> Mapping[int, Sequence[Mention]]:
    """Returns line -> the mentions of a list in which so many characters at some places are others; {} for none."""
    by_line: defaultdict[int, list[Mention]] = defaultdict(list)
    changed = text.text
    for at, (length, words) in sorted(changes.items(), reverse=True):
        changed = changed[:at] + words + changed[at + length :]
    for mention in parse_reading_list(changed).mentions if changes else ():
        by_line[mention.line].append(mention)
    return by_line


# Two entries on one line: what is behind the mark of an item within a line is an entry like the one before.
_MARK = re.compile(r"[ \t>]*(?:([-*+])|(\d{1,3})[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_LABEL = re.compile(r"\[{1,2}([^\[\]\n]{1,80})\]{1,2}\(")
_LONGEST_LINE, _MOST_MARKS = 4_000, 20
_YEAR_AT_END = re.compile(r"(?<!\d)(?:19|20)\d\d$")
_PAIRS = ("()", "[]", "“”", "«»", "《》", "（）")
_SIGNS = '[(*_`"“«《<:!（【'
_FEW, _SHARE = 2, 20  # so many lines, and one in so many entries, may be slips; more are a habit


class _Join(NamedTuple):
    """Where on a line a second entry may begin: the line, the blanks before the mark of the entry, and its indent."""

    line: int
    start: int
    end: int
    new_line: str
    is_sure: bool  # whether the mark is nothing else, such as a dash


def _joined(text: ListText, entries: Sequence[CheckedEntry]) -> Iterator[ListFinding]:
    joins = [join for line in range(1, text.line_count + 1) if (join := _join_on(text, line)) is not None]
    read = _read_with(text, {join.start: (join.end - join.start, join.new_line) for join in joins})
    found = [join for number, join in enumerate(joins) if _are_two(read, join.line + number, is_sure=join.is_sure)]
    if len(found) <= max(_FEW, len(entries) / _SHARE):
        for join in found:
            message = "A second entry stands on the line, behind the mark of an item."
            edit = Edit(start=join.start, end=join.end, replacement=join.new_line)
            yield finding_on(join.line, "joined-entries", message, text.text[join.end :][:60], edits=(edit,))


def _join_on(text: ListText, number: int) -> _Join | None:
    """Returns where a second entry may begin on a line: behind a mark like the first, which nothing encloses."""
    start, end = text.stretch(number, number)
    line = text.markup[start:end]
    mark = _MARK.match(line)
    if mark is None or len(line) > _LONGEST_LINE:
        return None
    words = line[mark.end() :]
    sign = same = re.escape(mark[1] or " ")
    if mark[2]:
        sign = rf"(?:{int(mark[2]) + 1}|{mark[2]})[.)]"
    marks = re.finditer(rf"(?<=\S)(?<!{same})([ \t]*){sign}[ \t]+(\[[ xX]\][ \t]+)?(?=\S)", words)
    for inner in islice(marks, _MOST_MARKS):
        first, second = words[: inner.start()], words[inner.end() :]
        is_sure = mark[1] == "*" or inner[2] is not None or not inner[1]
        is_mark = inner[1] or inner[2] or _is_no_hyphen(first, second, mark)
        is_open = any(first.count(pair[0]) > first.count(pair[1]) for pair in _PAIRS)
        is_open = is_open or any(first.count(sign) % 2 for sign in '*`"')
        if is_mark and not is_open and _may_begin(first, second, is_sure=is_sure):
            at = start + mark.end() + inner.start()
            indent = line[: len(line) - len(line.lstrip(" \t>"))]
            return _Join(number, at, at + len(inner[1]), text.line_end + indent, is_sure)
    return None


def _is_no_hyphen(first: str, second: str, mark: re.Match[str]) -> bool:
    """Returns whether a mark that no blank parts from the word before is neither a hyphen nor the end of a number."""
    if mark[2]:
        return not first[-1:].isdigit() or _YEAR_AT_END.search(first) is not None
    if mark[1] == "*":
        return True
    if _has_address(first) and _has_address(second):
        return True
    is_between_words = first[-1:].isalpha() and (second[:1].isalnum() or second.startswith("&"))
    return not is_between_words and (not _has_address(first + second) or _opening(first) == _opening(second))


def _may_begin(first: str, second: str, *, is_sure: bool) -> bool:
    """Returns whether a second entry may begin behind a mark; where that may be a dash, it must open as the first."""
    mine, theirs = (_LABEL.match(words) for words in (first, second))
    if theirs is not None and says_only_link(theirs[1]) and not (mine is not None and says_only_link(mine[1])):
        return False
    return is_sure or (_has_address(first) == _has_address(second) and _opening(first) == _opening(second))


def _opening(words: str) -> str:
    return words[: len(words) - len(words.lstrip(_SIGNS))]


def _has_address(words: str) -> bool:
    return "](" in words or "http" in words


def _are_two(read: Mapping[int, Sequence[Mention]], line: int, *, is_sure: bool) -> bool:
    """Returns whether two lines hold an entry each, with another title and, behind what may be a dash, another link."""
    mine, theirs = (next(iter(read.get(number, ())), None) for number in (line, line + 1))
    if mine is None or theirs is None or not (mine.title and theirs.title):
        return False
    if is_sure or title_key(mine.title) == title_key(theirs.title):
        return title_key(mine.title) != title_key(theirs.title)
    are_telling = is_telling(mine.title) and is_telling(theirs.title)
    is_plain = not _opening(_MARK.sub("", mine.text))
    if _has_address(mine.text):
        return (mine.url is None or mine.url != theirs.url) and (are_telling or not is_plain)
    has_years = mine.year is not None and theirs.year is not None
    return are_telling and (has_years or not is_plain)


# The code of a neighbour: an address that fits one of two entries alone, and that no others have but of its people.
_REPOSITORY = re.compile(
    r"//(?:www\.)?(?:github|gitlab|bitbucket)\.(?:com|org)/([\w.-]{1,60})/([\w.-]{1,100})([^\s()\[\]\"'<>]{0,200})",
    re.IGNORECASE,
)
_LONGEST_NAME = 3  # words of a system's name
_NEAR = 3  # how many entries on one may have been copied
_PEOPLE = " people"
_MOST_HAVING = 8  # entries with one repository; one that more have is a library


def _copied_code(entries: Sequence[CheckedEntry]) -> Iterator[ListFinding]:
    linking = [(entry, frozenset(_REPOSITORY.findall(entry.mention.text.lower()))) for entry in entries]
    having: defaultdict[tuple[str, str, str], list[CheckedEntry]] = defaultdict(list)
    for entry, each in linking:
        for address in each:
            having[address].append(entry)
    for at, (entry, mine) in enumerate(linking):
        for other, theirs in linking[at + 1 : at + 1 + _NEAR]:
            is_near = other.mention.section == entry.mention.section and other.mention.line > entry.mention.last_line
            for address in sorted(mine & theirs) if is_near else ():
                if len(having[address]) <= _MOST_HAVING:
                    rest = [each for each in having[address] if each is not entry and each is not other]
                    yield from _of_one(entry, other, address[0], address[1].removesuffix(".git"), rest)


def _of_one(
    entry: CheckedEntry, other: CheckedEntry, owner: str, name: str, rest: Sequence[CheckedEntry]
) -> Iterator[ListFinding]:
    """Yields a finding where a repository that two entries link fits one of them alone, or they are by other people.

    Where the people of `rest`, which link it, too, are known, some must be those of one of the two.
    """
    people = _agreement(entry, other)
    if people in ("agree", "weak") or (rest and people != "conflict"):
        return
    if title_key(entry.mention.title or "") == title_key(other.mention.title or ""):
        return
    known = [each for each in rest if people_of(each)]
    mine, theirs = (
        _fitting(each, name) | {_PEOPLE for third in known if _agreement(each, third) == "agree"}
        for each in (entry, other)
    )
    code = f"The code {owner}/{name} is that of the entry on line"
    if (mine < theirs or theirs < mine) and not (known and _PEOPLE not in mine | theirs):
        wrong, right = (other, entry.mention) if theirs < mine else (entry, other.mention)
        level: Level = "warning" if people == "conflict" and (mine ^ theirs) - {_PEOPLE} else "note"
        message, evidence = f"{code} {right.line}, by its name or people.", f"line {right.line}: {right.title}"
        yield finding("copied-code", wrong.mention, message, evidence, level=level, others=(right.line,))
    elif people == "conflict" and not rest:
        message = f"{code} {entry.mention.line}, too, by other people."
        yield finding("copied-code", other.mention, message, level="note", others=(entry.mention.line,))


def _agreement(first: CheckedEntry, second: CheckedEntry) -> str:
    return compare_authors(people_of(first), people_of(second)).agreement


def _fitting(entry: CheckedEntry, name: str) -> frozenset[str]:
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
