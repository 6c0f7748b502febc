"""Checks entries for slips of the pen that show beside other entries, or where the list is read otherwise. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from sources.bibliography.lexicon import is_word
from sources.bibliography.names import compare_authors
from sources.bibliography.titles import fold, plain, title_key, title_words
from sources.bibliography.years import DATE, LAST_YEAR
from sources.lists.checks.duplicates import is_telling, people_of
from sources.lists.checks.findings import CheckedEntry, Edit, Level, ListFinding, PaperFacts, finding, finding_on
from sources.lists.checks.list_text import ADDRESS, ListText, tables_of
from sources.lists.reading import parse_reading_list
from sources.lists.reading.addresses import says_only_link
from sources.lists.reading.document import cells_of
from sources.matching.evidence import is_nickname, owned_by
from sources.matching.word_match import LINKING, looks_coined, weight
from sources.records import Mention


def check_slips(text: ListText, entries: Sequence[CheckedEntry]) -> Iterator[ListFinding]:
    """Yields findings about years to come, entries joined on one line, and the code and names of other entries."""
    yield from _future_years(text, entries)
    yield from _joined(text, entries)
    yield from _copied_code(entries)
    yield from _copied_names(entries)


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
_WORD = re.compile(r"[^\W_]+")
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
    if people != "conflict":
        return  # it may be one team's
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
        level: Level = "warning" if (mine ^ theirs) - {_PEOPLE} else "note"
        message, evidence = f"{code} {right.line}, by its name or people.", f"line {right.line}: {right.title}"
        yield finding("copied-code", wrong.mention, message, evidence, level=level, others=(right.line,))
    elif not rest and all(len(_REPOSITORY.findall(each.mention.text)) == 1 for each in (entry, other)):
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


# The name of another entry's system beside a paper, as where a line was copied and its first word was left.
_LABEL_BEFORE = re.compile(r"[\s*+>\d.-]{0,20}(?:\*\*|__|`|\[)([^\W_][\w.+ -]{1,38}[\w+])(?:\*\*|__|`|\](?!\())[\s,:]")
_NAME_LENGTHS, _LONGEST_IN_TITLE = range(3, 41), 2  # letters, and words


def _copied_names(entries: Sequence[CheckedEntry]) -> Iterator[ListFinding]:
    """Yields findings about entries with the name that another entry's paper has in its title, and not their own.

    A name that does not fit several entries is a topic; of several entries about one paper with names that do not fit,
    each may be a row of its results.
    """
    owners = {_as_written(_own_name(title)): each for each in reversed(entries) if (title := _title_of(each))}
    at_odds = [(entry, names) for entry in entries if (names := list(dict.fromkeys(_names_at_odds(entry))))]
    bearing = Counter(_as_written(name) for _, names in at_odds for name in names)
    about = Counter(title_key(_title_of(entry)) for entry, _ in at_odds)
    for entry, names in at_odds:
        title, paper = _title_of(entry), _paper_of(entry)
        own = next(filter(None, (_own_name(title), *(paper.names if paper else ()))), None)
        found = ((name, owners.get(_as_written(name))) for name in names if bearing[_as_written(name)] == 1)
        name, other = next((each for each in found if each[1]), ("", None))
        if other is not None and own is not None and about[title_key(title)] == 1:
            line = other.mention.line
            message = f"“{name}” is the name of another paper, “{_title_of(other)}”, on line {line}."
            evidence = f"the paper is {own}: {title}"
            level: Level | None = "note" if _agreement(entry, other) in ("agree", "weak") else None
            yield finding("name-at-odds", entry.mention, message, evidence, level=level, others=(line,))


def _names_at_odds(entry: CheckedEntry) -> Iterator[str]:
    """Yields the names that an entry has beside, before or for a title, and that no title of its paper spells."""
    mention, paper = entry.mention, _paper_of(entry)
    known = (paper.title, *paper.other_titles, *paper.names) if paper else ()
    named = (mention.title, *known) if mention.title and mention.title != mention.name else known
    first = (mention.title if is_nickname(mention) else _own_name(mention.title or "")) if paper else None
    label = _LABEL_BEFORE.match(mention.text)
    beside = mention.name or (label[1] if label and mention.title else "")
    for name, titles in ((beside, named), (first or "", known)):
        is_name = titles and len(_as_written(name)) in _NAME_LENGTHS
        if is_name and not any(_may_be_called(name, title) for title in titles):
            yield name


def _paper_of(entry: CheckedEntry) -> PaperFacts | None:
    return entry.paper or (entry.linked if entry.titled is None else None)


def _title_of(entry: CheckedEntry) -> str:
    paper = _paper_of(entry)
    return paper.title if paper else entry.mention.title or ""


def _own_name(title: str) -> str:
    """Returns the name of a system in front of a title, as in "BERT: ..."; "" where there is none."""
    parts, bare = title_words(title), plain(title)
    head = parts.raw[: parts.head]
    name = bare[: bare.find(head[-1]) + len(head[-1])].rstrip(",.:") if head else ""
    is_name = len(name.split()) <= _LONGEST_IN_TITLE and any(map(_is_name, head, parts.words))
    return name if is_name else ""


def _is_name(raw: str, word: str) -> bool:
    return looks_coined(raw) or not is_word(word)


def _as_written(name: str) -> str:
    return re.sub(r"[^\w+]|_", "", name)


def _may_be_called(name: str, title: str) -> bool:
    """Returns whether a title has the letters of a name together, or as beginnings of words one after the other."""
    letters, words = title_key(name), fold(title)
    starts = {match.start() for match in _WORD.finditer(words)}
    reached = {at for at in starts if words[at] == letters[:1]}
    for letter in letters[1:]:
        first = min(reached, default=len(words))
        places = {at + 1 for at in reached if at + 1 < len(words)} | {at for at in starts if at > first}
        reached = {at for at in places if words[at] == letter}
    return letters in title_key(title) or bool(reached)
