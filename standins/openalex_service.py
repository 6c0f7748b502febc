"""OpenAlex's list of works, filtered by DOI: https://help.openalex.org/api/filtering and /data/works/attributes .

What no fact tells is invented steadily, as in papers.py. A work has one DOI, the published version's; a preprint that
was published is not found by arXiv's DOI.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from standins.library import Library
from standins.papers import ARXIV_DOI, Paper, steady, title_key
from standins.wire import Reply, Request

_JSON = "application/json"
CREDITS = 1_000
"""What a day gives without a key: https://help.openalex.org/api/authentication ."""
_MOST_VALUES = 100
_YEARS = 10


def answer(library: Library, request: Request) -> Reply:
    """Returns OpenAlex's reply to a list of works."""
    dois = asked_dois(request)
    if not request.params.get("filter", "").startswith("doi:") or any("," in doi for doi in dois):
        return _refusal(403, "Invalid query parameters error.", "The filter is not of the form doi:a|b")
    if len(dois) > _MOST_VALUES:
        text = f"Maximum number of values exceeded for doi. Decrease values to {_MOST_VALUES} or below"
        return _refusal(400, "Invalid query parameters error.", text)
    size = int(request.params.get("per_page", "25"))
    if not 1 <= size <= _MOST_VALUES:
        return _refusal(400, "Pagination error.", f"per_page parameter must be between 1 and {_MOST_VALUES}")
    works = {work["id"]: work for work in (_found(library, doi) for doi in dois) if work is not None}
    ordered = sorted(works.values(), key=lambda work: (-work["cited_by_count"], work["id"]))
    wanted = request.params.get("select", "").split(",")
    results = [{name: work[name] for name in wanted if name in work} if wanted[0] else work for work in ordered]
    meta = {"count": len(results), "db_response_time_ms": 12, "page": 1, "per_page": size, "groups_count": None}
    body = {"meta": {**meta, "cost_usd": 0.0001}, "results": results[:size], "group_by": []}
    return Reply(status=200, body=json.dumps(body).encode(), content_type=_JSON)


def asked_dois(request: Request) -> list[str]:
    """Returns the DOIs that a request asks for."""
    dois = request.params.get("filter", "").removeprefix("doi:").split("|")
    return [doi.removeprefix("https://doi.org/").lower() for doi in dois if doi]


def metered(reply: Reply, left: int) -> tuple[Reply, int]:
    """Returns a reply with what it cost of the day's credits, and what is left; without any, the refusal."""
    if left < 1:
        return allowance_spent(), 0
    cost = 1 if reply.status == 200 else 0
    return replace(reply, headers={**reply.headers, **_rate_headers(left - cost, cost)}), left - cost


def too_many_requests() -> Reply:
    """Returns the answer to more than a hundred requests in a second."""
    refused = _refusal(429, "Rate limit exceeded", "Too many requests in a second")
    return replace(refused, headers={**_rate_headers(700, 0), "Retry-After": "1"})


def allowance_spent() -> Reply:
    """Returns the answer to those who have used up the day's credits."""
    headers = _rate_headers(0, 0)
    refused = _refusal(429, "Rate limit exceeded", "Insufficient credits. Resets at midnight UTC")
    return replace(refused, headers={**headers, "Retry-After": headers["X-RateLimit-Reset"]})


def work_id(paper: Paper) -> str:
    """Returns the identifier of a paper's work."""
    return f"W{10**9 + steady(paper.sha, 'work') % 10**9}"


def work_object(library: Library, paper: Paper) -> dict[str, Any]:
    """Returns the whole work: every field that the documentation gives to a work and this project reads."""
    doi = _doi(paper)
    count = (paper.citation_count or 0) * 4 // 5
    references = [f"https://openalex.org/{one}" for one in _references(library, paper)]
    locations = list(_locations(paper))
    return {
        "id": f"https://openalex.org/{work_id(paper)}",
        "doi": doi and f"https://doi.org/{doi}",
        "title": paper.title,
        "display_name": paper.title,
        "publication_year": paper.year,
        "publication_date": (paper.published or f"{paper.year}-01-01")[:10] if paper.year else None,
        "type": "article" if paper.doi else "preprint",
        "cited_by_count": count,
        "counts_by_year": _counts_by_year(paper, count),
        "referenced_works": references,
        "referenced_works_count": len(references),
        "authorships": [_authorship(name, number, paper) for number, name in enumerate(paper.authors)],
        "topics": [{"id": "https://openalex.org/T10320", "display_name": f"Topics in {paper.field_of_study}",
                    "score": 0.99, "field": {"id": "https://openalex.org/fields/17", "display_name": "Computing"}}],
        "is_retracted": paper.retracted,
        "open_access": {"is_oa": paper.arxiv_id is not None, "oa_status": "green" if paper.arxiv_id else "closed",
                        "oa_url": f"https://arxiv.org/pdf/{paper.arxiv_id}" if paper.arxiv_id else None,
                        "any_repository_has_fulltext": paper.arxiv_id is not None},
        "primary_location": locations[0] if locations else None,
        "locations": locations,
        "abstract_inverted_index": None,
        "updated_date": "2026-10-01T00:00:00",
    }  # fmt: skip


def _found(library: Library, doi: str) -> dict[str, Any] | None:
    paper = library.find("doi", doi)
    if paper is None and doi.startswith(ARXIV_DOI):
        paper = library.find("arxiv_id", doi.removeprefix(ARXIV_DOI))
        paper = paper if paper and paper.doi is None else None
    if paper is None and doi in _FAMOUS:
        return _famous(doi)
    return None if paper is None else work_object(library, paper)


def _doi(paper: Paper) -> str | None:
    return paper.doi.lower() if paper.doi else f"{ARXIV_DOI}{paper.arxiv_id}" if paper.arxiv_id else None


def _references(library: Library, paper: Paper) -> Iterator[str]:
    for reference in paper.references:
        cited = library.find("arxiv_id", reference) or library.find("doi", reference)
        if cited is not None:
            yield work_id(cited)
    yield from (f"W{2 * 10**9 + steady(paper.sha, f'cites {number}') % 10**9}" for number in range(3))


def _counts_by_year(paper: Paper, count: int) -> list[dict[str, int]]:
    """Returns the citations of the last ten years, newest first; years without any are left out."""
    now = datetime.now(UTC).year
    years = range(max(paper.year or now, now - _YEARS + 1), now + 1)
    each = [{"year": year, "cited_by_count": count // len(years)} for year in reversed(years)]
    return [item for item in each if item["cited_by_count"]]


def _authorship(name: str, number: int, paper: Paper) -> dict[str, Any]:
    position = "first" if number == 0 else "last" if number == len(paper.authors) - 1 else "middle"
    own = steady(title_key(name), "author") % 10**9
    place = steady(title_key(name), "place") % 50
    institution = {"id": f"https://openalex.org/I{10**6 + place}", "display_name": f"University {place}", "ror": None,
                   "country_code": "DE", "type": "education"}  # fmt: skip
    return {
        "author_position": position,
        "author": {"id": f"https://openalex.org/A{5 * 10**9 + own}", "display_name": name, "orcid": None},
        "institutions": [institution],
        "is_corresponding": number == 0,
        "raw_author_name": name,
        "raw_affiliation_strings": [f"University {place}"],
    }


def _locations(paper: Paper) -> Iterator[dict[str, Any]]:
    if paper.doi:
        venue = {"id": "https://openalex.org/S1", "display_name": paper.venue or "A Journal", "type": "journal"}
        yield _location(f"https://doi.org/{paper.doi}", "publishedVersion", venue, is_open=False)
    if paper.arxiv_id:
        venue = {"id": "https://openalex.org/S4306400194", "display_name": "arXiv (Cornell University)",
                 "type": "repository"}  # fmt: skip
        yield _location(f"http://arxiv.org/abs/{paper.arxiv_id}", "submittedVersion", venue, is_open=True)


def _location(url: str, version: str, source: dict[str, Any], *, is_open: bool) -> dict[str, Any]:
    return {"is_oa": is_open, "landing_page_url": url, "pdf_url": None, "source": source, "license": None,
            "version": version}  # fmt: skip


_FAMOUS = {"10.7717/peerj.4375", "10.1371/journal.pone.0266781", "10.1371/journal.pone.0267149"}
"""Works of the documentation's own examples."""


def _famous(doi: str) -> dict[str, Any]:
    number = steady(doi, "work") % 10**9
    return {
        "id": f"https://openalex.org/W{3 * 10**9 + number}",
        "doi": f"https://doi.org/{doi}",
        "title": f"Work {number} of the documentation",
        "publication_year": 2018,
        "publication_date": "2018-02-13",
        "type": "article",
        "cited_by_count": 1_000,
        "counts_by_year": [],
        "referenced_works": [],
        "referenced_works_count": 0,
        "authorships": [],
        "topics": [],
        "is_retracted": False,
        "open_access": {"is_oa": True, "oa_status": "gold", "oa_url": f"https://doi.org/{doi}"},
        "primary_location": None,
        "locations": [],
    }


def _refusal(status: int, error: str, message: str) -> Reply:
    body = json.dumps({"error": error, "message": message}).encode()
    return Reply(status=status, body=body, content_type=_JSON)


def _rate_headers(left: int, cost: int) -> dict[str, str]:
    now = datetime.now(UTC)
    midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    return {
        "X-RateLimit-Limit": str(CREDITS),
        "X-RateLimit-Remaining": str(left),
        "X-RateLimit-Credits-Used": str(cost),
        "X-RateLimit-Reset": str(max(int((midnight - now).total_seconds()), 1)),
    }
