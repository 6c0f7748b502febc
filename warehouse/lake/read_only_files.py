"""Gives DuckDB the lake's data files to read, and no way to write any file."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from stat import S_ISDIR
from typing import Any

from fsspec import AbstractFileSystem

_SCHEME = "lakefiles://"


class _File(FileIO):
    """A file that DuckDB may drop without closing it."""

    def __del__(self) -> None:
        self.close()


class ReadOnlyFiles(AbstractFileSystem):  # type: ignore[misc]
    """The files under one folder, for DuckDB's `register_filesystem`; it can read them and nothing else.

    DuckDB's own file system takes no "read only" for what a directory is allowed: with it disabled and this in its
    place, no statement can write, whatever it is. Files elsewhere are refused, also by way of `..` or a symbolic link.
    """

    protocol = _SCHEME.removesuffix("://")
    cachable = False

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder.resolve()

    @staticmethod
    def address(path: str) -> str:
        """Returns the name under which DuckDB reads the file or folder at `path` this way."""
        return f"{_SCHEME}{path}"

    def open(self, path: str, mode: str = "rb", **_: Any) -> FileIO:
        """Returns the file at `path`, opened to read."""
        if mode not in ("r", "rb"):
            raise PermissionError(f"the lake's files can only be read, and this would write to {path}")
        return _File(self._local(path))

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """Returns the size in bytes and the kind of what is at `path`."""
        status = self._status(path)
        return {"name": path, "size": status.st_size, "type": "directory" if S_ISDIR(status.st_mode) else "file"}

    def exists(self, path: str, **_: Any) -> bool:
        """Returns whether there is anything at `path`."""
        return self._local(path).exists()

    def modified(self, path: str) -> datetime:
        """Returns when the file at `path` was last written."""
        return datetime.fromtimestamp(self._status(path).st_mtime, UTC)

    def glob(self, path: str, **_: Any) -> list[str]:
        """Returns `path` itself if it is there: a name is never a pattern."""
        return [path] if self.exists(path) else []

    def _status(self, path: str) -> os.stat_result:
        return self._local(path).stat()

    def _local(self, path: str) -> Path:
        local = Path(path.removeprefix(_SCHEME)).resolve()
        if not local.is_relative_to(self._folder):
            raise PermissionError(f"{local} is not among the lake's files")
        return local
