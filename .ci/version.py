"""Makes the files of a release name its version: `make version VERSION=0.2.0`. Commits and publishes nothing."""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime
from pathlib import Path

_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")
_IN_PYPROJECT = re.compile(r'^version = "([^"]+)"$', re.MULTILINE)
_IN_CITATION = re.compile(r"^version: .*$(?:\ndate-released: .*$)?", re.MULTILINE)
_UNRELEASED = "## Unreleased\n"


def set_version(root: Path, version: str, day: str) -> None:
    """Writes the version into pyproject.toml and CITATION.cff, and makes what is unreleased in CHANGELOG.md its own.

    Raises:
        ValueError: It is no version, is not newer than the present one, or nothing has changed since that.
    """
    pyproject, citation, changelog = (root / name for name in ("pyproject.toml", "CITATION.cff", "CHANGELOG.md"))
    project, changes = pyproject.read_text(encoding="utf-8"), changelog.read_text(encoding="utf-8")
    found = _IN_PYPROJECT.search(project)
    if found is None:
        raise ValueError(f"{pyproject} names no version")
    if _numbers(version) <= _numbers(found[1]):
        raise ValueError(f"{version} is not newer than {found[1]}")
    _, _, unreleased = changes.partition(_UNRELEASED)
    if not unreleased.partition("\n## ")[0].strip():
        raise ValueError(f"{changelog} has nothing under {_UNRELEASED.strip()!r}")
    pyproject.write_text(_IN_PYPROJECT.sub(f'version = "{version}"', project, count=1), encoding="utf-8")
    cited = _IN_CITATION.sub(f"version: {version}\ndate-released: {day}", citation.read_text(encoding="utf-8"), count=1)
    citation.write_text(cited, encoding="utf-8")
    changelog.write_text(changes.replace(_UNRELEASED, f"{_UNRELEASED}\n## {version} ({day})\n", 1), encoding="utf-8")


def _numbers(version: str) -> tuple[int, ...]:
    match = _VERSION.fullmatch(version)
    if match is None:
        raise ValueError(f"{version!r} is no version such as 0.2.0")
    return tuple(map(int, match.groups()))


if __name__ == "__main__":
    try:
        set_version(Path(__file__).resolve().parents[1], "".join(sys.argv[1:]), f"{datetime.now(UTC):%Y-%m-%d}")
    except ValueError as error:
        sys.exit(f"version: {error}")
    sys.stdout.write("now commit, land, and make the release on GitHub: CONTRIBUTING.md, Releases\n")
