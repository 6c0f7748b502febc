"""Papers shown and searched, and what `--help`, `sql` and `status` show at the width of a terminal."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from rich.cells import cell_len

from sources.errors import UsageError
from standins.trials.bench import Bench
from standins.trials.rows import (
    T0,
    candidate_row,
    count_row,
    fill,
    identifier_row,
    list_row,
    mention_row,
    paper_row,
    reference_row,
    run_row,
)
from warehouse.lake.place import LakePlace

PAPERS = [
    paper_row("p1", title="Attention Is All You Need", authors=["Ashish Vaswani"], year=2017, venue="NeurIPS",
              arxiv_id="1706.03762", abstract="The dominant models are complex.", citation_count=9, counted_at=T0),
    paper_row("p2", title="Attention Is Not All You Need", authors=["Yihe Dong"], year=2021, arxiv_id="2103.03404"),
    paper_row("p3", title="Deep Residual Learning", authors=["Kaiming He"], year=2016, doi="10.1109/cvpr.2016.90"),
]  # fmt: skip


@pytest.fixture(scope="module")
def filled(tmp_path_factory, _lake_without_rows: Path) -> Path:
    """The folder of a lake of four lists, three papers, and thirty entries without one."""
    names = ["Vision", "Language", "Where data comes from, and who cites it", "Systems for machine learning"]
    mentions = [mention_row(f"m{number}", list_id="l0", line=number, paper_id=f"p{number}") for number in (1, 2, 3)]
    mentions += [
        mention_row(f"n{number}", list_id=f"l{number % 4}", line=number, status="not_found", title="A Title " * 9,
                    reason="nothing found is like it; no source that was asked has arxiv:1408.5093")
        for number in range(10, 40)
    ]  # fmt: skip
    folder = Path(shutil.copytree(_lake_without_rows, tmp_path_factory.mktemp("shown") / "lake"))
    counts = {"lists": 4, "mentions": 33, "resolved": 3, "not_found": 30}
    fill(
        LakePlace.of(folder),
        run_row("r0", **counts),
        reading_lists=[list_row(f"l{number}", title=name) for number, name in enumerate(names)],
        papers=PAPERS,
        mentions=mentions,
        paper_identifiers=[
            identifier_row("p3", "doi", "10.1109/cvpr.2016.90"),
            identifier_row(),
            identifier_row("p1", "openalex", "W2"),
        ],
        paper_references=[reference_row("p2", cited_paper_id="p1")],
        citation_counts=[count_row("p1", T0, 9)],
    )
    for number in (1, 2, 3, 4):
        fill(LakePlace.of(folder), run_row(f"r{number}", **counts))
    return folder


@pytest.fixture
def known(filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    shutil.copytree(filled, tmp_path / "lake")
    monkeypatch.chdir(tmp_path)
    return Bench(tmp_path, {})


@pytest.mark.parametrize("name", ["1706.03762", "https://arxiv.org/abs/1706.03762", "attention is all you need"])
def test_a_paper_is_shown_by_whatever_names_it(known, name):
    said = " ".join(known.does("show", name).split())
    for told in (
        "Ashish Vaswani NeurIPS, 2017 identifiers arxiv:1706.03762, openalex:W2",
        "citations 9 (Semantic Scholar, ",
        "abstract The dominant models are complex.",
        "listed in Vision, l0.md:1",
        "cited by 1 paper of this lake: Attention Is Not All You Need (2021)",
        "@inproceedings{",
        "eprint = {1706.03762}",
    ):
        assert told in said


def test_words_of_one_title_are_enough_and_of_several_or_none_are_not(known):
    assert known.does("show", "residual", "deep").startswith("Deep Residual Learning\n")
    for words, said in (("attention need", "Attention Is .*; Attention Is "), ("nowhere", "knows no paper 'nowhere'")):
        with pytest.raises(UsageError, match=said):
            known.does("show", *words.split())
    assert json.loads(known.does("show", "10.1109/cvpr.2016.90", "--json"))["paper_id"] == "p3"


def test_a_search_finds_papers_then_entries_without_a_paper_and_says_what_is_left_out(known):
    said = known.does("search", "attention")
    assert [line for line in said.splitlines() if not line.startswith(" ")] == [
        "Attention Is All You Need",
        "Attention Is Not All You Need",
    ]
    assert known.does("search", "vaswani").startswith("Attention Is All You Need\n")
    said = known.does("search", "title", "--limit", "2", "--list", "Language")
    assert "not found: Language, line 13" in said
    assert "... 5 more: --limit 7" in said
    with pytest.raises(UsageError, match="nothing in the lake or a mirror has all the words of 'zebra'"):
        known.does("search", "zebra")


def test_status_coverage_and_a_few_papers_fit_a_screen(known):
    for command, most in ((["status"], 30), (["sql", "from coverage"], 30), (["sql", "from catalog limit 3"], 60)):
        lines = known.does(*command).splitlines()
        assert len(lines) <= most
        assert max(map(cell_len, lines)) <= 80


def test_columns_with_identifiers_come_last_and_a_limit_holds_for_every_format(known):
    said = known.does("sql", "from catalog order by title limit 1")
    assert said.index("title: Attention") < said.index("paper_id: p1")
    assert "... 2 more of 3 rows: --limit 3" in known.does("sql", "select title from papers", "--limit", "1")
    assert len(json.loads(known.does("sql", "select title from papers", "--limit", "2", "--json"))) == 2


def test_review_shows_counts_and_links_and_opens_them(known, monkeypatch):
    opened: list[str] = []
    monkeypatch.setattr("typer.launch", opened.append)
    doubtful = mention_row("d1", list_id="l1", line=70, status="ambiguous", title="Attention", url="https://e.org/a")
    candidate = candidate_row("d1", 1, title="Attention Is All You Need", year=2017, arxiv_id="1706.03762",
                              reasons=["its title", "the list says 'General', the paper 'Generalized'"])  # fmt: skip
    counts = run_row("r9", lists=4, mentions=34, resolved=3, not_found=30, ambiguous=1)
    fill(known.place, counts, mentions=[doubtful], weighed=["d1"], candidates=[candidate])
    said = " ".join(known.does("review", "-i", "--limit", "1", stdin="oq").split())
    assert "https://arxiv.org/abs/1706.03762 9 citations" in said
    assert "found by the entry's title; the list says 'General', the paper 'Generalized'; likeness 0.50 of 1" in said
    assert opened == ["https://e.org/a", "https://arxiv.org/abs/1706.03762"]
