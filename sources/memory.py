"""What was found out before: a dictionary that works out what it lacks, and forgets when it has grown too large."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Key = TypeVar("Key")
Found = TypeVar("Found")

_MOST = 32768


class Memory(dict[Key, Found]):
    """A function's results by its argument. Looking one up is faster than a call of a function with `lru_cache`."""

    def __init__(self, find: Callable[[Key], Found]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, key: Key) -> Found:
        """Returns what the function says of `key`, and remembers it."""
        found = self._find(key)
        if len(self) >= _MOST:
            self.clear()
        self[key] = found
        return found

    def remember(self, key: Key, found: Found) -> Found:
        """Returns `found`, which is what the function says of `key`; where there is no more room, it forgets first."""
        if len(self) >= _MOST:
            self.clear()
        self[key] = found
        return found

    def cache_clear(self) -> None:
        """Forgets everything."""
        self.clear()
