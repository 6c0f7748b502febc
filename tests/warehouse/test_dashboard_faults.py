"""What once misled on the page: each test failed before the page was mended."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from standins.trials.browser import visit
from standins.trials.dashboard_lake import BEGIN
from standins.trials.rows import count_row, finding_row, list_row, mention_row, paper_row

pytestmark = pytest.mark.slow

PHONE = {"viewport": {"width": 390, "height": 844}}
TOUCH = PHONE | {"has_touch": True, "is_mobile": True, "reduced_motion": "reduce"}


def named(papers, *, list_id="l1", section=()):
    return [
        mention_row(f"{list_id}-{paper}", list_id=list_id, paper_id=paper, line=line, section=list(section))
        for line, paper in enumerate(papers, 1)
    ]


def weekly(paper, counts):
    """Returns a count a week from the beginning on; None where the paper was not counted."""
    return [
        count_row(paper, BEGIN + timedelta(weeks=week), count) for week, count in enumerate(counts) if count is not None
    ]


def lines(visited, chart="history"):
    return visited.page.locator(f"#{chart} svg .mark-line path").count()


def name_section(visited, text):
    with visited.redrawn():
        visited.page.fill("input[name=section]", text)
        visited.page.keyboard.press("Enter")


def rows_of(visited):
    return visited.page.eval_on_selector_all(
        "#papers-table tbody .paper-title", "all => all.map(one => one.textContent)"
    )


# rates, recounts and gaps


FEW = {
    "recount": {"recounted": [100, 110, 120, 4130, 4140, 4150], "calm": range(10, 16)},
    "every-week": {"every-week": range(10, 18)},
    "without-one": {"without-one": [10, 11, 12, 13, 14, None, 15, 16]},
    "with-a-pause": {"with-a-pause": [10, 11, 12, 13, *[None] * 7, 90, 91]},
    "rarely": {"rarely": [10, 11, 12, *[None] * 6, 39, 40], **{f"often{number}": range(11) for number in range(3)}},
}
"""List -> its papers -> their counts, a week apart, None where nobody counted."""


@pytest.fixture(scope="module")
def counted_lists(published, tmp_path_factory):
    papers, mentions, counts = [], [], []
    for name, of_list in FEW.items():
        for paper, weeks in of_list.items():
            last = [count for count in weeks if count is not None][-1]
            papers.append(paper_row(paper, title=paper, citation_count=last))
            counts += weekly(paper, weeks)
        mentions += named(of_list, list_id=name)
    lists = [list_row(name, title=f"List {name}") for name in FEW]
    folder = tmp_path_factory.mktemp("counted")
    return published(folder, reading_lists=lists, papers=papers, mentions=mentions, citation_counts=counts)


RECOUNT = "that is no rise or fall, and the line is broken there"
PAUSE = "broken where counts lie more than 21 days apart"


@pytest.mark.parametrize(
    ("address", "pieces", "why"),
    [
        ("paper=recounted", 2, RECOUNT),
        ("list=every-week&split=list", 1, None),
        ("paper=without-one", 1, None),
        ("list=with-a-pause&split=list", 2, PAUSE),
        ("list=rarely", 1, None),
    ],
)
def test_a_recount_and_a_long_pause_break_the_line_and_nothing_else_does(at, counted_lists, address, pieces, why):
    visited = at(counted_lists, address)
    assert lines(visited) == pieces
    says = visited.page.inner_text("#history-says")
    assert why in says if why else "broken" not in says
    if why == RECOUNT:
        assert visited.page.locator("#history svg .mark-symbol").last.locator("path").count() == 1


def test_a_recount_is_told_and_in_no_rise(at, counted_lists):
    page = at(counted_lists, "list=recount&split=none").page
    rows = page.locator("#papers-table tbody tr td:last-child").all_inner_texts()
    assert rows == ["+10\nover 28 days", "+1\nover 35 days"]
    says = page.inner_text("#history-says")
    assert "+45 citations" in says
    assert "The source recounted 1 paper on 15 Dec 2025 (+4,010 citations): left out." in says


def test_a_paper_that_was_not_counted_has_a_gap_and_no_plateau(at, counted_lists):
    visited = at(counted_lists, "paper=rarely")
    assert lines(visited) == 2
    visited.page.evaluate("document.getElementById('history-numbers').open = true")
    visited.page.wait_for_selector("#history-numbers tbody td")
    cells = visited.page.locator("#history-numbers tbody td").all_inner_texts()
    assert cells == ["10", "11", "12", *["–"] * 6, "39", "40", "40", "40"]


# what is chosen


@pytest.fixture(scope="module")
def two_lists(published, tmp_path_factory):
    """Two lists: the papers of B were counted for five weeks only, those of A for eight; B was read on later days."""
    lists = [
        list_row("a", title="List A", first_seen_at=BEGIN, parsed_at=BEGIN),
        list_row("b", title="List B", first_seen_at=BEGIN + timedelta(days=40), parsed_at=BEGIN + timedelta(days=60)),
    ]
    years = {"a": range(2000, 2020), "b": [2015] * 10}
    papers = [
        paper_row(f"{name}{number}", title=f"Paper {name}{number}", year=year, citation_count=90)
        for name in years
        for number, year in enumerate(years[name])
    ]
    in_a, in_b = ([row["paper_id"] for row in papers if row["paper_id"][0] == name] for name in "ab")
    counts = [row for paper in in_a for row in weekly(paper, range(10, 18))]
    counts += [row for paper in in_b for row in weekly(paper, [*range(10, 14), *[None] * 4])]
    later = {"first_seen_at": BEGIN + timedelta(days=40)}
    return published(
        tmp_path_factory.mktemp("two_lists"), reading_lists=lists, papers=papers, citation_counts=counts,
        mentions=[
            *(row | {"first_seen_at": BEGIN} for row in named(in_a, list_id="a", section=["Vision / language", "Old"])),
            *(row | later for row in named(in_b, list_id="b", section=["Vision"])),
            *(mention_row(f"x{line}", list_id="b", line=line, status="failed", **later) for line in range(90, 130)),
        ],
        findings=[finding_row("a-a1")],
    )  # fmt: skip


def test_what_is_told_of_a_chosen_list_is_of_its_own_days(at, two_lists):
    page = at(two_lists, "list=b").page
    last = BEGIN + timedelta(weeks=6)  # three weeks without a count are not yet a long pause
    assert f"to {last.day} {last:%b %Y}" in page.inner_text("#history-says")
    assert "last changed 23 Jan 2026" in page.inner_text("#glance")
    assert "first read them, on 3 Jan 2026;" in page.inner_text("#years-says")
    page = at(two_lists, "list=a").page
    assert "last changed 24 Nov 2025" in page.inner_text("#glance")
    assert "first read them, on 24 Nov 2025;" in page.inner_text("#years-says")


def test_a_choice_without_a_paper_says_so_once_and_its_year_stands_in_its_field(at, two_lists):
    visited = at(two_lists, "list=b&from=2040")
    page = visited.page
    assert page.inner_text("#shown") == "No paper of 30"
    assert page.input_value("select[name=from]") == "2040"
    notice = page.inner_text("#nothing")
    assert notice.startswith("No paper is in all that is chosen. Chosen: list List B; published from 2040.")
    assert not page.is_visible("#years-title")
    visited.press("#reset")
    assert not page.is_visible("#nothing")
    assert page.is_visible("#years-title")


@pytest.mark.nightly
def test_back_undoes_the_last_choice_and_forward_takes_it_again(at, two_lists):
    visited = at(two_lists)
    visited.choose("list", "a")
    visited.choose("from", "2010")
    for letters in ("p", "pa", "paper a1"):
        visited.search(letters)
    assert visited.page.inner_text("#papers-says").startswith("10 papers")
    seen = []
    for _ in range(3):
        with visited.redrawn():
            visited.page.go_back()
        seen.append([visited.page.input_value(f"[name={name}]") for name in ("list", "from", "q")])
    assert seen == [["a", "2010", ""], ["a", "", ""], ["", "", ""]]
    with visited.redrawn():
        visited.page.go_forward()
    assert visited.page.inner_text("#shown") == "20 of 30 papers"


def focused(visited):
    return visited.page.evaluate("[document.activeElement.tagName, document.activeElement.textContent.trim()]")


def test_focus_stays_where_it_was(at, two_lists):
    visited = at(two_lists)
    page = visited.page

    def press(selector):
        visited.tab_to(selector)
        _, words = focused(visited)
        with visited.redrawn():
            page.keyboard.press("Enter")
        return words

    assert press("#papers-pages button:not(:disabled)") == "Next"
    assert focused(visited) == ["BUTTON", "Previous"]
    title = press("#papers-table tbody .paper-title")
    assert focused(visited) == ["BUTTON", title]
    press("#chosen button")
    assert focused(visited) == ["H2", page.inner_text("#history-title")]
    visited.choose("topics", "section")
    assert focused(visited)[0] in ("SELECT", "H2")
    section = press("#topics-legend button")
    assert focused(visited) == ["BUTTON", section]
    press("#reset")
    assert focused(visited) == ["BUTTON", "Show all"]
    visited.tab_to("#unresolved-pages button:not(:disabled)")
    page.keyboard.press("Enter")
    assert focused(visited) == ["BUTTON", "Previous"]


def test_years_that_end_before_they_begin_are_refused(at, two_lists):
    visited = at(two_lists)
    visited.choose("to", "2005")
    before = rows_of(visited), visited.page.url
    visited.choose("from", "2012")
    assert visited.page.inner_text("#refusal") == (
        "Not chosen: 2012 is later than 2005, so no paper is published from 2012 to 2005."
    )
    assert visited.page.get_attribute("select[name=from]", "aria-invalid") == "true"
    assert visited.page.input_value("select[name=from]") == ""
    assert (rows_of(visited), visited.page.url) == before
    visited.choose("from", "2004")
    assert visited.page.inner_text("#refusal") == ""
    visited = at(two_lists, "from=2012&to=2005")
    assert visited.page.inner_text("#shown") == "All 30 papers"
    assert "2012 is later than 2005" in visited.page.inner_text("#refusal")


def test_print_carries_the_choice_and_all_its_rows(browser, two_lists):
    with visit(browser, two_lists, hash_="#from=2000") as visited:
        page = visited.page
        rows = "document.querySelectorAll('#papers-table tr').length"
        page.evaluate(f"addEventListener('beforeprint', () => {{ window.rows = {rows}; }})")
        page.emulate_media(media="print")
        page.pdf()
        assert page.evaluate("window.rows") == 31
        assert page.is_visible("#choice-words")
        assert page.inner_text("#choice-words") == "Chosen: published from 2000."
        page.emulate_media(media="screen")
        assert not page.is_visible("#choice-words")
        assert len(rows_of(visited)) == 25


# sections


@pytest.mark.nightly
def test_a_section_is_found_by_words_and_a_heading_with_a_slash_is_whole(at, browser, two_lists):
    visited = at(two_lists)
    page = visited.page
    name_section(visited, "Vision")
    assert page.inner_text("#shown") == "10 of 30 papers"
    name_section(visited, "lang")
    assert page.inner_text("#refusal").startswith("2 sections have “lang” in their names")
    assert page.inner_text("#shown") == "10 of 30 papers"
    name_section(visited, "old")
    assert page.input_value("input[name=section]") == "Vision / language › Old"
    name_section(visited, "Vision / language")
    assert page.inner_text("#shown") == "20 of 30 papers"
    with visit(browser, two_lists, hash_="#" + page.url.partition("#")[2]) as again:
        assert again.page.input_value("input[name=section]") == "Vision / language"
        assert again.page.inner_text("#shown") == "20 of 30 papers"
    name_section(visited, "")
    assert page.inner_text("#shown") == "All 30 papers"


# colours and names


# Machado, Oliveira and Fernandes (2009), severity 1: https://www.inf.ufrgs.br/~oliveira/pubs_files/CVD_Simulation/CVD_Simulation.html


@pytest.fixture(scope="module")
def seven_lists(published, tmp_path_factory):
    """Seven lists, each a paper shorter than the one before; the papers of the smallest are the latest."""
    lists = [list_row(f"l{number}", title=f"List {number}") for number in range(7)]
    papers, mentions, counts = [], [], []
    for number in range(7):
        for part in range(9 - number):
            name = f"p{number}{part}"
            papers.append(paper_row(name, year=2010 + number, citation_count=20))
            mentions.append(mention_row(name, list_id=f"l{number}", paper_id=name, line=part + 1))
            counts += weekly(name, range(number, number + 8))
    return published(
        tmp_path_factory.mktemp("seven_lists"),
        reading_lists=lists,
        papers=papers,
        mentions=mentions,
        citation_counts=counts,
    )


LEGEND = "all => Object.fromEntries(all.map(one => [one.textContent, one.querySelector('.swatch').className]))"


def test_lines_and_rows_carry_their_names_and_a_list_its_colour_whatever_is_chosen(at, seven_lists):
    visited = at(seven_lists)
    texts = visited.page.locator("#history svg .role-mark.mark-text text").all_text_contents()
    assert set(texts) == {f"List {number}" for number in range(5)}
    assert "The 5 with most papers of 7 have a line." in visited.page.inner_text("#history-says")
    dashes = visited.page.eval_on_selector_all(
        "#history svg .mark-line path", "all => all.map(one => one.getAttribute('stroke-dasharray'))"
    )
    assert len(set(dashes)) == len(dashes) == 5
    everything = visited.page.eval_on_selector_all("#history-legend > *", LEGEND)
    assert [everything[f"List {number}"] for number in range(5)] == [f"swatch s{number}" for number in range(5)]
    visited.choose("topics", "section")
    assert visited.page.locator("#topics svg .role-mark.mark-text text").all_text_contents() == ["(no section), 42"]
    visited.choose("from", "2012")
    chosen = visited.page.eval_on_selector_all("#history-legend > *", LEGEND)
    assert chosen == {f"List {number}": f"swatch s{min(number, 4)}" for number in range(2, 7)}


def test_in_forced_colours_swatches_keep_theirs_and_words_take_the_reader_s(browser, seven_lists):
    with visit(browser, seven_lists, forced_colors="active") as visited:
        swatches = visited.page.eval_on_selector_all(
            "#history-legend .swatch", "all => all.map(one => getComputedStyle(one).backgroundColor)"
        )
        assert len(set(swatches)) == 5
        words = visited.page.locator("#history svg .role-axis-label text").first
        wanted, drawn = words.evaluate(
            """one => {
              const probe = document.body.appendChild(document.createElement("i"));
              probe.style.color = "CanvasText";
              return [getComputedStyle(probe).color, getComputedStyle(one).fill];
            }"""
        )
        assert drawn == wanted


# titles, fingers, phones


TITLES = {
    "long": "Incomprehensibilities" * 30,
    "arabic": "التعلم العميق للنصوص العربية",
    "tex": r"An $\mathcal{O}(n \log n)$ bound on $\ell_1$ and $k$-means, $x^2$; Poincar\'e",
    "money": r"From $5 to $10: what \unknown costs",
    "hard": r"On $\frac{a}{b}$ and $x_{ij}$",
}


@pytest.fixture(scope="module")
def odd_titles(published, tmp_path_factory):
    lists = [list_row("a", title="قائمة"), list_row("b", title="List " + "B" * 200)]
    papers = [paper_row(name, title=title, year=2020, citation_count=9) for name, title in TITLES.items()]
    counts = [row for name in TITLES for row in weekly(name, range(5))]
    mentions = [*named(list(TITLES), list_id="a", section=["S" * 150]), *named(list(TITLES), list_id="b")]
    mentions.append(mention_row("odd", line=50, title="W" * 400, status="failed", reason="R" * 300, list_id="a"))
    return published(
        tmp_path_factory.mktemp("odd_titles"),
        reading_lists=lists,
        papers=papers,
        mentions=mentions,
        citation_counts=counts,
    )


@pytest.mark.nightly
def test_formulas_are_shown_where_they_can_be_and_else_left_alone(at, odd_titles):
    visited = at(odd_titles)
    shown = set(rows_of(visited))
    assert "An O(n log n) bound on ℓ₁ and k-means, x²; Poincaré" in shown
    assert {TITLES["money"], TITLES["hard"]} <= shown
    visited.search("poincaré ℓ₁")
    assert len(rows_of(visited)) == 1


def test_a_title_runs_the_way_of_its_own_letters(at, odd_titles):
    visited = at(odd_titles)
    ways = visited.page.eval_on_selector_all(
        "#papers-table tbody .paper-title",
        "all => Object.fromEntries(all.map(one => [one.textContent, getComputedStyle(one).direction]))",
    )
    assert ways[TITLES["arabic"]] == "rtl"
    assert ways[TITLES["long"]] == "ltr"


def test_a_list_named_from_right_to_left_turns_no_number_round(at, odd_titles):
    visited = at(odd_titles)
    assert f"\u2068قائمة\u2069 {len(TITLES)}; both name" in visited.page.inner_text("#compare-says")
    assert "only in \u2068قائمة\u2069: 0" in visited.page.inner_text("#compare-titles")


OFF_SCREEN = """() => [...document.querySelectorAll("main *, header *, form *, footer *")]
  .filter((one) => !one.closest("svg, .unseen, option, datalist") && one.offsetParent !== null)
  .map((one) => [one, one.getBoundingClientRect()])
  .filter(([, box]) => box.width > 0 && (box.right > innerWidth + 0.5 || box.left < -0.5))
  .map(([one]) => one.outerHTML.slice(0, 80))"""


def test_on_a_phone_nothing_is_off_screen(browser, odd_titles):
    with visit(browser, odd_titles, hash_="#split=section", **PHONE) as visited:
        visited.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        visited.page.wait_for_selector("#history-numbers tbody td")
        assert visited.page.evaluate(OFF_SCREEN) == []
        assert visited.page.evaluate("document.documentElement.scrollWidth") <= 390
        heads = visited.page.eval_on_selector_all(
            "#papers-table tbody tr:first-child td", "all => all.map(one => getComputedStyle(one, '::before').content)"
        )
        assert heads[1:] == ['"Year"', '"Venue"', '"In lists"', '"Citations"', '"Rank"', '"Per week"']
        visited.press("#papers-table th[data-column=title] button")
        assert "sort=title" in visited.page.url


def test_a_tap_shows_what_the_pointer_shows_and_a_second_one_chooses(browser, two_lists):
    with visit(browser, two_lists, **TOUCH) as visited:
        mark = visited.page.locator("#years svg .mark-rect path").last
        mark.scroll_into_view_if_needed()
        mark.tap(force=True)
        visited.page.wait_for_selector("#tip:not([hidden])")
        words = visited.page.inner_text("#tip").splitlines()
        assert re.fullmatch(r"20\d\d, there when its list was first read", words[0])
        assert words[-1] == "Tap again to choose."
        assert visited.page.inner_text("#shown") == "All 30 papers"
        with visited.redrawn():
            mark.tap(force=True)
        assert visited.page.input_value("select[name=from]") == words[0][:4]
        assert not visited.page.is_visible("#tip")


# files and old browsers


def test_a_browser_that_cannot_unpack_gets_a_message(browser, two_lists):
    with browser.new_context() as own:
        page = own.new_page()
        page.add_init_script("delete window.DecompressionStream")
        page.goto(two_lists.as_uri())
        notice = page.wait_for_selector(".notice[role=alert]").inner_text()
        assert "This browser cannot unpack the data of this page" in notice
        assert page.locator(".notice a").evaluate_all("all => all.map(one => one.getAttribute('href'))") == [
            "catalogue.csv", "catalogue.parquet",
        ]  # fmt: skip
        assert not page.is_visible("#filters")
        assert "30" in page.inner_text("#glance")


# the keyboard alone


REACHABLE = """() => [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")]
  .filter((one) => !one.disabled && one.checkVisibility() && one.closest("body"))
  .map((one, at) => (one.dataset.reach = String(at)))"""


def test_tab_reaches_everything_and_shows_where_it_is(browser, seven_lists):
    with visit(browser, seven_lists, reduced_motion="reduce") as visited:
        page = visited.page
        wanted = set(page.evaluate(REACHABLE))
        reached = set()
        for _ in range(len(wanted) + 1):
            page.keyboard.press("Tab")
            at, outline = page.evaluate(
                "[document.activeElement.dataset.reach, getComputedStyle(document.activeElement).outlineStyle]"
            )
            if at is not None:
                assert outline != "none"
                reached.add(at)
        left_out = page.evaluate(
            "all => all.map(at => document.querySelector(`[data-reach='${at}']`)?.outerHTML.slice(0, 90))",
            sorted(wanted - reached),
        )
        assert left_out == []


def test_escape_hides_the_words_of_a_mark(at, seven_lists):
    page = at(seven_lists).page
    mark = page.locator("#years svg .mark-rect path").last
    mark.scroll_into_view_if_needed()
    mark.hover(force=True)
    page.wait_for_selector("#tip:not([hidden])")
    page.keyboard.press("Escape")
    assert not page.is_visible("#tip")
