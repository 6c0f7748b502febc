"""What is known of addresses from one check to the next: a JSON file in the user's cache folder.

The answers are about the web, not about a lake, so that all lists of a user share them. The file is a memory and no
more: one that cannot be read is begun anew, and one that cannot be written costs the requests of the next check.
"""

from __future__ import annotations

import json
import logging
import threading
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, get_args

from sources.clock import Clock, utc_now
from sources.link_checks.answers import LinkAnswer, LinkKind
from warehouse.cache_folder import cache_folder
from warehouse.durable_files import write_whole

if TYPE_CHECKING:
    from types import TracebackType

_VERSION = 1
_MOST_BYTES = 64 * 2**20
_WRITTEN_EVERY = 100
"""Answers that a killed process may lose."""
_log = logging.getLogger(__name__)


def link_file() -> Path:
    """Returns the file of link answers in the folder that the user's system keeps for caches."""
    return cache_folder() / "links.json"


class LinkFile:
    """The answers in `path`, for as long as the `with` block lasts; a `LinkStore`.

    Two processes may use one file: each adds its answers to those that are there, and the later answer stays.
    """

    def __init__(self, path: Path, *, now: Clock = utc_now) -> None:
        self._path = path
        self._now = now
        self._answers = _read(path)
        self._unwritten = 0
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._write()

    def find(self, address: str) -> LinkAnswer | None:
        """Returns the last answer for an address, None where there is none."""
        return self._answers.get(address)

    def keep(self, address: str, answer: LinkAnswer) -> None:
        """Keeps an answer."""
        with self._lock:
            self._answers[address] = answer
            self._unwritten += 1
            if self._unwritten >= _WRITTEN_EVERY:
                self._write()

    def _write(self) -> None:
        """Writes what still holds, with what others have written in the meantime."""
        if not self._unwritten:
            return
        now = self._now()
        for address, other in _read(self._path).items():
            own = self._answers.get(address)
            if own is None or (own.asked_at and other.asked_at and own.asked_at < other.asked_at):
                self._answers[address] = other
        valid = {address: _row(answer) for address, answer in self._answers.items() if answer.holds(now)}
        body = json.dumps({"version": _VERSION, "answers": valid}, ensure_ascii=False, separators=(",", ":"))
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(self._path, body.encode("utf-8", "surrogatepass"))
        except OSError as error:
            _log.warning("what is known of links could not be kept for the next check: %s", error)
        self._unwritten = 0


def _row(answer: LinkAnswer) -> dict[str, Any]:
    asked_at = answer.asked_at.isoformat() if answer.asked_at else None
    return {"kind": answer.kind, "status": answer.status, "location": answer.location, "reason": answer.reason,
            "asked_at": asked_at}  # fmt: skip


def _read(path: Path) -> dict[str, LinkAnswer]:
    """Returns the answers in a file, as far as they are ones."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            return {}
        content = json.loads(path.read_bytes())
        rows = content["answers"] if content["version"] == _VERSION else {}
        answers = {address: _answer(row) for address, row in rows.items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}
    return {address: answer for address, answer in answers.items() if answer is not None}


def _answer(row: Any) -> LinkAnswer | None:
    if not isinstance(row, dict) or row.get("kind") not in get_args(LinkKind):
        return None
    status, location, reason = row.get("status"), row.get("location"), row.get("reason")
    if not (isinstance(status, int | None) and isinstance(location, str | None) and isinstance(reason, str)):
        return None
    try:
        asked_at = datetime.fromisoformat(row["asked_at"])
    except (KeyError, TypeError, ValueError):
        return None
    if asked_at.tzinfo is None:
        return None
    return LinkAnswer(kind=row["kind"], status=status, location=location, reason=reason, asked_at=asked_at)
