"""Whole refreshes lied to by a service: a part of what `python -m benchmarks.faults.lies` tries."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from standins import StandIns
from standins.fault_trials.false_answers import Lies
from standins.fault_trials.fault_matrix import small_batches
from standins.lies import PROVABLE
from tests.matrices import first_each_push

pytestmark = pytest.mark.slow

CELLS = (
    ("records rotated, names null", "S2 batch", "middle", "nothing"),
    ("one paperId for all", "S2 batch", "middle", "the papers"),
    ("titles rotated", "S2 bulk", "first", "nothing"),
    ("a count of 2^62", "S2 batch", "first", "the papers"),
    ("ids rotated", "arXiv ids", "first", "nothing"),
    ("arXiv authors rotated", "arXiv titles", "first", "nothing"),
    ("another paper's names", "S2 match", "first", "nothing"),
    ("authors swapped", "S2 batch", "middle", "the papers"),
    ("a sequel's title", "S2 batch", "last", "the papers"),
    ("published in another decade", "arXiv ids", "middle", "nothing"),
)


@pytest.fixture(scope="module")
def lies(_small_process: StandIns, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lies]:
    with small_batches():
        yield Lies(_small_process, tmp_path_factory.mktemp("lies"))


@pytest.mark.parametrize("number", first_each_push(range(len(CELLS)), count=1), ids=lambda at: ", ".join(CELLS[at]))
def test_no_lie_becomes_a_fact_and_the_next_run_is_as_if_it_had_not_been_told(number, lies):
    cell = lies.lie(*CELLS[number])
    assert cell.wrong == ()


def test_a_new_title_of_a_known_paper_is_named_first_and_believed_when_it_is_told_again(bench, standins):
    reading_list = bench.write("# Papers\n\n- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n")
    again = {"max_age": "0s", "metadata_max_age": "0s"}
    assert bench.refresh(reading_list).status == "completed"
    standins.fault("arxiv", "lie", endpoint="query", steps=PROVABLE["a stranger's title in a feed"][1])
    told = []
    for _ in range(3):
        run = bench.refresh(reading_list, **again)
        told.append((run.status, [row["title"][:7] for row in bench.rows("FROM papers")]))
    assert told == [("completed_with_failures", ["Fast R-"]), ("completed", ["A Study"]), ("completed", ["A Study"])]


def test_a_link_to_another_paper_that_one_service_knows_is_judged_when_it_has_said_so_twice(bench):
    reading_list = bench.write("# Papers\n\n- [A Title of No Paper at All](https://doi.org/10.1145/103162.103163)\n")
    assert [bench.refresh(reading_list).status for _ in range(3)] == [
        "completed_with_failures",
        "completed",
        "completed",
    ]
    (row,) = bench.rows("FROM mentions")
    assert row["status"] == "resolved"
    assert row["score"] < 0.7
    assert [row["code"] for row in bench.rows("FROM findings")] == ["link-title-disagree"]


@pytest.mark.nightly
def test_a_title_once_told_falsely_is_put_right_where_nobody_could_know_better(bench, standins):
    reading_list = bench.write("# Papers\n\n- <https://doi.org/10.1145/103162.103163>\n")
    standins.fault("s2", "lie", endpoint="batch", steps=PROVABLE["a stranger's words"][1])
    bench.refresh(reading_list)
    assert [row["title"] for row in bench.rows("FROM papers")] == ["A Study of Something Else That Nobody Asked For"]
    standins.clear_faults()
    for status in ("completed_with_failures", "completed"):
        assert bench.refresh(reading_list, max_age="0s").status == status
    (paper,) = bench.rows("FROM papers")
    assert paper["title"].startswith("What Every Computer Scientist")
    assert paper["authors"] == ["David Goldberg"]
