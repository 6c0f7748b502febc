"""`paperlake next` on a lake filled by hand: what is read already, the order, and the reasons."""

from __future__ import annotations

import json

import duckdb
import pytest
from typer.testing import CliRunner

from flows.cli import app
from standins.trials.rows import (
    T0,
    cited_row,
    identifier_row,
    list_row,
    mention_row,
    paper_row,
    reference_row,
    run_row,
    work_row,
)
from warehouse.lake.place import LakePlace
from warehouse.lake.session import writing
from warehouse.loading.commit import Harvest, load
from warehouse.query.reading import MARKS

TEXTS = {
    "base": "- [ ] Base",
    "read": "- [x] Read",
    "struck": "- ~~Struck~~",
    "dated": "- Dated, read: 2026-02-01",
    "near": "- Near",
    "new": "- New",
    "old": "- Old",
    "gone": "- Gone",
}
CITES = [("read", "base"), ("new", "base"), ("near", "base"), ("near", "dated"), ("gone", "read")]


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    place = LakePlace.of(tmp_path_factory.mktemp("next") / "lake")
    years = {"base": 2015, "near": 2018, "new": 2025, "old": 2001}
    harvest = Harvest(
        reading_lists=[list_row(), list_row("l2")],
        mentions=[
            mention_row(f"m{paper}", paper_id=paper, title=paper, text=text, line=line, struck=paper == "struck")
            for line, (paper, text) in enumerate(TEXTS.items(), start=3)
        ]
        + [mention_row("elsewhere", list_id="l2", paper_id="old", text="- [x] Old", line=1)],
        papers=[
            paper_row(paper, title=f"Paper {paper}", year=years.get(paper), retracted=paper == "gone")
            for paper in TEXTS
        ],
        paper_identifiers=[identifier_row(paper, "openalex", f"W{number}") for number, paper in enumerate(TEXTS, 1)],
        paper_references=[
            reference_row(citing, f"W{[*TEXTS].index(cited) + 1}", cited_paper_id=cited) for citing, cited in CITES
        ],
        openalex_works=[work_row("new", openalex_id="W6", citation_count=7, refreshed_at=T0)],
        citations_by_year=[cited_row("new", year=2025, citation_count=7)],
    )
    with writing(place) as connection:
        load(connection, harvest, run_row(lists=2, mentions=9, resolved=9, papers=8, papers_new=8))
    return str(place.folder)


def ask(lake: str, *arguments: str):
    return CliRunner().invoke(app, ["next", *arguments, "--lake", lake], env={"COLUMNS": "200"})


def test_what_is_read_or_retracted_is_left_out_and_every_other_paper_has_its_reason(lake):
    (report,) = json.loads(ask(lake, "l1.md", "--json").stdout)["lists"]
    assert {row["paper_id"]: row["because"] for row in report["next"]} == {
        "base": "3 papers of the list cite it, 1 of which you have read; it is of 2015.",
        "new": "It builds on 1 that you have not read; it is of 2025; 7 citations in 2025.",
        "near": "It cites 1 that you have read; it builds on 1 that you have not read; it is of 2018.",
        "old": "No citation between it and the list is known; it is of 2001.",
    }
    assert [row["paper_id"] for row in report["next"]] == ["base", "new", "near", "old"]
    assert [row["rank"] for row in report["next"]] == [1, 2, 3, 4]
    score = report["next"][2]["score"]
    assert score == pytest.approx((1 / 3 + 0.5 ** (7 / 5)) / 2, abs=0.001), "a third for what was read, and its age"
    basis = {
        name: report["basis"][name] for name in ("marked_read", "marked_unread", "retracted_or_withdrawn", "to_read")
    }
    assert basis == {"marked_read": 3, "marked_unread": 1, "retracted_or_withdrawn": 1, "to_read": 4}


def test_what_one_list_marks_as_read_is_read_in_all_lists_together(lake):
    (report,) = json.loads(ask(lake, "--json").stdout)["lists"]
    assert (report["list"], [row["paper_id"] for row in report["next"]]) == (None, ["base", "new", "near"])


def test_the_screen_says_what_it_rests_on(lake):
    shown = " ".join(ask(lake, "l1.md", "--limit", "1").stdout.split())
    assert "To read next of l1.md: 1 of 4 1. Paper base (2015) line 3: 3 papers of the list cite it" in shown
    assert "8 papers, 3 marked as read; 1 other left out as retracted or withdrawn." in shown
    assert "references of 4 of 8 papers" in shown
    assert "nowhere.md" in str(ask(lake, "nowhere.md").exception)


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("- [x] A Title", "read"),
        ("## [x] [A Title](https://arxiv.org/abs/1706.03762)", "read"),
        ("| [x] | A Title | 2020 |", "read"),
        ("- A Title (read: 2023)", "read"),
        ("- A Title, **read:** ✓", "read"),
        ("- [ ] A Title", "unread"),
        ("A Title\nread: no", "unread"),
        ("- [x](https://example.org) A Title", None),
        ("- Attend and Read: 2019 Ways to Spell", None),
        ("- [Start, Follow, Read: End-to-End Recognition](https://example.org)", None),
        ("- Of [x] and y", None),
    ],
)
def test_a_mark_is_a_box_or_a_field(text, mark):
    query = "SELECT regexp_matches($text, $mark)"
    found = {name for name, mark in MARKS.items() if duckdb.execute(query, {"text": text, "mark": mark}).fetchone()[0]}
    assert found == ({mark} if mark else set())
