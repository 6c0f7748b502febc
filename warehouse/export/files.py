"""Puts what is handed on where it was asked for: whole or not at all, and over nobody else's files."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sources.errors import UsageError
from warehouse.query.user_files import put_user_file, user_file, user_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warehouse.lake.session import LakePlace

NOTICE = "NOTICE.txt"
_OURS = "Exported by paperlake."
_TERMS = (
    "Citation counts and other facts from Semantic Scholar (https://www.semanticscholar.org) are under its API licence "
    "(https://www.semanticscholar.org/product/api/license): name Semantic Scholar and link to it where you show them, "
    "and do not pass them on. What arXiv (https://arxiv.org) told is CC0."
)
_SHORT = "Facts from Semantic Scholar are under its licence: https://www.semanticscholar.org/product/api/license"
_ARXIV = "What arXiv (https://arxiv.org) told is CC0."


def terms(*, semantic_scholar: bool) -> str:
    """Returns on what terms the data may be used, in a sentence or two."""
    return _TERMS if semantic_scholar else _ARXIV


def short_terms(*, semantic_scholar: bool) -> str:
    """Returns where the terms stand on which the data may be used, in a sentence; empty where all may be done."""
    return _SHORT if semantic_scholar else ""


@contextmanager
def whole_folder(folder: Path, *, force: bool, notice: str, place: LakePlace) -> Iterator[Path]:
    """Gives a new folder to fill, whose files then become those of `folder`, with a notice beside them.

    Raises:
        UsageError: `folder` holds something that was not exported, and `force` is not set; or it cannot be written, or
            is inside the lake.
    """
    if not force and folder.is_dir() and any(folder.iterdir()) and not _is_ours(folder):
        raise UsageError(f"{folder} holds other files: name a new folder, or say --force to put the export among them")
    before = folder.exists()
    target = user_folder(folder, place=place)
    try:
        filled = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
        try:
            yield filled
            (filled / NOTICE).write_text(f"{_OURS}\n\n{notice}\n", encoding="utf-8")
            made = sorted(filled.iterdir())
            for file in made:
                user_file(folder / file.name, place=place)  # all are refused before the first is changed
            for file in made:
                put_user_file(file, folder / file.name, place=place)
        finally:
            shutil.rmtree(filled, ignore_errors=True)
            if not before and not any(target.iterdir()):
                target.rmdir()
    except OSError as error:
        raise UsageError(f"cannot write {folder}: {error.strerror or error}") from error


def _is_ours(folder: Path) -> bool:
    notice = folder / NOTICE
    return notice.is_file() and notice.read_text(encoding="utf-8", errors="replace").startswith(_OURS)
