"""OpenAlex's title search on labelled lists: papers without arXiv identifier that only OpenAlex has, in refreshes.

    .venv/bin/python -m benchmarks.matching.title_searches [../shared]

Semantic Scholar is left without those labelled papers that have a DOI and no arXiv identifier; OpenAlex has them among
all the papers of the background. All labelled lists are refreshed, without OpenAlex and with it, and with it once more.
What OpenAlex has added is held against the labels. The exit code is 1 where a mention got another paper.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from sources.bibliography.titles import title_key
from standins import StandIns
from standins.trials.bench import Bench

_ROWS = (
    "SELECT l.location, m.line, m.title AS written, m.status, p.doi, p.arxiv_id, p.title "
    "FROM mentions m JOIN reading_lists l USING (list_id) LEFT JOIN papers p USING (paper_id)"
)
_NEAR = 2
"""Lines between a label and its mention."""

Row = dict[str, Any]


def main() -> None:
    shared = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared")
    lists = [str(path) for path in (*(shared / "lists").glob("*.txt"), *(shared / "practice").glob("*.md"))]
    labels = list(_labels(shared))
    with StandIns([shared / "facts"]) as standins, tempfile.TemporaryDirectory() as folder:
        alone = [label for label in labels if _left_to_openalex(standins, label)]
        rows: dict[bool, list[Row]] = {}
        for asked in (False, True):
            bench = Bench(Path(folder) / str(asked), standins.env(openalex=asked))
            for turn in ("first", "second") if asked else ("first",):
                run = bench.refresh(*sorted(lists), force=True)
                print(f"OpenAlex {'asked' if asked else 'left out'}, {turn} refresh: {run.resolved} of {run.mentions} "
                      f"mentions resolved, {run.failed} failed; requests {run.requests}")  # fmt: skip
            rows[asked] = bench.rows(_ROWS)
    right = sum(any(_is_of(row, label) for row in _near(rows[True], label)) for label in alone)
    before = {(row["location"], row["line"], row["written"]) for row in rows[False] if row["status"] == "resolved"}
    resolved = [row for row in rows[True] if row["status"] == "resolved"]
    added = [row for row in resolved if (row["location"], row["line"], row["written"]) not in before]
    wrong = [row for row in added if not any(_is_of(row, label) for label in labels if row in _near([row], label))]
    print(f"{right} of {len(alone)} papers found; {len(added)} more mentions resolved, {len(wrong)} to another paper")
    for row in wrong:
        print(f"  {Path(row['location']).name}:{row['line']} {row['written']!r} -> {row['title']!r}")
    sys.exit(1 if wrong else 0)


def _labels(shared: Path) -> list[Row]:
    files = sorted([*(shared / "gold").glob("*.jsonl"), *(shared / "practice").glob("*.jsonl")])
    return [{**json.loads(line), "list": path.stem} for path in files for line in path.read_text("utf-8").splitlines()]


def _left_to_openalex(standins: StandIns, label: Row) -> bool:
    """Returns whether a label is of a paper with DOI and without arXiv identifier, which only OpenAlex has then."""
    if label["kind"] != "paper" or label["arxiv_id"] or not label["doi"]:
        return False
    try:
        standins.leave_to_arxiv([label["doi"]])
    except ValueError:  # the background does not have it
        return False
    return True


def _near(rows: list[Row], label: Row) -> list[Row]:
    own = [row for row in rows if Path(row["location"]).stem.startswith(label["list"])]
    return [row for row in own if abs(row["line"] - label["line"]) <= _NEAR]


def _is_of(row: Row, label: Row) -> bool:
    same_doi = label["doi"] and (row["doi"] or "").lower() == label["doi"].lower()
    same_arxiv_id = label["arxiv_id"] and row["arxiv_id"] == label["arxiv_id"]
    return bool(same_doi or same_arxiv_id or title_key(row["title"] or "") == title_key(label["title"]))


if __name__ == "__main__":
    main()
