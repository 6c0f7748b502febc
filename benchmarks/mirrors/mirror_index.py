"""The index of a mirror beside one DuckDB file of the same postings, sorted by term: looking up, and an update.

    python -m benchmarks.mirrors.mirror_index [--rows 300000] [--titles 2000]

Both ways look the same titles up in turn and must find the same papers. An update of one row in a hundred is taken
three times; the DuckDB file is sorted anew for it, as appended postings would lie outside the order. Times are of the
processor, medians, so that other work on the machine does not count.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import duckdb

from benchmarks.mirrors.mirror import BACKGROUND, _import, _mentions
from benchmarks.mirrors.mirror_dump import write_dump
from sources.services.dumps import ARXIV_FIELDS
from warehouse.mirrors import MirrorFolder, updating
from warehouse.mirrors.lookup import _FEW, Lookup
from warehouse.tables.schema import parquet


class FileLookup(Lookup):
    """Looks up in the postings of one DuckDB file."""

    file: Path

    def _postings(self, connection: duckdb.DuckDBPyConnection) -> None:
        connection.execute(f"ATTACH IF NOT EXISTS '{self.file}' AS postings (READ_ONLY)")
        terms = [str(term) for (term,) in connection.execute("SELECT DISTINCT term FROM asked").fetchall()]
        wanted = ", ".join(terms) if 0 < len(terms) <= _FEW else "SELECT DISTINCT term FROM asked"
        gone = parquet([self._folder.index(self._release, 0) / "superseded.parquet"])
        connection.execute(
            "CREATE OR REPLACE TEMP TABLE touched AS SELECT term, position FROM postings.terms"
            f" WHERE term IN ({wanted}) AND position NOT IN (SELECT position FROM {gone})"
        )


def cpu_s(function: Callable[[], Any]) -> tuple[float, Any]:
    began = time.process_time()
    made = function()
    return time.process_time() - began, made


def sort_file(source: str, target: Path) -> None:
    with duckdb.connect(str(target)) as connection:
        connection.execute("SET enable_progress_bar=false")
        connection.execute(f"CREATE TABLE terms AS FROM ({source}) ORDER BY term, position")


def look_up(ways: list[Lookup], batches: list[list[str]]) -> list[float]:
    took: list[list[float]] = [[] for _ in ways]
    for titles in batches:
        found = []
        for spent, way in zip(took, ways, strict=True):
            seconds, papers = cpu_s(lambda way=way, titles=titles: way.by_titles(titles))
            spent.append(seconds)
            found.append(json.dumps(papers, default=str))
        assert len(set(found)) == 1, "both ways find the same papers"
    return [statistics.median(spent) for spent in took]


def update(folder: MirrorFolder, files: list[Path]) -> float:
    """Returns the processor's seconds that an update spends on the index."""
    spent = [0.0]

    def measured(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            seconds, made = cpu_s(lambda: real(*arguments, **options))
            spent[-1] += seconds
            return made

        return call

    for name in ("index_blocks", "write_superseded", "_merged"):
        setattr(updating, name, measured(getattr(updating, name)))
    for file in files:
        updating.apply_update(folder, updating.Update(files=(file,), deleted=(), told_at=datetime.now(UTC)))
        spent.append(0.0)
    return statistics.median(spent[:-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--titles", type=int, default=2_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        dump, file = work / "dump.jsonl", work / "index.duckdb"
        write_dump(options.rows, dump, BACKGROUND, source="arxiv")
        _import(dump, work, Path("arxiv"))
        folder = MirrorFolder(work / "arxiv")
        release = folder.release
        assert release is not None
        terms = folder.terms(release, 0)
        sort_file(f"SELECT term::UINTEGER AS term, position FROM {parquet(terms)}", file)
        fields = [field for field in ARXIV_FIELDS if field != "abstract"]
        in_file = FileLookup(folder, release, fields)
        in_file.file = file
        titles = [each["title"] for each in _mentions(dump, options.titles)]
        ways = [Lookup(folder, release, fields), in_file]
        for what, batches in (
            ("one title", [[title] for title in titles[:40]]),
            (f"{len(titles)} titles", [titles] * 5),
        ):
            today, other = look_up(ways, batches)
            print(f"{what}: {today:.3f} s, in one DuckDB file {other:.3f} s: {other / today:.2f} times")
        print(f"size: {sum(item.stat().st_size for item in terms) / 1e6:.1f} MB, {file.stat().st_size / 1e6:.1f} MB")
        anew, _ = cpu_s(lambda: sort_file(f"FROM {parquet(terms)}", work / "anew.duckdb"))
        files = [work / f"part-{number}.jsonl" for number in range(3)]
        with dump.open() as stream:
            lines = "".join(islice(stream, options.rows // 100))
        for part in files:
            part.write_text(lines)
        today = update(folder, files)
        print(f"update of 1 % of the rows: {today:.3f} s, the file sorted anew {anew:.3f} s: {anew / today:.1f} times")
        release = folder.release
        newest = sum(item.stat().st_size for item in folder.indexes(release)[-1].iterdir()) if release else 0
        print(f"written: {newest / 1e6:.1f} MB, {file.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
