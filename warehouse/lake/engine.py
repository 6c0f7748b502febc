"""Sets up DuckDB for a lake: its extensions, and the credentials for data on S3.

Extensions load from the wheels installed beside DuckDB, by path and with no network; else from where DuckDB keeps its
own, signature-checked. Credentials and address of S3, or of what speaks its language, come from the environment, as for
AWS's tools: https://docs.aws.amazon.com/sdkref/latest/guide/environment-variables.html . Keys go into a DuckDB secret
that is good for the lake's own prefix and nothing else; DuckDB shows it redacted.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from urllib.parse import urlsplit

import duckdb

from sources.errors import UsageError, WarehouseError
from warehouse.tables.schema import literal, literal_path

# Extension -> the extra of paperlake that brings its wheel.
_EXTRAS = {"postgres_scanner": "postgres", "httpfs": "s3", "aws": "s3"}


# Verifying the signatures of two extensions takes a quarter of a second. Those of wheels need it no more than DuckDB
# itself, which lies beside them. Such a connection loads no other by itself, and downloads none; see `load_engine`.
_TRUSTED: dict[str, bool] = {
    "allow_unsigned_extensions": True,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}


def load_engine(catalogue: str, *, on_store: bool = False) -> duckdb.DuckDBPyConnection:
    """Returns DuckDB with the extensions that a lake needs, nothing attached yet, with a single thread.

    Where the data are `on_store`, which needs extensions that may have to be downloaded, all are verified. A thread
    must not call this beside other imports: now and then such a process ended by SIGSEGV.
    """
    in_wheels = all(_wheel_path(name) for name in ("ducklake", catalogue))
    trusted = _TRUSTED if in_wheels and not on_store else {}
    connection = duckdb.connect(config={"threads": 1, **trusted})
    try:
        connection.execute("SET TimeZone='UTC'")
        connection.execute("SET enable_progress_bar=false")
        load_extension(connection, "ducklake")
        load_extension(connection, catalogue)
        connection.execute("SET allow_unsigned_extensions=false")  # whatever is loaded later is verified
    except BaseException:
        connection.close()
        raise
    return connection


def load_extension(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    """Loads the extension `name`, such as `ducklake`, into `connection`."""
    path = _wheel_path(name)
    try:
        if path is not None:
            connection.execute(f"LOAD {literal(str(path))}")
        else:
            connection.execute(f"INSTALL {name}")
            connection.execute(f"LOAD {name}")
    except duckdb.Error as error:
        package = f"duckdb-extension-{name.replace('_', '-')}"
        remedy = f"install {package}=={duckdb.__version__}"
        if name in _EXTRAS:
            remedy = f"in paperlake's checkout, pip install '.[{_EXTRAS[name]}]'"
        raise WarehouseError(
            f"DuckDB {duckdb.__version__} cannot load its extension {name}: {remedy} ({error})"
        ) from error


@cache
def _wheel_path(name: str) -> Path | None:
    """Returns where the wheel of this DuckDB's version has the extension, None where there is no such wheel."""
    try:
        files = metadata.files(f"duckdb-extension-{name.replace('_', '-')}") or []
    except metadata.PackageNotFoundError:
        return None
    wanted = f"v{duckdb.__version__}/{name}.duckdb_extension"
    for file in files:
        if file.as_posix().endswith(wanted):
            return file.locate()  # type: ignore[return-value]
    return None


SCHEME = "s3://"


def _load_httpfs(connection: duckdb.DuckDBPyConnection) -> None:
    load_extension(connection, "httpfs")
    # It copies keys from the environment into these settings, where any query could read them.
    for name in ("s3_access_key_id", "s3_secret_access_key", "s3_session_token"):
        connection.execute(f"RESET {name}")


def grant(connection: duckdb.DuckDBPyConnection, prefix: str) -> None:
    """Lets `connection` read and write what is under `prefix`, an `s3://bucket/folder/`.

    Keys are `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`; without them AWS's usual chain is
    asked (profile, single sign-on, web identity, container, instance), and asked again when its keys expire.
    `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL` names another service, which is addressed by path.

    Raises:
        UsageError: There are no credentials, or the endpoint is no address of a server.
    """
    _load_httpfs(connection)
    scopes = list(dict.fromkeys((prefix, literal_path(prefix))))  # readers get the second
    options = {"SCOPE": scopes, **store_options()}
    key, secret = os.environ.get("AWS_ACCESS_KEY_ID"), os.environ.get("AWS_SECRET_ACCESS_KEY")
    if key and secret:
        token = os.environ.get("AWS_SESSION_TOKEN")
        options |= {"KEY_ID": key, "SECRET": secret} | ({"SESSION_TOKEN": token} if token else {})
        _create(connection, "config", options)
        return
    load_extension(connection, "aws")
    try:
        _create(connection, "credential_chain", options | {"REFRESH": "auto"})
    except duckdb.Error as error:
        raise UsageError(
            f"no credentials for {prefix}: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
        ) from error


def grant_public(connection: duckdb.DuckDBPyConnection, prefix: str) -> None:
    """Lets `connection` read what is public under `prefix`; no key is sent there.

    Raises:
        UsageError: The endpoint in the environment is no address of a server.
    """
    _load_httpfs(connection)
    _create(connection, "config", {"SCOPE": [prefix], **store_options()})


def _create(
    connection: duckdb.DuckDBPyConnection, provider: str, options: Mapping[str, str | bool | list[str]]
) -> None:
    """Keeps `options` as a secret; as bound values, so that an error cannot quote them."""
    parts = "".join(f", {name} ${number}" for number, name in enumerate(options, 1))
    connection.execute(
        f"CREATE OR REPLACE SECRET paperlake_data (TYPE s3, PROVIDER {literal(provider)}{parts})",
        list(options.values()),
    )


def store_options() -> dict[str, str | bool]:
    """Returns where S3 is, as the environment says, as options of a DuckDB secret; no key is among them.

    Raises:
        UsageError: The endpoint is no address of a server.
    """
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    options: dict[str, str | bool] = {"REGION": region} if region else {}
    if address := os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL"):
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.path.strip("/"):
            raise UsageError("AWS_ENDPOINT_URL is no address of a server: write https://host or http://host:port")
        options |= {"ENDPOINT": parts.netloc, "USE_SSL": parts.scheme == "https", "URL_STYLE": "path"}
    return options
