"""The model of titles within an entry: candidates of an entry compete, and the known title should win."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from rapidfuzz import fuzz
from scipy.optimize import minimize
from sklearn.feature_extraction import DictVectorizer

from benchmarks.model.lists import LABELLED, SourceList
from sources.bibliography.titles import title_key
from sources.lists.reading.document import read_document
from sources.lists.reading.mentions import drafts_by_rule
from sources.lists.reading.pieces import cut_entry, recurring_pieces
from sources.lists.reading.template import (
    OF_RUN,
    Features,
    TemplateModel,
    TitleSpan,
    candidates_of,
    run_of,
    slot_features,
)

MARGIN = 1.0
"""How much better, in logarithms of odds, another title must be than the one read by rule."""

_TIGHT = 92


@dataclass(slots=True)
class Entry:
    """The candidates of an entry, its run, and which of them are right; None where that is not known."""

    run: object
    candidates: list[TitleSpan]
    right: list[int] | None


@dataclass(slots=True)
class Example:
    """A list with its entries."""

    source: SourceList
    entries: list[Entry]


def example_of(source: SourceList) -> Example:
    """Returns the entries of a list, with the candidate that is a known title nearby marked as right."""
    document = read_document(source.text)
    drafts = [draft for some in drafts_by_rule(document.blocks) for draft in some]
    cuts = [cut_entry(draft) for draft in drafts]
    recurring = recurring_pieces(cuts)
    entries = []
    for draft, cut in zip(drafts, cuts, strict=True):
        candidates = candidates_of(draft, cut, recurring, every=True)
        if len(candidates) > 1:
            first, last = draft.line - 1, draft.last_line + 1
            entries.append(
                Entry(run_of(document.blocks[draft.block]), candidates, _right(source, candidates, (first, last)))
            )
    return Example(source, entries)


def _right(source: SourceList, candidates: Sequence[TitleSpan], lines: tuple[int, int]) -> list[int] | None:
    keys = [title_key(candidate.title) for candidate in candidates]
    best: tuple[float, list[int]] = (_TIGHT, [])
    for line in range(lines[0], lines[1] + 1):
        for names in source.titles.get(line, ()):
            known = [title_key(name) for name in names]
            ratios = [max((fuzz.ratio(key, name) for name in known), default=0.0) for key in keys]
            highest = max(ratios)
            if highest > best[0] or (highest == best[0] and not best[1]):
                best = highest, [at for at, ratio in enumerate(ratios) if ratio == highest]
    return best[1] or None


def _weight(source: SourceList) -> float:
    """Returns what an entry of `source` counts: our own lists are small, and each shows a form that must be read."""
    if source.kind != LABELLED:
        return 1.0
    return 9.0 if source.name.startswith("fixture ") else 3.0


class Learner:
    """Fits both passes to chosen examples; every entry is turned into numbers once."""

    def __init__(self, examples: Sequence[Example]) -> None:
        self.examples = examples
        counts = Counter(
            name for x in examples for name in {n for e in x.entries for c in e.candidates for n in c.features}
        )
        rows = [one.features for example in examples for entry in example.entries for one in entry.candidates]
        self.vectors = DictVectorizer().fit([{name: 1.0 for name, count in counts.items() if count >= 8}])
        self.matrix = self.vectors.transform(rows)
        self.candidates = [len(entry.candidates) for example in examples for entry in example.entries]
        self.of = np.repeat([at for at, x in enumerate(examples) for _ in x.entries], self.candidates)
        self.right = np.array(
            [
                entry.right is not None and at in entry.right
                for example in examples
                for entry in example.entries
                for at in range(len(entry.candidates))
            ]
        )
        self.entry = np.repeat(np.arange(len(self.candidates)), self.candidates)
        known = np.array([entry.right is not None for example in examples for entry in example.entries])
        self.known = known[self.entry]
        weights = [_weight(example.source) * (0.7 if example.source.delinked else 1.0) for example in examples]
        self.weights = np.array(weights)[self.of]

    def learn(self, chosen: Sequence[bool]) -> TemplateModel:
        """Returns the model fitted to the `chosen` examples: first every candidate alone, then with its run's slots."""
        alone = self._fit(self.matrix, chosen)
        scores, at = self.matrix @ alone, 0
        around: list[Features] = []
        for example in self.examples:
            mine = []
            for entry in example.entries:
                mine.append(list(scores[at : at + len(entry.candidates)]))
                at += len(entry.candidates)
            runs, candidates = [e.run for e in example.entries], [e.candidates for e in example.entries]
            around += [
                dict(zip(OF_RUN, one, strict=False)) for row in slot_features(runs, candidates, mine) for one in row
            ]
        further = DictVectorizer()
        joined = sp.hstack([self.matrix, further.fit_transform(around)]).tocsr()
        together = self._fit(joined, chosen)
        names = self.vectors.feature_names_
        return TemplateModel(_named(names, alone), _named([*names, *further.feature_names_], together), MARGIN)

    def _fit(self, matrix: sp.csr_matrix, chosen: Sequence[bool]) -> np.ndarray:
        rows = self.known & np.array(chosen)[self.of]
        _, firsts, groups = np.unique(self.entry[rows], return_index=True, return_inverse=True)
        return _softmax_regression(matrix[rows], groups, self.right[rows], self.weights[rows][firsts])


def _named(names: Sequence[str], weights: np.ndarray) -> dict[str, float]:
    pairs = sorted(zip(names, map(float, weights), strict=True))
    return {name: round(weight, 3) for name, weight in pairs if abs(weight) >= 0.01}


def _softmax_regression(
    matrix: sp.csr_matrix, groups: np.ndarray, right: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    count = len(weights)

    def loss(beta: np.ndarray) -> tuple[float, np.ndarray]:
        scores = matrix @ beta
        highest = np.full(count, -np.inf)
        np.maximum.at(highest, groups, scores)
        powers = np.exp(scores - highest[groups])
        every = np.bincount(groups, powers, count)
        good = np.bincount(groups, powers * right, count) + 1e-12
        slope = weights[groups] * (powers / every[groups] - powers * right / good[groups])
        return float((weights * (np.log(every) - np.log(good))).sum() + 0.5 * beta @ beta), matrix.T @ slope + beta

    found = minimize(loss, np.zeros(matrix.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 200})
    return np.asarray(found.x)
