"""The model of titles within an entry: the words of an entry are before, in or behind its title, which is known."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz import fuzz

from benchmarks.model.lists import SourceList
from sources.lists.reading.document import read_document
from sources.lists.reading.mentions import drafts_by_rule
from sources.lists.reading.tagger import (
    BUCKETS,
    STATES,
    STEP,
    Tokens,
    bucket,
    names_at,
    names_at_ends,
    names_at_starts,
    names_of_word,
    tokens_of,
)
from sources.lists.reading.title_choice import tokens_of_draft

EPOCHS = 12
RATE = 0.1  # of AdaGrad
FORGOTTEN = 0.5  # which share of what is observed each example is learnt without
UNREAD = 0.25  # which share of examples is learnt without the title as read by rule
_TIGHT, _LONGEST = 92, 220
_FEWEST_WORDS = 3  # of a title that may be written in another way
_RULES = ("rule:",)


@dataclass(slots=True)
class Example:
    """An entry: what is observed of its words, of each as the title's first and as its last, and where the title is."""

    source: SourceList
    words: np.ndarray  # by word and what is observed: the bucket, 0 for nothing
    starts: np.ndarray
    ends: np.ndarray
    may: np.ndarray  # whether a title may begin and end with each word
    title: tuple[int, int]


def examples_of(source: SourceList) -> Iterator[Example]:
    """Yields the entries of a list whose title is known."""
    lot = random.Random(source.name)
    document = read_document(source.text)
    for draft in (draft for some in drafts_by_rule(document.blocks) for draft in some):
        words = tokens_of_draft(draft)
        if words is None or len(words[0].words) > _LONGEST:
            continue
        first, last = min(draft.line, draft.first_line or draft.line) - 1, max(draft.line, draft.last_line) + 1
        titles = [name for line in range(first, last + 1) for names in source.titles.get(line, ()) for name in names]
        if (found := _place(words[0], titles)) is not None:
            tokens = words[0]._replace(read=None, how="") if lot.random() < UNREAD else words[0]
            yield _example(source, tokens, found)


def _place(tokens: Tokens, titles: Sequence[str]) -> tuple[int, int] | None:
    """Returns the longest of `titles` that stands in an entry: its first word and the one behind its last."""
    places = [at for at, word in enumerate(tokens.words) if word[0].isalnum()]
    words = [tokens.words[at].casefold() for at in places]
    best: tuple[float, tuple[int, int]] | None = None
    for title in titles:
        wanted = [word.casefold() for word in tokens_of(title, ()).words if word[0].isalnum()]
        for at, word in enumerate(words):
            if not wanted or word != wanted[0]:
                continue
            for count in (len(wanted), len(wanted) - 1, len(wanted) + 1):
                here = words[at : at + count]
                if len(here) != count or not here or here[-1] != wanted[-1]:
                    continue
                ratio = fuzz.ratio(" ".join(here), " ".join(wanted))
                if ratio == 100 or (ratio >= _TIGHT and count >= _FEWEST_WORDS):
                    value = ratio * 1000 + count
                    if best is None or value > best[0]:
                        best = value, (places[at], places[at + count - 1] + 1)
                    break
    return best[1] if best else None


def _example(source: SourceList, tokens: Tokens, title: tuple[int, int]) -> Example:
    may = np.array([word[0].isalnum() for word in tokens.words])
    seen = [(*names_of_word(word), *names) for word, names in zip(tokens.words, names_at(tokens), strict=True)]
    return Example(
        source,
        _buckets(seen),
        _buckets(list(names_at_starts(tokens))),
        _buckets(list(names_at_ends(tokens))),
        may,
        title,
    )


def _buckets(names: Sequence[Sequence[str]]) -> np.ndarray:
    """Returns the buckets of what is observed, negative for what the rules have read, which is never forgotten."""
    table = np.zeros((len(names), max(map(len, names))), np.int32)
    for row, some in zip(table, names, strict=True):
        row[: len(some)] = [-bucket(name) if name.startswith(_RULES) else bucket(name) for name in some]
    return table


def _weight(source: SourceList) -> float:
    """Returns what an entry of `source` counts: our own lists are few, and each shows a form that must be read."""
    if source.name.startswith("fixture "):
        return 4.0
    return 0.4 if source.name.startswith(("style ", "references ")) else 1.5


def learn(examples: Sequence[Example], epochs: int = EPOCHS) -> bytes:
    """Returns the weights learnt from the examples in so many rounds, as data/tagger.bin holds them."""
    weights = np.zeros((STATES + 2, BUCKETS), np.float32)
    squares = np.full_like(weights, 1e-4)
    total, rounds = np.zeros_like(weights), 0
    lot = np.random.default_rng(1)
    for epoch in range(epochs):
        for at in lot.permutation(len(examples)):
            _step(weights, squares, examples[at], lot)
        if epoch >= epochs // 2:
            total, rounds = total + weights, rounds + 1
    mean = total / rounds
    others = np.setdiff1d(np.arange(BUCKETS), _buckets_of_rules(examples), assume_unique=True)
    mean[:, others] *= 1 - FORGOTTEN
    return np.clip(np.rint(mean / STEP), -127, 127).astype(np.int8).tobytes()


def mean_of(learnt: Sequence[bytes]) -> bytes:
    """Returns the mean of weights that were learnt from different lists: what one of them has by chance is lost."""
    tables = [np.frombuffer(weights, np.int8).astype(np.float32) for weights in learnt]
    return np.rint(np.mean(tables, axis=0)).astype(np.int8).tobytes()


def _buckets_of_rules(examples: Sequence[Example]) -> np.ndarray:
    tables = [table for example in examples for table in (example.words, example.starts, example.ends)]
    return np.unique(np.concatenate([-np.unique(table[table < 0]) for table in tables]))


def _step(weights: np.ndarray, squares: np.ndarray, example: Example, lot: np.random.Generator) -> None:
    """Moves the weights by the slope of one example's likelihood, of which a part is forgotten."""
    seen = [_forgetful(table, lot) for table in (example.words, example.starts, example.ends)]
    of_states = weights[:STATES, seen[0]].sum(2)
    begins, ends = weights[STATES, seen[1]].sum(1), weights[STATES + 1, seen[2]].sum(1)
    until = np.concatenate([np.zeros((STATES, 1)), of_states.cumsum(1)], axis=1)
    starts = np.where(example.may, until[0, :-1] - until[1, :-1] + begins, -1e9)
    lasts = np.where(example.may, until[1, 1:] + ends + until[2, -1] - until[2, 1:], -1e9)
    behind, before = np.logaddexp.accumulate(lasts[::-1])[::-1], np.logaddexp.accumulate(starts)
    whole = np.logaddexp.reduce(starts + behind)
    is_first, is_last = np.exp(starts + behind - whole), np.exp(lasts + before - whole)
    begun, ended = is_first.cumsum(), np.concatenate([[0.0], is_last.cumsum()[:-1]])
    slopes = np.stack([begun - 1, ended - begun, -ended])
    first, last = example.title
    slopes[0, :first] += 1
    slopes[1, first:last] += 1
    slopes[2, last:] += 1
    is_first, is_last = -is_first, -is_last
    is_first[first] += 1
    is_last[last - 1] += 1
    rows = [*((state, seen[0], slopes[state]) for state in range(STATES))]
    rows += [(STATES, seen[1], is_first), (STATES + 1, seen[2], is_last)]
    for row, table, slope in rows:
        told = np.abs(slope) > 1e-3
        if told.any():
            places = table[told].ravel()
            steps = np.repeat(slope[told] * _weight(example.source), table.shape[1]).astype(np.float32)
            np.add.at(squares[row], places, steps * steps)
            np.add.at(weights[row], places, RATE * steps / np.sqrt(squares[row][places]))
    weights[:, 0] = 0


def _forgetful(table: np.ndarray, lot: np.random.Generator) -> np.ndarray:
    """Returns the buckets of what is observed without a part of it; what the rules have read is kept."""
    gone = (lot.random(table.shape, np.float32) < FORGOTTEN) & (table > 0)
    return np.where(gone, 0, np.abs(table))
