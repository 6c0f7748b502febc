"""`paperlake dashboard`: writes the trend page of the lake into a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from flows.commands.shared import Json, Lake, begin, report
from flows.progress import watched
from sources.text import counted


def dashboard(
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder to write. [env: PAPERLAKE_DASHBOARD; default: ./dashboard]"),
    ] = None,
    lake: Lake = None,
    terms: Annotated[
        Literal["all", "cc0"] | None,
        typer.Option(
            "--publish",
            metavar="TERMS",
            help="all: for yourself. cc0: only what anyone may show to others, so nothing of Semantic Scholar's. "
            "[env: PAPERLAKE_PUBLISH; default: all]",
        ),
    ] = None,
    show: Annotated[bool, typer.Option("--open", help="Open the page in the browser afterwards.")] = False,
    as_json: Json = False,
) -> None:
    """Writes the trend page: one file that opens by double click, holds all its data and uses no network.

    It shows rising papers, citations over time, years, topics, venues, papers that several lists name, coverage and
    unresolved mentions; lists, sections, categories and years filter all of it. The catalogue is written
    beside it as CSV and Parquet. `paperlake refresh --dashboard DIR` writes it after every refresh.

    Semantic Scholar's terms do not let you give its counts and venues to others. `--publish cc0` leaves them out of the
    page and of the files beside it, shows OpenAlex's and arXiv's facts in their place, and says so in its footer.
    `PAPERLAKE_PUBLISH=cc0` does so for the pages that refreshes write, too.

    Example: `paperlake dashboard --publish cc0 --out public`
    """
    begin("reading the lake")
    from flows.settings import read_settings
    from warehouse.dashboard.page import publish

    settings = read_settings(lake=lake, dashboard=out, publish=terms)
    with watched() as reporter:
        done = reporter.stage("Writing the dashboard", 3, "steps")
        folder = settings.dashboard or Path("dashboard")
        published = publish(settings.place, folder, terms=settings.publish, jump=settings.jump, on_step=lambda: done(1))
    page = published.page
    sizes = {name: _size(count) for name, count in published.sizes.items()}
    beside = ", ".join(f"{name} ({size})" for name, size in sizes.items() if name != page.name)
    report(
        {"page": str(page), "papers": published.papers, "bytes": published.sizes},
        [f"{page} ({sizes[page.name]}): {counted(published.papers, 'paper')}", f"beside it: {beside}"],
        as_json=as_json,
    )
    if show:
        import webbrowser

        webbrowser.open(page.absolute().as_uri())


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{max(1, round(count / 1e3))} kB"
