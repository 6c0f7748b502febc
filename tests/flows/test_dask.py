"""Bulk imports and look-ups on a Dask cluster of worker processes, one of which is killed in the middle."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from sources.matching.resolve import resolve
from sources.records import Mention
from standins.servers.postgres import free_port
from tests.warehouse.test_mirror import dump, row
from warehouse.mirrors import Dump, MirrorFolder, Mirrors, import_dump
from warehouse.mirrors.release import hash_probe

pytestmark = pytest.mark.slow

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


LOOK_UP = """
import json, sys
from pathlib import Path
from flows.mirror.cluster import ClusterMirrors
from flows.progress import Silent
from sources.matching.resolve import resolve
from sources.records import Mention

class Told(Silent):
    def stage(self, name, total, unit=""):
        print(json.dumps([name, total, unit]), flush=True)
        return lambda done: print(done, flush=True)

    def say(self, sentence):
        print(json.dumps(sentence), flush=True)

if __name__ == "__main__":
    address, folder, titles, out = sys.argv[1:]
    titles = json.loads(Path(titles).read_text())
    mentions = [Mention(line=line, last_line=line, title=title) for line, title in enumerate(titles, start=1)]
    found = resolve(mentions, mirror=ClusterMirrors(Path(folder), dask=address, report=Told(), size=50))
    Path(out).write_text(json.dumps([str(one) for one in found]))
"""


@dataclass
class LookUp:
    """Titles looked up by a process of its own, which talks to a cluster, in a mirror of 600 papers."""

    folder: Path
    titles: list[str]

    def start(self, env: dict[str, str], address: str) -> subprocess.Popen[str]:
        (self.folder / "titles.json").write_text(json.dumps(self.titles))
        (self.folder / "look_up.py").write_text(LOOK_UP)
        arguments = [address, self.folder / "mirror", self.folder / "titles.json", self.folder / "found.json"]
        command = [sys.executable, self.folder / "look_up.py", *arguments]
        return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)

    def found(self) -> list[str]:
        return json.loads((self.folder / "found.json").read_text())

    def found_here(self) -> list[str]:
        mentions = [Mention(line=line, last_line=line, title=title) for line, title in enumerate(self.titles, start=1)]
        return [str(one) for one in resolve(mentions, mirror=Mirrors(self.folder / "mirror"))]


@pytest.fixture
def look_up(tmp_path):
    rows = [row(f"2001.{number:05}", f"A Theory of Part {number * 7919} of Everything") for number in range(600)]
    file = dump(tmp_path / "dump.jsonl", rows)
    import_dump(MirrorFolder(tmp_path / "mirror" / "arxiv"), Dump(source="arxiv", files=(file,)))
    titles = [each["title"].replace("Theory", "Theroy" if place % 3 else "Theory") for place, each in enumerate(rows)]
    return LookUp(tmp_path, [*titles, "Zymurgy of Papers", "An Unheard Of Title About Nothing"])


def test_a_cluster_that_loses_a_worker_finds_what_one_machine_finds(cluster, look_up):
    doomed, _ = cluster.worker(), cluster.worker()
    looking = look_up.start(cluster.env, cluster.address)
    told = [looking.stdout.readline(), looking.stdout.readline()]
    doomed.kill()
    told += looking.communicate(timeout=120)[0].splitlines()
    assert looking.returncode == 0
    assert json.loads(told[0]) == ["Titles in the local mirror", 602, "titles"]
    assert sum(map(int, told[1:])) == 602
    assert look_up.found() == look_up.found_here()
    assert sum("status='resolved'" in one for one in look_up.found()) == 600


def test_without_its_cluster_a_look_up_is_done_here_and_says_so(look_up, prefect_server):
    looking = look_up.start(os.environ | prefect_server.env() | {"PYTHONPATH": str(REPOSITORY)}, "nowhere")
    told = looking.communicate(timeout=120)[0].splitlines()
    assert json.loads(told[0]).startswith(
        "titles are looked up on this machine alone: no Dask scheduler answers at nowhere"
    )
    assert look_up.found() == look_up.found_here()


def test_no_address_of_a_scheduler_is_one_clear_line(paperlake):
    dump(paperlake.folder / "dump.jsonl")
    paperlake.env["PAPERLAKE_DASK"] = "nowhere"
    done = paperlake("mirror", "import", "arxiv", "dump.jsonl")
    assert done.returncode == 2
    assert done.stderr.startswith("paperlake: no Dask scheduler answers at nowhere")
    assert len(done.stderr.splitlines()) == 1
    assert not (paperlake.folder / "lake").exists()


def test_a_worker_says_why_it_cannot_take_part(prefect_server, tmp_path):
    from flows.mirror.dask_cluster import why_not

    server = prefect_server.url
    assert why_not([str(tmp_path)], server, hash_probe()) is None
    assert "does not see" in why_not([str(tmp_path / "elsewhere")], server, hash_probe())
    assert "Prefect's server" in why_not([], f"http://127.0.0.1:{free_port()}/api", hash_probe())
    assert "version of DuckDB" in why_not([], server, hash_probe() + 1)
