"""Made-up worlds: papers of two works never become one where a DOI leads to another paper, and none is lost.

What sources correct arrives in whatever order they tell: as in a lake that only saw the last of it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import combinations, permutations

import pytest

from sources.bibliography.identifiers import Identifier
from sources.errors import DisputedRecord
from sources.records import ArxivPaper, DblpPaper, OpenAlexPaper, S2Paper
from standins.trials.rows import DAY, T0, arxiv_paper, s2_paper
from tests.matrices import for_each
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


ARXIV_ID, YEAR = "1706.03762", 2017
SOURCES = ("arxiv", "s2", "openalex", "dblp")
DOIS = (None, "10.1000/182", "10.1000/183", "10.1000/184")
VENUES = (None, "NIPS 2017", "Neural Information Processing Systems", "J. Mach. Learn. Res. 3")
OWN = {"paper_id", "first_seen_at", "refreshed_at", "counted_at"}


def record_of(source, doi, venue):
    """A source's record of one paper."""
    about = {"title": "Attention Is All You Need", "authors": ("Ashish Vaswani", "Noam Shazeer")}
    if source == "arxiv":
        return arxiv_paper(ARXIV_ID, doi=doi, journal_ref=venue, **about)
    own = [("arxiv", ARXIV_ID), ("doi", doi)]
    named = {"arxiv_id": ARXIV_ID, "doi": doi, "venue": venue, "year": YEAR}
    identifiers = tuple(Identifier(scheme, value) for scheme, value in own if value)
    if source == "s2":
        return s2_paper(identifiers=identifiers, **about, **named)
    if source == "openalex":
        also = (*identifiers, Identifier("openalex", "W7"))
        return OpenAlexPaper(work_id="W7", identifiers=also, **about, **named)
    also = (*identifiers, Identifier("dblp", "conf/nips/VaswaniS17"))
    return DblpPaper(key="conf/nips/VaswaniS17", kind="inproceedings", identifiers=also, **about, **named)


class CorrectedLake(Runs):
    """Papers over several runs, a day apart."""

    runs = 0

    def run(self, records):
        at = T0 + self.runs * DAY
        self.runs += 1
        papers = self.begin(at)
        named = [papers.add(record, fetched_at=at) for record in records]
        self.end(papers)
        return named

    def facts(self):
        """The rows of the papers without what tells when, and their identifiers."""
        return [
            (
                {name: value for name, value in row.items() if name not in OWN},
                sorted(key for key, owner in self.owners.items() if owner == row["paper_id"]),
            )
            for row in sorted(self.papers.values(), key=lambda row: row["title"])
        ]


def told(chance, sources):
    return {source: record_of(source, chance.choice(DOIS), chance.choice(VENUES)) for source in sources}


def corrections_of(order, seed):
    """Returns the facts of a lake after corrections, and those of one that only saw what they came to."""
    chance = random.Random(f"{order} {seed}")
    sources = order[: chance.randint(1, len(order))]
    before, after = told(chance, sources), told(chance, sources)
    lake, fresh = CorrectedLake(), CorrectedLake()
    runs = [[before[source] for source in sources]] if chance.random() < 0.5 else [[before[item]] for item in sources]
    corrections = [after[source] for source in chance.sample(sources, len(sources))]
    failing = chance.randint(0, len(corrections))  # what comes from here on comes in the next run
    for run in (*runs, corrections[:failing], corrections[failing:]):
        lake.run(run)
    fresh.run([after[source] for source in chance.sample(sources, len(sources))])
    return lake.facts(), fresh.facts()


@for_each("order", list(permutations(SOURCES)))
def test_corrections_arrive_in_any_order_of_sources(order):
    for seed in range(40):
        corrected, fresh = corrections_of(order, seed)
        assert corrected == fresh, seed


@for_each("order", list(permutations(range(3))))
def test_a_doi_goes_to_the_paper_that_has_it_and_back_when_that_is_corrected(order):
    other = {"title": "Adam: A Method for Stochastic Optimization", "authors": ("Diederik P. Kingma",)}
    mine, false = record_of("arxiv", DOIS[1], None), s2_paper("c" * 40, doi=DOIS[1], **other)
    records = [mine, false, record_of("s2", None, None)]
    lake, fresh = CorrectedLake(), CorrectedLake()
    for number in order:
        lake.run([records[number]])
    assert [row["doi"] for row, _ in lake.facts()] == [DOIS[1], None]
    right = s2_paper("c" * 40, doi=DOIS[2], **other)
    lake.run([right])
    fresh.run([mine, right, record_of("s2", None, None)])
    assert lake.facts() == fresh.facts()
    assert [row["doi"] for row, _ in lake.facts()] == [DOIS[2], DOIS[1]]


def test_what_nobody_is_known_to_have_told_stays_until_somebody_tells():
    lake = CorrectedLake()
    (paper_id,) = lake.run([record_of("s2", None, None)])
    lake.papers[paper_id] |= {"venue": "Of Old", "doi": DOIS[3]}
    lake.owners["doi", DOIS[3]] = paper_id
    lake.run([record_of("arxiv", None, None)])
    assert [(row["venue"], row["doi"]) for row, _ in lake.facts()] == [("Of Old", DOIS[3])]
    lake.run([record_of("s2", DOIS[1], VENUES[1])])
    ((row, identifiers),) = lake.facts()
    assert (row["venue"], row["doi"]) == (VENUES[1], DOIS[1])
    assert ("doi", DOIS[3]) not in identifiers
