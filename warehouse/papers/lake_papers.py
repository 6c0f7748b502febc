"""Looks up papers of the lake by identifier and title, for a run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from duckdb import DuckDBPyConnection

from sources.bibliography.identifiers import Identifier, named_identifiers
from sources.matching.candidates import Candidate
from sources.records import OpenAlexPaper, S2Paper, SourceName
from warehouse.lake.session import rows_of
from warehouse.papers.paper_facts import proven_dois
from warehouse.tables.declarations import (
    CandidateRow,
    FindingRow,
    HarvestRow,
    MentionRow,
    OpenalexWorkRow,
    PaperIdentifierRow,
    PaperRow,
    PublishedVersionRow,
    ReadingListRow,
    RetractionRow,
)


class StandingList(ReadingListRow):
    """A row of `reading_lists`, with the number of mentions in the list now."""

    standing: int


class KnownPapers:
    """The lake as last committed: papers by identifier or title, and rows by key."""

    def __init__(self, connection: DuckDBPyConnection) -> None:
        self._connection = connection

    def by_identifiers(self, identifiers: Collection[Identifier]) -> Mapping[Identifier, Candidate]:
        """Returns the known paper behind each of `identifiers` that is known."""
        owners = self.owners(identifiers)
        papers = {row["paper_id"]: row for row in self.papers(owners.values())}
        return {item: candidate_of_row(surviving(papers, owner)) for item, owner in owners.items()}

    def by_title_keys(self, keys: Collection[str]) -> Mapping[str, Sequence[Candidate]]:
        """Returns the known papers under each of `keys`; a paper is found by each of its title keys.

        Papers that are known only by a person's decision are left out. People decide where the title is not enough, so
        that title must not resolve other mentions, nor this one once the decision is withdrawn.
        """
        wanted = set(keys)
        rows = self._papers(
            "merged_into IS NULL AND list_has_any(title_keys, ?::VARCHAR[]) "
            "AND paper_id IN (SELECT paper_id FROM mentions WHERE method <> 'review')",
            sorted(wanted),
        )
        found: dict[str, list[Candidate]] = {}
        for row in rows:
            for key in wanted.intersection(row["title_keys"]):
                found.setdefault(key, []).append(candidate_of_row(row))
        return found

    def cited_in(self, list_ids: Collection[str]) -> dict[str, list[Candidate]]:
        """Returns list_id -> the works that papers of the list cite, of the lake and outside, with `cited_by`."""
        rows = self._rows(_CITED_IN, [sorted(list_ids)]) if list_ids else []
        papers = {row["paper_id"]: row for row in self.papers(row["work"] for row in rows if row["is_paper"])}
        found: dict[str, list[Candidate]] = {}
        for row in rows:
            if row["is_paper"]:
                work = candidate_of_row(surviving(papers, row["work"]))
            else:
                work = candidate_from(row, "openalex", doi=row["doi"])
            found.setdefault(row["list_id"], []).append(replace(work, cited_by=row["cited_by"]))
        return found

    def owners(self, identifiers: Iterable[Identifier]) -> dict[Identifier, str]:
        """Returns identifier -> paper_id, for those that the lake knows."""
        wanted = set(identifiers)
        if not wanted:
            return {}
        rows = self._rows(
            "SELECT scheme, value, paper_id FROM paper_identifiers WHERE value IN (SELECT unnest(?::VARCHAR[]))",
            [sorted({item.value for item in wanted})],
        )
        owners = {Identifier(row["scheme"], row["value"]): row["paper_id"] for row in rows}
        return {item: owners[item] for item in wanted if item in owners}

    def claimants(self, identifiers: Iterable[Identifier]) -> set[str]:
        """Returns the papers to which arXiv gives one of the DOIs among `identifiers`."""
        dois = sorted({item.value for item in identifiers if item.scheme == "doi"})
        sql = "SELECT paper_id FROM papers WHERE merged_into IS NULL AND arxiv_doi IN (SELECT unnest(?::VARCHAR[]))"
        return {row["paper_id"] for row in self._rows(sql, [dois])} if dois else set()

    def papers(self, paper_ids: Iterable[str]) -> list[PaperRow]:
        """Returns the rows of `paper_ids` and of the papers that they were merged into."""
        found: dict[str, PaperRow] = {}
        wanted = set(paper_ids)
        while wanted:
            rows = self._papers("paper_id IN (SELECT unnest(?::VARCHAR[]))", sorted(wanted))
            found |= {row["paper_id"]: row for row in rows}
            wanted = {row["merged_into"] for row in rows if row["merged_into"]} - found.keys()
        return list(found.values())

    def finding_counts(self, mention_ids: Sequence[str]) -> dict[str, int]:
        """Returns code -> number of findings about these mentions, the most frequent first."""
        rows = self._rows(
            "SELECT code, count(*) AS number FROM findings WHERE mention_id IN (SELECT unnest(?::VARCHAR[])) "
            "GROUP BY code ORDER BY number DESC, code",
            [list(mention_ids)],
        )
        return {row["code"]: row["number"] for row in rows}

    def citation_keys(self, keys: Collection[str]) -> set[str]:
        """Returns those of `keys` that a paper has."""
        rows = self._rows(
            "SELECT citation_key FROM papers WHERE citation_key IN (SELECT unnest(?::VARCHAR[]))", [sorted(keys)]
        )
        return {row["citation_key"] for row in rows}

    def identifiers(self, paper_ids: Iterable[str]) -> list[PaperIdentifierRow]:
        """Returns the rows of `paper_identifiers` of `paper_ids`."""
        return self._of("paper_identifiers", "paper_id", paper_ids)

    def harvests(self, paper_ids: Iterable[str]) -> list[HarvestRow]:
        """Returns the rows of `harvests` of `paper_ids`."""
        return self._of("harvests", "paper_id", paper_ids)

    def retractions(self, paper_ids: Iterable[str]) -> list[RetractionRow]:
        """Returns the rows of `retractions` of `paper_ids`."""
        return self._of("retractions", "paper_id", paper_ids)

    def openalex_works(self, paper_ids: Iterable[str]) -> dict[str, OpenalexWorkRow]:
        """Returns paper_id -> its row of `openalex_works`."""
        return {row["paper_id"]: row for row in self._of("openalex_works", "paper_id", paper_ids)}

    def published_versions(self, paper_ids: Iterable[str]) -> list[PublishedVersionRow]:
        """Returns the rows of `published_versions` of `paper_ids`."""
        return self._of("published_versions", "paper_id", paper_ids)

    def findings(self, mention_ids: Iterable[str]) -> list[FindingRow]:
        """Returns the rows of `findings` of `mention_ids`, in their order."""
        rows: list[FindingRow] = self._of("findings", "mention_id", mention_ids)
        return sorted(rows, key=lambda row: (row["mention_id"], row["ordinal"]))

    def mentions_with_finding(self, code: str) -> set[str]:
        """Returns the mentions that have a finding of that kind."""
        return {row["mention_id"] for row in self._rows("SELECT mention_id FROM findings WHERE code = ?", [code])}

    def standing_mentions(self, paper_ids: Iterable[str]) -> dict[str, str]:
        """Returns mention_id -> paper_id, for the mentions of `paper_ids` that are in a list."""
        rows = self._of("mentions", "paper_id", paper_ids)
        return {row["mention_id"]: row["paper_id"] for row in rows if row["removed_at"] is None}

    def unmoved(self, paper_ids: Iterable[str], *, now: datetime, source: str = "s2") -> set[str]:
        """Returns those of `paper_ids` whose last five counts by a source, over four weeks, are all the same.

        Counts dated later than `now`, by a wrong clock, do not count.
        """
        newest = (
            "SELECT paper_id, observed_at, citation_count, row_number() OVER newest AS back FROM citation_counts "
            "WHERE paper_id IN (SELECT unnest(?)) AND observed_at <= ? AND source = ? "
            "WINDOW newest AS (PARTITION BY paper_id ORDER BY observed_at DESC)"
        )
        rows = self._rows(
            f"SELECT paper_id FROM ({newest}) WHERE back <= 5 GROUP BY paper_id HAVING count(citation_count) = 5 "
            "AND count(DISTINCT citation_count) = 1 AND max(observed_at) - min(observed_at) >= INTERVAL 28 DAY",
            [list(paper_ids), now, source],
        )
        return {row["paper_id"] for row in rows}

    def identified_by(self, schemes: Iterable[str]) -> set[str]:
        """Returns the papers with an identifier of one of the `schemes`."""
        sql = "SELECT DISTINCT paper_id FROM paper_identifiers WHERE scheme IN (SELECT unnest(?::VARCHAR[]))"
        return {row["paper_id"] for row in self._rows(sql, [sorted(schemes)])}

    def lists(self, list_ids: Iterable[str]) -> list[ReadingListRow]:
        """Returns the rows of `reading_lists` with `list_ids`."""
        return self._of("reading_lists", "list_id", list_ids)

    def standing_lists(self) -> list[StandingList]:
        """Returns every row of `reading_lists`, with `standing`: how many mentions are in the list now."""
        return self._rows(
            "SELECT l.*, coalesce(m.standing, 0) AS standing FROM reading_lists l LEFT JOIN "
            "(SELECT list_id, count(*) AS standing FROM mentions WHERE removed_at IS NULL GROUP BY list_id) m "
            "USING (list_id) ORDER BY l.first_seen_at, l.location",
            [],
        )

    def all_lists(self) -> list[ReadingListRow]:
        """Returns every row of `reading_lists`, the first read first."""
        return self._rows("SELECT * FROM reading_lists ORDER BY first_seen_at, location", [])

    def mentions(self, list_ids: Iterable[str]) -> list[MentionRow]:
        """Returns the rows of `mentions` of the lists with `list_ids`, removed ones among them."""
        return self._of("mentions", "list_id", list_ids)

    def mention_ids(self, mention_ids: Iterable[str]) -> set[str]:
        """Returns those of `mention_ids` that mentions of any list have."""
        return {row["mention_id"] for row in self._of("mentions", "mention_id", mention_ids)}

    def candidates(self, mention_ids: Iterable[str]) -> dict[str, list[CandidateRow]]:
        """Returns mention_id -> its rows of `candidates`, best first."""
        found: dict[str, list[CandidateRow]] = {}
        rows: list[CandidateRow] = self._of("candidates", "mention_id", mention_ids)
        for row in sorted(rows, key=lambda row: row["rank"]):
            found.setdefault(row["mention_id"], []).append(row)
        return found

    def _papers(self, where: str, values: list[str]) -> list[PaperRow]:
        if not values:
            return []
        return self._rows(f"SELECT * FROM papers WHERE {where}", [values])

    def _of(self, table: str, column: str, values: Iterable[str]) -> list[Any]:
        chosen = sorted(set(values))
        sql = f'SELECT * FROM "{table}" WHERE "{column}" IN (SELECT unnest(?::VARCHAR[]))'
        return self._rows(sql, [chosen]) if chosen else []

    def _rows(self, sql: str, values: list[Any]) -> list[Any]:
        return rows_of(self._connection, sql, values)


# Another version of a work counts as that work. `is_paper` says whether `work` is a paper of the lake.
_CITED_IN = """
    WITH listed AS (
        SELECT DISTINCT list_id, paper_id FROM mentions
        WHERE removed_at IS NULL AND paper_id IS NOT NULL AND list_id IN (SELECT unnest(?::VARCHAR[]))
    ),
    cited AS (
        SELECT list_id, coalesce(r.cited_paper_id, o.paper_id, w.version_of, r.cited_openalex_id) AS work,
            count(DISTINCT paper_id) AS cited_by
        FROM listed JOIN paper_references r USING (paper_id)
        LEFT JOIN openalex_works o ON o.openalex_id = r.cited_openalex_id
        LEFT JOIN outside_works w ON w.openalex_id = r.cited_openalex_id
        GROUP BY ALL
    )
    SELECT c.*, w.title, w.authors, w.year, w.doi, w.arxiv_id, p.paper_id IS NOT NULL AS is_paper
    FROM cited c LEFT JOIN papers p ON p.paper_id = c.work
    LEFT JOIN outside_works w ON w.openalex_id = c.work AND w.status = 'found'
    WHERE p.paper_id IS NOT NULL OR w.title IS NOT NULL
    ORDER BY ALL
"""


def surviving(papers: Mapping[str, PaperRow], paper_id: str) -> PaperRow:
    """Returns the row of the paper that another one is now, after merges."""
    while (into := papers[paper_id]["merged_into"]) is not None:
        paper_id = into
    return papers[paper_id]


def candidate_from(row: Mapping[str, Any], source: SourceName, *, doi: str | None, **more: Any) -> Candidate:
    """Returns the paper of a row as a candidate with this DOI, and with what `more` is known of it."""
    s2_paper_id = row.get("s2_paper_id")
    return Candidate(
        source=source,
        title=row["title"] or "",
        authors=tuple(row["authors"] or ()),
        year=row["year"],
        arxiv_id=row["arxiv_id"],
        doi=doi,
        s2_paper_id=s2_paper_id,
        identifiers=named_identifiers(row["arxiv_id"], doi, s2_paper_id),
        **more,
    )


def candidate_of_row(row: PaperRow) -> Candidate:
    """Returns a row of `papers` as a candidate, without a DOI that only arXiv gives it."""
    doi = row["doi"] if row["doi"] in proven_dois(row) else None
    return candidate_from(row, "lake", doi=doi, venue=row["venue"], paper_id=row["paper_id"])


def without_its_doi(chosen: Candidate) -> Candidate:
    """Returns a candidate without its DOI, which another paper has."""
    identifiers = tuple(item for item in chosen.identifiers if item.scheme != "doi")
    record = chosen.record
    if isinstance(record, S2Paper):
        record = record.without_doi()
    elif isinstance(record, OpenAlexPaper):
        own = tuple(item for item in record.identifiers if item.scheme != "doi")
        record = replace(record, doi=None, identifiers=own)
    return replace(chosen, record=record, doi=None, identifiers=identifiers)
