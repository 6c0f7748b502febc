"""arXiv's query endpoint: https://info.arxiv.org/help/api/user-manual.html ."""

from __future__ import annotations

import hashlib
import re

from standins.arxiv.feed import CONTENT_TYPE, Question, render, render_error
from standins.arxiv.query import Compiled, QueryError, compile_query
from standins.catalogue.library import Library, Search
from standins.catalogue.papers import Paper
from standins.wire import Reply, Request, Unsupported

_ID = re.compile(r"(?P<base>\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v(?P<version>\d+))?")
_MOST_PER_SLICE, _MOST_PER_QUERY = 2_000, 30_000


class Refused(ValueError):
    """A request that arXiv answers with HTTP 400 and an entry called "Error"."""


def answer(library: Library, request: Request) -> Reply:
    """Returns arXiv's reply to a query, asked by GET or by a form."""
    try:
        return _feed(library, request)
    except (Refused, QueryError) as refusal:
        return Reply(status=400, body=render_error(str(refusal)), content_type=CONTENT_TYPE)
    except Unsupported as gap:
        return Reply(status=501, body=str(gap).encode(), content_type="text/plain")


def rate_exceeded() -> Reply:
    """Returns what arXiv sends to those who ask too fast (wire/arxiv/query_429_rate_exceeded_observed)."""
    return Reply(status=429, body=b"Rate exceeded.", content_type="text/plain")


def asked_ids(request: Request) -> list[str]:
    """Returns the identifiers of the id_list as written, each once."""
    return list(dict.fromkeys(part.strip() for part in request.params.get("id_list", "").split(",") if part.strip()))


def _feed(library: Library, request: Request) -> Reply:
    start, wanted = _whole(request, "start", 0), _whole(request, "max_results", 10)
    if wanted > _MOST_PER_QUERY:
        raise Refused(f"max_results must be <= {_MOST_PER_QUERY}")
    ids, query = asked_ids(request), request.params.get("search_query", "").strip()
    compiled = compile_query(query) if query else Compiled(match=None, echo="")
    limit = min(wanted, _MOST_PER_SLICE)
    if ids:
        entries = _by_id(library, ids)
        if query:
            raise Unsupported("the stand-in takes a query or an id_list")
        total, entries = len(entries), entries[start : start + limit]
    else:
        if request.params.get("sortBy", "relevance") != "relevance":
            raise Unsupported("the stand-in sorts by relevance")
        found = library.search(Search(match=compiled.match, limit=limit, offset=start, arxiv_only=True))
        total, entries = found.total, [(paper, paper.version) for paper in found.papers]
    question = Question(search_query=compiled.echo, id_list=",".join(ids), start=start, max_results=wanted)
    return Reply(status=200, body=render(question, total, entries), content_type=CONTENT_TYPE)


def _by_id(library: Library, ids: list[str]) -> list[tuple[Paper, int]]:
    """Returns the papers that exist, in an order of arXiv's own, never that of the request."""
    found = []
    for written in ids:
        match = _ID.fullmatch(written)
        if match is None:
            raise Refused(f"incorrect id format for {written}")
        paper = library.find("arxiv_id", re.sub(r"\.[A-Z]{2}/", "/", match["base"]))
        version = int(match["version"] or (paper.version if paper else 0))
        if paper is not None and 1 <= version <= paper.version:
            found.append((paper, version))
    shuffled = sorted(found, key=lambda entry: hashlib.sha1(f"{entry[0].arxiv_id}v{entry[1]}".encode()).digest())
    return shuffled if shuffled != found else shuffled[1:] + shuffled[:1]


def _whole(request: Request, name: str, default: int) -> int:
    text = request.params.get(name, "").strip()
    if not text:
        return default
    if not re.fullmatch(r"-?\d+", text):
        raise Refused(f"{name} must be an integer")
    if int(text) < 0:
        raise Refused(f"{name} must be non-negative")
    return int(text)
