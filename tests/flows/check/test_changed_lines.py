"""The lines that git tells of: which they are, and that no repository gets a command of its own run."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from flows.check.report import changed_lines
from sources.errors import UsageError

LINES = [f"- [Learning to Find {word} in Pictures](https://example.org/{word}.pdf)\n" for word in "ABCDEFGHIJ"]


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with a committed list of ten lines, which was given an eleventh."""
    top = tmp_path / "checkout"
    (top / "lists").mkdir(parents=True)
    git(top, "init", "-q", "-b", "main")
    (top / "lists" / "list.md").write_text("".join(LINES), encoding="utf-8")
    git(top, "add", ".")
    git(top, "commit", "-q", "-m", "a")
    (top / "lists" / "list.md").write_text("".join([*LINES[:4], "- more\n", *LINES[4:]]), encoding="utf-8")
    return top


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that leaves a mark where it is run, and prints what it is given."""
    program = tmp_path / "trap.sh"
    program.write_text(f"#!/bin/sh\necho $0 $* >> {tmp_path}/ran\nexec cat\n", encoding="utf-8")
    program.chmod(0o755)
    return program


def bare_repository(top: Path, trap: Path) -> None:
    """Makes the list's folder a repository too, as any commit can hold one."""
    lists = top / "lists"
    (lists / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    shutil.copytree(top / ".git" / "objects", lists / "objects")
    shutil.copytree(top / ".git" / "refs", lists / "refs")
    shutil.copy(top / ".git" / "index", lists / "index")
    setting = f'[core]\nrepositoryformatversion = 0\nbare = false\nworktree = .\nfsmonitor = "{trap}"\n'
    (lists / "config").write_text(setting, encoding="utf-8")


def setting(name: str) -> Callable[[Path, Path], None]:
    """Returns a function that has git's own settings name a program."""
    return lambda top, trap: git(top, "config", name, str(trap)) and None


def attribute(attributes: str, name: str) -> Callable[[Path, Path], None]:
    """Returns a function that has git's settings name a program that an attribute of lists calls for."""

    def set_both(top: Path, trap: Path) -> None:
        (top / ".gitattributes").write_text(f"*.md {attributes}\n", encoding="utf-8")
        git(top, "config", name, str(trap))

    return set_both


def hooks(top: Path, trap: Path) -> None:
    for name in ("post-index-change", "reference-transaction", "fsmonitor-watchman"):
        shutil.copy(trap, top / ".git" / "hooks" / name)


def pointer(top: Path, trap: Path) -> None:
    """Has `.git` be a file that names a folder elsewhere."""
    setting("core.fsmonitor")(top, trap)
    shutil.move(top / ".git", top.parent / "elsewhere")
    (top / ".git").write_text("gitdir: ../elsewhere\n", encoding="utf-8")


def submodule(top: Path, trap: Path) -> None:
    other = top / "lists" / "other"
    git(top, "init", "-q", str(other))
    git(other, "commit", "-q", "--allow-empty", "-m", "a")
    git(top, "-c", "advice.addEmbeddedRepo=false", "add", "lists/other")
    git(other, "config", "core.fsmonitor", str(trap))
    git(other, "commit", "-q", "--allow-empty", "-m", "b")


def environment(name: str) -> Callable[[Path, Path], None]:
    def set_variable(_: Path, trap: Path) -> None:
        os.environ[name] = str(trap)

    return set_variable


ATTACKS = {
    "a bare repository in the list's folder": bare_repository,
    "fsmonitor": setting("core.fsmonitor"),
    "fsmonitor behind a .git that is a file": pointer,
    "fsmonitor of a submodule": submodule,
    "hooks": hooks,
    "pager": setting("core.pager"),
    "an external diff": setting("diff.external"),
    "an external diff of the environment": environment("GIT_EXTERNAL_DIFF"),
    "an external diff of lists": attribute("diff=x", "diff.x.command"),
    "a text of lists": attribute("diff=x", "diff.x.textconv"),
    "a filter": attribute("filter=x", "filter.x.clean"),
    "a filter that goes on": attribute("filter=x", "filter.x.process"),
    "a filter whose name has an equals sign": attribute("filter=a=b", "filter.a=b.clean"),
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_no_repository_gets_a_command_of_its_own_run(attack, checkout: Path, trap: Path, monkeypatch):
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "")
    monkeypatch.delenv("GIT_EXTERNAL_DIFF")  # so that it is undone
    attack(checkout, trap)
    (trap.parent / "ran").unlink(missing_ok=True)
    assert changed_lines(str(checkout / "lists" / "list.md"), "main") == {5}
    assert not (trap.parent / "ran").exists()


def test_a_missing_object_is_not_fetched_by_a_command_of_the_repository(checkout: Path, trap: Path):
    for name, value in {
        "core.repositoryFormatVersion": "1", "extensions.partialClone": "x", "remote.x.promisor": "true",
        "remote.x.url": str(checkout), "remote.x.uploadpack": str(trap), "protocol.file.allow": "always",
    }.items():  # fmt: skip
        git(checkout, "config", name, value)
    blob = git(checkout, "rev-parse", "HEAD:lists/list.md").strip()
    (checkout / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(UsageError, match="--changed"):
        changed_lines(str(checkout / "lists" / "list.md"), "main")
    assert not (trap.parent / "ran").exists()


def test_the_environment_names_no_other_repository(checkout: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"):
        monkeypatch.setenv(name, str(checkout / "nowhere"))
    assert changed_lines(str(checkout / "lists" / "list.md"), "main") == {5}


def test_names_line_ends_and_other_bytes_of_lists_are_no_matter(checkout: Path):
    names = ["lists/-n.md", "--output=x.md", ":(glob)*.md", "lists/a\nb.md", 'lists/q"u.md', "é ü.md"]
    for name in names:
        (checkout / name).write_text("".join(LINES), encoding="utf-8")
    git(checkout, "add", ".")
    git(checkout, "commit", "-q", "-m", "b")
    for name in names:
        file = checkout / name
        file.write_text("".join([*LINES[:2], "- m\0re\n", *LINES[3:], "- last"]), encoding="utf-8", newline="\r\n")
        assert changed_lines(str(file), "main") == {3, 11}


def test_a_link_to_a_list_outside_of_the_repository_is_wrong_usage(checkout: Path, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    (tmp_path / "outside.md").write_text("".join(LINES), encoding="utf-8")
    (checkout / "link.md").symlink_to(tmp_path / "outside.md")
    with pytest.raises(UsageError, match="in no git repository"):
        changed_lines(str(checkout / "link.md"), "main")
