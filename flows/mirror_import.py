"""The import of a bulk dump as a Prefect flow: a task a block, on threads of this machine or on a Dask cluster."""

from __future__ import annotations

from contextvars import ContextVar
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prefect import flow
from prefect.artifacts import create_markdown_artifact
from prefect.task_runners import ThreadPoolTaskRunner

from flows.mirror_tasks import as_tasks
from flows.progress import Silent
from sources.errors import UsageError
from warehouse.mirrors import Dump, MirrorFolder, import_dump
from warehouse.mirrors.workers import WORKERS

if TYPE_CHECKING:
    from prefect.task_runners import TaskRunner

    from flows.progress import Reporter

REPORTER: ContextVar[Reporter] = ContextVar("reporter", default=Silent())  # noqa: B039 - holds no state
"""Where a command line that runs the flow wants progress told."""


@flow(name="mirror-import", log_prints=False, retries=0)
def mirror_import(
    source: str,
    files: list[str],
    folder: str,
    whole: bool = True,  # noqa: FBT001, FBT002 - a flow's parameters are shown and set by name
    told_at: datetime | None = None,
) -> str:
    """Imports a bulk dump into a mirror and returns the release's name.

    Args:
        source: `arxiv` or `s2-papers`.
        files: The dump files; every worker must see them, and the folder, under these paths.
        folder: The mirror's folder.
        whole: Whether the files are all that the source had.
        told_at: As of when; by default the newest date that the rows tell.
    """
    dump = Dump(source=source, files=tuple(map(Path, files)), whole=whole, told_at=told_at)
    done = REPORTER.get().stage(f"Importing {source}", sum(Path(file).stat().st_size for file in files), "bytes")
    release = import_dump(MirrorFolder(Path(folder)), dump, spread=as_tasks, on_bytes=done)
    told = f"{release.rows} papers, {release.refused} lines refused, {release.duplicates} replaced by later rows"
    create_markdown_artifact(
        f"`{release.name}` of {source}: {told}.", key="mirror-import", description="What was imported"
    )
    return release.name


def task_runner(dask: str | None) -> TaskRunner[Any]:
    """Returns what runs the tasks: threads of this process, or the Dask cluster whose scheduler is at `dask`.

    Raises:
        UsageError: The package for Dask is not installed.
    """
    if dask is None:
        return ThreadPoolTaskRunner(max_workers=WORKERS)
    try:
        from prefect_dask import DaskTaskRunner  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise UsageError("a Dask cluster needs `pip install 'paperlake[dask]'`, here and on its workers") from error
    runner: TaskRunner[Any] = DaskTaskRunner(address=dask)
    return runner
