"""A run that would take much from the lake is refused, says what and by how much, and passes when forced."""

from __future__ import annotations

import pytest

from sources.errors import CheckFailed
from standins.trials.rows import DAY, T0, list_row, mention_row, paper_row, run_row
from tests.matrices import first_each_push
from warehouse.lake.session import latest_snapshot
from warehouse.loading.commit import Harvest, load

SIZE = 40
LATER = T0 + DAY


def paper(number: int, **told):
    plain = {"abstract": f"About {number}.", "authors": ["A"], "doi": f"10.1/{number}", "citation_count": 100}
    return paper_row(f"p{number:02}", **plain | {"counted_at": T0} | told)


def mention(number: int, **told):
    paper_id = told.pop("paper_id", f"p{number:02}")
    return mention_row(f"m{number:02}", line=number + 1, title=f"P{number}", paper_id=paper_id, **told)


@pytest.fixture
def full(lake):
    """A list of 40 mentions of as many papers, each with an abstract and 100 citations."""
    numbers = range(SIZE)
    first = Harvest(
        reading_lists=[list_row()], mentions=[mention(n) for n in numbers], papers=[paper(n) for n in numbers]
    )
    load(lake, first, run_row("r1", mentions=SIZE, resolved=SIZE))
    return lake


def refused(lake, harvest: Harvest) -> str:
    before = latest_snapshot(lake)
    with pytest.raises(CheckFailed) as error:
        load(lake, harvest, run_row("r2"))
    assert latest_snapshot(lake) == before
    assert error.value.check == "drift"
    message = str(error.value)
    assert "\n" not in message
    assert "--force" in message
    assert load(lake, harvest, run_row("r2"), force=True) == before + 1
    return message


def gone(count: int, **told) -> Harvest:
    return Harvest(mentions=[mention(n, removed_at=LATER if n < count else None, **told) for n in range(SIZE)])


def papers(count: int, **told) -> Harvest:
    return Harvest(papers=[paper(n, **told) for n in range(count)])


MOVED = [mention_row(f"n{n:02}", list_id="l2", paper_id=f"p{n:02}") for n in range(SIZE)]
HARMLESS = {
    "nine mentions gone": gone(9),
    "all in another list": Harvest(reading_lists=[list_row("l2")], mentions=[*gone(SIZE).mentions, *MOVED]),
    "nine abstracts withheld": papers(9, abstract=None),
    "papers merged away": papers(20, citation_count=0, abstract=None, merged_into="p39"),
    "one mention gone": gone(1),
    "a handful of zeros among many": Harvest(papers=[paper(n, citation_count=110 * (n >= 6)) for n in range(SIZE)]),
    **{
        f"{n} counts of {count}": papers(n, citation_count=count) for n, count in ((2, 0), (9, 40), (40, 50), (40, 101))
    },
}


@pytest.mark.parametrize("name", first_each_push(HARMLESS, count=4))
def test_an_edit_is_no_loss(full, name):
    assert load(full, HARMLESS[name], run_row("r2"))


def test_ten_of_a_hundred_are_no_loss(full):
    more = [mention_row(f"n{n:02}", title=f"N{n}", status="not_found") for n in range(60)]
    load(full, Harvest(mentions=more), run_row("r2"))
    assert load(full, gone(15), run_row("r3"))


def test_what_was_gone_already_is_not_lost_again(full):
    load(full, gone(12), run_row("r2"), force=True)
    assert load(full, gone(12), run_row("r3"))


def unresolved(count: int, **told) -> Harvest:
    lost = {"paper_id": None, "status": "not_found", **told}
    return Harvest(mentions=[mention(n, **lost) if n < count else mention(n) for n in range(SIZE)])


def test_mentions_that_lose_their_paper_stop_the_run(full):
    assert "10 of 40 (25 %) resolved mentions would lose their paper" in refused(full, unresolved(10))


def test_mentions_that_were_edited_or_decided_may_lose_their_paper(full):
    assert load(full, unresolved(20, text="- another"), run_row("r2"))
    load(full, unresolved(0), run_row("r3"))
    assert load(full, unresolved(20, decision="no paper"), run_row("r4"))


@pytest.mark.parametrize("told", [{"abstract": ""}, {"title": ""}, {"authors": []}, {"counted_at": None}])
def test_a_column_that_is_nulled_out_stops_the_run(full, told):
    (column,) = told
    assert f"20 of 20 (100 %) papers asked about would lose their {column}" in refused(full, papers(20, **told))


@pytest.mark.parametrize(
    ("count", "citations", "words"),
    [
        (3, 0, "3 of 3 (100 %) citation counts would fall to zero"),
        (20, 49, "citation counts would fall to less than half"),
    ],
)
def test_counts_that_fall_stop_the_run(full, count, citations, words):
    message = refused(full, papers(count, citation_count=citations))
    assert words in message
    assert f"100 to {citations}" in message


def test_a_count_beyond_all_bounds_stops_no_run_and_its_mending_is_no_loss(full):
    poisoned = papers(SIZE, citation_count=2**63 - 1)
    load(full, poisoned, run_row("r2"))
    load(full, poisoned, run_row("r3", finished_at=LATER))
    load(full, papers(SIZE, citation_count=101), run_row("r4"))
    assert full.execute("SELECT DISTINCT citation_count FROM papers").fetchall() == [(101,)]
