"""Decisions as lines of a file: one JSON object a line, strict, so that no slip of a person's hand is passed over."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from flows.decisions import Decision
from flows.paper_reference import parse_paper
from sources.errors import IdentifierError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

KEYS = ("list", "mention", "section", "url", "nth", "paper", "not", "on", "by", "note")
"""The keys that a line may have, in the order in which they are written."""


def parse_decision(line: str, *, where: str) -> Decision:
    """Returns the decision that one line of a decisions file holds.

    Args:
        line: A JSON object.
        where: File and line, for messages.

    Raises:
        UsageError: The line is no decision; the message says where and why.
    """
    try:
        return _decision(json.loads(line, object_pairs_hook=_object), where=where, raw=line)
    except json.JSONDecodeError as error:
        hint = '; a remark goes under the key "note"' if line.startswith(("#", "//")) else ""
        raise UsageError(f"{where} is not JSON: {error.msg} at column {error.colno}{hint}") from None
    except (ValueError, RecursionError, IdentifierError) as error:
        raise UsageError(f"{where}: {error}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    told = dict(pairs)
    if len(told) != len(pairs):
        raise ValueError("a key stands there twice")
    return told


def _decision(told: Any, *, where: str, raw: str) -> Decision:
    if not isinstance(told, dict):
        raise ValueError("a decision is an object: {...}")  # noqa: TRY004 - wrong input, not a wrong call
    unknown = [key for key in told if key not in KEYS]
    if unknown:
        raise ValueError(f"unknown key {unknown[0]!r}; a decision has {', '.join(KEYS)}")
    if ("paper" in told) == ("not" in told):
        raise ValueError('a decision has either "paper" (an identifier, or null for none) or "not" (a list of them)')
    paper = _text(told, "paper") if "paper" in told else None
    section = _texts(told, "section")
    return Decision(
        list=_needed(told, "list"),
        mention=_needed(told, "mention"),
        section=None if section is None else tuple(section),
        url=_text(told, "url"),
        nth=_ordinal(told),
        paper=None if paper is None else parse_paper(paper),
        refused=tuple(dict.fromkeys(map(parse_paper, _refused(told)))),
        on=_text(told, "on"),
        by=_text(told, "by"),
        note=_text(told, "note"),
        where=where,
        raw=raw,
    )


def _needed(told: Mapping[str, Any], key: str) -> str:
    text = _text(told, key)
    if not text or not text.strip():
        raise ValueError(f'"{key}" is missing')
    return text


def _text(told: Mapping[str, Any], key: str) -> str | None:
    value = told.get(key)
    if value is not None and not isinstance(value, str):
        raise ValueError(f'"{key}" is not text: {value!r}')
    return value


def _texts(told: Mapping[str, Any], key: str) -> list[str] | None:
    value = told.get(key)
    if value is not None and not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
        raise ValueError(f'"{key}" is not a list of texts: {value!r}')
    return value


def _ordinal(told: Mapping[str, Any]) -> int | None:
    nth = told.get("nth")
    if nth is not None and (not isinstance(nth, int) or isinstance(nth, bool) or nth < 1):
        raise ValueError(f'"nth" is not a number from 1 on: {nth!r}')
    return nth


def _refused(told: Mapping[str, Any]) -> list[str]:
    refused = _texts(told, "not")
    if "not" in told and not refused:
        raise ValueError('"not" is empty: name the papers that it is not')
    return refused or []


def format_decision(decision: Decision) -> str:
    """Returns the line that `parse_decision` reads as this decision; one that was read is given back as it was."""
    if decision.raw:
        return decision.raw
    told: dict[str, Any] = {"list": decision.list, "mention": decision.mention}
    told |= {key: getattr(decision, key) for key in ("section", "url", "nth") if getattr(decision, key) is not None}
    if decision.refused:
        told["not"] = [str(one) for one in decision.refused]
    else:
        told["paper"] = str(decision.paper) if decision.paper else None
    told |= {key: getattr(decision, key) for key in ("on", "by", "note") if getattr(decision, key) is not None}
    return json.dumps(told, ensure_ascii=False)
