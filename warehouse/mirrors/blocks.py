"""Dump files in blocks: runs of whole lines, small enough to hold in memory, each the work of one task."""

from __future__ import annotations

import gzip
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from sources.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BLOCK_BYTES = 64 * 2**20
"""Bytes of a block, but for the rest of its last line."""
LINE_BITS = 27
"""Bits that number the lines of a block; a block with its last line has fewer bytes than that."""
_LONGEST_LINE = 16 * 2**20
"""A file without line ends is no dump and must not fill the memory: what is longer is cut, and refused as it stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A run of lines of a dump file.

    Attributes:
        file: The dump file.
        path: Where the bytes are: the dump itself, or what was unpacked of it.
        start: Offset of the first byte in `path`.
        length: Bytes.
        unpacked: Whether `path` was made for this block and may go when it is done.
    """

    file: Path
    path: Path
    start: int
    length: int
    unpacked: bool = False

    def read(self) -> bytes:
        """Returns the block's bytes."""
        with self.path.open("rb") as stream:
            stream.seek(self.start)
            return stream.read(self.length)


def sizes_of(files: Sequence[Path]) -> tuple[int, ...]:
    """Returns how many bytes each of `files` has.

    Raises:
        UsageError: One cannot be read.
    """
    try:
        return tuple(file.stat().st_size for file in files)
    except OSError as error:
        raise UsageError(f"cannot read {error.filename}: {error.strerror or error}") from error


def cut(file: Path, spool: Path, *, size: int = BLOCK_BYTES) -> Iterator[Block]:
    """Yields the blocks of a dump file, in order; those of a packed file are unpacked into the folder `spool`.

    Raises:
        UsageError: The file cannot be read, is cut off or damaged.
    """
    try:
        if file.suffix in (".gz", ".zip"):
            yield from _unpacked(file, spool, size)
        else:
            yield from _plain(file, size)
    except (EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError) as error:
        raise UsageError(f"cannot read {file}: it is cut off or damaged ({error})") from error


def _plain(file: Path, size: int) -> Iterator[Block]:
    with file.open("rb") as stream:
        start = 0
        while stream.seek(start + size) and stream.read(1):
            stream.seek(start + size)
            end = start + size + len(stream.readline(_LONGEST_LINE))
            yield Block(file=file, path=file, start=start, length=end - start)
            start = end
        stream.seek(0, 2)
        if stream.tell() > start:
            yield Block(file=file, path=file, start=start, length=stream.tell() - start)


def _unpacked(file: Path, spool: Path, size: int) -> Iterator[Block]:
    spool.mkdir(parents=True, exist_ok=True)
    with _opened(file) as stream:
        number = 0
        while body := stream.read(size):
            body += stream.readline(_LONGEST_LINE)
            path = spool / f"{file.name}-{number:06}.jsonl"
            path.write_bytes(body)
            yield Block(file=file, path=path, start=0, length=len(body), unpacked=True)
            number += 1


@contextmanager
def _opened(file: Path) -> Iterator[IO[bytes]]:
    if file.suffix == ".gz":
        with gzip.open(file, "rb") as stream:
            yield stream  # type: ignore[misc]
        return
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
        if len(names) != 1:
            raise UsageError(f"{file} holds {len(names)} files; a dump is one")
        with archive.open(names[0]) as stream:
            yield stream
