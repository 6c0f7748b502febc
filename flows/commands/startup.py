"""What makes the command line start fast: lazy imports, and a group with a default command."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from typer.core import TyperGroup

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType


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


class DefaultsToList(TyperGroup):
    """Runs its command `list` where the first argument is none of its commands."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Returns what is left of `args`, with `list` put before them where no command stands there.

        Args:
            ctx: Typer's own context, a type that it does not name in public.
            args: The arguments behind the group's name.
        """
        named = bool(args) and (args[0] in self.commands or args[0] in ctx.help_option_names)
        if not named and not ctx.resilient_parsing:
            args = ["list", *args]
        return super().parse_args(ctx, args)
