"""What every test stands on: no way out beyond loopback, no settings of the developer's, and the stand-ins."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from typing import Any

import duckdb
import hypothesis
import pytest

from standins import StandIns
from standins.network_guard import NetworkGuard
from standins.servers.postgres import NoPostgres, PostgresServer
from standins.servers.s3 import S3Server
from warehouse.lake.engine import load_extension
from warehouse.lake.place import KEY_VARIABLES

_POSTGRES = os.environ.get("PAPERLAKE_TEST_POSTGRES")
"""A connection string of somebody who may make databases; without it, the tests start a server of their own."""
_WHOLE_ENGINE = bool(os.environ.get("PAPERLAKE_TEST_WHOLE_ENGINE"))
"""Whether DuckDB has all its optimizers in the tests' own processes too, as it has every night."""
_GUARD = NetworkGuard()
_PREFECT_HOME = tempfile.mkdtemp(prefix="paperlake-prefect-")
_CACHE_HOME = tempfile.mkdtemp(prefix="paperlake-cache-")


def _settle_environment() -> None:
    """Runs before any test module, and so before Prefect, is imported; child processes inherit it."""
    for name in list(os.environ):
        if name.startswith("PAPERLAKE_TEST_"):
            continue  # the tests' own settings, which their worker processes read too
        if name.startswith(("PAPERLAKE_", "PREFECT_", "AWS_", "PG")) or name in KEY_VARIABLES.values():
            del os.environ[name]
    os.environ |= {
        "AWS_EC2_METADATA_DISABLED": "true",
        "DO_NOT_TRACK": "1",
        "PREFECT_HOME": _PREFECT_HOME,
        "XDG_CACHE_HOME": _CACHE_HOME,
        "PYTHONFAULTHANDLER": "1",
        "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
        **_GUARD.environment(),
    }
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell starts what it puts in the background so; commands under test would inherit it, and miss Ctrl-C.
        signal.signal(signal.SIGINT, signal.default_int_handler)


_settle_environment()
_GUARD.install()
hypothesis.settings.register_profile("paperlake", deadline=None)  # a busy machine is no fault of the code
hypothesis.settings.load_profile("paperlake")


def pytest_unconfigure(config: pytest.Config) -> None:
    logging.raiseExceptions = False  # Prefect's server says goodbye at exit, to a stream that pytest has closed
    for folder in (_PREFECT_HOME, _CACHE_HOME):
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(autouse=True)
def no_network() -> Iterator[NetworkGuard]:
    """Fails a test that tried to reach beyond loopback; `attempts.clear()` where trying is what the test is about."""
    _GUARD.attempts.clear()
    yield _GUARD
    assert not _GUARD.attempts, f"tried to reach beyond loopback: {_GUARD.attempts}"


@pytest.fixture(autouse=True)
def _own_search_path() -> Iterator[None]:
    """Puts back what a command that ran in this process has set for the Python processes that it starts."""
    before = {name: os.environ.get(name) for name in ("PYTHONSAFEPATH", "PYTHONPATH")}
    yield
    for name, value in before.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value


@pytest.fixture(scope="session", autouse=True)
def _small_engine() -> Iterator[None]:
    """Gives DuckDB one thread and little to think about, and lets it verify its extensions' signatures once a process.

    Verifying takes a third of a second of a core for each of a thousand lakes opened. The tests run on all cores by
    themselves, and handing the work on a few rows to threads costs as much as the work. Two of its optimizers ask
    DuckLake for the statistics of each column, which it looks up anew every time where a table has no row yet: that is
    2 ms a column, and a third of a refresh. Child processes run as usual, and so does all of it at night.
    """
    with duckdb.connect() as connection:
        for name in ("ducklake", "sqlite_scanner"):
            load_extension(connection, name)
    connect = duckdb.connect

    small = {"allow_unsigned_extensions": "true", "threads": "1"}
    if not _WHOLE_ENGINE:
        small["disabled_optimizers"] = "statistics_propagation,join_order"

    def trusting(*args: Any, config: dict[str, Any] | None = None, **told: Any) -> duckdb.DuckDBPyConnection:
        return connect(*args, config={**small, **(config or {})}, **told)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duckdb, "connect", trusting)
        yield


@pytest.fixture(scope="session")
def _small_process() -> Iterator[StandIns]:
    with StandIns() as running:
        yield running


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server, for databases of one's own."""
    try:
        server = PostgresServer(_POSTGRES)
    except NoPostgres as reason:
        pytest.skip(str(reason))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def s3() -> Iterator[S3Server]:
    """An S3 with one bucket, for prefixes of one's own; `s3.env` leads to it."""
    server = S3Server()
    yield server
    server.stop()


@pytest.fixture
def standins(_small_process: StandIns) -> StandIns:
    """Both services with the bundled small library, as new."""
    _small_process.reset()
    return _small_process
