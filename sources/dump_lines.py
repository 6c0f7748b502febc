"""Lines of bulk dumps in JSON -> objects. Pure.

A dump cannot be asked again for a row. So a field of it that cannot be true is left out and named, and the paper stays.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sources.errors import PayloadError

_SHOWN = 500
"""Bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mended:
    """A line of a dump in the form of most lines.

    Attributes:
        text: The line, as JSON.
        left_out: Field -> why its value was left out, a sentence.
    """

    text: str
    left_out: Mapping[str, str]


def read_dump_line(line: bytes) -> Mapping[str, Any]:
    """Returns the object that a line of a dump holds; NaN and infinity, which JSON lacks, come back as text.

    Raises:
        PayloadError: It is not UTF-8 JSON, or no object.
    """
    try:
        row = json.loads(line, parse_constant=str)
        if b"\\ud" in line or b"\\uD" in line:
            json.dumps(row, ensure_ascii=False).encode()  # half a surrogate pair is no text
    except (ValueError, RecursionError) as error:
        raise PayloadError(f"not a line of JSON: {error}", source="mirror", field="line") from error
    if not isinstance(row, dict):
        raise PayloadError("not a JSON object", source="mirror", field="line")
    return row


def shown_beginning(line: bytes) -> str:
    """Returns the beginning of a line, as it is kept beside the reason why the line was refused."""
    return line.rstrip(b"\r\n")[:_SHOWN].decode("utf-8", "replace")
