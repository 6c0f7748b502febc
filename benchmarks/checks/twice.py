"""What `paperlake fix` does to real lists, held against a reading of their lines that knows nothing of its edits.

    .venv/bin/python -m benchmarks.checks.twice [../shared] [--part N/M] [--only KIND ...] [--show]

Each list is mended, annotated in each way, and each of its sections is sorted. What is known of a paper is what the
facts have; of others, that they are what the entry says and have an arXiv identifier made of their title. Then:

- a second run changes nothing;
- mended: a line is the same or has the same links, images, words in code and number of cells;
- annotated: without the marks and what stands between them, or the column below them, the list is the same byte for
  byte, and each value stands on the line of its paper;
- sorted: the lines are the same in another order, and every line that is no entry's first, such as a note or a
  picture, stands with the same entry as before.

It counts what `fix` leaves out, too. It ends with 1 where something is otherwise.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, get_args

from benchmarks.checks.additions import known_papers
from flows.list_changes import Work, changed_list
from sources.bibliography.titles import title_key
from sources.errors import UsageError
from sources.lists.checks.findings import CheckedEntry, PaperFacts
from sources.lists.edits.annotations import Kind, Look
from sources.lists.edits.edits import Change, apply_edits, edits_of
from sources.lists.edits.places import shown_section
from sources.lists.local_files import decode_list
from sources.lists.locations import ListDocument
from sources.lists.reading import parse_reading_list
from sources.records import Mention

LOOKS: tuple[Look | None, ...] = (None, *get_args(Look))
ANNOTATIONS = [(kind, look) for kind in get_args(Kind) for look in LOOKS]
ORDERS = ("year", "title")
_MOST_SECTIONS = 8
_MARK = re.compile(r" <!-- paperlake:\w+ -->(.*?)<!-- /paperlake -->")
_HEAD = re.compile(r"<!-- paperlake:\w+ -->")
_LINK = re.compile(r"https?://[^\s()<>\[\]\"'|]+", re.IGNORECASE)
_IMAGE = re.compile(r"!\[[^\]]*\]|<img\b|`[^`]+`", re.IGNORECASE)
# Or a link back to the page's top, or words in bold alone, which are a heading.
_ITEM_OR_RULE = re.compile(r"[-*+>] |[-*_]{3,}\s*$|#+[.)]|<|\[.*\]\(#|\*\*[^*]+\*\*:?\s*$")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{3,})\s*$")
_NUMBER = re.compile(r"\d+(?=[.)\]、])")


class Fault(NamedTuple):
    """Something that should not be."""

    kind: str
    line: int
    what: str


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("shared", type=Path, nargs="?", default=Path("../shared"))
    arguments.add_argument("--part", default="0/1", help="every M-th list, from the N-th on")
    arguments.add_argument("--only", nargs="+", choices=_TRIALS, default=[*_TRIALS], help="these alone")
    arguments.add_argument("--show", action="store_true", help="print the lines at fault")
    options = arguments.parse_args()
    number, parts = map(int, options.part.split("/"))
    shared = options.shared.resolve()
    papers = known_papers(shared)
    total: Counter[str] = Counter()
    for path in lists_of(shared)[number::parts]:
        began = time.process_time()
        text = decode_list(path.read_bytes(), name=path.name)
        counted: Counter[str] = Counter()
        faults = [fault for kind in options.only for fault in _TRIALS[kind](text, papers, counted)]
        counted["lists"] += 1
        counted["lists with a fault"] += bool(faults)
        counted.update(fault.kind for fault in faults)
        print(f"{path.name}: {len(faults)} faults, {time.process_time() - began:.1f} s, {_told(counted)}", flush=True)
        if options.show:
            print(*(f"  {fault.kind} {fault.line}: {fault.what[:300]}" for fault in faults), sep="\n", flush=True)
        total += counted
    print(_told(total))
    return bool(total["lists with a fault"])


def lists_of(shared: Path) -> list[Path]:
    """Returns the real lists of ../shared."""
    paths = [*shared.glob("lists/*.txt"), *shared.glob("practice/*.md"), *shared.glob("corpus/positive/*")]
    return sorted(path for path in paths if path.name != "README.md")


def _told(counted: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in sorted(counted.items()) if number)


def entries_of(text: str, papers: Mapping[str, PaperFacts]) -> list[CheckedEntry]:
    """Returns the entries of a list with what is known of their papers."""
    mentions = parse_reading_list(text).mentions
    return [CheckedEntry(mention=each, paper=_paper(each, papers), unasked=False) for each in mentions]


def _paper(mention: Mention, papers: Mapping[str, PaperFacts]) -> PaperFacts:
    key = title_key(mention.title or "") or str(mention.line)
    known = next((papers[each] for each in (mention.arxiv_id, mention.doi, key) if each and each in papers), None)
    if known is not None:
        return replace(known, open_citation_count=_made(known.title), code_url=_code(known.title))
    return PaperFacts(
        paper_id=key,
        title=mention.title or "A Paper",
        year=mention.year,
        arxiv_id=mention.arxiv_id or f"19{_made(key) % 12 + 1:02}.{_made(key) % 100_000:05}",
        open_citation_count=_made(key),
        code_url=_code(key),
    )


def _made(key: str) -> int:
    return int(sha256(key.encode()).hexdigest()[:6], 16)


def _code(key: str) -> str:
    return f"https://github.com/lab/code-{_made(key)}"


def _run(text: str, papers: Mapping[str, PaperFacts], work: Work) -> tuple[str, Sequence[Change], Sequence[Change]]:
    """Returns a list as `fix` leaves it, with its changes, and those that were left out."""
    document = ListDocument(location="/list.md", text=text, revision="")
    changed = changed_list(document, (), entries_of(text, papers), (), work)
    return apply_edits(text, edits_of(changed.changes)), changed.changes, changed.left_out


def _again(new: str, papers: Mapping[str, PaperFacts], work: Work, kind: str) -> Iterator[Fault]:
    try:
        changes = _run(new, papers, work)[1]
    except UsageError as error:
        yield Fault(f"{kind} refused afterwards", 0, str(error))
        return
    for change in changes:
        where = change.edits[0]
        line = new.count("\n", 0, where.start) + 1
        shown = [(new[edit.start : edit.end], edit.replacement) for edit in change.edits][:3]
        yield Fault(f"{kind} twice", line, f"{change.code}: {change.message}: {shown} {new.split(chr(10))[line - 1]}")


def mended(text: str, papers: Mapping[str, PaperFacts], counted: Counter[str]) -> Iterator[Fault]:
    """Yields what is wrong with a list after `fix --write`."""
    new, changes, left_out = _run(text, papers, Work())
    counted.update({"mended": len(changes), "left out": len(left_out)})
    before, after = text.split("\n"), new.split("\n")
    if len(before) != len(after):
        yield Fault("mend lines", 0, f"{len(before)} lines became {len(after)}")
    edited = {text.count("\n", 0, edit.start) for edit in edits_of(changes)}
    for at, (old, now) in enumerate(zip(before, after, strict=False)):
        if old != now and at not in edited:
            yield Fault("mend outside", at + 1, now)
        if old != now and (fault := _lost(old, now)):
            yield Fault(fault, at + 1, f"{old}\n    -> {now}")
    yield from _again(new, papers, Work(), "mend")


def _lost(old: str, now: str) -> str | None:
    """Returns what a line lost that no mending takes away."""
    links = [_present(match[0]) for match in _LINK.finditer(old)]
    kept = Counter(_present(match[0]) for match in _LINK.finditer(now))
    if any(count > kept[link] for link, count in Counter(links).items()):
        return "mend lost a link"
    if Counter(_IMAGE.findall(old)) - Counter(_IMAGE.findall(now)):
        return "mend lost an image"
    is_row = old.lstrip().startswith("|")
    return "mend changed cells" if is_row and len(_cells(old)) != len(_cells(now)) else None


def _present(url: str) -> str:
    return re.sub(r"^http:|(?<=//)(?:www\.)?dx\.(?=doi\.org)", "", url.replace("https:", "http:", 1)).rstrip(".,;")


def _cells(row: str) -> list[str]:
    """Returns the words of the cells of a row, read sign by sign."""
    cells, current, is_escaped = [], "", False
    for sign in row.strip():
        if sign == "|" and not is_escaped:
            cells.append(current)
            current = ""
        else:
            current += sign
        is_escaped = sign == "\\" and not is_escaped
    cells = [*cells, current]
    first, last = row.strip().startswith("|"), len(cells) > 1 and not cells[-1].strip()
    return [cell.strip() for cell in cells[first : len(cells) - last]]


def annotated(text: str, papers: Mapping[str, PaperFacts], counted: Counter[str]) -> Iterator[Fault]:
    """Yields what is wrong with a list after `fix --annotate`."""
    known = {each.mention.line: each for each in reversed(entries_of(text, papers))}
    for kind, look in ANNOTATIONS:
        work = Work(annotate=kind, look=look)
        new, changes, _ = _run(text, papers, work)
        counted["annotated"] += len(changes)
        before, after = text.split("\n"), new.split("\n")
        if len(before) != len(after):
            yield Fault("annotate lines", 0, f"{kind}: {len(before)} lines became {len(after)}")
            continue
        yield from _shown_rightly(before, after, known, kind)
        if new != text:
            yield from _again(new, papers, work, f"annotate {kind}")


def _shown_rightly(
    before: Sequence[str], after: Sequence[str], known: Mapping[int, CheckedEntry], kind: Kind
) -> Iterator[Fault]:
    column, width = None, 0
    for at, (old, now) in enumerate(zip(before, after, strict=True)):
        is_head = old != now and _HEAD.search(_MARK.sub("", now)) is not None
        if is_head:
            column, width = _column(now), len(_cells(old))
        elif "|" not in now:
            column = None
        if old != now:
            yield from _shown_on(at + 1, old, now, column, width)
            values = _MARK.findall(now) if column is None else _cells(now)[column : column + 1]
            entry = known.get(at + 1)
            is_told = entry is not None and any(_tells(value, entry.paper, kind) for value in values)
            if not (is_told or is_head or not "".join(values).strip(":- ")):
                yield Fault("annotate on another line", at + 1, now)


def _column(head: str) -> int:
    return next(number for number, cell in enumerate(_cells(head)) if _HEAD.search(cell))


def _shown_on(number: int, old: str, now: str, column: int | None, width: int) -> Iterator[Fault]:
    """Yields what else differs on a line than that something is shown there."""
    if column is None:
        if len(_MARK.findall(now)) != 1 or _MARK.sub("", now) != old:
            yield Fault("annotate changed a line", number, f"{old}\n    -> {now}")
        return
    had, have = _cells(old), _cells(now)
    had += [""] * (width - len(had))
    have += [""] * (column + 1 - len(have))  # a bar at the end of a row begins no cell
    if have[:column] + have[column + 1 :] != had:
        yield Fault("annotate moved a cell", number, f"{old}\n    -> {now}")


def _tells(value: str, paper: PaperFacts | None, kind: Kind) -> bool:
    if paper is None:
        return False
    if kind == "citations":
        return str(paper.open_citation_count) in value.replace(",", "")
    return (paper.code_url if kind == "code" else f"bibtex/{paper.arxiv_id}") in value


def sorted_sections(text: str, papers: Mapping[str, PaperFacts], counted: Counter[str]) -> Iterator[Fault]:
    """Yields what is wrong with a list after `fix --sort`, section by section."""
    entries = entries_of(text, papers)
    sizes = Counter(shown_section(entry.mention.section) for entry in entries if entry.mention.section)
    sections = [name for name, size in sizes.items() if size > 1][:_MOST_SECTIONS]
    for section in sections:
        for order in ORDERS:
            work = Work(sort=order, section=section)
            try:
                new, changes, _ = _run(text, papers, work)
            except UsageError as error:
                counted["sort refused"] += 1
                counted[f"refused: {re.sub(r'[0-9]+|“.*”', '', str(error))[:40]}"] += 1
                continue
            counted["sorted" if changes else "in order"] += 1
            if changes:
                yield from _moved_rightly(text, new, [entry.mention for entry in entries])
                yield from _again(new, papers, work, "sort")


def _moved_rightly(text: str, new: str, mentions: Sequence[Mention]) -> Iterator[Fault]:
    before, after = text.split("\n"), new.split("\n")
    if Counter(map(_plain, before)) != Counter(map(_plain, after)):
        yield Fault("sort changed a line", 0, f"{(Counter(map(_plain, before)) - Counter(map(_plain, after)))}")
        return
    firsts = {_plain(before[mention.last_line - mention.text.count("\n") - 1]) for mention in mentions}
    owners, now = _owners(before, firsts), _owners(after, firsts)
    for (line, owner), number in (owners - now).items():
        yield Fault("sort parted a line from its entry", number, f"{line} <- {owner}")


def _plain(line: str) -> str:
    """Returns a line without the number before its entry, which stays at its place."""
    return _NUMBER.sub("#", line.strip("\r"), count=1)


def _owners(lines: Sequence[str], firsts: set[str]) -> Counter[tuple[str, str]]:
    """Returns every line that is no entry's first with the line of the entry that it belongs to.

    That is the one above it where it is indented below that, or is no item and no rule of its own.
    """
    owned: Counter[tuple[str, str]] = Counter()
    owner, indent, is_joined = "", 0, False
    plain = [*map(_plain, lines)]
    for line, following in zip(plain, [*plain[1:], ""], strict=True):
        depth = len(line) - len(line.lstrip())
        is_heading = line.lstrip().startswith("#") or _UNDERLINE.match(following) is not None
        if line in firsts and (depth <= indent or not owner or not is_joined):
            owner, indent, is_joined = line, depth, True
        elif is_heading or (not line.strip() and not is_joined):
            owner = "" if is_heading else owner
        elif not line.strip():
            is_joined = True
        elif owner and depth <= indent and _ITEM_OR_RULE.match(line.lstrip()):
            owner = ""  # an item that is no entry, with what is below it
        elif owner and (depth > indent or (is_joined and not _ITEM_OR_RULE.match(line))):
            owned[line, owner] += 1
    return owned


_TRIALS = {"mend": mended, "annotate": annotated, "sort": sorted_sections}

if __name__ == "__main__":
    sys.exit(main())
