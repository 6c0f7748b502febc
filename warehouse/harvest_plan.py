"""Which papers to ask which service about: those never asked, stale ones and failures; the others wait their turn."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from datetime import datetime

_LONGEST_WAIT = timedelta(days=30)
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


def due(
    paper_ids: Iterable[str],
    harvests: Iterable[Mapping[str, Any]],
    source: str,
    *,
    max_age: timedelta,
    now: datetime,
    quiet: Collection[str] = (),
) -> list[str]:
    """Returns those of `paper_ids` that `source` should be asked about now.

    A paper never asked about, or whose last try failed, is due at once; one found is due when it is older than
    `max_age`, and one of the `quiet` when it is `RARELY` times as old; one that the source does not have is due after
    `max_age`, then after twice, four times as long, up to 30 days.
    """
    last = {row["paper_id"]: row for row in harvests if row["source"] == source}
    ages = dict.fromkeys(quiet, max_age * RARELY)
    return [one for one in paper_ids if _is_due(last.get(one), ages.get(one, max_age), now)]


def asks_again_at(asked_at: datetime, tries: int, *, max_age: timedelta) -> datetime:
    """Returns when something that was not found is worth asking for again: later with each try, at most in 30 days."""
    times = 2 ** min(max(tries - 1, 0), 20)
    longest = max(_LONGEST_WAIT, max_age)
    return asked_at + (max_age * times if max_age <= longest / times else longest)


def _is_due(last: Mapping[str, Any] | None, max_age: timedelta, now: datetime) -> bool:
    if last is None or last["status"] == "failed":
        return True
    if last["status"] == "not_found":
        return now >= asks_again_at(last["asked_at"], last["tries"], max_age=max_age)
    return bool(now >= last["asked_at"] + max_age)
