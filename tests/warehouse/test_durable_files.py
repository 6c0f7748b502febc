from __future__ import annotations

import os
from pathlib import Path

import pytest

from warehouse.durable_files import put_in_place, write_whole


@pytest.fixture
def steps(monkeypatch):
    """What is flushed and renamed, in order; a file that is flushed by its name when it was opened."""
    seen = []
    opened = {}
    real_open, real_fsync, real_replace = os.open, os.fsync, os.replace

    def remember(path, *arguments, **options):
        descriptor = real_open(path, *arguments, **options)
        opened[descriptor] = Path(path)
        return descriptor

    def fsync(descriptor):
        seen.append(("flushed", opened[descriptor].name))
        real_fsync(descriptor)

    def rename(made, target, **options):
        seen.append(("renamed", Path(target).name))
        real_replace(made, target, **options)

    monkeypatch.setattr(os, "open", remember)
    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", rename)
    return seen


def flushed(*names):
    return [("flushed", name) for name in names]


def test_a_file_is_flushed_before_it_is_renamed_and_its_folder_after(tmp_path, steps):
    made, folder = tmp_path / "made", tmp_path / "folder"
    folder.mkdir()
    made.write_bytes(b"body")
    put_in_place(made, folder / "target")
    assert steps == [*flushed("made"), ("renamed", "target"), *flushed("folder", tmp_path.name)]
    assert (folder / "target").read_bytes() == b"body"


def test_a_folder_is_flushed_with_all_that_is_in_it_before_it_is_renamed(tmp_path, steps):
    (tmp_path / "made" / "inner").mkdir(parents=True)
    (tmp_path / "made" / "inner" / "file").write_bytes(b"body")
    put_in_place(tmp_path / "made", tmp_path / "target")
    assert steps == [*flushed("file", "inner", "made"), ("renamed", "target"), *flushed(tmp_path.name)]


def test_a_fault_of_the_disk_leaves_the_old_file(tmp_path, monkeypatch):
    target = tmp_path / "file"
    target.write_bytes(b"old")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(target, b"new")
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_the_permissions_of_the_old_file_stay_and_a_new_one_has_those_of_the_user(tmp_path):
    target, other = tmp_path / "file", tmp_path / ("n" * 255)
    write_whole(target, b"old")
    plain = tmp_path / "plain"
    plain.write_bytes(b"")
    assert target.stat().st_mode == plain.stat().st_mode
    target.chmod(0o640)
    write_whole(target, b"new")
    assert target.stat().st_mode & 0o777 == 0o640
    write_whole(other, b"a name as long as can be")
    assert other.read_bytes() == b"a name as long as can be"
