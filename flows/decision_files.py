"""Where decisions are kept: `paperlake-decisions.jsonl` beside a local list, else in the lake's folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from flows.decision_lines import format_decision, parse_decision
from sources.durable_files import write_whole
from sources.errors import UsageError
from sources.local_files import read_list_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flows.decisions import Decision

FILE_NAME = "paperlake-decisions.jsonl"
_LOCK_WAIT_S = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawer:
    """Where the decisions on one list are kept.

    Attributes:
        path: The file; need not be there.
        list_name: What the list is called in it.
    """

    path: Path
    list_name: str


def drawer_of(location: str, lake_folder: Path) -> Drawer:
    """Returns where the decisions on the list at `location` are kept."""
    file = Path(location)
    if file.is_absolute():
        return Drawer(path=file.parent / FILE_NAME, list_name=file.name)
    return Drawer(path=lake_folder / FILE_NAME, list_name=location)


class DecisionFiles:
    """Reads decisions files, each once.

    Args:
        lake_folder: The lake's folder.
    """

    def __init__(self, lake_folder: Path) -> None:
        self._lake_folder = lake_folder
        self.read: dict[Path, tuple[Decision, ...]] = {}

    def of(self, location: str) -> tuple[Decision, ...]:
        """Returns the decisions on the list at `location`.

        Raises:
            UsageError: The file cannot be read, or a line of it is no decision.
        """
        drawer = drawer_of(location, self._lake_folder)
        if drawer.path not in self.read:
            self.read[drawer.path] = read_decisions(drawer.path)
        return tuple(one for one in self.read[drawer.path] if one.list == drawer.list_name)


def read_decisions(path: Path) -> tuple[Decision, ...]:
    """Returns the decisions in the file at `path`, none where there is no file; blank lines are passed over.

    Raises:
        UsageError: The file cannot be read, a line is no decision, or two are about the same mention and differ.
    """
    found: dict[tuple[object, ...], Decision] = {}
    for number, line in enumerate(_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        decision = parse_decision(line.strip(), where=f"{path}:{number}")
        before = found.setdefault(decision.target, decision)
        if before.ruling != decision.ruling:
            raise UsageError(f"{decision.where} and {before.where} differ about the same mention: delete one of them")
    return tuple(found.values())


def change_decisions(
    path: Path, edit: Callable[[Sequence[Decision]], Sequence[Decision]], *, lock_folder: Path
) -> None:
    """Replaces the decisions in the file at `path` by what `edit` makes of them, in order, at once or not at all.

    Lines that stay are kept as they are written, with the file's own line ends. A file left without any is removed.

    Raises:
        UsageError: The file cannot be read or written; it is as it was.
    """
    try:
        lock_folder.mkdir(parents=True, exist_ok=True)
        with FileLock(lock_folder / "decisions.lock", timeout=_LOCK_WAIT_S):
            _replace(path.resolve(), edit)
    except (OSError, TimeoutError) as error:
        raise UsageError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from error


def _replace(path: Path, edit: Callable[[Sequence[Decision]], Sequence[Decision]]) -> None:
    end = "\r\n" if "\r\n" in _text(path) else "\n"
    decisions = sorted(edit(read_decisions(path)), key=_order)
    if not decisions:
        path.unlink(missing_ok=True)
        return
    write_whole(path, "".join(format_decision(one) + end for one in decisions).encode())


def _order(decision: Decision) -> tuple[str, str, str, str, int]:
    section = " / ".join(decision.section or ())
    return decision.list, decision.mention.casefold(), section, decision.url or "", decision.nth or 0


def _text(path: Path) -> str:
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from None
    try:
        return read_list_file(path, shown=str(path)).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text: byte {error.start} cannot be read") from None
