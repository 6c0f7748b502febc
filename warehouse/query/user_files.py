"""Writes the files that a user asked for: whole or not at all, and never into the lake.

A new one is written beside, flushed to disk and renamed (`warehouse.durable_files`); so a device, a FIFO or a symbolic
link must not be the target of the rename, and no path, link or second name may lead to what the lake is made of.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from sources.errors import UsageError
from warehouse.durable_files import put_in_place, replacing
from warehouse.lake.place import LakePlace

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_BESIDE_SQLITE = ("", "-journal", "-wal", "-shm")


@contextmanager
def writing_user_file(path: Path, *, place: LakePlace) -> Iterator[BinaryIO]:
    """Gives a new file to write, which becomes the one at `path` at the end of the block; else nothing changes.

    Symbolic links are followed; the permissions of a file that is there stay.

    Raises:
        UsageError: There is something else at `path`, it leads into the lake, or it cannot be written.
    """
    target = user_file(path, place=place)
    with _refused(path), replacing(target) as file:
        yield file


def put_user_file(made: Path, path: Path, *, place: LakePlace) -> None:
    """Moves the file `made` to `path`, see `writing_user_file`."""
    target = user_file(path, place=place)
    with _refused(path):
        if not target.exists():
            put_in_place(made, target)
            return
        with replacing(target) as new, made.open("rb") as old:
            shutil.copyfileobj(old, new)


def user_folder(path: Path, *, place: LakePlace) -> Path:
    """Returns the folder that `path` names, made if it is not there.

    Raises:
        UsageError: It is no folder, leads into the lake, or cannot be made.
    """
    target = _resolved(path)
    with _refused(path):
        _refuse_inside(target, path, place)
        target.mkdir(parents=True, exist_ok=True)
        return target


def user_file(path: Path, *, place: LakePlace) -> Path:
    """Returns the file that `path` leads to, after every check that `writing_user_file` makes."""
    target = _resolved(path)
    with _refused(path):
        _refuse_inside(target, path, place)
        try:
            status = target.stat()
        except FileNotFoundError:
            return target
        if not stat.S_ISREG(status.st_mode):
            kind = _KINDS.get(stat.S_IFMT(status.st_mode), "no file")
            raise UsageError(f"cannot write {path}: it is {kind}; name a regular file or a new one")
        if status.st_nlink > 1 and any(os.path.samestat(status, own) for own in _own_files(place)):
            raise UsageError(f"cannot write {path}: it is another name of a file of the lake at {place}")
        return target


def _refuse_inside(target: Path, path: Path, place: LakePlace) -> None:
    """Refuses what is inside the lake, also where the folder has another name (a bind mount, another case)."""
    folders = [place.folder, *([] if place.data_on_store else [Path(place.data)])]
    own = [folder.stat() for folder in folders if folder.is_dir()]
    above = [parent.stat() for parent in (target, *target.parents) if parent.is_dir()]
    catalogue = place.catalog_file
    inside = any(target.is_relative_to(folder.resolve()) for folder in folders)
    inside = inside or any(os.path.samestat(status, folder) for status in above for folder in own)
    if catalogue is not None:
        real = catalogue.resolve()
        inside = inside or target in [real.with_name(f"{real.name}{ending}") for ending in _BESIDE_SQLITE]
    if inside:
        raise UsageError(f"cannot write {path}: it is inside the lake at {place}, which only paperlake itself writes")


def _own_files(place: LakePlace) -> Iterator[os.stat_result]:
    folders = [place.folder, *([] if place.data_on_store or place.data_inside else [Path(place.data)])]
    if place.catalog_file is not None and place.catalog_file.is_file():
        yield place.catalog_file.stat()
    for folder in folders:
        for file in folder.rglob("*"):
            if file.is_file():
                yield file.stat()


def _resolved(path: Path) -> Path:
    with _refused(path):
        try:
            return path.resolve()
        except RuntimeError as error:  # a loop of symbolic links
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from error
        except ValueError as error:  # a null byte in the name
            raise UsageError(f"cannot write {str(path)!r}: that is no name of a file") from error


@contextmanager
def _refused(path: Path) -> Iterator[None]:
    """Turns what the system says into one line that names the file."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error
