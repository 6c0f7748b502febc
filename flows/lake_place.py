"""Where the lake is, for commands that read: without the settings' library, whose import takes as long as a query."""

from __future__ import annotations

import os
from pathlib import Path

from warehouse.lake.place import LakePlace

_FILE = "paperlake.toml"
_PREFIXES = ("PAPERLAKE_", "SEMANTIC_SCHOLAR_")
_LAKE = "PAPERLAKE_LAKE"


def read_place(lake: str | None) -> LakePlace:
    """Returns the place that `read_settings` would give; asks that where anything but the lake's folder is set.

    Args:
        lake: The option `--lake`.

    Raises:
        UsageError: A setting has an impossible value.
    """
    set_names = {name for name in os.environ if name.upper().startswith(_PREFIXES)}
    folder = os.environ.get(_LAKE, "lake") if lake is None else lake
    if set_names <= {_LAKE} and folder.strip() and not Path(_FILE).exists() and os.environ.get(_LAKE, "lake").strip():
        return LakePlace.of(Path(folder))
    from flows.settings import read_settings  # noqa: PLC0415 - only here is it needed

    return read_settings(lake=lake).place
