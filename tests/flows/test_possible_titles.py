"""Words that may be a title, and names alone: mentions where they surely are one paper, otherwise nothing at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from flows.progress import Silent, Stopwatch
from flows.refresh.pipeline import refresh_lake
from flows.refresh.reading import read_and_parse
from flows.refresh.summary import RunSummary
from flows.review.decisions import FILE_NAME
from sources.matching.evidence import known_as
from sources.matching.mention_queries import is_telling
from sources.records import Mention
from standins import StandIns
from standins.trials.bench import Bench
from tests.flows.test_citation_graph import list_of, study
from tests.warehouse.test_mirror import dump, import_arxiv
from tests.warehouse.test_mirror import row as dump_row
from warehouse.mirrors import ArxivMirror

pytestmark = pytest.mark.slow

LINKED = "- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n"
SEARCHED = "- Attention Is All You Need (2017)\n- [ELMo](https://arxiv.org/abs/1802.05365)\n"
TITLE = "Deep contextualized word representations"
TWICE = "Memory-Based Shallow Parsing"
OTHERS = ("A Phrase of Several Words That Heads No Paper", TWICE, "Training Deep Networks", "Layer Normalization")


def refresh(bench: Bench, text: str, possible: Sequence[str] = (TITLE, *OTHERS), **changes: Any) -> RunSummary:
    """Refreshes a list of which the parser found, beside its mentions, that `possible` may be titles."""
    settings = bench.settings(**changes)
    reading = read_and_parse([bench.write(text)], settings.place)
    maybe = tuple(
        Mention(line=40 + line, last_line=40 + line, title=title, text=title, confidence=0.2)
        for line, title in enumerate(possible)
    )
    lists = tuple(replace(one, reading_list=replace(one.reading_list, possible=maybe)) for one in reading.lists)
    return refresh_lake(
        replace(reading, lists=lists),
        settings,
        run_batch=lambda _, call: call(),
        report=Silent(),
        clock=Stopwatch(),
    )


def standing(bench: Bench) -> dict[str, tuple[str, str | None]]:
    rows = bench.rows("SELECT title, status, method FROM mentions WHERE removed_at IS NULL")
    return {row["title"]: (row["status"], row["method"]) for row in rows}


def test_the_whole_title_of_a_paper_that_a_list_names_becomes_a_mention(bench: Bench):
    summary = refresh(bench, SEARCHED)

    assert standing(bench)[TITLE] == ("resolved", "possible-title")
    assert (summary.mentions, summary.resolved, summary.not_found, summary.failed) == (3, 3, 0, 0)
    assert summary.methods["possible-title"] == 1
    (paper,) = bench.rows("SELECT p.* FROM papers p JOIN mentions m USING (paper_id) WHERE method = 'possible-title'")
    assert paper["arxiv_id"] == "1802.05365"
    assert paper["citation_count"] is not None
    assert not set(OTHERS) & set(standing(bench)), "of the others there is no trace"
    assert not {row["title"] for row in bench.rows("FROM candidates")} & set(OTHERS)


def test_the_next_refresh_decides_the_same_and_sends_nothing(bench: Bench, standins: StandIns):
    text = LINKED + "- [ELMo](https://arxiv.org/abs/1802.05365)\n"  # a paper that this run brings
    refresh(bench, text)
    assert standing(bench)[TITLE] == ("resolved", "possible-title")
    before = bench.contents()
    standins.clear_log()

    summary = refresh(bench, text)

    assert summary.mentions == 3
    assert bench.contents() == before
    assert not standins.requests()


def test_the_mirror_is_asked_offline(bench: Bench):
    mirror = ArxivMirror(bench.place.folder / "mirror" / "arxiv")
    papers = [dump_row("1504.08083", "Fast R-CNN"), dump_row("1802.05365", TITLE + "."), dump_row("2001.00001", TWICE)]
    papers += [dump_row("2001.00002", TWICE, authors_parsed=[["Other", "An", ""]])]
    import_arxiv(mirror, [dump(bench.folder / "dump.json", papers)])
    mirror.close()
    refresh(bench, LINKED, offline=True)
    assert standing(bench)[TITLE] == ("resolved", "possible-title")
    assert set(standing(bench)) == {"Fast R-CNN", TITLE}


def test_a_mention_that_the_parser_doubts_now_is_decided_as_a_possible_title(bench: Bench):
    refresh(bench, SEARCHED + f"- {TITLE}. Peters et al. NAACL 2018.\n", ())
    (before,) = bench.rows(f"FROM mentions WHERE title = '{TITLE}'")
    assert before["method"] != "possible-title"
    refresh(bench, SEARCHED)
    (after,) = bench.rows(f"FROM mentions WHERE title = '{TITLE}'")
    assert (after["mention_id"], after["method"]) == (before["mention_id"], "possible-title")
    refresh(bench, SEARCHED + f"- {TITLE}. Peters et al. NAACL 2018.\n", ())
    assert len(bench.rows("FROM mentions")) == 3


@pytest.mark.nightly
@pytest.mark.parametrize("ruling", [None, ["arxiv:1802.05365"]])
def test_what_a_person_decided_holds(bench: Bench, ruling: list[str] | None):
    refresh(bench, SEARCHED)
    said = '"paper": null' if ruling is None else f'"not": ["{ruling[0]}"]'
    (bench.folder / FILE_NAME).write_text(f'{{"list": "list.md", "mention": "{TITLE}", {said}}}\n', encoding="utf-8")
    for _ in range(2):
        summary = refresh(bench, SEARCHED)
        assert standing(bench)[TITLE][0] in ("not_found", "ambiguous")
        assert summary.resolved == 2
        assert summary.status == "completed"
    (bench.folder / FILE_NAME).unlink()
    refresh(bench, SEARCHED + "- Going Deeper with Convolutions (2014)\n")
    assert standing(bench)[TITLE] == ("resolved", "possible-title")


@pytest.mark.parametrize(
    ("title", "telling"),
    [
        ("The Case for Learned Index Structures", True),
        ("Paxos Made Simple", True),
        ("Neural Networks and Deep Learning", False),
        ("The Humble Programmer", False),
        ("of the and in", False),
    ],
)
def test_only_three_words_that_say_something_are_enough(title: str, telling: bool):
    assert is_telling(title) is telling


WORKS: dict[str, dict[str, Any]] = {
    name: {"title": title, "authors": [f"Ann {name}", f"Bob {name}"], "year": year, **identifier}
    for name, title, year, identifier in (
        ("Ames", "GrOVE: Joins in One Pass over the Leaves", 2019, {"arxiv_id": "1901.00001"}),
        ("Bell", "GrOVE: Planting Decision Trees", 2021, {"arxiv_id": "2101.00002"}),
        ("Cole", "Keep Every Last Page: Logs That Never Shrink", 2018, {"doi": "10.5555/kelp"}),
        ("Dunn", "Hashing Every Node", 2017, {"arxiv_id": "1701.00004"}),
        ("Ender", "Maple: Stores That Sort Themselves", 2020, {"arxiv_id": "2001.00005"}),
        ("Fall", "BIRch: Clusters in a Stream", 2016, {"arxiv_id": "1601.00006"}),
        ("Gray", "BIRch: Phylogenies of Trees", 2022, {"arxiv_id": "2201.00007"}),
    )
}
CITED_BY = {"Ames": 5, "Cole": 4, "Dunn": 6, "Ender": 4, "Fall": 3, "Gray": 3}
NAMES = ("GrOVE", "KELP", "HEN", "Maple", "BIRch", "WILLoW")


def _identifier(work: dict[str, Any]) -> str:
    return str(work.get("arxiv_id") or work["doi"])


PAPERS = [
    study(number, references=[_identifier(WORKS[name]) for name, times in CITED_BY.items() if number <= times])
    for number in range(1, 11)
]
NICKNAMES = [f"- [{name}](https://example.org/papers/{name.lower()}.pdf)" for name in NAMES]
LIST = list_of(PAPERS, "", "## Also read", "", *NICKNAMES)


@pytest.fixture
def citing(bench: Bench, standins: StandIns) -> Bench:
    """A lake that knows what the papers of the list cite."""
    standins.add([*PAPERS, *WORKS.values()])
    bench = Bench(bench.folder, standins.env(openalex=True))
    bench.refresh(bench.write(LIST))
    return bench


def verdicts(bench: Bench) -> dict[str, tuple[str, str | None, str | None]]:
    rows = bench.rows(
        "SELECT m.title, m.status, m.method, p.title AS paper FROM mentions m LEFT JOIN papers p USING (paper_id)"
    )
    return {row["title"]: (row["status"], row["method"], row["paper"]) for row in rows if row["title"] in NAMES}


def candidates(bench: Bench, name: str) -> list[str]:
    sql = f"SELECT c.title FROM candidates c JOIN mentions m USING (mention_id) WHERE m.title = '{name}' ORDER BY rank"
    return [row["title"] for row in bench.rows(sql)]


def test_a_name_is_the_work_that_its_list_cites(citing):
    assert {status for status, _, _ in verdicts(citing).values()} == {"ambiguous"}
    citing.refresh(citing.write(LIST), max_age="0s")
    found = verdicts(citing)
    assert found["GrOVE"] == ("resolved", "citations", WORKS["Ames"]["title"])
    assert found["KELP"] == ("resolved", "citations", WORKS["Cole"]["title"])


def test_a_name_that_proves_too_little_only_has_candidates(citing):
    citing.refresh(citing.write(LIST), max_age="0s")
    found = verdicts(citing)
    assert {found[name][0] for name in ("HEN", "Maple", "BIRch", "WILLoW")} == {"ambiguous"}
    assert candidates(citing, "HEN") == [WORKS["Dunn"]["title"]], "three initials"
    assert candidates(citing, "Maple") == [WORKS["Ender"]["title"]], "a common word"
    assert sorted(candidates(citing, "BIRch")) == [WORKS["Fall"]["title"], WORKS["Gray"]["title"]], "two works"
    assert candidates(citing, "WILLoW") == [], "nothing cited has the name"


@pytest.mark.parametrize(
    ("name", "title", "sign"),
    [
        ("GrOVE*", "Joins in One Pass (GrOVE*): A Study", "distinct"),
        ("spidernet", "SpiderNET: Learning from Webs", "distinct"),
        ("Maple", "Maple: Stores That Sort Themselves", "weak"),
        ("KELP", "Keep Every Last Page: Logs That Never Shrink", "distinct"),
        ("HEN", "Hashing Every Node", "weak"),
        ("GrOVE", "GrOVE-Lite: Joins on Small Machines", None),
        ("GrOVE", "Felling the GrOVE of Indexes", None),
        ("GrOVE", "GrOVE", None),
        ("KELP", "Keep Every Page", None),
    ],
)
def test_which_titles_bear_a_name(name, title, sign):
    assert known_as(name, title) == sign
