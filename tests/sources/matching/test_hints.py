"""What a mention tells beside its title, and what that settles for a nickname."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.matching.candidates import Candidate
from sources.matching.evidence import has_hint, title_in_link
from sources.matching.judge import judge
from sources.matching.mention_queries import search_titles_for
from sources.records import Mention
from tests.matrices import for_each

ZERO_PAGE = (
    "https://www.microsoft.com/en-us/research/publication/"
    "zero-memory-optimization-towards-training-a-trillion-parameter-models/"
)


def mention(title: str | None, **fields: Any) -> Mention:
    return Mention(**{"line": 1, "last_line": 1, "title": title, **fields})


@for_each(
    ("title", "url", "spelt_out"),
    [
        ("ZeRO", ZERO_PAGE, "zero memory optimization towards training a trillion parameter models"),
        (None, "https://papers.nips.cc/paper/7362-pointcnn-convolution-on-x-transformed-points",
         "pointcnn convolution on x transformed points"),
        ("LAMB", ZERO_PAGE, None),
        ("Ray", "https://a.example/blog/my-ray", None),
        ("ZeRO", "https://a.example/8f3a-bb21-77cc-90de-1f2e", None),
        ("ZeRO", "https://[bad/zero-memory-optimization-towards-training-models", None),
    ],
)  # fmt: skip
def test_a_link_spells_a_title_out_where_it_holds_the_name_and_words_enough(title, url, spelt_out):
    told = mention(title, url=url)
    assert title_in_link(told) == spelt_out
    assert spelt_out is None or search_titles_for(told) == (spelt_out,)


@given(st.text(max_size=300), st.text(max_size=80))
def test_no_text_and_no_address_makes_them_stumble(text, url):
    told = mention(None, text=text, url=url)
    has_hint(told)
    title_in_link(told)


COMPREHENSIONS = Candidate(
    source="arxiv",
    title="Tensor Comprehensions: Framework-Agnostic High-Performance Machine Learning Abstractions",
    authors=("Nicolas Vasilache", "Oleksandr Zinenko"),
    year=2018,
    published_on=date(2018, 2, 13),
    arxiv_id="1802.04730",
)
POINTCNN = Candidate(
    source="arxiv",
    title="PointCNN: Convolution On X-Transformed Points",
    authors=("Yangyan Li", "Rui Bu"),
    year=2018,
    arxiv_id="1801.07791",
)
ZERO = Candidate(
    source="arxiv",
    title="ZeRO: Memory Optimization Towards Training A Trillion Parameter Models",
    year=2019,
    arxiv_id="1910.02054",
)


@pytest.mark.parametrize(
    ("told", "paper", "status"),
    [
        (mention("Tensor Comprehensions", year=2018, text="2018.2.13 TR"), COMPREHENSIONS, "resolved"),
        (mention("Tensor Comprehensions", year=2018, text="2018.2.15"), COMPREHENSIONS, "ambiguous"),
        (mention("PointCNN", year=2018, url="https://yangyanli.github.io/PointCNN/"), POINTCNN, "resolved"),
        (mention("PointCNN", year=2018, url="https://github.com/LiYangyan/PointCNN"), POINTCNN, "resolved"),
        (mention("PointCNN", year=2018, url="https://github.com/other/PointCNN"), POINTCNN, "ambiguous"),
        pytest.param(mention("PointCNN"), POINTCNN, "ambiguous", id="a bare nickname"),
        (mention("ZeRO", url=ZERO_PAGE), ZERO, "resolved"),
    ],
)  # fmt: skip
def test_a_nickname_is_settled_by_what_stands_beside_it_and_never_alone(told, paper, status):
    assert judge(told, [paper]).status == status
