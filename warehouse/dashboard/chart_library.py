"""The charts as a page has them: their specifications, which are a file here, and the library that draws them.

Bundling the library takes a second or two and gives the same for every lake; so the result is in the user's cache
folder. A file there that cannot be read is made anew, and one that cannot be written costs the next run its seconds.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import logging
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sources.errors import WarehouseError
from warehouse.durable_files import cache_folder, write_whole

_CHARTS = Path(__file__).with_name("charts.json")
# The parts of Vega 6.2 that draw our charts, without a compiler, maps and trees, and without code made of text, which a
# page's policy forbids. vl-convert carries all of it: nothing is fetched, and these addresses are names within it.
_PARTS = """
import { View } from "https://cdn.jsdelivr.net/npm/vega-view@6.1.0/+esm";
import { parse } from "https://cdn.jsdelivr.net/npm/vega-parser@7.1.0/+esm";
import { expressionInterpreter } from "https://cdn.jsdelivr.net/npm/vega-interpreter@2.0.0/+esm";
import { transforms } from "https://cdn.jsdelivr.net/npm/vega-dataflow@6.1.0/+esm";
import * as encode from "https://cdn.jsdelivr.net/npm/vega-encode@5.1.0/+esm";
import * as label from "https://cdn.jsdelivr.net/npm/vega-label@2.1.0/+esm";
import * as plain from "https://cdn.jsdelivr.net/npm/vega-transforms@5.1.0/+esm";
import * as views from "https://cdn.jsdelivr.net/npm/vega-view-transforms@5.1.0/+esm";
Object.assign(transforms, encode, label, plain, views);
window.vega = { View, parse, expressionInterpreter };
"""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Charts:
    """What a page draws with."""

    specifications: dict[str, dict[str, Any]]  # chart name -> Vega specification whose data set `rows` is empty
    library: str  # the chart library, as a script that defines `vega`


def read_charts() -> Charts:
    """Returns the charts, and their library from the user's cache or, once a version, from vl-convert.

    Raises:
        WarehouseError: The library cannot be made.
    """
    specifications = json.loads(_CHARTS.read_bytes())
    digest = hashlib.sha256((_PARTS + version("vl-convert-python")).encode()).hexdigest()[:16]
    file: Path | None = None  # for what this version of the library makes
    with suppress(OSError, RuntimeError):  # nobody's home is known
        file = cache_folder() / f"charts-{digest}.js.gz"
    if file is not None:
        try:
            return Charts(specifications=specifications, library=gzip.decompress(file.read_bytes()).decode())
        except (OSError, EOFError, ValueError) as error:
            _log.debug("cannot use %s: %s", file, error)
    import vl_convert  # noqa: PLC0415 - takes long, and only a machine's first page needs it

    newest = vl_convert.get_vegalite_versions()[-1]
    try:
        bundle = vl_convert.javascript_bundle(_PARTS, vl_version=newest)
    except ValueError as error:
        raise WarehouseError(f"cannot make the dashboard's charts: {str(error).strip().splitlines()[-1]}") from error
    library = f"(() => {{\n{bundle}\n}})();"
    if file is not None:
        _write(file, library)
    return Charts(specifications=specifications, library=library)


def _write(file: Path, library: str) -> None:
    """Stores the library, and deletes those of other versions, which are ours alone."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, gzip.compress(library.encode(), mtime=0))
        for other in file.parent.glob("charts-*.gz"):
            if other != file:
                other.unlink(missing_ok=True)
    except OSError as error:
        _log.debug("cannot store %s: %s", file, error)
