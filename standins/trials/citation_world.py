"""Worlds with a known answer: a list in topics, works that it misses, famous ones, and a crowd of others.

Every listed paper cites works of its topic that the list lacks (the planted ones), famous works that everybody cites,
works of its own people that nobody else cites, and others by how well they are known. Surveys outside cite many papers
of a topic; works with endless bibliographies cite a few of everything.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import duckdb

from standins.trials.rows import (
    citation_row,
    identifier_row,
    list_row,
    mention_row,
    outside_row,
    paper_row,
    reference_row,
    work_row,
)
from warehouse.lake.migrations import view_files
from warehouse.loading.commit import Harvest
from warehouse.tables.declarations import TABLES


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldPlan:
    """What a world is made of.

    Attributes:
        papers: Papers of the list.
        outside: Works outside of it.
        topics: Into how many topics the list falls.
        planted: Works that each topic lacks, a quarter of them surveys that cite it.
        share: Which share of a topic's papers is linked to a planted work.
        known: Citations in all of a planted work, from and to.
        famous: Works that a share of all papers cites, each with very many citations.
        famous_share: That share.
        famous_known: Citations in all of a famous work, from and to.
        own: Triples of papers by people who cite a work of their own, which few others do.
        references: Other works that a paper cites.
        unseen: Share of the links that OpenAlex does not know.
    """

    papers: int = 500
    outside: int = 20_000
    topics: int = 8
    planted: int = 4
    share: float = 0.35
    known: tuple[int, int] = (40, 2_000)
    famous: int = 12
    famous_share: float = 0.5
    famous_known: tuple[int, int] = (40_000, 250_000)
    own: int = 10
    references: int = 30
    unseen: float = 0.1


SMALL = WorldPlan(papers=80, outside=12_000, topics=4, planted=4, own=3, references=20)
PLANS = {
    "as planned": WorldPlan(),
    "weak links": WorldPlan(share=0.15),
    "well-known works are missing": WorldPlan(known=(2_000, 12_000)),
    "obscure works are missing": WorldPlan(known=(8, 40), share=0.3),
    "nothing is famous": WorldPlan(famous=0),
    "half of the crowd is famous": WorldPlan(famous=80, famous_share=0.25, famous_known=(8_000, 60_000)),
    "the famous are in every list": WorldPlan(famous_share=0.9, famous_known=(100_000, 400_000)),
    "a short list": WorldPlan(papers=60, topics=3, planted=4, own=3),
    "a very short list": WorldPlan(papers=25, topics=2, planted=4, own=2, share=0.6, famous=5),
    "one topic": WorldPlan(papers=150, topics=1, planted=16),
    "many links are unknown": WorldPlan(unseen=0.5),
    "a long list": WorldPlan(papers=2_000, topics=25, planted=4, own=40),
    "people cite themselves": WorldPlan(own=60),
    "nobody cites the crowd": WorldPlan(references=0, famous=1, own=0, known=(40, 400)),
    "there is nothing else": WorldPlan(references=0, famous=0, own=0, known=(40, 400)),
}
"""Name -> plan."""


@dataclass(slots=True)
class World:
    """A world as rows of the lake.

    Attributes:
        harvest: The rows.
        planted: What is missing.
        famous: What everybody cites.
    """

    harvest: Harvest
    planted: set[str] = field(default_factory=set)
    famous: set[str] = field(default_factory=set)


def make_world(plan: WorldPlan, seed: int) -> World:
    """Returns the world of a plan; the same for the same seed."""
    draft = _Draft(plan, random.Random(f"{seed}{plan}"))
    draft.plant()
    draft.add_famous()
    draft.add_own()
    draft.add_crowd()
    return World(draft.harvest(), draft.planted, draft.famous)


class _Draft:
    """The links of a world, and the facts of the works outside.

    Args:
        plan: What the world is made of.
        draw: Its chance.
    """

    def __init__(self, plan: WorldPlan, draw: random.Random) -> None:
        self.plan, self.draw = plan, draw
        self.papers = [f"p{number:05}" for number in range(plan.papers)]
        self.topic = {paper: number % plan.topics for number, paper in enumerate(self.papers)}
        self.cited: dict[str, set[str]] = {paper: set() for paper in self.papers}
        self.citing: dict[str, set[str]] = {}
        self.facts: dict[str, dict[str, Any]] = {}
        self.planted: set[str] = set()
        self.famous: set[str] = set()

    def plant(self) -> None:
        """Adds the works that are missing; of each topic, a quarter are surveys."""
        plan, draw = self.plan, self.draw
        for number in range(plan.topics * plan.planted):
            work = f"W{100_000 + number}"
            self.planted.add(work)
            own = [paper for paper in self.papers if self.topic[paper] == number % plan.topics]
            linked = [paper for paper in own if draw.random() < draw.uniform(0.7, 1.3) * plan.share]
            linked = linked if len(linked) > 3 else draw.sample(own, 4)
            if number // plan.topics % 4 == 3:
                self.citing[work] = set(linked)
                count = draw.randint(0, 60)
            else:
                for paper in linked:
                    self.cited[paper].add(work)
                count = len(linked) + between(draw, plan.known)
            self.facts[work] = {"citation_count": count, "reference_count": len(linked) + draw.randint(40, 200)}

    def add_famous(self) -> None:
        """Adds the works that everybody cites."""
        for number in range(self.plan.famous):
            work = f"W{200_000 + number}"
            self.famous.add(work)
            self.facts[work] = {"citation_count": between(self.draw, self.plan.famous_known), "reference_count": 40}
            share = self.plan.famous_share * self.draw.uniform(0.6, 1.1)
            for works in self.cited.values():
                if self.draw.random() < share:
                    works.add(work)

    def add_own(self) -> None:
        """Adds works that three papers cite and hardly anybody else."""
        for number in range(self.plan.own):
            counts = {"citation_count": self.draw.randint(3, 6), "reference_count": self.draw.randint(20, 40)}
            self.facts[f"W{300_000 + number}"] = counts
            for paper in self.draw.sample(self.papers, 3):
                self.cited[paper].add(f"W{300_000 + number}")

    def add_crowd(self) -> None:
        """Adds all other works: papers cite them by how well they are known, and some of them cite papers."""
        plan, draw = self.plan, self.draw
        crowd = [f"W{400_000 + number}" for number in range(plan.outside - len(self.facts))]
        known = [min(int(3 * draw.paretovariate(0.9)), 30_000) for _ in crowd]
        weights = [count**0.5 for count in known]  # papers of a subject cite fewer of the well-known works than all do
        for paper, works in self.cited.items():
            near = [at for at in draw.sample(range(len(crowd)), 40) if at % plan.topics == self.topic[paper]]
            works.update(crowd[at] for at in near)
            works.update(draw.choices(crowd, weights=weights, k=plan.references))
        for number, work in enumerate(crowd):
            length = draw.randint(10, 60)
            if draw.random() < 0.2:
                endless = draw.random() < 0.02
                length = draw.randint(500, 3_000) if endless else length
                self.citing[work] = set(draw.sample(self.papers, draw.randint(3, 8) if endless else draw.randint(1, 3)))
            self.facts[work] = {"citation_count": known[number], "reference_count": length}

    def harvest(self) -> Harvest:
        """Returns the rows, without the links that OpenAlex does not know."""
        return harvest_of(self.cited, self.citing, self.facts, self.draw, unseen=self.plan.unseen)


def harvest_of(
    cited: Mapping[str, set[str]],
    citing: Mapping[str, set[str]],
    facts: Mapping[str, dict[str, Any]],
    draw: random.Random,
    *,
    unseen: float,
) -> Harvest:
    """Returns the rows of a list whose papers cite works and are cited, without the share `unseen` of the links."""
    papers = list(cited)
    own = {paper: f"W{number}" for number, paper in enumerate(papers, start=1)}

    def seen(links: Mapping[str, set[str]]) -> list[tuple[str, str]]:
        return [(one, other) for one, others in links.items() for other in sorted(others) if draw.random() >= unseen]

    forward, back = seen(cited), [(paper, work) for work, paper in seen(citing)]
    links: defaultdict[str, set[str]] = defaultdict(set)
    for paper, work in (*forward, *back):
        links[work].add(paper)
    return Harvest(
        reading_lists=[list_row()],
        mentions=[mention_row(f"m{paper}", paper_id=paper, title=None) for paper in papers],
        papers=[paper_row(paper, title=f"Paper {paper}", title_keys=[paper]) for paper in papers],
        paper_identifiers=[identifier_row(paper, "openalex", own[paper]) for paper in papers],
        openalex_works=[work_row(paper, openalex_id=own[paper], citation_count=20) for paper in papers],
        paper_references=[reference_row(paper, work) for paper, work in forward],
        paper_citations=[citation_row(paper, work) for paper, work in back],
        outside_works=[outside_row(work, **facts[work]) for work in facts if len(links[work]) >= 3],
    )


def between(draw: random.Random, ends: tuple[int, int]) -> int:
    """Returns a number between two, each order of magnitude as likely."""
    low, high = ends
    return round(low * (high / low) ** draw.random())


def views_over(harvest: Harvest) -> duckdb.DuckDBPyConnection:
    """Returns a database without a lake that has the rows of a world and the views of the citation graph."""
    connection = duckdb.connect()
    for table in TABLES:
        connection.execute(table.ddl())
        if len(rows := getattr(harvest, table.name, ())):
            connection.register("given", table.batch(rows))
            connection.execute(f'INSERT INTO "{table.name}" SELECT * FROM given')
            connection.unregister("given")
    for name, sql in view_files():
        if name in ("list_names", "citation_links", "citations_within", "missing_papers"):
            connection.execute(f'CREATE VIEW "{name}" AS {sql}')
    return connection


def missing_works(world: World, most: int) -> list[str]:
    """Returns the works that the view `missing_papers` finds missing from a world's list, the likeliest first."""
    sql = "SELECT work FROM missing_papers WHERE list_id = 'l1' ORDER BY rank LIMIT ?"
    with closing(views_over(world.harvest)) as connection:
        return [work for (work,) in connection.execute(sql, [most]).fetchall()]
