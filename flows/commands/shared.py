"""What commands share: options, the lake's place, and a Ctrl-C that ends a command at once."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from flows.progress import Reporter, watched
from sources.errors import UsageError
from sources.text import json_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from duckdb import DuckDBPyConnection

    from warehouse.lake.place import LakePlace

Lists = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="LIST...",
        help="A file, a folder, a glob, `-` for standard input, an https address, or `github:owner/name[/path]`.",
        show_default=False,
    ),
]
# The same for what reads its lists again and again.
LastingLists = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="LIST...",
        help="A file, a folder, a glob, an https address, or `github:owner/name[/path]`.",
        show_default=False,
    ),
]
KnownLists = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="LIST...",
        help="Lists of the lake, as `paperlake status` names them, or their files; without, all.",
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
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=500, help="Rows at the most.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for a script instead of text.")]


def begin(what: str) -> None:
    """Prints at once on a terminal what a slow command does, before its imports, which take time themselves."""
    if sys.stderr.isatty():
        sys.stderr.write(f"paperlake: {what}\n")
        sys.stderr.flush()


def say(lines: Iterable[str]) -> None:
    """Prints lines on standard output as they are."""
    sys.stdout.writelines(f"{line}\n" for line in lines)


def report(values: Any, lines: Iterable[str], *, as_json: bool) -> None:
    """Prints `values` as JSON for a script, or else `lines` for people, as they are."""
    say([json_text(values)] if as_json else lines)


Row = dict[str, Any]  # a row of a query: what its columns are, the query says
STOPPED = 130  # exit code of a command that Ctrl-C ended: 128 and the signal's number
_GRACE_S = 2.0


def read_place(lake: str | None) -> LakePlace:
    """Returns where the lake is, as the settings say; imports their library only where more than the folder is set.

    Raises:
        UsageError: A setting has an impossible value.
    """
    from warehouse.lake.place import simple_place

    place = simple_place(lake)
    if place is None:
        from flows.settings import read_settings

        place = read_settings(lake=lake).place
    return place


@contextmanager
def open_to_read(lake: str | None, *, sealed: bool = True) -> Iterator[DuckDBPyConnection]:
    """Opens a lake that exists, to read; `sealed`, its catalogue cannot be named in a query."""
    from warehouse.lake.session import open_lake

    with closing(open_lake(read_place(lake), sealed=sealed)) as connection:
        yield connection


@contextmanager
def open_existing(
    lake: str | None, vain: str, *, write: bool = True
) -> Iterator[tuple[LakePlace, DuckDBPyConnection, Reporter]]:
    """Opens a lake that exists, to write unless `write` is off; where there is none, `vain` says what that means."""
    from warehouse.lake.place import check_writable
    from warehouse.lake.session import open_lake, writing

    place = read_place(lake)
    if not place.exists:
        raise UsageError(f"no lake at {place}: {vain}")
    if write:
        check_writable(place)
    with watched() as reporter:
        opened = writing(place, on_wait=reporter.say) if write else closing(open_lake(place))
        with opened as connection:
            yield place, connection, reporter


@contextmanager
def ctrl_c_ends(saying: str) -> Iterator[None]:
    """Raises KeyboardInterrupt from the block on Ctrl-C, whatever a library makes of it.

    DuckDB turns it into a RuntimeError, and one that is raised inside a callback may be lost. A process that is still
    running two seconds later is ended at once: the lake needs no cleaning up.
    """
    pressed = False

    def note(_number: int, _frame: Any) -> None:
        nonlocal pressed
        if not pressed:
            pressed = True
            last_resort = threading.Timer(_GRACE_S, _end, [saying])
            last_resort.daemon = True
            last_resort.start()
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    except Exception as error:
        if pressed:
            raise KeyboardInterrupt from error
        raise
    finally:
        signal.signal(signal.SIGINT, before)


def _end(saying: str) -> None:
    sys.stderr.write(saying)
    sys.stderr.flush()
    os._exit(STOPPED)


class DefaultsToList(TyperGroup):
    """Runs its command `list` where the first argument is none of its commands."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Returns what is left of `args`, with `list` put before them where no command stands there.

        `ctx` is Typer's own context, a type that it does not name in public.
        """
        named = bool(args) and (args[0] in self.commands or args[0] in ctx.help_option_names)
        if not named and not ctx.resilient_parsing:
            args = ["list", *args]
        return super().parse_args(ctx, args)
