"""Says how far a second reader, who has not seen the labels, agrees with them."""

from __future__ import annotations

import csv
from collections import Counter
from typing import TYPE_CHECKING

from sources.records import Mention
from standins.trials.scoring import Label, Score, paired, read_labels, score

if TYPE_CHECKING:
    from pathlib import Path


def agreement(first: Path, second: Path) -> dict[str, int | float]:
    """Returns how many labels both readers, and only one of them, have within the lines that the second has read.

    `f1` holds the second reader's papers against the first's as a parser's are held; the other counts are of labels of
    any kind. `second` holds a file a list, and `ranges.tsv`: list, first and last line.
    """
    counts: Counter[str] = Counter()
    total = Score(0, 0, 0)
    with (second / "ranges.tsv").open(encoding="utf-8", newline="") as lines:
        ranges = list(csv.reader(lines, delimiter="\t"))
    for name, begin, end in ranges:
        own = [one for one in read_labels(first / f"{name}.jsonl") if int(begin) <= one["line"] <= int(end)]
        others = read_labels(second / f"{name}.jsonl")
        mentions = [_as_mention(one) for one in others]
        pairs = paired(own, mentions)
        papers = [_as_mention(one) for one in others if one["kind"] == "paper"]
        total += score(own, papers)
        counts["both"] += len(pairs)
        counts["only_first"] += len(own) - len(pairs)
        counts["only_second"] += len(others) - len(pairs)
        for number, n in pairs.items():
            counts["same_kind"] += own[number]["kind"] == others[n]["kind"]
            counts["same_identifier"] += own[number]["arxiv_id"] == others[n]["arxiv_id"]
            counts["same_year_written"] += own[number]["year_written"] == others[n]["year_written"]
    return {"lists": len(ranges), **counts, "f1": round(total.strict_f1, 4)}


def _as_mention(label: Label) -> Mention:
    return Mention(
        line=label["line"],
        last_line=label["line"],
        title=label["title"],
        arxiv_id=label["arxiv_id"],
        url=label.get("url"),
    )
