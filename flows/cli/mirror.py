"""`paperlake mirror` and its commands: options and help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from flows.cli.options import Json, Lake, begin

mirror_app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Local mirrors of arXiv and Semantic Scholar: with them, finding a paper costs no request.",
)


@mirror_app.command("import")
def mirror_import(
    source: Annotated[Literal["arxiv", "s2-papers"], typer.Argument(help="Whose snapshot it is.")],
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="JSON lines, plain, .gz, .bz2, .zst or .zip.")],
    part: Annotated[bool, typer.Option("--part", help="The snapshot is not all that the source has.")] = False,
    as_of: Annotated[
        str | None,
        typer.Option(metavar="DATE", help="As of when the source told this. [default: the newest date in the rows]"),
    ] = None,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Imports a bulk snapshot into the local mirror, replacing the one before.

    arXiv's own dump is at https://www.kaggle.com/datasets/Cornell-University/arxiv (CC0). Semantic Scholar's is the
    data set "papers" of https://api.semanticscholar.org/api-docs/datasets: name all its shards at once.

    A snapshot is taken for all that the source had then, so that nobody is asked again for what is not in it; say
    `--part` where it is not. An import that was cut off goes on where it was; lines that are no papers are kept aside.

    Example: `paperlake mirror import arxiv arxiv-metadata-oai-snapshot.json`
    """
    begin("reading the snapshot")
    from flows.commands.mirror import import_snapshot  # noqa: PLC0415

    import_snapshot(source, files, lake=lake, part=part, as_of=as_of, as_json=as_json)


@mirror_app.command("update")
def mirror_update(
    source: Annotated[Literal["arxiv", "s2-papers"], typer.Argument(help="Whose mirror it is.")],
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE...", help="Rows new or changed; without, arXiv is asked.", show_default=False),
    ] = None,
    deleted: Annotated[
        list[Path] | None, typer.Option("--deleted", metavar="FILE", help="Rows taken away; may be said several times.")
    ] = None,
    as_of: Annotated[str | None, typer.Option(metavar="DATE", help="The release that the files lead to.")] = None,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Brings a mirror up to date with what has changed since.

    arXiv is asked over OAI-PMH for what has changed since the mirror was told, page by page at arXiv's pace; after a
    stop it goes on with the next page. Semantic Scholar's releases are followed by their diffs, which its Datasets API
    lists: name the update files, and the delete files with `--deleted`.

    Example: `paperlake mirror update arxiv`

    Example: `paperlake mirror update s2-papers updates/*.gz --deleted deletes/1.gz --as-of 2026-11-17`
    """
    begin("updating the mirror")
    from flows.commands.mirror import update_mirror  # noqa: PLC0415

    update_mirror(source, files or [], deleted or [], lake=lake, as_of=as_of, as_json=as_json)


@mirror_app.command("status")
def mirror_status(lake: Lake = None, as_json: Json = False) -> None:
    """Shows what the local mirrors hold, as of when, and whether that is all that their sources had."""
    from flows.commands.mirror import print_mirror  # noqa: PLC0415

    print_mirror(lake=lake, as_json=as_json)
