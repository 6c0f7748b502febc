"""Has AnyStyle, a parser of references in Ruby (https://github.com/inukshuk/anystyle), read the pieces of a list.

Each paragraph, list item and row of a table that has a letter is one reference: without its bullet and its Markdown
and HTML mark-up, its lines joined. A block of HTML is read line by line. Headings and fenced code are left out;
indented lines are text.
"""

from __future__ import annotations

import atexit
import json
import re
import subprocess
from functools import cache
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Any, NamedTuple

from markdown_it import MarkdownIt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it.token import Token

_RUBY = ["ruby", "-W0", "-Eutf-8"]
_TAG = re.compile(r"<[A-Za-z/!?][^<>\n]*>?")  # also one that goes on in the next line
_LETTER = re.compile(r"[^\W\d_]")


class Piece(NamedTuple):
    """What is given to AnyStyle as one reference."""

    line: int  # 1-based first line
    words: str  # without mark-up, its lines as in the text


def lack() -> str | None:
    """Returns why AnyStyle cannot be run here, or None where it can."""
    if not which("ruby"):
        return "ruby is not installed"
    tried = subprocess.run([*_RUBY, "-e", "require 'anystyle'"], capture_output=True, check=False)
    return "ruby cannot load it (gem install anystyle)" if tried.returncode else None


def pieces(text: str) -> Iterator[Piece]:
    """Yields the pieces of a list that have a letter."""
    return (piece for piece in _blocks(text) if _LETTER.search(piece.words))


def _blocks(text: str) -> Iterator[Piece]:
    parser = MarkdownIt("commonmark", {"html": True}).enable("table").disable(["code", "lheading"])
    tokens = parser.parse(text)
    row: Piece | None = None
    for number, token in enumerate(tokens):
        line = token.map[0] + 1 if token.map else 0
        if token.type == "tr_open":
            row = Piece(line, "")
        elif token.type == "tr_close" and row:
            yield row
            row = None
        elif token.type == "inline" and row:
            row = row._replace(words=f"{row.words} {_words(token)}")
        elif token.type == "inline" and tokens[number - 1].type == "paragraph_open":
            yield Piece(line, _words(token))
        elif token.type == "html_block":
            for offset, each in enumerate(_TAG.sub(" ", token.content).split("\n")):
                yield from (piece._replace(line=line + offset) for piece in _blocks(each))


def _words(token: Token) -> str:
    shown = {"softbreak": "\n", "hardbreak": "\n", "html_inline": " "}
    return "".join(
        part.content if part.type in {"text", "code_inline"} else shown.get(part.type, "")
        for part in token.children or ()
    )


def parsed(references: Sequence[str]) -> list[dict[str, Any]]:
    """Returns what AnyStyle makes of each reference: name of a part -> its values."""
    process = _process()
    process.stdin.write(json.dumps([" ".join(reference.split()) for reference in references]) + "\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


@cache
def _process() -> subprocess.Popen[str]:
    """Returns the one process that reads all lists; it ends with this one."""
    script = Path(__file__).with_suffix(".rb")
    process = subprocess.Popen([*_RUBY, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
    atexit.register(process.communicate)
    return process
