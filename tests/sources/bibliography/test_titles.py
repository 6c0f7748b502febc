"""Keys and words of titles."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.bibliography.titles import title_key, title_keys, title_words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("Attention Is All You Need", "attention is all you need.", id="capitals and full stop"),
        ("Efficient fine-tuning", "E\ufb03cient \ufb01ne\u2011tuning"),
        pytest.param("Schrödinger bridges", 'Schr\\"{o}dinger bridges', id="TeX accent"),
        pytest.param("Erdős–Rényi graphs", "Erd\\H{o}s-R\\'enyi graphs", id="TeX accents of letters"),
        pytest.param("TD(λ) and games", "TD($\\lambda$) and games", id="Greek letter and its TeX"),
        ("Convolution on X-transformed points", "Convolution On $\\mathcal{X}$-Transformed Points"),
        pytest.param("Search & Retrieval", "Search &amp; Retrieval", id="HTML entity"),
        pytest.param("Don't Decay", "Don\u2019t Decay", id="apostrophes"),
        pytest.param("ガウス過程", "ｶﾞｳｽ過程", id="half-width kana"),
    ],
)
def test_typography_does_not_change_a_key(one, other):
    assert title_key(one) == title_key(other) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("PointNet: Deep Learning", "PointNet++: Deep Learning", id="plus plus"),
        pytest.param("Attention Is All You Need", "Attention Is Not All You Need", id="negation"),
        pytest.param("ガウス過程", "カウス過程", id="kana with and without its mark"),
    ],
)
def test_what_tells_titles_apart_stays_in_the_key(one, other):
    assert title_key(one) != title_key(other)


@given(st.text())
def test_a_key_is_its_own_key_and_holds_no_space(text):
    key = title_key(text)
    assert title_key(key) == key
    assert not any(character.isspace() for character in key)


@given(st.text())
def test_the_first_key_is_the_whole_title_s_and_none_is_empty(text):
    keys = title_keys(text)
    assert all(keys)
    assert len(set(keys)) == len(keys)
    assert keys[:1] == ((title_key(text),) if title_key(text) else ())


def test_a_title_is_looked_up_without_its_system_name_and_without_its_subtitle():
    keys = title_keys("Capuchin: Tensor-based GPU Memory Management for Deep Learning")
    assert "tensorbasedgpumemorymanagementfordeeplearning" in keys
    keys = title_keys("Demystifying Parallel and Distributed Deep Learning: An In-Depth Concurrency Analysis")
    assert "demystifyingparallelanddistributeddeeplearning" in keys
    assert "yolo" not in title_keys("YOLO: a real-time object detector")


@given(st.text())
def test_words_keep_their_written_form_beside_them_and_cuts_lie_within(text):
    title = title_words(text)
    assert len(title.words) == len(title.raw)
    assert all(0 < cut < len(title.words) for cut in title.cuts)


def test_parts_begin_after_colons_dashes_and_question_marks_but_not_after_hyphens():
    title = title_words("Horovod-like: fast - easy? yes (v1 only)")
    assert [title.words[cut] for cut in sorted(title.cuts)] == ["fast", "easy", "yes", "v1"]
