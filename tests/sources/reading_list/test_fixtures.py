"""Our own lists, in many styles and languages: every field that a fixture states, and nothing else is a mention."""

import json
from pathlib import Path

import pytest

from sources.reading_list import parse_reading_list

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures/reading_lists"
NAMES = sorted(path.stem for path in FIXTURES.glob("*.jsonl"))


def expected(name):
    return [json.loads(line) for line in (FIXTURES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def found(name, text=None):
    text = text if text is not None else (FIXTURES / f"{name}.md").read_text(encoding="utf-8")
    return parse_reading_list(text).mentions


def stated(mention, fields):
    values = {field: getattr(mention, field) for field in fields}
    return {field: list(value) if isinstance(value, tuple) else value for field, value in values.items()}


@pytest.mark.parametrize("name", NAMES)
def test_list_gives_exactly_its_mentions(name):
    rows, mentions = expected(name), found(name)
    assert [mention.title for mention in mentions] == [row["title"] for row in rows]


@pytest.mark.parametrize("name", NAMES)
def test_every_stated_field_is_read(name):
    rows = expected(name)
    assert [stated(m, row) for m, row in zip(found(name), rows, strict=True)] == rows


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda text: text.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(lambda text: "\ufeff" + text, id="BOM"),
        pytest.param(lambda text: text.replace("\n", " \n"), id="trailing blank"),
        pytest.param(lambda text: text + "\n\n\n", id="empty lines at the end"),
    ],
)
def test_the_same_list_in_another_dress_gives_the_same_mentions(name, change):
    text = (FIXTURES / f"{name}.md").read_text(encoding="utf-8")
    fields = ("line", "title", "authors", "year", "venue", "url", "arxiv_id", "doi", "section", "struck", "notes")
    assert [stated(m, fields) for m in found(name, change(text))] == [stated(m, fields) for m in found(name, text)]


def test_there_are_lists_in_many_styles():
    assert len(NAMES) >= 12
