"""Accuracy and requests of whole refreshes over the labelled lists, against the stand-ins with their full background.

    .venv/bin/python -m benchmarks.accuracy [../shared]

Labelled papers that the facts lack are added to the stand-ins. Of the mentions labelled with an arXiv identifier it
counts those resolved to it, to another record of its title (the background has some papers twice, once without
identifier), to another paper, and not resolved; and what the refreshes asked, beside one request a paper and service.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

from flows.pipeline import refresh_lake
from flows.progress import Silent
from flows.revisions import read_and_parse
from flows.settings import Settings
from flows.stopwatch import Stopwatch
from sources.matching.titles import title_key
from tests.standins import StandIns
from warehouse.lake import LakePlace, open_lake

_WANTED = """
SELECT l.location, m.line, m.title, m.status, m.method, p.arxiv_id, p.title AS paper
FROM mentions m JOIN reading_lists l USING (list_id) LEFT JOIN papers p USING (paper_id)
"""


def main() -> None:
    shared = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared").resolve()
    gold = {path.stem: path for path in (shared / "gold").glob("*.jsonl")}
    practice = {path.stem: path for path in (shared / "practice").glob("*.jsonl")}
    four = sorted((shared / "lists").glob("*.txt"))
    thirteen = [path.with_suffix(".md") for path in sorted(practice.values())]
    labels = {path.name: _labels(gold[path.name[:3]]) for path in four}
    labels |= {path.with_suffix(".md").name: _labels(path) for path in practice.values()}
    with StandIns([shared / "facts"]) as standins:
        standins.add(_missing(shared, labels))
        for name, lists in (("the four lists", four), ("the practice lists", thirteen)):
            with tempfile.TemporaryDirectory() as folder:
                _measure(name, lists, labels, Path(folder), standins)


def _measure(name: str, lists: list[Path], labels: dict[str, list[dict]], folder: Path, standins: StandIns) -> None:
    told = {key.removeprefix("PAPERLAKE_").lower(): value for key, value in standins.env().items()}
    settings = Settings(lake=folder / "lake", **told)
    asked = []
    for _ in range(2):
        standins.clear_log()
        parsed = read_and_parse([str(path) for path in lists], settings.place)
        summary = refresh_lake(parsed, settings, run_batch=lambda _, call: call(), report=Silent(), clock=Stopwatch())
        asked.append(len(standins.requests()))
    verdicts, wrong = _verdicts(folder / "lake", labels, {path.name for path in lists})
    total = sum(verdicts.values())
    shares = ", ".join(f"{kind} {count} ({count / total:.1%})" for kind, count in sorted(verdicts.items()))
    print(f"{name}: {total} mentions labelled with an arXiv identifier: {shares}")
    print(f"  requests: {asked[0]} cold, {asked[1]} warm; one a paper would be {summary.mentions * 2}")
    for line in wrong:
        print(f"  {line}")


def _verdicts(lake: Path, labels: dict[str, list[dict]], names: set[str]) -> tuple[Counter, list[str]]:
    connection = open_lake(LakePlace.of(lake))
    rows = connection.execute(_WANTED).to_arrow_table().to_pylist()
    connection.close()
    counted: Counter[str] = Counter()
    shown = []
    for name in sorted(names):
        for label in labels[name]:
            if not label["arxiv_id"] or label["kind"] != "paper":
                continue
            near = [r for r in rows if Path(r["location"]).name == name and abs(r["line"] - label["line"]) <= 2]
            verdict = _verdict(label, near)
            counted[verdict] += 1
            if verdict != "right":
                said = [
                    (row["title"], row["status"], row["arxiv_id"], row["paper"])
                    for row in near
                    if row["line"] == label["line"]
                ]
                shown.append(f"{verdict}: {name}:{label['line']} {label['arxiv_id']} {label['title']!r} {said[:2]}")
    return counted, shown


def _verdict(label: dict, near: list[dict]) -> str:
    if any(row["arxiv_id"] == label["arxiv_id"] for row in near):
        return "right"
    own = [row for row in near if row["line"] == label["line"]]
    if not own:
        return "unread"
    if any(title_key(row["paper"] or "") == title_key(label["title"]) for row in own):
        return "another record of the same title"
    return "wrong" if all(row["status"] == "resolved" for row in own) else own[0]["status"]


def _missing(shared: Path, labels: dict[str, list[dict]]) -> list[dict]:
    """Returns the labelled papers that the facts lack, as facts: title, identifier, year."""
    import pyarrow.parquet as pq

    known = {row["arxiv_id"] for row in map(json.loads, (shared / "facts" / "papers.jsonl").open(encoding="utf-8"))}
    known |= set(pq.read_table(shared / "facts" / "background.parquet", columns=["arxiv_id"])["arxiv_id"].to_pylist())
    rows = {row["arxiv_id"]: row for each in labels.values() for row in each if row["arxiv_id"]}
    return [
        {"title": row["title"], "authors": [], "arxiv_id": arxiv_id, "doi": row["doi"], "year": row["year"]}
        for arxiv_id, row in rows.items()
        if arxiv_id not in known
    ]


def _labels(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


if __name__ == "__main__":
    main()
