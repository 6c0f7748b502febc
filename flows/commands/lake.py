"""`paperlake lake`: checks, compacts and repairs a lake, and removes lists from it."""

from __future__ import annotations

import json
import sys
from contextlib import closing, contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.commands.shared import Json, Lake, begin
from flows.list_names import lists_named
from flows.progress import watched
from flows.times import parse_age
from sources.errors import UsageError
from sources.text import counted, json_text, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import timedelta

    from duckdb import DuckDBPyConnection

    from warehouse.lake.place import LakePlace
    from warehouse.maintenance.compact import Compaction, Size
    from warehouse.maintenance.lake_check import Findings
    from warehouse.maintenance.reparse import Reparse

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
    from flows.settings import read_settings
    from warehouse.maintenance.lake_check import check_lake

    place = read_settings(lake=lake).place
    with watched() as reporter:
        found = check_lake(place, deep=deep, stage=reporter.stage)
    if as_json:
        sys.stdout.write(json_text({"ok": not found.faults, "deep": deep, **_as_json(found)}) + "\n")
    else:
        sys.stdout.writelines(f"{shown(line)}\n" for line in _check_lines(found, deep=deep))
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
    from flows.settings import read_settings
    from warehouse.lake.place import check_writable
    from warehouse.lake.session import writing
    from warehouse.maintenance.compact import compact

    place = read_settings(lake=lake).place
    ages = {"keep": _age("--keep", keep), "grace": _age("--grace", grace)}
    if not place.exists:
        raise UsageError(f"no lake at {place}: there is nothing to compact")
    check_writable(place)
    with watched() as reporter, writing(place, on_wait=reporter.say) as connection:
        done = compact(connection, **ages, now=datetime.now(UTC), stage=reporter.stage)
    if as_json:
        sys.stdout.write(json.dumps(asdict(done), default=str) + "\n")
    else:
        sys.stdout.writelines(f"{shown(line)}\n" for line in _compaction_lines(done, grace))


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
    from flows.settings import read_settings
    from warehouse.maintenance.reparse import reparse, write_reparse

    place = read_settings(lake=lake).place
    if not place.exists:
        raise UsageError(f"no lake at {place}: there is no reply to read")
    with watched() as reporter, _lake(place, write=write, on_wait=reporter.say) as connection:
        found = reparse(connection, now=datetime.now(UTC), since=since, stage=reporter.stage)
        written = write and found.is_news
        if written:
            write_reparse(connection, found, now=datetime.now(UTC), force=force)
    if as_json:
        values = {
            "replies": found.replies,
            "counts": len(found.counts),
            "papers": len(found.papers),
            "changed": found.changed,
            "unread": found.unread,
            "written": written,
        }
        sys.stdout.write(json_text(values) + "\n")
    else:
        sys.stdout.writelines(f"{shown(line)}\n" for line in _reparse_lines(found, written=written))


@contextmanager
def _lake(place: LakePlace, *, write: bool, on_wait: Callable[[str], None]) -> Iterator[DuckDBPyConnection]:
    from warehouse.lake.place import check_writable
    from warehouse.lake.session import open_lake, writing

    if write:
        check_writable(place)
        with writing(place, on_wait=on_wait) as connection:
            yield connection
    else:
        with closing(open_lake(place)) as connection:
            yield connection


def _reparse_lines(found: Reparse, *, written: bool) -> list[str]:
    columns = ", ".join(f"{name} {count}" for name, count in sorted(found.changed.items()))
    change = f"{counted(len(found.counts), 'observation')}, {counted(len(found.papers), 'paper')}"
    lines = [f"{counted(found.replies, 'reply')} read again; to change: {change}"]
    lines += [f"columns that change: {columns}"] if columns else []
    lines += [f"passed over: {reason}" for reason in found.unread]
    if found.is_news:
        lines.append("written" if written else "nothing was written: add --write")
    return lines


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
    from flows.settings import read_settings
    from warehouse.lake.place import check_writable
    from warehouse.lake.session import writing
    from warehouse.loading.commit import forget_lists as delete_lists

    place = read_settings(lake=lake).place
    if not place.exists:
        raise UsageError(f"no lake at {place}: there is no list to forget")
    check_writable(place)
    with watched() as reporter, writing(place, on_wait=reporter.say) as connection:
        rows = connection.execute("SELECT location, list_id FROM reading_lists ORDER BY location").fetchall()
        known = dict(rows)
        chosen = sorted({location for name in lists for location in lists_named(name, known)})
        mentions = delete_lists(connection, [known[location] for location in chosen])
        for location in chosen:
            ParsedLists(place).forget(known[location])
    if as_json:
        sys.stdout.write(json_text({"lists": chosen, "mentions": mentions}) + "\n")
        return
    sys.stdout.writelines(f"forgotten: {shown(location)}\n" for location in chosen)
    count = counted(mentions, "mention")
    sys.stdout.write(f"{count} of {counted(len(chosen), 'list')} taken out; papers and their counts stay\n")


@app.command("restore")
def lake_restore(lake: Lake = None, as_json: Json = False) -> None:
    """Restores a lost SQLite catalogue from the copy that every writing command leaves beside the data.

    Anything committed after that copy was made is missing from it; its files are left as they are. A catalogue on
    a PostgreSQL server is restored from that server's own backup, then `paperlake lake adopt`.

    Example: `paperlake lake restore --lake papers`
    """
    from flows.settings import read_settings
    from warehouse.lake.concurrency import restored
    from warehouse.lake.session import adopt

    place = read_settings(lake=lake).place
    moment = restored(place)
    adopt(place)
    if as_json:
        values = {"lake": str(place), "data": place.data, "catalog_of": moment.isoformat()}
        sys.stdout.write(json_text(values) + "\n")
        return
    sys.stdout.write(f"the catalogue is that of {moment:%Y-%m-%d %H:%M} UTC; `paperlake lake check` looks it over\n")


@app.command("adopt")
def lake_adopt(lake: Lake = None, as_json: Json = False) -> None:
    """Makes the catalogue the owner of its data folder: after a backup was put back, or the data were moved.

    A data folder has one owner, which alone writes and deletes there. Every file that the catalogue knows must be
    there; other files are left as they are.

    Example: `PAPERLAKE_DATA=/new/disk/papers paperlake lake adopt`
    """
    from flows.settings import read_settings
    from warehouse.lake.session import adopt

    place = read_settings(lake=lake).place
    adopt(place)
    if as_json:
        sys.stdout.write(json_text({"lake": str(place), "data": place.data}) + "\n")
        return
    sys.stdout.write(f"{place.data} belongs to the lake at {place}\n")


def _age(flag: str, text: str) -> timedelta:
    try:
        return parse_age(text)
    except ValueError as error:
        raise UsageError(f"{flag}: {error}") from error


def _as_json(found: Findings) -> dict[str, Any]:
    return {name: value for name, value in asdict(found).items() if name != "paths"}


def _check_lines(found: Findings, *, deep: bool) -> list[str]:
    how = "read from end to end" if deep else "looked at"
    looked = f"{counted(found.files, 'file')} {how}, {counted(found.rows, 'row')} checked"
    if not found.faults:
        return [f"all well: {looked}", *(f"note: {note}" for note in found.notes)]
    count = counted(len(found.faults), "fault")
    faults = [f"fault: {fault}" for fault in found.faults]
    return [*faults, *(f"note: {note}" for note in found.notes), f"{count}; {looked}"]


def _compaction_lines(done: Compaction, grace: str) -> list[str]:
    begins = f"{done.history_begins:%Y-%m-%d %H:%M} UTC"
    expired = counted(done.snapshots_expired, "snapshot")
    lines = [
        f"files the newest snapshot reads: {_change(done.read_before, done.read_after)}",
        f"files in the lake:               {_change(done.disk_before, done.disk_after)}",
        f"{expired} expired; --as-of reaches back to {begins}; citation_counts is whole",
    ]
    if done.waiting.files:
        lines.append(
            f"needed no longer: {_size_text(done.waiting)}, to stay {grace} for queries under way; deleted by a "
            "compaction after that"
        )
    if done.unknown.files:
        lines.append(f"in the data folder and not known to this lake: {_size_text(done.unknown)}, left alone")
    return lines


def _change(before: Size, after: Size) -> str:
    return f"{_size_text(before)} before, {_size_text(after)} after"


def _size_text(size: Size) -> str:
    return f"{counted(size.files, 'file')} ({size.bytes:,} bytes)"
