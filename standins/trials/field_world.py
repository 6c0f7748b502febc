"""Worlds of another making: a list of a field whose core it lacks in part, among half-famous works of its neighbours.

Unlike those of `citation_world` nothing is said in shares of topics. A field has people who write papers in groups,
a core that everybody in it or in a branch of it reads, and a literature. Its papers also cite the tools of neighbouring
fields (half-famous works, of 1,000 to 30,000 citations) and what all of science cites. What the list lacks of the core
is planted: works of 2,000 to 8,000 citations, mostly, a few younger. Groups cite their own earlier works, so that some
of a few hundred citations or less are cited by ten papers of the list; they are not planted.
"""

from __future__ import annotations

import random
from typing import Any

from standins.trials.citation_world import World, between, harvest_of

LITERATURE = 6_000  # works of the field and around it
FIRST = 900_000  # the number of the first work


def make_field(seed: int) -> World:
    """Returns the world of a seed."""
    field = _Field(random.Random(f"field {seed}"))
    planted = field.add_core()
    field.add_neighbours()
    famous = field.add_famous()
    field.add_own_works()
    citing = field.add_literature()
    unseen = field.draw.uniform(0, 0.4)
    return World(harvest_of(field.cited, citing, field.facts, field.draw, unseen=unseen), planted, famous)


class _Field:
    """The papers of the list, in groups of about twelve, and what they cite."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.papers = [f"p{number:05}" for number in range(between(draw, (120, 600)))]
        self.cited: dict[str, set[str]] = {paper: set() for paper in self.papers}
        self.facts: dict[str, dict[str, Any]] = {}
        many = max(8, len(self.papers) // 12)
        self.groups = [self.papers[at::many] for at in range(many)]

    def add(self, known: tuple[int, int], readers: list[str], share: float) -> str:
        """Adds a work with citations between two numbers, which each of `readers` cites by chance; returns its name."""
        work = f"W{FIRST + len(self.facts)}"
        counts = {"citation_count": between(self.draw, known), "reference_count": self.draw.randint(15, 70)}
        self.facts[work] = counts
        for paper in readers:
            if self.draw.random() < share:
                self.cited[paper].add(work)
        return work

    def add_core(self) -> set[str]:
        """Adds the works that are lacking, of the whole field or of a branch of it."""
        draw = self.draw
        halves = [draw.sample(self.groups, len(self.groups) // 2) for _ in range(4)]
        branches = [[paper for group in half for paper in group] for half in halves]
        planted = set()
        for _ in range(draw.randint(12, 18)):
            known = (2_000, 8_000) if draw.random() < 0.8 else (300, 2_000)
            planted.add(self.add(known, draw.choice([self.papers, *branches]), 0.1 * 3.5 ** draw.random()))
        return planted

    def add_neighbours(self) -> None:
        """Adds half-famous works: tools and classics of other fields."""
        for _ in range(self.draw.randint(60, 300)):
            known = between(self.draw, (1_000, 30_000))
            share = 0.012 * (known / 3_000) ** 0.5 * self.draw.lognormvariate(0, 0.4)
            self.add((known, known), self.papers, min(0.12, share))

    def add_famous(self) -> set[str]:
        """Adds what all of science cites."""
        shares = [self.draw.uniform(0.05, 0.45) for _ in range(self.draw.randint(8, 25))]
        return {self.add((40_000, 200_000), self.papers, share) for share in shares}

    def add_own_works(self) -> None:
        """Adds works of each group, which few others cite."""
        for group in self.groups:
            for _ in range(3):
                self.add((15, 400), group, self.draw.uniform(0.3, 0.8))

    def add_literature(self) -> dict[str, set[str]]:
        """Adds all other works; returns those that cite papers of the list."""
        draw = self.draw
        counts = [round(min(5_000, max(1, draw.lognormvariate(3.5, 1.4)))) for _ in range(LITERATURE)]
        works = [self.add((count, count), [], 0) for count in counts]
        weights = [(count + 5) ** 0.6 for count in counts]
        for works_cited in self.cited.values():
            works_cited.update(draw.choices(works, weights, k=round(draw.lognormvariate(3, 0.5))))
        return {work: set(draw.sample(self.papers, draw.randint(1, 3))) for work in draw.sample(works, LITERATURE // 6)}
