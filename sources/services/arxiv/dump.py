"""Parses rows of arXiv's metadata dump. Pure.

The dump is JSON lines, one paper a line, CC0: https://info.arxiv.org/help/bulk_data.html#kaggle .
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from sources.bibliography.identifiers import ArxivId, Doi
from sources.bounds import is_past
from sources.clock import utc_today
from sources.errors import IdentifierError, PayloadError
from sources.records import ArxivPaper
from sources.services.arxiv.feed import says_withdrawn
from sources.services.dumps import Mended, is_past_day, read_dump_line

# The fields of a row that are read.
FIELDS = (
    "id", "title", "abstract", "comments", "journal-ref", "doi", "categories", "update_date", "authors_parsed",
    "versions",
)  # fmt: skip


def mended_arxiv_line(line: bytes, *, today: date | None = None) -> Mended:
    """Returns one line of the dump in the form of most: the fields that are read, the identifier without a version.

    `today` as in `parse_row`.

    Raises:
        PayloadError: The line is not UTF-8 JSON, or lacks a sound id or a title; `field` says which.
    """
    row, day = read_dump_line(line), today or utc_today()
    paper = parse_row(row, today=day)
    sound = {name: row.get(name) for name in FIELDS} | {"id": paper.arxiv_id, "title": paper.title}
    left_out = {}
    if not is_past_day(row.get("update_date"), day):
        left_out["update_date"] = f"update_date {row['update_date']!r:.40} is no day that has come: left out"
        sound["update_date"] = None
    odd = [
        item for item in _versions(row) if item.get("created") is not None and _instant(item["created"], day) is None
    ]
    if odd:
        left_out["versions"] = f"created {odd[0]['created']!r:.40} is no time that has come: left out"
        sound["versions"] = [version | {"created": None} if version in odd else version for version in _versions(row)]
    return Mended(text=json.dumps(sound), left_out=left_out)


def deleted_arxiv_id(line: bytes) -> str:
    """Returns the base of the arXiv identifier that one line of a file with deletions names, in any form of it.

    Raises:
        PayloadError: The line is not UTF-8 JSON or names none.
    """
    return _base_arxiv_id(read_dump_line(line).get("id"))


def parse_row(row: Mapping[str, Any], *, today: date | None = None) -> ArxivPaper:
    """Returns the paper that one decoded row of the dump describes.

    `today` is the day by which dates are held plausible; None is the present day.

    Raises:
        PayloadError: The row lacks a sound id or a title; `field` says which.
    """
    day = today or utc_today()
    arxiv_id = _base_arxiv_id(row.get("id"))
    title = _folded(row.get("title"))
    if not title:
        raise PayloadError(f"arXiv {arxiv_id} has no title", source="mirror", record=arxiv_id, field="title")
    versions = _versions(row)
    # A dump says when it last changed a row; a row that does not say so may know of the first version only.
    complete = row.get("update_date") is not None and is_past_day(row["update_date"], day)
    comment, abstract = _folded(row.get("comments")), _folded(row.get("abstract"))
    categories = tuple(str(row.get("categories") or "").split())
    names = [name for name in _as_list(row.get("authors_parsed")) if isinstance(name, list) and name]
    return ArxivPaper(
        arxiv_id=arxiv_id,
        version=len(versions) or None if complete else None,
        title=title,
        abstract=abstract,
        # [last, first, suffix, ...] -> as people write it
        authors=tuple(" ".join(str(part) for part in (*name[1:2], name[0], *name[2:3]) if part) for name in names),
        published_at=_published_at(versions, ArxivId.parse(arxiv_id), day, complete=complete),
        updated_at=_instant(versions[-1].get("created"), day) if versions and complete else None,
        primary_category=categories[0] if categories else None,
        categories=categories,
        doi=Doi.first_in(str(row.get("doi") or "")),
        journal_ref=_folded(row.get("journal-ref")),
        comment=comment,
        withdrawn=says_withdrawn(comment=comment, abstract=abstract),
    )


def _published_at(versions: list[dict[str, Any]], arxiv_id: ArxivId, today: date, *, complete: bool) -> datetime | None:
    """Returns when the first version came, None where a row that is not `complete` may have another one's time.

    Updates by OAI-PMH had one version until 2026-11, whose time was at first that of version 1 and later that of the
    current one. So it is not believed where it is later than the month in the identifier.
    """
    instant = _instant(versions[0].get("created"), today) if versions else None
    if instant is None or complete:
        return instant
    given = 12 * arxiv_id.year + int(arxiv_id.base.rpartition("/")[2][2:4])
    return instant if 12 * instant.year + instant.month <= given + 1 else None


def _base_arxiv_id(value: Any) -> str:
    try:
        return ArxivId.parse(value if isinstance(value, str) else "").base
    except IdentifierError as error:
        raise PayloadError(f"no arXiv identifier: {value!r}", source="mirror", record=str(value), field="id") from error


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _versions(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [version for version in _as_list(row.get("versions")) if isinstance(version, dict)]


def _instant(text: Any, today: date) -> datetime | None:
    """Returns the time in `text`, None where there is none or one that has not come."""
    try:
        instant = parsedate_to_datetime(str(text))
        in_utc = instant.astimezone(UTC) if instant.tzinfo is not None else instant.replace(tzinfo=UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if f"{instant.year:04}" not in str(text):  # as mail had years of two digits, 0001 is read as 2001
        return None
    return in_utc if is_past(in_utc.date(), today=today) else None


def _folded(text: Any) -> str | None:
    return " ".join(text.split()) or None if isinstance(text, str) else None
