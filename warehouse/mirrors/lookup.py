"""Looks up papers in a mirror by identifier, by title, and by the remains of a damaged title.

The index holds, for every term, the positions of the papers that stand under it. Papers lie by position: those found
are read from the row groups that hold them, without their abstracts unless they are wanted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from itertools import pairwise
from typing import Any
from unicodedata import normalize

import duckdb
from duckdb import DuckDBPyConnection

from sources.bibliography.lexicon import frequent_words
from sources.bibliography.titles import MAX_TITLE, plain, title_key, title_keys, title_words
from sources.matching.word_match import LINKING, QUESTIONS
from warehouse.mirrors.release import MirrorFolder, Release
from warehouse.tables.schema import literal, parquet, text_table

# The terms under which a title is found again, damaged too: its key, its rare words, and its pairs of neighbours.
#
# A pair of neighbouring words survives what befalls titles in lists: a typing error harms two pairs of many, a
# subtitle left out or a system's name put before leaves all others. The words that only join others are passed
# over.
#
# Most titles are plain: ASCII, Latin letters with accents, dashes and quotation marks, but no command of TeX and no
# sign that is read as a word. Those DuckDB folds, millions a minute. All others go through
# `sources.bibliography.titles`, which is the one definition; a test holds that both make the same terms.
_ACCENTED = "".join(
    letter
    for letter in map(chr, range(0xC0, 0x180))
    if (parts := normalize("NFD", letter)) != letter and parts[0].isascii()
)

# Bits of a position that number the lines of a block; a block with its last line has fewer bytes than that.
LINE_BITS = 27

_RARE_LENGTH = 3  # letters from which on a word can be rare

# Words of a title, those that join others not counted, up to which even a common one of them is a term.
_SHORT = 3
_NAME = 3  # words before a colon up to which they are the name that a list may give alone

_JOINING = ", ".join(f"'{word}'" for word in sorted(LINKING))

# What the queries of this package call. `term` is short, as a wrong hit is only one candidate more to be judged; but of
# the 12 billion terms that all of OpenAlex has, few share their 40 bits with another.
MACROS = f"""
CREATE OR REPLACE TEMP MACRO is_plain(title) AS
    NOT regexp_matches(title, '[^ -~\\t\\n\\r{_ACCENTED}–—‘’“”]|[\\\\&+#]') AND length(title) <= {MAX_TITLE};
CREATE OR REPLACE TEMP MACRO spaced(title) AS
    regexp_replace(regexp_replace(lower(strip_accents(title)), '[''`‘’${{}}]', '', 'g'), '[^a-z0-9 ]', ' ', 'g');
CREATE OR REPLACE TEMP MACRO squeezed(spaced) AS replace(spaced, ' ', '');
CREATE OR REPLACE TEMP MACRO words(spaced) AS list_filter(string_split(spaced, ' '), lambda word: word <> '');
CREATE OR REPLACE TEMP MACRO content_words(spaced) AS
    list_filter(string_split(spaced, ' '), lambda word: word NOT IN ('', {_JOINING}));
CREATE OR REPLACE TEMP MACRO term(text) AS (hash(text) >> 24)::UBIGINT;
"""

# Postings of the titles in the relation `{titles}`, which has `position` and `title`; all of them are plain.
PLAIN_TERMS = f"""
WITH plain AS MATERIALIZED (
    SELECT position, squeezed(spaced(title)) AS key, content_words(spaced(title)) AS content
    FROM {{titles}}
)
SELECT term('k:' || key) AS term, position FROM plain WHERE key <> ''
UNION ALL
SELECT term(concat('p:', first, ' ', second)), position
FROM (SELECT position, unnest(content) AS first, unnest(content[2:]) AS second FROM plain)
WHERE second IS NOT NULL
UNION ALL
SELECT term('w:' || word), position
FROM (SELECT position, len(content) AS words, unnest(content) AS word FROM plain)
WHERE length(word) >= {_RARE_LENGTH} AND (words <= {_SHORT} OR word NOT IN (SELECT word FROM commonplace))
UNION ALL
SELECT term('n:' || array_to_string(name, '')), position
FROM (SELECT position, words(spaced(split_part(title, ':', 1))) AS name FROM {{titles}} WHERE contains(title, ':'))
WHERE len(name) BETWEEN 1 AND {_NAME}
"""


@cache
def _commonplace() -> frozenset[str]:
    """Returns the words that too many titles have to be terms."""
    return LINKING | QUESTIONS | frequent_words()


def prepare(connection: DuckDBPyConnection) -> None:
    """Makes the macros and the list of commonplace words known to `connection`."""
    connection.execute(MACROS)
    connection.execute("CREATE OR REPLACE TEMP TABLE commonplace (word VARCHAR)")
    connection.register("commonplace_words", text_table([(word,) for word in sorted(_commonplace())], "word"))
    connection.execute("INSERT INTO commonplace FROM commonplace_words")
    connection.unregister("commonplace_words")


def key_term(title: str) -> str | None:
    """Returns the term of a whole title, None where it holds neither letter nor digit."""
    key = title_key(title)
    return f"k:{key}" if key else None


def variant_terms(title: str) -> list[str]:
    """Returns the terms of titles that `title` may be a variant of: without its name or subtitle, or its name alone."""
    name = [f"n:{title_key(title)}"] if 0 < len(title_words(title).words) <= _NAME else []
    return [f"k:{key}" for key in title_keys(title)] + name


def rare_word_term(word: str) -> str:
    """Returns the term of a word that is not commonplace."""
    return f"w:{word}"


def near_terms(title: str) -> list[str]:
    """Returns the terms that titles like `title` have in common with it: rare words and pairs of neighbours."""
    content = [word for word in title_words(title).words if word not in LINKING]
    pairs = [f"p:{first} {second}" for first, second in pairwise(content)]
    short = len(content) <= _SHORT
    telling = [word for word in content if len(word) >= _RARE_LENGTH and (short or word not in _commonplace())]
    return list(dict.fromkeys(pairs + [rare_word_term(word) for word in telling]))


def title_terms(title: str) -> list[str]:
    """Returns every term of a paper with that title."""
    key = key_term(title)
    name, colon, _ = plain(title[:MAX_TITLE]).partition(":")
    names = [f"n:{title_key(name)}"] if colon and 0 < len(title_words(name).words) <= _NAME else []
    return ([key] if key else []) + names + near_terms(title)


MAX_CANDIDATES = 5  # papers that a look-up offers for one damaged title; the judgement is over these
# Papers of one damaged title that are compared letter by letter: a paper, its reply, its survey have like terms.
_MAX_LEVEL = 40
_MAX_SAME = 25  # papers of the very same title that are offered
_COMPARED = 300  # characters of a title that are compared letter by letter
_PROBES = 8  # rarest terms of a title that are followed
_TOO_COMMON = 4_000  # a term of more papers is followed only where a title has no rarer one
# Terms, or positions, up to which they are named in the query one by one, so that only their row groups are read.
_FEW = 2_000

Found = dict[str, Any]


class Lookup:
    """Reads one release."""

    def __init__(self, folder: MirrorFolder, release: Release, fields: Sequence[str]) -> None:
        self._folder = folder
        self._release = release
        self._fields = ", ".join(f'p."{field}"' for field in fields)

    def by_terms(self, terms: Iterable[str]) -> dict[str, list[Found]]:
        """Returns term -> the papers that have it; as terms are hashed, others may be among them."""
        with self._opened() as connection:
            _ask(connection, [(term, term) for term in dict.fromkeys(terms)])
            self._postings(connection)
            connection.execute(_NONE)
            connection.execute("INSERT INTO best SELECT asked, position, NULL FROM touched JOIN asked USING (term)")
            return _grouped(self._papers(connection))

    def by_titles(self, titles: Iterable[str]) -> dict[str, list[Found]]:
        """Returns title -> papers that may bear it, likeliest first; a title without any is absent.

        Where papers have the very title, they alone are returned. Else those that share its key without system name or
        subtitle, or the most of its rarest terms.
        """
        distinct = sorted(set(titles))
        with self._opened() as connection:
            keys = {title: term for title in distinct if (term := key_term(title))}
            connection.execute(_NONE)
            _ask(connection, list(keys.items()))
            self._postings(connection)
            connection.execute(_SAME)
            keyed = {title for (title,) in connection.execute("SELECT DISTINCT asked FROM best").fetchall()}
            self._near(connection, [title for title in distinct if title not in keyed])
            rows = _grouped(self._papers(connection, nearest=MAX_CANDIDATES))
            mistaken = []
            for title in keyed:
                same = [row for row in rows.get(title, ()) if key_term(row["title"] or "") == keys[title]]
                if same:
                    rows[title] = same
                else:  # another key of the same hash
                    rows.pop(title, None)
                    mistaken.append(title)
            if mistaken:
                connection.execute(_NONE)
                self._near(connection, mistaken)
                rows |= _grouped(self._papers(connection, nearest=MAX_CANDIDATES))
            return rows

    def words_in_titles(self, words: Iterable[str]) -> set[str]:
        """Returns those of `words` that a title has; as terms are hashed, another may be among them."""
        with self._opened() as connection:
            _ask(connection, [(word, rare_word_term(word)) for word in sorted(set(words))])
            self._postings(connection)
            rows = connection.execute("SELECT DISTINCT asked FROM asked JOIN touched USING (term)").fetchall()
        return {word for (word,) in rows}

    def _near(self, connection: duckdb.DuckDBPyConnection, titles: Sequence[str]) -> None:
        """Puts the papers that have the most of the titles' rarest terms into `best`."""
        if titles:
            _ask(
                connection, [(title, term) for title in titles for term in (*variant_terms(title), *near_terms(title))]
            )
            self._postings(connection)
            connection.execute(_NEAR, {"papers": max(self._release.rows, 1)})

    def _postings(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Makes `touched`, the postings of all terms in question, without replaced papers."""
        terms = connection.execute("SELECT DISTINCT term FROM asked").fetchall()
        wanted = (
            ", ".join(str(term) for (term,) in terms) if 0 < len(terms) <= _FEW else "SELECT DISTINCT term FROM asked"
        )
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE touched AS SELECT term, position FROM mirror.terms WHERE term IN ({wanted})"
            " AND position NOT IN (SELECT position FROM mirror.superseded)"
        )

    def _papers(self, connection: duckdb.DuckDBPyConnection, *, nearest: int | None = None) -> list[Found]:
        """Returns the papers of the table `best`, with the term or title, in its order.

        Args:
            connection: Has that table.
            nearest: How many of the near ones for each title, those of like titles first where several are equal;
                None for all.
        """
        positions = [position for (position,) in connection.execute("SELECT DISTINCT position FROM best").fetchall()]
        if not positions:
            return []
        blocks = sorted({position >> LINE_BITS for position in positions})
        files = parquet([self._folder.papers(self._release, block) for block in blocks])
        named = f"WHERE p.position IN ({', '.join(map(str, positions))})" if len(positions) <= _FEW else ""
        chosen = f"QUALIFY b.strength IS NULL OR row_number() OVER ({_LIKEST}) <= {nearest}" if nearest else ""
        rows: list[Found] = (
            connection.execute(
                f"SELECT b.asked, {self._fields} FROM best b JOIN (FROM {files} p {named}) p USING (position) {chosen}"
                " ORDER BY b.asked, b.strength DESC, b.position"
            )
            .to_arrow_table()
            .to_pylist()
        )
        return rows

    @contextmanager
    def _opened(self) -> Iterator[duckdb.DuckDBPyConnection]:
        try:
            with closing(duckdb.connect()) as connection:
                connection.execute("SET TimeZone='UTC'")
                connection.execute("SET enable_progress_bar=false")
                connection.execute(MACROS)
                index = literal(str(self._folder.index(self._release)))
                connection.execute(f"ATTACH {index} AS mirror (READ_ONLY)")
                yield connection
        except (duckdb.Error, OSError) as error:
            raise self._folder.damaged(error) from error


# Papers to be read: the term or title, and the weight of the shared terms; NULL where it was found by its own term.
_NONE = "CREATE OR REPLACE TEMP TABLE best (asked VARCHAR, position BIGINT, strength DOUBLE)"

_SAME = f"""
INSERT INTO best
SELECT asked, position, NULL
FROM touched JOIN asked USING (term)
QUALIFY row_number() OVER (PARTITION BY asked ORDER BY position) <= {_MAX_SAME}
"""

_NEAR = f"""
INSERT INTO best
WITH frequency AS MATERIALIZED (SELECT term, count(*) AS papers FROM touched GROUP BY term),
probe AS MATERIALIZED (
    SELECT asked, term, ln(1 + $papers / papers) AS weight
    FROM asked JOIN frequency USING (term)
    WINDOW rarest AS (PARTITION BY asked ORDER BY papers, term)
    QUALIFY row_number() OVER rarest <= {_PROBES} AND (papers <= {_TOO_COMMON} OR row_number() OVER rarest = 1)
)
SELECT asked, position, round(sum(weight), 6) AS strength
FROM probe JOIN touched USING (term)
GROUP BY asked, position
QUALIFY rank() OVER (PARTITION BY asked ORDER BY strength DESC) <= {MAX_CANDIDATES}
    AND row_number() OVER (PARTITION BY asked ORDER BY strength DESC, position) <= {_MAX_LEVEL}
"""

_LIKEST = (
    "PARTITION BY b.asked ORDER BY b.strength DESC, "
    f"levenshtein(lower(left(p.title, {_COMPARED})), lower(left(b.asked, {_COMPARED}))), b.position"
)


def _ask(connection: duckdb.DuckDBPyConnection, questions: Sequence[tuple[str, str]]) -> None:
    connection.register("asked_text", text_table(questions, "asked", "text"))
    connection.execute("CREATE OR REPLACE TEMP TABLE asked AS SELECT asked, term(text) AS term FROM asked_text")
    connection.unregister("asked_text")


def _grouped(rows: Iterable[Found]) -> dict[str, list[Found]]:
    grouped: dict[str, list[Found]] = {}
    for row in rows:
        grouped.setdefault(row.pop("asked"), []).append(row)
    return grouped
