"""The library behind both services: hundreds of thousands of papers in SQLite, searched with FTS5.

The papers of the data files are indexed once and kept in a cache, keyed by the files' content. What a test adds,
removes or changes lives in a second shelf in memory and is forgotten by `reset`.
"""

from __future__ import annotations

import dataclasses
import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rapidfuzz.distance import Levenshtein

from standins.catalogue.papers import Paper, paper_from, same_work, title_hash
from standins.catalogue.shelf import BEYOND_ARXIV, FTS, INDEXES, TABLES, TOKENIZE, place
from standins.wire import Unsupported

Order = Literal["relevance", "sha"]
_KEYS = ("arxiv_id", "doi", "sha", "corpus_id", "acl", "pmid", "title_hash")
_NO_FILTER = "1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What to look for: an FTS5 expression (None matches nothing), and which part of the answer is wanted."""

    match: str | None
    limit: int
    offset: int = 0
    arxiv_only: bool = False
    order: Order = "relevance"
    where: str = _NO_FILTER
    values: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The papers of one slice, and how many there are in all."""

    total: int
    papers: tuple[Paper, ...]


class Library:
    """Papers that can be looked up by identifier, searched, and changed while the services run."""

    def __init__(self, shelf: Path) -> None:
        self._lock = threading.RLock()
        self._db = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None, uri=True)
        self._db.execute("ATTACH ? AS base", (f"{shelf.resolve().as_uri()}?mode=ro&immutable=1",))
        self._db.executescript(f"{TABLES} {INDEXES} CREATE VIRTUAL TABLE fts USING {FTS};")
        self._db.execute("CREATE TEMP TABLE hidden (id INTEGER PRIMARY KEY)")
        self._db.execute(f"CREATE VIRTUAL TABLE temp.stemmed USING fts5(word, {TOKENIZE})")
        for words, table in (("main_words", "main, fts"), ("base_words", "base, fts"), ("stems", "temp, stemmed")):
            self._db.execute(f"CREATE VIRTUAL TABLE temp.{words} USING fts5vocab({table}, row)")
        self._words: list[str] = []
        self._counts: dict[str, Mapping[str, int | None]] = {}
        self._merged: dict[str, str] = {}
        self.works: dict[str, str] = {}
        """OpenAlex's identifiers of works -> S2's of papers, of all that it has told."""
        self.citing: dict[str, list[dict[str, Any]]] | None = None
        """Work of OpenAlex -> the works that cite it; None after a change."""
        self._next = 0
        self.beyond_s2: set[str] = set()

    def find(self, key: str, value: str | int) -> Paper | None:
        """Returns the paper whose `key` (arxiv_id, doi, sha, corpus_id, acl, pmid) is `value`, None without one."""
        found = self._rows(key, value)
        return self._paper(found[0][2]) if found else None

    def merged(self, reference: str) -> str | None:
        """Returns the sha of the paper that `reference` was merged into, None where it was not."""
        with self._lock:
            sha = self._merged.get(reference.lower())
            if sha is None:
                row = self._db.execute("SELECT sha FROM base.aliases WHERE alias = ?", (reference.lower(),)).fetchone()
                sha = row[0] if row else None
        return sha

    def search(self, search: Search) -> Page:
        """Returns the papers that match, added ones first where relevance orders them.

        Raises:
            Unsupported: The query is nested deeper than FTS5 can follow.
        """
        if search.match is None:
            return Page(total=0, papers=())
        both = f"{_matches('main', search)} UNION ALL {_matches('base', search)}"
        twice = 2 * (search.match, *search.values)
        ordered = f"SELECT shelf, id FROM ({both}) ORDER BY {_leading(search)}sort, id LIMIT ? OFFSET ?"
        with self._lock, _too_deep():
            total = self._db.execute(f"SELECT count(*) FROM ({both})", twice).fetchone()[0]
            hits = self._db.execute(ordered, (*twice, search.limit, search.offset)).fetchall()
            papers = tuple(self._paper(self._record(shelf, row)) for shelf, row in hits)
        return Page(total=total, papers=papers)

    def spellings(self, word: str, edits: int) -> list[str]:
        """Returns the words of all titles, stemmed, that are at most `edits` letters from `word`, stemmed."""
        with self._lock:
            self._db.execute("DELETE FROM temp.stemmed")
            self._db.execute("INSERT INTO temp.stemmed VALUES (?)", (word,))
            stems = self._terms("stems")
            self._words = self._words or self._terms("base_words")
            words = {*self._words, *self._terms("main_words")}
        return [term for term in words if any(Levenshtein.distance(stem, term) <= edits for stem in stems)]

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Adds papers; one that is there already (same arXiv id, or same title and a shared author) is replaced,
        and keeps what the new facts do not tell.

        Raises:
            ValueError: A malformed arXiv id, or an S2 id that another paper has.
        """
        with self._lock:
            self.citing = None
            for facts in rows:
                told = dict(facts)
                for shelf, row, record in self._known(facts):
                    before = json.loads(record)
                    told = {**_identity(before), **before, **told}
                    self._hide(shelf, row)
                self._next += 1
                if not place(self._db, self._next, told):
                    raise ValueError(f"another paper has the S2 id of {facts['title']!r}")
                self._merged.update({alias.lower(): paper_from(told).sha for alias in told.get("aliases") or ()})

    def with_references(self) -> list[Paper]:
        """Returns the papers that were added with references."""
        with self._lock:
            records = self._db.execute("SELECT record FROM main.papers WHERE record LIKE '%\"references\"%'").fetchall()
        return [self._paper(record) for (record,) in records]

    def remove(self, references: Iterable[str]) -> int:
        """Removes the papers with these arXiv ids, DOIs or shas; returns how many there were."""
        with self._lock:
            self.citing = None
            rows = {row[:2] for ref in references for key in ("arxiv_id", "doi", "sha") for row in self._rows(key, ref)}
            for shelf, row in rows:
                self._hide(shelf, row)
        return len(rows)

    def set_counts(self, counts: Mapping[str, Mapping[str, int | None]]) -> None:
        """Overrides counts: arXiv id, DOI or sha -> {citation_count, influential_citation_count, reference_count}."""
        for reference, values in counts.items():
            for key in ("arxiv_id", "doi", "sha"):
                if (paper := self.find(key, reference)) is not None:
                    self._counts[paper.sha] = {**self._counts.get(paper.sha, {}), **values}
                    break
            else:
                raise KeyError(reference)

    def merge(self, reference: str, into: str) -> None:
        """Lets `reference` (as a client would write it) answer with the paper whose arXiv id, DOI or sha is `into`."""
        found = next((p for k in ("sha", "arxiv_id", "doi") if (p := self.find(k, into)) is not None), None)
        if found is None:
            raise KeyError(into)
        self._merged[reference.lower()] = found.sha

    def leave_to_arxiv(self, references: Iterable[str]) -> None:
        """Lets Semantic Scholar not have the papers with these arXiv ids, DOIs or shas, as it lacks those of the last
        days; those without an arXiv id only OpenAlex has then.
        """
        for reference in references:
            keys = ("arxiv_id", "doi", "sha")
            paper = next((paper for key in keys if (paper := self.find(key, reference)) is not None), None)
            if paper is None:
                raise KeyError(reference)
            self.beyond_s2.add(paper.sha)

    def reset(self) -> None:
        """Forgets every change since the library was opened."""
        with self._lock:
            self.citing = None
            self.beyond_s2.clear()
            self._db.executescript("DELETE FROM papers; DELETE FROM fts; DELETE FROM aliases; DELETE FROM temp.hidden;")
            self._counts.clear()
            self._merged.clear()

    def _rows(self, key: str, value: str | int) -> list[tuple[str, int, str]]:
        assert key in _KEYS, key
        wanted = value.lower() if key in ("doi", "sha") and isinstance(value, str) else value
        sql = (
            f"SELECT 'main', id, record FROM main.papers WHERE {key} = ?1 UNION ALL "
            f"SELECT 'base', id, record FROM base.papers WHERE {key} = ?1 AND id NOT IN temp.hidden"
        )
        with self._lock:
            return self._db.execute(sql, (wanted,)).fetchall()

    def _known(self, facts: Mapping[str, Any]) -> list[tuple[str, int, str]]:
        if facts.get("arxiv_id") and (rows := self._rows("arxiv_id", facts["arxiv_id"])):
            return rows
        alike = self._rows("title_hash", title_hash(str(facts["title"])))
        return [row for row in alike if same_work(facts, json.loads(row[2]))]

    def _terms(self, vocabulary: str) -> list[str]:
        return [row[0] for row in self._db.execute(f"SELECT term FROM temp.{vocabulary}")]

    def _hide(self, shelf: str, row: int) -> None:
        if shelf == "base":
            self._db.execute("INSERT OR IGNORE INTO temp.hidden VALUES (?)", (row,))
        else:
            self._db.execute("DELETE FROM main.fts WHERE rowid = ?", (row,))
            self._db.execute("DELETE FROM main.papers WHERE id = ?", (row,))

    def _record(self, shelf: str, row: int) -> str:
        return str(self._db.execute(f"SELECT record FROM {shelf}.papers WHERE id = ?", (row,)).fetchone()[0])

    def _paper(self, record: str) -> Paper:
        paper = paper_from(json.loads(record))
        changes: dict[str, Any] = dict(self._counts.get(paper.sha, {}))
        changed = dataclasses.replace(paper, **changes)
        if changed.citation_count is None or changed.influential_citation_count is None:
            return changed
        # They are a part of the citations, also where a test only changes the whole.
        return dataclasses.replace(
            changed, influential_citation_count=min(changed.influential_citation_count, changed.citation_count)
        )


@contextmanager
def _too_deep() -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        if "stack overflow" in str(error):
            raise Unsupported("the stand-in cannot nest brackets that deep") from error
        raise


def _matches(shelf: str, search: Search) -> str:
    """Returns the SQL for one shelf's hits: shelf, id, sort."""
    by_rank = search.order == "relevance"
    plain = by_rank and search.where == _NO_FILTER
    source = f"{shelf}.fts AS f" if plain else f"{shelf}.fts AS f JOIN {shelf}.papers AS p ON p.id = f.rowid"
    conditions = ["f.fts MATCH ?", search.where]
    if search.arxiv_only:
        conditions.append(f"f.rowid < {BEYOND_ARXIV}")
    if shelf == "base":
        conditions.append("f.rowid NOT IN temp.hidden")
    sort = "f.rank" if by_rank else f"p.{search.order}"
    return f"SELECT '{shelf}' AS shelf, f.rowid AS id, {sort} AS sort FROM {source} WHERE {' AND '.join(conditions)}"


def _leading(search: Search) -> str:
    return "shelf DESC, " if search.order == "relevance" else ""


def _identity(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The ids that a paper keeps when facts about it change, told or invented."""
    paper = paper_from(facts)
    return {"s2_paper_id": paper.sha, "corpus_id": paper.corpus_id}
