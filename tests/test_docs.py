"""README and docs say what the code does: the generated page is current, and what the pages name exists."""

from __future__ import annotations

import json
import re
import shlex
from itertools import takewhile
from pathlib import Path

import typer

from flows.cli import app
from flows.settings import Settings
from warehouse.dictionary import dictionary
from warehouse.lake.migrations import view_files

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "CHANGELOG.md",
        *sorted((ROOT / "docs").glob("*.md")),
    )
}
GENERATED = ("docs/tables.md", "docs/pull-request.md")
COMMAND = typer.main.get_command(app)
CODE = re.compile(r"^ {4}(.*)$|`([^`\n]+)`", re.MULTILINE)


def calls(program: str) -> list[tuple[str, str]]:
    """Returns page and arguments of each call of `program`; what follows a comment, pipe or redirection is left out."""
    start = re.compile(rf"(?:\$ )?(?:[A-Z_]+=\S+ )*(?:.*(?:&&|;) (?:\S*/)?)?{re.escape(program)} (?=\S)(.*)")
    snippets = [(page, "".join(match.groups(""))) for page, text in PAGES.items() for match in CODE.finditer(text)]
    found = {(page, call[1].split(" # ")[0].strip()) for page, text in snippets if (call := start.fullmatch(text))}
    assert found
    return sorted(found)


def words_of(call: str) -> list[str]:
    return list(takewhile(lambda word: word[0] not in "#>|;", shlex.split(call)))


def anchors(text: str) -> set[str]:
    """Returns the anchors that GitHub gives the headings of `text`."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_page_of_tables_is_the_generated_one():
    assert PAGES["docs/tables.md"] == dictionary(), "run `python -m warehouse.dictionary > docs/tables.md`"


def test_the_readme_has_at_most_200_lines_and_no_page_has_lines_too_long_to_read():
    assert len(README.splitlines()) <= 200
    prose = [
        (page, line)
        for page, text in PAGES.items()
        for line in text.splitlines()
        if len(line) > 132 and not line.lstrip().startswith("|") and page not in GENERATED
    ]
    assert prose == []


def test_every_command_is_in_the_readme():
    commands = COMMAND.commands  # type: ignore[attr-defined]
    assert [command for command in commands if f"paperlake {command}" not in README] == []


def test_every_setting_is_in_the_readme():
    keys = {"s2_api_key": "SEMANTIC_SCHOLAR_API_KEY", "openalex_api_key": "OPENALEX_API_KEY"}
    names = [keys.get(setting, f"PAPERLAKE_{setting.upper()}") for setting in Settings.model_fields]
    assert [name for name in names if f"`{name}`" not in README] == []


def leads_somewhere(page: str, target: str) -> bool:
    name, _, anchor = target.partition("#")
    path = ((ROOT / page).parent / name).resolve() if name else ROOT / page
    is_there = path.exists() and (path.is_dir() or path.stat().st_size > 0)
    return is_there and (not anchor or anchor in anchors(path.read_text(encoding="utf-8")))


def test_every_link_leads_to_a_file_and_heading_that_exist():
    found = {(page, target) for page, text in PAGES.items() for target in re.findall(r"\]\(([^)\s]+)\)", text)}
    links = sorted((page, target) for page, target in found if "://" not in target)
    assert len(links) > 30
    assert [(page, target) for page, target in links if not leads_somewhere(page, target)] == []


def test_every_page_of_the_docs_is_linked_from_the_readme():
    assert [page for page in PAGES if page.startswith("docs/") and f"({page})" not in README] == []


def unknown_words(call: str) -> set[str]:
    """Returns what a call of `paperlake` names that does not exist: the command, or its options."""
    words = words_of(call)
    command = COMMAND
    while words and words[0] in getattr(command, "commands", {}):
        command = command.commands[words.pop(0)]
    if command is COMMAND and words != ["--help"]:
        return set(words[:1])
    options = {"--help", *(name for parameter in command.params for name in parameter.opts)}
    return {word for word in words if re.match(r"--?[a-z]", word)} - options


def test_every_call_in_the_docs_names_commands_and_options_that_exist():
    added = set(re.findall(r"^\+def (\w+)\(", PAGES["docs/extending.md"], re.MULTILINE))  # by an example
    found = [
        (page, call, unknown_words(call))
        for page, call in calls("paperlake")
        if page != "docs/extending.md" or words_of(call)[0] not in added
    ]
    assert [fault for fault in found if fault[2]] == []


def test_every_module_that_the_docs_run_exists():
    modules = {words_of(call)[0] for _, call in calls("python -m")} - {"build", "pytest"}
    paths = {module: ROOT.joinpath(*module.split(".")) for module in modules}
    there = {module for module, path in paths.items() if path.with_suffix(".py").is_file()}
    assert modules - there - {module for module, path in paths.items() if (path / "__main__.py").is_file()} == set()


def test_every_target_that_the_docs_make_exists():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert {words_of(call)[0] for _, call in calls("make")} - targets == set()


def test_every_file_that_the_docs_name_by_its_path_exists():
    folders = "flows|sources|warehouse|tests|examples|benchmarks"
    for page in ("docs/architecture.md", "docs/operations.md", "docs/extending.md"):
        paths = [path for path in re.findall(rf"`((?:{folders})/[\w./-]+)`", PAGES[page]) if "NAME" not in path]
        assert paths, page
        assert [path for path in paths if not (ROOT / path).exists()] == [], page


def test_the_page_of_accuracy_gives_the_figures_of_the_weights_in_the_package():
    manifest = ROOT / "sources" / "lists" / "reading" / "data" / "manifest.json"
    micro = json.loads(manifest.read_text(encoding="utf-8"))["held_out"]["micro"]
    row = f"| {micro['strict_f1']:.3f} | {micro['precision']:.3f} | {micro['recall']:.3f} |"
    assert f"`python -m benchmarks.model --check` {row}" in PAGES["docs/accuracy.md"]


def test_every_view_says_what_a_row_is():
    assert [name for name, sql in view_files() if not sql.startswith("-- One row a ")] == []


def test_constraints_hold_versions_and_no_address():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert lines
    assert all(line.count("==") == 1 and "/" not in line and "@" not in line for line in lines)
