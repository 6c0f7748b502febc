"""Which drafts are mentions of papers: their features, weighed by a model learnt from lists.

Two linear models, one after the other. The first looks at one draft alone. The second sees the same features and what
the first one thinks of the drafts around it: those of the same form in the same list or table, the whole run, the
block above and the blocks below. So a run of siblings is decided together. Its result is calibrated: of the drafts
with a confidence of 0.9 nine in ten are papers. The weights are in data/decision.json; `make model` learns them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

from sources.reading_list.candidate_features import Features
from sources.reading_list.drafts import Draft
from sources.reading_list.features import features_alone, features_together
from sources.reading_list.markdown.document import Block
from sources.reading_list.template import weighted

POSSIBLE = 0.05
"""The confidence from which words that are no mention may still be a title; of those below hardly any is one."""
_LONGEST_TITLE = 350
"""Characters beyond which words are no title, whatever stands beside them."""


class Verdict(NamedTuple):
    """A draft, how sure it is that it is a mention of a paper (0 to 1), and the strongest reasons for and against."""

    draft: Draft
    confidence: float
    reasons: tuple[str, ...]


class Model(NamedTuple):
    """The weights of both passes, by feature, and the confidence from which a draft is a mention."""

    alone: Mapping[str, float]
    together: Mapping[str, float]
    threshold: float


@lru_cache(maxsize=1)
def decision_model() -> Model:
    """Returns the model in the package."""
    data = json.loads(resources.files("sources.reading_list").joinpath("data/decision.json").read_text("utf-8"))
    return Model(data["alone"], data["together"], data["threshold"])


def judge(blocks: Sequence[Block], drafts: Sequence[Sequence[Draft]]) -> tuple[list[Verdict], list[Verdict]]:
    """Returns the drafts that are mentions, in order, each with its confidence and reasons; and those that may be."""
    model = decision_model()
    found = [draft for some in drafts for draft in some]
    features = features_alone(blocks, drafts)
    first = [weighted(model.alone, feature) for feature in features]
    verdicts: list[Verdict] = []
    possible: list[Verdict] = []
    for draft, own, around in zip(found, features, features_together(blocks, found, first), strict=True):
        parts, further = _parts(model.together, own), _parts(model.together, around)
        confidence = _probability(math.fsum([part for part, _ in parts]) + math.fsum([part for part, _ in further]))
        if (
            draft.is_identified
            or draft.recorded
            or draft.citation.in_lines
            or draft.authors_end
            or (blocks[draft.block].kind == "record" and draft.title and draft.citation.authors)
        ):
            confidence = max(
                confidence, model.threshold
            )  # an identifier, an entry of BibTeX, the form of a reference: proof enough
        if confidence >= POSSIBLE and not _is_out_of_question(blocks[draft.block], draft):
            verdict = Verdict(draft, confidence, _reasons(parts + further))
            (verdicts if confidence >= model.threshold else possible).append(verdict)
    return verdicts, possible


def _is_out_of_question(block: Block, draft: Draft) -> bool:
    """Returns whether words are too long for a title, or a quoted sentence with nothing else about it."""
    remark = block.quoted and block.kind == "paragraph" and not draft.all_links and not draft.citation.authors
    return remark or len(draft.title or "") > _LONGEST_TITLE


def _probability(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, value))))


def _parts(weights: Mapping[str, float], features: Features) -> list[tuple[float, str]]:
    """Returns what each of `features` adds to the odds, with its name."""
    weight_of = weights.get
    return [(weight * value, name) for name, value in features.items() if value and (weight := weight_of(name))]


def _reasons(parts: list[tuple[float, str]]) -> tuple[str, ...]:
    """Returns the three strongest reasons for and the three strongest against, each with its weight.

    What all drafts have, which has no name, is no reason.
    """
    parts = sorted([part for part in parts if part[1]], reverse=True)
    strongest = [part for part in parts[:3] if part[0] > 0] + [part for part in parts[-3:] if part[0] < 0]
    return tuple(f"{weight:+.1f} {name}" for weight, name in strongest)
