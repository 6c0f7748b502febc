"""Bodies of replies: unpacked within bounds, and XML without a document type in any encoding."""

import gzip
import tracemalloc

import pytest

from sources.http.replies import UnsoundBody, read_body
from sources.http.xml_replies import parse_xml
from tests.matrices import for_each

BOMB = """<?xml version="1.0" encoding="{0}"?><!DOCTYPE f [<!ENTITY a "aaaa">]><feed>&a;</feed>"""


def read(body: bytes, encoding: str | None, *, size: int = 1024, most: int = 10**6) -> bytes:
    parts = (body[at : at + size] for at in range(0, len(body), size))
    return read_body(parts, encoding, most=most, seconds=60)


@for_each("size", [1, 7, 10**6])
@for_each("encoding", [None, "identity", "gzip", "x-gzip", "GZIP"])
def test_a_body_is_read_as_it_was_written(encoding, size):
    text = b"a reading list, " * 20_000
    packed = gzip.compress(text) if "gzip" in (encoding or "").lower() else text
    assert read(packed, encoding, size=size) == text


def test_a_body_of_several_members_is_read_whole():
    assert read(gzip.compress(b"one ") + gzip.compress(b"two"), "gzip") == b"one two"


def test_a_few_kilobytes_never_become_a_gigabyte():
    bomb = gzip.compress(b"\0" * 2**28)
    assert len(bomb) < 300_000
    tracemalloc.start()
    with pytest.raises(UnsoundBody, match="without end"):
        read(bomb, "gzip", most=2**20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**23


@for_each("encoding", ["gzip, gzip", "deflate", "br", "zstd", "compress", "gzip,identity", "\x1b[2J"])
def test_an_encoding_that_was_not_asked_for_is_no_body(encoding):
    with pytest.raises(UnsoundBody, match="packed as"):
        read(gzip.compress(gzip.compress(b"x")), encoding)


@for_each("body", [gzip.compress(b"x" * 9_999, mtime=0)[:-1], b"plain", gzip.compress(b"x", mtime=0) + b"z"])
def test_a_packed_body_that_ends_too_soon_or_is_none_is_no_body(body):
    with pytest.raises(UnsoundBody):
        read(body, "gzip")


def test_a_body_that_trickles_is_no_body():
    with pytest.raises(UnsoundBody):
        read_body([b"a", b"b"], None, most=10, seconds=-1)


@for_each("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "iso-8859-1", "utf-32"])
def test_entities_are_refused_in_every_encoding(encoding):
    name = {"utf-8-sig": "utf-8", "utf-16-le": "utf-16", "utf-16-be": "utf-16"}.get(encoding, encoding)
    with pytest.raises(UnsoundBody):
        parse_xml(BOMB.format(name).encode(encoding))


@for_each("body", [b"<a>" * 5_000, b"<a>" * 200 + b"</a>" * 200, b"", b"<a>", b"<a/><b/>", b"\xff"])
def test_what_is_no_whole_document_or_too_deep_is_refused(body):
    with pytest.raises(UnsoundBody):
        parse_xml(body)


def test_a_document_of_a_million_elements_is_refused():
    with pytest.raises(UnsoundBody, match="elements"):
        parse_xml(b"<a>" + b"<b/>" * 1_000_001 + b"</a>")


@for_each("name", ["UTF-7", "Shift_JIS", "GB18030", "EUC-KR", "idna", "rot13", "x-nobody", "utf-32", ""])
def test_xml_in_an_encoding_that_no_service_uses_is_unsound(name):
    for codec in ("utf-8", "utf-8-sig", "utf-32"):
        with pytest.raises(UnsoundBody):
            parse_xml(f'<?xml version="1.0" encoding="{name}"?><a>1</a>'.encode(codec))


@for_each("name", ["UTF-8", "utf-16", "utf-16-le", "utf-16-be", "ISO-8859-1"])
def test_xml_in_an_encoding_of_the_list_is_read(name):
    assert parse_xml(f'<?xml version="1.0" encoding="{name}"?><a>é</a>'.encode(name)).text == "é"
