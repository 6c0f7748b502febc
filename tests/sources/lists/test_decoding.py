import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.errors import UsageError
from sources.lists.local_files import decode_list
from tests.matrices import for_each

TEXT = "# 论文\n\n- Déjà Vu\n"


BODIES = [TEXT.encode(name) for name in ("utf-8", "utf-8-sig", "utf-16", "utf-32")]


@for_each("body", [*BODIES, codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be")])
def test_what_says_how_it_is_written_is_read(body):
    assert decode_list(body, name="a.md") == TEXT


@for_each(
    ("body", "declared", "text"),
    [
        ("# caf\xe9".encode("cp1252"), "windows-1252", "# café"),  # by the server
        ("<!-- coding: gb18030 -->\n# 论文".encode("gb18030"), None, "# 论文"),  # in the first lines
        ('<meta charset="shift_jis">\n# 論文'.encode("shift_jis"), None, "# 論文"),
        ("# caf\xe9 -*- coding: latin-1 -*-".encode("latin-1"), "utf-8", "# café"),  # the server was wrong
        ("# café".encode(), "latin-1", "# café"),  # UTF-8, whatever the server says
    ],
)
def test_another_encoding_is_read_where_it_is_declared(body, declared, text):
    assert text in decode_list(body, name="a.md", declared=declared)


@for_each(
    ("body", "declared"),
    [
        ("# caf\xe9".encode("cp1252"), None),
        ("# caf\xe9".encode("cp1252"), "unicode_escape"),
        (b"coding: gb18030 \xff\xff", None),
        (codecs.BOM_UTF16_LE + b"\x00\xd8", None),
        ("a\0b".encode("utf-16"), None),
    ],
)
def test_nothing_is_guessed(body, declared):
    with pytest.raises(UsageError, match=r"^a\.md "):
        decode_list(body, name="a.md", declared=declared)


def test_the_refusal_says_where_the_text_breaks():
    with pytest.raises(UsageError, match="byte 0xe9 on line 3"):
        decode_list(b"# a\n\ncaf\xe9\n", name="a.md")


@given(st.binary(max_size=200), st.none() | st.text(max_size=12))
def test_any_bytes_are_read_or_refused(body, declared):
    try:
        text = decode_list(body, name="a.md", declared=declared)
    except UsageError:
        return
    assert text.strip()
    assert "\0" not in text
