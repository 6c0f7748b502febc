"""The verdict: which candidate, if any, is the paper behind a mention. Pure.

A wrong paper is worse than none. So a candidate must be carried by its title, the more the less the title itself
proves, and nothing else that the mention tells may speak against it. Where two are left, neither is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sources.bibliography.titles import title_words
from sources.matching.candidates import Candidate
from sources.matching.evidence import Evidence, gather
from sources.matching.relation import Relation
from sources.matching.works import group_works
from sources.records import Finding, Mention

Decision = Literal["accept", "doubt", "reject"]

_RANK: dict[Relation, int] = {
    "same": 0,
    "named": 1,
    "cut": 2,
    "extended": 3,
    "torn": 3,
    "renamed": 4,
    "near": 5,
    "lookalike": 5,
    "different": 6,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A candidate with what was found about it.

    Attributes:
        candidate: The work, with the identifiers of all records that are it.
        score: How much speaks for it, 0 to 1; orders candidates for people, decides nothing.
        decision: Whether the evidence carries it, leaves it in doubt, or speaks against it.
        reasons: What was found, a short phrase each.
    """

    candidate: Candidate
    score: float
    decision: Decision
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the evidence says about a mention.

    Attributes:
        status: `resolved`, `ambiguous` (something is near, nothing certain) or `not_found` (nothing is near).
        chosen: The paper; None unless resolved.
        ranked: The candidates worth showing, best first.
        method: `identifier` or `title`.
        score: The best candidate's score.
        reasons: Why this verdict.
        certain: Whether the chosen paper's whole title is the mention's, so that no other source could know better.
        findings: What the list's owner would want to know.
        doubted: Whether a candidate bears the whole title but for words that may be other ones; then no search for a
            damaged title finds a better one.
    """

    status: Literal["resolved", "ambiguous", "not_found"]
    chosen: Candidate | None
    ranked: tuple[Scored, ...]
    method: str
    score: float | None
    reasons: tuple[str, ...]
    certain: bool = False
    findings: tuple[Finding, ...] = ()
    doubted: bool = False


def judge(mention: Mention, candidates: Sequence[Candidate], known: frozenset[str] = frozenset()) -> Verdict:
    """Returns the verdict over all candidates of all sources; their order is of no effect.

    Args:
        mention: The mention.
        candidates: What may be meant by it.
        known: Words of its title that stand in other titles, and so are no slips of the pen; those in the titles of
            `candidates` need not be among them.
    """
    known = known.union(*(title_words(candidate.title).words for candidate in candidates))
    weighed = [(gather(mention, candidate, known), candidate) for candidate in group_works(candidates)]
    judged = [(evidence, _scored(evidence, candidate)) for evidence, candidate in weighed]
    judged.sort(key=lambda pair: (-pair[1].score, pair[1].candidate.title, str(pair[1].candidate.identifiers)))
    ranked = tuple(scored for _, scored in judged if scored.decision != "reject")
    accepted = [pair for pair in judged if pair[1].decision == "accept"]
    if not ranked:
        return _verdict("not_found", None, (), ("nothing found is like it",))
    if not accepted:
        doubted = any(_is_doubted(evidence) for evidence, _ in judged)
        return replace(_verdict("ambiguous", None, ranked, ranked[0].reasons), doubted=doubted)
    best = _best(accepted)
    if best is None:
        return _verdict("ambiguous", None, ranked, (f"{len(accepted)} papers are equally likely",))
    evidence, chosen = best
    certain = evidence.title.relation in ("same", "named")
    return _verdict("resolved", chosen, ranked, chosen.reasons, certain=certain)


def decide(evidence: Evidence) -> Decision:
    """Returns whether the evidence carries a candidate.

    What speaks against it comes first: a foreign identifier, other authors, a year too far off, another system's
    name. Then the title must be enough, by itself or with the support of authors, year and venue.
    """
    if evidence.title.relation == "different":
        return "reject"
    if evidence.title.relation in ("lookalike", "near"):
        return "doubt" if evidence.title.agreement >= 0.5 else "reject"
    if evidence.title.rivals and evidence.link != "agree":
        # A title of which one word is another stays in sight, however little else it says.
        alone = evidence.title.rivals == 1 and evidence.title.relation == "same"
        return "doubt" if alone or evidence.title.agreement >= 0.5 else "reject"
    if _spoken_against(evidence) or not _words_are_carried(evidence):
        return "doubt"
    if evidence.link == "agree" or _ENOUGH[evidence.title.relation](evidence):
        return "accept"
    return "doubt"


def _spoken_against(evidence: Evidence) -> bool:
    """Returns whether something tells against the candidate; of a title that is not the same, a smaller thing does."""
    if "conflict" in (evidence.link, evidence.authors.agreement, evidence.name):
        return True
    if evidence.title.relation != "same":
        return evidence.year == "conflict" or (evidence.year == "off" and evidence.authors.agreement != "agree")
    return evidence.year == "conflict" and evidence.authors.agreement != "agree"


def _words_are_carried(evidence: Evidence) -> bool:
    """Returns whether what may be another word is carried by something that is independent of the title.

    Where a word of the mention may be another one than the candidate's, the titles may be two: of a paper on nitrates
    and of one on nitrites. A year says nothing there, as there are papers on both in every year. Beside another form
    of the same word the year and the venue together are enough.
    """
    title = evidence.title
    if not title.misread and not title.inflected:
        return True
    if evidence.link == "agree" or evidence.authors.agreement == "agree" or evidence.day or evidence.owner:
        return True
    return not title.misread and evidence.venue and evidence.year in ("same", "close")


def _is_doubted(evidence: Evidence) -> bool:
    title = evidence.title
    return (
        title.relation == "same" and title.agreement >= 0.8 and bool(title.misread or title.inflected or title.rivals)
    )


def _support(evidence: Evidence) -> int:
    """Returns what else speaks for a candidate.

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


def _same_is_enough(evidence: Evidence) -> bool:
    title = evidence.title
    if title.loose:
        return _proven(evidence, alone=14, supported=6, by_authors=4)
    if title.misread or title.misnamed:
        return _proven(evidence, alone=8 + title.misread + title.misnamed, supported=6, by_authors=4)
    if not title.exact:
        return _proven(evidence, alone=4, supported=3, by_authors=2)
    if title.words <= 1:
        return _support(evidence) >= 2
    return title.words >= 3 or title.weight >= 5 or _support(evidence) >= 1


def _named_is_enough(evidence: Evidence) -> bool:
    """Returns whether a title with a name before it, on one side, is enough; "Technical report:" is no name."""
    title = evidence.title
    if title.edition and not (title.shortened or title.loose or title.misread or title.misnamed):
        return _proven(evidence, alone=8, supported=6, by_authors=3)
    if evidence.title.plain_name or evidence.title.loose or evidence.title.misread or evidence.title.misnamed:
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
    authors prove nothing here. Of those that share an unusual system name, nearly all were.
    """
    title = evidence.title
    return (
        title.anchored
        and title.gap <= 1
        and not title.loose
        and not title.misread
        and not title.misnamed
        and title.agreement >= 0.6
        and title.weight >= 7
    )


_ENOUGH: dict[Relation, Callable[[Evidence], bool]] = {
    "same": _same_is_enough,
    "named": _named_is_enough,
    "cut": _cut_is_enough,
    "torn": _torn_is_enough,
    "extended": _extended_is_enough,
    "renamed": _renamed_is_enough,
}


def _best(accepted: Sequence[tuple[Evidence, Scored]]) -> tuple[Evidence, Scored] | None:
    """Returns the one candidate that stands above the others, None where two stand level."""
    ordered = sorted(accepted, key=lambda pair: _standing(pair[0]))
    if len(ordered) > 1 and _standing(ordered[0][0]) == _standing(ordered[1][0]):
        return None
    return ordered[0]


def _standing(evidence: Evidence) -> tuple[int, int, int, int]:
    """Returns what ranks one accepted candidate above another: link, title, authors, year."""
    years = {"same": 0, "close": 0, "unknown": 0, "off": 1, "conflict": 2}
    authors = {"agree": 0, "weak": 1, "unknown": 1, "conflict": 2}
    title = _RANK[evidence.title.relation] * 2 + (not evidence.title.exact)
    return (evidence.link != "agree", title, authors[evidence.authors.agreement], years[evidence.year])


def _scored(evidence: Evidence, candidate: Candidate) -> Scored:
    authors = {"agree": 1.0, "weak": 0.6, "unknown": 0.5, "conflict": 0.0}[evidence.authors.agreement]
    years = {"same": 1.0, "close": 0.9, "off": 0.6, "unknown": 0.5, "conflict": 0.0}[evidence.year]
    score = 0.7 * evidence.title.agreement + 0.2 * authors + 0.1 * years
    return Scored(candidate=candidate, score=round(score, 3), decision=decide(evidence), reasons=evidence.reasons)


def _verdict(
    status: Literal["resolved", "ambiguous", "not_found"],
    best: Scored | None,
    ranked: tuple[Scored, ...],
    reasons: tuple[str, ...],
    *,
    certain: bool = False,
) -> Verdict:
    shown = best or (ranked[0] if ranked else None)
    return Verdict(
        status=status,
        chosen=best.candidate if best else None,
        ranked=ranked,
        method="title",
        score=shown.score if shown else None,
        reasons=reasons,
        certain=certain,
    )
