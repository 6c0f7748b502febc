"""Lines of bulk dumps in JSON -> objects. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sources.errors import PayloadError


def read_dump_line(line: bytes) -> Mapping[str, Any]:
    """Returns the object that a line of a dump holds.

    Raises:
        PayloadError: It is not UTF-8 JSON, or no object.
    """
    try:
        row = json.loads(line)
        if b"\\ud" in line or b"\\uD" in line:
            json.dumps(row, ensure_ascii=False).encode()  # half a surrogate pair is no text
    except (ValueError, RecursionError) as error:
        raise PayloadError(f"not a line of JSON: {error}", source="mirror", field="line") from error
    if not isinstance(row, dict):
        raise PayloadError("not a JSON object", source="mirror", field="line")
    return row
