"""The model of decisions: which drafts are mentions, learnt in two passes and tested on lists it has not seen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from types import ModuleType
from typing import Any

import numpy as np
import scipy.sparse as sp
from rapidfuzz import fuzz
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from benchmarks.model.lists import FOLDS, LABELLED, NEGATIVE, POSITIVE, SourceList
from sources.bibliography.titles import title_key
from sources.lists.reading.decision import Features, MentionVerdict, Model, features_alone, features_together
from sources.lists.reading.document import Block, read_document
from sources.lists.reading.drafts import Draft
from sources.lists.reading.mentions import mention_of, records_of

CORPUS_WEIGHT, DELINKED_WEIGHT, PIECE_WEIGHT = 0.1, 0.3, 0.3
"""What a draft of the corpus counts, one of a list without addresses, and of a piece, beside one of a labelled list."""
_JUDGED_WEIGHTS = {False: 0.15, True: 0.3}
"""What a draft of the corpus counts of which a person said whether it is a mention; of those most are none."""

THRESHOLD = 0.5
ALONE_C, TOGETHER_C = 0.05, 0.3
"""How freely each pass is fitted. The first less, so that it is as sure of lists that it has seen as of others."""
_LEAST_LISTS, _LEAST_LISTS_OF_WORDS = 3, 8
"""A feature of fewer lists is not learnt, nor a word of the headings of fewer: it would be what one list is about."""


@dataclass(kw_only=True)
class Example:
    """A list with its drafts, what is observed of each, whether it is a mention, and how much that counts."""

    source: SourceList
    blocks: Sequence[Block]
    drafts: list[Draft]
    mentions: list[dict[str, Any]]
    features: list[Features]
    truth: np.ndarray
    weights: np.ndarray
    logits: np.ndarray = field(default_factory=lambda: np.zeros(0))
    together: list[Features] = field(default_factory=list)


def _least_lists(name: str) -> int:
    return _LEAST_LISTS_OF_WORDS if name.startswith(("under: ", "above: ")) else _LEAST_LISTS


def example_of(source: SourceList, score: ModuleType) -> Example:
    """Returns the drafts of a list with the labels that it has."""
    document = read_document(source.text)
    by_block, _ = records_of(document.blocks)
    drafts = [draft for some in by_block for draft in some]
    mentions = [asdict(mention_of(document, MentionVerdict(draft, 1.0, ()))) for draft in drafts]
    if source.kind == LABELLED:
        truth, weights = _by_hand(source, mentions, score)
    else:
        truth, weights = _weakly(source, document.blocks, drafts)
    return Example(
        source=source,
        blocks=document.blocks,
        drafts=drafts,
        mentions=mentions,
        features=features_alone(document.blocks, by_block),
        truth=truth,
        weights=weights,
    )


def _by_hand(source: SourceList, mentions: list[dict[str, Any]], score: ModuleType) -> tuple[np.ndarray, np.ndarray]:
    truth, weights = np.zeros(len(mentions), bool), np.ones(len(mentions))
    gold = source.gold
    required = {at for at, row in enumerate(gold) if row.get("kind", "paper") not in score.NEUTRAL}
    pairs = score.candidates(gold, mentions)
    matched = score.greedy(pairs, required, set(range(len(mentions))))
    for *_, row, mention in pairs:
        if row not in required:
            weights[mention] = 0.0
    for row, mention in matched.items():
        right = score.tight_title(mentions[mention], gold[row]) or _same_id(mentions[mention], gold[row], score)
        truth[mention], weights[mention] = True, 1.0 if right else 0.5
    return truth, weights * (DELINKED_WEIGHT if source.delinked else PIECE_WEIGHT if source.piece else 1.0)


def _same_id(mention: Mapping[str, Any], row: Mapping[str, Any], score: ModuleType) -> bool:
    identifier = score.norm_id(row.get("arxiv_id"))
    return identifier is not None and identifier == score.norm_id(mention.get("arxiv_id"))


def _weakly(source: SourceList, blocks: Sequence[Block], drafts: Sequence[Draft]) -> tuple[np.ndarray, np.ndarray]:
    """Returns what is likely: titles and identifiers are mentions, quoted words and lists of no papers are not."""
    truth, weights = np.zeros(len(drafts), bool), np.zeros(len(drafts))
    real = [row["line"] for row in source.gold]
    for at, draft in enumerate(drafts):
        if source.kind == NEGATIVE:
            weights[at] = CORPUS_WEIGHT * (not any(abs(draft.line - line) <= 1 for line in real))
            continue
        key = title_key(draft.title or "")
        near = [
            name
            for line in range(draft.line - 2, draft.line + 3)
            for names in source.titles.get(line, ())
            for name in names
        ]
        if draft.line in source.judged and draft.title:
            truth[at] = source.judged[draft.line]
            weights[at] = _JUDGED_WEIGHTS[source.judged[draft.line]]
        elif draft.is_identified:
            truth[at], weights[at] = True, CORPUS_WEIGHT
        elif blocks[draft.block].quoted and not draft.all_links and not draft.citation.authors:
            weights[at] = CORPUS_WEIGHT
        elif key and any(fuzz.ratio(key, title_key(name)) >= 88 for name in near):
            truth[at], weights[at] = True, CORPUS_WEIGHT
    return truth, weights


class Learner:
    """Fits both passes. The first pass is applied to every list by a model that has not seen it."""

    def __init__(self, examples: Sequence[Example]) -> None:
        self.examples = examples
        lists: dict[str, set[str]] = defaultdict(set)
        for example in examples:
            for name in {name for features in example.features for name in features}:
                lists[name].add(example.source.name)
        self.known = {name for name, found in lists.items() if len(found) >= _least_lists(name)}
        self.vectors = DictVectorizer().fit([dict.fromkeys(self.known, 1.0)])
        self.alone = [self._matrix(example.features) for example in examples]
        for fold in range(FOLDS):
            weights = self.fit(self.alone, self.vectors, [example.source.fold != fold for example in examples])
            for example, matrix in zip(examples, self.alone, strict=True):
                if example.source.fold == fold:
                    example.logits = _logits(weights, self.vectors, matrix)
        for example in examples:
            example.together = features_together(example.blocks, example.drafts, list(example.logits))
        names = {name for example in examples for one in example.together for name in one}
        self.further = DictVectorizer().fit([dict.fromkeys(names, 1.0)])
        self.joined = [
            sp.hstack([matrix, self._further(example.together)]).tocsr()
            for example, matrix in zip(examples, self.alone, strict=True)
        ]
        self.names = [*self.vectors.feature_names_, *self.further.feature_names_]

    def _matrix(self, features: Sequence[Features]) -> sp.csr_matrix:
        rows = [{name: value for name, value in one.items() if name in self.known} for one in features]
        return self.vectors.transform(rows) if rows else sp.csr_matrix((0, len(self.known)))

    def _further(self, features: Sequence[Features]) -> sp.csr_matrix:
        return self.further.transform(features) if features else sp.csr_matrix((0, len(self.further.feature_names_)))

    def fit(
        self, matrices: Sequence[sp.csr_matrix], vectors: DictVectorizer | None, chosen: Sequence[bool]
    ) -> dict[str, float]:
        """Returns the weights fitted to the `chosen` lists; the one without name is the constant."""
        pairs = [(m, e) for m, e, take in zip(matrices, self.examples, chosen, strict=True) if take and m.shape[0]]
        matrix = sp.vstack([m for m, _ in pairs]).tocsr()
        truth = np.concatenate([example.truth for _, example in pairs])
        weights = np.concatenate([example.weights for _, example in pairs])
        counting = weights > 0
        learner = LogisticRegression(C=ALONE_C if vectors is not None else TOGETHER_C, max_iter=1000, tol=1e-4)
        learner.fit(matrix[counting], truth[counting], sample_weight=weights[counting])
        names = vectors.feature_names_ if vectors is not None else self.names
        found = dict(zip(names, map(float, learner.coef_[0]), strict=True))
        found[""] = found.get("", 0.0) + float(learner.intercept_[0])
        return found

    def held_out(self, name: str) -> list[tuple[Example, np.ndarray]]:
        """Returns the lists called `name`, with and without addresses, decided by a model that has not seen them."""
        weights = self.fit(self.joined, None, [example.source.name != name for example in self.examples])
        return [
            (example, self._probabilities(weights, matrix))
            for example, matrix in zip(self.examples, self.joined, strict=True)
            if example.source.name == name
        ]

    def held_out_of_fold(self, fold: int, lists: Sequence[Example]) -> list[np.ndarray]:
        """Returns how sure models are of the drafts of `lists` that have seen no list without papers of that fold."""
        chosen = [x.source.kind != NEGATIVE or x.source.fold != fold for x in self.examples]
        alone, joined = self.fit(self.alone, self.vectors, chosen), self.fit(self.joined, None, chosen)
        result = []
        for example in lists:
            matrix = self._matrix(example.features)
            logits = list(_logits(alone, self.vectors, matrix))
            further = self._further(features_together(example.blocks, example.drafts, logits))
            result.append(self._probabilities(joined, sp.hstack([matrix, further]).tocsr()))
        return result

    def _probabilities(self, weights: Mapping[str, float], matrix: sp.csr_matrix) -> np.ndarray:
        """Returns how likely each draft is a mention, by the weights of the second pass."""
        logits = matrix @ np.array([weights.get(name, 0.0) for name in self.names])
        return 1.0 / (1.0 + np.exp(-logits))

    def model(self) -> Model:
        """Returns the model fitted to all lists."""
        everything = [True] * len(self.examples)
        first, second = self.fit(self.alone, self.vectors, everything), self.fit(self.joined, None, everything)
        return Model(_rounded(first), _rounded(second), THRESHOLD)


def _logits(weights: Mapping[str, float], vectors: DictVectorizer, matrix: sp.csr_matrix) -> np.ndarray:
    return np.asarray(matrix @ np.array([weights.get(name, 0.0) for name in vectors.feature_names_]))


def _rounded(weights: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 3) for name, value in sorted(weights.items()) if abs(value) >= 0.0005}


__all__ = ["NEGATIVE", "POSITIVE", "Example", "Learner", "example_of"]
