"""A PostgreSQL server for tests: the one that `PAPERLAKE_TEST_POSTGRES` names, else one of our own on loopback.

Our own runs the system's binaries over a temporary folder, takes no part in what else the system runs, and is gone
afterwards. PostgreSQL refuses to run as root, so root starts it as another user.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

PASSWORD = "it's a s3cr\\et, 100% of it"
"""Holds what has to be quoted in a connection string, an address and SQL."""
_CLUSTER = ("-U", "paperlake", "--auth=scram-sha-256", "--no-sync", "--encoding=UTF8", "--locale=C")
_WAIT_S = 60


class NoPostgres(Exception):
    """There is no PostgreSQL to be had here; the text is the reason."""


class PostgresServer:
    """A running server, and databases in it.

    Attributes:
        admin: A libpq connection string of somebody who may make databases.
    """

    def __init__(self, admin: str | None = None) -> None:
        self._folder: Path | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self.admin = admin or self._start()

    def database(self, *, template: str = "template1") -> str:
        """Makes a database and returns its name."""
        name = f"lake_{uuid.uuid4().hex[:12]}"
        self.run(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        return name

    def drop(self, name: str) -> None:
        """Removes a database, whoever is connected to it."""
        self.run(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def address(self, database: str, **told: str | int) -> str:
        """Returns the connection string of a database, with its password."""
        return make_conninfo(self.admin, dbname=database, **told)

    def run(self, statement: str, *, database: str | None = None) -> list[tuple]:
        """Runs one statement and returns its rows."""
        address = self.address(database) if database else self.admin
        with contextlib.closing(psycopg.connect(address, autocommit=True)) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def stop(self) -> None:
        """Ends the server, if it is ours."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)  # at once: nothing of it will be wanted again
            self._process.wait(_WAIT_S)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _start(self) -> str:
        binaries = _binaries()
        self._folder = Path(tempfile.mkdtemp(prefix="paperlake-pg-"))
        user = _other_user()
        if user is not None:
            os.chown(self._folder, pwd.getpwnam(user).pw_uid, -1)
        password = self._folder / "password"
        password.write_text(PASSWORD)
        password.chmod(0o644)
        data = self._folder / "data"
        plain = {"cwd": self._folder, "user": user, "extra_groups": [] if user else None}
        made = subprocess.run(
            [binaries / "initdb", "-D", data, *_CLUSTER, f"--pwfile={password}"],
            **plain,
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode:
            raise NoPostgres(f"initdb failed: {made.stderr.strip()}")
        port = free_port()
        quick = ("fsync=off", "full_page_writes=off", "synchronous_commit=off", "listen_addresses=127.0.0.1")
        options = [part for setting in (*quick, f"unix_socket_directories={self._folder}") for part in ("-c", setting)]
        log = (self._folder / "log").open("wb")
        self._process = subprocess.Popen(
            [binaries / "postgres", "-D", data, "-p", str(port), *options], **plain, stdout=log, stderr=log
        )
        log.close()
        admin = make_conninfo(host="127.0.0.1", port=port, user="paperlake", password=PASSWORD, dbname="postgres")
        self._wait(admin)
        return admin

    def _wait(self, admin: str) -> None:
        end = time.monotonic() + _WAIT_S
        while True:
            try:
                psycopg.connect(admin).close()
            except psycopg.OperationalError:
                if time.monotonic() > end or self._process.poll() is not None:
                    raise
                time.sleep(0.05)
            else:
                return


def free_port() -> int:
    """Returns a port of loopback on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _binaries() -> Path:
    """Returns the folder of the newest server that is installed; Debian keeps it off the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which("initdb")
    if not found and not on_path:
        raise NoPostgres("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    return found[-1].parent if found else Path(on_path).resolve().parent


def _other_user() -> str | None:
    """Returns whom root is to run the server as; None where we are not root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    raise NoPostgres("PostgreSQL does not run as root, and there is no user postgres or nobody")
