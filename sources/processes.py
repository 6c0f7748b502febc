"""What a process does about itself: no code of a working folder is run, no garbage is collected amid large work."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# The folder that has our packages: a checkout, or where Python's packages are installed.
_OWN_CODE = Path(__file__).resolve().parents[1]
# What `git rev-parse --local-env-vars` names, but for settings, and the program for diffs.
_OF_ONE_REPOSITORY = frozenset(
    "GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_COMMON_DIR GIT_CONFIG GIT_DIR GIT_EXTERNAL_DIFF GIT_GRAFT_FILE"
    " GIT_IMPLICIT_WORK_TREE GIT_INDEX_FILE GIT_INTERNAL_SUPER_PREFIX GIT_NAMESPACE GIT_OBJECT_DIRECTORY GIT_PREFIX"
    " GIT_REPLACE_REF_BASE GIT_SHALLOW_FILE GIT_WORK_TREE".split()
)
_GIT_SETTINGS = {
    "safe.bareRepository": "explicit",  # any commit can hold a bare repository, with settings of its own
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "diff.ignoreSubmodules": "all",  # git starts another git in each, which reads its settings
    "log.showSignature": "false",
}
_GIT_LONGEST_S = 60


def keep_working_folder_out() -> None:
    """Has every Python process that this one starts find no module in the working folder, which may be a stranger's.

    Programs of other libraries are started with the same environment: Prefect's, and those of `multiprocessing`.
    """
    os.environ["PYTHONSAFEPATH"] = "1"
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if Path(path).is_absolute()]
    if Path.cwd() == _OWN_CODE:  # a checkout that is not installed
        paths.append(str(_OWN_CODE))
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))


def python(*arguments: str) -> list[str]:
    """Returns the command that starts our own interpreter, and has no module of the working folder found."""
    keep_working_folder_out()
    return [sys.executable, "-P", *arguments]


def run_git(folder: Path, *arguments: str, reads: bool = False) -> subprocess.CompletedProcess[bytes]:
    """Returns what git came to for the repository at the top of `folder`, with no hook, monitor or pager run.

    Filters of work-tree files are run where a subcommand reads these: which subcommand does is its caller's choice.
    Where it only `reads`, nothing is fetched, by whatever program, and nothing written.

    Raises:
        FileNotFoundError: git is not installed.
        subprocess.TimeoutExpired: It only reads, and took longer than a minute.
    """
    environment = {name: value for name, value in os.environ.items() if name not in _OF_ONE_REPOSITORY}
    if reads:
        environment |= {"GIT_ALLOW_PROTOCOL": "", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0"}
        environment["GIT_CEILING_DIRECTORIES"] = str(folder.parent)
    settings = [part for name, value in _GIT_SETTINGS.items() for part in ("-c", f"{name}={value}")]
    return subprocess.run(  # noqa: S603 - fixed program; its callers see that nothing strangers name is an option
        ["git", "--no-pager", *settings, "-C", str(folder), *arguments],  # noqa: S607 - git is where the user has it
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        env=environment,
        timeout=_GIT_LONGEST_S if reads else None,
    )


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Pauses the collector, for work that creates many objects and hardly any cycles.

    It applies to the whole process. Where the collector was off before, it stays off; threads may overlap.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
