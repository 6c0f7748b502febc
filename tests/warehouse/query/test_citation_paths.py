"""Reading order, cycles and cut points, on graphs small enough to see and on many drawn at random."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from warehouse.query.citations import Links, cycles, parted, reading_order

WORKS = [f"w{number}" for number in range(12)]
graphs = st.lists(st.tuples(st.sampled_from(WORKS), st.sampled_from(WORKS)), max_size=30)


def test_each_paper_comes_after_those_that_it_cites_and_the_oldest_first():
    links = Links.of(["old", "mid", "new", "lone"], [("old", "new"), ("mid", "new"), ("mid", "old")])
    assert reading_order(links) == ["new", "old", "mid", "lone"]


def test_papers_that_cite_each_other_stand_together_in_their_order():
    links = Links.of(["a", "b", "c", "d"], [("a", "c"), ("c", "a"), ("b", "a"), ("c", "d")])
    assert reading_order(links) == ["d", "a", "c", "b"]
    assert sorted(map(sorted, cycles(links))) == [["a", "c"], ["b"], ["d"]]


def reaches(links: Links, work: str) -> set[str]:
    found, todo = set(), [work]
    while todo:
        for cited in links.cited[todo.pop()] - found:
            found.add(cited)
            todo.append(cited)
    return found


@settings(max_examples=60, deadline=None)
@given(graphs)
def test_what_is_said_of_any_graph_is_so(pairs):
    links = Links.of(WORKS, pairs)
    reached = {work: reaches(links, work) for work in WORKS}
    order = reading_order(links)
    place = {work: number for number, work in enumerate(order)}
    assert sorted(order) == sorted(WORKS)
    for work in WORKS:
        for cited in links.cited[work]:
            assert place[cited] < place[work] or work in reached[cited]
    groups = {frozenset(group) for group in cycles(links)}
    assert groups == {frozenset({w, *(o for o in reached[w] if w in reached[o])}) for w in WORKS}
    lost = parted(links)
    for work in WORKS:
        parts = sorted(components(links, without=work, near=work), key=len)
        assert lost.get(work, 0) == sum(map(len, parts[:-1]))


def components(links: Links, *, without: str, near: str) -> list[set[str]]:
    """Returns the parts of the works tied to `near` when one is taken away."""
    found: list[set[str]] = []
    for start in sorted(links.cited[near] | links.citing[near]):
        if any(start in part for part in found):
            continue
        part, todo = {start}, [start]
        while todo:
            work = todo.pop()
            new = (links.cited[work] | links.citing[work]) - part - {without}
            part |= new
            todo += new
        found.append(part)
    return found


def test_long_chains_are_no_matter():
    works = [f"w{number}" for number in range(5_000)]
    links = Links.of(works, pairwise(works))
    assert reading_order(links) == works[::-1]
    assert len(parted(links)) == 4_998
