"""Reads from the git repository that a list is a file of; nothing is fetched, written or run there."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sources.errors import UsageError
from sources.processes import run_git
from sources.text import shown

if TYPE_CHECKING:
    from pathlib import Path

_FIRST_LINE = 200  # characters of git's own message that are shown
_NOTHING = frozenset("0")  # the digits of the object name after a deletion
# One line of `git log --raw` about a file: the object before and after, then what happened to it.
_RAW = re.compile(r":\d+ \d+ [0-9a-f]+ (?P<blob>[0-9a-f]+) [A-Z]\d*\t")


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """A file as a commit left it."""

    commit: str  # the commit's full name
    at: datetime  # when it was committed, UTC; never before the revision before it
    blob: str | None  # the name of the file's content; None where the commit deletes the file


def repository_of(file: Path, *, asked_by: str) -> Path:
    """Returns the top folder of the repository that has `file`, an absolute path.

    Raises:
        UsageError: It is in none; `asked_by`, a command or an option, begins the message.
    """
    top = next((folder for folder in file.parents if (folder / ".git").exists()), None)
    if top is None:
        raise UsageError(f"{asked_by}: {shown(str(file))} is in no git repository")
    return top


def ask_git(folder: Path, *arguments: str, asked_by: str, fault: str | None = None, may_differ: bool = False) -> bytes:
    """Returns what git prints about the repository at the top of `folder`.

    Raises:
        UsageError: git is not there, or it failed; `fault` says why, else its own message.
    """
    try:
        done = run_git(folder, *arguments, reads=True)
    except FileNotFoundError as error:
        raise UsageError(f"{asked_by} needs git, which is not installed here") from error
    except subprocess.TimeoutExpired as error:
        raise UsageError(f"{asked_by}: git did not answer within a minute") from error
    if done.returncode and not (may_differ and done.returncode == 1):
        said = " ".join(done.stderr.decode("utf-8", "replace").split())[:_FIRST_LINE]
        raise UsageError(f"{asked_by}: {fault or said}")
    return done.stdout


def revisions_of(file: Path, top: Path, *, asked_by: str) -> list[Revision]:
    """Returns the revisions of `file` on its branch, oldest first, also those under a former name.

    Only first parents are followed: a file that came by a merge is as old as the merge. Clocks of committers differ,
    so a revision is never older than the one before it.

    Raises:
        UsageError: As `ask_git` does, or the clone is a shallow one.
    """
    if ask_git(top, "rev-parse", "--is-shallow-repository", asked_by=asked_by).strip() == b"true":
        raise UsageError(f"{asked_by}: {top} holds only a part of the history; git fetch --unshallow brings all of it")
    entries: list[tuple[str, int, str | None]] = []
    name: str | None = file.relative_to(top).as_posix()
    tip = "HEAD"
    while name is not None:
        found = _log(top, tip, name, asked_by=asked_by)
        entries += found
        if not found:
            break
        oldest = found[-1][0]
        form = (*_FIRST_PARENTS, "-M", "--diff-filter=R", "--name-status", "-z", "--format=")
        name = renames_in(ask_git(top, "log", "-1", *form, oldest, asked_by=asked_by)).get(name)
        tip = f"{oldest}^"
    revisions: list[Revision] = []
    last = datetime.fromtimestamp(0, UTC)
    for commit, seconds, blob in reversed(entries):
        last = max(last, datetime.fromtimestamp(seconds, UTC))
        revisions.append(Revision(commit=commit, at=last, blob=blob))
    return revisions


_FIRST_PARENTS = ("--first-parent", "--diff-merges=first-parent", "--no-abbrev", "--no-color")


def _log(top: Path, tip: str, path: str, *, asked_by: str) -> list[tuple[str, int, str | None]]:
    """Returns the commit, its time in seconds and the content of each revision of `path` up to `tip`, newest first."""
    form = (*_FIRST_PARENTS, "--no-renames", "--raw", "--format=%x00%H %ct")
    log = ask_git(top, "--literal-pathspecs", "log", *form, tip, "--", path, asked_by=asked_by)
    found = []
    for entry in log.decode("utf-8", "replace").split("\0")[1:]:
        head, _, changes = entry.partition("\n")
        raw = _RAW.search(changes)
        if raw is not None:
            commit, seconds = head.split()
            found.append((commit, int(seconds), None if _NOTHING.issuperset(raw["blob"]) else raw["blob"]))
    return found


def renames_in(printed: bytes) -> dict[str, str]:
    """Returns new name -> old name from what git prints of renames alone, with `--name-status -z`."""
    fields = os.fsdecode(printed).split("\0")
    return {new: old for _, old, new in zip(fields[::3], fields[1::3], fields[2::3], strict=False)}
