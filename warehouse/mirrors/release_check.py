"""Holds a new release of OpenAlex against the one before and against arXiv's mirror, before it is put into use.

A release of late March 2026 had the fields of records mixed up (https://github.com/ourresearch/openalex-official/issues/8):
each row was sound by itself, and wrong. A sample tells.
"""

from __future__ import annotations

from contextlib import closing
from functools import partial
from pathlib import Path

import duckdb

from sources.bibliography.identifiers import Identifier
from sources.bibliography.titles import title_key
from sources.errors import UsageError, WarehouseError
from sources.records import ArxivPaper, OpenAlexPaper
from sources.services.agreement import Description, compare
from sources.services.openalex.answers import paper_of
from sources.services.openalex.record import OpenAlexWork
from sources.services.openalex.snapshot import parse_row
from warehouse.mirrors.local import ArxivMirror, OpenAlexMirror
from warehouse.mirrors.release import MirrorFolder, Release
from warehouse.mirrors.shapes import OPENALEX
from warehouse.tables.schema import parquet

_SAMPLE = 2_000  # works that are compared
_FEWEST = 50  # compared works below which nothing follows
# Share of the works compared that may be others. Between two releases hardly any title changes; works with a place at
# arXiv are published under another title now and then, and some are OpenAlex's own mistakes.
_MOST_CHANGED, _MOST_OTHERS = 0.05, 0.2
_BLOCKS = 20  # blocks of which the sample is drawn
_AT_ARXIV = (
    f"list_bool_or(list_transform({OPENALEX.identifiers}, lambda name: starts_with(name, 'doi:10.48550/arxiv.')))"
)
_WHAT_TO_DO = "Nothing was changed; take another release, or add --force if this one is right"


def refuse_at_odds(mirrors: Path, release: Release, *, first: int = 0) -> None:
    """Refuses a release of which too many works are not what they were, or not what arXiv has under its identifiers.

    Args:
        mirrors: The folder of all mirrors.
        release: The new release, in its place and not in use yet.
        first: The number of its first block that is new: an update leaves those before as they were.

    Raises:
        UsageError: Such is the case, with the figures; or what it is compared with cannot be read.
    """
    new = OpenAlexMirror.of_release(MirrorFolder(mirrors / OpenAlexMirror.source), release)
    old, arxiv = OpenAlexMirror(mirrors / OpenAlexMirror.source), ArxivMirror(mirrors / ArxivMirror.source)
    for other, name, find, where, most in (
        (old, "the one before", partial(_changed, old), "true", _MOST_CHANGED),
        (arxiv, "arXiv's mirror", partial(_not_arxivs, arxiv), _AT_ARXIV, _MOST_OTHERS),
    ):
        try:
            compared, odd = find(_sample(new, release, first, where)) if other.release else (0, [])
        except WarehouseError as error:
            raise UsageError(
                f"this release of OpenAlex cannot be compared with {name}: {error.message}. {_WHAT_TO_DO}"
            ) from error
        finally:
            other.close()
        if compared >= _FEWEST and len(odd) > most * compared:
            figures = f"{len(odd):,} of {compared:,} works compared are others, such as {odd[0]}"
            raise UsageError(f"this release of OpenAlex is at odds with {name}: {figures}. {_WHAT_TO_DO}")


def _changed(old: OpenAlexMirror, sample: list[OpenAlexWork]) -> tuple[int, list[str]]:
    before = old.works_by_id(work.work_id for work in sample if work.title)
    now = [(work, before[work.work_id]) for work in sample if work.work_id in before]
    odd = [
        f"{work.work_id}, which was {was.title!r:.80} and is {work.title!r:.80}"
        for work, was in now
        if title_key(work.title) != title_key(was.title)
    ]
    return len(now), odd


def _not_arxivs(arxiv: ArxivMirror, sample: list[OpenAlexWork]) -> tuple[int, list[str]]:
    works = {Identifier("arxiv", paper.arxiv_id): paper for paper in map(paper_of, sample) if paper and paper.arxiv_id}
    found = arxiv.by_identifiers(works)
    odd = [
        f"{item}, which is {paper.title!r:.80} there and {works[item].title!r:.80} here"
        for item, paper in found.items()
        if compare(_described(paper), _described(works[item])) == "disagree"
    ]
    return len(found), odd


def _described(paper: ArxivPaper | OpenAlexPaper) -> Description:
    return Description(title=paper.title, authors=paper.authors)


def _sample(mirror: OpenAlexMirror, release: Release, first: int, where: str) -> list[OpenAlexWork]:
    """Returns works of the blocks from `first` on, drawn alike each time, that fulfil the condition `where` of SQL."""
    step = max(1, (release.blocks - first) // _BLOCKS)
    blocks = [mirror.folder.papers(release, block) for block in range(first, release.blocks, step)]
    sql = f"SELECT * FROM {parquet(blocks)} WHERE {where} USING SAMPLE reservoir({_SAMPLE} ROWS) REPEATABLE (1)"
    with closing(duckdb.connect()) as connection:
        connection.execute("SET threads=1")
        rows = connection.execute(sql).to_arrow_table().to_pylist()
    return [work for row in rows if (work := parse_row(row))]
