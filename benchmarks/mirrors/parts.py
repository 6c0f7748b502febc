"""Runs a part of a benchmark in a process of its own, and tells what that cost."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

_EVERY_S = 0.1  # between two looks at the memory
_DISK_EVERY_S = 2  # and at the disk


def measured(module: str, name: str, *arguments: object, grows: Path | None = None) -> dict:
    """Runs the part `name` of a module and returns what it told, its time, and the most that it took meanwhile.

    Args:
        module: Has a `main` that calls `options_of`.
        name: Of the part.
        arguments: Whole numbers and paths.
        grows: A folder whose size is looked at meanwhile.

    Returns:
        What the part returned, with `seconds` by the clock, `processor` seconds with all threads and children, `gb`
        of memory with that of its children, and `disk_gb` of the folder.
    """
    command = [sys.executable, "-m", module, "--part", name, *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        process, most, most_disk, looked_at = psutil.Process(child.pid), 0, 0, 0.0
        while child.poll() is None:
            most = max(most, _memory_of(process))
            if grows and time.monotonic() - looked_at > _DISK_EVERY_S:
                most_disk, looked_at = max(most_disk, size_of(grows)), time.monotonic()
            time.sleep(_EVERY_S)
        assert child.stdout is not None
        output = child.stdout.read()
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command)
    return json.loads(output.splitlines()[-1]) | {"gb": most / 2**30, "disk_gb": most_disk / 1e9}


def options_of(parser: ArgumentParser, parts: Mapping[str, Callable[..., dict]]) -> Namespace:
    """Returns the options; where they name one of `parts`, runs it instead, prints its result and cost, and exits."""
    parser.add_argument("--part", nargs="+", help=SUPPRESS)
    options = parser.parse_args()
    if not options.part:
        return options
    name, *arguments = options.part
    values = [int(value) if value.isdecimal() else Path(value) for value in arguments]
    with stopped() as spent:
        found = parts[name](*values)
    print(json.dumps({"seconds": spent[0], "processor": spent[1]} | found))
    sys.exit()


@contextmanager
def stopped() -> Iterator[list[float]]:
    """Gives a list that has, at the end, the seconds by the clock and of the processor, with all ended children."""
    spent: list[float] = []
    began, before = time.perf_counter(), _processor_s()
    yield spent
    spent += [time.perf_counter() - began, _processor_s() - before]


def _processor_s() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def size_of(folder: Path) -> int:
    """Returns the bytes of the files in a folder, some of which may go meanwhile."""
    size = 0
    for file in folder.rglob("*"):
        with suppress(OSError):
            size += file.stat().st_size
    return size


def _memory_of(process: psutil.Process) -> int:
    """Returns the bytes that `process` and its children have now; what they share is counted for each."""
    size = 0
    with suppress(psutil.Error):
        for each in (process, *process.children(recursive=True)):
            with suppress(psutil.Error):
                size += each.memory_info().rss
    return size
