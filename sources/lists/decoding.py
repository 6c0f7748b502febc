"""Bytes of a reading list -> its text, or a refusal. Pure.

Wrong text is worse than a refusal, so nothing is guessed: UTF-8 is read as UTF-8, a byte-order mark is believed, and
another encoding is read only where somebody declared it (the server's `charset`, or a `coding:` line at the top, as
Emacs, Vim and https://peps.python.org/pep-0263/ know it). Everything else is refused with the way to convert it.
"""

from __future__ import annotations

import codecs
import re

from sources.errors import UsageError

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it starts with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARATION = re.compile(rb"(?:(?:en)?coding|charset)\s*[:=]\s*[\"']?([A-Za-z][\w.:-]{1,40})")
_CHARACTER_SETS = re.compile(r"gb|big5|euc|shift_jis|iso|cp\d|koi8|mac|hz|tis|johab|utf-(?:16|32)")
"""The codecs that stand for a character set; Python's others (punycode, hex, unicode_escape...) are no way to write."""
_HEAD = 1024
"""Bytes from the top in which a declaration is looked for."""


def decode_list(body: bytes, *, name: str, declared: str | None = None) -> str:
    """Returns the text of a reading list, without a byte-order mark and never empty.

    Args:
        body: The bytes as read.
        name: What was read, for the message.
        declared: The encoding that whoever sent the bytes states, None where nobody did.

    Raises:
        UsageError: Empty, binary, or in an encoding that nobody declared.
    """
    text = _decode(body, name, declared)
    if "\0" in text:
        raise UsageError(f"{name} is not text (it holds NUL characters); give a Markdown or text file")
    if not text.strip():
        raise UsageError(f"{name} is empty; give a list that names papers")
    return text


def _decode(body: bytes, name: str, declared: str | None) -> str:
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return _strictly(body, encoding, name)
    if b"\0" in body:
        offset = body.index(b"\0")
        raise UsageError(f"{name} is a binary file (NUL byte at offset {offset}); give a Markdown or text file")
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        charset = _declared_encoding(body, declared)
        if charset is None:
            raise UsageError(_not_utf8(name, body, error.start)) from None
    return _strictly(body, charset, name)


def _strictly(body: bytes, encoding: str, name: str) -> str:
    try:
        return body.decode(encoding)
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is not the {encoding} text it says it is (byte {error.start})") from None


def _declared_encoding(body: bytes, declared: str | None) -> str | None:
    """Returns the first declared character set, other than UTF-8, that Python knows."""
    found = [match.decode("ascii") for match in _DECLARATION.findall(body[:_HEAD])]
    for label in [*([declared] if declared else []), *found]:
        try:
            codec = codecs.lookup(label)
        except (LookupError, ValueError):
            continue
        if _CHARACTER_SETS.match(codec.name):
            return codec.name
    return None


def _not_utf8(name: str, body: bytes, offset: int) -> str:
    line = body.count(b"\n", 0, offset) + 1
    return (
        f"{name} is not UTF-8 text (byte 0x{body[offset]:02x} on line {line}): a binary file, or in another encoding;"
        " convert it (iconv -f GB18030 -t UTF-8) or declare it in the first lines (<!-- coding: gb18030 -->)"
    )
