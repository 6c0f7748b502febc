"""`refresh --dry-run` against what a refresh then really asks."""

from __future__ import annotations

import json
from datetime import timedelta

from flows.refresh.plan import RefreshPlan, plan_lines, plan_refresh
from flows.refresh.reading import read_and_parse
from flows.refresh.summary import summary_lines
from standins import StandIns
from standins.trials.bench import Bench
from tests.flows.conftest import CommandLine
from tests.flows.test_refresh import LIST


def _plan(bench: Bench, *lists: str, **changes) -> RefreshPlan:
    settings = bench.settings(**changes)
    return plan_refresh(read_and_parse(lists, settings.place), settings)


def test_a_plan_sends_nothing_writes_nothing_and_holds(bare_bench: Bench, standins: StandIns):
    path = bare_bench.write(LIST)

    plan = _plan(bare_bench, path)

    assert not standins.requests()
    assert not bare_bench.place.folder.exists()
    assert (plan.lists, plan.mentions, plan.open) == (1, 6, 6)
    summary = bare_bench.refresh(path)
    assert plan.requests["arxiv"].least <= summary.requests["arxiv"] <= plan.requests["arxiv"].most
    assert plan.requests["s2"].least <= summary.requests["s2"] <= plan.requests["s2"].most


def test_a_refresh_with_nothing_to_do_is_planned_as_such(bench: Bench):
    path = bench.write(LIST)
    bench.refresh(path)
    before = bench.contents()

    plan = _plan(bench, path)

    assert {name: (span.least, span.most) for name, span in plan.requests.items()} == {"arxiv": (0, 0), "s2": (0, 0)}
    assert (plan.open, plan.stale, plan.seconds.most) == (0, {"arxiv": 0, "s2": 0}, 0)
    assert bench.contents() == before


def test_stale_counts_are_planned_in_batches(bench: Bench, standins: StandIns):
    path = bench.write("- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n")
    bench.refresh(path)
    standins.clear_log()

    plan = _plan(bench, path, max_age=timedelta(0))

    assert plan.stale == {"arxiv": 0, "s2": 1}
    assert (plan.requests["s2"].least, plan.requests["s2"].most) == (1, 1)
    assert not standins.requests()


def test_the_intervals_say_how_long_it_takes(bench: Bench):
    plan = _plan(bench, bench.write(LIST), arxiv_interval=3, s2_interval=1)
    waits = [span.least - 1 for span in (plan.requests["arxiv"], plan.requests["s2"])]
    assert plan.seconds.least == waits[0] * 3 + waits[1]


def test_an_offline_plan_asks_nobody(bench: Bench):
    plan = _plan(bench, bench.write(LIST), offline=True)
    assert {span.most for span in plan.requests.values()} == {0}


def test_the_command_prints_the_plan(paperlake: CommandLine):
    (paperlake.folder / "list.md").write_text(LIST)
    words = paperlake("refresh", "list.md", "--dry-run")
    told = paperlake("refresh", "list.md", "--dry-run", "--json")
    assert words.returncode == told.returncode == 0, words.stderr + told.stderr
    assert "6 mentions in 1 list: 6 to be asked for" in words.stdout
    assert json.loads(told.stdout)["requests"]["arxiv"]["least"] >= 1
    assert paperlake.made() == ["list.md"]


def test_one_is_told_as_one(bench: Bench):
    path = bench.write("- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n")
    assert plan_lines(_plan(bench, path))[0].startswith("1 mention in 1 list: ")
    assert summary_lines(bench.refresh(path))[0].startswith("1 mention in 1 list: ")
