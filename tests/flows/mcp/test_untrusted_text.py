"""The mark on the words of strangers, and the bounds of an answer."""

from __future__ import annotations

import json

from flows.mcp import untrusted_text
from flows.mcp.untrusted_text import UNTRUSTED, bounded, fitting, marked, unread
from tests.flows.mcp.conftest import ORDER


def test_what_is_not_known_to_be_ours_is_a_strangers():
    record = {
        "doi": "10.1/x",
        "year": 2017,
        "title": None,
        "whatever": ORDER,
        "asked_at": "2026-03-01",
        "inside": [{"text": "t"}],
    }
    assert marked(record) == {
        "doi": "10.1/x",
        "year": 2017,
        "asked_at": "2026-03-01",
        "inside": [{UNTRUSTED: {"text": "t"}}],
        UNTRUSTED: {"title": None, "whatever": bounded(ORDER)},
    }


def test_of_a_query_every_cell_and_name_is_a_strangers():
    row = unread({"doi": ORDER, ORDER: [1, {ORDER: ORDER}]})
    assert list(row) == [UNTRUSTED]
    assert "\U000e0041" not in json.dumps(row, ensure_ascii=False)


def test_long_texts_and_lists_are_cut_and_long_answers_end():
    assert bounded("x" * 9_000) == "x" * (untrusted_text.LONGEST_TEXT - 1) + "…"
    assert len(bounded(["a"] * 500)) == 100
    record = {"n": 1, UNTRUSTED: {"text": "y" * 4_000}}
    assert len(fitting([record] * 9)) == 2
    wide = {f"c{number}": "z" * 2_000 for number in range(200)}
    (short,) = fitting([wide])
    assert len(json.dumps(short)) < 100_000
    assert set(short) == set(wide)
    assert fitting([{"a": {str(number): wide for number in range(200)}}]) == [], "what cannot be cut is left out"


def test_an_answer_is_as_long_as_it_is_printed():
    record = {"paper_id": "p", "places": [{"line": number, "code": "x"} for number in range(30)]}
    records = fitting([record] * 200)
    assert len(json.dumps({"answer": "found", "records": records}, indent=2)) <= 10_100
    assert len(json.dumps({"answer": "found", "records": [*records, record]}, indent=2)) > 10_000


def test_names_of_files_are_the_words_of_strangers():
    record = {"location": f"github:owner/name/{ORDER}.md", "handle": f"{ORDER}.md:12", "line": 12}
    assert marked(record).keys() == {"line", UNTRUSTED}
