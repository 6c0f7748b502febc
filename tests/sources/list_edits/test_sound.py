"""Edits that change how the rest of a list reads are left out, in few readings of the list."""

from dataclasses import replace

import pytest

from sources.lists.checks.findings import CheckedEntry
from sources.lists.edits import sound
from sources.lists.edits.edits import apply_edits, edits_of
from sources.lists.edits.fixes import changes_of
from sources.lists.edits.sound import settled_changes
from sources.lists.reading import parse_reading_list
from tests.matrices import first_each_push

SIZE = 100
LINES = [f"- [Learning with {at} Layers of Attention](http://arxiv.org/abs/1901.{at:05}), 2019" for at in range(SIZE)]
TEXT = "# Papers\n\n" + "\n".join(LINES) + "\n"


def mended(text, monkeypatch, spoils):
    """Mends a list whose last entry is not read any more where `spoils` says so of its text; counts the readings."""
    readings = []

    def reading(current):
        readings.append(current)
        parsed = parse_reading_list(current)
        return replace(parsed, mentions=parsed.mentions[:-1]) if spoils(current) else parsed

    monkeypatch.setattr(sound, "parse_reading_list", reading)
    entries = [CheckedEntry(mention=mention) for mention in parse_reading_list(text).mentions]
    changes, left_out = changes_of(text, entries)
    assert len(changes) + len(left_out) == SIZE
    assert not spoils(apply_edits(text, edits_of(changes)))
    return changes, len(readings)


@pytest.mark.parametrize("most", first_each_push([0, 1, 3, 30, 60, 98, SIZE], count=3))
def test_where_many_edits_together_spoil_a_distant_entry_as_many_are_made_as_go(monkeypatch, most):
    changes, readings = mended(TEXT, monkeypatch, lambda text: text.count("https:") > most)
    assert len(changes) == most
    assert readings <= (1 if most == SIZE else 20)


@pytest.mark.parametrize("guilty", [0, 40, 77])
def test_one_edit_that_spoils_a_distant_entry_is_left_out_alone(monkeypatch, guilty):
    changes, readings = mended(TEXT, monkeypatch, lambda text: f"https://arxiv.org/abs/1901.{guilty:05}" in text)
    assert len(changes) == SIZE - 1
    assert readings <= 20


def test_a_doubtful_entry_that_is_read_no_more_keeps_no_other_from_being_mended_twice(monkeypatch):
    lines = [*LINES[:10], LINES[10].replace("http:", "https:"), ""]
    text, rounds = "\n".join(lines), []

    def reading(current):
        parsed = parse_reading_list(current)
        mentions = [replace(each, confidence=0.6) if each.line == 11 else each for each in parsed.mentions]
        is_lost = current.count("https:") > 1
        return replace(parsed, mentions=tuple(each for each in mentions if not (is_lost and each.line == 11)))

    def mend(current, its_entries):
        rounds.append(len(its_entries))
        return changes_of(current, its_entries)[0]

    monkeypatch.setattr(sound, "parse_reading_list", reading)
    entries = [CheckedEntry(mention=mention) for mention in reading(text).mentions]
    assert entries[-1].mention.line == 11
    assert len(settled_changes(text, entries, mend)) == 10
    assert rounds == [11, 10]
