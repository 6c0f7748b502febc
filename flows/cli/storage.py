"""Options and help of `paperlake lake` and `paperlake mirror`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from flows.cli.options import Json, Lake, begin

lake_app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Checks, compacts and repairs a lake.\n\n"
    "`paperlake lake check` reports everything that is wrong with it; a scheduled `paperlake lake compact` merges the "
    "small files of many refreshes.",
)


@lake_app.command("check")
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
    from flows.commands.lake import print_check  # noqa: PLC0415

    raise typer.Exit(print_check(lake=lake, deep=deep, as_json=as_json))


@lake_app.command("compact")
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
    from flows.commands.lake import compact_lake  # noqa: PLC0415

    compact_lake(lake=lake, keep=keep, grace=grace, as_json=as_json)


@lake_app.command("reparse")
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
    from flows.commands.lake import reparse_lake  # noqa: PLC0415

    reparse_lake(lake=lake, since=since, write=write, force=force, as_json=as_json)


@lake_app.command("forget")
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
    from flows.commands.lake import forget_lists  # noqa: PLC0415

    forget_lists(lists, lake=lake, as_json=as_json)


@lake_app.command("restore")
def lake_restore(lake: Lake = None, as_json: Json = False) -> None:
    """Restores a lost SQLite catalogue from the copy that every writing command leaves beside the data.

    Anything committed after that copy was made is missing from it; its files are left as they are. A catalogue on
    a PostgreSQL server is restored from that server's own backup, then `paperlake lake adopt`.

    Example: `paperlake lake restore --lake papers`
    """
    from flows.commands.lake import restore_lake  # noqa: PLC0415

    restore_lake(lake=lake, as_json=as_json)


@lake_app.command("adopt")
def lake_adopt(lake: Lake = None, as_json: Json = False) -> None:
    """Makes the catalogue the owner of its data folder: after a backup was put back, or the data were moved.

    A data folder has one owner, which alone writes and deletes there. Every file that the catalogue knows must be
    there; other files are left as they are.

    Example: `PAPERLAKE_DATA=/new/disk/papers paperlake lake adopt`
    """
    from flows.commands.lake import adopt_lake  # noqa: PLC0415

    adopt_lake(lake=lake, as_json=as_json)


mirror_app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Local mirrors of arXiv, Semantic Scholar and DBLP: papers in them are found without a request; and of "
    "Retraction Watch.",
)


@mirror_app.command("import")
def mirror_import(
    source: Annotated[
        Literal["arxiv", "s2-papers", "dblp", "retractions"], typer.Argument(help="The source of the snapshot.")
    ],
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="JSON lines, DBLP's XML or N-Triples, or Retraction Watch's CSV; plain, .gz, .bz2, .zst or .zip.",
        ),
    ],
    part: Annotated[bool, typer.Option("--part", help="The snapshot is not all that the source has.")] = False,
    as_of: Annotated[
        str | None,
        typer.Option(metavar="DATE", help="The snapshot's date. [default: the newest date in the rows]"),
    ] = None,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Imports a bulk snapshot into the local mirror, replacing the one before.

    arXiv's own dump is at https://www.kaggle.com/datasets/Cornell-University/arxiv (CC0). Semantic Scholar's is the
    data set "papers" of https://api.semanticscholar.org/api-docs/datasets: name all its shards at once. DBLP's is
    `dblp.xml.gz` from https://dblp.org/xml/, or its release as N-Triples (CC0); a web page in its place, or a file with
    less than 100,000 papers and no `--part`, is refused. Retraction Watch's notices are `retraction_watch.csv` from
    https://gitlab.com/crossref/retraction-watch-data: mentions of papers that they retract get a finding.

    A snapshot is taken to be complete, so services are not asked for papers that it lacks; add `--part` where it is
    not. An interrupted import continues where it stopped; lines that are not papers are kept in a separate file.

    Example: `paperlake mirror import arxiv arxiv-metadata-oai-snapshot.json`

    Example: `paperlake mirror import dblp dblp.xml.gz`
    """
    begin("reading the snapshot")
    from flows.commands.mirror import import_snapshot  # noqa: PLC0415

    import_snapshot(source, files, lake=lake, part=part, as_of=as_of, as_json=as_json)


@mirror_app.command("update")
def mirror_update(
    source: Annotated[
        Literal["arxiv", "s2-papers", "dblp", "retractions"], typer.Argument(help="The source of the mirror.")
    ],
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE...", help="New and changed rows; without, arXiv is asked.", show_default=False),
    ] = None,
    deleted: Annotated[
        list[Path] | None, typer.Option("--deleted", metavar="FILE", help="Deleted rows; may be given several times.")
    ] = None,
    as_of: Annotated[str | None, typer.Option(metavar="DATE", help="The release that the files lead to.")] = None,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Brings a mirror up to date.

    arXiv is asked over OAI-PMH for what has changed since the mirror's date, page by page at arXiv's pace; after an
    interruption it continues with the next page. For Semantic Scholar, its Datasets API lists the differences between
    releases: name the files with updates, and those with deletions with `--deleted`. DBLP and Retraction Watch publish
    no changes: import their next file, which takes the place of the one before.

    Example: `paperlake mirror update arxiv`

    Example: `paperlake mirror update s2-papers updates/*.gz --deleted deletes/1.gz --as-of 2026-11-17`
    """
    begin("updating the mirror")
    from flows.commands.mirror import update_mirror  # noqa: PLC0415

    update_mirror(source, files or [], deleted or [], lake=lake, as_of=as_of, as_json=as_json)


@mirror_app.command("status")
def mirror_status(lake: Lake = None, as_json: Json = False) -> None:
    """Shows what the local mirrors contain, their dates, and whether they are complete."""
    from flows.commands.mirror import print_mirror  # noqa: PLC0415

    print_mirror(lake=lake, as_json=as_json)
