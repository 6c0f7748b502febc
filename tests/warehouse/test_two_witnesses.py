"""Made-up worlds in which a DOI leads to another paper: papers of two works never become one, and none is lost."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import combinations

import pytest

from sources.bibliography.identifiers import Identifier
from sources.errors import DisputedRecord
from sources.records import ArxivPaper, S2Paper
from standins.trials.rows import DAY, T0, arxiv_paper, s2_paper
from tests.warehouse.test_paper_merge import Runs

PEOPLE = ["Ada Lovelace", "Boris Karlov", "Chen Meifang", "Dana Ortiz", "Emil Post", "Fatima Nasser", "Gustav Holm"]
THINGS = (
    "crystal bases|random matrices|sparse graphs|protein folding|glacier melt|tidal heating|verb morphology|"
    "auction design|heap allocation|malaria vaccines|neutrino masses|coral bleaching|labour markets|tensor networks"
).split("|")
FORMS = ["On {}", "Bounds for {}", "A Theory of {}", "Observations of {}", "{} Revealed by Experiments"]
KINDS = ("wrong doi", "part", "correction", "namesake", "generic", "near title", "rename")


@dataclass
class Work:
    """A work as the sources have it: what they tell, and the identifiers that they ask for."""

    number: int
    title: str
    authors: tuple[str, ...]
    year: int
    on_arxiv: bool = True
    doi_at_arxiv: str | None = None
    title_at_arxiv: str | None = None

    @property
    def doi(self) -> str:
        return f"10.1000/{self.number}"

    @property
    def arxiv_id(self) -> str | None:
        return f"{self.year % 100:02}01.{self.number:05}" if self.on_arxiv else None

    def records(self) -> list[ArxivPaper | S2Paper]:
        about = {"title": self.title, "authors": self.authors}
        told = [("arxiv", self.arxiv_id), ("doi", self.doi)]
        identifiers = tuple(Identifier(scheme, value) for scheme, value in told if value)
        by_s2 = s2_paper(
            f"{self.number:040x}",
            corpus_id=self.number,
            year=self.year,
            arxiv_id=self.arxiv_id,
            doi=self.doi,
            identifiers=identifiers,
            citation_count=1000 * self.number,
            **about,
        )
        if self.arxiv_id is None:
            return [by_s2]
        about["title"] = self.title_at_arxiv or self.title
        published = T0.replace(year=self.year)
        return [by_s2, arxiv_paper(self.arxiv_id, doi=self.doi_at_arxiv, published_at=published, **about)]


def made_up(kind: str, chance: random.Random) -> list[Work]:
    """Returns works of which the first bears, at arXiv, the DOI of the second; of a rename its own."""
    thing, other = chance.sample(THINGS, 2)
    people = tuple(chance.sample(PEOPLE, chance.randint(1, 3)))
    year = chance.randint(2008, 2020)
    title, near = chance.choice(FORMS).format(thing), chance.choice(FORMS).format(other)
    first = Work(1, title, people, year)
    second = Work(2, near, people, year + chance.randint(0, 2), on_arxiv=chance.random() < 0.5)
    if kind == "part":
        part = chance.choice([". II", ", Part 2", " III", ": Part Two", " 2"])
        first.title, second.title = chance.sample([title, title + part], 2)
    elif kind == "correction":
        mark = chance.choice(["Erratum: {}", "Correction to: {}", "Comment on '{}'", "Reply to comment on {}"])
        first.title, second.title = chance.sample([title, mark.format(title)], 2)
    elif kind == "namesake":
        second.title, second.authors = title, tuple(sorted(set(PEOPLE) - set(people)))[:2]
    elif kind == "generic":
        first.title = second.title = chance.choice(
            ["Editorial", "Introduction", "Preface", "Guest Editorial: Special Issue"]
        )
        second.year = year + 1
    elif kind == "near title":
        form = chance.choice(["The spectrum of {} on manifolds", "Learning {} with neural networks"])
        first.title, second.title = form.format(thing), form.format(other)
    elif kind == "rename":
        first.title_at_arxiv, first.doi_at_arxiv = near, first.doi
        return [first]
    first.doi_at_arxiv = second.doi
    return [first, second]


class Lake(Runs):
    """Papers over several runs, as in refreshes: a disputed record is entered in the next run, without its DOI."""

    def __init__(self):
        super().__init__()
        self.works, self.paper_of = {}, {}
        self.disputed, self.named, self.wrong = set(), [], []

    def run(self, number: int, records: list, asked: bool) -> list:
        """Enters records, and returns those that are disputed."""
        papers = self.begin(T0 + number * DAY)
        left = []
        for work, record in records:
            also = [Identifier("doi", record.doi)] if asked and isinstance(record, S2Paper) and record.doi else []
            try:
                paper_id = papers.add(record, fetched_at=T0 + number * DAY, also=also)
            except DisputedRecord as fault:
                self.named.append(fault)
                told = record.without_doi() if isinstance(record, S2Paper) and work in self.disputed else record
                self.disputed.add(work)
                left.append((work, told))
                continue
            self.paper_of[work, record.SOURCE] = paper_id
            if self.works.setdefault(paper_id, work) != work:
                self.wrong.append((self.works[paper_id], work))
        self.named += papers.parted
        self.end(papers)
        return left

    def papers_of(self, work: int) -> set[str]:
        own = {paper for (number, _), paper in self.paper_of.items() if number == work}
        return {self.papers[paper]["merged_into"] or paper for paper in own}


def outcome(kind: str, seed: int) -> tuple[bool, bool, bool, bool]:
    """Returns whether a world came out without a wrong merge, a lost paper, a duplicate, and an unnamed dispute."""
    chance = random.Random(f"{kind} {seed}")
    works = made_up(kind, chance)
    records = [(work.number, record) for work in works for record in work.records()]
    chance.shuffle(records)
    cut = chance.randint(0, len(records))
    lake = Lake()
    asked = chance.random() < 0.5
    left = lake.run(0, records[:cut], asked)
    left = lake.run(1, [*left, *records[cut:]], asked)
    for number in range(2, 5):
        left = lake.run(number, left, asked)
    papers = [lake.papers_of(work.number) for work in works]
    is_apart = not lake.wrong and all(one.isdisjoint(other) for one, other in combinations(papers, 2))
    rows = [row for row in lake.papers.values() if row["merged_into"] is None]
    counts = sorted(row["citation_count"] for row in rows if row["citation_count"])
    is_whole = not left and all(papers) and counts == [1000 * work.number for work in works]
    is_single = all(len(one) == 1 for one in papers)
    return is_apart, is_whole, is_single, kind == "rename" or bool(lake.named)


@pytest.mark.parametrize("worlds", [6, pytest.param(143, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS)
def test_no_two_papers_become_one_by_a_doi_alone_and_none_is_lost(kind, worlds):
    outcomes = {seed: outcome(kind, seed) for seed in range(worlds)}
    faults = {
        name: [seed for seed, each in outcomes.items() if not each[number]]
        for number, name in enumerate(("merged", "lost", "double", "unnamed"))
    }
    assert faults == {"merged": [], "lost": [], "double": [], "unnamed": []}
