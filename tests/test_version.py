"""`make version`: one command names a release's version in every file that does."""

from __future__ import annotations

import runpy
import shutil
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]


set_version = runpy.run_path(str(ROOT / ".ci" / "version.py"))["set_version"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("pyproject.toml", "CITATION.cff", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def test_every_file_names_the_new_version(root: Path):
    set_version(root, "9.0.0", "2030-01-02")
    with (root / "pyproject.toml").open("rb") as file:
        assert tomllib.load(file)["project"]["version"] == "9.0.0"
    cited = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    assert (cited["version"], str(cited["date-released"])) == ("9.0.0", "2030-01-02")
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    assert changes.index("## Unreleased\n\n## 9.0.0 (2030-01-02)\n\n### ") > 0
    with pytest.raises(ValueError, match="nothing under '## Unreleased'"):
        set_version(root, "9.1.0", "2030-01-03")


@pytest.mark.parametrize("version", ["", "9", "v9.0.0", "9.0.0rc1", "0.0.9"])
def test_what_is_no_newer_version_changes_nothing(root: Path, version: str):
    before = {path.name: path.read_bytes() for path in root.iterdir()}
    with pytest.raises(ValueError, match=r"no version|not newer"):
        set_version(root, version, "2030-01-02")
    assert {path.name: path.read_bytes() for path in root.iterdir()} == before
