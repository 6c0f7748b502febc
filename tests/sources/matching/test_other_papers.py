"""Titles of many fields and languages that name another paper than the only one at hand, by more than a letter."""

import pytest

from sources.matching.candidates import Candidate
from sources.matching.judge import judge
from sources.records import Mention
from tests.matrices import for_each

PEOPLE = ("Jane Doe", "Ada Roe")

BY_A_YEAR = [
    ("Schistosomiasis: epidemiology in rural Kenya", "Schistosomiasis: epidemiology in urban Kenya"),
    pytest.param("KRAS: mutations in colorectal cancer patients from Norway",
                 "NRAS: mutations in colorectal cancer patients from Norway", id="two genes"),
    ("The trial on aspirin in older persons", "The trial on aspirin in older persons: study protocol"),
    pytest.param("Accelerating Dynamic Graph Analytics on GPUs",
                 "Accelerating Dynamic Graph Analytics on GPUs: Extended Abstract", id="an abstract of it"),
    ("Zakat, Inequality and Growth in Rural Pakistan", "Inequality and Growth in Rural Pakistan"),
    ("mRNA Vaccines against Influenza in Older Adults", "Vaccines against Influenza in Older Adults"),
    pytest.param("Stem Cells: The Good, the Bad and the Ugly",
                 "The Good, the Bad and the Ugly: Evaluation of Wi-Fi Steganography", id="each has a part of its own"),
    pytest.param("Deep Supervised Discrete Hashing", "Deep Discrete Supervised Hashing", id="words in another order"),
    ("Synthesis of (+)-strychnine in ten steps", "Synthesis of (\u2212)-strychnine in ten steps"),
    ("The Sobolev inequality on noncompact manifolds", "The Sobolev inequality on compact manifolds"),
    ("A substochastic approximation of branching processes", "A stochastic approximation of branching processes"),
    pytest.param("Technology transfer from universities to industry in Scandinavia",
                 "Technology transfer to universities from industry in Scandinavia", id="from and to"),
    pytest.param("Rezension: The Origins of Totalitarianism", "The Origins of Totalitarianism", id="a review, German"),
    ("Рецензия: История русской философии в эмиграции", "История русской философии в эмиграции"),
    pytest.param("书评：中国哲学史新编导论", "中国哲学史新编导论", id="a review, Chinese"),
    ("Berichtigung zu: Über die Erhaltung der Energie in Gasen", "Über die Erhaltung der Energie in Gasen"),
]  # fmt: skip

BY_THE_SAME_PEOPLE = [
    ("Phase I trial of sunitinib in renal carcinoma", "Phase II trial of sunitinib in renal carcinoma"),
    pytest.param("Contributions to the theory of sets V", "Contributions to the theory of sets VI", id="V and VI"),
    pytest.param("Contributions to the theory of sets", "Contributions to the theory of sets, I", id="none and I"),
    pytest.param("Louis XIV and the Huguenots of Languedoc", "Louis XVI and the Huguenots of Languedoc", id="kings"),
    pytest.param("関孝和の数学について", "関孝和の数学について（訂正）", id="a correction, Japanese"),
    pytest.param("Grundzüge der Mengenlehre, Erster Teil", "Grundzüge der Mengenlehre", id="a part, German"),
]  # fmt: skip


def status(title, candidate, **told):
    known = Candidate(source="s2", title=candidate, authors=PEOPLE, year=2017)
    return judge(Mention(line=1, last_line=1, title=title, **told), [known]).status


@for_each(("one", "other"), BY_A_YEAR)
def test_a_title_of_another_paper_is_not_resolved_by_itself_nor_by_its_year(one, other):
    found = [status(*titles, **told) for titles in ((one, other), (other, one)) for told in ({}, {"year": 2017})]
    assert "resolved" not in found


@for_each(("one", "other"), BY_THE_SAME_PEOPLE)
def test_a_title_of_another_part_is_not_resolved_by_the_people_of_both(one, other):
    told = {"authors": PEOPLE[:1], "year": 2017}
    assert "resolved" not in [status(*titles, **told) for titles in ((one, other), (other, one))]


@pytest.mark.parametrize(
    ("title", "candidate", "told"),
    [
        pytest.param("Real-Time Dense Monocular SLAM with Learned Depth Prediction",
                     "CNN-SLAM: Real-Time Dense Monocular SLAM with Learned Depth Prediction", {}, id="no name"),
        pytest.param("ResNet Deep Residual Learning for Image Recognition",
                     "Deep Residual Learning for Image Recognition", {"authors": ("Jane Doe",)},
                     id="a name that nothing parts from the title, and its people"),
        pytest.param("DeepRacer: Educational Autonomous Racing Platform for Reinforcement Learning",
                     "DeepRacer: Autonomous Racing Platform for Reinforcement Learning",
                     {"year": 2017}, id="a system's name, and the year"),
        pytest.param("Human mobility patterns at the smallest scales", "mobility Human patterns at the smallest scales",
                     {"year": 2017}, id="words in another order of a long title, and the year"),
        ("PyTorch Automatic differentiation in PyTorch", "Automatic differentiation in PyTorch", {}),
        pytest.param("DAKRS: Differentiable Architecture Search in Pieces",
                     "DARKS: Differentiable Architecture Search in Pieces", {"year": 2017},
                     id="a name in capitals with two letters in the other order"),
        pytest.param("Component-by-Component Construction of Rank-1 Latitce Rules",
                     "Component-by-Component Construction of Rank-1 Lattice Rules", {}, id="a word hyphened to itself"),
    ],
)  # fmt: skip
def test_what_carries_a_title_that_is_not_the_same_still_does(title, candidate, told):
    assert status(title, candidate, **told) == "resolved"
