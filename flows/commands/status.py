"""`paperlake status`: shows coverage, age of the counts, last runs, unresolved mentions, and changes."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from flows.commands.shared import Json, Lake, Row, open_to_read, read_place, report, say
from flows.console import BOLD, DIM, as_text, cut, paragraph, print_rows, row_lines, screen_width, styled
from flows.list_names import not_read, short_names
from flows.times import ago, parse_age, past_instant
from sources.errors import UsageError
from sources.text import counted, json_text, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa
    from duckdb import DuckDBPyConnection

# What is shown of each, so that the status of a few lists fits a screen; `--json` and `sql` give all.
_SHOWN_UNRESOLVED = 3
_SHOWN_RUNS = 2
_SHOWN_RETRACTED = 3
_KINDS = ("ambiguous", "not_found", "failed")  # kinds of unresolved mentions; those that a person can decide come first
# Key of `status --json` -> its rows.
QUERIES = {
    "retracted": "SELECT paper_id, title, retracted, withdrawn FROM papers WHERE (retracted OR withdrawn) "
    "AND merged_into IS NULL AND paper_id IN (SELECT paper_id FROM mentions WHERE removed_at IS NULL) "
    "ORDER BY title, paper_id",
    "coverage": "SELECT list, location, mentions, resolved, ambiguous, not_found, failed, papers, papers_counted, "
    "lines_not_read FROM coverage ORDER BY list, location",
    "unread": "SELECT location AS list, fault AS not_read_because FROM reading_lists WHERE fault IS NOT NULL "
    "ORDER BY location",
    "freshness": "SELECT count(*) AS papers, count(counted_at) AS counted, min(counted_at) AS oldest_count, "
    "max(counted_at) AS newest_count, min(refreshed_at) AS oldest_metadata FROM papers WHERE merged_into IS NULL",
    "findings": "SELECT f.code, count(*) AS findings FROM findings AS f JOIN mentions AS m USING (mention_id) "
    "WHERE m.removed_at IS NULL GROUP BY f.code ORDER BY findings DESC, f.code",
    "runs": "SELECT started_at, status, mentions, resolved, papers_new, counts_written, "
    "COLUMNS('^requests_'), round(seconds_total, 1) AS seconds FROM runs ORDER BY started_at DESC LIMIT 5",
    "problems": "SELECT started_at, unnest(problems) AS problem FROM "
    "(SELECT started_at, problems FROM runs ORDER BY started_at DESC LIMIT 5) ORDER BY started_at DESC",
    "unresolved": "SELECT status, list, location, line, coalesce(title, url, text) AS mention, reason FROM unresolved "
    "ORDER BY list_position(['ambiguous', 'not_found', 'failed'], status), list, location, line LIMIT 50",
}
_INSTANTS = {
    "freshness": ("oldest_count", "newest_count", "oldest_metadata"),
    "runs": ("started_at",),
    "problems": ("started_at",),
}
_COVERAGE = ("mentions", "resolved", "ambiguous", "not_found", "failed", "papers")
_RUN_HEADS = ("started", "ended", "mentions", "resolved", "new papers", "counts", "requests", "seconds")
_ENDED = {"completed": "well", "completed_with_failures": "failures"}
_MOST_CHANGES = 50


def status(
    since: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN",
            help="Show what changed since then instead: 7d, 12h, or 2026-11-21, which is that day's end.",
        ),
    ] = None,
    within: Annotated[
        str | None,
        typer.Option(
            metavar="AGE",
            help="Print one line instead: exit code 1 unless a refresh ended so short a time ago, as 26h.",
        ),
    ] = None,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Shows coverage by list, how fresh the counts are, the last runs, and what is unresolved and why.

    With `--since` it shows what changed: new papers, new and removed mentions, papers whose citations jumped (by ten
    and a tenth of what they were; `PAPERLAKE_JUMP_CITATIONS` and `PAPERLAKE_JUMP_SHARE` say otherwise), papers
    withdrawn from arXiv, papers retracted, preprints that have a published version now, works that lists were found
    to miss, and records that Semantic Scholar merged.

    Example: `paperlake status --since 7d`

    Example: `paperlake status --within 26h`  a health check for supervisors
    """
    from warehouse.lake.place import lake_errors

    if since is not None:
        _print_changes(since=since, lake=lake, as_json=as_json)
        return
    if within is not None:
        _print_health(within=within, lake=lake, as_json=as_json)
    with open_to_read(lake, sealed=False) as connection, lake_errors(read_place(lake), "read"):
        if as_json:
            say([json_text(_plain_parts(status_parts(connection)))])
            return
        parts = {name: _rows(connection, name) for name in QUERIES}
    lists, gone, now = parts["coverage"], parts["retracted"], datetime.now(UTC)
    names, files = ({row["location"]: row["list"] for row in lists}, short_names(row["location"] for row in lists))
    unread = [f"{names.get(row['list'], row['list'])}: {row['not_read_because']}" for row in parts["unread"]]
    cells = [(row["list"], *(row[column] for column in _COVERAGE)) for row in lists]
    print_rows(["list", *(column.replace("_", " ") for column in _COVERAGE)], cells, title="Lists")
    if skipped := sum(row["lines_not_read"] or 0 for row in lists):
        say([not_read(skipped, "LIST")])
    for paragraphs in (
        _named("Lists that were not read, and whose mentions stay as they were", unread, indent="  "),
        _named(f"Retracted or withdrawn: {len(gone)}", [row["title"] for row in gone[:_SHOWN_RETRACTED]]),
        _state_lines(parts["freshness"][0], parts["findings"], now),
        _run_lines(parts["runs"], now),
        _problem_lines(parts["problems"], now),
        _unresolved_lines(parts["unresolved"], lists, files),
    ):
        if lines := list(paragraphs):
            say(["", *lines])


def status_parts(connection: DuckDBPyConnection) -> dict[str, pa.Table]:
    """Returns key of `status --json` -> its rows, of an open lake."""
    from warehouse.query.read_only import ask

    return {name: ask(connection, sql) for name, sql in QUERIES.items()}


def _print_health(*, within: str, lake: str | None, as_json: bool) -> NoReturn:
    """Prints when the last refresh ended, and ends with an exit code for supervisors."""
    try:
        age = parse_age(within)
    except ValueError as error:
        raise UsageError(f"--within: {error}") from None
    now = datetime.now(UTC)
    with open_to_read(lake, sealed=False) as connection:
        last = connection.execute(
            "SELECT epoch(finished_at), status, array_to_string(problems, '; ') FROM runs"
            " ORDER BY finished_at DESC LIMIT 1"
        ).fetchone()
    healthy = last is not None and now - datetime.fromtimestamp(last[0], UTC) <= age
    line, finished_at, how = "no refresh of this lake has ended yet", None, None
    if last is not None:
        finished_at, how = datetime.fromtimestamp(last[0], UTC).isoformat(), last[1]
        result = "well" if how == "completed" else f"with failures: {last[2]}"
        line = f"the last refresh ended {_ago(last[0], now)}, {result}"
    report({"healthy": healthy, "finished_at": finished_at, "status": how}, [shown(line)], as_json=as_json)
    raise typer.Exit(0 if healthy else 1)


def _print_changes(*, since: str, lake: str | None, as_json: bool) -> None:
    from flows.refresh.summary import CHANGES
    from warehouse.query.output import python_rows

    began = since_when(since)
    parts = read_changes(began, lake=lake)
    if as_json:
        say([json_text(_plain_parts(parts))])
        return
    say([row["text"] for row in python_rows(parts.pop("first"))])
    for name, rows in parts.items():
        if rows.num_rows:
            say([""])
            first = [tuple(row.values()) for row in python_rows(rows.slice(0, _MOST_CHANGES))]
            title = f"{CHANGES[name]}: {rows.num_rows}"
            print_rows(rows.column_names, first, title=title, total=rows.num_rows, remedy="--json gives all")


def read_changes(began: datetime, *, lake: str | None) -> dict[str, pa.Table]:
    """Returns kind of change -> its rows since `began`, behind what to know first; the settings say what a jump is.

    Raises:
        UsageError: There is no lake.
        WarehouseError: It cannot be read.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    from flows.settings import read_settings
    from warehouse.dashboard.first_five import first_five, list_papers
    from warehouse.lake.session import open_lake
    from warehouse.query.changes import changes_in, shown_changes

    settings = read_settings(lake=lake)
    with closing(open_lake(settings.place)) as connection:
        found = changes_in(connection, began, jump=settings.jump)
        list_papers(connection, terms="all")
        # As on the page, by one source: the counts of two cannot be added.
        jumped = found["jumped"].filter(pc.field("source") == "s2")
        first = first_five(connection, found | {"jumped": jumped}, began)
    words = {name: [getattr(finding, name) for finding in first] for name in ("kind", "text")}
    return {"first": pa.table(words)} | shown_changes(found)


def since_when(text: str) -> datetime:
    """Returns the instant that `7d` (so long ago) or `2026-11-21` names, in UTC unless it says otherwise.

    Raises:
        UsageError: The text is neither.
    """
    is_age = text.strip()[-1:] in tuple("smhdw")
    try:
        return datetime.now(UTC) - parse_age(text) if is_age else past_instant(text, day_ends=True)
    except ValueError as error:
        raise UsageError(f"--since: {error}; 7d, 12h or 2026-11-21 will do") from None


def _plain_parts(parts: Mapping[str, pa.Table]) -> dict[str, list[Row]]:
    from warehouse.query.output import plain_rows

    return {name: plain_rows(rows) for name, rows in parts.items()}


def _rows(connection: DuckDBPyConnection, name: str) -> list[Row]:
    """Returns the rows of a query, instants as seconds since 1970."""
    sql = QUERIES[name]
    if instants := _INSTANTS.get(name):
        seconds = ", ".join(f"epoch({column}) AS {column}" for column in instants)
        sql = f"SELECT * REPLACE ({seconds}) FROM ({sql})"  # noqa: S608 - of constants
    found = connection.execute(sql)
    names = [column[0] for column in found.description or ()]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def _ago(seconds: float | None, now: datetime) -> str:
    return "-" if seconds is None else ago(datetime.fromtimestamp(seconds, UTC), now)


def _run_lines(rows: Sequence[Row], now: datetime) -> Iterator[str]:
    cells = [
        (
            _ago(row["started_at"], now),
            _ENDED.get(row["status"], row["status"]),
            *(row[column] for column in ("mentions", "resolved", "papers_new", "counts_written")),
            sum(value or 0 for name, value in row.items() if name.startswith("requests_")),
            row["seconds"],
        )
        for row in rows[:_SHOWN_RUNS]
    ]
    return row_lines(_RUN_HEADS, cells, title="Last runs") if rows else iter(())


def _named(title: str, sentences: Sequence[str], indent: str = "    ") -> Iterator[str]:
    """Yields sentences below a heading, which is left out where there are none."""
    if sentences:
        yield styled(title, BOLD)
    for sentence in sentences:
        yield from paragraph(sentence, indent=indent, first="  ")


def _state_lines(row: Row, findings: Sequence[Row], now: datetime) -> Iterator[str]:
    yield styled("Papers", BOLD)
    counts = f"; counts from {_ago(row['oldest_count'], now)} to {_ago(row['newest_count'], now)}"
    if row["counted"] and _ago(row["oldest_count"], now) == _ago(row["newest_count"], now):
        counts = f"; counted {_ago(row['newest_count'], now)}"
    metadata = f"; oldest metadata {_ago(row['oldest_metadata'], now)}" if row["papers"] else ""
    text = f"{counted(row['papers'], 'paper')}, {row['counted']} with citation counts"
    yield from paragraph(f"{text}{counts if row['counted'] else ''}{metadata}", indent="  ")
    if findings:
        kinds = ", ".join(f"{each['findings']} {each['code']}" for each in findings)
        total = counted(sum(each["findings"] for each in findings), "finding")
        yield from paragraph(f'{total} in the lists: {kinds} (paperlake sql "from findings")', indent="  ")


def _problem_lines(rows: Sequence[Row], now: datetime) -> Iterator[str]:
    last = [row for row in rows if row["started_at"] == rows[0]["started_at"]]
    when = _ago(rows[0]["started_at"], now) if rows else ""
    yield from _named(f"What failed {when}", [row["problem"] for row in last])
    if older := len(rows) - len(last):
        yield f'  {older} in runs before: paperlake sql "from runs"'


def _unresolved_lines(rows: Sequence[Row], coverage: Sequence[Row], names: Mapping[str, str]) -> Iterator[str]:
    if not rows:
        return
    totals = {kind: sum(row[kind] for row in coverage) for kind in _KINDS}
    kinds = (f"{number} {kind.replace('_', ' ')}" for kind, number in totals.items() if number)
    ways = "; settle them: paperlake review" if totals["ambiguous"] or totals["not_found"] else ""
    yield styled(f"Unresolved: {', '.join(kinds)}", BOLD) + ways
    room = screen_width() - 13
    for row in rows[:_SHOWN_UNRESOLVED]:
        kind = f"  {row['status'].replace('_', ' '):<9}  "
        where = shown(f"{names.get(row['location'], row['location'])}:{row['line']}")
        yield kind + cut(f"{where}  {as_text(row['mention'])}", room)
        yield " " * 13 + styled(cut(as_text(row["reason"] or ""), room), DIM)
    hidden = sum(totals.values()) - _SHOWN_UNRESOLVED
    if hidden > 0:
        yield f'  {hidden} more: paperlake sql "from unresolved"'
