"""Records of a DBLP release as they stand in it -> lines of JSON, one for each record. Pure.

A record that is no paper becomes a blank line: home pages of people, proceedings and other collections as wholes, data
sets, front matter, and what was withdrawn. So the lines of a release count its records. A record that cannot be read
becomes a line that tells why. What the elements and attributes mean is told by
https://dblp.org/xml/docu/dblpxml.pdf and by https://dblp.org/rdf/schema .
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sources.bibliography.identifiers import parse_identifier
from sources.bounds import LONGEST_NAME, LONGEST_TITLE, MOST_AUTHORS
from sources.dblp.works import SCHEMES
from sources.errors import IdentifierError
from sources.reading_list.links.identifiers import carried_by, split_address

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LARGEST_RECORD = 2**20
"""Characters of a record; that of a paper with 3,000 authors has a tenth of them."""

_SHOWN = 200
_PAPERS = frozenset("article inproceedings incollection book phdthesis mastersthesis".split())
_LEFT_OUT = frozenset({"withdrawn", "data", "software", "edited"})
"""Values of `publtype` of what is no paper; the attribute may hold several."""
_NUMBER_OF_NAMESAKE = re.compile(r" \d{4}$")
_VOLUME_IN_VENUE = re.compile(r" \((?:Vol\. ?)?\d+[A-Za-z]?\)$")
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
class Entry:
    """A record as a release file has it.

    Attributes:
        kind: The element's name, such as `inproceedings`.
        key: The record's key, such as `conf/nips/VaswaniSPUJGKP17`.
        kinds_of_publication: The words of the attribute `publtype`, such as `informal`.
        modified_on: The day of the last change, ISO 8601.
        authors: Names in order, with the numbers of namesakes.
        venue: Journal, book, school or publisher.
        links: Addresses of the paper itself.
        fault: Why the record cannot be read.
    """

    kind: str
    key: str | None = None
    kinds_of_publication: Sequence[str] = ()
    modified_on: str | None = None
    title: str | None = None
    authors: list[str] = field(default_factory=list)
    year: str | None = None
    venue: str | None = None
    volume: str | None = None
    pages: str | None = None
    links: list[str] = field(default_factory=list)
    fault: str | None = None


def line_of(entry: Entry) -> bytes:
    """Returns the record as a line of JSON; blank where it is no paper, with `fault` alone where it cannot be read."""
    if entry.kind not in _PAPERS or not _LEFT_OUT.isdisjoint(entry.kinds_of_publication):
        return b"\n"
    title = _clean_title(entry.title or "")
    fault = entry.fault or _fault(entry, title)
    if fault is not None:
        return _line({"key": entry.key, "fault": fault, "text": title[:_SHOWN]})
    if is_front_matter(title) or (entry.kind == "book" and not entry.authors):
        return b"\n"
    is_corr = (entry.key or "").startswith("journals/corr/")
    row: dict[str, object] = {
        "key": entry.key,
        "kind": "preprint" if is_corr or "informal" in entry.kinds_of_publication else entry.kind,
        "title": title,
        "authors": [without_number(name) for name in entry.authors],
        "year": entry.year,
        "venue": None if is_corr else _clean_venue(entry.venue),
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


def without_number(name: str) -> str:
    """Returns a name without the number by which DBLP tells namesakes apart."""
    return _NUMBER_OF_NAMESAKE.sub("", name)


def _line(row: dict[str, object]) -> bytes:
    return _IN_JSON(row).encode("utf-8", "replace") + b"\n"


def _clean_title(text: str) -> str:
    """Returns the title without the full stop that DBLP ends every title with."""
    title = " ".join(text.split())
    return title[:-1].rstrip() if title.endswith(".") and not title.endswith("..") else title


def _clean_venue(text: str | None) -> str | None:
    """Returns a venue's name without the number of the volume of its proceedings."""
    return _VOLUME_IN_VENUE.sub("", " ".join((text or "").split())) or None


def _fault(entry: Entry, title: str) -> str | None:
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
    found: dict[str, object] = dict.fromkeys(SCHEMES)
    for link in links:
        for identifier in carried_by(split_address(link)).identifiers:
            if identifier.scheme in found and not identifier.value.startswith("10.48550/"):
                found[identifier.scheme] = found[identifier.scheme] or identifier.value
    volume = _CORR_VOLUME.fullmatch(corr_volume or "")
    if found["arxiv"] is None and volume:
        try:
            found["arxiv"] = parse_identifier("arxiv", volume[1]).value
        except IdentifierError:
            return found
    return found
