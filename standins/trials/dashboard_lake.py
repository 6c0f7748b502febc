"""A lake as a year of weekly refreshes leaves it: lists that grow, papers that are cited more and more."""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from standins.trials.rows import (
    author_row,
    cited_row,
    count_row,
    identifier_row,
    list_row,
    mention_row,
    outside_row,
    paper_row,
    reference_row,
    run_row,
    work_row,
)
from warehouse.lake.place import LakePlace
from warehouse.lake.session import writing
from warehouse.loading.commit import Harvest, load
from warehouse.papers.citation_keys import give_keys

STARTER = Path(__file__).resolve().parents[2] / "examples" / "starter" / "arxiv-starter.jsonl"
BEGIN = datetime(2025, 11, 24, 6, tzinfo=UTC)
_TYPES = (None, None, "inproceedings", "article", None, "incollection", None, "phdthesis")
"""As DBLP gives them, of papers in turn."""
TOPICS = ["Language models", "Vision", "Databases", "Systems", "Theory", "Robotics", "Speech", "Security", "Graphs"]
_FIRST_OUTSIDE = 10**6
"""From this number on OpenAlex's works are none of the papers."""
_PLACES = "Northby Eastholm Westerlund Southmere Ansfeld Brockhaven Colville Dunmore".split()
_INSTITUTIONS = [f"{kind} {place}" for place in _PLACES for kind in ("University of", "Institute of Technology,")]
PARTS = ["Foundations", "Surveys", "Methods", "Data sets", "Measuring", "Applications"]

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a source tells about a paper."""

    title: str
    authors: Sequence[str]
    year: int
    arxiv_id: str
    category: str
    venue: str | None = None
    doi: str | None = None


def made_up(count: int, seed: int = 7) -> Iterator[Told]:
    """Yields papers with titles and authors of the bundled snapshot's words, so that they compress no better."""
    chance = random.Random(seed)
    rows = [json.loads(line) for line in STARTER.read_text(encoding="utf-8").splitlines()]
    starter = [row for row in rows if row["authors"] and row["categories"]]
    words = [word for one in starter for word in one["title"].split()]
    people = [name for one in starter for name in one["authors"].split(", ")]
    categories = [one["categories"].split()[0] for one in starter]
    for number in range(count):
        year = min(2026, int(2026 - chance.expovariate(1 / 5)))
        month = chance.randint(1, 10 if year == 2026 else 12)
        new_style = f"{year % 100:02d}{month:02d}.{number:05d}"
        yield Told(
            title=" ".join(chance.sample(words, chance.randint(5, 13))),
            authors=chance.sample(people, chance.randint(1, 7)),
            year=year,
            arxiv_id=new_style if year > 2007 else f"cs/{year % 100:02d}{month:02d}{number % 1000:03d}",
            category=chance.choice(categories),
            venue=f"{chance.choice(['NeurIPS', 'ICML', 'ACL', 'VLDB', 'SOSP', 'JMLR'])} {year}" if number % 3 else None,
            doi=f"10.{1000 + number % 9000}/{number}.{chance.randint(10**6, 10**7)}" if number % 2 else None,
        )


def paper_id_of(number: int) -> str:
    """Returns the `paper_id` of a made-up paper, as hard to compress as a real one."""
    return f"p{hashlib.sha256(str(number).encode()).hexdigest()[:16]}"


def make_lake(
    place: LakePlace, told: Sequence[Told], *, lists: int = 12, weeks: int = 53, whole: bool = False, seed: int = 11
) -> None:
    """Makes a lake of `told` at `place` by the way of every refresh: one load a week, the first with everything.

    Args:
        place: Where.
        told: The papers.
        lists: Lists that name them.
        weeks: Weekly counts of each paper.
        whole: Whether there are abstracts, and what OpenAlex tells: ten years of citations, and references.
        seed: Of all chances.
    """
    chance = random.Random(seed)
    papers, rate = [], []
    counts = []
    for number, one in enumerate(told):
        rate.append(chance.paretovariate(1.1) / 4)
        counts.append(int(rate[-1] * 52 * max(0.2, 2026 - one.year) * chance.random()))
        papers.append(_paper(number, one))
    papers = give_keys(papers, lambda keys: set())
    if whole:
        _add_abstracts(papers, chance)
    mentions = list(_mentions(len(papers), lists, weeks, chance))
    reading = [_list(number) for number in range(lists)]
    with writing(place) as connection:
        for week in range(weeks):
            now = BEGIN + timedelta(weeks=week)
            if week:
                counts = [count + _gain(chance, pace) for count, pace in zip(counts, rate, strict=True)]
            observed = [count_row(paper_id_of(number), now, count) for number, count in enumerate(counts)]
            new = [row for row in mentions if row["first_seen_at"] == now]
            rows = {"mentions": new, "citation_counts": observed, "reading_lists": [] if week else reading}
            if week in (0, weeks - 1):
                rows["papers"] = [
                    row | {"citation_count": count, "counted_at": now, "refreshed_at": now}
                    for row, count in zip(papers, counts, strict=True)
                ]
            if whole and week == weeks - 1:
                rows |= _by_openalex(papers, rate, now, chance)
            figures = {"counts_written": len(counts), "started_at": now, "finished_at": now}
            load(connection, Harvest(**rows), run_row(f"run-{week}", **figures))


def _add_abstracts(papers: Sequence[Row], chance: random.Random) -> None:
    words = [word for row in papers for word in row["title"].split()]
    for row in papers:
        row["abstract"] = f"{' '.join(chance.choices(words, k=chance.randint(120, 220)))}."


def _by_openalex(
    papers: Sequence[Row], rate: Sequence[float], now: datetime, chance: random.Random
) -> dict[str, list[Row]]:
    """Returns works of nine in ten papers, each with ten years of citations and 20 references, 6 of them here.

    The others are to works outside, some of them cited often, and of those that three papers cite the facts are known.
    """
    known = [number for number in range(len(papers)) if number % 10]
    found: dict[str, list[Row]] = {
        "openalex_works": [], "citations_by_year": [], "paper_references": [], "paper_identifiers": [],
        "outside_works": [], "paper_authors": [],
    }  # fmt: skip
    for number in known:
        name, title, year = (papers[number][column] for column in ("paper_id", "title", "year"))
        by_year = _years(rate[number], year, now.year, chance)
        found["citations_by_year"] += [cited_row(name, told, count) for told, count in by_year.items() if count]
        work = {
            "openalex_id": f"W{number}",
            "title": title,
            "citation_count": sum(by_year.values()),
            "refreshed_at": now,
        }
        found["openalex_works"].append(work_row(name, **work))
        numbers = {*chance.choices(known, k=6), *(_outside(20 * len(papers), chance) for _ in range(14))}
        found["paper_references"] += [reference_row(name, f"W{other}") for other in sorted(numbers - {number})]
        found["paper_identifiers"].append(identifier_row(name, "openalex", f"W{number}"))
        found["paper_authors"] += _at_work(name, papers[number]["authors"], now, random.Random(number))
    cited = Counter(row["cited_openalex_id"] for row in found["paper_references"])
    words = [word for row in papers for word in row["title"].split()]
    found["outside_works"] = [
        outside_row(
            work,
            title=" ".join(chance.choices(words, k=chance.randint(5, 13))),
            year=2025 - int(chance.expovariate(1 / 8)),
            citation_count=int(times * 5 * chance.paretovariate(0.8)),
        )
        for work, times in cited.items()
        if times >= 3 and int(work[1:]) >= _FIRST_OUTSIDE
    ]
    return found


def _at_work(name: str, authors: Sequence[str], now: datetime, chance: random.Random) -> list[Row]:
    """Returns where the authors of a paper work, some at places where many do; of some it is not told."""
    places = [_INSTITUTIONS[int(len(_INSTITUTIONS) * chance.random() ** 2)] for _ in authors]
    return [
        author_row(name, at, author, institutions=[place] if chance.random() < 0.9 else [], observed_at=now)
        for at, (author, place) in enumerate(zip(authors, places, strict=True), 1)
    ]


def _outside(works: int, chance: random.Random) -> int:
    """Returns the number of a work outside, of so many of which the first are cited most."""
    return _FIRST_OUTSIDE + int(works * chance.random() ** 2)


def _years(rate: float, year: int, now: int, chance: random.Random) -> dict[int, int]:
    """Returns the citations of a paper in its last ten years; one in thirty takes off in the last full one."""
    leap = 3 if chance.random() < 1 / 30 else 1
    return {
        told: int(
            52 * rate * min(1.0, (told - year + 1) / 3) * chance.uniform(0.9, 1.1) * (leap if told == now - 1 else 1)
        )
        for told in range(max(now - 10, year), now)
    }


def _gain(chance: random.Random, pace: float) -> int:
    whole = int(pace)
    return whole + (chance.random() < pace - whole) if chance.random() < 0.8 else whole // 2


def _paper(number: int, one: Told) -> Row:
    digest = hashlib.sha1(str(number).encode(), usedforsecurity=False).hexdigest()
    return paper_row(
        paper_id_of(number),
        title=one.title,
        authors=list(one.authors),
        year=one.year,
        published_on=date(one.year, 1 + number % 12, 1 + number % 28),
        venue=one.venue,
        pages=f"{number % 900 + 1}-{number % 900 + 12}" if number % 3 == 0 else None,
        publication_type=_TYPES[number % len(_TYPES)],
        arxiv_id=one.arxiv_id,
        doi=one.doi,
        s2_paper_id=digest,
        s2_corpus_id=number,
        primary_category=one.category,
        categories=[one.category],
        withdrawn=number % 997 == 5,
    )


def _list(number: int) -> Row:
    topic = TOPICS[number % len(TOPICS)]
    location = f"github:reader/awesome-{number}/README.md" if number % 2 else f"/home/reader/lists/{number}/reading.md"
    title = f"{topic}, a reading list" if number < len(TOPICS) else f"{topic} again ({number})"
    return list_row(f"l{number:02}", title=title, location=location, first_seen_at=BEGIN, parsed_at=BEGIN)


def _mentions(papers: int, lists: int, weeks: int, chance: random.Random) -> Iterator[Row]:
    line = [3] * lists
    for number in range(papers):
        home = min(int(chance.expovariate(1 / (lists / 3))), lists - 1)
        others = [chance.randrange(lists) for _ in range(2) if chance.random() < 0.09]
        for where in dict.fromkeys([home, *others]):
            line[where] += 1
            title = _list(where)["title"]
            path = [title, PARTS[number % len(PARTS)]] + ([f"Part {number % 4}"] if number % 3 == 0 else [])
            since = BEGIN if chance.random() < 0.75 else BEGIN + timedelta(weeks=chance.randrange(weeks))
            lost = chance.random() < 0.04
            yield mention_row(
                f"m{number:05}-{where}",
                list_id=f"l{where:02}",
                line=line[where],
                section=path,
                title=f"Mention {number}",
                paper_id=None if lost else paper_id_of(number),
                status=chance.choice(["ambiguous", "not_found", "failed"]) if lost else "resolved",
                reason="two papers are alike" if lost else None,
                first_seen_at=since,
            )
