"""The command line. Each command imports what it needs and no more: `parse` neither knows Prefect nor opens a lake."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from flows.commands.startup import DefaultsToList, without
from sources.errors import CheckFailed, PaperlakeError
from sources.text import shown

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
mirror_app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Local mirrors of arXiv and Semantic Scholar: with them, finding a paper costs no request.",
)
app.add_typer(mirror_app, name="mirror")
review_app = typer.Typer(
    cls=DefaultsToList,
    subcommand_metavar="[LIST...] [--show MENTION] [--json] | COMMAND ...",
    rich_markup_mode="markdown",
    help="Shows the mentions that need a person, with their candidates, and takes the person's decisions.\n\n"
    "Decisions are kept in `paperlake-decisions.jsonl` beside the list (for a list that is no local file, in the "
    "lake's folder): one line each, made to be edited, compared and committed with the list. The next "
    "`paperlake refresh` applies them, above links, titles and everything else; nothing is asked until then.\n\n"
    "MENTION is the identifier that `review` shows, or the first six or more characters of it, or `list.md:12`.\n\n"
    "Examples:\n\n"
    "`paperlake review`  all that needs a person\n\n"
    "`paperlake review --interactive`  one after the other, one key each\n\n"
    "`paperlake review reading.md --json`  of one list, for a script\n\n"
    "`paperlake review --show reading.md:12`  why that mention was settled as it was, also where it is resolved\n\n"
    "`paperlake review accept m3f9a1 --rank 2`  it is the second candidate\n\n"
    "`paperlake review reject m3f9a1 --rank 1`  it is not the first candidate\n\n"
    "`paperlake review reject m3f9a1`  it is no paper, or none that can be found\n\n"
    "`paperlake review set-id m3f9a1 https://arxiv.org/abs/1706.03762`  it is this paper\n\n"
    "`paperlake review undo m3f9a1`  take the decision back",
)
app.add_typer(review_app, name="review")

lake_app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Keeps a lake sound and small.\n\n"
    "`paperlake lake check` names everything that is wrong with it; a scheduled `paperlake lake compact` keeps many "
    "small refreshes from becoming many small files.",
)
app.add_typer(lake_app, name="lake")


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
    """Does what its command does; its help is the application's."""


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
Offline = Annotated[bool, typer.Option("--offline", help="Ask no service; use what the lake and the mirror hold.")]
MaxAge = Annotated[
    str | None,
    typer.Option(metavar="AGE", help="Ask again for counts older than this: 90m, 12h, 1d, 2w. [default: 1d]"),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object for a script instead of words.")]


def _begin(what: str) -> None:
    """Says at once on a terminal what a command does that takes seconds: before it imports what it needs."""
    if sys.stderr.isatty():
        sys.stderr.write(f"paperlake: {what}\n")
        sys.stderr.flush()


@app.command()
def parse(
    lists: Lists,
    fmt: Annotated[
        Literal["table", "json", "jsonl", "csv"], typer.Option("--format", help="How to print the mentions.")
    ] = "table",
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json: one array of objects.")] = False,
    explain: Annotated[bool, typer.Option(help="Also print why each mention was taken for one.")] = False,
) -> None:
    """Shows the papers that reading lists name. Asks no network and touches no lake.

    Example: `paperlake parse awesome-list.md --format jsonl > mentions.jsonl`
    """
    from flows.commands.parse import print_mentions  # noqa: PLC0415

    print_mentions(lists or [], fmt="json" if as_json else fmt, explain=explain)


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
        bool, typer.Option("--force", help="Commit the run also where it takes much from the lake, or a list is gone.")
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Say how many requests it would take, and how long; send nothing."),
    ] = False,
    as_json: Json = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show Prefect's own log as well.")] = False,
) -> None:
    """Reads lists, finds the paper behind every mention, pulls metadata and counts, and loads the lake.

    Without LIST it refreshes the lists of `paperlake.toml`, else all that the lake knows. A second refresh soon after
    the first asks nothing. Exit code 1 means that it finished but something failed; the next refresh asks that again.
    A run that would take more than 15 % of a list's mentions, of a column or of the counts away stops before it
    commits, and says so; `--force` lets it pass. A list that is gone, unreadable or names no paper any more keeps its
    mentions and is named, with exit code 1; `--force` takes a list that is gone or empty for emptied on purpose.

    Example: `paperlake refresh reading-list.md github:owner/awesome-list --max-age 7d`
    """
    _begin("reading the lists")
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
        str | None, typer.Option(metavar="ZONE", help="Whose clock, as in Europe/Berlin. [default: this machine's]")
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

    Lists are read anew at each run, so edit them as you like. A refresh that is due while another runs waits for it;
    one that fell due while nothing ran is made up for at the next start. Prefect keeps the schedule and shows every run
    with its report: on the server that `PREFECT_API_URL` names, else on one that this command finds on this machine or
    starts for itself.

    Example: `paperlake serve reading-list.md --cron "0 6 * * *"`  every day at six

    Example: `paperlake serve lists/ --cron "0 */4 * * 1-5" --timezone Europe/Berlin`  every four hours on weekdays
    """
    _begin("setting up the schedule")
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
    or by ten; `PAPERLAKE_JUMP_SHARE` and `PAPERLAKE_JUMP_CITATIONS` say otherwise), papers withdrawn from arXiv, and
    records that Semantic Scholar merged.

    Example: `paperlake status --since 7d`
    """
    from flows.commands.status import print_changes, print_status  # noqa: PLC0415

    if since is None:
        print_status(lake=lake, as_json=as_json)
    else:
        print_changes(since=since, lake=lake, as_json=as_json)


@app.command()
def dashboard(
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder to write. [env: PAPERLAKE_DASHBOARD; default: ./dashboard]"),
    ] = None,
    lake: Lake = None,
    show: Annotated[bool, typer.Option("--open", help="Open the page in the browser afterwards.")] = False,
    as_json: Json = False,
) -> None:
    """Writes the trend page: one file that opens by double click, holds all its data and asks no network.

    It shows what is rising, citations over time, years, topics, venues, what lists agree on, coverage and what is
    unresolved; lists, sections, categories and years filter all of it. The catalogue stands beside it as CSV and
    Parquet. `paperlake refresh --dashboard DIR` writes it after every refresh.

    Example: `paperlake dashboard --out public --open`
    """
    _begin("reading the lake")
    from flows.commands.dashboard import write_dashboard  # noqa: PLC0415

    write_dashboard(out=out, lake=lake, show=show, as_json=as_json)


@app.command()
def export(
    fmt: Annotated[
        Literal["parquet", "csv", "bibtex", "csl-json"],
        typer.Argument(metavar="FORMAT", show_default=False, help="parquet, csv, bibtex or csl-json."),
    ],
    dest: Annotated[
        str, typer.Argument(metavar="DEST", help="A folder for parquet, else a file, or - for standard output.")
    ],
    where: Annotated[
        str | None,
        typer.Option(metavar="SQL", help="Only papers for which this condition over the view `catalog` holds."),
    ] = None,
    lake: Lake = None,
    as_of: Annotated[str | None, typer.Option(metavar="TIME", help="Export the lake as it was then.")] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write Parquet also into a folder that holds other files; they stay.")
    ] = False,
) -> None:
    """Hands the catalogue on: the papers that lists name now, with their facts and latest counts.

    `parquet` is a folder with a file a table and one of the catalogue, for Spark, Polars, pandas and DuckDB; `csv` is
    the catalogue for spreadsheets; `bibtex` and `csl-json` are for reference managers and LaTeX, and name each paper by
    a citation key that never changes. A file is written whole or not at all.

    Example: `paperlake export bibtex papers.bib --where "year >= 2020 and list_contains(lists, 'My list')"`
    """
    _begin("reading the lake")
    from flows.commands.export import run_export  # noqa: PLC0415

    run_export(fmt, dest, where=where, lake=lake, as_of=as_of, force=force)


Reference = Annotated[
    str,
    typer.Argument(metavar="MENTION", help="Its identifier, the first six or more characters of it, or list:line."),
]


References = Annotated[
    list[str],
    typer.Argument(metavar="MENTION...", help="Identifiers, the first six or more characters of them, or list:line."),
]


@review_app.command("list")
def review_list(
    lists: Lists = None,
    show: Annotated[
        str | None, typer.Option(metavar="MENTION", help="Explain the verdict on this one mention in full.")
    ] = None,
    status: Annotated[
        Literal["ambiguous", "not_found", "resolved"] | None,
        typer.Option(help="Only these; resolved are those with a link and a title at odds."),
    ] = None,
    limit: Annotated[int | None, typer.Option(metavar="N", min=1, help="Only the first so many.")] = None,
    interactive: Annotated[
        bool, typer.Option("--interactive", "-i", help="Ask about one after the other, one key each; q ends it.")
    ] = False,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Shows the mentions that need a person: ambiguous, not found, or with a link and a title at odds.

    This is what `paperlake review` does without a command. Each stands with its candidates, best first.

    Example: `paperlake review reading.md`
    """
    if interactive:
        from flows.commands.review_session import review_one_by_one  # noqa: PLC0415

        review_one_by_one(lists or [], status=status, limit=limit, lake=lake)
        return
    from flows.commands.review import print_review  # noqa: PLC0415

    print_review(lists or [], show=show, status=status, limit=limit, lake=lake, as_json=as_json)


@review_app.command("accept")
def review_accept(
    mentions: References,
    rank: Annotated[
        int | None,
        typer.Option(min=1, help="Which candidate, as `review` numbers them. [default: the first not rejected]"),
    ] = None,
    lake: Lake = None,
) -> None:
    """Decides that each mention is one of its candidates, the first that was not rejected unless told otherwise.

    Example: `paperlake review accept reading.md:12 --rank 2`
    """
    from flows.commands.review import accept  # noqa: PLC0415

    accept(mentions, rank=rank, lake=lake)


@review_app.command("reject")
def review_reject(
    mentions: References,
    rank: Annotated[
        int | None, typer.Option(min=1, help="The candidate that it is not; without it, there is no paper to find.")
    ] = None,
    lake: Lake = None,
) -> None:
    """Decides that a mention is not a candidate, which is then never chosen; or that there is no paper at all.

    Example: `paperlake review reject m3f9a1 --rank 1`
    """
    from flows.commands.review import reject  # noqa: PLC0415

    reject(mentions, rank=rank, lake=lake)


@review_app.command("set-id")
def review_set_id(
    mention: Reference,
    paper: Annotated[
        str, typer.Argument(metavar="ID", help="arxiv:1706.03762, doi:10.1109/5.726791, s2:..., or an address.")
    ],
    lake: Lake = None,
) -> None:
    """Decides which paper a mention is, by identifier or address.

    Where no source has that paper, the next refresh says so and the mention stays without one.

    Example: `paperlake review set-id m3f9a1 doi:10.1109/5.726791`
    """
    from flows.commands.review import set_id  # noqa: PLC0415

    set_id(mention, paper, lake=lake)


@review_app.command("undo")
def review_undo(mentions: References, lake: Lake = None) -> None:
    """Withdraws the decision about a mention; the next refresh settles it anew, as if there had been none.

    Example: `paperlake review undo m3f9a1`
    """
    from flows.commands.review import undo  # noqa: PLC0415

    undo(mentions, lake=lake)


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
    _begin("reading the snapshot")
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
    _begin("updating the mirror")
    from flows.commands.mirror import update_mirror  # noqa: PLC0415

    update_mirror(source, files or [], deleted or [], lake=lake, as_of=as_of, as_json=as_json)


@mirror_app.command("status")
def mirror_status(lake: Lake = None, as_json: Json = False) -> None:
    """Shows what the local mirrors hold, as of when, and whether that is all that their sources had."""
    from flows.commands.mirror import print_mirror  # noqa: PLC0415

    print_mirror(lake=lake, as_json=as_json)


@lake_app.command("check")
def lake_check(
    lake: Lake = None,
    deep: Annotated[
        bool, typer.Option("--deep", help="Also read every file from end to end and compare it with its checksum.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Looks the lake over: catalogue, files, keys, references, counts; names every fault and what to do about it.

    Changes nothing, and holds nobody up. Exit code 1 means that something is wrong. A refresh looks over what it wrote
    by itself; this looks at everything.

    Example: `paperlake lake check --deep`
    """
    _begin("looking the lake over")
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
            help="How long files that are needed no longer stay, for queries under way; rounded up to whole days, 0s "
            "deletes them at once.",
        ),
    ] = "1d",
    as_json: Json = False,
) -> None:
    """Merges small files, lets old snapshots go, and deletes the files that nobody can need any more.

    Every row stays, among them every observation in `citation_counts`; what goes is `--as-of` before AGE. It waits for
    a refresh under way, and readers go on meanwhile. Stopped anywhere, the lake is sound.

    Example: `paperlake lake compact --keep 365d`
    """
    _begin("compacting the lake")
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
    """Reads the stored replies again with today's parser, and shows what that changes; asks no service.

    Counts are compared with the reply that each observation came from, papers with the reply that last told of them.
    Only rows that change are written, and only with `--write`.

    Example: `paperlake lake reparse --since 2 --write`
    """
    _begin("reading the stored replies")
    from flows.commands.lake import reparse_lake  # noqa: PLC0415

    reparse_lake(lake=lake, since=since, write=write, force=force, as_json=as_json)


@lake_app.command("forget")
def lake_forget(
    lists: Annotated[list[str], typer.Argument(metavar="LIST...", help="Lists, as `paperlake status` names them.")],
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Takes lists out of the lake, with their mentions: for lists that are gone for good, or were read by mistake.

    Papers and their counts stay, and so do the files of the lists and the decisions beside them. `--as-of` reaches the
    lake as it was before.

    Example: `paperlake lake forget old/reading.md`
    """
    from flows.commands.lake import forget_lists  # noqa: PLC0415

    forget_lists(lists, lake=lake, as_json=as_json)


@lake_app.command("restore")
def lake_restore(lake: Lake = None) -> None:
    """Puts a lost SQLite catalogue back from the copy that every writing command leaves beside the data.

    What was committed since that copy was made is not in it; its files are left alone. A catalogue on a PostgreSQL
    server is restored from that server's own backup, then `paperlake lake adopt`.

    Example: `paperlake lake restore --lake papers`
    """
    from flows.commands.lake import restore_lake  # noqa: PLC0415

    restore_lake(lake=lake)


@lake_app.command("adopt")
def lake_adopt(lake: Lake = None) -> None:
    """Makes the catalogue the owner of its data folder: after a backup was put back, or the data were moved.

    A data folder has one owner, which alone writes and deletes there. Every file that the catalogue knows must be
    there; what it does not know is left alone.

    Example: `PAPERLAKE_DATA=/new/disk/papers paperlake lake adopt`
    """
    from flows.commands.lake import adopt_lake  # noqa: PLC0415

    adopt_lake(lake=lake)


_OBJECTS = 100_000
"""New objects between two looks for garbage. With Python's 700, a tenth of a start goes into looks that find none."""


def main() -> None:
    """Runs the command line; an error that a user can mend is one line on standard error and exit code 2.

    A run that a check refused has exit code 1: what it was told was right, and what it would have made was not.
    """
    gc.set_threshold(_OBJECTS)
    try:
        with without("pandas"):
            app()
    except CheckFailed as error:
        sys.stderr.write(f"paperlake: {shown(str(error), lines=True)}\n")
        sys.exit(1)
    except PaperlakeError as error:
        sys.stderr.write(f"paperlake: {shown(str(error), lines=True)}\n")
        sys.exit(2)
    except BrokenPipeError:
        # The reader of our output has had enough (`paperlake sql ... | head`); that is no fault.
        sys.stderr.close()
        sys.exit(0)
    finally:
        gc.freeze()  # else Python's last look for garbage, just before all is gone, goes through all that was imported
