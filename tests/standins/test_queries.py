"""Whatever is asked, the stand-ins' query languages answer, refuse, or say that they cannot; they never break."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from standins.arxiv.query import QueryError, compile_query
from standins.catalogue.library import Library, Search
from standins.catalogue.shelf import SMALL, open_shelf
from standins.semantic_scholar.bulk_query import compile_bulk
from standins.wire import Unsupported

PIECES = "AND OR ANDNOT NOT ti: au: cat: id: xx: ( ) \" * ~2 + - | learning few-shot cs.CL é _ ' : ^ { ,".split()
PIECES += [" ", " ", '"layer normalization"', "\x00"]
queries = st.one_of(st.lists(st.sampled_from(PIECES), max_size=14).map("".join), st.text(max_size=40))


@pytest.fixture(scope="module")
def library():
    return Library(open_shelf([SMALL]))


def hits(library, match):
    return library.search(Search(match=match, limit=5)).total


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(query=queries)
def test_any_arxiv_query_is_answered_or_refused(library, query):
    try:
        compiled = compile_query(query) if query.strip() else None
    except (QueryError, Unsupported):
        return
    assert compiled is None or hits(library, compiled.match) >= 0


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(query=queries)
def test_any_bulk_query_is_answered_or_refused(library, query):
    try:
        match = compile_bulk(query, library.spellings)
    except Unsupported:
        return
    assert hits(library, match) >= 0


@given(query=queries)
@settings(max_examples=200)
def test_a_query_that_arxiv_repeats_is_understood_again_as_the_same(query):
    try:
        compiled = compile_query(query) if query.strip() else None
    except (QueryError, Unsupported):
        return
    if compiled is not None:
        assert compile_query(compiled.echo) == compiled
