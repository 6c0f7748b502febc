"""Author lists in every order of names, and what only looks like one."""

import re
from pathlib import Path

from sources.bibliography.names import is_organisation
from sources.lists.reading.author_lists import NAME_WORD, name_odds, only_authors, read_authors, word_odds
from tests.matrices import for_each

AUTHORS = Path(__file__).with_name("authors.txt").read_text(encoding="utf-8").splitlines()
"""Beginnings of citations, with ⟨each author⟩ marked."""


@for_each("text", AUTHORS)
def test_a_list_of_authors_is_read(text):
    authors = read_authors(text.replace("⟨", "").replace("⟩", ""))
    assert authors is not None
    assert list(authors.names) == re.findall("⟨([^⟩]*)⟩", text)
    assert authors.sure


@for_each(
    "text",
    [
        "Deep Learning, Neural Networks and Kernels", "Attention Is All You Need",
        "Between MDPs and Semi-MDPs: A Framework", "ASP, DDP", "GPipe, PipeDream; both",
        "Tensor-based gpu memory management", "The Part-Time Parliament",
    ],
)  # fmt: skip
def test_words_of_titles_are_no_names(text):
    authors = read_authors(text)
    assert authors is None or not authors.sure


def test_surnames_alone_count_only_where_names_are_expected():
    assert read_authors("Bellemare, Ostrovski, Munos") is None
    assert only_authors("Bellemare, Ostrovski, Munos") == ("Bellemare", "Ostrovski", "Munos")


@for_each("text", ["Google", "NVIDIA, Baidu", "MSR", "Ohio State University", "UC Berkeley & Apple"])
def test_organisations_are_known(text):
    assert is_organisation(text)


@for_each("text", ["Google Scholar Metrics", "Attention", "Jeff Dean"])
def test_other_words_are_no_organisation(text):
    assert not is_organisation(text)


@for_each(
    "name",
    ["Guodong Long", "Zhe Gan", "Jules White", "Neave O'Clery", "Alvaro Cartea", "Ngozi Adeyemi", "Jean-Luc Marais"],
)
def test_names_have_better_odds_than_even_though_titles_have_some_of_their_words(name):
    assert name_odds(NAME_WORD.findall(name)) > 0


@for_each(
    "words",
    ["Future Directions", "Hydrogen Bonding", "Watching Movies", "Trade Unions", "Neonatal Care", "Prime Numbers"],
)
def test_words_of_titles_of_any_field_are_no_names(words):
    assert name_odds(NAME_WORD.findall(words)) < -1
    assert only_authors(f"{words}, {words}") == ()


@for_each("word", ["", "-", "--", "a-", "-b-", "x--y", "\ud800", "\u5b66", "\u043b\u0435\u0441"])
def test_odds_of_what_is_hardly_a_word_are_a_number(word):
    assert abs(word_odds(word)) <= 5
