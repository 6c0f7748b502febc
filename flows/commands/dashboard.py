"""`paperlake dashboard`: writes the trend page of the lake into a folder."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

from flows.progress import watched
from flows.settings import read_settings
from sources.text import counted, json_text
from warehouse.dashboard.page import publish

if TYPE_CHECKING:
    from warehouse.dashboard.facts import Terms
    from warehouse.dashboard.page import Published

_DEFAULT_FOLDER = Path("dashboard")


def write_dashboard(*, out: Path | None, lake: str | None, terms: Terms | None, show: bool, as_json: bool) -> None:
    """Writes the page and the catalogue beside it, prints where they are and their sizes, and opens the page if asked.

    Args:
        out: The folder.
        lake: Where the lake is.
        terms: What the files may hold; None for what the settings say.
        show: Whether to open the page.
        as_json: Whether to print JSON.

    Raises:
        UsageError: There is no lake, or the folder cannot be written.
        WarehouseError: The lake cannot be read.
    """
    settings = read_settings(lake=lake, dashboard=out, publish=terms)
    with watched() as reporter:
        done = reporter.stage("Writing the dashboard", 3, "steps")
        folder = settings.dashboard or _DEFAULT_FOLDER
        terms, jump = settings.publish, settings.jump
        published = publish(settings.place, folder, terms=terms, jump=jump, on_step=lambda: done(1))
    _print(published, as_json=as_json)
    if show:
        webbrowser.open(published.page.absolute().as_uri())


def _print(published: Published, *, as_json: bool) -> None:
    if as_json:
        values = {"page": str(published.page), "papers": published.papers, "bytes": published.sizes}
        sys.stdout.write(json_text(values) + "\n")
        return
    sizes = {name: _size(count) for name, count in published.sizes.items()}
    beside = ", ".join(f"{name} ({size})" for name, size in sizes.items() if name != published.page.name)
    sys.stdout.write(
        f"{published.page} ({sizes[published.page.name]}): {counted(published.papers, 'paper')}\nbeside it: {beside}\n"
    )


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{max(1, round(count / 1e3))} kB"
