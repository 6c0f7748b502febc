"""The way of a pull request: a list, a change with faults, its correction, and the weekly corrections of the rest.

    python -m standins.trials.pull_request > docs/pull-request.md

The action's steps are those of `action.yml`, and all that is printed is what they print; GitHub and the services are
stand-ins. Nothing in it depends on the day or the machine.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from standins import StandIns
from standins.github.api import GithubStandIn
from standins.github.repository import Repository

LIST = """\
# Deep learning

## Vision

- [Fast R-CNN](http://arxiv.org/abs/1504.08083), ICCV 2015
- [Going Deeper with Convolutoins](https://arxiv.org/abs/1409.4842), CVPR 2015
- [You Only Look Once: Unified, Real-Time Object Detection](https://arxiv.org/abs/1506.02640), CVPR 2016

## Language

- [Attention Is All You Need](https://arxiv.org/abs/1706.03762), NeurIPS 2017
- [Language Models are Few-Shot Learners](), NeurIPS 2020
"""
NEW = """\
- [Deep contextualized word representations](https://arxiv.org/abs/1810.04805), ICLR 2018
- [Attention Is All You Need](https://arxiv.org/abs/1706.03762v5), NeurIPS 2017
- [Neural Machine Translation of Rare Words with Subword Units](https://arxiv.org/abs/1580.07909), 2015
"""
CORRECTED = """\
- [Deep contextualized word representations](https://arxiv.org/abs/1802.05365), ICLR 2018
- [Neural Machine Translation of Rare Words with Subword Units](https://arxiv.org/abs/1508.07909), 2015
"""
_MARKS = re.compile(r"\b[0-9a-f]{32,64}\b")
_TEMPORARY = re.compile(r"/\S*/(?=fixes\.patch)")
_ABOUT = """\
# The way of a pull request

What a list's owner and a contributor see, from the first commit to the weekly corrections. This page is the record of
a test: it was printed by `python -m standins.trials.pull_request`, with the steps of `action.yml` on a repository on
this machine. GitHub's API and the services are stand-ins. [docs/ci.md](ci.md) says how to set it up.
"""


def record(folder: Path, services: dict[str, str]) -> Iterator[str]:
    """Yields the page in parts; `services` is the environment that leads paperlake to the stand-ins."""
    with GithubStandIn() as api:
        repository = Repository(folder, api, environment=services)
        repository.start(LIST)
        yield _ABOUT
        yield f"## 1. The list\n\n{block(LIST, 'markdown')}\n"
        yield "## 2. A pull request adds three entries\n"
        yield from _pull_request(repository, LIST + NEW, NEW)
        yield "## 3. The contributor mends them\n"
        yield from _pull_request(repository, LIST + CORRECTED, CORRECTED)
        repository.git("checkout", "--quiet", "main")
        repository.git("merge", "--quiet", "--ff-only", "topic")
        repository.git("push", "--quiet", "origin", "main")
        yield "## 4. A week later\n\nThe pull request was merged. The weekly job looks at the whole list.\n"
        yield from _weekly(repository)
        repository.git("fetch", "--quiet", "origin", "paperlake/fixes")
        repository.git("merge", "--quiet", "--ff-only", "FETCH_HEAD")
        repository.git("push", "--quiet", "origin", "main")
        api.pulls[0].update(state="closed", merged_at="2026-11-24T05:23:00Z")
        yield "## 5. And after that\n\nThe owner merged it. The next job finds nothing more.\n"
        yield from _weekly(repository)


def _pull_request(repository: Repository, text: str, added: str) -> Iterator[str]:
    repository.propose(text)
    seen = len(repository.api.written)
    done = repository.check(offline="false")
    yield f"{block(''.join(f'+{line}' for line in added.splitlines(keepends=True)), 'diff')}\n"
    yield ended(done)
    did = {"POST": "writes this comment", "PATCH": "brings its comment up to date"}
    for method in repository.api.written[seen:]:
        yield f"It {did[method]}:\n\n{block(repository.api.comments[-1]['body'], 'markdown')}\n"


def _weekly(repository: Repository) -> Iterator[str]:
    standing = len(repository.api.pulls)
    done = repository.fix()
    yield ended(done)
    if len(repository.api.pulls) > standing:
        pull = repository.api.pulls[0]
        yield f'It opens "{pull["title"]}", from `{pull["head"]}` into `{pull["base"]}`:\n'
        yield f"{block(plain(pull['body']), 'markdown')}\n"


def ended(done: subprocess.CompletedProcess[str]) -> str:
    """Returns how a job ended, and what it printed."""
    if not done.stdout.strip():
        return f"The job ends with exit code {done.returncode} and prints nothing.\n"
    return f"The job ends with exit code {done.returncode} and prints:\n\n{block(plain(done.stdout), 'text')}\n"


def plain(text: str) -> str:
    """Returns text without what differs from one run to the next."""
    return _TEMPORARY.sub("", _MARKS.sub("...", text))


def block(text: str, kind: str) -> str:
    """Returns text as a block of code."""
    fence = "`" * max(4, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}{kind}\n{text.rstrip()}\n{fence}"


def main() -> None:
    """Prints the page."""
    for name in [name for name in os.environ if name.startswith(("PAPERLAKE_", "INPUT_", "GITHUB_"))]:
        del os.environ[name]
    with tempfile.TemporaryDirectory() as folder, StandIns() as standins:
        cache = {"XDG_CACHE_HOME": str(Path(folder, "cache"))}
        for part in record(Path(folder), {**standins.env(openalex=True), **cache}):
            sys.stdout.write(part + "\n")


if __name__ == "__main__":
    main()
