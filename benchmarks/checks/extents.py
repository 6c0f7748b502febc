"""Whether `paperlake add` leaves with every entry what stands with it, by rules of its own.

    .venv/bin/python -m benchmarks.checks.extents [../shared] [--additions N] [--seed WORD] [--show] [--only NAME]

To each list of ../shared, papers of the facts are added that it does not have, under headings drawn by lot. The list is
compared before and after by its lines and its Markdown alone. It is *damage* where

- a line changes, but for numbers in front of entries that count on;
- a line that stood with an old entry stands with the new one: it is indented below it, follows it without an empty
  line and is no item beside it, is a picture or a quotation, or most entries of the section have lines below them;
- a line right above an old entry, or a picture above it where each has one, stands above the new one;
- a block of Markdown (an item, a paragraph, a cell) has other words or stands at another depth;
- the new entry stands inside the item of an old one.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

from benchmarks.checks.additions import facts_of
from benchmarks.checks.list_checks import read_labels
from sources.errors import EditConflict, UsageError
from sources.lists.checks.findings import PaperFacts
from sources.lists.edits.additions import addition
from sources.lists.edits.edits import apply_edits
from sources.lists.local_files import decode_list
from sources.lists.reading import parse_reading_list
from sources.records import Mention

_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)|\s*</?h[1-6]\b|\s*<summary\b|\*\*[^*]+\*\*\s*$", re.IGNORECASE)
_RULE = re.compile(r" {0,3}(?:=+|-{2,}|\*{3,}|_{3,})\s*$")
_PICTURE = re.compile(r"!\[[^\]]*\]\(|<img\b|<video\b|<figure\b", re.IGNORECASE)
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
_TABLE_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_NUMBER = re.compile(r"^([\s>|]*(?:[-*+]\s+)?[*_]*\[?)\d{1,4}(?=[.)\]、|\s])")
# What ends a part of a page: the end of a block of HTML, a rule there, a link back to the page's top.
_CLOSING = re.compile(
    r"\s*<hr\s*/?>\s*$|\s*\[(?:[^\[\]]|\\[\[\]])*\]\(#[^()]*\)\s*$|\s*</(?:ul|ol|table|tbody|details|div|p|center|tr|td|li|b|font)\s*>\s*(?:<br\s*/?>)?\s*$",
    re.I,
)


@dataclass(frozen=True)
class Page:
    """A list by lines, with the lines at which its entries and headings stand."""

    lines: list[str]
    entries: dict[int, Mention]  # by first line, counted from 0
    last_lines: dict[int, int]  # of the entries

    @classmethod
    def of(cls, text: str, mentions: Sequence[Mention]) -> Page:
        """Returns a text as a page."""
        lines = [line.rstrip("\r\n") for line in text.splitlines(keepends=True)] if "\x0c" not in text else []
        lines = lines or re.split(r"\r\n|\r|\n", text)
        firsts = [mention.last_line - mention.text.count("\n") - 1 for mention in mentions]
        last_lines: dict[int, int] = {}
        for first, mention in zip(firsts, mentions, strict=True):
            last_lines[first] = max(last_lines.get(first, 0), mention.last_line - 1)
        return cls(lines, dict(zip(firsts, mentions, strict=True)), last_lines)

    def is_head(self, at: int) -> bool:
        """Returns whether an entry or a heading begins at a line."""
        return at in self.entries or is_heading(self.lines, at)

    def below(self, entry: int) -> list[int]:
        """Returns the lines with words behind an entry, up to the next entry or heading."""
        found = []
        for at in range(self.last_lines[entry] + 1, len(self.lines)):
            if self.is_head(at):
                break
            if self.lines[at].strip():
                found.append(at)
        return found

    def is_apart(self, line: int) -> bool:
        """Returns whether a line is not indented, and stands behind an empty one."""
        return not (_indent(self.lines[line]) or self.lines[line - 1].strip())

    def above(self, entry: int) -> list[int]:
        """Returns the lines with words in front of an entry, down from the entry or heading before."""
        ends = set(self.last_lines.values())
        found: list[int] = []
        for at in range(entry - 1, -1, -1):
            if self.is_head(at) or at in ends:
                break
            if self.lines[at].strip():
                found.insert(0, at)
        return found


def is_heading(lines: Sequence[str], at: int) -> bool:
    """Returns whether a line is a heading, or the words of one that is underlined, or a rule."""
    line = lines[at]
    under = at + 1 < len(lines) and re.match(r" {0,3}(?:=+|-{3,})\s*$", lines[at + 1]) is not None
    is_words = bool(line.strip()) and not _ITEM.match(line) and "|" not in line
    return _HEADING.match(line) is not None or _RULE.match(line) is not None or (under and is_words)


def _indent(line: str) -> int:
    return len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())


def damage(before: str, after: str, mentions: Sequence[Mention]) -> list[str]:
    """Returns what an addition did to the entries that were there, a sentence each; `mentions` are those of before."""
    old, new = Page.of(before, mentions), Page.of(after, ())
    plain = [[_NUMBER.sub(r"\1N", line) for line in page.lines] for page in (old, new)]
    added = len(new.lines) - len(old.lines)
    at = next((n for n, (one, two) in enumerate(zip(*plain, strict=False)) if one != two), len(old.lines))
    at = min(at, len(old.lines))
    if plain[1][:at] + plain[1][at + added :] != plain[0] or added < 1:
        return ["another line changed"]
    words = [n for n in range(at, at + added) if new.lines[n].strip()]
    # Of several places that give the same text, the one that begins with the entry's own words.
    while words and words[0] > at and at < len(old.lines) and not old.lines[at].strip():
        at += 1
        words = [n for n in range(at, at + added) if new.lines[n].strip()]
    found = [*_taken_below(old, new, at), *_taken_above(old, at), *_blocks(before, after, mentions, new, words)]
    return list(dict.fromkeys(found))


def _taken_below(old: Page, new: Page, at: int) -> Iterator[str]:
    owner = max((first for first in old.entries if first < at), default=None)
    if owner is None:
        return
    if at <= old.last_lines[owner]:
        yield "it stands within the lines of an entry"
        return
    below = old.below(owner)
    taken = [line for line in below if line >= at]
    if not taken or any(is_heading(old.lines, n) for n in range(old.last_lines[owner] + 1, at)):
        return
    first = taken[0]
    line = old.lines[first]
    section = old.entries[owner].section
    beside = [n for n in old.entries if old.entries[n].section == section and n != owner]
    usual = sum(any(map(old.is_apart, old.below(n))) for n in beside) * 2 > len(beside) > 2
    above = old.lines[owner]
    is_sibling = (_ITEM.match(line) and _ITEM.match(above) and _indent(line) <= _indent(above)) or (
        line.removeprefix("<!--").lstrip().startswith("|") and above.lstrip().startswith("|")  # one left out, too
    )
    follows = first == at and bool(old.lines[at - 1].strip()) and not _TABLE_RULE.match(line)
    is_apart = is_sibling or (not follows and _indent(line) <= _indent(new.lines[at]) and not _ITEM.match(line))
    is_beside = _PICTURE.search(line) or line.lstrip().startswith(">")
    if _CLOSING.match(line):
        return
    if is_beside or not is_apart or (usual and not is_sibling):
        yield f"line {first + 1} stood with the entry of line {owner + 1}: {line.strip()[:100]}"


def _taken_above(old: Page, at: int) -> Iterator[str]:
    following = min((first for first in old.entries if first >= at), default=None)
    if following is None:
        return
    above = old.above(following)
    taken = [line for line in above if line < at]
    if not taken or (above and above[-1] >= at):
        return
    last = taken[-1]
    line = old.lines[last]
    is_table = "|" in line and "|" in old.lines[following]
    is_opening = re.match(r"\s*<(?:ul|ol|table|tbody|details|div|tr)\b[^>]*>\s*$", line)
    if is_table or is_opening or is_heading(old.lines, last):
        return
    joined = all(old.lines[n].strip() for n in range(last, following))
    section = old.entries[following].section
    beside = [n for n in old.entries if old.entries[n].section == section]
    pictures = sum(any(_PICTURE.search(old.lines[m]) for m in old.above(n)) for n in beside)
    first_too = any(_PICTURE.search(old.lines[m]) for m in old.above(min(beside)))
    last_too = any(_PICTURE.search(old.lines[m]) for m in old.below(max(beside)))
    pictured = _PICTURE.search(line) and pictures * 2 > len(beside) and first_too and not last_too
    is_own = not _ITEM.match(line) and any(n < last for n in old.last_lines.values())
    if pictured or (joined and not _ITEM.match(old.lines[following]) and is_own):
        yield f"line {last + 1} stood above the entry of line {following + 1}: {line.strip()[:100]}"


def _blocks(before: str, after: str, mentions: Sequence[Mention], new: Page, words: Sequence[int]) -> Iterator[str]:
    heads = {mention.last_line - mention.text.count("\n") - 1 for mention in mentions}
    old_blocks = Counter(blocks(before, heads))
    shared = {line for _, line in blocks(after, set(range(len(new.lines))))}  # the lines of all blocks, at any depth
    new_blocks = Counter(blocks(after, set()))
    for depth, text in old_blocks:
        if old_blocks[depth, text] > new_blocks[depth, text] and not (depth < 0 and text in shared):
            yield f"a block has other words or depth ({depth}): {text[:100]!r}"
    titles = {mention.text.strip()[:60] for mention in mentions}
    inside = [item for item in _items(after) if words and item[0] < words[0] < item[1]]
    for first, _ in inside:
        line = new.lines[first].strip()
        if any(line.startswith(title) for title in titles if title):
            yield f"it stands inside the item of an old entry: {line[:100]}"


def blocks(text: str, heads: set[int]) -> Iterator[tuple[int, str]]:
    """Yields each block of a text with words: how deep it stands, and its words without numbers in front.

    Of one in which several of the lines `heads` stand, as of HTML, each line is yielded, with -1.
    """
    depth = 0
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        depth += token.nesting
        if token.type in ("inline", "html_block", "fence", "code_block"):
            is_shared = token.type == "html_block" or len(heads & set(range(*(token.map or (0, 0))))) > 1
            for line in token.content.split("\n") if is_shared else [token.content]:
                yield -1 if is_shared else depth, _NUMBER.sub(r"\1N", line.strip())


def _items(text: str) -> list[tuple[int, int]]:
    tokens = MarkdownIt("commonmark").parse(text)
    return [(token.map[0], token.map[1]) for token in tokens if token.type == "list_item_open" and token.map]


def lists_of(shared: Path) -> dict[str, Path]:
    """Returns the lists below a folder by name."""
    files = [*shared.glob("lists/*.txt"), *shared.glob("practice/*.md"), *shared.glob("corpus/positive/*.md")]
    return {path.stem: path for path in sorted(files) if path.name != "README.md"}


def papers_of(shared: Path) -> list[PaperFacts]:
    """Returns the papers of the facts with all their people."""
    rows = [row for name in ("papers.jsonl", "practice.jsonl") for row in read_labels(shared / "facts" / name)]
    papers = [facts_of(row) for row in rows]
    return [paper for paper in papers if paper.authors and (paper.arxiv_id or paper.doi) and paper.year]


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("shared", type=Path, nargs="?", default=Path("../shared"))
    arguments.add_argument("--additions", type=int, default=1000)
    arguments.add_argument("--seed", default="extents")
    arguments.add_argument("--only", help="a part of a list's name")
    arguments.add_argument("--show", action="store_true", help="print each damage and refusal")
    options = arguments.parse_args()
    shared = options.shared.resolve()
    files, papers = lists_of(shared), papers_of(shared)
    each = -(-options.additions // len(files))
    counted: Counter[str] = Counter()
    for name, path in files.items():
        if options.only is None or options.only in name:
            for kind, words in _try_list(path, papers, each, random.Random(f"{options.seed} {name}")):
                counted[kind] += 1
                if options.show:
                    sys.stdout.write(f"{kind} {name}: {words}\n")
        sys.stdout.flush()
    print(f"{counted.total()} additions to {len(files)} lists: {dict(counted)}; {time.process_time():.0f} s")


def _try_list(path: Path, papers: Sequence[PaperFacts], each: int, draw: random.Random) -> Iterator[tuple[str, str]]:
    text = decode_list(path.read_bytes(), name=path.name)
    mentions = parse_reading_list(text).mentions
    sections = sorted({mention.section for mention in mentions})
    for _ in range(each if sections else 0):
        section, paper = draw.choice(sections), draw.choice(papers)
        heading = " > ".join(section) or None
        try:
            change = addition(text, paper, mentions=mentions, section=heading)
        except UsageError as error:
            yield "refused", f"{heading} + {paper.title[:40]}: {error}"
            continue
        except EditConflict as error:
            yield "crashed", f"{heading} + {paper.title[:40]}: {error}"
            continue
        found = damage(text, apply_edits(text, change.edits), mentions)
        written = change.edits[0].replacement.strip()
        yield ("damage" if found else "sound"), f"{change.line} {written[:150]!r} {'; '.join(found)}"


if __name__ == "__main__":
    main()
