"""The verdict: which candidate, if any, is the paper behind a mention. Pure.

A wrong paper is worse than none: if the evidence is enough for two candidates (`decision.py`), neither is chosen. A
mention with an identifier is the paper that the identifier names, unless the title is another paper's. This is the only
rule for a link whose paper has another title. Whether the record of that paper is right was checked before: one that
disagrees with the list is believed if both services have it, or one service has it in two runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sources.bibliography.names import compare_authors
from sources.bibliography.titles import title_words
from sources.matching.candidates import Candidate, group_works, same_work
from sources.matching.decision import Decision, decide
from sources.matching.evidence import Evidence, gather
from sources.matching.relation import Relation, compare_titles
from sources.records import Finding, Mention

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
        score: How strong the evidence is, 0 to 1; it orders candidates for people and decides nothing.
        decision: Whether the evidence is enough for it, leaves it in doubt, or contradicts it.
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
        certain: Whether the mention has the chosen paper's whole title, so that no other source can have a better one.
        findings: What the list's owner should know.
        doubted: Whether a candidate has the whole title but for words that may be different ones; then no search for a
            misspelled title finds a better one.
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
    """Returns the verdict over all candidates of all sources; their order does not matter.

    Args:
        mention: The mention.
        candidates: The papers that it may be.
        known: Words of its title that other titles have, and that are therefore no typing errors; those in the titles
            of `candidates` need not be among them.
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


def _is_doubted(evidence: Evidence) -> bool:
    title = evidence.title
    return (
        title.relation == "same" and title.agreement >= 0.8 and bool(title.misread or title.inflected or title.rivals)
    )


def _best(accepted: Sequence[tuple[Evidence, Scored]]) -> tuple[Evidence, Scored] | None:
    """Returns the candidate that ranks above all others, None where two rank equal."""
    ordered = sorted(accepted, key=lambda pair: _precedence(pair[0]))
    if len(ordered) > 1 and _precedence(ordered[0][0]) == _precedence(ordered[1][0]):
        return None
    return ordered[0]


def _precedence(evidence: Evidence) -> tuple[int, int, int, int]:
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


_FEWEST_WORDS = 3
"""Distinctive words of a title; fewer are a nickname."""
_DISAGREEING = 0.5
"""Titles that have less than this share in common clearly name two papers."""
_LEAST_SCORE, _SPAN = 0.5, 0.4
"""The score of a link beside a title that has nothing in common with its paper's, and what full agreement adds."""


def judge_identified(
    mention: Mention, record: Candidate, others: Sequence[Candidate] = (), known: frozenset[str] = frozenset()
) -> Verdict:
    """Returns the verdict on a mention with the identifier of `record`.

    An identifier names one paper exactly; a title beside it may be that of an older version, a nickname, a translation
    or misspelled. So the link decides, unless the title is that of another paper: then one of the two is a mistake, and
    a person must say which. The finding `link-title-disagree` tells the list's owner
    where the title clearly names another paper than the link.

    Args:
        mention: The mention.
        record: The paper that the identifier names.
        others: Papers that may have the title.
        known: Words of the title that other titles have.
    """
    evidence = gather(mention, record)
    titled_works = _works_with_title(mention, record, others, known) if _is_disputed(mention, evidence) else []
    if titled_works:
        return _between(mention, record, evidence, titled_works)
    reasons: tuple[str, ...] = ("its own identifier", *evidence.reasons)
    score, findings = 1.0, _disagreement(mention, record, evidence)
    if _is_disputed(mention, evidence):
        score = round(_LEAST_SCORE + _SPAN * evidence.title.agreement, 3)
        reasons = ("its own identifier", "no other paper is known by its title", *evidence.reasons)
    chosen = Scored(candidate=record, score=score, decision="accept", reasons=reasons)
    return Verdict(
        status="resolved",
        chosen=record,
        ranked=(chosen,),
        method="identifier",
        score=score,
        reasons=reasons,
        certain=score == 1.0,
        findings=findings,
    )


def is_disputed(mention: Mention, record: Candidate) -> bool:
    """Returns whether the title of a mention may be another paper's than `record`, which its identifier names."""
    return _is_disputed(mention, gather(mention, record))


def _is_disputed(mention: Mention, evidence: Evidence) -> bool:
    title = evidence.title
    if not _names_a_paper(mention, evidence) or evidence.name == "agree":
        return False
    return bool(title.rivals or title.misread) or title.relation in ("renamed", "lookalike", "near", "different")


def _names_a_paper(mention: Mention, evidence: Evidence) -> bool:
    return evidence.title.words >= _FEWEST_WORDS and "://" not in (mention.title or "")


def _works_with_title(
    mention: Mention, record: Candidate, others: Sequence[Candidate], known: frozenset[str]
) -> list[tuple[Evidence, Candidate]]:
    """Returns the works other than `record` that have the mention's title, with the evidence."""
    works = [work for work in group_works(others) if not same_work(work, record) and not _is_version(work, record)]
    weighed = [(replace(gather(mention, work, known), link="unknown"), work) for work in works]
    return [(evidence, work) for evidence, work in weighed if decide(evidence) == "accept"]


def _is_version(candidate: Candidate, other: Candidate) -> bool:
    """Returns whether two papers of other titles may be versions of one: the same people, and most words in common."""
    if compare_authors(candidate.authors, other.authors).agreement != "agree":
        return False
    titles = compare_titles(title_words(candidate.title), title_words(other.title))
    return titles.agreement >= _DISAGREEING and not titles.rivals and titles.relation not in ("lookalike", "different")


def _between(
    mention: Mention, record: Candidate, evidence: Evidence, titled_works: Sequence[tuple[Evidence, Candidate]]
) -> Verdict:
    """Returns the verdict where the link names one paper and the title another; the link's comes first."""
    linked = Scored(
        candidate=record, score=_LEAST_SCORE, decision="accept", reasons=("its own identifier", *evidence.reasons)
    )
    titled = [
        Scored(candidate=work, score=_LEAST_SCORE, decision="accept", reasons=("its title", *found.reasons))
        for found, work in titled_works
    ]
    message = f"the title is that of {titled_works[0][1].title!r}, the link that of {record.title!r}"
    return Verdict(
        status="ambiguous",
        chosen=None,
        ranked=(linked, *titled),
        method="identifier",
        score=_LEAST_SCORE,
        reasons=("its link names one paper and its title another",),
        findings=(Finding(code="link-title-disagree", message=message, value=mention.title or ""),),
    )


def _disagreement(mention: Mention, record: Candidate, evidence: Evidence) -> tuple[Finding, ...]:
    if not _is_disputed(mention, evidence) or evidence.title.agreement >= _DISAGREEING:
        return ()
    message = f"the title names another paper than the link, which is {record.title!r}"
    return (Finding(code="link-title-disagree", message=message, value=mention.title or ""),)
