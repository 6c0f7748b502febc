"""What once misled on the page: each test failed before the page was mended."""

from __future__ import annotations

import re
from contextlib import ExitStack
from datetime import timedelta
from importlib import resources

import pytest

from standins.trials.browser import visit
from standins.trials.dashboard_lake import BEGIN
from standins.trials.rows import count_row, finding_row, list_row, mention_row, paper_row

pytestmark = pytest.mark.slow

PHONE = {"viewport": {"width": 390, "height": 844}}
TOUCH = PHONE | {"has_touch": True, "is_mobile": True, "reduced_motion": "reduce"}


@pytest.fixture(scope="module")
def _open_pages(browser):
    with ExitStack() as stack:
        pages = {}
        yield lambda file: pages.get(file) or pages.setdefault(file, stack.enter_context(visit(browser, file)))


@pytest.fixture
def at(_open_pages):
    """Returns the page of a file, opened once for all tests, at what follows `#` in its address; it may say nothing."""
    visits = []

    def go(file, address=""):
        visited = _open_pages(file)
        visits.append(visited)
        if visited.page.evaluate("decodeURIComponent(location.hash.slice(1))") != address:
            with visited.redrawn():
                visited.page.evaluate("address => { location.hash = address; }", address)
        return visited

    yield go
    assert [visited.said for visited in visits if visited.said] == []


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


def choose(visited, name, value):
    with visited.redrawn():
        visited.page.select_option(f"select[name={name}]", value)


def name_section(visited, text):
    with visited.redrawn():
        visited.page.fill("input[name=section]", text)
        visited.page.keyboard.press("Enter")


def rows_of(visited):
    return visited.page.eval_on_selector_all(
        "#papers-table tbody .paper-title", "all => all.map(one => one.textContent)"
    )


# rates, recounts and gaps


EVERY_WEEK = [10, 11, 12, 13, 14, 15, 16, 17]
WITHOUT_ONE = [10, 11, 12, 13, 14, None, 15, 16]
WITH_A_PAUSE = [10, 11, 12, 13, *[None] * 7, 90, 91]
RARELY = [10, 11, 12, *[None] * 6, 39, 40]
FEW = {
    "span": {"span": [10, 11, 12, 13, 14]},
    "recount": {"recounted": [100, 110, 120, 4130, 4140, 4150], "calm": range(10, 16)},
    "every-week": {"every-week": EVERY_WEEK},
    "without-one": {"without-one": WITHOUT_ONE},
    "with-a-pause": {"with-a-pause": WITH_A_PAUSE},
    "rarely": {"rarely": RARELY, **{f"often{number}": range(11) for number in range(3)}},
    "fame": {
        "famous": [100_000 + 500 * week for week in range(12)],
        "climber": [20 + 6 * week for week in range(12)],
        **{f"peer{number}": [200 + week for week in range(12)] for number in range(12)},
    },
}
"""List -> its papers -> their counts, a week apart, None where nobody counted."""


@pytest.fixture(scope="module")
def counted_lists(published, tmp_path_factory):
    papers, mentions, counts = [], [], []
    for name, of_list in FEW.items():
        for paper, weeks in of_list.items():
            last = [count for count in weeks if count is not None][-1]
            year = 2020 if name == "fame" else None
            papers.append(paper_row(paper, title=paper, year=year, citation_count=last))
            counts += weekly(paper, weeks)
        mentions += named(of_list, list_id=name)
    lists = [list_row(name, title=f"List {name}") for name in FEW]
    folder = tmp_path_factory.mktemp("counted")
    return published(folder, reading_lists=lists, papers=papers, mentions=mentions, citation_counts=counts)


def test_a_recount_breaks_the_line_of_its_paper_and_has_a_mark(at, counted_lists):
    assert lines(at(counted_lists, "paper=calm")) == 1
    visited = at(counted_lists, "paper=recounted")
    assert lines(visited) == 2
    assert "that is no rise or fall, and the line is broken there" in visited.page.inner_text("#history-says")
    assert visited.page.locator("#history svg .mark-symbol").last.locator("path").count() == 1


@pytest.mark.parametrize(
    ("paper", "pieces"),
    [
        pytest.param("every-week", 1, id="counted-every-week"),
        pytest.param("without-one", 1, id="a-week-left-out"),
        pytest.param("with-a-pause", 2, id="nobody-counted-for-eight-weeks"),
    ],
)
def test_a_long_pause_between_counts_is_a_gap(at, counted_lists, paper, pieces):
    for address in (f"list={paper}&split=list", f"paper={paper}"):
        visited = at(counted_lists, address)
        assert lines(visited) == pieces
        assert ("broken where counts lie more than 21 days apart" in visited.page.inner_text("#history-says")) == (
            pieces > 1
        )


def test_a_paper_that_was_not_counted_has_a_gap_and_no_plateau(at, counted_lists):
    visited = at(counted_lists, "paper=rarely")
    assert lines(visited) == 2
    visited.page.evaluate("document.getElementById('history-numbers').open = true")
    visited.page.wait_for_selector("#history-numbers tbody td")
    cells = visited.page.locator("#history-numbers tbody td").all_inner_texts()
    assert cells == ["10", "11", "12", *["–"] * 6, "39", "40", "40", "40"]
    visited.page.evaluate("document.getElementById('history-numbers').open = false")
    assert lines(at(counted_lists, "list=rarely")) == 1


def test_rising_is_not_the_list_of_the_most_cited(at, counted_lists):
    rising = at(counted_lists, "list=fame").page.locator("#rising tbody .paper-title")
    assert rising.all_inner_texts() == ["climber"]


# what is chosen


@pytest.fixture(scope="module")
def two_lists(published, tmp_path_factory):
    """Two lists: the papers of B were counted for five weeks only, those of A for eight."""
    lists = [list_row("a", title="List A"), list_row("b", title="List B")]
    years = {"a": range(2000, 2020), "b": [2015] * 10}
    papers = [
        paper_row(f"{name}{number}", title=f"Paper {name}{number}", year=year, citation_count=90)
        for name in years
        for number, year in enumerate(years[name])
    ]
    in_a, in_b = ([row["paper_id"] for row in papers if row["paper_id"][0] == name] for name in "ab")
    counts = [row for paper in in_a for row in weekly(paper, range(10, 18))]
    counts += [row for paper in in_b for row in weekly(paper, [*range(10, 14), *[None] * 4])]
    return published(
        tmp_path_factory.mktemp("two_lists"), reading_lists=lists, papers=papers, citation_counts=counts,
        mentions=[
            *named(in_a, list_id="a", section=["Vision / language", "Old"]),
            *named(in_b, list_id="b", section=["Vision"]),
            *(mention_row(f"x{number}", list_id="b", line=90 + number, status="failed") for number in range(40)),
        ],
        findings=[finding_row("a-a1")],
    )  # fmt: skip


@pytest.mark.nightly
def test_a_history_ends_with_the_last_count_of_what_is_chosen(at, two_lists):
    visited = at(two_lists, "list=b")
    says = visited.page.inner_text("#history-says")
    last = BEGIN + timedelta(weeks=6)  # three weeks without a count are not yet a long pause
    assert f"to {last.day} {last:%b %Y}" in says


def test_a_choice_without_a_paper_says_so_once(at, two_lists):
    visited = at(two_lists, "list=b&from=2016")
    assert visited.page.inner_text("#shown") == "No paper of 30"
    notice = visited.page.inner_text("#nothing")
    assert notice.startswith("No paper is in all that is chosen. Chosen: list List B; published from 2016.")
    assert not visited.page.is_visible("#years-title")
    with visited.redrawn():
        visited.page.click("#reset")
    assert not visited.page.is_visible("#nothing")
    assert visited.page.is_visible("#years-title")


def test_a_year_without_a_paper_stands_in_its_field(at, two_lists):
    visited = at(two_lists, "from=2040")
    assert visited.page.inner_text("#shown") == "No paper of 30"
    assert visited.page.input_value("select[name=from]") == "2040"


@pytest.mark.nightly
def test_back_undoes_the_last_choice_and_forward_takes_it_again(at, two_lists):
    visited = at(two_lists)
    choose(visited, "list", "a")
    choose(visited, "from", "2010")
    for letters in ("p", "pa", "paper a1"):
        with visited.redrawn():
            visited.page.fill("input[name=q]", letters)
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
    choose(visited, "topics", "section")
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
    choose(visited, "to", "2005")
    before = rows_of(visited), visited.page.url
    with visited.redrawn():
        visited.page.select_option("select[name=from]", "2012")
    assert visited.page.inner_text("#refusal") == (
        "Not chosen: 2012 is later than 2005, so no paper is published from 2012 to 2005."
    )
    assert visited.page.get_attribute("select[name=from]", "aria-invalid") == "true"
    assert visited.page.input_value("select[name=from]") == ""
    assert (rows_of(visited), visited.page.url) == before
    choose(visited, "from", "2004")
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


@pytest.fixture(scope="module")
def headings(published, tmp_path_factory):
    """A list of 400 sections, of which the last is named with the sign that parts headings."""
    names = [f"Topic {number}" for number in range(399)] + ["Speech / audio"]
    papers = [paper_row(f"p{number:03}", title=f"On {name}", citation_count=1) for number, name in enumerate(names)]
    mentions = [
        mention_row(f"m{number}", paper_id=f"p{number:03}", line=number + 1, section=["All", name])
        for number, name in enumerate(names)
    ]
    return published(tmp_path_factory.mktemp("headings"), papers=papers, mentions=mentions)


@pytest.mark.nightly
def test_a_section_of_four_hundred_is_found_by_words(at, headings):
    visited = at(headings)
    page = visited.page
    assert page.locator("#section-names option").count() == 401
    name_section(visited, "audio")
    assert page.input_value("input[name=section]") == "All › Speech / audio"
    assert rows_of(visited) == ["On Speech / audio"]
    assert page.locator("#refusal").inner_text() == ""
    name_section(visited, "topic 39")
    assert page.inner_text("#refusal").startswith("10 sections have “topic 39” in their names")
    assert rows_of(visited) == ["On Speech / audio"]
    name_section(visited, "All › Topic 39")
    assert rows_of(visited) == ["On Topic 39"]
    name_section(visited, "")
    assert page.inner_text("#papers-says") == "400 papers."


@pytest.mark.nightly
def test_a_heading_with_a_slash_is_whole(at, browser, two_lists):
    visited = at(two_lists)
    name_section(visited, "Vision")
    assert visited.page.inner_text("#shown") == "10 of 30 papers"
    name_section(visited, "Vision / language")
    assert visited.page.inner_text("#shown") == "20 of 30 papers"
    address = visited.page.url
    choose(visited, "topics", "section")
    assert visited.page.inner_text("#topics-legend") == "Vision / language › Old"
    with visit(browser, two_lists, hash_="#" + address.partition("#")[2]) as visited:
        assert visited.page.input_value("input[name=section]") == "Vision / language"
        assert visited.page.inner_text("#shown") == "20 of 30 papers"


# colours


def hues():
    """Returns the page's colours of a light and of a dark screen."""
    style = (resources.files("warehouse.dashboard") / "style.css").read_text(encoding="utf-8")
    found = re.findall(r"--series-\d: (#[0-9a-f]{6})", style)
    return {"light": found[: len(found) // 2], "dark": found[len(found) // 2 :]}


# Machado, Oliveira and Fernandes (2009), severity 1: https://www.inf.ufrgs.br/~oliveira/pubs_files/CVD_Simulation/CVD_Simulation.html
EYES = {
    "usual": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}


def lightness_and_colour(colour, eyes):
    """Returns CIE L*a*b* (D65) of a colour as these eyes see it."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels]
    red, green, blue = (min(1, max(0, sum(a * b for a, b in zip(row, linear, strict=True)))) for row in EYES[eyes])
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    fx, fy, fz = (one ** (1 / 3) if one > 0.008856 else 7.787 * one + 16 / 116 for one in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_five_colours_at_most_which_every_eye_tells_apart(scheme, eyes):
    seen = [lightness_and_colour(colour, eyes) for colour in hues()[scheme]]
    assert 2 <= len(seen) <= 5
    apart = [
        sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) ** 0.5
        for number, one in enumerate(seen)
        for other in seen[:number]
    ]
    assert min(apart) > 10  # of CIE76, where 2.3 is just noticeable


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


@pytest.mark.nightly
def test_a_list_keeps_its_colour_whatever_is_chosen(at, seven_lists):
    visited = at(seven_lists)
    everything = visited.page.eval_on_selector_all("#history-legend > *", LEGEND)
    assert [everything[f"List {number}"] for number in range(5)] == [f"swatch s{number}" for number in range(5)]
    choose(visited, "from", "2012")
    chosen = visited.page.eval_on_selector_all("#history-legend > *", LEGEND)
    assert chosen == {f"List {number}": f"swatch s{min(number, 4)}" for number in range(2, 7)}


def test_lines_and_rows_carry_their_names(at, seven_lists):
    visited = at(seven_lists)
    texts = visited.page.locator("#history svg .role-mark.mark-text text").all_text_contents()
    assert set(texts) == {f"List {number}" for number in range(5)}
    assert "The 5 with most papers of 7 have a line." in visited.page.inner_text("#history-says")
    dashes = visited.page.eval_on_selector_all(
        "#history svg .mark-line path", "all => all.map(one => one.getAttribute('stroke-dasharray'))"
    )
    assert len(set(dashes)) == len(dashes) == 5
    choose(visited, "topics", "section")
    assert visited.page.locator("#topics svg .role-mark.mark-text text").all_text_contents() == ["(no section), 42"]


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
    with visited.redrawn():
        visited.page.fill("input[name=q]", "poincaré ℓ₁")
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


@pytest.mark.nightly
def test_lists_of_papers_without_a_year_are_compared_without_bars(browser, published, tmp_path):
    lists = [list_row("a", title="List A"), list_row("b", title="List B")]
    papers = [paper_row(name, citation_count=1) for name in ("p1", "p2")]
    mentions = [*named(["p1", "p2"], list_id="a"), *named(["p1"], list_id="b")]
    with visit(browser, published(tmp_path, reading_lists=lists, papers=papers, mentions=mentions)) as visited:
        words = visited.page.inner_text("figure:has(#compare)")
        assert "both name 1: 50 % of the one, 100 % of the other. No year is known of any of them" in words
        assert visited.page.inner_text("#compare-titles h3 >> nth=0") == "only in List A: 1"
    assert visited.said == []


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
        with visited.redrawn():
            visited.page.click("#papers-table th[data-column=title] button")
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


def test_the_csv_says_that_it_is_utf_8_and_the_bibtex_has_no_such_mark(at, two_lists):
    visited = at(two_lists)
    begins = {}
    for button in ("#csv", "#bibtex"):
        with visited.page.expect_download() as waiting:
            visited.page.click(button)
        begins[button] = waiting.value.path().read_bytes()[:4]
    assert begins["#csv"] == b"\xef\xbb\xbfp"
    assert begins["#bibtex"][:1] == b"@"


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


def test_the_keyboard_alone_goes_through_the_page(browser, seven_lists):
    with visit(browser, seven_lists) as visited:
        page = visited.page

        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        visited.tab_to("select[name=list]")
        with visited.redrawn():
            page.keyboard.type("List 3")
            page.keyboard.press("Enter")
        assert page.inner_text("#shown") == "6 of 42 papers"
        visited.tab_to("#reset")
        with visited.redrawn():
            page.keyboard.press("Enter")
        assert page.inner_text("#shown") == "All 42 papers"
        assert page.evaluate("document.activeElement.id") == "reset"
        visited.tab_to("input[name=q]")
        with visited.redrawn():
            page.keyboard.type("p62")
        assert rows_of(visited) == ["Title of p62"]


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


def test_enter_opens_numbers_and_histories_and_escape_hides_the_words_of_a_mark(browser, seven_lists):
    with visit(browser, seven_lists) as visited:
        page = visited.page
        visited.tab_to("#history-numbers summary")
        page.keyboard.press("Enter")
        page.wait_for_selector("#history-numbers tbody td")
        visited.tab_to("#papers-table .paper-title")
        with visited.redrawn():
            page.keyboard.press("Enter")
        assert "paper=" in page.url
        mark = page.locator("#years svg .mark-rect path").last
        mark.scroll_into_view_if_needed()
        mark.hover(force=True)
        page.wait_for_selector("#tip:not([hidden])")
        page.keyboard.press("Escape")
        assert not page.is_visible("#tip")
