"""Messages count in plain English: "1 mention in 1 list", never "1 mentions in 1 lists"."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from sources.text import counted
from tests.matrices import for_each

REPOSITORY = Path(__file__).resolve().parents[1]
NOUNS = (
    "mentions lists papers files rows lines fields snapshots candidates identifiers titles times hits faults batches "
    "entries authors errors verdicts records requests words counts observations replies lakes queries tables"
).split()
BEHIND_A_NUMBER = re.compile(rf" (?:other |more |resolved |citation )?(?:{'|'.join(NOUNS)})\b")
MODULES = sorted(path for folder in ("flows", "warehouse", "sources") for path in (REPOSITORY / folder).rglob("*.py"))
NO_NUMBERS = {"scheme", "item.scheme", "brackets", "MAX_REDIRECTS"}
SEVERAL = {
    "total",
    "len(accepted)",
    "most",
    "self._failures",
    "self.authors.named",
    "len(parsed)",
    "len(titles)",
    "_MOST_QUERIES",
}
"""Numbers that are above one wherever these messages are written."""


@for_each(
    ("number", "noun", "text"),
    [
        (0, "mention", "0 mentions"),
        (1, "mention", "1 mention"),
        (2, "citation count", "2 citation counts"),
        (1, "entry", "1 entry"),
        (3, "entry", "3 entries"),
        (2, "batch", "2 batches"),
        (2, "survey", "2 surveys"),
        (12_000, "row", "12000 rows"),
    ],
)
def test_a_number_and_its_noun_agree(number, noun, text):
    assert counted(number, noun) == text


def parts(tree: ast.AST):
    """Yields the value before each stretch of text in a formatted string, with the stretch."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            for value, text in zip(node.values, node.values[1:], strict=False):
                if isinstance(value, ast.FormattedValue) and isinstance(text, ast.Constant):
                    yield node.lineno, ast.unparse(value.value), str(text.value)


def test_no_message_puts_a_plural_behind_a_number_that_may_be_one():
    found = [
        f"{path.relative_to(REPOSITORY)}:{line}: {value}{text}"
        for path in MODULES
        for line, value, text in parts(ast.parse(path.read_text(encoding="utf-8")))
        if BEHIND_A_NUMBER.match(text) and value not in NO_NUMBERS | SEVERAL
    ]
    assert found == []
