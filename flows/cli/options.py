"""Options and arguments that several commands share."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

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


def begin(what: str) -> None:
    """Says at once on a terminal what a command does that takes seconds: before it imports what it needs."""
    if sys.stderr.isatty():
        sys.stderr.write(f"paperlake: {what}\n")
        sys.stderr.flush()


Reference = Annotated[
    str,
    typer.Argument(metavar="MENTION", help="Its identifier, the first six or more characters of it, or list:line."),
]


References = Annotated[
    list[str],
    typer.Argument(metavar="MENTION...", help="Identifiers, the first six or more characters of them, or list:line."),
]
