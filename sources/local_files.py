"""Files, folders and globs -> the reading lists they name on this machine, and their bytes."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from sources.errors import UsageError

LIST_SUFFIXES = (".md", ".markdown", ".mdown", ".txt")
"""What a folder's reading lists end in; a file that is named itself may end in anything."""
MAX_FILE_BYTES = 64 * 1024 * 1024

_SKIPPED_FOLDERS = frozenset({"node_modules", "site-packages", "__pycache__"})
_GLOB_MARKS = frozenset("*?[")
_HINT = "a list is a file, a folder, a glob, -, an https URL or github:owner/name"


def find_list_files(argument: str, *, shown: str) -> list[Path]:
    """Returns the files that `argument` (a file, a folder or a glob) names, sorted where it names several.

    A folder is read to its depths, without hidden folders, virtual environments and node_modules, and without following
    links to folders. A name that exists is never taken for a glob.

    Args:
        argument: As given; `~` is the home folder.
        shown: The same, fit for a message.

    Raises:
        UsageError: Nothing is there, or nothing that is a list.
    """
    try:
        path = Path(argument).expanduser()
        found = list(_walk(path)) if stat.S_ISDIR(path.stat().st_mode) else [path]
    except FileNotFoundError:
        return _matches(path, shown)
    except (OSError, ValueError, RuntimeError) as error:
        _refuse(shown, error)
    if not found:
        raise UsageError(f"{shown} holds no reading lists ({', '.join(LIST_SUFFIXES)}); name the files themselves")
    return found


def read_list_file(path: Path, *, shown: str) -> bytes:
    """Returns the bytes of a regular file of at most `MAX_FILE_BYTES`.

    Raises:
        UsageError: Missing, unreadable, too large, or a device, pipe or socket.
    """
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise UsageError(f"{shown} is not a regular file; pipe it in and read it as -")
        with path.open("rb") as file:
            body = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        _refuse(shown, error)
    check_size(body, limit=MAX_FILE_BYTES, shown=shown)
    return body


def check_size(body: bytes, *, limit: int, shown: str) -> None:
    """Refuses more than `limit` bytes.

    Raises:
        UsageError: `body` is longer.
    """
    if len(body) > limit:
        raise UsageError(f"{shown} is larger than {limit // 1024 // 1024} MiB; a reading list is text, split it")


def _matches(path: Path, shown: str) -> list[Path]:
    """Returns what the glob `path` matches, as a shell would with `**` switched on."""
    fixed = next((index for index, part in enumerate(path.parts) if _GLOB_MARKS & set(part)), None)
    if fixed is None:
        raise UsageError(f"{shown}: no such file or folder; {_HINT}")
    base, pattern = Path(*path.parts[:fixed]), path.parts[fixed:]
    try:
        matches = sorted(base.glob("/".join(pattern)))
        found = list(dict.fromkeys(file for match in matches for file in _lists_in(match, base, pattern)))
    except (OSError, ValueError, NotImplementedError) as error:
        raise UsageError(f"{shown} is not a usable glob: {error}") from None
    if not found:
        raise UsageError(f"{shown} matches no reading list; check the pattern and the folder it starts in")
    return found


def _lists_in(match: Path, base: Path, pattern: tuple[str, ...]) -> Iterator[Path]:
    """Yields the lists of one match: a folder's, or the file itself if the pattern or its suffix says it is one."""
    inner = match.relative_to(base).parts
    if any(_is_skipped(base.joinpath(*inner[: n + 1])) for n, part in enumerate(inner) if part not in pattern):
        return
    if match.is_dir():
        yield from () if match.is_symlink() else _walk(match)
    elif Path(pattern[-1]).suffix or match.suffix.lower() in LIST_SUFFIXES:
        yield match


def _walk(folder: Path) -> Iterator[Path]:
    """Yields the reading lists below `folder`, each folder's own files first, in order of name."""
    entries = sorted(folder.iterdir())
    for entry in entries:
        if entry.suffix.lower() in LIST_SUFFIXES and not entry.name.startswith(".") and not entry.is_dir():
            yield entry
    for entry in entries:
        if entry.is_dir() and not entry.is_symlink() and not _is_skipped(entry):
            yield from _walk(entry)


def _is_skipped(path: Path) -> bool:
    return path.name.startswith(".") or path.name in _SKIPPED_FOLDERS or (path / "pyvenv.cfg").is_file()


def _refuse(shown: str, error: Exception) -> NoReturn:
    why = (os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)).lower()
    remedy = "check who may read it" if isinstance(error, PermissionError) else _HINT
    raise UsageError(f"{shown} cannot be read: {why}; {remedy}") from None
