"""Has the charts made by a process of its own while the lake is read: they are the same for every lake.

Compiling them and bundling their library takes a processor for seconds, and lets no other Python run meanwhile.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sources.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_MAKER = Path(__file__).with_name("charts.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Charts:
    """What a page draws with.

    Attributes:
        specifications: Chart name -> Vega specification whose data set `rows` is empty.
        library: The chart library, as a script that defines `vegaEmbed`.
    """

    specifications: dict[str, dict[str, Any]]
    library: str


@contextmanager
def charts_underway() -> Iterator[Callable[[], Charts]]:
    """Begins to make the charts, and gives the function that waits for them; nothing goes on after the block.

    The function raises `WarehouseError` where they could not be made.
    """
    # -P: nothing that lies in the folder where the user stands is taken for a module
    with subprocess.Popen(  # noqa: S603 - our own interpreter and module
        [sys.executable, "-P", str(_MAKER)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            yield lambda: _made(process)
        finally:
            process.kill()


def _made(process: subprocess.Popen[bytes]) -> Charts:
    output, complaint = process.communicate()
    if process.returncode:
        why = complaint.decode("utf-8", "replace").strip().splitlines() or [f"exit code {process.returncode}"]
        raise WarehouseError(f"cannot make the dashboard's charts: {why[-1]}")
    return Charts(**json.loads(output))
