"""Keeps replies on disk until they are committed; a request that one of them answers is not sent.

A reply is stored as soon as it arrives. Each is a file: a line of JSON about the request, then the body byte for byte.
A file gets its name only once it is complete and on disk. So a crash leaves whole replies or none, and the next run
continues from them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from sources.clock import Clock, utc_now
from sources.records import Reply
from warehouse.durable_files import PARTIAL, write_whole
from warehouse.tables.declarations import HarvestRow

# How old things may get: which papers are due at which source, and when something not found is asked for again.


_LONGEST_WAIT = timedelta(days=30)
# How far the clocks of machines that share a lake may differ; a date further in the future is wrong.
_CLOCKS_APART = timedelta(days=1)
RARELY = 7  # how many times longer a paper waits that was withdrawn, or whose count has not changed for long


def is_ahead(instant: datetime, now: datetime) -> bool:
    """Returns whether `instant` is far in the future, by a wrong clock: such a date says nothing about an age."""
    return instant - _CLOCKS_APART > now


def is_newer(fetched_at: datetime, stored_at: datetime | None, *, now: datetime) -> bool:
    """Returns whether a reply is newer than what is stored; a stored date in the future is wrong."""
    return stored_at is None or fetched_at > stored_at or is_ahead(stored_at, max(now, fetched_at))


def due(
    paper_ids: Iterable[str],
    harvests: Iterable[HarvestRow],
    source: str,
    *,
    max_age: timedelta,
    now: datetime,
    quiet: Collection[str] = (),
) -> list[str]:
    """Returns those of `paper_ids` that are due at `source` now.

    A paper never asked about, or whose last try failed or is dated in the future, is due at once; one found is due
    when it is older than `max_age`, and one of the `quiet` when it is `RARELY` times as old; one that the source does
    not have is due after `max_age`, then after twice, four times as long, up to 30 days.
    """
    last = {row["paper_id"]: row for row in harvests if row["source"] == source}
    ages = dict.fromkeys(quiet, max_age * RARELY)
    return [paper_id for paper_id in paper_ids if _is_due(last.get(paper_id), ages.get(paper_id, max_age), now)]


def asks_again_at(asked_at: datetime, tries: int, *, max_age: timedelta) -> datetime:
    """Returns when something that was not found is worth asking for again: later with each try, at most in 30 days."""
    times = 2 ** min(max(tries - 1, 0), 20)
    longest = max(_LONGEST_WAIT, max_age)
    return asked_at + (max_age * times if max_age <= longest / times else longest)


def due_again(asked_at: datetime, tries: int, *, max_age: timedelta, now: datetime) -> bool:
    """Returns whether the time has come to ask again for something that was not found."""
    return is_ahead(asked_at, now) or now >= asks_again_at(asked_at, tries, max_age=max_age)


def _is_due(last: HarvestRow | None, max_age: timedelta, now: datetime) -> bool:
    if last is None or last["status"] == "failed":
        return True
    if last["status"] == "not_found":
        return due_again(last["asked_at"], last["tries"], max_age=max_age, now=now)
    return bool(is_ahead(last["asked_at"], now) or now >= last["asked_at"] + max_age)


_SUFFIX = ".reply"


@dataclass(slots=True)
class ReplySpool:
    """A folder of replies that are not committed yet, in which a request finds its reply.

    It remembers those of the current batch. An observation has the date of the oldest of them: a count must not look
    newer than it is.
    """

    folder: Path  # made when the first reply is stored
    max_age: timedelta  # older replies are still committed, but no longer used in place of a request
    clock: Clock = utc_now
    _batch: list[Reply] = field(default_factory=list)

    def find(self, source: str, request_key: str) -> Reply | None:
        """Returns the newest stored reply to this very request, None where there is none.

        A reply that is too old, or dated far in the future, is not returned.
        """
        now = self.clock()
        oldest = now - self.max_age
        stored = (_read(path) for path in sorted(self.folder.glob(f"*-{source}-{_digest(request_key)}-*{_SUFFIX}")))
        hits = [r for r in stored if r is not None and r.request_key == request_key and r.fetched_at >= oldest]
        sound = [reply for reply in hits if not is_ahead(reply.fetched_at, now)]
        newest = max(sound, key=lambda reply: reply.fetched_at, default=None)
        self._batch += [newest] if newest else []
        return newest

    def keep(self, reply: Reply) -> None:
        """Stores `reply` on disk, complete or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        moment = f"{reply.fetched_at:%Y%m%dT%H%M%S%f}"
        name = f"{moment}-{reply.source}-{_digest(reply.request_key)}-{reply.sha256[:12]}"
        facts = {
            "source": reply.source,
            "request_key": reply.request_key,
            "fetched_at": reply.fetched_at.isoformat(),
            "status": reply.status,
        }
        write_whole(self.folder / f"{name}{_SUFFIX}", json.dumps(facts).encode() + b"\n" + reply.body)
        self._batch.append(reply)

    def batch(self) -> tuple[datetime, list[Reply]]:
        """Returns the replies found or stored since the last call, and the time of the oldest of them."""
        replies, self._batch = self._batch, []
        return min((reply.fetched_at for reply in replies), default=self.clock()), replies

    def replies(self) -> Iterator[Reply]:
        """Yields every stored reply, oldest first; one that is damaged on disk is left out, and requested again."""
        for path in self.files():
            reply = _read(path)
            if reply is not None:
                yield reply

    def files(self) -> list[Path]:
        """Returns the files of all stored replies, oldest first."""
        return sorted(self.folder.glob(f"*{_SUFFIX}"))

    def drop(self, files: list[Path]) -> None:
        """Removes `files`, whose replies are in the lake now, and partial files that a crash left."""
        for path in (*files, *self.folder.glob(f"*{PARTIAL}")):
            path.unlink(missing_ok=True)


def _read(path: Path) -> Reply | None:
    """Returns the reply in `path`, None where the file is not as it was written."""
    header, _, body = path.read_bytes().partition(b"\n")
    try:
        facts = json.loads(header)
        reply = Reply(**facts | {"fetched_at": datetime.fromisoformat(facts["fetched_at"])}, body=body)
    except (ValueError, KeyError, TypeError):
        return None
    return reply if path.stem.endswith(reply.sha256[:12]) else None


def _digest(request_key: str) -> str:
    return hashlib.sha256(request_key.encode()).hexdigest()[:12]
