"""The lines with which other programs read a lake: DuckDB, Polars, pandas and Spark.

Of a SQLite catalogue they name the copy beside the data, not the catalogue: SQLite lets nobody commit while somebody
reads, and a program of somebody else may read for hours.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from warehouse.lake.concurrency import SAVED
from warehouse.lake.engine import store_options
from warehouse.lake.place import LakePlace
from warehouse.tables.schema import literal

# Program -> what it imports beside DuckDB, and its last lines.
_PYTHON: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "python": ((), ['lake.sql("FROM catalog").show()']),
    "polars": ((), ['papers = lake.sql("FROM catalog").pl()']),
    "pandas": ((), ['papers = lake.sql("FROM catalog").df()']),
    "spark": (
        ["from pyspark.sql import SparkSession"],
        [
            'lake.sql("FROM catalog").write_parquet("catalog.parquet")',
            'papers = SparkSession.builder.getOrCreate().read.parquet("catalog.parquet")',
        ],
    ),
}
PROGRAMS = ("sql", *_PYTHON)


def attach_lines(place: LakePlace, program: str) -> list[str]:
    """Returns what to write in `program`, one of `PROGRAMS`, to read the lake; no password and no key is in it.

    Raises:
        UsageError: The address of S3 in the environment is none.
    """
    extensions = ["ducklake", "sqlite" if place.server is None else "postgres"]
    extensions += ["httpfs", "aws"] if place.data_on_store else []
    statements = ["; ".join([*(f"INSTALL {name}" for name in extensions), "SET TimeZone = 'UTC'"])]
    if place.data_on_store:  # DuckDB takes the keys from where AWS's tools find them
        options = "".join(
            f", {name} {literal(value) if isinstance(value, str) else str(value).lower()}"
            for name, value in {"SCOPE": place.data, **store_options()}.items()
        )
        statements.append(f"CREATE SECRET (TYPE s3, PROVIDER credential_chain{options})")
    options = f"(READ_ONLY, DATA_PATH {literal(place.data)}, OVERRIDE_DATA_PATH true)"
    statements.append(f"ATTACH {literal('ducklake:' + _catalogue(place))} AS lake\n {options}; USE lake")
    if program == "sql":
        return "\n".join(f"{statement};" for statement in (*statements, "FROM catalog")).split("\n")
    imports, last = _PYTHON[program]
    calls = [f"lake.execute({_text(statement)})" for statement in statements]
    lines = ["import duckdb", *imports, "lake = duckdb.connect()", *calls, *last]
    return "\n".join(lines).split("\n")


def password_note(place: LakePlace) -> str | None:
    """Returns a sentence about the password that the lines need and do not hold, None where there is none."""
    if place.server is None or place.server.password is None:
        return None
    return "the password is not printed: give it to the program in PGPASSWORD or ~/.pgpass"


def _catalogue(place: LakePlace) -> str:
    if place.server is not None:
        return str(place.server)
    copy = Path(place.data) / SAVED
    return f"sqlite:{copy if not place.data_on_store and copy.is_file() else place.catalog_file}"


def _text(statement: str) -> str:
    """Returns `statement` as a string of Python, a line of it a line of the program."""
    return "\n             ".join(json.dumps(line, ensure_ascii=False) for line in statement.splitlines())
