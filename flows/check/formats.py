"""Writes a check's report as text, JSON, GitHub workflow commands, SARIF, or Markdown for a comment."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from functools import partial
from importlib.metadata import distribution, version
from typing import Any
from urllib.parse import quote

from flows.check.report import LEVELS, CheckedList, CheckReport
from flows.console import BOLD, CYAN, DIM, YELLOW, is_read_by_people, paragraph, styled
from sources.lists.checks.findings import CODES, ListFinding
from sources.text import counted, json_text, shortened, shown

_STYLES = {"error": "1;31", "warning": YELLOW, "note": CYAN}
_MOST_IN_COMMENT = 100  # findings in a comment; GitHub takes 65,536 characters
_MOST_CHARACTERS = 500
HELP = "docs/checks.md"


def text(report: CheckReport, *, notes: bool = False) -> Iterator[str]:
    """Yields `LIST:LINE:COLUMN: level code: sentence` for people and their editors, errors first, and what to do.

    Evidence and edits are below, indented. Notes are counted by code alone, unless `notes` asks for them.
    """
    for each in report.lists:
        for item in sorted(each.findings, key=lambda item: LEVELS.index(item.level)):
            if item.level != "note" or notes:
                yield from _lines_of(each, item)
    for sentence in report.unasked:
        yield from paragraph(f"not asked: {sentence}", indent="  ", first="", style=DIM)
    counts = Counter((item.level, item.code) for each in report.lists for item in each.findings)
    for level, code in sorted(counts, key=lambda pair: (LEVELS.index(pair[0]), list(CODES).index(pair[1]))):
        sentence = f"{counts[level, code]} {level} {code}: {CODES[code].summary}"
        yield from paragraph(sentence, indent="    ", first="  ", style=_STYLES[level])
    entries = counted(sum(each.mentions for each in report.lists), "entry")
    yield styled(f"{report.total} in {entries} of {counted(len(report.lists), 'list')}", BOLD)
    if report.number:
        advice = ["--notes shows the notes"] if report.count("note") and not notes else []
        advice.append("`paperlake fix LIST` shows what it can mend")
        advice.append(f"{HELP} says what each code means and how to switch it off")
        yield from paragraph("; ".join(advice), indent="  ", first="", style=DIM)


def _lines_of(each: CheckedList, item: ListFinding) -> Iterator[str]:
    """Yields a finding: its sentence on one line for programs, on lines of the screen's width for people."""
    whole = f"{each.name}:{item.line}:{each.column(item)}: {item.level} {item.code}: {_bounded(item.message)}"
    lines = paragraph(whole, indent="    ", first="") if is_read_by_people() else [shown(whole)]
    yield from (line.replace(f" {item.level} ", f" {styled(item.level, _STYLES[item.level])} ", 1) for line in lines)
    for phrase in item.evidence:
        yield from paragraph(_bounded(phrase), indent="    ", first="  ", style=DIM)
    for edit in item.edits:
        yield from paragraph(f"fix: {_bounded(edit.replacement)!r}", indent="    ", first="  ")


def _bounded(words: str) -> str:
    return shortened(" ".join(words.split()), _MOST_CHARACTERS)


def _with_evidence(item: ListFinding) -> str:
    return " ".join((item.message, *(f"({_bounded(phrase)})" for phrase in item.evidence)))


def as_json(report: CheckReport) -> Iterator[str]:
    """Yields one object; docs/json.md has its keys."""
    lists = [
        {
            "list": each.name,
            "mentions": each.mentions,
            "findings": [_plain(item) | {"column": each.column(item)} for item in each.findings],
        }
        for each in report.lists
    ]
    counts = {f"{level}s": report.count(level) for level in LEVELS}
    yield json_text({"lists": lists, **counts, "unasked": [*report.unasked]}, indent=1)


def _plain(item: ListFinding) -> dict[str, Any]:
    fields = asdict(item)
    return fields | {"other_lines": fields.pop("others")}


_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def github(report: CheckReport) -> Iterator[str]:
    """Yields workflow commands, which GitHub shows as annotations beside the lines.

    https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
    """
    for each in report.lists:
        for item in each.findings:
            where = f"file={_property(each.name)},line={item.line},endLine={item.last_line}"
            title = _property(f"paperlake: {item.code}")
            yield f"::{_COMMANDS[item.level]} {where},title={title}::{_data(_with_evidence(item))}"
    for sentence in report.unasked:
        yield f"::notice title=paperlake::{_data(f'not asked: {sentence}')}"


def _data(words: str) -> str:
    return shown(_bounded(words)).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(words: str) -> str:
    """Returns a property's value; a line feed in the name of a file stays one, else GitHub would look for another."""
    return "%0A".join(map(_data, words.split("\n"))).replace(":", "%3A").replace(",", "%2C")


_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def sarif(report: CheckReport) -> Iterator[str]:
    """Yields a log in SARIF 2.1.0: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html ."""
    # Where paperlake was installed from a repository, its page of codes: an address has to be absolute (3.49.12).
    # Installers note where a package came from: https://packaging.python.org/en/latest/specifications/direct-url/ .
    origin = json.loads(distribution("paperlake").read_text("direct_url.json") or "{}")
    commit = origin.get("vcs_info", {}).get("commit_id")
    is_known = commit and origin["url"].startswith("https://github.com/")
    page = f"{origin['url'].removesuffix('.git')}/blob/{commit}/{HELP}" if is_known else None
    rules = [
        {
            "id": name,
            "name": re.sub(r"\W", "", code.summary.title()),
            "shortDescription": {"text": f"{code.summary[0].upper()}{code.summary[1:]}."},
            "fullDescription": {"text": code.meaning},
            "help": {"text": f"{code.meaning} See {HELP} of paperlake, which also tells how to switch it off."},
            "defaultConfiguration": {"level": code.level},
            **({"helpUri": f"{page}#{name}-{code.level}"} if page else {}),
        }
        for name, code in CODES.items()
    ]
    notifications = [{"level": "note", "message": {"text": f"not asked: {each}"}} for each in report.unasked]
    number = version("paperlake")
    about = {"informationUri": page.partition("/blob/")[0]} if page else {}
    driver = {"name": "paperlake", "fullName": f"paperlake {number}", "version": number, **about, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notifications}],
        "results": [_result(each, item) for each in report.lists for item in each.findings],
    }
    yield json_text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1)


def _result(checked: CheckedList, item: ListFinding) -> dict[str, Any]:
    place = {"uri": quote(checked.name, safe="/:@")}
    region = {"startLine": item.line, "endLine": item.last_line}
    result: dict[str, Any] = {
        "ruleId": item.code,
        "ruleIndex": list(CODES).index(item.code),
        "level": item.level,
        "message": {"text": _with_evidence(item)},
        "locations": [{"physicalLocation": {"artifactLocation": place, "region": region}}],
    }
    if item.edits:
        replacements = [
            {
                "deletedRegion": {"charOffset": edit.start, "charLength": edit.end - edit.start},
                "insertedContent": {"text": edit.replacement},
            }
            for edit in item.edits
        ]
        change = {"artifactLocation": place, "replacements": replacements}
        result["fixes"] = [{"description": {"text": item.message}, "artifactChanges": [change]}]
    return result


_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#|~!$&+-])")
_NOTIFYING = re.compile(r"[@#](?=\w)")


def markdown(report: CheckReport) -> Iterator[str]:
    """Yields Markdown for a pull request's comment; what lists and services wrote is escaped, and notifies nobody."""
    yield f"**paperlake**: {report.total}"
    number = 0
    for each in report.lists:
        if not each.findings:
            continue
        yield from ("", f"**{_escaped(each.name)}**", "")
        for item in each.findings[: max(0, _MOST_IN_COMMENT - number)]:
            evidence = "".join(f"<br>{_escaped(phrase)}" for phrase in item.evidence)
            yield f"- line {item.line}, {item.level} `{item.code}`: {_escaped(item.message)}{evidence}"
        number += len(each.findings)
    if number > _MOST_IN_COMMENT:
        yield from ("", f"{number - _MOST_IN_COMMENT} more are not shown here.")
    for sentence in report.unasked:
        yield from ("", f"Not asked: {_escaped(sentence)}")


def _escaped(words: str) -> str:
    escaped = _SPECIAL.sub(r"\\\1", shown(_bounded(words)))
    quiet = _NOTIFYING.sub(lambda match: f"{match[0]}<!-- -->", escaped)
    return quiet.replace("://", ":<!-- -->//").replace("www.", "www<!-- -->.")


def formats(*, notes: bool) -> Mapping[str, Callable[[CheckReport], Iterator[str]]]:
    """Returns name of a format -> what writes a report in it; the text has the notes where `notes` asks for them."""
    return {
        "text": partial(text, notes=notes),
        "json": as_json,
        "github": github,
        "sarif": sarif,
        "markdown": markdown,
    }
