"""`paperlake mirror` and its commands: options and help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from flows.cli.options import Json, Lake, begin

mirror_app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Local mirrors of arXiv and Semantic Scholar: papers in them are found without a request.",
)


@mirror_app.command("import")
def mirror_import(
    source: Annotated[Literal["arxiv", "s2-papers"], typer.Argument(help="The source of the snapshot.")],
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="JSON lines, plain, .gz, .bz2, .zst or .zip.")],
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
    data set "papers" of https://api.semanticscholar.org/api-docs/datasets: name all its shards at once.

    A snapshot is taken to be complete, so services are not asked for papers that it lacks; add `--part` where it is
    not. An interrupted import continues where it stopped; lines that are not papers are kept in a separate file.

    Example: `paperlake mirror import arxiv arxiv-metadata-oai-snapshot.json`
    """
    begin("reading the snapshot")
    from flows.commands.mirror import import_snapshot  # noqa: PLC0415

    import_snapshot(source, files, lake=lake, part=part, as_of=as_of, as_json=as_json)


@mirror_app.command("update")
def mirror_update(
    source: Annotated[Literal["arxiv", "s2-papers"], typer.Argument(help="The source of the mirror.")],
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
    releases: name the files with updates, and those with deletions with `--deleted`.

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
