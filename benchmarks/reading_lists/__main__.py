"""Scores readers of reading lists on the benchmark's 379 labelled lists: `make benchmark-lists`.

The texts are fetched from the commits they were labelled at, once, and held to their checksums. Nothing else is asked.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.reading_lists.agreement import agreement
from benchmarks.reading_lists.readers import READERS, left_out
from benchmarks.reading_lists.texts import FOLDER, SETS, read_sources, text_of
from flows.progress import watched
from sources.errors import UsageError
from sources.text import counted
from standins.trials.scoring import Score, facts, read_labels, score, sure

_SURE = 0.9


def figures(texts: dict[str, str], labels: Path) -> dict[str, dict[str, Any]]:
    """Returns reader -> its figures over all lists."""
    found = {}
    absent = left_out()
    for name, read in READERS.items():
        if name in absent:
            continue
        scores: dict[str, Score] = {}
        counts: Counter[str] = Counter()
        for each, text in texts.items():
            own, mentions = read_labels(labels / f"{each}.jsonl"), list(read(text))
            scores[each] = score(own, mentions)
            counts += facts(own, mentions) + sure(own, mentions, least=_SURE)
        total = sum(scores.values(), Score(0, 0, 0))
        lowest = min(scores, key=lambda each: scores[each].strict_f1)
        found[name] = {
            "strict_f1": round(total.strict_f1, 4),
            "precision": round(total.right / total.mentions, 4) if total.mentions else 0.0,
            "recall": round(total.right / total.labels, 4),
            "lowest": {"list": lowest, "strict_f1": round(scores[lowest].strict_f1, 4)},
            **{key.replace(" ", "_"): counts[key] for key in _COUNTED},
            "lists": {each: round(one.strict_f1, 4) for each, one in scores.items()},
        }
    return found


_COUNTED = (
    "identifiers",
    "identifiers found",
    "identifiers wrong",
    "years",
    "years found",
    "years wrong",
    "sure",
    "right",
)


def table(found: dict[str, dict[str, Any]]) -> str:
    """Returns the figures as a Markdown table, a row a reader."""
    head = (
        "| reader | strict F1 | precision | recall | lowest list | arXiv ids found, wrong | years found, wrong |"
        " confidence 0.9 and more: labelled |\n|---|---|---|---|---|---|---|---|\n"
    )
    return head + "".join(
        f"| {name} | {one['strict_f1']:.3f} | {one['precision']:.3f} | {one['recall']:.3f} "
        f"| {one['lowest']['strict_f1']:.2f} ({one['lowest']['list']}) "
        f"| {one['identifiers_found']} of {one['identifiers']}, {one['identifiers_wrong']} "
        f"| {one['years_found']} of {one['years']}, {one['years_wrong']} "
        f"| {one['right']} of {one['sure']} |\n"
        for name, one in found.items()
    )


def main(arguments: list[str] | None = None) -> int:
    """Prints a table for each set of lists, or all figures as JSON; returns 2 where a text cannot be had."""
    chosen = _options(arguments)
    if chosen.agreement:
        sys.stdout.write(json.dumps(agreement(FOLDER / "labels", FOLDER / "second"), indent=1) + "\n")
        return 0
    sources = [source for source in read_sources() if source.set in (chosen.set or SETS)]
    texts: dict[str, dict[str, str]] = {source.set: {} for source in sources}
    try:
        with watched() as reporter:
            step = reporter.stage("Texts of the lists", len(sources), "lists")
            for source in sources:
                texts[source.set][source.name] = text_of(source, chosen.texts)
                step(1)
    except UsageError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stderr.writelines(f"{name}: left out, as {why}\n" for name, why in left_out().items())
    found = {name: figures(some, FOLDER / "labels") for name, some in sorted(texts.items())}
    tables = (f"{name}, {counted(len(texts[name]), 'list')}\n\n{table(each)}" for name, each in found.items())
    sys.stdout.write(json.dumps(found, indent=1) + "\n" if chosen.json else "\n".join(tables))
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reading_lists", description=__doc__)
    parser.add_argument(
        "--texts", type=Path, default=FOLDER / "texts", help="folder of the texts; what lacks is fetched"
    )
    parser.add_argument("--set", action="append", choices=SETS, help="only these lists; may be given several times")
    parser.add_argument("--json", action="store_true", help="print the figures of every list")
    parser.add_argument("--agreement", action="store_true", help="say how far the second reader of the labels agrees")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
