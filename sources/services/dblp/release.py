"""Reads a file of a DBLP release, in XML or N-Triples, as lines of JSON."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from html.entities import name2codepoint
from typing import IO
from xml.parsers import expat

from sources.errors import PayloadError
from sources.services.dblp.works import LARGEST_RECORD, DblpRecord, line_of
from sources.services.dumps import is_web_page, lines_read_by, page_title
from sources.text import counted, shown

# DBLP's release as N-Triples (https://dblp.org/rdf/docu/) -> its records, as a stream.
#
# A triple is a line (https://www.w3.org/TR/n-triples/). The triples of a publication stand together in the release,
# with those of its signatures, which tell its authors in order. Some publications stay open meanwhile; what comes
# for one later than that makes a record without title, which is reported.


_OPEN = 256  # publications of which further triples may come
_MOST_NAMES = 500_000  # signatures that wait for their publications; the authors of those that are open are far fewer
_LONGEST_TRIPLE = 2**20
_BYTES_SPLIT = 2**22  # bytes of triples that are split into lines at a time

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
# Predicate -> its rank among those that tell where a paper came out.
_VENUE_PREDICATES = {
    _SCHEMA + b"publishedIn>": 0,
    _SCHEMA + b"publishedInJournal>": 1,
    _SCHEMA + b"publishedInBook>": 2,
    _SCHEMA + b"thesisAcceptedBySchool>": 3,
    _SCHEMA + b"publishedBy>": 4,
}
_LINKS = frozenset({_SCHEMA + b"doi>", _SCHEMA + b"documentPage>", _SCHEMA + b"primaryDocumentPage>"})
_CREATORS = _SCHEMA + b"numberOfCreators>"
_SIGNATURE = _SCHEMA + b"hasSignature>"
_NAME, _ORDINAL = _SCHEMA + b"signatureDblpName>", _SCHEMA + b"signatureOrdinal>"
# Class of a publication in DBLP's schema, or type in BibTeX's -> the element of the XML that it is.
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
    """What the triples of a publication have said so far."""

    __slots__ = ("classes", "creators", "entry", "signatures", "size", "venues")

    def __init__(self, key: str) -> None:
        self.entry = DblpRecord("", key=key)
        self.classes: set[str] = set()
        self.venues: dict[int, str] = {}
        self.signatures: dict[bytes, None] = {}
        self.creators: int | None = None
        self.size = 0


def lines_of_ntriples(stream: IO[bytes]) -> Iterator[bytes]:
    """Yields the publications of a release in N-Triples as lines, some at a time; see `sources.services.dblp.works`.

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
            publication.classes.add(re.split(r"[#/]", value[1:-1].decode("utf-8", "replace"))[-1])
        elif predicate in _VENUE_PREDICATES:
            publication.venues.setdefault(_VENUE_PREDICATES[predicate], _text(value))
        elif predicate in _LINKS:
            entry.links.append(value[1:-1].decode("utf-8", "replace"))
        elif predicate == _SIGNATURE:
            publication.signatures[value] = None
        elif predicate == _CREATORS:
            number = _text(value)
            publication.creators = int(number) if _is_number(number) else None

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
        named = {
            int(each["ordinal"]): each["name"]
            for each in signed
            if "name" in each and _is_number(each.get("ordinal", ""))
        }
        entry.authors = [named[place] for place in sorted(named)]
        creators = len(publication.signatures) if publication.creators is None else publication.creators
        if len(named) != creators and entry.fault is None:
            entry.fault = f"beside it in the file are {counted(len(named), 'author')}, and it has {creators}"
        return line_of(entry)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal()


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


# `dblp.xml` -> its records, as a stream, in the memory of one record.
#
# The file names its document type, `dblp.dtd`, for the names of letters such as `&uuml;`. Those are declared here:
# they are HTML's for Latin-1. Nothing is ever fetched. A file that declares a document type or entities of its own
# is refused, so that none can name another file or grow without measure. A name that is not declared spoils its
# record.


_BYTES_PARSED = 2**18  # bytes that are parsed at a time
_LONGEST_TAG = 2**24  # bytes of one tag or comment; expat holds it as a whole
_DEEPEST = 16
_LATIN_1 = range(0xA0, 0x100)
_ENTITIES = "".join(
    f'<!ENTITY {name} "&#{number};">' for name, number in name2codepoint.items() if number in _LATIN_1
).encode()
# Elements that tell where a paper came out, the most telling first.
_VENUE_ELEMENTS = ("journal", "booktitle", "school", "publisher")
_OF_FIELDS = {"title": "title", "year": "year", "volume": "volume", "pages": "pages"}


class _Records:
    """Takes a document in pieces, and gives the lines of the records that have ended."""

    def __init__(self) -> None:
        self._lines: list[bytes] = []
        self._depth = 0
        self._entry = DblpRecord("")
        self._venues: dict[str, str] = {}
        self._pieces: list[str] = []
        self._size = 0
        self._read = 0
        self._declared = False
        self.records = 0
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.UseForeignDTD(True)  # noqa: FBT003 - expat takes no keywords
        self._parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_ALWAYS)
        self._parser.StartDoctypeDeclHandler = self._begin_document_type
        self._parser.ExternalEntityRefHandler = self._declare
        self._parser.SkippedEntityHandler = self._note_undeclared
        self._parser.StartElementHandler = self._begin
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._take

    def lines_in(self, piece: bytes, *, last: bool = False) -> bytes:
        """Returns the lines of the records that end in `piece`."""
        self._read += len(piece)
        try:
            self._parser.Parse(piece, last)
        except (expat.ExpatError, LookupError, ValueError) as error:  # the latter two where Python lacks its encoding
            raise _fault(f"its XML breaks off behind record {self.records}: {error}") from error
        if self._read - self._parser.CurrentByteIndex > _LONGEST_TAG:
            raise _fault(f"what follows record {self.records} is no tag that ever ends")
        lines, self._lines = self._lines, []
        return b"".join(lines)

    def _begin_document_type(self, name: str, _: str | None, __: str | None, declares_own: int) -> None:
        if name.lower() == "html":
            raise _fault("it is a web page")
        if declares_own:
            raise _fault("it declares entities or a document type of its own, which DBLP's files do not")

    def _declare(self, context: str | None, *_: str | None) -> int:
        """Declares the letters, in the place of the document type that the file names."""
        if self._declared:
            raise _fault("it names another file")
        self._declared = True
        self._parser.ExternalEntityParserCreate(context).Parse(_ENTITIES, True)  # noqa: FBT003
        return 1

    def _note_undeclared(self, name: str, _: bool) -> None:  # noqa: FBT001 - expat calls it so
        self._entry.fault = self._entry.fault or f"it names a letter that DBLP does not know, &{name};"

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth == 3:
            self._pieces = []
        elif self._depth == 2:
            self._entry = DblpRecord(
                name,
                key=attributes.get("key"),
                kinds_of_publication=attributes.get("publtype", "").split(),
                modified_on=attributes.get("mdate"),
            )
            self._venues, self._size = {}, 0
        elif self._depth == 1:
            if name != "dblp":
                what = "it is a web page" if name.lower() == "html" else f"its root is {name!r:.40}, not 'dblp'"
                raise _fault(what)
        elif self._depth > _DEEPEST:
            raise _fault(f"its elements are nested more than {_DEEPEST} deep behind record {self.records}")

    def _take(self, text: str) -> None:
        if self._depth > 2:
            self._size += len(text)
            if self._size <= LARGEST_RECORD:
                self._pieces.append(text)
            else:
                self._entry.fault = f"a record of more than {LARGEST_RECORD:,} characters"
        elif self._depth == 2 and not text.isspace():
            self._entry.fault = self._entry.fault or "text stands between its fields"

    def _end(self, name: str) -> None:
        self._depth -= 1
        if self._depth == 2:
            text = "".join(self._pieces)
            entry = self._entry
            if name == "author":
                entry.authors.append(" ".join(text.split()))
            elif name == "ee":
                entry.links.append(text.strip())
            elif name in _OF_FIELDS:
                if getattr(entry, name) is None:
                    setattr(entry, name, text)
            elif name in _VENUE_ELEMENTS:
                self._venues.setdefault(name, text)
        elif self._depth == 1:
            self._entry.venue = next((self._venues[item] for item in _VENUE_ELEMENTS if item in self._venues), None)
            self._lines.append(line_of(self._entry))
            self.records += 1


def _fault(message: str) -> PayloadError:
    return PayloadError(message, source="dblp", field="file")


_ROOT = re.compile(rb"<dblp[\s>]")
WHERE_TO_GET_IT = "get it in a browser from https://dblp.org/xml/ or, as N-Triples, from https://dblp.org/rdf/"


def lines_of_release(stream: IO[bytes]) -> io.BufferedReader:
    """Returns the records of a release, XML or N-Triples, as lines of JSON; see `sources.services.dblp.works`.

    To read them raises `PayloadError` where the release is in neither form, such as a web page, or breaks off.
    """
    return lines_read_by(_lines_of, stream)


def _lines_of(first: bytes, whole: io.BufferedReader) -> Iterator[bytes]:
    start = first.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"<http", b"_:", b"#")):
        yield from lines_of_ntriples(whole)
        return
    if is_web_page(first) and not _ROOT.search(first[:4096]):
        raise PayloadError(f"it is a web page{page_title(first)}, not a release: {WHERE_TO_GET_IT}", source="dblp")
    if start.startswith((b"<?xml", b"<!DOCTYPE", b"<dblp", b"<!--", b"\xff\xfe", b"\xfe\xff")):
        records = _Records()
        while piece := whole.read(_BYTES_PARSED):
            yield records.lines_in(piece)
        yield records.lines_in(b"", last=True)
    else:
        seen = shown(first[:60].decode("utf-8", "replace"))
        raise PayloadError(
            f"it begins with {seen!r}, which is neither DBLP's XML nor N-Triples: {WHERE_TO_GET_IT}", source="dblp"
        )
