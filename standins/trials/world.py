"""A world to resolve against, in memory: the background's papers, searched as the two services search them.

A phrase search finds titles that hold the words asked for, one after another, as `ti:"..."` and `"..." | "..."` do. The
best match is the first of a ranked search for any of the words. Like the services, neither knows how to spell.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rapidfuzz.fuzz import ratio

from sources.bibliography.identifiers import ArxivId, Identifier
from sources.bibliography.names import compare_authors
from sources.bibliography.titles import fold, title_key, title_keys
from sources.errors import TransientSourceError
from sources.http.queries import GAP
from sources.records import ArxivPaper, BatchAnswer, S2Paper, TitleAnswer

_WORD = re.compile(r"[^\W_]+")
_MOST_HITS = 200


@dataclass(frozen=True, slots=True)
class Row:
    """What the facts tell of one paper."""

    title: str
    authors: tuple[str, ...]
    year: int | None
    arxiv_id: str | None
    doi: str | None
    venue: str | None

    @property
    def sha(self) -> str:
        return hashlib.sha1(repr((self.title, self.authors[:1], self.arxiv_id, self.doi)).encode()).hexdigest()

    def on_arxiv(self) -> ArxivPaper:
        published = datetime(self.year, 6, 1, tzinfo=UTC) if self.year else None
        return ArxivPaper(
            arxiv_id=self.arxiv_id or "", title=self.title, authors=self.authors, published_at=published, doi=self.doi
        )

    def in_s2(self) -> S2Paper:
        told = (("arxiv", self.arxiv_id), ("doi", self.doi))
        return S2Paper(
            s2_paper_id=self.sha,
            title=self.title,
            authors=self.authors,
            year=self.year,
            venue=self.venue,
            arxiv_id=self.arxiv_id,
            doi=self.doi,
            identifiers=tuple(Identifier(scheme, value) for scheme, value in told if value),
        )


def read_rows(shared: Path) -> list[Row]:
    """Returns the papers of the facts and of the background, each arXiv id once."""
    import pyarrow.parquet as pq

    with (shared / "facts" / "papers.jsonl").open(encoding="utf-8") as lines:
        told: list[dict[str, Any]] = [json.loads(line) for line in lines]
    columns = ["title", "authors", "year", "arxiv_id", "doi", "venue"]
    told += pq.read_table(shared / "facts" / "background.parquet", columns=columns).to_pylist()
    rows, seen = [], set()
    for facts in told:
        arxiv_id = ArxivId.parse(facts["arxiv_id"]).base if facts["arxiv_id"] else None
        if arxiv_id is None or arxiv_id not in seen:
            seen.add(arxiv_id)
            authors = tuple(facts["authors"] or ())
            rows.append(Row(facts["title"], authors, facts["year"], arxiv_id, facts["doi"], facts["venue"]))
    return rows


class World:
    """Papers, found by identifier, by key, by phrase, and by rank; `hidden` ones are nowhere."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self.hidden: set[int] = set()
        self._by_id = {row.arxiv_id: number for number, row in enumerate(rows) if row.arxiv_id}
        self._by_key: dict[str, list[int]] = {}
        self._by_variant: dict[str, list[int]] = {}
        for number, row in enumerate(rows):
            self._by_key.setdefault(title_key(row.title), []).append(number)
        self._db = sqlite3.connect(":memory:")
        self._db.execute("CREATE VIRTUAL TABLE titles USING fts5(title, detail=full, tokenize='unicode61')")
        self._db.executemany(
            "INSERT INTO titles (rowid, title) VALUES (?, ?)", ((n, fold(row.title)) for n, row in enumerate(rows))
        )
        self._db.execute("CREATE VIRTUAL TABLE words USING fts5vocab(titles, row)")
        self._commonness: dict[str, int] = dict(self._db.execute("SELECT term, doc FROM words"))

    def same_title(self, title: str) -> list[int]:
        return self._by_key.get(title_key(title), [])

    def hide(self, arxiv_id: str, title: str) -> None:
        """Takes a paper out of the world, with every row that is the same work under nearly the same title."""
        number = self._by_id.get(arxiv_id)
        authors = self.rows[number].authors if number is not None else ()
        self.hidden.update(self.same_title(title) if number is None else [*self.same_title(title), number])
        self.hidden.update(near for near in self._ranked_numbers(title, 20) if self._is_twin(near, title, authors))

    def _is_twin(self, number: int, title: str, authors: tuple[str, ...]) -> bool:
        likeness = ratio(title_key(self.rows[number].title), title_key(title))
        signed = compare_authors(self.rows[number].authors, authors).agreement == "agree"
        return likeness >= (80 if signed else 96)

    def with_id(self, arxiv_id: str) -> Row | None:
        number = self._by_id.get(arxiv_id)
        return None if number is None or number in self.hidden else self.rows[number]

    def with_key(self, key: str) -> list[Row]:
        """Returns the rows that stand under a key: each under all its `title_keys`, as mirror and lake keep them."""
        if not self._by_variant:
            for number, row in enumerate(self.rows):
                for variant in title_keys(row.title):
                    self._by_variant.setdefault(variant, []).append(number)
        return [self.rows[number] for number in self._by_variant.get(key, ()) if number not in self.hidden]

    def phrase(self, title: str) -> list[Row]:
        """Returns the rows whose title holds `title` word for word or, where it has gaps, each of its parts."""
        parts = [" ".join(_WORD.findall(fold(part))) for part in title.split(GAP)]
        told = [f'"{part}"' for part in parts if part]
        return self._query(" AND ".join(told), _MOST_HITS) if told else []

    def ranked(self, title: str) -> list[Row]:
        numbers = self._ranked_numbers(title, 1 + min(len(self.hidden), 20))
        return [self.rows[number] for number in numbers if number not in self.hidden]

    def _ranked_numbers(self, title: str, most: int) -> list[int]:
        """Returns the rows nearest to a title by its five rarest words that any title has."""
        known = {word for word in _WORD.findall(fold(title)) if word in self._commonness}
        rarest = sorted(known, key=lambda word: (self._commonness[word], word))[:5]
        return self._numbers(" OR ".join(f'"{word}"' for word in rarest), most) if rarest else []

    def has_word(self, word: str) -> bool:
        return word in self._commonness

    def _query(self, expression: str, most: int) -> list[Row]:
        return [self.rows[number] for number in self._numbers(expression, most) if number not in self.hidden]

    def _numbers(self, expression: str, most: int) -> list[int]:
        sql = "SELECT rowid FROM titles WHERE titles MATCH ? ORDER BY rank LIMIT ?"
        return [number for (number,) in self._db.execute(sql, (expression, most))]


@dataclass
class Service:
    """One of the two services, with what it was asked."""

    world: World
    name: Any
    asked: list[str] = field(default_factory=list)
    matched: list[str] = field(default_factory=list)
    searches: int = 0
    down: bool = False
    schemes: frozenset[Any] = frozenset({"arxiv"})

    def fetch_papers(self, identifiers: Sequence[Identifier]) -> Any:
        self.asked += map(str, identifiers)
        if self.down:
            return BatchAnswer(requested=tuple(identifiers), failed=dict.fromkeys(identifiers, self.outage()))
        rows = {identifier: self.world.with_id(identifier.value) for identifier in identifiers}
        found = {identifier: self._record(row) for identifier, row in rows.items() if row}
        return BatchAnswer(requested=tuple(identifiers), found=found, not_found=frozenset(rows.keys() - found.keys()))

    def search_titles(self, titles: Sequence[str]) -> Any:
        self.asked += titles
        self.searches += 1
        if self.down:
            return TitleAnswer(requested=tuple(titles), failed=dict.fromkeys(titles, self.outage()))
        rows = dict.fromkeys(row for title in titles for row in self.world.phrase(title) if self._has(row))
        papers = tuple(map(self._record, rows))
        return TitleAnswer(requested=tuple(titles), papers=papers, answered=frozenset(titles))

    def match_title(self, title: str) -> Any:
        self.asked.append(title)
        self.matched.append(title)
        if self.down:
            raise self.outage()
        return next((self._record(row) for row in self.world.ranked(title) if self._has(row)), None)

    def outage(self) -> TransientSourceError:
        return TransientSourceError("down for the test", source=self.name, status=503)

    def _has(self, row: Row) -> bool:
        return self.name != "arxiv" or row.arxiv_id is not None

    def _record(self, row: Row) -> ArxivPaper | S2Paper:
        return row.on_arxiv() if self.name == "arxiv" else row.in_s2()


@dataclass
class WorldMirror:
    """The local mirror of all that the world has on arXiv."""

    world: World

    def by_identifiers(self, identifiers: Collection[Identifier]) -> Mapping[Identifier, ArxivPaper]:
        rows = {one: self.world.with_id(one.value) for one in identifiers if one.scheme == "arxiv"}
        return {one: row.on_arxiv() for one, row in rows.items() if row}

    def by_titles(self, titles: Collection[str]) -> Mapping[str, Sequence[ArxivPaper]]:
        found = {
            title: dict.fromkeys(row for key in title_keys(title) for row in self.world.with_key(key))
            for title in titles
        }
        return {title: [row.on_arxiv() for row in rows if row.arxiv_id] for title, rows in found.items() if rows}

    def words_in_titles(self, words: Collection[str]) -> frozenset[str]:
        return frozenset(word for word in words if self.world.has_word(word))

    def partitioned(self, function: Callable[[Any, Any], Any], items: Sequence[Any]) -> Iterable[Any]:
        return [function(items, self)]

    def spread(self, function: Callable[[Any], Any], shares: Iterable[Any]) -> Iterable[Any]:
        return map(function, shares)
