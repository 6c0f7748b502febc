"""What stands in the first panels before the page's script has run, and where it never does: sentences, rows, a map."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date
from math import log2, log10
from typing import TYPE_CHECKING, Any

from sources.text import counted
from warehouse.dashboard.columns import NONE
from warehouse.dashboard.recent_changes import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warehouse.dashboard.facts import Facts

_MOST_CHANGES = 6
_MOST_GROWING = 10
_WORDS = {
    "added": ("entry", "added"),
    "removed": ("entry", "removed"),
    "published": ("preprint", "published"),
    "retracted": ("paper", "retracted"),
    "withdrawn": ("paper", "withdrawn"),
    "jumped": ("paper", "cited much more than before"),
    "missing": ("work", "newly among the likeliest that are missing"),
}
_EPOCH = 719163
"""The ordinal of 1970-01-01, from which the page counts its days."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowingPaper:
    """A paper that is cited clearly faster than others of its year and field.

    Attributes:
        title: Its title.
        counted_year: The last full year.
        later: Citations in it.
        earlier: Citations in the year before.
        growth: The ratio of the two, divided by that of its peers.
        low: The lower end of its interval.
        high: The upper end.
    """

    title: str
    counted_year: int
    later: int
    earlier: int
    growth: float
    low: float
    high: float

    @property
    def marks(self) -> tuple[float, float, float]:
        """Where low, growth and high stand on a logarithmic scale from a quarter to eight times, 0 to 100."""
        low, growth, high = (_on_scale(value) for value in (self.low, self.growth, self.high))
        return low, growth, high


def _on_scale(value: float) -> float:
    return round(2 + 96 * (min(3, max(-2, log2(max(value, 0.01)))) + 2) / 5, 1)


def changes_sentence(facts: Facts) -> str:
    """Returns what the last refresh changed, in one sentence."""
    changes = facts["changes"]
    if not facts["lists"]["id"]:
        return "No list has been read yet: the first `paperlake refresh` reads some."
    if changes["since"] is None:
        return (
            "The lists were read once so far: from the next refresh on, this tells what changed since the one before."
        )
    kinds = Counter(KINDS[changes["kind"][row]] for row in _shown_changes(facts))
    days = changes["until"] - changes["since"]
    when = day_text(changes["since"])
    since = (
        f"the refresh before the last, on the same day ({when})"
        if days < 1
        else f"{when}, {counted(days, 'day')} before the last refresh"
    )
    if not kinds:
        return f"Nothing has changed since {since}."
    parts = [f"{counted(kinds[kind], noun)} {verb}" for kind, (noun, verb) in _WORDS.items() if kinds[kind]]
    return f"Since {since}: {', '.join(parts[:-1])}{' and ' if parts[:-1] else ''}{parts[-1]}."


def _shown_changes(facts: Facts) -> list[int]:
    """Returns the rows to speak of where nothing is chosen: of works that are missing, those of all lists together."""
    changes = facts["changes"]
    missing = KINDS.index("missing")
    return [row for row, kind in enumerate(changes["kind"]) if kind != missing or changes["list"][row] == NONE]


def changes_by_kind(facts: Facts) -> Iterator[tuple[str, list[str], int]]:
    """Yields each kind of change that happened, titles of the first, and how many more there are."""
    changes, titles = facts["changes"], facts["papers"]["title"]
    for number, kind in enumerate(KINDS):
        rows = [row for row in _shown_changes(facts) if changes["kind"][row] == number]
        papers = [changes["paper"][row] for row in rows[:_MOST_CHANGES]]
        shown = [
            titles[paper] if paper != NONE else changes["text"][row] for paper, row in zip(papers, rows, strict=False)
        ]
        if rows:
            yield kind.capitalize(), shown, len(rows) - len(shown)


def growing_papers(facts: Facts) -> list[GrowingPaper]:
    """Returns the papers that are clearly taking off, the clearest first."""
    growth = facts["growth"]
    if growth is None:
        return []
    rows = [row for row, low in enumerate(growth["low"]) if low is not None and low > 1][:_MOST_GROWING]
    return [
        GrowingPaper(
            title=facts["papers"]["title"][growth["paper"][row]],
            counted_year=growth["counted_year"]["values"][growth["counted_year"]["codes"][row]],
            **{name: growth[name][row] for name in ("later", "earlier", "growth", "low", "high")},
        )
        for row in rows
    ]


def day_text(days: int) -> str:
    """Returns a day that is counted from 1970, as people read it."""
    when = date.fromordinal(days + _EPOCH)
    return f"{when.day} {when:%b %Y}"


_MOST_MARKS = 600


def map_marks(facts: Facts) -> dict[str, Any] | None:
    """Returns the most cited papers as one path of dots, 640 by 300, with the labels of both axes; None without any.

    To the right is later, upwards is cited more, on a logarithmic scale.
    """
    papers = facts["papers"]
    known = [
        (year, count)
        for year, count in zip(papers["year"], papers["citations"], strict=True)
        if year is not None and count is not None
    ][:_MOST_MARKS]
    if not known:
        return None
    first, last = min(year for year, _ in known), max(year for year, _ in known)
    top = max(1, *(log10(count + 1) for _, count in known))

    def x(year: int) -> float:
        return float(round(60 + 560 * (year - first + 0.5) / (last - first + 1), 1))

    def y(count: int) -> float:
        return round(265 - 250 * log10(count + 1) / top, 1)

    counts = [0, *(10**power for power in range(1, 8) if power <= top)]
    return {
        "dots": "".join(f"M{x(year)} {y(count)}h0" for year, count in known),
        "years": [(x(year), year) for year in sorted({first, (first + last) // 2, last})],
        "counts": [(y(count), f"{count:,}") for count in counts],
        "papers": len(known),
    }
