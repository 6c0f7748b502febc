"""The lists that the models are learnt from: labelled by hand, weakly labelled, or known to name no papers."""

from __future__ import annotations

import importlib.util
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any
from zlib import crc32

from benchmarks.reading_lists.texts import FOLDER, read_sources, text_of

LABELLED, POSITIVE, NEGATIVE = "labelled", "positive", "negative"
FOLDS = 4
MOST = 30_000  # characters of a list of the corpus: many lists tell more than long ones
_BOOKS = "hackerkid__Mind-Expanding-Books"  # a list of books: neither papers nor none
LABELS = FOLDER / "labels"
JUDGED = Path(__file__).with_name("judged.json")
"""By list of the corpus: the lines that name no paper though they look like it, and those that name one."""


@dataclass(kw_only=True)
class SourceList:
    """One list as text.

    Attributes:
        name: Its name; the variants of a list share it.
        kind: labelled, positive (weak labels) or negative (no papers but those in `gold`).
        text: Its Markdown.
        delinked: Whether its addresses were taken out.
        piece: Whether it is only a stretch of the list.
        gold: Its labels, as read.
        titles: Known titles by line, in the forms that count as right.
        judged: Lines of which a person said whether the words there are a paper's.
    """

    name: str
    kind: str
    text: str
    delinked: bool = False
    piece: bool = False
    gold: list[dict[str, Any]] = field(default_factory=list)
    titles: dict[int, list[list[str]]] = field(default_factory=dict)
    judged: dict[int, bool] = field(default_factory=dict)

    @property
    def fold(self) -> int:
        return crc32(self.name.encode()) % FOLDS


def script(path: Path) -> ModuleType:
    """Returns the script at `path` as a module: the scorers are scripts beside the checkout."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def labelled_lists(shared: Path, texts: Path | None = None) -> Iterator[SourceList]:
    """Yields the lists labelled by hand, each also without its addresses.

    Args:
        shared: The folder of the lists beside the checkout.
        texts: The folder of the benchmark's texts, of whose lists those of the set `learnt` are yielded too.
    """
    score, corpus = script(shared / "tools/score.py"), script(shared / "corpus/score_corpus.py")
    for gold, path in sorted(labels_and_texts(shared, texts)):
        rows = score.read(gold)
        titles: dict[int, list[list[str]]] = defaultdict(list)
        for row in rows:
            if row["kind"] == "paper":
                titles[row["line"]].append(score.names(row))
        yield from _variants(
            corpus, SourceList(name=gold.stem, kind=LABELLED, text=_read(path), gold=rows, titles=titles)
        )


def labels_and_texts(shared: Path, texts: Path | None) -> Iterator[tuple[Path, Path]]:
    """Yields the files of labels and of texts of the lists labelled by hand."""
    for gold in (shared / "gold").glob("*.jsonl"):
        yield gold, next((shared / "lists").glob(f"{gold.stem}_*"))
    for gold in (shared / "practice").glob("*.jsonl"):
        yield gold, gold.with_suffix(".md")
    for source in read_sources() if texts else ():
        if source.set == "learnt":
            text_of(source, texts)  # there, and the text that was labelled
            yield LABELS / f"{source.name}.jsonl", texts / f"{source.name}.md"


def fixture_lists(labels: Path, lists: Path | None = None) -> Iterator[SourceList]:
    """Yields our own lists, in the folder of their labels unless another is given: every paper in them is labelled."""
    for gold in sorted(labels.glob("*.jsonl")):
        path = (lists or labels) / f"{gold.stem}.md"
        rows = [{"kind": "paper", "as_written": row["title"], **row} for row in _rows(gold)]
        titles: dict[int, list[list[str]]] = defaultdict(list)
        for row in rows:
            titles[row["line"]].append([row["title"] or ""])
        yield SourceList(name=f"fixture {gold.stem}", kind=LABELLED, text=_read(path), gold=rows, titles=titles)


def pieces_of(source: SourceList) -> Iterator[SourceList]:
    """Yields stretches of a labelled list with one to eight papers, cut at blank lines and headings.

    Learnt from them, the model reads an entry in a short list, or in a part of one, as it does in the whole.
    """
    lines = source.text.split("\n")
    labelled = [row["line"] for row in source.gold]
    start, size = 0, 1
    for at in range(1, len(lines) + 1):
        if at < len(lines) and lines[at].strip() and not lines[at].startswith("#"):
            continue
        inside = [line for line in labelled if start < line <= at]
        if len(inside) < size and at < len(lines):
            continue
        yield SourceList(
            name=source.name,
            kind=source.kind,
            text="\n".join(lines[start:at]),
            piece=True,
            gold=[row | {"line": row["line"] - start} for row in source.gold if start < row["line"] <= at],
        )
        start, size = at, size % 8 + 1


def corpus_lists(shared: Path) -> Iterator[SourceList]:
    """Yields the lists of the corpus: every second one as it is, the others without their addresses."""
    corpus = script(shared / "corpus/score_corpus.py")
    titles: dict[str, dict[int, list[list[str]]]] = defaultdict(lambda: defaultdict(list))
    for name in ("labels.jsonl", "word_labels.jsonl"):
        for row in _rows(shared / "corpus" / name):
            if row.get("titled", True):
                titles[row["list"]][row["line"]].append(corpus.label_names(row))
    judged = json.loads(JUDGED.read_text("utf-8"))
    for kind in (POSITIVE, NEGATIVE):
        for number, found in enumerate(_whole_lists(shared, kind)):
            if len(found.text) > MOST:
                found.text = found.text[: found.text.rindex("\n", 0, MOST) + 1]
            found.titles = titles[found.name]
            others, papers = judged.get(found.name, ([], []))
            found.judged = dict.fromkeys(others, False) | dict.fromkeys(papers, True)
            yield list(_variants(corpus, found))[number % 2]


def lists_without_papers(shared: Path) -> Iterator[SourceList]:
    """Yields the lists of the corpus that name no papers but those in `gold`, as they are and whole."""
    yield from _whole_lists(shared, NEGATIVE)


def _whole_lists(shared: Path, kind: str) -> Iterator[SourceList]:
    real: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in _rows(shared / "corpus/real_papers.jsonl"):
        real[row["list"]].append(row)
    for path in sorted((shared / "corpus" / kind).glob("*.md")):
        if path.stem != _BOOKS:
            yield SourceList(name=path.stem, kind=kind, text=_read(path), gold=real[path.stem])


def _variants(corpus: ModuleType, found: SourceList) -> Iterator[SourceList]:
    yield found
    yield SourceList(
        name=found.name,
        kind=found.kind,
        text=corpus.delink(found.text),
        delinked=True,
        gold=found.gold,
        titles=found.titles,
        judged=found.judged,
    )


def _read(path: Path) -> str:
    return re.sub(r"\r\n|\r", "\n", path.read_text(encoding="utf-8", errors="replace"))


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())
