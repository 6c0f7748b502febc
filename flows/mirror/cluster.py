"""The mirrors of a lake where a Dask cluster looks very many titles up in them, and judges what it finds."""

from __future__ import annotations

from contextlib import closing
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from prefect import flow

from flows.mirror.tasks import as_tasks, on_cluster
from flows.progress import TITLES_STAGE
from sources.errors import PaperlakeError
from warehouse.mirrors import Mirrors
from warehouse.mirrors.local import partitions
from warehouse.mirrors.lookup import TITLES_AT_ONCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from flows.progress import Reporter

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """What one worker is handed.

    Attributes:
        function: What makes something of the items, given a mirror to ask.
        items: The items.
        folder: Where the mirrors are.
    """

    function: Callable[[Any, Mirrors], Any]
    items: Sequence[Any]
    folder: Path


class ClusterMirrors(Mirrors):
    """Both mirrors of a lake, asked for more titles than one look-up takes by a cluster.

    Where there is no such cluster, or it cannot do the work, that is said and this machine does it: the answers are the
    same.

    Args:
        folder: `mirror` in the lake's folder, which all workers must see under this path.
        dask: Address of the cluster's scheduler, as in tcp://host:8786.
        report: Whom to tell how it goes.
        size: Most items of a partition; as many or fewer stay on this machine.
    """

    def __init__(self, folder: Path, *, dask: str, report: Reporter, size: int = TITLES_AT_ONCE) -> None:
        super().__init__(folder, progress=partial(report.stage, TITLES_STAGE, unit="titles"))
        self._dask = dask
        self._say = report.say
        self._size = size

    def partitioned(self, function: Callable[[Sequence[T], Mirrors], R], items: Sequence[T]) -> Iterator[R]:
        """Yields what `function` makes of each partition of `items`."""
        if len(items) <= self._size or not self.releases:
            yield from super().partitioned(function, items)
            return
        try:
            made = self._on_cluster(function, items)
        except PaperlakeError as error:
            self._say(f"titles are looked up on this machine alone: {error}")
            made = super().partitioned(function, items)
        yield from made

    def _on_cluster(self, function: Callable[[Sequence[T], Mirrors], R], items: Sequence[T]) -> Iterator[R]:
        manifests = [str(mirror.folder.manifest) for mirror in (self.arxiv, self.s2) if mirror.release]
        with on_cluster(self._dask, seen=manifests) as (runner, at_once):
            parts = [
                Partition(function=function, items=part, folder=self.folder)
                for part in partitions(items, min(self._size, -(-len(items) // at_once)))
            ]
            token = _WORK.set(partial(_make, parts, at_once, self._progress(len(items))))
            try:
                return iter(mirror_lookup.with_options(task_runner=runner)(titles=len(items), partitions=len(parts)))
            finally:
                _WORK.reset(token)


_WORK: ContextVar[Callable[[], list[Any]]] = ContextVar("work")
"""What the flow is to do. Its parameters are stored and shown, and it goes to the workers with all that it names."""


@flow(name="mirror-lookup", log_prints=False, retries=0)
def mirror_lookup(titles: int, partitions: int) -> list[Any]:  # noqa: ARG001 - shown on Prefect's pages
    """Looks titles up in the local mirrors, a task a partition.

    Args:
        titles: How many mentions are open.
        partitions: In how many parts they are looked up.
    """
    return _work()


def _work() -> list[Any]:
    return _WORK.get()()


def _make(parts: Sequence[Partition], at_once: int, done: Callable[[int], None]) -> list[Any]:
    made = []
    for part, item in zip(parts, as_tasks(look_up, parts, at_once=at_once), strict=True):
        made.append(item)
        done(len(part.items))
    return made


def look_up(part: Partition) -> Any:
    """Returns, on a worker, what the partition's function makes of it; one thread of many, it starts no process."""
    with closing(Mirrors(part.folder, run_shares=map)) as mirrors:
        return part.function(part.items, mirrors)
