"""Finds the reading lists that files, folders and globs name, and decodes them.

Wrong text is worse than a refusal, so nothing is guessed: UTF-8 is read as UTF-8, a byte-order mark is believed, and
another encoding is read only where somebody declared it (the server's `charset`, or a `coding:` line at the top, as
Emacs, Vim and https://peps.python.org/pep-0263/ know it). Everything else is refused with the way to convert it.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import BinaryIO, NoReturn

from sources.errors import NoSuchList, UsageError

# What a folder's reading lists end in; a file that is named itself may end in anything.
LIST_SUFFIXES = (".md", ".markdown", ".mdown", ".txt")
MAX_FILE_BYTES = 64 * 1024 * 1024

_SKIPPED_FOLDERS = frozenset({"node_modules", "site-packages", "__pycache__"})
_GLOB_MARKS = frozenset("*?[")
_HINT = "a list is a file, a folder, a glob, -, an https URL or github:owner/name"


def find_list_files(argument: str, *, shown: str) -> list[Path]:
    """Returns the files that `argument` (a file, a folder or a glob) names, sorted where it names several.

    A folder is read to its depths, without hidden folders, virtual environments and node_modules, and without following
    links to folders. A name that exists is never taken for a glob. `shown` is the argument, fit for a message.

    Raises:
        UsageError: Nothing is there, or nothing that is a list.
    """
    try:
        path = Path(argument).expanduser()
        found = list(_walk(path)) if stat.S_ISDIR(path.stat().st_mode) else [path]
    except FileNotFoundError:
        return _matches(path, shown)
    except (OSError, ValueError, RuntimeError) as error:
        _refuse(shown, error)
    if not found:
        raise NoSuchList(f"{shown} holds no reading lists ({', '.join(LIST_SUFFIXES)}); name the files themselves")
    return found


def read_list_file(path: Path, *, shown: str) -> bytes:
    """Returns the bytes of a regular file of at most `MAX_FILE_BYTES`.

    Raises:
        UsageError: Missing, unreadable, too large, or a device, pipe or socket.
    """
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise UsageError(f"{shown} is not a regular file; pipe it in and read it as -")
        with path.open("rb") as file:
            return read_limited(file, shown=shown)
    except (OSError, ValueError) as error:
        _refuse(shown, error)


def read_limited(file: BinaryIO, *, shown: str) -> bytes:
    """Returns the bytes of a file, of which there may be `MAX_FILE_BYTES`.

    Raises:
        UsageError: There are more.
    """
    body = file.read(MAX_FILE_BYTES + 1)
    if len(body) > MAX_FILE_BYTES:
        raise UsageError(f"{shown} is larger than {MAX_FILE_BYTES >> 20} MiB; a reading list is text, split it")
    return body


def _split_glob(path: Path) -> tuple[Path, tuple[str, ...]]:
    """Returns the folder in which the glob `path` starts, and its pattern, () where it is none."""
    fixed = next((index for index, part in enumerate(path.parts) if _GLOB_MARKS & set(part)), len(path.parts))
    return Path(*path.parts[:fixed]), path.parts[fixed:]


def _matches(path: Path, shown: str) -> list[Path]:
    """Returns what the glob `path` matches, as a shell would with `**` switched on."""
    base, pattern = _split_glob(path)
    if not pattern:
        raise NoSuchList(f"{shown}: no such file or folder; {_HINT}")
    try:
        matches = sorted(base.glob("/".join(pattern)))
        found = list(dict.fromkeys(file for match in matches for file in _lists_in(match, base, pattern)))
    except (OSError, ValueError, NotImplementedError) as error:
        raise UsageError(f"{shown} is not a usable glob: {error}") from None
    if not found:
        raise NoSuchList(f"{shown} matches no reading list; check the pattern and the folder it starts in")
    return found


def _lists_in(match: Path, base: Path, pattern: tuple[str, ...]) -> Iterator[Path]:
    """Yields the lists of one match: a folder's, or the file itself if the pattern or its suffix says it is one."""
    inner = match.relative_to(base).parts
    if any(_is_skipped(base.joinpath(*inner[: n + 1])) for n, part in enumerate(inner) if part not in pattern):
        return
    if match.is_dir():
        yield from () if match.is_symlink() else _walk(match)
    elif Path(pattern[-1]).suffix or match.suffix.lower() in LIST_SUFFIXES:
        yield match


def _walk(folder: Path) -> Iterator[Path]:
    """Yields the reading lists below `folder`, each folder's own files first, in order of name."""
    entries = sorted(folder.iterdir())
    for entry in entries:
        if entry.suffix.lower() in LIST_SUFFIXES and not entry.name.startswith(".") and not entry.is_dir():
            yield entry
    for entry in entries:
        if entry.is_dir() and not entry.is_symlink() and not _is_skipped(entry):
            yield from _walk(entry)


def _is_skipped(path: Path) -> bool:
    return path.name.startswith(".") or path.name in _SKIPPED_FOLDERS or (path / "pyvenv.cfg").is_file()


def _refuse(shown: str, error: Exception) -> NoReturn:
    why = (os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)).lower()
    remedy = "check who may read it" if isinstance(error, PermissionError) else _HINT
    kind = NoSuchList if isinstance(error, FileNotFoundError) else UsageError
    raise kind(f"{shown} cannot be read: {why}; {remedy}") from None


def would_find(argument: str, file: Path) -> bool:
    """Returns whether `argument` (a file, a folder or a glob) would name `file`, were that there.

    The folder of `file` is resolved already.
    """
    try:
        path = Path(argument).expanduser()
        base, pattern = (path, ()) if os.path.lexists(path) else _split_glob(path)
        inner = file.relative_to((base.parent.resolve() / base.name) if base.is_symlink() else base.resolve()).parts
    except (OSError, ValueError, RuntimeError):
        return False
    is_list = file.suffix.lower() in LIST_SUFFIXES
    if pattern and _fits(inner, pattern):
        return is_list or bool(Path(pattern[-1]).suffix)
    walked = [inner[n:] for n in range(len(inner)) if _fits(inner[:n], pattern)]
    is_skipped = [any(part.startswith(".") or part in _SKIPPED_FOLDERS for part in parts) for parts in walked]
    return not (inner or pattern) or (is_list and not all(is_skipped))


def _fits(parts: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """Returns whether the steps of a path match those of a glob, where `**` stands for any number of them."""
    if not pattern:
        return not parts
    if pattern[0] == "**":
        return _fits(parts, pattern[1:]) or (bool(parts) and _fits(parts[1:], pattern))
    return bool(parts) and fnmatchcase(parts[0], pattern[0]) and _fits(parts[1:], pattern[1:])


_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it starts with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARATION = re.compile(rb"(?:(?:en)?coding|charset)\s*[:=]\s*[\"']?([A-Za-z][\w.:-]{1,40})")
# The codecs that stand for a character set; Python's others (punycode, hex, unicode_escape...) are no way to write.
_CHARACTER_SETS = re.compile(r"gb|big5|euc|shift_jis|iso|cp\d|koi8|mac|hz|tis|johab|utf-(?:16|32)")
_HEAD = 1024  # bytes from the top in which a declaration is looked for


def decode_list(body: bytes, *, name: str, declared: str | None = None) -> str:
    """Returns the text of a reading list, without a byte-order mark and never empty.

    `name` is for messages; `declared` is the encoding that whoever sent the bytes states.

    Raises:
        UsageError: Empty, binary, or in an encoding that nobody declared.
    """
    mark, encoding = _encoding(body, name, declared)
    try:
        text = body[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        message = f"{name} is not the {encoding} text it says it is (byte {error.start + len(mark)})"
        raise UsageError(message) from None
    if "\0" in text:
        raise UsageError(f"{name} is not text (it holds NUL characters); give a Markdown or text file")
    if not text.strip():
        raise UsageError(f"{name} is empty; give a list that names papers")
    return text


def encode_like(body: bytes, text: str, *, name: str) -> bytes:
    """Returns `text` in the encoding of `body`, a list as read, and with its byte-order mark.

    Raises:
        UsageError: The encoding has no place for a character of it, or does not give `body` back for its own text.
    """
    mark, encoding = _encoding(body, name, None)
    try:
        if mark + decode_list(body, name=name).encode(encoding) != body:
            raise UsageError(f"{name} cannot be written back byte for byte as {encoding}; convert it to UTF-8 first")
        return mark + text.encode(encoding)
    except UnicodeEncodeError as error:
        wrong = error.object[error.start : error.end]
        raise UsageError(f"{name} is {encoding} text, which cannot hold {wrong!r}; convert it to UTF-8") from None


def _encoding(body: bytes, name: str, declared: str | None) -> tuple[bytes, str]:
    """Returns the byte-order mark of a list and its encoding: the mark's, UTF-8 where it can be, or as declared."""
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return mark, encoding
    if b"\0" in body:
        offset = body.index(b"\0")
        raise UsageError(f"{name} is a binary file (NUL byte at offset {offset}); give a Markdown or text file")
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        charset = _declared_encoding(body, declared)
        if charset is None:
            line = body.count(b"\n", 0, error.start) + 1
            raise UsageError(
                f"{name} is not UTF-8 text (byte 0x{body[error.start]:02x} on line {line}): a binary file, or in"
                " another encoding; convert it (iconv -f GB18030 -t UTF-8) or declare it in the first lines"
                " (<!-- coding: gb18030 -->)"
            ) from None
        return b"", charset
    return codecs.BOM_UTF8 if body.startswith(codecs.BOM_UTF8) else b"", "utf-8"


def _declared_encoding(body: bytes, declared: str | None) -> str | None:
    found = [match.decode("ascii") for match in _DECLARATION.findall(body[:_HEAD])]
    for label in [*([declared] if declared else []), *found]:
        try:
            codec = codecs.lookup(label)
        except (LookupError, ValueError):
            continue
        if _CHARACTER_SETS.match(codec.name):
            return codec.name
    return None
