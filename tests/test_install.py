"""paperlake as people install it: the wheel without a clone, `paperlake init`, the container, the release."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from flows.cli import app
from flows.settings import read_settings
from sources.errors import UsageError

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PACKAGES = ("flows", "sources", "warehouse")
LIST = "# Papers\n\n- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n- Mixed Precision Training, ICLR 2018\n"


# the wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel that `python -m build` makes of the source distribution that it made before."""
    pytest.importorskip("build", reason="build is not installed")
    folder = tmp_path_factory.mktemp("source")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder / "dist", folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = (folder / "dist").glob("*.whl")
    return made


@pytest.mark.slow
def test_the_wheel_holds_every_file_of_the_packages_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    there = {
        path.relative_to(ROOT).as_posix()
        for name in PACKAGES
        for path in (ROOT / name).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert packed == there


@pytest.mark.slow
def test_the_wheel_works_in_an_environment_of_its_own_in_an_empty_folder(wheel, tmp_path):
    """Its dependencies are those of this environment: a test has no index to install them from."""
    venv, folder = tmp_path / "venv", tmp_path / "work"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    site = next(venv.glob("lib/python*/site-packages"))
    pip = [sys.executable, "-m", "pip", "--python", venv / "bin" / "python", "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", wheel], check=True)
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    folder.mkdir()
    (folder / "list.md").write_text(LIST, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def run(*arguments: str, code: int = 0) -> str:
        command = [venv / "bin" / "paperlake", *arguments]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        return done.stdout

    where = subprocess.run([venv / "bin" / "python", "-c", "import flows; print(flows.__file__)"], cwd=folder,
                           env=environment, capture_output=True, text=True, check=True).stdout  # fmt: skip
    assert where.startswith(str(site))
    assert run("--version") == f"paperlake {PROJECT['version']}\n"
    assert [row["title"] for row in json.loads(run("parse", "list.md", "--json"))] == [
        "Fast R-CNN", "Mixed Precision Training",
    ]  # fmt: skip
    run("mirror", "import", "arxiv", "--part", str(ROOT / "examples" / "starter" / "arxiv-starter.jsonl"))
    run("refresh", "list.md", "--offline")
    assert json.loads(run("sql", "select resolved from coverage", "--json")) == [{"resolved": 2}]
    run("dashboard")
    assert "Fast R-CNN" in (folder / "dashboard" / "catalogue.csv").read_text(encoding="utf-8")
    assert "</html>" in (folder / "dashboard" / "index.html").read_text(encoding="utf-8")
    run("check", "list.md", "--offline")
    assert "written: paperlake.toml" in run("init", "list.md")


def test_the_versions_of_python_are_the_same_everywhere():
    versions = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    nightly = yaml.safe_load((ROOT / ".github" / "workflows" / "nightly.yml").read_text(encoding="utf-8"))
    assert versions == ["3.11", "3.12", "3.13", "3.14"] == nightly["jobs"]["nightly"]["strategy"]["matrix"]["python"]
    assert PROJECT["requires-python"] == f">={versions[0]}"


# `paperlake init`


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A git repository with lists."""
    folder = tmp_path / "it's 100 % mine"
    (folder / "notes").mkdir(parents=True)
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    for name in ("to read.md", "notes/a.md"):
        (folder / name).write_text(LIST, encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


def paperlake(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == code, done.output
    return done.stdout


def test_init_writes_four_files_that_their_readers_understand(folder: Path):
    told = json.loads(paperlake("init", "to read.md", "notes", "--json"))
    names = ["paperlake.toml", "paperlake.service", ".github/workflows/lists.yml", ".pre-commit-config.yaml"]
    assert (told["written"], told["left"]) == (names, [])
    toml, unit, workflow, hooks = ((folder / name).read_text(encoding="utf-8") for name in names)
    assert tomllib.loads(toml) == {"lists": ["to read.md", "notes"], "lake": "lake"}
    assert read_settings().lists == ("to read.md", "notes")
    example = yaml.safe_load((ROOT / "examples" / "github-actions" / "lists.yml").read_text(encoding="utf-8"))
    jobs = yaml.safe_load(workflow)["jobs"]
    assert [job["steps"][-1]["with"].pop("lists") for job in jobs.values()] == ["to read.md\nnotes\n"] * 2
    for job in example["jobs"].values():
        del job["steps"][-1]["with"]["lists"]
    assert jobs == example["jobs"]
    (hook,) = yaml.safe_load(hooks)["repos"][0]["hooks"]
    wanted = {"to read.md": True, "notes/a.md": True, "notes/b.txt": False, "read.md": False, "x/to read.md": False}
    assert {name: bool(re.search(hook["files"], name)) for name in wanted} == wanted
    paperlake(*hook["entry"].split()[1:2], "--offline", "to read.md")
    assert f"WorkingDirectory={str(folder).replace('%', '%%')}\n" in unit
    paperlake("refresh", "--offline", code=1)  # the lists of paperlake.toml; nobody was asked


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_takes_the_unit(folder: Path):
    paperlake("init", "to read.md")
    text = (folder / "paperlake.service").read_text(encoding="utf-8")
    copy = folder.parent / "paperlake.service"
    copy.write_text(text.replace('ExecStart="paperlake"', f'ExecStart="{sys.executable}"'), encoding="utf-8")
    done = subprocess.run(["systemd-analyze", "--user", "verify", copy], capture_output=True, text=True, check=False)
    assert [line for line in done.stderr.splitlines() if "paperlake.service" in line] == []


def test_init_overwrites_nothing(folder: Path):
    for name in ("paperlake.toml", ".pre-commit-config.yaml"):
        (folder / name).write_text("mine\n", encoding="utf-8")
    (folder / "paperlake.service").symlink_to("elsewhere")
    assert paperlake("init", "to read.md").count("left as it is") == 3
    assert not (folder / "elsewhere").exists()
    assert (folder / "paperlake.toml").read_text(encoding="utf-8") == "mine\n"


@pytest.mark.parametrize("name", ["absent.md", "-", "a\x1b[1m.md"])
def test_init_refuses_what_is_no_list_and_writes_nothing(folder: Path, name: str):
    before = sorted(folder.iterdir())
    with pytest.raises(UsageError):
        CliRunner().invoke(app, ["init", name], catch_exceptions=False)
    assert sorted(folder.iterdir()) == before


def test_init_beside_no_repository_leaves_the_workflow_out(folder: Path):
    shutil.rmtree(folder / ".git")
    assert "no workflow and no hook" in paperlake("init", "to read.md")
    assert not (folder / ".github").exists()


# the container and the release: what their files say; `make image` builds the one, nothing publishes the other


def test_the_containerfile_copies_what_the_wheel_needs_and_runs_as_no_root():
    lines = re.sub(r"\\\n\s*", "", (ROOT / "Containerfile").read_text(encoding="utf-8")).splitlines()
    steps = [line.split(maxsplit=1) for line in lines if line and not line.startswith("#")]
    copied = [word for name, rest in steps if name == "COPY" for word in rest.split()[:-1]]
    assert [name for name in copied if not (ROOT / name).exists()] == []
    assert set(copied) >= {*PACKAGES, "pyproject.toml", "README.md", "LICENSE", "constraints.txt"}
    told = dict(steps)
    assert told["FROM"].endswith("python:3.12-slim")
    assert told["USER"] == "1000:1000"
    assert json.loads(told["ENTRYPOINT"])[0] in PROJECT["scripts"]
    extras = re.findall(r"/src\[([\w,]+)\]", told["RUN"])[0].split(",")
    assert set(extras) <= PROJECT["optional-dependencies"].keys()
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))["jobs"]
    assert "docker build --file Containerfile" in json.dumps(jobs)


def test_ci_says_why_it_builds_no_image(tmp_path: Path):
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("bash", "dirname", "id"):
        (tools / name).symlink_to(shutil.which(name) or name)
    command = [tools / "bash", ROOT / ".ci" / "image.sh"]
    done = subprocess.run(command, env={"PATH": str(tools)}, capture_output=True, text=True, check=True)
    assert done.stdout == "no image built: that needs root, buildah and mmdebstrap\n"


def test_a_release_is_made_by_a_person_and_published_without_a_stored_secret():
    release = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))
    assert release[True] == {"release": {"types": ["published"]}}  # YAML reads `on` as true
    assert release["permissions"] == {"contents": "read"}
    publish = release["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["environment"]["name"] == "pypi"
    assert "secrets." not in json.dumps(release, default=str)
    (check,) = [step for step in release["jobs"]["build"]["steps"] if step.get("name") == "The tag names the version"]
    for tag, code in ((f"v{PROJECT['version']}", 0), ("v999", 1)):
        command = ["bash", "-e", "-c", check["run"].replace("python ", f"{sys.executable} ", 1)]
        done = subprocess.run(command, cwd=ROOT, env={**os.environ, "TAG": tag}, capture_output=True, check=False)
        assert done.returncode == code
