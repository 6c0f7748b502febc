"""Merges drafts of one record that is spread over several blocks, such as a title with its authors below."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sources.bibliography.identifiers import Identifier, Scheme
from sources.bibliography.titles import title_key
from sources.bibliography.years import years_in
from sources.lists.reading.addresses import AUTHORS_FIELD, OTHER_FIELD, word_of
from sources.lists.reading.author_lists import author_year, is_author_key, names_of_line, only_authors, read_authors
from sources.lists.reading.citation_parts import GAP, Imprint, dated_line, imprint_of, skip_marks
from sources.lists.reading.document import Block
from sources.lists.reading.drafts import Draft
from sources.lists.reading.entries import RECURS, label_of
from sources.lists.reading.links import identifiers_of
from sources.lists.reading.title_model import (
    EVEN,
    FUNCTION_WORDS,
    NO_TITLE,
    SURE,
    UNLIKELY,
    WORDLESS,
    clean_title,
    title_odds,
)

# Whether drafts belong together, and what the layout of a list says about that.

_WORD = re.compile(r"\w+")
_ONE_EACH: tuple[Scheme, ...] = ("arxiv", "acl", "openreview")  # schemes in which a paper has one identifier

# Which share of a list's titles have an address below them, or of its records no title at a place, where that is its
# rule.
USUAL = 0.75

_SIGNS_OF_FIELD = 30  # how many signs of a field are looked at to tell whether it says the same as another

_MARKS_OF_LABEL = 6
# Words of a field that says the same in several records, "Paper: link"; more are a title that recurs.
_WORDS_OF_LABEL = 4

# What the authors of a paper write in its abstract.
_ABSTRACT = re.compile(
    r"\b(?:[Ww]e (?:propose|present|introduce|show|study|demonstrate|describe|develop|consider|investigate|prove|find|"
    r"report|examine|explore|argue|analy[sz]e)|[Ii]n this (?:paper|work|article|study|thesis)|"
    r"[Tt]his (?:paper|article|study|thesis) \w+s)\b"
)
# How many signs an abstract has at least, and a line between it and the title at most.
_SHORTEST_ABSTRACT, _LONGEST_LINE = 240, 160

_LONG_WORD = re.compile(r"[^\W\d_]{4}")  # no page, volume or issue
_NUMBER, _NUMBERS_OF_DATE = re.compile(r"\d+"), 2  # more than a volume or a month and the year are pages
_WORDS_OF_TITLE = 6  # from which on a heading is that of a paper; a journal has fewer
_REPEATS = 0.7  # which share of the words of two titles is common where one repeats the other


def items_that_are_fields(blocks: Sequence[Block]) -> set[int]:
    """Returns the items that are fields of the record above: their label is known, or heads one item of many lists."""
    labels: dict[str, list[int]] = defaultdict(list)
    found = set()
    for index, block in enumerate(blocks):
        text = block.rich.text
        if ":" not in text and "：" not in text:
            continue
        below = block.kind == "item" or (block.kind == "paragraph" and block.parent is not None)
        if block.kind in ("item", "paragraph") and OTHER_FIELD.match(text):
            found.add(index)
        elif below and (label := label_of(text)):
            labels[label].append(index)
    for label, same in labels.items():
        owners = {blocks[index].group if blocks[index].kind == "item" else blocks[index].parent for index in same}
        texts = [blocks[index].rich.text for index in same]
        alike = len({text[: len(label) + _SIGNS_OF_FIELD] for text in texts}) < RECURS
        repeated = alike and all(len(text.split()) > _WORDS_OF_LABEL for text in texts)
        if len(owners) >= RECURS and len(owners) == len(same) and not repeated:
            found.update(same)
    return found


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

    The list below an item is about that item, so one such pair is enough there, as it is where several lists are one
    such pair. In any other list an item with an address or an identifier is an entry of its own, whatever the item
    before it is.
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
    single = {group for group, count in counts.items() if count["pairs"] == count["titles"] == 1}
    enough = nested | single if len(single) >= RECURS else nested
    return {
        group
        for group, count in counts.items()
        if count["pairs"] >= (1 if group in enough else 2) and count["pairs"] >= USUAL * count["titles"]
    }


def is_label(block: Block, draft: Draft) -> bool:
    """Returns whether the draft's words are the label of a field, before the links or the words that it holds."""
    label, title = label_of(block.rich.text), (draft.title or "").lower()
    if not label or (draft.title_link is not None and not draft.is_identified):
        return False
    if draft.paper_links:
        value = title.removeprefix(label).lstrip(":： ")
        return title.startswith(label) and (not value or title_odds(value) < UNLIKELY)
    behind = block.rich.text.lower().find(title) - len(label)  # a few signs are the colon and the mark-up of the label
    is_rest = draft.citation.label is None and 0 < behind <= _MARKS_OF_LABEL
    return block.parent is not None and (is_rest or title.startswith((f"{label}:", f"{label}：")))


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
    if draft.title_link is not None or draft.odds >= SURE or draft.citation.whole:
        return False
    marked = draft.citation.authors and draft.citation.how in ("quoted", "bold", "italic")
    return imprint_of(title) is not None or (not marked and bool(only_authors(title)))


def fits(target: Draft, draft: Draft) -> bool:
    """Returns whether the links of `draft` can be about the paper of `target`: it lacks one, or they agree."""
    mine, theirs = draft.paper_links, target.paper_links
    if not mine:
        apart = all(each.citation.authors and each.citation.year for each in (target, draft))  # two entries
        cited = draft.citation.authors or draft.citation.venue or draft.citation.year is not None
        says_more = bool(draft.all_links or cited) or is_imprint(draft)
        return says_more and not (apart and target.block != draft.block)
    if not theirs:
        return target.title is not None
    keyed = any(author_year(link.label) is not None for link in target.all_links)
    if any(is_author_key(link.label) and (keyed or link.carried.identifiers) for link in mine):
        return False
    for scheme in _ONE_EACH:
        ours, others = identifiers_of(mine, scheme), identifiers_of(theirs, scheme)
        if ours and others and not ours & others:
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


# Two blocks that are one record: a name with its links above the title, a title above its entry in BibTeX.

NEAR = 4  # how many lines a link without words and the title that it leads to are apart at most, and their blocks
_SHORTEST_KEY = 8  # how many letters a title has at least that is looked for among the words of a block


def with_names_above(blocks: Sequence[Block], drafts: Sequence[Sequence[Draft]]) -> list[list[Draft]]:
    """Returns the drafts with a name's links moved to the whole title in the block below it, where a run does so."""
    result = [list(some) for some in drafts]
    first: dict[int, Draft] = {}
    for block, some in zip(blocks, drafts, strict=True):
        if some and (some[0].title or some[0].all_links) and block.kind != "heading":
            first.setdefault(block.group, some[0])
    titles_first = {group for group, draft in first.items() if draft.title and not draft.all_links}
    pairs = [at for at in range(len(blocks) - 1) if _is_name_above(blocks, drafts, at)]
    pairs = [
        at
        for at in pairs
        if blocks[at].group not in titles_first or not (drafts[at][0].title is None or is_imprint(drafts[at][0]))
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
        key = title_key(record.title or "")
        for above in range(at - 1, max(at - 1 - NEAR, -1), -1):
            if blocks[above].kind == "record" or block.section[: len(blocks[above].section)] != blocks[above].section:
                break
            repeated = len(key) >= _SHORTEST_KEY and key in title_key(blocks[above].rich.text)
            titled = (draft for draft in result[above] if draft.title and title_key(draft.title) in key)
            if repeated and (draft := next(titled, None)):
                draft.citation.title = record.citation.title
                move(record, draft)
                draft.recorded, result[at] = True, []
                draft.text += f"\n{block.rich.text}"
                break
    return result or drafts


def move(draft: Draft, target: Draft) -> None:
    """Puts the links and facts of `draft` into `target`."""
    further = draft.citation
    if is_imprint(draft):
        further.fill(*(imprint_of(draft.title or "") or Imprint()), only_authors(draft.title or ""))
    target.links.extend(draft.all_links)
    target.citation.fill(further.venue, further.year, further.authors)
    if draft.paper_links or further.authors or further.venue:
        target.last_line = max(target.last_line, draft.last_line)


_FARTHEST_BELOW = 2  # lines from a paper to the line of its journal
_MOSTLY = 0.6  # which share of the blocks of one form are about one paper each where that is the list's rule
_OVER_LINKS = -1.0  # logarithm of the odds from which words without a link may be the title of what stands below them


@dataclass(slots=True)
class _Place:
    """A block, what the blocks before it came to, whose they are, which are fields, and in which lists links follow."""

    blocks: Sequence[Block]
    drafts_by_block: list[list[Draft]]
    owners: list[Draft | None]
    fields: set[int]
    links_below: set[int]
    at: int
    captioned: bool  # whether paragraphs above lists are the lists' captions, as one with several papers below shows


def attach(blocks: Sequence[Block], drafts: Sequence[Sequence[Draft]]) -> list[list[Draft]]:
    """Returns the drafts of every block after what belongs to an earlier draft has moved to it."""
    fields, links_below = items_that_are_fields(blocks), lists_with_links_below(blocks, drafts)
    place = _Place(blocks, [], [], fields, links_below, 0, _are_lists_captioned(blocks, drafts, fields))
    drafts = with_names_above(blocks, with_records_above(blocks, drafts))
    _take_the_imprint_below(blocks, drafts)
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
    _take_the_link_of_a_section(blocks, place.drafts_by_block)
    return _without_bare_repeats(blocks, place.drafts_by_block)


def _are_lists_captioned(blocks: Sequence[Block], drafts: Sequence[Sequence[Draft]], fields: Collection[int]) -> bool:
    """Returns whether a list below a paragraph has several papers, each with a title or an address of its own."""
    papers: Counter[int] = Counter()
    below = {block.group for above, block in pairwise(blocks) if (above.kind, block.kind) == ("paragraph", "item")}
    for index, (block, some) in enumerate(zip(blocks, drafts, strict=True)):
        if block.kind == "item" and block.group in below and block.parent is None and index not in fields:
            papers[block.group] += any(
                draft.paper_links and (draft.title or any(link.bare for link in draft.paper_links)) for draft in some
            )
    return any(count > 1 for count in papers.values())


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
    """Makes one of the drafts of a block of several lines, where nearly all blocks of its form in the file have one."""
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
            if first.odds < _OVER_LINKS and first.title_link is None:
                others = [other for other in others if not other.is_identified]
            for other in others:
                odds = title_odds(other.title or "")
                if other.citation.how != how and odds < min(0.0, title_odds(first.title or "")) and fits(first, other):
                    other.citation.title = None
                    move(other, first)
                    drafts_by_block[index].remove(other)


def _take_the_link_of_a_section(blocks: Sequence[Block], drafts_by_block: Sequence[list[Draft]]) -> None:
    """Moves the one link to a paper under a heading to the one citation there, both paragraphs, from behind a label."""
    ends = [index for index, block in enumerate(blocks) if block.kind == "heading"]
    for start, end in pairwise([*ends, len(blocks)]):
        some = [(index, draft) for index in range(start, end) for draft in drafts_by_block[index]]
        linked = [(index, draft) for index, draft in some if draft.paper_links]
        dated = [draft for _, draft in some if draft.citation.year is not None and draft.title]
        cited = [draft for draft in dated if draft.citation.authors or draft.citation.venue]
        if len(linked) != 1 or len(cited) != 1 or linked[0][1] is cited[0]:
            continue
        (index, draft), citation = linked[0], cited[0]
        kinds = {blocks[index].kind, blocks[citation.block].kind}
        untitled = label_of(blocks[index].rich.text) and (draft.title is None or is_label(blocks[index], draft))
        if untitled and kinds == {"paragraph"} and draft.first_line > citation.last_line and fits(citation, draft):
            draft.citation.title = None
            move(draft, citation)
            drafts_by_block[index].remove(draft)


def _take_the_imprint_below(blocks: Sequence[Block], drafts: Sequence[list[Draft]]) -> None:
    """Gives a linked paper that is a heading or a paragraph the journal and year that the line below consists of."""
    for index, (block, below) in enumerate(pairwise(blocks)):
        paragraphs = block.kind in ("heading", "paragraph") and below.kind == "paragraph"
        if not paragraphs or below.first_line - block.last_line > _FARTHEST_BELOW or len(drafts[index]) != 1:
            continue
        (draft,) = drafts[index]
        linked = draft.title is not None and (draft.title_link is not None or draft.paper_links)
        if not linked or draft.citation.year is not None:
            continue
        line = below.rich.text.split("\n", 1)[0]
        people = read_authors(line, surnames=True)
        named = people is not None and people.sure
        rest = line[people.end :] if people and named else line
        imprint = imprint_of(rest)
        if imprint is None or not (imprint.venue and imprint.year):
            imprint = dated_line(rest.strip(" ,.;"))
        if imprint is not None:
            draft.citation.fill(*imprint, people.names if people and named else ())
            draft.last_line = max(draft.last_line, below.first_line)
            words = [(other, other.title or " ".join(other.citation.authors)) for other in drafts[index + 1]]
            drafts[index + 1][:] = [other for other, own in words if not own.startswith(imprint.venue or "")]


def _without_bare_repeats(blocks: Sequence[Block], drafts_by_block: list[list[Draft]]) -> list[list[Draft]]:
    """Returns the drafts without those of the paper of a title right beside them that have no title of their own.

    They have no words, its name, or a journal and a year, as "Nature, 2021, DOI: 10.1038/..." below a linked title.
    """
    titled: dict[Identifier, list[tuple[int, str]]] = defaultdict(list)
    for draft in (draft for some in drafts_by_block for draft in some if draft.title):
        for identifier in identifiers_of(draft.paper_links):
            titled[identifier].append((draft.line, (draft.title or "").lower()))

    result: list[list[Draft]] = [[] for _ in drafts_by_block]
    for block, left, some in zip(blocks, result, drafts_by_block, strict=True):
        for draft in some:
            name = (draft.title or "").lower()
            same = [place for identifier in identifiers_of(draft.paper_links) for place in titled[identifier]]
            near = (title for line, title in same if abs(line - draft.line) <= NEAR)
            above = any(0 < draft.line - line <= 2 * NEAR and title != name for line, title in same)
            dated = draft.title_link is None and draft.citation.year is not None and draft.odds < EVEN
            if above and dated and block.kind == "paragraph":
                continue
            if not any(not name or title.startswith((f"{name}: ", f"{name} - ")) for title in near):
                left.append(draft)
    return result


def _place_draft(place: _Place, own: list[Draft], draft: Draft) -> Draft | None:
    """Keeps `draft` as one of its block's `own`, or moves it to the draft that it belongs to, which is returned."""
    block, file = place.blocks[place.at], draft.citation.how == "file"
    _take_for_authors(block, draft)
    _take_for_credit(place, draft)
    if (titled := _title_over_journal(place, draft)) is not None:
        draft.citation.venue, draft.citation.title = draft.title, None
        move(draft, titled)
        return titled
    labelled = place.at in place.fields and is_label(block, draft)
    if labelled and draft.is_identified:
        draft.citation.title = None
    if draft.title is not None and not (labelled or file or is_imprint(draft)):
        whole = _whole(place, own, draft)
        if whole is not None:
            move(draft, whole)
            return whole
        _adopt(place.drafts_by_block, block.parent, draft)
        _adopt_named(place, draft)
        own.append(draft)
        return None
    target = _target_of_untitled(place, own, draft)
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
        titles = draft.title or "", above.title or ""
        mine, theirs = ({word[:4] for word in _WORD.findall(title.lower())} for title in titles)
        repeats = len(mine) > 2 and len(mine & theirs) >= _REPEATS * len(mine | theirs)
        return above if above.paper_links and not draft.paper_links and repeats else None
    if before is None or before.title is None or draft.title is None:
        return None
    worse = title_odds(draft.title) < min(title_odds(before.title), 0.0)
    named = draft.title_link is None or not draft.title_link.carried.identifiers
    people = read_authors(draft.title) if named and worse and not before.citation.authors else None
    alone = people and " " in people.names[0] and not draft.title[people.end :].strip(" .,;*")
    if people is None or not alone or not fits(before, draft):
        return None
    words = draft.citation
    dated = words.how == "italic" and words.year is not None and draft.text[words.end : words.end + 1] != ","
    if words.authors and dated:
        words.venue = words.venue or words.title
    else:
        words.authors = (*people.names, *words.authors)
    words.title = None
    return before


def _take_for_authors(block: Block, draft: Draft) -> None:
    """Reads words below an entry that are full names throughout as its authors, not as a title and its authors."""
    apart = (block.parent is None and block.kind != "paragraph") or draft.citation.whole
    label = AUTHORS_FIELD.match(block.rich.text)
    if apart or draft.title_link is not None or (draft.title is None and label is None):
        return
    names = names_of_line(block.rich.text[label.end() :]) if label else names_throughout(draft)
    several = len(names) > 1 or draft.citation.year is not None or label is not None
    if names and several and len(names) >= len(draft.citation.authors) and all(" " in name for name in names):
        draft.citation.title, draft.citation.authors, draft.odds = None, names, WORDLESS


def _take_for_credit(place: _Place, draft: Draft) -> None:
    """Reads the paragraph right below a linked title as its authors, place and year, not as a further title.

    It begins with authors or has a year, no link, and words that read less like a title.
    """
    block, parent = place.blocks[place.at], place.blocks[place.at].parent
    above = place.drafts_by_block[parent] if parent is not None and parent == place.at - 1 else []
    if block.kind != "paragraph" or len(above) != 1 or draft.title is None or draft.all_links:
        return
    (owner,), citation = above, draft.citation
    linked = owner.title_link is not None and not owner.citation.authors and owner.citation.year is None
    cited = citation.authors or citation.year is not None
    most = max(owner.odds, SURE if owner.paper_links else EVEN) if citation.authors else EVEN
    if linked and cited and not citation.quoted and draft.odds < most:
        citation.title, draft.odds = None, WORDLESS


def _title_over_journal(place: _Place, draft: Draft) -> Draft | None:
    """Returns the heading right above a paragraph of people, a journal and numbers: the title of what they wrote."""
    above = place.drafts_by_block[place.at - 1] if place.at and place.blocks[place.at - 1].kind == "heading" else []
    citation, title = draft.citation, (draft.title or "").split()
    cited = citation.authors and citation.year and draft.source is not None and not draft.all_links
    if place.blocks[place.at].kind != "paragraph" or len(above) != 1 or draft.source is None or not cited:
        return None
    behind = draft.source[0].text[citation.end : draft.source[1][1]]
    capitals = all(word[0].isupper() or word in FUNCTION_WORDS for word in title)
    placed = citation.venue is not None and not _NUMBER.search(citation.venue)
    named = 0 < len(title) < _WORDS_OF_TITLE and capitals and not (placed or _LONG_WORD.search(behind))
    fewest = 2 if len(_NUMBER.findall(behind)) > _NUMBERS_OF_DATE else _WORDS_OF_TITLE
    titled = not above[0].citation.authors and len((above[0].title or "").split()) >= fewest
    return above[0] if named and titled else None


def _adopt(drafts_by_block: list[list[Draft]], parent: int | None, draft: Draft) -> None:
    """Gives a citation without links those of the name above it: "ResNet [paper]" over "K. He et al., Deep ..."."""
    cited = draft.citation.authors and not draft.paper_links and draft.odds >= UNLIKELY
    if parent is None or not cited or not drafts_by_block[parent]:
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


def _target_of_untitled(place: _Place, own: list[Draft], draft: Draft) -> Draft | None:
    if own:
        alone = draft.is_identified and draft.paper_links[0].bare and draft.first_line > own[-1].last_line
        named = own[-1].title is None or own[-1].odds >= _OVER_LINKS or own[-1].title_link is not None
        return own[-1] if (named or not alone) and fits(own[-1], draft) else None
    blocks, drafts_by_block, index = place.blocks, place.drafts_by_block, place.at
    block = blocks[index]
    if block.kind == "item":  # it may hold the links of the item before it, and no others
        bare = any(link.bare or not link.url for link in draft.paper_links)
        listed = not bare or block.group in place.links_below
        below = not draft.paper_links or (not draft.is_keyed and has_only_links(draft) and listed)
        sibling = _last_of_item_before(place) if below else None
        if sibling is not None and sibling.odds >= UNLIKELY and fits(sibling, draft):
            return sibling
    if block.parent is not None:
        above = drafts_by_block[block.parent]
        return above[-1] if above and fits(above[-1], draft) else None
    record = _record_right_above(place)
    return record if record is not None and _stands_over(place, record, draft) and fits(record, draft) else None


def _stands_over(place: _Place, record: Draft, draft: Draft) -> bool:
    """Returns whether the draft without a title, right below a record, can be a part of it."""
    block, year = place.blocks[place.at], record.citation.year
    if block.kind == "item" and draft.is_keyed:
        return False
    years = years_in(draft.text) if year is not None and not has_only_links(draft) else ()
    if years and year not in years:  # prose that names another year has its own paper
        return False
    if record.odds >= _OVER_LINKS or record.title_link is not None:
        return True
    if year is None:
        return False
    if place.at in place.fields and record.citation.authors:  # a whole citation and the fields below it
        return True
    return place.blocks[record.block].kind == "heading" and record.odds > NO_TITLE  # a number and a year


def _record_right_above(place: _Place) -> Draft | None:
    blocks, owners, fields, index = place.blocks, place.owners, place.fields, place.at
    if index == 0 or blocks[index].kind == "row":
        return None
    block, before = blocks[index], blocks[index - 1]
    near = block.first_line - before.last_line <= 2 and not before.quoted
    near = near and not (place.captioned and block.kind == "item" and before.kind == "paragraph")
    under = block.kind != "heading" or (before.kind == "heading" and before.level < block.level)
    goes_on = before.kind in ("paragraph", "heading") or index - 1 in fields
    return owners[index - 1] if near and under and goes_on else None


def _last_of_item_before(place: _Place) -> Draft | None:
    blocks, drafts_by_block, fields, index = place.blocks, place.drafts_by_block, place.fields, place.at
    block = blocks[index]
    for before in range(index - 1, max(index - 12, -1), -1):
        other = blocks[before]
        if other.depth < block.depth or (other.group != block.group and other.depth == block.depth):
            return None
        if other.depth == block.depth and other.kind == "item" and (drafts_by_block[before] or before not in fields):
            return drafts_by_block[before][-1] if drafts_by_block[before] else None
    return None
