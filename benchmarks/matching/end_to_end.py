"""Whole refreshes of every labelled list against the stand-ins: the right papers, wrong ones, what is not resolved.

    .venv/bin/python -m benchmarks.matching.end_to_end [../shared] [--show] [--possible] [--openalex]

All lists are refreshed three times into one new lake; the second and third ask for what the first had to leave. A
labelled paper is right where a mention near its line is resolved to it: the same arXiv identifier, the same DOI, or
the same title. It is missed where it is not, though the stand-ins have it. A mention is wrong where it is resolved
and no label near it is its paper's; it has a twin where it is another record of a labelled title, which arXiv has
twice. With --openalex the lists are refreshed offline instead, with a mirror of OpenAlex that has the same papers, and
nothing else; a paper of which no people are known gets one, as OpenAlex's works without are no papers. With --show it
lists every one that is wrong. With --possible it counts instead what the possible titles come to, with the background
as the mirror: in the labelled lists, and in the lists of the corpus that name no papers.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.figure import Figure
from benchmarks.matching.accuracy import missing_facts
from flows.progress import Silent, Stopwatch
from flows.refresh.pipeline import refresh_lake
from flows.refresh.reading import read_and_parse
from flows.settings import Settings
from sources.bibliography.titles import title_key
from sources.lists.reading import parse_reading_list
from sources.matching.candidates import candidate_of
from sources.matching.lookup import open_mentions
from sources.matching.mention_queries import is_telling
from sources.matching.resolve import by_whole_title
from sources.records import Mention
from standins import StandIns
from standins.trials.world import World, read_rows
from warehouse.lake.place import LakePlace
from warehouse.lake.session import open_lake
from warehouse.mirrors import MirrorFolder
from warehouse.mirrors.importing import Dump, import_dump

Label = dict[str, Any]
Row = dict[str, Any]

COLUMNS = ("papers", "right", "missed", "mentions", "resolved", "twins", "wrong", "possible")
NEAR = 3
"""Lines from its label within which a mention may stand."""

_MENTIONS = """
SELECT l.location, m.line, m.title AS written, m.status, m.method, p.arxiv_id, p.doi, p.title
FROM mentions m JOIN reading_lists l USING (list_id) LEFT JOIN papers p USING (paper_id)
WHERE m.removed_at IS NULL
"""


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("shared", type=Path, nargs="?", default=Path("../shared"))
    arguments.add_argument("--show", action="store_true", help="list what is resolved to a paper that no label names")
    arguments.add_argument("--possible", action="store_true", help="only what the possible titles come to")
    arguments.add_argument("--openalex", action="store_true", help="offline, with a mirror of OpenAlex alone")
    options = arguments.parse_args()
    shared = options.shared.resolve()
    if options.possible:
        for line in possible_titles(shared):
            print(line, flush=True)
        return
    counted, requests, shown = measure(shared, openalex=options.openalex)
    print(f"{'list':24}" + "".join(f"{name:>10}" for name in COLUMNS))
    for name, counts in sorted(counted.items()):
        print(f"{name:24}" + "".join(f"{counts[column]:10}" for column in COLUMNS))
    total = sum(counted.values(), Counter[str]())
    print(f"{'ALL':24}" + "".join(f"{total[column]:10}" for column in COLUMNS))
    print(f"requests: {', '.join(map(str, requests))}; one a mention would be {total['mentions']}")
    if options.show:
        print(*shown, sep="\n")


def figures(*, full: bool) -> Iterator[Figure]:  # noqa: ARG001 - it is of one size
    """Yields the figures for `make bench`; none where ../shared is not there."""
    shared = Path("../shared").resolve()
    if not shared.is_dir():
        print("   ../shared is not here: nothing resolved")
        return
    counted, requests, _ = measure(shared)
    total = sum(counted.values(), Counter[str]())
    name = f"{len(counted)} labelled lists from end to end"
    yield Figure(name=f"{name}: mentions with a wrong paper", value=total["wrong"], unit="", bar=0, bar_on="value")
    missed = 100 * total["missed"] / (total["right"] + total["missed"])
    yield Figure(name=f"{name}: papers of the stand-ins that are not resolved", value=missed, unit="%")
    yield Figure(name=f"{name}: requests of the third refresh", value=requests[-1], unit="", bar=0, bar_on="value")


def labelled(shared: Path) -> dict[str, tuple[Path, list[Label]]]:
    """Returns name -> list and labels, of every list with labels made by hand."""
    found = {}
    for path in sorted((*(shared / "gold").glob("*.jsonl"), *(shared / "practice").glob("*.jsonl"))):
        practice = path.with_suffix(".md")
        text = practice if practice.exists() else next((shared / "lists").glob(f"{path.stem}_*"))
        labels = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        found[path.stem] = (text, labels)
    return found


def measure(shared: Path, *, openalex: bool = False) -> tuple[dict[str, Counter[str]], list[int], list[str]]:
    """Returns what became of each list, the requests of every refresh, and what is wrong.

    With `openalex`, a mirror of it is asked and no service.
    """
    lists = labelled(shared)
    by_name = {path.name: labels for path, labels in lists.values()}
    with StandIns([shared / "facts"]) as standins, tempfile.TemporaryDirectory() as folder:
        missing = missing_facts(shared, by_name)
        standins.add(missing)
        if openalex:
            works = _works([*map(asdict, read_rows(shared)), *missing])
            _import_works(works, Path(folder))
        texts = [path for path, _ in lists.values()]
        place, requests = _refreshed(standins, Path(folder) / "lake", texts, offline=openalex)
        connection = open_lake(place)
        rows = connection.execute(_MENTIONS).to_arrow_table().to_pylist()
        connection.close()
    of_list: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        of_list[Path(row["location"]).name].append(row)
    shown: list[str] = []
    known = {title_key(row.title) for row in read_rows(shared)}
    counted = {name: _counted(of_list[path.name], labels, known, name, shown) for name, (path, labels) in lists.items()}
    return counted, requests, shown


def _works(papers: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """Yields papers as works of OpenAlex's snapshot."""
    for number, paper in enumerate(papers, start=1):
        arxiv_id, doi = paper["arxiv_id"], paper["doi"]
        page = {"landing_page_url": f"https://arxiv.org/abs/{arxiv_id}", "version": "submittedVersion"}
        doi = doi or (f"10.48550/arXiv.{arxiv_id}" if arxiv_id else None)
        yield {
            "id": f"https://openalex.org/W{number}",
            "doi": f"https://doi.org/{doi.lower()}" if doi else None,
            "title": paper["title"],
            "publication_year": paper["year"],
            "type": "article",
            "cited_by_count": number % 97,
            "authorships": [{"raw_author_name": name} for name in paper["authors"] or ("Nomen Nescio",)],
            "locations": [page] if arxiv_id else [],
            "referenced_works": [],
            "updated_date": "2026-06-20",
        }


def _import_works(works: Iterable[dict[str, Any]], folder: Path) -> None:
    dump = folder / "works.jsonl"
    with dump.open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(work) + "\n" for work in works)
    import_dump(MirrorFolder(folder / "lake" / "mirror" / "openalex"), Dump(source="openalex", files=(dump,)))


def _refreshed(standins: StandIns, lake: Path, lists: Sequence[Path], *, offline: bool) -> tuple[LakePlace, list[int]]:
    told = {key.removeprefix("PAPERLAKE_").lower(): value for key, value in standins.env().items()}
    settings = Settings(lake=lake, offline=offline, **told)
    reading = read_and_parse([str(path) for path in lists], settings.place)
    requests = []
    for _ in range(3):
        standins.clear_log()
        refresh_lake(reading, settings, run_batch=lambda _, call: call(), report=Silent(), clock=Stopwatch())
        requests.append(len(standins.requests()))
    return settings.place, requests


def _counted(
    rows: Sequence[Row], labels: Sequence[Label], known: Collection[str], name: str, shown: list[str]
) -> Counter[str]:
    papers = [label for label in labels if label["kind"] == "paper"]
    resolved = [row for row in rows if row["status"] == "resolved"]
    left = [label for label in papers if not any(_is_near(row, label) and is_paper_of(row, label) for row in resolved)]
    stray = [row for row in resolved if not any(_is_near(row, one) and is_paper_of(row, one) for one in labels)]
    wrong = [row for row in stray if not any(_is_near(row, one) and _has_title(row, one) for one in labels)]
    shown += (f"{name}:{row['line']} {row['written']!r} by {row['method']}: {row['title']!r}" for row in wrong)
    return Counter(
        papers=len(papers),
        right=len(papers) - len(left),
        missed=sum(_is_known(label, known) for label in left),
        mentions=len(rows),
        resolved=len(resolved),
        twins=len(stray) - len(wrong),
        wrong=len(wrong),
        possible=sum(row["method"] == "possible-title" for row in rows),
    )


def _is_known(label: Label, known: Collection[str]) -> bool:
    return bool(label["arxiv_id"]) or any(title_key(label[name] or "") in known for name in ("title", "as_written"))


def _is_near(row: Row, label: Label) -> bool:
    return abs(int(row["line"]) - int(label["line"])) <= NEAR


def is_paper_of(row: Mapping[str, Any], label: Label) -> bool:
    """Returns whether a row's paper is the one that the label names."""
    if label["arxiv_id"] and row["arxiv_id"]:
        return bool(label["arxiv_id"] == row["arxiv_id"])
    if label["doi"] and row["doi"] and label["doi"].lower() == row["doi"]:
        return True
    return _has_title(row, label)


def _has_title(row: Mapping[str, Any], label: Label) -> bool:
    return title_key(row["title"] or "") in {title_key(label[name] or "") for name in ("title", "as_written")}


def possible_titles(shared: Path) -> Iterator[str]:
    """Yields what the possible titles of the labelled lists and of the lists without papers come to."""
    world = World(read_rows(shared))
    totals: Counter[str] = Counter()
    for name, (path, labels) in labelled(shared).items():
        possible = _possible(path)
        totals["stretches"] += len(possible)
        for mention, title in _whole_titles(possible, world):
            near = [one for one in labels if abs(one["line"] - mention.line) <= NEAR]
            is_right = any(is_paper_of({"arxiv_id": None, "doi": None, "title": title}, one) for one in near)
            totals["right" if is_right else "wrong"] += 1
            yield f"  {'right' if is_right else 'WRONG'}: {name}:{mention.line} {mention.title!r}"
    yield f"labelled lists: {totals['stretches']} possible titles, {totals['right']} right, {totals['wrong']} wrong"
    files = sorted((shared / "corpus" / "negative").glob("*.md"))
    found, count = 0, 0
    for path in files:
        possible = _possible(path)
        count += len(possible)
        for mention, _ in _whole_titles(possible, world):
            found += 1
            yield f"  {path.stem}:{mention.line} {mention.title!r}"
    yield f"{len(files)} lists without papers: {count} possible titles, {found} are a paper's whole title"


def _possible(path: Path) -> list[Mention]:
    text = path.read_text(encoding="utf-8", errors="replace")
    return [one for one in parse_reading_list(text).possible if is_telling(one.title or "")]


def _whole_titles(possible: Sequence[Mention], world: World) -> Iterable[tuple[Mention, str]]:
    found = {
        title_key(one.title or ""): [
            candidate_of(world.rows[number].in_s2(), "mirror") for number in world.same_title(one.title or "")
        ]
        for one in possible
    }
    for resolution in by_whole_title(open_mentions(possible), found).resolved:
        if resolution.chosen is not None:
            yield resolution.mention, resolution.chosen.title


if __name__ == "__main__":
    main()
