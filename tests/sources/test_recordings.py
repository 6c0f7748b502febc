"""Every recording of ../shared/wire goes through the reader of its kind, or is named with the reason why not."""

import io
import json
import re
from pathlib import Path

import pytest

from sources.http.replies import refusal_words
from sources.records import S2Paper
from sources.services.arxiv import feed
from sources.services.arxiv.dump import parse_row
from sources.services.arxiv.oai import parse_page
from sources.services.dblp.release import lines_of_release
from sources.services.retraction_watch import lines_of_notices
from sources.services.semantic_scholar.record import parse_batch, parse_entry, parse_match, parse_search
from tests.matrices import for_each

WIRE = Path(__file__).resolve().parents[2].parent / "shared" / "wire"
UNUSED = {
    r"arxiv/oai_\w+_arXiv_": "the format arXiv is not asked for: its day is that of the current version",
    r"semanticscholar/(author|datasets|legacy|recommendations)_": "an endpoint that is not asked",
    r"semanticscholar/paper_(authors|citations|references)": "an endpoint that is not asked",
    r"openalex/": "tests/sources/openalex",
}


def _oai(body: bytes) -> bool:
    page = parse_page(body.replace(b"GetRecord>", b"ListRecords>"))
    papers = [parse_row(row) for row in page.rows]
    return not page.faults and all(paper.authors and paper.published_at and paper.version for paper in papers)


def _entries(body: bytes) -> bool:
    asked_for_titles = b'"title"' in body
    return not asked_for_titles or any(isinstance(entry, S2Paper) for entry in parse_batch(body))


def _one_paper(body: bytes) -> bool:
    entry = json.loads(body)
    return isinstance(parse_entry(entry, None), S2Paper)


def _feed(body: bytes) -> bool:
    page = feed.parse_feed(body)
    is_told = all(paper.title and paper.authors and paper.published_at for paper in page.papers)
    return is_told and not page.faults and len(page.papers) == body.count(b"<entry") <= page.total


def _page(body: bytes) -> bool:
    raw, page = json.loads(body), parse_search(body)
    count = len(page.papers) + len(page.faults)
    return (page.total, page.token, count) == (raw["total"], raw.get("token"), len(raw.get("data", [])))


def _match(body: bytes) -> bool:
    raw, paper = json.loads(body)["data"], parse_match(body)
    if paper is None:
        return raw == []
    told = (raw[0]["paperId"], " ".join(raw[0]["title"].split()), raw[0].get("citationCount"))
    return (paper.s2_paper_id, paper.title, paper.citation_count) == told


READERS = {
    r"arxiv/oai_\w+_arXivRaw_": _oai,
    r"arxiv/": _feed,
    r"semanticscholar/batch_": _entries,
    r"semanticscholar/(bulk|search)_": _page,
    r"semanticscholar/match_": _match,
    r"semanticscholar/paper_": _one_paper,
    r"dblp/": lambda body: b'"key"' in lines_of_release(io.BytesIO(body)).read(),
    r"retraction_watch/": lambda body: len(lines_of_notices(io.BytesIO(body)).read().splitlines()) >= 7,
}
FILES = sorted(path for path in WIRE.rglob("*") if path.is_file() and not path.name.endswith((".meta.json", ".md")))


@pytest.mark.skipif(not WIRE.is_dir(), reason="the recordings in ../shared/wire are not here")
@for_each("service", sorted({path.parent.name for path in FILES}))
def test_every_recording_is_read_or_named(service):
    for path in (path for path in FILES if path.parent.name == service):
        name, body = f"{service}/{path.name}", path.read_bytes()
        if any(re.match(pattern, name) for pattern in UNUSED):
            continue
        meta = path.with_name(path.name.partition(".body.")[0] + ".meta.json")
        if meta.exists() and json.loads(meta.read_text(encoding="utf-8"))["response"]["status"] != 200:
            assert (feed.error_said if service == "arxiv" else refusal_words)(body), name
            continue
        reader = next((reader for pattern, reader in READERS.items() if re.match(pattern, name)), None)
        assert reader is not None, f"{name} is read by nothing: give it a reader here, or a reason"
        assert reader(body), name
