"""A DuckLake catalogue on a PostgreSQL server: its connections, and the write lock of all machines.

What `PAPERLAKE_CATALOG` leaves out, libpq takes from `PG*` in the environment, `~/.pgpass` and its service file:
https://www.postgresql.org/docs/current/libpq-envars.html . The password goes into a DuckDB secret and nowhere else, so
that no message, no setting and no query over the lake shows it.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field

import psycopg
from duckdb import DuckDBPyConnection
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from sources.errors import UsageError, WarehouseError
from warehouse.lake.stored_files import MADE, OWNER, Progress

_SECRET = "paperlake_catalog"  # noqa: S105 - the name of a DuckDB secret
# The advisory lock of a lake's writer. Such locks are a database's own, and a database holds one lake.
_LOCK = (int.from_bytes(b"pape"), int.from_bytes(b"lake"))
_CONNECT_TIMEOUT_S = 15
# Lets the server notice within a minute that a holder's machine is gone, and never end one that only waits or works:
# https://www.postgresql.org/docs/current/runtime-config-connection.html .
_KEPT_ALIVE = {
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
    "idle_session_timeout": "0",
    "statement_timeout": "0",
}


@dataclass(frozen=True, slots=True)
class PostgresCatalog:
    """A PostgreSQL database that holds a lake's catalogue."""

    address: str  # a libpq connection string without the password, fit to be shown
    password: str | None = field(default=None, repr=False)  # none where libpq is to find it by itself

    @classmethod
    def parse(cls, setting: str) -> PostgresCatalog:
        """Returns the catalogue of `postgres:host=... dbname=...` or `postgres://user@host/dbname`.

        Raises:
            UsageError: The text is neither; it is not repeated, since it may hold a password.
        """
        scheme, _, rest = setting.partition(":")
        address = f"{scheme}:{rest}" if rest.startswith("//") else rest
        try:
            parts = conninfo_to_dict(address)
        except psycopg.Error:
            raise UsageError(
                "PAPERLAKE_CATALOG is no PostgreSQL connection string: write postgres:host=... dbname=... user=... "
                "or postgres://user@host/dbname"
            ) from None  # libpq repeats what it cannot read, which may be the password
        if "sslpassword" in parts:
            raise UsageError("PAPERLAKE_CATALOG holds sslpassword, which cannot be kept secret: use a key without one")
        password = parts.pop("password", None)
        return cls(make_conninfo("", **parts), None if password is None else str(password))

    def __str__(self) -> str:
        return f"postgres:{self.address}"

    def progress(self) -> Progress:
        """Returns how far the making of a lake in the database has come."""
        with closing(self.connect()) as connection:
            rows = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
            if ("ducklake_table",) in rows and connection.execute(MADE).fetchone():
                return "made"
        return "begun" if (OWNER,) in rows else "none"

    def connect(self) -> psycopg.Connection:
        """Returns a connection of our own to the server, beside those of DuckDB.

        Raises:
            WarehouseError: The server cannot be reached, or refuses; the message says why.
        """
        parameters = conninfo_to_dict(self.address)
        plain = {
            "connect_timeout": _CONNECT_TIMEOUT_S,
            "application_name": f"paperlake on {socket.gethostname()}",
            "keepalives_idle": 30,
        }
        if self.password is not None:
            parameters["password"] = self.password
        try:
            return psycopg.connect(**{**plain, **parameters}, autocommit=True)  # type: ignore[arg-type]
        except psycopg.Error as error:
            raise WarehouseError(f"cannot reach the catalogue {self}: {_reason(error)}") from error

    def options(self, connection: DuckDBPyConnection) -> list[str]:
        """Returns what to attach the catalogue with, after leaving the password with `connection` as a secret."""
        if self.password is None:
            return []
        connection.execute(f"CREATE OR REPLACE SECRET {_SECRET} (TYPE postgres, PASSWORD $1)", [self.password])
        return [f"META_SECRET '{_SECRET}'"]


class ServerTurn:
    """A writer's turn over all machines: a session's advisory lock, which ends with the session, however that ends.

    DuckDB's own connections will not do for it: its pool closes those that have been idle for a minute.
    https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS
    """

    def __init__(self, catalog: PostgresCatalog) -> None:
        self._catalog = catalog
        self._connection = catalog.connect()
        with self._server_errors():
            self._connection.execute(
                "SELECT set_config(name, value, false) FROM unnest(%s::text[], %s::text[]) AS told(name, value) "
                "JOIN pg_settings USING (name)",
                [list(_KEPT_ALIVE), list(_KEPT_ALIVE.values())],
            )

    def take(self, wait_s: float) -> bool:
        """Returns whether the turn is ours, after at most `wait_s` seconds; those who wait are served in order."""
        with self._server_errors():
            if wait_s <= 0:
                row = self._connection.execute("SELECT pg_try_advisory_lock(%s, %s)", _LOCK).fetchone()
                return bool(row and row[0])
            limit = f"{max(1, round(wait_s * 1000))}ms"
            self._connection.execute("SELECT set_config('lock_timeout', %s, false)", [limit])
            try:
                self._connection.execute("SELECT pg_advisory_lock(%s, %s)", _LOCK)
            except psycopg.errors.LockNotAvailable:
                return False
            return True

    @property
    def lost(self) -> bool:
        """Returns whether the session is over, and with it the turn: another writer may have begun."""
        try:
            self._connection.execute("SELECT 1")
        except psycopg.Error:
            return True
        return False

    def release(self) -> None:
        """Ends the turn."""
        self._connection.close()

    @contextmanager
    def _server_errors(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise WarehouseError(f"lost the catalogue {self._catalog}: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    """Returns the first line of what libpq or the server says, without the words that every failure begins with."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].removeprefix("connection failed: ")
