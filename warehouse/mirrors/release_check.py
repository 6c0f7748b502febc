"""Holds a new release of OpenAlex against the one before and against arXiv's mirror, before it is put into use.

A release of late March 2026 had the fields of records mixed up (https://github.com/ourresearch/openalex-official/issues/8):
each row was sound by itself, and wrong. A sample tells.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import duckdb

from sources.bibliography.identifiers import Identifier
from sources.bibliography.titles import title_key
from sources.errors import UsageError, WarehouseError
from sources.services.agreement import Description, compare
from sources.services.dumps import parse_arxiv_row
from warehouse.mirrors.local import ArxivMirror, OpenAlexMirror
from warehouse.mirrors.release import MirrorFolder, Release
from warehouse.tables.schema import parquet

if TYPE_CHECKING:
    from pathlib import Path

    from warehouse.mirrors.local import Mirror
    from warehouse.mirrors.lookup import Found

_SAMPLE = 2_000  # papers that are compared
_FEWEST = 50  # compared papers below which nothing follows
# Share of the papers compared that may be others. Between two releases hardly any title changes; works with a place at
# arXiv are published under another title now and then, and some are OpenAlex's own mistakes.
_MOST_CHANGED, _MOST_OTHERS = 0.05, 0.2
_BLOCKS = 20  # blocks of which the sample is drawn


def refuse_at_odds(mirrors: Path, release: Release) -> None:
    """Refuses a release of which too many works are not what they were, or not what arXiv has under its identifiers.

    Args:
        mirrors: The folder of all mirrors.
        release: The new release, in its place and not in use yet.

    Raises:
        UsageError: Such is the case; the figures are told.
    """
    new = OpenAlexMirror.of_release(MirrorFolder(mirrors / OpenAlexMirror.source), release)
    for compared, odd, whose, most in (
        _beside_the_one_before(OpenAlexMirror(mirrors / OpenAlexMirror.source), new),
        _beside_arxiv(ArxivMirror(mirrors / ArxivMirror.source), new),
    ):
        if compared >= _FEWEST and len(odd) > most * compared:
            figures = f"{len(odd):,} of {compared:,} works compared are others, such as {odd[0]}"
            what_to_do = "Nothing was changed; import another release, or add --force if this one is right"
            raise UsageError(f"this release of OpenAlex is at odds with {whose}: {figures}. {what_to_do}")


def _beside_the_one_before(old: OpenAlexMirror, new: OpenAlexMirror) -> tuple[int, list[str], str, float]:
    before = {row["id"].rpartition("/")[2]: row["title"] for row in _sample(old, ("id", "title")) if row["title"]}
    now = new.works_by_id(before)
    odd = [
        f"{work_id}, which was {before[work_id]!r:.80} and is {work.title!r:.80}"
        for work_id, work in now.items()
        if title_key(work.title) != title_key(before[work_id])
    ]
    return len(now), odd, "the one before", _MOST_CHANGED


def _beside_arxiv(arxiv: ArxivMirror, new: OpenAlexMirror) -> tuple[int, list[str], str, float]:
    papers = {
        Identifier("arxiv", paper.arxiv_id): paper for paper in map(parse_arxiv_row, _sample(arxiv, arxiv.fields))
    }
    now = new.by_identifiers(papers)
    odd = [
        f"{item}, which is {papers[item].title!r:.80} there and {work.title!r:.80} here"
        for item, work in now.items()
        if compare(_described(papers[item].title, papers[item].authors), _described(work.title, work.authors))
        == "disagree"
    ]
    return len(now), odd, "arXiv's mirror", _MOST_OTHERS


def _described(title: str, authors: tuple[str, ...]) -> Description:
    return Description(title=title, authors=authors)


def _sample(mirror: Mirror, fields: tuple[str, ...]) -> list[Found]:
    """Returns rows of a mirror, drawn alike each time; none where it is not there or cannot be read."""
    try:
        release = mirror.release
        if release is None:
            return []
        step = max(1, release.blocks // _BLOCKS)
        files = parquet([mirror.folder.papers(release, block) for block in range(0, release.blocks, step)])
        names = ", ".join(f'"{name}"' for name in fields)
        with closing(duckdb.connect()) as connection:
            connection.execute("SET threads=1")
            sql = f"SELECT {names} FROM {files} USING SAMPLE reservoir({_SAMPLE} ROWS) REPEATABLE (1)"
            rows: list[Found] = connection.execute(sql).to_arrow_table().to_pylist()
            return rows
    except (duckdb.Error, WarehouseError):
        return []
    finally:
        mirror.close()
