"""Each panel says the right thing: of a lake with known contents, and of an empty one."""

from __future__ import annotations

import csv
import io
import re
from datetime import timedelta
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import expect

from standins.trials.browser import visit
from standins.trials.rows import (
    DAY,
    T0,
    WEEK,
    author_row,
    candidate_row,
    cited_row,
    count_row,
    fill,
    finding_row,
    harvest_row,
    identifier_row,
    list_row,
    mention_row,
    outside_row,
    paper_row,
    reference_row,
    run_row,
    version_row,
    work_row,
)
from tests.matrices import first_each_push
from warehouse.dashboard.page import publish

pytestmark = pytest.mark.slow

PANELS = "changes rising map missing terms compare people institutions venues health counting".split()
NOW = T0 + 5 * WEEK
BIG, SMALL = "Big list", "Small list"
FAMILY = [f"p{number:02}" for number in range(40)]


def planted(place):
    """Makes a lake of two lists and 40 papers of one field, of which p00 takes off, p01 rises and p02 is published.

    p39 joins with the last refresh, an entry leaves, one is ambiguous; nine papers cite the work "Missing Link", which
    is in no list. "btree pages" are written of until 2016, "paxos quorums" in 2020.
    """
    papers, works, cited, counts = [], [], [], []
    for number, name in enumerate(FAMILY):
        year = 2020 if number < 14 else 2015 if number < 28 else 2017 + number % 3
        word = "paxos quorums" if year == 2020 else "btree pages" if year <= 2016 else "lsm logs"
        papers.append(
            paper_row(
                name, title=f"About {word} {name}", year=year, primary_category="cs.DB",
                categories=["cs.DB"], citation_count=100 - number, counted_at=NOW, doi=f"10.1000/{name}",
                authors=["Ada Heap", f"Bo Low{number % 39}"], abstract=f"Abstract of {name}.",
                venue=["NeurIPS 2018", "NeurIPS 2019", "arXiv"][number % 3], first_seen_at=NOW if name == "p39" else T0,
            )
        )  # fmt: skip
        works.append(work_row(name, openalex_id=f"W{number + 100}", citation_count=60))
        later, earlier = (90, 20) if number == 0 else (30, 30)
        cited += [cited_row(name, 2025, later), cited_row(name, 2024, earlier)]
        counts += [count_row(name, T0 + week * WEEK, 90 - number + week) for week in range(5)]
    identifiers = [identifier_row(name, "openalex", f"W{number + 100}") for number, name in enumerate(FAMILY)]
    references = [reference_row(name, "W100") for name in FAMILY[1:6]]
    references += [reference_row(name, "W9") for name in FAMILY[3:12]]
    big = [
        mention_row(f"m-{name}", list_id="big", paper_id=name, line=line, section=["A" if line < 20 else "B"])
        for line, name in enumerate(FAMILY[:39], 1)
    ]
    small = [
        mention_row(f"s-{name}", list_id="small", paper_id=name, line=line)
        for line, name in enumerate(FAMILY[30:39], 1)
    ]
    lost = mention_row("gone", list_id="big", line=90, title="Entry that left")
    which = mention_row(
        "m000which", list_id="big", line=91, title="Which one?", status="ambiguous", reason="two are alike"
    )
    first = {
        "reading_lists": [list_row("big", title=BIG, location="/home/me/big.md"), list_row("small", title=SMALL)],
        "papers": papers[:39], "mentions": [*big, *small, lost, which], "citation_counts": counts,
        "openalex_works": works[:39], "citations_by_year": cited[:78], "paper_references": references,
        "paper_identifiers": identifiers[:39],
        "outside_works": [outside_row("W9", title="Missing Link", year=2015, doi="10.1000/link", citation_count=12)],
        "findings": [finding_row("m-p05", value="About it", message="Its link names another paper.")],
        "candidates": [candidate_row("m000which", title="This one perhaps", year=2011, doi="10.1000/perhaps")],
        "harvests": [harvest_row(name, asked_at=NOW - DAY) for name in FAMILY[:39]],
    }  # fmt: skip
    first["citation_counts"] = [row for row in counts if row["paper_id"] != "p39"]
    second = {
        "mentions": [
            lost | {"removed_at": NOW},
            mention_row("m-p39", list_id="big", paper_id="p39", line=40, section=["B"], first_seen_at=NOW),
        ],
        "papers": papers[39:],
        "openalex_works": works[39:],
        "paper_identifiers": identifiers[39:],
        "citations_by_year": cited[78:],
        "paper_authors": [
            author_row(name, institutions=["ETH Zürich", "MIT"] if name < "p04" else ["ETH Zürich"], observed_at=NOW)
            for name in FAMILY[:12]
        ],
        "published_versions": [version_row("p02", venue="SOSP", year=2026, first_seen_at=NOW)],
        "citation_counts": [count_row("p01", NOW, 94), count_row("p01", NOW + DAY, 140)],
    }
    fill(place, run_row("first", started_at=T0, finished_at=T0 + timedelta(minutes=5)), **first)
    return fill(place, run_row("second", started_at=NOW, finished_at=NOW + timedelta(minutes=5)), **second)


@pytest.fixture(scope="module")
def planted_lake(empty_lake, tmp_path_factory):
    return planted(empty_lake(tmp_path_factory.mktemp("panels") / "lake"))


@pytest.fixture(scope="module")
def page_file(planted_lake, tmp_path_factory):
    return publish(planted_lake, tmp_path_factory.mktemp("out")).page


@pytest.fixture
def opened(at, page_file):
    """The page with nothing chosen, all of it drawn."""
    return at(page_file)


@pytest.fixture
def opened_anew(browser, page_file):
    """A page of its own: Chromium refuses the eleventh of a page's downloads that come faster than a hand clicks."""
    with visit(browser, page_file) as visited:
        yield visited


def downloaded(visited, panel, kind):
    with visited.page.expect_download() as waiting:
        visited.page.get_by_role("button", name=re.compile(f"^{kind} of ")).and_(
            visited.page.locator(f"#{panel}-downloads button")
        ).click()
    return waiting.value.path().read_text(encoding="utf-8-sig")


# every panel


@pytest.mark.parametrize("panel", first_each_push(PANELS, count=4))
def test_every_panel_asks_a_question_and_gives_numbers_csv_and_svg(opened_anew, panel):
    assert opened_anew.page.inner_text(f"#{panel}-title").endswith("?")
    rows = opened_anew.numbers(panel)
    table = list(csv.reader(io.StringIO(downloaded(opened_anew, panel, "CSV"), newline="")))
    assert len(table) == len(rows) + 1
    assert [row[0] for row in table[1:]] == [row[0] for row in rows]
    drawing = downloaded(opened_anew, panel, "SVG")
    root = ET.fromstring(drawing)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "var(--" not in drawing
    assert len(list(root.iter())) > 5


# what changed


def test_what_changed_is_a_sentence_and_a_list(opened):
    assert opened.says("changes") == (
        "Since 1 Mar 2026, 35 days before the last refresh: 1 entry added, 1 entry removed, 1 preprint published "
        "and 1 paper cited much more than before."
    )
    shown = opened.page.inner_text("#changes")
    for words in ("About lsm logs p39", "Entry that left", "SOSP 2026", "+46, now 140"):
        assert words in shown


def test_what_changed_follows_the_filters(opened):
    opened.choose("list", label=SMALL)
    assert opened.says("changes").startswith("Nothing that is chosen has changed since 1 Mar 2026")
    opened.choose("list", label=BIG)
    opened.choose("from", value="2020")
    assert opened.says("changes").endswith("1 preprint published and 1 paper cited much more than before.")


# taking off


def test_what_takes_off_stands_above_its_peers_and_not_by_fame(opened):
    rows = opened.page.eval_on_selector_all("#growth tbody tr", "rows => rows.map(row => row.cells[0].textContent)")
    assert rows == ["About paxos quorums p00"]
    assert "1 paper of 28 grows clearly faster" in opened.says("growth")
    assert "Too early to say: 12 papers" in opened.page.inner_text("#growth")
    judged = {row[0]: row[-1] for row in opened.numbers("rising")}
    assert judged["About paxos quorums p00"] == "taking off"
    assert judged["About paxos quorums p01"] == "like its peers"
    assert judged["About lsm logs p39"].startswith("too early to say: fewer than ten other papers")
    opened.choose("to", value="2019")
    assert opened.page.locator("#growth tbody tr").count() == 0
    assert "Too early to say: 12 papers" in opened.page.inner_text("#growth")


# the map and what is missing


def marks(visited, kind):
    return visited.page.locator(f"#map svg .mark-symbol path[fill*='{kind}']").count()


def test_the_map_has_a_mark_a_paper_and_hollow_ones_for_what_is_missing(opened):
    assert marks(opened, "--series-0") == 40
    assert marks(opened, "--panel") == 1
    assert "Hollow marks are works missing" in opened.says("map")
    named = "#map svg .mark-text text[opacity='1']"
    assert "Missing Link" in opened.page.eval_on_selector_all(named, "all => all.map(one => one.textContent)")
    cites = {row[0]: row[3:] for row in opened.numbers("map")}
    assert cites["About paxos quorums p00"] == ["–", "5"], "nobody knows what it cites"


def test_a_chosen_paper_shows_its_links(at, page_file):
    visited = at(page_file, "paper=p00")
    assert visited.page.locator("#map svg .mark-rule line[stroke*='--series']").count() == 5
    known = "its references are not known, cited by 5 of those whose references are known (solid)"
    assert known in visited.says("map")


def test_what_is_missing_stands_with_who_cites_it_and_the_line_to_paste(opened):
    shown = opened.page.inner_text("#missing")
    assert "Missing Link" in shown
    assert "cited here by 9 of 11 papers with known references (82\u00a0%)" in shown
    assert "- [Missing Link](https://doi.org/10.1000/link) (Author of W9, 2015)" in shown
    basis = "rests on the references of 11 of 40 papers of all lists; which works cite them is not known."
    assert basis in opened.says("missing")
    opened.choose("list", label=SMALL)
    assert "Nothing is known to be missing from what is chosen" in opened.page.inner_text("#missing")
    opened.choose("category", value="cs.DB")
    assert "not by section or category" in opened.page.inner_text("#missing")


# topics


def test_the_topics_in_motion_are_those_whose_share_moves(opened):
    found = {row[0]: float(row[1].replace("−", "-")) for row in opened.numbers("terms")}
    assert found["paxos quorums"] > 3
    assert found["btree pages"] < -3
    assert {"about", "p00"}.isdisjoint(" ".join(found).split())
    assert "“paxos quorums”" in opened.says("terms")
    assert "of your lists' papers of a year" in opened.says("terms")
    assert opened.page.locator("#terms svg .mark-rect path[fill='url(#hatch)']").count() > 0


# two lists


def test_two_lists_are_compared_in_three_parts(opened):
    assert opened.says("compare").startswith(
        f"{BIG} names 40 papers, {SMALL} 9; both name 9: 23 % of the one, 100 % of the"
    )
    where = [row[-1] for row in opened.numbers("compare")]
    assert {name: where.count(name) for name in where} == {f"only in {BIG}": 31, "in both": 9}
    opened.choose("to", value="2018")
    rest = [row[-1] for row in opened.numbers("compare")]
    assert 0 < len(rest) < 40
    opened.choose("a", label=SMALL)
    chosen = "Of the chosen category and years: "
    assert opened.says("compare").startswith(f"{chosen}{SMALL} names 6 papers, ")
    opened.choose("to", value="2016")
    assert opened.says("compare").startswith(f"{chosen}{SMALL} names 0 papers, {BIG} 14; both name 0. ")


# people and venues


def test_a_name_counts_each_paper_and_a_venue_has_one_name(opened):
    people = opened.numbers("people")
    assert people[0] == ["Ada Heap", "40"]
    assert opened.numbers("venues") == [["NeurIPS", "27"]]
    assert "13 papers came out in an archive of preprints only" in opened.says("venues")


def test_institutions_and_co_authors_are_counted_by_papers(opened):
    assert opened.numbers("institutions") == [["ETH Zürich", "12"], ["MIT", "4"]]
    assert opened.says("institutions").endswith("at most 200. Of 28 it tells none.")
    assert "Together most often: Ada Heap and Bo Low0 (2 papers). " in opened.says("people")
    opened.choose("list", label=SMALL)
    assert "OpenAlex tells of no paper here" in opened.page.inner_text("figure:has(#institutions)")


# the table


def test_a_row_opens_in_place_and_has_an_address_of_its_own(opened, browser, page_file):
    page = opened.page
    with opened.redrawn():
        page.locator("#papers-table .opener").first.click()
    assert page.locator("#papers-table .opener").first.get_attribute("aria-expanded") == "true"
    page.wait_for_selector("#opened .abstract:has-text('Abstract')")
    shown = page.inner_text("#opened")
    assert "Abstract of p00." in shown
    assert "Mentions: 1" in shown
    assert "counted 5 times" in shown
    address = page.get_attribute("#opened a:has-text('Permalink')", "href")
    with visit(browser, page_file, hash_=address[address.index("#") :]) as visited:
        assert "Mentions: 1" in visited.page.inner_text("#opened")
    with opened.redrawn():
        page.locator("#papers-table .opener").first.click()
    assert page.locator("#opened").count() == 0


def test_an_opened_row_says_who_cites_whom_and_gives_what_to_copy(browser, page_file):
    with visit(browser, page_file, hash_="#open=p00", permissions=["clipboard-read", "clipboard-write"]) as visited:
        assert "Cited here by: 5" in visited.page.inner_text("#opened")
        visited.page.click("#opened button:has-text('Copy Markdown')")
        visited.page.wait_for_selector("#copied:has-text('Copied Markdown.')", state="attached")
        assert visited.page.evaluate("navigator.clipboard.readText()") == (
            "- [About paxos quorums p00](https://doi.org/10.1000/p00) (Ada Heap and Bo Low0, 2020)"
        )
        visited.page.click("#opened button:has-text('Copy BibTeX')")
        visited.page.wait_for_selector("#copied:has-text('Copied BibTeX.')", state="attached")
        assert visited.page.evaluate("navigator.clipboard.readText()").startswith("@")
    assert visited.said == []


def test_the_table_has_a_picture_and_says_that_it_is_its_own_numbers(opened):
    with opened.page.expect_download() as waiting:
        opened.page.click("#svg")
    root = ET.fromstring(waiting.value.path().read_text(encoding="utf-8"))
    texts = [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[:7] == ["Paper", "Year", "Venue", "In lists", "Citations", "Rank", "Per week"]
    assert "About paxos quorums p01" in texts
    assert "The table is its own numbers" in opened.page.inner_text("#papers")


def test_the_rank_is_against_the_counts_of_90_days_ago(opened):
    rows = opened.page.eval_on_selector_all("#papers-table tbody tr", "rows => rows.map(row => row.innerText)")
    (rose,) = [row for row in rows if "p01" in row]
    assert "▲ 1" in rose


# health


def test_health_names_findings_and_mentions_with_the_line_to_copy(opened):
    assert opened.says("health") == ("1 finding in the lists, 1 mention without a paper and 1 paper never counted.")
    rows = {row[0]: row[1:] for row in opened.numbers("health")}
    assert rows["link-title-disagree"] == ["big.md:6", "About it", "Its link names another paper.", ""]
    assert rows["ambiguous"][1] == "Which one?"
    assert "best candidate: This one perhaps, 2011, doi:10.1000/perhaps" in rows["ambiguous"][2]
    assert rows["ambiguous"][3] == "paperlake review accept m000which"
    assert "paperlake review accept m000which" in opened.page.inner_text("#unresolved-table")
    opened.choose("from", value="2020")
    assert opened.says("health").startswith("Of what is chosen: 1 finding in the lists")
    opened.choose("from", value="")
    opened.choose("to", value="2019")
    assert "finding" not in opened.says("health")
    assert opened.page.locator("#findings details").count() == 0
    opened.choose("list", label=SMALL)
    assert opened.says("health") == "Nothing needs attention in what is chosen."


# coverage


# counting


def test_the_counting_tells_days_gaps_and_sources(opened):
    words = opened.says("counting")
    assert "citations were counted on 7 days from 1 Mar 2026 to 6 Apr 2026" in words
    assert "whatever is chosen" in words
    assert [row[1] for row in opened.numbers("counting")] == ["39"] * 5 + ["1", "1"]
    assert "39 papers found" in opened.page.inner_text("#sources")
    assert "the peers themselves go up and down" in opened.page.inner_text("#counting-clearly")


# everybody


@pytest.mark.parametrize(
    "kind",
    first_each_push(
        [
            pytest.param({"color_scheme": "light"}, id="light"),
            pytest.param({"color_scheme": "dark"}, id="dark"),
            pytest.param({"viewport": {"width": 390, "height": 844}}, id="phone"),
        ],
        count=1,
    ),
)
def test_axe_finds_nothing_serious(browser, page_file, kind):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    with visit(browser, page_file, reduced_motion="reduce", **kind) as visited:
        visited.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        found = axe.run(visited.page).response["violations"]
        wide = visited.page.evaluate("document.documentElement.scrollWidth > innerWidth")
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert [(one["id"], one["nodes"][0]["html"]) for one in serious] == []
    assert not wide


def test_what_to_know_first_leads_to_its_panel_and_is_of_all(opened):
    opened.page.click("#first [data-kind=growing] a")
    expect(opened.page.locator("#rising-title")).to_be_in_viewport()
    opened.choose("list", label=SMALL)
    assert not opened.page.is_visible("#first")


# readers without script, an empty lake, an old one


def test_without_a_script_the_first_panels_are_there_and_nothing_dead(browser, page_file):
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(page_file.as_uri())
        assert page.locator("#first li").count() == 5
        assert "Taking off: “About paxos quorums p00” (90 citations in 2025 after 20)" in page.inner_text("#first")
        assert page.locator("#map svg path").count() == 1
        assert page.is_visible("#map svg.static")
        for dead in ("#filters", "#papers", ".chart:empty", ".numbers"):
            assert page.locator(f"{dead} >> visible=true").count() == 0, dead


def test_an_empty_lake_says_in_every_panel_what_there_is(browser, empty_lake, tmp_path):
    with visit(browser, publish(empty_lake(tmp_path / "lake"), tmp_path / "out").page) as visited:
        for panel in PANELS:
            text = visited.page.inner_text(f"section[aria-labelledby='{panel}-title']")
            assert len(text) > 25, panel
            assert not re.search(r"undefined|NaN|null|Infinity", text), panel
        assert "paperlake refresh" in visited.page.inner_text("main")
        assert visited.says("changes").startswith("No list has been read yet")
        assert "There is one list" not in visited.page.inner_text("main")
        assert visited.page.inner_text("main").count("There is no list yet") == 3
        assert not visited.page.is_visible("select[name=a]")
    assert visited.said == []


def test_where_nobody_was_asked_who_cites_whom_nothing_is_said_to_be_complete(browser, published, tmp_path):
    page = published(tmp_path, papers=[paper_row("p1")], mentions=[mention_row(paper_id="p1")])
    with visit(browser, page) as visited:
        assert "not known of any paper yet, so nothing can be said" in visited.page.inner_text("#missing")
        assert "The lists were read once so far" in visited.says("changes")
    assert visited.said == []
