from __future__ import annotations

import pytest

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
