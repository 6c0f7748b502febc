"""What a page carries is written small; that it is read back is seen by the tests of the page."""

from __future__ import annotations

import base64
import gzip
import json

from warehouse.dashboard.page import differences, packed, packed_abstracts


def unpacked(packet):
    return json.loads(gzip.decompress(base64.b64decode(packet)))


def test_numbers_are_told_by_what_they_add():
    assert differences([3, 4, 9, 2]) == [3, 1, 5, -7]


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


def test_markup_in_what_is_packed_is_none_in_the_page():
    assert "<" not in packed(["</script><script>"])
