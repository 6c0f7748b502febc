"""The state of mentions during resolution, open or resolved, and what the evidence so far decides. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Literal

from sources.bibliography.identifiers import S2_SCHEMES, Identifier, normal_identifier
from sources.bibliography.names import compare_authors
from sources.errors import SourceError, TooManyHits
from sources.matching.candidates import Candidate, all_identifiers, group_works
from sources.matching.judge import Verdict, judge, judge_identified
from sources.records import Finding, Mention, Status

Method = Literal[
    "identifier", "known", "mirror", "title-search", "piece-search", "best-match", "possible-title", "none"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """The result for a mention.

    Attributes:
        position: The mention's place among those given.
        mention: The mention.
        status: `resolved`, `ambiguous`, `not_found` (every source that was asked answered, and none has it) or
            `failed` (a source that had to be asked could not be).
        chosen: The paper; None unless resolved.
        method: The stage that settled it; `none` where none did.
        verdict: The evidence; None where there was none to weigh.
        error: Why it failed; None unless failed.
        findings: What the list's owner should know.
    """

    position: int
    mention: Mention
    status: Status
    chosen: Candidate | None
    method: Method
    verdict: Verdict | None
    error: SourceError | None = None
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """A mention that is not settled yet.

    Attributes:
        position: The mention's place among those given.
        mention: The mention.
        candidates: What the stages so far have found.
        verdict: The verdict over these candidates; None until they are judged.
        dead: Its own identifiers that the service which gives such identifiers does not have; they prove nothing.
        unknown: Its own identifiers that a source which was asked does not have.
        barred: Papers that a person said it is not, by any of their identifiers; they can never be chosen.
        linked: The paper that its own identifier leads to, where its title may be another paper's.
        known: Words of its title that other titles have, and that are therefore no typing errors.
        method: The stage whose candidates would settle it if there were no other source to ask.
        unasked: Whether its own identifier could not be asked; then only a paper that has it can be accepted.
        was_searched: Whether a source was asked about it, by identifier or title.
        pieced: Whether a source listed everything that matches pieces of the title, so that it has no better match.
        errors: Why sources could not be asked about it.
        findings: What the list's owner should know.
    """

    position: int
    mention: Mention
    candidates: tuple[Candidate, ...] = ()
    verdict: Verdict | None = None
    dead: frozenset[Identifier] = frozenset()
    unknown: frozenset[Identifier] = frozenset()
    barred: frozenset[Identifier] = frozenset()
    linked: Candidate | None = None
    known: frozenset[str] = frozenset()
    method: Method = "none"
    unasked: bool = False
    was_searched: bool = False
    pieced: bool = False
    errors: tuple[SourceError, ...] = ()
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What a stage settled, and what it left open."""

    resolved: tuple[Resolution, ...] = ()
    still_open: tuple[Open, ...] = ()


def open_mentions(
    mentions: Iterable[Mention], barred: Mapping[int, Collection[Identifier]] | None = None
) -> tuple[Open, ...]:
    """Returns the mentions as open ones, numbered in the order given.

    Args:
        mentions: The mentions.
        barred: Position -> papers that the mention there is known not to be, by any of their identifiers. Where one of
            them is the mention's own, it proves nothing and is not looked up.
    """
    shut = barred or {}
    return tuple(_open(position, mention, shut.get(position, ())) for position, mention in enumerate(mentions))


def _open(position: int, mention: Mention, barred: Collection[Identifier]) -> Open:
    if not barred:
        return Open(position=position, mention=mention)
    shut = frozenset(map(normal_identifier, barred))
    own = tuple(identifier for identifier in mention.identifiers if normal_identifier(identifier) not in shut)
    return Open(position=position, mention=replace(mention, identifiers=own), barred=shut)


def is_barred(item: Open, candidate: Candidate) -> bool:
    """Returns whether a candidate is a paper that a person said the mention is not."""
    return bool(item.barred) and not item.barred.isdisjoint(all_identifiers(candidate))


def close(items: Iterable[Open]) -> tuple[Resolution, ...]:
    """Returns the results for the mentions that no stage settled: ambiguous, not found, or failed.

    A title with too many hits for a service to list was searched, so it has not failed. But the paper may be among the
    hits that were not listed, so it is ambiguous rather than "not found". So is a nickname or link alone, for which no
    service can be asked.
    """
    return tuple(_closed(item) for item in items)


def tied(item: Open) -> bool:
    """Returns whether two papers are equally likely, which a third cannot change."""
    return sum(scored.decision == "accept" for scored in _judged(item).ranked) > 1


def with_found(
    item: Open,
    candidates: Sequence[Candidate],
    errors: Sequence[SourceError] = (),
    known: AbstractSet[str] = frozenset(),
) -> Open:
    """Returns the item with further candidates, words that are no typing errors, and why sources could not be asked."""
    merged = tuple(dict.fromkeys((*item.candidates, *candidates)))
    words = item.known | known
    verdict = item.verdict if len(merged) == len(item.candidates) and words == item.known else None
    return replace(item, candidates=merged, known=words, verdict=verdict, errors=(*item.errors, *errors))


def settled(items: Iterable[Open], method: Method, *, certain_only: bool = False, askable_only: bool = False) -> Stage:
    """Returns the items divided into those that the evidence settles and the rest.

    Args:
        items: The open mentions, with all that was found so far.
        method: The stage's name.
        certain_only: Whether to settle only what no further source could change: a title cut short may be another
            paper's whole title, which the next source has.
        askable_only: Whether a paper that no service can be asked about waits for the title searches to find it too.
    """
    resolved: list[Resolution] = []
    left: list[Open] = []
    for item in items:
        verdict = _judged(item)
        if verdict.status != "resolved" or not _trusted(item, verdict):
            left.append(replace(item, method="none", verdict=verdict))
            continue
        first = method if item.method == "none" else item.method
        waits = (certain_only and not verdict.certain) or (askable_only and not _is_askable(verdict))
        if not waits:
            resolved.append(resolution_of(item, verdict, first))
        else:
            left.append(replace(item, method=first, verdict=verdict))
    return Stage(resolved=tuple(resolved), still_open=tuple(left))


def _is_askable(verdict: Verdict) -> bool:
    """Returns whether a service can be asked about the paper: DBLP has some without any other identifier."""
    return verdict.chosen is not None and any(item.scheme in S2_SCHEMES for item in all_identifiers(verdict.chosen))


def _judged(item: Open) -> Verdict:
    if item.verdict is not None:
        return item.verdict
    if item.linked is not None:
        return judge_identified(item.mention, item.linked, _allowed(item), item.known)
    alive = tuple(identifier for identifier in item.mention.identifiers if identifier not in item.dead)
    return judge(replace(item.mention, identifiers=alive), _allowed(item), item.known)


def _allowed(item: Open) -> Sequence[Candidate]:
    """Returns the candidates without the barred works: another source's record of a barred paper is barred with it."""
    if not item.barred:
        return item.candidates
    return [work for work in group_works(item.candidates) if not is_barred(item, work)]


def _trusted(item: Open, verdict: Verdict) -> bool:
    """Returns whether a verdict holds although a source could not be asked.

    A paper found by the identifier holds. But whether the identifier leads to another paper, or whether a paper has the
    title beside a link, is known only once the source has answered, unless the mention names the link's authors.
    """
    if item.linked is not None:
        return not item.errors or compare_authors(item.mention.authors, item.linked.authors).agreement == "agree"
    return not item.unasked or "same identifier" in verdict.reasons


def resolution_of(item: Open, verdict: Verdict, method: Method) -> Resolution:
    """Returns the resolution to the paper that a verdict chose."""
    return Resolution(
        position=item.position,
        mention=item.mention,
        status="resolved",
        chosen=verdict.chosen,
        method=method,
        verdict=verdict,
        findings=item.findings + verdict.findings,
    )


def _closed(item: Open) -> Resolution:
    verdict = _judged(item)
    if verdict.status == "resolved" and _trusted(item, verdict):
        return resolution_of(item, verdict, item.method)
    unasked = [error for error in item.errors if not isinstance(error, TooManyHits)]
    if verdict.status == "not_found" and item.unknown:
        unknown = ", ".join(map(str, sorted(item.unknown)))
        verdict = replace(verdict, reasons=(*verdict.reasons, f"no source that was asked has {unknown}"))
    if verdict.status == "not_found" and not item.was_searched:
        verdict = replace(verdict, status="ambiguous", reasons=("it gives too little to ask anybody for",))
    return Resolution(
        position=item.position,
        mention=item.mention,
        status="failed" if unasked else "ambiguous" if item.errors else verdict.status,
        chosen=None,
        method="none",
        verdict=verdict,
        error=unasked[0] if unasked else None,
        findings=item.findings + verdict.findings,
    )
