"""Which cells of a large matrix every push tries, and tests that try all values in one case."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

from standins.harms import EACH_PUSH


def each_harm(names: Iterable[str]) -> list[Any]:
    """Returns the harms as parameters of a test, those that are not tried at every push with the mark `nightly`."""
    return [name if name in EACH_PUSH else pytest.param(name, marks=pytest.mark.nightly) for name in names]


ELSEWHERE = frozenset({"503", "body cut off", "last left out", "another paper's record", "hangs"})
"""Harms that every push tries at each place: a refusal, a part, a whole that lacks something, a lie and silence."""


def each_harm_at(places: Sequence[Any], names: Iterable[str]) -> list[Any]:
    """Returns each harm at each place as parameters of a test; a push tries fewer of them behind the first place."""
    cells = [(place, name) for place in places for name in names]
    tried = {place: EACH_PUSH if place == places[0] else ELSEWHERE for place in places}
    return [cell if cell[1] in tried[cell[0]] else _at_night(cell) for cell in cells]


def first_each_push(values: Iterable[Any], *, count: int) -> list[Any]:
    """Returns parameters of a test, those behind the first `count` with the mark `nightly`."""
    return [value if number < count else _at_night(value) for number, value in enumerate(values)]


def _at_night(value: Any) -> Any:
    if isinstance(value, type(pytest.param())):
        return pytest.param(*value.values, id=value.id, marks=[*value.marks, pytest.mark.nightly])
    parts: Sequence[Any] = value if isinstance(value, tuple) else (value,)
    return pytest.param(*parts, marks=pytest.mark.nightly)


def for_each(names: str | Sequence[str], values: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Tries a test with each of `values` in one case, and tells every one that fails.

    It is for functions that change nothing, where a case of its own for each value proves no more. Fixtures are made
    once and shared by all values.
    """
    told = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    rows = [dict(zip(told, value if len(told) > 1 else (value,), strict=True)) for value in values]

    def over_all(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def tried(**fixtures: Any) -> None:
            if not rows:
                pytest.skip("what the values come from is not here")
            faults: list[BaseException] = []
            for row in rows:
                try:
                    test(**fixtures, **row)
                except (Exception, pytest.fail.Exception) as fault:  # noqa: BLE001 - raised again with the others'
                    fault.add_note(f"with {row!r}")
                    faults.append(fault)
                except pytest.skip.Exception:
                    pytest.fail("a value was skipped, which would hide the others")
            if faults:
                raise BaseExceptionGroup(f"{len(faults)} of {len(rows)} values", faults)

        signature = inspect.signature(test)
        others = [parameter for name, parameter in signature.parameters.items() if name not in told]
        tried.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return tried

    return over_all
