"""The workflow that refreshes lists: what it keeps between runs, run as GitHub would run it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
import yaml

from standins.github.repository import ROOT

JOB = yaml.safe_load((ROOT / "examples" / "github-actions" / "refresh.yml").read_text(encoding="utf-8"))["jobs"][
    "refresh"
]
needs_gpg = pytest.mark.skipif(shutil.which("gpg") is None, reason="gpg is not installed")


class Runner:
    """Runs single steps of the job in a checkout of a repository, as a runner does: bash -e."""

    def __init__(self, folder: Path, *, private: bool) -> None:
        self.folder = folder
        self.remote = folder / "remote.git"
        self._run("git", "init", "--quiet", "--bare", "--initial-branch=main", str(self.remote), cwd=folder)
        tool = folder / "bin" / "gh"
        tool.parent.mkdir()
        tool.write_text(
            f"#!/bin/sh\n[ \"$1 $2 $3 $4\" = 'api repos/me/lists --jq .private' ] && echo {str(private).lower()}\n"
        )
        tool.chmod(0o755)
        self.number = 0
        seed = self.checkout()
        (seed / "README.md").write_text("# Papers\n")
        self._run("git", "add", ".", cwd=seed)
        self._run("git", "commit", "--quiet", "-m", "A list", cwd=seed)
        self._run("git", "push", "--quiet", "origin", "HEAD:main", cwd=seed)

    def checkout(self) -> Path:
        """Returns a fresh checkout, as each run has one."""
        self.number += 1
        path = self.folder / f"run{self.number}" / "lists"
        path.parent.mkdir()
        self._run("git", "clone", "--quiet", str(self.remote), str(path), cwd=self.folder)
        return path

    def checkout_with_lake(self, catalogue: bytes) -> Path:
        path = self.checkout()
        (path / "lake" / "data").mkdir(parents=True)
        (path / "lake" / "data" / "papers.parquet").write_bytes(b"counts by Semantic Scholar")
        (path / "lake" / "catalog.sqlite").write_bytes(catalogue)
        return path

    def step(self, name: str, checkout: Path, passphrase: str) -> subprocess.CompletedProcess[str]:
        (script,) = [step["run"] for step in JOB["steps"] if step.get("name") == name]
        return self._run("bash", "-e", "-o", "pipefail", "-c", script, cwd=checkout, check=False, passphrase=passphrase)

    def _run(
        self, *command: str, cwd: Path, check: bool = True, passphrase: str = ""
    ) -> subprocess.CompletedProcess[str]:
        people = {f"GIT_{who}_NAME": "a" for who in ("AUTHOR", "COMMITTER")}
        people |= {f"GIT_{who}_EMAIL": "a@example.org" for who in ("AUTHOR", "COMMITTER")}
        own = {"LAKE_PASSPHRASE": passphrase, "GITHUB_REPOSITORY": "me/lists", "GNUPGHOME": str(self.folder)}
        environment = {**os.environ, **people, **own, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}
        return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=check)


@pytest.fixture
def runner_of(tmp_path: Path) -> Iterator[Callable[..., Runner]]:
    """Gives what makes a runner; the agent that gpg starts for it ends with the test."""
    yield partial(Runner, tmp_path)
    if shutil.which("gpgconf"):
        subprocess.run(["gpgconf", "--homedir", str(tmp_path), "--kill", "gpg-agent"], check=True)


@pytest.mark.parametrize(
    ("private", "passphrase", "code"), [(True, "", 0), (False, "", 1), (False, "x", 0), (True, "x", 0)]
)
def test_a_public_repository_keeps_the_lake_encrypted_or_not_at_all(runner_of, private, passphrase, code):
    runner = runner_of(private=private)
    done = runner.step("Refuse to publish the lake", runner.checkout(), passphrase)
    assert done.returncode == code, done.stderr
    assert ("::error::" in done.stdout) == bool(code)


def test_nothing_is_asked_of_anybody_before_that_is_known():
    names = [step.get("name", step.get("uses", step.get("run"))) for step in JOB["steps"]]
    assert (
        names.index("Refuse to publish the lake")
        < names.index("Fetch the lake of the last run")
        < names.index("Refresh")
    )


@pytest.mark.parametrize(
    "passphrase", ["", pytest.param("a passphrase, with $'marks", marks=[needs_gpg, pytest.mark.slow])]
)
def test_the_next_run_has_the_lake_that_was_kept(runner_of, passphrase):
    runner = runner_of(private=not passphrase)
    for content in (b"catalogue", b"a later catalogue"):
        kept = runner.step("Keep the lake", runner.checkout_with_lake(content), passphrase)
        assert kept.returncode == 0, kept.stderr
        second = runner.checkout()
        fetched = runner.step("Fetch the lake of the last run", second, passphrase)
        assert fetched.returncode == 0, fetched.stderr
        assert (second / "lake" / "catalog.sqlite").read_bytes() == content
        assert (second / "lake" / "data" / "papers.parquet").read_bytes() == b"counts by Semantic Scholar"


@pytest.mark.slow
@needs_gpg
def test_nothing_of_the_lake_can_be_read_without_the_passphrase(runner_of):
    runner = runner_of(private=False)
    assert runner.step("Keep the lake", runner.checkout_with_lake(b"catalogue"), "right").returncode == 0
    files = runner._run("git", "ls-tree", "-r", "--name-only", "lake", cwd=runner.remote).stdout.split()
    assert files == ["lake.tar.gpg"]
    second = runner.checkout()
    assert runner.step("Fetch the lake of the last run", second, "wrong").returncode != 0
    assert not (second / "lake").exists()
