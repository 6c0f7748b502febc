"""Options and help of `paperlake review` and its commands."""

from typing import Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from flows.cli.options import Json, Lake, Lists

_Mention = Annotated[
    str,
    typer.Argument(metavar="MENTION", help="Its identifier, the first six or more characters of it, or list:line."),
]

_Mentions = Annotated[
    list[str],
    typer.Argument(metavar="MENTION...", help="Identifiers, the first six or more characters of them, or list:line."),
]


class _DefaultsToList(TyperGroup):
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


review_app = typer.Typer(
    cls=_DefaultsToList,
    subcommand_metavar="[LIST...] [--show MENTION] [--json] | COMMAND ...",
    rich_markup_mode="markdown",
    help="Shows the mentions that need a person, with their candidates, and records decisions.\n\n"
    "Decisions are kept in `paperlake-decisions.jsonl` beside the list (for a list that is no local file, in the "
    "lake's folder): one line each, made to be edited, compared and committed with the list. The next "
    "`paperlake refresh` applies them; they outrank links, titles and everything else.\n\n"
    "MENTION is the identifier that `review` shows, or the first six or more characters of it, or `list.md:12`.\n\n"
    "Examples:\n\n"
    "`paperlake review`  all that needs a person\n\n"
    "`paperlake review --interactive`  one after the other, one key each\n\n"
    "`paperlake review reading.md --json`  of one list, for a script\n\n"
    "`paperlake review --show reading.md:12`  why that mention has its verdict, also where it is resolved\n\n"
    "`paperlake review accept m3f9a1 --rank 2`  it is the second candidate\n\n"
    "`paperlake review reject m3f9a1 --rank 1`  it is not the first candidate\n\n"
    "`paperlake review reject m3f9a1`  it is no paper, or none that can be found\n\n"
    "`paperlake review set-id m3f9a1 https://arxiv.org/abs/1706.03762`  it is this paper\n\n"
    "`paperlake review undo m3f9a1`  take the decision back",
)


@review_app.command("list")
def review_list(
    lists: Lists = None,
    show: Annotated[
        str | None, typer.Option(metavar="MENTION", help="Explain the verdict on this mention in full.")
    ] = None,
    status: Annotated[
        Literal["ambiguous", "not_found", "resolved"] | None,
        typer.Option(help="Only these; resolved are those with a link and a title at odds."),
    ] = None,
    limit: Annotated[int | None, typer.Option(metavar="N", min=1, help="Only the first N mentions.")] = None,
    interactive: Annotated[
        bool, typer.Option("--interactive", "-i", help="Ask about one mention after the other, one key each; q quits.")
    ] = False,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Shows the mentions that need a person: ambiguous, not found, or with a link and a title at odds.

    This is what `paperlake review` does without a command. Candidates are shown best first.

    Example: `paperlake review reading.md`
    """
    if interactive:
        from flows.commands.review import review_one_by_one  # noqa: PLC0415

        review_one_by_one(lists or [], status=status, limit=limit, lake=lake)
        return
    from flows.commands.review import print_review  # noqa: PLC0415

    print_review(lists or [], show=show, status=status, limit=limit, lake=lake, as_json=as_json)


@review_app.command("accept")
def review_accept(
    mentions: _Mentions,
    rank: Annotated[
        int | None,
        typer.Option(min=1, help="Which candidate, as `review` numbers them. [default: the first not rejected]"),
    ] = None,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Decides that each mention is one of its candidates, by default the first that was not rejected.

    Example: `paperlake review accept reading.md:12 --rank 2`
    """
    from flows.commands.review import accept  # noqa: PLC0415

    accept(mentions, rank=rank, lake=lake, as_json=as_json)


@review_app.command("reject")
def review_reject(
    mentions: _Mentions,
    rank: Annotated[
        int | None, typer.Option(min=1, help="The candidate that it is not; without it, there is no paper to find.")
    ] = None,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Decides that a mention is not this candidate, which is then never chosen; or that it is no paper at all.

    Example: `paperlake review reject m3f9a1 --rank 1`
    """
    from flows.commands.review import reject  # noqa: PLC0415

    reject(mentions, rank=rank, lake=lake, as_json=as_json)


@review_app.command("set-id")
def review_set_id(
    mention: _Mention,
    paper: Annotated[
        str, typer.Argument(metavar="ID", help="arxiv:1706.03762, doi:10.1109/5.726791, s2:..., or an address.")
    ],
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Decides which paper a mention is, by identifier or address.

    Where no source has that paper, the next refresh says so and the mention stays without one.

    Example: `paperlake review set-id m3f9a1 doi:10.1109/5.726791`
    """
    from flows.commands.review import set_id  # noqa: PLC0415

    set_id(mention, paper, lake=lake, as_json=as_json)


@review_app.command("undo")
def review_undo(mentions: _Mentions, lake: Lake = None, as_json: Json = False) -> None:
    """Withdraws the decision about a mention; the next refresh resolves it again, as if there had been none.

    Example: `paperlake review undo m3f9a1`
    """
    from flows.commands.review import undo  # noqa: PLC0415

    undo(mentions, lake=lake, as_json=as_json)
