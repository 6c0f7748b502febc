"""docs/screens.md is what the commands print today, and no line of it is wider than the screen it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from benchmarks.running.screens import COMMANDS, WIDTHS, page

pytestmark = pytest.mark.slow

PAGE = Path(__file__).resolve().parents[2] / "docs" / "screens.md"


def without_reasons(text: str) -> list[str]:
    """Returns the lines of the page without the parser's reasons, whose weights are learnt anew from time to time."""
    lines = re.sub(r"confidence \d\.\d\d", "confidence", text).splitlines()
    return [line for line in lines if not re.match(r" {7}(for|against|also) {2,}| {16}", line)]


def test_the_screens_in_the_docs_are_what_the_commands_print():
    assert without_reasons(PAGE.read_text(encoding="utf-8")) == without_reasons(page()), (
        "run `python -m benchmarks.running.screens > docs/screens.md`"
    )


def test_no_line_is_wider_than_its_screen():
    screens = re.findall(r"at (\d+) columns\n\n```text\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(screens) == (len(COMMANDS) + 1) * len(WIDTHS)
    assert [line for width, text in screens for line in text.splitlines() if cell_len(line) > int(width)] == []
