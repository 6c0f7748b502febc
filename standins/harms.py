"""What can go wrong with one reply, by name: a kind of `faults.KINDS` with its details. The fault matrices try each."""

from __future__ import annotations

from typing import Any

HANG_S = 0.9
"""How long a service hangs before it drops the connection; longer than the tests' clients wait for a reply."""

ONLY_BY_IDENTIFIER = frozenset({"another paper's record", "another paper's record last"})
"""No fault where a search was asked: whatever it brings is its answer, and for the judge to refuse."""

NO_MATCH = frozenset(
    {"no entries", "no entries, total 0", "an answer without hits", "every second left out", "last left out"}
)
"""No fault of Semantic Scholar's title match: an empty list says that there is none (row 9 of WIRE.md)."""

HARMS: dict[str, tuple[str, dict[str, Any]]] = {
    "500": ("500", {}),
    "502": ("502", {}),
    "503": ("503", {}),
    "504": ("504", {}),
    "429": ("429", {}),
    "429 Retry-After seconds": ("429", {"retry_after": 2}),
    "429 Retry-After date": ("429", {"retry_after_date": 2}),
    "429 Retry-After an hour": ("429", {"retry_after": 3600}),
    "429 Retry-After beyond all": ("429", {"retry_after": "9" * 400}),
    "429 Retry-After negative": ("429", {"retry_after": -5}),
    "503 Retry-After nonsense": ("503", {"retry_after": "soon"}),
    "503 Retry-After long past": ("503", {"retry_after_date": -86400}),
    "400": ("status", {"status": 400}),
    "401": ("status", {"status": 401}),
    "403": ("status", {"status": 403}),
    "404": ("404", {}),
    "404 in the service's words": ("status", {"status": 404}),
    "408": ("status", {"status": 408}),
    "409": ("status", {"status": 409}),
    "410": ("status", {"status": 410}),
    "413": ("status", {"status": 413}),
    "414": ("status", {"status": 414}),
    "418": ("status", {"status": 418}),
    "425": ("status", {"status": 425}),
    "451": ("status", {"status": 451}),
    "511": ("status", {"status": 511}),
    "202": ("status", {"status": 202, "body": ""}),
    "204": ("status", {"status": 204, "body": ""}),
    "206": ("status", {"status": 206, "body": "[]", "content_type": "application/json"}),
    "304": ("status", {"status": 304, "body": ""}),
    "body cut off": ("cut_body", {}),
    "body short, length right": ("truncated", {}),
    "body without its last bytes": ("truncated", {"at": 0.98}),
    "HTML with 200": ("html", {}),
    "no entries": ("empty_feed", {}),
    "no entries, total 0": ("empty_feed", {"total": 0}),
    "empty body": ("empty_body", {}),
    "{}": ("empty_object", {}),
    "[]": ("empty_list", {}),
    "null with 200": ("status", {"status": 200, "body": "null", "content_type": "application/json"}),
    "a number with 200": ("status", {"status": 200, "body": "7", "content_type": "application/json"}),
    "a thousand brackets": ("status", {"status": 200, "body": "[" * 100_000, "content_type": "application/json"}),
    "empty object in a list": ("status", {"status": 200, "body": "[{}]", "content_type": "application/json"}),
    "an answer without hits": (
        "status",
        {"status": 200, "body": '{"total": 0, "token": null, "data": []}', "content_type": "application/json"},
    ),
    "every second null": ("nulls", {}),
    "first null": ("nulls", {"indices": [0]}),
    "last null": ("nulls", {"indices": [-1]}),
    "all null": ("nulls", {"indices": list(range(12))}),
    "every second left out": ("missing_entries", {}),
    "last left out": ("missing_entries", {"indices": [-1]}),
    "reordered": ("reordered", {}),
    "duplicated": ("duplicated", {}),
    "another paper's record": ("other_paper", {}),
    "another paper's record last": ("other_paper", {"indices": [-1]}),
    "an entry without title": ("missing_field", {"field": "title"}),
    "an entry with an empty title": ("set_field", {"field": "title", "value": ""}),
    "an entry without id": ("missing_field", {"field": "id"}),
    "an entry without paperId": ("missing_field", {"field": "paperId"}),
    "a count in words": ("set_field", {"field": "citationCount", "value": "many"}),
    "a count below zero": ("set_field", {"field": "citationCount", "value": -1}),
    "a count beyond all": ("set_field", {"field": "citationCount", "value": 10**30}),
    "a count that is a fraction": ("set_field", {"field": "citationCount", "value": 0.5}),
    "authors that are words": ("set_field", {"field": "authors", "value": "A. Author"}),
    "a date in words": ("set_field", {"field": "published", "value": "yesterday"}),
    "a day in words": ("set_field", {"field": "publicationDate", "value": "yesterday"}),
    "total too high, arXiv": ("set_envelope", {"field": "opensearch:totalResults", "value": 10**6}),
    "total too high, S2": ("set_envelope", {"field": "total", "value": 10**6}),
    "total of 0 with hits, arXiv": ("set_envelope", {"field": "opensearch:totalResults", "value": 0}),
    "total of 0 with hits, S2": ("set_envelope", {"field": "total", "value": 0}),
    "a token for ever": ("set_envelope", {"field": "token", "value": "AAAA"}),
    "dropped before headers": ("drop_before_headers", {}),
    "dropped after headers": ("drop_after_headers", {}),
    "chunks cut off": ("chunks_cut", {}),
    "no Content-Length": ("no_length", {}),
    "a body without end": ("endless", {}),
    "gzip": ("gzip", {}),
    "gzip cut off": ("gzip", {"at": 0.7}),
    "called gzip": ("not_gzip", {}),
    "another content type": ("content_type", {}),
    "byte-order mark": ("recoded", {}),
    "UTF-16": ("recoded", {"encoding": "utf-16"}),
    "hangs": ("hang", {"seconds": HANG_S}),
    "slow": ("slow", {"seconds": 0.03}),
    "drips": ("drip", {"seconds": 0.1}),
    "not UTF-8": ("wrong_charset", {}),
    "error with 200": ("error_entry", {}),
    "redirects for ever": ("redirect_loop", {}),
    "redirects to nowhere": ("redirect_loop", {"location": "http://127.0.0.1:9/api/query"}),
    "redirects off http": ("redirect_loop", {"location": "ftp://127.0.0.1/"}),
}  # fmt: skip

OPENALEX_HARMS: dict[str, tuple[str, dict[str, Any]]] = {
    "allowance spent": ("allowance_spent", {}),
    "301 merged": ("redirect_loop", {"status": 301, "location": "/works/W5"}),
    "a count of hits too high": ("set_envelope", {"field": "meta.count", "value": 10**6}),
    "a count of hits of 0": ("set_envelope", {"field": "meta.count", "value": 0}),
    "no count of hits": ("set_envelope", {"field": "meta.count", "value": None}),
    "cited by many": ("set_field", {"field": "cited_by_count", "value": "many"}),
    "cited beyond all": ("set_field", {"field": "cited_by_count", "value": 10**30}),
    "all DOIs null": ("lie", {"steps": [["null", ["doi", "locations", "primary_location"]]]}),
    "all titles null": ("lie", {"steps": [["null", ["title"]]]}),
    "one DOI for all": ("lie", {"steps": [["share", ["doi", "locations", "primary_location"]]]}),
    "no counts at all": ("lie", {"steps": [["null", ["cited_by_count"]]]}),
    "authors in words": ("set_field", {"field": "authorships", "value": "A. Author"}),
    "a location in words": ("set_field", {"field": "primary_location", "value": "Berlin"}),
    "a wrong record under a right DOI": (
        "lie",
        {"steps": [["first", ["title"], "A Study That Nobody Asked For"], ["first", ["authorships"], []]]},
    ),
    "references to nothing": ("set_field", {"field": "referenced_works", "value": [None]}),
}
"""What OpenAlex in particular may do wrong. More that is well formed and false is in lies.py."""

EACH_PUSH = frozenset(
    {
        "503", "429 Retry-After seconds", "403", "404", "204", "body cut off", "HTML with 200", "no entries", "{}",
        "every second null", "last left out", "reordered", "duplicated", "another paper's record",
        "an entry without title", "a count in words", "total too high, arXiv", "total too high, S2", "a token for ever",
        "dropped after headers", "chunks cut off", "gzip cut off", "UTF-16", "hangs", "slow", "error with 200",
        "redirects for ever", "allowance spent", "a count of hits too high", "all DOIs null", "one DOI for all",
    }
)  # fmt: skip
"""One harm of each effect. Every push tries these; the others are tried each night, as `make test-nightly` does."""
