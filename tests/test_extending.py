"""The examples of docs/extending.md, followed: each diff is applied to a copy of the project, and its calls are run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
SECTIONS = {text.partition("\n")[0]: text for text in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]}
EXAMPLES = [name for name, text in SECTIONS.items() if "```diff" in text]
BEFORE = "- Deep Residual Learning for Image Recognition, He et al., 2016\n"


def _block(name: str, kind: str) -> str:
    (block,) = re.findall(rf"^```{kind}\n(.*?)^```", SECTIONS[name], re.MULTILINE | re.DOTALL)
    return block


class Copy:
    """A copy of the project in which commands run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("flows", "sources", "warehouse", "docs"):
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.png"))
        self._env = os.environ | {"PYTHONPATH": str(folder), "PAPERLAKE_LAKE": str(folder / "lake"), "COLUMNS": "120"}

    def run(self, command: str, **env: str) -> str:
        """Returns what a command line prints; `python` and `paperlake` are those of the copy."""
        shell = f'python() {{ "{sys.executable}" "$@"; }}; paperlake() {{ python -m flows "$@"; }}; {command}'
        done = subprocess.run(
            ["bash", "-c", shell], cwd=self.folder, env=self._env | env, capture_output=True, text=True, check=False
        )
        assert done.returncode in (0, 1), done.stderr
        return done.stdout + done.stderr

    def apply(self, name: str) -> None:
        """Applies the diff of a section, of which every line of context must be found."""
        call = ["git", "apply", "-p1", "-"]
        env = os.environ | {"GIT_CEILING_DIRECTORIES": str(self.folder.parent)}
        done = subprocess.run(
            call, cwd=self.folder, env=env, input=_block(name, "diff"), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_does_what_its_section_says(name: str, tmp_path: Path):
    copy = Copy(tmp_path)
    if name in ("A column, a table or a view", "A source"):  # a lake from before must get the column
        (tmp_path / "before.md").write_text(BEFORE, encoding="utf-8")
        copy.run("paperlake refresh before.md --offline")
    copy.apply(name)
    calls = re.findall(r"^    \$ (.*)$", SECTIONS[name], re.MULTILINE)
    *_, printed = [copy.run(call) for call in calls]
    for line in _block(name, "text").splitlines():
        assert line in printed
