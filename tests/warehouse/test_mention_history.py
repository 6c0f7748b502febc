from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from flows.refresh.mention_history import is_open, list_id_of, revise
from standins.trials.rows import DAY, T0, mention
from tests.matrices import for_each

LIST = list_id_of("/lists/a.md")


def read(stored, *mentions, now=T0):
    """The rows of a list after a revision, those that left it marked, as a refresh writes them."""
    numbered = [replace(one, line=line, last_line=line) for line, one in enumerate(mentions, start=1)]
    rows = [row for row, *_ in revise(stored, numbered, list_id=LIST, now=now, revised=False, taken=frozenset())]
    left = [row for row in stored if row["mention_id"] not in {each["mention_id"] for each in rows}]
    return [*rows, *(row | {"removed_at": row["removed_at"] or now} for row in left)]


def standing(rows):
    return [row for row in rows if row["removed_at"] is None]


def settled(rows):
    """The rows with a verdict, as a refresh leaves them."""
    return [
        row | {"status": "resolved", "paper_id": "p" + row["mention_id"], "asked_at": T0, "tries": 1} for row in rows
    ]


A = mention(title="Attention Is All You Need", url="https://arxiv.org/abs/1706.03762", arxiv_id="1706.03762")
B = mention(title="Deep Residual Learning for Image Recognition")
C = mention(text="- <https://example.org/c>", url="https://example.org/c")


IN_TWO = {
    "the same words": (A, A),
    "other words, one link": (A, replace(A, title="Attention is all you need (Transformer)")),
    "other links, one title": (B, replace(B, url="https://example.org/b")),
    "a title alone": (B, B),
}


@for_each("case", IN_TWO)
@for_each("left", [0, 1])
@for_each("change", [{}, {"year": 2018}])
def test_of_a_paper_in_two_sections_the_row_of_the_one_that_is_taken_away_is_removed(case, left, change):
    both = [replace(each, section=(name,)) for each, name in zip(IN_TWO[case], ("First", "Second"), strict=True)]
    before = settled(read([], *both))
    after = read(before, replace(both[left], **change), now=T0 + DAY)
    (stays,) = standing(after)
    assert (stays["mention_id"], stays["section"]) == (before[left]["mention_id"], [*both[left].section])
    (gone,) = [row for row in after if row["removed_at"] is not None]
    assert gone["mention_id"] == before[1 - left]["mention_id"]
    again = read(after, *both, now=T0 + 2 * DAY)
    assert {tuple(row["section"]): row["mention_id"] for row in again} == {
        tuple(row["section"]): row["mention_id"] for row in before
    }


def test_of_two_mentions_with_one_typing_error_the_one_that_is_mended_keeps_its_row():
    wrong = [mention(title="Deep Residul Learning for Image Recognition", section=(name,)) for name in "AB"]
    before = settled(read([], *wrong))
    after = read(before, replace(B, section=("B",)), now=T0 + DAY)
    assert [row["mention_id"] for row in standing(after)] == [before[1]["mention_id"]]


def test_a_mention_that_moves_to_a_section_where_it_once_was_keeps_its_present_row():
    in_a, in_b = (replace(A, section=(name,)) for name in "AB")
    before = settled(read([], in_a, in_b))
    only_a = read(before, in_a, now=T0 + DAY)
    (moved,) = standing(read(only_a, in_b, now=T0 + 2 * DAY))
    assert moved["mention_id"] == before[0]["mention_id"]


def test_a_mended_title_beside_the_same_link_is_the_same_mention_and_is_judged_again():
    (before,) = settled(read([], replace(A, title="Atention Is Al You Need")))
    (after,) = read([before], A, now=T0 + DAY)
    assert after["mention_id"] == before["mention_id"]
    assert (after["status"], after["paper_id"], after["tries"]) == ("failed", None, 0)


def test_a_link_added_to_a_title_keeps_the_identity():
    (before,) = settled(read([], replace(A, url=None, arxiv_id=None)))
    (after,) = read([before], A, now=T0 + DAY)
    assert after["mention_id"] == before["mention_id"]
    assert is_open(after)


def test_a_verdict_stays_where_only_section_notes_or_confidence_changed():
    (before,) = settled(read([], A))
    told = {"section": ("New",), "struck": True, "notes": ("n.md",), "text": "other", "confidence": 0.7}
    (after,) = read([before], replace(A, **told), now=T0 + DAY)
    assert after["paper_id"] == before["paper_id"]
    names = ("section", "struck", "notes_urls", "confidence")
    assert tuple(after[name] for name in names) == (["New"], True, ["n.md"], 0.7)


def test_a_mention_that_comes_back_is_the_same_with_its_verdict():
    before = settled(read([], A, B))
    back = read(read(before, B, now=T0 + DAY), A, B, now=T0 + 2 * DAY)
    assert [row["mention_id"] for row in back] == [row["mention_id"] for row in before]
    assert [row["paper_id"] for row in back] == [row["paper_id"] for row in before]
    assert [row["removed_at"] for row in back] == [None, None]
    assert back[0]["first_seen_at"] == T0
    assert back[0]["last_seen_at"] == T0 + 2 * DAY


entries = st.builds(
    mention,
    title=st.none() | st.sampled_from(["A", "a", "B!", "C", "\u0130", "\u8bba\u6587", ""]),
    url=st.none() | st.sampled_from(["u", "v"]),
    arxiv_id=st.none() | st.sampled_from(["1706.03762", "1512.03385"]),
    text=st.sampled_from(["", "x", "y"]),
)
revisions = st.lists(st.lists(entries, max_size=6), min_size=1, max_size=6)


@given(revisions)
def test_whatever_is_done_to_a_list_each_mention_has_one_row_and_no_row_is_lost(history):
    stored: list = []
    for number, entries_now in enumerate(history):
        after = read(stored, *entries_now, now=T0 + number * DAY)
        ids = [row["mention_id"] for row in after]
        assert len(ids) == len(set(ids))
        assert {row["mention_id"] for row in stored} <= set(ids)
        assert len(standing(after)) == len(entries_now)
        assert read(after, *entries_now, now=T0 + (number + 1) * DAY) == after
        stored = after


@given(st.lists(entries, max_size=8), st.randoms(use_true_random=False))
def test_moving_lines_about_loses_and_adds_nothing(before, random):
    rows = read([], *before)
    after = read(rows, *random.sample(before, k=len(before)), now=T0 + DAY)
    assert {row["mention_id"] for row in after} == {row["mention_id"] for row in rows}
    assert standing(after) == after
