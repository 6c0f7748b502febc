"""`paperlake lake`: checks, compacts and repairs a lake, and removes lists from it."""

from __future__ import annotations

import json
import sys
from contextlib import closing, contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flows.list_names import lists_named
from flows.progress import watched
from flows.refresh.parsed_lists import ParsedLists
from flows.settings import read_settings
from flows.times import parse_age
from sources.errors import UsageError
from sources.text import counted, json_text, shown
from warehouse.lake.concurrency import restored
from warehouse.lake.place import check_writable
from warehouse.lake.session import adopt, open_lake, writing
from warehouse.loading.commit import forget_lists as delete_lists
from warehouse.maintenance.compact import compact
from warehouse.maintenance.lake_check import check_lake
from warehouse.maintenance.reparse import reparse, write_reparse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import timedelta

    from duckdb import DuckDBPyConnection

    from warehouse.lake.place import LakePlace
    from warehouse.maintenance.compact import Compaction, Size
    from warehouse.maintenance.lake_check import Findings
    from warehouse.maintenance.reparse import Reparse


def print_check(*, lake: str | None, deep: bool, as_json: bool) -> int:
    """Prints what is wrong with the lake and returns the exit code: 0 all well, 1 something is wrong.

    Raises:
        UsageError: There is no lake.
    """
    place = read_settings(lake=lake).place
    with watched() as reporter:
        found = check_lake(place, deep=deep, stage=reporter.stage)
    if as_json:
        sys.stdout.write(json_text({"ok": not found.faults, "deep": deep, **_as_json(found)}) + "\n")
    else:
        sys.stdout.writelines(f"{shown(line)}\n" for line in _check_lines(found, deep=deep))
    return 1 if found.faults else 0


def compact_lake(*, lake: str | None, keep: str, grace: str, as_json: bool) -> None:
    """Compacts the lake and prints what that did.

    Raises:
        UsageError: There is no lake, or it cannot be written, or an age is invalid.
        CheckFailed: Compacting would have changed a table; nothing was deleted.
        WarehouseError: The lake cannot be read or written.
    """
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


def reparse_lake(*, lake: str | None, since: int | None, write: bool, force: bool, as_json: bool) -> None:
    """Reads stored replies again, prints what changes, and writes it where `write` says so.

    Raises:
        UsageError: There is no lake, or it cannot be written.
        CheckFailed: The lake would lose much, or not be sound; nothing was written.
        WarehouseError: The lake cannot be read or written.
    """
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


def forget_lists(lists: Sequence[str], *, lake: str | None, as_json: bool) -> None:
    """Removes lists and their mentions from the lake, all of them or none; papers and their counts stay.

    Raises:
        UsageError: There is no lake, it cannot be written, or it has no such list; nothing is changed.
        WarehouseError: The lake cannot be read or written.
    """
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


def restore_lake(*, lake: str | None, as_json: bool) -> None:
    """Restores a lost catalogue from its copy, and prints the date of the copy.

    Raises:
        UsageError: The catalogue exists, or is on a server, or there is no copy.
        WarehouseError: The data do not belong to the copy.
    """
    place = read_settings(lake=lake).place
    moment = restored(place)
    adopt(place)
    if as_json:
        values = {"lake": str(place), "data": place.data, "catalog_of": moment.isoformat()}
        sys.stdout.write(json_text(values) + "\n")
        return
    sys.stdout.write(f"the catalogue is that of {moment:%Y-%m-%d %H:%M} UTC; `paperlake lake check` looks it over\n")


def adopt_lake(*, lake: str | None, as_json: bool) -> None:
    """Makes the catalogue the owner of its data folder.

    Raises:
        UsageError: There is no lake.
        WarehouseError: The folder is another lake's, or files that the catalogue knows are not in it.
    """
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
