"""A venue has one name, whatever the year and however its texts are written."""

from sources.bibliography.venues import same_venue, venue_name
from tests.matrices import for_each


@for_each(
    ("text", "key"),
    [
        ("NeurIPS 2018", "neurips"),
        ("Proceedings of the 36th International Conference on Machine Learning", "icml"),
        ("Advances in Neural Information Processing Systems 31 (NeurIPS 2018)", "neurips"),
        ("ICML 2019 Workshop on Heaps", "icml workshop on heaps"),
        ("Findings of ACL", "findings of acl"),
        ("Acta Unknowniana", "acta unknowniana"),
        ("arXiv", None),
        ("CoRR", None),
        ("", None),
    ],
)
def test_a_venue_has_one_name_whatever_the_year(text, key):
    name = venue_name(text)
    assert (name and name.key) == key


def test_a_name_is_written_without_its_year():
    assert [venue_name(text).written for text in ("VLDB 2020", "VLDB", "The 12th Heap Symposium")] == [
        "VLDB",
        "VLDB",
        "Heap Symposium",
    ]


@for_each(
    ("written", "true", "same"),
    [
        ("NIPS", "NeurIPS 2017", True),
        ("UAI", "Uncertainty in Artificial Intelligence", True),
        ("RSS", "Robotics: Science and Systems 2015", True),
        ("ICML", "ICLR 2019", False),
        ("arXiv", "arXiv.org", False),
        (None, "ICML", False),
    ],
)
def test_venues_agree_by_acronym_name_or_initials(written, true, same):
    assert same_venue(written, true) is same
