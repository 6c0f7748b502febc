"""Floors for reading and matching, on lists of our own that any clone has."""

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from sources.lists.reading import parse_reading_list
from sources.records import Mention
from standins.trials.labelled import run
from standins.trials.scoring import Label, Score, paired, read_labels, score
from standins.trials.world import Row, World

FOLDER = Path(__file__).parent
LISTS = sorted(path.stem for path in FOLDER.glob("*.md") if path.stem != "README")

STRICT_F1 = 0.952
"""Two points under what all lists together came to when the floor was set."""
RIGHT = 0.916
"""The same for the share of labelled papers that a refresh resolves to."""


@cache
def labels_of(name: str) -> list[Label]:
    return read_labels(FOLDER / f"{name}.jsonl")


@cache
def mentions_of(name: str) -> tuple[Mention, ...]:
    return parse_reading_list((FOLDER / f"{name}.md").read_text(encoding="utf-8")).mentions


@cache
def rows() -> tuple[Row, ...]:
    lines = (FOLDER / "world.jsonl").read_text(encoding="utf-8").splitlines()
    facts = [json.loads(line) for line in lines]
    return tuple(
        Row(one["title"], tuple(one["authors"]), one["year"], one["arxiv_id"], doi=None, venue=None) for one in facts
    )


def fates(world: World, name: str, *, hidden: frozenset[str] = frozenset()) -> Counter[str]:
    """Returns what becomes of the labelled papers; `wrong` also where something that is no paper becomes one."""
    labels, mentions = labels_of(name), mentions_of(name)
    pairs = paired(labels, mentions)
    expected = {n: labels[number]["arxiv_id"] for number, n in pairs.items()}
    found: Counter[str] = Counter()
    for n, resolution in enumerate(run(world, mentions)):
        if resolution.status != "resolved" or resolution.chosen is None:
            continue
        chosen = resolution.chosen.arxiv_id or f"without an identifier: {resolution.chosen.title}"
        near = {one["arxiv_id"] for one in labels if abs(one["line"] - mentions[n].line) <= 4} - hidden
        is_right = chosen == expected.get(n) or (n not in expected and chosen in near)
        found["right" if is_right and n in expected else "twice" if is_right else "wrong"] += 1
    return found


def test_there_are_lists_of_many_styles_and_their_labels_are_sound():
    assert len(LISTS) >= 12
    known = {row.arxiv_id: row.title for row in rows()}
    for name in LISTS:
        lines = (FOLDER / f"{name}.md").read_text(encoding="utf-8").split("\n")
        papers = [label for label in labels_of(name) if label["kind"] == "paper"]
        assert 15 <= len(papers) <= 40
        for label in papers:
            assert label["as_written"] in " ".join(lines[label["line"] - 1 : label["line"] + 1]), (name, label["line"])
            assert known[label["arxiv_id"]] == label["title"]


def test_the_parser_reads_them_no_worse_than_it_did():
    scores = {name: score(labels_of(name), mentions_of(name)) for name in LISTS}
    total = sum(scores.values(), Score(0, 0, 0))
    told = {name: round(one.strict_f1, 3) for name, one in scores.items()}
    assert total.strict_f1 >= STRICT_F1, (round(total.strict_f1, 4), told)


def test_a_refresh_finds_their_papers_and_takes_none_for_another():
    world = World(rows())
    found = {name: fates(world, name) for name in LISTS}
    papers = sum(label["kind"] == "paper" for name in LISTS for label in labels_of(name))
    right = sum(one["right"] for one in found.values())
    assert {name: one["wrong"] for name, one in found.items() if one["wrong"]} == {}
    assert right >= RIGHT * papers, (right / papers, {name: dict(one) for name, one in found.items()})


@pytest.mark.parametrize("part", [0, 1])
def test_papers_that_are_nowhere_are_taken_for_no_other(part: int):
    every = sorted(label["arxiv_id"] for name in LISTS for label in labels_of(name) if label["arxiv_id"])
    hidden = frozenset(every[part::2])
    world = World([row for row in rows() if row.arxiv_id not in hidden])
    assert {name: n for name in LISTS if (n := fates(world, name, hidden=hidden)["wrong"])} == {}


def test_the_readme_has_the_figures_that_make_accuracy_prints():
    """To a hundredth: a change of the parser by a paper or two need not change the page."""
    from tests.lists.__main__ import table

    readme = (FOLDER.parents[1] / "README.md").read_text(encoding="utf-8")
    for what, figure in table().items():
        (written,) = re.findall(rf"^\| {re.escape(what)} \| (.*) \|$", readme, re.MULTILINE)
        numbers, there = ([float(n) for n in re.findall(r"\d+\.?\d*", text)] for text in (figure, written))
        assert numbers == pytest.approx(there, abs=3 if " of " in figure else 0.01), what
