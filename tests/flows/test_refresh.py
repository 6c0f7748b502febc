"""The whole way of a refresh against the stand-ins: what it finds, asks and remembers, and the plan of it."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from flows.cli import app
from flows.refresh.plan import RefreshPlan, plan_refresh
from flows.refresh.reading import read_and_parse
from flows.refresh.summary import RunSummary, next_lines, summary_lines
from standins import StandIns, unreachable_env
from standins.trials.bench import Bench
from standins.trials.rows import T0

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


def test_a_list_becomes_papers_with_counts_and_a_second_refresh_adds_nothing_but_its_run(
    bench: Bench, standins: StandIns
):
    path = bench.write(LIST)
    summary = bench.refresh(path)

    assert summary.status == "completed"
    assert "arXiv: 3 identifiers" in bench.labels, "every batch is a task with a name"
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

    before, sent = bench.contents(), len(standins.requests())
    again = bench.refresh(path)
    assert (again.requests["arxiv"], again.requests["s2"], len(standins.requests())) == (0, 0, sent)
    assert (again.papers_new, again.counts_written) == (0, 0)
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
    bench.refresh(bench.write("Two\n\nlines above.\n\n" + second))
    later = {row["title"]: row["removed_at"] for row in bench.rows("FROM mentions")}
    assert later == gone, "the day when it was first missed stays"

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


def _plan(bench: Bench, *lists: str, **changes) -> RefreshPlan:
    settings = bench.settings(**changes)
    return plan_refresh(read_and_parse(lists, settings.place), settings)


def test_a_plan_sends_nothing_writes_nothing_and_holds_also_where_nothing_is_to_do(
    bare_bench: Bench, standins: StandIns
):
    path = bare_bench.write(LIST)

    plan = _plan(bare_bench, path)

    assert not standins.requests()
    assert not bare_bench.place.folder.exists()
    assert (plan.lists, plan.mentions, plan.open) == (1, 6, 6)
    summary = bare_bench.refresh(path)
    assert plan.requests["arxiv"].least <= summary.requests["arxiv"] <= plan.requests["arxiv"].most
    assert plan.requests["s2"].least <= summary.requests["s2"] <= plan.requests["s2"].most

    before = bare_bench.contents()
    plan = _plan(bare_bench, path)
    assert {name: (span.least, span.most) for name, span in plan.requests.items()} == {"arxiv": (0, 0), "s2": (0, 0)}
    assert (plan.open, plan.stale, plan.seconds.most) == (0, {"arxiv": 0, "s2": 0}, 0)
    assert bare_bench.contents() == before


def test_stale_counts_are_planned_in_batches(bench: Bench, standins: StandIns):
    path = bench.write("- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n")
    bench.refresh(path)
    standins.clear_log()

    plan = _plan(bench, path, max_age=timedelta(0))

    assert plan.stale == {"arxiv": 0, "s2": 1}
    assert (plan.requests["s2"].least, plan.requests["s2"].most) == (1, 1)
    assert not standins.requests()


def test_the_command_prints_the_plan(tmp_path: Path, standins: StandIns, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("list.md").write_text(LIST)
    plan = ["refresh", "list.md", "--dry-run"]
    words, told = (CliRunner().invoke(app, call, env=standins.env()) for call in (plan, [*plan, "--json"]))
    assert words.exit_code == told.exit_code == 0, words.output + told.output
    assert "6 mentions in 1 list: 6 to be asked for" in words.stdout
    assert json.loads(told.stdout)["requests"]["arxiv"]["least"] >= 1
    assert [path.name for path in tmp_path.iterdir()] == ["list.md"]


def test_a_refresh_ends_with_the_lake_and_the_next_commands():
    counts = dict.fromkeys("lists resolved ambiguous not_found failed papers papers_new counts_written".split(), 1)
    told = {"run_id": "r", "status": "completed_with_failures", "started_at": T0, "mentions": 4, **counts}
    summary = RunSummary(**told, requests={"arxiv": 1, "s2": 1, "openalex": 0}, seconds={}, snapshot_id=7)
    lines = [*summary_lines(summary), *next_lines(summary, "lake", needing=2)]
    assert max(map(len, lines)) <= 80
    assert lines[lines.index("lake: lake") :][1].startswith("  paperlake review -i ")
    for command in ("paperlake refresh ", 'paperlake sql "from listed"', 'sql "from top_cited"', "dashboard --open"):
        assert command in "\n".join(lines)
    nothing = next_lines(summary.model_copy(update={"papers": 0, "failed": 0}), "lake", needing=0)
    assert nothing == ["lake: lake"]


def test_an_outage_is_a_run_with_failures_and_the_next_run_catches_up(bench: Bench, standins: StandIns):
    path = bench.write(LIST)
    standins.down("arxiv")
    out = bench.refresh(path, tries=1)
    during = json.loads(bench.does("status", "--json"))
    standins.up("arxiv")
    back = bench.refresh(path)
    after = json.loads(bench.does("status", "--json"))
    assert (out.status, back.status) == ("completed_with_failures", "completed")
    assert out.resolved > 0, "the other service's part was done"
    assert out.not_found <= back.not_found
    assert all(problem.startswith("arXiv") for problem in out.problems)
    assert "arXiv" in during["problems"][0]["problem"]
    assert [sum(each["failed"] for each in told["coverage"]) for told in (during, after)] == [out.failed, 0]
    assert [run["status"] for run in after["runs"]] == [back.status, out.status]
