"""Hostile lists take time in proportion to their length."""

import time

from sources.lists.checks.checks import check_list, suppression_of
from sources.lists.checks.list_text import ListText
from tests.matrices import for_each
from tests.sources.list_checks.lists import check, entries

HEAD = "- [Attention Is All You Need](https://arxiv.org/abs/1706.03762) "
HOSTILE = {
    "images in a bracket": "[" + "![a](b)" * 3_000,
    "brackets": "[" * 20_000,
    "broken links": "[a](http://b.example " * 50,
    "backquotes": "".join("`" * length + " " for length in range(1, 150)),
    "an open comment": "<!-- paperlake: ignore" + " " * 20_000,
    "comments": "<!--" * 8_000,
    "headings": "[a](#b)\n" + "# b\n" * 2_000,
    "marks of items": "\n- a" + " - [b](http://c.example" * 300,
}


def seconds(text: str) -> float:
    list_text = ListText(text)
    found = entries(HEAD)
    began = time.process_time()
    check_list(list_text, found, suppression=suppression_of(list_text))
    return time.process_time() - began


@for_each("kind", HOSTILE)
def test_markup_is_read_in_linear_time(kind: str):
    once, twice = (min(seconds(HEAD + HOSTILE[kind] * times) for _ in range(2)) for times in (1, 2))
    assert twice < 4 * once + 0.2


def test_hundreds_of_entries_of_one_title_are_there_on_purpose():
    entries = (f"- [Mixed Precision Training of Networks](https://example.org/{n}.pdf)\n" for n in range(300))
    lines = [item.line for item in check(f"{HEAD}\n{''.join(entries)}") if item.code == "duplicate"]
    assert lines == []
