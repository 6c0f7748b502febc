"""Where the user's system keeps what can be made again."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """Returns our folder among the user's caches; it need not be there yet.

    https://specifications.freedesktop.org/basedir-spec/latest/ ; macOS and Windows have places of their own.
    """
    named = Path(os.environ.get("XDG_CACHE_HOME") or "")
    if named.is_absolute():
        folder = named
    elif sys.platform == "darwin":
        folder = Path.home() / "Library" / "Caches"
    elif sys.platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        folder = Path.home() / ".cache"
    return folder / "paperlake"
