"""The two real clients, `arxiv` and `semanticscholar`, get right answers from the stand-ins."""

import arxiv
import pytest
from semanticscholar import SemanticScholar
from semanticscholar.SemanticScholarException import BadQueryParametersException, ObjectNotFoundException

ATTENTION = "204e3073870fae3d05bcbc2f6a8e263d9b72e776"


@pytest.fixture
def client(standins):
    client = arxiv.Client(page_size=5, delay_seconds=0, num_retries=0)
    client.query_url_format = standins.arxiv_url + "?{}"
    return client


@pytest.fixture
def scholar(standins):
    return SemanticScholar(api_url=standins.s2_url, retry=False)


def test_arxiv_reads_a_paper_whole(client):
    (paper,) = client.results(arxiv.Search(id_list=["1605.08386v1"]))
    assert (paper.get_short_id(), paper.title) == ("1605.08386v1", "Heat-bath random walks with Markov bases")
    assert [author.name for author in paper.authors] == ["Caprice Stanley", "Tobias Windisch"]
    assert (paper.primary_category, paper.categories) == ("math.CO", ["math.CO", "math.ST"])
    assert (paper.comment, paper.published.isoformat()) == ("20 pages, 3 figures", "2016-05-26T17:59:46+00:00")
    assert paper.pdf_url == "https://arxiv.org/pdf/1605.08386v1"


def test_arxiv_reads_doi_and_link(client):
    (paper,) = client.results(arxiv.Search(id_list=["2405.13786"]))
    assert paper.doi == "10.1109/ICSTW58534.2023.00023"
    assert "https://doi.org/10.1109/ICSTW58534.2023.00023" in [link.href for link in paper.links]


def test_arxiv_pages_through_a_search(client, standins):
    found = list(client.results(arxiv.Search(query="all:learning")))
    assert len(found) == len({paper.entry_id for paper in found}) > 10
    assert len(standins.requests("arxiv")) == -(-len(found) // 5)


def test_arxiv_turns_a_malformed_id_into_its_own_error(client):
    with pytest.raises(arxiv.HTTPError, match="400"):
        list(client.results(arxiv.Search(id_list=["abc"])))


def test_arxiv_finds_nothing_without_an_error(client):
    assert list(client.results(arxiv.Search(id_list=["0000.0000"]))) == []


def test_semanticscholar_reads_a_batch_and_names_what_is_missing(scholar):
    ids = ["ARXIV:1706.03762", "CorpusId:1", "DOI:10.1145/3065386", "ARXIV:1706.03762v2"]
    papers, missing = scholar.get_papers(ids, return_not_found=True)
    assert papers[0].title == "Attention Is All You Need"
    assert (papers[0].citationCount, papers[0].externalIds["ArXiv"]) == (136941, "1706.03762")
    assert papers[0].authors[0].name.endswith("Vaswani")
    assert missing == ["CorpusId:1", "ARXIV:1706.03762v2"]


def test_semanticscholar_reads_one_paper_with_every_field(scholar):
    paper = scholar.get_paper(ATTENTION)
    assert (paper.paperId, paper.year, paper.corpusId) == (ATTENTION, 2017, 13756489)
    assert paper.venue == "Neural Information Processing Systems"


def test_semanticscholar_searches_in_all_three_ways(scholar):
    relevant = scholar.search_paper("layer normalization", limit=10)
    bulk = scholar.search_paper('"layer normalization" | "fast r-cnn"', bulk=True, fields=["title"])
    best = scholar.search_paper("Layer Normalization", match_title=True)
    assert [paper.title for paper in relevant] == ["Layer Normalization"]
    assert {paper.title for paper in bulk} == {"Layer Normalization", "Fast R-CNN"}
    assert best.title == "Layer Normalization"


def test_semanticscholar_follows_bulk_tokens(standins_full):
    scholar = SemanticScholar(api_url=standins_full.s2_url, retry=False)
    found = scholar.search_paper("quantum", bulk=True, fields=["title"])
    assert len({paper.paperId for paper in found}) == found.total > 1000


def test_semanticscholar_raises_its_own_errors(scholar, standins):
    with pytest.raises(ObjectNotFoundException, match="Paper with id 0 not found"):
        scholar.get_paper("0")
    with pytest.raises(ObjectNotFoundException, match="Title match not found"):
        scholar.search_paper("zzz yyy xxx", match_title=True)
    with pytest.raises(BadQueryParametersException, match="No valid paper ids given"):
        scholar.get_papers(["CorpusId:1"])
    standins.require_key("right")
    with pytest.raises(PermissionError):
        SemanticScholar(api_url=standins.s2_url, api_key="wrong", retry=False).get_paper(ATTENTION)
