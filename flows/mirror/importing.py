"""The import of a bulk dump as a Prefect flow: a task a block, on threads of this machine or on a Dask cluster."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prefect import flow
from prefect.artifacts import create_markdown_artifact
from prefect.task_runners import ThreadPoolTaskRunner

from flows.mirror.tasks import as_tasks, on_cluster
from flows.progress import Silent
from sources.text import counted
from warehouse.mirrors import Dump, MirrorFolder, import_dump
from warehouse.mirrors.workers import WORKERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from prefect.task_runners import TaskRunner

    from flows.progress import Reporter

REPORTER: ContextVar[Reporter] = ContextVar("reporter", default=Silent())  # noqa: B039 - holds no state
"""Where a command line that runs the flow wants progress told."""


@flow(name="mirror-import", log_prints=False, retries=0)
def mirror_import(
    source: str,
    files: list[str],
    folder: str,
    *,
    whole: bool = True,
    told_at: datetime | None = None,
    workers: int = WORKERS,
) -> str:
    """Imports a bulk dump into a mirror and returns the release's name.

    Args:
        source: `arxiv` or `s2-papers`.
        files: The dump files; every worker must see them, and the folder, under these paths.
        folder: The mirror's folder.
        whole: Whether the files are all that the source had.
        told_at: As of when; by default the newest date that the rows tell.
        workers: How many tasks run at a time, so that enough are handed out.
    """
    dump = Dump(source=source, files=tuple(map(Path, files)), whole=whole, told_at=told_at)
    release = import_dump(
        MirrorFolder(Path(folder)),
        dump,
        spread=partial(as_tasks, at_once=workers),
        on_bytes=_progress(source, files),
    )
    result = f"{counted(release.rows, 'paper')}, {counted(release.refused, 'line')} refused"
    result += f", {release.duplicates} replaced by later rows"
    create_markdown_artifact(
        f"`{release.name}` of {source}: {result}.", key="mirror-import", description="What was imported"
    )
    return release.name


@contextmanager
def task_runner(
    dask: str | None, *, files: Sequence[Path], folder: MirrorFolder
) -> Iterator[tuple[TaskRunner[Any], int]]:
    """Gives what runs the tasks, threads of this process or the Dask cluster at `dask`, and how many at a time.

    Raises:
        UsageError: The package for Dask is not installed, or the cluster cannot do the work.
    """
    if dask is None:
        yield ThreadPoolTaskRunner(max_workers=WORKERS), WORKERS
        return
    with ExitStack() as stack:
        with folder.importing(), tempfile.NamedTemporaryFile(prefix=".seen-by-all-", dir=folder.path) as probe:
            cluster = stack.enter_context(on_cluster(dask, seen=[*map(str, files), probe.name]))
        yield cluster


def _progress(source: str, files: Sequence[str]) -> Callable[[int], None]:
    """Returns what to tell of bytes done; a function of its own, as a flow goes to Dask workers with all it names."""
    return REPORTER.get().stage(f"Importing {source}", sum(Path(file).stat().st_size for file in files), "bytes")
