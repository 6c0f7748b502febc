"""Reads XML replies within bounds of size and nesting. Pure.

No document type is read, in any encoding: that is where entities are declared, which grow without measure, and neither
Atom nor OAI-PMH has one. Apart from `replies.py`, as reading lists need no XML and start faster without.
"""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree as ET

from sources.http.replies import UnsoundBody

_DEEPEST = 100
_MOST_ELEMENTS = 1_000_000


class _BoundedBuilder(ET.TreeBuilder):
    """Builds the tree as long as it stays within bounds."""

    def __init__(self) -> None:
        super().__init__()
        self._depth = 0
        self._elements = 0

    def start(self, tag: str, attrs: dict[Any, Any], /) -> ET.Element:
        """Begins an element."""
        self._depth += 1
        self._elements += 1
        if self._depth > _DEEPEST or self._elements > _MOST_ELEMENTS:
            raise UnsoundBody(f"an XML document of {self._elements} elements so far, {self._depth} deep")
        return super().start(tag, attrs)

    def end(self, tag: str, /) -> ET.Element:
        """Ends an element."""
        self._depth -= 1
        return super().end(tag)

    def doctype(self, *_: object) -> None:
        """Refuses a document type."""
        raise UnsoundBody("a page with a document type, HTML perhaps")


def parse_xml(body: bytes) -> ET.Element:
    """Returns the root of an XML document.

    Raises:
        UnsoundBody: No whole XML document, one with a document type or entities, one in an encoding that no service
            uses, or one beyond all measure.
    """
    parser = ET.XMLParser(target=_BoundedBuilder(), encoding=_encoding(body))  # noqa: S314 - no entity is declared
    try:
        parser.feed(body)
        root: ET.Element = parser.close()
    except ET.ParseError as error:
        raise UnsoundBody(f"no whole XML document ({error}; {len(body)} bytes)") from error
    return root


_DECLARED = re.compile(rb"""\s*<\?xml\b[^>]{0,200}?\bencoding\s*=\s*["']([^"'>]{0,40})""")
# Those that expat reads itself. It would have Python read others, which fails in several ways for most.
_ENCODINGS = ("utf-8", "us-ascii", "iso-8859-1", "utf-16", "utf-16le", "utf-16be")


def _encoding(body: bytes) -> str:
    """Returns the encoding of an XML document: by its first bytes, by its declaration, or UTF-8."""
    if body[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    if b"\0" in body[:2]:
        return "utf-16be" if body[:1] == b"\0" else "utf-16le"
    declared = _DECLARED.match(body.removeprefix(b"\xef\xbb\xbf"))
    name = declared[1].decode("latin-1").lower() if declared else "utf-8"
    if name not in _ENCODINGS:
        raise UnsoundBody(f"an XML document in the encoding {name!r}")
    return name
