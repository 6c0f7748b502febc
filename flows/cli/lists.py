"""Options and help of the commands about a list itself.

Annotations here are no text: Typer evaluates those of all commands at every start.
"""

from pathlib import Path
from typing import Annotated, Literal

import typer

from flows.cli.options import Diff, Json, Lake, Links, Lists, Offline, begin


def parse(
    lists: Lists,
    fmt: Annotated[
        Literal["table", "json", "jsonl", "csv"], typer.Option("--format", help="How to print the mentions.")
    ] = "table",
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json: one array of objects.")] = False,
    explain: Annotated[bool, typer.Option(help="Also print the reasons for and against each mention.")] = False,
) -> None:
    """Shows the papers that reading lists name. Uses no network and no lake.

    Example: `paperlake parse awesome-list.md --format jsonl > mentions.jsonl`
    """
    from flows.commands.parse import print_mentions  # noqa: PLC0415

    print_mentions(lists or [], fmt="json" if as_json else fmt, explain=explain)


def check(
    lists: Lists = None,
    changed: Annotated[
        str | None,
        typer.Option(
            metavar="REF", help="Report only on lines that differ from where this branch left REF, as in `main`."
        ),
    ] = None,
    fmt: Annotated[
        Literal["text", "json", "github", "sarif", "markdown"],
        typer.Option("--format", help="text for people; github for annotations; markdown for a comment."),
    ] = "text",
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json: one object.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="End with exit code 1 for warnings, too.")] = False,
    save: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Also write the findings here, in the form of the ending: .md, .json, .sarif, .txt."
        ),
    ] = None,
    links: Links = True,
    offline: Offline = False,
    lake: Lake = None,
) -> None:
    """Finds what is wrong in reading lists, by line: wrong links, duplicates, typing errors, years, order, Markdown.

    What is known of the papers comes from the lake where there is one; what it does not know is asked for, and nothing
    is kept of it. The lists and the lake stay as they are. Exit code 1 means that there are errors. What could not be
    asked is said, and is no error. docs/checks.md has the codes, and how to switch them off.

    Example: `paperlake check README.md --changed origin/main --format github`
    """
    from flows.commands.check import forms_of, run_check  # noqa: PLC0415

    forms = forms_of("json" if as_json else fmt, save or [])
    raise typer.Exit(
        run_check(lists or [], ref=changed, forms=forms, strict=strict, offline=offline, links=links, lake=lake)
    )


def fix(
    lists: Lists = None,
    only: Annotated[
        str | None, typer.Option(metavar="CODE,...", help="Mend only these kinds of faults; docs/fix.md has them.")
    ] = None,
    diff: Diff = False,
    write: Annotated[bool, typer.Option("--write", help="Make the changes in the lists' files.")] = False,
    patch: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the changes as a patch, for `git apply`.")
    ] = None,
    annotate: Annotated[
        Literal["citations", "bibtex", "code"] | None,
        typer.Option(help="Show this beside every entry, and keep it up to date. Counts are OpenAlex's (CC0)."),
    ] = None,
    look: Annotated[
        Literal["suffix", "badge", "column"] | None,
        typer.Option("--as", help="The form of that. [default: a column in tables, else a suffix]"),
    ] = None,
    sort: Annotated[
        Literal["year", "venue", "title", "citations"] | None,
        typer.Option(help="Put the entries of one section in this order, whatever belongs to an entry with it."),
    ] = None,
    section: Annotated[str | None, typer.Option(metavar="HEADING", help="The section that --sort is about.")] = None,
    links: Links = True,
    offline: Offline = False,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Mends reading lists with the smallest edits, in each list's own style; shows them, and writes only with --write.

    It fills in empty links, missing years and venues, the venue of a preprint that has been published, and mends
    typing errors in titles, dead links, dx.doi.org, http and broken Markdown. What is not certain stays as it is. All
    else in a file stays byte for byte, and a second run changes nothing.

    Example: `paperlake fix README.md`  shows what it would change, and why

    Example: `paperlake fix README.md --only http-address,doi-address --write`

    Example: `paperlake fix README.md --annotate citations --as badge --write`
    """
    from flows.commands.fix import Work, run_fix  # noqa: PLC0415
    from flows.list_changes import Output  # noqa: PLC0415

    if diff and (write or patch):
        raise typer.BadParameter("--diff writes nothing; leave it out with --write and --patch")
    codes = tuple(code.strip() for code in (only or "").split(",") if code.strip())
    work = Work(only=codes, annotate=annotate, look=look, sort=sort, section=section, links=links)
    output = Output(write=write, patch=patch, for_people=diff, as_json=as_json)
    run_fix(lists or [], work, output, offline=offline, lake=lake)


def add(
    reading_list: Annotated[str, typer.Argument(metavar="LIST", show_default=False, help="The list, one file.")],
    paper: Annotated[
        str,
        typer.Argument(metavar="PAPER", show_default=False, help="An address, an arXiv identifier, a DOI or a title."),
    ],
    section: Annotated[
        str | None, typer.Option(metavar="HEADING", help="The section it goes into; needed where several fit.")
    ] = None,
    diff: Diff = False,
    write: Annotated[bool, typer.Option("--write", help="Write the entry into the list's file.")] = False,
    offline: Offline = False,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Adds a paper to a reading list, written as the list writes its entries and placed in the list's order.

    A paper that stands in the list already is refused, with its line. The entry is shown, and written only with
    --write.

    Example: `paperlake add README.md 1706.03762 --section Attention`

    Example: `paperlake add README.md "Attention Is All You Need" --write`
    """
    from flows.commands.add import run_add  # noqa: PLC0415
    from flows.list_changes import Output  # noqa: PLC0415

    if diff and write:
        raise typer.BadParameter("--diff writes nothing; name one of the two")
    output = Output(write=write, for_people=diff, as_json=as_json)
    run_add(reading_list, paper, output=output, section=section, offline=offline, lake=lake)


def export(
    fmt: Annotated[
        Literal["parquet", "csv", "bibtex", "csl-json"],
        typer.Argument(metavar="FORMAT", show_default=False, help="parquet, csv, bibtex or csl-json."),
    ],
    source: Annotated[
        str,
        typer.Argument(
            metavar="[LIST] DEST",
            help="A folder for parquet, else a file, or - for standard output; before it, a list.",
        ),
    ],
    dest: Annotated[str | None, typer.Argument(hidden=True)] = None,
    where: Annotated[
        str | None,
        typer.Option(metavar="SQL", help="Only papers for which this condition over the view `catalog` holds."),
    ] = None,
    lake: Lake = None,
    offline: Offline = False,
    as_of: Annotated[str | None, typer.Option(metavar="TIME", help="Export the lake as it was then.")] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write Parquet also into a folder that holds other files; they stay.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print as a JSON object what was written.")] = False,
) -> None:
    """Exports the catalogue: the papers that lists name now, with their metadata and latest counts.

    `parquet` writes a folder with one file for each table and one for the catalogue, for Spark, Polars, pandas and
    DuckDB; `csv` is the catalogue for spreadsheets; `bibtex` and `csl-json` are for reference managers and LaTeX, and
    name each paper by a citation key that never changes. A file is written whole or not at all.

    With a LIST, `bibtex` and `csl-json` hold the papers of that list. It needs no lake: what the lake does not know is
    asked for. Entries whose paper is not known for sure are left out, and named on standard error. With `--offline`
    they are written with what the list itself says.

    Example: `paperlake export bibtex README.md papers.bib`

    Example: `paperlake export bibtex papers.bib --where "year >= 2020 and list_contains(lists, 'My list')"`
    """
    from flows.commands.export import export_list, names_list, run_export  # noqa: PLC0415

    if dest is not None or names_list(source):
        if where or as_of or force:
            raise typer.BadParameter("--where, --as-of and --force are about the lake's catalogue, not about one list")
        raise typer.Exit(export_list(fmt, source, dest or "-", lake=lake, offline=offline, as_json=as_json))
    begin("reading the lake")
    run_export(fmt, source, where=where, lake=lake, as_of=as_of, force=force, as_json=as_json)
