"""A repository with a reading list, as GitHub holds it and as its jobs check it out; the API is a stand-in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from standins.github.api import GithubStandIn
from standins.github.job import Action

ROOT = Path(__file__).resolve().parents[2]
GIT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}


@dataclass
class Repository:
    """The bare repository that stands for GitHub's, a clone of an author's, and jobs."""

    folder: Path
    api: GithubStandIn
    environment: dict[str, str] = field(default_factory=dict)

    def git(self, *arguments: str, at: str = "author") -> str:
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
        env = {**os.environ, **GIT}
        done = subprocess.run(
            ["git", *who, *arguments], cwd=self.folder / at, env=env, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"git {arguments[0]}: {done.stderr}")
        return done.stdout

    def start(self, text: str) -> None:
        """Makes the repository, with one list on its branch main."""
        for name in ("hub.git", "author"):
            (self.folder / name).mkdir()
        self.git("init", "--quiet", "--bare", "--initial-branch=main", at="hub.git")
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("remote", "add", "origin", (self.folder / "hub.git").as_uri())
        self.commit(text)
        self.git("push", "--quiet", "origin", "main")

    def commit(self, text: str, name: str = "list.md") -> None:
        (self.folder / "author" / name).write_text(text, encoding="utf-8")
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", "Change the list")

    def propose(self, text: str, name: str = "list.md") -> None:
        """Gives pull request 7 the list as `text`, and merges it as GitHub does for its jobs."""
        self.git("checkout", "--quiet", "-B", "topic")
        self.commit(text, name)
        self.merge()

    def merge(self) -> None:
        """Merges pull request 7 into main as it is now, where its jobs find it."""
        self.git("checkout", "--quiet", "--detach", "main")
        self.git("merge", "--quiet", "--no-ff", "-m", "Merge", "topic")
        self.git("push", "--quiet", "--force", "origin", "topic", "HEAD:refs/pull/7/merge")
        self.git("checkout", "--quiet", "topic")

    def check_out(self, ref: str, *, depth: int = 1) -> Path:
        """Returns a folder with what `actions/checkout` leaves there."""
        folder = self.folder / f"job{len(list(self.folder.glob('job*')))}"
        folder.mkdir()
        own = ref.replace("refs/pull/", "refs/remotes/pull/").replace("refs/heads/", "refs/remotes/origin/")
        self.git("init", "--quiet", "--initial-branch=job", at=folder.name)
        self.git("remote", "add", "origin", (self.folder / "hub.git").as_uri(), at=folder.name)
        self.git("fetch", "--quiet", "--no-tags", f"--depth={depth}", "origin", f"+{ref}:{own}", at=folder.name)
        branch = ("-B", ref.removeprefix("refs/heads/")) if ref.startswith("refs/heads/") else ("--detach",)
        self.git("checkout", "--quiet", *branch, own, at=folder.name)
        return folder

    def action(self, ref: str) -> Action:
        """Returns the action as a job for `ref` sees it."""
        base = {"sha": self.git("rev-parse", "main").strip(), "ref": "main"}
        event = {"schedule": "0 5 * * 1"}
        if ref.startswith("refs/pull/"):
            event = {"pull_request": {"number": 7, "base": base}}
        (self.folder / "event.json").write_text(json.dumps(event), encoding="utf-8")
        temporary = self.folder / "temp"
        temporary.mkdir(exist_ok=True)
        if not (temporary / "paperlake").exists():  # what the step "Install paperlake" would have made
            (temporary / "paperlake").symlink_to(Path(sys.prefix), target_is_directory=True)
        values = {
            "github.token": self.api.token,
            "github.action_path": str(ROOT),
            "runner.temp": str(temporary),
            "steps.python.outputs.python-path": sys.executable,
        }
        environment = {
            **GIT,
            "GITHUB_EVENT_PATH": str(self.folder / "event.json"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
            "GITHUB_REPOSITORY": "ada/lists",
            "GITHUB_API_URL": self.api.url,
            "GITHUB_GRAPHQL_URL": f"{self.api.url}/graphql",
            "GITHUB_REF": ref,
            **self.environment,
        }
        return Action(ROOT / "action.yml", values=values, environment=environment)

    def check(
        self, *, depth: int = 1, ref: str = "refs/pull/7/merge", **inputs: str
    ) -> subprocess.CompletedProcess[str]:
        """Returns what the step that checks lists came to, on a new checkout."""
        given = {"lists": "list.md", "offline": "true", **inputs}
        return self.action(ref).run(self.check_out(ref, depth=depth), "Check the lists", **given)

    def fix(self, **inputs: str) -> subprocess.CompletedProcess[str]:
        """Returns what the step that proposes corrections came to, on a new checkout of main."""
        ref = "refs/heads/main"
        given = {"lists": "list.md", "task": "fix", **inputs}
        return self.action(ref).run(self.check_out(ref), "Propose corrections", **given)

    @property
    def summary(self) -> str:
        return (self.folder / "summary.md").read_text(encoding="utf-8")
