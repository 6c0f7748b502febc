"""The command line: which commands there are, and what an error looks like; each command is a module of its own."""

from __future__ import annotations

import atexit
import gc
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from types import ModuleType, SimpleNamespace
from typing import Annotated, Any

import typer

from flows.commands import history, lake, mirror, review
from flows.commands.add import add
from flows.commands.check import check
from flows.commands.dashboard import dashboard
from flows.commands.export import export
from flows.commands.fix import fix
from flows.commands.init import init
from flows.commands.missing import missing
from flows.commands.next import next_to_read
from flows.commands.parse import parse
from flows.commands.refresh import refresh
from flows.commands.related import related
from flows.commands.serve import serve
from flows.commands.shared import Lake
from flows.commands.show import search, show
from flows.commands.sql import sql
from flows.commands.status import status
from sources.errors import CheckFailed, PaperlakeError, UsageError
from sources.processes import keep_working_folder_out
from sources.text import shown

app = typer.Typer(
    name="paperlake",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Turns reading lists kept in Markdown into a living, queryable catalogue of papers.\n\n"
    "Start with `paperlake refresh LIST`: it finds the papers that a list names and puts them into a lake, a folder of "
    "tables. Then `paperlake status` says how far it got, `paperlake show PAPER` and `paperlake search WORDS` look "
    'things up, and `paperlake sql "from top_cited"` asks anything.',
)


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - an option's value, as Typer hands it on
    if wanted:
        from importlib.metadata import version

        sys.stdout.write(f"paperlake {version('paperlake')}\n")
        raise typer.Exit


@app.callback()
def paperlake(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Runs a command; the help shown is the application's."""


def mcp(lake: Lake = None) -> None:
    """Lets a program that speaks the Model Context Protocol read the lake: a server on standard input and output.

    Its tools search, show a paper with the evidence, list mentions with their verdicts, run a reading query, and tell
    the status, what changed, what is missing, related or rising, and what to read next. Nothing is written. docs/mcp.md
    says how to name it in a program's settings.

    Example: `paperlake mcp --lake /home/me/papers/lake`
    """
    try:
        from flows.mcp.server import serve_tools
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        remedy = "in paperlake's checkout, pip install '.[mcp]'"
        raise UsageError(f"this needs the library of the Model Context Protocol: {remedy}") from error

    serve_tools(lake)


# Heading in `--help` -> the commands below it, in this order.
_PANELS: dict[str, tuple[Callable[..., None] | ModuleType, ...]] = {
    "Lists": (refresh, status, review, parse, check, fix, add),
    "Catalogue": (show, search, sql, export, dashboard),
    "Discover": (missing, related, next_to_read),
    "Run": (init, serve, mirror, history, lake, mcp),
}
_NAMES = {next_to_read: "next"}  # of commands that are not called as their function
for _panel, _commands in _PANELS.items():
    for _command in _commands:
        if callable(_command):
            app.command(_NAMES.get(_command, _command.__name__), rich_help_panel=_panel)(_command)
        else:
            app.add_typer(_command.app, name=_command.__name__.rpartition(".")[2], rich_help_panel=_panel)


def main() -> None:
    """Runs the command line; an error that a user can mend is one line on standard error and exit code 2.

    A run that a check refused ends with exit code 1: its input was valid, its result was not.
    """
    keep_working_folder_out()
    called = copy(app)
    # Typer reads the signatures of all commands that it has.
    if named := [command for command in app.registered_commands if [command.name] == sys.argv[1:2]]:
        called.registered_commands, called.registered_groups = named, []
    atexit.register(gc.freeze)  # else the collector looks through all that was imported before the process ends
    try:
        with without("numpy", "pandas", "httpx._main"):
            called()
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


@contextmanager
def without(*modules: str) -> Iterator[None]:
    """Makes modules, unless they are imported already, look as if they were not installed, until the block ends.

    DuckDB and pyarrow import numpy and pandas wherever they are installed, only to tell their data from others when
    handed some: half a second for a run that has none. httpx imports its own command line where it can.
    """

    def refuse(name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None) -> None:
        if name in modules:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    finder: Any = SimpleNamespace(find_spec=refuse)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
