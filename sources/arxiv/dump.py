"""Rows of arXiv's metadata dump -> records. Pure.

The dump is the JSON-lines file that arXiv publishes (https://info.arxiv.org/help/bulk_data.html#kaggle), one paper a
line, CC0. Fields used: id, title, abstract, authors_parsed, categories, versions, doi, journal-ref, comments.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from sources.dump_lines import read_dump_line
from sources.errors import IdentifierError, PayloadError
from sources.identifiers import ArxivId, Doi
from sources.records import ArxivPaper

if TYPE_CHECKING:
    from collections.abc import Mapping

FIELDS = (
    "id", "title", "abstract", "comments", "journal-ref", "doi", "categories", "update_date", "authors_parsed",
    "versions",
)  # fmt: skip
"""The fields of a row that are read."""

_WITHDRAWN = re.compile(r"\bwithdrawn\b", re.IGNORECASE)


def parse_dump_line(line: bytes) -> ArxivPaper:
    """Returns the paper that one line of the dump describes.

    Raises:
        PayloadError: The line is not UTF-8 JSON, or lacks a sound id or a title; `field` says which.
    """
    return parse_dump_row(read_dump_line(line))


def mended_dump_line(line: bytes) -> str:
    """Returns one line of the dump in the form of most: the fields that are read, the identifier without a version.

    Raises:
        PayloadError: As `parse_dump_line`.
    """
    row = read_dump_line(line)
    paper = parse_dump_row(row)
    return json.dumps({name: row.get(name) for name in FIELDS} | {"id": paper.arxiv_id, "title": paper.title})


def parse_dump_row(row: Mapping[str, Any]) -> ArxivPaper:
    """Returns the paper that one decoded row of the dump describes.

    Raises:
        PayloadError: The row lacks a sound id or a title; `field` says which.
    """
    arxiv_id = _arxiv_id(row.get("id"))
    title = _folded(row.get("title"))
    if not title:
        raise PayloadError(f"arXiv {arxiv_id} has no title", source="mirror", record=arxiv_id, field="title")
    versions = [version for version in _list(row.get("versions")) if isinstance(version, dict)]
    # A dump says when it last changed a row; a row that does not say so may know of the first version only.
    complete = row.get("update_date") is not None
    comment, abstract = _folded(row.get("comments")), _folded(row.get("abstract"))
    categories = tuple(str(row.get("categories") or "").split())
    return ArxivPaper(
        arxiv_id=arxiv_id,
        version=len(versions) or None if complete else None,
        title=title,
        abstract=abstract,
        authors=_authors(row.get("authors_parsed")),
        published_at=_instant(versions[0].get("created")) if versions else None,
        updated_at=_instant(versions[-1].get("created")) if versions and complete else None,
        primary_category=categories[0] if categories else None,
        categories=categories,
        doi=_doi(row.get("doi")),
        journal_ref=_folded(row.get("journal-ref")),
        comment=comment,
        withdrawn=bool(_WITHDRAWN.search(comment or "")),
    )


def _arxiv_id(value: Any) -> str:
    try:
        return ArxivId.parse(value if isinstance(value, str) else "").base
    except IdentifierError as error:
        raise PayloadError(f"no arXiv identifier: {value!r}", source="mirror", record=str(value), field="id") from error


def _authors(parsed: Any) -> tuple[str, ...]:
    """Returns names as people write them, from [last, first, suffix, ...] as the dump parses them."""
    names = [name for name in _list(parsed) if isinstance(name, list) and name]
    return tuple(" ".join(str(part) for part in (*name[1:2], name[0], *name[2:3]) if part) for name in names)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _doi(value: Any) -> str | None:
    """Returns the first DOI; authors sometimes give arXiv several, with blanks between."""
    for word in str(value or "").split():
        try:
            return Doi.parse(word).value
        except IdentifierError:
            continue
    return None


def _instant(text: Any) -> datetime | None:
    try:
        instant = parsedate_to_datetime(str(text))
    except ValueError:
        return None
    return instant if instant.tzinfo is not None else instant.replace(tzinfo=UTC)


def _folded(text: Any) -> str | None:
    return " ".join(text.split()) or None if isinstance(text, str) else None
