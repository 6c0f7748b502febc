"""The benchmark of reading lists: its labels, its texts, its readers; nothing is fetched."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from benchmarks.reading_lists.__main__ import figures, main, table
from benchmarks.reading_lists.anystyle import lack, pieces
from benchmarks.reading_lists.readers import READERS, anystyle, arxiv_identifiers, every_link, left_out
from benchmarks.reading_lists.texts import FOLDER, Source, read_sources, text_of
from sources.errors import UsageError
from sources.records import Mention
from standins.trials.scoring import facts, read_labels, sure

SHARED = Path(__file__).resolve().parents[3] / "shared" / "practice"
OWN = Path(__file__).resolve().parents[2] / "tests" / "lists"
LACK = lack()

EXCERPT = b"- [Layer Normalization](https://arxiv.org/abs/1607.06450)\n- a remark\n"
SOURCE = Source(
    name="made-up", set="unseen", repository="someone/lists", commit="0" * 40, path="a/b.md", first=2, last=3,
    sha256=hashlib.sha256(EXCERPT).hexdigest(),
)  # fmt: skip


def test_every_label_stands_in_its_excerpt_and_none_stands_twice():
    sources = read_sources()
    assert len(sources) == len(list((FOLDER / "labels").glob("*.jsonl"))) == 379
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


def test_anystyle_is_given_paragraphs_items_and_rows_without_mark_up():
    text = (
        "# Head\n\n- **Doe**, J. [A\n  title](https://x.org). 2001.\n  - 2020\n\n"
        "| who | what |\n|---|---|\n| Roe | `B` |\n\n```\ncode\n```\n\n<ul>\n<li>Poe, *C*<br>\n</ul>\n\n    far in\n"
    )
    assert [(piece.line, " ".join(piece.words.split("  "))) for piece in pieces(text)] == [
        (3, "Doe, J. A\ntitle. 2001."),
        (7, " who what"),
        (9, " Roe B"),
        (16, "Poe, C"),
        (19, "far in"),
    ]


@pytest.mark.skipif(bool(LACK), reason=f"AnyStyle is left out, as {LACK}")
def test_anystyle_finds_title_people_year_and_what_the_lines_link_to():
    text = (
        "Papers to read:\n\n* Poe, E. A., & Roe, R., et al. (2016). On the reading of lists. *Journal of Results*,\n"
        "  12(3), 45-67. [arXiv:1607.06450](https://arxiv.org/abs/1607.06450) doi:10.1000/182.\n"
    )
    (mention,) = [mention for mention in anystyle(text) if mention.line == 3]
    assert (mention.last_line, mention.title) == (4, "On the reading of lists")
    assert (mention.authors, mention.year) == (("E.A. Poe", "R. Roe"), 2016)
    assert (mention.arxiv_id, mention.doi) == ("1607.06450", "10.1000/182")
    assert mention.url == "https://arxiv.org/abs/1607.06450"


def test_readers_that_cannot_be_run_are_left_out_and_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert left_out()["AnyStyle, paragraph by paragraph"] == "ruby is not installed"
    (tmp_path / "ruby").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    (tmp_path / "ruby").chmod(0o755)
    assert left_out()["AnyStyle, paragraph by paragraph"] == "ruby cannot load it (gem install anystyle)"
    found = figures({"earth-blocks": (OWN / "earth-blocks.md").read_text(encoding="utf-8")}, OWN)
    assert "AnyStyle, paragraph by paragraph" not in found


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
    told = capsys.readouterr()
    row = next(line for line in told.out.splitlines() if line.startswith("| paperlake"))
    assert float(row.split("|")[2]) >= 0.96
    assert all((f"| {name} |" in told.out) != (f"{name}: left out, as " in told.err) for name in READERS)
