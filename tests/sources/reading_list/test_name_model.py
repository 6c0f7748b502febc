"""Names and words of titles, told apart by how often real authors and real titles have them."""

from sources.lists.reading import parse_reading_list
from sources.lists.reading.author_lists import NAME_WORD, name_odds, only_authors, read_authors, word_odds
from tests.matrices import for_each


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


@for_each(
    ("people", "names"),
    [
        ("C. Ode, T. Bayes", ("C. Ode", "T. Bayes")),
        ("Bayes, T., Price, R., and Law, P. (2001)", ("Bayes, T.", "Price, R.", "Law, P.")),
        ("A. Field et al.", ("A. Field",)),
    ],
)
def test_an_initial_before_a_single_word_or_behind_its_comma_makes_a_name_of_it(people, names):
    found = read_authors(people)
    assert found is not None
    assert found.names == names


def mention(text):
    (found,) = parse_reading_list("## Papers\n\n- " + text).mentions
    return found


@for_each(
    "title",
    [
        "Tracing Herds from the Air: Detecting Presence, Count, Track, and Identity",
        "The Art, Science, and Engineering of Building Bridges: A Survey",
        "Counting Birds by Estimating Flows",
        "Sediments of Northern Rivers: Transport, Storage and Chemical Behavior",
    ],
)
def test_the_last_words_of_a_title_are_not_its_authors_or_its_journal(title):
    found = mention(f"{title} [[pdf](https://arxiv.org/abs/2101.00001)] (ICML 2019)")
    assert (found.title, found.authors, found.year) == (title, (), 2019)


def test_organisations_in_brackets_are_not_the_authors():
    found = mention("[Counting Slow Rivers from Space](https://arxiv.org/abs/2101.00001) (Microsoft, Intel) 2019")
    assert found.authors == ()


def test_authors_whose_surnames_are_words_are_read_before_a_year_and_a_link():
    people = "Anna Berg, Guodong Long, Zhe Gan, and Jules White"
    found = mention(
        f"{people}. 2018. [Counting Slow Rivers from Space](https://arxiv.org/abs/2101.00001). In *ACL 2018*."
    )
    assert found.authors == ("Anna Berg", "Guodong Long", "Zhe Gan", "Jules White")
    assert (found.title, found.year) == ("Counting Slow Rivers from Space", 2018)


def test_a_packed_date_and_any_dated_acronym_stand_before_a_title():
    titles = ["Learning to Fold Paper with Robots", "Counting Slow Rivers from Space", "A Theory of Quiet Markets"]
    text = "".join(f"- 2019080{number} IJCAI-19 {title}\n" for number, title in enumerate(titles, 1))
    mentions = parse_reading_list("## Papers\n\n" + text).mentions
    assert [(m.title, m.year) for m in mentions] == [(title, 2019) for title in titles]


def test_surnames_that_are_surely_names_stand_behind_a_comma():
    text = "- Counting Slow Rivers from Space, CVPR 2019\n- A Theory of Quiet Markets, Smith, Jones and Brown, 2019\n"
    assert parse_reading_list(text).mentions[1].authors == ("Smith", "Jones", "Brown")
