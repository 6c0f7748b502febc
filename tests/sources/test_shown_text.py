import json
import sys
import unicodedata

import pytest

from sources.text import json_text, shown

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
        pytest.param("\x1b[2J\x9b2J", r"\x1b[2J\x9b2J", id="clear-screen"),
        pytest.param("a\u202eb\u2066c", r"a\u202eb\u2066c", id="right-to-left"),
        pytest.param("one\rtwo\nthree\tfour", "one two three four", id="blanks"),
        pytest.param("zero\u200bwidth\U000e0041", r"zero\u200bwidth\U000e0041", id="unseen"),
        pytest.param("Žižek 論文 مقالة é", "Žižek 論文 مقالة é", id="letters"),
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
