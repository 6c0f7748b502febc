"""What sources correct arrives in the lake, in whatever order they tell: as in a lake that only saw the last of it."""

from __future__ import annotations

import random
from itertools import permutations

from sources.bibliography.identifiers import Identifier
from sources.records import DblpPaper, OpenAlexPaper
from standins.trials.rows import DAY, T0, arxiv_paper, s2_paper
from tests.matrices import for_each
from tests.warehouse.test_paper_merge import Runs

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


class Lake(Runs):
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


def outcome(order, seed):
    """Returns the facts of a lake after corrections, and those of one that only saw what they came to."""
    chance = random.Random(f"{order} {seed}")
    sources = order[: chance.randint(1, len(order))]
    before, after = told(chance, sources), told(chance, sources)
    lake, fresh = Lake(), Lake()
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
        corrected, fresh = outcome(order, seed)
        assert corrected == fresh, seed


@for_each("order", list(permutations(range(3))))
def test_a_doi_goes_to_the_paper_that_has_it_and_back_when_that_is_corrected(order):
    other = {"title": "Adam: A Method for Stochastic Optimization", "authors": ("Diederik P. Kingma",)}
    mine, false = record_of("arxiv", DOIS[1], None), s2_paper("c" * 40, doi=DOIS[1], **other)
    records = [mine, false, record_of("s2", None, None)]
    lake, fresh = Lake(), Lake()
    for number in order:
        lake.run([records[number]])
    assert [row["doi"] for row, _ in lake.facts()] == [DOIS[1], None]
    right = s2_paper("c" * 40, doi=DOIS[2], **other)
    lake.run([right])
    fresh.run([mine, right, record_of("s2", None, None)])
    assert lake.facts() == fresh.facts()
    assert [row["doi"] for row, _ in lake.facts()] == [DOIS[2], DOIS[1]]


def test_what_nobody_is_known_to_have_told_stays_until_somebody_tells():
    lake = Lake()
    (paper_id,) = lake.run([record_of("s2", None, None)])
    lake.papers[paper_id] |= {"venue": "Of Old", "doi": DOIS[3]}
    lake.owners["doi", DOIS[3]] = paper_id
    lake.run([record_of("arxiv", None, None)])
    assert [(row["venue"], row["doi"]) for row, _ in lake.facts()] == [("Of Old", DOIS[3])]
    lake.run([record_of("s2", DOIS[1], VENUES[1])])
    ((row, identifiers),) = lake.facts()
    assert (row["venue"], row["doi"]) == (VENUES[1], DOIS[1])
    assert ("doi", DOIS[3]) not in identifiers
