"""The dashboard as one static page, written into a folder."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, BinaryIO
from unicodedata import bidirectional

import duckdb
import pyarrow as pa
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from sources.errors import WarehouseError
from sources.garbage_collection import without_garbage_collection
from sources.text import counted
from warehouse.dashboard.chart_making import charts_underway
from warehouse.dashboard.facts import read_facts
from warehouse.dashboard.feed import FEED, feed
from warehouse.dashboard.first_panels import changes_by_kind, changes_sentence, growing_papers, map_marks
from warehouse.dashboard.list_names import short_names
from warehouse.dashboard.packing import lacks_addresses, packed, packed_abstracts, packed_facts
from warehouse.lake.session import open_lake
from warehouse.query.changes import Jump
from warehouse.query.output import csv_text, write_rows
from warehouse.query.user_files import user_folder, writing_user_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from duckdb import DuckDBPyConnection

    from warehouse.dashboard.chart_making import Charts
    from warehouse.dashboard.facts import Facts, Terms
    from warehouse.lake.place import LakePlace

_SCRIPTS = (
    *(
        "unpack",
        "data",
        "choice",
        "words",
        "tally",
        "history",
        "draw",
        "panels",
        "entries",
        "downloads",
        "changes",
        "growth",
        "map",
    ),
    *("missing", "terms", "compare", "people", "health", "counting", "row", "table", "main"),
)
"""The parts of the page's script, in the order in which each uses those before it."""
_THREADS = 1
"""Of DuckDB: a page asks a hundred questions of few rows, and to hand them on to more threads takes longer."""
_ABSTRACTS_UP_TO = 2_900_000
"""Bytes that a page with abstracts may have."""


def render(facts: Facts, charts: Charts, *, terms: Terms = "all") -> str:
    """Returns the page that shows `facts` by `charts`, and says whose they are."""
    style, script = _file("style.css") + _file("panels.css"), _script()
    packets = {
        **packed_facts(facts),
        "entries": packed(facts["bibtex"]),
        "charts": packed(charts.specifications),
        "library": packed(charts.library),
    }
    room = _ABSTRACTS_UP_TO - sum(map(len, (style, script, *packets.values())))
    packets["abstracts"] = packed_abstracts(facts["abstracts"], room=room)
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(_file("template.html")).render(
        title="Reading trends",
        as_of=_as_of(facts),
        glance=_glance(facts),
        findings=_findings(facts),
        changes_says=changes_sentence(facts),
        changes=list(changes_by_kind(facts)),
        growing=growing_papers(facts),
        map=map_marks(facts),
        terms=terms,
        lacks_addresses=lacks_addresses(facts["papers"]),
        policy=_policy(scripts=(charts.library, script), styles=(style,)),
        style=Markup(style),  # noqa: S704 - our own file
        packets=packets,
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


def _as_of(facts: Facts) -> str:
    refreshed: datetime | None = facts["refreshed_at"]
    when = "never refreshed" if refreshed is None else f"as of {refreshed.day} {refreshed:%B %Y, %H:%M} UTC"
    return f"{_lists(facts['lists']['title'])}, {when}"


def _lists(titles: list[str]) -> str:
    """Returns what was read, in words: every list by name while that is short."""
    if not titles:
        return "No list yet"
    names = [_apart_from_line(title) for title in titles]
    return (
        " · ".join(names) if len(names) <= 4 else f"{' · '.join(names[:3])} and {counted(len(names) - 3, 'more list')}"
    )


def _apart_from_line(text: str) -> str:
    """Returns `text`, set apart where its letters run from right to left: they would turn what is beside them round."""
    return f"\u2068{text}\u2069" if any(bidirectional(letter) in ("R", "AL") for letter in text) else text


def _findings(facts: Facts) -> str:
    """Returns the findings in the lists in words; empty where there is none."""
    codes = facts["findings"]["code"]
    kinds = Counter(codes["values"][number] for number in codes["codes"]).most_common()
    total = counted(sum(number for _, number in kinds), "finding")
    return f"{total} in the lists: {', '.join(f'{number} {code}' for code, number in kinds)}" if kinds else ""


def _glance(facts: Facts) -> list[tuple[str, str]]:
    """Returns the figures that stand on the page before its script has run, and where it never does."""
    papers, places, unresolved = facts["papers"]["id"], facts["places"]["paper"], facts["unresolved"]["list"]
    figures = {"Papers": len(papers), "Mentions": len(places) + len(unresolved), "Lists": len(facts["lists"]["id"])}
    return [(name, f"{figure:,}") for name, figure in figures.items()]


PAGE = "index.html"
_CATALOGUE = (
    "SELECT * EXCLUDE (published_on, drawn_count, pages, publication_type) FROM listed "
    "ORDER BY citation_count DESC NULLS LAST, title, paper_id"
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
    place: LakePlace,
    folder: Path,
    *,
    terms: Terms = "all",
    jump: Jump | None = None,
    on_step: Callable[[], object] = lambda: None,
) -> Published:
    """Writes the dashboard of the lake at `place` into `folder`, which is made if it is not there.

    Each file is replaced whole, the page last: who opens it meanwhile sees the old one or the new one.

    Args:
        place: The lake.
        folder: Where to write.
        terms: What the files may hold: all that the lake knows, or only what anyone may show to others.
        jump: What counts as a jump of citations, for the feed; None for the default.
        on_step: Called after each of three steps: read, drawn, written.

    Raises:
        UsageError: There is no lake, or the folder cannot be written.
        WarehouseError: The lake cannot be read, or the charts cannot be made.
    """
    with charts_underway() as charts, without_garbage_collection():
        facts, catalogue, news = _read(place, terms, jump or Jump())
        on_step()
        page = render(facts, charts(), terms=terms).encode()
    on_step()
    files: dict[str, Callable[[BinaryIO], object]] = {
        "catalogue.csv": lambda out: out.write(csv_text([catalogue], spreadsheet=True).encode()),
        "catalogue.parquet": lambda out: write_rows(catalogue, out, fmt="parquet"),
        FEED: lambda out: out.write(news),
        PAGE: lambda out: out.write(page),
    }
    user_folder(folder, place=place)
    sizes = {name: _write(folder / name, write, place) for name, write in files.items()}
    on_step()
    return Published(page=folder / PAGE, sizes=sizes, papers=len(facts["papers"]["id"]))


def _read(place: LakePlace, terms: Terms, jump: Jump) -> tuple[Facts, pa.Table, bytes]:
    with closing(open_lake(place, sealed=True, threads=_THREADS)) as connection:
        try:
            connection.execute("BEGIN")  # every query sees the same snapshot, also while a refresh commits
            facts = read_facts(connection, terms=terms)
            return facts, _catalogue(connection), feed(connection, terms=terms, jump=jump)
        except duckdb.Error as error:
            first = str(error).strip().splitlines()[0]
            raise WarehouseError(f"cannot read the lake at {place}: {first}") from error


def _catalogue(connection: DuckDBPyConnection) -> pa.Table:
    """Returns the catalogue; lists without a title are named as on the page, and not by where they lie."""
    rows = connection.execute(_CATALOGUE).to_arrow_table()
    lists = connection.execute("SELECT location, title IS NULL FROM reading_lists ORDER BY ALL").fetchall()
    if not any(is_untitled for _, is_untitled in lists):
        return rows
    locations = [location for location, _ in lists]
    names = dict(zip(locations, short_names(locations), strict=True))
    column = rows.column("lists")
    named = pa.array([[names.get(name, name) for name in each or ()] for each in column.to_pylist()], column.type)
    return rows.set_column(rows.column_names.index("lists"), "lists", named)


def _write(path: Path, write: Callable[[BinaryIO], object], place: LakePlace) -> int:
    with writing_user_file(path, place=place) as file:
        write(file)
        return file.tell()
