from __future__ import annotations

from standins.trials.rows import T0, WEEK, arxiv_paper, paper_row, run_row
from tests.matrices import for_each
from warehouse.loading.commit import Harvest, load
from warehouse.papers.citation_keys import base_key, give_keys, key_of
from warehouse.papers.lake_papers import KnownPapers
from warehouse.papers.paper_merge import RunPapers


@for_each(
    ("authors", "year", "title", "key"),
    [
        (["Ashish Vaswani"], 2017, "Attention Is All You Need", "vaswani2017attention"),
        (["Łukasz Kaiser"], 2017, "One Model To Learn Them All", "kaiser2017one"),
        (["Martin Luther King Jr."], 1963, "A Letter", "king1963letter"),
        (["The ATLAS Collaboration", "G. Aad"], 2012, "Observation of a New Particle", "atlas2012observation"),
        (["Collaboration, Planck"], 2018, "Planck 2018 Results", "planck2018planck"),
        (["García Márquez, Gabriel"], 1967, "Cien años", "garciamarquez1967cien"),
        (["John Smith, Ph.D."], 2001, "Sorting", "smith2001sorting"),
        (["DeepSeek-AI"], 2024, "DeepSeek-V3 Technical Report", "deepseekai2024deepseek"),
        ([], 2020, "On the Dangers of It", "anon2020dangers"),
        (["张伟"], 2020, "一种方法", "p1"),
        (["张伟"], 2020, "BERT 方法", "anon2020bert"),
        (["A. Smith"], None, "$O(n)$ Sorting", "smitho"),
    ],
)
def test_a_key_is_author_year_and_a_telling_word(authors, year, title, key):
    assert base_key(paper_row("p1", authors=authors, year=year, title=title)) == key


def nobody(_keys):
    return set()


def papers(*names, **told):
    return [paper_row(name, title="Attention Again", authors=["A. Vaswani"], year=2017, **told) for name in names]


def test_papers_that_would_share_a_key_get_one_each():
    keys = [row["citation_key"] for row in give_keys(papers("pbbbbbb", "paaaaaa"), nobody)]
    assert keys == ["vaswani2017attention-bbbbb", "vaswani2017attention"]


def test_a_key_that_the_lake_has_given_is_not_given_again():
    (row,) = give_keys(papers("pcccccc"), lambda keys: keys)
    assert row["citation_key"] == "vaswani2017attention-ccccc"


def test_papers_merged_away_get_no_key():
    (row,) = give_keys(papers("p1", merged_into="p2"), nobody)
    assert row["citation_key"] is None


def test_a_paper_from_before_keys_has_one_that_nobody_else_can_get():
    assert key_of(papers("pdddddd")[0]) == "vaswani2017attention-ddddd"
    assert key_of({**papers("pdddddd")[0], "citation_key": "x"}) == "x"


def refreshed(lake, number, *records):
    known = KnownPapers(lake)
    run_papers = RunPapers(known, now=T0 + number * WEEK)
    for record in records:
        run_papers.add(record, fetched_at=T0 + number * WEEK)
    rows = give_keys(run_papers.paper_rows(), known.citation_keys)
    load(lake, Harvest(papers=rows, paper_identifiers=run_papers.identifier_rows()), run_row(f"r{number}"))
    return dict(lake.execute("SELECT arxiv_id, citation_key FROM papers").fetchall())


def test_keys_stay_from_run_to_run_and_when_other_papers_come(lake):
    first = refreshed(lake, 1, arxiv_paper("1706.03762"))
    assert first == {"1706.03762": "vaswani2017attention"}
    second = refreshed(lake, 2, arxiv_paper("1706.03762", title="Needed: All Attention"), arxiv_paper("1701.00001"))
    assert second["1706.03762"] == "vaswani2017attention"
    assert second["1701.00001"].startswith("vaswani2017attention-")
    assert refreshed(lake, 3, arxiv_paper("1612.00001")) == second | {"1612.00001": "vaswani2016attention"}
