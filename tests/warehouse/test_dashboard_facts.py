"""What the page is given: columns, histories on one grid, names and addresses of lists; and the files."""

from __future__ import annotations

import base64
import csv
import gzip
import json
import re
import subprocess
import sys
from datetime import date, timedelta
from importlib import resources

import pyarrow.parquet as pq
import pytest
import vl_convert

from sources.errors import WarehouseError
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
    list_row,
    mention_row,
    paper_row,
    run_row,
    version_row,
    work_row,
)
from tests.matrices import for_each
from warehouse.dashboard.chart_library import read_charts
from warehouse.dashboard.columns import day, line_prefix, short_names
from warehouse.dashboard.facts import read_facts
from warehouse.dashboard.page import packed_abstracts, publish
from warehouse.loading.commit import Harvest, load

pytestmark = pytest.mark.slow

# lists


@for_each(
    ("location", "prefix"),
    [
        ("github:o/n/docs/a list.md", "https://github.com/o/n/blob/HEAD/docs/a%20list.md?plain=1#L"),
        ("github:o/n@v1/README.md", "https://github.com/o/n/blob/v1/README.md?plain=1#L"),
        ("https://github.com/o/n/blob/main/README.md", "https://github.com/o/n/blob/main/README.md?plain=1#L"),
        ("https://raw.githubusercontent.com/o/n/main/a/b.md", "https://github.com/o/n/blob/main/a/b.md?plain=1#L"),
        ("https://raw.githubusercontent.com/o/n", "https://raw.githubusercontent.com/o/n#L"),
        ("/home/me/list.md", None),
        ("javascript:alert(1)", None),
        ("github:not a repository", None),
        ("https://[", None),
    ],
)
def test_a_line_has_an_address_only_on_the_web(location, prefix):
    assert line_prefix(location) == prefix


def test_files_are_named_by_as_much_of_their_path_as_tells_them_apart():
    locations = ["/home/me/a/README.md", "/home/me/b/README.md", "/x/other.md", "/other.md", "https://e.org/x.md"]
    assert short_names(locations) == ["a/README.md", "b/README.md", "x/other.md", "other.md", "https://e.org/x.md"]


# facts


def facts_of(lake, **rows):
    rows = {"reading_lists": [list_row("l1", title="Lists")], **rows}
    load(lake, Harvest(**rows), run_row())
    return read_facts(lake)


def named(*papers):
    return [mention_row(f"m-{paper}", paper_id=paper, line=line) for line, paper in enumerate(papers, 1)]


@pytest.mark.parametrize(
    ("apart", "added"),
    [
        pytest.param([timedelta(hours=0), timedelta(hours=5), DAY], "AA", id="days-at-first"),
        pytest.param([DAY, 2 * DAY, 60 * DAY, 61 * DAY], "AB", id="weeks-after-that"),
        pytest.param([DAY, 2 * DAY, 800 * DAY, 801 * DAY], "AB", id="months-in-the-end"),
    ],
)
def test_steps_grow_with_the_history(lake, apart, added):
    first = T0.replace(year=T0.year - 4)  # a count dated ahead of the clock is left out
    counts = [count_row("p1", first + after, number) for number, after in enumerate(apart)]
    facts = facts_of(lake, papers=[paper_row("p1")], mentions=named("p1"), citation_counts=counts)
    assert (len(facts["history"]["days"]), facts["history"]["added"]) == (2, [added])


def test_a_merge_is_no_rise(lake):
    papers = [paper_row("new"), paper_row("old", merged_into="new")]
    counts = [count_row("old", T0, 40), count_row("new", T0, 100), count_row("new", T0 + DAY, 103)]
    facts = facts_of(lake, papers=papers, mentions=named("new"), citation_counts=counts)
    assert (facts["history"]["days"], facts["history"]["added"]) == ([day(T0), day(T0 + DAY)], ["(100)C"])


def test_a_section_does_not_repeat_the_list_s_own_title(lake):
    mentions = [
        mention_row("m1", paper_id="p1", section=["Lists", "A", "B"]),
        mention_row("m2", paper_id="p1", section=["A"], line=2),
        mention_row("m3", section=["Lists"], line=3, title="Nobody knows", reason="asked all"),
    ]
    facts = facts_of(lake, papers=[paper_row("p1")], mentions=mentions)
    assert facts["places"]["section"]["values"] == [("A", "B"), ("A",)]
    assert facts["unresolved"]["section"]["values"] == [()]


def test_what_left_its_list_is_not_on_the_page(lake):
    mentions = [*named("p1"), mention_row("gone", paper_id="p2", removed_at=T0, line=9)]
    facts = facts_of(lake, papers=[paper_row("p1"), paper_row("p2")], mentions=mentions)
    assert facts["papers"]["id"] == ["p1"]
    assert facts["places"]["line"] == [1]


def test_null_is_not_zero(lake):
    papers = [paper_row("p1", citation_count=0, counted_at=T0), paper_row("p2")]
    facts = facts_of(lake, papers=papers, mentions=named("p1", "p2"))
    assert dict(zip(facts["papers"]["id"], facts["papers"]["citations"], strict=True)) == {"p1": 0, "p2": None}


def test_a_collaboration_of_thousands_is_cut_short_and_says_so(lake):
    letters = [chr(97 + number // 676) + chr(97 + number // 26 % 26) + chr(97 + number % 26) for number in range(3000)]
    crowd = [f"Ann A{name}" for name in letters]
    facts = facts_of(lake, papers=[paper_row("p1", authors=crowd)], mentions=named("p1"))
    assert facts["papers"]["authors"][0].split("; ")[-2:] == ["Ann Aaay", "others"]
    assert facts["bibtex"]["authors"] == [0]  # the entry has the same 25 and others


# files


@pytest.fixture(scope="module")
def one_paper(filled):
    """A lake of one paper, which the tests only read."""
    return filled(papers=[paper_row("p1", year=2020)], mentions=named("p1"))


@pytest.fixture(scope="module")
def filled(empty_lake, tmp_path_factory):
    def with_rows(**rows):
        place = empty_lake(tmp_path_factory.mktemp("filled") / "lake")
        return fill(place, reading_lists=[list_row("l1")], **rows)

    return with_rows


@pytest.fixture(scope="module")
def published(one_paper, tmp_path_factory):
    return publish(one_paper, tmp_path_factory.mktemp("new") / "out")


def test_four_files_are_written_and_nothing_else(published):
    folder = published.page.parent
    assert {path.name: path.stat().st_size for path in folder.iterdir()} == published.sizes
    with (folder / "catalogue.csv").open(encoding="utf-8", newline="") as file:
        assert [row["paper_id"] for row in csv.DictReader(file)] == ["p1"]
    assert pq.read_table(folder / "catalogue.parquet").column("paper_id").to_pylist() == ["p1"]


def test_the_same_lake_gives_the_same_page(published, one_paper, tmp_path):
    again = publish(one_paper, tmp_path / "again")
    assert again.page.read_bytes() == published.page.read_bytes()


OF_SEMANTIC_SCHOLAR = "xyzzy"
"""In every text of Semantic Scholar's, and in no other."""


@pytest.fixture(scope="module")
def of_several_sources(filled):
    marked = {
        "title": f"A {OF_SEMANTIC_SCHOLAR} title", "authors": [f"Ann {OF_SEMANTIC_SCHOLAR}"], "year": 1987,
        "venue": f"{OF_SEMANTIC_SCHOLAR} Letters", "doi": f"10.1000/{OF_SEMANTIC_SCHOLAR}",
        "s2_paper_id": OF_SEMANTIC_SCHOLAR, "fields_of_study": [OF_SEMANTIC_SCHOLAR],
        "citation_key": OF_SEMANTIC_SCHOLAR, "abstract": OF_SEMANTIC_SCHOLAR, "published_on": date(1987, 1, 1),
        "open_access_pdf_url": f"https://e.org/{OF_SEMANTIC_SCHOLAR}", "citation_count": 424242,
        "influential_citation_count": 42424, "reference_count": 4242, "counted_at": T0,
    }  # fmt: skip
    by_arxiv = {"title": "Queues", "authors": ["Ada Heap"], "arxiv_id": "2001.00001", "categories": ["cs.DS"]}
    by_arxiv |= {"primary_category": "cs.DS", "published_on": date(2020, 1, 1)}
    mentions = [
        *named("arxiv", "work"),
        mention_row("m3", paper_id="list", line=3, title="Stacks", authors=["Bo Low"], year=1999),
        mention_row("m4", line=4, status="ambiguous", reason=f"two are like it: {OF_SEMANTIC_SCHOLAR}"),
    ]
    return filled(
        papers=[paper_row("arxiv", **marked | by_arxiv), paper_row("work", **marked), paper_row("list", **marked)],
        mentions=mentions,
        candidates=[candidate_row("m4", title=OF_SEMANTIC_SCHOLAR, source="s2")],
        findings=[finding_row("m-work", message=f"Its link names {OF_SEMANTIC_SCHOLAR}.")],
        citation_counts=[
            *(count_row("arxiv", T0 + week * WEEK, 424242 + week) for week in range(5)),
            *(count_row("arxiv", T0 + week * WEEK, 70 + week, source="openalex") for week in range(5)),
        ],
        openalex_works=[work_row("arxiv", citation_count=74), work_row("work", title="Heaps", venue="Acta", year=2001)],
        citations_by_year=[cited_row("arxiv", 2025, 60)],
        paper_authors=[author_row("work", 1, "Eve Roe")],
    )


def unpacked(text, name):
    packed = re.search(rf'<script type="text/plain" id="{name}">([^<]*)</script>', text)[1]
    return gzip.decompress(base64.b64decode(packed)).decode()


def test_a_page_for_others_holds_nothing_of_semantic_scholar(of_several_sources, tmp_path):
    page = publish(of_several_sources, tmp_path / "cc0", terms="cc0").page
    text = page.read_text(encoding="utf-8")
    facts, packed = unpacked(text, "facts"), [unpacked(text, name) for name in ("entries", "abstracts")]
    table = pq.read_table(page.with_name("catalogue.parquet")).to_pylist()
    files = [text, facts, *packed, page.with_name("catalogue.csv").read_text(encoding="utf-8"), repr(table)]
    for told in (OF_SEMANTIC_SCHOLAR, "4242", "1987", "semanticscholar.org", "Semantic Scholar&#39;s"):
        assert not [file for file in files if told in file.removesuffix(text[text.index("<script>") :])], told
    papers = {row["paper_id"]: row for row in table}
    assert {name: (row["title"], row["authors"], row["year"]) for name, row in papers.items()} == {
        "arxiv": ("Queues", ["Ada Heap"], 2020),
        "work": ("Heaps", ["Eve Roe"], 2001),
        "list": ("Stacks", ["Bo Low"], 1999),
    }
    assert (papers["arxiv"]["citation_count"], papers["arxiv"]["count_source"]) == (74, "openalex")
    assert json.loads(facts)["papers"]["rising"] == [1.0, None, None]
    assert "All data on this page is CC0" in text


def test_a_large_page_leaves_out_second_addresses_and_says_so(filled, tmp_path, monkeypatch):
    with_doi, without = "a" * 40, "b" * 40
    papers = [
        paper_row("p1", doi="10.1000/x", s2_paper_id=with_doi, citation_count=9),
        paper_row("p2", arxiv_id="2001.00002", s2_paper_id="c" * 40, citation_count=7),
        paper_row("p3", s2_paper_id=without, citation_count=5),
    ]
    place = filled(papers=papers, mentions=named("p1", "p2", "p3"))
    whole = publish(place, tmp_path / "whole").page.read_text(encoding="utf-8")
    monkeypatch.setattr("warehouse.dashboard.page._MOST_WITH_EVERY_ADDRESS", 1)
    slim = publish(place, tmp_path / "slim").page.read_text(encoding="utf-8")
    assert [json.loads(unpacked(text, "facts"))["papers"]["s2"] for text in (whole, slim)] == [
        [with_doi, "c" * 40, without],
        [None, None, without],
    ]
    assert ["have no link to Semantic Scholar here" in text for text in (whole, slim)] == [False, True]
    assert unpacked(slim, "entries") == unpacked(whole, "entries")
    assert with_doi in (tmp_path / "slim" / "catalogue.csv").read_text(encoding="utf-8")


@pytest.fixture
def bundled(tmp_path, monkeypatch):
    """The bundles that were made, instead of by the library of charts, and written to a cache that was empty."""
    made = []
    monkeypatch.setattr(vl_convert, "javascript_bundle", lambda parts, vl_version: made.append(parts) or "vega")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return made


def test_charts_that_cannot_be_made_are_told_in_one_line_and_nothing_is_written(
    one_paper, tmp_path, monkeypatch, bundled
):
    def fail(*_, **__):
        raise ValueError("in vain:\nno such module\n")

    monkeypatch.setattr(vl_convert, "javascript_bundle", fail)
    with pytest.raises(WarehouseError, match=r"cannot make the dashboard's charts: no such module$"):
        publish(one_paper, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_charts_are_those_that_are_declared():
    made = subprocess.run([sys.executable, "-m", "benchmarks.page.charts"], capture_output=True, text=True, check=True)
    assert resources.files("warehouse.dashboard").joinpath("charts.json").read_text(encoding="utf-8") == made.stdout


def test_charts_are_made_once_and_anew_where_the_file_is_broken(bundled, tmp_path):
    first = read_charts()
    (stored,) = (tmp_path / "cache" / "paperlake").glob("charts-*.js.gz")
    whole = stored.read_bytes()
    stored.write_bytes(whole[: len(whole) // 2])
    assert (read_charts(), stored.read_bytes(), len(bundled)) == (first, whole, 2)
    assert (read_charts(), len(bundled)) == (first, 2)


def test_retracted_papers_and_published_versions_stand_beside_the_days_of_publication(lake):
    papers = [
        paper_row("p1", citation_count=5, published_on=date(2018, 1, 2)),
        paper_row("p2", citation_count=3, retracted=True),
    ]
    versions = [
        version_row("p1", record="conf/x/1", venue="OSDI", year=2019),
        version_row("p1", record="journals/x/2", venue="TOCS", year=2021),
        version_row("p1", source="arxiv", record="1801.00001", venue="OSDI 2019", year=2019),
        version_row("p2", record="conf/x/3", venue="SOSP", year=2019, gone_at=T0),
    ]
    facts = facts_of(lake, papers=papers, mentions=named("p1", "p2"), published_versions=versions)["papers"]
    assert (facts["id"], facts["retracted"]) == (["p1", "p2"], [1])
    assert facts["published_as"] == {"values": ["OSDI 2019; TOCS 2021"], "codes": [0, -1]}
    assert facts["published"] == [day(date(2018, 1, 2)), None]


def test_a_list_that_the_last_refresh_read_first_is_told_of(lake):
    facts_of(lake, papers=[paper_row("p1")], mentions=named("p1"))
    now = T0 + WEEK
    fresh = mention_row("m2", list_id="l2", title="Lost", first_seen_at=now)
    second = Harvest(reading_lists=[list_row("l2", title="Fresh", first_seen_at=now)], mentions=[fresh])
    load(lake, second, run_row("second", started_at=now, finished_at=now))
    facts = read_facts(lake)
    told = facts["changes"]
    assert (told["since"], told["until"], told["text"]) == (day(T0), day(now), ["Lost"])
    assert [facts["lists"]["id"][number] for number in told["new_lists"]] == ["l2"]


def test_abstracts_are_searched_for_terms_but_not_on_a_page_for_others(lake):
    papers = [
        paper_row(f"p{number}", year=2010 + number // 10, abstract="Quorum, here." if number % 9 == 0 else None,
                  title=f"Quorum thing{number}" if number >= 60 and number % 2 else f"Thing{number}")
        for number in range(120)
    ]  # fmt: skip
    facts = facts_of(lake, papers=papers, mentions=named(*(paper["paper_id"] for paper in papers)))
    told = dict(zip(facts["terms"]["term"], facts["terms"]["papers"], strict=True))
    assert facts["papers"]["id"].index("p0") in told["quorum"]
    assert facts["terms"]["abstracts"]
    assert not read_facts(lake, terms="cc0")["terms"]["abstracts"]


def test_a_term_is_one_with_its_plural_and_its_abbreviation(lake):
    forms = ["LLM", "LLMs", "Language Model", "Large Language Models"]
    papers = [
        paper_row(f"p{number:03}", year=2010 + number // 40, title=forms[number % 4] if number >= 120 else "Old Thing",
                  abstract="Large language models (LLMs) are tall." if number == 123 else None)
        for number in range(200)
    ]  # fmt: skip
    facts = facts_of(lake, papers=papers, mentions=named(*(paper["paper_id"] for paper in papers)))
    told = dict(zip(facts["terms"]["term"], facts["terms"]["papers"], strict=True))
    assert len(told["language model, llm"]) == 80
    assert not {"llm", "llms", "language model", "language models"} & told.keys()


def test_abstracts_are_cut_until_they_fit():
    def told(packet):
        return json.loads(gzip.decompress(base64.b64decode(packet)))

    text = " ".join(f"word{number * 7919 % 10007}" for number in range(400))
    whole = packed_abstracts([text, None], room=10_000)
    assert told(whole)["size"] == 1500
    first, second = told(whole)["texts"]
    assert (first[-2:], second) == (" …", None)
    assert len(first) <= 1502
    assert told(packed_abstracts([text, None], room=len(whole) - 1))["size"] == 600
    for none in ([text], []):
        assert told(packed_abstracts(none, room=100)) == {"size": 0, "texts": []}


def test_findings_and_candidates_stay_with_their_lines_and_off_a_page_for_others(lake):
    rows = {
        "papers": [paper_row("p1")],
        "mentions": [*named("p1"), mention_row("m2", line=4, status="ambiguous", title="Which?", reason="two of them")],
        "findings": [finding_row("m-p1", value="Title here", message="Its link names Xyzzy.")],
        "candidates": [candidate_row("m2", title="This one", year=2001, doi="10.1/x")],
    }
    facts = facts_of(lake, **rows)
    assert (facts["findings"]["line"], facts["findings"]["value"]) == ([1], ["Title here"])
    assert facts["findings"]["message"]["values"] == ["Its link names Xyzzy."]
    assert (facts["unresolved"]["id"], facts["unresolved"]["candidate"]) == (["m2"], [["This one", 2001, "doi:10.1/x"]])
    for_others = read_facts(lake, terms="cc0")
    assert for_others["findings"]["message"]["values"] == []
    assert for_others["unresolved"]["candidate"] == [None]


def test_abstracts_stay_off_a_page_for_others_and_off_one_of_too_many_papers(lake, monkeypatch):
    facts = facts_of(lake, papers=[paper_row("p1", abstract="Words.")], mentions=named("p1"))
    assert facts["abstracts"] == ["Words."]
    assert read_facts(lake, terms="cc0")["abstracts"] == []
    monkeypatch.setattr("warehouse.dashboard.panel_facts._MOST_ABSTRACTS", 0)
    assert read_facts(lake)["abstracts"] == []
