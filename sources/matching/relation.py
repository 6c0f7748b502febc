"""Compares two titles: the same, one shortened, one made from the other, or different. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

from rapidfuzz.fuzz import ratio

from sources.bibliography.lexicon import is_word, opposed
from sources.bibliography.titles import TitleWords
from sources.matching.word_match import (
    DIRECTIONS,
    EVENTS,
    LINKING,
    LONGEST_NAME,
    NEGATIONS,
    NUMBERED,
    QUESTIONS,
    SEQUELS,
    UNSPACED_SEQUELS,
    NameForm,
    Residue,
    are_numerals,
    compare_words,
    form_of_name,
    in_capitals,
    is_coined,
    is_edition,
    is_familiar,
    is_part,
    is_part_number,
    makes_another_title,
    near_name,
    number_in,
    residue_of,
    slipped_apart,
    weight,
    without_idle,
)

# The alignment of two titles, word by word: what is common, and what only one of them has. Pure.


_MOST_WORDS = 80
_GAP = 10
_SHORTEST_JOINED = 8
_COST = {"same": 0, "variant": 1, "inflected": 2, "typo": 3, "misread": 5, "rival": 8}


@dataclass(frozen=True, slots=True)
class Alignment:
    """What two titles share."""

    extra: tuple[int, ...]  # indices of the words that only the mention has
    missing: tuple[int, ...]  # indices of the words that only the candidate has
    # summed weight of the candidate's words that the mention has; of those mistyped or misread only longer ones count,
    # and less
    shared: int
    typos: int = 0  # how many words match but for a typing error
    # pairs of indices, the mention's and the candidate's, of words that differ by a letter or two and may be different
    # words
    misread: tuple[tuple[int, int], ...] = ()
    inflected: int = 0  # how many have another form, such as the plural
    rivals: tuple[tuple[int, int], ...] = ()  # the same of words that are different ones, though they look alike
    variants: int = 0  # how many words match but for spelling or spacing, or state the same number
    swaps: int = 0  # how many neighbouring words are in the other order


@dataclass(frozen=True, slots=True)
class _Step:
    """One move of the alignment: how many words of each side it takes, and as what."""

    mine: int
    theirs: int
    kind: str


_SKIP_MINE = _Step(1, 0, "extra")
_SKIP_THEIRS = _Step(0, 1, "missing")
_MATCHES = {kind: _Step(1, 1, kind) for kind in _COST}
_SAME = _MATCHES["same"]
_JOINS = tuple(_Step(mine, theirs, "joined") for mine, theirs in ((2, 1), (1, 2), (3, 1), (1, 3), (2, 2)))
_MISTYPED_JOINS = _JOINS[:2]
_SWAP = _Step(2, 2, "swapped")


def align(mine: Sequence[str], theirs: Sequence[str], *, own: frozenset[int] = frozenset()) -> Alignment:
    """Returns the cheapest way to read the mention's words as the candidate's; of several, the one found first.

    Words match as they are, as variants, mistyped, run together or apart, or with a neighbour in the other order.

    `own` are indices of the mention's words that are known to be no typing errors: coined, or found in other
    titles.
    """
    mine, theirs = mine[:_MOST_WORDS], theirs[:_MOST_WORDS]
    if (contained := _contained(mine, theirs)) is not None:
        return contained
    titles = _Titles(mine, theirs, own, [_gap(word) for word in mine], [_gap(word) for word in theirs])
    # Paths that cost more than a known alignment are not followed, so that similar titles take few steps.
    most = titles.plain_cost()
    best: dict[tuple[int, int], tuple[int, _Step | None]] = {(0, 0): (0, None)}
    for at in product(range(len(mine) + 1), range(len(theirs) + 1)):
        if at not in best:
            continue
        i, j = at
        cost = best[at][0]
        for step, price in titles.steps(i, j):
            to, through = (i + step.mine, j + step.theirs), cost + price
            if through <= most and (to not in best or through < best[to][0]):
                best[to] = (through, step)
    return _read_back(mine, theirs, best)


def _contained(mine: Sequence[str], theirs: Sequence[str]) -> Alignment | None:
    """Returns the alignment of titles of which one begins or ends with the other, None for others.

    Where a word comes twice, the cheapest reading is not the only one; this one is meant.
    """
    short, long = sorted((mine, theirs), key=len)
    if long[: len(short)] == short:
        rest = tuple(range(len(short), len(long)))
    elif long[len(long) - len(short) :] == short:
        rest = tuple(range(len(long) - len(short)))
    else:
        return None
    shared = sum(map(weight, short))
    return Alignment(extra=rest if long is mine else (), missing=rest if long is theirs else (), shared=shared)


@dataclass(frozen=True, slots=True)
class _Titles:
    """Two titles to be aligned, with what it costs to pass over each of their words."""

    mine: Sequence[str]
    theirs: Sequence[str]
    own: frozenset[int]
    my_gaps: Sequence[int]
    their_gaps: Sequence[int]

    def steps(self, i: int, j: int) -> list[tuple[_Step, int]]:
        """Returns every way on from the words `i` and `j`, with its cost."""
        mine, theirs = self.mine, self.theirs
        if i == len(mine):
            return [(_SKIP_THEIRS, self.their_gaps[j])] if j < len(theirs) else []
        if j == len(theirs):
            return [(_SKIP_MINE, self.my_gaps[i])]
        if mine[i] == theirs[j]:
            return [(_SAME, 0), (_SKIP_MINE, self.my_gaps[i]), (_SKIP_THEIRS, self.their_gaps[j])]
        found = [(_SKIP_MINE, self.my_gaps[i]), (_SKIP_THEIRS, self.their_gaps[j])]
        if kind := compare_words(mine[i], theirs[j], own=i in self.own):
            found.append((_MATCHES[kind], _COST[kind]))
        # Equal words begin with the same letter, and so do an acronym and its words; mistyped ones need not.
        joins = _JOINS if mine[i][0] == theirs[j][0] else _MISTYPED_JOINS
        found.extend([(step, 1) for step in joins if _joined(mine, theirs, i, j, step)])
        if mine[i : i + 2] == theirs[j : j + 2][::-1] and _movable(mine[i]) and _movable(mine[i + 1]):
            found.append((_SWAP, 6))
        return found

    def plain_cost(self) -> int:
        """Returns the cost of reading as common only words that are the same, each in the first place that it can."""
        cost, at = sum(self.my_gaps) + sum(self.their_gaps), 0
        for word, gap in zip(self.mine, self.my_gaps, strict=True):
            if word in self.theirs[at:]:
                at = self.theirs.index(word, at) + 1
                cost -= 2 * gap
        return cost


def _gap(word: str) -> int:
    return _GAP if weight(word) else _GAP // 2


def _joined(mine: Sequence[str], theirs: Sequence[str], i: int, j: int, step: _Step) -> bool:
    ours, others = mine[i : i + step.mine], theirs[j : j + step.theirs]
    if len(ours) < step.mine or len(others) < step.theirs:
        return False
    item, other = "".join(ours), "".join(others)
    if item == other or _is_acronym(ours, others) or _is_acronym(others, ours):
        return not _splits_opposite(ours) and not _splits_opposite(others)
    if step.mine + step.theirs != 3 or min(len(item), len(other)) < _SHORTEST_JOINED:
        return False
    if len(ours) > 1 and all(len(word) == 1 or is_word(word) for word in ours):
        return False
    whole, parts = (item, others) if len(ours) == 1 else (other, ours)
    if any(_changes_meaning(word) or opposed(word, whole) for word in (*parts, whole)) or _splits_opposite(parts):
        return False
    return slipped_apart(item, other)


def _splits_opposite(words: Sequence[str]) -> bool:
    """Returns whether joining the words would reverse the meaning: "in dependence" is not "independence"."""
    return len(words) == 2 and words[0] in ("in", "a", "an") and is_word(words[1]) and is_word("".join(words))


def _is_acronym(short: Sequence[str], long: Sequence[str]) -> bool:
    """Returns whether one word is the initials of several: `cnns` of `convolutional neural networks`."""
    if len(short) != 1 or len(long) < 2 or short[0][0] != long[0][0] or are_numerals(short[0], long[0]):
        return False
    initials = "".join(word[0] for word in long)
    return short[0] == initials or (len(initials) > 2 and short[0] == initials + "s" and long[-1].endswith("s"))


def _proof(kind: str, words: Sequence[str]) -> int:
    """Returns what the candidate's words prove that the mention has in this way."""
    if kind == "rival":
        return 0
    if kind == "misread":
        return proof_of_misreading(words[0])
    if kind == "typo":
        return max(0, weight(words[0]) - 1) if len(words[0]) >= 5 else 0
    return sum(map(weight, words))


def proof_of_misreading(word: str) -> int:
    """Returns what a word proves where the other title has what may be another word."""
    return max(0, weight(word) - 2) if len(word) >= 7 else 0


def _movable(word: str) -> bool:
    """Returns whether a word may change places without changing what the title says."""
    return word not in LINKING and not _changes_meaning(word)


def _changes_meaning(word: str) -> bool:
    return word in QUESTIONS or word in NEGATIONS or word in SEQUELS or number_in(word) is not None


def _read_back(
    mine: Sequence[str], theirs: Sequence[str], best: dict[tuple[int, int], tuple[int, _Step | None]]
) -> Alignment:
    extra: list[int] = []
    missing: list[int] = []
    pairs: dict[str, list[tuple[int, int]]] = {"misread": [], "rival": []}
    shared = 0
    counts = dict.fromkeys((*_COST, "joined", "swapped"), 0)
    i, j = len(mine), len(theirs)
    while (step := best[i, j][1]) is not None:
        i, j = i - step.mine, j - step.theirs
        if step.kind == "extra":
            extra.append(i)
        elif step.kind == "missing":
            missing.append(j)
        else:
            shared += _proof(step.kind, theirs[j : j + step.theirs])
            counts[step.kind] += 1
            if step.kind in pairs:
                pairs[step.kind].append((i, j))
    return Alignment(
        extra=tuple(reversed(extra)),
        missing=tuple(reversed(missing)),
        shared=shared,
        typos=counts["typo"],
        misread=tuple(reversed(pairs["misread"])),
        inflected=counts["inflected"],
        rivals=tuple(reversed(pairs["rival"])),
        variants=counts["variant"] + counts["joined"],
        swaps=counts["swapped"],
    )


def are_contrary(title: TitleWords, other: TitleWords, links: Sequence[str], others: Sequence[str]) -> bool:
    """Returns whether two titles of much the same words say the contrary.

    Small words may do that, as "from" and "to"; the order of words that a hyphen or a slash joins, as in French-German
    and German-French; and signs, as of the two mirror images of a molecule.

    `links` are the small words that only `title` has, `others` those that only `other` has.
    """
    if not DIRECTIONS.isdisjoint(links) and not DIRECTIONS.isdisjoint(others):
        return True
    if title.signs and other.signs and title.signs != other.signs:
        return True
    mine, theirs = _halves(title), _halves(other)
    return any((second, first) in theirs for first, second in mine - theirs if first != second)


def _halves(title: TitleWords) -> set[tuple[str, str]]:
    return {(title.words[at - 1], title.words[at]) for at in title.joined if at}


Relation = Literal["same", "named", "cut", "torn", "extended", "renamed", "lookalike", "near", "different"]
"""How the mention's title compares with the candidate's.

same: word for word, but for typing errors and spelling. named: the same, but for a system's name before one of them.
cut: the mention stops where a part of the candidate's title ends. torn: it stops within a part. extended: the mention
has a further part. renamed: most is common, with other words. lookalike: one word makes it another paper.
near: something in common. different: next to nothing in common.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleEvidence:
    """The comparison of two titles."""

    relation: Relation  # how the mention's title compares with the candidate's
    weight: int = 0  # what the words in common prove, summed; typos prove nothing
    agreement: float = 0.0  # share of both titles' weight that is common, 0 to 1
    exact: bool = False  # whether letters and digits are the same
    typos: int = 0  # how many words are mistyped
    misread: int = 0  # how many words differ by a letter and may be another word
    inflected: int = 0  # how many words have another form, such as the plural
    rivals: int = 0  # how many words are in the place of others that look like them
    misnamed: bool = False  # whether the systems' names before the titles differ by a letter or two, and may be one
    loose: int = 0  # how many words are moved, or joined by other small words
    swaps: int = 0  # how many words are moved
    turned: bool = False  # whether small words, signs, or the order of the halves of a hyphened word say the contrary
    gap: int = 0  # how many distinctive words one title has that the other lacks; the larger number of the two
    words: int = 0  # how many words of the mention carry meaning
    anchored: bool = False  # whether both titles begin with the same unusual system name
    head: NameForm | None = None  # how the name before the candidate's title looks; None if it is a word of a language
    # How the name that only one title has looks. glued: nothing parts it from the title, nor does the title say it too,
    # so that it may be a word. wordy: several words, none with capitals or digits inside. plain: it does not look made
    # up, or there is none.
    name_form: Literal["glued", "wordy", "plain", "coined"] = "plain"
    two_sided: bool = False  # whether one title has a name before it and the other a part behind it
    edition: Literal["full", "abstract"] | None = None  # the edition that only one title says it is, and nothing else
    event: bool = False  # whether the common part is the name of an event
    conjunct: bool = False  # of a torn title, whether the candidate goes on with "and"
    open_end: bool = False  # whether the mention's title ends in an ellipsis
    reasons: tuple[str, ...] = ()  # what was found, for people


def compare_titles(
    written: TitleWords, true: TitleWords, *, idle: frozenset[str] = frozenset(), known: frozenset[str] = frozenset()
) -> TitleEvidence:
    """Returns how the mention's title compares with the candidate's.

    `idle` are words that prove nothing where the mention's title begins or ends: its year, its venue, the authors.
    `known` are words that other titles have, and that are therefore no typing errors.
    """
    telling = sum(weight(word) > 0 for word in written.words)
    if _unlike(written.words, true.words):
        return TitleEvidence(relation="different", words=telling)
    alignment, misnamed = _names_apart(written, true, align(written.words, true.words, own=_own(written, known)), known)
    if not (alignment.shared or alignment.typos or alignment.misread or alignment.rivals or misnamed):
        return TitleEvidence(relation="different", words=telling)
    # A system's name before the title may end at its first cut, or at a comma if it looks made up.
    name_ends = {at for at in written.commas if any(map(is_coined, written.raw[:at], written.words[:at]))}
    extra = residue_of(written, without_idle(written, alignment.extra, idle), {written.head} | name_ends)
    missing = residue_of(true, alignment.missing, {true.head})
    proof = alignment.shared
    names = "".join(extra.name), "".join(missing.name)
    # Each title has a name before it, and one may be the other mistyped.
    if named_alike := all(names) and near_name(*names, in_capitals=extra.capitals or missing.capitals):
        named_by_word = any(is_word(word) or word in known for word in extra.name)
        proof += proof_of_misreading(names[1])
        extra, missing = replace(extra, name=()), replace(missing, name=())
    agreement = _agreement(written, true, alignment, extra)
    words = _decisive(extra, missing, open_end=written.cut_off)
    words = words or tuple(true.words[at] for _, at in alignment.rivals if _ends_with_number(true, at))
    relation, reason = _relation(extra, missing, agreement, decisive=words)
    return TitleEvidence(
        relation=relation,
        weight=proof,
        agreement=agreement,
        exact="".join(written.words) == "".join(true.words),
        typos=alignment.typos,
        misread=len(alignment.misread) + (named_alike and named_by_word),
        inflected=alignment.inflected,
        rivals=len(alignment.rivals),
        misnamed=misnamed or (named_alike and not named_by_word),
        loose=alignment.swaps + len(extra.links) + len(missing.links),
        swaps=alignment.swaps,
        turned=are_contrary(written, true, extra.links, missing.links),
        gap=max(extra.gap, missing.gap),
        anchored=_anchored(true, alignment),
        head=form_of_name(true.raw[: true.head], true.words[: true.head]),
        name_form=_name_form((extra, true), (missing, written)),
        two_sided=bool((extra.name and missing.tail) or (missing.name and extra.tail)),
        edition=_edition(extra, missing),
        event=bool(missing.tail) and true.words[len(true.words) - len(missing.tail) - 1] in EVENTS,
        words=telling,
        conjunct=missing.tail[:1] == ("and",),
        open_end=written.cut_off,
        reasons=(reason, *_slips(alignment)),
    )


def _name_form(*sides: tuple[Residue, TitleWords]) -> Literal["glued", "wordy", "plain", "coined"]:
    """Returns how the name that only one title has looks; each residue is given with the other title."""
    if any(residue.glued and residue.name[0] not in other.words for residue, other in sides):
        return "glued"
    if any(residue.wordy for residue, _ in sides):
        return "wordy"
    return "coined" if any(residue.coined for residue, _ in sides) else "plain"


def _edition(extra: Residue, missing: Residue) -> Literal["full", "abstract"] | None:
    if not is_edition(extra.tail or missing.tail or extra.name or missing.name):
        return None
    return "abstract" if "abstract" in extra.tail + missing.tail + extra.name + missing.name else "full"


def _names_apart(
    written: TitleWords, true: TitleWords, alignment: Alignment, known: frozenset[str]
) -> tuple[Alignment, bool]:
    """Returns the alignment without the systems' names before the titles that are one mistyped, and whether any is.

    What is no word before a colon is the name of a system, and no two systems have the same title behind it.
    """
    if not (0 < written.head <= LONGEST_NAME and 0 < true.head <= LONGEST_NAME):
        return alignment, False

    def is_mistyped(pair: tuple[int, int]) -> bool:
        mine, theirs = written.words[pair[0]], true.words[pair[1]]
        capitals = in_capitals(written.raw[pair[0]]) or in_capitals(true.raw[pair[1]])
        in_names = pair[0] < written.head and pair[1] < true.head and near_name(mine, theirs, in_capitals=capitals)
        return in_names and not is_word(mine) and mine not in known

    misread = tuple(pair for pair in alignment.misread if not is_mistyped(pair))
    rivals = tuple(pair for pair in alignment.rivals if not is_mistyped(pair))
    names = len(misread) + len(rivals) < len(alignment.misread) + len(alignment.rivals)
    return replace(alignment, misread=misread, rivals=rivals), names


def _unlike(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """Returns whether two titles have so little in common, by how their words begin, that aligning them is idle."""
    ours, others = {word[:4] for word in mine}, {word[:4] for word in theirs}
    if 3 * len(ours & others) >= min(len(ours), len(others)):
        return False
    return ratio("".join(mine), "".join(theirs), score_cutoff=60) < 60


def _relation(extra: Residue, missing: Residue, agreement: float, *, decisive: Sequence[str]) -> tuple[Relation, str]:
    if decisive:
        return ("lookalike" if agreement >= 0.5 else "near"), f"only one title says {_quoted(decisive)}"
    if not extra and not missing:
        return "same", "the titles agree"
    if extra.inside or missing.inside or (extra.name and missing.name) or (extra.tail and missing.tail):
        return _reworded(extra, missing, agreement)
    if extra.tail:
        return ("extended" if extra.at_cut else "renamed"), f"the list's title goes on with {_quoted(extra.tail)}"
    if missing.tail:
        where = "after a whole part" if missing.at_cut else "within a part"
        return ("cut" if missing.at_cut else "torn"), f"the title is cut {where}, before {_quoted(missing.tail)}"
    name = extra.name or missing.name
    rest = f"the name {_quoted(name)}" if name else "small words"
    return ("named" if name else "same"), f"the titles agree but for {rest}"


def _reworded(extra: Residue, missing: Residue, agreement: float) -> tuple[Relation, str]:
    mine, theirs = extra.name + extra.inside + extra.tail, missing.name + missing.inside + missing.tail
    if mine and theirs:
        reason = f"the list says {_quoted(mine)}, the paper {_quoted(theirs)}"
    else:
        reason = f"only the list says {_quoted(mine)}" if mine else f"only the paper says {_quoted(theirs)}"
    if agreement < 0.4:
        return "different", reason
    return ("renamed" if agreement >= 0.6 and not (extra.name and missing.name) else "near"), reason


def _anchored(true: TitleWords, alignment: Alignment) -> bool:
    """Returns whether the candidate begins with a system's unusual name, no word of a language, and the mention too."""
    head = true.head if true.head <= LONGEST_NAME else 0
    is_unusual = not all(map(is_familiar, true.words[:head]))
    return is_unusual and not any(index < true.head for index in alignment.missing)


def _own(title: TitleWords, known: frozenset[str]) -> frozenset[int]:
    """Returns which words are no typing errors: known ones, and coined ones unless the whole title is in capitals."""
    pairs = enumerate(zip(title.raw, title.words, strict=True))
    if not any(character.islower() for raw in title.raw for character in raw):
        return frozenset(index for index, (_, word) in pairs if word in known)
    return frozenset(index for index, (raw, word) in pairs if word in known or is_coined(raw, word))


def _decisive(extra: Residue, missing: Residue, *, open_end: bool) -> tuple[str, ...]:
    """Returns the words by which one of the titles is made another paper's, none where there are no such words."""
    found: list[str] = []
    for residue in (extra, missing):
        found += [text for text in map("".join, (residue.name, residue.tail)) if text in UNSPACED_SEQUELS]
        found += residue.tail[:2] if residue.numbered else ()
        found += [word for word in residue.inside if makes_another_title(word)]
        found += [word for word in residue.name if word in SEQUELS or word in NEGATIONS or word in QUESTIONS]
        if residue.at_cut or (open_end and residue is missing):
            found += [word for word in residue.tail if word in SEQUELS or is_part(residue.tail)]
        else:
            found += [word for word in residue.tail if makes_another_title(word) or is_part_number(residue.tail)]
    return tuple(dict.fromkeys(found))


def _ends_with_number(title: TitleWords, at: int) -> bool:
    """Returns whether the word at `at` is the number of a part: at the end of the title, or before a colon."""
    end = at + 1 + (title.words[at + 1 : at + 2] != () and title.words[at + 1] in NUMBERED)
    return (end == len(title.words) or end in title.cuts) and is_part_number(title.words[at : at + 1])


def _agreement(written: TitleWords, true: TitleWords, alignment: Alignment, extra: Residue) -> float:
    """Returns the share of both titles' weight that is common; a mistyped word is common, one of two rivals is not."""
    rivals = sum(weight(written.words[index]) for index, _ in alignment.rivals)
    mine = sum(map(weight, written.words)) - sum(weight(written.words[index]) for index in alignment.extra) - rivals
    lost = sum(map(weight, (*extra.name, *extra.inside, *extra.tail))) + 2 * rivals
    unsaid = sum(weight(true.words[index]) for index in alignment.missing)
    whole = 2 * mine + lost + unsaid
    return round(2 * mine / whole, 3) if whole else 0.0


def _slips(alignment: Alignment) -> Iterable[str]:
    if alignment.typos:
        yield f"{alignment.typos} mistyped"
    if alignment.misread:
        yield f"{len(alignment.misread)} off by a letter"
    if alignment.rivals:
        yield f"{len(alignment.rivals)} in the place of another word"
    if alignment.inflected:
        yield f"{alignment.inflected} in another form"
    if alignment.swaps:
        yield f"{alignment.swaps} in another order"
    if alignment.variants:
        yield f"{alignment.variants} spelt otherwise"


def _quoted(words: Sequence[str]) -> str:
    return '"' + " ".join(words[:8]) + (' …"' if len(words) > 8 else '"')
