"""`paperlake init`: writes the files that keep a list in order by themselves, where there are none."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from flows.commands.shared import Json, report
from sources.errors import UsageError
from sources.text import shown

_PLACE_OF_LISTS = "            README.md\n"  # in the workflow, which is the example to copy as well


def init(
    lists: Annotated[list[str], typer.Argument(metavar="LIST...", help="Lists in this folder, or addresses of lists.")],
    as_json: Json = False,
) -> None:
    """Writes what keeps lists in order by themselves: settings, a schedule, and checks on GitHub and before commits.

    The files are `paperlake.toml`, `paperlake.service` for systemd and, in a git repository with the lists,
    `.github/workflows/lists.yml` and `.pre-commit-config.yaml`. It asks nothing and says what it wrote. A file that is
    there already stays as it is. Run it in the folder of the lists.

    Example: `paperlake init README.md`
    """
    local = _local(lists)
    written, left = [], []
    for name, text, next_step in _files(lists, local):
        path = Path(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as target:
                target.write(text)
        except FileExistsError:
            left.append(name)
        except OSError as error:
            raise UsageError(f"cannot write {path}: {error.strerror or error}") from error
        else:
            written.append((name, next_step))
    place, program = shlex.quote(str(Path.cwd())), shlex.quote(_program())
    crontab = f"0 6 * * *  cd {place} && {program} refresh --json >> refresh.jsonl"
    lines = [f"written: {name}; {next_step}" for name, next_step in written]
    lines += [f"left as it is: {name}, which is there already" for name in left]
    if not _in_repository(local):
        lines.append("no workflow and no hook: they belong in the folder of a git repository that has the lists")
    lines += ["with cron in the place of systemd:", f"  {crontab}", "next: paperlake refresh"]
    values = {"written": [name for name, _ in written], "left": left, "crontab": crontab}
    report(values, map(shown, lines), as_json=as_json)


def _local(lists: Sequence[str]) -> list[str]:
    """Returns the lists in files, as paths from here with slashes."""
    from sources.lists.local_files import find_list_files

    local = []
    for item in lists:
        if item == "-" or shown(item) != item:
            raise UsageError(f"{shown(item)} cannot be read again at each run: name a file, a folder or an address")
        if not re.match(r"https?://|github:", item):
            find_list_files(item, shown=shown(item))
            local.append(Path(item).as_posix())
    return local


def _in_repository(local: Sequence[str]) -> bool:
    inside = [item for item in local if not Path(item).is_absolute() and ".." not in Path(item).parts]
    return bool(inside) and inside == [*local] and Path(".git").exists()


def _files(lists: Sequence[str], local: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yields each file with its text and what a person has to do with it."""
    named = ", ".join(json.dumps(item, ensure_ascii=False) for item in lists)
    settings = f'lists = [{named}]\nlake = "lake"\n'
    yield ("paperlake.toml", settings, "`paperlake refresh` and the others take lists and lake from it")
    folder = str(Path.cwd()).replace("%", "%%")
    program = json.dumps(_program().replace("%", "%%"), ensure_ascii=False)
    unit = _template("paperlake.service").format(
        unit=shlex.quote(str(Path.cwd() / "paperlake.service")), folder=folder, program=program
    )
    yield ("paperlake.service", unit, "its first lines say how to start it")
    if not _in_repository(local):
        return
    workflow = _template("lists.yml").replace(_PLACE_OF_LISTS, "".join(f"            {item}\n" for item in local))
    yield (
        ".github/workflows/lists.yml",
        workflow,
        "put paperlake's repository and a revision in the place of OWNER and REVISION, then commit it",
    )
    patterns = []
    for item in local:
        if Path(item).is_file():
            patterns.append(f"{re.escape(item)}$")
            continue
        # The Markdown files in a folder, or those that a glob may name.
        below = item if Path(item).is_dir() else item.split("*", maxsplit=1)[0].rpartition("/")[0]
        patterns.append(rf"{re.escape(below)}/.*\.md$" if below not in ("", ".") else r".*\.md$")
    hook = _template("pre-commit-config.yaml").format(files=json.dumps(f"^({'|'.join(patterns)})", ensure_ascii=False))
    yield (".pre-commit-config.yaml", hook, "`pre-commit install` turns it on")


def _template(name: str) -> str:
    return resources.files("flows").joinpath("templates", name).read_text(encoding="utf-8")


def _program() -> str:
    """Returns the program that runs now, by its whole path, as cron and systemd need it."""
    return str(Path(sys.argv[0]).absolute()) if Path(sys.argv[0]).name == "paperlake" else "paperlake"
