"""Writes the dashboard's folder: the page, and the catalogue beside it as CSV and Parquet, all of one snapshot."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

import duckdb

from sources.errors import WarehouseError
from warehouse.dashboard.drawing import charts_underway
from warehouse.dashboard.facts import read_facts
from warehouse.dashboard.page import render
from warehouse.lake import LakePlace, open_lake
from warehouse.row_formats import csv_text, write_rows
from warehouse.user_files import user_folder, writing_user_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pyarrow as pa

    from warehouse.dashboard.facts import Facts

PAGE = "index.html"
_CATALOGUE = "FROM listed ORDER BY citation_count DESC NULLS LAST, title, paper_id"


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


def publish(place: LakePlace, folder: Path, *, on_step: Callable[[], object] = lambda: None) -> Published:
    """Writes the dashboard of the lake at `place` into `folder`, which is made if it is not there.

    Each file is replaced whole, the page last: who opens it meanwhile sees the old one or the new one.

    Args:
        place: The lake.
        folder: Where to write.
        on_step: Called after each of three steps: read, drawn, written.

    Raises:
        UsageError: There is no lake, or the folder cannot be written.
        WarehouseError: The lake cannot be read, or the charts cannot be made.
    """
    with charts_underway() as charts:
        facts, catalogue = _read(place)
        on_step()
        page = render(facts, charts()).encode()
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


def _read(place: LakePlace) -> tuple[Facts, pa.Table]:
    with closing(open_lake(place, sealed=True)) as connection:
        try:
            connection.execute("BEGIN")  # every query sees the same snapshot, also while a refresh commits
            return read_facts(connection), connection.execute(_CATALOGUE).to_arrow_table()
        except duckdb.Error as error:
            first = str(error).strip().splitlines()[0]
            raise WarehouseError(f"cannot read the lake at {place}: {first}") from error


def _write(path: Path, write: Callable[[BinaryIO], object], place: LakePlace) -> int:
    with writing_user_file(path, place=place) as file:
        write(file)
        return file.tell()
