"""`paperlake status`: coverage, freshness, last runs, what is unresolved and why, and what changed since when."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flows.report import CHANGES
from flows.settings import read_settings
from flows.tables import print_rows
from flows.times import parse_age, past_instant
from sources.errors import UsageError
from sources.shown_text import json_text
from warehouse.changes import Jump, changes_since
from warehouse.query import run_query
from warehouse.row_formats import plain_rows

if TYPE_CHECKING:
    import pyarrow as pa

QUERIES = {
    "coverage": "SELECT list, mentions, resolved, ambiguous, not_found, failed, papers, papers_counted FROM coverage "
    "ORDER BY list",
    # As JSON, because the lake of an earlier version has no such column before its next refresh.
    "unread": "SELECT location AS list, to_json(l) ->> 'fault' AS not_read_because FROM reading_lists AS l "
    "WHERE not_read_because IS NOT NULL ORDER BY location",
    "freshness": "SELECT count(*) AS papers, count(counted_at) AS counted, min(counted_at) AS oldest_count, "
    "max(counted_at) AS newest_count, min(refreshed_at) AS oldest_metadata FROM papers WHERE merged_into IS NULL",
    "runs": "SELECT started_at, status, mentions, resolved, papers_new, counts_written, requests_arxiv, requests_s2, "
    "round(seconds_total, 1) AS seconds FROM runs ORDER BY started_at DESC LIMIT 5",
    "problems": "SELECT started_at, unnest(problems) AS problem FROM "
    "(SELECT started_at, problems FROM runs ORDER BY started_at DESC LIMIT 5) ORDER BY started_at DESC",
    "unresolved": "SELECT status, list, line, coalesce(title, url) AS mention, reason FROM unresolved "
    "ORDER BY status, list, line LIMIT 50",
}
_HEADINGS = {
    "coverage": "Coverage",
    "unread": "Lists that were not read, and whose mentions stay as they were",
    "freshness": "Freshness",
    "runs": "Last runs",
    "problems": "What failed in them",
    "unresolved": 'Unresolved (the first 50; all: paperlake sql "from unresolved")',
}


_MOST_CHANGES = 50


def print_status(*, lake: str | None, as_json: bool) -> None:
    """Prints the lake's state.

    Raises:
        UsageError: There is no lake.
    """
    place = read_settings(lake=lake).place
    _print({name: run_query(place, sql) for name, sql in QUERIES.items()}, _HEADINGS, as_json=as_json)


def print_changes(*, since: str, lake: str | None, as_json: bool) -> None:
    """Prints what changed since an instant, or in the last so many days.

    Raises:
        UsageError: There is no lake, or `since` is no time.
    """
    settings = read_settings(lake=lake)
    began = since_when(since)
    jump = Jump(citations=settings.jump_citations, share=settings.jump_share)
    parts = changes_since(settings.place, began, jump=jump)
    if as_json:
        _print(parts, CHANGES, as_json=True)
        return
    headings = {name: f"{CHANGES[name]}: {rows.num_rows}" for name, rows in parts.items()}
    _print({name: rows.slice(0, _MOST_CHANGES) for name, rows in parts.items()}, headings, as_json=False)
    if not any(rows.num_rows for rows in parts.values()):
        sys.stdout.write(f"nothing has changed since {began:%Y-%m-%d %H:%M} UTC\n")


def since_when(text: str) -> datetime:
    """Returns the instant that `7d` (so long ago) or `2026-11-21` names, in UTC unless it says otherwise.

    Raises:
        UsageError: The text is neither.
    """
    is_age = text.strip()[-1:] in tuple("smhdw")
    try:
        return datetime.now(UTC) - parse_age(text) if is_age else past_instant(text)
    except ValueError as error:
        raise UsageError(f"--since: {error}; 7d, 12h or 2026-11-21 will do") from None


def _print(parts: dict[str, pa.Table], headings: dict[str, str], *, as_json: bool) -> None:
    if as_json:
        facts = {name: plain_rows(rows) for name, rows in parts.items()}
        sys.stdout.write(json_text(facts) + "\n")
        return
    for name, rows in parts.items():
        if rows.num_rows:
            print_rows(rows, title=headings[name])
            sys.stdout.write("\n")
