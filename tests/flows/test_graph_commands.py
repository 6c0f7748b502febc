"""`paperlake missing`, `related` and `next` on lakes filled by hand."""

from __future__ import annotations

import json

import duckdb
import pytest
from typer.testing import CliRunner

from flows.cli import app
from standins.trials.rows import (
    T0,
    citation_row,
    cited_row,
    fill,
    harvest_row,
    identifier_row,
    list_row,
    mention_row,
    outside_row,
    paper_row,
    reference_row,
    run_row,
    work_row,
)
from warehouse.lake.place import LakePlace
from warehouse.query.reading import MARKS

PAPERS = [f"p{number}" for number in range(1, 7)]
ENTRIES = [f"- [Paper {item}](https://arxiv.org/abs/2001.0000{item[1:]}) (201{item[1:]})" for item in PAPERS]
APT = outside_row("W200", title="An Apt Work On Things", year=2015, doi="10.5555/apt", citation_count=40)
SURVEY = outside_row("W300", title="Survey Of It All", year=2021, arxiv_id="2101.00009", reference_count=50)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("graph")
    text = "\n".join(["# Things", "", *ENTRIES, ""])
    (made / "list.md").write_text(text, encoding="utf-8")
    references = [reference_row(item, "W200") for item in PAPERS[:4]]
    references += [reference_row(item, "W1") for item in ("p2", "p3", "p5")] + [reference_row("p1", "W6")]
    fill(
        LakePlace.of(made / "lake"),
        run_row(lists=1, mentions=6, resolved=6, papers=6, papers_new=6),
        reading_lists=[list_row(location=str(made / "list.md"))],
        mentions=[
            mention_row(f"m{item}", paper_id=item, title=f"Paper {item}", line=line, section=["Things"])
            for line, item in enumerate(PAPERS, start=3)
        ],
        papers=[
            paper_row(item, title=f"Paper {item}", title_keys=[f"paper{item}"], year=2010 + int(item[1:]))
            for item in PAPERS
        ],
        paper_identifiers=[
            *(identifier_row(item, "openalex", f"W{item[1:]}") for item in PAPERS),
            *(identifier_row(item, "arxiv", f"2001.0000{item[1:]}") for item in PAPERS),
        ],
        openalex_works=[
            work_row(item, openalex_id=f"W{item[1:]}", citation_count={"p1": 900, "p2": 0}.get(item, 5))
            for item in PAPERS
        ],
        harvests=[
            harvest_row("p4", source="openalex", status="not_found"),
            harvest_row("p6", source="openalex", status="failed", error="HTTP 503"),
        ],
        paper_references=references
        + [reference_row(item, work) for item in ("p1", "p3", "p4") for work in ("W400", "W401")],
        paper_citations=[citation_row(item, "W300") for item in PAPERS[1:]],
        outside_works=[APT, SURVEY, outside_row("W400", status="failed", tries=1)],
    )
    return made


@pytest.fixture
def run(folder, monkeypatch):
    monkeypatch.chdir(folder)

    def invoke(*arguments: str):
        return CliRunner().invoke(app, [*arguments, "--lake", "lake"], env={"COLUMNS": "200"})

    return invoke


def test_missing_works_come_with_entries_and_a_line_in_the_lists_own_style(run):
    (report,) = json.loads(run("missing", "list.md", "--json").stdout)["lists"]
    assert {row["title"]: row["line"] for row in report["missing"]} == {
        APT["title"]: "- [An Apt Work On Things](https://doi.org/10.5555/apt) (2015)",
        SURVEY["title"]: "- [Survey Of It All](https://arxiv.org/abs/2101.00009) (2021)",
    }
    apt = next(row for row in report["missing"] if row["title"] == APT["title"])
    assert [(entry["line"], entry["link"]) for entry in apt["entries"]] == [(line, "cites it") for line in range(3, 7)]
    gaps = {
        "much_cited": 1,
        "not_in_openalex": 1,
        "could_not_ask": 1,
        "entries_without_paper": 0,
        "papers_of_all_lists": 6,
    }
    works = {"works_not_known": 2, "works_failed": 1}
    assert report["basis"] == {"papers": 6, "with_references": 5, "with_citing_works": 1} | gaps | works


@pytest.mark.parametrize(
    "entry", ["- [Survey of It All](https://arxiv.org/abs/2012.00001)", "- survey of IT all! (2021)"]
)
def test_what_the_file_has_by_now_is_not_missing(run, folder, monkeypatch, entry):
    path = folder / "list.md"
    before = path.read_text(encoding="utf-8")
    path.write_text(f"{before}{entry}\n", encoding="utf-8")
    try:
        (report,) = json.loads(run("missing", "list.md", "--limit", "1", "--json").stdout)["lists"]
        screen = run("missing", "list.md").stdout
    finally:
        path.write_text(before, encoding="utf-8")
    assert ([row["title"] for row in report["missing"]], report["in_file_by_now"]) == ([APT["title"]], 1)
    assert "Missing from list.md: 1" in screen
    assert "Left out: 1 work that the file has by now" in screen


def test_the_screen_says_what_the_report_rests_on(run):
    shown = run("missing").stdout
    assert "Missing from list.md: 2" in shown
    assert "cited by 4 of 5 listed papers with known references; 40 citations in all: line 3 Paper p1" in shown
    assert "references of 5 of 6 papers, and on all works that cite 1 of them" in " ".join(shown.split())
    assert "knows no list" in str(run("missing", "other.md").exception)
    assert "1 paper about which it could not be asked" in " ".join(shown.split())
    works = "Not looked up: 2 works that may be missing, 1 of which could not be asked about. Below 10 of all lists"
    assert works in " ".join(shown.split())


@pytest.mark.parametrize(
    ("paper", "sentence"),
    [
        ("p4", "OpenAlex does not have this paper"),
        ("p6", "could not be asked about this paper: HTTP 503"),
        (
            "p5",
            "Known are 1 reference, and 1 citing work, those that happened to come (5 citations by its count)",
        ),
    ],
)
def test_nothing_near_a_paper_is_told_from_nothing_known(run, paper, sentence):
    assert sentence in " ".join(run("related", paper).stdout.split())


def test_where_openalex_is_off_it_says_what_turns_it_on(run, monkeypatch):
    monkeypatch.setenv("PAPERLAKE_OPENALEX", "false")
    for command in (["missing", "list.md"], ["related", "--list", "list.md"]):
        assert "PAPERLAKE_OPENALEX=true turns it on" in " ".join(run(*command).stdout.split())


def test_only_what_is_new_since_a_day(run):
    day = f"{T0:%Y-%m-%d}"
    assert "nothing that is known" in run("missing", "--since", day).stdout
    before = json.loads(run("missing", "--since", "2026-02-01", "--json").stdout)
    assert len(before["lists"][0]["missing"]) == 2
    assert len(json.loads(run("missing", "--limit", "1", "--json").stdout)["lists"][0]["missing"]) == 1


def test_works_near_a_paper(run):
    found = json.loads(run("related", "Paper p2", "--json").stdout)
    near = {row["title"]: row for row in found["related"]}
    assert found["paper"]["work"] == "p2"
    assert (near["Paper p3"]["shared_references"], near["Paper p3"]["cited_together"]) == (2, 1)
    assert near["Paper p1"]["is_cited_by_it"]
    assert near["Survey Of It All"]["cites_it"]
    assert found["related"][0]["title"] == "Paper p3"


@pytest.mark.parametrize("name", ["https://openalex.org/W2", "paper P2", "p2", "https://arxiv.org/abs/2001.00002v3"])
def test_a_paper_is_named_by_identifier_title_or_words(run, name):
    assert json.loads(run("related", name, "--json").stdout)["paper"]["work"] == "p2"


@pytest.mark.slow
def test_how_a_list_hangs_together(run):
    report = json.loads(run("related", "--list", "list.md", "--json").stdout)
    place = {row["title"]: number for number, row in enumerate(report["order"])}
    assert place["Paper p6"] < place["Paper p1"] < place["Paper p2"]
    assert report["core"][0] == {
        "work": "p1", "title": "Paper p1", "year": 2011, "cited_by": 3, "cites": 1, "parted_without_it": 3,
    }  # fmt: skip
    assert report["no_order_because"] is None
    assert "Reading order" in run("related", "--list", "all", "--show", "order").stdout


TEXTS = {
    "base": "- [ ] Base",
    "read": "- [x] Read",
    "struck": "- ~~Struck~~",
    "dated": "- Dated, read: 2026-02-01",
    "near": "- Near",
    "new": "- New",
    "old": "- Old",
    "gone": "- Gone",
}
CITES = [("read", "base"), ("new", "base"), ("near", "base"), ("near", "dated"), ("gone", "read")]


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    place = LakePlace.of(tmp_path_factory.mktemp("next") / "lake")
    years = {"base": 2015, "near": 2018, "new": 2025, "old": 2001}
    fill(
        place,
        run_row(lists=2, mentions=9, resolved=9, papers=8, papers_new=8),
        reading_lists=[list_row(), list_row("l2")],
        mentions=[
            mention_row(f"m{paper}", paper_id=paper, title=paper, text=text, line=line, struck=paper == "struck")
            for line, (paper, text) in enumerate(TEXTS.items(), start=3)
        ]
        + [mention_row("elsewhere", list_id="l2", paper_id="old", text="- [x] Old", line=1)],
        papers=[
            paper_row(paper, title=f"Paper {paper}", year=years.get(paper), retracted=paper == "gone")
            for paper in TEXTS
        ],
        paper_identifiers=[identifier_row(paper, "openalex", f"W{number}") for number, paper in enumerate(TEXTS, 1)],
        paper_references=[
            reference_row(citing, f"W{[*TEXTS].index(cited) + 1}", cited_paper_id=cited) for citing, cited in CITES
        ],
        openalex_works=[work_row("new", openalex_id="W6", citation_count=7, refreshed_at=T0)],
        citations_by_year=[cited_row("new", year=2025, citation_count=7)],
    )
    return str(place.folder)


def ask(lake: str, *arguments: str):
    return CliRunner().invoke(app, ["next", *arguments, "--lake", lake], env={"COLUMNS": "200"})


def test_what_is_read_or_retracted_is_left_out_and_every_other_paper_has_its_reason(lake):
    (report,) = json.loads(ask(lake, "l1.md", "--json").stdout)["lists"]
    assert {row["paper_id"]: row["because"] for row in report["next"]} == {
        "base": "3 papers of the list cite it, 1 of which you have read; it is of 2015.",
        "new": "It builds on 1 that you have not read; it is of 2025; 7 citations in 2025.",
        "near": "It cites 1 that you have read; it builds on 1 that you have not read; it is of 2018.",
        "old": "No citation between it and the list is known; it is of 2001.",
    }
    assert [row["paper_id"] for row in report["next"]] == ["base", "new", "near", "old"]
    assert [row["rank"] for row in report["next"]] == [1, 2, 3, 4]
    score = report["next"][2]["score"]
    assert score == pytest.approx((1 / 3 + 0.5 ** (7 / 5)) / 2, abs=0.001), "a third for what was read, and its age"
    basis = {
        name: report["basis"][name] for name in ("marked_read", "marked_unread", "retracted_or_withdrawn", "to_read")
    }
    assert basis == {"marked_read": 3, "marked_unread": 1, "retracted_or_withdrawn": 1, "to_read": 4}


def test_what_one_list_marks_as_read_is_read_in_all_lists_together(lake):
    (report,) = json.loads(ask(lake, "--json").stdout)["lists"]
    assert (report["list"], [row["paper_id"] for row in report["next"]]) == (None, ["base", "new", "near"])


def test_the_screen_says_what_it_rests_on(lake):
    shown = " ".join(ask(lake, "l1.md", "--limit", "1").stdout.split())
    assert "To read next of l1.md: 1 of 4 1. Paper base (2015) line 3: 3 papers of the list cite it" in shown
    assert "8 papers, 3 marked as read; 1 other left out as retracted or withdrawn." in shown
    assert "references of 4 of 8 papers" in shown
    assert "nowhere.md" in str(ask(lake, "nowhere.md").exception)


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("- [x] A Title", "read"),
        ("## [x] [A Title](https://arxiv.org/abs/1706.03762)", "read"),
        ("| [x] | A Title | 2020 |", "read"),
        ("- A Title (read: 2023)", "read"),
        ("- A Title, **read:** ✓", "read"),
        ("- [ ] A Title", "unread"),
        ("A Title\nread: no", "unread"),
        ("- [x](https://example.org) A Title", None),
        ("- Attend and Read: 2019 Ways to Spell", None),
        ("- [Start, Follow, Read: End-to-End Recognition](https://example.org)", None),
        ("- Of [x] and y", None),
    ],
)
def test_a_mark_is_a_box_or_a_field(text, mark):
    query = "SELECT regexp_matches($text, $mark)"
    found = {name for name, mark in MARKS.items() if duckdb.execute(query, {"text": text, "mark": mark}).fetchone()[0]}
    assert found == ({mark} if mark else set())
