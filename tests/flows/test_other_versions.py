"""Every command refuses a lake from before the first schema, and says what to do."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from warehouse.lake.session import writing


@pytest.fixture(scope="module")
def unreleased(empty_lake, tmp_path_factory) -> Path:
    """The folder of a lake as an unreleased version made it: other steps, fewer tables."""
    place = empty_lake(tmp_path_factory.mktemp("unreleased") / "lake")
    with writing(place) as connection:
        connection.execute("DELETE FROM schema_migrations")
        connection.execute("INSERT INTO schema_migrations VALUES ('0001-tables', now()), ('0002-review', now())")
        connection.execute("DROP TABLE openalex_works")
    return place.folder


@pytest.mark.parametrize(
    "command", ["check LIST", "refresh --offline LIST", "sql 'SELECT 1'", "review list", "lake compact"]
)
def test_a_lake_from_before_the_first_schema_is_refused(unreleased, tmp_path, command):
    (tmp_path / "LIST").write_text(
        "- [Attention Is All You Need](https://arxiv.org/abs/1706.03762)\n", encoding="utf-8"
    )
    arguments = [*shlex.split(command), "--lake", str(unreleased)]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "flows", *arguments], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 2, done
    assert "made by a paperlake from before version 0.1" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
