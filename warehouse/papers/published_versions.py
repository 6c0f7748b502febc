"""The rows of `published_versions` that a run writes: what its records tell of the publications of preprints."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from sources.published_versions import versions_told
from sources.records import ArxivPaper, DblpPaper

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sources.published_versions import PublishedVersion
    from warehouse.papers.lake_papers import KnownPapers
    from warehouse.papers.paper_merge import RunPapers
    from warehouse.tables.rows import PublishedVersionRow


def version_rows(
    run_papers: RunPapers, *, known: KnownPapers, now: datetime, absent: Iterable[tuple[str, str]] = ()
) -> list[PublishedVersionRow]:
    """Returns the rows that are new or differ from those in the lake.

    A source that was heard in this run, and no longer tells of a version, has it marked as gone; of a source that was
    not heard, what the lake knows stays.

    Args:
        run_papers: The papers of the run, after all merges.
        known: The lake as last committed.
        now: The run's instant.
        absent: Papers and the sources that were heard in this run, and have no record of them.
    """
    versions: defaultdict[tuple[str, str], list[PublishedVersion]] = defaultdict(list)
    versions |= {(run_papers.current(paper_id), source): [] for paper_id, source in absent}
    for (named, source), record in run_papers.records.items():
        paper_id = run_papers.current(named)
        arxiv_id = run_papers.rows[paper_id]["arxiv_id"]
        if arxiv_id is not None and isinstance(record, ArxivPaper | DblpPaper):
            versions[paper_id, source] += versions_told(record, arxiv_id, today=now.date())
    stored = {
        (row["paper_id"], row["source"], row["record"]): row
        for row in known.published_versions(paper_id for paper_id, _ in versions)
    }
    rows = {
        (paper_id, source, version.record): _row(paper_id, version, now)
        for (paper_id, source), own in versions.items()
        for version in own
    }
    for key, row in rows.items():
        row["first_seen_at"] = stored[key]["first_seen_at"] if key in stored else now
    gone = [
        row | {"gone_at": row["gone_at"] or now}
        for key, row in stored.items()
        if key not in rows and (row["paper_id"], row["source"]) in versions
    ]
    return [row for row in (*rows.values(), *gone) if stored.get(_key(row)) != row]


def _key(row: PublishedVersionRow) -> tuple[str, str, str]:
    return row["paper_id"], row["source"], row["record"]


def _row(paper_id: str, version: PublishedVersion, now: datetime) -> PublishedVersionRow:
    return {
        "paper_id": paper_id,
        "source": version.source,
        "record": version.record,
        "kind": version.kind,
        "venue": version.venue,
        "year": version.year,
        "doi": version.doi,
        "first_seen_at": now,
        "gone_at": None,
    }
