"""The map as it stands on the page without a script."""

from __future__ import annotations

from warehouse.dashboard.page import map_marks


def test_the_map_has_a_dot_a_paper_that_is_counted():
    marks = map_marks({"papers": {"year": [2001, 2011], "citations": [99, 0], "mapped": None}})
    assert marks["papers"] == 2
    assert marks["dots"].count("M") == 2
    assert [year for _, year in marks["years"]] == [2001, 2006, 2011]
    assert [count for _, count in marks["counts"]] == ["0", "10", "100"]
    assert map_marks({"papers": {"year": [None], "citations": [3], "mapped": None}}) is None
