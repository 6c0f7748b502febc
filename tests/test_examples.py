"""The example reading lists and the starter snapshot: that they are what they say, and that the parser reads them."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sources.bibliography.identifiers import ArxivId, Doi
from sources.bibliography.titles import title_key
from sources.lists.locations import read_lists
from sources.lists.reading import parse_reading_list
from sources.matching.resolve import resolve
from sources.services.dblp.release import lines_of_release
from sources.services.dblp.works import parse_dblp_row
from sources.services.dumps import parse_arxiv_row
from tests.matrices import for_each
from warehouse.mirrors import MirrorFolder, Mirrors
from warehouse.mirrors.importing import Dump, import_dump

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
STARTER = EXAMPLES / "starter" / "arxiv-starter.jsonl"
DBLP_STARTER = EXAMPLES / "starter" / "dblp-starter.xml"
LABELS = Path(__file__).parent / "fixtures" / "examples"
SHARED = ROOT.parent / "shared"
LISTS = sorted(path.stem for path in (EXAMPLES / "lists").glob("*.md"))

needs_shared = pytest.mark.skipif(
    not SHARED.is_dir(), reason="the facts and the scorer are not kept in this repository"
)


def jsonl(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def text_of(name: str) -> str:
    return (EXAMPLES / "lists" / f"{name}.md").read_text(encoding="utf-8")


def mentions_of(name: str):
    return parse_reading_list(text_of(name)).mentions


@pytest.fixture(scope="module")
def starter() -> dict[str, dict]:
    return {row["id"]: row for row in jsonl(STARTER)}


@pytest.fixture(scope="module")
def labels() -> dict[str, list[dict]]:
    return {name: jsonl(LABELS / f"{name}.jsonl") for name in LISTS}


# the lists


def test_the_examples_folder_holds_the_lists_and_no_other_text_that_would_be_read_as_one():
    documents = read_lists([str(EXAMPLES)])
    assert [Path(document.location).stem for document in documents] == LISTS
    assert len(LISTS) == 3


@for_each("name", LISTS)
def test_every_label_stands_on_its_line(name, labels):
    lines = text_of(name).splitlines()
    for row in labels[name]:
        assert row["as_written"] in lines[row["line"] - 1]
        assert row["struck"] == ("~~" in lines[row["line"] - 1])
        around = "\n".join(lines[row["line"] - 1 : row["line"] + 1])
        assert all(f"({link})" in around for link in [*row["notes"], *filter(None, [row["url"]])])


# the parser on the lists


@needs_shared
def test_the_parser_reads_the_lists_with_a_strict_f1_of_0_97(labels, tmp_path):
    pairs = []
    for name in LISTS:
        read = tmp_path / f"{name}.jsonl"
        fields = ("line", "title", "arxiv_id", "url")
        rows = ({field: getattr(mention, field) for field in fields} for mention in mentions_of(name))
        read.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        pairs += [LABELS / f"{name}.jsonl", read]
    command = [sys.executable, SHARED / "tools" / "score.py", *pairs, "--json", "--errors"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    assert report["micro"]["strict_f1"] >= 0.97, report["lists"]
    assert report["micro"]["id_bad"] == 0


@for_each("name", LISTS)
def test_the_parser_reads_nearly_all_identifiers_notes_years_and_strikes_as_they_stand(name, labels):
    read = {mention.line: mention for mention in mentions_of(name)}
    wrong = []
    for row in labels[name]:
        mention = read.get(row["line"])
        if mention is None:
            continue
        expected = (row["struck"], set(row["notes"]), row["arxiv_id"] if "arxiv.org" in (row["url"] or "") else None)
        if (mention.struck, set(mention.notes), mention.arxiv_id) != expected or mention.year != row["year_written"]:
            wrong.append((row["line"], row["as_written"]))
    assert len(wrong) <= len(labels[name]) // 10, wrong


@pytest.mark.parametrize("host", ["blog.acolyer.org", "github.com"])
def test_a_blog_or_a_repository_is_no_paper(host):
    read = [mention for name in LISTS for mention in mentions_of(name)]
    assert not [mention for mention in read if host in (mention.url or "")]


# the starter snapshot


def test_every_row_of_the_starter_is_a_row_of_the_dump(starter):
    keys = "id submitter authors title comments journal-ref doi report-no categories license versions update_date"
    for row in starter.values():
        assert list(row) == [*keys.split(), "authors_parsed"]
        paper = parse_arxiv_row(row)
        assert paper.arxiv_id == row["id"] == ArxivId.parse(row["id"]).base
        assert ", ".join(paper.authors) == (row["authors"] or "")
        assert (paper.published_at is None) == (not row["versions"])
        assert paper.doi == row["doi"]


def test_the_starter_is_small_sorted_and_holds_each_paper_once(starter):
    rows = jsonl(STARTER)
    assert [row["id"] for row in rows] == sorted(starter)
    assert len(rows) >= 500
    assert STARTER.stat().st_size < 400_000


@pytest.fixture(scope="module")
def tool():
    path = EXAMPLES / "starter" / "make_starter.py"
    spec = importlib.util.spec_from_file_location("make_starter", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@needs_shared
@pytest.mark.nightly
@pytest.mark.slow
def test_making_the_starter_again_gives_the_same_bytes(tool):
    assert tool.make(SHARED / "facts").encode() == STARTER.read_bytes()


@pytest.mark.slow
@needs_shared
@pytest.mark.nightly
def test_every_row_of_the_starter_is_true_to_the_facts(starter):
    """Reads the facts anew, not with the tool that wrote the rows."""
    import duckdb

    told = duckdb.sql(
        f"SELECT replace(arxiv_id, 'arXiv:', ''), * FROM '{SHARED}/facts/background.parquet' WHERE arxiv_id IS NOT NULL"
    )
    facts: dict[str, list[dict]] = {}
    for key, *values in told.fetchall():
        fact = dict(zip(told.columns[1:], values, strict=True))
        facts.setdefault(key, []).append(fact | {"complete": fact["n_authors"] == len(fact["authors"])})
    for fact in jsonl(SHARED / "facts" / "papers.jsonl"):
        facts.setdefault(fact["arxiv_id"], []).append(fact | {"complete": fact["authors_complete"]})
    wrong = [key for key, row in starter.items() if not any(agrees(row, fact) for fact in facts[key])]
    assert wrong == []


def agrees(row: dict, fact: dict) -> bool:
    """Returns whether everything that a row tells stands in one fact."""
    paper = parse_arxiv_row(row)
    categories = fact.get("categories") or [fact["primary_category"]]
    return (
        paper.title == " ".join(fact["title"].split())
        and (not paper.authors or (fact["complete"] and [*paper.authors] == fact["authors"]))
        and (paper.published_at is None or f"{paper.published_at:%Y-%m-%d}" == fact["published"])
        and (paper.doi is None or (fact["doi"] and paper.doi == Doi.parse(fact["doi"]).value))
        and set(paper.categories) <= set(categories)
        and (paper.primary_category is None or paper.primary_category == fact["primary_category"])
        and (paper.abstract, paper.comment, paper.journal_ref) == (None, None, None)
    )


@needs_shared
@pytest.mark.slow
def test_making_the_sample_of_dblp_again_gives_the_same_bytes(tool):
    assert tool.make_dblp(SHARED / "facts").encode() == DBLP_STARTER.read_bytes()


def test_every_record_of_the_sample_of_dblp_is_a_paper_that_a_list_names(labels):
    with DBLP_STARTER.open("rb") as file:
        papers = [parse_dblp_row(json.loads(line)) for line in lines_of_release(file)]
    named = {title_key(row["title"]) for rows in labels.values() for row in rows}
    assert {title_key(paper.title) for paper in papers} <= named
    assert len({paper.key for paper in papers}) == len(papers) == 5
    assert all(paper.authors and paper.year and paper.venue for paper in papers)


def test_the_sample_of_dblp_settles_what_that_of_arxiv_lacks(tmp_path, starter):
    for source, file in (("arxiv", STARTER), ("dblp", DBLP_STARTER)):
        import_dump(MirrorFolder(tmp_path / source), Dump(source=source, files=(file,), whole=False))
    mentions = [mention for name in LISTS for mention in mentions_of(name)]
    done = resolve(mentions, mirror=Mirrors(tmp_path))
    resolved = {title_key(item.chosen.title) for item in done if item.chosen}
    assert resolved - {title_key(row["title"]) for row in starter.values()} == {
        "duckdbanembeddableanalyticaldatabase",
        "flashattentionfastandmemoryefficientexactattentionwithioawareness",
    }


@pytest.mark.slow
def test_the_first_screen_of_the_readme_is_what_the_commands_print(tmp_path, monkeypatch):
    """The bundled snapshots stand for the services; the readme says so."""
    screen = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Install")[0]
    entries = re.findall(r"^    (- .*)$", screen, re.MULTILINE)
    (query,) = re.findall(r'^    \$ paperlake sql "(.*)"$', screen, re.MULTILINE)
    table = screen.partition(f'sql "{query}"\n')[2].partition("\n\n")[0]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    Path("to-read.md").write_text("\n".join(entries) + "\n", encoding="utf-8")
    imports = (
        ["mirror", "import", "arxiv", "--part", str(STARTER)],
        ["mirror", "import", "dblp", "--part", str(DBLP_STARTER)],
    )
    for arguments in (*imports, ["refresh", "to-read.md", "--offline"], ["sql", query]):
        command = [sys.executable, "-P", "-m", "flows", *arguments]
        done = subprocess.run(
            command, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True
        )
    assert len(entries) == 3
    assert [line.rstrip() for line in done.stdout.splitlines()] == [line.strip() for line in table.splitlines()]
