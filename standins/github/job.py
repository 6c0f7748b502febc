"""A job of GitHub's workflows on this machine: the steps of an action or workflow, read from its file and run.

What a step does is what its file says: the script goes to bash as GitHub gives it, with the environment of the step.
Only the expressions that the caller gives a value for are known; another one is an error, as is a `run` with any.
Steps that use other actions are not run; the caller gives their outputs.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
_CONDITION = re.compile(r"inputs\.(\w+) == '(\w+)'")


@dataclass(slots=True)
class Action:
    """A composite action.

    Attributes:
        file: Its `action.yml`.
        values: Expression -> value, for all that it uses but its inputs.
        environment: What every step sees, beside what it sets itself.
    """

    file: Path
    values: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def content(self) -> dict[str, Any]:
        """Returns the file's content."""
        content: dict[str, Any] = yaml.safe_load(self.file.read_text(encoding="utf-8"))
        return content

    def run(self, folder: Path, step_name: str, **inputs: str) -> subprocess.CompletedProcess[str]:
        """Returns what a step came to, run in `folder` with these inputs."""
        step = next(step for step in self.content["runs"]["steps"] if step.get("name") == step_name)
        values = {**self.values, **self._inputs(inputs)}
        if not self.is_run(step, values):
            raise ValueError(f"the step {step_name!r} is not run with {inputs}")
        if _EXPRESSION.search(step["run"]):
            raise ValueError(f"the script of {step_name!r} is put together from expressions")
        own = {name: _EXPRESSION.sub(lambda match: values[match[1]], str(text)) for name, text in step["env"].items()}
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=folder, env={**os.environ, **self.environment, **own}, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def is_run(self, step: Mapping[str, Any], values: Mapping[str, str]) -> bool:
        """Returns whether a step's condition holds."""
        condition = step.get("if")
        if condition is None:
            return True
        match = _CONDITION.fullmatch(condition)
        if match is None:
            raise ValueError(f"a condition that is not known here: {condition}")
        return values[f"inputs.{match[1]}"] == match[2]

    def _inputs(self, given: Mapping[str, str]) -> dict[str, str]:
        declared = self.content["inputs"]
        if unknown := given.keys() - declared.keys():
            raise ValueError(f"the action has no input {unknown}")
        missing = [name for name, entry in declared.items() if entry.get("required") and name not in given]
        if missing:
            raise ValueError(f"the action needs {missing}")
        defaults = {name: str(entry.get("default", "")) for name, entry in declared.items()}
        return {f"inputs.{name}": _EXPRESSION.sub(lambda match: self.values[match[1]], text)
                for name, text in {**defaults, **given}.items()}  # fmt: skip
