"""Whether the evidence is enough to accept a candidate. Pure.

A wrong paper is worse than none. So the title must be enough; the less it proves by itself, the more support it needs
from authors, year and venue. And nothing else in the mention may contradict the candidate.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from sources.matching.evidence import Evidence
from sources.matching.relation import Relation

Decision = Literal["accept", "doubt", "reject"]


def decide(evidence: Evidence) -> Decision:
    """Returns whether the evidence is enough to accept a candidate.

    What contradicts it comes first: a foreign identifier, other authors, a year too far off, another system's
    name. Then the title must be enough, by itself or with the support of authors, year and venue.
    """
    if evidence.title.relation == "different":
        return "reject"
    if evidence.title.relation in ("lookalike", "near"):
        return "doubt" if evidence.title.agreement >= 0.5 else "reject"
    if evidence.title.rivals and evidence.link != "agree":
        # A title in which one word is another one remains a candidate, however short it is.
        alone = evidence.title.rivals == 1 and evidence.title.relation == "same"
        return "doubt" if alone or evidence.title.agreement >= 0.5 else "reject"
    if _is_contradicted(evidence) or not _words_are_supported(evidence):
        return "doubt"
    by_title = not evidence.title.two_sided and _ENOUGH[evidence.title.relation](evidence)
    if evidence.link == "agree" or by_title:
        return "accept"
    return "doubt"


def _is_contradicted(evidence: Evidence) -> bool:
    """Returns whether something contradicts the candidate; where the titles are not the same, less is enough."""
    if "conflict" in (evidence.link, evidence.authors.agreement, evidence.name):
        return True
    if evidence.title.relation != "same":
        return evidence.year == "conflict" or (evidence.year == "off" and evidence.authors.agreement != "agree")
    return evidence.year == "conflict" and evidence.authors.agreement != "agree"


def _words_are_supported(evidence: Evidence) -> bool:
    """Returns whether something other than the title supports a word that may be a different one.

    Where a word of the mention may be another one than the candidate's, the titles may be two: of a paper on nitrates
    and of one on nitrites. A year says nothing there, as there are papers on both in every year. Beside another form
    of the same word the year and the venue together are enough.
    """
    title = evidence.title
    if not title.misread and not title.inflected and not title.turned:
        return True
    if evidence.link == "agree" or evidence.authors.agreement == "agree" or evidence.day or evidence.owner:
        return True
    return not title.misread and not title.turned and evidence.venue and evidence.year in ("same", "close")


def _support(evidence: Evidence) -> int:
    """Returns the points for what else supports a candidate.

    Its authors 3, the very day it came out or who owns what is linked 2, a widespread surname, year, venue and name 1
    each.
    """
    authors = {"agree": 3, "weak": 1}.get(evidence.authors.agreement, 0)
    facts = (evidence.year in ("same", "close")) + evidence.venue + (evidence.name == "agree")
    return authors + 2 * (evidence.day + evidence.owner) + facts


def _proven(evidence: Evidence, *, alone: int, supported: int, by_authors: int) -> bool:
    """Returns whether the words in common prove enough: by themselves, with some support, or with the authors'."""
    proof, support = evidence.title.weight, _support(evidence)
    return proof >= alone or (proof >= supported and support >= 1) or (proof >= by_authors and support >= 3)


_NEVER = 1_000
"""More than any title proves."""


def _same_is_enough(evidence: Evidence) -> bool:
    title = evidence.title
    if title.loose:
        by_itself, supported = (_NEVER, 11) if title.swaps else (14, 6)
        return _proven(evidence, alone=by_itself, supported=supported, by_authors=4)
    if title.misread or title.misnamed:
        return _proven(evidence, alone=8 + title.misread + title.misnamed, supported=6, by_authors=4)
    if not title.exact:
        return _proven(evidence, alone=4, supported=3, by_authors=2)
    if title.words <= 1:
        return _support(evidence) >= 2
    return title.words >= 3 or title.weight >= 5 or _support(evidence) >= 1


def _named_is_enough(evidence: Evidence) -> bool:
    """Returns whether a title with a name before it, on one side, is enough; "Technical report:" is no name.

    Several words that do not look made up may make another paper of it, and so may one that nothing parts from the
    title: "mRNA vaccines" are not vaccines.
    """
    title = evidence.title
    if title.edition and not (title.shortened or title.loose or title.misread or title.misnamed):
        return _proven(evidence, alone=8, supported=6, by_authors=3)
    if title.glued_name or title.wordy_name:
        return _proven(evidence, alone=_NEVER, supported=_NEVER if title.glued_name else 8, by_authors=5)
    if title.plain_name or evidence.title.loose or evidence.title.misread or evidence.title.misnamed:
        return _proven(evidence, alone=12, supported=8, by_authors=5)
    return _proven(evidence, alone=6, supported=5, by_authors=3)


def _cut_is_enough(evidence: Evidence) -> bool:
    """Returns whether a title without its subtitle is enough.

    A subtitle of one word is more like a series' part, and what follows an event's name a contribution to it. A
    system's name alone needs two things beside it, such as year and venue.
    """
    title, support = evidence.title, _support(evidence)
    if title.edition:
        return title.weight >= 8 and support >= (4 if title.shortened else 1)
    if title.event or title.gap <= 1:
        return title.weight >= 6 and support >= 4
    by_name = (
        title.anchored
        and not title.typos
        and not title.loose
        and not title.misread
        and not title.misnamed
        and support >= 2
    )
    return by_name or _proven(evidence, alone=10, supported=7, by_authors=2)


def _torn_is_enough(evidence: Evidence) -> bool:
    title = evidence.title
    if title.edition or title.event:
        return False
    if title.open_end:
        return _proven(evidence, alone=8, supported=6, by_authors=4)
    if title.conjunct or (title.anchored and title.gap <= 2):
        return _proven(evidence, alone=9 if title.anchored else 12, supported=9, by_authors=6)
    return title.weight >= 8 and _support(evidence) >= 4


def _extended_is_enough(evidence: Evidence) -> bool:
    return evidence.title.weight >= 8 and _support(evidence) >= 4


def _renamed_is_enough(evidence: Evidence) -> bool:
    """Returns whether a title with other words is an older one of the same paper.

    Of 469 pairs of arXiv papers by the same authors whose titles differ in one word, hardly one was a renamed paper:
    authors alone prove nothing here. Of those that share an unusual system name, nearly all were.
    """
    title = evidence.title
    return (
        title.anchored
        and title.unusual
        and title.gap <= 1
        and not title.loose
        and not title.misread
        and not title.misnamed
        and title.agreement >= 0.6
        and title.weight >= 7
        and _support(evidence) >= {"mixed": 0, "coined": 1, "plain": 3}[title.head]
    )


_ENOUGH: dict[Relation, Callable[[Evidence], bool]] = {
    "same": _same_is_enough,
    "named": _named_is_enough,
    "cut": _cut_is_enough,
    "torn": _torn_is_enough,
    "extended": _extended_is_enough,
    "renamed": _renamed_is_enough,
}
