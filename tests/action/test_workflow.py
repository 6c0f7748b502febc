"""The workflow to copy: it asks for little, and gives the action what it takes."""

from __future__ import annotations

import re
from typing import Any

import yaml

from standins.github.repository import ROOT

WORKFLOW = ROOT / "examples" / "github-actions" / "lists.yml"


def content(name: str) -> dict[str, Any]:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_no_job_has_more_permissions_than_it_needs():
    workflow = content("examples/github-actions/lists.yml")
    assert workflow["permissions"] == {}
    assert {name: job["permissions"] for name, job in workflow["jobs"].items()} == {
        "check": {"contents": "read", "pull-requests": "write"},
        "fix": {"contents": "write", "pull-requests": "write"},
    }
    assert set(workflow[True]) == {"pull_request", "schedule", "workflow_dispatch"}  # YAML reads `on` as true
    assert "pull_request_target" not in WORKFLOW.read_text(encoding="utf-8")


def test_the_workflow_gives_the_action_inputs_that_it_has():
    inputs = content("action.yml")["inputs"]
    steps = [step for job in content("examples/github-actions/lists.yml")["jobs"].values() for step in job["steps"]]
    given = [step["with"] for step in steps if "paperlake@" in step.get("uses", "")]
    assert [each.get("task", inputs["task"]["default"]) for each in given] == ["check", "fix"]
    assert all(each.keys() <= inputs.keys() for each in given)
    required = {name for name, entry in inputs.items() if entry.get("required")}
    assert all(required <= each.keys() for each in given)


def test_no_script_is_put_together_from_expressions_and_every_input_is_used():
    steps = content("action.yml")["runs"]["steps"]
    assert [step["name"] for step in steps if "${{" in step.get("run", "")] == []
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"inputs\.(\w+)", text)) == content("action.yml")["inputs"].keys()


def test_the_page_names_every_input_with_its_default():
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", page, re.MULTILINE))
    inputs = content("action.yml")["inputs"]
    assert rows.keys() == inputs.keys()
    plain = {name: entry["default"] for name, entry in inputs.items() if entry.get("default", "").isalpha()}
    assert {name: rows[name].strip("`") for name in plain} == plain
