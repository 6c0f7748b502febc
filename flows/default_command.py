"""A group of commands that is a command itself: `paperlake review LIST` beside `paperlake review accept MENTION`."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup


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
