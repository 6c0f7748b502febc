"""Checks what GitHub makes of a list: links to its own headings, and the rows of its tables. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import unquote

from markdown_it import MarkdownIt

from sources.lists.checks.findings import Edit, ListFinding, finding_on
from sources.lists.checks.list_text import ListText, commonmark, tables_of
from sources.lists.reading.document import BAR, cells_of
from sources.text import counted

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
_FEW = 3  # of dead links within the list; with more, and more than half of all, they are one fault


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
    if len(dead) > max(_FEW, len(linked) / 2):
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
