"""`paperlake check`: what is wrong in lists, by line."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from flows.check.formats import FORMATS
from flows.check.links import ask_links
from flows.check.report import check_lists
from flows.progress import watched
from sources.errors import UsageError
from sources.text import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flows.settings import Settings


def run_check(
    lists: Sequence[str], *, ref: str | None, fmt: str, strict: bool, offline: bool, links: bool, lake: str | None
) -> int:
    """Prints what is wrong in lists, and returns the exit code: 1 where there are errors, or warnings if `strict`.

    Raises:
        UsageError: A list cannot be read, or the lines that changed cannot be told.
        WarehouseError: The lake cannot be read.
    """
    settings = _settings(lake, offline=offline)
    arguments = [*lists] or [*(settings.lists if settings is not None else ())]
    if not arguments:
        raise UsageError("no list named: `paperlake check LIST`, where LIST is a file, a folder or an address")
    asks = links and settings is not None and not settings.offline
    with watched() as reporter:
        report = check_lists(arguments, settings, ref=ref, report=reporter, ask=ask_links if asks else None)
    sys.stderr.writelines(f"paperlake: {shown(remark)}\n" for remark in report.remarks)
    sys.stdout.writelines(f"{line}\n" for line in FORMATS[fmt](report))
    return report.exit_code(strict=strict)


def _settings(lake: str | None, *, offline: bool) -> Settings | None:
    """Returns the settings; None for an offline check where nothing is set and no lake is there: that of the text."""
    if offline and _nothing_is_set() and not Path(lake or "lake").exists():
        return None
    from flows.settings import read_settings  # noqa: PLC0415 - takes as long as reading the lists

    return read_settings(lake=lake, offline=offline or None)


def _nothing_is_set() -> bool:
    """Returns whether neither the environment nor a file sets anything; where the settings are known brings DuckDB."""
    return not Path("paperlake.toml").exists() and not any(name.upper().startswith("PAPERLAKE_") for name in os.environ)
