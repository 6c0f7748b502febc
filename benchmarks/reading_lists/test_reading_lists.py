"""The benchmark of reading lists: its labels, its texts, its readers; nothing is fetched."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from benchmarks.reading_lists.__main__ import figures, main, table
from benchmarks.reading_lists.readers import arxiv_identifiers, every_link
from benchmarks.reading_lists.texts import FOLDER, Source, read_sources, text_of
from sources.errors import UsageError
from sources.records import Mention
from standins.trials.scoring import facts, read_labels, sure

SHARED = Path(__file__).resolve().parents[3] / "shared" / "practice"
OWN = Path(__file__).resolve().parents[2] / "tests" / "lists"

EXCERPT = b"- [Layer Normalization](https://arxiv.org/abs/1607.06450)\n- a remark\n"
SOURCE = Source(
    name="made-up", set="unseen", repository="someone/lists", commit="0" * 40, path="a/b.md", first=2, last=3,
    sha256=hashlib.sha256(EXCERPT).hexdigest(),
)  # fmt: skip


def test_every_label_stands_in_its_excerpt_and_none_stands_twice():
    sources = read_sources()
    assert len(sources) == len(list((FOLDER / "labels").glob("*.jsonl"))) == 293
    for source in sources:
        labels = read_labels(FOLDER / "labels" / f"{source.name}.jsonl")
        assert all(1 <= label["line"] <= source.last - source.first + 1 for label in labels), source.name
        assert all(label["kind"] in {"paper", "book", "resource", "name_only"} for label in labels), source.name
        assert len({(one["line"], one["title"], one["as_written"]) for one in labels}) == len(labels), source.name


def test_a_text_is_fetched_once_cut_to_its_lines_and_held_to_its_checksum(tmp_path: Path):
    asked = []

    def fetch(source: Source) -> bytes:
        asked.append(source.path)
        return b"# Head\n" + EXCERPT + b"- more\n"

    assert text_of(SOURCE, tmp_path, fetch) == text_of(SOURCE, tmp_path, fetch) == EXCERPT.decode()
    assert asked == ["a/b.md"]
    with pytest.raises(UsageError, match="no longer has the text that was labelled"):
        text_of(SOURCE, tmp_path / "other", lambda _: b"another\nfile\nnow\n")
    assert not (tmp_path / "other").exists(), "nothing else is kept"


def test_the_plain_readers_take_links_and_identifiers():
    text = "- [A](https://arxiv.org/pdf/1607.06450v2), ![badge](https://x.org/y)\n- see arXiv:cs/0501002, 2021.1234\n"
    assert [(m.line, m.title, m.arxiv_id) for m in every_link(text)] == [(1, "A", "1607.06450")]
    assert [(m.line, m.arxiv_id) for m in arxiv_identifiers(text)] == [
        (1, "1607.06450"),
        (2, "cs/0501002"),
        (2, "2021.1234"),
    ]


def test_facts_and_confidence_are_counted_where_a_label_states_them():
    stated = ((1, "Paper Number One", "1607.06450", 2016), (10, "Paper Number Two", "1504.08083", None),
              (20, "Paper Number Three", None, 2015))  # fmt: skip
    labels = [
        {"line": line, "title": title, "as_written": title, "arxiv_id": arxiv_id, "url": None, "year_written": year,
         "kind": "paper", "id_in_text": arxiv_id is not None}
        for line, title, arxiv_id, year in stated
    ]  # fmt: skip
    mentions = [
        Mention(line=1, last_line=1, title="Paper Number One", arxiv_id="1607.06450", year=2017, confidence=0.95),
        Mention(line=10, last_line=10, title="Paper Number Two", arxiv_id="1504.08084", year=2015, confidence=0.5),
        Mention(line=40, last_line=40, title="Something Else", confidence=0.99),
    ]
    assert facts(labels, mentions) == {
        "identifiers": 2, "identifiers found": 1, "identifiers wrong": 1, "years": 2, "years wrong": 1,
    }  # fmt: skip
    assert sure(labels, mentions, least=0.9) == {"sure": 2, "right": 1}


def test_the_table_ranks_readers_of_our_own_lists():
    names = ["acoustics-ieee", "graphics-badges", "earth-blocks"]
    found = figures({name: (OWN / f"{name}.md").read_text(encoding="utf-8") for name in names}, OWN)
    assert found["paperlake"]["strict_f1"] > max(one["strict_f1"] for name, one in found.items() if name != "paperlake")
    assert set(found["paperlake"]["lists"]) == set(names)
    assert table(found).count("\n") == 2 + len(found)


def test_the_readme_says_how_far_the_second_reader_agrees(capsys: pytest.CaptureFixture[str]):
    assert main(["--agreement"]) == 0
    found = json.loads(capsys.readouterr().out)
    told = " ".join((FOLDER / "README.md").read_text(encoding="utf-8").split())
    assert f"parts of {found['lists']} lists: {found['both']} mentions are labelled by both" in told
    assert f"{found['only_first']} by the first alone, {found['only_second']} by the second alone" in told
    assert f"the kind is the same in {found['same_kind']}, the year" in told
    assert f"states in {found['same_year_written']}, and the arXiv identifier in {found['same_identifier']}" in told
    assert f"strict F1 of {found['f1']:.3f}".replace("0.", ".") in told


@pytest.mark.skipif(not SHARED.is_dir(), reason="the texts of the lists are not beside the checkout")
def test_paperlake_reads_the_benchmarks_lists(capsys: pytest.CaptureFixture[str]):
    assert main(["--texts", str(SHARED), "--set", "practice"]) == 0
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("| paperlake"))
    assert float(row.split("|")[2]) >= 0.96
