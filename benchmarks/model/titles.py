"""The model of titles: hashed words and forms of real titles against the other texts that reading lists hold."""

from __future__ import annotations

import csv
import json
import random
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow.parquet as pq
import scipy.sparse as sp
from rapidfuzz import fuzz
from sklearn.linear_model import LogisticRegression, SGDClassifier

from benchmarks.model.lists import LABELS, NEGATIVE, SourceList
from benchmarks.model.references import jotted
from benchmarks.reading_lists.texts import read_sources
from sources.bibliography.titles import title_key
from sources.lists.reading.document import read_document
from sources.lists.reading.drafts import Draft
from sources.lists.reading.mentions import drafts_by_rule
from sources.lists.reading.title_model import (
    ASIAN_BUCKETS,
    BUCKETS,
    STEP,
    bucket_of,
    clean_title,
    is_asian,
    title_features,
)
from standins.trials.scoring import read_labels

_ELSEWHERE = frozenset(("code", "video", "blog", "social", "docs", "course"))
_TEST_CASES = re.compile(r"BEGIN TEST CASES \*\*/\s*var testCases = (\[.*?\n\])\s*\n/\*\* END", re.DOTALL)
_OF_PAPERS = frozenset(("journalArticle", "conferencePaper", "bookSection", "preprint", "report", "thesis"))
_FEW_C = 0.5  # how freely the model of Asian texts is fitted, of which there are few
_OF_OUR_OWN = 3.0  # how much each counts, since they are few
_SMALL = frozenset("a an the of for in on to with and or by from at as via is are".split())


class Text(NamedTuple):
    """A stretch of text, whether it is a title, and how much it counts."""

    text: str
    title: bool
    weight: float


def real_titles(shared: Path, count: int, translators: Path | None = None, seed: int = 7) -> Iterator[Text]:
    """Yields titles as people write them, and near misses made of them: names, titles with more.

    Most are of computer science. Those of economics are working papers (CC0); for the other sciences and languages
    there are the test cases of Zotero's translators, where a clone of them is given.

    Args:
        shared: The folder with the facts.
        count: How many of the background are taken.
        translators: A clone of github.com/zotero/translators.
        seed: What the choice is drawn with.
    """
    chance = random.Random(seed)
    table = pq.read_table(shared / "facts/background.parquet", columns=["title", "authors", "venue"])
    rows: list[tuple[str, list[str], str | None]] = []
    for index in chance.sample(range(table.num_rows), min(count, table.num_rows)):
        title, authors, venue = (column[index].as_py() for column in table.columns)
        rows.append((title, authors, venue))
    with (shared / "facts/nber_papers.csv").open(encoding="utf-8", newline="") as lines:
        rows += [(row["title"], [], None) for row in csv.DictReader(lines)]
    rows += _of_translators(translators) if translators else []
    for written, authors, venue in rows:
        title = _recased(" ".join(written.split()).rstrip("."), chance)
        yield Text(title, True, 1.0)
        draw = chance.random()
        if authors and draw < 0.10:
            yield Text(", ".join(authors[: chance.randint(1, 5)]) + chance.choice(["", " et al"]), False, 0.5)
        elif authors and draw < 0.15:
            yield Text(title + chance.choice([", ", ". ", " - ", " by "]) + ", ".join(authors[:3]), False, 0.5)
        elif venue and draw < 0.19:
            yield Text(title + chance.choice([", ", ". ", " ", " - "]) + venue, False, 0.5)
        elif draw < 0.23:
            words = title.split()
            cuts = [at for at in range(1, len(words) - 1) if words[at].lower() in _SMALL]
            if cuts:
                yield Text(" ".join(words[: chance.choice(cuts) + 1]), False, 0.5)


def _of_translators(folder: Path) -> Iterator[tuple[str, list[str], str | None]]:
    """Yields title, authors and journal of the papers in the test cases of Zotero's translators."""
    for path in sorted(folder.glob("*.js")):
        cases = _TEST_CASES.search(path.read_text(encoding="utf-8", errors="replace"))
        with suppress(ValueError):
            for case in json.loads(cases[1]) if cases else []:
                for item in case["items"] if isinstance(case.get("items"), list) else []:
                    if item.get("itemType") in _OF_PAPERS and item.get("title"):
                        people = [f"{one.get('firstName', '')} {one['lastName']}" for one in item.get("creators", ())]
                        yield item["title"], [name.strip() for name in people], item.get("publicationTitle")


def _recased(title: str, chance: random.Random) -> str:
    draw = chance.random()
    if draw < 0.04:
        return title.lower()
    if draw < 0.15:
        return title[:1] + title[1:].lower()
    if draw < 0.26:
        words = title.split()
        return " ".join(
            word if word.lower() in _SMALL and at else word[:1].upper() + word[1:] for at, word in enumerate(words)
        )
    return title


def asian_texts() -> Iterator[Text]:
    """Yields what is in Asian languages of the titles of lists looked at, and of other lines, in our own words."""
    for source in read_sources():
        if source.set == "looked at":
            labels = read_labels(LABELS / f"{source.name}.jsonl")
            titles = [row["title"] or "" for row in labels if row["kind"] == "paper"]
            yield from (Text(title, True, 1.0) for title in titles if is_asian(title))
    for words in jotted().values():
        lines = (text for kind in ("label", "remark", "prose") for text in words.get(kind, ()))
        yield from (Text(line, False, _OF_OUR_OWN) for line in lines if is_asian(line))


def texts_of(found: SourceList) -> Iterator[Text]:
    """Yields the stretches of a list of the corpus, as far as it is known or likely what they are."""
    document = read_document(found.text)
    for block, drafts in zip(document.blocks, drafts_by_rule(document.blocks), strict=True):
        if block.kind == "heading":
            yield Text(clean_title(block.rich.text), False, 0.7)
        for draft in drafts:
            if draft.title:
                yield from _texts_of_draft(found, draft, draft.title)


def _texts_of_draft(found: SourceList, draft: Draft, title: str) -> Iterator[Text]:
    key = title_key(title)
    near = [
        name for line in range(draft.line - 2, draft.line + 3) for names in found.titles.get(line, ()) for name in names
    ]
    if any(fuzz.ratio(key, title_key(name)) >= 88 for name in near):
        yield Text(title, True, 2.0)
    elif found.kind == NEGATIVE:
        if not draft.paper_links:
            yield Text(title, False, 1.5)
    elif draft.title_link is not None and draft.title_link.kind == "paper":
        yield Text(title, True, 0.7)
    elif draft.title_link is not None and draft.title_link.kind in _ELSEWHERE and not draft.paper_links:
        yield Text(title, False, 1.0)
    citation = draft.citation
    beside = [link.label for link in draft.links if not link.bare]
    at = draft.text.find(title)
    if at >= 0:
        beside.append(clean_title(draft.text[at + len(title) :].split("\n")[0])[:300])
    beside += [", ".join(citation.authors), citation.venue or ""]
    yield from (Text(text, False, 0.7) for text in beside if "://" not in text)


def learn(texts: Sequence[Text]) -> bytes:
    """Returns the weights, one signed byte a bucket: those of texts in other languages, then of those in Asian ones."""
    best: dict[tuple[str, bool], float] = {}
    for text, title, weight in texts:
        if len(text.strip()) > 1:
            best[text.strip(), title] = max(weight, best.get((text.strip(), title), 0.0))
    rows = [Text(text, title, weight) for (text, title), weight in best.items() if title or (text, True) not in best]
    asian = [is_asian(row.text) for row in rows]
    others = [row for row, is_one in zip(rows, asian, strict=True) if not is_one]
    own = [row for row, is_one in zip(rows, asian, strict=True) if is_one]
    many = SGDClassifier(
        loss="log_loss", alpha=3e-5, max_iter=6, tol=None, random_state=0, average=True, fit_intercept=False
    )
    few = LogisticRegression(C=_FEW_C, max_iter=1000, fit_intercept=False)
    return _fitted(many, others, BUCKETS) + _fitted(few, own, ASIAN_BUCKETS)


def _fitted(learner: LogisticRegression | SGDClassifier, rows: Sequence[Text], buckets: int) -> bytes:
    """Returns the weights by which `rows` are told apart; titles count as much as what is none."""
    truth = np.array([row.title for row in rows])
    weights = np.array([row.weight for row in rows])
    weights[truth] *= weights[~truth].sum() / weights[truth].sum()
    learner.fit(_matrix([row.text for row in rows], buckets), truth, sample_weight=weights)
    return bytes(np.clip(np.round(learner.coef_[0] / STEP), -127, 127).astype(np.int8).tobytes())


def _matrix(texts: Sequence[str], buckets: int) -> sp.csr_matrix:
    indices, starts = [], [0]
    for text in texts:
        indices += [bucket_of(feature, buckets) for feature in title_features(text)]
        starts.append(len(indices))
    return sp.csr_matrix((np.ones(len(indices), dtype=np.float32), indices, starts), shape=(len(texts), buckets))
