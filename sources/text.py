"""Text from outside, made fit to store: one line, no control characters, sound Unicode. Pure."""

from __future__ import annotations

import re
from typing import Any

_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")


def one_line(value: Any) -> str | None:
    """Returns text with its white space folded, or None where it is no text or says nothing."""
    if not isinstance(value, str):
        return None
    sound = value.encode("utf-8", "replace").decode("utf-8")
    return " ".join(_CONTROLS.sub("", sound).split()) or None
