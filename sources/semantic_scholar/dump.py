"""Rows of Semantic Scholar's "papers" data set -> records. Pure.

The data set is JSON lines (https://api.semanticscholar.org/api-docs/datasets), one paper a line. It names the fields of
the API in lower case, leaves out abstracts, and tells a paper's 40-digit identifier only inside its address. So a row
is put into the API's terms, and read as strictly as a reply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from sources.bounds import is_count, is_year
from sources.dump_lines import read_dump_line
from sources.errors import PayloadError
from sources.records import S2Paper
from sources.semantic_scholar.payload import parse_paper

FIELDS = (
    "corpusid", "externalids", "url", "title", "authors", "venue", "year", "publicationdate", "citationcount",
    "influentialcitationcount", "referencecount", "s2fieldsofstudy",
)  # fmt: skip
"""The fields of a row that are read."""

_NAMES = {
    "corpusid": "corpusId",
    "externalids": "externalIds",
    "title": "title",
    "authors": "authors",
    "venue": "venue",
    "year": "year",
    "publicationdate": "publicationDate",
    "citationcount": "citationCount",
    "influentialcitationcount": "influentialCitationCount",
    "referencecount": "referenceCount",
    "s2fieldsofstudy": "s2FieldsOfStudy",
}
_COUNTS = frozenset({"citationcount", "influentialcitationcount", "referencecount"})
_ADDRESS = re.compile(r"https?://(?:www\.)?semanticscholar\.org/paper/(?:[^/]+/)?([0-9a-f]{40})/?", re.IGNORECASE)


def parse_papers_row(row: Mapping[str, Any]) -> S2Paper:
    """Returns the paper that one decoded row of the data set describes.

    Raises:
        PayloadError: The row lacks identifiers or a title, or holds something impossible; `field` says where.
    """
    address = _ADDRESS.fullmatch(str(row.get("url") or "").strip())
    if address is None:
        told = f"{row.get('url')!r:.80}"
        raise PayloadError(f"no paper's address: {told}", source="s2", record=str(row.get("corpusid")), field="url")
    if row.get("corpusid") is None:
        raise PayloadError("no corpusid", source="s2", record=address[1], field="corpusid")
    today = datetime.now(UTC).date()
    entry = {_NAMES[name]: _within_bounds(name, row.get(name), today) for name in _NAMES}
    return parse_paper({**entry, "paperId": address[1].lower()})


def _within_bounds(name: str, value: Any, today: date) -> Any:
    """Returns a field's value, None where it is beyond belief: a bulk file cannot be asked again for the row."""
    if name in _COUNTS and isinstance(value, int) and value >= 0:
        return value if is_count(value) else None
    if name == "year" and isinstance(value, int):
        return value if is_year(value, today=today) else None
    if name == "publicationdate" and isinstance(value, str) and value[:4].isdecimal():
        return value if is_year(int(value[:4]), today=today) else None
    return value


def mended_papers_line(line: bytes) -> str:
    """Returns one line of the data set in the form of most: address and identifiers written as they mostly are.

    Raises:
        PayloadError: The line is not UTF-8 JSON, or `parse_papers_row` refuses its row.
    """
    row = read_dump_line(line)
    paper = parse_papers_row(row)
    kept = {name: row.get(name) for name in _NAMES}
    address = f"https://www.semanticscholar.org/paper/{paper.s2_paper_id}"
    return json.dumps(kept | {"url": address, "title": paper.title, "corpusid": paper.corpus_id})


def deleted_corpus_id(line: bytes) -> str:
    """Returns the corpus id that one line of a release's delete file names.

    Raises:
        PayloadError: The line is not UTF-8 JSON or names none.
    """
    corpus_id = read_dump_line(line).get("corpusid")
    if not isinstance(corpus_id, int) or isinstance(corpus_id, bool):
        raise PayloadError("no corpusid", source="s2", field="corpusid")
    return str(corpus_id)
