"""Drafts of one record spread over several blocks -> one: a name with its link below, a title with authors below."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sources.bibliography.identifiers import Identifier
from sources.reading_list.block_relations import (
    USUAL,
    fits,
    has_only_links,
    is_imprint,
    is_label,
    items_that_are_fields,
    lists_with_links_below,
    name_alone,
    name_the_same,
    names_throughout,
    repeats,
)
from sources.reading_list.drafts import Draft
from sources.reading_list.entries import RECURS
from sources.reading_list.fields.imprints import imprint_of
from sources.reading_list.fields.title_model import EVEN, NO_TITLE, UNLIKELY, WORDLESS, title_odds
from sources.reading_list.links.link_finder import identifiers_of
from sources.reading_list.links.link_kinds import word_of
from sources.reading_list.markdown.document import Block
from sources.reading_list.pairs import NEAR, move, with_names_above, with_records_above

_MOSTLY = 0.6
"""Which share of the blocks of one form are about one paper each where that is the list's rule."""
_OVER_LINKS = -1.0
"""Logarithm of the odds from which words without a link may be the title of what stands below them."""


@dataclass(slots=True)
class _Place:
    """A block, what the blocks before it came to, whose they are, which are fields, and in which lists links follow."""

    blocks: Sequence[Block]
    drafts_by_block: list[list[Draft]]
    owners: list[Draft | None]
    fields: set[int]
    links_below: set[int]
    at: int


def attach(blocks: Sequence[Block], drafts: Sequence[Sequence[Draft]]) -> list[list[Draft]]:
    """Returns the drafts of every block after what belongs to an earlier draft has moved to it."""
    place = _Place(blocks, [], [], items_that_are_fields(blocks), lists_with_links_below(blocks, drafts), 0)
    drafts = with_names_above(blocks, with_records_above(blocks, drafts))
    for index in range(len(blocks)):
        place.at = index
        own: list[Draft] = []
        owner = place.owners[-1] if index in place.fields and place.owners else None
        for draft in drafts[index]:
            owner = _place_draft(place, own, draft) or owner
        place.drafts_by_block.append(own)
        heads = own and not (owner is not None and not own[-1].paper_links)
        place.owners.append(own[-1] if heads else owner)
    _take_what_is_usual(blocks, drafts, place.drafts_by_block)
    _take_what_follows(blocks, place.drafts_by_block)
    return _without_bare_repeats(place.drafts_by_block)


def _take_what_is_usual(
    blocks: Sequence[Block], before: Sequence[Sequence[Draft]], after: Sequence[list[Draft]]
) -> None:
    """Moves to the item above them drafts at a place below it that holds no title in the other records of the file."""
    places: dict[int, tuple[object, ...]] = {}
    children: Counter[int] = Counter()
    moved: dict[object, list[bool]] = defaultdict(list)
    for index, block in enumerate(blocks):
        if block.parent is not None:
            children[block.parent] += 1
            if before[index] and after[block.parent]:
                places[index] = (blocks[block.parent].depth, block.kind, block.quoted, children[block.parent])
                moved[places[index]].append(not after[index])
    for index, place in places.items():
        records, own = after[blocks[index].parent or 0], after[index]
        if not records or len(own) != 1 or own[0].title_link is not None or records[0].paper_links:
            continue
        record = records[0]
        worse = title_odds(own[0].title or "") < title_odds(record.title or "")
        if worse and sum(moved[place]) >= max(RECURS, USUAL * len(moved[place])):
            own[0].citation.title = None
            move(own.pop(), record)


def _take_what_follows(blocks: Sequence[Block], drafts_by_block: Sequence[list[Draft]]) -> None:
    """Makes one of the drafts of a block of several lines, where nearly all blocks of its form in the file have one.

    What is taken for a further paper there, authors or a venue that nobody knows, reads less like a title.
    """
    forms: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for index, (block, some) in enumerate(zip(blocks, drafts_by_block, strict=True)):
        if some and some[0].title is not None and (block.kind == "row" or "\n" in block.rich.text.strip()):
            forms[block.kind, block.depth, block.quoted, some[0].citation.how].append(index)
    for (_, _, _, how), same in forms.items():
        several = [index for index in same if len(drafts_by_block[index]) > 1]
        if not several or len(same) - len(several) < max(RECURS, _MOSTLY * len(same)):
            continue
        for index in several:
            first, *others = drafts_by_block[index]
            for other in others:
                odds = title_odds(other.title or "")
                if other.citation.how != how and odds < min(0.0, title_odds(first.title or "")) and fits(first, other):
                    other.citation.title = None
                    move(other, first)
                    drafts_by_block[index].remove(other)


def _without_bare_repeats(drafts_by_block: list[list[Draft]]) -> list[list[Draft]]:
    """Returns the drafts without links to the paper of a title right beside them that have no words but its name."""
    titled: dict[Identifier, list[tuple[int, str]]] = defaultdict(list)
    for draft in (draft for some in drafts_by_block for draft in some if draft.title):
        for identifier in identifiers_of(draft.paper_links, "arxiv"):
            titled[identifier].append((draft.line, (draft.title or "").lower()))

    def is_bare_repeat(draft: Draft) -> bool:
        name = (draft.title or "").lower()
        return any(
            abs(line - draft.line) <= NEAR and (not name or title.startswith((f"{name}: ", f"{name} - ")))
            for identifier in identifiers_of(draft.paper_links, "arxiv")
            for line, title in titled[identifier]
        )

    return [[draft for draft in some if not is_bare_repeat(draft)] for some in drafts_by_block]


def _place_draft(place: _Place, own: list[Draft], draft: Draft) -> Draft | None:
    """Keeps `draft` as one of its block's `own`, or moves it to the draft that it belongs to, which is returned."""
    block, file = place.blocks[place.at], draft.citation.how == "file"
    _take_for_authors(block, draft)
    named = draft.title is not None and not (place.at in place.fields and is_label(block, draft))
    if named and not file and not is_imprint(draft):
        whole = _whole(place, own, draft)
        if whole is not None:
            move(draft, whole)
            return whole
        _adopt(place.drafts_by_block, block.parent, draft)
        _adopt_named(place, draft)
        if own and own[-1].title is None and name_the_same(own[-1], draft):
            draft.links.extend(own.pop().all_links)
        own.append(draft)
        return None
    target = _target(place, own, draft)
    if target is not None and not (file and target.odds < NO_TITLE):
        move(draft, target)
        return target
    if draft.paper_links:
        draft.citation.title = None if imprint_of(draft.title or "") else draft.title
        own.append(draft)
    return None


def _whole(place: _Place, own: list[Draft], draft: Draft) -> Draft | None:
    """Returns the draft that `draft`, which has a title, is only a part of: its author, a remark or its repetition."""
    parent = place.blocks[place.at].parent
    before = own[-1] if own else None
    if before is None and parent is not None and place.drafts_by_block[parent]:
        above = place.drafts_by_block[parent][-1]
        return above if above.paper_links and not draft.paper_links and repeats(above.title, draft.title) else None
    if before is None or before.title is None or draft.title is None:
        return None
    worse = title_odds(draft.title) < min(title_odds(before.title), 0.0)
    if draft.title_link is None and worse and name_the_same(draft, before):
        return before
    named = draft.title_link is None or not draft.title_link.carried.identifiers
    name = name_alone(draft.title) if named and worse and not before.citation.authors else ()
    if not name or not fits(before, draft):
        return None
    words = draft.citation
    dated = words.how == "italic" and words.year is not None and draft.text[words.end : words.end + 1] != ","
    if words.authors and dated:
        words.venue = words.venue or words.title
    else:
        words.authors = (*name, *words.authors)
    words.title = None
    return before


def _may_be_below(place: _Place, draft: Draft) -> bool:
    """Returns whether an item without a title may hold the links of the item before it, and no others."""
    if not draft.paper_links:
        return True
    bare = any(link.bare or not link.url for link in draft.paper_links)
    return has_only_links(draft) and (not bare or place.blocks[place.at].group in place.links_below)


def _take_for_authors(block: Block, draft: Draft) -> None:
    """Reads words below an entry that are full names throughout as its authors, not as a title and its authors."""
    apart = (block.parent is None and block.kind != "paragraph") or draft.citation.in_lines
    if apart or draft.title is None or draft.title_link is not None:
        return
    names = names_throughout(draft)
    several = len(names) > 1 or draft.citation.year is not None
    if names and several and len(names) >= len(draft.citation.authors) and all(" " in name for name in names):
        draft.citation.title, draft.citation.authors, draft.odds = None, names, WORDLESS


def _adopt(drafts_by_block: list[list[Draft]], parent: int | None, draft: Draft) -> None:
    """Gives a citation without links those of the name above it: "ResNet [paper]" over "K. He et al., Deep ..."."""
    if (
        parent is None
        or draft.paper_links
        or not draft.citation.authors
        or draft.odds < UNLIKELY
        or not drafts_by_block[parent]
    ):
        return
    name = drafts_by_block[parent][-1]
    if name.paper_links and name.title_link is None and name.odds < min(EVEN, draft.odds) and not name.citation.authors:
        draft.links.extend(name.links)
        drafts_by_block[parent].pop()


def _adopt_named(place: _Place, draft: Draft) -> None:
    """Gives "CosFace: Large Margin Cosine Loss ..." the links of "[paper CosFace]" in a block close above."""
    head, colon, _ = (draft.title or "").partition(":")
    if not colon or draft.paper_links or len(head.split()) > 2:
        return
    block = place.blocks[place.at]
    for before in range(place.at - 1, max(place.at - 1 - NEAR, -1), -1):
        other_block = place.blocks[before]
        if (other_block.kind, other_block.depth, other_block.section) != (block.kind, block.depth, block.section):
            return
        for name in place.drafts_by_block[before]:
            words = [word for word in (name.title or "").lower().split() if word_of(word) == "other"]
            if name.paper_links and " ".join(words) == head.strip().lower():
                draft.links.extend(name.all_links)
                place.drafts_by_block[before].remove(name)
                return


def _target(place: _Place, own: list[Draft], draft: Draft) -> Draft | None:
    """Returns the draft that `draft`, which has no title, belongs to."""
    if own:
        return own[-1] if fits(own[-1], draft) else None
    blocks, drafts_by_block, index = place.blocks, place.drafts_by_block, place.at
    block = blocks[index]
    if (
        block.kind == "item"
        and _may_be_below(place, draft)
        and (sibling := _sibling(place)) is not None
        and sibling.odds >= UNLIKELY
        and fits(sibling, draft)
    ):
        return sibling
    if block.parent is not None:
        above = drafts_by_block[block.parent]
        return above[-1] if above and fits(above[-1], draft) else None
    record = _above(place)
    good = record is not None and (record.odds >= _OVER_LINKS or record.title_link is not None)
    return record if record is not None and good and fits(record, draft) else None


def _above(place: _Place) -> Draft | None:
    """Returns the record that a block at the top of the file may go on: that of the block right before it."""
    blocks, owners, fields, index = place.blocks, place.owners, place.fields, place.at
    if index == 0 or blocks[index].kind == "row":
        return None
    block, before = blocks[index], blocks[index - 1]
    near = block.first_line - before.last_line <= 2 and not before.quoted
    under = block.kind != "heading" or (before.kind == "heading" and before.level < block.level)
    goes_on = before.kind in ("paragraph", "heading") or index - 1 in fields
    return owners[index - 1] if near and under and goes_on else None


def _sibling(place: _Place) -> Draft | None:
    """Returns the last draft of the item right before, in the same list."""
    blocks, drafts_by_block, fields, index = place.blocks, place.drafts_by_block, place.fields, place.at
    block = blocks[index]
    for before in range(index - 1, max(index - 12, -1), -1):
        other = blocks[before]
        if other.depth < block.depth or (other.group != block.group and other.depth == block.depth):
            return None
        if other.depth == block.depth and other.kind == "item":
            if not drafts_by_block[before] and before in fields:
                continue
            return drafts_by_block[before][-1] if drafts_by_block[before] else None
    return None
