"""The command line: options and help of each command, which is imported only when it is called.

Annotations here are no text: Typer evaluates those of all commands at every start.
"""

import atexit
import gc
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from flows.cli.lists import add, check, export, fix, parse
from flows.cli.options import Json, Lake, Lists, MaxAge, Offline, begin, without
from flows.cli.review import review_app
from flows.cli.storage import lake_app, mirror_app
from sources.errors import CheckFailed, PaperlakeError, UsageError
from sources.processes import keep_working_folder_out
from sources.text import shown

# Commands about citations: options and help of `missing` and `related`.


Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=500, help="Rows at the most.")]
_GRAPH_LISTS = typer.Argument(
    metavar="[LIST]...", help="Lists of the lake, as `paperlake status` names them; without, all.", show_default=False
)


def missing(
    lists: Annotated[list[str] | None, _GRAPH_LISTS] = None,
    since: Annotated[
        str | None,
        typer.Option(metavar="WHEN", help="Only what is missing since then: 7d, 12h, or 2026-11-21, that day's end."),
    ] = None,
    limit: Limit = 10,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Shows works that a list does not name though its papers cite them, or are cited by them, far more than the world.

    A work needs three links to papers of the list, and more of them than its fame explains: what everybody cites is not
    missing. Retracted works, and other versions of papers that the list has, are left out. Each comes with the entries
    that say so, and, for a list in a local file, with its entry as the list would write it; `paperlake add` puts it in.
    Citations are OpenAlex's; a refresh of a list of ten papers or more asks for them. Nothing is asked for here.

    Example: `paperlake missing README.md`

    Example: `paperlake missing --since 7d --json`  for a weekly alert
    """
    begin("reading the lake")
    from flows.graph.missing import print_missing  # noqa: PLC0415

    print_missing(lists or [], since=since, limit=limit, lake=lake, as_json=as_json)


def related(
    paper: Annotated[
        str | None,
        typer.Argument(metavar="[PAPER]", help="An identifier, a title, or words of a title.", show_default=False),
    ] = None,
    of_list: Annotated[
        str | None, typer.Option("--list", metavar="LIST", help="How the papers of this list hang together; or `all`.")
    ] = None,
    show: Annotated[
        Literal["all", "ancestors", "core", "order"],
        typer.Option(
            "--show",
            help="With --list: what its papers descend from, what holds them together, an order to read.",
        ),
    ] = "all",
    limit: Limit = 20,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Shows the works near a paper: cited together with it, sharing references with it, citing it or cited by it.

    With --list it shows how the papers of a list hang together: the earliest works from which many of them descend over
    citations, the papers with the most links and how many would lose their ties without them, and an order in which
    each paper comes after those that it cites.

    Example: `paperlake related 1706.03762`

    Example: `paperlake related --list README.md --show order`
    """
    if (paper is None) == (of_list is None):
        raise typer.BadParameter("name a paper, or a list with --list")
    begin("reading the lake")
    from flows.graph.related import print_list, print_related  # noqa: PLC0415

    if paper is not None:
        print_related(paper, limit=limit, lake=lake, as_json=as_json)
    else:
        name = None if of_list == "all" else of_list
        print_list(name, part=show, limit=limit, lake=lake, as_json=as_json)


app = typer.Typer(
    name="paperlake",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Turns reading lists kept in Markdown into a living, queryable catalogue of papers.\n\n"
    "Start with `paperlake parse LIST` to see what a list names, then `paperlake refresh LIST` to find every paper and "
    'load the lake, then `paperlake sql "from top_cited"` to ask it things.',
)
for _name, _group in (("mirror", mirror_app), ("review", review_app), ("lake", lake_app)):
    app.add_typer(_group, name=_name)
app.command()(parse)
app.command()(check)
app.command()(fix)
app.command()(add)
app.command()(export)
app.command()(missing)
app.command()(related)


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - an option's value, as Typer hands it on
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415 - nothing else needs it

        sys.stdout.write(f"paperlake {version('paperlake')}\n")
        raise typer.Exit


@app.callback()
def paperlake(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Runs a command; the help shown is the application's."""


@app.command()
def refresh(
    lists: Lists = None,
    lake: Lake = None,
    offline: Offline = False,
    max_age: MaxAge = None,
    dashboard: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Also write the trend page there afterwards. [env: PAPERLAKE_DASHBOARD]"),
    ] = None,
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Commit also a run that removes much from the lake, or the mentions of a missing list."
        ),
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Print how many requests it would send and how long that takes; send none."),
    ] = False,
    as_json: Json = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show Prefect's own log as well.")] = False,
) -> None:
    """Reads lists, finds the paper behind every mention, pulls metadata and counts, and loads the lake.

    Without LIST it refreshes the lists of `paperlake.toml`, else all that the lake knows. A second refresh soon after
    the first sends no request. Exit code 1 means that it finished but something failed; the next refresh tries that
    again. A run that would remove more than 15 % of a list's mentions, of a column's values or of the counts stops
    before it commits, and says so; `--force` commits it. A list that is missing, cannot be read or names no paper any
    more keeps its mentions and is reported, with exit code 1; with `--force`, the mentions of a missing or empty list
    are removed.

    Example: `paperlake refresh reading-list.md github:owner/awesome-list --max-age 7d`
    """
    begin("reading the lists")
    from flows.commands.refresh import print_plan, run_refresh  # noqa: PLC0415

    if dry_run:
        print_plan(lists or [], lake=lake, offline=offline, max_age=max_age, as_json=as_json)
        return
    raise typer.Exit(
        run_refresh(
            lists or [],
            lake=lake,
            offline=offline,
            max_age=max_age,
            dashboard=dashboard,
            force=force,
            as_json=as_json,
            verbose=verbose,
        )
    )


@app.command()
def serve(
    lists: Lists = None,
    cron: Annotated[
        str, typer.Option(metavar="CRON", help="When: minute, hour, day of the month, month, day of the week.")
    ] = "0 6 * * *",
    timezone: Annotated[
        str | None,
        typer.Option(metavar="ZONE", help="Time zone, as in Europe/Berlin. [default: this machine's]"),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="The schedule's name in Prefect. [default: made from the lake's folder]")
    ] = None,
    now: Annotated[bool, typer.Option("--now", help="Refresh once at the start as well.")] = False,
    lake: Lake = None,
    offline: Offline = False,
    max_age: MaxAge = None,
) -> None:
    """Refreshes on a schedule, for as long as it runs: start it once, as a service or in a terminal that stays open.

    Lists are read again at each run, so edit them as you like. A refresh that is due while another runs waits for it;
    one that was due while this command was not running starts with it. Prefect keeps the schedule and shows every run
    with its report: on the server that `PREFECT_API_URL` names, else on one that this command finds on this machine or
    starts for itself.

    Example: `paperlake serve reading-list.md --cron "0 6 * * *"`  every day at six

    Example: `paperlake serve lists/ --cron "0 */4 * * 1-5" --timezone Europe/Berlin`  every four hours on weekdays
    """
    begin("setting up the schedule")
    from flows.commands.serve import run_serve  # noqa: PLC0415

    raise typer.Exit(
        run_serve(
            lists or [], cron=cron, timezone=timezone, name=name, lake=lake, max_age=max_age, offline=offline, now=now
        )
    )


@app.command()
def sql(
    query: Annotated[str | None, typer.Argument(help="One SELECT in DuckDB's SQL.", show_default=False)] = None,
    file: Annotated[Path | None, typer.Option("-f", "--file", help="Read the query from a file.")] = None,
    lake: Lake = None,
    fmt: Annotated[
        Literal["table", "json", "csv", "parquet"], typer.Option("--format", help="How to print the rows.")
    ] = "table",
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json: one array of objects.")] = False,
    out: Annotated[Path | None, typer.Option(help="Write to a file instead of standard output.")] = None,
    as_of: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Query the lake as it was then: 2026-11-21T06:00Z, or 2026-11-21, which is that day's end.",
        ),
    ] = None,
) -> None:
    """Queries the lake, read-only. Without a query it lists the tables and views there are.

    Example: `paperlake sql "select title, citation_count from papers order by 2 desc limit 10"`
    """
    from flows.commands.sql import run_sql  # noqa: PLC0415

    run_sql(query, file=file, lake=lake, fmt="json" if as_json else fmt, out=out, as_of=as_of)


@app.command()
def status(
    since: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN",
            help="Show what changed since then instead: 7d, 12h, or 2026-11-21, which is that day's end.",
        ),
    ] = None,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Shows coverage by list, how fresh the counts are, the last runs, and what is unresolved and why.

    With `--since` it shows what changed: new papers, new and removed mentions, papers whose citations jumped (by half,
    or by ten; `PAPERLAKE_JUMP_SHARE` and `PAPERLAKE_JUMP_CITATIONS` say otherwise), papers withdrawn from arXiv,
    papers retracted, preprints that have a published version now, works that lists were found to miss, and records
    that Semantic Scholar merged.

    Example: `paperlake status --since 7d`
    """
    from flows.commands.status import print_changes, print_status  # noqa: PLC0415

    if since is None:
        print_status(lake=lake, as_json=as_json)
    else:
        print_changes(since=since, lake=lake, as_json=as_json)


@app.command()
def mcp(lake: Lake = None) -> None:
    """Lets a program that speaks the Model Context Protocol read the lake: a server on standard input and output.

    Its tools search, show a paper with the evidence, list mentions with their verdicts, run a reading query, and tell
    the status and what changed. Nothing is written. docs/mcp.md says how to name it in a program's settings.

    Example: `paperlake mcp --lake /home/me/papers/lake`
    """
    try:
        from flows.mcp.server import serve_tools  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        remedy = "in paperlake's checkout, pip install '.[mcp]'"
        raise UsageError(f"this needs the library of the Model Context Protocol: {remedy}") from error

    serve_tools(lake)


@app.command()
def dashboard(
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder to write. [env: PAPERLAKE_DASHBOARD; default: ./dashboard]"),
    ] = None,
    lake: Lake = None,
    terms: Annotated[
        Literal["all", "cc0"] | None,
        typer.Option(
            "--publish",
            metavar="TERMS",
            help="all: for yourself. cc0: only what anyone may show to others, so nothing of Semantic Scholar's. "
            "[env: PAPERLAKE_PUBLISH; default: all]",
        ),
    ] = None,
    show: Annotated[bool, typer.Option("--open", help="Open the page in the browser afterwards.")] = False,
    as_json: Json = False,
) -> None:
    """Writes the trend page: one file that opens by double click, holds all its data and uses no network.

    It shows rising papers, citations over time, years, topics, venues, papers that several lists name, coverage and
    unresolved mentions; lists, sections, categories and years filter all of it. The catalogue is written
    beside it as CSV and Parquet. `paperlake refresh --dashboard DIR` writes it after every refresh.

    Semantic Scholar's terms do not let you give its counts and venues to others. `--publish cc0` leaves them out of the
    page and of the files beside it, shows OpenAlex's and arXiv's facts in their place, and says so in its footer.
    `PAPERLAKE_PUBLISH=cc0` does so for the pages that refreshes write, too.

    Example: `paperlake dashboard --publish cc0 --out public`
    """
    begin("reading the lake")
    from flows.commands.dashboard import write_dashboard  # noqa: PLC0415

    write_dashboard(out=out, lake=lake, terms=terms, show=show, as_json=as_json)


def main() -> None:
    """Runs the command line; an error that a user can mend is one line on standard error and exit code 2.

    A run that a check refused ends with exit code 1: its input was valid, its result was not.
    """
    keep_working_folder_out()
    atexit.register(gc.freeze)  # else the collector looks through all that was imported before the process ends
    try:
        with without("pandas"):
            app()
    except PaperlakeError as error:
        sys.stderr.write(f"paperlake: {shown(str(error), lines=True)}\n")
        sys.exit(1 if isinstance(error, CheckFailed) else 2)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("", "flows", "sources", "warehouse"):
            raise
        sys.stderr.write(f"paperlake: this needs {error.name}, which a light install lacks; install all of paperlake\n")
        sys.exit(2)
    except BrokenPipeError:
        # The program that reads our output has closed it (`paperlake sql ... | head`); that is no error.
        sys.stderr.close()
        sys.exit(0)
