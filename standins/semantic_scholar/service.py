"""Semantic Scholar's paper endpoints: https://api.semanticscholar.org/api-docs/graph ."""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import Any
from urllib.parse import unquote

from rapidfuzz.distance import Levenshtein

from standins.catalogue.library import Library, Search
from standins.catalogue.papers import ARXIV_DOI, Paper, title_key
from standins.semantic_scholar.bulk_query import compile_bulk
from standins.semantic_scholar.payload import dump, dump_error, paper_object, unsupported
from standins.wire import Reply, Request, Unsupported

_JSON = "application/json"
_MOST_IDS, _MOST_BYTES = 500, 10_000_000
_BULK_PAGE = 1_000
_STOP = frozenset("a an and are as at by for from in into is it its of on or the to via with without".split())
_URL_IDS = (
    (re.compile(r"https?://(?:www\.)?arxiv\.org/(?:abs|pdf)/(?P<id>[^?#]+?)(?:\.pdf)?"), "arxiv"),
    (re.compile(r"https?://(?:www\.)?semanticscholar\.org/paper/(?:[^/]+/)?(?P<id>[0-9a-f]{40})"), "sha"),
    (re.compile(r"https?://(?:www\.)?aclweb\.org/anthology/(?P<id>[\w.-]+?)/?"), "acl"),
    (re.compile(r"https?://(?:www\.)?aclanthology\.org/(?P<id>[\w.-]+?)/?"), "acl"),
    (re.compile(r"https?://dl\.acm\.org/doi/(?:abs/|pdf/)?(?P<id>10\..+)"), "doi"),
)


class Refused(Exception):
    """A request that the service refuses with this status and text."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


def answer(library: Library, request: Request) -> Reply:
    """Returns Semantic Scholar's reply."""
    handle = {"batch": _batch, "paper": _paper, "bulk": _bulk, "match": _match}[request.endpoint]
    try:
        return Reply(status=200, body=dump(handle(library, request)), content_type=_JSON, headers=_CORS)
    except Refused as refusal:
        return Reply(status=refusal.status, body=dump_error(str(refusal)), content_type=_JSON, headers=_CORS)
    except Unsupported as gap:
        return Reply(status=501, body=dump_error(str(gap)), content_type=_JSON)


_CORS = {"Access-Control-Allow-Origin": "*"}


def endpoint_of(path: str) -> str | None:
    """Returns the name of the endpoint that `path` leads to, None where there is none."""
    inner = path.removeprefix("/graph/v1/paper/")
    if inner == path or not inner:
        return None
    return {"batch": "batch", "search/bulk": "bulk", "search/match": "match"}.get(inner, "paper")


def forbidden() -> Reply:
    """Returns what the gateway answers to a wrong key (wire/semanticscholar/batch_403_bad_api_key)."""
    headers = {"x-amzn-ErrorType": "ForbiddenException"}
    return Reply(status=403, body=b'{"message":"Forbidden"}', content_type=_JSON, headers=headers)


def too_many_requests() -> Reply:
    """Returns what the gateway answers to those who ask too fast (wire/semanticscholar/search_429_...)."""
    text = "Too Many Requests. Please wait and try again or apply for a key for higher rate limits. "
    text += "https://www.semanticscholar.org/product/api#api-key-form"
    headers = {"x-amzn-ErrorType": "TooManyRequestsException"}
    return Reply(status=429, body=json.dumps({"message": text, "code": "429"}).encode(), content_type=_JSON,
                 headers=headers)  # fmt: skip


def look_up(library: Library, reference: str) -> Paper | None:
    """Returns the paper behind an identifier in any of the service's forms; a version or an unknown id finds none."""
    paper = _behind(library, reference)
    return None if paper is None or paper.sha in library.beyond_s2 else paper


def _behind(library: Library, reference: str) -> Paper | None:
    if (sha := library.merged(reference)) is not None:
        return library.find("sha", sha)
    if reference.lower().startswith("url:") or reference.startswith("http"):
        return _by_url(library, re.sub(r"(?i)^url:", "", reference))
    scheme, colon, value = reference.partition(":")
    if not colon:
        return library.find("doi", reference) if reference.startswith("10.") else library.find("sha", reference)
    return _by_scheme(library, scheme.lower(), value)


def _by_scheme(library: Library, scheme: str, value: str) -> Paper | None:
    if scheme == "doi" and value.lower().startswith(ARXIV_DOI):
        return library.find("doi", value) or library.find("arxiv_id", value[len(ARXIV_DOI) :])
    if scheme == "corpusid":
        return library.find("corpus_id", int(value)) if value.isdigit() else None
    key = {"arxiv": "arxiv_id", "doi": "doi", "acl": "acl", "pmid": "pmid"}.get(scheme)
    return library.find(key, value.upper() if scheme == "acl" else value) if key else None


def _by_url(library: Library, url: str) -> Paper | None:
    for pattern, scheme in _URL_IDS:
        if match := pattern.fullmatch(url):
            return library.find("sha", match["id"]) if scheme == "sha" else _by_scheme(library, scheme, match["id"])
    return None


def _batch(library: Library, request: Request) -> list[dict[str, Any] | None]:
    ids = request.body.get("ids") if isinstance(request.body, dict) else None
    if not isinstance(ids, list) or not all(isinstance(one, str) and one.strip() for one in ids):
        raise Refused(400, "No valid paper ids given")
    if len(ids) > _MOST_IDS:
        raise Refused(400, f"Too many ids given, at most {_MOST_IDS} allowed")
    fields = _fields(request)
    papers = [look_up(library, one) for one in ids]
    if not any(papers):
        raise Refused(400, "No valid paper ids given")
    body = [None if paper is None else paper_object(paper, fields) for paper in papers]
    if len(json.dumps(body)) > _MOST_BYTES:
        raise Refused(400, "Response would exceed maximum size.")
    return body


def _paper(library: Library, request: Request) -> dict[str, Any]:
    reference = unquote(request.path.removeprefix("/graph/v1/paper/"))
    paper = look_up(library, reference)
    if paper is None:
        raise Refused(404, f"Paper with id {reference} not found")
    return paper_object(paper, _fields(request))


def _bulk(library: Library, request: Request) -> dict[str, Any]:
    """Bulk search: query syntax, 1,000 a call whatever `limit` says, a token for the rest; no filters, no sorting."""
    fields, query = _fields(request, nested=False), _query(request)
    offset = _offset_of(request.params.get("token"), query)
    if unknown := request.params.keys() - {"query", "fields", "token", "limit", "offset"}:
        raise Unsupported(f"the stand-in knows no {min(unknown)}")
    beyond = sorted(library.beyond_s2)
    where = f"p.sha NOT IN ({', '.join('?' * len(beyond))})"
    match = compile_bulk(query, library.spellings)
    search = Search(match=match, limit=_BULK_PAGE, offset=offset, order="sha", where=where, values=tuple(beyond))
    found = library.search(search)
    more = offset + len(found.papers) < found.total
    data = [paper_object(paper, fields) for paper in found.papers]
    return {"total": found.total, "token": _token(query, offset + len(found.papers)) if more else None, "data": data}


def _match(library: Library, request: Request) -> dict[str, Any]:
    """The best title: most of the query's telling words must stand in it, no more; comparing is the caller's duty."""
    fields, query = _fields(request), _query(request)
    words = re.findall(r"\w+", query.lower())
    telling = [word for word in words if word not in _STOP] or words
    if not telling:
        raise Refused(404, "Title match not found")
    best = _best_title(library, query, telling)
    if best is None:
        raise Refused(404, "Title match not found")
    paper, score = best
    return {"data": [{**paper_object(paper, fields), "matchScore": score}]}


def _best_title(library: Library, query: str, telling: list[str]) -> tuple[Paper, float] | None:
    candidates: dict[str, Paper] = {}
    rarest = sorted(telling, key=len, reverse=True)[:6]
    for match in (" AND ".join(_in_title(telling)), " OR ".join(_in_title(rarest))):
        found = library.search(Search(match=match, limit=60))
        candidates.update({paper.sha: paper for paper in found.papers if paper.sha not in library.beyond_s2})
        if candidates:
            break
    wanted = title_key(query)
    rated = [(_coverage(telling, p.title), Levenshtein.normalized_similarity(wanted, title_key(p.title)), p.sha)
             for p in candidates.values()]  # fmt: skip
    coverage, closeness, sha = max(rated, default=(0.0, 0.0, ""))
    if coverage < 0.7:
        return None
    return candidates[sha], round(20.0 * len(telling) * coverage * (0.5 + closeness / 2), 5)


def _in_title(words: list[str]) -> list[str]:
    return [f'(title : "{word}")' for word in words]


def _coverage(telling: list[str], title: str) -> float:
    there = {word[:5] for word in re.findall(r"\w+", title.lower())}
    return sum(word[:5] in there for word in telling) / len(telling)


def _fields(request: Request, *, nested: bool = True) -> list[str]:
    fields = [field.strip() for field in request.params.get("fields", "title").split(",") if field.strip()]
    if unknown := unsupported(fields, nested=nested):
        raise Refused(400, f"Unrecognized or unsupported fields: [{', '.join(unknown)}]")
    return fields


def _query(request: Request) -> str:
    query = request.params.get("query", "").strip()
    if not query:
        raise Refused(400, "Missing required parameter: [query]")
    return query


def _token(query: str, offset: int) -> str:
    text = json.dumps([title_key(query)[:40], offset]).encode()
    return base64.b32encode(text).decode().rstrip("=")


def _offset_of(token: str | None, query: str) -> int:
    if not token:
        return 0
    try:
        key, offset = json.loads(base64.b32decode(token + "=" * (-len(token) % 8)))
    except (binascii.Error, ValueError):
        key, offset = None, 0
    if key != title_key(query)[:40]:
        raise Refused(400, "Invalid token")
    return int(offset)
