"""`paperlake check`: reports faults in lists, by line."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from flows.commands.shared import Lake, Links, Lists, Offline
from flows.progress import watched
from sources.errors import UsageError
from sources.text import counted, shown

if TYPE_CHECKING:
    from flows.settings import Settings

_ENDINGS = {".json": "json", ".md": "markdown", ".sarif": "sarif", ".txt": "text"}


def check(
    lists: Lists = None,
    changed: Annotated[
        str | None,
        typer.Option(
            metavar="REF", help="Report only on lines that differ from where this branch left REF, as in `main`."
        ),
    ] = None,
    fmt: Annotated[
        Literal["text", "json", "github", "sarif", "markdown"],
        typer.Option("--format", help="text for people; github for annotations; markdown for a comment."),
    ] = "text",
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json: one object.")] = False,
    notes: Annotated[bool, typer.Option("--notes", "-v", help="Show each note, not only how many there are.")] = False,
    level: Annotated[
        Literal["error", "warning", "note"],
        typer.Option(help="Report nothing below this: error, or warning, or all with note."),
    ] = "note",
    baseline: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Leave out the findings that FILE has: report new ones alone.")
    ] = None,
    write_baseline: Annotated[
        Path | None,
        typer.Option("--write-baseline", metavar="FILE", help="Put all findings into FILE, for --baseline, and end."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="End with exit code 1 for warnings, too.")] = False,
    save: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Also write the findings here, in the form of the ending: .md, .json, .sarif, .txt."
        ),
    ] = None,
    links: Links = True,
    offline: Offline = False,
    lake: Lake = None,
) -> None:
    """Finds what is wrong in reading lists, by line: wrong links, duplicates, typing errors, years, order, Markdown.

    What is known of the papers comes from the lake where there is one; what it does not know is asked for, and nothing
    is kept of it. The lists and the lake stay as they are. Exit code 1 means that there are errors. What could not be
    asked is said, and is no error. docs/checks.md has the codes, and how to switch them off.

    Errors come first; notes are counted by code, and --notes shows them. A list with many old findings begins with
    --write-baseline FILE; afterwards --baseline FILE reports the new ones.

    Example: `paperlake check README.md --changed origin/main --format github`
    """
    from flows.check.formats import formats
    from flows.check.report import LEVELS, baseline_of, check_lists, without_baseline

    files = save or []
    unknown = [file.name for file in files if file.suffix.lower() not in _ENDINGS]
    if unknown:
        raise UsageError(f"--save {unknown[0]}: a file's ending says what it is to hold: {', '.join(_ENDINGS)}")
    forms: dict[Path | None, str] = {
        None: ("json" if as_json else fmt),
        **{file: _ENDINGS[file.suffix.lower()] for file in files},
    }
    settings = settings_if_any(lake, offline=offline)
    arguments = [*(lists or ())] or [*(settings.lists if settings is not None else ())]
    if not arguments:
        raise UsageError("no list named: `paperlake check LIST`, where LIST is a file, a folder or an address")
    asks_links = links and settings is not None and not settings.offline
    with watched() as reporter:
        report = check_lists(arguments, settings, ref=changed, report=reporter, asks_links=asks_links)
    report = report.only(lambda _, item: LEVELS.index(item.level) <= LEVELS.index(level))
    if baseline is not None and write_baseline is None:
        report = without_baseline(baseline, report)
    sys.stderr.writelines(f"paperlake: {shown(remark)}\n" for remark in report.remarks)
    if write_baseline is not None:
        _write(write_baseline, baseline_of(report))
        sys.stdout.write(f"{counted(report.number, 'finding')} in {write_baseline}: --baseline leaves them out\n")
        return
    by_name = formats(notes=notes)
    for file, form in forms.items():
        lines = [f"{line}\n" for line in by_name[form](report)]
        if file is None:
            sys.stdout.writelines(lines)
        else:
            _write(file, "".join(lines))
    raise typer.Exit(int(report.count("error") > 0 or (strict and report.count("warning") > 0)))


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror or error}") from error


def settings_if_any(lake: str | None, *, offline: bool) -> Settings | None:
    """Returns the settings; None for work offline where nothing is set and no lake is there: that of the text."""
    # Where the settings are known brings DuckDB.
    is_set = Path("paperlake.toml").exists() or any(name.upper().startswith("PAPERLAKE_") for name in os.environ)
    if offline and not is_set and not Path(lake or "lake").exists():
        return None
    from flows.settings import read_settings

    return read_settings(lake=lake, offline=offline or None)
