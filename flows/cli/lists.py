"""Commands about a list itself: their options and help.

Annotations here are no text: Typer evaluates those of all commands at every start.
"""

from pathlib import Path
from typing import Annotated, Literal

import typer

from flows.cli.options import Lake, Lists, Offline


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
    links: Annotated[
        bool, typer.Option("--links/--no-links", help="Ask the servers of all links whether they are dead.")
    ] = True,
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
