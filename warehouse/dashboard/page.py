"""Writes the dashboard, one static page, into a folder."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from importlib import resources
from math import log10
from pathlib import Path
from typing import Any, BinaryIO
from unicodedata import bidirectional

import duckdb
import pyarrow as pa
from duckdb import DuckDBPyConnection
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from sources.errors import WarehouseError
from sources.processes import without_garbage_collection
from sources.text import counted
from warehouse.dashboard.chart_library import Charts, read_charts
from warehouse.dashboard.columns import Columns, short_names
from warehouse.dashboard.facts import Facts, read_facts
from warehouse.dashboard.feed import FEED, feed
from warehouse.dashboard.first_five import PANELS
from warehouse.dashboard.panel_facts import Terms
from warehouse.lake.place import LakePlace
from warehouse.lake.session import look_once, open_lake
from warehouse.query.changes import Jump
from warehouse.query.output import csv_text, write_rows
from warehouse.query.user_files import user_folder, writing_user_file

_MOST_MARKS = 600


def map_marks(facts: Facts) -> dict[str, Any] | None:
    """Returns the most cited papers as one path of dots, 640 by 300, with the labels of both axes; None without any.

    To the right is later, upwards is cited more, on a logarithmic scale.
    """
    papers = facts["papers"]
    counts_drawn = zip(papers["mapped"] or papers["citations"], papers["year"], strict=True)
    known = sorted((both for both in counts_drawn if None not in both), reverse=True)[:_MOST_MARKS]
    if not known:
        return None
    first, last = min(year for _, year in known), max(year for _, year in known)
    top = max(1, *(log10(count + 1) for count, _ in known))

    def x(year: int) -> float:
        return float(round(60 + 560 * (year - first + 0.5) / (last - first + 1), 1))

    def y(count: int) -> float:
        return round(265 - 250 * log10(count + 1) / top, 1)

    counts = [0, *(10**power for power in range(1, 8) if power <= top)]
    return {
        "dots": "".join(f"M{x(year)} {y(count)}h0" for count, year in known),
        "years": [(x(year), year) for year in sorted({first, (first + last) // 2, last})],
        "counts": [(y(count), f"{count:,}") for count in counts],
        "papers": len(known),
        "is_openalex": papers["mapped"] is not None,
    }


# The parts of the script: what panels share, each behind what it uses; the panels; what uses them.
_SHARED = "unpack sums data words choice draw downloads entries tally paper".split()
_AFTER_PANELS = ("row", "table", "main")
_THREADS = 1  # DuckDB threads: the page runs about 100 small queries, which more threads slow down
_ABSTRACTS_UP_TO = 2_900_000  # bytes that a page with abstracts may have


def render(facts: Facts, charts: Charts, *, terms: Terms = "all") -> str:
    """Returns the page that shows `facts` by `charts`, and says whose they are."""
    style = re.sub(r"(?m)^ +|/\*.*?\*/\s*", "", _file("style.css") + _file("panels.css"))
    panels = sorted(f"panels/{path.name.removesuffix('.js')}" for path in (_FOLDER / "script" / "panels").iterdir())
    parts = re.sub(
        r"(?m)^ *(//.*\n)?",
        "",
        "\n".join(_file(f"script/{name}.js") for name in (*_SHARED, *panels, *_AFTER_PANELS)),
    )
    script = f'(async () => {{\n"use strict";\n{parts}\n}})();\n'
    figures = {
        "Papers": len(facts["papers"]["id"]),
        "Mentions": len(facts["places"]["paper"]) + len(facts["unresolved"]["list"]),
        "Lists": len(facts["lists"]["id"]),
    }
    refreshed: datetime | None = facts["refreshed_at"]
    when = "never refreshed" if refreshed is None else f"as of {refreshed.day} {refreshed:%B %Y, %H:%M} UTC"
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
        as_of=f"{_lists(facts['lists']['title'])}, {when}",
        glance=[(name, f"{figure:,}") for name, figure in figures.items()],
        findings=_findings(facts),
        first=facts["first"],
        panels=PANELS,
        map=map_marks(facts),
        terms=terms,
        lacks_addresses=lacks_addresses(facts["papers"]),
        policy=_policy(scripts=(charts.library, script), styles=(style,)),
        style=Markup(style),  # noqa: S704 - our own file
        packets=packets,
        script=Markup(script),  # noqa: S704 - our own files
    )


_FOLDER = resources.files("warehouse.dashboard")


def _file(name: str) -> str:
    return _FOLDER.joinpath(name).read_text(encoding="utf-8")


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


def _lists(titles: list[str]) -> str:
    """Returns what was read, in words: every list by name while that is short."""
    if not titles:
        return "No list yet"
    # Letters that run from right to left would turn what is beside them round.
    names = [
        f"\u2068{title}\u2069" if any(bidirectional(letter) in ("R", "AL") for letter in title) else title
        for title in titles
    ]
    return (
        " · ".join(names) if len(names) <= 4 else f"{' · '.join(names[:3])} and {counted(len(names) - 3, 'more list')}"
    )


def _findings(facts: Facts) -> str:
    codes = facts["findings"]["code"]
    kinds = Counter(codes["values"][number] for number in codes["codes"]).most_common()
    total = counted(sum(number for _, number in kinds), "finding")
    return f"{total} in the lists: {', '.join(f'{number} {code}' for code, number in kinds)}" if kinds else ""


# Packs the data of a page; `script/unpack.js` unpacks it.
#
# Compression makes of sorted numbers little less than they are: they are given by what each adds to the one before, and
# rows that have no order of their own are in that of the papers.
_LEVEL = 5  # of compression: the next one takes twice as long and makes the page 3 % smaller
# Facts that have a packet of their own, or in the page's text only.
_APART = ("refreshed_at", "first", "bibtex", "abstracts")
# Papers up to which each has its identifier at Semantic Scholar; 20 bytes that nothing makes smaller.
_MOST_WITH_EVERY_ADDRESS = 20_000
ABSTRACT_SIZES = (1500, 600, 300)  # characters to which abstracts are cut, until they fit
_SAMPLE = 10  # of so many abstracts one is packed to see whether all would fit


def packed(value: Any) -> str:
    """Returns `value` as JSON, compressed, in base 64: less than half the size, and nothing in it can be markup."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), _LEVEL, mtime=0)).decode()


def lacks_addresses(papers: Columns) -> bool:
    """Returns whether papers with another address are without their identifier at Semantic Scholar on the page."""
    return len(papers["id"]) > _MOST_WITH_EVERY_ADDRESS and any(papers["s2"])


def packed_facts(facts: Facts) -> dict[str, str]:
    """Returns the packet that the page unpacks at once, `facts`."""
    found = {name: part for name, part in facts.items() if name not in _APART}
    papers, places, terms = facts["papers"], facts["places"], facts["terms"]
    if lacks_addresses(papers):
        addresses = zip(papers["s2"], papers["arxiv"], papers["doi"], strict=True)
        papers = papers | {"s2": [None if arxiv or doi else s2 for s2, arxiv, doi in addresses]}
    found["papers"] = papers
    found["places"] = places | {"line": differences(places["line"])}
    found["terms"] = terms | {"papers": [differences(numbers) for numbers in terms["papers"]]}
    working = facts["institutions"]
    at_work = [differences(numbers) for numbers in working["papers"]]
    found["institutions"] = working | {"papers": at_work, "known": differences(working["known"])}
    growth = _by_paper(facts["growth"])
    found["growth"] = growth | {"paper": differences(growth["paper"])}
    links = facts["links"]
    cites = [differences(numbers) for numbers in links["cites"]]
    found["links"] = links | {name: differences(links[name]) for name in ("paper", "untold")} | {"cites": cites}
    cited = _by_paper(facts["cited"])
    found["cited"] = {
        "paper": differences(cited["paper"]),
        "first": [years[0] for years in cited["years"]],
        "counts": [  # of every year from the first to the last
            [dict(zip(years, counts, strict=True)).get(year) for year in range(years[0], years[-1] + 1)]
            for years, counts in zip(cited["years"], cited["counts"], strict=True)
        ],
        "told": cited["told"],
    }
    return {"facts": packed(found)}


def differences(values: Iterable[int]) -> list[int]:
    """Returns by how much each of `values` is above the one before, and the first above 0."""
    before, found = 0, []
    for value in values:
        found.append(value - before)
        before = value
    return found


def _by_paper(columns: Columns) -> Columns:
    """Returns columns with their rows in the order of the papers; a column of codes is sorted by its codes."""
    order = sorted(range(len(columns["paper"])), key=columns["paper"].__getitem__)

    def in_order(column: Any) -> Any:
        if isinstance(column, dict):
            return column | {"codes": [column["codes"][row] for row in order]}
        return [column[row] for row in order]

    return {name: in_order(column) for name, column in columns.items()}


def packed_abstracts(texts: Sequence[str | None], *, room: int) -> str:
    """Returns the abstracts packed and cut so that they take no more than `room` characters.

    `size` says to how many characters; where they do not fit however much is cut, there are none and it is 0.
    """
    if texts and room > 0:
        plain = [None if text is None else " ".join(text.split()) for text in texts]
        for size in ABSTRACT_SIZES:
            cut = [
                text if text is None or len(text) <= size else f"{text[:size].rsplit(' ', 1)[0]} …" for text in plain
            ]
            if len(texts) > 100 * _SAMPLE and _SAMPLE * len(packed(cut[::_SAMPLE])) > 1.1 * room:
                continue
            found = packed({"size": size, "texts": cut})
            if len(found) <= room:
                return found
    return packed({"size": 0, "texts": []})


PAGE = "index.html"
_CATALOGUE = (
    "SELECT * EXCLUDE (published_on, drawn_count, pages, publication_type) FROM listed "
    "ORDER BY citation_count DESC NULLS LAST, title, paper_id"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What was written."""

    page: Path  # the page
    sizes: dict[str, int]  # file name -> its size in bytes
    papers: int  # papers on the page


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
        jump: What counts as a jump of citations; None for the default.
        on_step: Called after each of three steps: read, drawn, written.

    Raises:
        UsageError: There is no lake, or the folder cannot be written.
        WarehouseError: The lake cannot be read, or the charts cannot be made.
    """
    with without_garbage_collection():
        facts, catalogue, news = _read(place, terms, jump or Jump())
        on_step()
        page = render(facts, read_charts(), terms=terms).encode()
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


# Tables that many of the page's queries read: copies of them are made in memory, as opening their files takes longer.
_OFTEN_READ = ("mentions", "reading_lists", "list_names", "runs", "papers", "published_versions", "retractions")


def _read(place: LakePlace, terms: Terms, jump: Jump) -> tuple[Facts, pa.Table, bytes]:
    with closing(open_lake(place, sealed=True, threads=_THREADS)) as connection:
        try:
            connection.execute("BEGIN")  # every query sees the same snapshot, also while a refresh commits
            for table in _OFTEN_READ:
                look_once(connection, table)
            facts = read_facts(connection, terms=terms, jump=jump)
            return facts, _catalogue(connection), feed(connection, terms=terms, jump=jump, first=facts["first"])
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
