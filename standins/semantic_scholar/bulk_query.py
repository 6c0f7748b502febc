"""Semantic Scholar's bulk query language -> an FTS5 expression over title and abstract.

The language (`+ | - " * ( ) ~N`, every term required by default): the `query` parameter of /paper/search/bulk in
https://api.semanticscholar.org/api-docs/graph .
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from standins.wire import Unsupported

_TOKEN = re.compile(
    r'\s+|(?P<mark>[()|+])|(?P<minus>-(?=[\w"(]))|"(?P<phrase>[^"]*)"?(?:~(?P<slop>\d+))?'
    r"|(?P<word>[^\s()|+\"~]+)(?P<fuzzy>~(?P<edits>\d*))?|(?P<stray>.)"
)
_COLUMNS = "{title abstract}"
_MOST_SPELLINGS = 200

Spellings = Callable[[str, int], Iterable[str]]
"""Word and number of letters that may differ -> the words of the library that are so near."""


def compile_bulk(query: str, spellings: Spellings) -> str | None:
    """Returns what `query` means, None where it matches nothing; `spellings` serves misspelt words (`word~2`).

    Raises:
        Unsupported: A negation without anything to take it from.
    """
    parser = _Parser(query, spellings)
    return parser.alternatives()


class _Parser:
    def __init__(self, query: str, spellings: Spellings) -> None:
        self.spellings = spellings
        self.tokens = [m for m in _TOKEN.finditer(query) if not m[0].isspace() and m["stray"] is None]
        self.position = 0

    def alternatives(self) -> str | None:
        parts = [self.conjunction()]
        while self._take("|"):
            parts.append(self.conjunction())
        told = [part for part in parts if part is not None]
        return f"({' OR '.join(told)})" if told else None

    def conjunction(self) -> str | None:
        required: list[str | None] = []
        excluded: list[str] = []
        while self.position < len(self.tokens) and self.tokens[self.position][0] not in ("|", ")"):
            if self._take("+"):
                continue
            negated = self._take("-")
            term = self.term()
            if not negated:
                required.append(term)
            elif term is not None:
                excluded.append(term)
        return _combined(required, excluded)

    def term(self) -> str | None:
        if self.position >= len(self.tokens):
            return None
        token = self.tokens[self.position]
        self.position += 1
        if token[0] == "(":
            inner = self.alternatives()
            self._take(")")
            return inner
        if token["phrase"] is not None:
            return _phrase(token["phrase"], token["slop"])
        if token["fuzzy"]:
            return self._spelt_like(token["word"], int(token["edits"] or 2))
        return _word(token["word"] or "")

    def _spelt_like(self, word: str, edits: int) -> str | None:
        near = list(self.spellings(word, edits))[:_MOST_SPELLINGS]
        told = [term for term in map(_word, (word, *near)) if term is not None]
        return f"({' OR '.join(told)})" if told else None

    def _take(self, mark: str) -> bool:
        found = self.position < len(self.tokens) and self.tokens[self.position][0] == mark
        self.position += found
        return found


def _combined(required: list[str | None], excluded: list[str]) -> str | None:
    if None in required:
        return None
    if not required:
        if excluded:
            raise Unsupported("the stand-in cannot search for everything but a term")
        return None
    match = f"({' AND '.join(term for term in required if term)})"
    return f"({match} NOT ({' OR '.join(excluded)}))" if excluded else match


def _phrase(text: str, slop: str | None) -> str | None:
    words = re.findall(r"\w+", text.replace("_", " "))
    if not words:
        return None
    if slop and len(words) > 1:
        quoted = " ".join(f'"{word}"' for word in words)
        return f"({_COLUMNS} : NEAR({quoted}, {slop}))"
    return f'({_COLUMNS} : "{" ".join(words)}")'


def _word(text: str) -> str | None:
    """A hyphen inside a word only parts it; every part is required."""
    words = re.findall(r"\w+", text.replace("_", " "))
    if not words:
        return None
    star = " *" if text.endswith("*") else ""
    parts = [f'{_COLUMNS} : "{word}"' for word in words]
    return f"({' AND '.join(parts)}{star})"
