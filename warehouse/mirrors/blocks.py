"""Reads dump files in blocks of whole lines that fit in memory, or of rows of Parquet.

What is read of a file is measured while it is cut: the lines and a digest of every block. Whoever takes the block
compares, so that nothing is lost between the two, and nothing comes in from another file.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import IO, Any

import duckdb
import pyarrow as pa

from sources.errors import PayloadError, UsageError, WarehouseError
from sources.text import counted
from warehouse.lake.engine import grant_public

Lines = Callable[[IO[bytes]], io.BufferedReader]  # makes lines of JSON of what a file of another form holds
BLOCK_BYTES = 64 * 2**20  # bytes of a block, but for the rest of its last line
# A file without line ends is no dump and must not fill the memory: a longer line is cut, and its pieces are refused.
_LONGEST_LINE = 16 * 2**20
_PIECE = 2**20  # bytes that are read at a time
_ROWS = 500_000  # rows of a block of Parquet; a part of a snapshot has fewer, so that it is one block
_PARQUET = b"PAR1"  # first bytes of Parquet
# First bytes of a packed file -> how it is packed.
_PACKINGS = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd", b"PK\x03\x04": "zip"}
_ENDINGS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".zip": "zip"}
_NOT_UNPACKED = {b"\xfd7zXZ\x00": "xz", b"7z\xbc\xaf\x27\x1c": "7z", b"\x04\x22\x4d\x18": "lz4"}
_FAULTS = (EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, pa.ArrowException)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileBlock:
    """A run of lines of a dump file, or of rows where it is Parquet."""

    file: str  # the dump file, by its distinct name
    path: Path  # where the bytes are: the dump itself, or what was unpacked of it
    url: str | None = None  # where they are on S3; None of a local file
    start: int  # offset of the first byte in `path`; of Parquet, the first row
    length: int  # bytes
    lines: int  # lines, blank ones too; of Parquet, rows
    sha256: str  # of the bytes; of Parquet, of its footer, which has the place and bounds of each column
    is_parquet: bool = False  # whether it has rows instead of lines
    ends_open: bool = False  # whether the file ends in this block without a line end
    unpacked: bool = False  # whether `path` was made for this block and may go when it is done
    body: bytearray | None = field(default=None, repr=False)  # the bytes, as long as they are at hand

    def read(self) -> bytes | bytearray:
        """Returns the block's bytes.

        Raises:
            OSError: They cannot be read.
            UsageError: They are not those that were cut.
        """
        if self.body is not None:
            return self.body
        with self.path.open("rb") as stream:
            stream.seek(self.start)
            body = stream.read(self.length)
        if hashlib.sha256(body).hexdigest() != self.sha256:
            raise changed(self.file)
        return body


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a snapshot, as its manifest describes it."""

    place: Path | str  # where it is, a file or `s3://bucket/path`
    size: int  # bytes
    rows: int | None  # how many it has; None where that is not to be compared


@dataclass(frozen=True, slots=True, kw_only=True)
class DumpFile:
    """A file to be cut, as it was when the work on it began."""

    path: Path  # where it is
    url: str | None = None  # where it is on S3; None of a local file
    label: str  # the end of its path, distinct among the files
    size: int  # bytes
    modified_ns: int  # when it was last changed
    inode: tuple[int, int]  # the file itself, whatever its names
    rows: int | None = None  # how many its manifest says that it has


def dump_files(paths: Sequence[Path | Part]) -> tuple[DumpFile, ...]:
    """Returns what there is to know of the files at `paths`; of those on S3, what their manifest says.

    Raises:
        UsageError: One cannot be read, or is named twice.
    """
    files: dict[tuple[int, int], DumpFile] = {}
    for path, label in zip(paths, _labels(paths), strict=True):
        try:
            file = _dump_file(path, label)
        except OSError as error:
            raise UsageError(f"cannot read {error.filename}: {error.strerror or error}") from error
        if file.inode in files:
            raise UsageError(f"{files[file.inode].path} and {path} are the same file: name it once")
        files[file.inode] = file
    return tuple(files.values())


def _dump_file(path: Path | Part, label: str) -> DumpFile:
    if isinstance(path, Part):
        if isinstance(path.place, Path):
            return replace(_dump_file(path.place, label), rows=path.rows)
        number = int.from_bytes(hashlib.sha256(path.place.encode()).digest()[:8], "big")
        return DumpFile(
            path=Path(label), url=path.place, label=label, size=path.size, modified_ns=0, inode=(0, number),
            rows=path.rows,
        )  # fmt: skip
    facts = path.stat()
    inode = (facts.st_dev, facts.st_ino)
    return DumpFile(path=path, label=label, size=facts.st_size, modified_ns=facts.st_mtime_ns, inode=inode)


def refuse_changed(files: Sequence[DumpFile]) -> None:
    """Refuses files that are no longer as they were when the work on them began.

    Raises:
        UsageError: One has changed or is gone, as when it is still being downloaded.
    """
    for file in files:
        if file.url is not None:  # its manifest is read again
            continue
        try:
            now = _dump_file(file.path, file.label)
        except OSError as error:
            raise changed(file.label) from error
        if replace(now, rows=file.rows) != file:
            raise changed(file.label)


def changed(label: str) -> UsageError:
    """Returns the error that says that a file was not the same all the time."""
    return UsageError(f"{label} changed while it was read: import it again once nobody writes to it")


def cut(
    file: DumpFile, spool: Path | None, *, number: int = 0, size: int = BLOCK_BYTES, lines: Lines | None = None
) -> Iterator[FileBlock]:
    """Yields the blocks of a dump file, in order.

    Args:
        file: The file.
        spool: Folder for what is unpacked of a packed file; None only measures the blocks.
        number: The file's place among those of the dump: files of different folders may have one name.
        size: Bytes of a block.
        lines: Reads a file of another form as lines, which are unpacked as those of a packed file are.

    Raises:
        UsageError: The file cannot be read, is cut off or damaged, or is none of that form.
        WarehouseError: `spool` cannot be written, a file on S3 cannot be read now, or a file has more or fewer rows
            than its manifest says.
    """
    found = 0
    is_parquet = lines is None and file.url is not None
    if lines is None and file.url is None:
        with file.path.open("rb") as stream:
            is_parquet = stream.read(len(_PARQUET)) == _PARQUET
    for block in _row_blocks(file) if is_parquet else _line_blocks(file, spool, number=number, size=size, lines=lines):
        found += block.lines
        yield block
    if file.rows not in (None, found):
        raise WarehouseError(
            f"{file.label} has {counted(found, 'row')}, and the manifest says {file.rows:,}: get the release anew, or"
            " add --force to take it as it is"
        )


def _line_blocks(
    file: DumpFile, spool: Path | None, *, number: int, size: int, lines: Lines | None
) -> Iterator[FileBlock]:
    start = 0
    with _opened(file.path) as (stream, packed):
        body = stream if lines is None else lines(stream)
        while taken := body.readinto(piece := bytearray(size)):
            del piece[taken:]
            if taken == size:  # unlike bytes, these grow where they are
                piece += body.readline(_LONGEST_LINE)
            path = spool / f"{number:06}-{start:015}.jsonl" if spool and (packed or lines) else None
            if path:
                try:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(piece)
                except OSError as error:
                    raise WarehouseError(f"cannot unpack a dump to {path}: {error.strerror or error}") from error
            ends_open = not piece.endswith(b"\n")
            yield FileBlock(
                file=file.label,
                path=path or file.path,
                start=0 if path else start,
                length=len(piece),
                lines=piece.count(b"\n") + ends_open,
                sha256=hashlib.sha256(piece).hexdigest(),
                ends_open=ends_open and not body.peek(1),
                unpacked=path is not None,
                body=piece,
            )
            start += len(piece)


def _row_blocks(file: DumpFile) -> Iterator[FileBlock]:
    place = file.url or str(file.path)
    try:
        with closing(duckdb.connect()) as connection:
            if file.url is not None:
                grant_public(connection, place)
            footer = connection.execute("SELECT * EXCLUDE (file_name) FROM parquet_metadata(?)", [place]).fetchall()
            rows = connection.execute("SELECT num_rows FROM parquet_file_metadata(?)", [place]).fetchall()[0][0]
    except duckdb.Error as error:
        why = str(error).splitlines()[0]
        if file.url is not None:
            raise unread(place, why) from error
        raise UsageError(f"cannot read {place}: it is cut off or damaged ({why})") from error
    for start in range(0, rows, _ROWS):
        count = min(_ROWS, rows - start)
        yield FileBlock(
            file=file.label,
            path=file.path,
            url=file.url,
            start=start,
            length=file.size * count // rows,
            lines=count,
            sha256=hashlib.sha256(repr((start, count, footer)).encode()).hexdigest(),
            is_parquet=True,
        )


def lines_of(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yields the lines of a file, packed or not, that are not blank, with their number from 1."""
    with _opened(path) as (stream, _):
        for number, line in enumerate(iter(partial(stream.readline, _LONGEST_LINE), b""), start=1):
            if line.strip():
                yield number, line


def unread(place: str, why: str) -> WarehouseError:
    """Returns the error that says that a part could not be read now, of which nothing follows for its rows."""
    return WarehouseError(f"cannot read {place} ({why}): the same import again goes on from there")


@contextmanager
def _opened(path: Path) -> Iterator[tuple[io.BufferedReader, bool]]:
    """Gives what the file at `path` holds unpacked, and whether it was packed; names the file where it is damaged."""
    try:
        with ExitStack() as stack:
            plain = stack.enter_context(path.open("rb"))
            first = plain.peek(8)[:8]
            packing = next((name for magic, name in _PACKINGS.items() if first.startswith(magic)), None)
            other = next((name for magic, name in _NOT_UNPACKED.items() if first.startswith(magic)), None)
            if other is not None:
                raise UsageError(
                    f"cannot read {path}: it is packed with {other}; unpack it, or pack it as .gz, .bz2 or .zst"
                )
            ending = _ENDINGS.get(path.suffix.lower())
            if ending not in (None, packing):
                raise UsageError(
                    f"cannot read {path}: it is cut off or damaged (its first bytes are not those of {ending})"
                )
            stream: Any = plain
            if packing == "zip":
                archive = stack.enter_context(zipfile.ZipFile(path))
                if len(names := archive.namelist()) != 1:
                    raise UsageError(f"{path} holds {counted(len(names), 'file')}; a dump is one")
                stream = stack.enter_context(archive.open(names[0]))
            elif packing is not None:
                # Unlike Python's own readers, this takes no garbage behind the packed bytes for their end.
                stream = stack.enter_context(pa.CompressedInputStream(pa.OSFile(str(path)), packing))
            yield stream if packing is None else io.BufferedReader(stream, _PIECE), packing is not None
    except PayloadError as error:
        raise UsageError(f"cannot read {path}: {error}") from error
    except _FAULTS as error:
        raise UsageError(f"cannot read {path}: it is cut off or damaged ({error})") from error


def _labels(paths: Sequence[Path | Part]) -> list[str]:
    """Returns for each path the shortest end of it that no other has: its name, where that is enough."""
    places = [path.place if isinstance(path, Part) else path for path in paths]
    parts = [place.split("/") if isinstance(place, str) else place.absolute().parts for place in places]
    ends = ["/".join(part[-1:]) for part in parts]
    for count in range(2, max(map(len, parts), default=0) + 1):
        same = {end for end, times in Counter(ends).items() if times > 1}
        ends = ["/".join(item[-count:]) if end in same else end for item, end in zip(parts, ends, strict=True)]
    return ends
