"""A title as plain words, whatever marks it bears."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.http import queries
from sources.http.queries import GAP, phrase, phrases


@pytest.mark.parametrize(
    ("title", "words"),
    [
        pytest.param("Attention Is All You Need", "Attention Is All You Need", id="plain"),
        pytest.param("BERT: Pre-training of Deep", "BERT Pre training of Deep", id="hyphen"),
        pytest.param('Why "Should I Trust You?"', "Why Should I Trust You", id="quotes"),
        pytest.param("What’s in a name", "What's in a name", id="curly apostrophe"),
        pytest.param("R&D + C# at 100% (AND more) OR less", "R D C at 100 AND more OR less", id="operators"),
        pytest.param("Top-$k$ Sparsification for Networks", "Sparsification for Networks", id="TeX in it"),
        pytest.param(r"The \emph{simple} essence of things", "simple essence of things", id="TeX command"),
        pytest.param("Scaling GPT-3.5 to 2.0", "Scaling GPT 3.5 to 2.0", id="numbers keep their point"),
        pytest.param("Eﬃcient ﬁne-tuning", "Efficient fine tuning", id="ligatures"),
        pytest.param("Poincaré embeddings for learning trees", "embeddings for learning trees", id="accent"),
        pytest.param("Poincaré embeddings", "Poincaré embeddings", id="accent in a short title"),
        pytest.param("深度学习", "深度学习", id="Chinese"),
        pytest.param("$$ -- ?!", None, id="no word"),
        pytest.param("", None, id="empty"),
    ],
)
def test_a_title_becomes_its_longest_run_of_plain_words(title, words):
    assert phrase(title) == words


@given(st.text(max_size=200))
def test_no_mark_of_a_query_language_survives(title):
    words = phrase(title)
    assert words is None or re.fullmatch(r"(?:[^\W_]|['.])+(?: (?:[^\W_]|['.])+)*", words)


@given(st.lists(st.text(max_size=40), max_size=5))
def test_a_query_has_one_phrase_for_each_part_with_words(titles):
    sayable = [words for title in titles for words in phrases(title)]
    assert queries.ARXIV.titles_query(titles).count('ti:"') == len(sayable)
    assert queries.S2.titles_query(titles).count('"') == 2 * len(sayable)


def test_what_stands_around_a_gap_must_all_be_there():
    titles = [f"rich {GAP} object detection", "Mask R-CNN"]
    assert queries.ARXIV.titles_query(titles) == '(ti:"rich" AND ti:"object detection") OR ti:"Mask R CNN"'
    assert queries.S2.titles_query(titles) == '("rich" + "object detection") | "Mask R CNN"'


def test_a_query_takes_the_room_it_is_said_to_take():
    titles = ["Attention Is All You Need", "Eﬃcient ﬁne-tuning"]
    assert len(queries.ARXIV.titles_query(titles)) <= sum(map(queries.ARXIV.room_taken, titles))
    assert len(queries.S2.titles_query(titles)) <= sum(map(queries.S2.room_taken, titles))
