import hashlib
import io
import os
import tempfile
from pathlib import Path

import pytest

from sources.errors import PermanentSourceError, TransientSourceError, UsageError
from sources.lists.list_urls import Fetched
from sources.lists.local_files import MAX_FILE_BYTES
from sources.lists.locations import ListDocument, read_lists
from tests.matrices import for_each

LIST = b"# Papers\n\n- Attention Is All You Need\n"


def write(path: Path, body: bytes = LIST) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)
    return path


def names(documents: list[ListDocument]) -> list[str]:
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


def test_a_file_is_known_by_its_absolute_path_and_the_hash_of_its_bytes(tmp_path, monkeypatch):
    body = b"\xef\xbb\xbf" + LIST
    path = write(tmp_path / "mine.md", body)
    monkeypatch.chdir(tmp_path)
    (document,) = read_lists(["mine.md"])
    assert document.location == path.resolve().as_posix()
    assert document.text == LIST.decode()
    assert document.revision == hashlib.sha256(body).hexdigest()


def test_a_file_named_itself_may_end_in_anything_and_the_order_of_arguments_stays(tmp_path):
    later, earlier = write(tmp_path / "z.rst"), write(tmp_path / "a.md")
    assert names(read_lists([str(later), str(earlier)])) == ["z.rst", "a.md"]
    assert read_lists([]) == []


@pytest.mark.parametrize(
    "order",
    [["mine.md", "lists", "lists/*.md"], ["link.md", "lists/mine.md"], ["lists/mine.md", "./lists/../link.md"], ["."]],
)
def test_of_a_file_and_a_link_to_it_the_file_gives_the_name_once_however_it_is_spelled(tmp_path, monkeypatch, order):
    path = write(tmp_path / "lists" / "mine.md")
    (tmp_path / "link.md").symlink_to(path)
    monkeypatch.chdir(tmp_path)
    assert names(read_lists([str(path) if name == "mine.md" else name for name in order])) == ["mine.md"]


def test_a_link_is_known_by_its_own_name_so_that_pointing_it_elsewhere_keeps_the_list(tmp_path):
    (tmp_path / "current.md").symlink_to(write(tmp_path / "2026-10.md"))
    assert names(read_lists([str(tmp_path / "current.md")])) == ["current.md"]


def test_the_home_folder_may_be_written_as_a_tilde(tmp_path, monkeypatch):
    write(tmp_path / "mine.md")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert names(read_lists(["~/*.md"])) == ["mine.md"]


def test_a_file_name_that_is_no_text_still_gives_a_location_that_every_store_can_hold(tmp_path):
    folder = os.fsencode(tmp_path)
    with open(os.path.join(folder, b"caf\xe9.md"), "wb") as file:  # noqa: PTH118, PTH123 - bytes, which Path refuses
        file.write(LIST)
    (document,) = read_lists([str(tmp_path)])
    assert document.location.encode().endswith(rb"caf\xe9.md")


@pytest.mark.parametrize(
    ("name", "body", "says"),
    [
        ("absent.md", None, "no such file"),
        ("a.md", b"", "is empty"),
        ("a.md", b"# x\0y", "binary"),
        ("good.md/b.md", None, "not a directory"),
        ("a\0.md", None, "cannot be read"),
        ("a\n\x1b[31mb.md", None, r"a\n\x1b[31mb.md"),
        ("~no-such-user-here/x.md", None, "cannot be read"),
        ("", None, "empty LIST argument"),
        ("pipe.md", None, "not a regular file"),
        (".", None, "not a regular file"),
        ("large.md", None, "larger than 64 MiB"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_one_line_and_all_with_it(tmp_path, monkeypatch, name, body, says):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "good.md")
    if body is not None:
        write(tmp_path / name, body)
    if name in (".", "pipe.md"):  # nobody waits for somebody to write
        os.mkfifo("pipe.md")
    with (tmp_path / "large.md.off").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    if name == "large.md":
        Path("large.md.off").rename(name)
    assert says in refused("good.md", name)


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


@pytest.mark.parametrize("name", ["mine.md", "sub", ""])
def test_a_file_or_folder_without_permission_is_refused_not_skipped(open_folder, name):
    assert "permission denied" in refused(open_folder / name)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.md", "b.md"),
        ("[ab].*", "a.markdown b.md"),
        ("**/*.md", "b.md g.md f.md"),
        ("sub/*", "g.md f.md"),  # folders as a shell would
        ("*", "a.markdown b.md c.mdown d.txt e.MD f.md g.md"),
        ("*.py", "script.py"),  # the pattern says what it wants
        (".git/*.md", "h.md"),  # hidden, if named
    ],
)
def test_a_glob_that_the_shell_left_alone_is_expanded(tree, monkeypatch, pattern, expected):
    monkeypatch.chdir(tree)
    assert names(read_lists([f"{tree}/{pattern}"])) == names(read_lists([pattern])) == expected.split()


def test_a_glob_or_folder_without_lists_is_refused_and_a_name_that_exists_is_no_glob(tmp_path):
    write(tmp_path / "paper.pdf")
    assert "holds no reading lists" in refused(tmp_path)
    write(tmp_path / "notes[1].md")
    write(tmp_path / "notes1.md")
    assert names(read_lists([f"{tmp_path}/notes[1].md"])) == ["notes[1].md"]
    assert "matches no reading list" in refused(tmp_path / "*.markdown")
    assert "glob" in refused(tmp_path / "**x/*.md")


def test_a_dash_is_standard_input_and_counts_once():
    (document,) = read_lists(["-", "-"], stdin=io.BytesIO(LIST))
    assert (document.location, document.text) == ("-", LIST.decode())
    assert refused("-", stdin=io.BytesIO(b"")).startswith("standard input")


class Shelf:
    """Stands for the network: what each address holds, and what was asked."""

    def __init__(self, **held: bytes) -> None:
        self.held = held
        self.asked: list[str] = []

    def __call__(self, url: str) -> Fetched:
        self.asked.append(url)
        for end, body in self.held.items():
            if url.endswith(end):
                return Fetched(body=body)
        raise PermanentSourceError("answered 404", source="list", url=url, status=404)


def test_an_address_is_known_by_itself_without_what_is_secret():
    fetch = Shelf(**{"list.md?ref=main&private_token=s3cret": LIST})
    (document,) = read_lists(["https://lists.test/list.md?ref=main&private_token=s3cret"], fetch=fetch)
    assert document.location == "https://lists.test/list.md?ref=main&private_token=***"
    assert document.text == LIST.decode()


@for_each(
    "url",
    ["http://lists.test/a.md", "ftp://lists.test/a.md", "file:///etc/passwd", "s3://b/a.md", "https://u:p@h.test/a"],
)
def test_an_address_of_another_kind_is_refused_before_anything_is_asked(url):
    assert "p@" not in refused(url)


@for_each(
    ("argument", "found", "location"),
    [
        ("github:ada/lists", "HEAD/README.md", "github:ada/lists/README.md"),
        ("github:ada/lists", "HEAD/README.markdown", "github:ada/lists/README.markdown"),
        ("github:ada/lists/docs/", "HEAD/docs/README.md", "github:ada/lists/docs/README.md"),
    ],
)
def test_a_github_file_folder_or_repository_is_read_over_https(argument, found, location):
    fetch = Shelf(**{found: LIST})
    (document,) = read_lists([argument], fetch=fetch)
    assert document.location == location
    assert fetch.asked[-1] == f"https://raw.githubusercontent.com/ada/lists/{found}"


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
