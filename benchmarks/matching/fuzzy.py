"""The plain way to find titles: rapidfuzz compares each with every title there is."""

from __future__ import annotations

import time
from collections.abc import Sequence

from rapidfuzz import fuzz, process, utils

_SAMPLE = 20
_ALIKE = 85
"""Percent of equal letters from which rapidfuzz would take a title for the one sought."""


def seconds(titles: Sequence[str], asked: Sequence[str]) -> float:
    """Returns how long one core takes to compare each of `asked` with all `titles`, scaled up from a few of them."""
    sample = asked[:: max(1, len(asked) // _SAMPLE)][:_SAMPLE]
    prepared = [utils.default_process(title) for title in titles]
    began = time.perf_counter()
    for title in sample:
        process.extractOne(utils.default_process(title), prepared, scorer=fuzz.ratio, score_cutoff=_ALIKE)
    return (time.perf_counter() - began) / len(sample) * len(asked)
