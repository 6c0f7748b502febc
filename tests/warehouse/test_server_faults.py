"""What goes wrong with a server: each fault is one clear line, harms nothing, and shows no secret."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import closing

import pytest
from psycopg.conninfo import make_conninfo

import warehouse.loading.commit
from sources.errors import LakeBusyError, PaperlakeError, UsageError, WarehouseError
from standins.servers.postgres import PASSWORD, free_port
from standins.trials.rows import paper_row, run_row
from tests.backends import as_argument
from warehouse.lake.concurrency import refuse_lost_turn
from warehouse.lake.place import LakePlace, check_writable
from warehouse.lake.session import open_lake, writing
from warehouse.loading.commit import Harvest, load

pytestmark = [pytest.mark.servers, pytest.mark.slow]

RUN = run_row()


@pytest.fixture
def admin(postgres):
    """Runs a statement on the server."""
    return postgres.run


def add(place: LakePlace, name: str) -> None:
    with writing(place) as connection:
        load(connection, Harvest(papers=[paper_row(name, title=name)]), RUN | {"run_id": name})


def titles(place: LakePlace) -> list[str]:
    with closing(open_lake(place)) as connection:
        return [title for (title,) in connection.execute("SELECT title FROM papers ORDER BY ALL").fetchall()]


def elsewhere(place: LakePlace, **told: str | int) -> LakePlace:
    """Returns `place` with another way to its catalogue."""
    address = make_conninfo(place.catalog.removeprefix("postgres:"), **told)
    return LakePlace.of(place.folder, catalog=f"postgres:{address}", data=place.data)


def said(error: pytest.ExceptionInfo) -> str:
    """Returns the message, after a look at it and at the errors behind it for secrets."""
    message = str(error.value)
    assert "\n" not in message
    secrets = [PASSWORD, PASSWORD.replace("'", "\\'").replace("\\et", "\\\\et"), os.environ["AWS_SECRET_ACCESS_KEY"]]
    behind: BaseException | None = error.value
    while behind is not None:
        assert not any(secret in repr(behind) + str(behind) for secret in (*secrets, "wr0ng"))
        behind = behind.__cause__
    return message


# the catalogue's server


@pytest.mark.parametrize(
    "use", [open_lake, check_writable, lambda place: add(place, "B")], ids=["read", "ask", "write"]
)
@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"password": "wr0ng"}, "password authentication failed"),
        ({"dbname": "nowhere"}, 'database "nowhere" does not exist'),
        ({"port": 1}, "refused"),
        ({"host": "nowhere.invalid"}, "nowhere.invalid"),
    ],
)
def test_a_catalogue_that_cannot_be_reached_is_one_clear_line(place, backend, told, words, use):
    before = backend.contents(place)
    with pytest.raises(WarehouseError) as error:
        use(elsewhere(place, **told))
    assert words in said(error)
    assert "cannot reach the catalogue postgres:" in said(error)
    assert backend.contents(place) == before


def test_a_database_without_a_lake_says_how_to_make_one(backend, tmp_path):
    with pytest.raises(UsageError, match="paperlake refresh LIST") as error:
        open_lake(backend.new(tmp_path))
    assert "no lake at postgres:" in said(error)


@pytest.mark.parametrize("text", ["postgres:wr0ng", "postgres://u:wr0ng@h/d?shape=wr0ng", "mysql:wr0ng", "wr0ng"])
def test_what_is_no_connection_string_is_wrong_usage_and_not_repeated(tmp_path, place, text):
    with pytest.raises(UsageError, match="PAPERLAKE_CATALOG") as error:
        open_lake(LakePlace.of(tmp_path, catalog=text))
    said(error)


@pytest.mark.parametrize("form", ["{words}", "postgres://{user}:{quoted}@{host}:{port}/{dbname}"])
def test_both_ways_to_write_a_connection_work_and_the_password_is_never_shown(place, form):
    from urllib.parse import quote

    from psycopg.conninfo import conninfo_to_dict

    words = place.catalog.removeprefix("postgres:")
    parts = conninfo_to_dict(words)
    told = form.format(words=f"postgres:{words}", quoted=quote(PASSWORD, safe=""), **parts)
    again = LakePlace.of(place.folder, catalog=told, data=place.data)
    assert titles(again) == []
    assert PASSWORD not in f"{again} {again!r} {again.server} {again.server!r}"


def test_the_password_may_come_from_the_environment(place, monkeypatch):
    without = LakePlace.of(place.folder, catalog=f"postgres:{place.server.address}", data=place.data)
    with pytest.raises(WarehouseError, match="no password supplied"):
        titles(without)
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    assert titles(without) == []
    add(without, "A")
    assert titles(without) == ["A"]


def history(place) -> list:
    with closing(open_lake(place)) as connection:
        files = "SELECT path, begin_snapshot FROM __ducklake_metadata_lake.ducklake_data_file ORDER BY ALL"
        return [connection.execute(sql).fetchall() for sql in ("FROM lake.snapshots()", files)]


def test_a_connection_lost_in_the_middle_of_a_commit_leaves_the_old_lake(place, backend, admin, monkeypatch):
    add(place, "A")
    before = history(place)
    real = warehouse.loading.commit.check

    def cut(*told, **more):
        real(*told, **more)
        admin(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            f"WHERE datname = '{backend.database(place)}' AND application_name NOT LIKE 'paperlake%'"
        )

    with monkeypatch.context() as patch:
        patch.setattr(warehouse.loading.commit, "check", cut)
        with pytest.raises(WarehouseError) as error:
            add(place, "B")
    assert "cannot write the lake at postgres:" in said(error)
    assert history(place) == before
    assert titles(place) == ["A"]
    add(place, "B")
    assert titles(place) == ["A", "B"]


@pytest.mark.nightly
def test_a_writer_whose_turn_was_lost_writes_nothing(place, backend, admin):
    add(place, "A")
    lost = (
        f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{backend.database(place)}' "
        "AND application_name LIKE 'paperlake on %'"
    )
    with writing(place) as connection:
        refuse_lost_turn(connection)
        admin(lost)
        add(place, "another writer's")
        with pytest.raises(LakeBusyError, match="nothing was written"):
            load(connection, Harvest(papers=[paper_row("B", title="B")]), RUN)
    assert titles(place) == ["A", "another writer's"]


def test_a_killed_writer_holds_nobody_up(place):
    code = (
        "import sys; from tests.backends import from_argument; from warehouse.lake.session import writing\n"
        "with writing(from_argument(sys.argv[1])): print('in', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, as_argument(place)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        waiting = threading.Event()
        mine = threading.Thread(target=_write_after, args=(place, waiting))
        mine.start()
        assert waiting.wait(60)
        other.kill()
        mine.join(60)
    assert titles(place) == ["B"]


def _write_after(place, waiting):
    with writing(place, on_wait=lambda _: waiting.set()) as connection:
        load(connection, Harvest(papers=[paper_row("B", title="B")]), RUN)


# the store


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"AWS_ENDPOINT_URL": f"http://127.0.0.1:{free_port()}"}, "127.0.0.1"),
        ({"AWS_ENDPOINT_URL": "127.0.0.1:9"}, "AWS_ENDPOINT_URL"),
        ({"AWS_SECRET_ACCESS_KEY": ""}, "no credentials for s3://"),
        ("s3://no-such-bucket/lake", "no-such-bucket"),
        ("s3://", "names no bucket"),
        ("gs://lakes/x", "neither a folder nor s3://"),
    ],
)
def test_a_store_that_cannot_be_used_is_one_clear_line_and_no_lake_is_made(backend, tmp_path, monkeypatch, told, words):
    fresh = backend.new(tmp_path)
    with monkeypatch.context() as patch:
        for name, value in told.items() if isinstance(told, dict) else ():
            patch.setenv(name, value)
        with pytest.raises(PaperlakeError) as error:
            add(LakePlace.of(tmp_path, catalog=fresh.catalog, data=told if isinstance(told, str) else fresh.data), "A")
    assert words in said(error)
    with pytest.raises(UsageError, match="no lake at"):
        open_lake(fresh)


def test_wrong_keys_are_one_clear_line_and_change_nothing(place, backend, s3):
    add(place, "A")
    before = backend.contents(place)
    s3.ask_for_keys()
    try:
        for use in (titles, lambda place: add(place, "B")):
            with pytest.raises(WarehouseError) as error:
                use(place)
            assert "403" in said(error)
    finally:
        s3.ask_for_keys(strict=False)
    assert backend.contents(place) == before
    assert titles(place) == ["A"]


def test_keys_may_come_from_a_profile(place, s3, tmp_path, monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    file = tmp_path / "credentials"
    keys = f"aws_access_key_id = {s3.env['AWS_ACCESS_KEY_ID']}\naws_secret_access_key = k"
    file.write_text(f"[lab]\n{keys}\n")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(file))
    monkeypatch.setenv("AWS_PROFILE", "lab")
    connection = open_lake(place)
    assert connection.execute("SELECT count(*) FROM schema_migrations").fetchone()[0] > 1
    assert "key_id=AKIA" in connection.execute("SELECT string_agg(secret_string) FROM duckdb_secrets()").fetchone()[0]
    connection.close()
