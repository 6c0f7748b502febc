"""Whether drafts belong together, and what the layout of a list says about that: `merge_blocks` acts on it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from sources.bibliography.identifiers import Scheme
from sources.reading_list.drafts import Draft
from sources.reading_list.entries import RECURS, label_of
from sources.reading_list.fields.author_lists import only_authors, read_authors
from sources.reading_list.fields.citation_parts import GAP, skip_marks
from sources.reading_list.fields.imprints import imprint_of
from sources.reading_list.fields.title_model import SURE
from sources.reading_list.fields.titles import clean_title
from sources.reading_list.links.link_finder import Link, identifiers_of, is_author_key
from sources.reading_list.links.link_kinds import OTHER_FIELD, word_of
from sources.reading_list.markdown.document import Block

_WORD = re.compile(r"\w+")
_ONE_EACH: tuple[Scheme, ...] = ("arxiv", "acl", "openreview")
"""Schemes in which a paper has one identifier."""

USUAL = 0.75
"""Which share of a list's titles have an address below them, or of its records no title at a place, where that is its
rule.
"""

_SIGNS_OF_FIELD = 30
"""How many signs of a field are looked at to tell whether it says the same as another."""

_WORDS_OF_LABEL = 4
"""Words of a field that says the same in several records, "Paper: link"; more are a title that recurs."""

_ABSTRACT = re.compile(
    r"\b(?:[Ww]e (?:propose|present|introduce|show|study|demonstrate|describe|develop|consider|investigate|prove|find|"
    r"report|examine|explore|argue|analy[sz]e)|[Ii]n this (?:paper|work|article|study|thesis)|"
    r"[Tt]his (?:paper|article|study|thesis) \w+s)\b"
)
"""What the authors of a paper write in its abstract."""
_SHORTEST_ABSTRACT, _LONGEST_LINE = 240, 160
"""How many signs an abstract has at least, and a line between it and the title at most."""

_REPEATS = 0.7
"""Which share of the words of two titles is common where one repeats the other."""


def name_alone(text: str) -> tuple[str, ...]:
    """Returns the name that `text` consists of, which may be one person's; empty where it is more or none."""
    people = read_authors(text)
    return people.names if people and " " in people.names[0] and not text[people.end :].strip(" .,;*") else ()


def repeats(title: str | None, words: str | None) -> bool:
    """Returns whether `words` are nearly those of `title`, in whatever form."""
    mine, theirs = ({word[:4] for word in _WORD.findall((text or "").lower())} for text in (words, title))
    return len(mine) > 2 and len(mine & theirs) >= _REPEATS * len(mine | theirs)


def _other_papers(some: Sequence[Link], others: Sequence[Link]) -> bool:
    """Returns whether two sets of links lead to different papers."""
    pairs = ((identifiers_of(some, scheme), identifiers_of(others, scheme)) for scheme in _ONE_EACH)
    return any(mine and theirs and not mine & theirs for mine, theirs in pairs)


def name_the_same(draft: Draft, other: Draft) -> bool:
    """Returns whether both drafts' links name the same arXiv papers, one or more."""
    ids = identifiers_of(draft.paper_links, "arxiv")
    return bool(ids) and ids == identifiers_of(other.paper_links, "arxiv")


def items_that_are_fields(blocks: Sequence[Block]) -> set[int]:
    """Returns the items that are fields of the record above: their label is known, or heads one item of many lists."""
    labels: dict[str, list[int]] = defaultdict(list)
    found = set()
    for index, block in enumerate(blocks):
        text = block.rich.text
        if ":" not in text and "：" not in text:
            continue
        if block.kind in ("item", "paragraph") and OTHER_FIELD.match(text):
            found.add(index)
        elif _may_be_field(block) and (label := label_of(text)):
            labels[label].append(index)
    for label, same in labels.items():
        owners = {blocks[index].group if blocks[index].kind == "item" else blocks[index].parent for index in same}
        texts = [blocks[index].rich.text for index in same]
        alike = len({text[: len(label) + _SIGNS_OF_FIELD] for text in texts}) < RECURS
        repeated = alike and all(len(text.split()) > _WORDS_OF_LABEL for text in texts)
        if len(owners) >= RECURS and len(owners) == len(same) and not repeated:
            found.update(same)
    return found


def _may_be_field(block: Block) -> bool:
    return block.kind == "item" or (block.kind == "paragraph" and block.parent is not None)


def has_only_links(draft: Draft) -> bool:
    """Returns whether a draft has no words of its own but the name of a field, authors or an imprint."""
    if draft.source is None:
        return False
    entry, (start, end, _, _) = draft.source
    words = clean_title(entry.text[start:end].replace(GAP, " "))
    return (
        not any(map(str.isalnum, words))
        or word_of(words) != "other"
        or OTHER_FIELD.match(words + ":") is not None
        or imprint_of(words) is not None
        or bool(only_authors(words))
    )


def lists_with_links_below(blocks: Sequence[Block], drafts: Sequence[Sequence[Draft]]) -> set[int]:
    """Returns the lists in which addresses follow titles without links, item by item, as a rule.

    The list below an item is about that item, so one such pair is enough there. In any other list an item with an
    address or an identifier is an entry of its own, whatever the item before it is.
    """
    counts: defaultdict[int, Counter[str]] = defaultdict(Counter)
    nested: set[int] = set()
    last: dict[tuple[int, int], bool] = {}
    for block, some in zip(blocks, drafts, strict=True):
        if block.kind != "item" or not some:
            continue
        is_title = some[-1].title is not None and not some[-1].paper_links
        is_link = some[0].title is None and bool(some[0].paper_links)
        count = counts[block.group]
        count["titles"] += is_title
        count["pairs"] += is_link and last.get((block.group, block.depth), False)
        last[block.group, block.depth] = is_title
        if block.parent is not None:
            nested.add(block.group)
    return {
        group
        for group, count in counts.items()
        if count["pairs"] >= (1 if group in nested else 2) and count["pairs"] >= USUAL * count["titles"]
    }


def is_label(block: Block, draft: Draft) -> bool:
    """Returns whether the draft's words are the label of a field, before the links or the words that it holds."""
    label, title = label_of(block.rich.text), (draft.title or "").lower()
    if draft.title_link is not None or not label:
        return False
    if draft.paper_links:
        return title == label
    return block.parent is not None and title.startswith((f"{label}:", f"{label}："))


def names_throughout(draft: Draft) -> tuple[str, ...]:
    """Returns the names that a draft's words are, apart from links, venue and year; none where it has other words."""
    if draft.source is None:
        return only_authors(draft.text)
    entry, (start, end, _, _) = draft.source
    text = entry.text[:end]
    people = read_authors(text, skip_marks(text, start))
    if people is None or (draft.citation.start >= people.end and not imprint_of(draft.title or "")):
        return ()
    rest = text[people.end :].strip(GAP + " \n\v.,;:|()[]*_")
    return people.names if not any(map(str.isalpha, rest)) or imprint_of(rest) else ()


def is_imprint(draft: Draft) -> bool:
    """Returns whether the draft's words are only authors, or venue and year, of a paper named before."""
    title = draft.title or ""
    if draft.title_link is not None or draft.odds >= SURE or draft.citation.in_lines:
        return False
    marked = draft.citation.authors and draft.citation.how in ("quoted", "bold", "italic")
    return imprint_of(title) is not None or (not marked and bool(only_authors(title)))


def fits(target: Draft, draft: Draft) -> bool:
    """Returns whether the links of `draft` can be about the paper of `target`: it lacks one, or they agree."""
    mine, theirs = draft.paper_links, target.paper_links
    if not mine:
        cited = draft.citation.authors or draft.citation.venue or draft.citation.year is not None
        return bool(draft.all_links or cited) or is_imprint(draft)
    if not theirs:
        return target.title is not None
    cites = any(is_author_key(link.label) and link.carried.identifiers for link in mine)
    if cites or _other_papers(theirs, mine):
        return False
    if target.title is None and not identifiers_of(mine, "doi") <= identifiers_of(theirs, "doi"):
        return not identifiers_of(theirs, "doi")
    return target.block == draft.block or not (draft.title or any(link.bare for link in mine))


def blocks_above_abstracts(blocks: Sequence[Block]) -> set[int]:
    """Returns the blocks right above an abstract, or parted from it by a short line such as one of authors."""
    found = set()
    for index, block in enumerate(blocks):
        text = block.rich.text
        if len(text) >= _SHORTEST_ABSTRACT and _ABSTRACT.search(text):
            for at in range(index - 1, max(index - 3, -1), -1):
                if len(blocks[at].rich.text) > _LONGEST_LINE:
                    break
                found.add(at)
    return found
