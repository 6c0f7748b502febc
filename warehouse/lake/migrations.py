"""Named, ordered steps that bring a lake to its present shape: forward only, each recorded in its own transaction."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

import duckdb

from sources.errors import LakeVersionError
from warehouse.tables.declarations import (
    CANDIDATES,
    CITATION_COUNTS,
    GRAPH_TABLES,
    HARVESTS,
    MENTIONS,
    PAPER_IDENTIFIERS,
    PAPERS,
    PUBLISHED_VERSIONS,
    READING_LISTS,
    REPLIES,
    RETRACTIONS,
    RUNS,
    TABLES,
    TELLERS,
    WORK_TABLES,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from duckdb import DuckDBPyConnection

    from warehouse.tables.schema import Table

_VIEWS_PREFIX = "views-"


@dataclass(frozen=True, slots=True)
class Migration:
    """One step: its name for ever, and what it does inside an open transaction."""

    name: str
    apply: Callable[[DuckDBPyConnection], None]


def _make_tables(connection: DuckDBPyConnection) -> None:
    connection.execute("CALL lake.set_option('data_inlining_row_limit', 0)")
    for table in TABLES:
        connection.execute(table.ddl())
        for comment in table.comments():
            connection.execute(comment)


def _add_review(connection: DuckDBPyConnection) -> None:
    connection.execute("ALTER TABLE mentions ADD COLUMN IF NOT EXISTS decision VARCHAR")
    connection.execute("ALTER TABLE candidates ADD COLUMN IF NOT EXISTS authors VARCHAR[]")
    for table in (MENTIONS, CANDIDATES):
        _comment(connection, table)


def _add_citation_keys(connection: DuckDBPyConnection) -> None:
    connection.execute("ALTER TABLE papers ADD COLUMN IF NOT EXISTS citation_key VARCHAR")
    _comment(connection, PAPERS)


def _add_list_faults(connection: DuckDBPyConnection) -> None:
    connection.execute("ALTER TABLE reading_lists ADD COLUMN IF NOT EXISTS fault VARCHAR")
    _comment(connection, READING_LISTS)


def _add_confidence(connection: DuckDBPyConnection) -> None:
    connection.execute("ALTER TABLE mentions ADD COLUMN IF NOT EXISTS confidence DOUBLE")
    _comment(connection, MENTIONS)


def _comment(connection: DuckDBPyConnection, table: Table) -> None:
    """Puts the meaning of the columns that `table` has by now into the catalogue; later steps add others."""
    present = connection.execute(f'SELECT * FROM "{table.name}" LIMIT 0').to_arrow_table().column_names
    for comment in table.comments(present):
        connection.execute(comment)


def _add_reply_links(connection: DuckDBPyConnection) -> None:
    for table in (CITATION_COUNTS, HARVESTS):
        connection.execute(f"ALTER TABLE {table.name} ADD COLUMN IF NOT EXISTS reply_sha256 VARCHAR")
        _comment(connection, table)


def _add_retractions(connection: DuckDBPyConnection) -> None:
    connection.execute(RETRACTIONS.ddl())
    connection.execute("ALTER TABLE papers ADD COLUMN IF NOT EXISTS retracted BOOLEAN")
    for table in (RETRACTIONS, PAPERS):
        _comment(connection, table)


def _add_openalex(connection: DuckDBPyConnection) -> None:
    connection.execute("ALTER TABLE runs ADD COLUMN IF NOT EXISTS requests_openalex BIGINT")
    for table in WORK_TABLES:
        connection.execute(table.ddl())
        _comment(connection, table)
    for table in (CITATION_COUNTS, HARVESTS, PAPER_IDENTIFIERS, REPLIES, RUNS):
        _comment(connection, table)


def _add_published_versions(connection: DuckDBPyConnection) -> None:
    connection.execute(PUBLISHED_VERSIONS.ddl())
    _comment(connection, PUBLISHED_VERSIONS)


def _add_dblp_facts(connection: DuckDBPyConnection) -> None:
    for name in ("pages", "publication_type"):
        connection.execute(f"ALTER TABLE papers ADD COLUMN IF NOT EXISTS {name} VARCHAR")
    for table in (PAPERS, RETRACTIONS):
        _comment(connection, table)


def _add_citation_graph(connection: DuckDBPyConnection) -> None:
    for table in GRAPH_TABLES:
        connection.execute(table.ddl())
        _comment(connection, table)


def _add_tellers(connection: DuckDBPyConnection) -> None:
    """Adds who told DOI and venue. Of rows from before it is Semantic Scholar where it has the paper, else arXiv.

    What arXiv is known to have told may be its alone, so that is what it counts as until the sources tell again.
    """
    for source in TELLERS:
        for name in ("doi", "venue"):
            connection.execute(f"ALTER TABLE papers ADD COLUMN IF NOT EXISTS {source}_{name} VARCHAR")
    by_source = {"s2": "s2_paper_id IS NOT NULL", "arxiv": "s2_paper_id IS NULL AND len(categories) > 0"}
    for source, is_its in by_source.items():
        connection.execute(f"UPDATE papers SET {source}_doi = doi, {source}_venue = venue WHERE {is_its}")
    connection.execute(
        "UPDATE papers SET arxiv_doi = v.doi, arxiv_venue = v.venue, s2_doi = nullif(s2_doi, v.doi), "
        "s2_venue = nullif(s2_venue, v.venue) FROM published_versions AS v "
        "WHERE v.paper_id = papers.paper_id AND v.source = 'arxiv' AND v.record = papers.arxiv_id AND v.gone_at IS NULL"
    )
    connection.execute(
        "DELETE FROM paper_identifiers WHERE scheme = 'doi' AND (paper_id, value) IN "
        "(SELECT (paper_id, doi) FROM papers WHERE doi = arxiv_doi AND s2_doi IS NULL)"
    )
    for table in (PAPERS, PAPER_IDENTIFIERS):
        _comment(connection, table)


MIGRATIONS = (
    Migration("0001-tables", _make_tables),
    Migration("0002-review", _add_review),
    Migration("0003-citation-keys", _add_citation_keys),
    Migration("0004-list-faults", _add_list_faults),
    Migration("0005-reply-links", _add_reply_links),
    Migration("0006-confidence", _add_confidence),
    Migration("0007-retractions", _add_retractions),
    Migration("0008-openalex", _add_openalex),
    Migration("0009-published-versions", _add_published_versions),
    Migration("0010-dblp-facts", _add_dblp_facts),
    Migration("0011-citation-graph", _add_citation_graph),
    Migration("0012-tellers", _add_tellers),
)
"""Every step ever taken, oldest first. Never changed, only added to."""


def applied(connection: DuckDBPyConnection) -> frozenset[str]:
    """Returns the names of the steps that the lake has taken; none in a new lake."""
    try:
        rows = connection.execute("SELECT name FROM schema_migrations").fetchall()
    except duckdb.CatalogException:  # asking first whether the table is there would list all that there is
        return frozenset()
    return frozenset(name for (name,) in rows)


def has_table(connection: DuckDBPyConnection, name: str) -> bool:
    """Returns whether the lake has the table; that of an earlier version lacks some until its next refresh."""
    try:
        connection.execute(f'SELECT 1 FROM "{name}" LIMIT 0')
    except duckdb.CatalogException:
        return False
    return True


def pending(connection: DuckDBPyConnection) -> tuple[Migration, ...]:
    """Returns the steps that the lake has still to take, oldest first."""
    done = applied(connection)
    views = Migration(_views_name(), _make_views)
    return tuple(step for step in (*MIGRATIONS, views) if step.name not in done)


def refuse_newer(taken: frozenset[str]) -> None:
    """Refuses a lake that has taken steps which this version does not know.

    Args:
        taken: What `applied` returned for it.

    Raises:
        LakeVersionError: A newer paperlake made or migrated it.
    """
    known = {step.name for step in MIGRATIONS}
    newer = sorted(name for name in taken if name not in known and not name.startswith(_VIEWS_PREFIX))
    if newer:
        raise LakeVersionError(
            f"this lake was made by a newer paperlake (it has taken the step {newer[0]}): upgrade paperlake to use it"
        )


def migrate(connection: DuckDBPyConnection) -> tuple[str, ...]:
    """Takes the pending steps, all in one transaction, and returns their names."""
    steps = pending(connection)
    if not steps:
        return ()
    connection.execute("BEGIN")
    try:
        for step in steps:
            step.apply(connection)
            connection.execute("INSERT INTO schema_migrations VALUES (?, now())", [step.name])
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    return tuple(step.name for step in steps)


def view_files() -> tuple[tuple[str, str], ...]:
    """Returns each view's name and its SELECT, in the order of the files' numbers: a view may use those before it."""
    folder = resources.files("warehouse") / "views"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    return tuple((file.name.removesuffix(".sql").split("_", 1)[1], file.read_text(encoding="utf-8")) for file in files)


def macro_files() -> tuple[str, ...]:
    """Returns the statements that make the lake's table macros, which views may use."""
    folder = resources.files("warehouse") / "macros"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    return tuple(file.read_text(encoding="utf-8") for file in files)


def _views_name() -> str:
    text = "\n".join((*macro_files(), *(sql for _, sql in view_files())))
    return _VIEWS_PREFIX + hashlib.sha256(text.encode()).hexdigest()[:12]


def _make_views(connection: DuckDBPyConnection) -> None:
    for statement in macro_files():
        connection.execute(statement)
    for name, sql in view_files():
        connection.execute(f'CREATE OR REPLACE VIEW "{name}" AS {sql}')
        what = sql.splitlines()[0].removeprefix("-- ").replace("'", "''")
        connection.execute(f"COMMENT ON VIEW \"{name}\" IS '{what}'")
