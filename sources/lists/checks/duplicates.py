"""Finds papers that a list names twice. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from sources.bibliography.identifiers import IDENTIFYING, normal_identifier
from sources.bibliography.names import compare_authors
from sources.bibliography.titles import title_key, title_words
from sources.bibliography.venues import Kind, kind_of
from sources.lists.checks.findings import CheckedEntry, Level, ListFinding, finding
from sources.lists.checks.list_text import ADDRESS, ListText
from sources.lists.reading.addresses import says_only_link, word_of
from sources.lists.reading.document import BAR
from sources.matching.relation import compare_titles
from sources.matching.word_match import weight
from sources.records import Mention

_TELLING_WORDS = 3  # a title of fewer distinctive words may be that of several papers, or a nickname
_PROVEN_BY_TITLE = 5  # so much the words of a title weigh that no two papers of unknown people have it by chance
_MEASURED = re.compile(r"[*_\s]*\d{1,3}\.\d+[*_\s%]*")
# So many, and one entry in 25, are no oversights, but a list of lists, or a table of what was measured.
_REPEATED_IN_A_SECTION, _OF_ENTRIES = 6, 25
# So many, and one entry in 100, show that the list files papers under each heading that fits.
_FILED_TWICE, _OF_ALL = 6, 100
# Titles of one paper; and those that may be of another one as well, such as its longer version.
_SURELY, _PERHAPS = frozenset({"same", "named"}), frozenset({"cut", "torn", "extended"})
_ITEM = re.compile(r"[ \t>]*(?:[-*+•]|\d+[.)])[ \t]")
# A thematic break, the line below a heading, or the line below the head of a table.
_RULE = re.compile(r"[ \t>]*(?:[-*_=][ \t]*){3,}|[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)+")
_FARTHEST = 200  # lines above an entry among which the item is that it is below
_MOST_ALIKE = 50  # entries under one key that a further one is compared with
_WORD = re.compile(r"[^\W\d_]{3,}")
_CODE_HOSTS = ("github.com/", "gitlab.com/", "bitbucket.org/")


def check_duplicates(text: ListText, entries: Sequence[CheckedEntry]) -> Iterator[ListFinding]:
    """Yields a finding for each entry whose paper is in the list already, with the lines and sections of both.

    Of what may stand twice in a section on purpose, nothing is said, and nothing of two sections where the list files
    many papers so: of 66 such notes that were judged, 40 were of no use to the owner.
    """
    by_key: defaultdict[str, list[CheckedEntry]] = defaultdict(list)
    pairs: list[tuple[CheckedEntry, CheckedEntry]] = []
    for entry in entries:
        cells = BAR.split(entry.mention.text) if entry.mention.text.startswith("|") else []
        if sum(_MEASURED.fullmatch(cell) is not None for cell in cells) > 1:
            continue  # a row of what was measured has a paper once a method
        keys = [*_keys(entry)]
        met = {id(other): other for key in keys for other in by_key[key][:_MOST_ALIKE]}
        same = (other for other in met.values() if _same_paper(other, entry))
        first = min(same, key=lambda other: other.mention.line, default=None)
        if first is not None and _line_of_parent(text, entry.mention) != first.mention.line:
            pairs.append((first, entry))
        for key in keys:
            by_key[key].append(entry)
    places = {id(entry): _place(text, entry.mention) for pair in pairs for entry in pair}
    repeated = sum(places[id(first)] == places[id(entry)] for first, entry in pairs)
    on_purpose = repeated >= max(_REPEATED_IN_A_SECTION, len(entries) / _OF_ENTRIES)
    files_twice = len(pairs) - repeated >= max(_FILED_TWICE, len(entries) / _OF_ALL)
    own_lines = {line for entry in entries for line in range(entry.mention.line, entry.mention.last_line + 1)}
    for first, entry in pairs:
        both = (places[id(first)], places[id(entry)])
        is_run = both[0] == both[1] and _are_in_one_run(text, first.mention, entry.mention, own_lines)
        may_be_fault = is_run and not on_purpose and not _says_what_it_is(first.mention, entry.mention)
        found = _finding(first, entry, both, level=_level(first, entry) if may_be_fault else "note")
        if found.level != "note" or not (files_twice if both[0] != both[1] else found.code == "duplicate"):
            yield found


def _line_of_parent(text: ListText, mention: Mention) -> int | None:
    """Returns the line of the item in which a mention is; None where it is in none."""
    indent = _indent(text.line(mention.line))
    for number in range(mention.line - 1, max(0, mention.line - _FARTHEST), -1):
        above = text.line(number)
        if not indent or above.startswith("#"):
            return None
        if _ITEM.match(above) and _indent(above) < indent:
            return number
    return None


def _place(text: ListText, mention: Mention) -> tuple[str, ...]:
    """Returns the headings above a mention and, of one that is further in, the item that it is below."""
    parent = _line_of_parent(text, mention)
    if parent is None:
        return mention.section
    return (*mention.section, " ".join(_ITEM.sub("", text.line(parent)).split())[:60])


def _indent(line: str) -> int:
    wide = line.expandtabs(4)
    return len(wide) - len(wide.lstrip(" >"))


def _keys(entry: CheckedEntry) -> Iterator[str]:
    yield from _identities(entry)
    if is_telling(entry.mention.title):
        yield f"title {title_key(entry.mention.title or '')}"


def is_telling(title: str | None) -> bool:
    """Returns whether a title says so much that hardly two papers share it, and is no nickname."""
    return sum(weight(word) > 0 for word in title_words(title or "").words) >= _TELLING_WORDS


def _same_paper(first: CheckedEntry, second: CheckedEntry) -> bool:
    """Returns whether two entries that have a key in common surely name one paper, and are not parts of one entry."""
    mine, theirs = first.mention, second.mention
    if mine.struck or theirs.struck or theirs.line <= mine.last_line:
        return False
    if theirs.line == mine.last_line + 1 and not (theirs.title and (theirs.url or not mine.url)):
        return False  # it goes on with the entry above: it has no title, or no link, of its own
    if first.linked or second.linked or any("another-title" in each.code for each in theirs.findings):
        return False
    if first.paper and second.paper and first.paper.paper_id != second.paper.paper_id:
        return False
    if not _may_be_one(first, second):
        return False
    return bool(set(_identities(first)) & set(_identities(second))) or _agree(first, second)


def _may_be_one(first: CheckedEntry, second: CheckedEntry) -> bool:
    """Returns whether the titles of two entries may be one paper's; code has its paper's title, and a word before.

    Under two short names, which may be two programs, each must lead to the paper first of all.
    """
    mine, theirs = first.mention, second.mention
    if _is_code(mine) != _is_code(theirs) and title_key(mine.title or "") != title_key(theirs.title or ""):
        return False
    if _one_title(mine, theirs, _SURELY | _PERHAPS):
        return True
    if is_telling(mine.title) and is_telling(theirs.title):
        return False
    return (first.paper is not None and second.paper is not None) or mine.identifiers[:1] == theirs.identifiers[:1]


def _one_title(mine: Mention, theirs: Mention, relations: frozenset[str]) -> bool:
    """Returns whether two entries have one title, as far as both have one, or titles in one of these relations."""
    if not mine.title or not theirs.title or title_key(mine.title) == title_key(theirs.title):
        return True
    written, true = title_words(mine.title), title_words(theirs.title)
    comparisons = (compare_titles(written, true), compare_titles(true, written))
    return any(each.relation in relations and not each.rivals and not each.misread for each in comparisons)


def _identities(entry: CheckedEntry) -> Iterator[str]:
    if entry.paper is not None and entry.paper.paper_id:
        yield f"paper {entry.paper.paper_id}"
    for identifier in entry.mention.identifiers:
        if identifier.scheme in IDENTIFYING:
            yield str(normal_identifier(identifier))


def _agree(first: CheckedEntry, second: CheckedEntry) -> bool:
    """Returns whether entries of one title have nothing against each other: identifiers, people or years."""
    mine, theirs = first.mention, second.mention
    if title_key(mine.title or "") != title_key(theirs.title or "") or not is_telling(mine.title):
        return False
    schemes = {identifier.scheme for identifier in mine.identifiers}
    if any(identifier.scheme in schemes & IDENTIFYING for identifier in theirs.identifiers):
        return False
    people = compare_authors(people_of(first), people_of(second)).agreement
    apart = abs(mine.year - theirs.year) if mine.year and theirs.year else 0
    proof = sum(map(weight, title_words(mine.title or "").words))
    return apart <= 2 and (people == "agree" or (people == "unknown" and proof >= _PROVEN_BY_TITLE))


def people_of(entry: CheckedEntry) -> tuple[str, ...]:
    """Returns the people whom an entry names, else those of its paper."""
    return entry.mention.authors or (entry.paper.authors if entry.paper else ())


def _finding(
    first: CheckedEntry, entry: CheckedEntry, places: tuple[tuple[str, ...], tuple[str, ...]], *, level: Level
) -> ListFinding:
    mine, theirs = first.mention, entry.mention
    where, others = f"line {mine.line}", (mine.line,)
    evidence = [f"{where}: {(mine.title or mine.text.strip())[:90]}"]
    if places[0] != places[1]:
        evidence.append(f"sections: {_innermost_headings(places[0])}, and {_innermost_headings(places[1])}")
    if places[0] == places[1] and _are_versions(mine, theirs):
        message = f"Another version of the paper stands on {where}: one is the preprint, the other as published."
        level = "note" if level == "note" else "warning"
        return finding("duplicate-version", theirs, message, *evidence, level=level, others=others)
    if places[0] == places[1]:
        message = f"The paper stands on {where} already, in the same section."
        return finding("duplicate", theirs, message, *evidence, level=level, others=others)
    message = f"The paper stands on {where} already, under {_innermost_headings(places[0])}."
    return finding("duplicate-section", theirs, message, *evidence, others=others)


def _level(first: CheckedEntry, entry: CheckedEntry) -> Level:
    """Returns how sure it is that two entries of a run are there by mistake.

    An error have they in common one whole title, and an identifier or all their words; a warning the title alone. By
    that an entry may be a meeting of a series or a talk. Neighbours that say more than the paper may be two things
    about it, such as two meetings or two rows of a table. Under two names a paper may stand for two methods.
    """
    mine, theirs = first.mention, entry.mention
    if not (is_telling(mine.title) and _one_title(mine, theirs, _SURELY)) or _is_code(mine) != _is_code(theirs):
        return "note"
    if theirs.line - mine.last_line <= 1 and (mine.year or theirs.year or mine.text.startswith("|")):
        return "note"
    if mine.name and theirs.name and title_key(mine.name) != title_key(theirs.name):
        return "note"
    if {*mine.identifiers} & {*theirs.identifiers} or title_key(mine.text) == title_key(theirs.text):
        return "error"
    return "note" if mine.year and theirs.year and mine.year != theirs.year else "warning"


def _says_what_it_is(mine: Mention, theirs: Mention) -> bool:
    """Returns whether one of two entries without an identifier in common has words that tell it from the other.

    So an owner says that one is a talk, a longer version, a correction or a translation.
    """
    if {*mine.identifiers} & {*theirs.identifiers}:
        return False
    fields = " ".join(
        field
        for each in (mine, theirs)
        for field in (each.title, each.name, *each.authors, each.venue)
        if field and (field != each.venue or not says_only_link(field))  # "journal version" is no venue
    )
    words = {*_words_in(mine.text)} ^ {*_words_in(theirs.text)}
    return not words <= {*_words_in(fields)}


def _words_in(text: str) -> Iterator[str]:
    """Yields the words of three letters or more outside of addresses, without those that name a paper, or its code."""
    for match in _WORD.finditer(ADDRESS.sub(" ", text)):
        word = match[0].casefold()
        if not (says_only_link(word) and word_of(word) in ("paper", "code", "page")):
            yield word


def _are_in_one_run(text: ListText, mine: Mention, theirs: Mention, own_lines: Collection[int]) -> bool:
    """Returns whether two entries are of one kind, item or not, and nothing but entries is between them.

    A rule, a line of words, the head of a further table: each may begin another group of the same section.
    """
    if (_ITEM.match(text.line(mine.line)) is None) != (_ITEM.match(text.line(theirs.line)) is None):
        return False
    between = (text.line(at) for at in range(mine.last_line + 1, theirs.line) if at not in own_lines)
    # Items, rows and what is indented do not divide a section.
    return not any(
        _RULE.fullmatch(line)
        or (line.strip() and not (line[0] in " \t|" or _ITEM.match(line) or line.startswith(("<!--", "!["))))
        for line in between
    )


def _is_code(mention: Mention) -> bool:
    addresses = [mention.url] if mention.url else ADDRESS.findall(mention.text)
    return bool(addresses) and all(any(host in address for host in _CODE_HOSTS) for address in addresses)


def _innermost_headings(place: tuple[str, ...]) -> str:
    return f"“{' / '.join(place[-2:])}”" if place else "no heading"


def _are_versions(mine: Mention, theirs: Mention) -> bool:
    """Returns whether one entry is the preprint, by its link or its venue, and the other may be as published."""
    both = (mine, theirs)
    if mine.venue and theirs.venue and len({kind_of(mention.venue) is Kind.PREPRINT for mention in both}) == 2:
        return True
    is_linked = all((mention.url and not _is_code(mention)) or mention.doi for mention in both)
    return is_linked and {mention.arxiv_id is not None for mention in both} == {True, False}
