"""`dblp.xml` -> its records, as a stream, in the memory of one record.

The file names its document type, `dblp.dtd`, for the names of letters such as `&uuml;`. Those are declared here: they
are HTML's for Latin-1. Nothing is ever fetched. A file that declares a document type or entities of its own is refused,
so that none can name another file or grow without measure. A name that is not declared spoils its record.
"""

from __future__ import annotations

from html.entities import name2codepoint
from typing import IO, TYPE_CHECKING
from xml.parsers import expat

from sources.dblp.entries import LARGEST_RECORD, Entry, line_of
from sources.errors import PayloadError

if TYPE_CHECKING:
    from collections.abc import Iterator

_BYTES_PARSED = 2**18
"""Bytes that are parsed at a time."""
_LONGEST_TAG = 2**24
"""Bytes of one tag or comment; expat holds it as a whole."""
_DEEPEST = 16
_LATIN_1 = range(0xA0, 0x100)
_ENTITIES = "".join(
    f'<!ENTITY {name} "&#{number};">' for name, number in name2codepoint.items() if number in _LATIN_1
).encode()
_VENUE_ELEMENTS = ("journal", "booktitle", "school", "publisher")
"""Elements that tell where a paper came out, the most telling first."""
_OF_FIELDS = {"title": "title", "year": "year", "volume": "volume", "pages": "pages"}


def lines_of_xml(stream: IO[bytes]) -> Iterator[bytes]:
    """Yields the records of a release in XML as lines, some hundred at a time; see `sources.dblp.entries`.

    Raises:
        PayloadError: It is no whole XML document, has another root than `dblp`, or declares what DBLP does not.
    """
    records = _Records()
    while piece := stream.read(_BYTES_PARSED):
        yield records.lines_in(piece)
    yield records.lines_in(b"", last=True)


class _Records:
    """Takes a document in pieces, and gives the lines of the records that have ended."""

    def __init__(self) -> None:
        self._lines: list[bytes] = []
        self._depth = 0
        self._element = ""
        self._entry = Entry("")
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
            self._element = name
            self._pieces = []
        elif self._depth == 2:
            self._entry = Entry(
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
            self._note_field(name, "".join(self._pieces))
        elif self._depth == 1:
            self._entry.venue = next((self._venues[item] for item in _VENUE_ELEMENTS if item in self._venues), None)
            self._lines.append(line_of(self._entry))
            self.records += 1

    def _note_field(self, name: str, text: str) -> None:
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


def _fault(message: str) -> PayloadError:
    return PayloadError(message, source="dblp", field="file")
