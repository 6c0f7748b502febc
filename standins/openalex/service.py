"""OpenAlex's list of works, by DOI, by identifier or by words of the title.

The wire: https://help.openalex.org/api/filtering and /data/works/attributes, and for the language of searches
https://developers.openalex.org/guides/searching : phrases in quotes, AND, OR, NOT and brackets, words are stemmed. A
comma parts filters, in quotes too (https://github.com/ropensci/openalexR/issues/254).

What no fact tells is invented steadily, as in papers.py. A work has one DOI, the published version's; a preprint that
was published is not found by arXiv's DOI, unless the fact `preprint_count` makes it a work of its own (WIRE.md row 11).
Works of DataCite are left out of lists unless `include_xpac=true` (row 5). Errors are charged, but for a 504 (row 10).
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from standins.catalogue.library import Library, Search
from standins.catalogue.papers import ARXIV_DOI, Paper, steady, title_key
from standins.openalex.citing import citing_works, one_page
from standins.wire import Reply, Request, Unsupported

_JSON = "application/json"
CREDITS = 1_000
"""What a day gives without a key: https://help.openalex.org/api/authentication ."""
KEYED_CREDITS = 10_000
"""What a day gives with a free key."""
_MOST_VALUES = 100
_LONGEST_TARGET = 8_190
"""Characters of an address (WIRE.md row 14)."""
_DATACITE = tuple(f"https://doi.org/{prefix}/" for prefix in ("10.5281", "10.17605", "10.6084", "10.5061"))
"""Prefixes of DOIs whose works lists leave out (WIRE.md row 5)."""
_LONG_PHRASE, _MOST_LONG_PHRASES, _LONGEST_SEARCH = 80, 3, 1_500
"""What `search.title` takes on free plans (WIRE.md row 14)."""
_YEARS = 10
_FILTERS = {"doi": "works", "ids.openalex": "look-up", "title.search": "search", "cites": "citing"}
"""Filter -> the name of the endpoint in the log; to OpenAlex it is one."""
_SINCE = "from_publication_date:"
_COSTS = {"search": 10}
_WORK = re.compile(r"W\d+")
_TERM = re.compile(r'"(?P<phrase>[^"]*)"|(?P<mark>[()])|(?P<operator>\b(?:AND|OR|NOT)\b)|(?P<word>[^\s()"]+)')


def endpoint_of(path: str, params: Mapping[str, str]) -> str | None:
    """Returns what a request asks for, None where it is no list of works."""
    name = "title.search" if "search.title" in params else params.get("filter", "").partition(":")[0]
    return _FILTERS.get(name, "works") if path == "/works" else None


def answer(library: Library, request: Request) -> Reply:  # noqa: PLR0911 - a return for each refusal
    """Returns OpenAlex's reply to a list of works."""
    name, colon, wanted = request.params.get("filter", "").partition(":")
    if "search.title" in request.params:
        name, colon, wanted = "title.search", ":", request.params["search.title"]
        if (refused := _search_refused(wanted)) is not None:
            return refused
    others = wanted.partition(",")[2]
    if not colon or name not in _FILTERS or (others and not (name == "cites" and others.startswith(_SINCE))):
        return _refusal(400, "Invalid query parameters error.", "The filter is not of the form doi:a|b")
    if len(request.target) > _LONGEST_TARGET:
        return _refusal(400, "Request-Line too large", f"The address is longer than {_LONGEST_TARGET} bytes")
    size = int(request.params.get("per_page", "25"))
    if not 1 <= size <= _MOST_VALUES:
        return _refusal(400, "Pagination error.", f"per_page parameter must be between 1 and {_MOST_VALUES}")
    values = [value for value in wanted.partition(",")[0].split("|") if value]
    if name != "title.search" and len(values) > _MOST_VALUES:
        text = f"Maximum number of values exceeded for {name}. Decrease values to {_MOST_VALUES} or below"
        return _refusal(400, "Invalid query parameters error.", text)
    if name == "cites":
        works = citing_works(library, request, wanted, work_object=work_object)
        return one_page(works, request, size, _refusal)
    if name == "title.search":
        found = _searched(library, wanted)
    else:
        look_up = _found if name == "doi" else _by_id
        found = [work for value in values if (work := look_up(library, value)) is not None]
    if request.params.get("include_xpac") != "true":
        found = [
            work
            for work in found
            if not (work["doi"] or "").startswith(tuple(f"https://doi.org/{p}" for p in _DATACITE))
        ]
    return _listed({work["id"]: work for work in found}.values(), request, size)


def _listed(works: Iterable[dict[str, Any]], request: Request, size: int) -> Reply:
    ordered = sorted(works, key=lambda work: (-work["cited_by_count"], work["id"]))
    wanted = request.params.get("select", "").split(",")
    results = [{name: work[name] for name in wanted if name in work} if wanted[0] else work for work in ordered]
    meta = {"count": len(results), "db_response_time_ms": 12, "page": 1, "per_page": size, "groups_count": None}
    body = {"meta": {**meta, "cost_usd": _cost(request) / 10_000}, "results": results[:size], "group_by": []}
    return Reply(status=200, body=json.dumps(body).encode(), content_type=_JSON)


def _cost(request: Request) -> int:
    return _COSTS.get(request.endpoint, 1)


def _searched(library: Library, query: str) -> list[dict[str, Any]]:
    """Returns the works whose titles hold the phrases of a search.

    Raises:
        Unsupported: The words stand in an order that means nothing.
    """
    terms = [
        match["mark"] or match["operator"] or f'({{title}} : "{" ".join(re.findall(chr(92) + "w+", words))}")'
        for match in _TERM.finditer(query)
        if (words := match["phrase"] or match["word"] or "") or match["mark"] or match["operator"]
    ]
    phrases = [title_key(match["phrase"]) for match in _TERM.finditer(query) if match["phrase"]]
    documented = [_famous(doi) for doi in sorted(_FAMOUS)]
    known = [work for work in documented if any(phrase in title_key(work["title"]) for phrase in phrases)]
    try:
        found = library.search(Search(match=" ".join(terms), limit=10 * _MOST_VALUES))
    except sqlite3.OperationalError as error:
        raise Unsupported(f"the stand-in cannot search for {query!r}") from error
    return [*known, *(work_object(library, paper) for paper in found.papers)]


def asked_dois(request: Request) -> list[str]:
    """Returns the DOIs that a request asks for."""
    name, _, dois = request.params.get("filter", "").partition(":")
    return [doi.removeprefix("https://doi.org/").lower() for doi in dois.split("|") if doi and name == "doi"]


def metered(request: Request, reply: Reply, left: int) -> tuple[Reply, int]:
    """Returns a reply with what it cost of the day's credits, and what is left; without enough, the refusal.

    Errors are charged as answers are; a 504 alone is refunded (WIRE.md row 10). One refused before is not charged.
    """
    if "X-RateLimit-Limit" in reply.headers:
        return reply, left
    if left < _cost(request):
        return allowance_spent(left), left
    cost = _cost(request) if reply.status != 504 else 0
    headers = _rate_headers(left - cost, cost)
    if "authorization" in request.headers:
        more = KEYED_CREDITS - CREDITS
        headers |= {"X-RateLimit-Limit": str(KEYED_CREDITS), "X-RateLimit-Remaining": str(left - cost + more)}
    return replace(reply, headers={**reply.headers, **headers}), left - cost


def too_many_requests() -> Reply:
    """Returns the answer to too many requests in a second, which says that none is left (WIRE.md row 4)."""
    refused = _refusal(429, "Rate limit exceeded", "You have exceeded the limit of 10 requests per second")
    return replace(refused, headers={**_rate_headers(0, 0), "Retry-After": "1"})


def searches_paused(request: Request, reply: Reply) -> Reply:
    """Returns the answer to a search without a key while those are paused; anything else goes on (WIRE.md row 2)."""
    if request.endpoint != "search" or "authorization" in request.headers:
        return reply
    refused = _refusal(503, "Service Unavailable", "Searches without a key are paused")
    return replace(refused, headers={"Retry-After": "60"})


def timed_out(reply: Reply, share: float) -> Reply:
    """Returns the part of a list that was there when its time was up, counted as if it were all (WIRE.md row 1)."""
    if reply.status != 200:
        return reply
    body = json.loads(reply.body)
    body["results"] = body["results"][: int(len(body["results"]) * share)]
    body["meta"] |= {"count": len(body["results"]), "timed_out": True}
    return replace(reply, body=json.dumps(body).encode())


def wrong_key(request: Request, reply: Reply) -> Reply:
    """Returns the answer to a key that OpenAlex does not know (WIRE.md row 12)."""
    refused = _refusal(401, "Unauthorized", "The API key is not valid")
    return refused if "authorization" in request.headers else reply


def no_title_filter(request: Request, reply: Reply) -> Reply:
    """Returns the refusal of `title.search` as a filter, which is deprecated (WIRE.md row 14)."""
    text = "title.search is not a valid field. Use the search.title parameter"
    is_meant = request.params.get("filter", "").startswith("title.search")
    return _refusal(400, "Invalid query parameters error.", text) if is_meant else reply


def _search_refused(query: str) -> Reply | None:
    """Returns the refusal of a search that is beyond what `search.title` takes (WIRE.md row 14)."""
    long = [phrase for phrase in re.findall(r'"([^"]*)"', query) if len(phrase) > _LONG_PHRASE]
    if len(long) <= _MOST_LONG_PHRASES and len(query) <= _LONGEST_SEARCH:
        return None
    return _refusal(400, "Invalid query parameters error.", "The search has too many long phrases or characters")


def prepaid(reply: Reply) -> Reply:
    """Returns a reply to one who has used the day's credits and pays for more (WIRE.md row 13)."""
    left = {"X-RateLimit-Remaining": "0", "X-RateLimit-Onetime-Remaining": "5000"}
    return replace(reply, headers={**reply.headers, **left, "X-RateLimit-Limit": str(CREDITS)})


def allowance_spent(left: int = 0) -> Reply:
    """Returns the answer to those who have used up the day's credits, or have too few left for what they ask."""
    headers = _rate_headers(left, 0)
    refused = _refusal(429, "Rate limit exceeded", "Insufficient credits. Resets at midnight UTC")
    return replace(refused, headers={**headers, "Retry-After": headers["X-RateLimit-Reset"]})


def work_id(library: Library, paper: Paper) -> str:
    """Returns the identifier of a paper's work, by which it can be asked for from then on."""
    number = f"W{10**9 + steady(paper.sha, 'work') % 10**9}"
    library.works[number] = paper.sha
    return number


def work_object(library: Library, paper: Paper) -> dict[str, Any]:
    """Returns the whole work: every field that the documentation gives to a work and this project reads."""
    doi = _doi(paper)
    count = (paper.citation_count or 0) * 4 // 5
    references = [f"https://openalex.org/{one}" for one in _references(library, paper)]
    locations = list(_locations(paper))
    return {
        "id": f"https://openalex.org/{work_id(library, paper)}",
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
        if paper and paper.preprint_count is not None:
            return _preprint(library, paper)
        paper = paper if paper and paper.doi is None else None
    if paper is None and doi in _FAMOUS:
        return _famous(doi)
    return None if paper is None else work_object(library, paper)


def _preprint(library: Library, paper: Paper) -> dict[str, Any]:
    """Returns a preprint that is a work of its own beside the published paper (WIRE.md row 11)."""
    own = replace(paper, doi=None, citation_count=paper.preprint_count, preprint_count=None)
    work = work_object(library, own)
    work["cited_by_count"] = paper.preprint_count
    work["id"] = work["id"].replace("/W1", "/W6")
    return work


def _by_id(library: Library, value: str) -> dict[str, Any] | None:
    number = value.rpartition("/")[2].upper()
    if number.startswith("W6") and f"W1{number[2:]}" in library.works:
        paper = library.find("sha", library.works[f"W1{number[2:]}"])
        return _preprint(library, paper) if paper else None
    paper = library.find("sha", library.works[number]) if number in library.works else None
    documented = {work["id"].rpartition("/")[2]: work for work in map(_famous, _FAMOUS)}
    return documented.get(number) if paper is None else work_object(library, paper)


def _doi(paper: Paper) -> str | None:
    return paper.doi.lower() if paper.doi else f"{ARXIV_DOI}{paper.arxiv_id}" if paper.arxiv_id else None


def _references(library: Library, paper: Paper) -> Iterator[str]:
    for reference in paper.references:
        if _WORK.fullmatch(reference):
            yield reference
            continue
        cited = library.find("arxiv_id", reference) or library.find("doi", reference)
        if cited is not None:
            yield work_id(library, cited)
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
    if paper.arxiv_id and paper.preprint_count is None:
        venue = {"id": "https://openalex.org/S4306400194", "display_name": "arXiv (Cornell University)",
                 "type": "repository"}  # fmt: skip
        yield _location(f"http://arxiv.org/abs/{paper.arxiv_id}", "submittedVersion", venue, is_open=True)


def _location(url: str, version: str, source: dict[str, Any], *, is_open: bool) -> dict[str, Any]:
    return {"is_oa": is_open, "landing_page_url": url, "pdf_url": None, "source": source, "license": None,
            "version": version}  # fmt: skip


_FAMOUS = {
    "10.7717/peerj.4375": "The state of OA: a large-scale analysis of the prevalence and impact of Open Access "
    "articles",
    "10.1371/journal.pone.0266781": "Work 2 of the documentation",
    "10.1371/journal.pone.0267149": "Work 3 of the documentation",
}
"""Works of the documentation's own examples: DOI -> title, invented but for the first."""


def _famous(doi: str) -> dict[str, Any]:
    number = steady(doi, "work") % 10**9
    return {
        "id": f"https://openalex.org/W{3 * 10**9 + number}",
        "doi": f"https://doi.org/{doi}",
        "title": _FAMOUS[doi],
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
        "X-RateLimit-Onetime-Remaining": "0",
        "X-RateLimit-Reset": str(max(int((midnight - now).total_seconds()), 1)),
    }
