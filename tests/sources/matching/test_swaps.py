"""The floors of matching: a word is no slip of another word, in any field; a slip of the pen hides no paper.

They need nothing but this repository. Beside a copy of ../shared, the property is tried on many more titles.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from standins.trials.word_swaps import (
    Title,
    background_titles,
    field_traps,
    shipped_titles,
    slips_of,
    swaps_of,
    verdict,
)

pytestmark = pytest.mark.slow

FACTS = Path(__file__).resolve().parents[3].parent / "shared" / "facts"


@pytest.mark.parametrize("field", sorted({trap.field for trap in field_traps()}))
def test_a_title_of_one_word_for_another_is_ambiguous_with_the_other_paper_first(field):
    traps = [trap for trap in field_traps() if trap.field == field]
    assert len(traps) >= 16
    verdicts = {trap: verdict(Title(field, trap.written, 2019), Title(field, trap.true, 2019)) for trap in traps}
    assert {trap.written: told for trap, told in verdicts.items() if told != ("ambiguous", True)} == {}


def test_no_swap_of_a_word_for_another_word_is_resolved():
    titles = shipped_titles()
    assert len({title.archive for title in titles}) >= 10
    swaps = list(swaps_of(titles))
    assert len(swaps) >= 400
    verdicts = {written.text: verdict(written, true) for written, true in swaps}
    assert [text for text, (status, _) in verdicts.items() if status == "resolved"] == []
    shown_first = sum(told == ("ambiguous", True) for told in verdicts.values())
    assert shown_first >= 0.99 * len(verdicts)


def test_a_swap_is_not_resolved_by_its_year_nor_by_somebody_else_s_name():
    for written, true in list(swaps_of(shipped_titles()[::7])):
        assert verdict(written, true, authors=("Eve Other",))[0] != "resolved"


def test_titles_with_a_slip_of_the_pen_are_still_found():
    slips = list(slips_of(shipped_titles()))
    counted = Counter(verdict(written, true)[0] for written, true in slips)
    assert len(slips) >= 400
    assert counted["resolved"] >= 0.95 * len(slips), counted


@pytest.mark.nightly
@pytest.mark.skipif(not FACTS.exists(), reason="the background is not there")
def test_of_two_thousand_titles_hardly_any_swap_is_resolved_and_hardly_any_slip_is_lost():
    titles = background_titles(FACTS, 2000)
    assert len({title.archive for title in titles}) >= 10
    swaps = [verdict(written, true)[0] for written, true in swaps_of(titles)]
    assert len(swaps) >= 1_990
    assert swaps.count("resolved") <= 0.005 * len(swaps)
    slips = [verdict(written, true)[0] for written, true in slips_of(titles[:500])]
    assert slips.count("resolved") >= 0.95 * len(slips)
