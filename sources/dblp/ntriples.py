r"""DBLP's release as N-Triples (https://dblp.org/rdf/docu/) -> its records, as a stream.

A triple is a line (https://www.w3.org/TR/n-triples/). The triples of a publication stand together in the release, with
those of its signatures, which tell its authors in order. Some publications stay open meanwhile; what comes for one
later than that makes a record that lacks its title, and is so told.
"""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING

from sources.dblp.entries import LARGEST_RECORD, Entry, line_of
from sources.errors import PayloadError
from sources.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

_OPEN = 256
"""Publications of which further triples may come."""
_MOST_NAMES = 500_000
"""Signatures that wait for their publications; the authors of those that are open are far fewer."""
_LONGEST_TRIPLE = 2**20
_BYTES_SPLIT = 2**22
"""Bytes of triples that are split into lines at a time."""

_SCHEMA = b"<https://dblp.org/rdf/schema#"
_TYPE = b"<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_RECORD = b"<https://dblp.org/rec/"
_TEXTS = {
    _SCHEMA + b"title>": "title",
    _SCHEMA + b"yearOfPublication>": "year",
    _SCHEMA + b"pagination>": "pages",
    _SCHEMA + b"publishedInJournalVolume>": "volume",
    b"<http://purl.org/dc/terms/modified>": "modified_on",
}
_VENUE_PREDICATES = {
    _SCHEMA + b"publishedIn>": 0,
    _SCHEMA + b"publishedInJournal>": 1,
    _SCHEMA + b"publishedInBook>": 2,
    _SCHEMA + b"thesisAcceptedBySchool>": 3,
    _SCHEMA + b"publishedBy>": 4,
}
"""Predicate -> its rank among those that tell where a paper came out."""
_LINKS = frozenset({_SCHEMA + b"doi>", _SCHEMA + b"documentPage>", _SCHEMA + b"primaryDocumentPage>"})
_CREATORS = _SCHEMA + b"numberOfCreators>"
_SIGNATURE = _SCHEMA + b"hasSignature>"
_NAME, _ORDINAL = _SCHEMA + b"signatureDblpName>", _SCHEMA + b"signatureOrdinal>"
_KINDS = {
    "Article": "article",
    "Inproceedings": "inproceedings",
    "Incollection": "incollection",
    "Reference": "incollection",
    "Book": "book",
    "Editorship": "proceedings",
    "Data": "data",
    "Phdthesis": "phdthesis",
    "Mastersthesis": "mastersthesis",
}
"""Class of a publication in DBLP's schema, or type in BibTeX's -> the element of the XML that it is."""
_BIBTEX = _SCHEMA + b"bibtexType>"
_READ = frozenset({*_TEXTS, *_VENUE_PREDICATES, *_LINKS, _CREATORS, _SIGNATURE, _TYPE, _BIBTEX})
_OF_SIGNATURES = frozenset({_NAME, _ORDINAL})
_SUBJECTS = (b"<", b"_:")
_THESES = frozenset({"phdthesis", "mastersthesis"})

_TRIPLE = re.compile(
    rb"(<[^<>\s]*>|_:[^\s<>]+) (<[^<>\s]*>) (<[^<>]*>|_:[^\s<>]+|\"[^\"\\]*(?:\\.[^\"\\]*)*\"\S*) ?\.\s*"
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_LETTERS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


class _Publication:
    """What the triples of a publication have told so far."""

    __slots__ = ("classes", "creators", "entry", "signatures", "size", "venues")

    def __init__(self, key: str) -> None:
        self.entry = Entry("", key=key)
        self.classes: set[str] = set()
        self.venues: dict[int, str] = {}
        self.signatures: dict[bytes, None] = {}
        self.creators: int | None = None
        self.size = 0


def lines_of_ntriples(stream: IO[bytes]) -> Iterator[bytes]:
    """Yields the publications of a release in N-Triples as lines, some at a time; see `sources.dblp.entries`.

    Raises:
        PayloadError: A line is no triple.
    """
    triples = _Triples()
    number = 0
    rest = b""
    while piece := stream.read(_BYTES_SPLIT):
        lines = (rest + piece).split(b"\n")
        rest = lines.pop()
        if len(rest) > _LONGEST_TRIPLE:
            raise _no_triple(number + len(lines) + 1)
        for line in lines:
            number += 1
            triples.take(line, number)
        yield triples.closed()
    if rest.strip():
        raise PayloadError(f"it breaks off in line {number + 1}", source="dblp", field="file")
    yield triples.closed(last=True)


class _Triples:
    """Takes triples, and gives the lines of the publications that are complete."""

    def __init__(self) -> None:
        self._open: dict[bytes, _Publication] = {}
        self._names: dict[bytes, dict[str, str]] = {}

    def take(self, line: bytes, number: int) -> None:
        """Takes the line of that number: a triple, a comment, or nothing.

        Raises:
            PayloadError: It is none of them.
        """
        # Most triples tell nothing that is read here; those are looked at as little as can be.
        subject, predicate, rest = (*line.split(b" ", 2), b"", b"")[:3]
        is_read = predicate in _READ if subject.startswith(_RECORD) else predicate in _OF_SIGNATURES
        if not is_read and rest.endswith(b" .") and subject.startswith(_SUBJECTS) and predicate.startswith(b"<"):
            return
        match = _TRIPLE.fullmatch(line)
        if match is None:
            if line.strip() and not line.lstrip().startswith(b"#"):
                raise _no_triple(number)
            return
        subject, predicate, value = match.groups()
        if subject.startswith(_RECORD):
            self._tell(subject, predicate, value)
        elif predicate in _OF_SIGNATURES:
            self._names.setdefault(subject, {})["name" if predicate == _NAME else "ordinal"] = _text(value)
            if len(self._names) > _MOST_NAMES:
                message = (
                    f"up to line {number}, the authors stand apart from their publications: it is not as DBLP made it"
                )
                raise PayloadError(message, source="dblp", field="file")

    def closed(self, *, last: bool = False) -> bytes:
        """Returns the lines of the publications of which no more comes: all, after the last triple."""
        still_open = 0 if last else _OPEN
        done = [self._open.pop(subject) for subject in list(self._open)[: max(len(self._open) - still_open, 0)]]
        lines = [self._line(publication) for publication in done]
        if not self._open:
            self._names.clear()
        return b"".join(lines)

    def _tell(self, subject: bytes, predicate: bytes, value: bytes) -> None:
        publication = self._open.get(subject)
        if publication is None:
            key = subject[len(_RECORD) : -1].decode("utf-8", "replace")
            publication = self._open[subject] = _Publication(key)
        entry = publication.entry
        publication.size += len(value)
        if publication.size > LARGEST_RECORD:
            entry.fault = f"a record of more than {LARGEST_RECORD:,} characters"
        elif predicate in _TEXTS:
            if getattr(entry, _TEXTS[predicate]) is None:
                setattr(entry, _TEXTS[predicate], _text(value))
        elif predicate in (_TYPE, _BIBTEX):
            publication.classes.add(_local_name(value))
        elif predicate in _VENUE_PREDICATES:
            publication.venues.setdefault(_VENUE_PREDICATES[predicate], _text(value))
        elif predicate in _LINKS:
            entry.links.append(value[1:-1].decode("utf-8", "replace"))
        elif predicate == _SIGNATURE:
            publication.signatures[value] = None
        elif predicate == _CREATORS:
            number = _text(value)
            publication.creators = int(number) if number.isascii() and number.isdecimal() else None

    def _line(self, publication: _Publication) -> bytes:
        entry = publication.entry
        kinds = [_KINDS[name] for name in sorted(publication.classes) if name in _KINDS]
        entry.kind = next((kind for kind in kinds if kind in _THESES), next(iter(kinds), "article"))
        entry.kinds_of_publication = sorted(name.lower() for name in publication.classes)
        if "proceedings" in kinds or "data" in kinds:
            entry.kind = "proceedings"
        entry.modified_on = entry.modified_on and entry.modified_on[:10]
        entry.venue = publication.venues[min(publication.venues)] if publication.venues else None
        signed = [self._names.pop(item, {}) for item in publication.signatures]
        named = {int(each["ordinal"]): each["name"] for each in signed if _is_complete(each)}
        entry.authors = [named[place] for place in sorted(named)]
        creators = len(publication.signatures) if publication.creators is None else publication.creators
        if len(named) != creators and entry.fault is None:
            entry.fault = f"beside it in the file are {counted(len(named), 'author')}, and it has {creators}"
        return line_of(entry)


def _is_complete(signature: dict[str, str]) -> bool:
    ordinal = signature.get("ordinal", "")
    return "name" in signature and ordinal.isascii() and ordinal.isdecimal()


def _local_name(value: bytes) -> str:
    return re.split(r"[#/]", value[1:-1].decode("utf-8", "replace"))[-1]


def _text(value: bytes) -> str:
    """Returns the text of a literal, without its type or language, or of a name, with its escapes resolved."""
    text = value.decode("utf-8", "replace")
    if not text.startswith('"'):
        return text.strip("<>")
    text = text[1 : text.rindex('"')]
    return _ESCAPE.sub(_unescaped, text) if "\\" in text else text


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    if code is None:
        return _LETTERS.get(match[3], match[3])
    number = int(code, 16)
    return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"


def _no_triple(number: int) -> PayloadError:
    return PayloadError(f"line {number} is no triple", source="dblp", field="file")
