"""The second look at lines of a dump that are not sound as they stand: each is read strictly, mended or refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sources.dumps import shown_beginning
from sources.errors import PayloadError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from warehouse.mirrors.blocks import Block
    from warehouse.mirrors.shapes import Shape


@dataclass(slots=True)
class Aside:
    """What a second look found.

    Attributes:
        blank: Blank lines.
        refused: Lines that are no papers.
        left_out: Fields of papers that were left out, as they cannot be true.
        notes: What is to be kept of the last two: line, why, row, and the field.
        mended: Number of a line -> the sound row made of it, as JSON.
    """

    blank: int = 0
    refused: int = 0
    left_out: int = 0
    notes: list[dict[str, Any]] = field(default_factory=list)
    mended: dict[int, str] = field(default_factory=dict)


def read_strictly(shape: Shape, block: Block, lines: pa.Array, numbers: Iterable[int]) -> Aside:
    """Returns what is in some lines of a block.

    Args:
        shape: The kind of dump.
        block: Where the lines are from.
        lines: All lines of the block.
        numbers: Which of them to read, counted from 1.

    Raises:
        UsageError: The last line of the file is cut off.
    """
    aside = Aside()
    for number in numbers:
        line = lines[number - 1].as_py()
        try:
            _read(shape, number, line, aside)
        except PayloadError as error:
            if block.ends_open and number == len(lines) and error.field == "line" and _is_begun(line):
                raise UsageError(f"{block.file} is cut off: its last line has no end; get the file anew") from error
            aside.refused += 1
            aside.notes.append({"line": number, "why": error.message, "row": shown_beginning(line)})
    return aside


def _read(shape: Shape, number: int, line: bytes, aside: Aside) -> None:
    if not line.strip():
        aside.blank += 1
        return
    mended = shape.mend(line)
    aside.mended[number] = mended.text
    for name, why in mended.left_out.items():
        aside.left_out += 1
        aside.notes.append({"line": number, "field": name, "why": why, "row": shown_beginning(line)})


def _is_begun(line: bytes) -> bool:
    """Returns whether a line begins as an object does."""
    return line.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")
