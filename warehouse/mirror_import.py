"""Imports arXiv's metadata dump into the local mirror: in bounded memory, all or nothing, bad rows kept aside."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import zipfile
import zlib
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import islice
from typing import IO, TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from sources.arxiv.dump import parse_dump_line
from sources.errors import PayloadError, UsageError, WarehouseError
from sources.matching.titles import title_key, title_words
from warehouse.mirror import PAPERS, ArxivMirror, Release

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

_BATCH = 20_000
_NOTHING_READ = "{name} holds no paper: arXiv's dump is JSON lines with id and title (refused {refused} lines)"


def import_arxiv(
    mirror: ArxivMirror, files: Sequence[Path], *, on_bytes: Callable[[int], None] = lambda _: None
) -> Release:
    """Imports dump files (JSON lines, plain, .gz or .zip) as one release and puts it into use.

    The same files again are recognised by their bytes and not read twice. Of rows with the same identifier, the last
    stays. Rows that are no papers are counted and kept in `refused.jsonl` with their line and the reason.

    Args:
        mirror: Where to.
        files: The dump.
        on_bytes: Told of progress, in bytes read.

    Raises:
        UsageError: A file is missing, is not a dump, or the mirror's folder cannot be written.
    """
    name = _release_name(files)
    with suppress(WarehouseError):  # a damaged mirror is made anew
        known = mirror.release
        if known is not None and known.name == name and mirror.is_whole(known):
            return known
    target, work = mirror.folder / name, mirror.folder / f"{name}.partial"
    absent = [folder for folder in (mirror.folder, *mirror.folder.parents) if not folder.exists()]
    try:
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        taken, refused = _to_parts(files, work, on_bytes)
        rows = _sort_and_index(work)
        shutil.rmtree(target, ignore_errors=True)
        if rows == 0:
            raise UsageError(_NOTHING_READ.format(name=", ".join(file.name for file in files), refused=refused))
        work.rename(target)
        release = Release(
            name=name,
            files=tuple(file.name for file in files),
            rows=rows,
            refused=refused,
            duplicates=taken - rows,
            imported_at=datetime.now(UTC).isoformat(),
        )
        return mirror.publish(release)
    except OSError as error:
        raise UsageError(f"cannot write the mirror at {mirror.folder}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(work, ignore_errors=True)
        _drop_empty(absent)


def _drop_empty(folders: Sequence[Path]) -> None:
    """Removes the folders that a failed import made for nothing, innermost first."""
    for folder in folders:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _release_name(files: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        try:
            with file.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
        except OSError as error:
            raise UsageError(f"cannot read {file}: {error.strerror or error}") from error
    return f"release-{digest.hexdigest()[:12]}"


def _to_parts(files: Sequence[Path], work: Path, on_bytes: Callable[[int], None]) -> tuple[int, int]:
    """Writes the papers of `files` as Parquet parts, in the order of the dump; returns rows taken and rows refused."""
    taken = refused = 0
    with (work / "refused.jsonl").open("w", encoding="utf-8") as aside:
        lines = ((file.name, number, line) for file in files for number, line in _lines(file))
        part = 0
        while batch := list(islice(lines, _BATCH)):
            rows: list[dict[str, Any]] = []
            for name, number, line in batch:
                try:
                    rows.append(_row(line))
                except PayloadError as error:
                    refused += 1
                    shown = line[:500].decode("utf-8", "replace")
                    aside.write(json.dumps({"file": name, "line": number, "why": error.message, "row": shown}) + "\n")
            pq.write_table(pa.Table.from_pylist(rows, schema=PAPERS), work / f"part-{part:06}.parquet")
            part += 1
            taken += len(rows)
            on_bytes(sum(len(line) for _, _, line in batch))
    return taken, refused


def _row(line: bytes) -> dict[str, Any]:
    paper = parse_dump_line(line)
    return {
        **asdict(paper),
        "title_key": title_key(paper.title),
        "words": list(dict.fromkeys(title_words(paper.title).words)),
    }


def _sort_and_index(work: Path) -> int:
    """Makes `papers`, `arxiv_ids` and `words` from the parts, drops the parts, and returns the number of papers."""
    folder = str(work).replace("'", "''")
    parts = sorted(work.glob("part-*.parquet"))
    if not parts:
        return 0
    connection = duckdb.connect()
    try:
        connection.execute("SET TimeZone='UTC'")
        connection.execute("SET enable_progress_bar=false")
        connection.execute(f"SET temp_directory = '{folder}/spill'")
        for statement in _INDEXES:
            connection.execute(statement.format(folder=folder))
        row = connection.execute(f"SELECT count(*) FROM '{folder}/arxiv_ids.parquet'").fetchone()
    finally:
        connection.close()
    for part in parts:
        part.unlink()
    shutil.rmtree(work / "spill", ignore_errors=True)
    return int(row[0]) if row else 0


_INDEXES = (
    """COPY (
        SELECT row_number() OVER (ORDER BY title_key, arxiv_id) - 1 AS position, * EXCLUDE (file_row_number, filename)
        FROM (
            FROM read_parquet('{folder}/part-*.parquet', file_row_number = true, filename = true)
            QUALIFY row_number() OVER (PARTITION BY arxiv_id ORDER BY filename DESC, file_row_number DESC) = 1
        )
        ORDER BY title_key, arxiv_id
    ) TO '{folder}/papers.parquet' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 20480)""",
    """COPY (SELECT arxiv_id, position FROM '{folder}/papers.parquet' ORDER BY arxiv_id)
    TO '{folder}/arxiv_ids.parquet' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 20480)""",
    """COPY (SELECT unnest(words) AS word, position FROM '{folder}/papers.parquet' ORDER BY word, position)
    TO '{folder}/words.parquet' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 20480)""",
)


def _lines(file: Path) -> Iterator[tuple[int, bytes]]:
    """Yields number and text of the lines of a dump file; blank lines are passed over."""
    with _opened(file) as stream:
        try:
            for number, line in enumerate(_bounded(stream), start=1):
                if line.strip():
                    yield number, line
        except (EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError) as error:
            raise UsageError(f"cannot read {file}: it is cut off or damaged ({error})") from error


def _bounded(stream: IO[bytes]) -> Iterable[bytes]:
    """Yields lines of at most 16 MiB; a file without line ends is no dump and must not fill the memory."""
    while line := stream.readline(16 * 2**20):
        yield line


@contextmanager
def _opened(file: Path) -> Iterator[IO[bytes]]:
    if file.suffix == ".gz":
        with gzip.open(file, "rb") as stream:
            yield stream  # type: ignore[misc]
    elif file.suffix == ".zip":
        with _zip(file) as archive:
            names = archive.namelist()
            if len(names) != 1:
                raise UsageError(f"{file} holds {len(names)} files; arXiv's dump is one")
            with archive.open(names[0]) as stream:
                yield stream
    else:
        with file.open("rb") as stream:
            yield stream


def _zip(file: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(file)
    except zipfile.BadZipFile as error:
        raise UsageError(f"cannot read {file}: it is not a zip file ({error})") from error
