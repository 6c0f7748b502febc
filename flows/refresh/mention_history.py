"""Recognises the mentions of a list in its next revision, so that each keeps its row.

A mention is the same when its words and links are the same, on whatever line; else when its identifier or link is the
same; else when its title is, or nearly; of several such rows the one in its section. One that is no longer in the list
keeps its row and gets `removed_at`; if it returns, it has the same row.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime, timedelta
from itertools import product
from typing import Any, NamedTuple, cast

from rapidfuzz import fuzz, process

from sources.bibliography.titles import title_key
from sources.records import Mention
from warehouse.loading.reply_spool import due_again
from warehouse.tables.declarations import MentionColumns, MentionRow

_TYPO_RATIO = 92  # the similarity, in hundredths, from which two title keys are one title with a corrected typing error
_MOST_COMPARED = 1_000_000  # the most pairs of titles compared; a list that was rewritten as a whole has more

# Columns on which a verdict is based; while they do not change, the verdict stays.
WRITTEN = ("title", "authors", "year", "venue", "url", "arxiv_id", "doi")


def list_id_of(location: str) -> str:
    """Returns the identifier of the list at `location`."""
    return "l" + _digest(location)


class Found(NamedTuple):
    """A mention in a revision of its list."""

    row: MentionRow  # its row after this revision
    mention: Mention
    before: MentionRow | None  # its row in the lake; None where it has none


def revise(
    stored: Sequence[MentionRow],
    mentions: Sequence[Mention],
    *,
    list_id: str,
    now: datetime,
    revised: bool,
    taken: AbstractSet[str],
) -> list[Found]:
    """Returns each mention with its rows after this revision and in the lake.

    A row whose title, authors or other evidence changed is open again: status `failed`, tries 0, no paper.

    `stored` are the list's rows in the lake that the mentions may have, also removed ones. Where the text differs from
    the one in the lake, it is `revised`: then every mention in it was seen again. Other mentions have the identifiers
    that are `taken`.
    """
    pairs = _paired(stored, mentions)
    taken = {*taken, *(row["mention_id"] for row in stored)}
    has_new = len(pairs) < len(mentions)
    seen: Counter[str] = Counter()
    found = []
    for index, mention in enumerate(mentions):
        name = ""  # of a mention that is new: by its list, its words, its number among equals
        if has_new:
            fingerprint = _fingerprint(mention.title, mention.url, mention.text)
            # One that is taken is skipped: the words of its mention may have changed since.
            while (name := "m" + _digest(list_id, fingerprint, str(seen[fingerprint]))) in taken:
                seen[fingerprint] += 1
            seen[fingerprint] += 1
        row = _row(mention, pairs.get(index), list_id=list_id, now=now, mention_id=name)
        found.append(Found(row | ({"last_seen_at": now} if revised else {}), mention, pairs.get(index)))
    return found


def share_left(stored: Sequence[MentionRow], mentions: Sequence[Mention]) -> float:
    """Returns the share of a list's mentions in the lake that a text still has."""
    standing = [row for row in stored if row["removed_at"] is None]
    return len(_paired(standing, mentions)) / len(standing) if standing else 0.0


def is_open(row: MentionRow) -> bool:
    """Returns whether a mention is in its list and has no paper yet."""
    return row["removed_at"] is None and row["status"] != "resolved"


def is_due(row: MentionRow, *, max_age: timedelta, now: datetime) -> bool:
    """Returns whether the services are to be asked now about an open mention."""
    if row["status"] == "failed" or row["asked_at"] is None:
        return True
    return due_again(row["asked_at"], row["tries"], max_age=max_age, now=now)


def reopened(row: MentionRow) -> MentionRow:
    """Returns the row without a verdict, as before the first request for it."""
    return {**row, **_UNASKED}


def _paired(stored: Sequence[MentionRow], mentions: Sequence[Mention]) -> dict[int, MentionRow]:
    """Returns index of mention -> its stored row, by the strictest comparison first.

    Of rows that compare alike, those in the list come before removed ones, and then those of the mention's section.
    """
    pairs: dict[int, MentionRow] = {}
    free = sorted(stored, key=lambda row: row["line"])
    written = [{name: getattr(mention, name) for name in ("text", *WRITTEN)} for mention in mentions]
    comparisons: tuple[Callable[[Mapping[str, Any]], str | None], ...] = (
        lambda row: _fingerprint(row["title"], row["url"], row["text"]),
        lambda row: row["arxiv_id"] or row["doi"] or row["url"],
        lambda row: title_key(row["title"] or "") or None,
    )
    for key_of in comparisons:
        keys = {index: key for index, row in enumerate(written) if index not in pairs and (key := key_of(row))}
        for is_gone, in_section in product((False, True), (True, False)):
            waiting: defaultdict[tuple[str, tuple[str, ...]], deque[MentionRow]] = defaultdict(deque)
            for row in free if keys.keys() - pairs else ():
                if (row["removed_at"] is not None) == is_gone and (key := key_of(row)):
                    waiting[key, tuple(row["section"] or ()) if in_section else ()].append(row)
            for index, key in keys.items() if waiting else ():
                rows = waiting.get((key, mentions[index].section if in_section else ()))
                if rows and index not in pairs:
                    pairs[index] = rows.popleft()
            taken = {row["mention_id"] for row in pairs.values()}
            free = [row for row in free if row["mention_id"] not in taken]
    free = [row for row in free if row["removed_at"] is None]
    return pairs | _alike_by_section(free, {index: m for index, m in enumerate(mentions) if index not in pairs})


def _alike_by_section(free: Sequence[MentionRow], mentions: Mapping[int, Mention]) -> dict[int, MentionRow]:
    """Returns the pairs with a corrected typing error, first those within a section."""
    rows_of: defaultdict[tuple[str, ...], list[MentionRow]] = defaultdict(list)
    left_of: defaultdict[tuple[str, ...], dict[int, Mention]] = defaultdict(dict)
    for row in free:
        rows_of[tuple(row["section"] or ())].append(row)
    for index, mention in mentions.items():
        left_of[mention.section][index] = mention
    pairs: dict[int, MentionRow] = {}
    for section, rows in rows_of.items():
        pairs |= _alike(rows, left_of[section])
    taken = {row["mention_id"] for row in pairs.values()}
    left = {index: mention for index, mention in mentions.items() if index not in pairs}
    return pairs | _alike([row for row in free if row["mention_id"] not in taken], left)


def _alike(free: Sequence[MentionRow], mentions: Mapping[int, Mention]) -> dict[int, MentionRow]:
    """Returns the pairs with a corrected typing error: titles nearly the same, each the most similar to the other."""
    rows = {number: title_key(row["title"] or "") for number, row in enumerate(free)}
    left = {index: title_key(mention.title or "") for index, mention in mentions.items()}
    if not rows or not left or len(rows) * len(left) > _MOST_COMPARED:
        return {}
    nearest = {index: _nearest(key, rows) for index, key in left.items()}
    return {
        index: free[number]
        for index, number in nearest.items()
        if number is not None and _nearest(rows[number], left) == index
    }


def _nearest(key: str, choices: Mapping[int, str]) -> int | None:
    best = process.extractOne(key, choices, scorer=fuzz.ratio, score_cutoff=_TYPO_RATIO) if key else None
    return None if best is None else best[2]


# Columns that a mention keeps from one revision of its list to the next.
_LASTING = (
    "mention_id", "list_id", "first_seen_at", "last_seen_at", "status", "paper_id", "method", "score", "reason",
    "asked_at", "tries", "decision",
)  # fmt: skip


def _row(mention: Mention, old: MentionRow | None, *, list_id: str, now: datetime, mention_id: str) -> MentionRow:
    new = {
        **{name: getattr(mention, name) for name in ("line", "text", *WRITTEN, "struck", "confidence")},
        "mention_id": mention_id,
        "list_id": list_id,
        "section": list(mention.section),
        "authors": list(mention.authors),
        "notes_urls": list(mention.notes),
        "first_seen_at": now,
        "last_seen_at": now,
        "removed_at": None,
        "decision": None,
        **_UNASKED,
    }
    if old is None:
        return cast("MentionRow", new)
    row = cast("MentionRow", new | {name: old.get(name) for name in _LASTING})
    changed = {name for name, value in row.items() if _plain(old.get(name)) != value}
    if not changed.isdisjoint(WRITTEN):
        row |= _UNASKED
    if changed - {"confidence"}:
        row["last_seen_at"] = now
    return row


_UNASKED: MentionColumns = {
    "status": "failed",
    "paper_id": None,
    "method": None,
    "score": None,
    "reason": None,
    "asked_at": None,
    "tries": 0,
}


def _fingerprint(title: str | None, url: str | None, text: str) -> str:
    return "\x1f".join((title_key(title or ""), url or "", "" if title or url else " ".join(text.split())))


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple | list) else value


def _digest(*parts: str) -> str:
    return hashlib.sha256("\x1e".join(parts).encode()).hexdigest()[:16]
