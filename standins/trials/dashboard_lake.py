"""A lake as a year of weekly refreshes leaves it: lists that grow, papers that are cited more and more."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from standins.trials.rows import count_row, list_row, mention_row, paper_row, run_row
from warehouse.lake.place import LakePlace
from warehouse.lake.session import writing
from warehouse.loading.commit import Harvest, load

STARTER = Path(__file__).resolve().parents[2] / "examples" / "starter" / "arxiv-starter.jsonl"
BEGIN = datetime(2025, 11, 24, 6, tzinfo=UTC)
TOPICS = ["Language models", "Vision", "Databases", "Systems", "Theory", "Robotics", "Speech", "Security", "Graphs"]
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


def make_lake(place: LakePlace, told: Sequence[Told], *, lists: int = 12, weeks: int = 53, seed: int = 11) -> None:
    """Makes a lake of `told` at `place` by the way of every refresh: one load a week, the first with everything."""
    chance = random.Random(seed)
    papers, rate = [], []
    counts = []
    for number, one in enumerate(told):
        rate.append(chance.paretovariate(1.1) / 4)
        counts.append(int(rate[-1] * 52 * max(0.2, 2026 - one.year) * chance.random()))
        papers.append(_paper(number, one))
    mentions = list(_mentions(len(papers), lists, weeks, chance))
    reading = [_list(number) for number in range(lists)]
    with writing(place) as connection:
        for week in range(weeks):
            now = BEGIN + timedelta(weeks=week)
            if week:
                counts = [count + _gain(chance, pace) for count, pace in zip(counts, rate, strict=True)]
            observed = [count_row(f"p{number:05}", now, count) for number, count in enumerate(counts)]
            new = [row for row in mentions if row["first_seen_at"] == now]
            harvest = Harvest(
                reading_lists=reading if week == 0 else [],
                papers=[
                    row | {"citation_count": count, "counted_at": now, "refreshed_at": now}
                    for row, count in zip(papers, counts, strict=True)
                ]
                if week in (0, weeks - 1)
                else [],
                mentions=new,
                citation_counts=observed,
            )
            figures = {"counts_written": len(counts), "started_at": now, "finished_at": now}
            load(connection, harvest, run_row(f"run-{week}", **figures))


def _gain(chance: random.Random, pace: float) -> int:
    whole = int(pace)
    return whole + (chance.random() < pace - whole) if chance.random() < 0.8 else whole // 2


def _paper(number: int, one: Told) -> Row:
    digest = hashlib.sha1(str(number).encode(), usedforsecurity=False).hexdigest()
    return paper_row(
        f"p{number:05}",
        title=one.title,
        authors=list(one.authors),
        year=one.year,
        published_on=date(one.year, 1 + number % 12, 1 + number % 28),
        venue=one.venue,
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
                paper_id=None if lost else f"p{number:05}",
                status=chance.choice(["ambiguous", "not_found", "failed"]) if lost else "resolved",
                reason="two papers are alike" if lost else None,
                first_seen_at=since,
            )
