"""Whether a paper grows clearly faster than its peers: not where all of them vary more than Poisson counts do.

Counts are drawn from negative binomials: Poisson counts whose rates are drawn from gamma distributions.
"""

from __future__ import annotations

import math
import random

import duckdb
import pyarrow as pa
import pytest

from warehouse.dashboard.panel_facts import beside_peers

PAPERS = 1_500
RISER = "riser"


def poisson(mean: float, draws: random.Random) -> int:
    """Returns a Poisson count: arrivals within the mean, or a rounded normal where that is large."""
    if mean > 200:
        return max(0, round(draws.gauss(mean, math.sqrt(mean))))
    left, number = -mean, -1
    while left < 0:
        left += draws.expovariate(1.0)
        number += 1
    return number


def listed(names):
    return {
        "paper_id": names,
        "year": [2015 + number % 5 for number in range(len(names))],
        "primary_category": ["cs.DB"] * len(names),
        "fields_of_study": [["x"]] * len(names),
    }


def judged(size: float | None) -> dict[str, tuple[float, float]]:
    """Returns paper -> `low` and `high` of a crowd that does not grow, and of one paper that grows six times."""
    draws = random.Random(1)
    counts: dict[str, tuple[int, int]] = {RISER: (180, 30)}
    for number in range(PAPERS):
        mean = math.exp(draws.gauss(3.2, 1.0))
        rates = [mean if size is None else draws.gammavariate(size, mean / size) for _ in range(2)]
        counts[f"p{number}"] = (poisson(rates[0], draws), poisson(rates[1], draws))
    names = list(counts)
    cited = {
        "paper_id": names * 2,
        "year": [2025] * len(names) + [2024] * len(names),
        "citation_count": [counts[name][0] for name in names] + [counts[name][1] for name in names],
        "source": ["openalex"] * 2 * len(names),
    }
    connection = duckdb.connect()
    connection.register("listed", pa.table(listed(names)))
    connection.register("citations_by_year", pa.table(cited))
    connection.execute(
        "CREATE TABLE openalex_works AS SELECT paper_id, ['t'] AS topics, 9 AS citation_count, "
        "TIMESTAMP '2026-03-01' AS refreshed_at FROM listed"
    )
    return intervals(connection, "growth")


def intervals(connection: duckdb.DuckDBPyConnection, measured: str) -> dict[str, tuple[float, float]]:
    rows = beside_peers(connection, measured)
    told = zip(rows["paper_id"], rows["low"], rows["high"], strict=True)
    return {name: (low, high) for name, low, high in told if low is not None}


def judged_by_counts(size: float | None) -> dict[str, tuple[float, float]]:
    """Returns the same of counts over 12 weeks: papers gain in proportion to what they have, one six times as much."""
    draws = random.Random(1)
    had = {RISER: 300} | {f"p{number}": round(math.exp(draws.gauss(5.5, 1.0))) for number in range(PAPERS)}
    means = {name: 0.1 * count * (6 if name == RISER else 1) for name, count in had.items()}
    rates = {name: mean if size is None else draws.gammavariate(size, mean / size) for name, mean in means.items()}
    gained = {name: poisson(rate, draws) for name, rate in rates.items()}
    names = list(had)
    drawn = {"drawn_count": [had[name] + gained[name] for name in names]}
    told = {"paper_id": names, "gained_per_week": [gained[name] / 12 for name in names], "days": [84.0] * len(names)}
    connection = duckdb.connect()
    connection.register("listed", pa.table(listed(names) | drawn))
    connection.register("rates", pa.table(told))
    return intervals(connection, "rises")


JUDGES = pytest.mark.parametrize("judge", [judged, judged_by_counts], ids=["by years", "by counts"])


@JUDGES
@pytest.mark.parametrize("size", [None, 20.0, 2.0], ids=["as by chance", "a little", "very much"])
def test_of_a_crowd_that_only_varies_hardly_one_is_called_growing_and_what_grows_far_beyond_is_found(size, judge):
    found = judge(size)
    crowd = [interval for name, interval in found.items() if name != RISER]
    assert len(crowd) > PAPERS * 0.8
    assert sum(low > 1 for low, _ in crowd) <= 0.02 * len(crowd), "an interval of 99 % lets one in 200 above"
    assert sum(high < 1 for _, high in crowd) <= 0.02 * len(crowd)
    assert size == 2.0 or found[RISER][0] > 1
