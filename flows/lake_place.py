"""Where the lake is if nothing but its folder is set: known without pydantic, whose import takes as long as a query."""

from __future__ import annotations

import os
from pathlib import Path

from warehouse.lake.place import LakePlace

FILE = "paperlake.toml"
"""The settings' file, in the working folder."""
PREFIX = "PAPERLAKE_"
"""Variables that begin so are settings."""
KEY_VARIABLE = "SEMANTIC_SCHOLAR_API_KEY"
"""The other variable that is one."""
DEFAULT_LAKE = "lake"
_LAKE = f"{PREFIX}LAKE"


def simple_place(lake: str | None) -> LakePlace | None:
    """Returns where the lake is; None where other settings may say more, so that all of them have to be read.

    Args:
        lake: The option `--lake`.
    """
    set_names = {name for name in os.environ if name.upper().startswith(PREFIX) or name.upper() == KEY_VARIABLE}
    folder_set = os.environ.get(_LAKE, DEFAULT_LAKE)
    folder = folder_set if lake is None else lake
    if set_names <= {_LAKE} and folder.strip() and folder_set.strip() and not Path(FILE).exists():
        return LakePlace.of(Path(folder))
    return None
