"""Splits blocks into entries, and puts entries into groups."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sources.bibliography.names import is_organisation
from sources.bibliography.years import YEAR_DIGITS, last_year, year_in
from sources.lists.reading.addresses import OTHER_FIELD, word_of
from sources.lists.reading.author_lists import (
    SAME_AUTHORS,
    UPPER,
    YEAR_IN_BRACKETS,
    author_year,
    inverted_name,
    is_author_key,
    only_authors,
    read_authors,
)
from sources.lists.reading.before_title import is_credit
from sources.lists.reading.citation import read_citation, record_of_lines
from sources.lists.reading.citation_parts import (
    GAP,
    IN_WORDS,
    dated_name,
    imprint_of,
    odds_of_parts,
    skip_marks,
)
from sources.lists.reading.links import (
    IDENTIFIER,
    Bracket,
    Link,
    dated_tags,
    identifiers_of,
    links_of,
    without_brackets,
    without_resources,
)
from sources.lists.reading.marked_text import Mark, Rich
from sources.lists.reading.prose import cited_in_prose
from sources.lists.reading.title_model import (
    EVEN,
    LIKELY,
    LONG_QUOTE,
    NO_TITLE,
    SURE,
    UNLIKELY,
    clean_title,
    title_odds,
)

# Entry -> groups: the stretches of it that are about one paper each, with their links.

PAPER_KINDS = ("paper", "pdf")
_MOST_LINKS = 40
# What stands between two linked titles that an entry names in one breath.
_JOINED = re.compile(r"[\s\x1d,]*(?:and|und|et|y|&|\+)[\s\x1d,]*(?:[Tt]he\s)?")
_CALLED = re.compile(r"(?:^|[\s.,;(，。；|\x1d])([^.,;()，。；|\x1d]{3,40}?)\s?[:：,，]\s*$")
_PARTS = re.compile(r"[,.;，。；](?=\s)\s*|[，。；]|\sand\s")
_SEMICOLON = re.compile(r"[;；]\s*(?=\S)")
_EDITORS = re.compile(r"\bIn:\s[^;]{3,40};")  # the semicolon parts those who edited a collection
_SHORTEST_TITLE = 4  # characters, behind authors
_FEWEST_WORDS = 4  # how many words each of several titles between semicolons has at least; and their odds are `SURE`

Group = tuple[int, int, Link | None, list[Link]]


def is_paper_link(link: Link) -> bool:
    """Returns whether `link` leads to a paper: its address says so, or its word does and its address allows it."""
    if link.word in ("code", "talk", "data", "notes"):
        return link.kind == "paper" and link.word == "data" and bool(link.carried.identifiers)
    if link.kind in PAPER_KINDS:
        return link.word != "page" or bool(link.carried.identifiers)
    return (
        link.word == "paper"
        and not link.bare
        and link.kind in ("page", "data", "course", "docs", "note", "blog", "code")
    )


def groups_of(entry: EntryText) -> list[Group]:
    """Returns the stretches of an entry that are about one paper each, with their links."""
    groups: list[Group] = []
    if not entry.links:
        return [(start, end, None, []) for start, end in _titles_in_a_row(entry.text)]
    group_start, previous = 0, 0
    title_link: Link | None = None
    members: list[Link] = []
    for written in entry.links:
        link = _called(written, entry.text[previous : written.start])
        between = clean_title(entry.text[previous : link.start])
        own = link.own and _takes_title(entry, link, group_start, title_link)
        listed = title_odds(between) >= EVEN and entry.text[previous : link.start].rstrip().endswith((";", "；"))
        lead_in = title_link is None and _has_no_words_before(entry, group_start, link)
        taken = title_link is not None or (_has_paper(members) and not lead_in)
        opens = (own and (taken or listed)) or _starts_another(link, between, title_link, members)
        if (opens and (title_link or members or own)) or len(members) > _MOST_LINKS:
            leads = title_link is None and bool(members) and _has_no_words_before(entry, group_start, members[0])
            start = link.outer_start if own or (leads and any(map(str.isalnum, between))) else previous
            groups.append((group_start, start, title_link, members))
            group_start, title_link, members = start, None, []
        if own and title_link is None:
            title_link = link
        else:
            members.append(link)
        previous = link.outer_end
    groups.append((group_start, len(entry.text), title_link, members))
    return groups


def _has_no_words_before(entry: EntryText, start: int, link: Link) -> bool:
    return not any(map(str.isalnum, entry.text[start : link.outer_start]))


def _titles_in_a_row(text: str) -> list[tuple[int, int]]:
    """Returns the stretches of a text without links that name a title each; all of it where there is one, or none.

    Titles in quotation marks are parted by the first comma or stop behind each; others by semicolons, if all of the
    stretches between are titles.
    """
    if quoted := _cuts_between_quoted_titles(text):
        return list(pairwise([0, *quoted, len(text)]))
    cuts = [match.end() for match in _SEMICOLON.finditer(text)]
    stretches = list(pairwise([0, *cuts, len(text)]))
    if not 1 < len(stretches) <= _MOST_LINKS or len(text) > _MOST_LINKS * 200 or _EDITORS.search(text):
        return [(0, len(text))]
    for words in (text[start:end] for start, end in stretches):
        if _is_title(words, SURE):
            continue
        # It may be a citation: people and a year.
        dated = year_in(words) is not None or GAP in words
        people = (read_authors(part, skip_marks(part, 0)) for part in (words, words.partition(": ")[2]) if part)
        if not dated or not any(each is not None and each.sure for each in people):
            return [(0, len(text))]
    return stretches


def _cuts_between_quoted_titles(text: str) -> list[int]:
    if len(text) > _MOST_LINKS * 200:
        return []
    quotes = [match for match in LONG_QUOTE.finditer(text) if _is_title(match[match.lastindex or 0], EVEN)]
    cuts = []
    for quote, following in pairwise(quotes[:_MOST_LINKS]):
        part = _PARTS.search(text, quote.end(), following.start())
        if part is None:
            return []
        cuts.append(part.end())
    return cuts


def _is_title(words: str, odds: float) -> bool:
    return len(words.split()) >= _FEWEST_WORDS and title_odds(clean_title(words)) >= odds


def _called(link: Link, before: str) -> Link:
    """Returns `link` as the words right before it call it: "slides: https://..."."""
    called = (link.own or link.bare) and before.rstrip().endswith((":", "：", ",", "，"))
    match = _CALLED.search(before[-60:]) if called else None
    if match is None:
        return link
    word = word_of(match[1])
    if word == "other":
        word = word_of(match[1].split()[0])
    return link._replace(word=word, own=False) if word not in ("other", "paper") else link


def _takes_title(entry: EntryText, link: Link, start: int, title_link: Link | None) -> bool:
    """Returns whether the words of `link` are the title of a paper, given what the entry said before."""
    before = clean_title(entry.text[start : link.start])
    if title_link is not None:
        between = entry.text[title_link.outer_end : link.start]
        if _JOINED.fullmatch(between) and title_odds(link.label) >= LIKELY and title_odds(title_link.label) > UNLIKELY:
            return True
        return (
            link.kind in PAPER_KINDS
            and not _is_adjunct(link)
            and link.label != title_link.label
            and title_link.kind in (*PAPER_KINDS, None)
        )
    citation = read_citation(entry.text[: link.start], entry.marks, start) if len(before.split()) > 1 else None
    title = (citation.title if citation else None) or ""
    if citation and citation.authors and len(title) < _SHORTEST_TITLE:
        title = ""
    strong = bool(title) and title_odds(title) >= EVEN
    if title and (author_year(link.label) or _is_dated_title(title, before)):
        return False
    if _is_adjunct(link):
        return not strong or entry.text[link.end : link.end + 3].lstrip(" " + GAP)[:1].islower()
    if strong and citation and (link.kind in PAPER_KINDS or link.kind is None):
        odds = odds_of_parts(link.label)
        return odds >= LIKELY or (citation.how not in ("bold", "quoted") and odds >= NO_TITLE)
    return not strong


def _is_dated_title(title: str, before: str) -> bool:
    """Returns whether a year alone stands between a title and a link, which then leads to where it came out."""
    stands_alone = _YEAR_AT_END.search(before) is not None
    return stands_alone and len(title.split()) >= _FEWEST_WORDS and not (is_organisation(title) or only_authors(title))


def _is_adjunct(link: Link) -> bool:
    label = link.label.strip("()[] ")
    named = imprint_of(label) is not None and odds_of_parts(label) < UNLIKELY
    return named or bool(only_authors(label)) or is_organisation(label)


def _starts_another(link: Link, between: str, title_link: Link | None, members: list[Link]) -> bool:
    """Returns whether a resource `link` belongs to a further paper that `between` names, or is one by itself."""
    if not is_paper_link(link) or not (
        _has_paper(members) or (title_link is not None and title_link.kind in PAPER_KINDS)
    ):
        return False
    theirs, mine = identifiers_of(members, "arxiv"), identifiers_of([link], "arxiv")
    if not link.url and all(member.url for member in members) and not (theirs and mine):
        return False  # an identifier in the text closes the citation that it stands behind
    if is_author_key(link.label) or (len(between.split()) >= 4 and title_odds(between) >= LIKELY):
        return True
    named = link.bare or not link.url or IDENTIFIER.fullmatch(link.label)
    return bool(named and theirs and mine and not theirs & mine)


def _has_paper(links: list[Link]) -> bool:
    return any(is_paper_link(link) for link in links)


_LONGEST = 4_000
_BLANKS = re.compile(r"\s*+")
_LINE = re.compile(r"^.*$", re.MULTILINE)
_NARROW = str.maketrans("\u00a0\u2009\u202f", "   ")  # blanks at which no line breaks, as between initials
_FEWEST_LINES = 3  # of a paragraph that may be titles line by line
# A number, or a key with a year, in front of an entry: "[12]", "[Abbate, 2000]".
_ENUMERATED = re.compile(
    r"\s*(?:\.\.\s+\[[^\]\n]{1,40}\]|\[(?:[^\[\]()\n]{2,60}\D(?=\d{4}[a-z]?\]\s))?\d{1,4}[a-z]?\]|\(\d{1,3}\)|"
    r"\d{1,3}[.)、](?:\s|(?=\[)))"
)
_BULLETED = re.compile(r"\s*[-*+•]\s+\S")  # a bullet that stands too far in for Markdown to see it as one
# A line of a few words and a colon over the entries below it: "Required:".
_CAPTION = re.compile(r"\W*\w+(?: \w+){0,2}[*_]*[:：][*_]*")
# A few words and a colon at the start of a line or a block.
_LABEL = re.compile(r"[\W_]*([^\W\d_]\w*(?: \w+){0,2})[\W_]*?[:：](?!//)")
_PLACE = re.compile(rf"(?:{'|'.join(IN_WORDS)})\s?:\s")  # the beginning of a line that tells where something came out
_YEAR_AND_TITLE = re.compile(rf"[.,]? ?{YEAR_IN_BRACKETS}[.:,]? ?\S[^\n]{{3}}")
_YEAR_AT_END = re.compile(rf"[.,] {YEAR_DIGITS}$")
# A line that begins with a capital and has a year in brackets in front of what it says.
_DATED_LINE = re.compile(rf"\W{{0,4}}[{UPPER}][^()\n]{{2,80}} {YEAR_IN_BRACKETS}[.:,]? \S[^\n]{{10}}")
_MOSTLY = 0.75  # which share of the lines of a block begin in this way where each is an entry
RECURS = 3  # in how many records of a file a label stands once each if it names a field of them
_WRAPPED = re.compile(
    r"(?:[,:–—-]|\b(?:a|an|the|of|for|in|on|to|with|and|or|by|from|via|using|et|de|del|la|las|el|los|y|e|en|para|por|do|da|"
    r"dos|das|em|du|des|le|les|un|une|der|die|den|dem|und|von|für|zur|zum|im|di|della|dei|il|i|w|z|og|och|av|на|в|и))\s*$",
    re.IGNORECASE,
)

# What may be a year before a title with nothing but a blank or a colon between.
_NUMBER_IN_FRONT = re.compile(r"(?:(?<![^\s\x1d\"“„«『「《*_\[])|^)((?:19|20)\d\d)(?=:?\s+[^\W\d_])")
_DATED_ELSEWHERE = re.compile(
    r"(?:(?<=[,;(]\s)|(?<=[,;(])|^\W{0,4})((?:19|20)\d\d)(?=\s?[-–—|,.;)\]]|$)|(?<=\s)((?:19|20)\d\d)(?=\W*$)"
)


@dataclass(slots=True)
class EntryText:
    """The lines of a block that belong together. Positions count from the start of its text."""

    raw: str  # the text as it stands
    text: str  # the same with resource links and telling brackets blanked; what is left are the entry's own words
    marks: tuple[Mark, ...]  # what is bold, italic, struck
    links: list[Link]  # the links in order
    brackets: list[Bracket]  # the brackets that were taken out
    line: int  # 1-based line on which the entry starts
    numbers: frozenset[int] = frozenset()  # the places where what looks like a year begins a title
    cited: bool | None = None  # whether it is what prose cites or the prose around that; None where no prose cites

    def words_at(self, position: int) -> int:
        """Returns where the words behind `position` begin: the tag of a link may go over several lines."""
        blanks = _BLANKS.match(self.raw, position)
        return blanks.end() if blanks else position

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


def _with_whole_labels(text: str, links: Sequence[Link], marks: Sequence[Mark]) -> str:
    """Returns `text` with a blank in place of a line break among the words of a link, or in italics or bold.

    They name one thing; but a stretch of more lines than two may be a column.
    """
    stretches = [(link.start, link.end) for link in links if link.own]
    stretches += [
        (mark.start, mark.end)
        for mark in marks
        if mark.kind in ("italic", "bold") and text.count("\n", mark.start, mark.end) == 1
    ]
    parts, done = [], 0
    for start, end in sorted(stretches):
        if start >= done and ("\n" in text[start:end] or "\v" in text[start:end]):
            parts += [text[done:start], text[start:end].replace("\n", " ").replace("\v", " ")]
            done = end
    return "".join([*parts, text[done:]]) if parts else text


def entries_of(
    rich: Rich, *, item: bool, fields: frozenset[str] = frozenset(), undated: bool = False
) -> Iterator[EntryText]:
    """Yields the entries of one block's text.

    Args:
        rich: The text.
        item: Whether it is an item of a list.
        fields: The labels of lines that go on with an entry.
        undated: Whether a year before a title would be out of place.
    """
    links = links_of(rich)
    text = without_resources(rich, links).translate(_NARROW)
    text, brackets = without_brackets(text)
    if tags := dated_tags(rich):
        brackets = sorted([*brackets, *tags], key=lambda bracket: bracket.start)
    text = _with_whole_labels(text, links, rich.marks)
    if rich.wraps:
        text = "".join(" " if at in rich.wraps else sign for at, sign in enumerate(text))
    if fields and "\n" in text:  # a gap in place of the line break before every line that begins with a field
        first, *others = text.split("\n")
        text = first + "".join((GAP if label_of(line) in fields else "\n") + line for line in others)
    cited = cited_in_prose(rich.text, rich.marks) if "\n" not in text else {}
    if not cited and len(text) <= _LONGEST and ("\n" not in text or record_of_lines(text) is not None):
        yield EntryText(
            rich.text, text, rich.marks, links, brackets, rich.line, _numbers(text, brackets, undated=undated)
        )
        return
    line = rich.line
    stretches = list(_bounded(cited or _stretches_of_entries(rich.text, text, links, item=item)))
    parts = [_by_stretch(records, stretches) for records in (links, brackets, rich.marks)]
    for (start, end), *inside in zip(stretches, *parts, strict=True):
        own, found, marks = ([_moved(record, start, end) for record in records] for records in inside)
        numbers = _numbers(text[start:end], found, undated=undated)
        cites = cited.get((start, end))
        yield EntryText(rich.text[start:end], text[start:end], tuple(marks), own, found, line, numbers, cites)
        line += rich.text.count("\n", start, end)


def _numbers(text: str, brackets: list[Bracket], *, undated: bool) -> frozenset[int]:
    """Returns where a number like a year is the first word of a title, as in "1984 Revisited, 2010", and no date.

    So it is where the year is elsewhere in the entry: in a bracket or a date before it, or a later year behind it.
    """
    found = [(match.start(), int(match[1])) for match in _NUMBER_IN_FRONT.finditer(text)]
    if not found:
        return frozenset()
    dated = [(match.start(), int(match[1] or match[2])) for match in _DATED_ELSEWHERE.finditer(text)]
    imprints = [(bracket.start, bracket.imprint) for bracket in brackets if bracket.imprint]
    dated += [(start, imprint.year) for start, imprint in imprints if imprint.year is not None]
    return frozenset(
        at
        for at, number in found
        if undated or any(year != number if place < at else year > number + 1 for place, year in dated if place != at)
    )


def _by_stretch(records: Sequence[Any], stretches: Sequence[tuple[int, int]]) -> list[Sequence[Any]]:
    """Returns the records that start in each stretch; both are in order."""
    cuts = [bisect_left(records, end, key=lambda record: record.start) for _, end in stretches]
    return [records[first:last] for first, last in pairwise([0, *cuts])]


def _moved(record: Any, start: int, end: int) -> Any:
    changed = {"start": max(record.start - start, 0), "end": min(record.end, end) - start}
    if isinstance(record, Link):
        changed |= {"outer_start": max(record.outer_start - start, 0), "outer_end": min(record.outer_end, end) - start}
    return record._replace(**changed)


def _bounded(stretches: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yields the stretches, those longer than any entry in pieces, so that the time an entry takes is bounded."""
    for start, end in stretches:
        cuts = [*range(start, end, _LONGEST), end] if end > start else [start, end]
        yield from pairwise(cuts)


def _stretches_of_entries(raw: str, text: str, links: list[Link], *, item: bool) -> Iterator[tuple[int, int]]:
    if "\n" not in text:
        yield 0, len(text)
        return
    start, shape = 0, ""
    spans = [line.span() for line in _LINE.finditer(text)]
    if not item and not links and _is_column_of_titles([text[slice(*span)] for span in spans]):
        yield from pairwise([*(begin for begin, _ in spans), len(text)])
        return
    numbers = [_ENUMERATED.match(raw, begin) is not None for begin, _ in spans]
    if all(text[begin:end].lstrip().startswith("|") for begin, end in spans):
        yield from pairwise([*(begin for begin, _ in spans), len(text)])  # the rows of a table without a head
        return
    people = [read_authors(text, skip_marks(text, begin)) if not numbers[0] else None for begin, _ in spans]
    dated = [each is not None and each.sure and bool(_YEAR_AND_TITLE.match(text, each.end)) for each in people]
    heads = numbers if numbers[0] else dated
    if not numbers[0] and not (heads[0] and not item):  # nearly all lines have names and a year in front, as references
        heads = [_DATED_LINE.match(text, begin, end) is not None for begin, end in spans]
        heads = heads if sum(heads) >= max(RECURS, _MOSTLY * len(spans)) else dated
    if (heads[0] and not item) or sum(heads) >= max(RECURS, _MOSTLY * len(spans)):
        starts = [begin for (begin, _), head in zip(spans, heads, strict=True) if head or not begin]
        yield from pairwise([*starts, len(text)])
        return
    inside = _by_stretch(links, spans)
    papers = [_lone_paper(text[slice(*span)], found) for span, found in zip(spans, inside, strict=True)]
    for at, (line_start, line_end) in enumerate(spans):
        line = text[line_start:line_end]
        # The line of a field goes on with this one, and says nothing of it.
        field = raw.find("\n", line_start, line_end)
        stretch = line_start, line_end if field < 0 else field
        current = _shape(text, inside[at], *stretch, numbered=numbers[at], credited="A" in shape)
        bulleted = current in "ET" and _BULLETED.match(line) is not None
        before = text[max(start, line_start - 400) : line_start]
        others = [paper for paper in papers[max(at - 1, 0) : at + 2] if paper]
        one_of_several = papers[at] is not None and (
            (shape == "R" and papers[at - 1] is not None) or any(_are_two_papers(papers[at], other) for other in others)
        )
        if line_start and (bulleted or one_of_several or _begins(before, line, shape, current, item=item)):
            yield start, line_start
            start, shape = line_start, ""
        shape += current if current not in shape else ""
    yield start, len(text)


def _is_column_of_titles(lines: Sequence[str]) -> bool:
    """Returns whether each line is words of its own: none runs on into the next for want of room, and most are titles.

    A paragraph that was broken into lines has no room for the next line's first word.
    """
    lines = [line.strip() for line in lines if line.strip()]
    if len(lines) < _FEWEST_LINES or any(_WRAPPED.search(line) for line in lines[:-1]):
        return False
    widest = max(map(len, lines))
    fits = sum(len(line) + len(below.split(maxsplit=1)[0]) < widest for line, below in pairwise(lines))
    titles = sum(len(line.split()) > 1 and title_odds(clean_title(line)) > UNLIKELY for line in lines)
    return 4 * fits >= 3 * (len(lines) - 1) and 3 * titles >= 2 * len(lines)


def _lone_paper(line: str, links: Sequence[Link]) -> Link | None:
    """Returns the address or identifier of a paper that is all there is on a line; None where there is more."""
    bare = len(links) == 1 and (links[0].bare or not links[0].url)
    if not bare or not links[0].carried.identifiers or any(map(str.isalnum, _ENUMERATED.sub("", line, 1))):
        return None
    return links[0]


def _are_two_papers(link: Link | None, other: Link) -> bool:
    if link is None or link is other:
        return False
    mine, theirs = set(link.carried.identifiers), set(other.carried.identifiers)
    return mine.isdisjoint(theirs) and bool({item.scheme for item in mine} & {item.scheme for item in theirs})


def _shape(text: str, links: Sequence[Link], start: int, end: int, *, numbered: bool, credited: bool) -> str:
    """Returns what a line is: E begins an entry, I begins with an identifier, T is text, A is authors or imprint.

    R holds only resources. Where authors stand above, `credited`, any name with a year is the imprint.
    """
    line = text[start:end]
    words = clean_title(line[:_LONGEST])
    if not words or OTHER_FIELD.match(line):
        return "R"
    lead = next((link for link in links if link.own), None)
    if numbered or (lead is not None and len(clean_title(text[start : lead.start]).split()) <= 4):
        return "E"
    if links and not links[0].url and not any(map(str.isalnum, text[start : links[0].start])):
        return "I"
    place = imprint_of(words) or _PLACE.match(words) or (credited and lead is None and dated_name(words))
    if place or only_authors(words) or is_credit(words):
        return "A"
    if any(link.kind in ("paper", "pdf") for link in links) and odds_of_parts(words) > EVEN:
        return "E"
    return "T"


def _is_rest_of_citation(before: str, line: str) -> bool:
    """Returns whether `line` tells the place and year of what the authors at the beginning of `before` wrote."""
    if last_year(line) is None or last_year(before) is not None:
        return False
    above, below = (read_authors(text, skip_marks(text, 0)) for text in (before, line))
    cited = (above is not None and above.sure) or SAME_AUTHORS.match(before) or inverted_name(before, 0)
    return bool(cited) and not (below is not None and below.sure)


def _ends_within_quotation(text: str) -> bool:
    if "„" in text:
        return text.count("„") > text.count("“") + text.count("”")
    return text.count("“") > text.count("”") or text.count('"') % 2 == 1


def _begins(before: str, line: str, shape: str, current: str, *, item: bool) -> bool:
    """Returns whether `line` begins an entry, after the lines `before` it of the shapes in `shape`."""
    one_more = current == "I" and ("I" in shape or shape == "R")
    if one_more or current in "RA" or not shape.strip("RA") or _ends_within_quotation(before):
        return one_more
    if item:
        return current == "E" and "E" in shape
    before, line = before.rstrip(), line.lstrip()
    captioned = _CAPTION.fullmatch(before) is not None
    if captioned or current == "E":
        return captioned or not _WRAPPED.search(before)
    if "E" in shape:
        return line[:1].isupper() or not line[:1].isascii()
    if _WRAPPED.search(before) or not (line[:1].isupper() or line[:1].isdigit()) or _is_rest_of_citation(before, line):
        return False
    return len(before) < 60 or odds_of_parts(before) > UNLIKELY
