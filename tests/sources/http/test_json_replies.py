"""Replies in JSON: fields are of their type and within bounds, and a refusal says its words."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from sources.errors import PayloadError
from sources.http.replies import JsonObject, read_json, refusal_words
from tests.matrices import for_each

TODAY = date(2026, 11, 22)


def record(**values: object) -> JsonObject:
    return JsonObject(values=values, source="openalex", name="work W1", record="W1")


READERS: dict[str, Callable[[JsonObject], Any]] = {
    "object": lambda fields: fields.object("x").values,
    "objects": lambda fields: fields.objects("x", most=2),
    "flag": lambda fields: fields.flag("x"),
    "whole number": lambda fields: fields.whole_number("x"),
    "count": lambda fields: fields.count("x"),
    "year": lambda fields: fields.year("x", today=TODAY),
    "day": lambda fields: fields.day("x", today=TODAY),
}


@for_each(
    ("reader", "value", "what"),
    [
        ("object", [], "whose x is no object"),
        ("objects", [None], "whose x is no list of objects"),
        ("objects", [{}] * 3, "with 3 x"),
        ("flag", 1, "whose x is neither true nor false"),
        ("whole number", True, "whose x is no count: True"),
        ("whole number", 2**63, "whose x is no count: 9223372036854775808"),
        ("count", 10**8, "whose x is beyond belief: 100000000"),
        ("year", 2028, "of the year 2028"),
        ("day", "2026-02-30", "whose x is no date: '2026-02-30'"),
        ("day", "2999-01-01", "published on 2999-01-01"),
    ],
)
def test_a_value_of_another_kind_is_named_by_record_and_field(reader, value, what):
    with pytest.raises(PayloadError) as caught:
        READERS[reader](record(x=value))
    assert str(caught.value) == f"OpenAlex sent work W1 {what}"
    assert (caught.value.source, caught.value.record, caught.value.field) == ("openalex", "W1", "x")


def test_an_object_inside_of_another_is_named_as_its_record():
    with pytest.raises(PayloadError, match="work W1 whose n is no count") as caught:
        record(o={"n": "many"}).object("o").count("n")
    assert caught.value.record == "W1"


@for_each("body", [b"", b"<html>", b"[1", b"[" * 100_000, b'{"a": 1, "a": 2}', b"\xff\xfe"])
def test_what_is_no_whole_document_is_refused(body):
    with pytest.raises(PayloadError, match="Semantic Scholar sent no whole JSON document"):
        read_json(body, source="s2")


@for_each(
    ("body", "words"),
    [
        (b'{"error": "Invalid filter", "message": "Unknown\\nfield"}', ["Invalid filter", "Unknown field"]),
        (b'{"message": "Too Many Requests", "code": "429"}', ["Too Many Requests"]),
        (b'{"error": {"code": 3}}', []),
        (b"<html>Bad Gateway", ["<html>Bad Gateway"]),
        (b"", []),
        (b'{"error": "' + b"x" * 999 + b'"}', ["x" * 200]),
    ],
)
def test_a_refusal_says_its_words(body, words):
    assert refusal_words(body) == words


def test_json_of_millions_of_lists_is_refused_before_it_is_read():
    with pytest.raises(PayloadError, match="UnsoundBody"):
        read_json(b"[" + b"[]," * 2_000_000 + b"1]", source="s2")
