"""Files, folders and globs -> the reading lists they name on this machine, and their bytes."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NoReturn

from sources.errors import NoSuchList, UsageError

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
        raise NoSuchList(f"{shown} holds no reading lists ({', '.join(LIST_SUFFIXES)}); name the files themselves")
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
        raise NoSuchList(f"{shown}: no such file or folder; {_HINT}")
    base, pattern = Path(*path.parts[:fixed]), path.parts[fixed:]
    try:
        matches = sorted(base.glob("/".join(pattern)))
        found = list(dict.fromkeys(file for match in matches for file in _lists_in(match, base, pattern)))
    except (OSError, ValueError, NotImplementedError) as error:
        raise UsageError(f"{shown} is not a usable glob: {error}") from None
    if not found:
        raise NoSuchList(f"{shown} matches no reading list; check the pattern and the folder it starts in")
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
    kind = NoSuchList if isinstance(error, FileNotFoundError) else UsageError
    raise kind(f"{shown} cannot be read: {why}; {remedy}") from None


def would_find(argument: str, file: Path) -> bool:
    """Returns whether `argument` (a file, a folder or a glob) would name `file`, were that there.

    Args:
        argument: As given to `find_list_files`.
        file: The absolute path of a list, its folder resolved.
    """
    try:
        path = Path(argument).expanduser()
        fixed = next((n for n, part in enumerate(path.parts) if _GLOB_MARKS & set(part)), len(path.parts))
        if os.path.lexists(path):
            fixed = len(path.parts)
        base, pattern = Path(*path.parts[:fixed]), path.parts[fixed:]
        inner = file.relative_to((base.parent.resolve() / base.name) if base.is_symlink() else base.resolve()).parts
    except (OSError, ValueError, RuntimeError):
        return False
    is_list = file.suffix.lower() in LIST_SUFFIXES
    if pattern and _fits(inner, pattern):
        return is_list or bool(Path(pattern[-1]).suffix)
    folders = [n for n in range(len(inner)) if _fits(inner[:n], pattern)]
    walked = [inner[n:] for n in folders]
    return not (inner or pattern) or (is_list and any(not _has_skipped(parts) for parts in walked))


def _fits(parts: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """Returns whether the steps of a path match those of a glob, where `**` stands for any number of them."""
    if not pattern:
        return not parts
    if pattern[0] == "**":
        return _fits(parts, pattern[1:]) or (bool(parts) and _fits(parts[1:], pattern))
    return bool(parts) and fnmatchcase(parts[0], pattern[0]) and _fits(parts[1:], pattern[1:])


def _has_skipped(parts: tuple[str, ...]) -> bool:
    return any(part.startswith(".") or part in _SKIPPED_FOLDERS for part in parts)
