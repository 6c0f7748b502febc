"""Parses rows of bulk dumps into records, and reads their files. Pure but for the reading of streams.

arXiv's metadata dump is the JSON-lines file that arXiv publishes (https://info.arxiv.org/help/bulk_data.html#kaggle),
one paper a line, CC0. Semantic Scholar's "papers" data set is JSON lines too
(https://api.semanticscholar.org/api-docs/datasets): it names the fields of the API in lower case, leaves out abstracts,
and has a paper's 40-digit identifier only inside its address. So its row is put into the API's terms, and read as
strictly as a reply.

A dump cannot be asked again for a row. So a field of it that cannot be true is left out and named, and the paper stays.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from itertools import chain
from typing import IO, Any

from sources.bibliography.identifiers import SCHEMES, ArxivId, Doi
from sources.bounds import MOST_COUNTED, is_count, is_past, is_year
from sources.clock import utc_today
from sources.errors import IdentifierError, PayloadError
from sources.records import ArxivPaper, S2Paper
from sources.services.arxiv.feed import says_withdrawn
from sources.services.semantic_scholar.record import parse_paper
from sources.text import one_line, shown

# Files of a dump that are in a form of their own: read as a stream of lines, and known for web pages where they
# are.
#
# Bulk files come by way of browsers, and a page that says why there is no file may be stored under the file's
# name.


_BEGINNING = 2**16
_PIECE = 2**20
_LOOKED_AT = 4096  # bytes in which a web page shows that it is one
_HTML = re.compile(rb"<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>]", re.IGNORECASE)
_PAGE_TITLE = re.compile(rb"<title[^>]*>([^<]{1,200})", re.IGNORECASE)


def lines_read_by(read: Callable[[bytes, io.BufferedReader], Iterator[bytes]], stream: IO[bytes]) -> io.BufferedReader:
    """Returns the lines that `read` makes of a file, as a stream; what it raises is raised where that is read.

    `read` gets the first 64 KiB, by which the form is known, and the whole file.
    """
    return io.BufferedReader(_ChunkStream(_lines(read, stream)), _PIECE)


def _lines(read: Callable[[bytes, io.BufferedReader], Iterator[bytes]], stream: IO[bytes]) -> Iterator[bytes]:
    first = stream.read(_BEGINNING)
    chunks = chain([first], iter(partial(stream.read, _PIECE), b""))
    yield from read(first, io.BufferedReader(_ChunkStream(chunks), _PIECE))


def is_web_page(first: bytes) -> bool:
    """Returns whether a file that begins with `first` is a web page."""
    return _HTML.search(first[:_LOOKED_AT]) is not None


def page_title(first: bytes) -> str:
    """Returns the title of a web page that begins with `first`, in brackets, with a blank before; empty without one."""
    title = _PAGE_TITLE.search(first)
    text = one_line(title[1].decode("utf-8", "replace")) if title else None
    return f" ({shown(text)!r})" if text else ""


class _ChunkStream(io.RawIOBase):
    """What an iterator yields, as a stream."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Returns True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fills as much of `buffer` as the next chunk does, and returns how many bytes that is."""
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        piece = self._rest[: len(buffer)]
        buffer[: len(piece)] = piece
        self._rest = self._rest[len(piece) :]
        return len(piece)


_SHOWN = 500  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Mended:
    """A line of a dump in the form of most lines."""

    text: str  # the line, as JSON
    left_out: Mapping[str, str]  # field -> why its value was left out, a sentence


def read_dump_line(line: bytes) -> Mapping[str, Any]:
    """Returns the object that a line of a dump holds; NaN and infinity, which JSON lacks, come back as text.

    Raises:
        PayloadError: It is not UTF-8 JSON, or no object.
    """
    try:
        row = json.loads(line, parse_constant=str)
        if b"\\ud" in line or b"\\uD" in line:
            json.dumps(row, ensure_ascii=False).encode()  # half a surrogate pair is no text
    except (ValueError, RecursionError) as error:
        raise PayloadError(f"not a line of JSON: {error}", source="mirror", field="line") from error
    if not isinstance(row, dict):
        raise PayloadError("not a JSON object", source="mirror", field="line")
    return row


def shown_beginning(line: bytes) -> str:
    """Returns the beginning of a line, as it is stored beside the reason why the line was refused."""
    return line.rstrip(b"\r\n")[:_SHOWN].decode("utf-8", "replace")


# The fields of a row of arXiv's that are read.
ARXIV_FIELDS = (
    "id", "title", "abstract", "comments", "journal-ref", "doi", "categories", "update_date", "authors_parsed",
    "versions",
)  # fmt: skip


def mended_arxiv_line(line: bytes, *, today: date | None = None) -> Mended:
    """Returns one line of the dump in the form of most: the fields that are read, the identifier without a version.

    `today` as in `parse_arxiv_row`.

    Raises:
        PayloadError: The line is not UTF-8 JSON, or lacks a sound id or a title; `field` says which.
    """
    row, day = read_dump_line(line), today or utc_today()
    paper = parse_arxiv_row(row, today=day)
    sound = {name: row.get(name) for name in ARXIV_FIELDS} | {"id": paper.arxiv_id, "title": paper.title}
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


def parse_arxiv_row(row: Mapping[str, Any], *, today: date | None = None) -> ArxivPaper:
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


def is_past_day(text: Any, today: date) -> bool:
    """Returns whether `text` is a day that has come, or nothing."""
    try:
        return text is None or is_past(date.fromisoformat(text), today=today)
    except (TypeError, ValueError):
        return False


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


_S2_NAMES = {
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
S2_FIELDS = ("url", *_S2_NAMES)  # the fields of a row of Semantic Scholar's that are read
_S2_ADDRESS = re.compile(r"https?://(?:www\.)?semanticscholar\.org/paper/(?:[^/]+/)?([0-9a-f]{40})/?", re.IGNORECASE)


def parse_s2_row(row: Mapping[str, Any], *, today: date | None = None) -> S2Paper:
    """Returns the paper that one decoded row of the data set describes.

    `today` is the day by which years and dates are held plausible; None is the present day.

    Raises:
        PayloadError: The row lacks identifiers or a title, or holds something impossible; `field` says where.
    """
    address = _S2_ADDRESS.fullmatch(str(row.get("url") or "").strip())
    if address is None:
        url_text = f"{row.get('url')!r:.80}"
        raise PayloadError(f"no paper's address: {url_text}", source="s2", record=str(row.get("corpusid")), field="url")
    if row.get("corpusid") is None:
        raise PayloadError("no corpusid", source="s2", record=address[1], field="corpusid")
    day = today or utc_today()
    left_out = _beyond_bounds(row, day)
    entry = {_S2_NAMES[name]: None if name in left_out else row.get(name) for name in _S2_NAMES}
    return parse_paper(entry | {"paperId": address[1].lower()}, today=day)


def mended_s2_line(line: bytes, *, today: date | None = None) -> Mended:
    """Returns one line of the data set in the form of most: address and identifiers written as they mostly are.

    `today` as in `parse_s2_row`.

    Raises:
        PayloadError: The line is not UTF-8 JSON, or `parse_s2_row` refuses its row.
    """
    row, day = read_dump_line(line), today or utc_today()
    paper, left_out = parse_s2_row(row, today=day), _beyond_bounds(row, day)
    sound = {name: row.get(name) for name in _S2_NAMES} | dict.fromkeys(left_out)
    sound["externalids"] = {
        SCHEMES[identifier.scheme].s2_key: identifier.value
        for identifier in paper.identifiers
        if identifier.scheme != "s2"
    }
    for item in paper.unread:
        field = f"externalids.{SCHEMES[item.scheme].s2_key}"
        left_out[field] = f"{field} {item.value!r:.60} is in no form known here: left out"
    address = f"https://www.semanticscholar.org/paper/{paper.s2_paper_id}"
    text = json.dumps(sound | {"url": address, "title": paper.title, "corpusid": paper.corpus_id})
    return Mended(text=text, left_out=left_out)


def deleted_corpus_id(line: bytes) -> str:
    """Returns the corpus id that one line of a release's delete file names.

    Raises:
        PayloadError: The line is not UTF-8 JSON or names none.
    """
    corpus_id = read_dump_line(line).get("corpusid")
    if isinstance(corpus_id, str) and corpus_id.isascii() and corpus_id.isdecimal():
        corpus_id = int(corpus_id)
    if not isinstance(corpus_id, int) or isinstance(corpus_id, bool):
        raise PayloadError("no corpusid", source="s2", field="corpusid")
    return str(corpus_id)


def _beyond_bounds(row: Mapping[str, Any], today: date) -> dict[str, str]:
    """Returns field -> why its value cannot be true, for those that `row` has."""
    return {
        name: f"{name} {row[name]!r:.40} is no {form}: left out"
        for name, (is_sound, form) in _BOUNDED.items()
        if row.get(name) not in (None, "") and not is_sound(row[name], today)
    }


def _is_count(value: Any, _: date) -> bool:
    return _is_whole(value) and is_count(value)


def _is_year(value: Any, today: date) -> bool:
    return _is_whole(value) and is_year(value, today=today)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_COUNT = (_is_count, f"count from 0 to below {MOST_COUNTED:,}")
# Field -> what its value must be, and that in words.
_BOUNDED: Mapping[str, tuple[Callable[[Any, date], bool], str]] = {
    "year": (_is_year, "year in which a paper can have come out"),
    "publicationdate": (is_past_day, "day that has come"),
    "citationcount": _COUNT,
    "influentialcitationcount": _COUNT,
    "referencecount": _COUNT,
}
