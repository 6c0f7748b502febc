"""What the action and the pre-commit hooks install: that it is enough, and that it is little."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

from standins.github.job import Action
from standins.github.repository import ROOT, Repository
from tests.action.conftest import ADDED, LIST

HEAVY = {"altair", "apprise", "fastapi", "jinja2", "numpy", "pandas", "prefect", "sqlalchemy", "uvicorn",
         "vl-convert-python"}  # fmt: skip
ALONE = """
import sys
from importlib.machinery import PathFinder
from importlib.metadata import packages_distributions

allowed = set(sys.argv.pop(1).split(","))
owners = packages_distributions()


class Missing:
    def find_spec(name, path=None, target=None):
        own = owners.get(name.partition(".")[0])
        if own and not any(each.lower().replace("_", "-") in allowed for each in own):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Missing)
from flows.cli import main

main()
"""
"""Runs paperlake as if nothing else were installed."""


def names_of(file: str) -> list[str]:
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def alone(file: str, folder: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Returns what paperlake comes to where only what `file` names is installed."""
    allowed = ",".join([*names_of(file), "paperlake"])
    command = [sys.executable, "-c", ALONE, allowed, *arguments]
    environment = {**os.environ, **env, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "list.md").write_text(LIST + ADDED, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("file", ["requirements-check.txt", "requirements-check-offline.txt"])
def test_a_light_install_names_known_versions_and_nothing_heavy(file):
    names = names_of(file)
    versions = {line.partition("==")[0].lower().replace("_", "-") for line in names_of("constraints.txt")}
    assert names == sorted(set(names))
    assert set(names) <= versions
    assert not set(names) & HEAVY


@pytest.mark.slow
def test_the_text_is_checked_with_the_lightest_install_and_what_that_lacks_is_said_in_one_line(folder):
    done = alone("requirements-check-offline.txt", folder, "check", "--offline", "list.md", PAPERLAKE_MAX_AGE="2d")
    assert (done.returncode, done.stderr) == (1, "")
    assert "malformed-arxiv-id" in done.stdout
    done = alone("requirements-check-offline.txt", folder, "check", "list.md")
    assert done.returncode == 2
    assert re.fullmatch(
        r"paperlake: this needs \w+, which a light install lacks; install all of paperlake\n", done.stderr
    )


@pytest.mark.slow
def test_papers_are_looked_up_with_a_light_install(folder, standins):
    env = standins.env(openalex=True)
    fixed = alone("requirements-check.txt", folder, "fix", "--no-links", "--annotate", "bibtex", "list.md", **env)
    assert (fixed.returncode, "Traceback" in fixed.stderr) == (0, False)
    done = alone("requirements-check.txt", folder, "check", "--no-links", "list.md", **env)
    assert (done.returncode, done.stderr) == (1, "")
    assert "malformed-arxiv-id" in done.stdout
    assert "nobody was asked" not in done.stdout
    assert standins.requests("arxiv")
    assert standins.requests("s2")


def wheel(folder: Path, name: str, version: str) -> None:
    """Writes a wheel with nothing in it."""
    stem = f"{name.replace('-', '_')}-{version}"
    info = f"{stem}.dist-info"
    with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as file:
        file.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{info}/RECORD", "")


BACKEND = """
import pathlib, shutil


def build_wheel(folder, config_settings=None, metadata_directory=None):
    made = pathlib.Path("own").glob("*.whl")
    return shutil.copy(next(made), folder).rpartition("/")[2]
"""


@pytest.mark.slow
def test_the_install_step_takes_the_versions_of_the_constraints_and_no_dependency(tmp_path):
    """Every package is a wheel without content, as tests have no network; pip and the script are the real ones."""
    versions = dict(line.split("==") for line in names_of("constraints.txt"))
    by_name = {name.lower().replace("_", "-"): version for name, version in versions.items()}
    wheels, action = tmp_path / "wheels", tmp_path / "action"
    for made in (wheels, action / "action", action / "own"):
        made.mkdir(parents=True)
    for name in names_of("requirements-check.txt"):
        wheel(wheels, name, by_name[name])
        wheel(wheels, name, "999")
    wheel(action / "own", "paperlake", "0.1.0")
    for name in ("action/install.sh", "constraints.txt", "requirements-check.txt", "action.yml"):
        shutil.copy(ROOT / name, action / name)
    (action / "backend.py").write_text(BACKEND, encoding="utf-8")
    (action / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
        '[project]\nname = "paperlake"\nversion = "0.1.0"\ndependencies = ["prefect"]\n', encoding="utf-8"
    )  # fmt: skip
    values = {"github.action_path": str(action), "runner.temp": str(tmp_path / "temp dir"), "github.token": "",
              "steps.python.outputs.python-path": sys.executable}  # fmt: skip
    for name in ("venv", "pip", "ensurepip", "subprocess", "sitecustomize", "zipfile", "pathlib"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a module of the checkout is run')\n", encoding="utf-8")
    environment = {"PYTHONPATH": f".{os.pathsep}", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": wheels.as_uri()}
    step = Action(action / "action.yml", values=values, environment={**environment, "PIP_CONFIG_FILE": os.devnull})
    done = step.run(tmp_path, "Install paperlake", lists="list.md")
    assert done.returncode == 0, done.stderr
    python = tmp_path / "temp dir" / "paperlake" / "bin" / "python"
    listed = subprocess.check_output([python, "-m", "pip", "list", "--format=freeze"], text=True)
    installed = dict(line.lower().replace("_", "-").split("==") for line in listed.splitlines())
    expected = {name: by_name[name] for name in names_of("requirements-check.txt")} | {"paperlake": "0.1.0"}
    assert {name: version for name, version in installed.items() if name not in ("pip", "setuptools")} == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    "hook", yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")), ids=lambda hook: hook["id"]
)
def test_a_hook_checks_the_lines_of_the_commit_and_no_others(hook, repository: Repository):
    """What pre-commit does: it starts the entry with the arguments and the names of the staged files."""
    author = repository.folder / "author"
    program = Path(sys.executable).parent / hook["entry"].split()[0]
    command = [str(program), *hook["entry"].split()[1:], *hook["args"], "list.md"]

    assert subprocess.run(command, cwd=author, check=False).returncode == 0
    (author / "list.md").write_text(LIST + ADDED, encoding="utf-8")
    repository.git("add", "list.md")
    done = subprocess.run(command, cwd=author, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert sorted(re.findall(r":(\d+):\d+: (?:error|warning) ", done.stdout, re.MULTILINE)) == ["5", "6"]
