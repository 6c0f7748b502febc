"""Requests of cold refreshes of the four labelled lists with mirrors, counted at the stand-ins, and what they found.

    .venv/bin/python -m benchmarks.mirrors.mirror_requests [../shared] [--without-labelled]

The dumps are the stand-ins' own library: facts, background, and the labelled papers that those lack. Measured without
a mirror, with arXiv's whole dump, with both whole dumps, and with both a year old, so that counts must be asked anew.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.matching.accuracy import _labels, _verdicts, missing_facts
from flows.progress import Silent, Stopwatch
from flows.refresh.pipeline import refresh_lake
from flows.refresh.reading import read_and_parse
from flows.settings import Settings
from standins import StandIns
from standins.catalogue.dumps import papers, write_arxiv, write_s2
from warehouse.mirrors import MirrorFolder
from warehouse.mirrors.importing import Dump, import_dump


def main() -> None:
    shared = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared").resolve()
    lists = sorted((shared / "lists").glob("*.txt"))
    labels = {path.name: _labels(shared / "gold" / f"{path.name[:3]}.jsonl") for path in lists}
    practice = {path.stem: _labels(path) for path in sorted((shared / "practice").glob("*.jsonl"))}
    added = missing_facts(shared, labels | practice)
    with tempfile.TemporaryDirectory() as folder, StandIns([shared / "facts"]) as standins:
        standins.add(added)
        dumps = {"arxiv": Path(folder) / "arxiv.jsonl", "s2-papers": Path(folder) / "s2.jsonl"}
        print("arXiv rows:", write_arxiv(papers([shared / "facts"], added=added), dumps["arxiv"]))
        print("S2 rows:", write_s2(papers([shared / "facts"], added=added), dumps["s2-papers"]))
        for name, sources in (
            ("no mirror", ()),
            ("arXiv's whole dump", ("arxiv",)),
            ("both whole dumps", ("arxiv", "s2-papers")),
        ):
            with tempfile.TemporaryDirectory() as lake:
                for source in sources:
                    release = import_dump(
                        MirrorFolder(Path(lake) / "lake" / "mirror" / source),
                        Dump(source=source, files=(dumps[source],)),
                    )
                    print(
                        f"  {source}: {release.rows} rows, {release.refused} refused, {release.duplicates} duplicates"
                    )
                measure(name, lists, labels, Path(lake) / "lake", standins)


def measure(name: str, lists: Sequence[Path], labels: dict, lake: Path, standins: StandIns) -> int:
    """Prints what a cold and a warm refresh ask, and returns the requests of the cold one."""
    told = {key.removeprefix("PAPERLAKE_").lower(): value for key, value in standins.env().items()}
    settings = Settings(lake=lake, **told)
    asked = []
    for _ in range(2):
        standins.clear_log()
        parsed = read_and_parse([str(path) for path in lists], settings.place)
        summary = refresh_lake(parsed, settings, run_batch=lambda _, call: call(), report=Silent(), clock=Stopwatch())
        asked.append(Counter(f"{line['service']} {line['endpoint']}" for line in standins.requests()))
    verdicts, wrong = _verdicts(lake, labels, {path.name for path in lists})
    kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(verdicts.items()))
    print(f"{name}: {asked[0].total()} requests cold {dict(asked[0])}, {asked[1].total()} warm; labelled: {kinds}")
    print(
        f"  {summary.resolved} resolved, {summary.ambiguous} ambiguous, {summary.not_found} not found;"
        f" {dict(summary.methods)}"
    )
    for line in wrong:
        print(f"  {line}")
    return asked[0].total()


if __name__ == "__main__":
    main()
