"""Whether two descriptions are of one paper: by title and people, as versions, namesakes and lists have them."""

from sources.bibliography.identifiers import Identifier
from sources.records import ArxivPaper, S2Paper
from sources.services.agreement import Description, bears, compare, is_surely_one
from tests.matrices import for_each

RESNET = Description(
    title="Deep Residual Learning for Image Recognition", authors=("Kaiming He", "Xiangyu Zhang"), year=2015
)
ADAM = Description(title="Adam: A Method for Stochastic Optimization", authors=("Diederik P. Kingma",), year=2014)


def told(title=RESNET.title, authors=RESNET.authors, year=2015, **more):
    return Description(title=title, authors=authors, year=year, **more)


@for_each(
    ("other", "stand"),
    [
        (ADAM, "disagree"),
        (told("Deep residual learning for image recognition."), "agree"),
        (told(authors=("K. He", "X. Zhang", "Shaoqing Ren")), "agree"),
        (told(authors=("Diederik P. Kingma", "Jimmy Ba")), "disagree"),
        (told("Deep Residual Learning of Images"), "agree"),
        (told("Ultra-deep Nets by Shortcut Connections", year=2016), "renamed"),
        (told("Ultra-deep Nets by Shortcut Connections", year=2021), "disagree"),
        (told("深度残差学习用于图像识别", authors=()), "unknown"),
        (told("基于卷积神经网络的人脸识别方法研究", authors=("Wei Zhou", "Fang Liu")), "disagree"),
        (told("基于卷积神经网络的人脸识别方法研究", authors=("周伟",)), "unknown"),
        (told("基于卷积神经网络的人脸识别方法研究", authors=("周伟",), year=2021), "disagree"),
        (told(f"{RESNET.title}, Part II"), "renamed"),
        (told(f"Revisiting {RESNET.title}", year=2021), "disagree"),
        (told(None), "unknown"),
    ],
)
def test_titles_and_people_tell_one_paper_from_another(other, stand):
    assert compare(RESNET, other) == stand


@for_each(
    ("title", "stand"),
    [
        ("ResNet", "unknown"),
        ("GPT-3: 175B", "unknown"),
        ("Deep Residual Learning", "agree"),
        ("Deep Residual Learning for Image Recognition, Part 1", "unknown"),
        ("Adam: A Method for Stochastic Optimization", "disagree"),
    ],
)
def test_a_lists_nickname_says_nothing_and_its_title_does(title, stand):
    assert compare(Description(title=title, listed=True), RESNET) == stand


@for_each("name", ["Microsoft", "Jane Doe"])
def test_a_list_may_name_an_organisation_or_somebody_else_for_the_authors(name):
    assert compare(told(authors=(name,), listed=True), RESNET) == "agree"


def test_a_record_bears_what_stands_in_it():
    doi, corpus = Identifier("doi", "10.1000/ABC"), Identifier("corpus", "7")
    record = S2Paper(s2_paper_id="a" * 40, corpus_id=7, title="T", arxiv_id="1512.03385",
                     identifiers=(Identifier("doi", "10.1000/abc"), Identifier("s2", "b" * 40)))  # fmt: skip
    for one in (doi, corpus, Identifier("s2", "a" * 40), Identifier("arxiv", "1512.03385")):
        assert bears(record, one)
    for one in (Identifier("s2", "b" * 40), Identifier("corpus", "8"), Identifier("acl", "P18-1001")):
        assert not bears(record, one)
    assert bears(ArxivPaper(arxiv_id="1512.03385", title="T"), Identifier("arxiv", "1512.03385"))


@for_each(
    ("title", "other", "is_one"),
    [
        ("Quantum Groups", "Quantum groups.", True),
        ("Quantum Groups: Crystals and Bases", "Quantum Groups", True),
        ("Modelling Colour in Visual Queries", "Modeling Color in Visual Queries", True),
        ("Quantum Groups", "Quantum Groups. II", False),
        ("Quantum Groups", "Quantum Groups, Part 2", False),
        ("Quantum Groups", "Correction to: Quantum Groups", False),
        ("The Geometry of Moduli Spaces of Curves", "The Geometry of Moduli Spaces of Sheaves", False),
    ],
)
def test_beside_a_doi_title_and_people_must_be_the_same(title, other, is_one):
    known = told(title)
    assert is_surely_one(known, told(other)) is is_surely_one(told(other), known) is is_one
    assert not is_surely_one(known, told(other, authors=ADAM.authors))


def test_a_title_that_many_works_bear_needs_people_and_year():
    for title in ("Editorial", "Introduction to the Special Issue", "Vorwort"):
        assert is_surely_one(told(title), told(title))
        assert not is_surely_one(told(title), told(title, year=2016))
        assert not is_surely_one(told(title), told(title, authors=()))
