"""Learns the models one after the other, tests them list by list, and writes the weights with their manifest."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import sklearn

import sources.lists.reading.author_lists as package_names
import sources.lists.reading.tagger as package_tagger
import sources.lists.reading.title_model as package_titles
from benchmarks.model import decision, names, references, styles, tagger, titles
from benchmarks.model.lists import (
    FOLDS,
    JUDGED,
    LABELS,
    SourceList,
    corpus_lists,
    fixture_lists,
    labelled_lists,
    labels_and_texts,
    lists_without_papers,
    pieces_of,
    script,
)

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "sources/lists/reading/data"
THRESHOLDS = (0.3, 0.4, 0.5, 0.6)


def main() -> int:
    options = _options()
    started = time.monotonic()
    by_hand = list(labelled_lists(options.shared, options.texts))
    fixtures = list(fixture_lists(ROOT / "tests/fixtures/reading_lists"))
    fixtures += fixture_lists(ROOT / "tests/fixtures/styles")
    fixtures += fixture_lists(ROOT / "tests/fixtures/examples", ROOT / "examples/lists")
    corpus = list(corpus_lists(options.shared))
    if not options.keep_names:
        _say(started, "names")
        _write(DATA / "names.bin", names.learn(options.shared))
        package_names.forget()
    if not options.keep_titles:
        _say(started, "titles")
        texts = list(titles.real_titles(options.shared, options.titles, options.translators))
        texts += titles.asian_texts()
        texts += [text for source in corpus for text in titles.texts_of(source)]
        _write(DATA / "titles.bin", titles.learn(texts))
        package_titles.forget()
    _say(started, "tagger")
    folds = [] if options.keep_tagger else _learn_tagger([*by_hand, *fixtures, *corpus], options)
    _say(started, "decision")
    score = script(options.shared / "tools/score.py")
    pieces = [piece for source in (*by_hand, *fixtures) if not source.delinked for piece in pieces_of(source)]
    learner = decision.Learner(_examples([*by_hand, *fixtures, *corpus, *pieces], folds, score))
    _say(started, "leave one list out")
    report = _held_out(learner, sorted({source.name for source in by_hand}), score)
    _print(report)
    if not options.check:
        if not options.keep_decision:
            learnt = json.dumps(learner.model()._asdict(), indent=0, sort_keys=True, ensure_ascii=False)
            _write(DATA / "decision.json", f"{learnt}\n".encode())
        manifest = {
            "learnt_from": _learnt_from(options.shared, options.texts, options.titles),
            "held_out": report,
            "scikit-learn": sklearn.__version__,
            "files": {path.name: _sha256(path) for path in _weight_files()},
        }
        _write(DATA / "manifest.json", (json.dumps(manifest, indent=1, sort_keys=True) + "\n").encode())
    if options.false_mentions:
        _say(started, "false mentions")
        _print_false_mentions(learner, folds, options.shared, score)
    _say(started, "done")
    return 0


# By which the references are written as lists; of each pair the tagger is learnt, and the mean kept.
_SEEDS = ((5, 6), (7, 8))


def _learn_tagger(lists: Sequence[SourceList], options: argparse.Namespace) -> list[bytes]:
    """Learns the model of titles in entries from all lists, and returns for every fold that of the others."""
    titles_of_lists = [row["as_written"] for source in lists for row in source.gold if row.get("as_written")]
    known = [
        example for source in (*lists, *styles.styled_lists(options.shared)) for example in tagger.examples_of(source)
    ]
    learnt: list[list[bytes]] = []  # by how the references are written, and by fold, the whole first
    for seeds in _SEEDS[: None if options.references else 1]:
        made = references.reference_lists(options.references, titles_of_lists, seeds) if options.references else ()
        examples = [*known, *(example for source in made for example in tagger.examples_of(source))]
        others = ([each for each in examples if each.source.fold != fold] for fold in range(FOLDS))
        learnt.append([tagger.learn(examples), *(tagger.learn(some, tagger.EPOCHS // 2) for some in others)])
    whole, *folds = (tagger.mean_of(some) for some in zip(*learnt, strict=True))
    _write(DATA / "tagger.bin", whole)
    package_tagger.forget()
    return folds


def _examples(lists: Sequence[SourceList], folds: Sequence[bytes], score: ModuleType) -> list[decision.Example]:
    """Returns what decisions are learnt from, each list read by the tagger that has not seen it."""
    if not folds:
        return [decision.example_of(source, score) for source in lists]
    whole, found = (DATA / "tagger.bin").read_bytes(), {}
    for fold, weights in enumerate(folds):
        _write(DATA / "tagger.bin", weights)
        package_tagger.forget()
        found |= {at: decision.example_of(one, score) for at, one in enumerate(lists) if one.fold == fold}
    _write(DATA / "tagger.bin", whole)
    package_tagger.forget()
    return [found[at] for at in range(len(lists))]


def _held_out(learner: decision.Learner, names: Sequence[str], score: ModuleType) -> dict[str, Any]:
    """Returns how every labelled list is read by models fitted without it."""
    lists: dict[str, Any] = {}
    totals = {threshold: Counter[str]() for threshold in THRESHOLDS}
    delinked, truth, chances = Counter[str](), [], []
    for name in names:
        for example, probabilities in learner.held_out(name):
            for threshold in THRESHOLDS:
                found = [m for m, p in zip(example.mentions, probabilities, strict=True) if p >= threshold]
                if example.source.piece:
                    continue
                figures, _, _ = score.score(example.source.gold, found)
                if example.source.delinked:
                    delinked.update(figures if threshold == decision.THRESHOLD else {})
                    continue
                totals[threshold].update(figures)
                if threshold == decision.THRESHOLD:
                    lists[name] = _short(score.prf(figures))
            if not (example.source.delinked or example.source.piece):
                truth += list(example.truth[example.weights > 0])
                chances += list(probabilities[example.weights > 0])
    return {
        "lists": lists,
        "micro": _short(score.prf(totals[decision.THRESHOLD])),
        "without addresses": _short(score.prf(delinked)),
        "by threshold": {str(threshold): _short(score.prf(total)) for threshold, total in totals.items()},
        "reliability": _reliability(np.array(truth), np.array(chances)),
    }


def _print_false_mentions(learner: decision.Learner, folds: Sequence[bytes], shared: Path, score: ModuleType) -> None:
    """Prints how many false mentions lists without papers have, by models fitted without those of their fold."""
    every = list(lists_without_papers(shared))
    all_examples = _examples(every, folds, score)
    total = lines = 0
    for fold in range(FOLDS):
        examples = [example for example in all_examples if example.source.fold == fold]
        found = 0
        for example, chances in zip(examples, learner.held_out_of_fold(fold, examples), strict=True):
            false = [
                (draft.line, draft.title, round(float(chance), 2))
                for draft, chance, weight in zip(example.drafts, chances, example.weights, strict=True)
                if weight and chance >= decision.THRESHOLD
            ]
            found += len(false)
            if false:
                print(f"  {example.source.name}: {len(false)}, for instance {false[:3]}")
        count = sum(example.source.text.count("\n") + 1 for example in examples)
        print(f"fold {fold}: {found} false mentions in {count:,} lines, {1000 * found / count:.2f} a thousand")
        total, lines = total + found, lines + count
    print(f"all folds: {total} false mentions in {lines:,} lines, {1000 * total / lines:.2f} a thousand")


def _short(figures: dict[str, Any]) -> dict[str, float]:
    return {name: round(figures[name], 3) for name in ("strict_f1", "precision", "recall")}


def _reliability(truth: np.ndarray, chances: np.ndarray) -> dict[str, dict[str, float]]:
    """Returns for stretches of confidence how many drafts there are and which share of them are papers."""
    edges = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
    table = {}
    for low, high in pairwise(edges):
        inside = (chances >= low) & ((chances < high) | (high == 1.0))
        if inside.any():
            table[f"{low}-{high}"] = {"drafts": int(inside.sum()), "papers": round(float(truth[inside].mean()), 3)}
    return table


def _print(report: dict[str, Any]) -> None:
    for name, figures in (*report["lists"].items(), ("ALL", report["micro"])):
        print(
            f"{name:24} strict F1 {figures['strict_f1']:.3f}  P {figures['precision']:.3f}  R {figures['recall']:.3f}"
        )
    for key in ("without addresses", "by threshold", "reliability"):
        print(key, json.dumps(report[key]))


def _learnt_from(shared: Path, texts: Path | None, count: int) -> dict[str, Any]:
    parts = {
        "benchmark": (labels for labels, _ in labels_and_texts(shared, texts) if labels.parent == LABELS),
        "gold": (shared / "gold").glob("*.jsonl"),
        "practice": (shared / "practice").glob("*.jsonl"),
        "corpus": (shared / "corpus").glob("*/*.md"),
        "corpus labels": [*(shared / "corpus").glob("*labels.jsonl"), JUDGED],
        "fixtures": (ROOT / "tests/fixtures").glob("*/*.jsonl"),
        "titles and names": [shared / "facts/background.parquet"],
    }
    return {name: _digest(sorted(paths)) for name, paths in parts.items()} | {
        "titles drawn": count,
        "styles": styles.COUNT,
    }


def _digest(paths: Sequence[Path]) -> dict[str, Any]:
    whole = hashlib.sha256()
    for path in paths:
        whole.update(path.name.encode() + b"\0" + path.read_bytes())
    return {"files": len(paths), "sha256": whole.hexdigest()}


def _weight_files() -> list[Path]:
    return [DATA / "names.bin", DATA / "titles.bin", DATA / "tagger.bin", DATA / "decision.json"]


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)


def _say(started: float, stage: str) -> None:
    print(f"{time.monotonic() - started:6.0f} s  {stage}", file=sys.stderr, flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.model", description=__doc__)
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared", help="labelled lists, corpus and facts")
    parser.add_argument(
        "--texts", type=Path, help="texts of the lists of benchmarks/reading_lists: those of the set `learnt` count too"
    )
    parser.add_argument("--titles", type=int, default=300_000, help="how many real titles the model of titles is shown")
    parser.add_argument(
        "--translators", type=Path, help="a clone of github.com/zotero/translators: titles of all sciences"
    )
    parser.add_argument("--keep-names", action="store_true", help="leave the model of names as it is")
    parser.add_argument("--keep-titles", action="store_true", help="leave the model of titles as it is")
    parser.add_argument("--keep-tagger", action="store_true", help="leave the model of titles in entries as it is")
    parser.add_argument("--references", type=Path, help="clones of inukshuk/anystyle and kermitt2/grobid: references")
    parser.add_argument("--keep-decision", action="store_true", help="leave the model of decisions as it is")
    parser.add_argument(
        "--false-mentions", action="store_true", help="print those of lists without papers, held out by fold"
    )
    parser.add_argument("--check", action="store_true", help="print the figures, write no decision")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
