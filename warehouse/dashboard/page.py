"""The page: one HTML file with its data, charts, style and script inside, and a policy that lets in nothing else."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from importlib import resources
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from sources.text import counted

if TYPE_CHECKING:
    from datetime import datetime

    from warehouse.dashboard.drawing import Charts
    from warehouse.dashboard.facts import Facts

_SCRIPTS = ("data", "choice", "words", "tally", "draw", "panels", "table", "main")
"""The parts of the page's script, in the order in which each uses those before it."""
_LEVEL = 6
"""Of compression: beyond it the page takes three times as long to pack and gets hardly smaller."""


def render(facts: Facts, charts: Charts) -> str:
    """Returns the page that shows `facts` by `charts`."""
    style, script = _file("style.css"), _script()
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(_file("template.html")).render(
        title="Reading trends",
        as_of=_as_of(facts),
        glance=_glance(facts),
        findings=_findings(facts),
        policy=_policy(scripts=(charts.library, script), styles=(style,)),
        style=Markup(style),  # noqa: S704 - our own file
        data=_packed({name: part for name, part in facts.items() if name not in ("figures", "findings", "bibtex")}),
        bibtex=_packed(facts["bibtex"]),
        charts=_packed(charts.specifications),
        library=Markup(charts.library),  # noqa: S704 - the chart library's own text
        script=Markup(script),  # noqa: S704 - our own files
    )


def _file(name: str) -> str:
    return (resources.files("warehouse.dashboard") / name).read_text(encoding="utf-8")


def _script() -> str:
    parts = "\n".join(_file(f"script/{name}.js") for name in _SCRIPTS)
    return f'(async () => {{\n"use strict";\n{parts}\n}})();\n'


def _policy(*, scripts: tuple[str, ...], styles: tuple[str, ...]) -> str:
    """Returns a policy under which these scripts and styles run and nothing is fetched, framed, sent or evaluated."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {' '.join(map(_digest, scripts))}",
            f"style-src {' '.join(map(_digest, styles))}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _packed(value: Any) -> str:
    """Returns `value` as JSON, compressed, in base 64: less than half the size, and nothing in it can be markup."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), _LEVEL, mtime=0)).decode()


def _as_of(facts: Facts) -> str:
    refreshed: datetime | None = facts["figures"]["refreshed_at"]
    when = "never refreshed" if refreshed is None else f"as of {refreshed.day} {refreshed:%B %Y, %H:%M} UTC"
    return f"{_lists(facts['lists']['title'])}, {when}"


def _lists(titles: list[str]) -> str:
    """Returns what was read, in words: every list by name while that is short."""
    if not titles:
        return "No list yet"
    return (
        " · ".join(titles)
        if len(titles) <= 4
        else f"{' · '.join(titles[:3])} and {counted(len(titles) - 3, 'more list')}"
    )


def _findings(facts: Facts) -> str:
    """Returns the findings in the lists in words; empty where there is none."""
    kinds = list(zip(facts["findings"]["code"], facts["findings"]["number"], strict=True))
    total = counted(sum(number for _, number in kinds), "finding")
    return f"{total} in the lists: {', '.join(f'{number} {code}' for code, number in kinds)}" if kinds else ""


def _glance(facts: Facts) -> list[tuple[str, str]]:
    """Returns the figures that stand on the page before its script has run, and where it never does."""
    papers, places, unresolved = facts["papers"]["id"], facts["places"]["paper"], facts["unresolved"]["list"]
    figures = {"Papers": len(papers), "Mentions": len(places) + len(unresolved), "Lists": len(facts["lists"]["id"])}
    return [(name, f"{figure:,}") for name, figure in figures.items()]
