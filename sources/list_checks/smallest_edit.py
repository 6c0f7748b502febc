"""The edit with the fewest characters that turns one text into another. Pure."""

from __future__ import annotations

from itertools import takewhile

from sources.list_checks.findings import Edit


def smallest_edit(start: int, before: str, after: str) -> Edit:
    """Returns the edit that makes `after` of `before`, which stands at `start`, without what they have in common."""
    head = _in_common(before, after)
    tail = _in_common(before[head:][::-1], after[head:][::-1])
    return Edit(start=start + head, end=start + len(before) - tail, replacement=after[head : len(after) - tail])


def _in_common(text: str, other: str) -> int:
    """Returns how many characters two texts begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(text, other, strict=False)))
