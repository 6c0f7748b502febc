"""Puts what is handed on where it was asked for: whole or not at all, and over nobody else's files."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sources.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

NOTICE = "NOTICE.txt"
_OURS = "Exported by paperlake."
_TERMS = (
    "Citation counts and other facts from Semantic Scholar (https://www.semanticscholar.org) are under its API licence "
    "(https://www.semanticscholar.org/product/api/license): name Semantic Scholar and link to it where you show them, "
    "and do not pass them on. What arXiv (https://arxiv.org) told is CC0."
)
_ARXIV = "What arXiv (https://arxiv.org) told is CC0."


def terms(*, semantic_scholar: bool) -> str:
    """Returns on what terms the data may be used, in a sentence or two."""
    return _TERMS if semantic_scholar else _ARXIV


@contextmanager
def whole_folder(folder: Path, *, force: bool, notice: str) -> Iterator[Path]:
    """Gives a new folder to fill, whose files then become those of `folder`, with a notice beside them.

    Raises:
        UsageError: `folder` holds something that was not exported, and `force` is not set; or it cannot be written.
    """
    if not force and folder.is_dir() and any(folder.iterdir()) and not _is_ours(folder):
        raise UsageError(f"{folder} holds other files: name a new folder, or say --force to put the export among them")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        filled = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        try:
            yield filled
            (filled / NOTICE).write_text(f"{_OURS}\n\n{notice}\n", encoding="utf-8")
            folder.mkdir(exist_ok=True)
            for file in sorted(filled.iterdir()):
                file.replace(folder / file.name)
        finally:
            shutil.rmtree(filled, ignore_errors=True)
    except OSError as error:
        raise _refused(folder, error) from error


def write_whole(path: Path, text: str) -> None:
    """Makes `text` all that the file at `path` holds.

    Raises:
        UsageError: The file cannot be written; the one that was there is as it was.
    """
    try:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="", dir=path.parent, delete=False) as file:
            partial = Path(file.name)
            try:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
                partial.chmod(0o666 & ~_umask())
                partial.replace(path)
            except BaseException:
                partial.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise _refused(path, error) from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _is_ours(folder: Path) -> bool:
    notice = folder / NOTICE
    return notice.is_file() and notice.read_text(encoding="utf-8", errors="replace").startswith(_OURS)


def _refused(path: Path, error: OSError) -> UsageError:
    return UsageError(f"cannot write {path}: {error.strerror or error}")
