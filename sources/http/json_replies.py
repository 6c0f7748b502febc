"""A reply in JSON: the document as a whole, its fields, and what a refusal says. Pure and strict.

Null means "not told", as an absent field does; neither ever becomes zero, or false.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from sources.bounds import cut, is_count, is_past, is_year
from sources.errors import PayloadError
from sources.http.replies import UnsoundBody, unsound
from sources.text import one_line

_MOST_BRACKETS = 2_000_000
_LARGEST_INT = 2**63 - 1
_LONGEST_WORDS = 200
"""Characters of a refusal that a log line bears."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonObject:
    """An object of a reply. What a field holds is of its type and within bounds, else the record is refused.

    All methods return None, or something empty, where the field is not told, and raise `PayloadError` for anything but
    what they return.

    Attributes:
        values: Field -> value.
        source: The service.
        name: What messages call the record, such as "work W2741809807".
        record: Its identifier; empty where there is none.
    """

    values: Mapping[str, Any]
    source: str
    name: str = "a reply"
    record: str = ""

    def unsound(self, what: str, *, field: str) -> PayloadError:
        """Returns the error of the record, `what` being said of it: "whose year is no count"."""
        return unsound(self.source, f"{self.name} {what}", record=self.record, field=field)

    def text(self, field: str, *, most: int) -> str | None:
        """Returns the first `most` characters of a text, on one line; None also for what is no text."""
        return cut(one_line(self.values.get(field)), most)

    def object(self, field: str) -> JsonObject:
        """Returns an object inside of this one."""
        value = self.values.get(field)
        if value is not None and not isinstance(value, dict):
            raise self.unsound(f"whose {field} is no object", field=field)
        return self._inner(value or {})

    def objects(self, field: str, *, most: int) -> list[JsonObject]:
        """Returns a list of objects, `most` at the most."""
        found = self.values.get(field) or []
        if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
            raise self.unsound(f"whose {field} is no list of objects", field=field)
        if len(found) > most:
            raise self.unsound(f"with {len(found)} {field}", field=field)
        return [self._inner(item) for item in found]

    def flag(self, field: str) -> bool | None:
        """Returns whether something is true."""
        value = self.values.get(field)
        if value is not None and not isinstance(value, bool):
            raise self.unsound(f"whose {field} is neither true nor false", field=field)
        return value

    def whole_number(self, field: str) -> int | None:
        """Returns a whole number from 0 that fits into 64 bits."""
        value = self.values.get(field)
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _LARGEST_INT:
            raise self.unsound(f"whose {field} is no count: {value!r:.40}", field=field)
        return value

    def count(self, field: str) -> int | None:
        """Returns how many citations or references there are."""
        number = self.whole_number(field)
        if number is not None and not is_count(number):
            raise self.unsound(f"whose {field} is beyond belief: {number}", field=field)
        return number

    def year(self, field: str, *, today: date) -> int | None:
        """Returns a year in which a paper can have come out."""
        number = self.whole_number(field)
        if number is not None and not is_year(number, today=today):
            raise self.unsound(f"of the year {number}", field=field)
        return number

    def day(self, field: str, *, today: date) -> date | None:
        """Returns the day of publication; a journal's coming issue is dated ahead, and has not come out yet."""
        value = self.values.get(field)
        if value is None or value == "":
            return None
        try:
            day = date.fromisoformat(value)
        except (TypeError, ValueError) as error:
            raise self.unsound(f"whose {field} is no date: {value!r:.40}", field=field) from error
        if not is_year(day.year, today=today):
            raise self.unsound(f"published on {day}", field=field)
        return day if is_past(day, today=today) else None

    def _inner(self, values: Mapping[str, Any]) -> JsonObject:
        return JsonObject(values=values, source=self.source, name=self.name, record=self.record)


def read_json(body: bytes, *, source: str) -> Any:
    """Returns the JSON document that a body is.

    Raises:
        PayloadError: No whole JSON document, one with two values of one name, or one beyond all measure.
    """
    try:
        return _document(body)
    except UnsoundBody as error:
        raise unsound(source, str(error)) from error


def read_object(body: bytes, *, source: str) -> JsonObject:
    """Returns the object that a body is.

    Raises:
        PayloadError: As `read_json` does, and for any other document.
    """
    document = read_json(body, source=source)
    if not isinstance(document, dict):
        raise unsound(source, "a reply that is no object")
    return JsonObject(values=document, source=source)


def refusal_words(body: bytes) -> list[str]:
    """Returns a service's own words in the body of a refusal, those under `error` before those under `message`.

    Each is cut to what a log line bears. A body that is no JSON object, such as a page of a proxy, is taken as text.
    """
    try:
        document = _document(body)
    except UnsoundBody:
        document = None
    if not isinstance(document, dict):
        document = {"error": body[:_LONGEST_WORDS].decode("utf-8", "replace")}
    words = (cut(one_line(document.get(field)), _LONGEST_WORDS) for field in ("error", "message"))
    return [text for text in words if text]


def _document(body: bytes) -> Any:
    try:
        check_brackets(body)
        return json.loads(body, object_pairs_hook=_object_of)
    except (ValueError, RecursionError) as error:
        raise UnsoundBody(f"no whole JSON document ({type(error).__name__}; {len(body)} bytes)") from error


def _object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Returns a JSON object.

    Raises:
        ValueError: Two values have one name, and nobody knows which is meant.
    """
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("two values of one name")
    return values


def check_brackets(body: bytes) -> None:
    """Checks that JSON text holds no more lists and objects than a reply can; each costs far more than its two letters.

    Raises:
        UnsoundBody: It holds more.
    """
    brackets = body.count(b"[") + body.count(b"{")
    if brackets > _MOST_BRACKETS:
        raise UnsoundBody(f"{brackets} lists and objects")
