"""Rows of the mirror of DBLP -> papers, and the papers that are one work, brought together. Pure.

DBLP has a record for each publication: a work may have one as a preprint in CoRR, one in a conference's proceedings and
one in a journal. Records of one title and the same people are one work: the published one tells venue, year and DOI,
CoRR the arXiv identifier.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from sources.bibliography.identifiers import Identifier, Scheme, parse_identifier
from sources.bibliography.names import same_people
from sources.bibliography.titles import title_key
from sources.bounds import is_year
from sources.clock import utc_today
from sources.dumps import Mended, is_past_day, read_dump_line
from sources.errors import IdentifierError, PayloadError
from sources.records import DblpPaper

SCHEMES: tuple[Scheme, ...] = ("doi", "arxiv", "acl", "openreview")
"""Schemes of the identifiers beside the key in a row; its fields have their names."""
FIELDS = ("key", "kind", "title", "authors", "year", "venue", "pages", *SCHEMES, "mdate")
"""The fields of a row."""
_YEARS_APART = 5
"""Years from a preprint to its publication, or from a conference to its journal."""
_YEARS_APART_ALONE = 2
"""The same of a paper by one person, who may have a namesake."""
_MOST_VERSIONS = 3
"""Published records of one title by the same people; more are a column that comes again and again."""


def mended_dblp_line(line: bytes, *, today: date | None = None) -> Mended:
    """Returns one line of a release in the form of most: without a year, day or identifier that cannot be true.

    `today` is the day by which years are held plausible; None is the present day.

    Raises:
        PayloadError: The line tells of no paper, and why.
    """
    row, day = read_dump_line(line), today or utc_today()
    if row.get("fault") or not row.get("key") or not row.get("title"):
        why = row.get("fault") or "a record without key or title"
        raise PayloadError(str(why), source="dblp", record=str(row.get("key")), field="record")
    _dblp_identifier(row["key"])
    left_out = {}
    if row.get("year") is not None and not _is_year(row["year"], day):
        left_out["year"] = f"year {row['year']!r:.40} is no year in which a paper can have come out: left out"
    if row.get("mdate") is not None and not is_past_day(row["mdate"], day):
        left_out["mdate"] = f"mdate {row['mdate']!r:.40} is no day that has come: left out"
    for scheme in SCHEMES:
        if row.get(scheme) and not _identifiers_of_row({scheme: row[scheme]}):
            left_out[scheme] = f"{scheme} {row[scheme]!r:.60} is in no form known here: left out"
    sound = {name: None if name in left_out else row.get(name) for name in FIELDS}
    return Mended(text=json.dumps(sound), left_out=left_out)


def parse_dblp_row(row: Mapping[str, Any]) -> DblpPaper:
    """Returns the paper that one row of the mirror describes."""
    identifiers = _identifiers_of_row(row)
    named = {item.scheme: item.value for item in identifiers}
    return DblpPaper(
        key=row["key"],
        kind=row["kind"],
        title=row["title"],
        authors=tuple(name for name in row["authors"] or () if name),
        year=row["year"],
        venue=row["venue"],
        pages=row["pages"],
        doi=named.get("doi"),
        arxiv_id=named.get("arxiv"),
        identifiers=(Identifier("dblp", row["key"]), *identifiers),
    )


def works_of(records: Iterable[DblpPaper], wanted: Collection[Identifier] = ()) -> list[DblpPaper]:
    """Returns the works that some records are of, in the order of their first records.

    Args:
        records: Single records.
        wanted: What was asked for: the record that has one of these speaks for its work.
    """
    order: dict[str, int] = {}
    groups: dict[str, list[list[DblpPaper]]] = {}
    for record in dict.fromkeys(records):
        order.setdefault(record.key, len(order))
        alike = groups.setdefault(title_key(record.title), [])
        home = next((group for group in alike if same_people(group[0].authors, record.authors)), None)
        if home is None:
            alike.append([record])
        else:
            home.append(record)
    works = [work for alike in groups.values() for group in alike for work in _works(group, frozenset(wanted))]
    return sorted(works, key=lambda work: min(order[key] for key in work.keys))


def _works(group: Sequence[DblpPaper], wanted: frozenset[Identifier]) -> list[DblpPaper]:
    """Returns the works among records of one title by the same people: those of far years are apart."""
    rest = sorted(group, key=lambda record: _standing(record, wanted))
    if sum(record.kind != "preprint" for record in rest) > _MOST_VERSIONS:
        return list(rest)
    works = []
    while rest:
        first, *others = rest
        near = [record for record in others if _is_near(first, record)]
        works.append(_merged(first, near))
        rest = [record for record in others if record not in near]
    return works


def _standing(record: DblpPaper, wanted: frozenset[Identifier]) -> tuple[bool, bool, int, bool, str]:
    """Returns a sort key that puts first what was asked for, then what was published first."""
    preprint = record.kind == "preprint"
    is_wanted = not preprint and not wanted.isdisjoint(record.identifiers)
    return not is_wanted, preprint, record.year or 9999, record.doi is None, record.key


def _is_near(record: DblpPaper, other: DblpPaper) -> bool:
    most = _YEARS_APART if len(record.authors) > 1 else _YEARS_APART_ALONE
    return record.year is None or other.year is None or abs(record.year - other.year) <= most


def _merged(first: DblpPaper, others: Sequence[DblpPaper]) -> DblpPaper:
    """Returns `first` with the identifiers of its preprint; other publications stand beside it with their own."""
    arxiv_ids = {record.arxiv_id for record in (first, *others)} - {None}
    preprints = [item for item in others if item.kind == "preprint" and len(arxiv_ids) <= 1]
    named = dict.fromkeys(item for record in (first, *preprints) for item in record.identifiers)
    own = tuple(item for item in named if item.scheme != "doi" or item.value == first.doi)
    return replace(
        first,
        arxiv_id=first.arxiv_id or next((item.arxiv_id for item in preprints if item.arxiv_id), None),
        first_year=min((item.year for item in (first, *preprints) if item.year), default=None),
        identifiers=own,
        others=tuple(record for record in others if record not in preprints),
    )


def _identifiers_of_row(row: Mapping[str, Any]) -> tuple[Identifier, ...]:
    found = []
    for scheme in SCHEMES:
        try:
            found += [parse_identifier(scheme, row[scheme])] if row.get(scheme) else []
        except IdentifierError:
            continue
    return tuple(found)


def _dblp_identifier(key: Any) -> Identifier:
    try:
        return parse_identifier("dblp", key if isinstance(key, str) else "")
    except IdentifierError as error:
        raise PayloadError(f"no key of DBLP's: {key!r:.80}", source="dblp", record=str(key), field="key") from error


def _is_year(value: Any, today: date) -> bool:
    text = str(value)
    return text.isascii() and text.isdecimal() and len(text) <= 18 and is_year(int(text), today=today)
