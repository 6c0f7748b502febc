"""Text from outside, made fit to store: one line, no control characters, sound Unicode. Pure."""

from __future__ import annotations

import re
from typing import Any

_CONTROLS = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    r"\U000e0000-\U000e007f]"
)
"""What is not seen: control characters, marks that turn the direction of text, and tags. Joiners of letters stay."""


def one_line(value: Any) -> str | None:
    """Returns text with its white space folded, or None where it is no text or says nothing."""
    if not isinstance(value, str):
        return None
    sound = value.encode("utf-8", "replace").decode("utf-8")
    return " ".join(_CONTROLS.sub("", sound).split()) or None


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
