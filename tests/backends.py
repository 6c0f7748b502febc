"""Where a test's lake is kept: SQLite and local files, or PostgreSQL and S3. The same tests run on both."""

from __future__ import annotations

import json
import shutil
import uuid
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict

from standins.servers.postgres import PostgresServer
from standins.servers.s3 import BUCKET, S3Server
from warehouse.lake.place import LakePlace


class Local:
    """SQLite and local files."""

    def new(self, folder: Path) -> LakePlace:
        return LakePlace.of(folder)

    def copy(self, place: LakePlace, folder: Path) -> LakePlace:
        shutil.copytree(place.folder, folder)
        return LakePlace.of(folder)

    def files(self, place: LakePlace) -> dict[str, bytes]:
        root = Path(place.data)
        return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*.parquet"))}

    def lose(self, place: LakePlace, name: str) -> None:
        (Path(place.data) / name).unlink()

    def add(self, place: LakePlace, name: str, body: bytes) -> None:
        (Path(place.data) / name).parent.mkdir(parents=True, exist_ok=True)
        (Path(place.data) / name).write_bytes(body)

    def contents(self, place: LakePlace) -> dict[str, bytes]:
        paths = (path for path in sorted(place.folder.rglob("*")) if path.is_file())
        return {str(path.relative_to(place.folder)): path.read_bytes() for path in paths}


class Shared:
    """PostgreSQL and S3: a database and a prefix each lake."""

    def __init__(self, postgres: PostgresServer, s3: S3Server) -> None:
        self._postgres, self._s3 = postgres, s3

    def new(self, folder: Path, *, template: str = "template1") -> LakePlace:
        database = self._postgres.database(template=template)
        return LakePlace.of(
            folder,
            catalog=f"postgres:{self._postgres.address(database)}",
            data=f"s3://{BUCKET}/{uuid.uuid4().hex}",
        )

    def copy(self, place: LakePlace, folder: Path) -> LakePlace:
        copy = self.new(folder, template=self.database(place))
        self._postgres.run(
            f"UPDATE ducklake_metadata SET value = '{copy.data}' WHERE key = 'data_path'", database=self.database(copy)
        )
        self._s3.copy(_prefix(place), _prefix(copy))
        return copy

    def files(self, place: LakePlace) -> dict[str, bytes]:
        prefix = _prefix(place)
        keys = [key for key in self._s3.keys(prefix) if key.endswith(".parquet")]
        return {key.removeprefix(prefix): self._s3.body(key) for key in keys}

    def lose(self, place: LakePlace, name: str) -> None:
        self._s3.client.delete_object(Bucket=BUCKET, Key=_prefix(place) + name)

    def add(self, place: LakePlace, name: str, body: bytes) -> None:
        self._s3.client.put_object(Bucket=BUCKET, Key=_prefix(place) + name, Body=body)

    def contents(self, place: LakePlace) -> dict[str, bytes]:
        dump = "SELECT query_to_xml('SELECT * FROM ' || c.oid::regclass || ' ORDER BY 1, 2', true, true, '')::text"
        tables = "FROM pg_class AS c WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY 1"
        rows = self._postgres.run(f"{dump} {tables}", database=self.database(place))
        return {**self.files(place), "catalogue": repr(rows).encode()}

    def put(self, name: str, place: LakePlace) -> None:
        """Puts something that is nobody's business beside the lake at `place`."""
        body = next(iter(self.files(place).values()))
        key = f"{_prefix(place).rstrip('/').rpartition('/')[0]}/{name}".lstrip("/")
        self._s3.client.put_object(Bucket=BUCKET, Key=key, Body=body)

    def database(self, place: LakePlace) -> str:
        """Returns the database that holds the catalogue."""
        return str(conninfo_to_dict(place.server.address)["dbname"])


def as_argument(place: LakePlace) -> str:
    """Returns `place` as an argument of a child process, for `from_argument`."""
    return json.dumps({"folder": str(place.folder), "catalog": place.catalog, "data": place.data})


def from_argument(text: str) -> LakePlace:
    """Returns the place that `as_argument` wrote."""
    told = json.loads(text)
    return LakePlace.of(Path(told["folder"]), catalog=told["catalog"], data=told["data"])


def _prefix(place: LakePlace) -> str:
    return place.data.removeprefix(f"s3://{BUCKET}/")


Backend = Local | Shared
