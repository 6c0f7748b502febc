"""Findings in real lists that somebody has judged: no code has a level that it has not earned.

A code of which too few were right is to be demoted: its level in `CODES` becomes the next lower one. A note is right
where it is true and of use to the list's owner; below its bar, there is no lower level.
"""

import csv
from collections import Counter
from pathlib import Path

from sources.lists.checks.findings import CODES

ROOT = Path(__file__).resolve().parents[3]
BARS = {"error": 0.995, "warning": 0.97, "note": 0.8}


def counts() -> Counter[tuple[str, str, str]]:
    """Returns how many findings of a code and a level had a verdict."""
    with (ROOT / "benchmarks" / "checks" / "judged.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert {row["verdict"] for row in rows} <= {"right", "wrong"}
    assert all(row["reason"] and row["line"].isdigit() for row in rows)
    return Counter((row["code"], row["level"], row["verdict"]) for row in rows)


def test_no_code_has_a_level_that_its_judged_findings_do_not_bear():
    judged = counts()
    assert {code for code, _, _ in judged} <= set(CODES)
    for code, level, _ in judged:
        right, wrong = (judged[code, level, verdict] for verdict in ("right", "wrong"))
        assert right / (right + wrong) >= BARS[level], f"{code} as {level}"


def test_the_page_has_the_number_of_judged_findings_of_each_code():
    page = (ROOT / "docs" / "checks.md").read_text(encoding="utf-8")
    judged = counts()
    for code, level in {(code, level) for code, level, _ in judged}:
        right, wrong = (judged[code, level, verdict] for verdict in ("right", "wrong"))
        assert f"| `{code}` | {level} | {right} | {wrong} |" in page
