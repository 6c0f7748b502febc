"""What became of papers: retractions and published versions, found and mistaken.

    python -m benchmarks.matching.publication [../shared] [--show]

Retractions are read from a file in Retraction Watch's form. The notices are about papers of the background. Half of
those that are to be found are known to the lake with their DOI, the others with title and people only; marks
("RETRACTED:"), capitals and initials differ. The look-alikes are notices about other papers: near titles by the same
first author, the very title by other people, other titles by the same people, and the paper republished under another
DOI. Nothing of this was retracted: the notices are made up here.

Published versions are those of 237 labelled preprints (`standins.trials.labelled_versions`), found in a mirror of DBLP
with their records and all others that the background has from DBLP; once with the preprints' records in CoRR, once
without. Then each record is tried in OpenAlex's form, under a DOI by which the preprint is asked for. Found is a
preprint with one of its published versions, false one with another record.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq
from rapidfuzz.fuzz import ratio

from benchmarks.figure import Figure
from benchmarks.mirrors.dblp import from_dblp
from sources.bibliography.identifiers import Doi, Identifier
from sources.bibliography.titles import fold, title_key
from sources.errors import IdentifierError
from sources.records import DblpPaper
from standins.catalogue.dumps import notice_row, notices_csv
from standins.trials.labelled_versions import (
    EmptyLake,
    read_labelled,
    records_of,
    versions_found,
    versions_of_works,
    xml_record,
)
from warehouse.mirrors import MirrorFolder, RetractionMirror
from warehouse.mirrors.importing import Dump, import_dump
from warehouse.papers.paper_merge import RunPapers
from warehouse.papers.retractions import find_retractions

_NOW = datetime(2026, 11, 22, tzinfo=UTC)
_EACH = 125
"""Look-alikes of each of four kinds."""
Pair = tuple[dict, dict[str, str]]
"""A paper of the lake, and a notice."""


def figures(*, full: bool) -> Iterator[Figure]:  # noqa: ARG001 - there is one size
    """Yields the figures for `make bench`; none where ../shared is not there."""
    shared = Path("../shared").resolve()
    if not shared.is_dir():
        print("   ../shared is not here: nothing measured")
        return
    yield from retractions(shared)
    yield from versions(shared)


def versions(shared: Path, *, show: bool = False) -> Iterator[Figure]:
    """Yields how many published versions of labelled preprints are found, and how many preprints get a false one."""
    labelled = read_labelled()
    known = {title_key(record["title"]) for item in labelled for record in item["records"]}
    rows = [
        row for row in from_dblp(shared) if row["venue"] and row["authors"] and title_key(row["title"]) not in known
    ]
    others = [xml_record(_dblp_record(number, row)) for number, row in enumerate(rows)]
    for with_preprints in (True, False):
        with tempfile.TemporaryDirectory() as name:
            records = [*records_of(labelled, with_preprints=with_preprints), *others]
            found = list(zip(labelled, versions_found(labelled, records, Path(name)), strict=True))
        what = f"among {len(records)} records of DBLP, {'with' if with_preprints else 'without'} CoRR's"
        yield from _version_figures(found, what, show=show)
    found = list(zip(labelled, versions_of_works(labelled), strict=True))
    yield from _version_figures(found, "by OpenAlex's work under any record's DOI", show=show)


def _version_figures(found: Sequence[tuple[dict, set[str]]], what: str, *, show: bool) -> Iterator[Figure]:
    published = [(item, keys) for item, keys in found if item["published"]]
    missed = [item for item, keys in published if keys.isdisjoint(item["published"])]
    false = [item for item, keys in found if not keys <= {*item["published"]}]
    for item in (*missed, *false) if show else ():
        print(f"    {item['label']}: {item['preprint']['title']!r}")
    name = f"published versions of {len(published)} preprints, {what}: not found"
    yield _share(name, len(missed), of=len(published), bar=40)
    yield _share(f"{len(found)} preprints, {what}: with a false published version", len(false), of=len(found))


def _share(name: str, number: int, *, of: int, bar: float = 0.5) -> Figure:
    return Figure(name=name, value=100 * number / of, unit="%", bar=bar, bar_on="value")


def _dblp_record(number: int, row: dict) -> dict:
    venue, _, year = row["venue"].rpartition(" ")
    year = int(year) if year.isdecimal() else row["year"]
    key = f"conf/background/{number}"
    return {**row, "key": key, "kind": "inproceedings", "venue": venue or row["venue"], "year": year, "doi": _doi(row)}


def retractions(shared: Path, *, show: bool = False) -> Iterator[Figure]:
    """Yields how many retracted papers are found, and how many look-alikes are mistaken for one."""
    draw = random.Random(17)
    rows = pq.read_table(shared / "facts" / "background.parquet").sort_by("title").to_pylist()
    rows = [row for row in rows if row["authors"] and row["year"] and row["n_authors"] == len(row["authors"])]
    for what, pairs, bar in (
        ("retracted papers: not found", _retracted(rows, draw), None),
        ("notices about look-alikes: taken for the paper's", _lookalikes(rows, draw), 0),
    ):
        marked = _marked([paper for paper, _ in pairs], [notice for _, notice in pairs])
        odd = [pair for pair, is_marked in zip(pairs, marked, strict=True) if is_marked == (bar == 0)]
        for paper, notice in odd if show else ():
            print(f"    {paper['title']!r} {paper['authors']}: {notice['Title']!r} {notice['Author']}")
        yield Figure(name=f"{len(pairs)} {what}", value=len(odd), unit="papers", bar=bar, bar_on="value")


def _retracted(rows: Sequence[dict], draw: random.Random) -> list[Pair]:
    """Returns 500 papers with the notice about each."""
    sound = [row for row in rows if _doi(row)]
    titled = {title_key(row["title"]): row for row in sound}
    pairs = []
    for number, row in enumerate(draw.sample(sorted(titled.values(), key=lambda row: row["title"]), 500)):
        title = (row["title"], f"RETRACTED: {row['title']}", row["title"].upper())[number % 3]
        by_doi = number % 2 == 0
        known = row if by_doi else row | {"doi": None, "authors": [_initials(name) for name in row["authors"]]}
        if len(row["authors"]) == 1:
            known = known | {"authors": row["authors"]}  # an initial is no namesake's proof
        pairs.append((known, _notice(number, row | {"title": title}, doi=row["doi"] if number % 4 < 3 else None)))
    return pairs


def _lookalikes(rows: Sequence[dict], draw: random.Random) -> list[Pair]:
    """Returns 500 papers with a notice about another one each."""
    by_first, by_title = defaultdict(list), defaultdict(list)
    for row in rows:
        by_first[row["authors"][0]].append(row)
        by_title[title_key(row["title"])].append(row)
    groups = [group for _, group in sorted(by_first.items()) if 3 <= len(group) <= 40]
    draw.shuffle(groups)
    near = sorted((_nearest(group) for group in groups[:4000]), key=lambda item: -item[0])
    pairs = [(mine, other) for _, mine, other in near[:_EACH]]
    pairs += [tuple(draw.sample(group, 2)) for group in groups[4000 : 4000 + _EACH]]
    twins = [group[:2] for _, group in sorted(by_title.items()) if len(group) > 1 and not _share_name(*group[:2])]
    made = [
        (row, row | {"authors": other["authors"]})
        for row, other in zip(*[iter(draw.sample(rows, 400))] * 2, strict=True)
    ]
    made = [(mine, other) for mine, other in made if not _share_name(mine, other)]
    same_title = [*map(tuple, twins), *made][:_EACH]
    notices = [(mine, _notice(number, other, doi=None)) for number, (mine, other) in enumerate([*pairs, *same_title])]
    again = draw.sample([row for row in rows if _doi(row)], _EACH)
    first = len(notices)
    return notices + [(row, _notice(first + n, row, doi=f"10.9999/again.{n}")) for n, row in enumerate(again)]


def _nearest(group: Sequence[dict]) -> tuple[float, dict, dict]:
    """Returns the two papers of a group with the likest titles that are not the same."""
    pairs = [(mine, other) for n, mine in enumerate(group) for other in group[:n]]
    scored = [(ratio(mine["title"], other["title"]), mine, other) for mine, other in pairs]
    return max((item for item in scored if not _is_same(*item[1:])), key=lambda item: item[0], default=(0.0, *pairs[0]))


def _is_same(row: dict, other: dict) -> bool:
    return title_key(row["title"]) == title_key(other["title"])


def _share_name(row: dict, other: dict) -> bool:
    """Returns whether any word of a name is in both: the background has one person in several spellings."""
    return bool(_name_words(row) & _name_words(other))


def _name_words(row: dict) -> set[str]:
    return {word for name in row["authors"] for word in re.findall(r"\w{2,}", fold(name))}


def _notice(number: int, row: dict, *, doi: str | None) -> dict[str, str]:
    columns = {"OriginalPaperDate": f"6/15/{row['year']} 0:00", "OriginalPaperDOI": doi or "Unavailable"}
    return notice_row(number + 1, row["title"], row["authors"], **columns)


def _initials(name: str) -> str:
    first, _, rest = name.partition(" ")
    return f"{first[0]}. {rest}" if rest else name


def _doi(row: dict) -> str | None:
    try:
        return Doi.parse(row["doi"]).value if row["doi"] else None
    except IdentifierError:
        return None


def _marked(papers: Sequence[dict], notices: Sequence[dict[str, str]]) -> list[bool]:
    """Returns for each paper of a lake whether the notices make it a retracted one."""
    with tempfile.TemporaryDirectory() as name:
        file, folder = Path(name) / "retraction_watch.csv", Path(name) / "mirror"
        file.write_bytes(notices_csv(notices))
        import_dump(MirrorFolder(folder), Dump(source="retractions", files=(file,), whole=False))
        run_papers = RunPapers(EmptyLake(), now=_NOW)  # type: ignore[arg-type]
        ids = [run_papers.add(_record(number, row), fetched_at=_NOW) for number, row in enumerate(papers)]
        mirror = RetractionMirror(folder)
        find_retractions(
            {str(number): paper_id for number, paper_id in enumerate(ids)},
            {str(number): [] for number in range(len(ids))},
            run_papers=run_papers,
            known=EmptyLake(),  # type: ignore[arg-type]
            mirror=mirror,
            now=_NOW,
        )
        mirror.close()
        return [run_papers.rows[paper_id]["retracted"] is True for paper_id in ids]


def _record(number: int, row: dict) -> DblpPaper:
    key, doi = f"conf/x/{number}", _doi(row)
    identifiers = [Identifier("dblp", key), *([Identifier("doi", doi)] if doi else [])]
    return DblpPaper(
        key=key,
        kind="inproceedings",
        title=row["title"],
        authors=tuple(row["authors"]),
        year=row["year"],
        doi=doi,
        identifiers=tuple(identifiers),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path, nargs="?", default=Path("../shared"))
    parser.add_argument("--show", action="store_true", help="list what is not found, and what is mistaken")
    options = parser.parse_args()
    for measure in (retractions, versions):
        for figure in measure(options.shared.resolve(), show=options.show):
            print(figure, flush=True)


if __name__ == "__main__":
    main()
