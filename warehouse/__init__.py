"""The lake: schema, loading, views, queries and exports. Knows no Prefect."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

# Called with a stage's name, its steps if known, and their unit; what it returns is called with the steps done.
Stage: TypeAlias = Callable[[str, int | None, str], Callable[[int], None]]


def without_progress(_name: str, _total: int | None, _unit: str) -> Callable[[int], None]:
    """Shows no progress."""
    return lambda _: None
