"""Two blocks that are one record: a name with its links above the title, a title above its entry in BibTeX."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sources.bibliography.titles import title_key
from sources.reading_list.block_relations import is_imprint
from sources.reading_list.drafts import Draft
from sources.reading_list.entries import RECURS
from sources.reading_list.fields.author_lists import only_authors
from sources.reading_list.fields.imprints import imprint_of
from sources.reading_list.fields.title_model import title_odds
from sources.reading_list.markdown.document import Block

NEAR = 4
"""How many lines a link without words and the title that it leads to are apart at most, and their blocks."""
_SHORTEST_KEY = 8
"""How many letters a title has at least that is looked for among the words of a block."""


def with_names_above(blocks: Sequence[Block], drafts: Sequence[Sequence[Draft]]) -> list[list[Draft]]:
    """Returns the drafts with a name's links moved to the whole title in the block below it, where a run does so."""
    result = [list(some) for some in drafts]
    titles_first = _groups_with_titles_first(blocks, drafts)
    pairs = [
        at
        for at in range(len(blocks) - 1)
        if _is_name_above(blocks, drafts, at) and not (blocks[at].group in titles_first and _is_nameless(drafts[at][0]))
    ]
    count = Counter(blocks[at].group for at in pairs if title_odds(drafts[at + 1][0].title or "") > 0)
    for at in pairs:
        (name,), (draft,) = result[at], result[at + 1]
        head = (draft.title or "").split(":")[0].lower()
        if count[blocks[at].group] >= RECURS or (name.title or "").lower() == head:
            draft.links.extend(name.all_links)
            draft.citation.name = draft.citation.name or name.title
            result[at] = []
    return result


def _is_nameless(draft: Draft) -> bool:
    """Returns whether a draft says no more than where and when a paper came out."""
    return draft.title is None or is_imprint(draft)


def _groups_with_titles_first(blocks: Sequence[Block], drafts: Sequence[Sequence[Draft]]) -> set[int]:
    """Returns the groups of blocks that begin with a title without links: links there belong to the title above."""
    first: dict[int, Draft] = {}
    for block, some in zip(blocks, drafts, strict=True):
        if some and (some[0].title or some[0].all_links) and block.kind != "heading":
            first.setdefault(block.group, some[0])
    return {group for group, draft in first.items() if draft.title and not draft.all_links}


def _is_name_above(blocks: Sequence[Block], drafts: Sequence[Sequence[Draft]], at: int) -> bool:
    """Returns whether a block is a short name with a paper's link, and the next one a title without any link."""
    block, below = blocks[at], blocks[at + 1]
    if len(drafts[at]) != 1 or len(drafts[at + 1]) != 1 or block.kind == "row" or block.kind != below.kind:
        return False
    (name,), (draft,) = drafts[at], drafts[at + 1]
    if (block.group, block.depth) != (below.group, below.depth) or draft.all_links or not draft.title:
        return False
    odds = title_odds(name.title or "")
    short = name.title is None or (len(name.title.split()) < len(draft.title.split()) and odds < 0)
    free = bool(name.paper_links) and name.title_link is None and short and not name.citation.authors
    return free and title_odds(draft.title) > odds


def with_records_above(blocks: Sequence[Block], drafts: Sequence[Sequence[Draft]]) -> Sequence[Sequence[Draft]]:
    """Returns the drafts with entries of BibTeX moved to the title above them in the same section that they repeat."""
    records = [at for at, block in enumerate(blocks) if block.kind == "record" and drafts[at]]
    result = [list(some) for some in drafts] if records else []
    for at in records:
        block = blocks[at]
        (record,) = result[at]
        for above in range(at - 1, max(at - 1 - NEAR, -1), -1):
            if blocks[above].kind == "record" or block.section[: len(blocks[above].section)] != blocks[above].section:
                break
            if draft := _repeated(record, blocks[above], result[above]):
                draft.citation.title = record.citation.title
                move(record, draft)
                draft.recorded, result[at] = True, []
                draft.text += f"\n{block.rich.text}"
                break
    return result or drafts


def _repeated(record: Draft, block: Block, drafts: Sequence[Draft]) -> Draft | None:
    """Returns the draft of `block` whose title, or a part of it, `record` repeats."""
    key = title_key(record.title or "")
    if len(key) < _SHORTEST_KEY or key not in title_key(block.rich.text):
        return None
    return next((draft for draft in drafts if draft.title and title_key(draft.title) in key), None)


def move(draft: Draft, target: Draft) -> None:
    """Puts the links and facts of `draft` into `target`."""
    citation, further = target.citation, draft.citation
    if is_imprint(draft):
        imprint = imprint_of(draft.title or "")
        further.year = further.year or (imprint.year if imprint else None)
        further.venue = further.venue or (imprint.venue if imprint else None)
        further.authors = further.authors or only_authors(draft.title or "")
    target.links.extend(draft.all_links)
    citation.authors = citation.authors or further.authors
    citation.year = citation.year if citation.year is not None else further.year
    citation.venue = citation.venue or further.venue
    if draft.paper_links or further.authors or further.venue:
        target.last_line = max(target.last_line, draft.last_line)
