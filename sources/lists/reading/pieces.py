"""Cuts an entry into pieces at delimiters and edges of mark-up, and finds the pieces that recur in a list."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from typing import NamedTuple

from sources.bibliography.names import is_organisation
from sources.bibliography.titles import BRACKETED
from sources.lists.reading.author_lists import only_authors, signatures
from sources.lists.reading.citation_parts import (
    ABBREVIATION,
    BOUNDARY,
    GAP,
    dated_acronym,
    goes_on_as_part,
    imprint_of,
    skip_marks,
)
from sources.lists.reading.drafts import Draft
from sources.lists.reading.entries import EntryText
from sources.lists.reading.title_model import QUOTES

# How many pieces of an entry may be its title, after those of a long list of authors, and how many are cut.
_MOST_PIECES, _MOST_CUT = 12, 40

# How many words may stand between the first link to a paper and its title: behind more, it is another's.
_MOST_PROSE = 12
_WORDS_OF_TITLE = 3
_LONGEST = 900
_COLON = re.compile(r"[\s:：](?:(?<=\s)[-–—|]+\s|(?:(?<=\w[:：])|(?<=\w\s)[:：])\s?(?=\S))")
# Where somebody's initials and family name follow a word with nothing between: "... of Networks N. Carlini".
_INITIALS = re.compile(r"\s(?<=[a-z)]\s)(?=(?:[A-Z]\.\s?){1,3}[A-Z][a-z])")
_GIVEN = r"(?:[A-ZÀ-ÖØ-Þ][^\W\d_]++(?:-[^\W\d_]++)?+|(?:[A-Z]\.[ -]?)+)"
_SURNAME = r"(?:(?:van|von|de|der|den|da|di|la|al|el) ){0,2}[A-ZÀ-ÖØ-Þ][^\W\d_]++(?:[-’'][^\W\d_]++)?+"
_NAME = rf"{_GIVEN} (?:[A-Z]\.? )?{_SURNAME}"
# Where full names begin behind a title with nothing between: "... of Networks Nicholas Carlini, David Wagner".
_UNPARTED = re.compile(
    rf"\s(?<=[\w)?!’']\s)(?=({_NAME}(?:(?:,? (?:and|&) |, ){_NAME}){{0,30}}(?:,? et\.? al\b\.?)?)"
    rf"\s*(?:$|[;.(\[|{GAP}\v\n]))"
)
# What BibTeX, pandoc and Zotero call a paper by: "@knuth1974".
_CITATION_KEY = re.compile(r"@?[^\W\d_]+[-_:]?(?:19|20)\d\d[-_:]?[^\W\d_]*")
# The end of the name of a document's file, behind which a remark may stand.
_FILE_END = re.compile(r"\.(?<=\w\.)(?:pdf|ps|djvu|epub)\b(?=\s|$)", re.IGNORECASE)
_TOKENS = re.compile(r"\S+")
_DATE_PART = re.compile(r"\d[\d./-]*")
_MOST_WORDS = 4  # how many words at either end of an entry may be an imprint that nothing parts from the title
_QUOTES = re.compile('["“”„«»「」『』《》]')
_WORDS = re.compile(r"\w+")
_SIX_WORDS = re.compile(r"(?:\W*+\w++){6}")
_GAPS = re.compile(f"[{GAP}\v]+")
_EDGES = GAP + ' \n\v.,;:|()[]*_-–—"“”'


class Piece(NamedTuple):
    """A stretch between two cuts, and what kind of words it holds: words, names, imprint or organisation."""

    start: int
    end: int
    kind: str


class Cut(NamedTuple):
    """The part of an entry that is about one paper, cut into pieces."""

    entry: EntryText
    start: int
    end: int
    marks: list[tuple[int, int, str]]  # the stretches that are marked up, with the kind of mark
    pieces: list[Piece]
    texts: list[str]  # the text of each piece
    before: tuple[str, ...]  # what stands before each piece: the kind of the piece there, and the delimiter
    behind: tuple[str, ...]  # the same behind each piece
    joints: tuple[str, ...]  # the delimiter between each piece and the next


def cut_entry(draft: Draft) -> Cut | None:
    """Returns the draft's entry cut into pieces; None where its title is not the entry's own words."""
    if draft.source is None or draft.citation.how in ("file", "field") or (draft.title is None and draft.all_links):
        return None
    entry, (start, end, _, _) = draft.source
    marks = [
        (mark.start, mark.end, mark.kind)
        for mark in entry.marks
        if mark.kind in ("bold", "italic", "struck") and start <= mark.start and mark.end <= end
    ]
    marks += [(link.start, link.end, "link") for link in entry.links if link.own and start <= link.start < end]
    if '"' in entry.text or not entry.text.isascii():
        marks += [(a, b, "quoted") for a, b in _outermost_quotations(entry.text, start, end) if b - a > 7]
    marks = [mark for mark in marks if entry.text[mark[0] : mark[1]].strip(GAP + " \n\v")]
    read = (draft.citation.start, draft.citation.end)
    pieces = _pieces(entry, (start, min(end, start + _LONGEST)), marks, read)
    if papers := draft.paper_links:
        pieces = _near(pieces, entry.text, min([link.outer_end for link in papers]))
    texts = [entry.text[piece.start : piece.end] for piece in pieces]
    return Cut(entry, start, end, marks, pieces, texts, *_delimiters_around(entry.text, (start, end), pieces))


def _near(pieces: list[Piece], text: str, linked: int) -> list[Piece]:
    """Returns the pieces up to where more prose stands behind a paper's first link, which ends at `linked`."""
    prose = 0
    for at, piece in enumerate(pieces):
        if prose > _MOST_PROSE:
            return pieces[:at]
        if piece.start >= linked and piece.kind == "words":
            prose += len(text[piece.start : piece.end].split())
    return pieces


def _outermost_quotations(text: str, start: int, end: int) -> list[tuple[int, int]]:
    opened: list[int] = []
    closed: list[tuple[int, int]] = []
    for match in _QUOTES.finditer(text, start, end):
        if opened and match[0] in QUOTES[text[opened[-1]]]:
            first = opened.pop()
            while closed and closed[-1][0] > first:
                closed.pop()
            closed.append((first, match.end()))
        elif match[0] in QUOTES:
            opened.append(match.start())
    return closed


def _pieces(
    entry: EntryText, bounds: tuple[int, int], marks: Sequence[tuple[int, int, str]], read: tuple[int, int]
) -> list[Piece]:
    """Returns the pieces between `bounds`; the title as read by rule, which stands at `read`, is one or a few whole."""
    text, (start, end) = entry.text, bounds
    # Where names begin and end that nothing parts from the title before them; the end twice where none do.
    unparted = (match for match in _UNPARTED.finditer(text, start, end) if only_authors(match[1]))
    people = next(((match.start(), match.end(1)) for match in unparted), (end, end))
    cuts = {skip_marks(text, start), end, *read, *people, *_unparted_imprints(text, start, end)}
    cuts.update(_delimited(text, start, end))
    for mark in marks:
        first, last, kind = mark
        before, behind = text[start:first].rstrip()[-1:], text[last:end].lstrip(" ")[:1]
        within = (before.isalnum() or before == "(") and (behind.islower() or behind == ")")
        if kind != "italic" or not within:  # the name of a species in a title
            cuts.update((first, last))
    cuts = {cut for cut in cuts if not any(at < cut <= at + len("2001: ") for at in entry.numbers)}
    pieces = []
    for a, b in pairwise(sorted([cut for cut in cuts if start <= cut <= end])):
        words = text[a:b].strip(_EDGES)
        if words and (words[0].isalnum() or any(map(str.isalnum, words))):
            pieces.append((a, b, words, people[0] <= a and b <= people[1]))
            if len(pieces) == _MOST_CUT:
                break
    first = 0
    while len(pieces) - first > _MOST_PIECES and len(text[slice(*pieces[first][:2])].split()) < _WORDS_OF_TITLE:
        first += 1
    return [
        Piece(a, b, "names" if named else _kind(words)) for a, b, words, named in pieces[first : first + _MOST_PIECES]
    ]


def _delimited(text: str, start: int, end: int) -> Iterator[int]:
    """Yields where delimiters begin and end, and where "by" or initials show that something else begins."""
    for match in chain(BOUNDARY.finditer(text, start, end), _COLON.finditer(text, start, end)):
        at, goes_on = match.start(), goes_on_as_part(text[:end], start, *match.span())
        is_stop = text[at] != "." or not ABBREVIATION.search(text[max(start, at - 8) : at])
        if is_stop if goes_on is None else not goes_on:
            yield from match.span()
    for match in _GAPS.finditer(text, start, end):
        yield from match.span()
    yield from (at for at, _ in signatures(text, start, end))
    for match in _INITIALS.finditer(text, start, end):
        yield match.start()
    for match in _FILE_END.finditer(text, start, end):
        yield match.end()


def _unparted_imprints(text: str, start: int, end: int) -> list[int]:
    """Returns where only a blank parts an imprint from the title: "2019-08 ICML Title", "Title 6 Jun 2019 arxiv"."""
    gap = text.find(GAP, start, end)
    first, end = skip_marks(text, start), end if gap < 0 else gap
    words = text[first:end]
    ending = words.rsplit(None, _MOST_WORDS)
    if len(ending) < 2:
        return []
    dated = any(map(str.isdigit, "".join(ending[-_MOST_WORDS:])))
    if not dated and not _DATE_PART.fullmatch(beginning := words.split(None, 1)[0]) and not imprint_of(beginning):
        return []
    tokens = [match.span() for match in _TOKENS.finditer(text, first, end)]
    found = []
    for begin, behind in tokens[: min(_MOST_WORDS, len(tokens) - 1)]:
        word = text[begin:behind]
        if not (_DATE_PART.fullmatch(word) or imprint_of(word) or dated_acronym(word)):
            break
        found = [behind]
    for count in range(min(_MOST_WORDS, len(tokens) - 1), 0, -1):
        begin, behind = tokens[-count]
        words = text[begin : tokens[-1][1]]
        if not any(map(str.isdigit, words)) or BRACKETED.fullmatch(words.strip("()")):
            break
        if (_DATE_PART.fullmatch(text, begin, behind) or imprint_of(text[begin:behind])) and imprint_of(words):
            return [*found, begin]
    return found


@lru_cache(maxsize=4096)
def _kind(words: str) -> str:
    if imprint_of(words) or _CITATION_KEY.fullmatch(words):
        return "imprint"
    signed = words[0].islower() and any(at == 0 for at, _ in signatures(f" {words}", 0, len(words) + 1))
    if signed or only_authors(words):
        return "names"
    return "organisation" if is_organisation(words) else "words"


def recurring_pieces(cuts: Iterable[Cut | None]) -> Counter[str]:
    """Returns how often each piece of up to five words occurs in the list: what recurs is a label, not a title."""
    count: Counter[str] = Counter()
    for cut in cuts:
        if cut is not None:
            count.update(set(map(piece_key, cut.texts)))
    return count


@lru_cache(maxsize=8192)
def piece_key(text: str) -> str:
    """Returns what a piece of up to five words is compared by; empty for longer ones."""
    if text.isascii() and _SIX_WORDS.match(text):
        return ""
    words = _WORDS.findall(text.lower())
    return " ".join(words) if len(words) <= 5 else ""


def _delimiters_around(
    text: str, bounds: tuple[int, int], pieces: Sequence[Piece]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    if not pieces:
        return (), (), ()
    start = "mark" if text[bounds[0] : pieces[0].start].strip(GAP + " \n\v") else "start"
    end = "end with links" if GAP in text[pieces[-1].end : bounds[1]] else "end"
    before, behind, joints = [start], [], []
    for piece, following in pairwise(pieces):
        at, to = piece.end, following.start
        if sign := _sign(text[at:to]):
            signs = sign, sign, sign
        else:
            signs = _sign(text[at - 1 : at]), _sign(text[to : to + 1]), _sign(text[at - 2 : at])
        last, first, joint = signs
        before.append(f"{piece.kind} {_plain(last)}")
        behind.append(f"{following.kind} {_plain(first)}")
        joints.append(f"joint {joint or 'edge'}")
    return tuple(before), (*behind, end), tuple(joints)


def _sign(between: str) -> str:
    """Returns what stands between two pieces: a removed stretch, a line break, a mark, a blank or nothing."""
    if GAP in between:
        return "gap"
    if "\v" in between or "\n" in between:
        return "line"
    return between.strip()[:1] or ("blank" if between else "")


def _plain(sign: str) -> str:
    return sign if sign and (not sign.isalnum() or sign in ("gap", "line", "blank")) else "edge"
