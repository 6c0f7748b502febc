"""OpenAlex's list of the works that cite others: page by page, with the works that nobody added invented steadily.

The wire: `cites` and `from_publication_date` of https://developers.openalex.org/api-reference/works , and page numbers
or a cursor as of https://developers.openalex.org/guides/page-through-results . A cursor needs a key
(https://apify.com/bepolabs/openalex-works/changelog.md); it is None on a page that is not full. A paper has as many
citing works as it has citations: those that were added with references to it, and inventions, which cite nothing else
that anybody knows.
"""

from __future__ import annotations

import base64
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from standins.catalogue.library import Library
from standins.catalogue.papers import Paper, steady
from standins.wire import Reply, Request

MOST_RESULTS = 10_000
Work = dict[str, Any]


def citing_works(
    library: Library, request: Request, wanted: str, *, work_object: Callable[[Library, Paper], Work]
) -> list[Work]:
    """Returns the works that cite one of those that a filter names, in the order of their publication."""
    cites, _, since = wanted.partition(",from_publication_date:")
    found: dict[str, Work] = {}
    index = _index(library, work_object)
    for number in filter(None, cites.split("|")):
        known = index.get(number.rpartition("/")[2], [])
        found.update({work["id"]: work for work in (*known, *_invented(library, number, len(known), work_object))})
    works = [work for work in found.values() if not since or (work["publication_date"] or "") >= since]
    return sorted(works, key=_place)


def _place(work: Work) -> tuple[str, str]:
    return work["publication_date"] or "", work["id"]


def one_page(works: list[Work], request: Request, size: int, refuse: Callable[[int, str, str], Reply]) -> Reply:
    """Returns the page that a request asks for."""
    cursor = request.params.get("cursor")
    if cursor is not None and "authorization" not in {name.lower() for name in request.headers}:
        return refuse(401, "Unauthorized", "Cursor paging needs an API key")
    number = int(request.params.get("page", "1"))
    if number < 1 or number * size > MOST_RESULTS:
        return refuse(400, "Pagination error.", f"Maximum results size of {MOST_RESULTS} exceeded")
    fields = request.params.get("select", "").split(",")
    after = None if cursor in (None, "*") else tuple(json.loads(base64.b64decode(cursor)))
    left = works[(number - 1) * size :] if after is None else [work for work in works if _place(work) > after]
    results = [{name: work[name] for name in fields if name in work} if fields[0] else work for work in left[:size]]
    meta = {"count": len(works), "db_response_time_ms": 12, "page": number, "per_page": size, "groups_count": None}
    if cursor is not None:
        is_full = len(results) == size
        meta["page"] = None
        meta["next_cursor"] = (
            base64.b64encode(json.dumps(_place(left[size - 1])).encode()).decode() if is_full else None
        )
    body = {"meta": meta, "results": results, "group_by": []}
    return Reply(status=200, body=json.dumps(body).encode(), content_type="application/json")


def _index(library: Library, work_object: Callable[[Library, Paper], Work]) -> dict[str, list[Work]]:
    """Returns work -> those that cite it, made anew when papers were added."""
    if library.citing is None:
        index: defaultdict[str, list[Work]] = defaultdict(list)
        for paper in library.with_references():
            work = work_object(library, paper)
            for cited in work["referenced_works"]:
                index[cited.rpartition("/")[2]].append(work)
        library.citing = dict(index)
    return library.citing


def _invented(
    library: Library, number: str, known: int, work_object: Callable[[Library, Paper], Work]
) -> Iterator[Work]:
    paper = library.find("sha", library.works[number]) if number in library.works else None
    count = work_object(library, paper)["cited_by_count"] if paper else 0
    year = (paper.year or 2020) if paper else 2020
    for at in range(count - known):
        own = steady(paper.sha if paper else "", f"cited by {at}")
        references = [number, *(f"W{5 * 10**9 + (own + other) % 10**9}" for other in range(own % 20))]
        yield {
            "id": f"https://openalex.org/W{4 * 10**9 + own % 10**9}",
            "publication_date": f"{year + own % 4}-{1 + own % 12:02}-{1 + own % 28:02}",
            "referenced_works": [f"https://openalex.org/{each}" for each in references],
            "referenced_works_count": len(references),
        }
