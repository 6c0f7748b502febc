"""`paperlake history import git`, held against what git itself tells of a real repository."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sources.errors import UsageError
from sources.lists import git
from standins.trials.bench import Bench
from warehouse.maintenance.lake_check import check_lake

DOCS = Path(__file__).resolve().parents[2] / "docs" / "json.md"

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

BEGAN = datetime(2020, 3, 1, 12, tzinfo=UTC)
FAST = "- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n"
NORM = "- [Layer Normalization](https://arxiv.org/abs/1607.06450)\n"
NORM_MISSPELT = "- [Layer Normalizaton](https://example.org/layers.pdf)\n"
ADAM = "- [Adam: A Method for Stochastic Optimization](https://arxiv.org/abs/1412.6980)\n"
DROPPED = "- [Batch Normalization in the Wild](https://example.org/wild.pdf)\n"


class Repository:
    """A git repository whose every commit is a day after the one before."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.commits = folder, 0
        folder.mkdir()
        self("init", "--quiet", "--initial-branch=main")

    def __call__(self, *arguments: str) -> str:
        at = (BEGAN + timedelta(days=self.commits)).isoformat()
        who = {f"GIT_{role}_{part}": "a@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
        env = os.environ | who | {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
        done = subprocess.run(
            ["git", "-C", self.folder, *arguments], env=env, capture_output=True, text=True, check=True
        )
        return done.stdout

    def commit(self, text: str | bytes, name: str = "list.md") -> datetime:
        (self.folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
        self("add", "--all")
        self("commit", "--quiet", "--message", "a change")
        self.commits += 1
        return BEGAN + timedelta(days=self.commits - 1)


@pytest.fixture
def repository(bench: Bench) -> Repository:
    return Repository(bench.folder / "notes")


def history(bench: Bench, *arguments: str, faults: int = 0) -> list[dict]:
    told = json.loads(bench.does("history", "import", "git", *arguments, "--json", code=min(faults, 1)))
    assert len(told["faults"]) == faults
    return told["lists"]


def dates(bench: Bench) -> dict[str, tuple[datetime, datetime | None]]:
    return {row["title"]: (row["first_seen_at"], row["removed_at"]) for row in bench.rows("FROM mentions")}


def test_mentions_are_as_old_as_the_commits_that_added_them(bench: Bench, repository: Repository):
    first = repository.commit(f"# Papers\n\n## Vision\n\n{FAST}{DROPPED}")
    second = repository.commit(f"# Papers\n\n## Vision\n\n{FAST}{DROPPED}\n## Language\n\n{NORM}")
    repository("mv", "list.md", "papers.md")
    third = repository.commit(f"# Papers\n\n## Vision\n\n{FAST}\n## Language\n\n{NORM}{ADAM}", "papers.md")
    place = repository.folder / "papers.md"
    bench.refresh(str(place))
    before = bench.rows("SELECT mention_id, status, paper_id FROM mentions ORDER BY 1")
    (told,) = history(bench, str(repository.folder))
    assert told == {"list": str(place), "commits": 3, "dated": 3, "left": 1, "problems": []}
    assert all(f"`{key}`" in DOCS.read_text(encoding="utf-8").partition("history import git")[2] for key in told)
    assert dates(bench) == {
        "Fast R-CNN": (first, None),
        "Layer Normalization": (second, None),
        "Adam: A Method for Stochastic Optimization": (third, None),
        "Batch Normalization in the Wild": (first, third),
    }
    (left,) = bench.rows("SELECT reason FROM mentions WHERE removed_at IS NOT NULL")
    commits = repository("log", "--follow", "--format=%h", "--abbrev=10", "papers.md").split()
    assert left["reason"] == f"only in the list's git history: from commit {commits[-1]} until commit {commits[0]}"
    assert bench.rows("SELECT first_seen_at AS at FROM reading_lists") == [{"at": first}]
    assert bench.rows("SELECT mention_id, status, paper_id FROM mentions WHERE removed_at IS NULL ORDER BY 1") == before
    assert check_lake(bench.place).faults == []

    assert history(bench, str(place))[0] == told | {"dated": 0, "left": 0}, "a second import changes nothing"
    later = bench.refresh(str(place))
    assert (later.mentions_new, later.mentions_removed) == (0, 0)
    assert dates(bench)["Layer Normalization"] == (second, None), "a refresh keeps the dates"


def test_a_mended_typing_error_and_a_merge_keep_one_mention(bench: Bench, repository: Repository):
    first = repository.commit(f"# Papers\n\n{FAST}{NORM_MISSPELT}")
    repository("switch", "--quiet", "--create", "more")
    repository.commit(f"# Papers\n\n{FAST}{NORM_MISSPELT}{ADAM}")
    repository("switch", "--quiet", "main")
    repository("merge", "--quiet", "--no-ff", "--message", "merge", "more")
    merged = BEGAN + timedelta(days=repository.commits)
    repository.commits += 1
    repository.commit(f"# Papers\n\n{FAST}{NORM}{ADAM}")
    bench.refresh(str(repository.folder / "list.md"))
    (told,) = history(bench, str(repository.folder))
    assert (told["commits"], told["dated"], told["left"]) == (3, 3, 0)
    assert dates(bench) == {
        "Fast R-CNN": (first, None),
        "Layer Normalization": (first, None),
        "Adam: A Method for Stochastic Optimization": (merged, None),
    }


def test_a_commit_that_deletes_the_list_or_is_no_text_is_told(bench: Bench, repository: Repository):
    repository.commit(f"# Papers\n\n{FAST}{DROPPED}")
    (repository.folder / "list.md").unlink()
    gone = repository.commit("else\n", "else.md")
    repository.commit(b"# Papers\n\n\xff\xfe\xfa\n")
    back = repository.commit(f"# Papers\n\n{FAST}")
    bench.refresh(str(repository.folder / "list.md"))
    (told,) = history(bench, str(repository.folder))
    assert told["left"] == 1
    assert dates(bench)["Batch Normalization in the Wild"][1] == gone
    assert dates(bench)["Fast R-CNN"] == (BEGAN, None), f"it is back since {back}"
    (problem,) = told["problems"]
    assert problem.startswith("passed over: commit ")


def test_what_has_no_history_is_refused_in_a_sentence(bench: Bench, repository: Repository, tmp_path: Path):
    outside = bench.write(FAST, "outside.md")
    bench.refresh(outside)
    with pytest.raises(UsageError, match=r"outside.md is in no git repository"):
        history(bench, outside)
    with pytest.raises(UsageError, match=r"knows no list at .*notes: refresh the lists first"):
        history(bench, str(repository.folder))
    (repository.folder / "new.md").write_text(ADAM, encoding="utf-8")
    bench.refresh(str(repository.folder / "new.md"))
    repository.commit(FAST, "other.md")
    repository("rm", "--quiet", "--cached", "new.md")
    repository("commit", "--quiet", "--amend", "--message", "only the other")
    with pytest.raises(UsageError, match=r"no commit has .*new.md"):
        history(bench, str(repository.folder))
    repository.commit(FAST + ADAM, "other.md")
    (repository.folder / "never.md").write_text(NORM, encoding="utf-8")
    bench.refresh(str(repository.folder / "never.md"))
    told = history(bench, str(repository.folder), faults=1)
    assert [each["list"] for each in told] == [str(repository.folder / "new.md")], "one fault stops no other list"
    shallow = tmp_path / "shallow"
    subprocess.run(["git", "clone", "--quiet", "--depth=1", repository.folder.as_uri(), shallow], check=True)
    with pytest.raises(UsageError, match="holds only a part of the history"):
        git.revisions_of(shallow / "other.md", shallow, asked_by="history import git")
