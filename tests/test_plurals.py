"""Messages count in plain English: "1 mention in 1 list", never "1 mentions in 1 lists"."""

from __future__ import annotations

from sources.text import counted
from tests.matrices import for_each


@for_each(
    ("number", "noun", "text"),
    [
        (1, "mention", "1 mention"),
        (2, "citation count", "2 citation counts"),
        (3, "entry", "3 entries"),
        (2, "batch", "2 batches"),
        (12_000, "row", "12000 rows"),
    ],
)
def test_a_number_and_its_noun_agree(number, noun, text):
    assert counted(number, noun) == text
