"""Decides which drafts are mentions of papers, with features weighed by a learnt model.

Two linear models, one after the other. The first looks at one draft alone. The second sees the same features and what
the first one thinks of the drafts around it: those of the same form in the same list or table, the whole run, the
block above and the blocks below. So a run of siblings is decided together. Its result is calibrated: of the drafts
with a confidence of 0.9 nine in ten are papers. The weights are in data/decision.json; `make model` learns them.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

from sources.bibliography.titles import title_key
from sources.lists.reading.citation_parts import has_pages, names_place
from sources.lists.reading.document import Block
from sources.lists.reading.drafts import Draft
from sources.lists.reading.links import Link
from sources.lists.reading.merge_blocks import blocks_above_abstracts
from sources.lists.reading.title_model import FUNCTION_WORDS, is_in_other_language, language_of, title_odds

Features = dict[str, float]  # what is observed, in words, and how much of it

# What is observed of drafts: each by itself, and beside the drafts of its run, the block above and those below.

_WORD = re.compile(r"[^\W\d_]+")
# The name of a document's file, which stands for a link to it.
_FILE = re.compile(r"(?<![/\w])[^\s/]+\.(?:pdf|ps|djvu|epub)(?=\W|$)", re.IGNORECASE)

# What a word of a heading counts. There are many, and few lists share one: by a small value, less is learnt of it.
_HEADING = 0.4
_LOGIT_LIMIT = 6.0
_TRUST = 2.0  # how many drafts that say nothing are added to a run, so that few others tell little


def features_alone(blocks: Sequence[Block], drafts: Sequence[Sequence[Draft]]) -> list[Features]:
    """Returns what is observed of every draft by itself and of the place where it stands."""
    everything = [draft for some in drafts for draft in some]
    papers = [draft.paper_links for draft in everything]
    evidence = [_evidence_beside_words(*pair) for pair in zip(everything, papers, strict=True)]
    about_list = _features_of_list(everything, papers, evidence)
    foreign = is_in_other_language(blocks)
    described = blocks_above_abstracts(blocks)
    result: list[Features] = []
    for block, some in zip(blocks, drafts, strict=True):
        for number, draft in enumerate(some):
            at = len(result)
            features = _features_of_draft(draft, papers[at], evidence[at])
            article = "a quoted" if block.quoted else "an" if block.kind == "item" else "a"
            place = f"in {article} {block.kind}"
            features |= {place: 1.0, f"depth {min(block.depth, 3)}": 1.0}
            if "nothing but words" in features:
                features[f"{place}, nothing but words"] = 1.0
            features["further draft of a block"] = float(number > 0)
            features["several drafts in a block"] = float(len(some) > 1)
            features["above an abstract"] = float(draft.block in described)
            if foreign and draft.title:
                language = language_of(draft.title)
                features |= {language: 1.0, f"{language}, {evidence[at]}": 1.0}
            result.append(features | _features_of_section(block.section) | about_list[at])
    return result


def _features_of_list(
    drafts: Sequence[Draft], papers: Sequence[Sequence[Link]], evidence: Sequence[str]
) -> list[Features]:
    """Returns for every draft how many others of the list have what papers have, and whether one has its words."""
    linked = list(map(bool, papers))
    marks = {
        "list: share with a paper's link": linked,
        "list: share with authors or venue": [bool(draft.citation.authors or draft.citation.venue) for draft in drafts],
        "list: share linked elsewhere": [
            not paper and any(link.url for link in draft.all_links) for draft, paper in zip(drafts, linked, strict=True)
        ],
    }
    others = len(drafts) - 1
    keys = [title_key(draft.title or "") for draft in drafts]
    count = Counter(keys)
    totals = {name: sum(values) for name, values in marks.items()}
    shares: dict[tuple[object, ...], Features] = {}
    result = []
    for at, (kind, *own) in enumerate(zip(evidence, *marks.values(), strict=True)):
        if (kind, *own) not in shares:
            share = {name: (totals[name] - mine) / (others + _TRUST) for name, mine in zip(marks, own, strict=True)}
            shares[kind, *own] = share | {f"{name}, {kind}": value for name, value in share.items()}
        features = shares[kind, *own].copy()
        if keys[at]:
            features["the same words once more"] = float(count[keys[at]] == 2)
            features["the same words several times"] = float(count[keys[at]] > 2)
        result.append(features)
    return result


def _evidence_beside_words(draft: Draft, papers: Sequence[Link]) -> str:
    if papers or (draft.title and _FILE.search(draft.text)):
        return "linked to a paper"
    if draft.citation.authors or draft.citation.venue:
        return "cited"
    if draft.citation.year is not None and not draft.citation.scheduled:
        return "dated"
    return "linked elsewhere" if any(link.url for link in draft.all_links) else "nothing but words"


@lru_cache(maxsize=1024)
def _features_of_section(section: tuple[str, ...]) -> Features:
    words = [word.lower() for heading in section[-1:] for word in _WORD.findall(heading[:200])]
    above = [word.lower() for heading in section[:-1] for word in _WORD.findall(heading[:200])]
    features = {f"under: {word}": _HEADING for word in words if word not in FUNCTION_WORDS}
    further = {word for word in above if word not in words and word not in FUNCTION_WORDS}
    return features | {f"above: {word}": _HEADING for word in sorted(further)} | {"": 1.0}


def _features_of_draft(draft: Draft, papers: Sequence[Link], evidence: str) -> Features:
    citation, link = draft.citation, draft.title_link
    others = [other for other in papers if other is not link]
    features: Features = {}
    if link is not None:
        features[f"title links to: {link.kind or 'nothing'}"] = 1.0
        features["title's link carries an identifier"] = float(bool(link.carried.identifiers))
    if others:
        features[f"beside it a link to: {others[0].kind or 'nothing'}"] = 1.0
        features["a link beside it carries an identifier"] = float(any(o.carried.identifiers for o in others))
        features["bare address beside it"] = float(others[0].bare)
    for other in draft.links:
        if other not in papers:
            features[f"beside it also: {other.word if other.word != 'other' else other.kind}"] = 1.0
    features["authors"] = float(bool(citation.authors))
    features["several authors"] = float(len(citation.authors) > 1)
    features["venue"] = float(bool(citation.venue))
    features["year"] = float(citation.year is not None)
    features["introduced by a label"] = float(bool(citation.label))
    features["day of a schedule before it"] = float(citation.scheduled)
    features["pages"] = float(has_pages(draft.text))
    features |= {"struck out": float(draft.struck), "in a column of titles": float(draft.in_title_column)}
    if evidence == "linked to a paper" and not papers:
        features["title links to: pdf"] = 1.0
    if evidence in ("linked elsewhere", "nothing but words"):
        features[evidence] = 1.0
    features |= _features_of_title(draft, evidence)
    return features


def _features_of_title(draft: Draft, evidence: str) -> Features:
    title = draft.title
    if not title:
        return {"no title": 1.0, f"no title, {evidence}": 1.0}
    odds = max(-_LOGIT_LIMIT, min(_LOGIT_LIMIT, title_odds(title)))
    count = len(title.split())
    size = str(count) if count < 4 else "4 or 5" if count < 6 else "6 to 22" if count < 23 else "over 22"
    rest = len(draft.text.split()) - count - 2 * len(draft.citation.authors) - len(draft.all_links)
    more = math.log1p(max(rest, 0))
    holds = f"words: {size}", f"title stands as: {draft.citation.how}"
    return {
        "title odds": odds,
        "title odds above even": max(odds, 0.0),
        f"title odds, {evidence}": odds,
        **dict.fromkeys(holds, 1.0),
        **{f"{name}, {evidence}": 1.0 for name in holds},
        "in quotation marks": float(draft.citation.quoted),
        "a sentence": float(evidence == "nothing but words" and draft.text.rstrip(" *_").endswith((".", "?"))),
        "further words": more,
        f"further words, {evidence}": more,
    }


def features_together(blocks: Sequence[Block], drafts: Sequence[Draft], logits: Sequence[float]) -> list[Features]:
    """Returns for every draft what the first pass thinks of it and of the drafts around it."""
    limited = [max(-_LOGIT_LIMIT, min(_LOGIT_LIMIT, value)) for value in logits]
    forms = [_form(blocks, draft) for draft in drafts]
    headings = _heading_above_each(blocks)
    groups = [(blocks[draft.block].group, 0) for draft in drafts]
    # A heading stands in the run of what is below it, and of the headings of its level under one heading.
    of_headings = [_run(blocks, headings, draft.block) for draft in drafts]
    below = _best_by_block_and_below(blocks, drafts, limited)
    runs = {
        "same form, same run": _in_run(zip(groups, forms, strict=True), zip(of_headings, forms, strict=True), limited),
        "same run": _in_run(groups, of_headings, limited),
        "same form, whole list": _others(forms, limited),
    }
    result = []
    for index, draft in enumerate(drafts):
        features: Features = {"by itself": limited[index]}
        if not runs["same run"][index][2]:
            features["by itself, with no other in its run"] = limited[index]
        if not runs["same form, whole list"][index][2]:
            features["by itself, with no other of its form"] = limited[index]
        if (above := below[0].get(headings[draft.block])) is not None:
            features["under a heading"] = above
            features["under a heading that is a paper"] = float(above > 0)
            features["under a heading that is a paper, without a paper's link"] = float(
                above > 0 and not draft.paper_links
            )
        for name, others in runs.items():
            features |= _features_of_run(name, *others[index])
        here = of_headings if of_headings[index][1] else groups
        beside = [at for at in (index - 1, index + 1) if 0 <= at < len(here) and here[at] == here[index]]
        near = [limited[at] for at in beside]
        features |= {"next to it": sum(near) / len(near)} if near else {"nothing next to it": 1.0}
        features |= _features_of_family(blocks, draft, below)
        result.append(features)
    return result


def _run(blocks: Sequence[Block], headings: Sequence[int], index: int) -> tuple[int, int]:
    """Returns the run of the block at `index`: of a heading, those of its level under the same of `headings`."""
    block = blocks[index]
    return (headings[index], -block.level) if block.kind == "heading" else (block.group, 0)


def _in_run(
    groups: Iterable[object], of_headings: Iterable[object], logits: Sequence[float]
) -> list[tuple[float, float, int]]:
    """Returns for every draft what `_others` does, by the second keys where they differ from the first."""
    mine, theirs = list(groups), list(of_headings)
    around, among = _others(mine, logits), _others(theirs, logits)
    return [around[at] if mine[at] == theirs[at] else among[at] for at in range(len(mine))]


def _form(blocks: Sequence[Block], draft: Draft) -> tuple[object, ...]:
    """Returns the outward form of a draft: drafts of one form in one run are likely of one kind."""
    block, link, papers = blocks[draft.block], draft.title_link, draft.paper_links
    target = "" if link is None else "paper" if link in papers else "other"
    beside = any(paper_link is not link for paper_link in papers)
    return (block.kind, block.depth, block.quoted, draft.citation.how, target, beside, bool(draft.citation.authors))


def _others(keys: Sequence[object], logits: Sequence[float]) -> list[tuple[float, float, int]]:
    """Returns for every draft the mean logit and the share above even of the others with its key, and their number."""
    sums: dict[object, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    for key, value in zip(keys, logits, strict=True):
        total = sums[key]
        total[0] += value
        total[1] += value > 0
        total[2] += 1
    result = []
    for key, value in zip(keys, logits, strict=True):
        total = sums[key]
        count = int(total[2]) - 1
        result.append(((total[0] - value) / max(count, 1), (total[1] - (value > 0)) / max(count, 1), count))
    return result


def _features_of_run(name: str, mean: float, share: float, count: int) -> Features:
    if not count:
        return {f"{name}: no other": 1.0}
    trust = count / (count + 2.0)
    features = {f"{name}: mean": mean * trust, f"{name}: share": (share - 0.5) * trust}
    if count >= 3 and (share >= 0.8 or share <= 0.2):
        features[f"{name}: {'nearly all' if share >= 0.8 else 'hardly any'}"] = 1.0
    return features


def _best_by_block_and_below(
    blocks: Sequence[Block], drafts: Sequence[Draft], logits: Sequence[float]
) -> tuple[dict[int, float], dict[int, list[float]]]:
    best: dict[int, float] = {}
    for draft, value in zip(drafts, logits, strict=True):
        best[draft.block] = max(best.get(draft.block, -_LOGIT_LIMIT), value)
    below: dict[int, list[float]] = defaultdict(list)
    for index, value in best.items():
        parent = blocks[index].parent
        if parent is not None:
            below[parent].append(value)
    return best, below


def _heading_above_each(blocks: Sequence[Block]) -> list[int]:
    above: list[int] = []
    result = []
    for index, block in enumerate(blocks):
        while block.kind == "heading" and above and blocks[above[-1]].level >= block.level:
            above.pop()
        result.append(above[-1] if above else -1)
        if block.kind == "heading":
            above.append(index)
    return result


def _features_of_family(
    blocks: Sequence[Block], draft: Draft, family: tuple[dict[int, float], dict[int, list[float]]]
) -> Features:
    best, below = family
    features: Features = {}
    parent, children = blocks[draft.block].parent, below.get(draft.block)
    if parent is None and not children:
        return features
    bare = not draft.paper_links
    if parent is not None:
        above = best.get(parent)
        if above is None:
            features["below words that are no draft"] = 1.0
        else:
            features["above it"] = above
            features["below a paper"] = float(above > 0)
            features["below a paper, without a paper's link"] = float(above > 0 and bare)
    if children:
        papers = sum(value > 0 for value in children)
        features["papers below it"] = float(papers > 0)
        features["papers below it, without a paper's link"] = float(papers > 0 and bare)
        features["several papers below it"] = float(papers > 1)
        features["other things below it"] = float(papers < len(children))
    return features


# The confidence from which words that are no mention may still be a title; of those below hardly any is one.
POSSIBLE = 0.05
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+: ")  # how GitHub calls its pages: "owner/name: what it is"
_FEWEST_QUESTIONS = 2
_LONGEST_TITLE = 350  # characters beyond which words are no title, whatever stands beside them


class MentionVerdict(NamedTuple):
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
    data = json.loads(resources.files("sources.lists.reading").joinpath("data/decision.json").read_text("utf-8"))
    return Model(data["alone"], data["together"], data["threshold"])


def judge(
    blocks: Sequence[Block], drafts: Sequence[Sequence[Draft]]
) -> tuple[list[MentionVerdict], list[MentionVerdict]]:
    """Returns the drafts that are mentions, in order, each with its confidence and reasons; and those that may be."""
    model = decision_model()
    found = [draft for some in drafts for draft in some]
    features = features_alone(blocks, drafts)
    first = [weighted(model.alone, feature) for feature in features]
    verdicts: list[MentionVerdict] = []
    possible: list[MentionVerdict] = []
    bare = [draft for draft, own in zip(found, features, strict=True) if "nothing but words" in own]
    proven = [_is_proven(blocks[draft.block], draft) for draft in found]
    # Words alone with items below them that are certainly papers are a heading.
    headings = {
        blocks[draft.block].parent
        for draft, is_proven in zip(found, proven, strict=True)
        if is_proven or (draft.title and draft.paper_links)
    }
    questions = _runs_of_questions(blocks, found, bare)
    together = features_together(blocks, found, first)
    for draft, own, around, is_proven in zip(found, features, together, proven, strict=True):
        parts, further = _weighted_parts(model.together, own), _weighted_parts(model.together, around)
        logit = math.fsum([part for part, _ in parts]) + math.fsum([part for part, _ in further])
        confidence = 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, logit))))
        if is_proven:
            confidence = max(confidence, model.threshold)
        if "nothing but words" in own and (draft.block in headings or blocks[draft.block].group in questions):
            continue
        if confidence >= POSSIBLE and not _is_out_of_question(blocks[draft.block], draft):
            # The strongest reasons for and against; what all drafts have, which has no name, is none.
            named = sorted([part for part in parts + further if part[1]], reverse=True)
            strongest = [part for part in named[:3] if part[0] > 0] + [part for part in named[-3:] if part[0] < 0]
            verdict = MentionVerdict(draft, confidence, tuple(f"{weight:+.1f} {name}" for weight, name in strongest))
            (verdicts if confidence >= model.threshold else possible).append(verdict)
    return verdicts, possible


def _runs_of_questions(blocks: Sequence[Block], drafts: Sequence[Draft], bare: Sequence[Draft]) -> set[int]:
    """Returns the runs of two drafts or more that are all questions in words alone: what a course is about."""
    count = Counter(blocks[draft.block].group for draft in drafts)
    questions = Counter(
        blocks[draft.block].group for draft in bare if draft.text.rstrip(" *_").endswith(("?", "\uff1f"))
    )
    return {run for run, number in questions.items() if number == count[run] >= _FEWEST_QUESTIONS}


def _is_proven(block: Block, draft: Draft) -> bool:
    """Returns whether an identifier, an entry of BibTeX or the form of a reference is proof enough of a paper.

    So are people and a year on the link to a paper: "[Gelman and Loken (2013)](...)".
    """
    citation = draft.citation
    stated = draft.is_identified or draft.recorded or citation.whole
    placed = citation.placed or (draft.source is not None and bool(draft.source[0].cited))
    placed = placed and citation.year is not None and " " in (draft.title or "")
    if stated or placed or draft.is_keyed or (draft.authors_end and draft.is_formal):
        return True
    if not (draft.title and citation.authors) or any(link.kind == "code" for link in draft.all_links):
        return False
    referenced = citation.year is not None and citation.venue and (citation.quoted or has_pages(draft.text))
    return block.kind == "record" or bool(referenced)


def _is_out_of_question(block: Block, draft: Draft) -> bool:
    """Returns whether words are too long for a title, or a repository's or meeting's name, a remark or a definition."""
    title, link, citation = draft.title or "", draft.title_link, draft.citation
    if len(title) > _LONGEST_TITLE or (link is not None and link.kind == "code" and _REPOSITORY.match(title)):
        return True
    if not draft.all_links:
        return not citation.authors and ((block.quoted and block.kind == "paragraph") or " = " in title)
    cited = draft.is_identified or citation.authors or citation.year is not None
    return not cited and names_place(title)


def weighted(weights: Mapping[str, float], features: Mapping[str, float]) -> float:
    """Returns the weighted sum of `features`, whatever their order; a feature without weight counts nothing."""
    weight_of = weights.get
    return math.fsum([weight * value for name, value in features.items() if value and (weight := weight_of(name))])


def _weighted_parts(weights: Mapping[str, float], features: Features) -> list[tuple[float, str]]:
    weight_of = weights.get
    return [(weight * value, name) for name, value in features.items() if value and (weight := weight_of(name))]
