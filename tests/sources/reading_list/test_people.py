"""Author lists in every order of names, and what only looks like one."""

from sources.bibliography.names import is_organisation
from sources.lists.reading.author_lists import NAME_WORD, name_odds, only_authors, read_authors, word_odds
from tests.matrices import for_each


@for_each(
    ("text", "names"),
    [
        ("J. Dean, S. Ghemawat, and A. Ng. Title", ["J. Dean", "S. Ghemawat", "A. Ng"]),
        ("C. Ode, T. Bayes", ["C. Ode", "T. Bayes"]),
        ("Bayes, T., Price, R., and Law, P. (2001)", ["Bayes, T.", "Price, R.", "Law, P."]),
        ("A. Field et al.", ["A. Field"]),
        ("Dean, J., & Ghemawat, S. (2004). Title", ["Dean, J.", "Ghemawat, S."]),
        ("Jumper J, Evans R, Pritzel A, et al. Title", ["Jumper J", "Evans R", "Pritzel A"]),
        ("Bone RC, Balk RA, Cerra FB, et al. Definitions", ["Bone RC", "Balk RA", "Cerra FB"]),
        ("Turing, Alan M. “Computing", ["Turing, Alan M."]),
        ("Newell, Allen, and Herbert A. Simon. 1976.", ["Newell, Allen", "Herbert A. Simon"]),
        ("Michael J. Gordon, F. Lockwood Morris, and C. Wadsworth. A",
         ["Michael J. Gordon", "F. Lockwood Morris", "C. Wadsworth"]),
        ("van der Waals, J. D., al-Haytham, I., & d'Alembert, J. (2003). Optics",
         ["van der Waals, J. D.", "al-Haytham, I.", "d'Alembert, J."]),
        ("van ’t Hoff, J. H., & de Gennes, P.-G. (1999). Polymers", ["van ’t Hoff, J. H.", "de Gennes, P.-G."]),
        ("Le Cun, Y., Dos Santos, C., & Ortega y Gasset, J. (2015). Writing",
         ["Le Cun, Y.", "Dos Santos, C.", "Ortega y Gasset, J."]),
        ("'t Hooft, G., & d’Alché-Buc, F. (1974). Poles", ["'t Hooft, G.", "d’Alché-Buc, F."]),
        ("d'Alché-Buc, Florence, and Yann Le Cun. “Output", ["d'Alché-Buc, Florence", "Yann Le Cun"]),
        ("Vaswani et al. (2017)", ["Vaswani"]),
        ("Yi Sun*, Yu Zheng†, Chao Hao", ["Yi Sun", "Yu Zheng", "Chao Hao"]),
        ("Jean e al. [On", ["Jean"]),
        ("Колмогоров А. Н. О представлении", ["Колмогоров А. Н."]),
        ("Driessche, G., … Hassabis, D. (2016). Mastering", ["Driessche, G.", "Hassabis, D."]),
        ("Wojciech M. Czarnecki et al., Grandmaster", ["Wojciech M. Czarnecki"]),
    ],
)  # fmt: skip
def test_a_list_of_authors_is_read(text, names):
    authors = read_authors(text)
    assert authors is not None
    assert list(authors.names) == names
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
