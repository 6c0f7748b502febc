import json
import sys
import unicodedata

import pytest

from sources.text import counted, json_text, shown
from tests.matrices import for_each

SEEN_FORMATS = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u0890\u0891\u08e2\U000110bd\U000110cd"
"""Marks of category Cf that have a shape: numbers stand in them."""


def test_no_control_and_no_unseen_character_is_left():
    for number in range(sys.maxunicode + 1):
        character = chr(number)
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") and character not in SEEN_FORMATS:
            left = shown(f"a{character}b")
            assert character not in left, hex(number)
            assert left.isprintable(), hex(number)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("\x1b]52;c;cm0gLXJm\x07", r"\x1b]52;c;cm0gLXJm\x07", id="clipboard"),
        pytest.param("one\rtwo\nthree\tfour", "one two three four", id="blanks"),
        pytest.param("zero\u200bwidth\U000e0041", r"zero\u200bwidth\U000e0041", id="unseen"),
    ],
)
def test_what_would_steer_a_terminal_is_written_as_its_code(text, told):
    assert shown(text) == told


def test_a_message_keeps_its_lines():
    assert shown("LINE 1: x\n   ^\x1b[2J\r", lines=True) == "LINE 1: x\n   ^\\x1b[2J "


def test_json_escapes_them_and_gives_them_back():
    value = {"a\u202e": ["\x1b]52;\x9b\x7f\u2028é\U000e0041", 1.5, None]}
    text = json_text(value)
    assert json.loads(text) == value
    assert text.isprintable()
    assert "é" in text
    with pytest.raises(ValueError, match="JSON"):
        json_text(float("nan"))


@for_each(("number", "noun", "text"), [(1, "list", "1 list"), (3, "entry", "3 entries"), (1_200, "row", "1200 rows")])
def test_a_number_and_its_noun_agree(number, noun, text):
    assert counted(number, noun) == text
