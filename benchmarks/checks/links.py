"""A list of 500 entries with links on 40 hosts, asked with a pause at each host: the time beside its floor.

    python -m benchmarks.checks.links [--full]

The floor is what the busiest host alone takes: its requests one after the other, a pause between two of them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks.figure import Figure, run
from sources.lists.links import LinkLimits, check_links
from standins.link_hosts import LinkHosts
from standins.trials.link_list import ENTRIES, HOSTS, link_trial


def figures(*, full: bool) -> Iterator[Figure]:
    """Yields the time of a check of links beside its floor, for `make bench`."""
    limits = LinkLimits(spacing_s=1.0 if full else 0.25, again_s=5.0, request_s=5.0)
    with LinkHosts() as hosts:
        hosts.latency_s = 0.05
        trial = link_trial(hosts)
        began = time.perf_counter()
        answers = check_links(trial.expected, limits=limits, resolve=hosts.resolve, allow_loopback=True)
        took_s = time.perf_counter() - began
        if {address: answer.kind for address, answer in answers.items()} != trial.expected:
            raise SystemExit("an answer is wrong")
        if min(hosts.gaps().values()) < limits.spacing_s:
            raise SystemExit("a host was asked too soon")
    yield Figure(
        name=f"{ENTRIES} links on {HOSTS} hosts asked, {len(hosts.visits)} requests, {limits.spacing_s} s between two",
        value=took_s,
        unit="s",
        beside="the busiest host alone",
        plain=trial.floor_s(hosts, limits.spacing_s),
        bar=1.2,
    )


if __name__ == "__main__":
    run(figures, __doc__)
