"""The command line. Each command imports what it needs and no more: `parse` neither knows Prefect nor opens a lake."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from sources.errors import PaperlakeError

app = typer.Typer(
    name="paperlake",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    help="Turns reading lists kept in Markdown into a living, queryable catalogue of papers.\n\n"
    "Start with `paperlake parse LIST` to see what a list names, then `paperlake refresh LIST` to find every paper and "
    'load the lake, then `paperlake sql "from top_cited"` to ask it things.',
)
mirror_app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="The local mirror of arXiv: with it, finding a title costs no request.",
)
app.add_typer(mirror_app, name="mirror")

Lists = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="LIST...",
        help="A file, a folder, a glob, `-` for standard input, an https address, or `github:owner/name[/path]`.",
        show_default=False,
    ),
]
Lake = Annotated[
    str | None, typer.Option("--lake", metavar="DIR", help="The lake's folder. [env: PAPERLAKE_LAKE; default: ./lake]")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object for a script instead of words.")]


@app.command()
def parse(
    lists: Lists,
    fmt: Annotated[
        Literal["table", "jsonl", "csv"], typer.Option("--format", help="How to print the mentions.")
    ] = "table",
    explain: Annotated[bool, typer.Option(help="Also print why each mention was taken for one.")] = False,
) -> None:
    """Shows the papers that reading lists name. Asks no network and touches no lake.

    Example: `paperlake parse awesome-list.md --format jsonl > mentions.jsonl`
    """
    from flows.parse_command import print_mentions  # noqa: PLC0415

    print_mentions(lists or [], fmt=fmt, explain=explain)


@app.command()
def refresh(
    lists: Lists = None,
    lake: Lake = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="Ask no service; use what the lake and the mirror hold.")
    ] = False,
    max_age: Annotated[
        str | None,
        typer.Option(metavar="AGE", help="Ask again for counts older than this: 90m, 12h, 1d, 2w. [default: 1d]"),
    ] = None,
    as_json: Json = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show Prefect's own log as well.")] = False,
) -> None:
    """Reads lists, finds the paper behind every mention, pulls metadata and counts, and loads the lake.

    Without LIST it refreshes the lists of `paperlake.toml`, else all that the lake knows. A second refresh soon after
    the first asks nothing. Exit code 1 means that it finished but something failed; the next refresh asks that again.

    Example: `paperlake refresh reading-list.md github:owner/awesome-list --max-age 7d`
    """
    from flows.refresh_command import run_refresh  # noqa: PLC0415

    raise typer.Exit(
        run_refresh(lists or [], lake=lake, offline=offline, max_age=max_age, as_json=as_json, verbose=verbose)
    )


@app.command()
def sql(
    query: Annotated[str | None, typer.Argument(help="One SELECT in DuckDB's SQL.", show_default=False)] = None,
    file: Annotated[Path | None, typer.Option("-f", "--file", help="Read the query from a file.")] = None,
    lake: Lake = None,
    fmt: Annotated[
        Literal["table", "json", "csv", "parquet"], typer.Option("--format", help="How to print the rows.")
    ] = "table",
    out: Annotated[Path | None, typer.Option(help="Write to a file instead of standard output.")] = None,
    as_of: Annotated[
        str | None, typer.Option(metavar="TIME", help="Query the lake as it was then: 2026-11-21 or 2026-11-21T06:00Z.")
    ] = None,
) -> None:
    """Queries the lake, read-only. Without a query it lists the tables and views there are.

    Example: `paperlake sql "select title, citation_count from papers order by 2 desc limit 10"`
    """
    from flows.sql_command import run_sql  # noqa: PLC0415

    run_sql(query, file=file, lake=lake, fmt=fmt, out=out, as_of=as_of)


@app.command()
def status(lake: Lake = None, as_json: Json = False) -> None:
    """Shows coverage by list, how fresh the counts are, the last runs, and what is unresolved and why."""
    from flows.status_command import print_status  # noqa: PLC0415

    print_status(lake=lake, as_json=as_json)


@mirror_app.command("import")
def mirror_import(
    source: Annotated[Literal["arxiv"], typer.Argument(help="Whose snapshot it is.")],
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="JSON lines, plain, .gz or .zip.")],
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Imports a bulk snapshot into the local mirror, replacing the one before.

    arXiv's own dump is at https://www.kaggle.com/datasets/Cornell-University/arxiv (CC0).

    Example: `paperlake mirror import arxiv arxiv-metadata-oai-snapshot.json`
    """
    from flows.mirror_command import import_snapshot  # noqa: PLC0415

    import_snapshot(source, files, lake=lake, as_json=as_json)


@mirror_app.command("status")
def mirror_status(lake: Lake = None, as_json: Json = False) -> None:
    """Shows what the mirror holds."""
    from flows.mirror_command import print_mirror  # noqa: PLC0415

    print_mirror(lake=lake, as_json=as_json)


def main() -> None:
    """Runs the command line; an error that a user can mend is one line on standard error and exit code 2."""
    try:
        app()
    except PaperlakeError as error:
        sys.stderr.write(f"paperlake: {error}\n")
        sys.exit(2)
    except BrokenPipeError:
        # The reader of our output has had enough (`paperlake sql ... | head`); that is no fault.
        sys.stderr.close()
        sys.exit(0)
