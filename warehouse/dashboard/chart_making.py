"""Bundles the chart library in a process of its own, or takes it from the cache; the charts themselves are a file here.

It is the same for every lake. Bundling it takes a processor for a second or two, and lets no other Python run
meanwhile; so this begins before the lake is read, and what was made lies in the user's cache folder. A file there that
cannot be read is made anew, and one that cannot be written costs the next run its seconds.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import logging
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sources.errors import WarehouseError
from sources.processes import python
from warehouse.durable_files import cache_folder, write_whole

_MAKER = Path(__file__).with_name("chart_library.py")
_CHARTS = Path(__file__).with_name("charts.json")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Charts:
    """What a page draws with."""

    specifications: dict[str, dict[str, Any]]  # chart name -> Vega specification whose data set `rows` is empty
    library: str  # the chart library, as a script that defines `vega`


def _with_library(library: str) -> Charts:
    return Charts(specifications=json.loads(_CHARTS.read_bytes()), library=library)


@contextmanager
def charts_underway() -> Iterator[Callable[[], Charts]]:
    """Begins to make the charts, and gives the function that waits for them; nothing goes on after the block.

    The function raises `WarehouseError` where they could not be made.
    """
    file = _cache_file()
    library = _read(file)
    if library is not None:
        yield lambda: _with_library(library)
        return
    with subprocess.Popen(  # noqa: S603 - our own interpreter and module
        python(str(_MAKER)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            yield lambda: _made(process, file)
        finally:
            process.kill()


def _made(process: subprocess.Popen[bytes], file: Path | None) -> Charts:
    output, complaint = process.communicate()
    if process.returncode:
        why = complaint.decode("utf-8", "replace").strip().splitlines() or [f"exit code {process.returncode}"]
        raise WarehouseError(f"cannot make the dashboard's charts: {why[-1]}")
    library = output.decode()
    if file is not None:
        _write(file, library)
    return _with_library(library)


def _cache_file() -> Path | None:
    """Returns the file for what this version of the maker's library makes; None where there is none."""
    try:
        maker = _MAKER.read_bytes()
        folder = cache_folder()
    except (OSError, RuntimeError):  # RuntimeError: nobody's home is known
        return None
    digest = hashlib.sha256(maker + version("vl-convert-python").encode()).hexdigest()[:16]
    return folder / f"charts-{digest}.js.gz"


def _read(file: Path | None) -> str | None:
    if file is None:
        return None
    try:
        return gzip.decompress(file.read_bytes()).decode()
    except FileNotFoundError:
        return None
    except (OSError, EOFError, ValueError) as error:
        _log.debug("cannot use %s: %s", file, error)
        return None


def _write(file: Path, library: str) -> None:
    """Keeps the library, and takes away those of other versions, which are ours alone."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, gzip.compress(library.encode(), mtime=0))
        for other in file.parent.glob("charts-*.gz"):
            if other != file:
                other.unlink(missing_ok=True)
    except OSError as error:
        _log.debug("cannot keep %s: %s", file, error)
