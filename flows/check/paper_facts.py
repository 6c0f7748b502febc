"""Reads from the lake what the checks need to know of the papers behind mentions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

from duckdb import DuckDBPyConnection

from sources.bibliography.identifiers import Identifier
from sources.lists.checks.findings import CheckedEntry, PaperFacts, Publication
from sources.matching.resolve import resolve
from sources.records import Mention
from warehouse.lake.session import rows_of
from warehouse.papers.lake_papers import KnownPapers, surviving
from warehouse.tables.declarations import PaperRow

Row = dict[str, Any]

_MENTIONS = """
SELECT mention_id, line, title, text, url, status, paper_id, method FROM mentions
WHERE list_id = ? AND removed_at IS NULL ORDER BY line
"""
_OF_PAPERS = {
    "identifiers": "SELECT paper_id, scheme, value FROM paper_identifiers "
    "WHERE paper_id IN (SELECT unnest(?::VARCHAR[]))",
    "works": "SELECT * FROM openalex_works WHERE paper_id IN (SELECT unnest(?::VARCHAR[]))",
    "versions": "SELECT * FROM published_versions WHERE gone_at IS NULL AND paper_id IN (SELECT unnest(?::VARCHAR[])) "
    "ORDER BY CASE source WHEN 'dblp' THEN 0 WHEN 'openalex' THEN 1 ELSE 2 END, year, record",
    "retractions": "SELECT * FROM retractions WHERE paper_id IN (SELECT unnest(?::VARCHAR[])) ORDER BY source DESC",
    "open_counts": "SELECT paper_id, citation_count FROM citation_counts WHERE source = 'openalex' "
    "AND observed_at <= now() + INTERVAL 1 DAY "
    "AND paper_id IN (SELECT unnest(?::VARCHAR[])) ORDER BY observed_at DESC",
    "harvests": "SELECT paper_id, source FROM harvests WHERE status = 'found' "
    "AND paper_id IN (SELECT unnest(?::VARCHAR[])) ORDER BY source",
}
_OF_MENTIONS = {
    "findings": "SELECT mention_id, code, value FROM findings WHERE mention_id IN (SELECT unnest(?::VARCHAR[]))",
    "candidates": "SELECT * FROM candidates WHERE mention_id IN (SELECT unnest(?::VARCHAR[])) ORDER BY rank",
}
# What a paper's row has under the names of `PaperFacts`.
_OF_ROWS = tuple(
    "paper_id title year venue published_on arxiv_id doi withdrawn citation_count citation_key primary_category pages "
    "publication_type".split()
)
_OF_CANDIDATES = ("title", "year", "arxiv_id", "doi")
_RETRACTED_BY = {"retraction-watch": "Retraction Watch", "openalex": "OpenAlex"}
_REPOSITORY = re.compile(r"https?://(?:www\.)?(?:github|gitlab)\.com/[\w.-]+/[\w.-]+")
# What an abstract calls a system: "a model called BERT", "we present YOLO, a new approach".
_NAMED = re.compile(
    r"(?:\b(?:called|named|dubbed|termed|[Ww]e (?:call|name|dub|term) (?:it|this|our \w+)|coined)(?: the)?\s+[\"“‘'`]*"
    r"|\b[Ww]e (?:propose|present|introduce)(?: the)?\s+)([A-Z][\w+-]*[A-Z0-9+][\w+-]*)(?=[,.:;)]| \()"
)
_SETTLED = frozenset({"resolved", "ambiguous", "not_found"})


def entries_of_list(
    connection: DuckDBPyConnection, list_id: str, mentions: Sequence[Mention]
) -> dict[int, CheckedEntry]:
    """Returns position -> entry, for those of `mentions` that the lake knows as written, or whose paper it surely has.

    A mention that a source could not be asked about is left out, as nothing is known of it.
    """
    rows = _matched(rows_of(connection, _MENTIONS, [list_id]), mentions)
    known = {position: row for position, row in rows.items() if row["status"] in _SETTLED}
    mention_ids = [row["mention_id"] for row in known.values()]
    tables = {name: _by_key(connection, sql, mention_ids, "mention_id") for name, sql in _OF_MENTIONS.items()}
    papers = facts_of(connection, [row["paper_id"] for row in known.values() if row["paper_id"]])
    left = {position: mention for position, mention in enumerate(mentions) if position not in known}
    return _entries_of_papers(connection, left) | {
        position: _entry(
            mentions[position],
            papers.get(row["paper_id"] or ""),
            {name: rows_by_key.get(row["mention_id"], []) for name, rows_by_key in tables.items()},
        )
        for position, row in known.items()
    }


def _entries_of_papers(connection: DuckDBPyConnection, mentions: Mapping[int, Mention]) -> dict[int, CheckedEntry]:
    """Returns position -> entry, for mentions of no list of the lake that surely name papers which it has."""
    resolutions = resolve(mentions.values(), known=KnownPapers(connection)) if mentions else ()
    weighed = {
        position: (item, item.verdict)
        for position, item in zip(mentions, resolutions, strict=True)
        if item.verdict is not None and (item.verdict.certain or item.verdict.findings)
    }
    ranked = {
        position: [each.candidate.paper_id for each in verdict.ranked if each.candidate.paper_id]
        for position, (_, verdict) in weighed.items()
    }
    papers = facts_of(connection, {paper_id for paper_ids in ranked.values() for paper_id in paper_ids})
    found: dict[int, CheckedEntry] = {}
    for position, (item, verdict) in weighed.items():
        own = [papers[paper_id] for paper_id in ranked[position] if paper_id in papers]
        if own and verdict.findings:
            titled = own[1] if verdict.chosen is None and len(own) > 1 else None
            found[position] = CheckedEntry(mention=item.mention, linked=own[0], titled=titled, unasked=False)
        elif own and verdict.chosen is not None:
            found[position] = CheckedEntry(mention=item.mention, paper=own[0], unasked=False)
    return found


def _matched(stored: Sequence[Row], mentions: Sequence[Mention]) -> dict[int, Row]:
    """Returns position of a mention -> its row: of the same words, and of those the one on the nearest line."""
    alike: defaultdict[tuple[str | None, str, str | None], list[Row]] = defaultdict(list)
    for row in stored:
        alike[row["title"], row["text"], row["url"]].append(row)
    found: dict[int, Row] = {}
    for position, mention in enumerate(mentions):
        rows = alike.get((mention.title, mention.text, mention.url))
        if rows:
            nearest = min(rows, key=lambda row: abs(row["line"] - mention.line))
            rows.remove(nearest)
            found[position] = nearest
    return found


def _entry(mention: Mention, paper: PaperFacts | None, tables: Mapping[str, Sequence[Row]]) -> CheckedEntry:
    codes = {row["code"] for row in tables["findings"]}
    unknown = tuple(
        Identifier(*row["value"].split(":", 1)) for row in tables["findings"] if row["code"] == "identifier-unknown"
    )
    if "link-title-disagree" in codes:
        candidates = [
            PaperFacts(paper_id="", authors=tuple(row["authors"] or ()), **{name: row[name] for name in _OF_CANDIDATES})
            for row in tables["candidates"]
        ]
        linked = paper or next(iter(candidates), None)
        titled = candidates[1] if paper is None and len(candidates) > 1 else None
        return CheckedEntry(mention=mention, linked=linked, titled=titled, unknown=unknown, unasked=False)
    return CheckedEntry(mention=mention, paper=paper, unknown=unknown, unasked=False)


def facts_of(connection: DuckDBPyConnection, paper_ids: Collection[str]) -> dict[str, PaperFacts]:
    """Returns paper_id -> what the lake knows of the paper; a paper that was merged into another is the other one."""
    rows = {row["paper_id"]: row for row in KnownPapers(connection).papers(paper_ids)}
    tables = {name: _by_key(connection, sql, list(rows), "paper_id") for name, sql in _OF_PAPERS.items()}
    facts: dict[str, PaperFacts] = {}
    for paper_id in set(paper_ids) & rows.keys():
        row = surviving(rows, paper_id)
        facts[paper_id] = _facts(row, {name: by_key.get(row["paper_id"], []) for name, by_key in tables.items()})
    return facts


def _facts(row: PaperRow, tables: Mapping[str, Sequence[Row]]) -> PaperFacts:
    work = next(iter(tables["works"]), None)
    titles = [each["title"] for each in tables["works"] if each["title"] != row["title"]]
    repositories = {match.rstrip(".").removesuffix(".git") for match in _REPOSITORY.findall(row["abstract"] or "")}
    retraction = None  # who says that it was retracted, when and why; where Retraction Watch has it, that decides
    notice = next(iter(tables["retractions"]), None)
    if notice is not None and notice["retracted"]:
        day = f" on {notice['retracted_on']}" if notice["retracted_on"] else ""
        why = f": {'; '.join(notice['reasons'][:3])}" if notice["reasons"] else ""
        retraction = f"{_RETRACTED_BY.get(notice['source'], notice['source'])} says so{day}{why}"
    return PaperFacts(
        **{name: cast("Row", row)[name] for name in _OF_ROWS},
        other_titles=tuple(titles),
        authors=tuple(row["authors"]),
        identifiers=tuple(Identifier(each["scheme"], each["value"]) for each in tables["identifiers"]),
        retraction=retraction,
        publications=tuple(
            Publication(**{name: each[name] for name in ("source", "kind", "venue", "year", "doi")})
            for each in tables["versions"]
        ),
        free_copy=row["open_access_pdf_url"] or (work["open_access_url"] if work else None),
        open_citation_count=next((each["citation_count"] for each in tables["open_counts"]), None),
        names=tuple(dict.fromkeys(_NAMED.findall(row["abstract"] or ""))),
        code_url=repositories.pop() if len(repositories) == 1 else None,
        sources=tuple(each["source"] for each in tables["harvests"]),
    )


def _by_key(connection: DuckDBPyConnection, sql: str, keys: Sequence[str], column: str) -> dict[str, list[Row]]:
    grouped: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows_of(connection, sql, [sorted(keys)]) if keys else ():
        grouped[row[column]].append(row)
    return grouped
