"""Every command refuses a lake from before the first schema, and says what to do."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from flows.cli import main
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
    "command",
    ["check LIST", "fix LIST", "missing LIST", "related LIST", "export bibtex out.bib", "refresh --offline LIST",
     "dashboard", "sql 'SELECT 1'", "status", "review list", "lake check", "lake compact"],
)  # fmt: skip
def test_a_lake_from_before_the_first_schema_is_refused(unreleased, tmp_path, monkeypatch, capfd, command):
    (tmp_path / "LIST").write_text(
        "- [Attention Is All You Need](https://arxiv.org/abs/1706.03762)\n", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["paperlake", *shlex.split(command), "--lake", str(unreleased)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "made by a paperlake from before version 0.1" in " ".join(capfd.readouterr().err.split())
