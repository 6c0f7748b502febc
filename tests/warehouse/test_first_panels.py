"""What stands in the first panels without a script."""

from __future__ import annotations

from tests.matrices import for_each
from warehouse.dashboard.columns import NONE
from warehouse.dashboard.page import (
    changes_by_kind,
    changes_sentence,
    day_text,
    growing_papers,
    map_marks,
)
from warehouse.dashboard.panel_facts import KINDS

SINCE = "Since 16 Feb 2026, 7 days before the last refresh"


def facts_of(*changes, since=20_500, until=20_507):
    """Returns facts of a page with two papers and these changes: kind, paper, list, text."""
    kinds, papers, lists, texts = zip(*changes, strict=True) if changes else ((), (), (), ())
    return {
        "papers": {"title": ["Queues", "Stacks"], "year": [2001, 2011], "citations": [99, 0]},
        "changes": {
            "since": since, "until": until, "kind": [KINDS.index(kind) for kind in kinds], "paper": papers,
            "list": lists, "text": texts,
        },
        "growth": None,
        "lists": {"id": ["l1"]},
    }  # fmt: skip


def test_a_day_is_written_out():
    assert (day_text(0), day_text(20_778)) == ("1 Jan 1970", "21 Nov 2026")


@for_each(
    ("changes", "sentence"),
    [
        ([], f"Nothing has changed since {SINCE[6:]}."),
        ([("added", 0, 0, None)], f"{SINCE}: 1 entry added."),
        (
            [("added", 0, 0, None), ("added", NONE, 0, "Heaps"), ("removed", NONE, 0, "T"), ("retracted", 1, 0, None)],
            f"{SINCE}: 2 entries added, 1 entry removed and 1 paper retracted.",
        ),
        (
            [("missing", NONE, NONE, "Trees"), ("missing", NONE, 0, "Trees")],
            f"{SINCE}: 1 work newly among the likeliest that are missing.",
        ),
    ],
)  # fmt: skip
def test_changes_are_one_sentence(changes, sentence):
    assert changes_sentence(facts_of(*changes)) == sentence


def test_after_one_refresh_there_is_no_change_to_tell():
    assert changes_sentence(facts_of(since=None)).startswith("The lists were read once so far")
    assert list(changes_by_kind(facts_of(since=None))) == []


def test_changes_are_listed_by_kind_and_the_rest_is_counted():
    added = [("added", NONE, 0, f"Entry {number}") for number in range(8)]
    found = list(changes_by_kind(facts_of(*added, ("jumped", 1, NONE, None))))
    assert found == [("Added", [f"Entry {number}" for number in range(6)], 2), ("Jumped", ["Stacks"], 0)]


def test_papers_that_take_off_have_an_interval_above_one():
    growth = {
        "paper": [1, 0, 1], "counted_year": {"values": [2025], "codes": [0, 0, 0]}, "later": [90, 5, 1],
        "earlier": [20, 5, 1], "growth": [4.0, 1.0, None], "low": [2.0, 0.5, None], "high": [8.0, 2.0, None],
    }  # fmt: skip
    (paper,) = growing_papers(facts_of() | {"growth": growth})
    assert (paper["title"], paper["later"], paper["earlier"]) == ("Stacks", 90, 20)
    assert paper["marks"] == [59.6, 78.8, 98.0]
    assert growing_papers(facts_of()) == []


def test_the_map_has_a_dot_a_paper_that_is_counted():
    marks = map_marks(facts_of())
    assert marks["papers"] == 2
    assert marks["dots"].count("M") == 2
    assert [year for _, year in marks["years"]] == [2001, 2006, 2011]
    assert [count for _, count in marks["counts"]] == ["0", "10", "100"]
    assert map_marks({"papers": {"year": [None], "citations": [3]}}) is None
