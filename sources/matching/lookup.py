"""The sources of papers, the pool of candidates, and the first stage of resolution, by identifier.

Pure but for the sources that are passed in.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from typing import Any, Literal, Protocol, TypeVar

from sources.bibliography.identifiers import S2_SCHEMES, Identifier, Scheme, normal_identifier, rank
from sources.bibliography.names import compare_authors
from sources.bibliography.titles import title_key, title_words
from sources.errors import SourceError, TooManyHits
from sources.http.queries import found_form, question_of
from sources.matching.candidates import Candidate, all_identifiers, candidate_of, group_works
from sources.matching.judge import Verdict, is_disputed, judge, judge_identified
from sources.matching.word_match import weight
from sources.records import (
    SERVICE_NAMES,
    ArxivPaper,
    BatchAnswer,
    Finding,
    Mention,
    OpenAlexPaper,
    PaperRecord,
    S2Paper,
    SourceName,
    Status,
    TitleAnswer,
)

# The state of mentions during resolution, open or resolved, and what the evidence so far decides. Pure.


Method = Literal[
    "identifier", "known", "citations", "mirror", "title-search", "piece-search", "best-match", "possible-title", "none"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """The result for a mention."""

    position: int  # the mention's place among those given
    mention: Mention  # the mention
    # `resolved`, `ambiguous`, `not_found` (every source that was asked answered, and none has it) or `failed` (a source
    # that had to be asked could not be)
    status: Status
    chosen: Candidate | None  # the paper; None unless resolved
    method: Method  # the stage that settled it; `none` where none did
    verdict: Verdict | None  # the evidence; None where there was none to weigh
    error: SourceError | None = None  # why it failed; None unless failed
    findings: tuple[Finding, ...] = ()  # what the list's owner should know


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """A mention that is not settled yet."""

    position: int  # the mention's place among those given
    mention: Mention  # the mention
    candidates: tuple[Candidate, ...] = ()  # what the stages so far have found
    verdict: Verdict | None = None  # the verdict over these candidates; None until they are judged
    # its own identifiers that the service which gives such identifiers does not have; they prove nothing
    dead: frozenset[Identifier] = frozenset()
    unknown: frozenset[Identifier] = frozenset()  # its own identifiers that a source which was asked does not have
    # papers that a person said it is not, by any of their identifiers; they can never be chosen
    barred: frozenset[Identifier] = frozenset()
    # the paper that its own identifier leads to, where its title may be another paper's
    linked: Candidate | None = None
    # words of its title that other titles have, and that are therefore no typing errors
    known: frozenset[str] = frozenset()
    method: Method = "none"  # the stage whose candidates would settle it if there were no other source to ask
    # whether its own identifier could not be asked; then only a paper that has it can be accepted
    unasked: bool = False
    was_searched: bool = False  # whether a source was asked about it, by identifier or title
    # whether a source listed everything that matches pieces of the title, so that it has no better match
    pieced: bool = False
    errors: tuple[SourceError, ...] = ()  # why sources could not be asked about it
    findings: tuple[Finding, ...] = ()  # what the list's owner should know


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What a stage settled, and what it left open."""

    resolved: tuple[Resolution, ...] = ()
    still_open: tuple[Open, ...] = ()


def open_mentions(
    mentions: Iterable[Mention], barred: Mapping[int, Collection[Identifier]] | None = None
) -> tuple[Open, ...]:
    """Returns the mentions as open ones, numbered in the order given.

    `barred` has position -> papers that the mention there is known not to be, by any of their identifiers. Where
    one of them is the mention's own, it proves nothing and is not looked up.
    """
    opened = []
    for position, mention in enumerate(mentions):
        shut = frozenset(map(normal_identifier, (barred or {}).get(position, ())))
        own = [identifier for identifier in mention.identifiers if normal_identifier(identifier) not in shut]
        known = replace(mention, identifiers=tuple(own)) if shut else mention
        opened.append(Open(position=position, mention=known, barred=shut))
    return tuple(opened)


def is_barred(item: Open, candidate: Candidate) -> bool:
    """Returns whether a candidate is a paper that a person said the mention is not."""
    return bool(item.barred) and not item.barred.isdisjoint(all_identifiers(candidate))


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

    With `certain_only`, it settles only what no further source could change: a title cut short may be another
    paper's whole title, which the next source has. With `askable_only`, a paper that no service can be asked about
    waits for the title searches to find it too: DBLP has some without any other identifier.
    """
    resolved: list[Resolution] = []
    left: list[Open] = []
    for item in items:
        verdict = _judged(item)
        if verdict.status != "resolved" or not _trusted(item, verdict):
            left.append(replace(item, method="none", verdict=verdict))
            continue
        first = method if item.method == "none" else item.method
        chosen = all_identifiers(verdict.chosen) if verdict.chosen else frozenset()
        waits = askable_only and all(identifier.scheme not in S2_SCHEMES for identifier in chosen)
        if not waits and (verdict.certain or not certain_only):
            resolved.append(resolution_of(item, verdict, first))
        else:
            left.append(replace(item, method=first, verdict=verdict))
    return Stage(resolved=tuple(resolved), still_open=tuple(left))


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


def closed(item: Open) -> Resolution:
    """Returns the result for a mention that no stage settled: ambiguous, not found, or failed.

    A title with too many hits for a service to list was searched, so it has not failed. But the paper may be among the
    hits that were not listed, so it is ambiguous rather than "not found". So is a nickname or link alone, for which no
    service can be asked.
    """
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


T = TypeVar("T")
R = TypeVar("R")


class Known(Protocol):
    """The papers that the lake knows. Candidates from here have `paper_id` set."""

    def by_identifiers(self, identifiers: Collection[Identifier]) -> Mapping[Identifier, Candidate]:
        """Returns the known paper behind each identifier that is known."""

    def by_title_keys(self, keys: Collection[str]) -> Mapping[str, Sequence[Candidate]]:
        """Returns the known papers under each key; a paper is found by each of its `title_keys`."""


class LocalDumps(Protocol):
    """The local copies of the services' bulk dumps."""

    def by_identifiers(self, identifiers: Collection[Identifier]) -> Mapping[Identifier, PaperRecord]:
        """Returns the paper behind each identifier that the mirror has."""

    def by_titles(self, titles: Collection[str]) -> Mapping[str, Sequence[PaperRecord]]:
        """Returns the papers that may have each title, misspelled ones too; `judge` decides which of them has it."""

    def words_in_titles(self, words: Collection[str]) -> AbstractSet[str]:
        """Returns those of the folded `words` that are in a title; frequent and short ones may be left out."""

    def partitioned(self, function: Callable[[Sequence[T], LocalDumps], R], items: Sequence[T]) -> Iterable[R]:
        """Returns the results of `function` for each partition of `items`, with the mirror to use there."""

    def spread(self, function: Callable[[Sequence[T]], R], shares: Iterable[Sequence[T]]) -> Iterable[R]:
        """Returns the results of `function` for each of `shares`, several at a time where that is faster."""


class PaperSource(Protocol):
    """A service that gives papers by identifier, many in one request."""

    @property
    def name(self) -> SourceName:
        """Returns the source's name; it owns the scheme of that name, and its "not found" is final there."""

    @property
    def schemes(self) -> AbstractSet[Scheme]:
        """Returns the schemes that it can be asked in."""

    def fetch_papers(
        self, identifiers: Sequence[Identifier]
    ) -> (
        BatchAnswer[Identifier, ArxivPaper] | BatchAnswer[Identifier, S2Paper] | BatchAnswer[Identifier, OpenAlexPaper]
    ):
        """Returns the result for every identifier; errors are in the answer, not raised."""


class TitleSource(Protocol):
    """A service that searches many titles in one request."""

    @property
    def name(self) -> SourceName:
        """Returns the source's name."""

    def search_titles(
        self, titles: Sequence[str]
    ) -> TitleAnswer[ArxivPaper] | TitleAnswer[S2Paper] | TitleAnswer[OpenAlexPaper]:
        """Returns what was found for the titles together; errors are in the answer, not raised."""


class BestMatchSource(Protocol):
    """A service that gives its single best match for one title: one request a title."""

    @property
    def name(self) -> SourceName:
        """Returns the source's name."""

    def match_title(self, title: str) -> ArxivPaper | S2Paper | None:
        """Returns the best match, None where the service says that it has none.

        Raises:
            SourceError: The service could not be asked.
        """


_MOST = 40
_LEAST_SHARE = 0.3  # of a title's weight: about what the two lighter ones of four pieces of a title have


class FoundPapers:
    """What a search for many titles has found, to be divided by title.

    A paper is found for a title only if its own title holds that title, so that a search for it alone finds the paper
    too: nobody's candidates depend on what else was in the request. For titles without a complete answer nothing is
    found.
    """

    def __init__(self, reply: TitleAnswer[Any], source: SourceName) -> None:
        self._answered = reply.answered
        self._candidates = [candidate_of(paper, source) for paper in reply.papers]
        self._titles = [f" {found_form(paper.title)} " for paper in reply.papers]
        self._by_word: defaultdict[str, list[int]] = defaultdict(list)
        for number, title in enumerate(self._titles):
            for word in {*title.split()}:
                self._by_word[word].append(number)

    def of(self, mention: Mention, titles: Iterable[str]) -> tuple[list[Candidate], AbstractSet[str]]:
        """Returns the candidates that a search for `titles` finds, and the words of the mention that they have.

        The candidates are those with the mention's title or enough of its distinctive words, at most forty.
        """
        own: set[int] = set()
        for question in (question_of(title) for title in titles if title in self._answered):
            words = {word for part in question for word in part.split()}
            rarest = min((self._by_word.get(word, []) for word in words), key=len, default=[])
            own.update(at for at in rarest if all(f" {part} " in self._titles[at] for part in question))
        found = [self._candidates[number] for number in own]
        text = mention.title or mention.name or ""
        known = {word for candidate in found for word in title_words(candidate.title).words}
        return nearest(found, text), known.intersection(title_words(text).words)


def nearest(candidates: Iterable[Candidate], text: str) -> list[Candidate]:
    """Returns the candidates with the title `text` or enough of its distinctive words, at most forty of the latter."""
    weights = {word: weight(word) for word in title_words(text).words}
    least, key = _LEAST_SHARE * sum(weights.values()), title_key(text)
    same: list[Candidate] = []
    close: list[tuple[float, str, Candidate]] = []
    for candidate in candidates:
        common = sum(weights.get(word, 0) for word in {*title_words(candidate.title).words})
        if title_key(candidate.title) == key:
            same.append(candidate)
        elif common and common >= least:
            close.append((-common, repr((candidate.title, candidate.identifiers)), candidate))
    return [*same, *(candidate for _, _, candidate in sorted(close, key=itemgetter(0, 1))[:_MOST])]


def by_identifier(
    items: Sequence[Open],
    *,
    known: Known | None = None,
    mirror: LocalDumps | None = None,
    sources: Sequence[PaperSource] = (),
    by_title_too: bool = False,
) -> Stage:
    """Settles the mentions whose identifier leads to a paper: in the lake, in the mirror, or at a service.

    With `by_title_too`, a mention whose title may be another paper's stays open, with the paper that its identifier
    leads to as `linked`, so that the stages to come look its title up.
    """
    resolved: list[Resolution] = []
    left = list(items)

    def settle(found: Mapping[Identifier, Candidate], unfound: Callable[[Open], Open] = lambda item: item) -> None:
        still_open = []
        for item in left:
            own = [identifier for identifier in sorted(item.mention.identifiers, key=rank) if identifier in found]
            paper = next((found[each] for each in own if not is_barred(item, found[each])), None)
            if paper is None:
                still_open.append(unfound(item))
            else:
                resolved.append(resolution_of(item, judge_identified(item.mention, paper), "identifier"))
        left[:] = still_open

    if known is not None:
        settle(known.by_identifiers(_own(left)))
    if mirror is not None:
        mirrored = mirror.by_identifiers(_own(left))
        settle({identifier: candidate_of(paper, "mirror") for identifier, paper in mirrored.items()})
    for source in sources:
        wanted = sorted(identifier for identifier in _own(left) if identifier.scheme in source.schemes)
        if wanted:
            answer = source.fetch_papers(wanted)
            found = {identifier: candidate_of(paper, source.name) for identifier, paper in answer.found.items()}
            settle(found, partial(_unfound, not_found=answer.not_found, failed=answer.failed, source=source))
    if not by_title_too:
        return Stage(resolved=tuple(resolved), still_open=tuple(left))
    first = {item.position: item for item in items}
    disputed = {
        each.position: replace(first[each.position], linked=each.chosen, method="identifier")
        for each in resolved
        if each.chosen and is_disputed(each.mention, each.chosen)
    }
    return Stage(
        resolved=tuple(each for each in resolved if each.position not in disputed),
        still_open=tuple(sorted((*left, *disputed.values()), key=lambda item: item.position)),
    )


def _own(items: Iterable[Open]) -> set[Identifier]:
    return {identifier for item in items for identifier in item.mention.identifiers}


def _unfound(
    item: Open, not_found: frozenset[Identifier], failed: Mapping[Identifier, SourceError], source: PaperSource
) -> Open:
    own = set(item.mention.identifiers)
    dead = frozenset(identifier for identifier in own & not_found if identifier.scheme == source.name)
    findings = tuple(
        Finding(
            code="identifier-unknown",
            message=f"{SERVICE_NAMES.get(source.name, source.name)} has no paper {identifier.value}",
            value=str(identifier),
        )
        for identifier in sorted(dead)
    )
    errors = tuple(failed[identifier] for identifier in sorted(own & failed.keys()))
    return replace(
        item,
        verdict=None,
        dead=item.dead | dead,
        unknown=item.unknown | (own & not_found),
        was_searched=item.was_searched or not own.isdisjoint(not_found | failed.keys()),
        unasked=item.unasked or bool(errors),
        errors=item.errors + errors,
        findings=item.findings + findings,
    )
