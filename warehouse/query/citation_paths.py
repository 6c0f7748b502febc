"""How works that cite each other hang together: reading order, common ancestors, and what holds them together. Pure.

All of it takes time in proportion to the links; only the ancestors take the square of the papers, in bits.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Works and which of them cite which.

    Attributes:
        works: In the order that is kept where citations say nothing, such as the oldest first.
        cited: Work -> those that it cites.
        citing: Work -> those that cite it.
    """

    works: tuple[str, ...]
    cited: Mapping[str, frozenset[str]]
    citing: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, works: Iterable[str], links: Iterable[tuple[str, str]]) -> Links:
        """Returns the links between `works`: pairs of which the first cites the second."""
        own = tuple(dict.fromkeys(works))
        known = frozenset(own)
        cited: defaultdict[str, set[str]] = defaultdict(set)
        citing: defaultdict[str, set[str]] = defaultdict(set)
        for work, other in links:
            if work != other and work in known and other in known:
                cited[work].add(other)
                citing[other].add(work)
        return cls(
            works=own,
            cited={work: frozenset(cited[work]) for work in own},
            citing={work: frozenset(citing[work]) for work in own},
        )


def cycles(links: Links) -> list[tuple[str, ...]]:
    """Returns the works in groups within which each leads to each other (Tarjan): alone where it stands in no cycle.

    A group comes after those that its works cite.
    """
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    is_open: set[str] = set()
    groups: list[tuple[str, ...]] = []
    for root in links.works:
        todo = [(root, iter(sorted(links.cited[root])))] if root not in index else []
        while todo:
            work, others = todo[-1]
            if work not in index:
                index[work] = low[work] = len(index)
                stack.append(work)
                is_open.add(work)
            for other in others:
                if other not in index:
                    todo.append((other, iter(sorted(links.cited[other]))))
                    break
                if other in is_open:
                    low[work] = min(low[work], index[other])
            else:
                todo.pop()
                if todo:
                    low[todo[-1][0]] = min(low[todo[-1][0]], low[work])
                if low[work] == index[work]:
                    groups.append(_taken_from(stack, work))
                    is_open.difference_update(groups[-1])
    return groups


def _taken_from(stack: list[str], work: str) -> tuple[str, ...]:
    """Takes the top of a stack down to `work` away, and returns it."""
    taken = [stack.pop()]
    while taken[-1] != work:
        taken.append(stack.pop())
    return tuple(taken)


def reading_order(links: Links) -> list[str]:
    """Returns the works so that each comes after those that it cites; the works of a cycle stand together.

    Of the works that may come next, the first of `links.works` comes.
    """
    place = {work: number for number, work in enumerate(links.works)}
    groups = cycles(links)
    group_of = {work: number for number, group in enumerate(groups) for work in group}
    waiting = [
        len({group_of[other] for work in group for other in links.cited[work]} - {number})
        for number, group in enumerate(groups)
    ]
    after: defaultdict[int, set[int]] = defaultdict(set)
    for number, group in enumerate(groups):
        for other in {group_of[cited] for work in group for cited in links.cited[work]} - {number}:
            after[other].add(number)
    first = [min(place[work] for work in group) for group in groups]
    ready = [(first[number], number) for number, count in enumerate(waiting) if not count]
    heapq.heapify(ready)
    order: list[str] = []
    while ready:
        _, number = heapq.heappop(ready)
        order += sorted(groups[number], key=place.__getitem__)
        for later in after[number]:
            waiting[later] -= 1
            if not waiting[later]:
                heapq.heappush(ready, (first[later], later))
    return order


def descendants(links: Links, counted: Iterable[str]) -> dict[str, int]:
    """Returns work -> how many of the `counted` works lead to it over citations, itself left out."""
    bit = {work: 1 << number for number, work in enumerate(dict.fromkeys(counted))}
    groups = cycles(links)
    group_of = {work: number for number, group in enumerate(groups) for work in group}
    reached: dict[int, int] = {}
    for number in reversed(range(len(groups))):  # those that cite come before those that are cited
        own = 0
        for work in groups[number]:
            own |= bit.get(work, 0)
            for citing in links.citing[work]:
                own |= reached.get(group_of[citing], 0)
        reached[number] = own
    return {work: (reached[group_of[work]] & ~bit.get(work, 0)).bit_count() for work in links.works}


def parted(links: Links) -> dict[str, int]:
    """Returns work -> how many works would be parted from most of their neighbours without it, where there are any.

    Ties go both ways. These are the cut points of the graph (Hopcroft and Tarjan).
    """
    ties = {work: sorted(links.cited[work] | links.citing[work]) for work in links.works}
    lost: dict[str, int] = {}
    parent: dict[str, str] = {}
    for root in links.works:
        order = _depth_first(root, ties, parent) if root not in parent else []
        index = {work: number for number, work in enumerate(order)}
        low: dict[str, int] = {}
        size: dict[str, int] = {}
        for work in reversed(order):
            children = [other for other in ties[work] if parent[other] == work]
            beside = [index[other] for other in ties[work] if other != parent[work]]
            low[work] = min([index[work], *beside, *(low[child] for child in children)])
            size[work] = 1 + sum(size[child] for child in children)
            parts = [size[child] for child in children if low[child] >= index[work]]
            parts.append(len(order) - 1 - sum(parts))
            if sum(part > 0 for part in parts) > 1:
                lost[work] = len(order) - 1 - max(parts)
    return lost


def _depth_first(root: str, ties: Mapping[str, Sequence[str]], parent: dict[str, str]) -> list[str]:
    """Returns the works that are tied to `root`, each as soon as it is reached, and notes from where in `parent`."""
    parent[root] = ""
    order, todo = [root], [iter(ties[root])]
    path = [root]
    while todo:
        new = next((other for other in todo[-1] if other not in parent), None)
        if new is None:
            todo.pop()
            path.pop()
            continue
        parent[new] = path[-1]
        order.append(new)
        path.append(new)
        todo.append(iter(ties[new]))
    return order


def earliest(works: Sequence[str], reach: Mapping[str, int], years: Mapping[str, int | None]) -> list[str]:
    """Returns the works from which at least half as many descend as from any, the earliest first."""
    most = max((reach[work] for work in works), default=0)
    found = [work for work in works if reach[work] and 2 * reach[work] >= most]
    return sorted(found, key=lambda work: (years.get(work) or 9999, -reach[work], work))
