"""Broken Markdown around entries: links without an address, and links that are not closed. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from markdown_it import MarkdownIt

from sources.list_checks.findings import CODES, Edit, Entry, ListFinding
from sources.list_checks.links import address_of
from sources.list_checks.list_text import ListText
from sources.list_checks.smallest_edit import smallest_edit

_EMPTY = re.compile(
    r"(?<!!)\[((?:[^\[\]\n]++|\[[^\[\]\n]*+\])*+)\]\([ \t]*\)|<a\s{1,20}href=([\"'])[ \t]*\2[^>\n]{0,200}>"
)
_NAMELESS = re.compile(r"(?<!!)\[[ \t]*\]\((?=\S)[^()\s]+\)")
_LONGEST_LINE, _MOST_BREAKS = 10_000, 20
"""Characters of a line that is looked at for broken links, and how many of them are looked at."""
_ADDRESS = r"https?://[^\s()\[\]<>|\"'`]+"


class _Break(NamedTuple):
    """A way in which a link is broken: where to look, what was meant, and what to say."""

    pattern: re.Pattern[str]
    mended: str
    what: str


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
        re.compile(rf"\[([^\[\]\n|]+)\][ \t]+\(({_ADDRESS})\)"),
        r"[\1](\2)",
        "a blank parts the words from the address",
    ),
)


def check_markup(text: ListText, entries: Sequence[Entry]) -> Iterator[ListFinding]:
    """Yields findings about links without an address and links that are shown as text, on the lines of entries."""
    lines = sorted({line for entry in entries for line in range(entry.mention.line, entry.mention.last_line + 1)})
    papers = {entry.mention.line: entry for entry in entries}
    links = sum(bool(entry.mention.url) for entry in entries)
    markup = text.markup
    for number in lines:
        start, end = text.stretch(number, number)
        line = markup[start:end]
        if "](" in line or "href" in line:
            yield from _empty(line, number, papers.get(number))
        if "http" in line and len(line) <= _LONGEST_LINE:
            yield from _broken(text.line(number), line, number, start, has_links=2 * links > len(entries))


def _empty(line: str, number: int, entry: Entry | None) -> Iterator[ListFinding]:
    """Yields one finding for all links of a line that have no address, or no words."""
    empty = [match[1] or "" for match in _EMPTY.finditer(line)]
    nameless = [match[0] for match in _NAMELESS.finditer(line)]
    if empty:
        names = ", ".join(f"[{name[:60]}]()" for name in empty)
        predicate = f"{names} has no address" if len(empty) == 1 else f"{names} have no addresses"
        paper = entry.paper if entry is not None and not entry.mention.url else None
        address = address_of(paper) if paper else None
        known = (f"the paper is at {address}",) if address else ()
        yield _on(number, "empty-link", f"The link{'s' if len(empty) > 1 else ''} {predicate}.", *known)
    if nameless:
        yield _on(number, "empty-link", f"The link {nameless[0][:80]} has no words, so that readers do not see it.")


def _broken(line: str, markup: str, number: int, start: int, *, has_links: bool) -> Iterator[ListFinding]:
    """Yields a finding for each link of a line that is shown as text, and that the mended text would have."""
    before = _targets(line)
    for item in _BREAKS:
        for match in islice(item.pattern.finditer(markup), _MOST_BREAKS):
            if item.what.startswith("a blank") and not (has_links and _is_label(match[1])):
                continue
            mended = match.expand(item.mended)
            after = _targets(line[: match.start()] + mended + line[match.end() :])
            gained = [address for address in after if after.count(address) > before.count(address)]
            if len(after) == len(before) + 1 and gained and not set(before) - set(after):
                edit = smallest_edit(start + match.start(), match[0], mended)
                yield _on(number, "broken-markup", f"A link is shown as text: {item.what}.", match[0][:90], edit=edit)


def _is_label(words: str) -> bool:
    """Returns whether words in brackets are those of a link: letters, and no mark of a reference such as [12]."""
    return len(re.findall(r"[^\W\d_]", words)) >= 3


def _targets(line: str) -> list[str]:
    """Returns the addresses to which the links of a line lead, as CommonMark has it."""
    tokens = [token for block in _markdown().parseInline(line) for token in block.children or ()]
    return [str(token.attrs["href"]) for token in tokens if token.type == "link_open"]


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark")


def _on(number: int, code: str, message: str, *evidence: str, edit: Edit | None = None) -> ListFinding:
    edits = () if edit is None else (edit,)
    return ListFinding(
        code=code,
        level=CODES[code].level,
        line=number,
        last_line=number,
        message=message,
        evidence=evidence,
        edits=edits,
    )
