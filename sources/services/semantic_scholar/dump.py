"""Parses rows of Semantic Scholar's "papers" data set (https://api.semanticscholar.org/api-docs/datasets). Pure.

It is JSON lines that name the fields of the API in lower case, leave out abstracts, and have a paper's 40-digit
identifier only inside its address. So a row is put into the API's terms, and read as strictly as a reply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from sources.bibliography.identifiers import SCHEMES
from sources.bounds import MOST_COUNTED, is_count, is_year
from sources.clock import utc_today
from sources.errors import PayloadError
from sources.records import S2Paper
from sources.services.dumps import Mended, is_past_day, read_dump_line
from sources.services.semantic_scholar.record import parse_paper

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
FIELDS = ("url", *_NAMES)  # the fields of a row that are read
_ADDRESS = re.compile(r"https?://(?:www\.)?semanticscholar\.org/paper/(?:[^/]+/)?([0-9a-f]{40})/?", re.IGNORECASE)


def parse_row(row: Mapping[str, Any], *, today: date | None = None) -> S2Paper:
    """Returns the paper that one decoded row of the data set describes.

    `today` is the day by which years and dates are held plausible; None is the present day.

    Raises:
        PayloadError: The row lacks identifiers or a title, or holds something impossible; `field` says where.
    """
    address = _ADDRESS.fullmatch(str(row.get("url") or "").strip())
    if address is None:
        url_text = f"{row.get('url')!r:.80}"
        raise PayloadError(f"no paper's address: {url_text}", source="s2", record=str(row.get("corpusid")), field="url")
    if row.get("corpusid") is None:
        raise PayloadError("no corpusid", source="s2", record=address[1], field="corpusid")
    day = today or utc_today()
    left_out = _beyond_bounds(row, day)
    entry = {_NAMES[name]: None if name in left_out else row.get(name) for name in _NAMES}
    return parse_paper(entry | {"paperId": address[1].lower()}, today=day)


def mended_s2_line(line: bytes, *, today: date | None = None) -> Mended:
    """Returns one line of the data set in the form of most: address and identifiers written as they mostly are.

    `today` as in `parse_row`.

    Raises:
        PayloadError: The line is not UTF-8 JSON, or `parse_row` refuses its row.
    """
    row, day = read_dump_line(line), today or utc_today()
    paper, left_out = parse_row(row, today=day), _beyond_bounds(row, day)
    sound = {name: row.get(name) for name in _NAMES} | dict.fromkeys(left_out)
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
