"""Words that may be a title: mentions where they are the whole title of one paper, otherwise nothing at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from flows.progress import Silent, Stopwatch
from flows.refresh.pipeline import refresh_lake
from flows.refresh.reading import read_and_parse
from flows.refresh.summary import RunSummary
from flows.review.decisions import FILE_NAME
from sources.matching.mention_queries import is_telling
from sources.records import Mention
from standins import StandIns
from standins.trials.bench import Bench
from tests.warehouse.test_mirror import dump, import_arxiv
from tests.warehouse.test_mirror import row as dump_row
from warehouse.mirrors import ArxivMirror

pytestmark = pytest.mark.slow

LINKED = "- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n"
SEARCHED = "- Attention Is All You Need (2017)\n- [ELMo](https://arxiv.org/abs/1802.05365)\n"
TITLE = "Deep contextualized word representations"
TWICE = "Memory-Based Shallow Parsing"
OTHERS = ("A Phrase of Several Words That Heads No Paper", TWICE, "Training Deep Networks", "Layer Normalization")


def refresh(bench: Bench, text: str, possible: Sequence[str] = (TITLE, *OTHERS), **changes: Any) -> RunSummary:
    """Refreshes a list of which the parser found, beside its mentions, that `possible` may be titles."""
    settings = bench.settings(**changes)
    reading = read_and_parse([bench.write(text)], settings.place)
    maybe = tuple(
        Mention(line=40 + line, last_line=40 + line, title=title, text=title, confidence=0.2)
        for line, title in enumerate(possible)
    )
    lists = tuple(replace(one, reading_list=replace(one.reading_list, possible=maybe)) for one in reading.lists)
    return refresh_lake(
        replace(reading, lists=lists),
        settings,
        run_batch=lambda _, call: call(),
        report=Silent(),
        clock=Stopwatch(),
    )


def standing(bench: Bench) -> dict[str, tuple[str, str | None]]:
    rows = bench.rows("SELECT title, status, method FROM mentions WHERE removed_at IS NULL")
    return {row["title"]: (row["status"], row["method"]) for row in rows}


def test_the_whole_title_of_a_paper_that_a_list_names_becomes_a_mention(bench: Bench):
    summary = refresh(bench, SEARCHED)

    assert standing(bench)[TITLE] == ("resolved", "possible-title")
    assert (summary.mentions, summary.resolved, summary.not_found, summary.failed) == (3, 3, 0, 0)
    assert summary.methods["possible-title"] == 1
    (paper,) = bench.rows("SELECT p.* FROM papers p JOIN mentions m USING (paper_id) WHERE method = 'possible-title'")
    assert paper["arxiv_id"] == "1802.05365"
    assert paper["citation_count"] is not None
    assert not set(OTHERS) & set(standing(bench)), "of the others there is no trace"
    assert not {row["title"] for row in bench.rows("FROM candidates")} & set(OTHERS)


def test_the_next_refresh_decides_the_same_and_sends_nothing(bench: Bench, standins: StandIns):
    text = LINKED + "- [ELMo](https://arxiv.org/abs/1802.05365)\n"  # a paper that this run brings
    refresh(bench, text)
    assert standing(bench)[TITLE] == ("resolved", "possible-title")
    before = bench.contents()
    standins.clear_log()

    summary = refresh(bench, text)

    assert summary.mentions == 3
    assert bench.contents() == before
    assert not standins.requests()


def test_the_mirror_is_asked_offline(bench: Bench):
    mirror = ArxivMirror(bench.place.folder / "mirror" / "arxiv")
    papers = [dump_row("1504.08083", "Fast R-CNN"), dump_row("1802.05365", TITLE + "."), dump_row("2001.00001", TWICE)]
    papers += [dump_row("2001.00002", TWICE, authors_parsed=[["Other", "An", ""]])]
    import_arxiv(mirror, [dump(bench.folder / "dump.json", papers)])
    mirror.close()
    refresh(bench, LINKED, offline=True)
    assert standing(bench)[TITLE] == ("resolved", "possible-title")
    assert set(standing(bench)) == {"Fast R-CNN", TITLE}


@pytest.mark.nightly
def test_a_search_that_failed_leaves_nothing_behind_and_the_next_catches_up(bench: Bench, standins: StandIns):
    standins.down("s2")
    standins.down("arxiv")
    without = refresh(bench, SEARCHED, ())
    summary = refresh(bench, SEARCHED)
    assert (summary.mentions, summary.failed) == (2, 2)
    assert summary.problems == without.problems
    standins.up("s2")
    standins.up("arxiv")
    assert refresh(bench, SEARCHED).resolved == 3


def test_a_mention_that_the_parser_doubts_now_is_decided_as_a_possible_title(bench: Bench):
    refresh(bench, SEARCHED + f"- {TITLE}. Peters et al. NAACL 2018.\n", ())
    (before,) = bench.rows(f"FROM mentions WHERE title = '{TITLE}'")
    assert before["method"] != "possible-title"
    refresh(bench, SEARCHED)
    (after,) = bench.rows(f"FROM mentions WHERE title = '{TITLE}'")
    assert (after["mention_id"], after["method"]) == (before["mention_id"], "possible-title")
    refresh(bench, SEARCHED + f"- {TITLE}. Peters et al. NAACL 2018.\n", ())
    assert len(bench.rows("FROM mentions")) == 3


@pytest.mark.nightly
@pytest.mark.parametrize("ruling", [None, ["arxiv:1802.05365"]])
def test_what_a_person_decided_holds(bench: Bench, ruling: list[str] | None):
    refresh(bench, SEARCHED)
    said = '"paper": null' if ruling is None else f'"not": ["{ruling[0]}"]'
    (bench.folder / FILE_NAME).write_text(f'{{"list": "list.md", "mention": "{TITLE}", {said}}}\n', encoding="utf-8")
    for _ in range(2):
        summary = refresh(bench, SEARCHED)
        assert standing(bench)[TITLE][0] in ("not_found", "ambiguous")
        assert summary.resolved == 2
        assert summary.status == "completed"
    (bench.folder / FILE_NAME).unlink()
    refresh(bench, SEARCHED + "- Going Deeper with Convolutions (2014)\n")
    assert standing(bench)[TITLE] == ("resolved", "possible-title")


@pytest.mark.parametrize(
    ("title", "telling"),
    [
        ("The Case for Learned Index Structures", True),
        ("Paxos Made Simple", True),
        ("Neural Networks and Deep Learning", False),
        ("The Humble Programmer", False),
        ("of the and in", False),
    ],
)
def test_only_three_words_that_say_something_are_enough(title: str, telling: bool):
    assert is_telling(title) is telling
