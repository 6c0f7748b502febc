"""A file of a DBLP release, in whichever form -> its records as lines of JSON."""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING

from sources.dump_streams import is_web_page, lines_read_by, page_title
from sources.errors import PayloadError
from sources.text import shown

if TYPE_CHECKING:
    import io
    from collections.abc import Iterator

_ROOT = re.compile(rb"<dblp[\s>]")
WHERE_TO_GET_IT = "get it in a browser from https://dblp.org/xml/ or, as N-Triples, from https://dblp.org/rdf/"


def lines_of_release(stream: IO[bytes]) -> io.BufferedReader:
    """Returns the records of a release, XML or N-Triples, as lines of JSON; see `sources.dblp.entries`.

    To read them raises `PayloadError` where the release is in neither form, such as a web page, or breaks off.
    """
    return lines_read_by(_lines_of, stream)


def _lines_of(first: bytes, whole: io.BufferedReader) -> Iterator[bytes]:
    # Read here, not above: who only looks papers up needs no parser.
    from sources.dblp.ntriples import lines_of_ntriples  # noqa: PLC0415
    from sources.dblp.xml_file import lines_of_xml  # noqa: PLC0415

    start = first.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"<http", b"_:", b"#")):
        yield from lines_of_ntriples(whole)
        return
    if is_web_page(first) and not _ROOT.search(first[:4096]):
        raise PayloadError(f"it is a web page{page_title(first)}, not a release: {WHERE_TO_GET_IT}", source="dblp")
    if start.startswith((b"<?xml", b"<!DOCTYPE", b"<dblp", b"<!--", b"\xff\xfe", b"\xfe\xff")):
        yield from lines_of_xml(whole)
    else:
        seen = shown(first[:60].decode("utf-8", "replace"))
        raise PayloadError(
            f"it begins with {seen!r}, which is neither DBLP's XML nor N-Triples: {WHERE_TO_GET_IT}", source="dblp"
        )
