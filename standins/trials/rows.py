"""Rows and records for tests: every column has a plain value, and each test says only what it is about."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sources.bibliography.titles import title_key
from sources.records import ArxivPaper, Mention, S2Paper
from warehouse.lake.place import LakePlace
from warehouse.lake.session import writing
from warehouse.loading.commit import Harvest, load
from warehouse.tables import declarations as tables

T0 = datetime(2026, 3, 1, 6, tzinfo=UTC)
DAY = timedelta(days=1)
WEEK = timedelta(weeks=1)
KNOWN = datetime(2017, 6, 12, tzinfo=UTC)


def _row(table, plain: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    return {**dict.fromkeys(table.names), **plain, **told}


def list_row(list_id="l1", **told):
    plain = {"list_id": list_id, "location": f"/lists/{list_id}.md", "title": f"List {list_id}", "revision": "0" * 64}
    return _row(tables.READING_LISTS, plain | {"first_seen_at": T0, "parsed_at": T0}, told)


def mention_row(mention_id="m1", *, list_id="l1", **told):
    plain = {"mention_id": mention_id, "list_id": list_id, "line": 1, "section": [], "text": "- a paper", "title": "P"}
    plain |= {"authors": [], "struck": False, "notes_urls": [], "first_seen_at": T0, "last_seen_at": T0, "tries": 0}
    status = "resolved" if told.get("paper_id") else "failed"
    return _row(tables.MENTIONS, plain | {"status": status}, told)


def candidate_row(mention_id="m1", rank=1, **told):
    plain = {"mention_id": mention_id, "rank": rank, "source": "arxiv", "title": "Q", "score": 0.5, "reasons": []}
    return _row(tables.CANDIDATES, plain, told)


def finding_row(mention_id="m1", ordinal=0, **told):
    plain = {"mention_id": mention_id, "ordinal": ordinal, "code": "link-title-disagree", "message": "They disagree."}
    return _row(tables.FINDINGS, plain, told)


def paper_row(paper_id="p1", **told):
    plain = {"paper_id": paper_id, "title": f"Title of {paper_id}", "title_keys": [f"titleof{paper_id}"], "authors": []}
    plain |= {"categories": [], "fields_of_study": [], "first_seen_at": T0, "refreshed_at": T0}
    return _row(tables.PAPERS, plain, told)


def identifier_row(paper_id="p1", scheme="arxiv", value="1706.03762"):
    return {"paper_id": paper_id, "scheme": scheme, "value": value}


def count_row(paper_id="p1", observed_at=T0, citation_count: int | None = 10, **told):
    plain = {"paper_id": paper_id, "source": "s2", "observed_at": observed_at, "citation_count": citation_count}
    return _row(tables.CITATION_COUNTS, plain, told)


def work_row(paper_id="p1", **told):
    plain = {"paper_id": paper_id, "openalex_id": "W1", "title": f"Title of {paper_id}", "topics": []}
    plain |= {"location_urls": [], "location_versions": [], "refreshed_at": T0}
    return _row(tables.OPENALEX_WORKS, plain, told)


def cited_row(paper_id="p1", year=2025, citation_count=10, **told):
    plain = {"paper_id": paper_id, "source": "openalex", "year": year, "citation_count": citation_count}
    return _row(tables.CITATIONS_BY_YEAR, plain | {"observed_at": T0}, told)


def reference_row(paper_id="p1", cited_openalex_id="W2", **told):
    plain = {"paper_id": paper_id, "source": "openalex", "cited_openalex_id": cited_openalex_id, "observed_at": T0}
    return _row(tables.PAPER_REFERENCES, plain, told)


def author_row(paper_id="p1", position=1, name="Ada Heap", **told):
    plain = {"paper_id": paper_id, "position": position, "name": name, "source": "openalex", "institutions": []}
    return _row(tables.PAPER_AUTHORS, plain | {"observed_at": T0}, told)


def citation_row(paper_id="p1", citing_openalex_id="W9", **told):
    plain = {"paper_id": paper_id, "source": "openalex", "citing_openalex_id": citing_openalex_id, "observed_at": T0}
    return _row(tables.PAPER_CITATIONS, plain, told)


def citing_harvest_row(paper_id="p1", **told):
    plain = {"paper_id": paper_id, "source": "openalex", "asked_at": T0, "status": "found", "citation_count": 1}
    return _row(tables.CITING_HARVESTS, plain | {"citing_count": 1, "found_at": T0, "tries": 0}, told)


def outside_row(openalex_id="W9", **told):
    title = told.get("title", f"Work {openalex_id}")
    plain = {"openalex_id": openalex_id, "status": "found", "title": title, "title_key": title_key(title)}
    plain |= {"authors": [f"Author of {openalex_id}"], "citation_count": 10, "refreshed_at": T0, "tries": 0}
    return _row(tables.OUTSIDE_WORKS, plain, told)


def retraction_row(paper_id="p1", source="retraction-watch", **told):
    plain = {"paper_id": paper_id, "source": source, "retracted": True, "reasons": [], "matched_by": "doi"}
    return _row(tables.RETRACTIONS, plain | {"first_seen_at": T0}, told)


def version_row(paper_id="p1", source="dblp", record="conf/x/1", **told):
    plain = {"paper_id": paper_id, "source": source, "record": record, "first_seen_at": T0}
    return _row(tables.PUBLISHED_VERSIONS, plain, told)


def harvest_row(paper_id="p1", source="s2", **told):
    plain = {"paper_id": paper_id, "source": source, "asked_at": T0, "status": "found", "tries": 0}
    return _row(tables.HARVESTS, plain, told)


def reply_row(request_key="{}", fetched_at=T0, body=b"[]", **told):
    plain = {"source": "s2", "request_key": request_key, "fetched_at": fetched_at, "status": 200, "body": body}
    return _row(tables.REPLIES, plain | {"sha256": "0" * 64, "parser_version": 1}, told)


def run_row(run_id="r1", **told):
    counts = [column.name for column in tables.RUNS.columns if column.type.duckdb == "BIGINT"]
    plain = {"run_id": run_id, "started_at": T0, "finished_at": T0, "status": "completed", "seconds_total": 0.1}
    return _row(tables.RUNS, dict.fromkeys(counts, 0) | plain | {"problems": [], "offline": False}, told)


def arxiv_paper(arxiv_id="1706.03762", **told):
    plain = {"title": "Attention Is All You Need", "authors": ("Ashish Vaswani",), "published_at": KNOWN}
    return ArxivPaper(
        arxiv_id=arxiv_id, **plain | {"categories": ("cs.CL", "cs.LG"), "primary_category": "cs.CL"} | told
    )


def s2_paper(s2_paper_id="a" * 40, **told):
    return S2Paper(s2_paper_id=s2_paper_id, **{"title": "Attention is All you Need", "citation_count": 100} | told)


def mention(line=1, **told):
    return Mention(line=line, last_line=line, **told)


def fill(place: LakePlace, run: dict[str, Any] | None = None, **rows: Any) -> LakePlace:
    """Loads rows into the lake at `place`, table -> rows as `Harvest` takes them, in a run of their own."""
    with writing(place) as connection:
        load(connection, Harvest(**rows), run or run_row())
    return place
