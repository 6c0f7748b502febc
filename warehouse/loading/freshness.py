"""How old things may get: which papers are due at which source, and when something not found is asked for again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from warehouse.tables.rows import HarvestRow

_LONGEST_WAIT = timedelta(days=30)
_CLOCKS_APART = timedelta(days=1)
"""How far the clocks of machines that share a lake may differ; a date further in the future is wrong."""
RARELY = 7
"""How many times longer a paper waits that was withdrawn, or whose count has not changed for long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Freshness:
    """How old things may get.

    Attributes:
        counts: Citation counts.
        metadata: What arXiv says of a paper.
    """

    counts: timedelta
    metadata: timedelta


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
