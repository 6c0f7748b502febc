"""The action on a pull request: its steps as `action.yml` has them, on a checkout as GitHub makes it."""

from __future__ import annotations

import re

import pytest

from standins.github.api import BOT
from standins.github.repository import Repository
from tests.action.conftest import ADDED, LIST

pytestmark = pytest.mark.slow
SOUND = "- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n"


def annotations(printed: str) -> list[str]:
    return [line for line in printed.splitlines() if line.startswith(("::error", "::warning", "::notice"))]


def places(printed: str) -> list[tuple[str, str]]:
    return re.findall(r"line=(\d+),.*?title=paperlake%3A ([a-z-]+)::", printed)


def test_only_the_lines_of_the_pull_request_are_annotated(repository: Repository):
    repository.propose(LIST + ADDED)
    done = repository.check()
    assert (done.returncode, places(done.stdout)) == (1, [("5", "empty-link"), ("6", "malformed-arxiv-id")])


def test_what_went_into_the_base_in_the_meantime_is_not_the_pull_requests(repository: Repository):
    repository.propose(LIST + ADDED)
    repository.git("checkout", "--quiet", "main")
    repository.commit(LIST.replace("# Papers\n", "# Papers\n\n- [Other](https://arxiv.org/abs/1999.00001)\n"))
    repository.git("push", "--quiet", "origin", "main")
    repository.merge()
    assert places(repository.check().stdout) == [("7", "empty-link"), ("8", "malformed-arxiv-id")]


def test_the_comment_is_written_once_and_then_kept_up_to_date(repository: Repository):
    repository.api.comment_of("eve", "<!-- paperlake check -->\nmine")
    repository.propose(LIST + ADDED)
    repository.check()
    repository.check()
    assert repository.api.written == ["POST"]
    assert "1 error, 1 warning" in repository.api.comments[-1]["body"]
    repository.propose(LIST + SOUND)
    assert repository.check().returncode == 0
    assert repository.api.written == ["POST", "PATCH"]
    assert [each["user"]["login"] for each in repository.api.comments] == ["eve", BOT]
    assert "no findings" in repository.api.comments[-1]["body"]
    assert repository.api.comments[0]["body"].endswith("mine")


def test_the_comment_of_another_token_is_kept_up_to_date_too(repository: Repository):
    repository.api.login = "lists-of-ada[bot]"
    repository.api.comment_of("eve", "<!-- paperlake check -->\nmine")
    repository.api.comment_of(BOT, "<!-- paperlake check -->\nof a job with another token")
    repository.propose(LIST + ADDED)
    repository.check()
    repository.propose(LIST + SOUND)
    repository.check()
    assert repository.api.written == ["POST", "PATCH"]
    assert [each["user"]["login"] for each in repository.api.comments] == ["eve", BOT, "lists-of-ada[bot]"]


def test_the_comment_of_a_token_that_may_not_tell_whose_it_is_is_found_among_hundreds(repository: Repository):
    repository.api.tells_login = False  # and is taken for the job's
    for number in range(250):
        repository.api.comment_of("eve", f"remark {number}")
    repository.api.comment_of(BOT, "<!-- paperlake check -->\nold")
    repository.propose(LIST + ADDED)
    repository.check()
    assert repository.api.written == ["PATCH"]


def test_nothing_to_say_is_not_said(repository: Repository):
    repository.propose(LIST + SOUND)
    done = repository.check()
    assert (done.returncode, repository.api.written) == (0, [])
    assert "no findings" in repository.summary


def test_a_token_of_a_fork_leaves_the_findings_in_the_summary(repository: Repository):
    repository.api.may_write = False
    repository.propose(LIST + ADDED)
    done = repository.check()
    assert done.returncode == 1
    assert "this token may not comment" in done.stdout
    assert "empty-link" in repository.summary
    assert repository.api.comments == []


def test_a_fault_of_github_changes_nothing_about_the_result(repository: Repository):
    repository.api.is_down = True
    repository.propose(LIST + SOUND)
    done = repository.check()
    assert (done.returncode, annotations(done.stdout)[-1].split("::")[1]) == (0, "warning title=paperlake")
    assert "GitHub answers 502" in done.stdout


def test_without_a_pull_request_all_lines_are_checked_and_warnings_can_be_made_strict(repository: Repository):
    done = repository.check(ref="refs/heads/main")
    assert (done.returncode, places(done.stdout)) == (0, [("3", "empty-link")])
    assert repository.check(ref="refs/heads/main", strict="true").returncode == 1
    repository.propose(LIST + ADDED)
    assert repository.check(comment="false").returncode == 1
    assert repository.api.requests == []


def test_a_base_of_ones_own_is_taken(repository: Repository):
    repository.commit(LIST + ADDED)
    repository.git("push", "--quiet", "origin", "main")
    done = repository.check(ref="refs/heads/main", depth=2, changed="HEAD~1")
    assert places(done.stdout) == [("5", "empty-link"), ("6", "malformed-arxiv-id")]


def test_a_checkout_without_its_base_says_what_to_do(repository: Repository):
    repository.propose(LIST + ADDED)
    head = repository.check_out("refs/heads/topic")
    repository.git("remote", "set-url", "origin", "file:///nowhere", at=head.name)
    done = repository.action("refs/pull/7/merge").run(head, "Check the lists", lists="list.md", offline="true")
    (said,) = annotations(done.stdout)
    assert done.returncode == 2
    assert said.endswith("the pull request's base is not in the checkout: give actions/checkout `fetch-depth: 0`")


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"lists": " "}, "the input `lists` is empty"),
        ({"strict": "maybe"}, "the input `strict` is neither true nor false"),
        ({"lists": "missing.md"}, "paperlake check ended with exit code 2"),
    ],
)
def test_wrong_inputs_are_said_in_one_line(repository: Repository, inputs, message):
    repository.propose(LIST + ADDED)
    done = repository.check(**inputs)
    assert done.returncode == 2
    assert message in annotations(done.stdout)[-1]


HOSTILE = "a;touch PWNED $(touch PWNED) `touch PWNED` ::error::x.md"


def test_names_and_texts_of_lists_reach_no_shell_and_give_no_commands(repository: Repository):
    text = "- [x `$(touch PWNED)` ::set-output name=a::b %0A::error::c](https://arxiv.org/abs/1913.00001) @ada #1 </b>"
    repository.propose(text, HOSTILE)
    assert repository.check(lists=f"{HOSTILE}\n--version\n$(touch PWNED)\n*.md").returncode == 2  # no such lists
    done = repository.check(lists=HOSTILE)
    assert done.returncode == 1
    assert len(annotations(done.stdout)) == 2  # the finding, and what was not asked
    assert "\n::set-output" not in done.stdout
    assert repository.api.token not in done.stdout + done.stderr
    (comment,) = repository.api.comments
    assert "`$(" not in comment["body"]
    assert not re.search(r"@ada|#1\b|</b>", comment["body"])
    assert not list(repository.folder.rglob("PWNED"))


def test_a_module_in_the_lists_repository_is_not_imported(repository: Repository):
    for name in ("flows.py", "json.py", "job.py", "httpx.py", "typer.py"):
        repository.commit("raise SystemExit(77)\n", name)
    repository.git("push", "--quiet", "origin", "main")
    repository.propose(LIST + ADDED)
    assert repository.check().returncode == 1


def test_what_is_printed_beside_the_findings_gives_no_commands(repository: Repository):
    repository.propose(LIST + "<!-- paperlake: ignore no-such-code -->\n" + ADDED)
    done = repository.check()
    outside, mark = [], None
    for line in done.stdout.splitlines():
        if line.startswith("::stop-commands::"):
            mark = line.removeprefix("::stop-commands::")
        elif mark and line == f"::{mark}::":
            mark = None
        elif mark is None:
            outside.append(line)
    assert outside == annotations(done.stdout)
