"""Single words, names, venues: when two spellings are one."""

import pytest

from sources.bibliography.names import compare_authors
from sources.bibliography.titles import fold
from sources.matching.relation import align
from sources.matching.word_match import compare_words
from standins.trials.word_swaps import OPPOSED
from tests.matrices import for_each


@pytest.mark.parametrize(
    ("written", "true", "match"),
    [
        pytest.param("optimisation", "optimization", "variant", id="British"),
        pytest.param("hypokalaemia", "hypokalemia", "variant", id="ae"),
        pytest.param("sulphate", "sulfate", "variant", id="ph for f"),
        pytest.param("inferences", "inference", "inflected", id="plural"),
        pytest.param("second", "2nd", "variant", id="ordinal"),
        pytest.param("ii", "2", "variant", id="roman"),
        pytest.param("vierter", "zweiter", "rival", id="two ordinals of another language"),
        pytest.param("nerual", "neural", "typo", id="letters swapped"),
        pytest.param("rematerializatio", "rematerialization", "typo", id="cut off"),
        pytest.param("wth", "with", "typo", id="a small word mistyped"),
        pytest.param("modes", "models", "misread", id="another word that differs by a letter"),
        pytest.param("ghosst", "ghost", "typo", id="a letter doubled in a word of few titles"),
        pytest.param("unsupervised", "supervised", "rival", id="opposite"),
        pytest.param("bart", "bert", "rival", id="two systems"),
        pytest.param("word", "world", "rival", id="two short words of their own"),
        pytest.param("hypokalemia", "hyperkalemia", "rival", id="two diseases"),
        pytest.param("daptive", "adaptive", "typo", id="the first letter lost"),
        pytest.param("irequality", "inequality", "typo", id="a slip in a prefix"),
        pytest.param("adalimumb", "adalimumab", "misread", id="a slip of what no lexicon has"),
        pytest.param("filling", "filing", "misread", id="a double letter that makes another word"),
    ],
)
def test_two_words_are_one_only_where_a_slip_or_a_spelling_explains_it(written, true, match):
    assert compare_words(written, true) == match


def test_a_coined_name_off_by_a_letter_is_doubtful_and_a_short_one_another():
    assert compare_words("dqqn", "dqn", own=True) == "rival"
    assert compare_words("tensorfloww", "tensorflow", own=True) == "misread"


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        pytest.param("scaling cnns", "scaling convolutional neural networks", id="acronym"),
        pytest.param("automatedmediacl coding", "automated medical coding", id="space lost and letters swapped"),
    ],
)
def test_words_align_across_spaces_acronyms_and_swaps(mine, theirs):
    alignment = align(mine.split(), theirs.split())
    assert not alignment.extra
    assert not alignment.missing


@for_each(
    ("written", "true", "agreement"),
    [
        (["Vaswani et al."], ["Ashish Vaswani", "Noam Shazeer"], "agree"),
        (["Hinton"], ["Alex Krizhevsky", "Ilya Sutskever", "Geoffrey E. Hinton"], "agree"),
        (["Wang et al."], ["Yue Wang", "Yongbin Sun"], "weak"),
        (["Goodfellow", "Bengio"], ["Kaiming He"], "conflict"),
        ([], ["Kaiming He"], "unknown"),
        (["Google"], ["Kaiming He"], "unknown"),
    ],
)
def test_authors_agree_by_who_is_named_not_by_how_or_in_what_order(written, true, agreement):
    assert compare_authors(written, true).agreement == agreement


@for_each("language", OPPOSED)
def test_opposed_prefixes_make_other_words_in_every_language(language):
    for pair in OPPOSED[language].split():
        one, other = map(fold, pair.split("/"))
        assert (compare_words(one, other), compare_words(other, one)) == ("rival", "rival"), pair
