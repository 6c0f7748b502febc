"""The lines of lists that a change touches, as git tells them. Nothing is written."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from sources.errors import UsageError

_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_TIMEOUT_S = 60
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
    top = Path(_git(path.parent, "rev-parse", "--show-toplevel", fault=f"{location} is in no git repository").strip())
    commit = _git(
        top, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}", fault=f"git knows no {ref!r} here; fetch it"
    ).strip()
    unrelated = f"{ref!r} and this branch have no commit in common; fetch more of the history"
    base = _git(top, "merge-base", commit, "HEAD", fault=unrelated).strip()
    inside = path.resolve().relative_to(top.resolve()).as_posix()
    former = _former_path(top, base, inside)
    if former is None:
        return None
    diff = _git(
        top, "diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv", "-M", base, "--", former, inside
    )
    return frozenset(line for match in _HUNK.finditer(diff) for line in _lines_of(match))


def _lines_of(match: re.Match[str]) -> range:
    first, number = int(match[1]), int(match[2]) if match[2] is not None else 1
    return range(first, first + number)


def _former_path(top: Path, base: str, path: str) -> str | None:
    """Returns the path that a file had in the commit `base`; None where it did not exist."""
    if _exists(top, base, path):
        return path
    fields = _git(top, "diff", "--name-status", "-z", "-M", "--diff-filter=R", base).split("\0")
    renamed = {new: old for _, old, new in zip(fields[::3], fields[1::3], fields[2::3], strict=False)}
    return renamed.get(path)


def _exists(top: Path, base: str, path: str) -> bool:
    return bool(_git(top, "ls-tree", "-z", "--name-only", base, "--", f":(top,literal){path}"))


def _git(folder: Path, *arguments: str, fault: str | None = None) -> str:
    """Returns what git prints.

    Raises:
        UsageError: git is not there, or it failed; `fault` says why, else its own message.
    """
    try:
        done = subprocess.run(  # noqa: S603 - fixed program; what the user names cannot be an option
            ["git", "-C", str(folder), *arguments],  # noqa: S607 - git is where the user has it
            capture_output=True,
            check=False,
            timeout=_TIMEOUT_S,
        )
    except FileNotFoundError as error:
        raise UsageError("--changed needs git, which is not installed here") from error
    except subprocess.TimeoutExpired as error:
        raise UsageError("--changed: git did not answer within a minute") from error
    if done.returncode:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())[:_FIRST_LINE]
        raise UsageError(f"--changed: {fault or said}")
    return done.stdout.decode("utf-8", "surrogateescape")
