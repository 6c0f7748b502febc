"""Which cells of a large matrix every push tries; the others are for the night."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from standins.harms import EACH_PUSH


def each_harm(names: Iterable[str]) -> list[Any]:
    """Returns the harms as parameters of a test, those that are not tried at every push with the mark `nightly`."""
    return [name if name in EACH_PUSH else pytest.param(name, marks=pytest.mark.nightly) for name in names]


def first_each_push(values: Iterable[Any], *, count: int) -> list[Any]:
    """Returns parameters of a test, those behind the first `count` with the mark `nightly`."""
    return [value if number < count else _at_night(value) for number, value in enumerate(values)]


def _at_night(value: Any) -> Any:
    parts: Sequence[Any] = value if isinstance(value, tuple) else (value,)
    return pytest.param(*parts, marks=pytest.mark.nightly)
