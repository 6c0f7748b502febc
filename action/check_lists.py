"""Checks lists: annotations beside the lines, one comment on the pull request, and the job's summary.

The comment is written once and then kept up to date. Where there is nothing to say and no comment yet, none is written.
Pull requests from forks have a token that may not comment: then the summary has the findings, and nothing fails.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from github_api import GithubApi, Refused
from job import ActionError, Job, cut_lines, git, log, paperlake, say

MARK = "<!-- paperlake check -->"
_JOBS_AUTHOR = "github-actions[bot]"
"""The login of a job's own token."""
_MOST_CHARACTERS = 65_000
"""GitHub takes 65,536: https://docs.github.com/rest/issues/comments ."""


def main() -> int:
    """Returns the exit code of the check: 1 for errors in the lists."""
    try:
        return _check(Job.of(os.environ))
    except ActionError as error:
        say("error", str(error))
        return 2


def _check(job: Job) -> int:
    with tempfile.TemporaryDirectory() as folder:
        comment = Path(folder, "comment.md")
        done = paperlake(_arguments(job, comment))
        sys.stdout.write(done.stdout)
        sys.stdout.flush()
        if done.returncode not in (0, 1) or not comment.exists():
            raise ActionError(f"paperlake check ended with exit code {done.returncode}; the log above says why")
        _publish(job, comment.read_text(encoding="utf-8"))
    return done.returncode


def _arguments(job: Job, comment: Path) -> list[str]:
    ref = base_of(job)
    options = ["--format", "github", "--save", str(comment)]
    options += ["--changed", ref] if ref else []
    options += ["--strict"] if job.is_on("strict") else []
    options += ["--offline"] if job.is_on("offline") else []
    return ["check", *options, "--", *job.lists]


def base_of(job: Job) -> str | None:
    """Returns the commit that the changed lines are told from; None where all lines are to be checked.

    GitHub checks out a pull request merged into its base: the first parent is the base as it is now. A checkout of
    depth 1 has no parents, so that one more commit is fetched.

    Raises:
        ActionError: The base cannot be had.
    """
    if job.inputs.get("changed"):
        return job.inputs["changed"]
    if job.pull_request is None:
        return None
    raw = git("cat-file", "-p", "HEAD").partition("\n\n")[0]
    parents = [line.removeprefix("parent ") for line in raw.splitlines() if line.startswith("parent ")]
    base = parents[0] if len(parents) == 2 else str(job.event["pull_request"]["base"]["sha"])
    if not git("rev-parse", "--verify", "--quiet", f"{base}^{{commit}}", check=False):
        git("fetch", "--quiet", "--no-tags", "--deepen=1", "origin", job.ref, check=False)
    if not git("merge-base", base, "HEAD", check=False):
        raise ActionError("the pull request's base is not in the checkout: give actions/checkout `fetch-depth: 0`")
    return base


def _publish(job: Job, findings: str) -> None:
    body = f"{MARK}\n{cut_lines(findings.rstrip().splitlines(), _MOST_CHARACTERS)}\n"
    job.summarise(body)
    if job.pull_request is None or not job.is_on("comment"):
        return
    try:
        write_comment(job, job.pull_request, body, is_empty="no findings" in findings.partition("\n")[0])
    except Refused as refusal:
        log(str(refusal))
        say("notice", "the findings are in the job's summary: this token may not comment, as that of a fork may not")
    except ActionError as error:
        say("warning", f"the findings are in the job's summary, as the comment could not be written: {error}")


def write_comment(job: Job, number: int, body: str, *, is_empty: bool) -> None:
    """Brings the comment on a pull request up to date; writes one where there is none and something to say.

    Raises:
        Refused: The token may not.
        ActionError: GitHub could not be asked.
    """
    api = GithubApi(job)
    try:
        marked = [each for each in api.comments(number) if str(each.get("body", "")).startswith(MARK)]
        author = (
            (api.viewer() or _JOBS_AUTHOR) if marked else None
        )  # the mark alone proves nothing: anybody can write it
        own = [each for each in marked if (each.get("user") or {}).get("login") == author]
        if own:
            if own[0]["body"].replace("\r\n", "\n").strip() != body.strip():
                api.change_comment(own[0]["id"], body)
        elif not is_empty:
            api.add_comment(number, body)
    finally:
        api.close()


if __name__ == "__main__":
    sys.exit(main())
