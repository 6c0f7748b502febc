"""What is observed of a stretch that may be a title: its slot, its pieces, its form, named as the models do."""

from __future__ import annotations

from sources.memory import Memory

Slot = tuple[str, str, str]
"""Mark-up of a title, what stands before it, and what behind it."""
Facts = int
"""What holds of a candidate: a bit for each of `FACTS`, and above them how many pieces are joined to its first."""
Form = tuple[int, int, int, bool, str | None]
"""How many words a candidate has, and at which piece it begins, up to a bound; how many words the first of several
pieces has, 0 where there is one; whether one of them reads like a title; and how it stands if it was read by rule."""
Features = dict[str, float]
"""What is observed, in words, and how much of it."""


def features_of_slot(slot: Slot) -> Features:
    """Returns what is observed of a candidate's mark-up and of the delimiters around it."""
    how, before, after = slot
    names = f"as {how}", f"behind {before}", f"before {after}", f"as {how} behind {before}", f"as {how} before {after}"
    return dict.fromkeys(names, 1.0)


def odds_as(slot: Slot) -> str:
    """Returns what the odds of a candidate with the mark-up of `slot` are called in the models."""
    return f"as {slot[0]}: odds"


NUMBERS = ("odds", "odds below even", "covers", "better words elsewhere", "good words elsewhere")
"""What the numbers measured of every candidate are called in the models."""


FACTS = (
    "first",
    "whole",
    "small start",
    "open bracket",
    "behind a sentence",
    "names in it",
    "nothing but names",
    "imprint in it",
    "nothing but imprint",
    "organisation in it",
    "begins with what recurs",
    "ends with what recurs",
    "nothing but what recurs",
    "behind what recurs",
    "before what recurs",
)
"""What the facts about every candidate are called in the models."""


WHOLE, SMALL_START, OPEN_BRACKET, BEHIND_A_SENTENCE = (1 << FACTS.index(name) for name in FACTS[1:5])
"""The bits of four of the facts."""
_OF_KINDS, _OF_RECURRING = FACTS.index("names in it"), FACTS.index("begins with what recurs")


def _facts_of_kinds(kinds: str) -> Facts:
    """Returns what holds of a candidate whose pieces are of the `kinds`, given by their initials."""
    found = "n" in kinds, set(kinds) == {"n"}, "i" in kinds, set(kinds) == {"i"}, "o" in kinds
    return sum(holds << at for at, holds in enumerate(found, _OF_KINDS)) | (len(kinds) - 1) << len(FACTS)


def _facts_of_recurring(recurs: str) -> Facts:
    """Returns what holds of a candidate, given which of its pieces and of those next to it recur."""
    inner = recurs[1:-1]
    found = (sign == "1" for sign in (inner[0], inner[-1], min(inner), recurs[0], recurs[-1]))
    return sum(holds << at for at, holds in enumerate(found, _OF_RECURRING))


facts_by_kinds: Memory[str, Facts] = Memory(_facts_of_kinds)
facts_by_recurring: Memory[str, Facts] = Memory(_facts_of_recurring)
"""What holds of a candidate, by the kinds of its pieces, and by which of them and of those beside it recur."""


def features_of_facts(facts: Facts) -> Features:
    """Returns what holds of a candidate, in words."""
    features = {name: 1.0 for at, name in enumerate(FACTS) if facts >> at & 1}
    return features | ({"joined": float(facts >> len(FACTS))} if facts >> len(FACTS) else {})


def features_of_form(form: Form) -> Features:
    """Returns how many words a candidate has, where it begins and what it is joined from, in words."""
    count, first, lead, reads, how = form
    features = {f"words {count}": 1.0, f"piece {first}": 1.0}
    if lead:
        features[f"joined to a lead of {lead}"] = 1.0
    if reads:
        features["joined words that are a title"] = 1.0
    if how is not None:
        features |= {"as read by rule": 1.0, f"as read by rule: {how}": 1.0}
    return features
