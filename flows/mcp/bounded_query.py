"""Runs a query in a process of its own, with limits on time and memory.

DuckDB's own bound on memory does not count the texts that functions make, so that `repeat('x', 100000000)` over two
hundred rows took all there was. So the system bounds the whole process; where it cannot, DuckDB's bound alone holds.
Run as a module, this is that process: the request is JSON on standard input, the answer JSON on standard output.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing, suppress
from datetime import datetime
from typing import Any

from flows.mcp.untrusted_text import MOST_FIELDS, bounded
from sources.errors import PaperlakeError, QueryFailed, UsageError, WarehouseError
from sources.processes import python

Row = dict[str, Any]

# Address space of the process, of which DuckDB and what it has mapped take some hundred MB at rest.
MOST_MEMORY_MB = 4_096
_LOOK_S = 0.2  # seconds after which it is looked whether somebody still waits for an answer
_NOBODY_WAITS = "the query was stopped, as nobody waits for its answer"
_ENGINE_MEMORY = "1GB"  # what DuckDB may use for sorting, joining and the like


def bounded_rows(
    lake: str | None,
    query: str,
    *,
    as_of: datetime | None,
    most: int,
    longest_s: float,
    stop: threading.Event | None = None,
) -> tuple[list[Row], int]:
    """Returns the first rows of a query by the guard of `paperlake sql`, and how many it gives; long texts are cut.

    `stop` stops it once it is set: nobody waits for the answer any more.

    Raises:
        UsageError: There is no lake, the query is refused, or it takes too long or too much memory.
        QueryFailed: DuckDB refused it.
        WarehouseError: A data file is lost or spoiled.
    """
    instant = as_of.isoformat() if as_of else None
    request: Row = {"lake": lake, "query": query, "as_of": instant, "most": most, "memory_mb": MOST_MEMORY_MB}
    request |= {"longest_s": longest_s + 1}
    stop = stop or threading.Event()
    if stop.is_set():
        raise UsageError(_NOBODY_WAITS)
    command = python("-m", "flows.mcp.bounded_query")
    with (
        tempfile.TemporaryDirectory(prefix="paperlake-query-") as folder,  # a process that is stopped leaves its copies
        subprocess.Popen(  # noqa: S603 - our own module
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"TMPDIR": folder},
        ) as process,
    ):
        try:
            said = _said(process, json.dumps(request).encode(), longest_s, stop)
        finally:
            process.kill()
    try:
        answer = json.loads(said)
    except ValueError:
        text = "the query broke down, or took more memory than it may: ask for less, by a WHERE or an aggregate"
        raise UsageError(text) from None
    if "error" in answer:
        raise {"usage": UsageError, "query": QueryFailed, "lake": WarehouseError}[answer["kind"]](answer["error"])
    return answer["rows"], answer["total"]


def _said(process: subprocess.Popen[bytes], request: bytes, longest_s: float, stop: threading.Event) -> bytes:
    end = time.monotonic() + longest_s
    given: bytes | None = request
    while not stop.is_set():
        try:
            return process.communicate(given, timeout=min(_LOOK_S, max(0.0, end - time.monotonic())))[0]
        except subprocess.TimeoutExpired as error:
            given = None
            if time.monotonic() >= end:
                text = f"the query was stopped after {longest_s:g} s: ask for less, by a WHERE or an aggregate"
                raise UsageError(text) from error
    raise UsageError(_NOBODY_WAITS)


def _answer(request: Row) -> Row:
    import duckdb  # noqa: PLC0415 - the bound comes first

    from flows.commands.shared import read_place  # noqa: PLC0415
    from warehouse.lake.session import open_lake  # noqa: PLC0415
    from warehouse.query.output import for_json  # noqa: PLC0415
    from warehouse.query.read_only import ask_for_screen  # noqa: PLC0415

    as_of = datetime.fromisoformat(request["as_of"]) if request["as_of"] else None
    try:
        place = read_place(request["lake"])
        with closing(open_lake(place, as_of=as_of, most_memory=_ENGINE_MEMORY)) as connection:
            found = ask_for_screen(connection, request["query"], most=request["most"])
            if len(found.names) > MOST_FIELDS:
                raise UsageError(f"the query has {len(found.names)} columns, and may have {MOST_FIELDS}: name some")
            rows = [{name: bounded(for_json(value)) for name, value in zip(found.names, row, strict=True)}
                    for row in found.rows]  # fmt: skip
            return {"rows": rows, "total": found.total}
    except MemoryError:
        return {"kind": "usage", "error": "the query took more memory than it may: ask for less"}
    except WarehouseError as error:
        return {"kind": "lake", "error": str(error)}
    except PaperlakeError as error:
        return {"kind": "query" if isinstance(error.__cause__, duckdb.Error) else "usage", "error": str(error)}


def main() -> None:
    """Answers the request on standard input."""
    request = json.loads(sys.stdin.buffer.read())
    most_mb = request["memory_mb"]
    with suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415 - only there where a process can be bounded

        resource.setrlimit(resource.RLIMIT_AS, (most_mb << 20, most_mb << 20))
    timer = threading.Timer(request["longest_s"], os._exit, [1])  # where whoever asked is gone
    timer.daemon = True
    timer.start()
    sys.stdout.write(json.dumps(_answer(request)))


if __name__ == "__main__":
    main()
