"""What people jot down: identifiers alone, boxes, names of files, several papers in a cell or on a line."""

from sources.lists.reading import parse_reading_list
from tests.matrices import for_each

NETS, ROADS = "Sparse Graph Networks for Traffic Forecasting", "A Survey of Road Detection in Aerial Images"
RIVERS = "River Discharge Estimation with Recurrent Neural Networks"


def read(text: str):
    return parse_reading_list(f"# Reading list\n\n{text}\n").mentions


def identifiers(text: str) -> list[str]:
    return [str(identifier) for mention in read(text) for identifier in mention.identifiers]


@for_each(
    ("text", "found"),
    [
        ("- [x] arXiv:1706.03762", ["arxiv:1706.03762"]),
        ("* 1706.03762", ["arxiv:1706.03762"]),
        ("- 10.1145/3341301.3359646", ["doi:10.1145/3341301.3359646"]),
        ("1706.03762 x read twice\n1810.04805 the second one\nhep-th/9711200 !", 3),
        ("1207.7214, 1207.7235 (two of a kind)", ["arxiv:1207.7214", "arxiv:1207.7235"]),
        ("10.1145/3341301.3359646\n10.1038/nature14539\n10.1126/science.aaa8415", 3),
        ("see https://arxiv.org/abs/1706.03762 for this\nhttps://arxiv.org/abs/1810.04805", 2),
        ("- [Paper cond-mat/0501002](https://arxiv.org/abs/cond-mat/0501002)", ["arxiv:cond-mat/0501002"]),
        ("- [Nets](https://dl-acm-org.ezproxy.example.edu/doi/10.1145/3341301.3359646)", 1),
        ("- [Nets](https://www.jstor.org.proxy.example.edu/stable/10.2307/1879431)", 1),
    ],
)
def test_an_identifier_is_a_mention_wherever_it_stands(text: str, found: list[str] | int):
    got = identifiers(text)
    assert len(got) == found if isinstance(found, int) else got == found


def test_a_number_with_decimals_is_no_identifier():
    table = "| system | throughput | loss |\n|---|---|---|\n| ours | 1706.0376 | 1203.1 |\n| theirs | 1012.3456 | 0.2 |"
    assert identifiers(table) == []
    assert identifiers("It took 1203.45 seconds, or 2012.12 of the others.") == []


@for_each(
    "text",
    [
        f"[ ] {NETS}\n[x] {ROADS}\n[ ] {RIVERS}",
        f"| week | papers |\n|---|---|\n| 1 | {NETS} <br> {ROADS} <br> {RIVERS} |\n| 2 | {NETS} II<br>{ROADS} II |",
        f"On maps: Smith et al. (2017) {NETS}; Jones et al. (2019) {ROADS}; Brown et al. (2020) {RIVERS}.",
    ],
)
def test_several_titles_in_one_place_are_read_one_by_one(text: str):
    assert [mention.title for mention in read(text)][:3] == [NETS, ROADS, RIVERS]


@for_each(
    ("entry", "title", "authors", "year"),
    [
        ("[[Gainza_et_al_2020_Sparse_Graph_Networks.pdf]]", "Sparse Graph Networks", ("Gainza",), 2020),
        (f"[[Okashah et al. - 2019 - {NETS}.pdf]]", NETS, ("Okashah",), 2019),
        (f"[[Jumper - 2021 - {NETS}]]", NETS, ("Jumper",), 2021),
        (f"[[henzingerSparseGraph2002|{NETS}]]", NETS, ("Henzinger",), 2002),
        (f"Melissa Dell: {NETS} (2010)", NETS, ("Melissa Dell",), 2010),
        (f"Müller, Hans: {NETS}. In: Archiv 23 (1983), S. 110–145", NETS, ("Müller, Hans",), 1983),
        (f"LURIA, Salvador E. ; DELBRÜCK, Max: {NETS}. In: Genetics 28 (1943)", NETS, None, 1943),
    ],
)
def test_people_in_front_of_a_title_are_its_authors(entry: str, title: str, authors: tuple[str, ...], year: int):
    (found,) = read(f"- {entry}")
    assert (found.title, found.year) == (title, year)
    assert authors is None or found.authors == authors


@for_each(
    ("entry", "title", "year"),
    [
        ("Dell (2010), The Effects of Mining, Econometrica, 78(6), 1863-1903", "The Effects of Mining", 2010),
        ("Coat, J. (2012). Railways in Peru, 1900-1950. J. of Rails, 44(2), 9-96.", "Railways in Peru, 1900-1950",
         2012),
        ("Smith, J. On Things in Economics. Accessed 3 May 2017. https://www.nber.org/papers/w1234", None, None),
        ("[DFloat11: 70% Size, 100% Right](https://arxiv.org/abs/2504.11651)", "DFloat11: 70% Size, 100% Right", None),
    ],
)  # fmt: skip
def test_a_year_is_where_a_citation_has_it(entry: str, title: str | None, year: int | None):
    (found,) = read(f"- {entry}")
    assert found.year == year
    assert title is None or found.title == title


def test_a_head_of_notes_makes_no_note_of_a_papers_link():
    rows = f"| {NETS} | [link](https://arxiv.org/abs/1706.03762) |\n| {ROADS} | [my notes](./roads.md) |"
    first, second = read(f"| Title | Notes and links |\n|---|---|\n{rows}")
    assert (first.arxiv_id, first.notes, second.notes) == ("1706.03762", (), ("./roads.md",))
