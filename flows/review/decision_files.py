"""Files of decisions: finding, reading and writing them, one line of JSON for each decision."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock

from flows.review.decisions import Decision, parse_paper
from sources.errors import IdentifierError, UsageError
from sources.lists.local_files import read_list_file
from warehouse.durable_files import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from flows.review.decisions import Decision


FILE_NAME = "paperlake-decisions.jsonl"
_LOCK_WAIT_S = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionFile:
    """The file of the decisions on one list.

    Attributes:
        path: The file; it need not exist.
        list_name: The name of the list in it.
    """

    path: Path
    list_name: str


def decision_file_of(location: str, lake_folder: Path) -> DecisionFile:
    """Returns the file of the decisions on the list at `location`."""
    file = Path(location)
    if file.is_absolute():
        return DecisionFile(path=file.parent / FILE_NAME, list_name=file.name)
    return DecisionFile(path=lake_folder / FILE_NAME, list_name=location)


class DecisionFiles:
    """Reads files of decisions, each once.

    Args:
        lake_folder: The lake's folder.
    """

    def __init__(self, lake_folder: Path) -> None:
        self._lake_folder = lake_folder
        self.read: dict[Path, tuple[Decision, ...]] = {}

    def of(self, location: str) -> tuple[Decision, ...]:
        """Returns the decisions on the list at `location`.

        Raises:
            UsageError: The file cannot be read, or a line in it is not a decision.
        """
        decision_file = decision_file_of(location, self._lake_folder)
        if decision_file.path not in self.read:
            self.read[decision_file.path] = read_decisions(decision_file.path)
        return tuple(item for item in self.read[decision_file.path] if item.list == decision_file.list_name)


def read_decisions(path: Path) -> tuple[Decision, ...]:
    """Returns the decisions in the file at `path`, none where there is no file; blank lines are skipped.

    Raises:
        UsageError: The file cannot be read, a line is not a decision, or two are about the same mention and differ.
    """
    found: dict[tuple[object, ...], Decision] = {}
    for number, line in enumerate(_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        decision = parse_decision(line.strip(), where=f"{path}:{number}")
        before = found.setdefault(decision.target, decision)
        if before.ruling != decision.ruling:
            raise UsageError(f"{decision.where} and {before.where} differ about the same mention: delete one of them")
    return tuple(found.values())


def change_decisions(
    path: Path, edit: Callable[[Sequence[Decision]], Sequence[Decision]], *, lock_folder: Path
) -> None:
    """Replaces the decisions in the file at `path` by the result of `edit`, sorted, at once or not at all.

    Lines of unchanged decisions stay as they are, with the file's own line ends. A file without decisions is removed.

    Raises:
        UsageError: The file cannot be read or written; it is unchanged.
    """
    try:
        lock_folder.mkdir(parents=True, exist_ok=True)
        with FileLock(lock_folder / "decisions.lock", timeout=_LOCK_WAIT_S):
            _replace(path.resolve(), edit)
    except (OSError, TimeoutError) as error:
        raise UsageError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from error


def _replace(path: Path, edit: Callable[[Sequence[Decision]], Sequence[Decision]]) -> None:
    end = "\r\n" if "\r\n" in _text(path) else "\n"
    decisions = sorted(edit(read_decisions(path)), key=_order)
    if not decisions:
        path.unlink(missing_ok=True)
        return
    write_whole(path, "".join(format_decision(decision) + end for decision in decisions).encode())


def _order(decision: Decision) -> tuple[str, str, str, str, int]:
    section = " / ".join(decision.section or ())
    return decision.list, decision.mention.casefold(), section, decision.url or "", decision.nth or 0


def _text(path: Path) -> str:
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from None
    try:
        return read_list_file(path, shown=str(path)).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text: byte {error.start} cannot be read") from None


KEYS = ("list", "mention", "section", "url", "nth", "paper", "not", "on", "by", "note")
"""The keys that a line may have, in the order in which they are written."""


def parse_decision(line: str, *, where: str) -> Decision:
    """Returns the decision in one line of a file of decisions.

    Args:
        line: A JSON object.
        where: File and line, for messages.

    Raises:
        UsageError: The line is not a decision; the message says where and why.
    """
    try:
        return _decision(json.loads(line, object_pairs_hook=_object), where=where, raw=line)
    except json.JSONDecodeError as error:
        hint = '; a remark goes under the key "note"' if line.startswith(("#", "//")) else ""
        raise UsageError(f"{where} is not JSON: {error.msg} at column {error.colno}{hint}") from None
    except (ValueError, RecursionError, IdentifierError) as error:
        raise UsageError(f"{where}: {error}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        raise ValueError("a key is there twice")
    return document


def _decision(fields: Any, *, where: str, raw: str) -> Decision:
    if not isinstance(fields, dict):
        raise ValueError("a decision is an object: {...}")  # noqa: TRY004 - wrong input, not a wrong call
    unknown = [key for key in fields if key not in KEYS]
    if unknown:
        raise ValueError(f"unknown key {unknown[0]!r}; a decision has {', '.join(KEYS)}")
    if ("paper" in fields) == ("not" in fields):
        raise ValueError('a decision has either "paper" (an identifier, or null for none) or "not" (a list of them)')
    paper = _text_of_field(fields, "paper") if "paper" in fields else None
    section = _texts(fields, "section")
    return Decision(
        list=_needed(fields, "list"),
        mention=_needed(fields, "mention"),
        section=None if section is None else tuple(section),
        url=_text_of_field(fields, "url"),
        nth=_ordinal(fields),
        paper=None if paper is None else parse_paper(paper),
        refused=tuple(dict.fromkeys(map(parse_paper, _refused(fields)))),
        on=_text_of_field(fields, "on"),
        by=_text_of_field(fields, "by"),
        note=_text_of_field(fields, "note"),
        where=where,
        raw=raw,
    )


def _needed(fields: Mapping[str, Any], key: str) -> str:
    text = _text_of_field(fields, key)
    if not text or not text.strip():
        raise ValueError(f'"{key}" is missing')
    return text


def _text_of_field(fields: Mapping[str, Any], key: str) -> str | None:
    value = fields.get(key)
    if value is not None and not isinstance(value, str):
        raise ValueError(f'"{key}" is not text: {value!r}')
    return value


def _texts(fields: Mapping[str, Any], key: str) -> list[str] | None:
    value = fields.get(key)
    if value is not None and not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
        raise ValueError(f'"{key}" is not a list of texts: {value!r}')
    return value


def _ordinal(fields: Mapping[str, Any]) -> int | None:
    nth = fields.get("nth")
    if nth is not None and (not isinstance(nth, int) or isinstance(nth, bool) or nth < 1):
        raise ValueError(f'"nth" is not a number from 1 on: {nth!r}')
    return nth


def _refused(fields: Mapping[str, Any]) -> list[str]:
    refused = _texts(fields, "not")
    if "not" in fields and not refused:
        raise ValueError('"not" is empty: name the papers that it is not')
    return refused or []


def format_decision(decision: Decision) -> str:
    """Returns the line that `parse_decision` reads as this decision; for one that was read, its own line."""
    if decision.raw:
        return decision.raw
    fields: dict[str, Any] = {"list": decision.list, "mention": decision.mention}
    fields |= {key: getattr(decision, key) for key in ("section", "url", "nth") if getattr(decision, key) is not None}
    if decision.refused:
        fields["not"] = [str(item) for item in decision.refused]
    else:
        fields["paper"] = str(decision.paper) if decision.paper else None
    fields |= {key: getattr(decision, key) for key in ("on", "by", "note") if getattr(decision, key) is not None}
    return json.dumps(fields, ensure_ascii=False)
