from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from sources.errors import PermanentSourceError, TransientSourceError, UsageError
from sources.lists.local_files import MAX_FILE_BYTES
from sources.lists.locations import Document, read_lists
from sources.lists.remote import Fetched

LIST = b"# Papers\n\n- Attention Is All You Need\n"


def write(path: Path, body: bytes = LIST) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)
    return path


def names(documents: list[Document]) -> list[str]:
    return [document.location.rsplit("/", 1)[-1] for document in documents]


def refused(*arguments: str | Path, **options) -> str:
    with pytest.raises(UsageError) as caught:
        read_lists([str(argument) for argument in arguments], **options)
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.fixture
def open_folder():
    """A folder that everybody may enter, and this process without the rights of root, for whom nothing is closed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "sub").mkdir()
        write(folder / "mine.md").chmod(0)
        (folder / "sub").chmod(0)
        root = os.geteuid() == 0
        if root:
            os.seteuid(65534)
        yield folder
        if root:
            os.seteuid(0)
        (folder / "sub").chmod(0o700)


# files


def test_a_file_is_known_by_its_absolute_path_and_the_hash_of_its_bytes(tmp_path, monkeypatch):
    body = b"\xef\xbb\xbf" + LIST
    path = write(tmp_path / "mine.md", body)
    monkeypatch.chdir(tmp_path)
    (document,) = read_lists(["mine.md"])
    assert document.location == path.resolve().as_posix()
    assert document.text == LIST.decode()
    assert document.revision == hashlib.sha256(body).hexdigest()


def test_no_argument_is_no_document():
    assert read_lists([]) == []


def test_a_file_named_itself_may_end_in_anything(tmp_path):
    assert names(read_lists([str(write(tmp_path / "papers.rst"))])) == ["papers.rst"]


def test_the_order_of_the_arguments_stays(tmp_path):
    later, earlier = write(tmp_path / "z.md"), write(tmp_path / "a.md")
    assert names(read_lists([str(later), str(earlier)])) == ["z.md", "a.md"]


def test_a_file_named_twice_counts_once_however_it_is_spelled(tmp_path, monkeypatch):
    path = write(tmp_path / "lists" / "mine.md")
    (tmp_path / "link.md").symlink_to(path)
    monkeypatch.chdir(tmp_path)
    spellings = [str(path), "lists/mine.md", "./lists/../lists/mine.md", "lists", "lists/*.md", "link.md"]
    assert names(read_lists(spellings)) == ["mine.md"]


@pytest.mark.parametrize(
    "order", [["link.md", "mine.md"], ["mine.md", "link.md"], ["."], ["*.md"], ["link.md", "*.md"]]
)
def test_of_a_file_and_a_link_to_it_the_file_gives_the_name(tmp_path, monkeypatch, order):
    (tmp_path / "link.md").symlink_to(write(tmp_path / "mine.md"))
    monkeypatch.chdir(tmp_path)
    assert names(read_lists(order)) == ["mine.md"]


def test_a_link_is_known_by_its_own_name_so_that_pointing_it_elsewhere_keeps_the_list(tmp_path):
    (tmp_path / "current.md").symlink_to(write(tmp_path / "2026-10.md"))
    assert names(read_lists([str(tmp_path / "current.md")])) == ["current.md"]


def test_the_home_folder_may_be_written_as_a_tilde(tmp_path, monkeypatch):
    write(tmp_path / "mine.md")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert names(read_lists(["~/mine.md"])) == ["mine.md"]
    assert names(read_lists(["~/*.md"])) == ["mine.md"]


def test_a_file_name_that_is_no_text_still_gives_a_location_that_every_store_can_hold(tmp_path):
    folder = os.fsencode(tmp_path)
    with open(os.path.join(folder, b"caf\xe9.md"), "wb") as file:  # noqa: PTH118, PTH123 - bytes, which Path refuses
        file.write(LIST)
    (document,) = read_lists([str(tmp_path)])
    assert document.location.encode().endswith(rb"caf\xe9.md")


@pytest.mark.parametrize(
    ("make", "says"),
    [
        pytest.param(lambda folder: folder / "absent.md", "no such file", id="missing"),
        pytest.param(lambda folder: write(folder / "a.md", b""), "is empty", id="no-bytes"),
        pytest.param(lambda folder: write(folder / "a.md", b" \r\n\t\n\xe3\x80\x80"), "is empty", id="white-space"),
        pytest.param(lambda folder: write(folder / "a.md", b"\xef\xbb\xbf\n"), "is empty", id="only-a-mark"),
        pytest.param(lambda folder: write(folder / "a.md", b"# x\0y"), "binary", id="nul-byte"),
        pytest.param(lambda folder: write(folder / "a.md", b"\x89PNG\r\n\x1a\n"), "binary", id="picture"),
        pytest.param(lambda folder: write(folder / "a.md", b"%PDF-1.5\n%\xd0\xd4\xc5\xd8\n"), "binary", id="pdf"),
        pytest.param(lambda folder: write(folder / "a.md") / "b.md", "not a directory", id="below-a-file"),
        pytest.param(lambda folder: folder / ("x" * 300), "too long", id="name-too-long"),
        pytest.param(lambda folder: f"{folder}/a\0.md", "cannot be read", id="nul-in-the-name"),
        pytest.param(lambda folder: f"{folder}/a\n\x1b[31mb.md", r"a\n\x1b[31mb.md", id="control-characters"),
        pytest.param(lambda folder: "~no-such-user-here/x.md", "cannot be read", id="no-such-user"),
        pytest.param(lambda folder: "", "empty LIST argument", id="empty-argument"),
        pytest.param(lambda folder: "   ", "empty LIST argument", id="blank-argument"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_one_line(tmp_path, make, says):
    assert says in refused(make(tmp_path))


def test_a_refusal_of_one_argument_refuses_all(tmp_path):
    refused(write(tmp_path / "good.md"), tmp_path / "absent.md")


def test_a_pipe_is_refused_without_waiting_for_somebody_to_write(tmp_path):
    os.mkfifo(tmp_path / "pipe.md")
    assert "not a regular file" in refused(tmp_path / "pipe.md")
    assert "not a regular file" in refused(tmp_path)


def test_a_device_is_refused():
    assert "not a regular file" in refused("/dev/zero")


def test_a_file_without_permission_is_refused(open_folder):
    assert "permission denied" in refused(open_folder / "mine.md")


def test_a_file_that_is_too_large_is_refused(tmp_path):
    with (tmp_path / "large.md").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    assert "larger than 64 MiB" in refused(tmp_path / "large.md")


# folders


@pytest.fixture
def tree(tmp_path) -> Path:
    for name in [
        "b.md", "a.markdown", "c.mdown", "d.txt", "e.MD", "sub/f.md", "sub/deeper/g.md", "notes.pdf", "script.py",
        ".hidden.md", ".git/h.md", "node_modules/pkg/README.md", "env/pyvenv.cfg", "env/lib/i.md", "sub/.venv/j.md",
    ]:  # fmt: skip
        write(tmp_path / name)
    (tmp_path / "sub" / "loop").symlink_to(tmp_path)
    return tmp_path


def test_a_folder_gives_its_lists_to_the_depths_and_nothing_that_is_none(tree):
    assert names(read_lists([str(tree)])) == ["a.markdown", "b.md", "c.mdown", "d.txt", "e.MD", "f.md", "g.md"]


def test_a_hidden_folder_named_itself_is_read(tree):
    assert names(read_lists([str(tree / ".git")])) == ["h.md"]


def test_a_folder_without_lists_is_refused(tmp_path):
    write(tmp_path / "paper.pdf")
    assert "holds no reading lists" in refused(tmp_path)


@pytest.mark.parametrize("name", ["sub", ""])
def test_a_folder_without_permission_is_refused_not_skipped(open_folder, name):
    assert "permission denied" in refused(open_folder / name)


# globs


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        pytest.param("*.md", ["b.md"], id="suffix"),
        pytest.param("[ab].*", ["a.markdown", "b.md"], id="set"),
        pytest.param("?.txt", ["d.txt"], id="one-character"),
        pytest.param("**/*.md", ["b.md", "g.md", "f.md"], id="all-depths"),
        pytest.param("sub/*", ["g.md", "f.md"], id="folders-as-a-shell-would"),
        pytest.param("*", ["a.markdown", "b.md", "c.mdown", "d.txt", "e.MD", "f.md", "g.md"], id="only-lists"),
        pytest.param("*.py", ["script.py"], id="the-pattern-says-what-it-wants"),
        pytest.param(".git/*.md", ["h.md"], id="hidden-if-named"),
    ],
)
def test_a_glob_that_the_shell_left_alone_is_expanded(tree, pattern, expected):
    assert names(read_lists([f"{tree}/{pattern}"])) == expected


def test_a_glob_may_be_relative(tree, monkeypatch):
    monkeypatch.chdir(tree)
    assert names(read_lists(["sub/**/*.md"])) == ["g.md", "f.md"]


def test_a_name_that_exists_is_no_glob(tmp_path):
    write(tmp_path / "notes[1].md")
    write(tmp_path / "notes1.md")
    assert names(read_lists([f"{tmp_path}/notes[1].md"])) == ["notes[1].md"]


@pytest.mark.parametrize("pattern", ["*.markdown", "absent/*.md", "**x/*.md"])
def test_a_glob_that_matches_nothing_is_refused(tmp_path, pattern):
    write(tmp_path / "a.md")
    assert "glob" in refused(tmp_path / pattern) or "matches no reading list" in refused(tmp_path / pattern)


# standard input


def test_a_dash_is_standard_input_and_counts_once():
    (document,) = read_lists(["-", "-"], stdin=io.BytesIO(LIST))
    assert (document.location, document.text) == ("-", LIST.decode())


@pytest.mark.parametrize("body", [b"", b"\0\1\2"], ids=["empty", "binary"])
def test_bad_standard_input_is_refused_by_name(body):
    assert refused("-", stdin=io.BytesIO(body)).startswith("standard input")


# addresses


class Shelf:
    """Stands for the network: what each address holds, and what was asked."""

    def __init__(self, **held: bytes) -> None:
        self.held = {name.replace("__", "/"): body for name, body in held.items()}
        self.asked: list[str] = []

    def __call__(self, url: str) -> Fetched:
        self.asked.append(url)
        for end, body in self.held.items():
            if url.endswith(end):
                return Fetched(body=body)
        raise PermanentSourceError("answered 404", source="list", url=url, status=404)


def test_an_address_is_known_by_itself_without_what_is_secret():
    fetch = Shelf(**{"list.md?ref=main&private_token=s3cret": LIST})
    (document,) = read_lists(["https://lists.test/list.md?ref=main&private_token=s3cret#top"[:-4]], fetch=fetch)
    assert document.location == "https://lists.test/list.md?ref=main&private_token=***"
    assert document.text == LIST.decode()


@pytest.mark.parametrize(
    "url",
    [
        "http://lists.test/a.md",
        "ftp://lists.test/a.md",
        "file:///etc/passwd",
        "s3://bucket/a.md",
        "https://u:p@h.test/a",
    ],
)
def test_an_address_of_another_kind_is_refused_before_anything_is_asked(url):
    assert "p@" not in refused(url)


@pytest.mark.parametrize(
    ("argument", "location", "asked"),
    [
        pytest.param("github:ada/lists", "github:ada/lists/README.md", "ada/lists/HEAD/README.md", id="repository"),
        pytest.param("github:ada/lists/README.md", "github:ada/lists/README.md", "ada/lists/HEAD/README.md", id="file"),
        pytest.param(
            "https://github.com/ada/lists", "github:ada/lists/README.md", "ada/lists/HEAD/README.md", id="page"
        ),
        pytest.param(
            "https://github.com/ada/lists/blob/dev/README.md",
            "github:ada/lists@dev/README.md",
            "ada/lists/dev/README.md",
            id="page-of-a-branch",
        ),
    ],
)
def test_a_github_repository_is_read_over_https(argument, location, asked):
    fetch = Shelf(README__md=LIST, **{"README.md": LIST})
    (document,) = read_lists([argument], fetch=fetch)
    assert document.location == location
    assert fetch.asked == [f"https://raw.githubusercontent.com/{asked}"]


def test_a_repository_whose_readme_is_written_otherwise_is_found():
    fetch = Shelf(**{"HEAD/README.markdown": LIST})
    (document,) = read_lists(["github:ada/lists"], fetch=fetch)
    assert document.location == "github:ada/lists/README.markdown"


def test_a_folder_of_a_repository_gives_its_readme():
    fetch = Shelf(**{"HEAD/docs/README.md": LIST})
    (document,) = read_lists(["github:ada/lists/docs/"], fetch=fetch)
    assert document.location == "github:ada/lists/docs/README.md"


def test_a_repository_without_the_file_is_refused_by_name():
    with pytest.raises(PermanentSourceError, match=r"github:ada/lists/absent\.md has no such file") as caught:
        read_lists(["github:ada/lists/absent.md"], fetch=Shelf())
    assert caught.value.status == 404


@pytest.mark.parametrize("error", [TransientSourceError, PermanentSourceError])
def test_a_fault_of_the_network_is_never_taken_for_another_name_of_the_readme(error):
    def fetch(url: str) -> Fetched:
        asked.append(url)
        raise error("answered 403 or 503", source="list", url=url, status=403)

    asked: list[str] = []
    with pytest.raises(error):
        read_lists(["github:ada/lists"], fetch=fetch)
    assert len(asked) == 1


def test_a_local_list_is_read_without_importing_the_network(tmp_path):
    write(tmp_path / "mine.md")
    code = "import sys, sources.lists.locations as l; l.read_lists(sys.argv[1:]); print('httpx' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )
    assert done.stdout.strip() == "False"
