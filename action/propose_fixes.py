"""Proposes corrections of lists in one pull request, from a branch of its own that is replaced each time.

Nothing is proposed where nothing is to be corrected, or where the same corrections were proposed before and the pull
request was closed. A branch on which somebody else has committed is left alone.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
from pathlib import Path

from github_api import GithubApi, Refused
from job import ActionError, Job, cut_lines, git, log, paperlake, say

BRANCH = "paperlake/fixes"
_NAME, _MAIL = "github-actions[bot]", "41898282+github-actions[bot]@users.noreply.github.com"
_TITLE = "Correct the reading lists"
_MOST_CHARACTERS = 60_000
_ABOUT = """\
Proposed by `paperlake fix`. Each change below has its evidence; take what you agree with. Nothing else was touched.
Close this pull request to refuse these changes: the same ones are not proposed again.
"""


def main() -> int:
    """Returns 0 where corrections were proposed or there are none, 2 where that was not possible."""
    try:
        return _propose(Job.of(os.environ))
    except Refused as refusal:
        log(str(refusal))
        say("error", "this needs the permissions `contents: write` and `pull-requests: write`, and the setting "
                     "\"Allow GitHub Actions to create and approve pull requests\"")  # fmt: skip
        return 2
    except ActionError as error:
        say("error", str(error))
        return 2


def _propose(job: Job) -> int:
    base = _base_branch(job)
    if git("status", "--porcelain", "--untracked-files=no").strip():
        raise ActionError("the checkout has changes already")
    codes = ["--only", job.inputs["codes"]] if job.inputs.get("codes") else []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "fixes.patch")
        done = paperlake(["fix", *codes, "--patch", str(file), "--", *job.lists])
        if done.returncode not in (0, 1):
            raise ActionError(f"paperlake fix ended with exit code {done.returncode}; the log above says why")
        patch = file.read_text(encoding="utf-8") if file.exists() else ""
        if not patch.strip():
            say("notice", "nothing to correct")
            return 0
        git("apply", "--whitespace=nowarn", str(file))
    diff = git("diff", "--no-ext-diff", "--no-textconv")
    mark = f"<!-- paperlake fixes {hashlib.sha256(diff.encode()).hexdigest()} -->"
    api = GithubApi(job)
    try:
        owner = job.repository.partition("/")[0]
        if any(_is_refused(each, mark) for each in api.pull_requests(owner, BRANCH, "closed")):
            say("notice", "the same corrections were proposed before, and the pull request was closed")
            return 0
        _push(base)
        body = f"{mark}\n{_ABOUT}\n{fenced(patch)}\n"
        _put_pull_request(api, owner, base, body)
    finally:
        api.close()
    return 0


def _base_branch(job: Job) -> str:
    if not job.ref.startswith("refs/heads/") or job.pull_request is not None:
        raise ActionError("corrections are proposed for a branch: run this on `schedule` or `workflow_dispatch`")
    return job.ref.removeprefix("refs/heads/")


def _is_refused(pull_request: dict, mark: str) -> bool:
    return not pull_request.get("merged_at") and str(pull_request.get("body") or "").startswith(mark)


def _push(base: str) -> None:
    """Puts the changes on the branch, one commit above `base`, in the place of what this action put there before.

    Raises:
        ActionError: Somebody else has committed there, or it cannot be pushed.
    """
    there = git("ls-remote", "origin", f"refs/heads/{BRANCH}").split()
    if there:
        git("fetch", "--quiet", "--no-tags", "--depth=1", "origin", there[0])
        if git("log", "-1", "--format=%ce", there[0]).strip() != _MAIL:
            raise ActionError(f"somebody has committed to the branch {BRANCH}; merge or delete it first")
    parent = git("rev-parse", "HEAD").strip()
    git("checkout", "--quiet", "-B", BRANCH)
    git("add", "--update")
    identity = ("-c", f"user.name={_NAME}", "-c", f"user.email={_MAIL}")
    git(*identity, "commit", "--quiet", "--no-verify", "-m", _TITLE)
    if not there or _content(there[0]) != (git("rev-parse", "HEAD^{tree}").strip(), parent):
        lease = f"--force-with-lease=refs/heads/{BRANCH}:{there[0] if there else ''}"
        git("push", "--quiet", lease, "origin", f"HEAD:refs/heads/{BRANCH}")
    git("checkout", "--quiet", base)


def _content(commit: str) -> tuple[str, str]:
    """Returns the tree of a commit and its first parent, also where that was not fetched."""
    lines = git("cat-file", "-p", commit).splitlines()
    facts = dict(line.split(" ", 1) for line in reversed(lines[: lines.index("")]) if " " in line)
    return facts.get("tree", ""), facts.get("parent", "")


def _put_pull_request(api: GithubApi, owner: str, base: str, body: str) -> None:
    standing = api.pull_requests(owner, BRANCH, "open")
    if standing:
        if (standing[0].get("body") or "").replace("\r\n", "\n").strip() != body.strip():
            api.change_pull_request(standing[0]["number"], body)
        say("notice", f"pull request {standing[0]['number']} is up to date")
        return
    number = api.open_pull_request({"title": _TITLE, "body": body, "head": BRANCH, "base": base})
    say("notice", f"pull request {number} is open")


def fenced(text: str) -> str:
    """Returns text as a block of code, whatever is in it."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}diff\n{cut_lines(text.rstrip().splitlines(), _MOST_CHARACTERS)}\n{fence}"


if __name__ == "__main__":
    sys.exit(main())
