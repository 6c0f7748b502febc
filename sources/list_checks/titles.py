"""Titles that are misspelt, and titles that the paper does not have any more. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from sources.bibliography.lexicon import is_word
from sources.bibliography.titles import TitleWords, title_key, title_words
from sources.list_checks.findings import Edit, Entry, ListFinding, PaperFacts, finding
from sources.list_checks.list_text import ListText
from sources.matching.relation import compare_titles
from sources.matching.word_match import compare_words
from sources.matching.word_meaning import NEGATIONS, SEQUELS
from sources.records import SERVICE_NAMES, Mention

_LONGEST_TITLE = 60
"""Words of a title that are compared one by one."""
_FEWEST_LETTERS = 4
"""Shorter words that are none may be symbols or names."""
_RENAMED = frozenset({"renamed", "near", "different", "lookalike"})
_LEAST_COMMON = 0.3
"""Share of a former title and the present one that is in both; with less, an entry may be in its owner's words."""


def check_titles(text: ListText, entries: Sequence[Entry]) -> Iterator[ListFinding]:
    """Yields findings about typing errors in titles, and about titles that the paper had before."""
    for entry in entries:
        mention, paper = entry.mention, entry.paper
        if paper is None or not mention.title or _is_known(mention, paper):
            continue
        slips = misspelt_words(mention.title, paper.title)
        for written, true in slips:
            edit = _edit(text, mention, written, true)
            message = f"“{written}” in the title is misspelt: the paper has “{true}”."
            evidence = (f"title: {paper.title}", *_told_by(paper))
            yield finding("title-misspelt", mention, message, *evidence, edits=(edit,) if edit else ())
        if not slips and _has_new_title(mention, paper):
            message = f"The paper's title is “{paper.title}” now."
            yield finding("title-changed", mention, message, *_told_by(paper))


def _is_known(mention: Mention, paper: PaperFacts) -> bool:
    """Returns whether some source has the title as written, but for marks."""
    titles = (paper.title, *paper.other_titles)
    return any(key(mention.title or "") in map(key, titles) for key in (title_key, _letters))


def _letters(title: str) -> str:
    return re.sub(r"[\W_]+", "", title).casefold()


def _told_by(paper: PaperFacts) -> tuple[str, ...]:
    names = ", ".join(SERVICE_NAMES.get(source, source) for source in paper.sources)
    return (f"told by {names}",) if names else ()


def misspelt_words(title: str, true_title: str) -> list[tuple[str, str]]:
    """Returns the misspelt words of a title, as written, each with the word that the paper has in its place.

    Both titles must be the same but for these words, no two of them side by side. What is written must be no word of a
    language, and what the paper has must be one: a name that only looks misspelt may be another name.
    """
    mine, theirs = title_words(title), title_words(true_title)
    pairs = _changed(mine, theirs)
    if not pairs or len(pairs) > max(1, len(theirs.words) // 4):
        return []
    if not all(_is_slip(mine.words[at], theirs.words[there]) for at, there in pairs):
        return []
    found = [(_bare(mine.raw[at]), _bare(theirs.raw[there])) for at, there in pairs]
    return [(written, _in_case(written, true)) for written, true in found if written and true]


def _changed(mine: TitleWords, theirs: TitleWords) -> list[tuple[int, int]]:
    """Returns the places of words that differ, where two titles have words alike in number and all others in common."""
    if len(mine.words) != len(theirs.words) or len(mine.words) > _LONGEST_TITLE:
        return []
    pairs = enumerate(zip(mine.words, theirs.words, strict=True))
    return [(at, at) for at, (written, true) in pairs if written != true]


def _is_slip(written: str, true: str) -> bool:
    if min(len(written), len(true)) < _FEWEST_LETTERS or is_word(written) or not is_word(true):
        return False
    return written.isalpha() and true.isalpha() and compare_words(written, true) == "typo"


def _bare(raw: str) -> str:
    """Returns a word without the marks that stand around it."""
    return raw.strip(".,:;!?()[]{}\"'“”‘’*_`")


def _in_case(written: str, true: str) -> str:
    """Returns the true word in small letters or capitals, as the written one has them."""
    if written.isupper():
        return true.upper()
    if written[0].isupper():
        return true[0].upper() + true[1:]
    return true.lower() if written.islower() and true[1:].islower() else true


def _edit(text: ListText, mention: Mention, written: str, true: str) -> Edit | None:
    """Returns the edit of the word in the list, None where it stands there several times, or only in an address."""
    start, end = text.stretch(mention.line, mention.last_line)
    places = list(re.finditer(rf"(?<![\w/.-]){re.escape(written)}(?![\w/-])", text.text[start:end]))
    if len(places) != 1:
        return None
    return Edit(start=start + places[0].start(), end=start + places[0].end(), replacement=true)


def _has_new_title(mention: Mention, paper: PaperFacts) -> bool:
    """Returns whether the entry has the paper's identifier, and a title of several words that is no part of its own."""
    own = {paper.arxiv_id, paper.doi} - {None}
    if not {mention.arxiv_id, mention.doi} & own:
        return False
    written = title_words(mention.title or "")
    if len(written.words) < 4 or _has_other_letters(mention.title or "", paper.title):
        return False
    if _letters(paper.title) in _letters(mention.text):
        return False
    true = title_words(paper.title)
    evidence = compare_titles(written, true)
    if evidence.turned or any(map(_tells_papers_apart, {*written.words} ^ {*true.words})):
        return False
    return evidence.relation in _RENAMED and evidence.agreement >= _LEAST_COMMON


def _tells_papers_apart(word: str) -> bool:
    """Returns whether of two titles one has this word because it is the sequel of the other, or an answer to it."""
    return word in NEGATIONS or word in SEQUELS or word.isdecimal()


def _has_other_letters(title: str, true_title: str) -> bool:
    """Returns whether a title has letters of a script that the paper's has not, so that it may be a translation."""
    letters = {letter for letter in title if letter.isalpha() and not letter.isascii()} - {*true_title}
    return any(not unicodedata.name(letter, "").startswith("LATIN ") for letter in letters)
