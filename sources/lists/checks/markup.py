"""Checks the Markdown of a list, links without an address or to no heading, tables, and the order of sections. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any, NamedTuple
from urllib.parse import unquote

from markdown_it import MarkdownIt

from sources.bibliography.identifiers import ArxivId
from sources.bibliography.titles import fold
from sources.bibliography.years import years_in
from sources.lists.checks.findings import CheckedEntry, Edit, Level, ListFinding, finding, finding_on
from sources.lists.checks.list_text import ADDRESS, ListText, commonmark, smallest_edit, tables_of
from sources.lists.checks.titles import address_of, known_years
from sources.lists.reading.document import BAR, cells_of
from sources.text import counted

_FEWEST_ENTRIES = 8  # entries of a section from which its order is no chance
_FEWEST_YEARS = 5
_YEAR_HEADING = re.compile(r"\W*((?:19|20)\d\d)\W*")
_FEWEST_UNDER_YEARS = 10
_FEW = 10  # at most one entry in so many may be under another year; else the headings mean something else


class _Order(NamedTuple):
    """An order that entries may be in: what they are ordered by, whether it falls, and what to call it."""

    key: Callable[[CheckedEntry], Any]
    falling: bool
    name: str
    fewest_values: int


def _title(entry: CheckedEntry) -> str | None:
    words = re.sub(r"[^\w\s]", "", fold(entry.mention.title or "")).strip()
    return words or None


def _year(entry: CheckedEntry) -> int | None:
    return entry.mention.year


_ORDERS = (
    _Order(_year, falling=True, name="newest first", fewest_values=_FEWEST_YEARS),
    _Order(_year, falling=False, name="oldest first", fewest_values=_FEWEST_YEARS),
    _Order(_title, falling=False, name="by title", fewest_values=_FEWEST_ENTRIES),
)


def check_order(entries: Sequence[CheckedEntry]) -> Iterator[ListFinding]:
    """Yields findings about entries that alone break the order of their section, or are under another year.

    One out of the order of years is only worth a note: surveys and later versions may be apart on purpose.
    """
    sections: defaultdict[tuple[str, ...], list[CheckedEntry]] = defaultdict(list)
    for entry in entries:
        sections[entry.mention.section].append(entry)
    for section, inside in sections.items():
        for order in _ORDERS if len(inside) >= _FEWEST_ENTRIES else ():
            at = _misplaced(inside, order)
            if at is None:
                continue
            before, after = ([order.key(other) for other in part] for part in (inside[:at][-1:], inside[at + 1 :][:1]))
            years = _stated_years(inside[at]) | _own_years(inside[at]) if order.key is _year else ()
            if any(not _breaks([*before, year, *after], order) for year in years):
                continue  # it is in order by another of its years, so that not its place is wrong
            where = f"under “{section[-1]}”" if section else "of the list"
            message = f"The entry is out of order: the others {where} are {order.name}."
            level: Level = "warning" if order.key is _title else "note"
            neighbours = []
            for mention in (other.mention for other in inside[max(0, at - 1) : at + 2]):
                said = " ".join(filter(None, ((mention.title or "")[:60], f"({mention.year})" if mention.year else "")))
                neighbours.append(f"line {mention.line}: {said}")
            yield finding("out-of-order", inside[at].mention, message, *neighbours, level=level)
            break
    yield from _under_other_year(entries)


def _misplaced(entries: Sequence[CheckedEntry], order: _Order) -> int | None:
    """Returns where the only entry is without which all are in order; None where they are, or without an order.

    Of two neighbours in the wrong order either may be the one; then none is named.
    """
    keys = [order.key(entry) for entry in entries]
    if None in keys or len(set(keys)) < order.fewest_values:
        return None
    breaks = _breaks(keys, order)
    if len(breaks) not in (1, 2):
        return None
    alone = [at for at in (breaks[0] - 1, breaks[0]) if not _breaks([*keys[:at], *keys[at + 1 :]], order)]
    return alone[0] if len(alone) == 1 else None


def _breaks(keys: Sequence[Any], order: _Order) -> list[int]:
    """Returns the positions of keys that are out of order with the one before."""
    pairs = enumerate(pairwise(keys), start=1)
    return [at for at, (first, second) in pairs if (first < second if order.falling else first > second)]


def _stated_years(entry: CheckedEntry) -> frozenset[int]:
    return years_in(ADDRESS.sub(" ", entry.mention.text))


def _own_years(entry: CheckedEntry) -> frozenset[int]:
    """Returns the years of an entry's paper: of the preprint by its number, and of all versions that are known."""
    preprint = frozenset({ArxivId(entry.mention.arxiv_id).year} if entry.mention.arxiv_id else ())
    return preprint | (known_years(entry.paper) if entry.paper else frozenset())


def _under_other_year(entries: Sequence[CheckedEntry]) -> Iterator[ListFinding]:
    dated = [
        (entry, int(match[1]))
        for entry in entries
        if entry.mention.year
        and entry.mention.section
        and (match := _YEAR_HEADING.fullmatch(entry.mention.section[-1]))
    ]
    wrong = [(entry, year) for entry, year in dated if entry.mention.year != year]
    if len(dated) < _FEWEST_UNDER_YEARS or len(wrong) > len(dated) // _FEW:
        return
    for entry, year in wrong:
        if year in _stated_years(entry):
            continue
        message = f"The entry is of {entry.mention.year} and stands under “{year}”."
        evidence = f"{len(dated) - len(wrong)} others stand under their year"
        level: Level = "note" if year in _own_years(entry) else "warning"
        yield finding("out-of-order", entry.mention, message, evidence, level=level)


_EMPTY = re.compile(
    r"(?<!!)\[((?:[^\[\]\n]++|\[[^\[\]\n]*+\])*+)\]\([ \t]*\)|<a\s{1,20}href=([\"'])[ \t]*\2[^>\n]{0,200}>"
)
# The words of a badge without an address, or of what is to come.
_PROMISED = re.compile(r"^!\[|\bsoon\b|\bunder develop", re.IGNORECASE)
_NAMELESS = re.compile(r"(?<!!)\[[ \t]*\]\((?=\S)[^()\s]+\)")
# Characters of a line that is looked at for broken links, and how many of them are looked at.
_LONGEST_LINE, _MOST_BREAKS = 10_000, 20
_ADDRESS = r"https?://[^\s()（）\[\]<>|\"'`]+"
# Words of a link, which may be in brackets themselves: [[pdf]].
_WORDS = r"(?<!!)\[((?:[^\[\]\n|]++|\[[^\[\]\n|]*+\])++)\]"


class _Break(NamedTuple):
    """A way in which a link is broken: where to look, what was meant, and what to say."""

    pattern: re.Pattern[str]
    mended: str
    what: str
    fewest_letters: int = 0  # with fewer letters, the words may be a box to tick or the number of a note


_BREAKS = (
    _Break(
        re.compile(rf"\]\({_ADDRESS}(?<![.,;:!?])(?=[.,;:]?(?:\]|\||$|[ \t](?![ \t]*[\"'])))"),
        r"\g<0>)",
        "the round bracket behind the address is missing",
    ),
    _Break(re.compile(rf"\]({_ADDRESS})\)"), r"](\1)", "the round bracket before the address is missing"),
    _Break(
        re.compile(rf"(?<!\\)\[([^\[\]()\n|]+)(?<!\s)\(({_ADDRESS})\)"),
        r"[\1](\2)",
        "the square bracket behind the words is missing",
    ),
    _Break(
        re.compile(rf"\(([^()\[\]\n|]+)\)\[({_ADDRESS})\]"),
        r"[\1](\2)",
        "the round and the square brackets are exchanged",
    ),
    _Break(
        re.compile(rf"{_WORDS}[ \t]+\(({_ADDRESS})\)"),
        r"[\1](\2)",
        "a blank parts the words from the address",
        fewest_letters=3,
    ),
    _Break(
        re.compile(rf"{_WORDS}[ \t]*(?:（({_ADDRESS})[）)]|\(({_ADDRESS})）)"),
        r"[\1](\2\3)",
        "the brackets around the address are full-width ones",
        fewest_letters=1,
    ),
)


def check_markup(text: ListText, entries: Sequence[CheckedEntry]) -> Iterator[ListFinding]:
    """Yields findings about links without an address, on the lines of entries, and links that are shown as text."""
    lines = {line for entry in entries for line in range(entry.mention.line, entry.mention.last_line + 1)}
    papers = {entry.mention.line: entry for entry in entries}
    markup = text.markup
    # Of a form that may be meant as text, a list may have more than it has links.
    breaks = [
        item
        for item in _BREAKS
        if item.fewest_letters == 0 or sum(1 for _ in item.pattern.finditer(markup)) <= markup.count("](http")
    ]
    for number in range(1, text.line_count + 1):
        start, end = text.stretch(number, number)
        line = markup[start:end]
        if number in lines and ("](" in line or "href" in line):
            yield from _without_address_or_words(text.line(number), line, number, papers.get(number))
        if "http" in line and len(line) <= _LONGEST_LINE:
            yield from _shown_as_text(text.line(number), line, number, start, breaks)


def _without_address_or_words(
    written: str, line: str, number: int, entry: CheckedEntry | None
) -> Iterator[ListFinding]:
    empty = [match[1] or "" for match in _EMPTY.finditer(line) if not _PROMISED.search(match[1] or "")]
    # code spans are blanked in `line`, and are words as well: [`pdf`](...)
    places = (match.span() for match in _NAMELESS.finditer(line))
    nameless = [written[start:end] for start, end in places if "`" not in written[start:end].partition("](")[0]]
    if empty:
        names = ", ".join(f"[{name[:60]}]()" for name in empty)
        predicate = f"{names} has no address" if len(empty) == 1 else f"{names} have no addresses"
        paper = entry.paper if entry is not None and not entry.mention.url else None
        address = address_of(paper) if paper else None
        known = (f"the paper is at {address}",) if address else ()
        yield finding_on(number, "empty-link", f"The link{'s' if len(empty) > 1 else ''} {predicate}.", *known)
    if nameless:
        yield finding_on(
            number, "empty-link", f"The link {nameless[0][:80]} has no words, so that readers do not see it."
        )


def _shown_as_text(line: str, markup: str, number: int, start: int, breaks: Sequence[_Break]) -> Iterator[ListFinding]:
    for item in breaks:
        for match in islice(item.pattern.finditer(markup), _MOST_BREAKS):
            if item.fewest_letters and len(re.findall(r"[^\W\d_]", match[1])) < item.fewest_letters:
                continue
            mended = match.expand(item.mended)
            before = _link_targets(line)
            after = _link_targets(line[: match.start()] + mended + line[match.end() :])
            gained = [address for address in after if after.count(address) > before.count(address)]
            if len(after) == len(before) + 1 and gained and not set(before) - set(after):
                edit = smallest_edit(start + match.start(), match[0], mended)
                yield finding_on(
                    number, "broken-markup", f"A link is shown as text: {item.what}.", match[0][:90], edits=(edit,)
                )


def _link_targets(line: str) -> list[str]:
    tokens = [token for block in commonmark().parseInline(line) for token in block.children or ()]
    return [str(token.attrs["href"]) for token in tokens if token.type == "link_open"]


# What GitHub makes of a list: links to its own headings, and the rows of its tables.

_FRAGMENT = re.compile(
    r"\]\([ \t]{0,9}(?:<#([^<>\n]{1,300})>|#((?:[^()\s]|\([^()\s]{0,99}\)){1,300}))"
    r"(?:[ \t]{1,9}[\"'][^\"'\n)]{0,200}[\"'])?[ \t]{0,9}\)"
    r"|\bhref[ \t]?=[ \t]?[\"']#([^\"'>\n]{1,300})[\"']"
)
# A place that is named: `<a id="place">`, `{#place}`.
_NAMED = re.compile(
    r"<[a-zA-Z][^<>]{0,300}?\s(?:id|name)\s?=\s?[\"']?([^\"'\s>]{1,300})|\{#([^\s{}]{1,300})[^{}\n]{0,99}\}"
)
_HTML_HEADING = re.compile(r"<h[1-6]\b[^>]{0,300}>(.{0,1000}?)</h[1-6]\s?>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")
_ALWAYS = ("top", "readme")  # places that every page has
_FEW_DEAD = 3  # of dead links within the list; with more, and more than half of all, they are one fault


class _Fragment(NamedTuple):
    """A link to a place of the list itself."""

    words: str
    start: int
    end: int


def check_rendered(text: ListText) -> Iterator[ListFinding]:
    """Yields findings about links to places that the list does not have, and rows that do not fit their table."""
    yield from _dead_anchors(text)
    for first, last in tables_of(ListText(text.markup)):
        yield from _odd_rows(text, first, last)


def _dead_anchors(text: ListText) -> Iterator[ListFinding]:
    """Yields a finding for each place that is linked and not there; one for all where the most are not.

    Another program than GitHub may show a list of which the most links within it are dead; then it may be the form
    alone in which they differ from the headings.
    """
    linked: defaultdict[str, list[_Fragment]] = defaultdict(list)
    for match in _FRAGMENT.finditer(text.markup):
        group = match.lastindex or 0
        linked[_key(match[group])].append(_Fragment(match[group], *match.span(group)))
    if not linked or "<script" in text.markup:  # a program may name places of the page
        return
    places = _places(text)
    dead = [key for key in linked if key.removeprefix("user-content-") not in places]
    if 2 * len(dead) > len(linked):
        forms = set(map(_letters, places))
        dead = [key for key in dead if _letters(key) not in forms]
    first = [linked[key][0] for key in dead]
    if len(dead) > max(_FEW_DEAD, len(linked) / 2):
        message = f"{len(dead)} of the {len(linked)} places that the list links to within itself are not there."
        yield finding_on(
            text.line_of(first[0].start), "dead-anchor", message, *(f"#{item.words}" for item in first[:3])
        )
        return
    by_line: defaultdict[int, list[str]] = defaultdict(list)
    for key, item in zip(dead, first, strict=True):
        by_line[text.line_of(item.start)].append(key)
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for place in places:
        if place == _slug(place):  # of a heading
            alike[_letters(place)].append(place)
    for line, keys in by_line.items():
        yield _dead_anchor(text, line, {key: linked[key] for key in keys}, alike)


def _dead_anchor(
    text: ListText, line: int, dead: Mapping[str, list[_Fragment]], alike: Mapping[str, list[str]]
) -> ListFinding:
    """Returns a finding about a line, with edits of links that write the name of one heading otherwise."""
    links = [link for same in dead.values() for link in same]
    also = tuple(sorted({text.line_of(link.start) for link in links} - {line}))
    evidence = [f"so do links on lines {', '.join(map(str, also[:5]))}"] if also else []
    edits: list[Edit] = []
    for key, same in dead.items():
        meant = alike.get(_letters(key), []) if _letters(key) else []
        if len(meant) == 1:
            evidence.append(f"the heading is at #{meant[0]}")
            edits += [Edit(start=link.start, end=link.end, replacement=meant[0]) for link in same]
    names = ", ".join(f"#{same[0].words}" for same in dead.values())
    message = f"The list has no heading of this name: {names}."
    return finding_on(line, "dead-anchor", message, *evidence, edits=tuple(edits), others=also)


def _key(fragment: str) -> str:
    """Returns a fragment as browsers compare it, without signs that GitHub may or may not keep, such as pictures."""
    return re.sub(r"[^\w\x00-\x7f]", "", unquote(fragment).lower())


def _letters(words: str) -> str:
    return re.sub(r"[\W_]", "", words)


def _places(text: ListText) -> set[str]:
    """Returns the names of all places that can be linked: GitHub's for each heading, and those that are given."""
    env: dict[str, object] = {}
    tokens = MarkdownIt("commonmark").disable("inline").parse(text.text, env)
    counts: Counter[str] = Counter()
    for token, inside in pairwise(tokens):
        if token.type == "heading_open":
            (line,) = commonmark().parseInline(inside.content, env)
            texts = (child.content for child in line.children or () if child.type in ("text", "code_inline"))
            counts[_slug("".join(texts))] += 1
    counts.update(_slug(_TAG.sub("", match[1]).strip()) for match in _HTML_HEADING.finditer(text.markup))
    found = {slug if not number else f"{slug}-{number}" for slug, count in counts.items() for number in range(count)}
    named = {_key(first or second) for first, second in _NAMED.findall(text.markup)}
    return found | {slug.rstrip("-") for slug in counts} | named | set(_ALWAYS)


def _slug(words: str) -> str:
    """Returns what GitHub calls the place of a heading: its letters and digits, in lower case, hyphens for blanks."""
    return re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")


def _odd_rows(text: ListText, first: int, last: int) -> Iterator[ListFinding]:
    """Yields a finding for each row with a cell too few or too many; one for all where they are the most."""
    columns, ruled = (len(cells_of(text.line(line))) for line in (first, first + 1))
    if ruled != columns:
        message = (
            f"The head has {counted(columns, 'cell')} and the line below it {ruled}, so that GitHub shows no table."
        )
        yield finding_on(first, "odd-row", message)
        return
    odd = []
    for line in range(first + 2, last + 1):
        row = text.line(line)
        width = len(cells_of(row))
        lacks = width < columns and (width > 1 or columns == 2)  # a row with a single cell is a heading
        behind = BAR.split(row.strip().removeprefix("|"))[columns:] if width > columns else []
        if lacks or any(cell.strip() for cell in behind):
            odd.append(line)
    if len(odd) > 1 and 2 * len(odd) > last - first - 1:
        rows = f"{len(odd)} of {counted(last - first - 1, 'row')}"
        message = f"The head has {counted(columns, 'cell')}, and {rows} have another number."
        yield finding_on(first, "odd-row", message, f"line {odd[0]} is the first", others=tuple(odd))
        return
    for line in odd:
        width = len(cells_of(text.line(line)))
        lost = ", so that what stands in the last is not shown" if width > columns else ""
        yield finding_on(
            line, "odd-row", f"The row has {counted(width, 'cell')}, and the table {counted(columns, 'column')}{lost}."
        )
