from __future__ import annotations

import pytest
import requests

from standins.github.api import BOT, GithubStandIn
from standins.github.job import Action
from standins.github.repository import ROOT

ACTION = """
inputs:
  task: {default: check}
  lists: {required: true}
runs:
  steps:
    - name: Say
      if: inputs.task == 'check'
      env: {LISTS: "${{ inputs.lists }}", WHERE: "${{ github.action_path }}"}
      run: 'echo "$LISTS in $WHERE"; false; echo no'
    - name: Paste
      env: {}
      run: echo ${{ inputs.lists }}
"""


@pytest.fixture
def action(tmp_path):
    (tmp_path / "action.yml").write_text(ACTION)
    return Action(tmp_path / "action.yml", values={"github.action_path": "here"})


def test_a_step_is_run_as_its_file_says_and_ends_at_its_first_failure(action, tmp_path):
    done = action.run(tmp_path, "Say", lists="$(touch x)")
    assert (done.returncode, done.stdout) == (1, "$(touch x) in here\n")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("step", "inputs"),
    [
        ("Say", {}),
        ("Say", {"lists": "a", "task": "fix"}),
        ("Say", {"lists": "a", "other": "b"}),
        ("Paste", {"lists": "a"}),
    ],
)
def test_what_github_would_not_run_or_nobody_should_is_an_error(action, tmp_path, step, inputs):
    with pytest.raises(ValueError, match=r"needs|not run|no input|put together"):
        action.run(tmp_path, step, **inputs)


def test_the_action_of_this_repository_has_only_conditions_that_are_known():
    action = Action(ROOT / "action.yml")
    for step in action.content["runs"]["steps"]:
        action.is_run(step, {"inputs.task": "check"})


@pytest.fixture
def api():
    with GithubStandIn() as running:
        yield running


def ask(api: GithubStandIn, method: str, path: str, body=None, token: str | None = None) -> requests.Response:
    headers = {"Authorization": f"Bearer {api.token if token is None else token}"}
    return requests.request(method, f"{api.url}/repos/ada/lists{path}", json=body, headers=headers, timeout=10)


def test_comments_come_in_pages_and_are_the_bots(api):
    for number in range(150):
        api.comment_of("eve", str(number))
    assert ask(api, "POST", "/issues/7/comments", {"body": "mine"}).json()["user"]["login"] == BOT
    pages = [ask(api, "GET", f"/issues/7/comments?per_page=100&page={page}").json() for page in (1, 2, 3)]
    assert [len(page) for page in pages] == [100, 51, 0]
    assert ask(api, "PATCH", f"/issues/comments/{pages[1][-1]['id']}", {"body": "new"}).json()["body"] == "new"
    assert ask(api, "PATCH", "/issues/comments/1", {"body": "new"}).status_code == 404


def test_a_branch_has_one_open_pull_request(api):
    facts = {"title": "t", "body": "b", "head": "x", "base": "main"}
    assert [ask(api, "POST", "/pulls", facts).status_code for _ in range(2)] == [201, 422]
    assert len(ask(api, "GET", "/pulls?state=open&head=ada%3Ax").json()) == 1
    assert ask(api, "GET", "/pulls?state=closed&head=ada%3Ax").json() == []


def test_a_token_is_needed_and_may_be_refused(api):
    assert ask(api, "GET", "/issues/7/comments?page=1", token="other").status_code == 401
    api.may_write = False
    assert ask(api, "POST", "/issues/7/comments", {"body": "x"}).status_code == 403
