"""The page in a real browser: drawn, filtered, searched, sorted, downloaded, restored, and closed to all else."""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import timedelta
from itertools import pairwise

import pytest

from standins.trials.browser import visit
from standins.trials.dashboard_lake import BEGIN, Told, made_up, make_lake, paper_id_of
from standins.trials.rows import cited_row, count_row, list_row, mention_row, paper_row, run_row, work_row
from warehouse.dashboard.page import publish
from warehouse.lake.place import LakePlace
from warehouse.lake.session import writing
from warehouse.loading.commit import Harvest, load
from warehouse.query.bibliography import bibtex
from warehouse.query.export import select
from warehouse.query.read_only import run_query

pytestmark = pytest.mark.slow

CHARTS = ["cited", "history", "years", "topics", "sections", "venues", "overlap", "coverage"]
HOSTILE = [
    "<img src=x onerror=alert(1)> as a title",
    "</script><script>alert(2)</script>",
    "<!-- <script> ' \" & ${alert(3)} {{ 7 * 7 }}",
    '=HYPERLINK("http://evil.example","click")',
]
HOSTILE_LIST = "</script><img src=x onerror=alert(4)>"


def hostile_papers():
    for number, title in enumerate(HOSTILE):
        yield Told(
            title=title,
            authors=["Mallory <b>", "Eve; Drop"],
            year=2020 + number,
            arxiv_id=f"2001.0000{number}",
            category="cs.CR",
            venue="<svg onload=alert(5)>",
            doi="10.1/<script>?#&",
        )


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = LakePlace.of(tmp_path_factory.mktemp("page") / "lake")
    make_lake(place, [*hostile_papers(), *made_up(150)], lists=3, weeks=6)
    listed = list_row("hostile", title=HOSTILE_LIST, location="javascript:alert(6)", first_seen_at=BEGIN)
    mentions = [
        mention_row("h1", list_id="hostile", paper_id=paper_id_of(10), section=["<i>", "onclick=alert(7)"]),
        mention_row(
            "h2", list_id="hostile", title=HOSTILE[0], url="javascript:alert(8)", status="failed", reason="<b>"
        ),
    ]
    with writing(place) as connection:
        papers = [name for (name,) in connection.execute("SELECT paper_id FROM papers ORDER BY ALL").fetchall()][::2]
        works = [work_row(name, refreshed_at=BEGIN, citation_count=99) for name in papers]
        cited = [cited_row(name, 2020 + number % 6, 10 + number) for number, name in enumerate(papers)]
        harvest = Harvest(reading_lists=[listed], mentions=mentions, openalex_works=works, citations_by_year=cited)
        load(connection, harvest, run_row("hostile"))
    return place


@pytest.fixture(scope="module")
def page_file(place, tmp_path_factory):
    return publish(place, tmp_path_factory.mktemp("out")).page


@pytest.fixture
def open_page(at, page_file):
    """The page with nothing chosen."""
    return at(page_file)


def asked(place, sql):
    return [tuple(row.values()) for row in run_query(place, sql).to_pylist()]


def drawing(page, chart):
    return page.inner_html(f"#{chart}")


def titles(page):
    return page.eval_on_selector_all("#papers-table tbody .paper-title", "all => all.map(one => one.textContent)")


def shown_count(page):
    return int(re.search(r"[\d,]+", page.inner_text("#papers-says"))[0].replace(",", ""))


# what is folded

CLOSED = "document.querySelectorAll('.fold:not([open])').length"
IN_VIEW = """id => {
  const { top, bottom } = document.getElementById(id).getBoundingClientRect();
  return top < innerHeight && bottom > 0;
}"""


def test_a_phone_shows_the_findings_and_three_things_and_the_rest_opens_by_its_link(browser, page_file):
    with visit(browser, page_file, folded=True, viewport={"width": 390, "height": 844}) as visited:
        page = visited.page
        assert page.evaluate("document.documentElement.scrollHeight") <= 12 * 844
        heads = page.eval_on_selector_all("main section:not(:has(.fold)) > h2", "all => all.map(one => one.id)")
        assert heads == ["first-title", "glance-title", "map-title", "rising-title", "missing-title"]
        folded = page.evaluate(CLOSED)
        links = page.eval_on_selector_all(".contents a", "all => all.map(one => one.getAttribute('href').slice(1))")
        assert links == page.eval_on_selector_all(".fold > summary > h2", "all => all.map(one => one.id)")
        assert len(links) == folded > 10
        visited.tab_to(".contents a[href='#years-title']")
        page.keyboard.press("Enter")
        page.wait_for_function("document.querySelector('#years svg')?.getBoundingClientRect().width > 200")
        page.wait_for_function(IN_VIEW, arg="years-title")
        assert (page.evaluate(CLOSED), page.evaluate("location.hash")) == (folded - 1, "")
        assert visited.said == []


def test_a_permalink_opens_the_table_at_its_row(browser, page_file):
    address = f"#open={paper_id_of(100)}"
    with visit(browser, page_file, folded=True, hash_=address) as visited:
        visited.page.wait_for_selector("#opened")
        visited.page.wait_for_function(IN_VIEW, arg="opened")
        opened = visited.page.eval_on_selector_all(".fold[open] h2", "all => all.map(one => one.id)")
        assert (opened, visited.page.evaluate("location.hash")) == (["papers-title"], address)


def test_on_paper_all_is_open_and_takes_few_pages(browser, page_file):
    with visit(browser, page_file, folded=True) as visited:
        before = visited.page.evaluate(CLOSED)
        visited.page.evaluate(f"addEventListener('beforeprint', () => {{ window.closed = {CLOSED}; }})")
        pages = len(re.findall(rb"/Type\s*/Page\b", visited.page.pdf(format="A4")))
        assert visited.page.evaluate("window.closed") == 0
        visited.page.wait_for_function(f"{CLOSED} === {before}")
        assert pages <= 18, "of 154 papers; 464 take 25 at the most"


# drawing


def test_the_years_drawn_are_those_of_the_catalogue(open_page, place):
    rows = open_page.numbers("years")
    drawn = {int(year): sum(int(one.replace(",", "")) for one in counts) for year, *counts in rows}
    told = dict(asked(place, "SELECT year, papers FROM trend_by_year WHERE year IS NOT NULL"))
    assert {year: count for year, count in drawn.items() if count} == told
    assert list(drawn) == list(range(min(told), max(told) + 1))  # years without a paper stand there too


def test_citations_over_time_are_the_sums_of_the_observations(open_page, place):
    open_page.choose("split", "none")
    drawn = [int(gained.replace(",", "")) for _, gained in open_page.numbers("history")]
    told = asked(
        place,
        "SELECT observed_at, sum(citation_count)::BIGINT FROM citation_counts SEMI JOIN catalog USING (paper_id) "
        "GROUP BY 1 ORDER BY 1",
    )
    assert drawn == [total - told[0][1] for _, total in told]


def test_citations_by_year_are_the_sums_of_what_openalex_tells(open_page, place):
    told = asked(place, "SELECT year, cited_in_year FROM trend_by_year WHERE cited_in_year IS NOT NULL ORDER BY year")
    drawn = [(int(year), int(cited.replace(",", ""))) for year, cited in open_page.numbers("cited")]
    assert [row for row in drawn if row[1]] == told
    assert "by OpenAlex" in open_page.page.inner_text("#cited-says")


def test_rising_papers_have_the_rates_of_the_view_each_with_a_line(open_page, place):
    shown = open_page.page.eval_on_selector_all(
        "#rising tbody tr", "rows => rows.map(row => [0, 2, 3].map(column => row.cells[column].textContent))"
    )
    told = dict(asked(place, "SELECT title, gained_per_week FROM rising SEMI JOIN catalog USING (paper_id)"))
    assert shown
    for title, pace, usual in shown:
        assert float(pace) == pytest.approx(told[title], abs=0.051)
        assert float(pace) > float(usual.lstrip("< +"))
    assert open_page.page.locator("#rising .spark path").count() == len(shown)


def test_columns_beside_a_rising_paper_are_what_each_step_gained_from_zero(open_page, place):
    title = open_page.page.inner_text("#rising tbody tr:first-child .paper-title")
    sql = "SELECT c.citation_count FROM citation_counts AS c JOIN papers USING (paper_id) "
    counts = asked(place, f"{sql} WHERE source = 's2' AND title = '{title}' ORDER BY observed_at")
    gained = [later - earlier for (earlier,), (later,) in pairwise(counts)]
    path = open_page.page.locator("#rising .spark path").first.get_attribute("d")
    drawn = [float(floor) - float(top) for floor, top in re.findall(r" ([\d.]+)V([\d.]+)H", path)]
    assert drawn == pytest.approx([22 * one / max(gained) for one in gained], abs=0.11)


def test_coverage_adds_up_to_the_view(open_page, place):
    drawn = {row[0]: [int(one.replace(",", "")) for one in row[1:]] for row in open_page.numbers("coverage")}
    told = asked(place, "SELECT list, mentions, resolved, ambiguous, not_found, failed FROM coverage")
    assert drawn == {name: list(counts) for name, *counts in told}


def test_overlap_is_the_view(open_page, place):
    drawn = {(frozenset(row[:2]), int(row[2])) for row in open_page.numbers("overlap")}
    told = asked(place, "SELECT list_a, list_b, papers_in_common FROM list_overlap")
    assert drawn == {(frozenset((a, b)), common) for a, b, common in told}


# choosing


def test_choosing_a_list_changes_every_chart_and_the_table(open_page, place):
    page = open_page.page
    before = {chart: drawing(page, chart) for chart in CHARTS}
    rows = page.inner_text("#papers-table tbody")
    open_page.choose("list", label="Vision, a reading list")
    assert [chart for chart in CHARTS if drawing(page, chart) == before[chart]] == []
    assert page.inner_text("#papers-table tbody") != rows
    told = asked(place, "SELECT papers FROM coverage WHERE list = 'Vision, a reading list'")
    assert [(shown_count(page),)] == told


def test_a_click_on_a_bar_chooses_its_year(open_page, place):
    page = open_page.page
    told = dict(asked(place, "SELECT year, papers FROM trend_by_year"))
    with open_page.redrawn():
        page.locator("#years svg .role-mark path").last.click(force=True)
    year = page.input_value("select[name=from]")
    assert year
    assert year == page.input_value("select[name=to]")
    assert shown_count(page) == told[int(year)]


def test_a_paper_s_own_history_is_a_press_away(open_page, place):
    page = open_page.page
    title = page.locator("#rising tbody .paper-title").first.inner_text()
    with open_page.redrawn():
        page.locator("#rising tbody .paper-title").first.click()
    drawn = [int(count.replace(",", "")) for _, count in open_page.numbers("history")]
    literal = title.replace("'", "''")
    told = asked(
        place,
        "SELECT citation_count FROM citation_counts WHERE paper_id = "
        f"(SELECT paper_id FROM papers WHERE title = '{literal}') ORDER BY observed_at",
    )
    assert drawn == [count for (count,) in told]
    open_page.press("#chosen button")
    assert page.inner_text("#chosen") == ""


# the table


def test_search_finds_words_of_title_author_and_identifier(open_page, place):
    page = open_page.page
    title, arxiv_id = asked(
        place, "SELECT title, arxiv_id FROM catalog WHERE arxiv_id NOT LIKE '2001.%' ORDER BY paper_id"
    )[0]
    for words in (title.upper(), arxiv_id):
        open_page.search(words)
        assert title in titles(page)
        assert shown_count(page) < 10
    open_page.search("no such words")
    assert "Nothing here matches" in page.inner_text("#papers-table")


def test_a_press_on_a_heading_sorts(open_page, place):
    page = open_page.page
    open_page.press("#papers-table th[data-column=rising] button")
    shown = page.eval_on_selector_all(
        "#papers-table tbody tr td:nth-child(7)", "all => all.map(one => one.textContent)"
    )
    told = asked(
        place,
        "SELECT gained_per_week FROM catalog LEFT JOIN rising USING (paper_id) "
        "ORDER BY gained_per_week DESC NULLS LAST LIMIT 25",
    )
    figures = [re.sub("over.*|[,+]", "", text).replace("−", "-") for text in shown]
    assert [float(figure) for figure in figures] == pytest.approx([float(value) for (value,) in told], abs=0.051)
    assert page.get_attribute("#papers-table th[data-column=rising]", "aria-sort") == "descending"
    assert page.evaluate("document.activeElement.closest('th').dataset.column") == "rising"


def test_links_lead_to_the_paper_and_to_the_line(open_page, place):
    page = open_page.page
    paper_id, arxiv_id, doi, s2 = asked(
        place,
        "SELECT paper_id, arxiv_id, doi, s2_paper_id FROM catalog WHERE doi IS NOT NULL AND arxiv_id NOT LIKE '2001.%' "
        "ORDER BY list_count DESC, paper_id",
    )[0]
    open_page.search(arxiv_id)
    row = page.locator("#papers-table tbody tr").first
    hrefs = row.locator("a").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    assert hrefs[:3] == [
        f"https://arxiv.org/abs/{arxiv_id}",
        f"https://doi.org/{doi}",
        f"https://www.semanticscholar.org/paper/{s2}",
    ]
    places = asked(
        place, f"SELECT location, line FROM mentions JOIN reading_lists USING (list_id) WHERE paper_id = '{paper_id}'"
    )
    assert len(places) > 1
    for location, line in places:
        if location.startswith("github:"):
            name = location.removeprefix("github:").removesuffix("/README.md")
            assert f"https://github.com/{name}/blob/HEAD/README.md?plain=1#L{line}" in hrefs
        else:
            assert f"reading.md:{line}" in row.inner_text()


def downloaded(open_page, button):
    with open_page.page.expect_download() as waiting:
        open_page.page.click(button)
    return waiting.value.suggested_filename, waiting.value.path().read_text(encoding="utf-8")


def test_the_csv_is_what_is_shown_and_a_formula_in_it_is_text(open_page, place):
    page = open_page.page
    open_page.choose("category", index=1)
    category = page.input_value("select[name=category]")
    name, text = downloaded(open_page, "#csv")
    assert text[0] == "\ufeff", "so a spreadsheet takes it for UTF-8"
    rows = list(csv.DictReader(io.StringIO(text[1:], newline="")))
    told = asked(
        place,
        "SELECT paper_id, title, array_to_string(authors, '; '), year, venue, arxiv_id, doi, citation_count "
        f"FROM catalog WHERE primary_category = '{category}' ORDER BY citation_count DESC, list_count DESC, title",
    )
    columns = ["paper_id", "title", "authors", "year", "venue", "arxiv_id", "doi", "citation_count"]
    assert name == "papers.csv"
    assert [tuple(row[column] for column in columns) for row in rows] == [
        tuple("" if value is None else str(value) for value in row) for row in told
    ]
    open_page.choose("category", "")
    open_page.search("hyperlink")
    (row,) = csv.DictReader(io.StringIO(downloaded(open_page, "#csv")[1][1:], newline=""))
    assert row["title"] == f"'{HOSTILE[3]}"


def test_the_bibtex_is_what_the_export_writes_of_what_is_shown(open_page, place):
    open_page.choose("list", label="Databases, a reading list")
    name, text = downloaded(open_page, "#bibtex")
    with select(place, where="list_contains(lists, 'Databases, a reading list')") as chosen:
        exported = bibtex(paper | {"abstract": None} for paper in chosen.papers())
    assert name == "papers.bib"
    assert entries(text) == entries(exported)
    for told_by_dblp in ("pages = {", "@incollection{", "@phdthesis{", "@article{", "@inproceedings{"):
        assert told_by_dblp in text


def entries(text):
    return sorted(one.strip() for one in re.split(r"^(?=@)", text, flags=re.MULTILINE) if one.strip())


# the address


def test_the_choice_is_in_the_address_and_comes_back_from_it(open_page, browser, page_file):
    page = open_page.page
    open_page.choose("list", index=2)
    open_page.choose("from", "2015")
    open_page.search("e")
    open_page.press("#papers-table th[data-column=title] button")
    open_page.choose("topics", "section")
    seen = titles(page), page.inner_text("#glance"), page.inner_text("#topics-legend")
    with visit(browser, page_file, hash_=page.url.partition("#")[1] + page.url.partition("#")[2]) as again:
        assert (titles(again.page), again.page.inner_text("#glance"), again.page.inner_text("#topics-legend")) == seen
        assert again.page.input_value("input[name=q]") == "e"
        assert again.page.input_value("select[name=from]") == "2015"


# hostile text, and the world outside


def test_markup_in_titles_lists_and_venues_stays_text(open_page):
    page = open_page.page
    for title in HOSTILE:
        open_page.search(title.split()[0])
        assert title in titles(page)
    assert HOSTILE_LIST in page.locator("select[name=list]").inner_text()
    assert HOSTILE[0] in page.inner_text("#unresolved-table")
    assert page.locator("img, iframe, object, embed, [onerror], [onload], [onclick]").count() == 0
    assert page.locator("script").count() == 7


def test_no_link_is_anything_but_the_web_and_the_catalogue(open_page):
    hrefs = open_page.page.eval_on_selector_all("a[href]", "all => all.map(one => one.getAttribute('href'))")
    assert hrefs
    assert [href for href in hrefs if not href.startswith(("https://", "#", "catalogue."))] == []


def test_the_policy_refuses_scripts_styles_and_requests_of_others(browser, page_file):
    with visit(browser, page_file) as visited:
        done = visited.page.evaluate(
            """async () => {
              const script = document.createElement("script");
              script.textContent = "window.ran = true";
              document.body.append(script);
              await new Promise((go) => setTimeout(go, 0)); // a debugger's own call may evaluate; the page may not
              const evaluated = (() => { try { return Function("return 1")(); } catch { return "refused"; } })();
              const fetched = await fetch("https://example.org/").then(() => "came", () => "refused");
              return [window.ran ?? "refused", evaluated, fetched];
            }"""
        )
    assert done == ["refused", "refused", "refused"]
    assert all("Content Security Policy" in line for line in visited.said)


# the first days


@pytest.mark.parametrize(
    ("counts", "words"), [(0, "history begins with the first"), (2, "counted once, on 24 Nov 2025")]
)
def test_a_lake_without_history_says_when_it_begins(browser, published, tmp_path, counts, words):
    page = published(
        tmp_path,
        papers=[paper_row("p1", title="Only one", year=2020, citation_count=5 if counts else None)],
        mentions=[mention_row(paper_id="p1")],
        citation_counts=[count_row("p1", BEGIN + timedelta(hours=hour), 5) for hour in range(counts)],
    )
    with visit(browser, page) as visited:
        assert words in visited.page.inner_text("#rising-says") + visited.page.inner_text("#rising")
        assert visited.page.locator("#history-says + .empty, figure:has(#history) .empty").count() == 1
        assert visited.page.locator("#years svg .role-mark path").count() == 1
        assert words in visited.page.inner_text("#unshown")
        assert visited.page.locator("main section.panel:not([hidden]):has(.empty)").count() == 0
    assert visited.said == []


def test_the_link_past_the_filters_leaves_what_is_chosen(open_page):
    page = open_page.page
    open_page.choose("list", index=2)
    before, address = page.inner_text("#shown"), page.url
    open_page.tab_to(".skip")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "papers"
    assert (page.inner_text("#shown"), page.url) == (before, address)
    page.evaluate("location.hash = 'papers'")
    page.wait_for_function(f"location.href === {json.dumps(address)}")
    assert page.inner_text("#shown") == before
