"""The workflow that answers "/add 1706.03762" with a pull request: its script, run as a runner would run it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from standins.github.repository import ROOT

WORKFLOW = yaml.safe_load((ROOT / "examples" / "github-actions" / "add.yml").read_text(encoding="utf-8"))
JOB = WORKFLOW["jobs"]["add"]
LIST = "# Papers\n\n## Vision\n\n{}\n## Language\n\n{}"
VISION = "- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n- [Mask R-CNN](https://arxiv.org/abs/1703.06870)\n"
LANGUAGE = "- [Mixed Precision Training](https://arxiv.org/abs/1710.03740)\n"
ATTENTION = "- [Attention Is All You Need](https://arxiv.org/abs/1706.03762)\n"


@pytest.fixture
def answer(tmp_path: Path, standins) -> Callable[[str], tuple[subprocess.CompletedProcess[str], str, list[str]]]:
    """Gives what runs the script for a comment: the run, the list on the branch, and what gh was called with."""
    called = tmp_path / "called"
    programs = {"gh": f'echo "$*" >> {called}', "paperlake": f'exec {sys.executable} -m flows "$@"'}
    (tmp_path / "bin").mkdir()
    for name, script in programs.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (tmp_path / "bin" / name).chmod(0o755)
    who = {f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    own = {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "RUNNER_TEMP": str(tmp_path), "NUMBER": "7"}
    env = {**os.environ, **who, **standins.env(), **own, "LIST": "README.md", "PYTHONPATH": str(ROOT)}

    def git(*arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=tmp_path / "lists", env=env, capture_output=True, text=True, check=False
        )
        return done.stdout if done.returncode == 0 else ""

    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", tmp_path / "hub"], check=True)
    subprocess.run(["git", "clone", "-q", tmp_path / "hub", tmp_path / "lists"], check=True, stderr=subprocess.DEVNULL)
    (tmp_path / "lists" / "README.md").write_text(LIST.format(VISION, LANGUAGE), encoding="utf-8")
    git("switch", "-q", "-c", "main")
    git("add", ".")
    git("commit", "-q", "-m", "A list")
    git("push", "-q", "origin", "main")

    def run(comment: str) -> tuple[subprocess.CompletedProcess[str], str, list[str]]:
        (script,) = [step["run"] for step in JOB["steps"] if step.get("name") == "Add the papers"]
        command = ["bash", "-e", "-o", "pipefail", "-c", script]
        asked = {**env, "COMMENT": comment}
        done = subprocess.run(command, cwd=tmp_path / "lists", env=asked, capture_output=True, text=True, check=False)
        lines = called.read_text(encoding="utf-8").splitlines() if called.exists() else []
        return done, git("show", "origin/paperlake/add-7:README.md"), lines

    return run


@pytest.mark.slow
def test_a_comment_becomes_a_pull_request_with_the_paper_under_its_heading(answer):
    done, text, called = answer("/add 1706.03762\r\nunder Language\r\n")
    assert done.returncode == 0, done.stderr
    assert ATTENTION in text.split("## Language")[1]
    assert text.replace(ATTENTION, "") == LIST.format(VISION, LANGUAGE)
    assert called[-1] == "pr create --head paperlake/add-7 --title Add papers of issue 7 --body Closes #7"


@pytest.mark.slow
def test_words_of_a_comment_are_papers_and_never_commands_and_what_is_not_found_makes_no_pull_request(answer, tmp_path):
    done, text, called = answer(f'/add $(touch {tmp_path}/ran) `touch {tmp_path}/ran`\nunder "; touch {tmp_path}/ran\n')
    assert (text, called) == ("", [])
    assert not (tmp_path / "ran").exists()
    assert done.returncode == 1


def test_only_members_start_it_with_no_more_permissions_than_it_needs():
    assert WORKFLOW["permissions"] == {}
    assert JOB["permissions"] == {"contents": "write", "pull-requests": "write"}
    assert "author_association" in JOB["if"]
    assert not [step for step in JOB["steps"] if "${{" in step.get("run", "")]
