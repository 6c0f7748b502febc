"""Marks text from lists and services as untrusted in what a language model reads.

A title, an abstract or a line of a list may hold sentences that read like instructions. So every text that paperlake
did not write itself stands under the key `untrusted_text` of its record, bounded in length and with unseen characters
as codes. What is not known to be our own word counts as a stranger's.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from sources.text import json_text, shown

UNTRUSTED = "untrusted_text"  # the key under which the words of strangers stand
LONGEST_TEXT = 2_000  # characters of one text
_MOST_ITEMS = 100  # items of one list of texts, such as authors
MOST_FIELDS = 200  # fields of one record
_SHORT_TEXT, _FEW_ITEMS = 300, 60  # the same, of a single record that is too long for an answer
_LONGEST_ANSWER = 10_000  # characters of the records of one answer, as JSON with its indents
_LONGEST_RECORD = 100_000  # characters of a single record that is longer
_INDENT = 4

# Names of texts that are identifiers, fixed words or our own.
_OWN = frozenset(
    "kind part answer what paper_id mention_id list_id status source code scheme arxiv_id doi s2_paper_id "
    "openalex_id cited_openalex_id citing_openalex_id paper_id_before s2_paper_id_before notice_doi citation_key "
    "primary_category categories count_source method matched_by decision decision_in_force decision_at "
    "best_candidate_arxiv_id publication_type version run_id reply_sha256 found_in orcid author_id level name "
    "identifier work because revision_sha256 oldest_count newest_count oldest_metadata".split()
)
# Names that stay with the words of strangers also where they are empty, so that a record has one shape.
_STRANGERS = frozenset(
    "title authors venue abstract text section sections list lists mention reason reasons url location handle "
    "notes_urls message value error why problem not_read_because best_candidate published_as record".split()
)


def marked(record: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a record with the words of strangers under `untrusted_text`, also in the records inside it."""
    own: dict[str, Any] = {}
    strange: dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, Mapping):
            own[name] = marked(value)
        elif isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
            own[name] = [marked(item) for item in value]
        elif name in _STRANGERS or (_is_text(value) and not _is_own(name)):
            strange[name] = bounded(value)
        else:
            own[name] = bounded(value)
    return own | ({UNTRUSTED: strange} if strange else {})


def unread(record: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a record of which nothing is known, such as a row of somebody's query: all of it is a stranger's."""
    return {UNTRUSTED: {bounded(name): bounded(value) for name, value in record.items()}}


def bounded(value: Any, *, longest: int = LONGEST_TEXT, most: int = _MOST_ITEMS) -> Any:
    """Returns plain values with texts cut to a bound, long lists and records too, and unseen characters as codes."""
    if isinstance(value, str):
        text = shown(value[: 2 * longest], lines=True)
        return text if len(text) <= longest else f"{text[: longest - 1]}…"
    if isinstance(value, Mapping):
        fields = islice(value.items(), MOST_FIELDS)
        return {bounded(str(name), longest=longest): bounded(item, longest=longest, most=most) for name, item in fields}
    if isinstance(value, list):
        return [bounded(item, longest=longest, most=most) for item in value[:most]]
    return value


def fitting(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the first of `records` that together are short enough for one answer.

    Where the very first is too long, its texts and lists are cut further; if that does not do, there is none.
    """
    size, number = 0, 0
    for record in records:
        size += _size(record)
        if size > _LONGEST_ANSWER:
            break
        number += 1
    if records and not number:
        short = bounded(records[0], longest=_SHORT_TEXT, most=_FEW_ITEMS)
        return [short] if _size(short) <= _LONGEST_RECORD else []
    return records[:number]


def _size(record: dict[str, Any]) -> int:
    """Returns the characters of a record in an answer, where it stands indented in a list of an object."""
    text = json_text(record, indent=2)
    return len(text) + _INDENT * (text.count("\n") + 1) + len(",\n")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and any(isinstance(item, str) for item in value))


def _is_own(name: str) -> bool:
    return name in _OWN or name.endswith(("_at", "_on", "_since"))
