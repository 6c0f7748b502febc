"""The whole way of a refresh against the stand-ins: what it finds, what it asks, what it remembers, what harms it."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from sources.errors import UsageError
from standins import StandIns, unreachable_env
from standins.trials.bench import Bench

SHARED = Path(__file__).resolve().parents[3] / "shared"
LIST = """# Reading

## Vision

- [Fast R-CNN](https://arxiv.org/abs/1504.08083)
- [Going Deeper with Convolutions](https://arxiv.org/pdf/1409.4842v1.pdf) (2014)
- An Image is Worth 16x16 Words: Transformers for Image Recognition at Scale, ICLR 2021

## Training

1. GPipe: Efficient Training of Giant Neural Networks using Pipeline Parallelism (2018)
2. ~~[Mixed Precision Training](https://arxiv.org/abs/1710.03740)~~
3. A Made-up Study of Reading Lists That Nobody Ever Wrote Down (2020)
"""


def test_a_list_becomes_papers_with_counts_and_the_sum_is_kept(bench: Bench):
    summary = bench.refresh(bench.write(LIST))

    assert summary.status == "completed"
    assert (summary.mentions, summary.resolved, summary.not_found) == (6, 5, 1)
    assert summary.papers == summary.papers_new == summary.counts_written == 5
    found = {
        row["title"]: row for row in bench.rows("SELECT m.title, p.* FROM mentions m JOIN papers p USING (paper_id)")
    }
    assert found["Fast R-CNN"]["arxiv_id"] == "1504.08083"
    assert found["Going Deeper with Convolutions"]["arxiv_id"] == "1409.4842"
    assert all(row["citation_count"] is not None and row["primary_category"] for row in found.values())
    (coverage,) = bench.rows("FROM coverage")
    assert (
        coverage["mentions"]
        == coverage["resolved"] + coverage["ambiguous"] + coverage["not_found"] + coverage["failed"]
    )


def test_a_second_refresh_sends_nothing_and_adds_nothing_but_its_own_run(bench: Bench, standins: StandIns):
    path = bench.write(LIST)
    bench.refresh(path)
    before, sent = bench.contents(), len(standins.requests())

    summary = bench.refresh(path)

    assert (summary.requests["arxiv"], summary.requests["s2"]) == (0, 0)
    assert len(standins.requests()) == sent
    assert (summary.papers_new, summary.counts_written) == (0, 0)
    assert bench.contents() == before
    assert len(bench.rows("FROM runs")) == 2


def test_counts_that_have_gone_stale_are_observed_again_and_the_old_ones_stay(bench: Bench, standins: StandIns):
    path = bench.write("- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n")
    standins.set_counts({"1504.08083": {"citation_count": 10}})
    bench.refresh(path)
    standins.set_counts({"1504.08083": {"citation_count": 25}})

    summary = bench.refresh(path, max_age=timedelta(0))

    assert summary.counts_written == 1
    assert summary.requests["arxiv"] == 0, "metadata is fresh for a month"
    history = [row["citation_count"] for row in bench.rows("FROM citation_counts ORDER BY observed_at")]
    assert history == [10, 25]
    assert [row["citation_count"] for row in bench.rows("FROM papers")] == [25]
    assert bench.rows("FROM rising") == [], "two counts on one day make no rate"


def test_a_mention_that_leaves_its_list_is_kept_and_comes_back_as_the_same(bench: Bench):
    first = "- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n"
    second = "- [Mixed Precision Training](https://arxiv.org/abs/1710.03740)\n"
    path = bench.write(first + second)
    bench.refresh(path)
    identity = {row["title"]: row["mention_id"] for row in bench.rows("FROM mentions")}

    bench.refresh(bench.write("A line above.\n\n" + second))
    gone = {row["title"]: row["removed_at"] for row in bench.rows("FROM mentions")}
    assert gone["Fast R-CNN"] is not None
    assert gone["Mixed Precision Training"] is None

    bench.refresh(bench.write(first + second))
    rows = bench.rows("FROM mentions")
    assert {row["title"]: row["mention_id"] for row in rows} == identity
    assert all(row["removed_at"] is None for row in rows)


def test_offline_nothing_is_asked_and_what_is_not_here_is_failed(bench: Bench, standins: StandIns):
    summary = bench.refresh(bench.write(LIST), offline=True)

    assert not standins.requests()
    assert summary.failed == summary.mentions == 6
    assert {row["status"] for row in bench.rows("FROM mentions")} == {"failed"}


def test_unreachable_services_make_failures_and_the_next_refresh_catches_up(bench: Bench):
    path = bench.write(LIST)
    nowhere = {name.removeprefix("PAPERLAKE_").lower(): value for name, value in unreachable_env().items()}

    down = bench.refresh(path, tries=1, **nowhere)
    assert (down.status, down.failed, down.not_found) == ("completed_with_failures", 6, 0)
    assert any("could not be reached" in problem for problem in down.problems)

    up = bench.refresh(path)
    assert (up.status, up.resolved, up.not_found) == ("completed", 5, 1)


def test_replies_are_kept_as_received_and_can_be_parsed_again(bench: Bench):
    from sources.services.arxiv.feed import parse_feed

    bench.refresh(bench.write("- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n"))

    replies = bench.rows("FROM replies")
    assert {row["source"] for row in replies} == {"arxiv", "s2"}
    (feed,) = [row["body"] for row in replies if row["source"] == "arxiv" and "1504.08083" in row["request_key"]]
    assert [paper.title for paper in parse_feed(feed).papers] == ["Fast R-CNN"]
    assert not list((bench.place.folder / "replies").iterdir()), "committed replies leave the spool"


def test_a_crash_after_the_replies_asks_nothing_twice(
    bench: Bench, standins: StandIns, monkeypatch: pytest.MonkeyPatch
):
    path = bench.write(LIST)
    with monkeypatch.context() as patch:
        patch.setattr(
            "flows.refresh.pipeline.load", lambda *_, **__: (_ for _ in ()).throw(RuntimeError("the power went out"))
        )
        with pytest.raises(RuntimeError, match="power"):
            bench.refresh(path)
    assert not bench.rows("FROM papers")
    standins.clear_log()

    summary = bench.refresh(path)

    assert summary.resolved == 5
    assert len(standins.requests()) == 0


def test_every_batch_is_one_task_with_a_name(bench: Bench):
    bench.refresh(bench.write(LIST))
    assert "arXiv: 3 identifiers" in bench.labels
    assert all(": " in label for label in bench.labels)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("", "is empty", id="empty"),
        pytest.param("# Shopping\n\n- milk\n- bread\n", "no paper is named", id="no papers"),
        pytest.param("\0\1\2", "binary file", id="binary"),
    ],
)
def test_bad_lists_are_refused_before_anything_is_made(bare_bench: Bench, text: str, said: str):
    with pytest.raises(UsageError, match=said):
        bare_bench.refresh(bare_bench.write(text))
    assert not bare_bench.place.folder.exists()


def test_without_a_list_all_that_the_lake_knows_are_refreshed(bench: Bench):
    bench.refresh(bench.write(LIST, "a.md"), bench.write("- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n", "b.md"))
    assert bench.refresh().lists == 2


def test_a_withdrawn_key_stays_out_of_the_lake(bench: Bench, standins: StandIns):
    standins.require_key("k-3cret-0123456789")
    bench.refresh(bench.write(LIST), s2_api_key="k-3cret-0123456789")
    assert any(request["key_sent"] for request in standins.requests("s2"))
    held = b"".join(path.read_bytes() for path in bench.place.folder.rglob("*") if path.is_file())
    assert b"k-3cret-0123456789" not in held
    assert "k-3cret" not in json.dumps([row["request_key"] for row in bench.rows("FROM replies")])


@pytest.mark.skipif(not SHARED.exists(), reason="../shared is not here")
def test_every_identifier_in_the_four_lists_own_links_leads_to_its_paper(tmp_path: Path, standins_full: StandIns):
    bench = Bench(tmp_path, standins_full.env())
    lists = sorted(str(path) for path in (SHARED / "lists").glob("*.txt"))
    summary = bench.refresh(*lists)
    assert summary.requests["arxiv"] + summary.requests["s2"] <= 25

    rows = bench.rows(
        "SELECT l.location, m.line, p.arxiv_id FROM mentions m JOIN reading_lists l USING (list_id) "
        "JOIN papers p USING (paper_id) WHERE m.status = 'resolved'"
    )
    missed = []
    for labels in sorted((SHARED / "gold").glob("*.jsonl")):
        for gold in map(json.loads, labels.read_text(encoding="utf-8").splitlines()):
            if not (gold["id_in_text"] and gold["arxiv_id"] and gold["kind"] == "paper"):
                continue
            near = [
                row["arxiv_id"]
                for row in rows
                if Path(row["location"]).name.startswith(labels.stem) and abs(row["line"] - gold["line"]) <= 2
            ]
            if gold["arxiv_id"] not in near:
                missed.append((labels.stem, gold["line"], gold["arxiv_id"], near))
    assert not missed
