"""What a page carries is written small; that it is read back is seen by the tests of the page."""

from __future__ import annotations

import base64
import gzip
import json

import pytest

from warehouse.dashboard.packing import differences, identifier_bytes, packed, packed_abstracts, text_column


def unpacked(packet):
    return json.loads(gzip.decompress(base64.b64decode(packet)))


@pytest.mark.parametrize(
    ("values", "written"),
    [
        pytest.param([], "", id="nothing"),
        pytest.param(["ab", None, "cd"], {"size": 2, "text": "ab  cd"}, id="of-one-length"),
        pytest.param(["ab", None, "cde"], "ab\x7f\x7fcde", id="of-several"),
        pytest.param(["\U0001d4d0b", "cd"], "\U0001d4d0b\x7fcd", id="letters-that-a-browser-counts-twice"),
        pytest.param(["a\x7fb", "cde"], "a b\x7fcde", id="with-the-sign-itself"),
        pytest.param([None, None], "\x7f", id="none-told"),
    ],
)
def test_a_column_of_text_is_one_text(values, written):
    assert text_column(values) == written


@pytest.mark.parametrize(
    ("values", "prefix", "found"),
    [
        pytest.param(["p0aff", None], "p", b"\x0a\xff\0\0", id="hexadecimal"),
        pytest.param(["p0aff", "p1"], "p", None, id="of-two-lengths"),
        pytest.param(["p0AFF"], "p", None, id="in-capitals"),
        pytest.param(["p0az1"], "p", None, id="no-number"),
        pytest.param(["q0aff"], "p", None, id="with-another-beginning"),
        pytest.param(["p0a0"], "p", None, id="of-half-a-byte"),
        pytest.param(["00", "01"], "", None, id="like-none"),
        pytest.param([], "", None, id="nothing"),
    ],
)
def test_identifiers_are_bytes_where_all_of_them_can_be(values, prefix, found):
    assert identifier_bytes(values, prefix) == found


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
