from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warehouse.mirrors.lookup import PLAIN_TERMS, prepare, title_terms


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect() as opened:
        prepare(opened)
        yield opened


def in_sql(connection, titles):
    """The hashed terms that SQL makes of the plain ones among `titles`: position -> terms."""
    numbers = pa.array(range(len(titles)), pa.int64())
    connection.register("given_titles", pa.table({"position": numbers, "title": pa.array(titles, pa.string())}))
    rows = connection.execute(PLAIN_TERMS.format(titles="given_titles")).fetchall()
    plain = connection.execute("SELECT position FROM given_titles WHERE is_plain(title)").fetchall()
    found = {position: set() for (position,) in plain}
    for term, position in rows:
        found[position].add(term)
    return found


def in_python(connection, titles):
    texts = [(number, text) for number, title in titles for text in title_terms(" ".join(title.split()))]
    numbers, terms = zip(*texts, strict=True) if texts else ((), ())
    connection.register(
        "texts", pa.table({"position": pa.array(numbers, pa.int64()), "text": pa.array(terms, pa.string())})
    )
    found = {number: set() for number, _ in titles}
    for position, term in connection.execute("SELECT position, term(text) FROM texts").fetchall():
        found[position].add(term)
    return found


def agree(connection, titles):
    made = in_sql(connection, titles)
    assert made == in_python(connection, [(number, titles[number]) for number in made])
    return made


UGLY = [
    "",
    "of the",
    "don't `quote' me: it's (not) a title - or is it?",
    "under_scores and under__scores_",
    "Pre-training/fine-tuning... of U.S. models. And more",
    ": starts with a colon",
    "One Two Three Four: five",
    "GPT-4: a  report\n  on two lines",
    "y" * 1001,
    "Tabs\tand ~tildes~ [brackets] {braces}",
    "L’été “à” Paris – et après—l‘Île: ÜBUNG, İzmir, ſ, ĳ, straße",
]


def test_both_ways_make_the_same_terms_of_ugly_titles(connection):
    made = agree(connection, UGLY)
    assert len(made) == len(UGLY) - 3  # braces, the overlong one and old letters go the other way


@settings(max_examples=200)
@given(
    st.lists(
        st.text(st.characters(max_codepoint=0x17F) | st.sampled_from("–—‘’“”"), max_size=60), min_size=1, max_size=20
    )
)
def test_both_ways_make_the_same_terms_of_any_title(connection, titles):
    agree(connection, titles)
