"""A venue has one name, whatever the year and however its texts are written."""

from sources.bibliography.venues import known_venues, same_venue, venue_name
from tests.matrices import for_each


@for_each(
    ("text", "key"),
    [
        ("NeurIPS 2018", "neurips"),
        ("NeurIPS", "neurips"),
        ("Proceedings of the 36th International Conference on Machine Learning", "icml"),
        ("Advances in Neural Information Processing Systems 31 (NeurIPS 2018)", "neurips"),
        ("ICML 2019 Workshop on Heaps", "icml workshop on heaps"),
        ("Findings of ACL", "findings of acl"),
        ("Acta Unknowniana", "acta unknowniana"),
        ("arXiv", None),
        ("arXiv.org", None),
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


def test_a_name_with_a_colon_in_it_is_one_name():
    assert same_venue("RSS", "Robotics: Science and Systems 2015")
    assert known_venues("Robotics: Science and Systems") == {"rss"}
