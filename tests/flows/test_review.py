"""Decisions of people: kept beside the lists, in force at the next refresh, above everything else."""

from __future__ import annotations

import io
import json
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from flows.review.decisions import FILE_NAME, decision_file_of, parse_paper
from sources.errors import PaperlakeError, UsageError
from standins import StandIns, unreachable_env
from standins.trials.bench import Bench

pytestmark = pytest.mark.slow

NAME = "- [What's in a Name?](https://example.org/names.pdf)\n"
LINKED = "- [Layer Normalization](https://arxiv.org/abs/1607.06450)\n"
ODD = "- [Mixed Precision Training](https://arxiv.org/abs/1504.08083)\n"
MISLINKED = "- [A Made-up Guide to Links That Lead Elsewhere](https://arxiv.org/abs/1409.4842)\n"
MADE_UP = "- A Made-up Study of Reading Lists That Nobody Ever Wrote Down (2020)\n"
NOWHERE = {name.removeprefix("PAPERLAKE_").lower(): value for name, value in unreachable_env().items()}
STATE = "SELECT m.status, m.method, p.arxiv_id, m.decision FROM mentions m LEFT JOIN papers p USING (paper_id)"


class Person:
    """Somebody at the command line, in the folder of the lists."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.file = bench.folder / FILE_NAME

    def does(self, *arguments: str) -> str:
        return self.bench.does("review", *arguments)

    def sees(self, *arguments: str) -> Any:
        return json.loads(self.does(*arguments, "--json"))

    def writes(self, *decisions: dict[str, Any]) -> None:
        self.file.write_text("".join(json.dumps(one) + "\n" for one in decisions), encoding="utf-8")

    def kept(self) -> list[dict[str, Any]]:
        lines = self.file.read_text(encoding="utf-8").splitlines() if self.file.exists() else []
        return [{key: value for key, value in json.loads(line).items() if key != "on"} for line in lines]


@pytest.fixture
def person(bare_bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Person:
    monkeypatch.chdir(bare_bench.folder)
    return Person(bare_bench)


def state(bench: Bench) -> tuple[Any, ...]:
    (row,) = bench.rows(STATE + " WHERE m.removed_at IS NULL")
    return tuple(row.values())


def test_review_lists_what_needs_a_person_and_nothing_else(bench: Bench, person: Person, standins: StandIns):
    bench.refresh(bench.write("# Reading\n\n" + NAME + LINKED + MADE_UP + ODD + MISLINKED))
    standins.clear_log()

    said = person.does()
    assert "4 mentions to review: 2 ambiguous, 1 not found, 1 with link and title at odds" in said
    assert "list.md:3" in said
    assert "cond-mat/0309266" in said
    assert "Luciano da Fontoura Costa" in said
    assert "the title names another paper than the link, which is 'Going" in " ".join(said.split())
    assert "Layer Normalization" not in said

    every = person.sees("list.md")
    assert [one["status"] for one in every] == ["ambiguous", "ambiguous", "not_found", "resolved"]
    assert person.sees("--limit", "1") == every[:1]
    assert person.sees("--status", "not_found") == every[2:3]
    assert " accept " not in person.does("--status", "not_found"), "no hint that fails when followed"
    told = {one["line"]: one for one in every}
    assert sorted(told) == [3, 5, 6, 7]
    assert [one["arxiv_id"] for one in told[3]["candidates"]] == ["0710.1481", "cond-mat/0309266"]
    assert told[3]["mention_id"].startswith(told[3]["handle"])
    assert len(told[3]["handle"]) >= 6
    assert [one["title"] for one in told[6]["candidates"]] == ["Fast R-CNN", "Mixed Precision Training"]
    assert told[7]["paper"]["title"] == "Going Deeper with Convolutions"
    assert not standins.requests()
    assert not person.file.exists()


def test_show_explains_a_verdict_also_of_a_resolved_mention(bench: Bench, person: Person):
    bench.refresh(bench.write(NAME + LINKED))
    whole = person.does("--show", "list.md:2")
    for part in ("resolved by identifier", "the entry's own link leads to it", "arxiv:1607.06450", "weighed"):
        assert part in whole
    told = person.sees("--show", "list.md:1")
    assert person.sees("--show", told["mention_id"][:6]) == told
    assert told["reason"] == "2 papers are equally likely"
    assert all(one["reasons"] for one in told["candidates"])


def test_accept_is_in_force_at_the_next_refresh_and_undo_takes_it_back(
    bench: Bench, person: Person, standins: StandIns
):
    path = bench.write(NAME)
    bench.refresh(path)
    assert "applies it" in person.does("accept", "list.md:1", "--rank", "2")
    assert person.kept() == [{"list": "list.md", "mention": "What's in a Name?", "paper": "arxiv:cond-mat/0309266"}]
    assert state(bench) == ("ambiguous", None, None, None), "nothing is changed before the refresh"
    assert "Decided; the next refresh applies it:" in person.does()
    assert "Nothing needs a person." in person.does()

    assert bench.refresh(path).methods == {"review": 1}
    assert state(bench) == ("resolved", "review", "cond-mat/0309266", "paper arxiv:cond-mat/0309266")
    before, sent = bench.contents(), len(standins.requests())
    again = bench.refresh(path)
    assert (again.requests["arxiv"], again.requests["s2"], len(standins.requests())) == (0, 0, sent)
    assert bench.contents() == before

    person.does("accept", "list.md:1", "--rank", "2")
    assert [one["arxiv_id"] for one in person.sees("--show", "list.md:1")["candidates"]] == [
        "cond-mat/0309266",
        "0710.1481",
    ]
    person.does("undo", "list.md:1")
    assert not person.file.exists()
    bench.refresh(path)
    assert state(bench) == ("ambiguous", None, None, None)
    with pytest.raises(UsageError, match="no decision about it"):
        person.does("undo", "list.md:1")


def test_a_rejected_candidate_is_never_chosen_and_the_rest_is_weighed_anew(bench: Bench, person: Person):
    path = bench.write(NAME)
    bench.refresh(path)
    person.does("reject", "list.md:1", "--rank", "2")
    bench.refresh(path)
    assert state(bench)[:3] == ("resolved", "title-search", "0710.1481"), "only one of the two is left"
    shown = person.sees("--show", "list.md:1")
    assert [one["arxiv_id"] for one in shown["candidates"]] == ["0710.1481", "cond-mat/0309266"]
    assert "a person decided that it is not this paper" in shown["candidates"][1]["reasons"]

    person.does("reject", "list.md:1", "--rank", "1")
    (kept,) = person.kept()
    assert {"arxiv:0710.1481", "arxiv:cond-mat/0309266"} <= set(kept["not"])
    bench.refresh(path)
    assert state(bench)[:3] == ("not_found", None, None)
    assert bench.refresh(path, max_age=timedelta(0)).resolved == 0, "asked again, it is still not one of them"


@pytest.mark.nightly
def test_a_rejected_candidate_stays_last_and_is_not_accepted_by_default(bench: Bench, person: Person):
    path = bench.write(NAME)
    bench.refresh(path)
    person.does("reject", "list.md:1", "--rank", "1")
    assert [one["rejected"] for one in person.sees("--show", "list.md:1")["candidates"]] == [True, False]
    assert bench.refresh(path, tries=1, **NOWHERE).failed == 1
    stored = person.sees("--show", "list.md:1")["candidates"]
    assert [one["arxiv_id"] for one in stored] == ["cond-mat/0309266", "0710.1481"], "no candidate is lost to an outage"
    person.does("accept", "list.md:1")
    assert person.kept()[0]["paper"] == "arxiv:cond-mat/0309266"
    for rank in ("1", "2"):
        person.does("reject", "list.md:1", "--rank", rank)
    with pytest.raises(UsageError, match="none that can be accepted; name the paper"):
        person.does("accept", "list.md:1")


def test_several_mentions_are_decided_in_one_call_or_none_is(bench: Bench, person: Person):
    bench.refresh(bench.write(NAME + MADE_UP + ODD))
    with pytest.raises(UsageError, match="no candidates"):
        person.does("accept", "list.md:1", "list.md:2")
    assert person.kept() == []
    person.does("accept", "list.md:1", "list.md:3")
    assert {one["paper"] for one in person.kept()} == {"arxiv:0710.1481", "arxiv:1504.08083"}
    person.does("undo", "list.md:1", "list.md:3")
    assert person.kept() == []
    person.does("reject", "list.md:1", "list.md:2")
    assert [one["paper"] for one in person.kept()] == [None, None]


def test_one_works_through_the_mentions_with_one_key_each(bench: Bench, person: Person):
    path = bench.write(NAME + ODD + MADE_UP)
    bench.refresh(path)

    def types(keys: str) -> str:
        return bench.does("review", "--interactive", stdin=keys)

    said = types("2u17q")
    assert "[1 of 3]" in said
    assert "undone" in said
    assert "has 2 candidates, and no number 7" in said
    assert "1 mention decided, 2 mentions left" in said
    assert [one["paper"] for one in person.kept()] == ["arxiv:0710.1481"]

    resumed = types("xsiarxiv:1803.01814\n")
    assert "[1 of 2]" in resumed
    assert "1 mention decided, 1 mention left" in resumed
    refused = {name for one in person.kept() for name in one.get("not", ())}
    assert {"arxiv:1504.08083", "arxiv:1710.03740"} <= refused
    assert "identifier or address" not in resumed, "the second was skipped, and there is no third"
    types("inonsense\niarxiv:1803.01814\n")
    assert {one.get("paper") for one in person.kept()} == {None, "arxiv:0710.1481", "arxiv:1803.01814"}
    assert "Nothing needs a person." in person.does("list")


def test_no_paper_is_never_asked_for_again(bench: Bench, person: Person, standins: StandIns):
    path = bench.write(MADE_UP)
    bench.refresh(path)
    person.does("reject", "list.md:1")
    assert person.kept()[0]["paper"] is None
    standins.clear_log()
    for _ in range(2):
        summary = bench.refresh(path, max_age=timedelta(0))
        assert (summary.status, summary.not_found) == ("completed", 1)
    assert not standins.requests()
    assert state(bench) == ("not_found", "review", None, "no paper")
    assert "a person decided" in bench.rows("FROM mentions")[0]["reason"]
    assert "Nothing needs a person." in person.does()


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("https://arxiv.org/pdf/1706.03762v5.pdf", "arxiv:1706.03762"),
        ("arXiv:math/0211159", "arxiv:math/0211159"),
        ("10.48550/arXiv.1706.03762", "arxiv:1706.03762"),
        ("https://doi.org/10.1145/3065386", "doi:10.1145/3065386"),
        ("CorpusId:13756489", "corpus:13756489"),
        ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC2323736/", "pmcid:2323736"),
    ],
)
def test_set_id_takes_what_people_paste(written: str, kept: str):
    assert str(parse_paper(written)) == kept
    assert parse_paper(kept) == parse_paper(written)


@pytest.mark.parametrize("written", ["", "Attention", "https://example.org/x.pdf", "openreview:abc123", "arxiv:9"])
def test_set_id_refuses_what_names_no_paper(written: str):
    with pytest.raises(PaperlakeError):
        parse_paper(written)


@pytest.mark.nightly
def test_a_link_that_was_refused_proves_nothing_and_the_title_decides(bench: Bench, person: Person):
    path = bench.write(ODD)
    bench.refresh(path)
    person.does("reject", "list.md:1", "--rank", "1")
    bench.refresh(path)
    assert state(bench)[:3] == ("resolved", "title-search", "1710.03740")
    assert "Nothing needs a person." in person.does()


def test_a_first_refresh_obeys_decisions_that_are_there_already(bench: Bench, person: Person):
    person.writes({"list": "list.md", "mention": "what s in a name", "paper": "doi:10.1142/S0129183104005772"})
    summary = bench.refresh(bench.write(NAME))
    assert (summary.status, summary.methods) == ("completed", {"review": 1})
    assert state(bench)[2] == "cond-mat/0309266"


def test_an_identifier_that_no_source_has_is_reported_and_makes_no_paper(
    bench: Bench, person: Person, standins: StandIns
):
    path = bench.write(NAME)
    bench.refresh(path)
    person.does("set-id", "list.md:1", "arxiv:2501.99999")
    summary = bench.refresh(path)
    assert (summary.status, summary.not_found, summary.papers) == ("completed_with_failures", 1, 0)
    assert any("arxiv:2501.99999, which no source has" in problem for problem in summary.problems)
    assert any(FILE_NAME in problem for problem in summary.problems)
    assert state(bench)[:3] == ("not_found", "review", None)
    assert "arxiv:2501.99999, which no source has" in person.does()
    assert len(person.sees("--show", "list.md:1")["candidates"]) == 2, "what was weighed is still there to choose"

    before = bench.contents()
    standins.clear_log()
    assert bench.refresh(path).problems == summary.problems
    assert not standins.requests()
    assert bench.contents() == before


@pytest.mark.nightly
def test_an_identifier_that_could_not_be_asked_is_failed_and_asked_again(bench: Bench, person: Person):
    path = bench.write(NAME)
    person.writes({"list": "list.md", "mention": "What's in a Name?", "paper": "arxiv:0710.1481"})
    down = bench.refresh(path, tries=1, **NOWHERE)
    assert (down.failed, down.not_found) == (1, 0)
    assert "could not be asked for" in bench.rows("FROM mentions")[0]["reason"]
    assert bench.refresh(path).methods == {"review": 1}


def test_decisions_survive_moved_lines_and_windows_line_ends(bench: Bench, person: Person):
    path = bench.write(NAME + MADE_UP)
    bench.refresh(path)
    person.does("accept", "list.md:1")
    person.file.write_bytes(person.file.read_bytes().replace(b"\n", b"\r\n"))
    moved = "# Reading\r\n\r\nSome words.\r\n\r\n## Names\r\n\r\n" + (MADE_UP + NAME).replace("\n", "\r\n")
    (bench.folder / "list.md").write_bytes(moved.encode())
    assert bench.refresh(path).methods == {"review": 1}

    first = person.file.read_bytes()
    person.does("reject", "list.md:7")
    second = person.file.read_bytes()
    assert second.count(b"\r\n") == second.count(b"\n") == 2
    assert first in second, "a line that stays is not written anew"


def test_decisions_follow_a_list_that_is_renamed_and_moved(bench: Bench, person: Person):
    other = bench.write(MADE_UP, "other.md")
    path = bench.write(NAME)
    bench.refresh(path, other)
    person.does("accept", "list.md:1")
    person.does("reject", "other.md:1")
    assert bench.refresh(path, other).methods == {"review": 1}

    (bench.folder / "moved").mkdir()
    now = str(Path(path).rename(bench.folder / "moved" / "renamed.md"))
    again = bench.refresh(now, other)
    assert (again.status, again.methods, again.mentions_new) == ("completed", {"review": 1}, 0)
    assert [decision["list"] for decision in person.kept()] == ["other.md"]
    own = (bench.folder / "moved" / FILE_NAME).read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["list"] for line in own] == ["renamed.md"]
    assert bench.refresh(now, other).methods == {"review": 1}


OF_LISTS = """
    SELECT parse_filename(l.location) AS list, m.title, m.method, m.mention_id FROM mentions m
    JOIN reading_lists l USING (list_id) WHERE m.removed_at IS NULL ORDER BY ALL
"""


@pytest.mark.nightly
@pytest.mark.parametrize("at_once", [False, True])
def test_a_decision_stays_with_its_list_when_another_list_takes_the_name(bench: Bench, person: Person, at_once: bool):
    path = bench.write(NAME + LINKED + MADE_UP)
    bench.refresh(path)
    person.does("accept", "list.md:1")
    bench.refresh(path)
    before = {row["title"]: row["mention_id"] for row in bench.rows(OF_LISTS)}

    moved = Path(path).rename(bench.folder / "moved.md")
    if not at_once:
        bench.refresh(str(moved))
    bench.write("# Another list\n\n" + ODD + MISLINKED + NAME, "list.md")
    for _ in range(2):
        bench.refresh(str(moved), path)
        found = {(row["list"], row["title"]): row for row in bench.rows(OF_LISTS)}
        assert {title: found["moved.md", title]["mention_id"] for title in before} == before
        assert found["moved.md", "What's in a Name?"]["method"] == "review"
        assert len({row["mention_id"] for row in found.values()}) == len(found) == 3 + 3
        assert all(row["method"] != "review" for (name, _), row in found.items() if name == "list.md")
    assert [decision["list"] for decision in person.kept()] == ["moved.md"]


@pytest.mark.nightly
def test_equal_mentions_are_told_apart_by_section_else_by_number(bench: Bench, person: Person):
    path = bench.write(f"# A\n\n{NAME}\n# B\n\n{NAME}{NAME}")
    bench.refresh(path)
    person.does("accept", "list.md:3")
    person.does("accept", "list.md:8", "--rank", "2")
    first, second = person.kept()
    assert (first["section"], first.get("nth")) == (["A"], None)
    assert (second["section"], second["nth"]) == (["B"], 2)
    bench.refresh(path)
    found = bench.rows(STATE + " ORDER BY m.line")
    assert [row["arxiv_id"] for row in found] == ["0710.1481", None, "cond-mat/0309266"]

    person.writes({"list": "list.md", "mention": "What's in a Name?", "paper": "arxiv:0710.1481"})
    person.does("accept", "list.md:3", "--rank", "2")
    assert len(person.kept()) == 2, "the one for all stays, and the closer one outranks it"
    bench.refresh(path)
    found = bench.rows(STATE + " ORDER BY m.line")
    assert [row["arxiv_id"] for row in found] == ["cond-mat/0309266", "0710.1481", "0710.1481"]
    assert "about 1 more" not in person.does("undo", "list.md:3")
    assert "about 2 more" in person.does("undo", "list.md:3")


OWN_LINK = "- [What's in a name?](https://arxiv.org/abs/{})\n"


@pytest.mark.nightly
@pytest.mark.parametrize("act", ["accept", "reject"])
def test_a_decision_is_about_no_later_mention_whose_own_link_says_the_contrary(bench: Bench, person: Person, act: str):
    reading_list = bench.write(NAME)
    bench.refresh(reading_list)
    first, second = (row["arxiv_id"] for row in bench.rows("FROM candidates ORDER BY rank LIMIT 2"))
    person.does(act, "list.md:1", "--rank", "1")
    linked = second if act == "accept" else first
    bench.write(NAME + OWN_LINK.format(linked))
    bench.refresh(reading_list)
    own, other = bench.rows(f"{STATE} ORDER BY m.line")
    assert own["decision"].startswith(f"paper arxiv:{first}" if act == "accept" else f"not arxiv:{first}")
    assert (other["arxiv_id"], other["method"], other["decision"]) == (linked, "identifier", None)


@pytest.mark.nightly
def test_a_decision_against_a_link_stays_with_it_when_the_title_stands_in_the_list_again(bench: Bench, person: Person):
    reading_list = bench.write(ODD)
    bench.refresh(reading_list)
    person.does("set-id", "list.md:1", "arxiv:1710.03740")
    bench.write(ODD + "- Mixed Precision Training, ICLR 2018\n")
    bench.refresh(reading_list)
    assert [row["arxiv_id"] for row in bench.rows(f"{STATE} ORDER BY m.line")] == ["1710.03740", "1710.03740"]
    assert bench.rows(f"{STATE} ORDER BY m.line")[0]["decision"] == "paper arxiv:1710.03740"


def test_decisions_on_a_list_that_is_no_file_are_kept_in_the_lake_folder(
    bench: Bench, person: Person, monkeypatch: pytest.MonkeyPatch
):
    def pipe() -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(NAME.encode())))

    pipe()
    bench.refresh("-")
    person.does("accept", person.sees()[0]["handle"])
    assert not person.file.exists()
    assert json.loads((bench.place.folder / FILE_NAME).read_text())["list"] == "-"
    for address in ("https://example.org/list.md", "github:owner/name/README.md"):
        kept = decision_file_of(address, Path("/lake"))
        assert (kept.path, kept.list_name) == (Path("/lake") / FILE_NAME, address)
    pipe()
    bench.refresh("-")
    assert state(bench)[:3] == ("resolved", "review", "0710.1481")


GOOD = '{"list": "list.md", "mention": "A", "paper": null}'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("{", ":1 is not JSON", id="not JSON"),
        pytest.param(GOOD + "\n\n# mine", ':3 is not JSON.*"note"', id="comment"),
        pytest.param('{"list": "a", "mention": "A", "paper": null, "not": ["pmid:1"]}', 'either "paper"', id="both"),
        pytest.param('{"list": "list.md", "mention": "A", "papers": null}', "unknown key 'papers'", id="unknown key"),
        pytest.param('{"list": "a", "list": "b", "mention": "A", "paper": null}', "is there twice", id="key twice"),
        pytest.param('{"list": "list.md", "mention": "A", "paper": null, "nth": 0}', '"nth"', id="zeroth"),
        pytest.param(GOOD + "\n" + GOOD.replace("null", '"arxiv:0710.1481"'), ":2 and .*:1 differ", id="conflict"),
        pytest.param("\udcff", "is not UTF-8", id="not UTF-8"),
        pytest.param("[" * 100_000, ":1", id="nested"),
    ],
)  # fmt: skip
def test_a_broken_file_is_named_with_its_line_before_anything_is_done(
    bare_bench: Bench, person: Person, standins: StandIns, text: str, said: str
):
    person.file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(UsageError, match=said) as refused:
        bare_bench.refresh(bare_bench.write(NAME))
    assert FILE_NAME in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not standins.requests()
    assert not bare_bench.place.folder.exists()


def test_two_decisions_that_differ_about_one_mention_are_refused(bench: Bench, person: Person):
    person.writes(
        {"list": "list.md", "mention": "Layer Normalization", "paper": "arxiv:0710.1481"},
        {"list": "list.md", "mention": "https://arxiv.org/abs/1607.06450", "paper": None},
    )
    with pytest.raises(UsageError, match=r"jsonl:1 and .*jsonl:2 say different things"):
        bench.refresh(bench.write(LINKED))


@pytest.fixture
def reviewed(bench: Bench, person: Person) -> Person:
    bench.refresh(bench.write(NAME + MADE_UP))
    return person


WRONG = (
    (["accept", "m12"], "too short"),
    (["accept", "m00000000"], "no mention"),
    (["accept", "list.md:9"], "no mention is on that line"),
    (["accept", "other.md:1"], "knows no list 'other.md'; it knows list.md"),
    (["accept", "list.md:1", "--rank", "7"], "2 candidates, and no number 7"),
    (["accept", "list.md:2"], "set-id"),
    (["set-id", "list.md:1", "nonsense"], "names no paper"),
    (["other.md"], "knows no list"),
)


def test_wrong_usage_writes_nothing(reviewed: Person):
    for arguments, said in WRONG:
        with pytest.raises(PaperlakeError, match=said):
            reviewed.does(*arguments)
        assert not reviewed.file.exists(), arguments


def test_a_decision_about_nothing_that_stands_in_the_list_is_shown(reviewed: Person):
    reviewed.writes(
        {"list": "list.md", "mention": "Gone", "paper": None}, {"list": "l.md", "mention": "A", "paper": None}
    )
    said = "".join(reviewed.does().split())  # a long folder breaks lines anywhere
    assert "Decisionsaboutmentionsthatareinnolist:" in said
    assert f"{FILE_NAME}:1list.md:Gone" in said
    assert f"{FILE_NAME}:2l.md:A" in said
