"""A lake that an earlier version made: what others read from it stays, and this version goes on with it.

    python -m tests.warehouse.test_released_lakes

records `lake-VERSION.tar.xz`, of the present version. Until that version is released this is done anew where tables
change. After that never: then a change of tables is a step of its own in `warehouse.lake.migrations`.
"""

from __future__ import annotations

import shutil
import tarfile
import tempfile
from importlib.metadata import version
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import pytest

from standins import StandIns
from standins.trials.bench import Bench
from tests.flows.test_citation_graph import KNOWN, LIST, PAPERS
from warehouse.lake.session import open_lake, writing
from warehouse.tables.declarations import TABLES

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
RECORDED = sorted(FIXTURES.glob("lake-*.tar.xz"))
CONTRACT = [line.split("\t") for line in (FIXTURES / "contract.tsv").read_text(encoding="utf-8").splitlines()[1:]]


@pytest.fixture(params=RECORDED, ids=lambda path: path.name)
def older(request, tmp_path: Path, standins: StandIns) -> Bench:
    with tarfile.open(request.param) as archive:
        archive.extractall(tmp_path, filter="data")
    standins.add(KNOWN)
    return Bench(tmp_path, standins.env(openalex=True))


def test_what_others_read_is_there_before_anything_is_written(older: Bench):
    connection = open_lake(older.place)
    for table, columns in groupby(CONTRACT, key=itemgetter(0)):
        promised = {column: kind for _, column, kind in columns}
        read = connection.execute(f"SELECT {', '.join(promised)} FROM {table}")
        assert {name: str(kind) for name, kind, *_ in read.description} == promised
    connection.close()
    titles = [row["title"] for row in older.rows("SELECT title FROM catalog ORDER BY title")]
    assert titles == sorted(paper["title"] for paper in PAPERS)
    assert older.rows("SELECT count(*) AS missing FROM missing_papers WHERE list_id = 'all'") == [{"missing": 2}]


def test_a_writer_makes_it_a_lake_of_today_and_loses_no_row(older: Bench):
    before = older.contents()
    with writing(older.place) as connection:
        for table in TABLES:
            connection.execute(f"SELECT {', '.join(table.names)} FROM {table.name}")
    after = older.contents()
    assert {name: len(rows) for name, rows in before.items() if name != "schema_migrations"}.items() <= {
        name: len(rows) for name, rows in after.items()
    }.items()
    assert older.refresh(older.write(LIST)).resolved == len(PAPERS)
    assert older.rows("SELECT count(*) AS papers FROM catalog") == [{"papers": len(PAPERS)}]


def record() -> None:
    """Records a lake of this version."""
    folder = Path(tempfile.gettempdir()) / "paperlake-lake"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    with StandIns() as standins:
        standins.add(KNOWN)
        bench = Bench(folder, standins.env(openalex=True))
        bench.refresh(bench.write(LIST))
    left_out = {"paperlake-catalogue-copy.sqlite", "parsed", "writer.lock"}
    with tarfile.open(FIXTURES / f"lake-{version('paperlake')}.tar.xz", "w:xz") as archive:
        archive.add(bench.place.folder, "lake", filter=lambda file: None if Path(file.name).name in left_out else file)
    shutil.rmtree(folder)


if __name__ == "__main__":
    record()
