"""A writer killed at any moment leaves the old lake or the new one, and nothing in between."""

from __future__ import annotations

import subprocess
import sys

import pytest

from standins.trials.rows import count_row, list_row, mention_row, paper_row, run_row
from tests.backends import as_argument
from warehouse.lake.place import LakePlace
from warehouse.lake.session import latest_snapshot, open_lake, writing
from warehouse.loading.checks import check
from warehouse.loading.commit import Harvest, load
from warehouse.tables import declarations as tables

pytestmark = [pytest.mark.both_backends, pytest.mark.slow]

SIZE = 60
WRITER = """
import os, signal, sys
import warehouse.loading.commit, warehouse.lake.session
from tests.warehouse.test_crash import harvest, RUN
from tests.backends import from_argument
from warehouse.lake.session import writing

def dying(name, module, at):
    real, calls = getattr(module, name), [0]
    def wrapped(*arguments, **options):
        calls[0] += 1
        if calls[0] == at:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments, **options)
    setattr(module, name, wrapped)

dying(sys.argv[2], warehouse.loading.commit, int(sys.argv[3]))
with writing(from_argument(sys.argv[1])) as connection:
    warehouse.loading.commit.load(connection, harvest(2), RUN | {"run_id": "second"})
"""
RUN = run_row(mentions=SIZE, resolved=SIZE)


def harvest(generation: int) -> Harvest:
    """Every row of a generation says which one it is, so that a mixture would show."""
    names = [f"p{number:04}" for number in range(SIZE)]
    return Harvest(
        reading_lists=[list_row(revision=f"{generation}")],
        papers=[paper_row(name, citation_count=generation) for name in names],
        mentions=[
            mention_row(f"m{name}", paper_id=name, line=generation, status="resolved", title=name) for name in names
        ],
        citation_counts=[
            count_row(name, RUN["started_at"].replace(hour=generation), generation, reference_count=generation)
            for name in names
        ],
    )


def generation(place: LakePlace) -> int:
    """Returns the one generation that every table of the lake is of."""
    connection = open_lake(place)
    check(connection, [table.name for table in tables.TABLES])
    seen = connection.execute(
        "SELECT DISTINCT citation_count FROM papers UNION SELECT DISTINCT line FROM mentions "
        "UNION SELECT max(citation_count) FROM citation_counts UNION SELECT revision::BIGINT FROM reading_lists "
        "UNION SELECT count(*) FROM runs"
    ).fetchall()
    rows = connection.execute("SELECT count(*) FROM citation_counts").fetchone()
    connection.close()
    assert len(seen) == 1, f"a mixture of generations: {seen}"
    assert rows == (SIZE * seen[0][0],)
    return seen[0][0]


def finish(place: LakePlace) -> None:
    """The next run, which finds whatever the killed one left."""
    with writing(place) as connection:
        load(connection, harvest(2), RUN | {"run_id": "second"})
    assert generation(place) == 2


def kill_at(place: LakePlace, where: str, at: int) -> None:
    command = [sys.executable, "-c", WRITER, as_argument(place), where, str(at)]
    assert subprocess.run(command, check=False).returncode == -9


@pytest.fixture(scope="module")
def _first(backend, tmp_path_factory):
    place = backend.new(tmp_path_factory.mktemp("first") / "lake")
    with writing(place) as connection:
        load(connection, harvest(1), RUN | {"run_id": "first"})
    return place


@pytest.fixture
def first(tmp_path, backend, _first):
    """A lake of the first generation."""
    return backend.copy(_first, tmp_path / "lake")


@pytest.mark.parametrize(
    ("where", "at", "left"),
    [
        pytest.param("append", 1, 1, id="amid-the-tables"),
        pytest.param("latest_snapshot", 1, 2, id="just-after-the-commit"),
    ],
)
def test_killed_between_two_steps_the_lake_is_the_old_or_the_new_one(first, where, at, left):
    kill_at(first, where, at)
    assert generation(first) == left
    finish(first)


def test_a_finished_rerun_equals_an_unharmed_run_row_for_row(first, backend, tmp_path):
    kill_at(first, "check", 1)
    finish(first)
    unharmed = backend.new(tmp_path / "unharmed")
    for number, name in ((1, "first"), (2, "second")):
        with writing(unharmed) as connection:
            load(connection, harvest(number), RUN | {"run_id": name})
    assert rows(first) == rows(unharmed)


def rows(place: LakePlace) -> dict[str, list]:
    connection = open_lake(place)
    assert latest_snapshot(connection)
    kept = [table for table in tables.TABLES if table.name != "schema_migrations"]
    found = {table.name: connection.execute(f'SELECT * FROM "{table.name}" ORDER BY ALL').fetchall() for table in kept}
    connection.close()
    return found
