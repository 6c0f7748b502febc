"""The verdict on a mention with an identifier: the paper that it names, unless the title is another one's. Pure.

The one rule for a link under another title than its paper's. That the service told the truth of the link is settled
before: a record at odds with the list is believed when two services tell it, or one in two runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sources.bibliography.names import compare_authors
from sources.bibliography.titles import title_words
from sources.matching.candidates import Candidate
from sources.matching.evidence import Evidence, gather
from sources.matching.judge import Scored, Verdict, decide
from sources.matching.relation import compare_titles
from sources.matching.works import group_works, same_work
from sources.records import Finding, Mention

_FEWEST_WORDS = 3
"""Telling words of what names a paper; fewer are a nickname."""
_DISAGREEING = 0.5
"""Share of two titles that is common, below which they clearly name two papers."""
_LEAST_SCORE, _SPAN = 0.5, 0.4
"""The score of a link beside a title that has nothing in common with its paper's, and what all in common adds."""


def judge_identified(
    mention: Mention, record: Candidate, others: Sequence[Candidate] = (), known: frozenset[str] = frozenset()
) -> Verdict:
    """Returns the verdict on a mention whose own identifier is that of `record`.

    An identifier names one paper exactly and cannot be a near miss; a title beside it may be an older version's, a
    nickname, a translation or a slip. So the link decides, unless the title is that of another paper: then one of the
    two is a mistake, and which one is for a person to say. The finding `link-title-disagree` tells the list's owner
    where the title clearly names another paper than the link.

    Args:
        mention: The mention.
        record: The paper that the identifier names.
        others: Papers that may bear the title.
        known: Words of the title that stand in other titles.
    """
    evidence = gather(mention, record)
    bearers = _bearers(mention, record, others, known) if _is_disputed(mention, evidence) else []
    if bearers:
        return _between(mention, record, evidence, bearers)
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


def _bearers(
    mention: Mention, record: Candidate, others: Sequence[Candidate], known: frozenset[str]
) -> list[tuple[Evidence, Candidate]]:
    """Returns the works other than `record` whose title the mention's is, with what speaks for them."""
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
    mention: Mention, record: Candidate, evidence: Evidence, bearers: Sequence[tuple[Evidence, Candidate]]
) -> Verdict:
    """Returns the verdict where the link names one paper and the title another; the link's comes first."""
    linked = Scored(
        candidate=record, score=_LEAST_SCORE, decision="accept", reasons=("its own identifier", *evidence.reasons)
    )
    titled = [
        Scored(candidate=work, score=_LEAST_SCORE, decision="accept", reasons=("its title", *bearer.reasons))
        for bearer, work in bearers
    ]
    message = f"the title is that of {bearers[0][1].title!r}, the link that of {record.title!r}"
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
