"""`paperlake history`: brings into the lake what happened to the lists before the lake knew them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands.shared import Json, Lake, begin, open_existing, report
from flows.list_names import shown_location
from sources.errors import UsageError
from sources.text import counted, shown

if TYPE_CHECKING:
    from flows.refresh.git_history import ListHistory

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Brings the past of lists into the lake, so that trends begin with the list and not with its first refresh.",
)
_import = typer.Typer(no_args_is_help=True, rich_markup_mode="markdown", help="Where the past is read from.")
app.add_typer(_import, name="import")


@app.callback()
def history() -> None:
    """Does nothing itself; the help shown is the application's."""


@_import.command("git")
def history_import_git(
    repository: Annotated[
        str, typer.Argument(metavar="[REPO]", help="A git repository, a folder in it, or one list.")
    ] = ".",
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Dates the mentions of the lake's lists in REPO by the commits that added them, and adds those that left.

    `first_seen_at` becomes the date of the first commit that has the entry, also under a former name of the file. An
    entry that left the list before the lake knew it gets a row whose `reason` names the commits. Only earlier dates are
    written, so that a second import changes nothing. Nothing is fetched: refresh the lists first, then import. A list
    that git does not know stops no other; the exit code is then 1.

    Example: `paperlake history import git ~/notes`
    """
    begin("reading the history")
    from flows.refresh.git_history import read_history
    from warehouse.loading.commit import enter_history
    from warehouse.papers.lake_papers import KnownPapers

    place = Path(repository).expanduser().resolve()
    with open_existing(lake, "refresh the lists first") as (_, connection, reporter):
        known = KnownPapers(connection)
        rows = [row for row in known.all_lists() if Path(row["location"]).is_relative_to(place)]
        if not rows:
            raise UsageError(f"the lake knows no list at {place}: refresh the lists first, then import their history")
        found: list[ListHistory] = []
        faults: list[UsageError] = []
        for row in rows:
            try:
                found.append(read_history(Path(row["location"]), row, known.mentions([row["list_id"]]), reporter))
            except UsageError as error:
                faults.append(error)
        if not found:
            raise faults[0]
        lists = [history.list_row for history in found if history.list_row is not None]
        mentions = [row for history in found for row in (*history.dated, *history.left)]
        if lists or mentions:
            enter_history(connection, lists, mentions)
    lines, values = [], []
    for each in found:
        name = shown_location(each.location)
        numbers = {"commits": each.commits, "dated": len(each.dated), "left": len(each.left)}
        values.append({"list": each.location, **numbers, "problems": list(each.problems)})
        dated, left = counted(len(each.dated), "mention"), counted(len(each.left), "mention")
        lines.append(
            f"{name}: {counted(each.commits, 'commit')}; {dated} dated earlier, {left} that had left the list before"
        )
        lines += [f"  {problem}" for problem in each.problems]
    sentences = [str(fault) for fault in faults]
    report({"lists": values, "faults": sentences}, map(shown, [*lines, *sentences]), as_json=as_json)
    if faults:
        raise typer.Exit(1)
