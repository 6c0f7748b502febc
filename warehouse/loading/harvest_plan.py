"""Which papers to ask which service about: those never asked, stale ones and failures; the others wait their turn."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import datetime

    from warehouse.tables.rows import HarvestRow

_LONGEST_WAIT = timedelta(days=30)
_CLOCKS_APART = timedelta(days=1)
"""How far the clocks of machines that share a lake may differ; what is dated later than that has a wrong date."""
RARELY = 7
"""How many times longer a paper waits that has been withdrawn, or whose count has long stood still."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Freshness:
    """How old things may get.

    Attributes:
        counts: Citation counts.
        metadata: What arXiv tells of a paper.
    """

    counts: timedelta
    metadata: timedelta


def is_ahead(instant: datetime, now: datetime) -> bool:
    """Returns whether a clock that was far ahead dated `instant`: such a date says nothing about how old a thing is."""
    return instant - _CLOCKS_APART > now


def due(
    paper_ids: Iterable[str],
    harvests: Iterable[HarvestRow],
    source: str,
    *,
    max_age: timedelta,
    now: datetime,
    quiet: Collection[str] = (),
) -> list[str]:
    """Returns those of `paper_ids` that `source` should be asked about now.

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
