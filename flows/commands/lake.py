"""`paperlake lake`: checks, compacts and repairs a lake, removes lists from it, and says how others read it."""

from __future__ import annotations

import sys
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from flows.commands.shared import Json, Lake, begin, open_existing, read_place, report
from flows.list_names import lists_named, names_of_lists
from flows.progress import watched
from flows.times import parse_age
from sources.errors import UsageError
from sources.text import counted, shown

if TYPE_CHECKING:
    from warehouse.maintenance.compact import Size

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Checks, compacts and repairs a lake.\n\n"
    "`paperlake lake check` reports everything that is wrong with it; a scheduled `paperlake lake compact` merges the "
    "small files of many refreshes.",
)


@app.command("check")
def lake_check(
    lake: Lake = None,
    deep: Annotated[
        bool, typer.Option("--deep", help="Also read every file from end to end and compare it with its checksum.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Checks the lake: catalogue, files, keys, references, counts; reports every fault and what to do about it.

    Changes nothing and blocks nobody. Exit code 1 means that something is wrong. A refresh checks only what it wrote;
    this checks everything.

    Example: `paperlake lake check --deep`
    """
    begin("checking the lake")
    from warehouse.maintenance.lake_check import check_lake

    place = read_place(lake)
    with watched() as reporter:
        found = check_lake(place, deep=deep, stage=reporter.stage)
    count = f"{counted(len(found.faults), 'fault')}; " if found.faults else ""
    how = "read from end to end" if deep else "looked at"
    looked = f"{counted(found.files, 'file')} {how}, {counted(found.rows, 'row')} checked"
    notes = [f"note: {note}" for note in found.notes]
    lines = [*(f"fault: {fault}" for fault in found.faults), *notes, f"{count}{looked}"]
    lines = lines if found.faults else [f"all well: {looked}", *notes]
    report({"ok": not found.faults, "deep": deep, **asdict(found)}, map(shown, lines), as_json=as_json)
    raise typer.Exit(1 if found.faults else 0)


@app.command("compact")
def lake_compact(
    lake: Lake = None,
    keep: Annotated[str, typer.Option(metavar="AGE", help="How far back `--as-of` must reach: 12h, 30d, 52w.")] = "90d",
    grace: Annotated[
        str,
        typer.Option(
            metavar="AGE",
            help="How long unneeded files are kept for running queries; rounded up to whole days; 0s deletes them at "
            "once.",
        ),
    ] = "1d",
    as_json: Json = False,
) -> None:
    """Merges small files, expires old snapshots, and deletes files that nobody can need any more.

    Every row stays, also every observation in `citation_counts`; only `--as-of` before AGE is lost. It waits for a
    running refresh and does not disturb readers. If it is stopped, the lake stays intact.

    Example: `paperlake lake compact --keep 365d`
    """
    begin("compacting the lake")
    from warehouse.maintenance.compact import compact

    ages = {"keep": _age("--keep", keep), "grace": _age("--grace", grace)}
    with open_existing(lake, "there is nothing to compact") as (_, connection, reporter):
        done = compact(connection, **ages, now=datetime.now(UTC), stage=reporter.stage)
    expired, begins = counted(done.snapshots_expired, "snapshot"), f"{done.history_begins:%Y-%m-%d %H:%M} UTC"
    lines = [
        f"files the newest snapshot reads: {_size(done.read_before)} before, {_size(done.read_after)} after",
        f"files in the lake:               {_size(done.disk_before)} before, {_size(done.disk_after)} after",
        f"{expired} expired; --as-of reaches back to {begins}; citation_counts is whole",
    ]
    if done.waiting.files:
        lines.append(
            f"needed no longer: {_size(done.waiting)}, to stay {grace} for queries under way; deleted by a compaction"
            " after that"
        )
    if done.unknown.files:
        lines.append(f"in the data folder and not known to this lake: {_size(done.unknown)}, left alone")
    report(asdict(done) | {"history_begins": str(done.history_begins)}, map(shown, lines), as_json=as_json)


@app.command("reparse")
def lake_reparse(
    lake: Lake = None,
    since: Annotated[
        int | None,
        typer.Option(
            metavar="VERSION", min=1, help="Only replies first read by this version of their parser or later."
        ),
    ] = None,
    write: Annotated[bool, typer.Option("--write", help="Write the changes, in one transaction.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Write also where much would be lost.")] = False,
    as_json: Json = False,
) -> None:
    """Reads the stored replies again with today's parser, and shows what that changes; sends no request.

    Counts are compared with the reply that each observation came from, papers with the latest reply about them.
    Only rows that change are written, and only with `--write`.

    Example: `paperlake lake reparse --since 2 --write`
    """
    begin("reading the stored replies")
    from warehouse.maintenance.reparse import reparse, write_reparse

    with open_existing(lake, "there is no reply to read", write=write) as (_, connection, reporter):
        found = reparse(connection, now=datetime.now(UTC), since=since, stage=reporter.stage)
        written = write and found.is_news
        if written:
            write_reparse(connection, found, now=datetime.now(UTC), force=force)
    values = {
        "replies": found.replies,
        "counts": len(found.counts),
        "papers": len(found.papers),
        "changed": found.changed,
        "unread": found.unread,
        "written": written,
    }
    columns = ", ".join(f"{name} {count}" for name, count in sorted(found.changed.items()))
    change = f"{counted(len(found.counts), 'observation')}, {counted(len(found.papers), 'paper')}"
    lines = [f"{counted(found.replies, 'reply')} read again; to change: {change}"]
    lines += [f"columns that change: {columns}"] if columns else []
    lines += [f"passed over: {reason}" for reason in found.unread]
    if found.is_news:
        lines.append("written" if written else "nothing was written: add --write")
    report(values, map(shown, lines), as_json=as_json)


@app.command("forget")
def lake_forget(
    lists: Annotated[list[str], typer.Argument(metavar="LIST...", help="Lists, as `paperlake status` names them.")],
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Removes lists from the lake, with their mentions: lists that no longer exist, or were read by mistake.

    Papers and their counts stay, and so do the files of the lists and the decisions beside them. `--as-of` still shows
    the lake as it was before.

    Example: `paperlake lake forget old/reading.md`
    """
    from flows.refresh.reading import ParsedLists
    from warehouse.loading.commit import forget_lists

    with open_existing(lake, "there is no list to forget") as (place, connection, _):
        known = dict(connection.execute("SELECT location, list_id FROM reading_lists ORDER BY location").fetchall())
        names = names_of_lists(connection)
        chosen = sorted({location for name in lists for location in lists_named(name, names)})
        mentions = forget_lists(connection, [known[location] for location in chosen])
        for location in chosen:
            ParsedLists(place).forget(known[location])
    count = f"{counted(mentions, 'mention')} of {counted(len(chosen), 'list')}"
    lines = [*(f"forgotten: {location}" for location in chosen), f"{count} taken out; papers and their counts stay"]
    report({"lists": chosen, "mentions": mentions}, map(shown, lines), as_json=as_json)


@app.command("restore")
def lake_restore(lake: Lake = None, as_json: Json = False) -> None:
    """Restores a lost SQLite catalogue from the copy that every writing command leaves beside the data.

    Anything committed after that copy was made is missing from it; its files are left as they are. A catalogue on
    a PostgreSQL server is restored from that server's own backup, then `paperlake lake adopt`.

    Example: `paperlake lake restore --lake papers`
    """
    from warehouse.lake.concurrency import restored
    from warehouse.lake.session import adopt

    place = read_place(lake)
    moment = restored(place)
    adopt(place)
    report(
        {"lake": str(place), "data": place.data, "catalog_of": moment.isoformat()},
        [f"the catalogue is that of {moment:%Y-%m-%d %H:%M} UTC; `paperlake lake check` looks it over"],
        as_json=as_json,
    )


@app.command("adopt")
def lake_adopt(lake: Lake = None, as_json: Json = False) -> None:
    """Makes the catalogue the owner of its data folder: after a backup was put back, or the data were moved.

    A data folder has one owner, which alone writes and deletes there. Every file that the catalogue knows must be
    there; other files are left as they are.

    Example: `PAPERLAKE_DATA=/new/disk/papers paperlake lake adopt`
    """
    from warehouse.lake.session import adopt

    place = read_place(lake)
    adopt(place)
    values = {"lake": str(place), "data": place.data}
    report(values, [f"{place.data} belongs to the lake at {place}"], as_json=as_json)


@app.command("attach")
def lake_attach(
    program: Annotated[
        Literal["sql", "python", "polars", "pandas", "spark"],
        typer.Option("--for", help="DuckDB's SQL, or Python with DuckDB alone, Polars, pandas or Spark."),
    ] = "sql",
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Prints the lines that read this lake in another program; docs/connect.md says which views stay as they are.

    They only read, and hold up no refresh. Passwords and keys are not in them: the program takes them from where
    PostgreSQL's and AWS's tools do.

    Example: `paperlake lake attach | duckdb`

    Example: `paperlake lake attach --for polars > papers.py`
    """
    from warehouse.lake.attach import attach_lines, password_note

    place = read_place(lake)
    if not place.exists:
        raise UsageError(f"no lake at {place}: there is nothing to read")
    lines = attach_lines(place, program)
    report({"program": program, "lines": lines}, lines, as_json=as_json)
    if (note := password_note(place)) is not None:
        sys.stderr.write(f"paperlake: {note}\n")


def _age(flag: str, text: str) -> timedelta:
    try:
        return parse_age(text)
    except ValueError as error:
        raise UsageError(f"{flag}: {error}") from error


def _size(size: Size) -> str:
    return f"{counted(size.files, 'file')} ({size.bytes:,} bytes)"
