"""Our own lists, in many styles and languages: which papers are found in them, and every field that one states."""

import json
from functools import cache
from pathlib import Path

import pytest
from rapidfuzz import fuzz

from sources.bibliography.titles import title_key
from sources.lists.reading import parse_reading_list
from tests.matrices import for_each

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures/reading_lists"
STYLES = FIXTURES.with_name("styles")
"""Longer lists as people on GitHub and in their notes write them; their titles may be written with a slip."""
NAMES = sorted(path.stem for path in FIXTURES.glob("*.jsonl"))


def expected(name):
    """Returns the labels of the papers of a list; what is labelled a book or a resource may be found, and need not."""
    rows = [json.loads(line) for line in (FIXTURES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row.get("kind", "paper") == "paper"]


@cache
def text_of(name):
    return (FIXTURES / f"{name}.md").read_text(encoding="utf-8")


@cache
def found(name):
    return parse_reading_list(text_of(name)).mentions


def stated(mention, fields):
    values = {field: getattr(mention, field) for field in fields}
    return {field: list(value) if isinstance(value, tuple) else value for field, value in values.items()}


def right_ones(name):
    """Returns the mentions whose line and title are labelled, each with its label."""
    mentions = {(mention.line, mention.title): mention for mention in found(name)}
    return [(mentions[place], row) for row in expected(name) if (place := (row["line"], row["title"])) in mentions]


def test_nearly_every_paper_is_found_with_its_title_and_little_else():
    sizes = {name: (len(expected(name)), len(found(name)), len(right_ones(name))) for name in NAMES}
    missed = {name for name, (papers, _, right) in sizes.items() if papers - right > max(1, papers // 5)}
    invented = {name for name, (papers, mentions, right) in sizes.items() if mentions - right > max(4, papers // 10)}
    assert (missed, invented) == (set(), set())
    papers, mentions, right = map(sum, zip(*sizes.values(), strict=True))
    assert right >= 0.965 * papers
    assert right >= 0.95 * mentions
    assert len(NAMES) >= 12


def test_every_stated_field_is_read():
    pairs = [(name, *pair) for name in NAMES for pair in right_ones(name)]
    assert [(name, stated(mention, row)) for name, mention, row in pairs] == [(name, row) for name, _, row in pairs]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda text: text.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(lambda text: "\ufeff" + text, id="BOM"),
        pytest.param(lambda text: text.replace("\n", " \n"), id="trailing blank"),
        pytest.param(lambda text: text + "\n\n\n", id="empty lines at the end"),
    ],
)
def test_the_same_list_in_another_dress_gives_the_same_mentions(change):
    fields = ("line", "title", "authors", "year", "venue", "url", "arxiv_id", "doi", "section", "struck", "notes")
    for name in NAMES:
        dressed = parse_reading_list(change(text_of(name))).mentions
        assert [stated(m, fields) for m in dressed] == [stated(m, fields) for m in found(name)], name


def styled(path):
    """Returns how many papers a list of the styles has, how many mentions are found, and how many of them are right.

    `title` is what the list writes, `paper` the paper's whole title where that is another.
    """

    def is_right(mention, row):
        names = [title_key(row[name]) for name in ("title", "paper") if name in row]
        key = title_key(mention.title or "")
        is_named = row.get("arxiv_id", "") == mention.arxiv_id or any(fuzz.ratio(key, name) >= 92 for name in names)
        return mention.line == row["line"] and is_named

    rows = [json.loads(line) for line in path.with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()]
    others = {row["line"] for row in rows if row.get("kind") in ("book", "resource")}
    papers = [row for row in rows if row.get("kind") not in ("book", "resource")]
    mentions = parse_reading_list(path.with_suffix(".md").read_text(encoding="utf-8")).mentions
    mentions = [mention for mention in mentions if mention.line not in others]
    return len(papers), len(mentions), sum(any(is_right(mention, row) for row in papers) for mention in mentions)


HARD = {"db-dist-ko-short": (0.32, 0.8), "ling-bare-zh": (0.7, 0.75), "philosophy-headnotes": (0.5, 0.35)}
"""By list: the least shares of papers found and of right mentions, where nicknames or bare words name most papers."""


@for_each("path", sorted(STYLES.glob("*.jsonl")))
def test_a_list_in_a_style_of_its_own_is_read(path):
    papers, mentions, right = styled(path)
    found, sure = HARD.get(path.stem, (0.75, 0.8))
    assert right >= found * papers
    assert right >= sure * mentions


def test_lists_in_styles_of_their_own_are_read_well_together():
    papers, mentions, right = map(sum, zip(*map(styled, STYLES.glob("*.jsonl")), strict=True))
    assert papers > 700
    assert right >= 0.92 * papers
    assert right >= 0.92 * mentions
