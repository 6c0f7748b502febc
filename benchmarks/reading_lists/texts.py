"""Gives the texts of the benchmark's lists: excerpts of files at fixed commits, each held to its checksum."""

from __future__ import annotations

import csv
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sources.errors import SourceError, UsageError
from sources.lists.list_urls import GithubFile
from sources.lists.remote import fetch_list

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = Path(__file__).resolve().parent
# Lists that the weights were learnt from, in ../shared/practice or not; only looked at; that nobody looked at.
SETS = ("practice", "learnt", "looked at", "unseen")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a list's text is from."""

    name: str  # the list's name in the benchmark
    set: str  # what of it was known to who made the reader: one of `SETS`
    repository: str  # owner/name on GitHub
    commit: str  # the commit's full name
    path: str  # the file in the repository
    first: int  # 1-based first line of the excerpt
    last: int  # its last line
    sha256: str  # of the excerpt's bytes

    def excerpt(self, body: bytes) -> bytes:
        """Returns the lines of the file `body` that the labels are about."""
        lines = body.split(b"\n")
        return b"\n".join((*lines[self.first - 1 : self.last], *([b""] if self.last < len(lines) else [])))


def read_sources(table: Path = FOLDER / "lists.tsv") -> list[Source]:
    """Returns the benchmark's lists, by name."""
    with table.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    return [Source(**row | {"first": int(row["first"]), "last": int(row["last"])}) for row in rows]


def fetched(source: Source) -> bytes:
    """Returns the bytes of the source's file, as GitHub has them."""
    owner, _, name = source.repository.partition("/")
    return fetch_list(GithubFile(owner=owner, name=name, ref=source.commit, path=source.path).raw_url).body


def text_of(source: Source, folder: Path, fetch: Callable[[Source], bytes] = fetched) -> str:
    """Returns the excerpt: from `folder` if it is there, else fetched, and kept there.

    Raises:
        UsageError: It cannot be had, or is not the text that was labelled.
    """
    file = folder / f"{source.name}.md"
    if file.is_file():
        body = file.read_bytes()
    else:
        try:
            body = source.excerpt(fetch(source))
        except SourceError as error:
            raise UsageError(f"{source.name}: {error}") from error
    if hashlib.sha256(body).hexdigest() != source.sha256:
        raise UsageError(
            f"{source.name}: {source.repository} no longer has the text that was labelled, or {file} differs"
        )
    if not file.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        file.write_bytes(body)
    return body.decode("utf-8")
