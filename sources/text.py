"""Prints counts with their nouns, and makes text safe to show on a terminal."""

from __future__ import annotations

import json
import re
from typing import Any

MASK = "***"  # what stands for a secret, in addresses and messages that are shown
# What is not seen: control characters, marks that turn the direction of text, and tags. Joiners of letters stay.
_CONTROLS = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    r"\U000e0000-\U000e007f]"
)


def one_line(value: Any) -> str | None:
    """Returns text with its white space folded, or None where it is no text or says nothing."""
    if not isinstance(value, str):
        return None
    sound = value.encode("utf-8", "replace").decode("utf-8")
    return " ".join(_CONTROLS.sub("", sound).split()) or None


def shortened(text: str, most: int) -> str:
    """Returns `text` in at most `most` characters, with `…` for the end of what is longer."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def counted(number: int, noun: str) -> str:
    """Returns a number with its noun, which is given in the singular: "1 mention", "2 entries"."""
    return f"{number} {inflected(number, noun)}"


def inflected(number: int, noun: str) -> str:
    """Returns a noun, given in the singular, as it stands behind a number."""
    if number == 1:
        return noun
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Returns a JSON object of its keys and values, as `object_pairs_hook` of `json.loads`.

    Raises:
        ValueError: A key is there twice, and nobody knows which value is meant.
    """
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("a key is there twice")
    return values


_BLANK = "\\t-\\r\\x1c-\\x1f\\x85\\u2028\\u2029"
_UNSEEN = (
    "\\x00-\\x08\\x0e-\\x1b\\x7f-\\x84\\x86-\\x9f"  # control characters
    "\\xad\\u061c\\u070f\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff\\ufff0-\\ufffb"  # format characters
    "\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180d\\u180f\\u3164\\uffa0"  # letters without a shape
    "\\U00013430-\\U0001343f\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0000-\\U000e00ff\\U000e01f0-\\U000e0fff"
    "\\ud800-\\udfff\\ufffe\\uffff"
)
_IN_A_LINE = re.compile(f"[{_BLANK}{_UNSEEN}]")
_IN_LINES = re.compile(f"[\\x1c-\\x1f\\t\\x0b-\\r\\x85\\u2028\\u2029{_UNSEEN}]")
_IS_BLANK = re.compile(f"[{_BLANK}]")


def shown(text: str, *, lines: bool = False) -> str:
    r"""Returns `text` fit for a terminal: control and unseen characters as codes such as `\x1b`, on one line.

    Where `lines` is set, line feeds stay, for messages of several lines.
    """
    unseen = _IN_LINES if lines else _IN_A_LINE
    return unseen.sub(lambda match: " " if _IS_BLANK.match(match[0]) else _code(match[0]), text)


def json_text(value: Any, *, indent: int | None = None) -> str:
    """Returns `value` as JSON with letters of every script as they are, but unseen and control characters escaped.

    Raises:
        ValueError: It holds NaN or infinity, for which JSON has no form.
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    is_plain = text.isascii() and "\x7f" not in text
    return text if is_plain else _JSON_UNSEEN.sub(lambda match: json.dumps(match[0])[1:-1], text)


# In JSON the controls of ASCII are escaped already.
_JSON_UNSEEN = re.compile(f"[\\x85\\u2028\\u2029{_UNSEEN}]".replace("\\x00-\\x08\\x0e-\\x1b", ""))


def _code(character: str) -> str:
    number = ord(character)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
