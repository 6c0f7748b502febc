"""A list of 500 entries with links on 40 hosts that give every kind of answer, and what is right to say of each.

A few hosts have many of the links, as in real lists.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import NamedTuple

from sources.lists.links import LinkKind
from standins.link_hosts import LinkHosts

ENTRIES, HOSTS = 500, 40
_KINDS: tuple[tuple[str, LinkKind], ...] = (
    ("/ok/", "alive"), ("/file/", "alive"), ("/head-405/", "alive"), ("/404/", "dead"), ("/ok/", "alive"),
    ("/to/301/file/", "moved"), ("/403/", "blocked"), ("/file/", "alive"), ("/410/", "dead"), ("/503/", "blocked"),
    ("/to/302/file/", "alive"), ("/head-404/", "alive"), ("/lost/", "blocked"), ("/back/", "alive"),
    ("/451/", "blocked"),
    ("/challenge/", "blocked"), ("/file/", "alive"), ("/members/", "blocked"), ("/cut/", "blocked"),
)  # fmt: skip
_ALIKE: dict[int, tuple[str, LinkKind]] = {
    35: ("/ok/", "dead"), 36: ("/ok/", "blocked"), 37: ("/wall/", "blocked"), 38: ("/ok/", "dead"),
    39: ("/ok/", "unasked"),
}  # fmt: skip
"""Hosts of which all links are alike: no such host, no look-up, a bot wall, no such host, a private host."""
_NAMES = {35: "gone.old.test", 36: "unsure.test", 37: "wall.test", 38: "gone.test", 39: "private.test"}
_SETTLED = ("https://arxiv.org/abs/1706.03762", "https://doi.org/10.1145/3292500", "docs/notes.md", "mailto:ada@a.test")


class LinkTrial(NamedTuple):
    """A list's text, and what is right to say of each address in it."""

    text: str
    expected: dict[str, LinkKind]

    def floor_s(self, hosts: LinkHosts, spacing_s: float) -> float:
        """Returns the least seconds in which the busiest host can be asked what it was asked."""
        most = max(Counter(visit.host for visit in hosts.visits).values())
        return most * hosts.latency_s + (most - 1) * spacing_s


def link_trial(hosts: LinkHosts) -> LinkTrial:
    """Returns the list for a running server."""
    expected: dict[str, LinkKind] = dict.fromkeys(_SETTLED, "unasked")
    draw = random.Random(40)
    for number, host in enumerate(_hosts_of_entries(ENTRIES - len(_SETTLED), draw)):
        path, kind = _ALIKE.get(host) or draw.choice(_KINDS)
        expected[hosts.url(_NAMES.get(host, f"host{host}.test"), f"{path}{number}")] = kind
    lines = [
        f"- [A Study of Networks with {number} Layers]({address}), 2020\n" for number, address in enumerate(expected)
    ]
    return LinkTrial("# Papers\n\n" + "".join(lines), expected)


def _hosts_of_entries(entries: int, draw: random.Random) -> list[int]:
    """Returns the host of each entry, every host once at least."""
    weights = [1 / (4 + host) for host in range(HOSTS)]
    order = [*range(HOSTS), *draw.choices(range(HOSTS), weights, k=entries - HOSTS)]
    draw.shuffle(order)
    return order
