"""The example reading lists and the starter snapshot: that they are what they say, and that the parser reads them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sources.bibliography.identifiers import ArxivId
from sources.bibliography.titles import title_key
from sources.lists.locations import read_lists
from sources.lists.reading import parse_reading_list
from sources.matching.resolve import resolve
from sources.services.arxiv.dump import parse_row
from warehouse.mirrors import MirrorFolder, Mirrors
from warehouse.mirrors.importing import Dump, import_dump

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
STARTER = EXAMPLES / "starter" / "arxiv-starter.jsonl"
DBLP_STARTER = EXAMPLES / "starter" / "dblp-starter.xml"
LISTS = sorted(path.stem for path in (EXAMPLES / "lists").glob("*.md"))


@pytest.fixture(scope="module")
def starter() -> dict[str, dict]:
    rows = [json.loads(line) for line in STARTER.read_text(encoding="utf-8").splitlines()]
    assert len(rows) >= 500
    return {row["id"]: row for row in rows}


def test_the_examples_folder_holds_the_lists_and_no_other_text_that_would_be_read_as_one():
    documents = read_lists([str(EXAMPLES)])
    assert [Path(document.location).stem for document in documents] == LISTS
    assert len(LISTS) == 3


def test_every_row_of_the_starter_is_a_row_of_the_dump(starter):
    keys = "id submitter authors title comments journal-ref doi report-no categories license versions update_date"
    for row in starter.values():
        assert list(row) == [*keys.split(), "authors_parsed"]
        paper = parse_row(row)
        assert paper.arxiv_id == row["id"] == ArxivId.parse(row["id"]).base
        assert ", ".join(paper.authors) == (row["authors"] or "")
        assert (paper.published_at is None) == (not row["versions"])
        assert paper.doi == row["doi"]


def test_the_sample_of_dblp_settles_what_that_of_arxiv_lacks(tmp_path, starter):
    for source, file in (("arxiv", STARTER), ("dblp", DBLP_STARTER)):
        import_dump(MirrorFolder(tmp_path / source), Dump(source=source, files=(file,), whole=False))
    texts = [document.text for document in read_lists([str(EXAMPLES)])]
    mentions = [mention for text in texts for mention in parse_reading_list(text).mentions]
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
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    imports = [["mirror", "import", "arxiv", "--part", STARTER], ["mirror", "import", "dblp", "--part", DBLP_STARTER]]
    for arguments in (*imports, ["refresh", "to-read.md", "--offline"], ["sql", query]):
        printed = subprocess.check_output([sys.executable, "-P", "-m", "flows", *arguments], text=True)
    assert len(entries) == 3
    assert [line.rstrip() for line in printed.splitlines()] == [line.strip() for line in table.splitlines()]
