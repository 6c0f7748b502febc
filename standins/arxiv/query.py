"""arXiv's query language -> an FTS5 expression, with the surprises that the real one has.

The language: https://info.arxiv.org/help/api/user-manual.html#query_details . The surprises (a field binds one word, a
hyphen outside quotes excludes): https://github.com/arXiv/arxiv-search/issues/322 .
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from standins.wire import Unsupported

COLUMNS = {
    "ti": "title",
    "au": "authors",
    "abs": "{title abstract}",
    "co": "comment",
    "jr": "venue",
    "cat": "categories",
    "id": "ident",
    "all": "",
    "rn": None,
}
"""Field prefix -> FTS5 column filter; an abstract that nobody told holds the title, and no report numbers are known."""

_TOKEN = re.compile(
    r'\s+|(?P<mark>[()])|(?:(?P<field>[A-Za-z]+):)?(?:"(?P<phrase>[^"]*)"|(?P<open>\()|(?P<word>[^\s()"]+))'
)
_OPERATORS = {"AND", "OR", "ANDNOT"}


class QueryError(ValueError):
    """A query that the service would refuse."""


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str = ""
    field: str = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """An FTS5 expression (None matches nothing) and the query as arXiv echoes it."""

    match: str | None
    echo: str


def compile_query(query: str) -> Compiled:
    """Returns what `query` means.

    Raises:
        QueryError: Brackets or quotes that do not close, or an operator without a term.
        Unsupported: A date range.
    """
    tokens = list(_tokens(query))
    parser = _Parser(tokens)
    compiled = parser.alternatives("all")
    if parser.position != len(tokens):
        raise QueryError("unbalanced brackets")
    return compiled


def _tokens(query: str) -> Iterator[_Token]:
    position = 0
    while position < len(query):
        match = _TOKEN.match(query, position)
        if match is None:
            raise QueryError("unbalanced quotes")
        position = match.end()
        if match["mark"]:
            yield _Token(match["mark"])
        elif match["open"]:
            yield _Token("(", field=match["field"])
        elif match["phrase"] is not None:
            yield _Token("phrase", match["phrase"], match["field"] or "all")
        elif match["word"]:
            yield _word(match["word"], match["field"])


def _word(word: str, field: str | None) -> _Token:
    if field is None and word in _OPERATORS:
        return _Token(word)
    if field is not None and field.lower() in ("submitteddate", "lastupdateddate"):
        raise Unsupported("the stand-in knows no date ranges")
    return _Token("word", word, field or "all")


class _Parser:
    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens = tokens
        self.position = 0

    def alternatives(self, field: str) -> Compiled:
        """`a b` without an operator is `a OR b`, as Lucene has it by default."""
        parts = [self.conjunction(field)]
        while (token := self._peek()) is not None and token.kind != ")":
            if token.kind == "OR":
                self.position += 1
            parts.append(self.conjunction(field))
        told = [part.match for part in parts if part.match is not None]
        return Compiled(match=_joined(told, "OR"), echo=" OR ".join(part.echo for part in parts))

    def conjunction(self, field: str) -> Compiled:
        required: list[Compiled] = [self.term(field)]
        excluded: list[Compiled] = []
        echo = required[0].echo
        while (token := self._peek()) is not None and token.kind in ("AND", "ANDNOT"):
            self.position += 1
            negated = self._skip_not() or token.kind == "ANDNOT"
            right = self.term(field)
            (excluded if negated else required).append(right)
            echo += f" {'ANDNOT' if negated else 'AND'} {right.echo}"
        return Compiled(match=_without(_all_of(required), excluded), echo=echo)

    def term(self, field: str) -> Compiled:
        token = self._peek()
        if token is None or token.kind in (")", *_OPERATORS):
            raise QueryError("an operator without a term")
        self.position += 1
        if token.kind == "(":
            inner = self.alternatives(field if token.field == "all" else token.field)
            closing = self._peek()
            if closing is None or closing.kind != ")":
                raise QueryError("unbalanced brackets")
            self.position += 1
            return Compiled(match=inner.match, echo=f"({inner.echo})")
        return _term(token, field if token.field == "all" else token.field)

    def _peek(self) -> _Token | None:
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def _skip_not(self) -> bool:
        token = self._peek()
        found = token is not None and token.kind == "word" and token.text == "NOT"
        self.position += found
        return found


def _term(token: _Token, field: str) -> Compiled:
    phrase = token.kind == "phrase"
    echo = f'{field}:"{token.text}"' if phrase else f"{field}:{token.text}"
    column = COLUMNS.get(field.lower())
    if column is None:
        return Compiled(match=None, echo=echo)
    prefix = f"{column} : " if column else ""
    if phrase or field in ("cat", "id"):
        return Compiled(match=_matching(prefix, token.text), echo=echo)
    first, *rest = token.text.split("-")
    match = _matching(prefix, _author(first) if field == "au" else first)
    parts = [Compiled(match=_matching(prefix, word), echo="") for word in rest]
    return Compiled(match=_without(match, parts), echo=echo)


def _matching(prefix: str, text: str) -> str | None:
    words = re.findall(r"\w+", text.replace("_", " "))
    if not words:
        return None
    wildcard = " *" if text.endswith("*") else ""
    return f'{prefix}"{" ".join(words)}"{wildcard}'


def _author(text: str) -> str:
    """`vaswani_a` names an author by an initial, which full names do not hold as a word."""
    return re.sub(r"_\w$", "", text)


def _joined(matches: list[str], operator: str) -> str | None:
    if len(matches) < 2:
        return matches[0] if matches else None
    return f"({f' {operator} '.join(matches)})"


def _all_of(parts: list[Compiled]) -> str | None:
    told = [part.match for part in parts if part.match is not None]
    return _joined(told, "AND") if len(told) == len(parts) else None


def _without(match: str | None, excluded: list[Compiled]) -> str | None:
    unwanted = _joined([part.match for part in excluded if part.match is not None], "OR")
    return match if match is None or unwanted is None else f"({match} NOT {unwanted})"
