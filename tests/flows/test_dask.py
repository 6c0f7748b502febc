"""A bulk import on a Dask cluster of two worker processes, one of which is killed in the middle."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.postgres_server import free_port
from tests.warehouse.test_mirror import dump, row
from warehouse.mirrors import Dump, MirrorFolder, import_dump
from warehouse.mirrors.release import hash_probe

REPOSITORY = Path(__file__).resolve().parents[2]


class DaskCluster:
    """A scheduler and its workers, each a process of its own on loopback."""

    def __init__(self, stack: ExitStack, env: dict[str, str]) -> None:
        self.address = f"tcp://127.0.0.1:{free_port()}"
        self.env = os.environ | env | {"PYTHONPATH": str(REPOSITORY)}
        self._stack = stack
        self.start("scheduler", "--host", "127.0.0.1", "--port", self.address.rpartition(":")[2])

    def worker(self) -> subprocess.Popen[bytes]:
        return self.start("worker", self.address, "--nthreads", "1", "--no-nanny")

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *arguments, "--no-dashboard"],
            env=self.env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process


@pytest.fixture
def cluster(prefect_server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # workers leave a scratch folder where they are started
    with ExitStack() as stack:
        yield DaskCluster(stack, prefect_server.env())


def contents(mirror: Path) -> dict[Path, bytes]:
    (release,) = mirror.glob("release-*")
    return {path.relative_to(mirror): path.read_bytes() for path in release.rglob("*") if path.is_file()}


def shards(folder: Path, count: int = 12) -> list[Path]:
    made = []
    for number in range(count):
        rows = [row(f"17{number % 12 + 1:02}.{each:05}", f"Paper {each} of Shard {number}") for each in range(500)]
        plain = dump(folder / f"shard-{number:02}.jsonl", [*rows, b"no JSON"])
        if number % 2:
            packed = plain.with_name(f"{plain.name}.gz")
            packed.write_bytes(gzip.compress(plain.read_bytes()))
            made.append(packed)
        else:
            made.append(plain)
    return made


def test_a_cluster_that_loses_a_worker_makes_the_mirror_that_threads_make(cluster, tmp_path):
    files = shards(tmp_path)
    doomed, _ = cluster.worker(), cluster.worker()
    arguments = ["mirror", "import", "arxiv", *map(str, files), "--lake", str(tmp_path / "there")]
    importing = subprocess.Popen(
        [sys.executable, "-m", "flows", *arguments],
        env=cluster.env | {"PAPERLAKE_DASK": cluster.address},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    mirror = tmp_path / "there" / "mirror" / "arxiv"
    while importing.poll() is None and not list(mirror.glob("*.partial/papers/*.parquet")):
        time.sleep(0.01)
    doomed.kill()
    told, errors = importing.communicate(timeout=120)
    assert importing.returncode == 0, errors
    assert told.startswith("6000 papers of arXiv")
    here = MirrorFolder(tmp_path / "here")
    import_dump(here, Dump(source="arxiv", files=tuple(files)))
    assert contents(mirror) == contents(here.path)


def test_no_address_of_a_scheduler_is_one_clear_line(paperlake):
    dump(paperlake.folder / "dump.jsonl")
    paperlake.env["PAPERLAKE_DASK"] = "nowhere"
    done = paperlake("mirror", "import", "arxiv", "dump.jsonl")
    assert done.returncode == 2
    assert done.stderr.startswith("paperlake: no Dask scheduler answers at nowhere")
    assert len(done.stderr.splitlines()) == 1
    assert not (paperlake.folder / "lake").exists()


def test_a_worker_says_why_it_cannot_take_part(prefect_server, tmp_path):
    from flows.dask_cluster import why_not

    server = prefect_server.url
    assert why_not([str(tmp_path)], server, hash_probe()) is None
    assert "does not see" in why_not([str(tmp_path / "elsewhere")], server, hash_probe())
    assert "Prefect's server" in why_not([], f"http://127.0.0.1:{free_port()}/api", hash_probe())
    assert "version of DuckDB" in why_not([], server, hash_probe() + 1)
