"""Drafts of one entry spread over several blocks -> one: a name with its link below, a title with authors below."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from sources.reading_list.author_lists import only_authors, read_authors
from sources.reading_list.document import Block
from sources.reading_list.drafts import Draft
from sources.reading_list.groups import is_paper_link
from sources.reading_list.imprints import imprint_of
from sources.reading_list.labels import OTHER_FIELD
from sources.reading_list.parts import GAP, skip_marks

_LABEL = re.compile(r"[\W_]*([^\W\d_]\w*(?: \w+){0,2})[\W_]*?[:：](?!//)")
"""A few words and a colon at the start of a block."""


_RECURS = 3
"""In how many lists of a file a label stands once if it names a field of a record."""


class _Place(NamedTuple):
    """A block, what the blocks before it came to, and which blocks are fields of a record."""

    blocks: Sequence[Block]
    kept: list[list[Draft]]
    fields: set[int]
    at: int


def attach(blocks: Sequence[Block], drafts: Sequence[Sequence[Draft]]) -> list[list[Draft]]:
    """Returns the drafts of every block after what belongs to an earlier draft has moved to it."""
    kept: list[list[Draft]] = []
    fields = _fields(blocks)
    for index in range(len(blocks)):
        own: list[Draft] = []
        for draft in drafts[index]:
            file = draft.citation.how == "file"
            _take_for_authors(blocks[index], draft)
            named = draft.title is not None and not (index in fields and _is_label(blocks[index], draft))
            if named and not file and not _is_imprint(draft):
                _adopt(kept, blocks[index].parent, draft)
                own.append(draft)
                continue
            target = _target(_Place(blocks, kept, fields, index), own, draft)
            if target is not None and not (file and target.like < 0):
                _move(draft, target)
            elif draft.paper_links:
                draft.citation.title = None if imprint_of(draft.title or "") else draft.title
                own.append(draft)
        kept.append(own)
    return kept


def _fields(blocks: Sequence[Block]) -> set[int]:
    """Returns the items that are fields of the record above: their label is known, or heads one item of many lists."""
    labels: dict[str, list[int]] = defaultdict(list)
    found = set()
    for index, block in enumerate(blocks):
        if block.kind == "item":
            if OTHER_FIELD.match(block.rich.text):
                found.add(index)
            elif label := _LABEL.match(block.rich.text[:60]):
                labels[label[1].lower()].append(index)
    for same in labels.values():
        groups = {blocks[index].group for index in same}
        if len(groups) >= _RECURS and len(groups) == len(same):
            found.update(same)
    return found


def _is_label(block: Block, draft: Draft) -> bool:
    """Returns whether the draft's words are only the label of a field, before the links that are its content."""
    label = _LABEL.match(block.rich.text[:60])
    is_text = draft.title_link is None and bool(draft.paper_links)
    return is_text and label is not None and (draft.title or "").lower() == label[1].lower()


def _take_for_authors(block: Block, draft: Draft) -> None:
    """Reads words below an entry that are full names throughout as its authors, not as a title and its authors."""
    if (block.parent is None and block.kind != "paragraph") or draft.title is None or draft.title_link is not None:
        return
    names = _names_throughout(draft)
    if len(names) > 1 and len(names) >= len(draft.citation.authors) and all(" " in name for name in names):
        draft.citation.title, draft.citation.authors, draft.like = None, names, -5.0


def _names_throughout(draft: Draft) -> tuple[str, ...]:
    """Returns the names that a draft's words are, apart from links, venue and year; none where it has other words."""
    if draft.source is None:
        return only_authors(draft.text)
    entry, (start, end, _, _) = draft.source
    text = entry.text[:end]
    people = read_authors(text, skip_marks(text, start))
    if people is None:
        return ()
    rest = text[people.end :].strip(GAP + " \n\v.,;:|()[]*_")
    return people.names if not any(map(str.isalpha, rest)) or imprint_of(rest) else ()


def _adopt(kept: list[list[Draft]], parent: int | None, draft: Draft) -> None:
    """Gives a citation without links those of the name above it: "ResNet [paper]" over "K. He et al., Deep ..."."""
    if parent is None or draft.paper_links or not draft.citation.authors or draft.like < 1.0 or not kept[parent]:
        return
    name = kept[parent][-1]
    if name.paper_links and name.title_link is None and name.like < 1.0 and not name.citation.authors:
        draft.links.extend(name.links)
        kept[parent].pop()


def _is_imprint(draft: Draft) -> bool:
    """Returns whether the draft's words are only authors, or venue and year, of a paper named before."""
    title = draft.title or ""
    return (
        draft.title_link is None and draft.like < 3.0 and (imprint_of(title) is not None or bool(only_authors(title)))
    )


def _target(place: _Place, own: list[Draft], draft: Draft) -> Draft | None:
    """Returns the draft that `draft`, which has no title, belongs to."""
    if own:
        return own[-1] if _fits(own[-1], draft) else None
    blocks, kept, _, index = place
    block = blocks[index]
    if (
        block.kind == "item"
        and (sibling := _sibling(place)) is not None
        and sibling.like >= 0.5
        and _fits(sibling, draft)
    ):
        return sibling
    if block.parent is not None:
        above = kept[block.parent]
        return above[-1] if above and _fits(above[-1], draft) else None
    first = _first_field(place)
    if block.kind not in ("paragraph", "item") or first == 0:
        return None
    before = blocks[first - 1]
    near = blocks[first].first_line - before.last_line <= 2
    if near and before.kind in ("paragraph", "heading") and not before.quoted and kept[first - 1]:
        candidate = kept[first - 1][-1]
        good = candidate.like >= 1.0 or candidate.title_link is not None
        return candidate if good and _fits(candidate, draft) else None
    return None


def _first_field(place: _Place) -> int:
    """Returns the first of the fields without a paper's link that the block ends, itself where it is no field."""
    blocks, kept, fields, index = place
    first = index
    while (
        index in fields
        and first - 1 in fields
        and blocks[first - 1].group == blocks[index].group
        and not any(draft.paper_links for draft in kept[first - 1])
    ):
        first -= 1
    return first


def _sibling(place: _Place) -> Draft | None:
    """Returns the last draft of the item right before, in the same list."""
    blocks, kept, fields, index = place
    block = blocks[index]
    for before in range(index - 1, max(index - 12, -1), -1):
        other = blocks[before]
        if other.depth < block.depth or (other.group != block.group and other.depth == block.depth):
            return None
        if other.depth == block.depth and other.kind == "item":
            if not kept[before] and before in fields:
                continue
            return kept[before][-1] if kept[before] else None
    return None


def _fits(target: Draft, draft: Draft) -> bool:
    """Returns whether the links of `draft` can be about the paper of `target`: it lacks one, or they agree."""
    mine = [link for link in draft.links if is_paper_link(link)]
    theirs = target.paper_links
    if not mine:
        told = draft.citation.authors or draft.citation.venue or draft.citation.year is not None
        return bool(draft.links or told) or _is_imprint(draft)
    if not theirs:
        return target.title is not None
    same_block = target.block == draft.block
    ids = {identifier for link in theirs for identifier in link.carried.identifiers if identifier.scheme == "arxiv"}
    further = {identifier for link in mine for identifier in link.carried.identifiers if identifier.scheme == "arxiv"}
    return same_block and not (ids and further and not ids & further)


def _move(draft: Draft, target: Draft) -> None:
    """Puts the links and facts of `draft` into `target`."""
    citation, further = target.citation, draft.citation
    if _is_imprint(draft):
        imprint = imprint_of(draft.title or "")
        further.year = further.year or (imprint.year if imprint else None)
        further.venue = further.venue or (imprint.venue if imprint else None)
        further.authors = further.authors or only_authors(draft.title or "")
    target.links.extend(draft.all_links)
    citation.authors = citation.authors or further.authors
    citation.year = citation.year if citation.year is not None else further.year
    citation.venue = citation.venue or further.venue
    if any(is_paper_link(link) for link in draft.links) or further.authors or further.venue:
        target.last_line = max(target.last_line, draft.last_line)
