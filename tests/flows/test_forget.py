"""`paperlake lake forget`, and a bare refresh where a list is gone."""

from __future__ import annotations

import json

import pytest
import typer.testing

from flows.cli import app
from sources.errors import UsageError
from standins.trials.bench import Bench
from warehouse.maintenance.lake_check import check_lake

pytestmark = pytest.mark.slow

ONE = "- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n- [What's in a Name?](https://example.org/names.pdf)\n"
OTHER = "- [Layer Normalization](https://arxiv.org/abs/1607.06450)\n"


def forget(bench: Bench, *arguments: str) -> str:
    done = typer.testing.CliRunner().invoke(app, ["lake", "forget", *arguments, "--lake", str(bench.place.folder)])
    if isinstance(done.exception, UsageError):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


def test_a_list_is_forgotten_with_its_mentions_and_its_papers_stay(bench: Bench):
    bench.refresh(bench.write(ONE, "one.md"), bench.write(OTHER, "other.md"))
    papers = bench.rows("FROM papers ORDER BY paper_id")
    (bench.folder / "one.md").unlink()
    gone = bench.refresh()
    assert (gone.status, gone.lists, gone.mentions) == ("completed_with_failures", 1, 1), "the others are refreshed"
    assert any("one.md" in problem and "its 2 mentions stay" in problem for problem in gone.problems)

    with pytest.raises(UsageError, match=r"knows no list 'ne.md'; it knows one.md, other.md"):
        forget(bench, "other.md", "ne.md")
    told = json.loads(forget(bench, "one.md", "--json"))
    assert told == {"lists": [str(bench.folder / "one.md")], "mentions": 2}
    assert [row["list"] for row in bench.rows("FROM coverage")] == ["other.md"]
    assert {row["title"] for row in bench.rows("FROM mentions")} == {"Layer Normalization"}
    assert bench.rows("FROM candidates WHERE mention_id NOT IN (SELECT mention_id FROM mentions)") == []
    assert bench.rows("FROM papers ORDER BY paper_id") == papers
    assert check_lake(bench.place).faults == []
    assert bench.refresh().status == "completed"


def test_a_list_that_was_renamed_or_moved_is_known_by_its_text(bench: Bench):
    bench.refresh(bench.write(ONE, "one.md"))
    before = bench.rows("SELECT mention_id FROM mentions ORDER BY 1")
    (bench.folder / "moved").mkdir()
    now = str((bench.folder / "one.md").rename(bench.folder / "moved" / "new.md"))
    summary = bench.refresh(now)
    assert (summary.status, summary.mentions_new, summary.mentions_removed) == ("completed", 0, 0)
    assert bench.rows("SELECT mention_id FROM mentions ORDER BY 1") == before
    assert [row["location"] for row in bench.rows("FROM coverage")] == [now]


def test_a_copy_of_a_list_is_a_list_of_its_own(bench: Bench):
    bench.refresh(bench.write(ONE, "one.md"))
    bench.refresh(bench.write(ONE, "copy.md"))
    assert len(bench.rows("FROM coverage")) == 2
    assert len(bench.rows("FROM mentions")) == 4
