"""The dashboard as one static page, written into a folder.

The charts are the same for every lake. They are made by a process of their own while the lake is read: compiling them
and bundling their library takes a processor for seconds, and lets no other Python run meanwhile.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import subprocess
import sys
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import duckdb
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from sources.errors import WarehouseError
from sources.text import counted
from warehouse.dashboard.facts import read_facts
from warehouse.lake.place import LakePlace
from warehouse.lake.session import open_lake
from warehouse.query.output import csv_text, user_folder, write_rows, writing_user_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    import pyarrow as pa

    from warehouse.dashboard.facts import Facts, Terms

_SCRIPTS = ("data", "choice", "words", "tally", "draw", "panels", "table", "main")
"""The parts of the page's script, in the order in which each uses those before it."""
_LEVEL = 6
"""Of compression: beyond it the page takes three times as long to pack and gets hardly smaller."""


def render(facts: Facts, charts: Charts, *, terms: Terms = "all") -> str:
    """Returns the page that shows `facts` by `charts`, and says whose they are."""
    style, script = _file("style.css"), _script()
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(_file("template.html")).render(
        title="Reading trends",
        as_of=_as_of(facts),
        glance=_glance(facts),
        findings=_findings(facts),
        terms=terms,
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


PAGE = "index.html"
_CATALOGUE = (
    "SELECT * EXCLUDE (published_on, drawn_count) FROM listed ORDER BY citation_count DESC NULLS LAST, title, paper_id"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What was written.

    Attributes:
        page: The page.
        sizes: File name -> its size in bytes.
        papers: Papers on the page.
    """

    page: Path
    sizes: dict[str, int]
    papers: int


def publish(
    place: LakePlace, folder: Path, *, terms: Terms = "all", on_step: Callable[[], object] = lambda: None
) -> Published:
    """Writes the dashboard of the lake at `place` into `folder`, which is made if it is not there.

    Each file is replaced whole, the page last: who opens it meanwhile sees the old one or the new one.

    Args:
        place: The lake.
        folder: Where to write.
        terms: What the files may hold: all that the lake knows, or only what anyone may show to others.
        on_step: Called after each of three steps: read, drawn, written.

    Raises:
        UsageError: There is no lake, or the folder cannot be written.
        WarehouseError: The lake cannot be read, or the charts cannot be made.
    """
    with charts_underway() as charts:
        facts, catalogue = _read(place, terms)
        on_step()
        page = render(facts, charts(), terms=terms).encode()
    on_step()
    files: dict[str, Callable[[BinaryIO], object]] = {
        "catalogue.csv": lambda out: out.write(csv_text([catalogue], spreadsheet=True).encode()),
        "catalogue.parquet": lambda out: write_rows(catalogue, out, fmt="parquet"),
        PAGE: lambda out: out.write(page),
    }
    user_folder(folder, place=place)
    sizes = {name: _write(folder / name, write, place) for name, write in files.items()}
    on_step()
    return Published(page=folder / PAGE, sizes=sizes, papers=len(facts["papers"]["id"]))


def _read(place: LakePlace, terms: Terms) -> tuple[Facts, pa.Table]:
    with closing(open_lake(place, sealed=True)) as connection:
        try:
            connection.execute("BEGIN")  # every query sees the same snapshot, also while a refresh commits
            return read_facts(connection, terms=terms), connection.execute(_CATALOGUE).to_arrow_table()
        except duckdb.Error as error:
            first = str(error).strip().splitlines()[0]
            raise WarehouseError(f"cannot read the lake at {place}: {first}") from error


def _write(path: Path, write: Callable[[BinaryIO], object], place: LakePlace) -> int:
    with writing_user_file(path, place=place) as file:
        write(file)
        return file.tell()


_MAKER = Path(__file__).with_name("charts.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Charts:
    """What a page draws with.

    Attributes:
        specifications: Chart name -> Vega specification whose data set `rows` is empty.
        library: The chart library, as a script that defines `vegaEmbed`.
    """

    specifications: dict[str, dict[str, Any]]
    library: str


@contextmanager
def charts_underway() -> Iterator[Callable[[], Charts]]:
    """Begins to make the charts, and gives the function that waits for them; nothing goes on after the block.

    The function raises `WarehouseError` where they could not be made.
    """
    # -P: nothing that lies in the folder where the user stands is taken for a module
    with subprocess.Popen(  # noqa: S603 - our own interpreter and module
        [sys.executable, "-P", str(_MAKER)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            yield lambda: _made(process)
        finally:
            process.kill()


def _made(process: subprocess.Popen[bytes]) -> Charts:
    output, complaint = process.communicate()
    if process.returncode:
        why = complaint.decode("utf-8", "replace").strip().splitlines() or [f"exit code {process.returncode}"]
        raise WarehouseError(f"cannot make the dashboard's charts: {why[-1]}")
    return Charts(**json.loads(output))
