"""Changes after which there is nothing left to change. Pure.

What one entry is given may be what the rest of its section is then found to lack: the years of published versions,
say, make a year the rule. So the list with its changes made is looked at again, and what is found is put in terms of
the text as it was, until nothing is found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sources.list_checks.findings import Edit, Entry
from sources.list_checks.list_text import ListText
from sources.list_edits.edits import Change, apply_edits, in_order
from sources.reading_list import parse_reading_list

_MOST_ROUNDS = 5
Mend = Callable[[str, Sequence[Entry]], Sequence[Change]]
"""A list and its entries -> the changes that mend it."""


def settled_changes(text: str, entries: Sequence[Entry], mend: Mend) -> list[Change]:
    """Returns the changes that `mend` makes of the list `text`, and those that it makes of what comes out.

    A change that would mend an entry which is none in `text`, such as one behind a link that is closed, is left out.
    """
    made = list(mend(text, entries))
    for _ in range(_MOST_ROUNDS if made else 0):
        mended = _applied(text, made)
        mentions = parse_reading_list(mended).mentions
        if len(mentions) != len(entries):
            break
        pairs = zip(entries, mentions, strict=True)
        more = mend(mended, [replace(entry, mention=mention) for entry, mention in pairs])
        composed = _composed(text, made, mended, more)
        if not more or _applied(text, composed) != _applied(mended, more):
            break
        made = composed
    return made


def _applied(text: str, changes: Iterable[Change]) -> str:
    return apply_edits(text, (edit for change in changes for edit in change.edits))


@dataclass(slots=True)
class _Cluster:
    """Edits that touch each other in the mended text.

    Attributes:
        start: Where the first begins in the mended text.
        end: Where the last one ends there.
        earlier: Those that made the mended text.
        later: Those that change it.
    """

    start: int
    end: int
    earlier: list[Edit] = field(default_factory=list)
    later: list[Edit] = field(default_factory=list)


def _composed(text: str, made: Sequence[Change], mended: str, more: Sequence[Change]) -> list[Change]:
    """Returns the changes of `text` that come to what `made` and, of what comes out, `more` come to.

    A change that touches what an earlier one has put in becomes part of that one.
    """
    earlier = in_order(text, (edit for change in made for edit in change.edits))
    later = in_order(mended, (edit for change in more for edit in change.edits))
    of_earlier: dict[Edit, Edit] = {}
    of_later: dict[Edit, Edit] = {}
    grown = 0
    for cluster in _clusters(earlier, later):
        start, before = cluster.start - grown, grown
        grown += sum(len(edit.replacement) - (edit.end - edit.start) for edit in cluster.earlier)
        if cluster.earlier and cluster.later:
            inside = [_moved(edit, -cluster.start) for edit in cluster.later]
            words = apply_edits(mended[cluster.start : cluster.end], inside)
            both = Edit(start=start, end=cluster.end - grown, replacement=words)
            of_earlier |= dict.fromkeys(cluster.earlier, both)
            of_later |= dict.fromkeys(cluster.later, both)
        else:
            of_earlier |= {edit: edit for edit in cluster.earlier}
            of_later |= {edit: _moved(edit, -before) for edit in cluster.later}
    new, old = ListText(text), ListText(mended)
    moved = [_placed(new, new, change, of_earlier) for change in made]
    return _joined([*moved, *(_placed(old, new, change, of_later) for change in more)])


def _placed(old: ListText, new: ListText, change: Change, places: Mapping[Edit, Edit]) -> Change:
    """Returns a change of the text `old` as one of the text `new`, in which its edits have other places."""
    edits = tuple(dict.fromkeys(places[edit] for edit in change.edits if edit in places))
    before = old.line_of(min(edit.start for edit in change.edits))
    after = new.line_of(min(edit.start for edit in edits))
    return replace(change, edits=edits, line=change.line + after - before)


def _clusters(earlier: Iterable[Edit], later: Iterable[Edit]) -> Iterator[_Cluster]:
    """Yields the edits in the order of the mended text, an edit of what an earlier one has put in together with it."""
    grown = 0
    places: list[tuple[int, int, bool, Edit]] = []
    for edit in earlier:
        start = edit.start + grown
        places.append((start, start + len(edit.replacement), False, edit))
        grown += len(edit.replacement) - (edit.end - edit.start)
    places += [(edit.start, edit.end, True, edit) for edit in later]
    cluster: _Cluster | None = None
    for start, end, is_later, edit in sorted(places, key=lambda place: place[:3]):
        if cluster is not None and start <= cluster.end:
            cluster.end = max(cluster.end, end)
        else:
            if cluster is not None:
                yield cluster
            cluster = _Cluster(start, end)
        (cluster.later if is_later else cluster.earlier).append(edit)
    if cluster is not None:
        yield cluster


def _moved(edit: Edit, by: int) -> Edit:
    return replace(edit, start=edit.start + by, end=edit.end + by)


def _joined(changes: Iterable[Change]) -> list[Change]:
    """Returns the changes by line, those with an edit in common as one."""
    groups: dict[Edit, list[Change]] = {}
    for change in changes:
        same = {id(groups[edit]): groups[edit] for edit in change.edits if edit in groups}
        parts = [*(part for group in same.values() for part in group), change]
        groups |= {edit: parts for part in parts for edit in part.edits}
    joined = {id(parts): _as_one(parts) for parts in groups.values()}
    return sorted(joined.values(), key=lambda change: min(edit.start for edit in change.edits))


def _as_one(parts: Sequence[Change]) -> Change:
    return replace(
        parts[0],
        message="; ".join(dict.fromkeys(part.message for part in parts)),
        evidence=tuple(dict.fromkeys(phrase for part in parts for phrase in part.evidence)),
        edits=tuple(dict.fromkeys(edit for part in parts for edit in part.edits)),
    )
