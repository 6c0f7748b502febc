"""Resolves mentions at the lowest cost: each stage settles what it can and passes on the rest.

Stages are in the order of their cost: the mention's own identifier, what the list's papers cite, the local mirror, a
batched title search at one service and then, for what is still open, at the next, a batched search for pieces of the
titles, one request for each title that is left, and a search at a last service. Candidates are passed on from stage to
stage, and each verdict looks at all of them. The titles of the lake's papers come last, for what no service has: were
they first, a mention's verdict would depend on what other mentions had brought into the lake.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any

from sources.bibliography.identifiers import Identifier, rank
from sources.bibliography.lexicon import is_word
from sources.bibliography.titles import title_key, title_keys, title_words
from sources.errors import SourceError, TooManyHits, TransientSourceError
from sources.http.queries import plain_words, question_of
from sources.matching.candidates import Candidate, all_identifiers, candidate_of
from sources.matching.evidence import is_nickname, known_as
from sources.matching.lookup import (
    BestMatchSource,
    FoundPapers,
    Known,
    LocalDumps,
    Open,
    PaperSource,
    Resolution,
    Stage,
    TitleSource,
    by_identifier,
    closed,
    open_mentions,
    settled,
    tied,
    with_found,
)
from sources.matching.mention_queries import Pieces, pieces_for, search_titles_for
from sources.records import Mention, TitleAnswer

# Titles that one run asks for one by one: five minutes at a request a second. The rest waits for the next runs.
MOST_BEST_MATCHES = 300

# Titles of fewer words have more hits than can be read among all works of a source that has all fields.
_LEAST_WORDS = 4

# Mentions that are judged together, with the mirror's candidates; more are divided into shares of this size.
MIRROR_SHARE = 1_000
_POSITION = attrgetter("position")


def by_standby(items: Sequence[Open], source: PaperSource) -> Stage:
    """Settles mentions whose identifier another service could not be asked for."""
    unasked = [item for item in items if item.unasked]
    others = tuple(item for item in items if not item.unasked)
    return _together((by_identifier(unasked, sources=[source], by_title_too=True), Stage(still_open=others)))


def by_known(items: Sequence[Open], known: Known) -> Stage:
    """Settles the mentions whose title is that of a paper the lake knows, and of no candidate so far."""
    keys = [title_keys(item.mention.title or "") for item in items]
    pool = known.by_title_keys({key for own in keys for key in own})
    met = [
        with_found(item, [candidate for key in own for candidate in pool.get(key, ())])
        for item, own in zip(items, keys, strict=True)
    ]
    return settled(met, "known", certain_only=True)


def by_citations(
    items: Sequence[Open], cited: Mapping[int, Sequence[Candidate]], papers: Sequence[PaperSource]
) -> Stage:
    """Settles names that stand for a work which other papers of the list cite.

    `cited` has position of a mention -> the works that papers of its list cite; `papers` give the records of those
    that the lake does not have.
    """
    named: dict[int, list[Candidate]] = {}
    for item in items:
        if item.linked is None and not item.unasked and is_nickname(item.mention):
            title = item.mention.title or ""
            named[item.position] = [work for work in cited.get(item.position, ()) if known_as(title, work.title)]
    records, errors = _records_of({work for each in named.values() for work in each if work.paper_id is None}, papers)
    met, others = [], []
    for item in items:
        works = named.get(item.position)
        if not works:  # the stages to come have not been asked about it
            others.append(item)
            continue
        known = [records.get(work, work) for work in works if work.paper_id or work in records]
        met.append(with_found(item, known, [errors[work] for work in works if work in errors]))
    return _together((settled(met, "citations"), Stage(still_open=tuple(others))))


def _records_of(
    works: Collection[Candidate], papers: Sequence[PaperSource]
) -> tuple[dict[Candidate, Candidate], dict[Candidate, SourceError]]:
    """Returns work -> the same with its record, and work -> why it could not be asked for, of those never answered."""
    found: dict[Candidate, Candidate] = {}
    errors: dict[Candidate, SourceError] = {}
    for source in papers:
        own = {
            work: {item for item in all_identifiers(work) if item.scheme in source.schemes}
            for work in works
            if work not in found
        }
        answer = source.fetch_papers(sorted(set().union(*own.values())))
        for work, identifiers in own.items():
            for identifier in sorted(identifiers, key=rank):
                if identifier in answer.failed:
                    errors[work] = answer.failed[identifier]
                elif identifier in answer.found:
                    found[work] = replace(candidate_of(answer.found[identifier], source.name), cited_by=work.cited_by)
    return found, {work: error for work, error in errors.items() if work not in found}


def by_mirror(items: Sequence[Open], mirror: LocalDumps) -> Stage:
    """Settles the mentions whose title is that of a paper in the mirror.

    They are looked up in partitions by title, so that a title in many lists is looked up once.
    """
    by_title = sorted(items, key=lambda item: item.mention.title or "")
    return _together(mirror.partitioned(_by_mirror, by_title))


def _by_mirror(items: Sequence[Open], mirror: LocalDumps) -> Stage:
    """Looks up one partition; its mentions are judged in shares, several at a time."""
    titles = {item.mention.title for item in items if item.mention.title}
    found = mirror.by_titles(titles)
    bare = {
        title for title in titles if title_key(title) not in {title_key(paper.title) for paper in found.get(title, ())}
    }
    known = frozenset(mirror.words_in_titles({word for title in bare for word in _words_in_no_dictionary(title)}))
    met = []
    for item in items:
        title = item.mention.title or ""
        words = known.intersection(_words_in_no_dictionary(title)) if title in bare else frozenset()
        met.append(with_found(item, [candidate_of(paper, "mirror") for paper in found.get(title, ())], known=words))
    shares = [met[first : first + MIRROR_SHARE] for first in range(0, len(met), MIRROR_SHARE)]
    return _together(mirror.spread(partial(settled, method="mirror", certain_only=True, askable_only=True), shares))


def _words_in_no_dictionary(title: str) -> frozenset[str]:
    """Returns the words of a title that no dictionary has: typing errors, or words known only from other titles."""
    return frozenset(word for word in title_words(title).words if word.isalpha() and not is_word(word))


def _together(stages: Iterable[Stage]) -> Stage:
    """Returns several stages as one, in the order of the mentions."""
    done = list(stages)
    return Stage(
        resolved=tuple(sorted((item for stage in done for item in stage.resolved), key=_POSITION)),
        still_open=tuple(sorted((item for stage in done for item in stage.still_open), key=_POSITION)),
    )


def by_search(items: Sequence[Open], source: TitleSource, *, certain_only: bool = False, least_words: int = 0) -> Stage:
    """Settles what a batched title search finds; each title is searched for once.

    With `certain_only`, a shortened title waits for the services still to be asked: it may be another paper's whole
    title. Titles of fewer than `least_words` are not searched for.
    """
    wanted = {
        item.position: [
            title for title in search_titles_for(item.mention, together=True) if _length(title) >= least_words
        ]
        for item in items
    }
    titles = {question_of(title): title for each in wanted.values() for title in each}
    if not titles:
        return Stage(still_open=tuple(items))
    reply = source.search_titles(tuple(titles.values()))
    papers = FoundPapers(reply, source.name)
    searched = []
    for item in items:
        searched_titles = [titles[question_of(title)] for title in wanted[item.position]]
        # The title without its system name is a second try: if that fails, nothing is left unasked.
        errors = _errors_of(searched_titles[:1], reply, source)
        candidates, words = papers.of(item.mention, searched_titles)
        found = with_found(item, candidates, errors, words)
        searched.append(replace(found, was_searched=item.was_searched or bool(searched_titles)))
    return settled(searched, "title-search", certain_only=certain_only)


def by_pieces(items: Sequence[Open], source: TitleSource) -> Stage:
    """Settles what a batched search for pieces of each title finds: titles with typing errors or other words."""
    wanted = {item.position: pieces_for(item.mention) for item in items if _can_still_be_settled(item)}
    ways = tuple(dict.fromkeys(way for pieces in wanted.values() for way in pieces.ways))
    if not ways:
        return Stage(still_open=tuple(items))
    reply = source.search_titles(ways)
    papers = FoundPapers(reply, source.name)
    searched = []
    for item in items:
        pieces = wanted.get(item.position, Pieces())
        if not pieces.ways:
            searched.append(item)
            continue
        errors = _errors_of(pieces.ways, reply, source)
        failed = [error for error in errors if not isinstance(error, TooManyHits)]
        candidates, words = papers.of(item.mention, pieces.ways)
        found = with_found(item, candidates, failed, words)
        searched.append(replace(found, pieced=pieces.thorough and not errors))
    return settled(searched, "piece-search")


def by_best_match(items: Sequence[Open], source: BestMatchSource, *, most: int = MOST_BEST_MATCHES) -> Stage:
    """Settles what a service's single best match finds: one request for each different title that is left.

    A title is left out if the service has listed everything for its pieces.

    Titles beyond `most` fail, so that the next run asks for them.
    """
    message = f"{most} titles were asked for one by one in this run; this one is left for the next"
    left = TransientSourceError(message, source=source.name)
    answers: dict[str, tuple[list[Candidate], list[SourceError]]] = {}
    matched = []
    for item in items:
        title = next(iter(search_titles_for(item.mention)), None)
        if title is None or item.pieced or not _can_still_be_settled(item):
            matched.append(item)
            continue
        key = plain_words(title)
        if key not in answers and len(answers) < most:
            try:
                paper = source.match_title(title)
            except SourceError as error:
                answers[key] = [], [error]
            else:
                answers[key] = [candidate_of(paper, source.name)] if paper else [], []
        matched.append(replace(with_found(item, *answers.get(key, ([], [left]))), was_searched=True))
    return settled(matched, "best-match")


def by_last_search(items: Sequence[Open], source: TitleSource) -> Stage:
    """Settles what a source finds that is asked only for what no other has.

    A mention that another source could not be asked about waits for that one. The longest titles go first: the shorter
    ones may have so many hits that the service has to be asked for them one by one.
    """
    bare = [item for item in items if not item.errors and _can_still_be_settled(item)]
    longest_first = sorted(bare, key=lambda item: -_length(item.mention.title or ""))
    positions = {item.position for item in bare}
    others = tuple(item for item in items if item.position not in positions)
    return _together((by_search(longest_first, source, least_words=_LEAST_WORDS), Stage(still_open=others)))


def _length(title: str) -> int:
    return len(title_words(title).words)


def by_whole_title(items: Sequence[Open], found: Mapping[str, Sequence[Candidate]]) -> Stage:
    """Settles what may be titles: those that are the whole title of one paper, and of no other.

    `found` has title key -> papers; those with another title are passed over.
    """
    met = []
    for item in items:
        key = title_key(item.mention.title or "")
        whole = [candidate for candidate in found.get(key, ()) if title_key(candidate.title) == key]
        met.append(with_found(item, whole))
    return settled(met, "possible-title", certain_only=True)


def resolve(  # noqa: PLR0913 - one for each stage
    mentions: Iterable[Mention],
    *,
    known: Known | None = None,
    cited: Mapping[int, Sequence[Candidate]] | None = None,
    mirror: LocalDumps | None = None,
    papers: Sequence[PaperSource] = (),
    standby: PaperSource | None = None,
    searches: Sequence[TitleSource] = (),
    pieces: TitleSource | None = None,
    best_match: BestMatchSource | None = None,
    last: TitleSource | None = None,
    barred: Mapping[int, Collection[Identifier]] | None = None,
) -> tuple[Resolution, ...]:
    """Returns one resolution for each mention, in the order given; services are asked only for what is still open.

    `cited` has position of a mention -> the works that papers of its list cite, and `barred` position -> papers
    that it is known not to be. `standby` is asked for papers by identifier where one of `papers` could not be. Of
    the services that search for titles, `searches` are asked in their order, `pieces` for what is still open by
    pieces of the titles, `best_match` for one title in each request, and `last` for what is left then.
    """
    stages: list[Callable[[Sequence[Open]], Stage]] = [
        lambda items: by_identifier(items, known=known, mirror=mirror, sources=papers, by_title_too=True)
    ]
    if standby is not None:
        stages.append(lambda items: by_standby(items, standby))
    if cited:
        stages.append(lambda items: by_citations(items, cited, papers))
    if mirror is not None:
        stages.append(lambda items: by_mirror(items, mirror))
    stages.extend(partial(by_search, source=search, certain_only=search is not searches[-1]) for search in searches)
    if pieces is not None:
        stages.append(lambda items: by_pieces(items, pieces))
    if best_match is not None:
        stages.append(lambda items: by_best_match(items, best_match))
    if last is not None:
        stages.append(lambda items: by_last_search(items, last))
    if known is not None:
        stages.append(lambda items: by_known(items, known))
    outcome = _run(stages, open_mentions(mentions, barred))
    return tuple(sorted((*outcome.resolved, *map(closed, outcome.still_open)), key=_POSITION))


def _run(stages: Iterable[Callable[[Sequence[Open]], Stage]], items: Sequence[Open]) -> Stage:
    """Returns what the stages settled together, each given what the one before left open."""
    resolved: list[Resolution] = []
    for stage in stages:
        outcome = stage(items)
        resolved += outcome.resolved
        items = outcome.still_open
    return Stage(resolved=tuple(resolved), still_open=tuple(items))


def reconsider(items: Sequence[Open], *, known: Known, mirror: LocalDumps | None = None) -> tuple[Resolution, ...]:
    """Returns the resolutions of those mentions that a paper of the lake or the mirror settles, or is like, by now.

    `items` were asked of the services, and have the candidates found then.
    """
    stages = [partial(by_identifier, known=known, mirror=mirror, by_title_too=True), partial(by_known, known=known)]
    if mirror is not None:
        stages.insert(1, partial(by_mirror, mirror=mirror))
    outcome = _run(stages, items)
    left = [(each, each.verdict) for each in map(closed, outcome.still_open) if each.verdict is not None]
    done = (*outcome.resolved, *(each for each, verdict in left if verdict.certain))
    settled = [each for each in done if each.chosen is not None and (each.chosen.paper_id or each.chosen.record)]
    # A candidate of earlier was not enough then, and nothing new is known of it.
    first = {item.position for item in items if not item.candidates}
    doubtful = [each for each, verdict in left if verdict.status == "ambiguous" and verdict.ranked]
    return (*settled, *(each for each in doubtful if each.position in first))


def _can_still_be_settled(item: Open) -> bool:
    """Returns whether a further candidate could settle it.

    That is so unless a stage has settled it, two papers are equally likely, or a paper has its title but for a word
    that may be another one: a person must accept that paper, and the title itself was searched for.
    """
    return item.method == "none" and not tied(item) and not (item.verdict and item.verdict.doubted)


def _errors_of(searched: Sequence[str], reply: TitleAnswer[Any], source: TitleSource) -> list[SourceError]:
    """Returns why titles got no complete answer; one in neither part of the reply was not answered."""
    left_out = SourceError("the title search left the title out of its answer", source=source.name)
    return [reply.failed.get(title, left_out) for title in searched if title not in reply.answered]
