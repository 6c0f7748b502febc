"""The terms under which a title is found again, damaged too: its key, its rare words, and its pairs of neighbours.

A pair of neighbouring words survives what befalls titles in lists: a typing error harms two pairs of many, a subtitle
left out or a system's name put before leaves all others. The words that only join others are passed over.

Most titles are plain ASCII, for which folding is changing case; those DuckDB folds, millions a minute. All others go
through `sources.bibliography.titles`, which is the one definition; a test holds that both make the same terms.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import pyarrow as pa

from sources.bibliography.lexicon import frequent_words
from sources.bibliography.titles import MAX_TITLE, plain, title_key, title_keys, title_words
from sources.matching.word_match import LINKING, QUESTIONS

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_RARE_LENGTH = 3
"""Letters of a word from which it can tell anything by itself."""

_SHORT = 3
"""Words of a title, those that join others not counted, up to which even a common one of them tells something."""
_NAME = 3
"""Words before a colon up to which they are the name that a list may give alone."""

_JOINING = ", ".join(f"'{word}'" for word in sorted(LINKING))

MACROS = f"""
CREATE OR REPLACE TEMP MACRO is_plain(title) AS
    NOT regexp_matches(title, '[^ -~\\t\\n\\r]|[\\\\$&+#{{}}]') AND length(title) <= {MAX_TITLE};
CREATE OR REPLACE TEMP MACRO spaced(title) AS
    regexp_replace(replace(replace(lower(title), '''', ''), '`', ''), '[^a-z0-9 ]', ' ', 'g');
CREATE OR REPLACE TEMP MACRO squeezed(spaced) AS replace(spaced, ' ', '');
CREATE OR REPLACE TEMP MACRO words(spaced) AS list_filter(string_split(spaced, ' '), lambda word: word <> '');
CREATE OR REPLACE TEMP MACRO content_words(spaced) AS
    list_filter(string_split(spaced, ' '), lambda word: word NOT IN ('', {_JOINING}));
CREATE OR REPLACE TEMP MACRO term(text) AS (hash(text) >> 32)::UINTEGER;
"""
"""What the queries of this package call. `term` is short, as a wrong hit is only one candidate more to be judged."""

PLAIN_TERMS = f"""
WITH plain AS MATERIALIZED (
    SELECT position, squeezed(spaced(title)) AS key, content_words(spaced(title)) AS content
    FROM {{titles}} WHERE is_plain(title)
)
SELECT term('k:' || key) AS term, position FROM plain WHERE key <> ''
UNION ALL
SELECT unnest(list_transform(range(1, len(content)), lambda i: term('p:' || content[i] || ' ' || content[i + 1]))),
    position
FROM plain
UNION ALL
SELECT term('w:' || word), position
FROM (SELECT position, len(content) AS words, unnest(content) AS word FROM plain)
WHERE length(word) >= {_RARE_LENGTH} AND (words <= {_SHORT} OR word NOT IN (SELECT word FROM commonplace))
UNION ALL
SELECT term('n:' || array_to_string(name, '')), position
FROM (SELECT position, words(spaced(split_part(title, ':', 1))) AS name FROM {{titles}} WHERE is_plain(title)
    AND contains(title, ':'))
WHERE len(name) BETWEEN 1 AND {_NAME}
"""
"""Postings of the plain titles in the relation `{titles}`, which has `position` and `title`."""


@cache
def _commonplace() -> frozenset[str]:
    """Returns the words of which one tells nothing about which title it is."""
    return LINKING | QUESTIONS | frequent_words()


def prepare(connection: DuckDBPyConnection) -> None:
    """Makes the macros and the list of commonplace words known to `connection`."""
    connection.execute(MACROS)
    connection.execute("CREATE OR REPLACE TEMP TABLE commonplace (word VARCHAR)")
    connection.register("commonplace_words", pa.table({"word": sorted(_commonplace())}))
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
    """Returns every term that a paper of that title stands under."""
    key = key_term(title)
    name, colon, _ = plain(title[:MAX_TITLE]).partition(":")
    names = [f"n:{title_key(name)}"] if colon and 0 < len(title_words(name).words) <= _NAME else []
    return ([key] if key else []) + names + near_terms(title)
