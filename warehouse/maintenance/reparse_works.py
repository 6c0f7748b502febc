"""Reads stored replies of OpenAlex again: what its tables say of papers, and the counts that came from them.

A paper's rows are compared with the reply that its row of `openalex_works` names, each count with its own reply. What
does not agree with the paper is passed over. A table of which the reply tells nothing of the paper is left as it is:
OpenAlex loses lists at times. Retractions and published versions follow when OpenAlex is next asked.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from sources.agreement import described_by_row
from sources.errors import SourceError
from sources.openalex.answers import dispute
from sources.openalex.record import arxiv_doi
from sources.openalex.record import parse_reply as parse_openalex_reply
from warehouse.papers.work_rows import SOURCE, WorkRows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from duckdb import DuckDBPyConnection

    from sources.openalex.record import OpenAlexWork
    from sources.records import Reply
    from warehouse.papers.lake_papers import KnownPapers
    from warehouse.tables.rows import CitationCountRow, PaperRow

Row = dict[str, Any]
_SINCE = frozenset({"observed_at", "cited_paper_id"})
"""Columns that say when a row was first told, and what the lake makes of it."""


@dataclass(slots=True, kw_only=True)
class ReparsedWorks:
    """What OpenAlex's replies say otherwise now.

    Attributes:
        rows: The rows of its tables that change, those of a paper in a table all together.
        counts: Rows of `citation_counts` that are corrected.
        papers: Table -> the papers with rows that change.
        unread: What could not be read, or does not agree with its paper, a sentence each.
    """

    rows: WorkRows = field(default_factory=WorkRows)
    counts: list[CitationCountRow] = field(default_factory=list)
    papers: dict[str, set[str]] = field(default_factory=dict)
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
        self._note_counts(counts, own)
        self._note_works(connection, works_rows, own)

    def _note_counts(self, counts: Iterable[Row], own: Mapping[str, OpenAlexWork]) -> None:
        for row in counts:
            work = own.get(row["paper_id"])
            if work is None or work.citation_count is None:
                continue
            columns = {"citation_count": work.citation_count, "reference_count": work.reference_count}
            if any(row[name] != value for name, value in columns.items()):
                self.counts.append(cast("CitationCountRow", row | columns))

    def _note_works(
        self, connection: DuckDBPyConnection, works_rows: Iterable[Row], own: Mapping[str, OpenAlexWork]
    ) -> None:
        read_again = WorkRows()
        for row in works_rows:
            if (work := own.get(row["paper_id"])) is None:
                self.unread.append(f"OpenAlex's reply no longer tells of {row['title']!r:.90} as of this paper")
            else:
                read_again.add(row["paper_id"], work, row["refreshed_at"], row["reply_sha256"])
        papers, odd_papers = sorted({row["paper_id"] for row in read_again.works}), {}
        for table, rows in read_again.of_works.items():
            stored = _rows(connection, table, "list_contains($1, paper_id)", papers)
            before = {(row["paper_id"], _facts(row)) for row in stored}
            now = {(row["paper_id"], _facts(row)) for row in rows}
            odd = {paper_id for paper_id, _ in now - before}
            odd |= {paper_id for paper_id, _ in before - now}
            odd_papers[table] = odd
            self.papers.setdefault(table, set()).update(odd)
        together = odd_papers["openalex_works"] | odd_papers["citations_by_year"]  # which `Harvest` has both or neither
        odd_papers |= {"openalex_works": together, "citations_by_year": together}
        for table, rows in self.rows.of_works.items():
            rows += [row for row in read_again.of_works[table] if row["paper_id"] in odd_papers[table]]


def _by_paper(
    known: KnownPapers, works: Iterable[OpenAlexWork], paper_ids: Iterable[str], works_rows: Iterable[Row]
) -> dict[str, OpenAlexWork]:
    """Returns paper -> the only work of a reply that is surely it: by its number, else by a DOI of the paper's."""
    papers = {row["paper_id"]: row for row in known.papers(paper_ids)}
    numbers = {row["paper_id"]: row["openalex_id"] for row in works_rows}
    by_number = {work.work_id: work for work in works}
    found = {}
    for paper_id in sorted(paper_ids):
        paper = papers[paper_id]
        while paper["merged_into"] is not None:
            paper = papers[paper["merged_into"]]
        numbered = by_number.get(numbers.get(paper_id, ""))
        named = [numbered] if numbered else [work for work in by_number.values() if work.dois & _dois(paper)]
        agreeing = [
            work for work in named if not dispute(paper_id, described_by_row(paper), work, arxiv_id=paper["arxiv_id"])
        ]
        if len(agreeing) == 1:
            found[paper_id] = agreeing[0]
    return found


def _dois(paper: PaperRow) -> set[str]:
    return {doi for doi in (paper["doi"], paper["arxiv_id"] and arxiv_doi(paper["arxiv_id"])) if doi}


def _facts(row: Row) -> str:
    return repr(sorted((name, value) for name, value in row.items() if name not in _SINCE))


def _rows(connection: DuckDBPyConnection, table: str, condition: str, value: Any) -> list[Row]:
    sql = f"SELECT * FROM {table} WHERE {condition}"
    rows: list[Row] = connection.execute(sql, [value]).to_arrow_table().to_pylist()
    return rows
