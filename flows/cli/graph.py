"""Commands about citations: options and help of `missing` and `related`."""

from typing import Annotated, Literal

import typer

from flows.cli.options import Json, Lake, begin

Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=500, help="Rows at the most.")]
_GRAPH_LISTS = typer.Argument(
    metavar="[LIST]...", help="Lists of the lake, as `paperlake status` names them; without, all.", show_default=False
)


def missing(
    lists: Annotated[list[str] | None, _GRAPH_LISTS] = None,
    since: Annotated[
        str | None,
        typer.Option(metavar="WHEN", help="Only what is missing since then: 7d, 12h, or 2026-11-21, that day's end."),
    ] = None,
    limit: Limit = 10,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Shows works that a list does not name though its papers cite them, or are cited by them, far more than the world.

    A work needs three links to papers of the list, and more of them than its fame explains: what everybody cites is not
    missing. Retracted works, and other versions of papers that the list has, are left out. Each comes with the entries
    that say so, and, for a list in a local file, with its entry as the list would write it; `paperlake add` puts it in.
    Citations are OpenAlex's; a refresh of a list of ten papers or more asks for them. Nothing is asked for here.

    Example: `paperlake missing README.md`

    Example: `paperlake missing --since 7d --json`  for a weekly alert
    """
    begin("reading the lake")
    from flows.graph.missing import print_missing  # noqa: PLC0415

    print_missing(lists or [], since=since, limit=limit, lake=lake, as_json=as_json)


def related(
    paper: Annotated[
        str | None,
        typer.Argument(metavar="[PAPER]", help="An identifier, a title, or words of a title.", show_default=False),
    ] = None,
    of_list: Annotated[
        str | None, typer.Option("--list", metavar="LIST", help="How the papers of this list hang together; or `all`.")
    ] = None,
    show: Annotated[
        Literal["all", "ancestors", "core", "order"],
        typer.Option(
            "--show",
            help="With --list: what its papers descend from, what holds them together, an order to read.",
        ),
    ] = "all",
    limit: Limit = 20,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Shows the works near a paper: cited together with it, sharing references with it, citing it or cited by it.

    With --list it shows how the papers of a list hang together: the earliest works from which many of them descend over
    citations, the papers with the most links and how many would lose their ties without them, and an order in which
    each paper comes after those that it cites.

    Example: `paperlake related 1706.03762`

    Example: `paperlake related --list README.md --show order`
    """
    if (paper is None) == (of_list is None):
        raise typer.BadParameter("name a paper, or a list with --list")
    begin("reading the lake")
    from flows.graph.related import print_list, print_related  # noqa: PLC0415

    if paper is not None:
        print_related(paper, limit=limit, lake=lake, as_json=as_json)
    else:
        name = None if of_list == "all" else of_list
        print_list(name, part=show, limit=limit, lake=lake, as_json=as_json)
