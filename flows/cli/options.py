"""Options and arguments that several commands share, and measures that make commands start fast."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType

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


Offline = Annotated[bool, typer.Option("--offline", help="Send no request; use the lake and the local mirrors.")]


MaxAge = Annotated[
    str | None,
    typer.Option(metavar="AGE", help="Fetch counts older than this again: 90m, 12h, 1d, 2w. [default: 1d]"),
]


Diff = Annotated[
    bool,
    typer.Option(
        "--diff",
        help="Print the changes for people and write nothing, as without it on a terminal; a pipe gets a patch.",
    ),
]


Links = Annotated[bool, typer.Option("--links/--no-links", help="Ask the servers of all links whether they are dead.")]


Json = Annotated[bool, typer.Option("--json", help="Print JSON for a script instead of text.")]


def begin(what: str) -> None:
    """Prints at once on a terminal what a slow command does, before its imports, which take time themselves."""
    if sys.stderr.isatty():
        sys.stderr.write(f"paperlake: {what}\n")
        sys.stderr.flush()


@contextmanager
def without(package: str) -> Iterator[None]:
    """Makes `package`, unless it is imported already, look as if it were not installed, until the block ends.

    DuckDB and pyarrow import pandas wherever it is installed, only to tell its data from others when they are handed
    some: half a second for a run that has none.
    """
    finder = _Absent(package)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _Absent:
    def __init__(self, package: str) -> None:
        self._package = package

    def find_spec(self, name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None) -> None:
        if name == self._package:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
