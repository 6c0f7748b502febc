"""Decides which candidate, if any, is the paper behind a mention. Pure.

A wrong paper is worse than none: if the evidence is enough for two candidates (`decision.py`), neither is chosen. A
mention with an identifier is the paper that the identifier names, unless the title is another paper's. This is the only
rule for a link whose paper has another title. Whether the record of that paper is right was checked before: one that
disagrees with the list is believed if both services have it, or one service has it in two runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sources.bibliography.names import compare_authors
from sources.bibliography.titles import title_words
from sources.matching.candidates import Candidate, group_works, same_work
from sources.matching.evidence import Evidence, gather
from sources.matching.relation import Relation, compare_titles
from sources.records import Finding, Mention

# Whether the evidence is enough to accept a candidate. Pure.
#
# A wrong paper is worse than none. So the title must be enough; the less it proves by itself, the more support it
# needs from authors, year and venue. And nothing else in the mention may contradict the candidate.


Decision = Literal["accept", "doubt", "reject"]


def decide(evidence: Evidence) -> Decision:
    """Returns whether the evidence is enough to accept a candidate.

    What contradicts it comes first: a foreign identifier, other authors, a year too far off, another system's
    name. Then the title must be enough, by itself or with the support of authors, year and venue. A name alone is
    enough where papers of its list cite the work that is known by it.
    """
    if evidence.known_as is not None:
        is_cited = evidence.known_as == "distinct" and evidence.cited_by >= _CITING
        return "accept" if is_cited and not _is_contradicted(evidence) else "doubt"
    if evidence.title.relation in ("lookalike", "near", "different"):
        is_near = evidence.title.relation != "different" and evidence.title.agreement >= 0.5
        return "doubt" if is_near else "reject"
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


# Papers of a list that cite a work before a name alone in that list is taken for it; one may cite it in passing.
_CITING = 2


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


_NEVER = 1_000  # more than any title proves


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
    """A candidate with what was found about it."""

    candidate: Candidate  # the work, with the identifiers of all records that are it
    score: float  # how strong the evidence is, 0 to 1; it orders candidates for people and decides nothing
    decision: Decision  # whether the evidence is enough for it, leaves it in doubt, or contradicts it
    reasons: tuple[str, ...]  # what was found, a short phrase each


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the evidence says about a mention."""

    # `resolved`, `ambiguous` (something is near, nothing certain) or `not_found` (nothing is near)
    status: Literal["resolved", "ambiguous", "not_found"]
    chosen: Candidate | None  # the paper; None unless resolved
    ranked: tuple[Scored, ...]  # the candidates worth showing, best first
    method: str  # `identifier` or `title`
    score: float | None  # the best candidate's score
    reasons: tuple[str, ...]  # why this verdict
    # whether the mention has the chosen paper's whole title, so that no other source can have a better one
    certain: bool = False
    findings: tuple[Finding, ...] = ()  # what the list's owner should know
    # whether a candidate has the whole title but for words that may be different ones; then no search for a misspelled
    # title finds a better one
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


_FEWEST_WORDS = 3  # distinctive words of a title; fewer are a nickname
_DISAGREEING = 0.5  # titles that have less than this share in common clearly name two papers
# The score of a link beside a title that has nothing in common with its paper's, and what full agreement adds.
_LEAST_SCORE, _SPAN = 0.5, 0.4


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
    if _is_disputed(mention, evidence) and evidence.name != "agree":
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
    """Returns whether the title may be another paper's; beside the paper's own name, only one that is quite another."""
    title = evidence.title
    if not _names_a_paper(mention, evidence) or (evidence.name == "agree" and title.relation != "different"):
        return False
    return bool(title.rivals or title.misread) or title.relation in ("renamed", "lookalike", "near", "different")


def _names_a_paper(mention: Mention, evidence: Evidence) -> bool:
    return evidence.title.words >= _FEWEST_WORDS and "://" not in (mention.title or "")


def _works_with_title(
    mention: Mention, record: Candidate, others: Sequence[Candidate], known: frozenset[str]
) -> list[tuple[Evidence, Candidate]]:
    """Returns the works other than `record` that have the mention's title, with the evidence.

    The link says nothing against them, nor do a name and a year beside it that are the linked paper's.
    """
    works = [work for work in group_works(others) if not same_work(work, record) and not _is_version(work, record)]
    weighed = [(replace(gather(mention, work, known), link="unknown"), work) for work in works]
    if gather(mention, record).name == "agree":
        weighed = [(replace(evidence, name="unknown", year="unknown"), work) for evidence, work in weighed]
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
    if not _is_disputed(mention, evidence) or evidence.name == "agree" or evidence.title.agreement >= _DISAGREEING:
        return ()
    message = f"the title names another paper than the link, which is {record.title!r}"
    return (Finding(code="link-title-disagree", message=message, value=mention.title or ""),)
