"""Years and days: one pivot for two digits, one range, whoever reads them."""

from datetime import UTC, date, datetime

from sources.bibliography.identifiers import ArxivId
from sources.bibliography.years import days_in, full_year, is_year, last_year, year_alone, year_in, years_in
from sources.lists.reading.citation_parts import imprint_of
from tests.matrices import for_each

NEXT = datetime.now(UTC).year + 1


@for_each(
    ("digits", "last", "year"),
    [
        ("45", 2027, 1945),
        ("27", 2027, 2027),
        ("28", 2027, 1928),
        ("50", 2051, 2050),
    ],
)
def test_two_digits_mean_the_latest_year_that_is_not_after_the_next(digits, last, year):
    assert full_year(digits, last=last) == year
    assert (year_in("in '19"), year_in("18 年的"), imprint_of("Oakland'19").year) == (2019, 2018, 2019)
    assert years_in("SIGMOD'19") == {2019}


@for_each(("year", "sound"), [(1499, False), (1500, True), (NEXT, True), (NEXT + 1, False)])
def test_a_paper_is_from_1500_to_next_year(year, sound):
    assert is_year(year) is sound
    assert year_in(f"A title ({year})") == (year if sound else None)
    assert years_in(f"Phil. Trans. ({year})") == ({year} if sound else set())


@for_each(
    ("text", "year"),
    [
        ("Newton, I. (1687). Philosophiae naturalis", 1687),
        ("The Road to 2199", None),
        ("The Road to 2199 (2024)", 2024),
        ("pp. 1687-1699, 1999", 1999),
        ("(1996?)", 1996),
        ("2021-7-6", 2021),
        ("arXiv 2010.11929", None),
        ("1687", None),
    ],
)
def test_a_number_is_a_year_only_where_it_can_be_one(text, year):
    assert year_in(text) == year
    assert last_year(text) == year


@for_each(("text", "year"), [("1687", 1687), ("(1687)", 1687), ("19", 2019), ("98", 1998), ("3000", None)])
def test_a_field_for_years_may_hold_early_ones_and_two_digits(text, year):
    assert year_alone(text) == year


def test_a_page_is_no_year():
    assert years_in("J. Stat. 7 (1987) 1650; 2nd ed. 2020") == {1987, 2020}
    assert years_in("Phys. Lett. B 45, 1650 (1999)") == {1999}


@for_each(
    ("text", "days"),
    [
        ("arxiv-metadata-20240131.json", {date(2024, 1, 31)}),
        ("2018-02-13, read 2018/3/1", {date(2018, 2, 13), date(2018, 3, 1)}),
        ("2018年2月13日", {date(2018, 2, 13)}),
        ("2018-02-31", set()),
        ("120240131", set()),
    ],
)
def test_days_are_read_with_the_year_first(text, days):
    assert days_in(text) == days


@for_each(
    ("identifier", "year"),
    [
        ("hep-th/9108001", 1991),
        ("0704.0001", 2007),
        ("5101.00001", 2051),
    ],
)
def test_an_arxiv_identifier_tells_its_year_by_when_its_form_began(identifier, year):
    assert ArxivId.parse(identifier).year == year
