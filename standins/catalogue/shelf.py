"""The shelf on disk: data files -> one SQLite file with identifiers and a full-text index, built once per content."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from getpass import getuser
from pathlib import Path
from typing import Any

from filelock import FileLock

from standins.catalogue.papers import Paper, paper_from, same_work, title_hash, title_key

BEYOND_ARXIV = 10**9
"""Row ids below are papers that arXiv has; the full-text index can so be cut without a join."""

_KEPT_S = 2 * 24 * 3600

SMALL = Path(__file__).with_name("small.jsonl")
"""The bundled library of real papers, for machines without ../shared."""

TABLES = """
CREATE TABLE papers (
    id INTEGER PRIMARY KEY, arxiv_id TEXT, doi TEXT, sha TEXT UNIQUE, corpus_id INTEGER, acl TEXT, pmid TEXT,
    title_hash INTEGER, year INTEGER, venue TEXT, published TEXT, updated TEXT, citation_count INTEGER, field TEXT,
    record TEXT NOT NULL
);
CREATE TABLE aliases (alias TEXT PRIMARY KEY, sha TEXT NOT NULL);
"""
INDEXES = """
CREATE INDEX by_arxiv ON papers (arxiv_id) WHERE arxiv_id IS NOT NULL;
CREATE INDEX by_doi ON papers (doi) WHERE doi IS NOT NULL;
CREATE INDEX by_acl ON papers (acl) WHERE acl IS NOT NULL;
CREATE INDEX by_pmid ON papers (pmid) WHERE pmid IS NOT NULL;
CREATE INDEX by_corpus ON papers (corpus_id);
CREATE INDEX by_title ON papers (title_hash);
"""

_WORDS = "title, abstract, authors, categories, ident, venue, comment"
TOKENIZE = "tokenize = 'porter unicode61 remove_diacritics 2'"
FTS = f"fts5({_WORDS}, {TOKENIZE})"
_CONTENTLESS = f"fts5({_WORDS}, content = '', {TOKENIZE})"


def open_shelf(data: Sequence[Path], cache: Path | None = None) -> Path:
    """Returns the indexed file for `data` (JSONL or Parquet files, or folders of them), building it where it is not
    in the cache yet.
    """
    files = [file for path in data for file in _files(path)]
    folder = cache or Path(tempfile.gettempdir()) / f"paperlake-standins-{getuser()}"
    folder.mkdir(parents=True, exist_ok=True)
    shelf = folder / f"{_content_hash(files)}.sqlite"
    with FileLock(f"{shelf}.lock"):
        if not shelf.exists():
            unfinished = shelf.with_suffix(".part")
            unfinished.unlink(missing_ok=True)
            _build(unfinished, files)
            unfinished.replace(shelf)
    os.utime(shelf)
    _forget_old(folder)
    return shelf


def _forget_old(folder: Path) -> None:
    """Removes indexes that nobody has used for two days: each change of the data leaves one behind."""
    for old in folder.glob("*.sqlite"):
        if time.time() - old.stat().st_mtime > _KEPT_S:
            old.unlink(missing_ok=True)


def place(db: sqlite3.Connection, number: int, facts: Mapping[str, Any]) -> bool:
    """Puts one paper on the shelf that `db` writes to, at a place never used before; False where its S2 id is taken."""
    paper = paper_from(facts)
    row = number if paper.arxiv_id else BEYOND_ARXIV + number
    if not db.execute(_INSERT, _columns(row, paper, json.dumps(dict(facts), ensure_ascii=False))).rowcount:
        return False
    db.execute(
        "INSERT INTO fts (rowid, title, abstract, authors, categories, ident, venue, comment) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        _words(row, paper),
    )
    db.executemany("INSERT OR REPLACE INTO aliases VALUES (?, ?)", [(a.lower(), paper.sha) for a in paper.aliases])
    return True


_UNTOLD = {
    "source",
    "n_authors",
    "kind",
    "in_reading_lists",
    "citation_counts",
    "citation_source",
    "citation_as_of",
    "authors_complete",
    "published_month",
}
"""Keys of the data files that neither service tells."""

_INSERT = f"INSERT OR IGNORE INTO papers VALUES ({', '.join('?' * 15)})"


def _columns(row: int, paper: Paper, record: str) -> tuple[Any, ...]:
    ids = (paper.arxiv_id, paper.doi and paper.doi.lower(), paper.sha, paper.corpus_id, paper.acl, paper.pmid)
    dates = (paper.year, paper.venue, paper.published, paper.updated or paper.published)
    return (row, *ids, title_hash(paper.title), *dates, paper.citation_count, paper.field_of_study, record)


def _words(row: int, paper: Paper) -> tuple[Any, ...]:
    lists = (", ".join(paper.authors), " ".join(paper.categories))
    return (row, paper.title, paper.abstract, *lists, paper.arxiv_id, paper.venue, paper.comment)


def _build(shelf: Path, files: Iterable[Path]) -> None:
    db = sqlite3.connect(shelf)
    db.executescript(f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -300000; {TABLES}")
    db.execute(f"CREATE VIRTUAL TABLE fts USING {_CONTENTLESS}")
    rows = [facts for file in files if file.suffix == ".jsonl" for facts in _json_lines(file)]
    bulk = [file for file in files if file.suffix == ".parquet"]
    for number, facts in enumerate(_together(rows, bulk), start=1):
        place(db, number, facts)
    db.executescript(f"{INDEXES} INSERT INTO fts (fts) VALUES ('optimize');")
    db.commit()
    db.close()


def _together(rows: list[dict[str, Any]], bulk: Iterable[Path]) -> Iterator[dict[str, Any]]:
    """Yields every paper once: the bulk files' own, then the well-known ones, completed from the bulk."""
    by_id = {facts["arxiv_id"]: facts for facts in rows if facts.get("arxiv_id")}
    by_title = {title_key(facts["title"]): facts for facts in rows}
    for other in _bulk(bulk):
        known = by_id.get(other.get("arxiv_id")) or by_title.get(title_key(other["title"]))
        if known is None or not same_work(known, other):
            yield other
        else:
            known.update({key: value for key, value in other.items() if key not in known})
    yield from rows


def _bulk(files: Iterable[Path]) -> Iterator[dict[str, Any]]:
    import pyarrow.parquet as pq

    for file in files:
        for batch in pq.ParquetFile(file).iter_batches(batch_size=20_000):
            yield from map(_told, batch.to_pylist())


def _json_lines(file: Path) -> list[dict[str, Any]]:
    return [_told(json.loads(line)) for line in file.read_text(encoding="utf-8").split("\n") if line.strip()]


def _told(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what a file tells that a service could tell; what it leaves null is unknown, and may be invented."""
    told = {key: value for key, value in facts.items() if key not in _UNTOLD and value not in (None, [], "")}
    if "arxiv_id" in told:
        told["arxiv_id"] = re.sub(r"(?i)^arxiv:|v\d+$", "", told["arxiv_id"])
    return told


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(file for file in path.iterdir() if file.suffix in (".jsonl", ".parquet"))
    return [path]


def _content_hash(files: Iterable[Path]) -> str:
    """Returns a key of the data and of what is made of it, tried on the small library."""
    digest = hashlib.sha256("".join((TABLES, INDEXES, FTS)).encode())
    for facts in _json_lines(SMALL):
        paper = paper_from(facts)
        digest.update(repr((_columns(0, paper, json.dumps(facts)), _words(0, paper))).encode())
    for file in files:
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:24]
