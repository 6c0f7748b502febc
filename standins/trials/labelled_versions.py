"""237 preprints labelled with their published versions, and what a run finds of them in a mirror of DBLP.

`standins/published_versions.jsonl` has for each the preprint as arXiv describes it, records of DBLP's, and the keys of
those that publish it. The labels: `published`; `retitled`, where the published version has another title; `same title
by others`; `near titles only`, with other titles of the same people, or a sequel. Titles and people of preprints and of
records were written down independently. Of papers with many authors both lists are cut to the first five, as the facts
have no more of DBLP's. Keys are made up; so are the strangers and sequels of 90 preprints.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from flows.refresh.mirror_answers import harvest_mirrors
from flows.refresh.run_rows import HarvestRows
from sources.bibliography.identifiers import ArxivId
from sources.records import ArxivPaper
from sources.services.agreement import Description
from sources.services.openalex.answers import dispute
from sources.services.openalex.record import OpenAlexWork, parse_entry
from warehouse.mirrors import MirrorFolder, Mirrors
from warehouse.mirrors.importing import Dump, import_dump
from warehouse.papers.paper_merge import RunPapers
from warehouse.papers.published_versions import version_of_work, version_rows

NOW = datetime(2026, 11, 22, tzinfo=UTC)
_FILE = Path(__file__).resolve().parents[1] / "published_versions.jsonl"


class EmptyLake:
    """A lake that knows nothing."""

    def owners(self, *_: Any) -> dict:
        return {}

    standing_mentions = owners

    def claimants(self, *_: Any) -> set:
        return set()

    mentions_with_finding = claimants

    def papers(self, *_: Any) -> list:
        return []

    retractions = findings = identifiers = harvests = published_versions = papers


def read_labelled() -> list[dict[str, Any]]:
    """Returns the labelled preprints."""
    return [json.loads(line) for line in _FILE.read_text(encoding="utf-8").splitlines()]


def records_of(labelled: Iterable[dict[str, Any]], *, with_preprints: bool) -> Iterator[str]:
    """Yields the records in DBLP's XML, and `with_preprints` those in CoRR, which it has of most of arXiv's papers."""
    yield from map(xml_record, {record["key"]: record for item in labelled for record in item["records"]}.values())
    for item in labelled:
        preprint = item["preprint"]
        if with_preprints:
            key = f"journals/corr/abs-{preprint['arxiv_id'].replace('.', '-').replace('/', '-')}"
            year, link = ArxivId(preprint["arxiv_id"]).year, f"https://arxiv.org/abs/{preprint['arxiv_id']}"
            yield xml_record({**preprint, "key": key, "kind": "article", "venue": "CoRR", "year": year}, link=link)


def xml_record(record: dict[str, Any], *, link: str | None = None) -> str:
    """Returns a record in DBLP's XML, with the link or that of its DOI."""
    link = link or (f"https://doi.org/{record['doi']}" if record.get("doi") else None)
    people = "".join(f"<author>{escape(name)}</author>" for name in record["authors"])
    place = "journal" if record["kind"] == "article" else "booktitle"
    ee = f"<ee>{escape(link)}</ee>" if link else ""
    return (
        f'<{record["kind"]} key="{record["key"]}" mdate="2026-01-01">{people}<title>{escape(record["title"])}.</title>'
        f"<year>{record['year']}</year><{place}>{escape(record['venue'])}</{place}>{ee}</{record['kind']}>\n"
    )


def versions_found(labelled: Sequence[dict[str, Any]], records: Iterable[str], folder: Path) -> list[set[str]]:
    """Returns for each preprint the keys of the published versions that a run finds in a mirror of `records`.

    The run knows the preprints from arXiv. The folder is for the mirror.
    """
    release = folder / "dblp.xml"
    with release.open("w", encoding="utf-8") as stream:
        stream.write("<dblp>\n")
        stream.writelines(records)
        stream.write("</dblp>\n")
    import_dump(MirrorFolder(folder / "mirror" / "dblp"), Dump(source="dblp", files=(release,), whole=False))
    lake: Any = EmptyLake()
    run_papers = RunPapers(lake, now=NOW)
    papers = [run_papers.add(_arxiv_paper(item["preprint"]), fetched_at=NOW) for item in labelled]
    mirrors = Mirrors(folder / "mirror")
    run: Any = SimpleNamespace(now=NOW, known=lake, papers=run_papers, notes=HarvestRows(NOW), mirrors=mirrors)
    harvest_mirrors(papers, run)
    mirrors.close()
    rows = version_rows(run_papers, known=lake, now=NOW)
    return [{row["record"] for row in rows if row["paper_id"] == run_papers.current(paper)} for paper in papers]


def versions_of_works(labelled: Iterable[dict[str, Any]]) -> list[set[str]]:
    """Returns for each preprint the keys of the records that OpenAlex's works of them make its published versions.

    Semantic Scholar may give the preprint the DOI of any of its records, and OpenAlex is asked by that: each record is
    tried as a work of its own, which does not name the preprint, as OpenAlex has it where it has not merged the two.
    """
    found = []
    for item in labelled:
        preprint = item["preprint"]
        known = Description(title=preprint["title"], authors=tuple(preprint["authors"]),
                            year=ArxivId(preprint["arxiv_id"]).year)  # fmt: skip
        own = set()
        for number, record in enumerate(item["records"]):
            work = parse_entry(_work(record, number), NOW.date())
            assert isinstance(work, OpenAlexWork), work
            told = (work, preprint["title"], preprint["authors"], preprint["arxiv_id"])
            if dispute(preprint["arxiv_id"], known, work) is None and version_of_work(*told) is not None:
                own.add(record["key"])
        found.append(own)
    return found


def _work(record: dict[str, Any], number: int) -> dict[str, Any]:
    """Returns a record in the form of https://help.openalex.org/data/works/attributes ."""
    doi = record.get("doi") or f"10.5555/{record['key']}"
    kind = {"article": "journal", "inproceedings": "conference"}.get(record["kind"], "book series")
    place = {"landing_page_url": f"https://doi.org/{doi}", "version": "publishedVersion",
             "source": {"display_name": record["venue"], "type": kind}}  # fmt: skip
    return {
        "id": f"https://openalex.org/W{10**9 + number}",
        "doi": f"https://doi.org/{doi}",
        "title": record["title"],
        "publication_year": record["year"],
        "authorships": [{"raw_author_name": name} for name in record["authors"]],
        "primary_location": place,
        "locations": [place],
    }


def _arxiv_paper(preprint: dict[str, Any]) -> ArxivPaper:
    return ArxivPaper(
        arxiv_id=preprint["arxiv_id"],
        title=preprint["title"],
        authors=tuple(preprint["authors"]),
        categories=("cs.LG",),
    )
