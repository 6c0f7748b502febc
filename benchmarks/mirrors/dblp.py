"""The mirror of DBLP: its import beside a bare pass over the same XML, and the labelled papers that it settles offline.

    python -m benchmarks.mirrors.dblp [../shared] [--full] [--rows 1000000] [--only import|offline] [--show]

The release is in DBLP's own form, with its letters, mark-up and links. It is made of the titles, people, years, venues
and DOIs that the background has from DBLP, and of variants of them by other people; every third record is a home page,
every seventh a preprint in CoRR. Times are of the processor, as the machine may have other work: of the import with all
its threads, and of `iterparse` of ElementTree with the elements thrown away. The step to all of DBLP is by the slope
between two sizes.

Then the labelled papers without arXiv identifier, as the parser reads them in their lists, are resolved without any
service by a mirror of the records that the background has from DBLP.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from html.entities import codepoint2name
from itertools import count, islice
from pathlib import Path
from xml.etree import ElementTree as ET

import pyarrow.parquet as pq

from benchmarks.figure import Figure
from benchmarks.mirrors.parts import measured, options_of
from sources.bibliography.identifiers import Doi
from sources.bibliography.titles import title_key
from sources.errors import IdentifierError
from sources.lists.reading import parse_reading_list
from sources.matching.lookup import Resolution
from sources.matching.resolve import resolve
from sources.records import Mention
from warehouse.mirrors import MirrorFolder, Mirrors
from warehouse.mirrors.importing import Dump, import_dump

ALL_OF_DBLP = 8_600_000
_HEAD = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<!DOCTYPE dblp SYSTEM "dblp.dtd">\n<dblp>\n'
_LETTERS = {number: f"&{name};" for number, name in codepoint2name.items() if 0xA0 <= number <= 0xFF or number < 0x7F}
_VARIANTS = ("{}", "A Survey of {}", "{}: A Reply", "Towards {}", "{} II", "Rethinking {}", "Notes on <i>{}</i>")
_part = partial(measured, "benchmarks.mirrors.dblp")


def figures(*, full: bool, rows: int = 0) -> Iterator[Figure]:
    """Yields the figures for `make bench`; none where ../shared is not there."""
    shared = Path("../shared").resolve()
    if not shared.is_dir():
        print("   ../shared is not here: nothing imported")
        return
    yield from imports(shared, rows or (1_000_000 if full else 200_000))
    yield from offline(shared)


def imports(shared: Path, rows: int) -> Iterator[Figure]:
    """Yields what the import of that many records costs, and of all of DBLP."""
    seconds = {}
    with tempfile.TemporaryDirectory() as name:
        for size in (rows // 4, rows):
            release = Path(name) / f"dblp-{size}.xml"
            write_release(release, islice(endless(from_dblp(shared)), size))
            ours = _part("import", release, Path(name) / f"lake-{size}")
            seconds[size] = ours["processor"]
        plain = _part("iterparse", release)
        print(f"   {release.stat().st_size / 1e6:.0f} MB; {ours}", flush=True)
        what = f"import of {rows:,} records of DBLP's XML"
        beside = "ElementTree's iterparse over the same file"
        yield Figure(
            name=f"{what}: processor time", value=seconds[rows], unit="s", beside=beside, plain=plain["processor"],
            bar=9,
        )  # fmt: skip
        yield Figure(
            name=f"{what}: by the clock", value=ours["seconds"], unit="s", beside=beside, plain=plain["seconds"]
        )
        yield Figure(name=f"{what}: memory", value=ours["gb"], unit="GB", bar=1, bar_on="value")
        slope = (seconds[rows] - seconds[rows // 4]) / (rows - rows // 4)
        whole = seconds[rows] + slope * (ALL_OF_DBLP - rows)
        yield Figure(name="import of all of DBLP, by the slope: processor time", value=whole / 60, unit="min")


def offline(shared: Path, *, show: bool = False) -> Iterator[Figure]:
    """Yields how many of the labelled papers without arXiv identifier the mirror settles, and how many wrongly."""
    rows = from_dblp(shared)
    known = {title_key(row["title"]) for row in rows}
    labels = [label for label in read_labels(shared) if not label["arxiv_id"] and label["kind"] == "paper"]
    with tempfile.TemporaryDirectory() as name:
        release = Path(name) / "dblp.xml"
        write_release(release, (record for number, row in enumerate(rows) for record in records_of(number, row)))
        folder = MirrorFolder(Path(name) / "mirror" / "dblp")
        import_dump(folder, Dump(source="dblp", files=(release,)))
        mirrors = Mirrors(Path(name) / "mirror")
        done = resolve([label["mention"] for label in labels], mirror=mirrors)
        mirrors.close()
    fates = [fate(label, resolution) for label, resolution in zip(labels, done, strict=True)]
    there = sum(title_key(label["title"]) in known for label in labels)
    found = [one for label, one in zip(labels, fates, strict=True) if title_key(label["title"]) in known]
    print(f"   {len(labels)} labelled papers without arXiv identifier: {dict(Counter(fates))}; in the mirror {there}:"
          f" {dict(Counter(found))}", flush=True)  # fmt: skip
    if show:
        for label, fated, resolution in zip(labels, fates, done, strict=True):
            if fated != "right" and (fated == "wrong" or title_key(label["title"]) in known):
                chosen = resolution.chosen.title if resolution.chosen else None
                place = f"{label['list']}:{label['line']}"
                print(f"    {fated}: {place} {label['mention'].title!r}: {label['title']!r}, {chosen}")
    what = f"{len(labels)} labelled papers without arXiv identifier, offline, by a mirror of DBLP with {there} of them"
    yield Figure(name=f"{what}: resolved", value=fates.count("right"), unit="papers", beside="in it", plain=there)
    yield Figure(
        name=f"{what}: resolved to another paper", value=fates.count("wrong"), unit="papers", bar=0, bar_on="value"
    )


def fate(label: dict, resolution: Resolution) -> str:
    """Returns `right`, `wrong`, or the status of what was not resolved."""
    if resolution.status != "resolved" or resolution.chosen is None:
        return resolution.status
    same_doi = label["doi"] and resolution.chosen.doi == label["doi"].lower()
    return "right" if same_doi or title_key(resolution.chosen.title) == title_key(label["title"]) else "wrong"


def read_labels(shared: Path) -> list[dict]:
    """Returns every label whose mention the parser reads, with that `mention` and the `list` that it stands in."""
    lists = {path.name[:3]: path for path in (shared / "lists").glob("*.txt")}
    lists |= {path.stem: path for path in (shared / "practice").glob("*.md")}
    found = []
    for path in sorted([*(shared / "gold").glob("*.jsonl"), *(shared / "practice").glob("*.jsonl")]):
        mentions = parse_reading_list(lists[path.stem].read_text(encoding="utf-8")).mentions
        labels = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        titled = [_titled(label, mentions) for label in labels]
        free = [mention for mention in mentions if mention not in titled]
        for label, mention in zip(labels, titled, strict=True):
            own = mention or next((other for other in free if other.line == label["line"]), None)
            if own is not None:
                found.append(label | {"mention": own, "list": path.stem})
    return found


def _titled(label: dict, mentions: Iterable[Mention]) -> Mention | None:
    """Returns the mention beside the label that has its title."""
    keys = {title_key(label["as_written"]), title_key(label["title"])}
    near = (mention for mention in mentions if abs(mention.line - label["line"]) <= 2)
    return next((mention for mention in near if title_key(mention.title or "") in keys), None)


def from_dblp(shared: Path) -> list[dict]:
    """Returns the rows of the background that come from DBLP."""
    table = pq.read_table(shared / "facts" / "background.parquet")
    return [row for row in table.sort_by("title").to_pylist() if "dblp" in row["source"]]


def endless(rows: Sequence[dict]) -> Iterator[str]:
    """Yields records of `rows`, then of variants of them by the people of others, with home pages and preprints."""
    for number in count():
        row, other = rows[number % len(rows)], rows[(number * 7919 + number // len(rows)) % len(rows)]
        variant = _VARIANTS[number // len(rows) % len(_VARIANTS)]
        if number >= len(rows):
            row = row | {"authors": other["authors"], "arxiv_id": None}
        if number % 3 == 0:
            name = _escaped(row["authors"][0] if row["authors"] else "A. Nobody")
            page = f"<author>{name}</author>\n<title>Home Page</title>\n"
            yield f'<www mdate="2024-01-01" key="homepages/1/{number}">\n{page}</www>\n'
        yield published(number, row, variant)
        if number % 7 == 0:
            yield preprint(number, row, variant, f"{15 + number // 100_000:02}01.{number % 100_000:05}")


def records_of(number: int, row: dict) -> Iterator[str]:
    """Yields the published record of a row and, where it is on arXiv, its preprint in CoRR."""
    yield published(number, row)
    if row["arxiv_id"]:
        yield preprint(number, row, "{}", row["arxiv_id"])


def published(number: int, row: dict, variant: str = "{}") -> str:
    """Returns a record of DBLP's form, of a paper in the proceedings of a conference."""
    venue, _, year = (row["venue"] or "").rpartition(" ")
    try:
        link = f"<ee>https://doi.org/{_escaped(Doi.parse(row['doi'] or '').value)}</ee>"
    except IdentifierError:
        link = ""
    return (
        f'<inproceedings key="conf/{number % 97}/P{number}" mdate="{2010 + number % 15}-03-04">\n{_people(row)}\n'
        f"<title>{variant.format(_escaped(row['title']))}.</title>\n<pages>{number % 900}-{number % 900 + 12}</pages>\n"
        f"<year>{row['year'] or year}</year>\n<booktitle>{_escaped(venue)}</booktitle>\n{link}\n"
        f"<crossref>conf/{number % 97}/{row['year']}</crossref>\n<url>db/conf/{number}.html</url>\n</inproceedings>\n"
    )


def preprint(number: int, row: dict, variant: str, arxiv_id: str) -> str:
    """Returns the record of the same paper in CoRR."""
    return (
        f'<article publtype="informal" key="journals/corr/{number}" mdate="2020-01-02">\n{_people(row)}\n'
        f"<title>{variant.format(_escaped(row['title']))}.</title>\n<year>{row['year']}</year>\n"
        f"<volume>abs/{arxiv_id}</volume>\n<journal>CoRR</journal>\n<ee>https://arxiv.org/abs/{arxiv_id}</ee>\n</article>\n"
    )


def _people(row: dict) -> str:
    return "".join(f"<author>{_escaped(name)}</author>\n" for name in row["authors"] or ())


def _escaped(text: str) -> str:
    return text.translate(_LETTERS).encode("ascii", "xmlcharrefreplace").decode()


def write_release(target: Path, records: Iterable[str]) -> None:
    """Writes a release of those records."""
    with target.open("w", encoding="ascii") as stream:
        stream.write(_HEAD)
        stream.writelines(records)
        stream.write("</dblp>\n")


def _import(release: Path, lake: Path) -> dict:
    made = import_dump(MirrorFolder(lake / "mirror" / "dblp"), Dump(source="dblp", files=(release,), whole=False))
    return {"rows": made.rows, "refused": made.refused}


def _iterparse(release: Path) -> dict:
    """Reads the file as plainly as can be; its letters are declared as the import declares them."""
    parser = ET.XMLParser()
    parser.entity.update({name: chr(number) for number, name in codepoint2name.items()})
    records = 0
    for _, element in ET.iterparse(release, parser=parser):
        if element.get("key"):
            records += 1
            element.clear()
    return {"records": records}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path, nargs="?", default=Path("../shared"))
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("--only", choices=("import", "offline"))
    parser.add_argument(
        "--show", action="store_true", help="list what the mirror has and was not found, and what is wrong"
    )
    options = options_of(parser, {"import": _import, "iterparse": _iterparse})
    if options.only != "offline":
        for figure in imports(options.shared.resolve(), options.rows or (1_000_000 if options.full else 200_000)):
            print(figure, flush=True)
    if options.only != "import":
        for figure in offline(options.shared.resolve(), show=options.show):
            print(figure, flush=True)


if __name__ == "__main__":
    main()
