"""How two titles compare: the same, one shortened, one made from the other, or different. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rapidfuzz.fuzz import ratio

from sources.bibliography.lexicon import is_word
from sources.bibliography.titles import TitleWords
from sources.matching.alignment import Alignment, align, are_contrary, proof_of_misreading
from sources.matching.word_match import (
    LONGEST_NAME,
    NameForm,
    Residue,
    form_of_name,
    in_capitals,
    is_coined,
    is_unusual_name,
    near_name,
    residue_of,
    without_idle,
)
from sources.matching.word_meaning import (
    EVENTS,
    NEGATIONS,
    NUMBERED,
    QUESTIONS,
    SEQUELS,
    UNSPACED_SEQUELS,
    is_edition,
    is_familiar,
    is_part,
    is_part_number,
    makes_another_title,
    weight,
)

Relation = Literal["same", "named", "cut", "torn", "extended", "renamed", "lookalike", "near", "different"]
"""How the mention's title compares with the candidate's.

same: word for word, but for typing errors and spelling. named: the same, but for a system's name before one of them.
cut: the mention stops where a part of the candidate's title ends. torn: it stops within a part. extended: the mention
has a further part. renamed: most is common, with other words. lookalike: one word makes it another paper.
near: something in common. different: next to nothing in common.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleEvidence:
    """The comparison of two titles.

    Attributes:
        relation: How the mention's title compares with the candidate's.
        weight: What the words in common prove, summed; typos prove nothing.
        agreement: Share of both titles' weight that is common, 0 to 1.
        exact: Whether letters and digits are the same.
        typos: How many words are mistyped.
        misread: How many words differ by a letter and may be another word.
        inflected: How many words have another form, such as the plural.
        rivals: How many words are in the place of others that look like them.
        misnamed: Whether the systems' names before the titles differ by a letter or two, and may be one.
        loose: How many words are moved, or joined by other small words.
        swaps: How many words are moved.
        turned: Whether small words, signs, or the order of the halves of a hyphened word say the contrary.
        gap: How many distinctive words one title has that the other lacks; the larger number of the two.
        words: How many words of the mention carry meaning.
        anchored: Whether both titles begin with the same unusual system name.
        unusual: Whether the name before the candidate's title is no word of a language.
        head: How the name before the candidate's title looks.
        plain_name: Whether the name that only one title has does not look made up.
        wordy_name: Whether that name has several words, none with capitals or digits inside.
        two_sided: Whether one title has a name before it and the other a part behind it.
        glued_name: Whether nothing parts that name from the title, nor the title says it too, so that it may be a word.
        edition: Whether one title only adds that it is another edition.
        shortened: Whether that edition is an abstract.
        event: Whether the common part is the name of an event.
        conjunct: Of a torn title, whether the candidate goes on with "and".
        open_end: Whether the mention's title ends in an ellipsis.
        reasons: What was found, for people.
    """

    relation: Relation
    weight: int = 0
    agreement: float = 0.0
    exact: bool = False
    typos: int = 0
    misread: int = 0
    inflected: int = 0
    rivals: int = 0
    misnamed: bool = False
    loose: int = 0
    swaps: int = 0
    turned: bool = False
    gap: int = 0
    words: int = 0
    anchored: bool = False
    unusual: bool = False
    head: NameForm = "plain"
    plain_name: bool = False
    wordy_name: bool = False
    two_sided: bool = False
    glued_name: bool = False
    edition: bool = False
    shortened: bool = False
    event: bool = False
    conjunct: bool = False
    open_end: bool = False
    reasons: tuple[str, ...] = ()


def compare_titles(
    written: TitleWords, true: TitleWords, *, idle: frozenset[str] = frozenset(), known: frozenset[str] = frozenset()
) -> TitleEvidence:
    """Returns how the mention's title compares with the candidate's.

    Args:
        written: The mention's title.
        true: The candidate's title.
        idle: Words that prove nothing where the mention's title begins or ends: its year, its venue, the authors.
        known: Words that other titles have, and that are therefore no typing errors.
    """
    telling = sum(weight(word) > 0 for word in written.words)
    if _unlike(written.words, true.words):
        return TitleEvidence(relation="different", words=telling)
    alignment, misnamed = _names_apart(written, true, align(written.words, true.words, own=_own(written, known)), known)
    if not (alignment.shared or alignment.typos or alignment.misread or alignment.rivals or misnamed):
        return TitleEvidence(relation="different", words=telling)
    extra = residue_of(written, without_idle(written, alignment.extra, idle), _name_ends(written))
    missing = residue_of(true, alignment.missing, {true.head})
    proof = alignment.shared
    if named_alike := _named_alike(extra, missing):
        named_by_word = any(is_word(word) or word in known for word in extra.name)
        proof += proof_of_misreading("".join(missing.name))
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
        unusual=any(map(is_unusual_name, true.raw[: true.head], true.words[: true.head])),
        head=form_of_name(true.raw[: true.head], true.words[: true.head]),
        plain_name=not extra.coined and not missing.coined,
        wordy_name=extra.wordy or missing.wordy,
        two_sided=bool((extra.name and missing.tail) or (missing.name and extra.tail)),
        glued_name=(extra.glued and extra.name[0] not in true.words)
        or (missing.glued and missing.name[0] not in written.words),
        edition=is_edition(extra.tail or missing.tail or extra.name or missing.name),
        shortened="abstract" in extra.tail + missing.tail + extra.name + missing.name,
        event=bool(missing.tail) and true.words[len(true.words) - len(missing.tail) - 1] in EVENTS,
        words=telling,
        conjunct=missing.tail[:1] == ("and",),
        open_end=written.cut_off,
        reasons=(reason, *_slips(alignment)),
    )


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


def _named_alike(extra: Residue, missing: Residue) -> bool:
    """Returns whether each title has a name before it, and one may be the other mistyped."""
    capitals = extra.capitals or missing.capitals
    names = "".join(extra.name), "".join(missing.name)
    return all(names) and near_name(*names, in_capitals=capitals)


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
    if missing.tail or extra.tail:
        return _longer(extra, missing)
    if extra.name or missing.name:
        return "named", f"the titles agree but for the name {_quoted(extra.name or missing.name)}"
    return "same", "the titles agree but for small words"


def _longer(extra: Residue, missing: Residue) -> tuple[Relation, str]:
    if extra.tail:
        return ("extended" if extra.at_cut else "renamed"), f"the list's title goes on with {_quoted(extra.tail)}"
    where = "after a whole part" if missing.at_cut else "within a part"
    return ("cut" if missing.at_cut else "torn"), f"the title is cut {where}, before {_quoted(missing.tail)}"


def _reworded(extra: Residue, missing: Residue, agreement: float) -> tuple[Relation, str]:
    mine, theirs = extra.name + extra.inside + extra.tail, missing.name + missing.inside + missing.tail
    said = [f"the list {_quoted(mine)}"] * bool(mine) + [f"the paper {_quoted(theirs)}"] * bool(theirs)
    reason = "only " + ", only ".join(said)
    if agreement < 0.4:
        return "different", reason
    return ("renamed" if agreement >= 0.6 and not (extra.name and missing.name) else "near"), reason


def _name_ends(title: TitleWords) -> set[int]:
    """Returns where a system's name before the title may end: at its first cut, or at a comma if it looks made up."""
    after_coined = {at for at in title.commas if any(map(is_coined, title.raw[:at], title.words[:at]))}
    return {title.head, *after_coined}


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
    """Returns whether the word at `at` is a number that ends a title, or what stands before a colon, as of a part."""
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
