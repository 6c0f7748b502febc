"""Parses the stored replies of a lake again, and writes what differs.

Of each observation the counts are compared with those of the reply that it came from, and corrected: this is the only
way in which a row of `citation_counts` changes. Of each paper the reply by which its source last told of it is entered
as if it came now; OpenAlex's goes into its own tables (`reparse_works`). No paper is made, no mention is weighed anew,
and nothing is asked.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

from duckdb import DuckDBPyConnection

from sources.bibliography.identifiers import Identifier
from sources.errors import SourceError
from sources.records import ArxivPaper, Reply, S2Paper
from sources.services.agreement import Description, compare, described_by_row
from sources.services.openalex.answers import dispute
from sources.services.openalex.record import OpenAlexWork, arxiv_doi
from sources.services.openalex.record import parse_reply as parse_openalex_reply
from sources.services.registry import SOURCES, parse_reply
from warehouse import Stage, without_progress
from warehouse.lake.session import rows_of
from warehouse.loading.commit import Harvest, load
from warehouse.papers.citation_graph import SOURCE, WorkRows
from warehouse.papers.lake_papers import KnownPapers, surviving
from warehouse.papers.paper_facts import counts_of
from warehouse.papers.paper_merge import RunPapers
from warehouse.tables.declarations import RUNS, CitationCountRow, PaperIdentifierRow, PaperRow, RunRow
from warehouse.tables.schema import COUNT

# Reads stored replies of OpenAlex again: what its tables say of papers, and the counts that came from them.
#
# A paper's rows are compared with the reply that its row of `openalex_works` names, each count with its own reply.
# What does not agree with the paper is passed over. A table for which the reply has nothing of the paper is left
# as it is: OpenAlex loses lists at times. Retractions and published versions follow with the next request to OpenAlex.


Row = dict[str, Any]
# Columns that say when a row was first received, and what the lake makes of it.
_SINCE = frozenset({"observed_at", "cited_paper_id"})


@dataclass(slots=True, kw_only=True)
class ReparsedWorks:
    """What OpenAlex's replies say otherwise now."""

    # all rows in its tables of the papers that change
    rows: WorkRows = field(default_factory=WorkRows)
    counts: list[CitationCountRow] = field(default_factory=list)  # rows of `citation_counts` that are corrected
    papers: dict[str, set[str]] = field(default_factory=dict)  # table -> the papers with rows that change
    # what could not be read, or does not agree with its paper, a sentence each
    unread: list[str] = field(default_factory=list)

    def compare(self, connection: DuckDBPyConnection, known: KnownPapers, reply: Reply) -> None:
        """Reads one reply again and notes what differs from the rows that came from it."""
        works_rows = _rows(connection, "openalex_works", "reply_sha256 = $1", reply.sha256)
        counts = _rows(connection, "citation_counts", f"source = '{SOURCE}' AND reply_sha256 = $1", reply.sha256)
        if not works_rows and not counts:
            return
        try:
            works = parse_openalex_reply(reply)
        except SourceError as error:
            self.unread.append(f"the reply {reply.sha256[:12]} of {reply.fetched_at:%Y-%m-%d}: {error}")
            return
        own = _by_paper(known, works, {row["paper_id"] for row in (*works_rows, *counts)}, works_rows)
        for row in counts:
            work = own.get(row["paper_id"])
            if work is None or work.citation_count is None:
                continue
            columns = {"citation_count": work.citation_count, "reference_count": work.reference_count}
            if any(row[name] != value for name, value in columns.items()):
                self.counts.append(cast("CitationCountRow", row | columns))
        self._note_works(connection, works_rows, own)

    def _note_works(
        self, connection: DuckDBPyConnection, works_rows: Iterable[Row], own: Mapping[str, OpenAlexWork]
    ) -> None:
        read_again = WorkRows()
        for row in works_rows:
            if (work := own.get(row["paper_id"])) is None:
                self.unread.append(f"OpenAlex's reply no longer tells of {row['title']!r:.90} as of this paper")
            else:
                read_again.add(row["paper_id"], work, row["refreshed_at"], row["reply_sha256"])
        papers = sorted({row["paper_id"] for row in read_again.openalex_works})
        changed: set[str] = set()
        for table, rows in read_again.of_works.items():
            stored = _rows(connection, table, "list_contains($1, paper_id)", papers)
            odd = {paper_id for paper_id, _ in _facts(stored) ^ _facts(rows)}
            self.papers.setdefault(table, set()).update(odd)
            changed |= odd
        for table, rows in self.rows.of_works.items():
            rows += [row for row in read_again.of_works[table] if row["paper_id"] in changed]


def _by_paper(
    known: KnownPapers, works: Iterable[OpenAlexWork], paper_ids: Iterable[str], works_rows: Iterable[Row]
) -> dict[str, OpenAlexWork]:
    """Returns paper -> the only work of a reply that is surely it: by its number, else by a DOI of the paper's."""
    papers = {row["paper_id"]: row for row in known.papers(paper_ids)}
    numbers = {row["paper_id"]: row["openalex_id"] for row in works_rows}
    by_number = {work.work_id: work for work in works}
    found = {}
    for paper_id in sorted(paper_ids):
        paper = surviving(papers, paper_id)
        numbered = by_number.get(numbers.get(paper_id, ""))
        dois = {paper["doi"], paper["arxiv_id"] and arxiv_doi(paper["arxiv_id"])} - {None}
        named = [numbered] if numbered else [work for work in by_number.values() if work.dois & dois]
        agreeing = [
            work for work in named if not dispute(paper_id, described_by_row(paper), work, arxiv_id=paper["arxiv_id"])
        ]
        if len(agreeing) == 1:
            found[paper_id] = agreeing[0]
    return found


def _facts(rows: Iterable[Row]) -> set[tuple[str, str]]:
    return {(row["paper_id"], repr(sorted(item for item in row.items() if item[0] not in _SINCE))) for row in rows}


def _rows(connection: DuckDBPyConnection, table: str, condition: str, value: Any) -> list[Row]:
    return rows_of(connection, f"SELECT * FROM {table} WHERE {condition}", [value])


Record = ArxivPaper | S2Paper
REPARSED = "reparsed"  # the status of a run that read replies again
_AT_ONCE = 20
_OBSERVED = """
SELECT c.*, i.s2_paper_ids FROM citation_counts AS c
LEFT JOIN papers AS p USING (paper_id)
JOIN (SELECT paper_id, list(value) AS s2_paper_ids FROM paper_identifiers
      WHERE scheme = 's2' AND value IN (SELECT unnest($3::VARCHAR[])) GROUP BY paper_id) AS i
  ON i.paper_id = coalesce(p.merged_into, c.paper_id)
WHERE c.source = 's2' AND (c.reply_sha256 = $1 OR (c.reply_sha256 IS NULL AND c.observed_at = $2))
"""


@dataclass(slots=True, kw_only=True)
class Reparse:
    """What reading the replies again came to; nothing is written yet."""

    replies: int = 0  # replies read
    # replies that could not be read, or whose record disagrees with the paper, a sentence each
    unread: list[str] = field(default_factory=list)
    papers: list[PaperRow] = field(default_factory=list)  # rows of `papers` that change
    # column, or table of OpenAlex's, -> how many papers change in it
    changed: dict[str, int] = field(default_factory=dict)
    counts: list[CitationCountRow] = field(default_factory=list)  # rows of `citation_counts` that are corrected
    merged: dict[str, str] = field(default_factory=dict)  # papers that turned out to be another one
    # rows of `paper_identifiers` of the papers that change
    identifiers: list[PaperIdentifierRow] = field(default_factory=list)
    retired: list[Identifier] = field(default_factory=list)  # identifiers that no paper has any more
    # what OpenAlex's replies say otherwise; its corrected counts are in `counts` too
    works: ReparsedWorks = field(default_factory=ReparsedWorks)

    @property
    def is_news(self) -> bool:
        """Returns whether anything changes."""
        return bool(self.papers or self.counts or any(self.works.papers.values()))


@dataclass(frozen=True, slots=True)
class _Telling:
    paper_id: str
    reply: Reply
    record: Record


def reparse(
    connection: DuckDBPyConnection, *, now: datetime, since: int | None = None, stage: Stage = without_progress
) -> Reparse:
    """Reads stored replies again and returns what they change; writes nothing.

    These are the replies that version `since` of their parser, or a later one, read first; None reads all.
    """
    found = Reparse()
    known = KnownPapers(connection)
    latest: dict[Identifier, _Telling] = {}
    for reply in _replies(connection, since, stage):
        found.replies += 1
        if reply.source == "openalex":
            found.works.compare(connection, known, reply)
            continue
        records = {
            Identifier("arxiv", record.arxiv_id)
            if isinstance(record, ArxivPaper)
            else Identifier("s2", record.s2_paper_id): record
            for record in _read(reply, found)
        }
        owners = known.owners(records)
        latest |= {item: _Telling(paper_id, reply, records[item]) for item, paper_id in owners.items()}
        if reply.source == "s2":
            # A source may have given the numbers to papers of other titles since.
            titles = {row["paper_id"]: Description(title=row["title"]) for row in known.papers(owners.values())}
            own = {
                item.value: records[item]
                for item, owner in owners.items()
                if compare(titles[owner], Description(title=records[item].title)) != "disagree"
            }
            found.counts += _corrections(connection, reply, own)
    _enter(known, latest, found, now)
    _carry_over(known, found)
    found.counts += found.works.counts
    found.unread += found.works.unread
    found.changed |= {table: len(papers) for table, papers in found.works.papers.items() if papers}
    return found


def write_reparse(connection: DuckDBPyConnection, found: Reparse, *, now: datetime, force: bool = False) -> int:
    """Writes what `reparse` found in one transaction, through the checks of every run, and returns the snapshot."""
    ((papers,),) = connection.execute("SELECT count(*) FROM papers WHERE merged_into IS NULL").fetchall()
    run: dict[str, Any] = dict.fromkeys((column.name for column in RUNS.columns if column.type is COUNT), 0) | {
        "run_id": uuid.uuid4().hex[:16],
        "started_at": now,
        "finished_at": now,
        "status": REPARSED,
        "papers": papers - len(found.merged),
        "seconds_total": 0.0,
        "problems": found.unread,
        "offline": True,
    }
    harvest = Harvest(
        papers=found.papers,
        paper_identifiers=found.identifiers,
        corrected_counts=found.counts,
        merged=found.merged,
        retired=found.retired,
        **found.works.rows.of_works,
    )
    return load(connection, harvest, cast("RunRow", run), force=force)


def _replies(connection: DuckDBPyConnection, since: int | None, stage: Stage) -> Iterator[Reply]:
    chosen = f"WHERE status = 200 AND source IN {tuple(SOURCES)} AND ($1 IS NULL OR parser_version >= $1)"
    cursor = connection.cursor()
    cursor.execute("USE lake")
    ((total,),) = cursor.execute(f"SELECT count(*) FROM replies {chosen}", [since]).fetchall()
    step = stage("replies", total, "replies")
    columns = "source, request_key, fetched_at, status, body, sha256"
    cursor.execute(f"SELECT {columns} FROM replies {chosen} ORDER BY fetched_at, request_key", [since])
    while rows := cursor.fetchmany(_AT_ONCE):
        for source, request_key, fetched_at, status, body, _ in rows:
            yield Reply(
                source=source, request_key=request_key, fetched_at=fetched_at.astimezone(UTC), status=status, body=body
            )
        step(len(rows))
    cursor.close()


def _read(reply: Reply, found: Reparse) -> list[Record]:
    try:
        return [record for record in parse_reply(reply) if isinstance(record, ArxivPaper | S2Paper)]
    except SourceError as error:
        found.unread.append(f"the reply {reply.sha256[:12]} of {reply.fetched_at:%Y-%m-%d}: {error}")
        return []


def _corrections(
    connection: DuckDBPyConnection, reply: Reply, read_records: Mapping[str, Any]
) -> list[CitationCountRow]:
    """Returns the observations that came from the reply and say otherwise than it does today.

    Where papers were merged, several records of a reply may be of one paper: an observation that says what any of them
    does is right, and it is not guessed from which of several another one came.
    """
    if not read_records:
        return []
    changed: list[CitationCountRow] = []
    for row in rows_of(connection, _OBSERVED, [reply.sha256, reply.fetched_at, list(read_records)]):
        record, *others = [read_records[value] for value in row.pop("s2_paper_ids")]
        if others or record.citation_count is None:
            continue
        observed = cast("CitationCountRow", row)
        corrected = observed | {name: getattr(record, name) for name in counts_of(observed)}
        if corrected != observed:
            changed.append(cast("CitationCountRow", corrected | {"reply_sha256": reply.sha256}))
    return changed


def _enter(known: KnownPapers, latest: Mapping[Identifier, _Telling], found: Reparse, now: datetime) -> None:
    """Enters the records by which the sources last described their papers, oldest first, and compares the papers."""
    rows = known.harvests({telling.paper_id for telling in latest.values()})
    harvests = {(row["paper_id"], row["source"]): row for row in rows}
    run_papers = RunPapers(known, now=now)
    run_papers.read(records=[telling.record for telling in latest.values()])
    before = {paper_id: row.copy() for paper_id, row in run_papers.rows.items()}
    for identifier, telling in sorted(latest.items(), key=lambda pair: pair[1].reply.fetched_at):
        row = before[run_papers.current(telling.paper_id)]
        bears = row["arxiv_id"] if identifier.scheme == "arxiv" else row["s2_paper_id"]
        harvest = harvests.get((row["paper_id"], telling.reply.source))
        if harvest is None or harvest["status"] != "found" or bears != identifier.value:
            continue
        linked = harvest.get("reply_sha256")
        # else the source has described the paper since, by another reply or a mirror
        if linked == telling.reply.sha256 if linked else harvest["asked_at"] == telling.reply.fetched_at:
            try:
                # The very reply that the row was read from: what it says otherwise now was misread.
                paper_id = run_papers.current(telling.paper_id)
                run_papers.add(telling.record, fetched_at=harvest["asked_at"], overruled=paper_id)
            except SourceError as error:
                found.unread.append(str(error))
    found.merged = run_papers.merged()
    for row in run_papers.paper_rows():
        old = before.get(row["paper_id"])
        if old is None:
            continue
        read_anew: PaperRow = {**row, "refreshed_at": old["refreshed_at"]}
        differing = [name for name, value in read_anew.items() if value != old.get(name)]
        if differing:
            found.papers.append(read_anew)
            found.changed |= {name: found.changed.get(name, 0) + 1 for name in differing}
    changed = {row["paper_id"] for row in found.papers}
    found.retired = sorted(run_papers.retired)
    found.identifiers = [row for row in run_papers.identifier_rows() if row["paper_id"] in changed]


def _carry_over(known: KnownPapers, found: Reparse) -> None:
    """Lets the papers whose newest observation is corrected show the corrected counts."""
    rows = {row["paper_id"]: row for row in known.papers({row["paper_id"] for row in found.counts})}
    rows |= {row["paper_id"]: row for row in found.papers}
    changed = {row["paper_id"] for row in found.papers}
    for count in found.counts:
        row = surviving(rows, count["paper_id"])
        before, after = counts_of(row), counts_of(count)
        differing = [name for name, value in after.items() if before.get(name) != value]
        if row["counted_at"] == count["observed_at"] and differing:
            rows[row["paper_id"]] = row | after
            changed.add(row["paper_id"])
            found.changed |= {name: found.changed.get(name, 0) + 1 for name in differing}
    found.papers = [rows[paper_id] for paper_id in sorted(changed)]
