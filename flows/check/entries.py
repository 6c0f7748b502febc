"""Reads the entries of lists with what is known of their papers, from the lake or from one in memory."""

from __future__ import annotations

import tempfile
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sources.lists.checks.findings import CheckedEntry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckdb import DuckDBPyConnection

    from flows.progress import Reporter
    from flows.settings import Settings
    from sources.lists.locations import ListDocument
    from sources.lists.reading import ReadingList


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownEntries:
    """The entries of lists."""

    by_list: tuple[tuple[CheckedEntry, ...], ...]  # for each list, in order, its entries in file order
    unasked: tuple[str, ...] = ()  # what could not be asked, a sentence each


def known_entries(
    documents: Sequence[ListDocument], lists: Sequence[ReadingList], settings: Settings | None, *, report: Reporter
) -> KnownEntries:
    """Returns the entries of lists with what the lake knows of their papers; of others, with what the services tell.

    The lake is only read. Entries that it does not know are looked up in the local mirrors, and unless the settings say
    offline at the services, into a lake in memory. Without settings, nothing is known of any paper.

    Raises:
        WarehouseError: The lake cannot be read.
    """
    found: list[dict[int, CheckedEntry]] = [{} for _ in lists]
    if settings is not None and settings.place.exists:
        from warehouse.lake.place import lake_errors  # noqa: PLC0415
        from warehouse.lake.session import open_lake  # noqa: PLC0415

        with closing(open_lake(settings.place)) as connection, lake_errors(settings.place, "read"):
            found = _entries(connection, documents, lists)
    left = [
        tuple(position for position in range(len(each.mentions)) if position not in known)
        for each, known in zip(lists, found, strict=True)
    ]
    unasked: tuple[str, ...] = ()
    if settings is not None and any(left) and (settings.place.mirror_folder.is_dir() or not settings.offline):
        unasked = _look_up(documents, lists, found, left, settings=settings, report=report)
    entries = tuple(
        tuple(known.get(at, CheckedEntry(mention=mention)) for at, mention in enumerate(each.mentions))
        for each, known in zip(lists, found, strict=True)
    )
    return KnownEntries(by_list=entries, unasked=unasked)


def _entries(
    connection: DuckDBPyConnection, documents: Sequence[ListDocument], lists: Sequence[ReadingList]
) -> list[dict[int, CheckedEntry]]:
    from flows.check.paper_facts import entries_of_list  # noqa: PLC0415 - an offline check of a list needs no database
    from flows.refresh.mention_history import list_id_of  # noqa: PLC0415

    return [
        entries_of_list(connection, list_id_of(document.identity or document.location), each.mentions)
        for document, each in zip(documents, lists, strict=True)
    ]


def _look_up(
    documents: Sequence[ListDocument],
    lists: Sequence[ReadingList],
    found: list[dict[int, CheckedEntry]],
    left: Sequence[Sequence[int]],
    *,
    settings: Settings,
    report: Reporter,
) -> tuple[str, ...]:
    """Adds what a refresh of a lake in memory tells of the mentions that are left; returns what could not be asked."""
    from flows.progress import Stopwatch  # noqa: PLC0415
    from flows.refresh.pipeline import refresh_lake  # noqa: PLC0415 - brings the database, and takes long
    from flows.refresh.reading import ParsedList, Reading  # noqa: PLC0415
    from warehouse.lake.session import lake_in_memory  # noqa: PLC0415

    open_lists = {at: positions for at, positions in enumerate(left) if positions}
    parts = {
        at: replace(lists[at], mentions=tuple(lists[at].mentions[position] for position in positions), possible=())
        for at, positions in open_lists.items()
    }
    reading = Reading(
        lists=tuple(ParsedList(document=documents[at], reading_list=part) for at, part in parts.items()),
        named=tuple(documents[at].location for at in parts),
    )
    with tempfile.TemporaryDirectory(prefix="paperlake-check-") as folder, lake_in_memory() as connection:
        lake = Path(folder) / "lake"
        lake.mkdir()
        temporary = settings.model_copy(update={"lake": lake, "catalog": None, "data": None, "dashboard": None})
        mirror = settings.place.mirror_folder
        if mirror.is_dir():
            temporary.place.mirror_folder.symlink_to(mirror.resolve(), target_is_directory=True)
        summary = refresh_lake(
            reading, temporary, run_batch=lambda _, call: call(), report=report, clock=Stopwatch(), into=connection
        )
        answers = _entries(connection, [documents[at] for at in parts], list(parts.values()))
    for (at, positions), entries in zip(open_lists.items(), answers, strict=True):
        found[at].update({positions[number]: entry for number, entry in entries.items()})
    return tuple(summary.problems)
