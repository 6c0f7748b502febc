"""The job that the action runs in: its inputs, the event, git, and what it says in the log.

What lists and file names hold reaches programs as arguments and files only, never a shell, and reaches the log between
the marks that keep GitHub from reading commands in it.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sources.processes import python, run_git


class ActionError(Exception):
    """The action cannot go on; the message says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What a job of GitHub's workflows knows.

    Attributes:
        inputs: The action's inputs by name, without blanks around them.
        event: What started it, as GitHub tells it.
        repository: `owner/name`.
        api_url: Where GitHub's API is.
        graphql_url: Where its API for GraphQL is.
        token: The token for it; empty where there is none.
        summary: The file that GitHub shows as the job's summary; None where there is none.
        ref: The branch or the pull request's merge that was checked out, as in `refs/pull/7/merge`.
    """

    inputs: Mapping[str, str]
    event: Mapping[str, Any]
    repository: str
    api_url: str
    graphql_url: str
    token: str
    summary: Path | None
    ref: str

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Job:
        """Returns the job that the environment tells of.

        Raises:
            ActionError: An input is missing.
        """
        prefix = "INPUT_"
        inputs = {name.removeprefix(prefix).lower(): value.strip() for name, value in environment.items()
                  if name.startswith(prefix)}  # fmt: skip
        if not inputs.get("lists"):
            raise ActionError("the input `lists` is empty: name your lists, one a line")
        event_file = environment.get("GITHUB_EVENT_PATH")
        summary = environment.get("GITHUB_STEP_SUMMARY")
        return cls(
            inputs=inputs,
            event=json.loads(Path(event_file).read_text(encoding="utf-8")) if event_file else {},
            repository=environment.get("GITHUB_REPOSITORY", ""),
            api_url=environment.get("GITHUB_API_URL", "https://api.github.com"),
            graphql_url=environment.get("GITHUB_GRAPHQL_URL", "https://api.github.com/graphql"),
            token=inputs.get("token", ""),
            summary=Path(summary) if summary else None,
            ref=environment.get("GITHUB_REF", ""),
        )

    @property
    def lists(self) -> list[str]:
        """Returns the LIST arguments."""
        return [line.strip() for line in self.inputs["lists"].splitlines() if line.strip()]

    @property
    def pull_request(self) -> int | None:
        """Returns the number of the pull request that started the job; None where none did."""
        number = (self.event.get("pull_request") or {}).get("number")
        return number if isinstance(number, int) else None

    def is_on(self, name: str) -> bool:
        """Returns whether an input is `true`.

        Raises:
            ActionError: It is neither `true` nor `false`.
        """
        value = self.inputs.get(name, "").lower() or "false"
        if value not in ("true", "false"):
            raise ActionError(f"the input `{name}` is neither true nor false")
        return value == "true"

    def summarise(self, markdown: str) -> None:
        """Adds Markdown to the job's summary."""
        if self.summary is not None:
            with self.summary.open("a", encoding="utf-8") as file:
                file.write(markdown.rstrip() + "\n\n")


def paperlake(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Returns what a command of paperlake came to; what it says beside its output goes to the log as it is.

    The token stays here.
    """
    command = python("-m", "flows", *arguments)
    environment = {name: value for name, value in os.environ.items() if name != "INPUT_TOKEN"}
    done = subprocess.run(
        command, capture_output=True, check=False, env=environment, encoding="utf-8", errors="replace"
    )
    log(done.stderr)
    return done


def git(*arguments: str, check: bool = True) -> str:
    """Returns what git prints; an empty text where it fails and may.

    Raises:
        ActionError: It failed.
    """
    done = run_git(Path.cwd(), *arguments)
    if done.returncode and check:
        log(done.stderr.decode("utf-8", "replace"))
        raise ActionError(f"git {arguments[0]} failed with exit code {done.returncode}")
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


def log(text: str) -> None:
    """Writes text of any origin to the log; no line of it is a command."""
    if not text.strip():
        return
    mark = secrets.token_hex(16)
    sys.stdout.write(f"::stop-commands::{mark}\n{text.rstrip()}\n::{mark}::\n")
    sys.stdout.flush()


def say(level: str, words: str) -> None:
    """Writes an annotation of the job: `notice`, `warning` or `error`."""
    text = " ".join(words.split()).replace("%", "%25")
    sys.stdout.write(f"::{level} title=paperlake::{text}\n")
    sys.stdout.flush()


def cut_lines(lines: Iterable[str], most: int) -> str:
    """Returns the first lines that have at most `most` characters together, and says where some are missing."""
    taken: list[str] = []
    left = most - 40
    for line in lines:
        left -= len(line) + 1
        if left < 0:
            taken.append("\nThe rest is in the job's log.")
            break
        taken.append(line)
    return "\n".join(taken)
