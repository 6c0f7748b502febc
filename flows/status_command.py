"""`paperlake status`: coverage, freshness, last runs, and what is unresolved and why."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from flows.settings import read_settings
from flows.tables import print_rows
from warehouse.query import plain_rows, run_query

if TYPE_CHECKING:
    import pyarrow as pa

QUERIES = {
    "coverage": "SELECT list, mentions, resolved, ambiguous, not_found, failed, papers, papers_counted FROM coverage "
    "ORDER BY list",
    "freshness": "SELECT count(*) AS papers, count(counted_at) AS counted, min(counted_at) AS oldest_count, "
    "max(counted_at) AS newest_count, min(refreshed_at) AS oldest_metadata FROM papers WHERE merged_into IS NULL",
    "runs": "SELECT started_at, status, mentions, resolved, papers_new, counts_written, requests_arxiv, requests_s2, "
    "round(seconds_total, 1) AS seconds FROM runs ORDER BY started_at DESC LIMIT 5",
    "unresolved": "SELECT status, list, line, coalesce(title, url) AS mention, reason FROM unresolved "
    "ORDER BY status, list, line LIMIT 50",
}
_HEADINGS = {
    "coverage": "Coverage",
    "freshness": "Freshness",
    "runs": "Last runs",
    "unresolved": 'Unresolved (the first 50; all: paperlake sql "from unresolved")',
}


def print_status(*, lake: str | None, as_json: bool) -> None:
    """Prints the lake's state.

    Raises:
        UsageError: There is no lake.
    """
    place = read_settings(lake=lake).place
    parts: dict[str, pa.Table] = {name: run_query(place, sql) for name, sql in QUERIES.items()}
    if as_json:
        facts = {name: plain_rows(rows) for name, rows in parts.items()}
        sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n")
        return
    for name, rows in parts.items():
        if rows.num_rows:
            print_rows(rows, title=_HEADINGS[name])
            sys.stdout.write("\n")
