"""The entries of a reply, taken out, changed and put back: Atom entries, or the objects of a JSON list."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from lxml import etree

from standins.wire import Reply

_ATOM = "{http://www.w3.org/2005/Atom}"
_PREFIXES = {"arxiv": "{http://arxiv.org/schemas/atom}", "opensearch": "{http://a9.com/-/spec/opensearch/1.1/}"}
_STRANGER = "A Study That Nobody Asked For"
_Change = Callable[[list[Any]], list[Any]]


def changed(reply: Reply, change: _Change) -> Reply:
    """Returns the reply with its entries changed; nothing else moves, totals included."""
    return _changed_json(reply, change) if "json" in reply.content_type else _changed_feed(reply, change)


def emptied(reply: Reply, total: int | None) -> Reply:
    """Returns the reply without entries; the total stays as it was unless one is given."""
    empty = changed(reply, lambda found: [])
    if total is None or "json" in reply.content_type:
        return empty
    root = etree.fromstring(empty.body)
    root.find(f"{_PREFIXES['opensearch']}totalResults").text = str(total)
    return replace(empty, body=_written(root))


def nulled(found: list[Any], details: Mapping[str, Any]) -> list[Any]:
    """Returns the entries with those at `indices` (default: every second) null, or hollow in a feed."""
    chosen = _chosen(found, details)
    return [_hollow(entry) if index in chosen else entry for index, entry in enumerate(found)]


def thinned(found: list[Any], details: Mapping[str, Any]) -> list[Any]:
    """Returns the entries without those at `indices` (default: every second)."""
    chosen = _chosen(found, details)
    return [entry for index, entry in enumerate(found) if index not in chosen]


def without_field(found: list[Any], details: Mapping[str, Any]) -> list[Any]:
    """Returns the entries, those at `indices` (default: the first) lacking `field`."""
    for entry in _at(found, details):
        if isinstance(entry, dict):
            entry.pop(details["field"], None)
        elif entry is not None:
            for element in entry.findall(_tag(details["field"])):
                entry.remove(element)
    return found


def with_field(found: list[Any], details: Mapping[str, Any]) -> list[Any]:
    """Returns the entries, those at `indices` (default: the first) with `field` set to `value`."""
    for entry in _at(found, details):
        if isinstance(entry, dict):
            entry[details["field"]] = details.get("value")
        elif entry is not None:
            tag = _tag(details["field"])
            for element in entry.findall(tag) or [etree.SubElement(entry, tag)]:
                element.text = None if details.get("value") is None else str(details["value"])
    return found


def swapped_for_another(found: list[Any], details: Mapping[str, Any]) -> list[Any]:
    """Returns the entries, those at `indices` (default: the first) replaced by a paper that nobody asked for."""
    for entry in _at(found, details):
        if isinstance(entry, dict) and "authorships" in entry:
            entry |= {"id": "https://openalex.org/W987654321", "title": _STRANGER}
            entry |= {"doi": "https://doi.org/10.48550/arxiv.2001.99999", "primary_location": None, "locations": []}
        elif isinstance(entry, dict):
            entry |= {"paperId": "ab" * 20, "corpusId": 987654321, "title": _STRANGER}
            entry["externalIds"] = {"ArXiv": "2001.99999", "CorpusId": 987654321}
        elif entry is not None:
            entry.find(f"{_ATOM}id").text = "http://arxiv.org/abs/2001.99999v1"
            entry.find(f"{_ATOM}title").text = _STRANGER
    return found


def lied(found: list[Any], details: Mapping[str, Any]) -> list[Any]:
    """Returns the entries after the `steps` of a lie, each an operation, its fields and, where it has one, a value.

    rotate: each entry gets the fields of the one before. share: all get those of the first. swap: the first and the
    last get each other's. set: all get the value. first: the first gets it. null: all lose the fields. add: numbers
    become greater by the value. scale: numbers become so many times what they were. halve: texts lose the second half
    of their words. append: the first text gets the value behind it. shift: from the middle on, each gets the fields of
    the one before. twin: the last entry becomes the first one, but for the fields, which get the value. Fields are
    those of the service; `authors` are an entry's author elements in a feed.
    """
    told = [entry for entry in found if entry is not None]
    for step in details["steps"]:
        operation, fields, *value = step
        if operation == "twin":
            _twin(told, fields, *value)
            continue
        for field in fields:
            before = [_told(entry, field) for entry in told]
            after = _OPERATIONS[operation](before, *value)
            for entry, new in zip(told, after, strict=True):
                _tell(entry, field, new)
    return found


_OPERATIONS: dict[str, Callable[..., list[Any]]] = {
    "rotate": lambda values: values[-1:] + values[:-1],
    "share": lambda values: values[:1] * len(values),
    "swap": lambda values: [*values[-1:], *values[1:-1], *values[:1]] if len(values) > 1 else values,
    "set": lambda values, value: [value] * len(values),
    "first": lambda values, value: [value, *values[1:]] if values else values,
    "null": lambda values: [None] * len(values),
    "add": lambda values, value: [one if one is None else one + value for one in values],
    "scale": lambda values, value: [one if one is None else int(one * value) for one in values],
    "append": lambda values, value: [_longer(one, value) if at == 0 else one for at, one in enumerate(values)],
    "shift": lambda values: [*values[: (len(values) + 1) // 2], *values[(len(values) - 1) // 2 : -1]],
    "halve": lambda values: [one and " ".join(one.split()[: (len(one.split()) + 1) // 2]) for one in values],
}


def _longer(value: Any, more: str) -> Any:
    """Returns a text, or the text of the only element of a feed's field, with `more` behind it."""
    if not isinstance(value, list):
        return value and value + more
    return "".join(etree.fromstring(element).text or "" for element in value) + more


def _twin(told: list[Any], fields: list[str], value: Any) -> None:
    """Makes the last entry the first one, but for `fields`."""
    if len(told) < 2:
        return
    first, last = told[0], told[-1]
    if isinstance(last, dict):
        last.clear()
        last.update(json.loads(json.dumps(first)))
    else:
        for element in list(last):
            last.remove(element)
        for element in first:
            last.append(etree.fromstring(etree.tostring(element)))
    for field in fields:
        _tell(last, field, value)


def _told(entry: Any, field: str) -> Any:
    if isinstance(entry, dict):
        inner = (entry.get("externalIds") or {}).get(field.partition(".")[2]) if "." in field else None
        return inner if "." in field else entry.get(field)
    return [etree.tostring(element) for element in entry.findall(_tag(field))]


def _tell(entry: Any, field: str, value: Any) -> None:
    if isinstance(entry, dict):
        if field.startswith("externalIds."):
            entry["externalIds"] = {**(entry.get("externalIds") or {}), field.partition(".")[2]: value}
        else:
            entry[field] = value
        return
    for element in entry.findall(_tag(field)):
        entry.remove(element)
    for element in value if isinstance(value, list) else ():
        entry.append(etree.fromstring(element))
    if isinstance(value, str):
        etree.SubElement(entry, _tag(field)).text = value


def with_envelope(reply: Reply, field: str, value: Any) -> Reply:
    """Returns the reply with `field` set around its entries: of a search's object (`meta.count`), or of a feed."""
    if reply.status != 200:
        return reply
    if "json" in reply.content_type:
        told = json.loads(reply.body)
        outer, dot, inner = field.partition(".")
        if isinstance(told, dict):
            told[outer] = {**told.get(outer, {}), inner: value} if dot else value
        return replace(reply, body=json.dumps(told).encode())
    root = etree.fromstring(reply.body)
    for element in root.findall(_tag(field)):
        element.text = str(value)
    return replace(reply, body=_written(root))


def miscoded(reply: Reply) -> Reply:
    """Returns the reply with a byte in its first title that is not UTF-8, whatever the header says."""
    mark = b"<title>" if b"<entry>" not in reply.body else b"<entry>"
    if "json" in reply.content_type:
        mark = b'"title": "'
    head, found, tail = reply.body.partition(mark)
    if not found:
        return replace(reply, body=reply.body[:-2] + b"\xe9\xff" + reply.body[-2:])
    if mark == b"<entry>":
        inner, title, rest = tail.partition(b"<title>")
        tail = inner + title + b"\xe9\xff" + rest
        return replace(reply, body=head + found + tail)
    return replace(reply, body=head + found + b"\xe9\xff" + tail)


def _changed_json(reply: Reply, change: _Change) -> Reply:
    value = json.loads(reply.body)
    if isinstance(value, list):
        value = change(value)
    elif (name := next((name for name in ("data", "results") if isinstance(value.get(name), list)), None)) is not None:
        value = {**value, name: change(value[name])}
    elif "paperId" in value:
        left = change([value])
        value = left[0] if left else {}
    return replace(reply, body=(json.dumps(value) + "\n").encode())


def _changed_feed(reply: Reply, change: _Change) -> Reply:
    root = etree.fromstring(reply.body)
    found = root.findall(f"{_ATOM}entry")
    for entry in found:
        root.remove(entry)
    for entry in change(found):
        root.append(etree.fromstring(etree.tostring(entry)))
    return replace(reply, body=_written(root))


def _written(root: Any) -> bytes:
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8"))


def _hollow(entry: Any) -> Any:
    if entry is None or isinstance(entry, dict):
        return None
    return etree.Element(f"{_ATOM}entry")


def _chosen(found: list[Any], details: Mapping[str, Any]) -> set[int]:
    indices = details.get("indices")
    return set(range(0, len(found), 2)) if indices is None else {index % max(len(found), 1) for index in indices}


def _at(found: list[Any], details: Mapping[str, Any]) -> list[Any]:
    return [found[index] for index in details.get("indices", (0,)) if -len(found) <= index < len(found)]


def _tag(name: str) -> str:
    prefix, colon, local = name.partition(":")
    return f"{_PREFIXES[prefix]}{local}" if colon else f"{_ATOM}{name}"
