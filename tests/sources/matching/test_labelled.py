"""Labelled mentions of real lists, resolved in a world of half a million papers."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from sources.matching.evidence import is_nickname
from standins.trials.labelled import fate, left_out, mistyped, read_labels, run, with_labelled
from standins.trials.world import World, read_rows

SHARED = Path(__file__).resolve().parents[3].parent / "shared"
pytestmark = [
    pytest.mark.skipif(not SHARED.exists(), reason="the labelled lists and the background are not there"),
    pytest.mark.slow,
]


NICKNAMED = {"dlnotes-zh": 8, "gtnlp-course": 1}
"""How many are resolved of lists whose labels are nicknames and topics for the most part: 8 of 27, and 1 of 2."""

MIXED_UP = {"nerfrobotics-bold": 2}
"""How many have another paper's title behind a name that fits the link, so that a person must say which is meant."""


@pytest.fixture(scope="module")
def labels():
    return read_labels(SHARED)


@pytest.fixture(scope="module")
def world(labels):
    return World(with_labelled(read_rows(SHARED), labels))


def test_labelled_mentions_resolve_to_their_paper_and_none_to_another(world, labels):
    resolutions = run(world, [label.mention for label in labels])
    each = [(label.list_name, fate(label, resolution)) for label, resolution in zip(labels, resolutions, strict=True)]
    assert [name for name, found in each if found == "WRONG"] == []
    for name, least in NICKNAMED.items():
        assert each.count((name, "right")) >= least, name
    for name, count in MIXED_UP.items():
        assert each.count((name, "ambiguous")) == count, name
    others = Counter(found for name, found in each if name not in NICKNAMED)
    assert others["right"] + sum(MIXED_UP.values()) >= 0.97 * others.total(), others


@pytest.mark.nightly
def test_a_paper_that_is_nowhere_is_never_resolved_to_another(world, labels):
    taken = [each for each in left_out(world, labels[::3]) if each.status == "resolved"]
    assert [(each.mention.title, each.chosen.title) for each in taken] == []


@pytest.mark.nightly
def test_slips_in_titles_hide_few_papers_and_lead_to_no_other(world, labels):
    titled = [label for label in labels[::3] if not is_nickname(label.mention)]
    draw = random.Random(7)
    resolutions = run(world, [mistyped(label.mention, draw) for label in titled])
    fates = Counter(fate(label, resolution) for label, resolution in zip(titled, resolutions, strict=True))
    assert fates["right"] >= 0.95 * len(titled), fates
    assert fates["WRONG"] <= 1, fates
