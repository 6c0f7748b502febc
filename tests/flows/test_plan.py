"""`refresh --dry-run` against what a refresh then really asks."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from flows.cli import app
from flows.refresh.plan import RefreshPlan, plan_refresh
from flows.refresh.reading import read_and_parse
from standins import StandIns
from standins.trials.bench import Bench
from tests.flows.test_refresh import LIST


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
