"""Makes papers of rows of the DBLP mirror, and joins those that are one work. Pure.

DBLP has a record for each publication: a work may have one as a preprint in CoRR, one in a conference's proceedings and
one in a journal. Records of one title and the same people are one work: the published one has venue, year and DOI,
CoRR the arXiv identifier.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from sources.bibliography.identifiers import Identifier, Scheme, identifier_in
from sources.bibliography.names import same_people
from sources.bibliography.titles import title_key
from sources.bounds import LONGEST_NAME, LONGEST_TITLE, MOST_AUTHORS, is_year
from sources.clock import utc_today
from sources.errors import PayloadError
from sources.records import DblpPaper
from sources.services.dumps import Mended, is_past_day, read_dump_line

# Records of a DBLP release as they stand in it -> lines of JSON, one for each record. Pure.
#
# A record that is no paper becomes a blank line: home pages of people, proceedings and other collections as wholes,
# data sets, front matter, and what was withdrawn. So the lines of a release count its records. A record that cannot
# be read becomes a line that says why. The elements and attributes are explained by
# https://dblp.org/xml/docu/dblpxml.pdf and by https://dblp.org/rdf/schema .


LARGEST_RECORD = 2**20  # characters of a record; that of a paper with 3,000 authors has a tenth of them

_SHOWN = 200
_PAPERS = frozenset("article inproceedings incollection book phdthesis mastersthesis".split())
# Values of `publtype` of what is no paper; the attribute may hold several.
_LEFT_OUT = frozenset({"withdrawn", "data", "software", "edited"})
_NUMBER_OF_NAMESAKE = re.compile(r" \d{4}$")
_IN_BRACKETS = re.compile(r" \((?:(?:Vol\. ?)?\d+[A-Za-z]?|Poster|Oral)\)$")  # behind a venue
_CORR_VOLUME = re.compile(r"abs/(.+)", re.IGNORECASE)
_IN_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_WORD = re.compile(r"[^\W\d_]+")
_FRONT_MATTER = frozenset(
    "front matter frontmatter back backmatter preface foreword table tables of contents toc title page pages cover "
    "copyright author authors index organization organisation organizers committee committees program programme "
    "organizing steering reviewers reviewer external additional list sponsors message from the chair chairs "
    "general welcome editorial editor editors board acknowledgements acknowledgments and to conference symposium "
    "workshop proceedings subject keyword inside outside".split()
)
_NAMES_OF_FRONT_MATTER = re.compile(
    r"\b(?:front ?matter|back ?matter|preface|foreword|contents|title page|cover|(?:author|subject|keyword) index|"
    r"committees?|editorial|editorial board|organi[sz]ation|reviewers|sponsors|welcome|message from)\b"
)


@dataclass(slots=True)
class DblpRecord:
    """A record as a release file has it."""

    kind: str  # the element's name, such as `inproceedings`
    key: str | None = None  # the record's key, such as `conf/nips/VaswaniSPUJGKP17`
    kinds_of_publication: Sequence[str] = ()  # the words of the attribute `publtype`, such as `informal`
    modified_on: str | None = None  # the day of the last change, ISO 8601
    title: str | None = None
    authors: list[str] = field(default_factory=list)  # names in order, with the numbers of namesakes
    year: str | None = None
    venue: str | None = None  # journal, book, school or publisher
    volume: str | None = None
    pages: str | None = None
    links: list[str] = field(default_factory=list)  # addresses of the paper itself
    fault: str | None = None  # why the record cannot be read


def line_of(entry: DblpRecord) -> bytes:
    """Returns the record as a line of JSON; blank where it is no paper, with `fault` alone where it cannot be read."""
    if entry.kind not in _PAPERS or not _LEFT_OUT.isdisjoint(entry.kinds_of_publication):
        return b"\n"
    title = " ".join((entry.title or "").split())
    if title.endswith(".") and not title.endswith(".."):  # DBLP ends every title with a full stop
        title = title[:-1].rstrip()
    fault = entry.fault or _fault(entry, title)
    if fault is not None:
        return _line({"key": entry.key, "fault": fault, "text": title[:_SHOWN]})
    if is_front_matter(title) or (entry.kind == "book" and not entry.authors):
        return b"\n"
    # Papers of ICLR until 2016 have keys of CoRR and are in its proceedings.
    is_corr = entry.kind == "article" and (entry.key or "").startswith("journals/corr/")
    row: dict[str, object] = {
        "key": entry.key,
        "kind": "preprint" if is_corr or "informal" in entry.kinds_of_publication else entry.kind,
        "title": title,
        "authors": [_NUMBER_OF_NAMESAKE.sub("", name) for name in entry.authors],
        "year": entry.year,
        "venue": None if is_corr else (_IN_BRACKETS.sub("", " ".join((entry.venue or "").split())) or None),
        "pages": entry.pages,
        "mdate": entry.modified_on,
    }
    return _line(row | _identifiers_of_links(entry.links, entry.volume if is_corr else None))


def is_front_matter(title: str) -> bool:
    """Returns whether a title is that of pages before or behind the papers of a volume, and nothing else."""
    lowered = title.lower()
    return (
        len(lowered) <= LONGEST_NAME
        and _NAMES_OF_FRONT_MATTER.search(lowered) is not None
        and _FRONT_MATTER.issuperset(_WORD.findall(lowered))
    )


def _line(row: dict[str, object]) -> bytes:
    return _IN_JSON(row).encode("utf-8", "replace") + b"\n"


def _fault(entry: DblpRecord, title: str) -> str | None:
    """Returns why a record is no paper that can be trusted, None where it is one."""
    if not entry.key:
        return "a record without key"
    if not title:
        return "a record without title"
    if len(title) > LONGEST_TITLE:
        return f"a title of {len(title)} characters"
    if len(entry.authors) > MOST_AUTHORS or any(len(name) > LONGEST_NAME for name in entry.authors):
        return "more authors, or longer names, than a paper has"
    texts = (title, *entry.authors, entry.venue or "")
    if any(map(_is_misread, texts)):
        return "its letters are in another encoding than the file names"
    return None


def _is_misread(text: str) -> bool:
    """Returns whether a text is UTF-8 that was read as Latin-1: by chance, that happens in no language."""
    if text.isascii():
        return False
    try:
        return len(text.encode("latin-1").decode("utf-8")) < len(text)
    except UnicodeError:
        return False


def _identifiers_of_links(links: Iterable[str], corr_volume: str | None) -> dict[str, object]:
    """Returns scheme -> the first identifier that a link carries; arXiv's own DOIs are arXiv identifiers."""
    from sources.lists.reading.addresses import carried_by, split_address  # noqa: PLC0415 - takes 0.2 s

    found: dict[str, object] = dict.fromkeys(SCHEMES)
    for link in links:
        for identifier in carried_by(split_address(link)).identifiers:
            if identifier.scheme in found and not identifier.value.startswith("10.48550/"):
                found[identifier.scheme] = found[identifier.scheme] or identifier.value
    volume = _CORR_VOLUME.fullmatch(corr_volume or "")
    if found["arxiv"] is None and volume:
        own = identifier_in("arxiv", volume[1])
        found["arxiv"] = own and own.value
    return found


# Schemes of the identifiers beside the key in a row; its fields have their names.
SCHEMES: tuple[Scheme, ...] = ("doi", "arxiv", "acl", "openreview")
FIELDS = ("key", "kind", "title", "authors", "year", "venue", "pages", *SCHEMES, "mdate")  # the fields of a row
_YEARS_APART = 5  # years from a preprint to its publication, or from a conference to its journal
_YEARS_APART_ALONE = 2  # the same of a paper by one person, who may have a namesake
_MOST_VERSIONS = 3  # published records of one title by the same people; more are a column that comes again and again


def mended_dblp_line(line: bytes, *, today: date | None = None) -> Mended:
    """Returns one line of a release in the form of most: without a year, day or identifier that cannot be true.

    `today` is the day by which years are held plausible; None is the present day.

    Raises:
        PayloadError: The line is no paper; the message says why.
    """
    row, day = read_dump_line(line), today or utc_today()
    if row.get("fault") or not row.get("key") or not row.get("title"):
        why = row.get("fault") or "a record without key or title"
        raise PayloadError(str(why), source="dblp", record=str(row.get("key")), field="record")
    if not isinstance(row["key"], str) or identifier_in("dblp", row["key"]) is None:
        text = f"no key of DBLP's: {row['key']!r:.80}"
        raise PayloadError(text, source="dblp", record=str(row["key"]), field="key")
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


def parse_row(row: Mapping[str, Any]) -> DblpPaper:
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

    The record that has one of the `wanted` identifiers speaks for its work.
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
        most = _YEARS_APART if len(first.authors) > 1 else _YEARS_APART_ALONE
        near = [
            each for each in others if first.year is None or each.year is None or abs(first.year - each.year) <= most
        ]
        works.append(_merged(first, near))
        rest = [record for record in others if record not in near]
    return works


def _standing(record: DblpPaper, wanted: frozenset[Identifier]) -> tuple[bool, bool, int, bool, str]:
    """Returns a sort key that puts first what was asked for, then what was published first."""
    preprint = record.kind == "preprint"
    is_wanted = not preprint and not wanted.isdisjoint(record.identifiers)
    return not is_wanted, preprint, record.year or 9999, record.doi is None, record.key


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
    found = (identifier_in(scheme, row[scheme]) for scheme in SCHEMES if row.get(scheme))
    return tuple(item for item in found if item)


def _is_year(value: Any, today: date) -> bool:
    text = str(value)
    return text.isascii() and text.isdecimal() and len(text) <= 18 and is_year(int(text), today=today)
