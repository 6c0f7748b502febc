from __future__ import annotations

import hashlib
import io
import os
import stat
import sys
from pathlib import Path

import pytest

from flows.cli import main
from sources.errors import UsageError
from standins.trials.rows import list_row, mention_row, paper_row
from warehouse.dashboard.page import publish
from warehouse.lake.place import LakePlace
from warehouse.lake.session import writing
from warehouse.loading.load import append
from warehouse.query.export import select, spreadsheet_text, whole_folder
from warehouse.query.user_files import writing_user_file
from warehouse.tables import declarations as tables


@pytest.fixture(scope="module")
def lake(empty_lake, tmp_path_factory) -> LakePlace:
    place = empty_lake(tmp_path_factory.mktemp("user-files") / "lake")
    with writing(place) as connection:
        append(connection, tables.READING_LISTS, [list_row()])
        append(connection, tables.PAPERS, [paper_row("p1", title="=1+1", authors=["@SUM(A1)", "B"], venue="\tx")])
        append(connection, tables.MENTIONS, [mention_row(paper_id="p1")])
    return place


def hashes(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def write(path: Path, place: LakePlace, body: bytes = b"new") -> None:
    with writing_user_file(path, place=place) as file:
        file.write(body)


def fifo(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


def link_to_itself(folder: Path) -> Path:
    (folder / "link").symlink_to("link")
    return folder / "link"


@pytest.mark.parametrize("make", [fifo, link_to_itself, lambda folder: folder, lambda folder: Path("/dev/null")])
def test_what_is_no_regular_file_is_left_as_it_is(lake, tmp_path, monkeypatch, make):
    monkeypatch.chdir(tmp_path)
    path = make(tmp_path)
    before = path.lstat()
    with pytest.raises(UsageError, match="cannot write") as refused:
        write(path, lake)
    assert "\n" not in str(refused.value)
    after = path.lstat()
    assert (after.st_ino, after.st_mode, after.st_rdev) == (before.st_ino, before.st_mode, before.st_rdev)
    assert [entry for entry in path.parent.iterdir() if entry.name.endswith(".partial")] == []


def test_a_symbolic_link_is_followed_and_stays_a_link(lake, tmp_path):
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "out.csv", tmp_path / "out.csv"
    link.symlink_to(target)
    write(link, lake)
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_the_permissions_of_a_file_stay(lake, tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("old")
    path.chmod(0o600)
    write(path, lake)
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", 0o600)


def test_a_write_that_fails_half_way_leaves_the_old_file_and_nothing_else(lake, tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("old")

    def stop_half_way() -> None:
        with writing_user_file(path, place=lake) as file:
            file.write(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        stop_half_way()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["none/out.csv", "out\0.csv", "n" * 300, "file/out.csv"])
def test_a_name_that_cannot_be_is_one_line(lake, tmp_path, name):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write") as refused:
        write(tmp_path / name, lake)
    assert "\n" not in str(refused.value)


def of_the_lake(lake: LakePlace, folder: Path) -> list[Path]:
    """Returns names that lead to the lake's files or into its folders, by every way there is."""
    data = next(Path(lake.data).rglob("*.parquet"))
    (folder / "link-to-folder").symlink_to(lake.folder)
    (folder / "link-to-file").symlink_to(data)
    (folder / "second-name").hardlink_to(data)
    (folder / "second-catalogue").hardlink_to(lake.catalog_file)
    return [
        lake.catalog_file,
        lake.catalog_file.with_name("catalog.sqlite-journal"),
        data,
        Path(lake.data) / "main" / "papers" / "new.parquet",
        lake.folder / "new.csv",
        folder / "link-to-folder" / "new.csv",
        folder / "link-to-file",
        folder / "second-name",
        folder / "second-catalogue",
    ]


def test_nothing_is_written_into_the_lake_by_whatever_name(lake, tmp_path):
    before = hashes(lake.folder)
    paths = of_the_lake(lake, tmp_path)
    try:
        for path in paths:
            with pytest.raises(UsageError, match="the lake at"):
                write(path, lake)
    finally:
        (tmp_path / "second-name").unlink()
        (tmp_path / "second-catalogue").unlink()
    assert hashes(lake.folder) == before


def test_a_catalogue_and_data_that_are_elsewhere_are_the_lake_too(tmp_path):
    place = LakePlace.of(
        tmp_path / "lake", catalog=f"sqlite:{tmp_path / 'other' / 'c.sqlite'}", data=str(tmp_path / "far" / "data")
    )
    (tmp_path / "other").mkdir()
    with writing(place) as connection:
        append(connection, tables.PAPERS, [paper_row("p1")])
    before = hashes(tmp_path)
    for path in ("other/c.sqlite", "other/c.sqlite-journal", "far/data/x.csv"):
        with pytest.raises(UsageError, match="inside the lake"):
            write(tmp_path / path, place)
    assert hashes(tmp_path) == before
    write(tmp_path / "other" / "beside.csv", place)


def test_no_folder_is_filled_inside_the_lake(lake):
    before = hashes(lake.folder)
    with pytest.raises(UsageError, match="inside the lake"):
        publish(lake, Path(lake.data) / "page")
    with (
        pytest.raises(UsageError, match="inside the lake"),
        whole_folder(Path(lake.data), force=True, notice="n", place=lake),
    ):
        pass
    assert hashes(lake.folder) == before


def test_a_folder_of_files_is_refused_before_the_first_is_changed(lake, tmp_path):
    (tmp_path / "a").write_text("old")
    os.mkfifo(tmp_path / "b")

    def fill() -> None:
        with whole_folder(tmp_path, force=True, notice="n", place=lake) as filled:
            (filled / "a").write_text("new")
            (filled / "b").write_text("new")

    with pytest.raises(UsageError, match="FIFO"):
        fill()
    assert (tmp_path / "a").read_text() == "old"


@pytest.mark.parametrize(
    "command",
    [
        ["export", "csv", "{}"],
        ["export", "bibtex", "{}"],
        ["sql", "FROM papers", "--format", "parquet", "--out", "{}"],
    ],
)
@pytest.mark.parametrize("where", ["fifo", "link"])
def test_commands_refuse_in_one_line_with_exit_code_2(lake, tmp_path, monkeypatch, command, where):
    (tmp_path / "link").symlink_to(lake.catalog_file)
    path = fifo(tmp_path) if where == "fifo" else tmp_path / "link"
    before = hashes(lake.folder)
    errors = io.StringIO()
    monkeypatch.setattr(sys, "stderr", errors)
    arguments = [part.format(path) for part in command]
    monkeypatch.setattr(sys, "argv", ["paperlake", *arguments, "--lake", str(lake.folder)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert len(errors.getvalue().strip().splitlines()) == 1
    assert hashes(lake.folder) == before


def test_the_dashboards_csv_and_the_export_guard_against_formulas(lake, tmp_path):
    publish(lake, tmp_path / "page")
    with select(lake) as selection:
        (tmp_path / "out.csv").write_text(spreadsheet_text(selection))
    for file in (tmp_path / "page" / "catalogue.csv", tmp_path / "out.csv"):
        text = file.read_text(encoding="utf-8")
        assert [cell in text for cell in (",'=1+1,", ",'@SUM(A1); B,", ",'\tx,")] == [True, True, True]
