"""The weekly job: corrections in one pull request, from a branch of its own."""

from __future__ import annotations

import pytest

from standins.github.repository import Repository
from tests.action.conftest import LIST

pytestmark = pytest.mark.slow
OLD = LIST.replace("https://arxiv.org/abs/1706", "http://arxiv.org/abs/1706")
BRANCH = "paperlake/fixes"


@pytest.fixture
def faulty(repository: Repository) -> Repository:
    """A repository whose list has one address to correct, and jobs that ask nobody."""
    repository.environment["PAPERLAKE_OFFLINE"] = "true"
    push(repository, OLD)
    return repository


def push(repository: Repository, text: str, name: str = "list.md") -> None:
    repository.commit(text, name)
    repository.git("push", "--quiet", "origin", "main")


def at(repository: Repository, ref: str, *arguments: str) -> str:
    return repository.git("log", "-1", *arguments, ref, at="hub.git").strip()


def text_at(repository: Repository, ref: str) -> str:
    return repository.git("show", f"{ref}:list.md", at="hub.git")


def test_corrections_come_as_one_commit_and_one_pull_request_and_main_stays(faulty: Repository):
    main = at(faulty, "main", "--format=%H")
    done = faulty.fix()
    assert (done.returncode, faulty.api.written) == (0, ["POST"])
    assert "pull request 8 is open" in done.stdout
    assert (at(faulty, "main", "--format=%H"), at(faulty, BRANCH, "--format=%P")) == (main, main)
    assert text_at(faulty, BRANCH) == LIST
    assert faulty.git("diff", "--name-only", main, BRANCH, at="hub.git").split() == ["list.md"]
    (pull,) = faulty.api.pulls
    assert (pull["head"], pull["base"]) == (BRANCH, "main")
    assert "+- [Attention Is All You Need](https://arxiv.org/abs/1706.03762)" in pull["body"]
    assert "http-address" in pull["body"]


def test_a_second_run_changes_nothing(faulty: Repository):
    faulty.fix()
    before = at(faulty, BRANCH, "--format=%H")
    assert "pull request 8 is up to date" in faulty.fix().stdout
    assert (at(faulty, BRANCH, "--format=%H"), faulty.api.written) == (before, ["POST"])


@pytest.mark.nightly
def test_the_branch_follows_main(faulty: Repository):
    faulty.fix()
    push(faulty, OLD + "- [Fast R-CNN](http://arxiv.org/abs/1504.08083)\n")
    assert faulty.fix().returncode == 0
    assert at(faulty, BRANCH, "--format=%P") == at(faulty, "main", "--format=%H")
    assert "http://" not in text_at(faulty, BRANCH)
    assert faulty.api.written == ["POST", "PATCH"]


def test_a_branch_with_commits_of_others_is_left_alone(faulty: Repository):
    faulty.fix()
    faulty.git("fetch", "--quiet", "origin", BRANCH)
    faulty.git("checkout", "--quiet", "-B", "mine", "FETCH_HEAD")
    faulty.commit(LIST + "\nMine.\n")
    faulty.git("push", "--quiet", "origin", f"mine:{BRANCH}")
    faulty.git("checkout", "--quiet", "main")
    push(faulty, OLD + "\nMore.\n")
    done = faulty.fix()
    assert done.returncode == 2
    assert f"somebody has committed to the branch {BRANCH}" in done.stdout
    assert text_at(faulty, BRANCH).endswith("Mine.\n")


@pytest.mark.nightly
def test_what_was_refused_is_not_proposed_again_but_something_else_is(faulty: Repository):
    faulty.fix()
    faulty.api.pulls[0]["state"] = "closed"
    faulty.git("push", "--quiet", "origin", "--delete", BRANCH)
    done = faulty.fix()
    assert "the same corrections were proposed before" in done.stdout
    assert (done.returncode, faulty.api.written) == (0, ["POST"])
    push(faulty, OLD + "- [Fast R-CNN](http://arxiv.org/abs/1504.08083)\n")
    assert "pull request 9 is open" in faulty.fix().stdout


def test_only_the_codes_named_are_corrected(faulty: Repository):
    assert "nothing to correct" in faulty.fix(codes="doi-address").stdout
    assert "paperlake fix ended with exit code 2" in faulty.fix(codes="no-such-code").stdout


def test_a_token_that_may_not_says_what_is_needed(faulty: Repository):
    faulty.api.may_write = False
    done = faulty.fix()
    assert done.returncode == 2
    assert "contents: write" in done.stdout
    assert faulty.api.token not in done.stdout


def test_a_pull_requests_job_proposes_nothing(faulty: Repository):
    faulty.propose(OLD + "\nMore.\n")
    ref = "refs/pull/7/merge"
    done = faulty.action(ref).run(faulty.check_out(ref), "Propose corrections", lists="list.md", task="fix")
    assert done.returncode == 2
    assert "run this on `schedule`" in done.stdout


def test_text_of_a_list_stays_inside_its_block(faulty: Repository):
    push(
        faulty,
        OLD.replace("# Papers\n", "# Papers\n\n`````\n@ada ::error::x\n").replace("[code]()\n", "[code]()\n`````\n\n"),
    )
    faulty.fix()
    body = faulty.api.pulls[0]["body"]
    fence = body.split("diff\n")[0].rpartition("\n")[2]
    assert body.count(f"\n{fence}") == 2
    assert fence.count("`") > 3
