"""Decides which candidate, if any, is the paper behind a mention. Pure.

A wrong paper is worse than none: if the evidence is enough for two candidates (`decision.py`), neither is chosen. A
mention with an identifier is the paper that the identifier names, unless the title is another paper's. This is the only
rule for a link whose paper has another title. Whether the record of that paper is right was checked before: one that
disagrees with the list is believed if both services have it, or one service has it in two runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sources.bibliography.names import compare_authors
from sources.bibliography.titles import title_words
from sources.matching.candidates import Candidate, group_works, same_work
from sources.matching.evidence import Evidence, gather
from sources.matching.mention_queries import search_titles_for
from sources.matching.relation import Relation, TitleEvidence, compare_titles
from sources.records import Finding, Mention

# Whether the evidence is enough to accept a candidate. Pure.
#
# A wrong paper is worse than none. So the title must be enough; the less it proves by itself, the more support it
# needs from authors, year and venue. And nothing else in the mention may contradict the candidate.


Decision = Literal["accept", "doubt", "reject"]
VerdictStatus = Literal["resolved", "ambiguous", "not_found"]


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
    # What else supports a candidate: its authors 3 points, the very day it came out or who owns what is linked 2, a
    # widespread surname, year, venue and name 1 each.
    people = {"agree": 3, "weak": 1}.get(evidence.authors.agreement, 0)
    facts = (evidence.year in ("same", "close")) + evidence.venue + (evidence.name == "agree")
    support, proof = people + 2 * (evidence.day + evidence.owner) + facts, evidence.title.weight
    by_title = any(support >= points and proof >= weight for points, weight in _least_weights(evidence.title).items())
    return "accept" if evidence.link == "agree" or by_title else "doubt"


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


def _least_weights(title: TitleEvidence) -> Mapping[int, int]:
    """Returns the weight of common words that is enough, by the points of support that it needs beside.

    Of several pairs one is enough; an empty mapping means that no title of this kind is. The first row of a relation
    whose condition is met applies.
    """
    if title.two_sided:
        return {}
    slips = title.misread + title.misnamed
    is_doubtful = bool(title.loose or slips)
    head = {"mixed": 0, "coined": 1, "plain": 3}.get(title.head or "")
    rows: Mapping[Relation, Sequence[tuple[object, Mapping[int, int]]]] = {
        "same": (
            (title.swaps, {1: 11, 3: 4}),
            (title.loose, {0: 14, 1: 6, 3: 4}),
            (slips, {0: 8 + slips, 1: 6, 3: 4}),
            (not title.exact, {0: 4, 1: 3, 3: 2}),
            (title.words <= 1, {2: 0}),
            (title.words >= 3, {0: 0}),
            (True, {0: 5, 1: 0}),
        ),
        # Several words that do not look made up may make another paper of it, and so may one that nothing parts from
        # the title: "mRNA vaccines" are not vaccines. "Technical report:" is no name.
        "named": (
            (title.edition == "full" and not is_doubtful, {0: 8, 1: 6, 3: 3}),
            (title.name_form == "glued", {3: 5}),
            (title.name_form == "wordy", {1: 8, 3: 5}),
            (title.name_form == "plain" or is_doubtful, {0: 12, 1: 8, 3: 5}),
            (True, {0: 6, 1: 5, 3: 3}),
        ),
        # A subtitle of one word is more like a series' part, and what follows an event's name a contribution to it. A
        # system's name alone needs two things beside it, such as year and venue.
        "cut": (
            (title.edition, {1 if title.edition == "full" else 4: 8}),
            (title.event or title.gap <= 1, {4: 6}),
            (title.anchored and not title.typos and not is_doubtful, {0: 10, 1: 7, 2: 0}),
            (True, {0: 10, 1: 7, 3: 2}),
        ),
        "torn": (
            (title.edition or title.event, {}),
            (title.open_end, {0: 8, 1: 6, 3: 4}),
            (title.anchored and (title.conjunct or title.gap <= 2), {0: 9, 3: 6}),
            (title.conjunct, {0: 12, 1: 9, 3: 6}),
            (True, {4: 8}),
        ),
        "extended": ((True, {4: 8}),),
        # Of 469 pairs of arXiv papers by the same authors whose titles differ in one word, hardly one was a renamed
        # paper: authors alone prove nothing here. Of those that share an unusual system name, nearly all were.
        "renamed": (
            (head is None or not title.anchored or title.gap > 1 or is_doubtful or title.agreement < 0.6, {}),
            (True, {head or 0: 7}),
        ),
    }
    return next(weights for is_met, weights in rows[title.relation] if is_met)


# Which relation ranks above which, among those accepted.
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
    status: VerdictStatus
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

    `known` are words of the mention's title that other titles have, and that are therefore no typing errors; those
    in the titles of `candidates` need not be among them.
    """
    known = known.union(*(title_words(candidate.title).words for candidate in candidates))
    judged: list[tuple[Evidence, Scored]] = []
    for candidate in group_works(candidates):
        evidence = gather(mention, candidate, known)
        authors = {"agree": 1.0, "weak": 0.6, "unknown": 0.5, "conflict": 0.0}[evidence.authors.agreement]
        years = {"same": 1.0, "close": 0.9, "off": 0.6, "unknown": 0.5, "conflict": 0.0}[evidence.year]
        score = round(0.7 * evidence.title.agreement + 0.2 * authors + 0.1 * years, 3)
        judged.append(
            (evidence, Scored(candidate=candidate, score=score, decision=decide(evidence), reasons=evidence.reasons))
        )
    judged.sort(key=lambda pair: (-pair[1].score, pair[1].candidate.title, str(pair[1].candidate.identifiers)))
    ranked = tuple(scored for _, scored in judged if scored.decision != "reject")
    if not ranked:
        return _by_title("not_found", ranked, "nothing found is like it")
    accepted = sorted((pair for pair in judged if pair[1].decision == "accept"), key=lambda pair: _precedence(pair[0]))
    if not accepted:
        titles = [evidence.title for evidence, _ in judged if evidence.title.relation == "same"]
        doubted = any(title.agreement >= 0.8 and (title.misread or title.inflected or title.rivals) for title in titles)
        return replace(_by_title("ambiguous", ranked, *ranked[0].reasons), doubted=doubted)
    if len({_precedence(evidence) for evidence, _ in accepted[:2]}) < len(accepted[:2]):
        return _by_title("ambiguous", ranked, f"{len(accepted)} papers are equally likely")
    evidence, best = accepted[0]
    return replace(
        _by_title("resolved", ranked, *best.reasons),
        chosen=best.candidate,
        score=best.score,
        certain=evidence.title.relation in ("same", "named"),
    )


def _by_title(status: VerdictStatus, ranked: tuple[Scored, ...], *reasons: str) -> Verdict:
    score = ranked[0].score if ranked else None
    return Verdict(status=status, chosen=None, ranked=ranked, method="title", score=score, reasons=reasons)


def _precedence(evidence: Evidence) -> tuple[int, int, int, int]:
    """Returns what ranks one accepted candidate above another: link, title, authors, year."""
    years = {"same": 0, "close": 0, "unknown": 0, "off": 1, "conflict": 2}
    authors = {"agree": 0, "weak": 1, "unknown": 1, "conflict": 2}
    title = _RANK[evidence.title.relation] * 2 + (not evidence.title.exact)
    return (evidence.link != "agree", title, authors[evidence.authors.agreement], years[evidence.year])


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
    a person must say which. The finding `link-title-disagree` informs the list's owner
    where the title clearly names another paper than the link.

    `others` are papers that may have the title, and `known` are words of it that other titles have.
    """
    evidence = gather(mention, record)
    disputed = _is_disputed(mention, record, evidence)
    if disputed and (titled := _works_with_title(_beside_name(mention, record), record, others, known)):
        return _between(mention, record, evidence, titled)
    own = ("its own identifier", *evidence.reasons)
    chosen = Scored(candidate=record, score=1.0, decision="accept", reasons=own)
    findings: tuple[Finding, ...] = ()
    if disputed and evidence.name != "agree":
        score = round(_LEAST_SCORE + _SPAN * evidence.title.agreement, 3)
        reasons = ("its own identifier", "no other paper is known by its title", *evidence.reasons)
        chosen = replace(chosen, score=score, reasons=reasons)
        if evidence.title.agreement < _DISAGREEING:
            findings = (_disagreement(mention, f"names another paper than the link, which is {record.title!r}"),)
    return Verdict(
        status="resolved",
        chosen=record,
        ranked=(chosen,),
        method="identifier",
        score=chosen.score,
        reasons=chosen.reasons,
        certain=chosen.score == 1.0,
        findings=findings,
    )


def is_disputed(mention: Mention, record: Candidate) -> bool:
    """Returns whether the title of a mention may be another paper's than `record`, which its identifier names."""
    return _is_disputed(mention, record, gather(mention, record))


def _beside_name(mention: Mention, record: Candidate) -> Mention:
    """Returns the mention with the name of the record's title beside its title, where it stands in front of another."""
    written, true = (title_words(title or "") for title in (mention.title, record.title))
    name = written.words[: written.head]
    others = {true.words[: true.head], title_words(mention.name or "").words or name} - {name}
    if not name or others:
        return mention
    bare = next(iter(search_titles_for(mention)[1:]), "")
    if not bare or not _is_unlike(bare, record):
        return mention
    return replace(mention, name=" ".join(written.raw[: written.head]), title=bare)


def _is_unlike(title: str, record: Candidate) -> bool:
    comparison = compare_titles(title_words(title), title_words(record.title))
    return comparison.agreement < _DISAGREEING and comparison.relation not in ("same", "named")


def _is_disputed(mention: Mention, record: Candidate, evidence: Evidence) -> bool:
    """Returns whether the title may be another paper's; beside the paper's own name, only one that is quite another."""
    title = evidence.title
    if title.words < _FEWEST_WORDS or "://" in (mention.title or ""):
        return False
    if evidence.name == "agree" and title.relation != "different":
        return _is_unlike(mention.title or "", record)
    return bool(title.rivals or title.misread) or title.relation in ("renamed", "lookalike", "near", "different")


def _works_with_title(
    mention: Mention, record: Candidate, others: Sequence[Candidate], known: frozenset[str]
) -> list[Scored]:
    """Returns the works other than `record` that have the mention's title.

    The link says nothing against them, nor do a name, and a year and people beside it, that are the linked paper's.
    """
    linked = gather(mention, record)
    is_named = linked.name == "agree"
    if is_named and linked.authors.agreement == "agree":
        mention = replace(mention, authors=())
    found = []
    for work in group_works(others):
        if same_work(work, record):
            continue
        titles = compare_titles(title_words(work.title), title_words(record.title))
        is_alike = titles.agreement >= _DISAGREEING and not titles.rivals
        is_alike = is_alike and titles.relation not in ("lookalike", "different")
        if is_alike and compare_authors(work.authors, record.authors).agreement == "agree":
            continue  # it may be a version of it: the same people, and most words in common
        evidence = replace(gather(mention, work, known), link="unknown")
        if is_named:
            evidence = replace(evidence, name="unknown", year="unknown")
        if decide(evidence) == "accept":
            reasons = ("its title", *evidence.reasons)
            found.append(Scored(candidate=work, score=_LEAST_SCORE, decision="accept", reasons=reasons))
    return found


def _between(mention: Mention, record: Candidate, evidence: Evidence, titled: Sequence[Scored]) -> Verdict:
    """Returns the verdict where the link names one paper and the title another; the link's comes first."""
    reasons = ("its own identifier", *evidence.reasons)
    linked = Scored(candidate=record, score=_LEAST_SCORE, decision="accept", reasons=reasons)
    what = f"is that of {titled[0].candidate.title!r}, the link that of {record.title!r}"
    return Verdict(
        status="ambiguous",
        chosen=None,
        ranked=(linked, *titled),
        method="identifier",
        score=_LEAST_SCORE,
        reasons=("its link names one paper and its title another",),
        findings=(_disagreement(mention, what),),
    )


def _disagreement(mention: Mention, what: str) -> Finding:
    return Finding(code="link-title-disagree", message=f"the title {what}", value=mention.title or "")
