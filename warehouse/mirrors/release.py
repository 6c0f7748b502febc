"""The manifest of a mirror, and its readers.

A reader holds a lock on a file of its own, which names the release: while somebody reads a release, its files stay. The
system ends the lock with the process, so a reader that was killed keeps nothing. Readers begin, and releases go, one at
a time: no reader begins on a release that is just being removed.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from sources.errors import UsageError, WarehouseError
from warehouse.durable_files import PARTIAL, write_whole
from warehouse.mirrors.index import hash_probe

FORM = 3  # raised whenever a mirror made before can no longer be read
_WAIT_S = 60.0  # what comes in between lasts milliseconds


class Reader:
    """A reader of a release, until `end`, or until this is garbage.

    Args:
        path: The file to lock; None where the folder cannot be written, and so no import can remove anything.
    """

    def __init__(self, path: Path | None) -> None:
        lock = None if path is None else FileLock(path, timeout=0, thread_local=False)
        if lock is not None:
            lock.acquire()
        self.end = weakref.finalize(self, _end, lock)


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """What a mirror holds."""

    name: str  # the release's folder
    source: str  # one of `shapes.SHAPES`
    files: tuple[str, ...]  # names of the dump files it was made from, updates last
    sizes: tuple[int, ...]  # bytes of each dump file
    digest: str  # of the bytes of the dump files, updates not among them
    rows: int  # papers in it now
    refused: int  # lines of the dump that are no papers, in `refused.jsonl` of the release's folder
    left_out: int = 0  # fields that cannot be true and were left out, the papers taken; named in the same file
    duplicates: int  # rows whose identifier a later row has too; the later one stayed
    deleted: int = 0  # papers that an update took away
    imported_at: str  # when it was made, ISO 8601 in UTC
    told_at: str  # date of the dump, ISO 8601 in UTC: its newest row's, or that of `--as-of`
    whole: bool  # whether it is all that the source had then, so that what is not in it was not there
    blocks: int  # blocks of papers, those of updates among them
    index: int = 0  # number of the index file, which each update makes anew
    hashed: int  # what `hash('paperlake')` was when it was made; another DuckDB may hash otherwise
    form: int = FORM  # version of the file format

    @property
    def as_of(self) -> datetime:
        """Returns the date of the dump, or of the last update."""
        return datetime.fromisoformat(self.told_at)


class MirrorFolder:
    """The files of one mirror: a manifest, and the folder of the release that it names.

    A release's folder holds `papers/BLOCK.parquet`, `index-NUMBER.duckdb` and `refused.jsonl`. The manifest is replaced
    last, so that what is half made is never read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manifest = path / "release.json"
        self._readers = path / "readers"

    @property
    def release(self) -> Release | None:
        """Returns the release in use, None where nothing has been imported.

        Raises:
            WarehouseError: The manifest has been damaged, or was made by another version.
        """
        if not self.manifest.is_file():
            return None
        try:
            facts = json.loads(self.manifest.read_text(encoding="utf-8"))
            if facts["form"] != FORM:
                raise self.damaged("made by another version")
            release = Release(**facts | {name: tuple(facts[name]) for name in ("files", "sizes")})
            _refuse_odd(release)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise self.damaged(error) from error
        if release.hashed != hash_probe():
            raise self.damaged("made by another version")
        return release

    def papers(self, release: Release, block: int) -> Path:
        """Returns the file with the papers of a block."""
        return self.path / release.name / "papers" / f"{block:06}.parquet"

    def index(self, release: Release) -> Path:
        """Returns the file of the index."""
        return self.path / release.name / index_name(release.index)

    def begin_reading(self) -> tuple[Release | None, Reader]:
        """Returns the release in use, and a reader that holds its files until `end`."""
        if self.manifest.is_file():
            with suppress(OSError), self._alone():
                release = self.release
                if release is not None:
                    return release, Reader(self._readers / f"{release.name}.{os.getpid()}-{secrets.token_hex(4)}.lock")
        return self.release, Reader(None)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Holds the gate: meanwhile no reader begins, and no other process removes anything."""
        self._readers.mkdir(exist_ok=True)
        gate = FileLock(self._readers / "gate.lock", timeout=_WAIT_S)
        try:
            gate.acquire()
        except Timeout as error:
            raise WarehouseError(f"the mirror is locked by another process ({gate.lock_file}); try again") from error
        try:
            yield
        finally:
            gate.release()

    def _is_read(self, release: str) -> bool:
        """Returns whether anybody reads `release`, and clears away after those who died; only to be called `_alone`."""
        is_read = False
        for path in [path for path in self._readers.iterdir() if path.name.startswith(f"{release}.")]:
            try:
                with FileLock(path, timeout=0):
                    path.unlink(missing_ok=True)
            except Timeout:
                is_read = True
        return is_read

    def new_name(self, digest: str) -> str:
        """Returns a name for a release made of the bytes of that `digest`, which no folder has yet."""
        names = (f"release-{digest[:12]}{suffix}" for suffix in ("", *(f"-{number}" for number in range(2, 10_000))))
        return next(name for name in names if not (self.path / name).exists())

    def publish(self, release: Release) -> Release:
        """Puts `release` into use, drops all others that nobody reads, and returns it."""
        write_whole(self.manifest, (json.dumps(asdict(release), indent=1) + "\n").encode())
        self.drop_unused(release)
        return release

    def drop_unused(self, release: Release | None) -> None:
        """Removes what nobody reads: releases other than `release`, indexes that were merged, what a crash left."""
        with self._alone():
            unused = [path for path in self.path.glob("release-*") if not (release and path.name == release.name)]
            unused = [path for path in unused if path.is_dir() and not self._is_read(path.name)]
            if release and not self._is_read(release.name):
                in_use = self.index(release)
                unused += [path for path in in_use.parent.glob("index-*.duckdb") if path != in_use]
            # Out of the readers' sight at once; large folders take a while to remove.
            dropped = [path.rename(self.path / f"dropped-{secrets.token_hex(4)}{PARTIAL}") for path in unused]
        for path in dropped:
            _remove(path)

    def drop_partial(self, *, but: Path) -> None:
        """Removes what stopped imports and updates left, but for the folder `but`."""
        for path in (*self.path.glob(f"*{PARTIAL}"), *self.path.glob(f".*{PARTIAL}")):
            if path != but:
                _remove(path)

    def damaged(self, why: object) -> WarehouseError:
        """Returns the error that says what to do about a mirror that cannot be read."""
        first = str(why).strip().splitlines()[0]
        return WarehouseError(
            f"the mirror at {self.path} cannot be read: remove it or import it anew with `paperlake mirror import`"
            f" ({first})"
        )

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Refuses other updates from the source meanwhile, whose pages would get among ours."""
        with self._locked("update", f"another update of {self.path}"):
            yield

    @contextmanager
    def importing(self) -> Iterator[None]:
        """Refuses other imports into this mirror meanwhile."""
        absent = [folder for folder in (self.path, *self.path.parents) if not folder.exists()]
        try:
            with self._locked("import", f"another import into {self.path}"):
                yield
        finally:
            own = ("import.lock", "readers")
            # A folder that was made for the import, and is empty, goes again.
            if self.path in absent and all(each.name in own for each in self.path.iterdir()):
                with suppress(OSError):
                    shutil.rmtree(self.path / "readers", ignore_errors=True)
                    (self.path / "import.lock").unlink(missing_ok=True)
                    for folder in absent:
                        folder.rmdir()

    @contextmanager
    def _locked(self, name: str, other: str) -> Iterator[None]:
        lock = FileLock(self.path / f"{name}.lock", timeout=0)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            with lock:
                yield
        except Timeout as error:
            raise UsageError(f"{other} is under way; wait for it to end (lock: {lock.lock_file})") from error
        except OSError as error:
            raise UsageError(f"cannot write the mirror at {self.path}: {error.strerror or error}") from error


def index_name(number: int) -> str:
    """Returns the name of the file of the index of that number."""
    return f"index-{number:04}.duckdb"


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _refuse_odd(release: Release) -> None:
    for each in fields(Release):
        value = getattr(release, each.name)
        kind = {"int": int, "str": str, "bool": bool}.get(str(each.type), tuple)
        if not isinstance(value, kind) or isinstance(value, bool) != (kind is bool):
            raise TypeError(f"{each.name} is no {each.type}")
    if release.as_of.tzinfo is None or Path(release.name).name != release.name:
        raise ValueError("told_at without time zone, or name of another folder")


def _end(lock: FileLock | None) -> None:
    if lock is not None:
        with suppress(OSError):
            os.unlink(lock.lock_file)  # noqa: PTH108 - at the end of the interpreter little else is left
            lock.release()
