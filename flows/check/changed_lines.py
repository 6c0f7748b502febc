"""The lines of lists that a change touches, as git tells them. Nothing is written."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from sources.errors import UsageError
from sources.processes import run_git

_HUNK = re.compile(rb"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_FIRST_LINE = 200


def changed_lines(location: str, ref: str) -> frozenset[int] | None:
    """Returns the lines of a list that differ from where its branch left `ref`, committed or not.

    A list that was renamed since is compared with its former self. None stands for all lines: the list is new.

    Args:
        location: The list's path.
        ref: A branch, tag or commit.

    Raises:
        UsageError: The list is no file of a git repository, git is not installed, or it does not know `ref`.
    """
    path = Path(location)
    if location == "-" or "://" in location or location.startswith("github:") or not path.is_file():
        raise UsageError(f"--changed needs lists that are files of a git repository; {location} is none")
    if ref.startswith("-") or not ref:
        raise UsageError(f"--changed: that is no branch, tag or commit: {ref!r}")
    file = path.resolve()
    top = next((folder for folder in file.parents if (folder / ".git").exists()), None)
    if top is None:
        raise UsageError(f"--changed: {location} is in no git repository")
    no_commit = f"git knows no {ref!r} here; fetch it"
    commit = _git(top, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}", fault=no_commit).decode().strip()
    unrelated = f"{ref!r} and this branch have no commit in common; fetch more of the history"
    base = _git(top, "merge-base", commit, "HEAD", fault=unrelated).decode().strip()
    former = _former_path(top, base, file.relative_to(top).as_posix())
    return None if former is None else _differing_lines(_git(top, "cat-file", "blob", f"{base}:{former}"), file)


def _differing_lines(former: bytes, file: Path) -> frozenset[int]:
    """Returns the lines of a file that differ from a former content, in more than their ends.

    Both are compared outside of the repository, whose settings and attributes could name programs to read them with.
    """
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        (folder / "former").write_bytes(former)
        shutil.copyfile(file, folder / "list")
        options = ("--no-index", "--text", "--ignore-cr-at-eol", "--unified=0", "--no-color", "--no-ext-diff")
        diff = _git(folder, "diff", *options, "--", "former", "list", may_differ=True)
    return frozenset(line for match in _HUNK.finditer(diff) for line in _lines_of(match))


def _lines_of(match: re.Match[bytes]) -> range:
    first, number = int(match[1]), int(match[2]) if match[2] is not None else 1
    return range(first, first + number)


def _former_path(top: Path, base: str, path: str) -> str | None:
    """Returns the path that a file had in the commit `base`; None where it did not exist."""
    if _git(top, "ls-tree", "-z", "--name-only", base, "--", f":(top,literal){path}"):
        return path
    renames = ("--cached", "--name-status", "-z", "-M", "--diff-filter=R", "--ignore-submodules=all", base)
    fields = os.fsdecode(_git(top, "diff-index", *renames)).split("\0")
    renamed = {new: old for _, old, new in zip(fields[::3], fields[1::3], fields[2::3], strict=False)}
    return renamed.get(path)


def _git(folder: Path, *arguments: str, fault: str | None = None, may_differ: bool = False) -> bytes:
    """Returns what git prints.

    Raises:
        UsageError: git is not there, or it failed; `fault` says why, else its own message.
    """
    try:
        done = run_git(folder, *arguments, reads=True)
    except FileNotFoundError as error:
        raise UsageError("--changed needs git, which is not installed here") from error
    except subprocess.TimeoutExpired as error:
        raise UsageError("--changed: git did not answer within a minute") from error
    if done.returncode and not (may_differ and done.returncode == 1):
        said = " ".join(done.stderr.decode("utf-8", "replace").split())[:_FIRST_LINE]
        raise UsageError(f"--changed: {fault or said}")
    return done.stdout
