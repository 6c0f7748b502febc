"""What reads the lists of the benchmark: paperlake, and what people use instead. A reader turns text into mentions."""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from benchmarks.reading_lists.anystyle import lack, parsed, pieces
from sources.lists.reading import parse_reading_list
from sources.records import Mention

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_LINK = re.compile(r"(?<!!)\[([^\[\]]*)\]\(\s*<?(https?://[^\s()<>]+)")
# https://info.arxiv.org/help/arxiv_identifier.html
_ARXIV_ID = re.compile(r"(?<![\d.])(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?(?![\d.])")
_BESIDE_ARXIV = re.compile(r"arxiv", re.IGNORECASE)
_YEAR = re.compile(r"\d{4}")
_ADDRESS = re.compile(r"https?://[^\s()<>\[\]\"|]+")
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s()<>\[\]\"|]*[^\s()<>\[\]\"|.,;]")


def paperlake(text: str) -> Sequence[Mention]:
    """Reads the text as `paperlake parse` does."""
    return parse_reading_list(text).mentions


def every_link(text: str) -> Iterator[Mention]:
    """Takes each Markdown link for a paper, its label for the title."""
    for number, line in enumerate(text.split("\n"), start=1):
        for label, url in _LINK.findall(line):
            yield Mention(line=number, last_line=number, title=label or None, url=url, arxiv_id=_arxiv_id(url))


def arxiv_identifiers(text: str) -> Iterator[Mention]:
    """Takes each arXiv identifier on a line that says arXiv for a paper, as a regular expression finds them."""
    for number, line in enumerate(text.split("\n"), start=1):
        for found in dict.fromkeys(_ARXIV_ID.findall(line)) if _BESIDE_ARXIV.search(line) else ():
            yield Mention(line=number, last_line=number, arxiv_id=found)


def refextract(text: str) -> Iterator[Mention]:
    """Takes each line for a reference and reads it with refextract, CERN's reader of references."""
    from refextract import extract_references_from_string  # type: ignore[import-not-found]

    for number, line in enumerate(text.split("\n"), start=1):
        for found in extract_references_from_string(line, is_only_references=True) if line.strip() else ():
            title = " ".join(found.get("title") or found.get("misc") or ()) or None
            arxiv_id = _arxiv_id(" ".join((*found.get("reportnumber", ()), *found.get("url", ()))))
            if title or arxiv_id:
                yield Mention(
                    line=number,
                    last_line=number,
                    title=title,
                    arxiv_id=arxiv_id,
                    url=next(iter(found.get("url", ())), None),
                    year=_year(found.get("year", ())),
                )


def anystyle(text: str) -> Iterator[Mention]:
    """Takes each piece that AnyStyle finds a title in for a paper; address and identifiers are those of its lines."""
    lines, found = text.split("\n"), list(pieces(text))
    for piece, parts in zip(found, parsed([piece.words for piece in found]), strict=True):
        if not (titles := parts.get("title")):
            continue
        last = piece.line + piece.words.count("\n")
        written = " ".join(lines[piece.line - 1 : last])
        before = piece.words[: max(piece.words.replace("\n", " ").find(titles[0][:20]), 0)]
        yield Mention(
            line=piece.line + before.count("\n"),
            last_line=last,
            title=titles[0],
            authors=tuple(filter(None, map(_name, parts.get("author", ())))),
            year=_year(parts.get("date", ())),
            arxiv_id=_arxiv_id(written),
            doi=_first(_DOI, written),
            url=_first(_ADDRESS, written),
        )


def _name(parts: dict[str, Any]) -> str:
    """Returns a name of AnyStyle's as it is written; the "et al." that it counts among them has none."""
    return " ".join(parts[key] for key in ("given", "particle", "family", "suffix", "literal") if key in parts)


def _first(pattern: re.Pattern[str], text: str) -> str | None:
    match = pattern.search(text)
    return match[0] if match else None


def _arxiv_id(text: str) -> str | None:
    match = _ARXIV_ID.search(text) if _BESIDE_ARXIV.search(text) else None
    return match[1] if match else None


def _year(dates: Iterable[str]) -> int | None:
    match = _YEAR.search(" ".join(dates))
    return int(match[0]) if match else None


# Name in the table -> the reader.
READERS: dict[str, Callable[[str], Any]] = {
    "paperlake": paperlake,
    "every Markdown link": every_link,
    "arXiv identifiers by a regular expression": arxiv_identifiers,
    "refextract, line by line": refextract,
    "AnyStyle, paragraph by paragraph": anystyle,
}


def left_out() -> dict[str, str]:
    """Returns the readers that cannot be run here, each with why."""
    lacks = {
        refextract: None if find_spec("refextract") else "it is not installed (pip install refextract)",
        anystyle: lack(),
    }
    return {name: why for name, read in READERS.items() if (why := lacks.get(read))}
