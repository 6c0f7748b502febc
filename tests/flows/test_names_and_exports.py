"""Names that people see and type: of lists, commands, identifiers and files; and exports by list and form."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow.parquet
import pytest

from sources.errors import IdentifierError, UsageError
from standins.trials.bench import Bench

ATTENTION = "- [Attention Is All You Need](https://arxiv.org/abs/1706.03762)\n"
FAST = "- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n"


@pytest.fixture
def somebody(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A bench at whose command line somebody is, in the folder of the lists and the lake."""
    monkeypatch.chdir(bench.folder)
    return bench


@pytest.fixture
def two_lists(somebody: Bench) -> Bench:
    for folder in ("a", "b"):
        (somebody.folder / folder).mkdir()
    somebody.refresh(
        somebody.write("# Reading\n\n" + ATTENTION, "a/list.md"), somebody.write("# Reading\n\n" + FAST, "b/list.md")
    )
    return somebody


@pytest.mark.parametrize(
    ("command", "unwanted"),
    [
        pytest.param(["serve"], "standard", id="standard input, which cannot be read again"),
        pytest.param(["review", "list"], "glob", id="lists to read, where lists of the lake are meant"),
    ],
)
def test_help_offers_what_there_is(somebody, command, unwanted):
    said = somebody.does(*command, "--help")
    assert "Usage" in said
    assert unwanted not in said


def test_a_list_has_one_name_everywhere_of_its_title_or_file_and_commands_take_it(two_lists):
    names = {"Reading (a/list.md)", "Reading (b/list.md)"}
    assert {row["list"] for row in two_lists.rows("FROM coverage")} == names
    assert {name for row in two_lists.rows("FROM catalog") for name in row["lists"]} == names
    assert {row["list"] for row in two_lists.rows("FROM trend_by_section")} == names
    two_lists.refresh(two_lists.write("# Vision\n\n" + FAST, "vision.md"), two_lists.write(ATTENTION, "plain.md"))
    assert {row["list"] for row in two_lists.rows("FROM list_names")} == {*names, "Vision", "plain.md"}
    for name in names:
        assert name in re.sub(r"\s*\n\s*", " ", two_lists.does("status"))
    assert two_lists.does("export", "bibtex", "-", "--list", "Reading (b/list.md)").count("@") == 1
    (listed,) = json.loads(two_lists.does("missing", "Reading (a/list.md)", "--json"))["lists"]
    assert listed["list"].endswith("a/list.md")


def test_every_form_of_export_can_be_of_one_list(two_lists):
    for form, mark in (("csv", "Fast R-CNN"), ("csl-json", "Fast R-CNN"), ("ris", "TI  - Fast R-CNN")):
        said = two_lists.does("export", form, "-", "--list", "b/list.md")
        assert mark in said
        assert "Attention" not in said
    two_lists.does("export", "parquet", "out", "--list", "b/list.md")
    assert pyarrow.parquet.read_table("out/catalog.parquet").num_rows == 1
    with pytest.raises(UsageError, match=r"no list 'c\.md'"):
        two_lists.does("export", "csv", "-", "--list", "c.md")


def test_what_is_exported_is_read_as_a_list_of_the_same_papers(two_lists):
    for form in ("ris", "markdown", "bibtex"):
        two_lists.does("export", form, "out")
        rows = json.loads(two_lists.does("parse", str(Path("out").rename("out.md")), "--json"))
        facts = {(row["title"], row["year"]) for row in rows}
        assert facts == {("Attention Is All You Need", 2017), ("Fast R-CNN", 2015)}
        identifiers = {row[name] for row in rows for name in ("arxiv_id", "doi")} - {None}
        assert {"1706.03762", "10.1109/iccv.2015.169"} <= identifiers
    with pytest.raises(UsageError, match=r"a/list\.md is a list to read"):
        two_lists.does("export", "bibtex", "a/list.md", "--where", "true")
    with pytest.raises(UsageError, match="one name more"):
        two_lists.does("export", "bibtex", "a/list.md", "b.bib", "c.bib")


def test_a_query_that_is_a_name_is_told_the_query_it_means(two_lists):
    for query, meant in (("top_cited", "from top_cited"), ("Catalog limit 3", "from Catalog limit 3"), ("no_such", "")):
        with pytest.raises(UsageError, match="Parser Error") as refused:
            two_lists.does("sql", query)
        assert (f"Did you mean `{meant}`?" in str(refused.value)) is bool(meant)


def test_a_title_in_the_place_of_an_identifier_is_called_none(somebody):
    somebody.refresh(somebody.write("- [Mixed Precision Training](https://arxiv.org/abs/1504.08083)\n"))
    with pytest.raises(IdentifierError, match=r"'Rammer: Enabling' names no paper by .*; write arxiv:1706"):
        somebody.does("review", "set-id", "list.md:1", "Rammer: Enabling")


DUMPED = {
    "id": "1504.08083",
    "title": "Fast R-CNN",
    "authors_parsed": [["Girshick", "Ross", ""]],
    "categories": "cs.CV",
    "abstract": "A.",
    "update_date": "2015-09-29",
    "versions": [{"created": "Thu, 30 Apr 2015 05:13:08 GMT", "version": "v1"}],
}


def test_lines_that_a_mirror_refused_are_named_with_their_file_and_a_search_looks_into_mirrors(somebody):
    Path("dump.jsonl").write_text(f"{json.dumps(DUMPED)}\nno paper\n", encoding="utf-8")
    said = somebody.does("mirror", "import", "arxiv", "dump.jsonl")
    assert "as a part of what arXiv has: services are still asked" in said
    (kept,) = re.findall(r"kept with the reason in (\S+)\)", said)
    assert "no paper" in Path(kept).read_text(encoding="utf-8")
    for words in (["fast", "r-cnn"], ["arxiv:1504.08083"]):
        (found,) = json.loads(somebody.does("search", *words, "--json"))["in_mirrors"]
        assert (found["title"], found["year"], found["mirror"]) == ("Fast R-CNN", 2015, "arxiv")


def test_a_patch_goes_to_standard_output_for_a_dash(somebody):
    Path("-d.md").write_text("- [Fast R-CNN](http://arxiv.org/abs/1504.08083)\n", encoding="utf-8")
    said = somebody.does("fix", "--offline", "--patch", "-", "--", "-d.md")
    assert "--- a/-d.md\n+++ b/-d.md\n" in said
    assert not Path("-").exists()


def test_a_first_offline_run_leaves_a_catalogue_of_what_the_list_says(somebody):
    unlinked = '- Li et al., "PyTorch Distributed: Experiences on Accelerating Data Parallel Training", VLDB 2020\n'
    other = somebody.write("# Others\n\n" + FAST, "other.md")
    summary = somebody.refresh(somebody.write("# Systems\n\n" + FAST + unlinked + unlinked), other, offline=True)
    assert (summary.failed, summary.papers) == (4, 0)
    told = somebody.rows("FROM listed ORDER BY title")
    assert [(row["title"], row["year"], row["lists"], row["told_by"]) for row in told] == [
        ("Fast R-CNN", None, ["Others", "Systems"], "list"),
        ("PyTorch Distributed: Experiences on Accelerating Data Parallel Training", 2020, ["Systems"], "list"),
    ]
    assert not somebody.rows("FROM catalog")
    for form, marks in (("bibtex", 2), ("ris", 2), ("csl-json", 2), ("markdown", 2)):
        assert somebody.does("export", form, "-").count("as the reading list says; no source could be asked") == marks
    assert somebody.does("export", "csv", "-").count(",list\n") == 2
    assert somebody.does("export", "csv", "-", "--list", "Others", "--where", "year IS NULL").count(",list\n") == 1
    assert "0 papers, and 1 as the lists themselves say, exported" in somebody.does(
        "export", "bibtex", "-", "--where", "year >= 2020"
    )
    somebody.refresh(other)
    assert [row["told_by"] for row in somebody.rows("FROM listed ORDER BY title, told_by DESC")] == [
        "sources",
        "list",
        "list",
    ]
