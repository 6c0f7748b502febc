"""What a page carries is written small; the tests of the page read it back. The map stands there without a script."""

from __future__ import annotations

import base64
import gzip
import json

from warehouse.dashboard.page import map_marks, packed_abstracts


def unpacked(packet):
    return json.loads(gzip.decompress(base64.b64decode(packet)))


def test_abstracts_are_cut_until_they_fit():
    text = " ".join(f"word{number * 7919 % 10007}" for number in range(400))
    whole = packed_abstracts([text, None], room=10_000)
    assert unpacked(whole)["size"] == 1500
    first, second = unpacked(whole)["texts"]
    assert (first[-2:], second) == (" …", None)
    assert len(first) <= 1502
    assert unpacked(packed_abstracts([text, None], room=len(whole) - 1))["size"] == 600
    assert unpacked(packed_abstracts([text], room=100)) == {"size": 0, "texts": []}
    assert unpacked(packed_abstracts([], room=10_000)) == {"size": 0, "texts": []}


def test_the_map_has_a_dot_a_paper_that_is_counted():
    marks = map_marks({"papers": {"year": [2001, 2011], "citations": [99, 0], "mapped": None}})
    assert marks["papers"] == 2
    assert marks["dots"].count("M") == 2
    assert [year for _, year in marks["years"]] == [2001, 2006, 2011]
    assert [count for _, count in marks["counts"]] == ["0", "10", "100"]
    assert map_marks({"papers": {"year": [None], "citations": [3], "mapped": None}}) is None
