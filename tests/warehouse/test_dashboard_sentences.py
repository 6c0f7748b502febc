"""What the page says is true of what is chosen, also where little is known: each test failed before it was mended."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime

import pytest

from standins.trials.browser import Visit, visit
from standins.trials.rows import (
    T0,
    WEEK,
    cited_row,
    count_row,
    fill,
    identifier_row,
    list_row,
    mention_row,
    outside_row,
    paper_row,
    reference_row,
    work_row,
)
from warehouse.dashboard.page import publish
from warehouse.lake.session import open_lake
from warehouse.query.citations import unknown_works

pytestmark = pytest.mark.slow

ARABIC = "قائمة القراءة"
NAMES = [f"p{number:02}" for number in range(60)]
VENUES = ["NeurIPS 2018", "Neural Information Processing Systems", "ACL 2019", "NAACL 2020", None]
OLD = datetime(2025, 12, 20, tzinfo=UTC)
"""When OpenAlex told of the first half of the papers: 2024 was the last full year of them."""


def rich(place):
    """Makes a lake of two lists whose papers do not cite each other, but 60 works that neither list names.

    The first half has a category. p00 and p30 take off, told of before and after the turn of the year; p59 gains much
    more than the others. The second list could not be read when last tried. Entries without a paper: 6 of 2018, 4
    without a year.
    """
    papers, works, cited, counts, identifiers = [], [], [], [], []
    for number, name in enumerate(NAMES):
        category = "cs.DB" if number < 30 else None
        papers.append(
            paper_row(
                name, title=f"About {'trees' if number % 2 else 'logs'} {name}", year=2017 + number % 2,
                primary_category=category, categories=[category] if category else [], fields_of_study=["cs"],
                authors=["Ada Heap"] if number % 3 else ["Heap Ada-Lovelace", "Bo Adams"], citation_count=200 - number,
                counted_at=T0, venue=VENUES[number % 5], doi=f"10.1000/{name}",
            )
        )  # fmt: skip
        told = OLD if number < 30 else T0
        works.append(
            work_row(
                name, openalex_id=f"W{number + 1000}", citation_count=90, topics=["cs"], year=2018, refreshed_at=told
            )
        )
        later, earlier = (90, 20) if number in (0, 30) else (30, 30)
        cited += [cited_row(name, told.year - 1, later), cited_row(name, told.year - 2, earlier)]
        pace = 9 if number == 59 else 0
        counts += [count_row(name, T0 + week * WEEK, 100 + pace * week + (week > 6)) for week in range(9)]
        counts += [count_row(name, T0 + week * WEEK, 90 + week, source="openalex") for week in range(9)]
        identifiers.append(identifier_row(name, "openalex", f"W{number + 1000}"))
    unknown = [reference_row(name, "W77") for name in NAMES[:3]]  # a work that nobody looked up
    references = unknown + [
        reference_row(NAMES[(7 * work + place) % 60], f"W{work + 1}") for work in range(60) for place in range(6)
    ]
    outside = [
        outside_row(f"W{work + 1}", title=f"Missing work {work}", year=1990, citation_count=20) for work in range(60)
    ]
    mentions = [mention_row(f"a-{name}", list_id="a", paper_id=name, line=line) for line, name in enumerate(NAMES, 1)]
    mentions += [
        mention_row(f"b-{name}", list_id="b", paper_id=name, line=line) for line, name in enumerate(NAMES[:6], 1)
    ]
    mentions += [
        mention_row(f"x{number}", list_id="a", line=90 + number, status="not_found", year=2018 if number < 6 else None)
        for number in range(10)
    ]
    lists = [list_row("a", title=ARABIC), list_row("b", title="List B", fault="gone")]
    return fill(
        place, reading_lists=lists, papers=papers, mentions=mentions, openalex_works=works, citations_by_year=cited,
        citation_counts=counts, paper_identifiers=identifiers, paper_references=references, outside_works=outside,
    )  # fmt: skip


@pytest.fixture(scope="module")
def rich_lake(empty_lake, tmp_path_factory):
    return rich(empty_lake(tmp_path_factory.mktemp("rich") / "lake"))


@pytest.fixture(scope="module")
def rich_page(rich_lake, tmp_path_factory):
    return publish(rich_lake, tmp_path_factory.mktemp("rich_page")).page


@pytest.fixture
def at(at, rich_page):
    """Returns the rich page at what follows `#` in its address."""
    return lambda address="": at(rich_page, address).page


def says(page, panel):
    return page.inner_text(f"#{panel}-says")


def glance(page):
    names, values, notes = (
        page.locator(f"#glance {part}").all_inner_texts() for part in ("dt", "dd:not(.note)", ".note")
    )
    return {name: (value, note) for name, value, note in zip(names, values, notes, strict=True)}


# who tells


def test_a_page_for_others_names_those_whose_counts_it_draws(browser, rich_lake, tmp_path):
    with visit(browser, publish(rich_lake, tmp_path, terms="cc0").page) as visited:
        assert says(visited.page, "history").endswith("to 26 Apr 2026, by OpenAlex.")
        assert "higher is cited more, by OpenAlex" in says(visited.page, "map")
        assert "Semantic Scholar" not in visited.page.inner_text("main")
    assert visited.said == []


def test_papers_that_do_not_cite_each_other_are_not_unknown(at):
    assert "None of the papers of this page cites another, by the references of 60 of 60 papers" in says(at(), "map")


def test_years_that_differ_from_paper_to_paper_stand_beside_each_count(at):
    page = at()
    heads = page.locator("#growth th").all_inner_texts()
    assert heads[2:4] == ["Last full year", "Year before"]
    rows = page.eval_on_selector_all(
        "#growth tbody tr", "all => all.map(row => [0, 2, 3].map(at => row.cells[at].textContent))"
    )
    assert sorted(rows) == [
        ["About logs p00", "90 in 2024", "20 in 2023"], ["About logs p30", "90 in 2025", "20 in 2024"],
    ]  # fmt: skip
    assert "the last full year that is known beside the year before" in says(page, "growth")
    assert "Of 30 papers it told before 2026: what they received since then is not in it." in says(page, "cited")


# what the choice leaves out


def test_no_coverage_is_told_of_a_category(at):
    page = at("category=cs.DB")
    assert glance(page)["Coverage"] == ("–", "not known by category")
    assert glance(page)["Mentions"] == ("36", "10 more without a paper, category unknown")
    left_out = "Left out: 10 mentions without a paper, of which no category is known."
    assert left_out in page.inner_text("figure:has(#coverage)")
    assert says(page, "unresolved") == f"None here. {left_out}"
    assert "%" not in page.inner_text("figure:has(#coverage)")


def test_mentions_without_a_year_are_said_to_be_left_out_of_years(at):
    page = at("from=2018")
    assert glance(page)["Coverage"] == ("85 %", "of mentions of known year have their paper")
    assert glance(page)["Mentions"] == ("39", "6 without a paper yet, 4 more of unknown year")
    left_out = "Left out: 4 mentions without a paper, of which no year is known."
    assert left_out in says(page, "coverage")
    assert left_out in says(page, "unresolved")
    assert "Left out" not in at().inner_text("main")


def test_of_how_many_missing_works_some_are_shown(at, rich_lake):
    assert "5 of 60 are shown, 30 in Numbers below." in says(at(), "missing")
    with closing(open_lake(rich_lake)) as connection:
        works = unknown_works(connection, ["all"])["works"]
    assert f"Not looked up yet: {works} work that may be missing." in says(at(), "missing")
    assert "None of the 30 likeliest of 60 works missing from the lists came out in the years chosen" in at(
        "from=2018"
    ).inner_text("#missing")


def test_a_missing_work_says_its_share_of_the_papers_and_where_they_stand(at):
    first = at().locator("#missing li").first.inner_text()
    assert "20 citations in all · linked at least " in first
    assert f"cited here by 6 of 60 papers with known references (10\u00a0%), 6 in \u2068{ARABIC}\u2069:" in first


def test_what_is_well_known_is_missing_apart(browser, published, tmp_path):
    names = [f"p{number:03}" for number in range(150)]
    page = published(
        tmp_path,
        papers=[paper_row(name, title=name) for name in names],
        mentions=[mention_row(name, paper_id=name, line=line) for line, name in enumerate(names, 1)],
        paper_references=[reference_row(name, "W1") for name in names]
        + [reference_row(name, "W2") for name in names[:9]],
        outside_works=[
            outside_row("W1", title="Known to all", citation_count=12_000),
            outside_row("W2", title="Known to few", citation_count=60),
        ],
    )
    with visit(browser, page) as visited:
        assert visited.page.inner_text("#missing h3") == "Well known: 10,000 citations or more"
        groups = visited.page.locator("#missing ol").all_inner_texts()
    assert ["Known to few" in groups[0], "Known to all" in groups[1], len(groups)] == [True, True, 2]


def test_all_marks_of_the_map_are_counted_by_one_source(at):
    page = at()
    assert "higher is cited more, by OpenAlex. Hollow marks are works missing from the lists." in says(page, "map")
    page.evaluate("document.getElementById('map-numbers').open = true")
    page.wait_for_selector("#map-numbers tbody tr")
    counts = page.eval_on_selector_all("#map-numbers tbody tr", "rows => rows.map(row => row.cells[2].textContent)")
    assert counts == ["90"] * 60  # Semantic Scholar counts 141 to 200


def test_terms_of_a_choice_are_those_of_the_whole_page(at):
    page = at("from=2018")
    assert "all of 2018: a trend takes several years" in page.inner_text("figure:has(#terms)")
    among = "Looked at: the 2 terms that move most among all papers of the page."
    assert among in at("category=cs.DB").inner_text("figure:has(#terms)")
    assert "two years with 10 papers each; here no year has" in at("list=b").inner_text("figure:has(#terms)")
    assert "Looked at" not in at().inner_text("figure:has(#terms)")


def test_no_trend_rests_on_years_with_few_papers(browser, published, tmp_path):
    papers = []
    for number in range(76):
        year = 2001 + number // 2 if number < 16 else 2018 + number % 2
        rare = "Provenance" if number < 16 or number % 10 < 2 else "Things"
        common = "quorums" if number > 15 and number % 30 in (1, 3, 5, 7, 11, 13, 15, 17, 18, 19, 21, 23) else "parts"
        papers.append(paper_row(f"p{number}", title=f"{rare} thing{number} in {common}", year=year))
    mentions = [mention_row(f"m{at}", paper_id=f"p{at}", line=at + 1) for at in range(76)]
    with visit(browser, published(tmp_path, papers=papers, mentions=mentions)) as visited:
        assert says(visited.page, "terms").startswith("Rising most clearly: “quorums”. Share of your lists' papers")
        assert "no trend rests on them" in says(visited.page, "terms")


def test_the_words_of_a_choice_tell_the_table_s_search_apart(at):
    page = at("q=trees&list=a")
    assert (
        page.locator("#choice-words").text_content()
        == f"Chosen: list \u2068{ARABIC}\u2069; in the table papers that match “trees”."
    )


def test_what_an_address_has_that_the_page_has_not_is_named_and_not_chosen(at):
    page = at("list=b&category=cs.ZZ&from=20x5&sort=foo&color=red")
    named = "category “cs.ZZ”, from “20x5”, sort “foo” and color “red”"
    assert page.inner_text("#refusal") == f"Not chosen, as this page does not have it: {named}."
    assert page.input_value("select[name=list]") == "b"
    page = at("sort=constructor&open=zz&a=qq&b=rr&by=zz&page=-1&paper=p&split=x&section=<img src=x>")
    assert page.get_attribute("#reset", "aria-disabled") == "true"
    assert page.get_attribute("#papers-table th[data-column=citations]", "aria-sort") == "descending"


# bars lead to their own papers


@pytest.mark.parametrize(
    ("panel", "name", "papers"), [("people", "Ada Heap", 40), ("venues", "ACL", 12), ("venues", "NeurIPS", 24)]
)
def test_a_bar_leads_to_its_papers_alone(at, panel, name, papers):
    page = at()
    labels = page.locator(f"#{panel} svg .role-axis-label text").all_text_contents()
    names = [label for label in labels if not label.isdigit()]
    with Visit(page).redrawn():
        page.locator(f"#{panel} svg .mark-rect path").nth(names.index(name)).click(force=True)
    assert says(page, "papers").startswith(f"{papers} papers matching")
    page.wait_for_function("document.getElementById('papers').getBoundingClientRect().top < innerHeight / 2")


def test_a_search_finds_the_name_under_which_a_venue_is_shown(at):
    assert says(at("q=neurips"), "papers").startswith("24 papers")


def test_the_table_says_what_its_ranks_compare(at):
    assert at("from=2018").inner_text("#rank-says") == (
        "Rank: places won (▲) or lost (▼) by citations between 1 Mar 2026 and 26 Apr 2026, recounts left out, "
        "among the 60 papers of this page that were counted by then, whatever is chosen."
    )


# health


def test_a_list_that_could_not_be_read_is_named(at):
    page = at("list=b")
    assert "1 list that could not be read when last tried" in says(page, "health")
    assert page.inner_text("#unread").startswith("List B could not be read when last tried")
    assert "could not be read" not in at("list=a").inner_text("#unresolved")


def test_a_print_is_drawn_anew_and_keeps_colours_and_proportions(browser, rich_page):
    with visit(browser, rich_page, viewport={"width": 1440, "height": 900}) as visited:
        page = visited.page
        width = "document.querySelector('#map svg').viewBox.baseVal.width"
        page.evaluate(f"addEventListener('beforeprint', () => {{ window.printed = {width}; }})")
        before = page.evaluate(width)
        page.pdf()
        assert page.evaluate("window.printed") < 700 < before
        page.wait_for_function(f"{width} === {before}")
        page.emulate_media(media="print")
        page.set_viewport_size({"width": 700, "height": 900})
        swatch = page.locator("#coverage-legend .swatch").first
        assert swatch.evaluate("one => getComputedStyle(one).printColorAdjust") == "exact"
        drawn, wanted = page.locator("#compare svg").evaluate(
            "one => [one.getBoundingClientRect(), one.viewBox.baseVal].map(box => box.width / box.height)"
        )
        assert drawn == pytest.approx(wanted, rel=0.02)


# drawn as meant


WIDER_THAN_SHOWN = "all => all.filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.id)"


def test_no_figure_is_cut_off_on_a_narrow_screen(browser, rich_page):
    with visit(browser, rich_page, viewport={"width": 320, "height": 900}) as visited:
        assert visited.page.eval_on_selector_all("#growth, #rising, #unresolved-scroll", WIDER_THAN_SHOWN) == []
        assert visited.page.evaluate("document.documentElement.scrollWidth") <= 320


CUT_OFF = """all => all.filter(one => one.offsetParent && !one.closest(".unseen")
  && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== "visible")
  .map(one => one.outerHTML.slice(0, 80))"""
RIGHT_ENDS = "all => all.map(one => one.getBoundingClientRect().right)"


def test_at_200_percent_nothing_is_cut_and_no_figure_stands_beside_a_gap(browser, rich_page):
    with visit(browser, rich_page, viewport={"width": 640, "height": 450}, device_scale_factor=2) as visited:
        assert visited.page.evaluate("document.documentElement.scrollWidth") == 640
        assert visited.page.eval_on_selector_all("body *", CUT_OFF) == []
        whole, last = visited.page.eval_on_selector_all("#glance, #glance div:last-child", RIGHT_ENDS)
        assert last == pytest.approx(whole, abs=1.5)


def test_on_a_phone_an_interval_stands_above_its_words(browser, rich_page):
    with visit(browser, rich_page, viewport={"width": 390, "height": 844}) as visited:
        box = visited.page.locator("#growth .interval").first.bounding_box()
    assert box["width"] <= 80  # its lines are in the middle of it


def test_the_lists_without_a_line_are_not_summed_beside_single_ones(browser, published, tmp_path):
    names, lists = [f"p{number}" for number in range(11)], [f"l{number:02}" for number in range(11)]
    page = published(
        tmp_path,
        reading_lists=[list_row(one, title=f"List {one}") for one in lists],
        papers=[paper_row(name, title=name) for name in names],
        mentions=[mention_row(name, list_id=one, paper_id=name) for name, one in zip(names, lists, strict=True)],
        citation_counts=[count_row(name, T0 + week * WEEK, 10 + week) for name in names for week in range(3)],
    )
    with visit(browser, page) as visited:
        drawn = visited.page.locator("#history-legend").inner_text()
        assert "others" not in drawn
        assert drawn.count("List l") == len(visited.numbers("history")[0]) - 1 < len(lists)
        assert f"The 5 with most papers of {len(lists)} have a line." in visited.says("history")
