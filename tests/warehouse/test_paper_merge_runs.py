"""Papers over several runs of sources that mix their records up: each paper stays what it was first described as."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sources.bibliography.identifiers import Identifier
from sources.errors import DisputedRecord
from standins.trials.rows import DAY, T0, arxiv_paper, s2_paper
from tests.warehouse.test_paper_merge import Runs

WORKS = (
    {"title": "Attention Is All You Need", "authors": ("Ashish Vaswani", "Noam Shazeer"), "year": 2017},
    {"title": "Deep Residual Learning for Image Recognition", "authors": ("Kaiming He", "Jian Sun"), "year": 2016},
    {"title": "Attention Is All You Need", "authors": ("Petra Bauer", "Lars Holm"), "year": 2021},
    {"title": "基于卷积神经网络的人脸识别方法研究", "authors": ("Wei Zhou", "Fang Liu"), "year": 2018},
)
ARXIV, DOIS, NUMBERS, CORPUS = ("1706.03762", "1512.03385"), ("10.1000/1", "10.1000/2"), "abc", (1, 2)
IDENTIFIERS = (
    *(Identifier("arxiv", value) for value in ARXIV),
    *(Identifier("doi", value) for value in DOIS),
    *(Identifier("s2", 40 * letter) for letter in NUMBERS),
)


@st.composite
def told(draw):
    """What a source says of a work, under identifiers that may be any other's, and by which it was asked."""
    number = draw(st.integers(0, len(WORKS) - 1))
    by_s2 = st.builds(
        s2_paper,
        st.sampled_from(NUMBERS).map(lambda letter: 40 * letter),
        arxiv_id=st.none() | st.sampled_from(ARXIV),
        doi=st.none() | st.sampled_from(DOIS),
        corpus_id=st.none() | st.sampled_from(CORPUS),
        citation_count=st.integers(1, 99).map(lambda count: 1000 * number + count),
        **{name: st.just(value) for name, value in WORKS[number].items()},
    )
    by_arxiv = st.builds(
        arxiv_paper,
        st.sampled_from(ARXIV),
        doi=st.none() | st.sampled_from(DOIS),
        title=st.just(WORKS[number]["title"]),
        authors=st.just(WORKS[number]["authors"]),
    )
    return draw(by_s2 | by_arxiv), draw(st.lists(st.sampled_from(IDENTIFIERS), max_size=2)), draw(st.booleans())


def work_of(row):
    described = row["title"], tuple(row["authors"])
    return [(work["title"], work["authors"]) for work in WORKS].index(described)


def tell(run_papers, telling, at):
    """Adds a record; one that is disputed must leave everything as it was."""
    record, asked_by, by_title = telling
    run_papers.read(records=[record], identifiers=asked_by)
    before = {paper_id: (dict(row), run_papers.identifiers(paper_id)) for paper_id, row in run_papers.rows.items()}
    try:
        paper_id = run_papers.add(record, fetched_at=at, also=asked_by, by_title=by_title)
        assert run_papers.current(paper_id) == paper_id
        assert record.arxiv_id is None or run_papers.rows[paper_id]["arxiv_id"] == record.arxiv_id
    except DisputedRecord:
        assert before == {
            paper_id: (row, run_papers.identifiers(paper_id)) for paper_id, row in run_papers.rows.items()
        }


@given(st.lists(st.lists(told(), min_size=1, max_size=4), min_size=1, max_size=6))
def test_whatever_sources_mix_up_a_paper_stays_the_work_that_it_was_first_described_as(runs):
    lake, works = Runs(), {}
    for number, run in enumerate(runs):
        at = T0 + number * DAY
        run_papers = lake.begin(at)
        for telling in run:
            tell(run_papers, telling, at)
        assert run_papers.new.isdisjoint(lake.papers), "a new paper overwrites none"
        rows = {row["paper_id"]: dict(row) for row in run_papers.paper_rows()}
        assert all(works.setdefault(paper_id, work_of(row)) == work_of(row) for paper_id, row in rows.items())
        assert all(count["citation_count"] // 1000 == works[count["paper_id"]] for count in run_papers.counts)
        lake.end(run_papers)
        papers = lake.papers.values()
        assert all(works[row["merged_into"] or row["paper_id"]] == works[row["paper_id"]] for row in papers)
        assert all(lake.papers[owner]["merged_into"] is None for owner in lake.owners.values())
        known = [row["arxiv_id"] for row in papers if row["arxiv_id"] and row["merged_into"] is None]
        assert len(known) == len(set(known)), "an arXiv identifier is of one paper"
