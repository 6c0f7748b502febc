"""Writes internal files and folders whole, so that they survive a power cut.

A rename alone is not enough: the name may be on disk before the bytes are, and the bytes before the name
(https://man7.org/linux/man-pages/man2/fsync.2.html). So the new file is flushed to disk, renamed, and then its folder
is flushed.
"""

from __future__ import annotations

import errno
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


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


PARTIAL = ".partial"  # ending of a file that is still being written; one that is found after a crash is worth nothing
_LONGEST_STEM = 100  # characters of the target's name in the name of its partial file: a name has at most 255 bytes
_FOLDERS_CAN_BE_FLUSHED = os.name == "posix"
# What some network file systems say when a folder is to be flushed, as they do so by themselves.
_NOT_FOR_FOLDERS = (errno.EINVAL, errno.ENOTSUP)


@contextmanager
def replacing(target: Path) -> Iterator[BinaryIO]:
    """Gives a new file to write, which becomes `target` at the end of the block, flushed to disk; else nothing changes.

    The permissions of a `target` that is there already stay.

    Raises:
        OSError: The file cannot be written; `target` is as it was.
    """
    partial = target.with_name(f".{target.name[:_LONGEST_STEM]}-{secrets.token_hex(4)}{PARTIAL}")
    try:
        with partial.open("xb") as file:
            yield file
        if target.exists():
            partial.chmod(target.stat().st_mode & 0o7777)
        put_in_place(partial, target)
    except OSError as error:
        if error.errno == errno.ENOSPC and error.filename is None:
            error.filename = str(target)  # the error of a write does not say where
        raise
    finally:
        partial.unlink(missing_ok=True)


def write_whole(target: Path, body: bytes) -> None:
    """Makes `body` all that the file `target` holds, see `replacing`."""
    with replacing(target) as file:
        file.write(body)


def put_in_place(made: Path, target: Path) -> None:
    """Renames the file or folder `made` to `target`, on the same disk, and flushes all of it.

    A file takes the place of one that is there; a folder takes that of an empty one only.
    """
    _flush_all(made)
    made.replace(target)
    flush(target.parent)
    if made.parent != target.parent:
        flush(made.parent)


def flush(path: Path) -> None:
    """Flushes a file, or the names in a folder, to disk."""
    if path.is_dir() and not _FOLDERS_CAN_BE_FLUSHED:
        return
    # Windows flushes only what is open for writing.
    descriptor = os.open(path, os.O_RDONLY if _FOLDERS_CAN_BE_FLUSHED else os.O_RDWR)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NOT_FOR_FOLDERS or not path.is_dir():
            raise
    finally:
        os.close(descriptor)


def _flush_all(path: Path) -> None:
    if path.is_dir():
        for inside in path.iterdir():
            _flush_all(inside)
    flush(path)
