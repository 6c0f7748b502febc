"""Notices of Retraction Watch: reads its CSV, and says which are about a paper. Pure but for the reading of the stream.

Crossref publishes the database as one file (https://gitlab.com/crossref/retraction-watch-data, columns explained at
https://www.crossref.org/documentation/retrieve-metadata/retraction-watch/): a row a notice, so that a paper may have
several. It is UTF-8 with single bytes of Windows' Western letters in it, has dates such as `6/4/2020 0:00`, lists
parted by semicolons, and `unavailable` where there is no DOI.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import IO, Any, Literal

from sources.bibliography.identifiers import Identifier, identifier_in
from sources.bibliography.names import parse_name, same_people
from sources.bibliography.titles import title_key
from sources.clock import utc_today
from sources.errors import PayloadError
from sources.services.agreement import Description, is_generic, is_surely_one
from sources.services.dumps import Mended, is_past_day, is_web_page, lines_read_by, page_title, read_dump_line
from sources.text import counted, one_line, shown

# What a notice can be; only the first retracts a paper, and the last takes that back.
NATURES = ("retraction", "correction", "expression of concern", "reinstatement")
_MARK = re.compile(
    r"^\s*(?:\[\s*(?:retracted|withdrawn)[^\]]{0,20}\]|(?:retracted|withdrawn)(?:\s+(?:article|paper|chapter))?\s*[:：])\s*"
    r"|\s*[\[(]\s*retracted(?:\s+(?:article|paper|chapter))?\s*[\])]\s*$",
    re.IGNORECASE,
)
_YEARS_TO_PUBLICATION = 3  # years from a preprint to the publication that was retracted


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A notice about a paper, as Retraction Watch has it."""

    record: str  # Retraction Watch's number for it
    nature: str  # one of `NATURES`
    title: str  # the paper's title, without a mark such as "RETRACTED:"
    authors: tuple[str, ...] = ()  # names in order; empty where nobody is named
    doi: str | None = None  # the paper's; None where it has none
    original_year: int | None = None  # when the paper came out
    notice_doi: str | None = None  # the notice's own DOI, which may be the paper's
    noticed_on: date | None = None  # the day of the notice
    reasons: tuple[str, ...] = ()  # Retraction Watch's words for the reasons


@dataclass(frozen=True, slots=True, kw_only=True)
class Retraction:
    """What the notices about one paper come to."""

    notice: Notice  # the newest retraction
    reinstated: bool  # whether a later notice took it back
    matched_by: Match  # how the paper was recognised


Match = Literal["doi", "title and authors"]


def without_mark(title: str) -> str:
    """Returns a title without what publishers put before or behind that of a retracted paper."""
    return _MARK.sub("", title).strip() or title


def retraction_among(notices: Iterable[Notice], paper: Description, dois: Collection[str]) -> Retraction | None:
    """Returns what the notices say of a paper; None where none of them retracts it."""
    matched = {notice: match for notice in notices if (match := match_of(notice, paper, dois))}
    retractions = [notice for notice in matched if notice.nature == "retraction"]
    if not retractions:
        return None
    newest = max(retractions, key=lambda notice: (notice.noticed_on or date.min, int(notice.record)))
    last = newest.noticed_on or date.min
    reinstated = any(notice.nature == "reinstatement" and (notice.noticed_on or last) >= last for notice in matched)
    return Retraction(notice=newest, reinstated=reinstated, matched_by=matched[newest])


def match_of(notice: Notice, paper: Description, dois: Collection[str]) -> Match | None:
    """Returns how a notice is known to be about a paper; None where it is not.

    With the DOI, title and people must agree, as far as they are known. Without it, the whole title, all people and the
    year must agree, and few works may bear the title: papers are republished under theirs, and namesakes write about
    the same things.
    """
    other = Description(title=notice.title, authors=notice.authors, year=notice.original_year)
    paper = Description(title=without_mark(paper.title or ""), authors=paper.authors, year=paper.year)
    if notice.doi is not None and dois:
        return "doi" if notice.doi in dois and is_surely_one(paper, other) else None
    if is_generic(notice.title):
        return None
    if title_key(paper.title or "") != title_key(notice.title) or not same_people(paper.authors, notice.authors):
        return None
    alone = len(paper.authors) == 1
    if paper.year is None or notice.original_year is None:
        return None if alone else "title and authors"
    if alone and not (abs(notice.original_year - paper.year) <= 1 and _same_name(paper.authors[0], notice.authors[0])):
        return None
    return "title and authors" if -1 <= notice.original_year - paper.year <= _YEARS_TO_PUBLICATION else None


def _same_name(name: str, other: str) -> bool:
    """Returns whether two names are one but for initials in the middle; initials alone are too little."""
    first, second = parse_name(name), parse_name(other)
    if first is None or second is None or not first.surname & second.surname or not first.given or not second.given:
        return False
    mine, theirs = ([name[0] for name in person.given[1:]] for person in (first, second))
    return first.given[0] == second.given[0] and len(first.given[0]) > 1 and (not mine or not theirs or mine == theirs)


# The CSV as lines of JSON, a notice each.

WHERE_TO_GET_IT = "get retraction_watch.csv from https://gitlab.com/crossref/retraction-watch-data"
_SOURCE = "retractions"
# Column of the CSV that is read -> field of a row.
_COLUMNS = {
    "Record ID": "record",
    "Title": "title",
    "Author": "authors",
    "OriginalPaperDOI": "doi",
    "OriginalPaperDate": "original_on",
    "RetractionDOI": "notice_doi",
    "RetractionDate": "noticed_on",
    "RetractionNature": "nature",
    "Reason": "reasons",
}
FIELDS = tuple(_COLUMNS.values())  # the fields of a row
_NO_DOI = frozenset({"", "unavailable", "unavaliable", "unavailabe", "n/a", "na", "none", "0"})
_NOBODY = frozenset({"unavailable", "unknown", "author unknown", "no author", "n/a", "none"})
_DAY = re.compile(r"\s*(\d{1,2})/(\d{1,2})/(\d{4})(?:\s+\d{1,2}:\d{2}(?::\d{2})?)?\s*|\s*(\d{4})-(\d{2})-(\d{2})\b.*")
_UNREADABLE = "the row cannot be read"


def lines_of_notices(stream: IO[bytes]) -> io.BufferedReader:
    """Returns the rows of the CSV as lines of JSON; a row that cannot be read is a line with a `fault`.

    To read them raises `PayloadError` where the file is another one, such as a web page, or breaks off.
    """
    return lines_read_by(_lines_of, stream)


def _lines_of(first: bytes, whole: io.BufferedReader) -> Iterator[bytes]:
    if is_web_page(first):
        raise PayloadError(f"it is a web page{page_title(first)}: {WHERE_TO_GET_IT}", source=_SOURCE)
    text = io.TextIOWrapper(whole, encoding="utf-8-sig", errors="paperlake-western", newline="")
    rows = csv.reader(text)
    header = [name.strip() for name in next(_sound(rows), [])]
    if lacking := [name for name in _COLUMNS if name not in header]:
        seen = shown(",".join(header)[:80])
        why = f"its first line is {seen!r}, without {', '.join(lacking[:3])}"
        raise PayloadError(f"it is not Retraction Watch's CSV: {why}; {WHERE_TO_GET_IT}", source=_SOURCE)
    places = {field: header.index(name) for name, field in _COLUMNS.items()}
    short: int | None = None
    for number, row in enumerate(_sound(rows), start=1):
        if not row:
            continue
        short = number if len(row) < len(header) else None
        yield json.dumps(_row(row, header, places)).encode() + b"\n"
    if short is not None:
        raise PayloadError(f"it breaks off in record {short}; {WHERE_TO_GET_IT}", source=_SOURCE)


def _sound(rows: Iterator[list[str]]) -> Iterator[list[str]]:
    """Yields the rows; one that the reader cannot read is the sentence why, alone."""
    while True:
        try:
            yield next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield [f"{_UNREADABLE}: {error}"]


def _row(row: Sequence[str], header: Sequence[str], places: Mapping[str, int]) -> dict[str, Any]:
    if len(row) != len(header):
        below = f"a row of {counted(len(row), 'value')} below {len(header)} columns"
        return {"fault": row[0] if row[0].startswith(_UNREADABLE) else below, "record": row[0]}
    said = {field: one_line(row[place]) or "" for field, place in places.items()}
    return {
        "record": said["record"],
        "title": without_mark(said["title"]),
        "authors": [name for name in _parted(said["authors"]) if name.casefold() not in _NOBODY],
        "doi": _doi(said["doi"]),
        "original_on": _day(said["original_on"]),
        "notice_doi": _doi(said["notice_doi"]),
        "noticed_on": _day(said["noticed_on"]),
        "nature": said["nature"].casefold(),
        "reasons": [reason.lstrip("+ ") for reason in _parted(said["reasons"])],
    }


def _western(error: UnicodeError) -> tuple[str, int]:
    """Returns the letters that bytes which are no UTF-8 are on Windows, and where to go on."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


codecs.register_error("paperlake-western", _western)


def _parted(text: str) -> list[str]:
    return [part.strip() for part in text.split(";") if part.strip(" +")]


def _doi(text: str) -> str | None:
    """Returns a DOI in normal form, None for none; what is in no form known stays, to be named and left out."""
    if text.casefold() in _NO_DOI:
        return None
    found = identifier_in("doi", text)
    return found.value if found else text


def _day(text: str) -> str | None:
    """Returns a day as ISO 8601 has it; what is no day stays, to be named and left out."""
    found = _DAY.fullmatch(text)
    if found is None:
        return text or None
    month, day, year, *iso = found.groups()
    return "-".join(iso) if iso[0] else f"{year}-{month:0>2}-{day:0>2}"


def mended_notice_line(line: bytes, *, today: date | None = None) -> Mended:
    """Returns one line without a day or DOI that cannot be true.

    `today` is the day by which days are held plausible; None is the present day.

    Raises:
        PayloadError: The line is no notice; the message says why.
    """
    row, now = read_dump_line(line), today or utc_today()
    number = str(row.get("record"))
    if row.get("fault") or not number.isdecimal() or not title_key(row.get("title") or ""):
        why = row.get("fault") or "a row without record number or title"
        raise PayloadError(str(why), source=_SOURCE, record=number, field="record")
    if row.get("nature") not in NATURES:
        raise PayloadError(f"unknown nature {row.get('nature')!r:.60}", source=_SOURCE, record=number, field="nature")
    days = [name for name in ("noticed_on", "original_on") if not is_past_day(row.get(name), now)]
    dois = [
        name
        for name in ("doi", "notice_doi")
        if row.get(name) and identifier_in("doi", row[name]) != Identifier("doi", row[name])
    ]
    left_out = {name: f"{name} {row[name]!r:.40} is no day that has come: left out" for name in days}
    left_out |= {name: f"{name} {row[name]!r:.60} is in no form known here: left out" for name in dois}
    return Mended(
        text=json.dumps({name: None if name in left_out else row.get(name) for name in FIELDS}), left_out=left_out
    )


def parse_row(row: Mapping[str, Any]) -> Notice:
    """Returns the notice that one row of the mirror is."""
    return Notice(
        record=row["record"],
        nature=row["nature"],
        title=row["title"],
        authors=tuple(row["authors"] or ()),
        doi=row["doi"],
        original_year=date.fromisoformat(row["original_on"]).year if row["original_on"] else None,
        notice_doi=row["notice_doi"],
        noticed_on=date.fromisoformat(row["noticed_on"]) if row["noticed_on"] else None,
        reasons=tuple(row["reasons"] or ()),
    )
