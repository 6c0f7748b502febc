"""arXiv's metadata dump as a local mirror: with it, a title or an identifier costs no request.

A release is a folder of Parquet files: `papers` in the order of its title keys, `arxiv_ids` and `words` as indexes
into it by position. Look-ups read the row groups whose statistics admit the key, not the whole. A manifest names the
release in use, and is replaced only when the new release is complete.
"""

from __future__ import annotations

import json
import shutil
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from sources.errors import WarehouseError
from sources.matching.titles import title_keys, title_words
from sources.records import ArxivPaper
from warehouse.schema import COUNT, FLAG, INSTANT, TEXT, TEXTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

MAX_CANDIDATES = 25
"""Papers that a look-up offers for one title; the judgement is over these."""
_PROBES = 6
"""Rarest words of a title that are looked up."""
_TOO_COMMON = 20_000
"""A word in more titles than this tells nothing worth reading its postings for."""

PAPERS = pa.schema(
    [
        pa.field("arxiv_id", TEXT.arrow, nullable=False),
        pa.field("version", COUNT.arrow),
        pa.field("title", TEXT.arrow, nullable=False),
        pa.field("abstract", TEXT.arrow),
        pa.field("authors", TEXTS.arrow),
        pa.field("published_at", INSTANT.arrow),
        pa.field("updated_at", INSTANT.arrow),
        pa.field("primary_category", TEXT.arrow),
        pa.field("categories", TEXTS.arrow),
        pa.field("doi", TEXT.arrow),
        pa.field("journal_ref", TEXT.arrow),
        pa.field("comment", TEXT.arrow),
        pa.field("withdrawn", FLAG.arrow),
        pa.field("title_key", TEXT.arrow, nullable=False),
        pa.field("words", TEXTS.arrow),
    ]
)
"""Columns of a release's papers: the record's own, and what look-ups need."""

_RECORD = [field.name for field in fields(ArxivPaper)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """What the mirror holds.

    Attributes:
        name: The release's folder.
        files: Names of the dump files it was made from.
        rows: Papers in it.
        refused: Rows of the dump that were kept aside, in `refused.jsonl` of the release's folder.
        duplicates: Rows whose identifier a later row has too; the later one stayed.
        imported_at: When it was made, ISO 8601 in UTC.
    """

    name: str
    files: tuple[str, ...]
    rows: int
    refused: int
    duplicates: int
    imported_at: str


class ArxivMirror:
    """The mirror of arXiv in a lake's folder, there or not.

    Args:
        folder: `mirror/arxiv` in the lake's folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def release(self) -> Release | None:
        """Returns the release in use, None where nothing has been imported.

        Raises:
            WarehouseError: The manifest has been damaged.
        """
        manifest = self.folder / "release.json"
        if not manifest.is_file():
            return None
        try:
            facts = json.loads(manifest.read_text(encoding="utf-8"))
            return Release(**{**facts, "files": tuple(facts["files"])})
        except (ValueError, KeyError, TypeError) as error:
            raise self._damaged(error) from error

    def by_arxiv_ids(self, ids: Iterable[str]) -> dict[str, ArxivPaper]:
        """Returns base identifier -> paper, for those of `ids` that the mirror holds."""
        wanted = sorted(set(ids))
        if self.release is None or not wanted:
            return {}
        rows = self._query(
            "SELECT p.* FROM papers p JOIN arxiv_ids i USING (position) "
            "WHERE i.arxiv_id IN (SELECT unnest(?::VARCHAR[]))",
            [wanted],
        )
        return {row["arxiv_id"]: _paper(row) for row in rows}

    def by_titles(self, titles: Iterable[str]) -> dict[str, tuple[ArxivPaper, ...]]:
        """Returns title -> papers that may bear it, likeliest first; a title without any is absent.

        Candidates share the title's key, or one of its variants, or as many of its rarest words as can be had. They are
        candidates: whether one is the paper is for the judgement to say.
        """
        wanted = sorted(set(titles))
        if self.release is None or not wanted:
            return {}
        keys = [(title, key, rank) for title in wanted for rank, key in enumerate(title_keys(title))]
        words = [(title, word) for title in wanted for word in dict.fromkeys(title_words(title).words)]
        with self._opened() as connection:
            connection.register("asked_keys", _columns(keys, ("asked", "title_key", "rank")))
            connection.register("asked_words", _columns(words, ("asked", "word")))
            rows = connection.execute(_BY_TITLES).to_arrow_table().to_pylist()
        found: dict[str, tuple[ArxivPaper, ...]] = {}
        for row in rows:
            found[row["asked"]] = (*found.get(row["asked"], ()), _paper(row))
        return found

    def is_whole(self, release: Release) -> bool:
        """Returns whether every file of `release` can be read."""
        try:
            rows = self._query("SELECT count(*) AS n FROM papers, (SELECT count(*) FROM words) AS w", [])
        except WarehouseError:
            return False
        return bool(rows[0]["n"] == release.rows)

    def publish(self, release: Release) -> Release:
        """Puts the finished `release` into use, drops all others, stopped imports among them, and returns it."""
        partial = self.folder / "manifest.partial"
        partial.write_text(json.dumps(asdict(release), indent=1) + "\n", encoding="utf-8")
        partial.replace(self.folder / "release.json")
        for other in self.folder.glob("release-*"):
            if other.name != release.name:
                shutil.rmtree(other, ignore_errors=True)
        return release

    def _query(self, sql: str, values: list[Any]) -> list[dict[str, Any]]:
        with self._opened() as connection:
            rows: list[dict[str, Any]] = connection.execute(sql, values).to_arrow_table().to_pylist()
        return rows

    @contextmanager
    def _opened(self) -> Iterator[duckdb.DuckDBPyConnection]:
        release = self.release
        assert release is not None, "callers ask only where there is a release"  # noqa: S101
        try:
            with closing(duckdb.connect()) as connection:
                connection.execute("SET TimeZone='UTC'")
                connection.execute("SET enable_progress_bar=false")
                for name in ("papers", "arxiv_ids", "words"):
                    path = str(self.folder / release.name / f"{name}.parquet").replace("'", "''")
                    connection.execute(f"CREATE VIEW {name} AS FROM read_parquet('{path}')")
                yield connection
        except duckdb.Error as error:
            raise self._damaged(error) from error

    def _damaged(self, error: Exception) -> WarehouseError:
        why = str(error).strip().splitlines()[0]
        return WarehouseError(
            f"the mirror at {self.folder} cannot be read: remove it or run `paperlake mirror import arxiv FILE` ({why})"
        )


_BY_TITLES = f"""
WITH frequency AS (
    SELECT word, count(*) AS n FROM words WHERE word IN (SELECT word FROM asked_words) GROUP BY word
),
probe AS (
    SELECT a.asked, a.word
    FROM asked_words a JOIN frequency f USING (word)
    WHERE f.n <= {_TOO_COMMON}
    QUALIFY row_number() OVER (PARTITION BY a.asked ORDER BY f.n, a.word) <= {_PROBES}
),
hit AS (
    SELECT k.asked, p.position, 100 - k.rank AS weight
    FROM asked_keys k JOIN papers p USING (title_key)
    UNION ALL
    SELECT b.asked, w.position, count(*) AS weight
    FROM probe b JOIN words w USING (word)
    GROUP BY b.asked, w.position
),
best AS (
    SELECT asked, position, sum(weight) AS strength
    FROM hit
    GROUP BY asked, position
    QUALIFY row_number() OVER (PARTITION BY asked ORDER BY strength DESC, position) <= {MAX_CANDIDATES}
)
SELECT b.asked, p.* EXCLUDE (words)
FROM best b JOIN papers p USING (position)
ORDER BY b.asked, b.strength DESC, b.position
"""


def _columns(rows: Sequence[tuple[Any, ...]], names: Sequence[str]) -> pa.Table:
    values = list(zip(*rows, strict=True)) or [() for _ in names]
    kinds = [pa.int64() if name == "rank" else pa.string() for name in names]
    arrays = [pa.array(list(column), kind) for column, kind in zip(values, kinds, strict=True)]
    return pa.table(dict(zip(names, arrays, strict=True)))


def _paper(row: dict[str, Any]) -> ArxivPaper:
    facts = {name: row[name] for name in _RECORD}
    return ArxivPaper(
        **facts | {"authors": tuple(facts["authors"] or ()), "categories": tuple(facts["categories"] or ())}
    )
