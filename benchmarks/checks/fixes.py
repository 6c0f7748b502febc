"""What mending a long list costs beside parsing it, with faults claimed of every entry.

    python -m benchmarks.checks.fixes [--full]

`paperlake fix` reads the list again with its edits before it offers them, so a few readings are its floor. Times are
processor time.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.figure import Figure, run
from sources.lists.checks.findings import CODES, CheckedEntry, ListFinding, PaperFacts, Publication
from sources.lists.edits.edits import Change
from sources.lists.edits.fixes import changes_of
from sources.lists.edits.sound import settled_changes
from sources.lists.reading import parse_reading_list

_TITLES = Path(__file__).parents[2] / "standins" / "trials" / "titles.tsv"
_VENUES = ("ICLR", "NeurIPS", "ICML", "KDD", "SIGMOD")
_CLAIMED = ("published-version", "missing-link")
_SECTION = 50


def long_list(size: int) -> str:
    """Returns a list of `size` entries of our own making, some without link, year or venue, many links with http."""
    draw = random.Random(12)
    titles = [line.split("\t")[3] for line in _TITLES.read_text(encoding="utf-8").splitlines()]
    lines = ["# Papers"]
    for number in range(size):
        if number % _SECTION == 0:
            lines.append(f"\n## Part {number // _SECTION + 1}\n")
        title = f"{draw.choice(titles)} and {draw.choice(titles)}"
        name = title if number % 9 == 4 else f"[{title}](http://arxiv.org/abs/1901.{number:05})"
        place = (f", {draw.choice(_VENUES)} {2015 + number % 9}", f", {2015 + number % 9}", "")[number % 13 // 11]
        lines.append(f"- {name}{place}")
    return "\n".join([*lines, ""])


def _mended(text: str) -> list[Change]:
    entries = [
        _known(CheckedEntry(mention=mention), at) for at, mention in enumerate(parse_reading_list(text).mentions)
    ]

    def mend(current: str, its_entries: Sequence[CheckedEntry]) -> list[Change]:
        return changes_of(current, its_entries, [item for entry in its_entries for item in _claims(entry)])[0]

    return settled_changes(text, entries, mend)


def _known(entry: CheckedEntry, number: int) -> CheckedEntry:
    mention = entry.mention
    year = mention.year or 2019
    published = (Publication(source="dblp", venue=mention.venue or _VENUES[number % 5], year=year),)
    paper = PaperFacts(
        paper_id=f"p{number}",
        title=mention.title or "",
        year=year,
        arxiv_id=f"1901.{number:05}",
        publications=published,
    )
    return CheckedEntry(mention=mention, paper=paper, unasked=False)


def _claims(entry: CheckedEntry) -> Iterator[ListFinding]:
    line, last = entry.mention.line, entry.mention.last_line
    for code in _CLAIMED:
        yield ListFinding(code=code, level=CODES[code].level, line=line, last_line=last, message=code)


def figures(*, full: bool) -> Iterator[Figure]:
    """Yields the time of mending lists of two sizes beside that of parsing them, for `make bench`."""
    for size in (1_000, 4_000) if full else (1_000, 2_000):
        text = long_list(size)
        parse_reading_list(text)
        began = time.process_time()
        parse_reading_list(text)
        parsed = time.process_time()
        changes = _mended(text)
        mended = time.process_time()
        if len(changes) < size / 2:
            raise SystemExit(f"only {len(changes)} of {size} entries were mended")
        yield Figure(
            name=f"a list of {size:,} entries mended, {len(changes):,} changes, processor time",
            value=mended - parsed,
            unit="s",
            beside="parsing it",
            plain=parsed - began,
            bar=8.0,
        )


if __name__ == "__main__":
    run(figures, __doc__)
