"""A group of commands that is a command itself: `paperlake review LIST` beside `paperlake review accept MENTION`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typer.core import TyperGroup

if TYPE_CHECKING:
    from typer import Context


class DefaultsToList(TyperGroup):
    """Runs its command `list` where the first argument is none of its commands."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Returns what is left of `args`, with `list` put before them where no command stands there."""
        named = bool(args) and (args[0] in self.commands or args[0] in ctx.help_option_names)
        if not named and not ctx.resilient_parsing:
            args = ["list", *args]
        return super().parse_args(ctx, args)
