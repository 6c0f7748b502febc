"""Titles with one word changed: into another word, which makes another paper's title, or by a slip of the pen.

The floors of matching in tests and benchmarks are measured with these; what is drawn depends on the generator given.
"""

from __future__ import annotations

import json
import lzma
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from rapidfuzz.distance import OSA

from sources.bibliography.lexicon import WORDS, is_word, spelling
from sources.matching.candidates import Candidate
from sources.matching.judge import judge
from sources.records import Mention

HERE = Path(__file__).parent
FARTHEST = 3
_SHORTEST = 4
_WORD = re.compile(r"(?<![^\W_])(?<!')[A-Za-z]{4,}(?![^\W_]|')")

OPPOSED = {
    "en": "hyperglycemia/hypoglycemia macroeconomics/microeconomics",
    "es": "hiperglucemia/hipoglucemia hipertensión/hipotensión endógeno/exógeno monocristal/policristal "
    "macroeconomía/microeconomía",
    "ca": "hipertensió/hipotensió macroeconomia/microeconomia",
    "pt": "hiperglicemia/hipoglicemia hipertireoidismo/hipotireoidismo",
    "fr": "hyperglycémie/hypoglycémie macroéconomie/microéconomie",
    "it": "iperglicemia/ipoglicemia ipertensione/ipotensione",
    "de": "Hyperglykämie/Hypoglykämie Makroökonomie/Mikroökonomie Überfunktion/Unterfunktion",
    "nl": "hyperglykemie/hypoglykemie hyperthyreoïdie/hypothyreoïdie macroeconomie/microeconomie",
    "sv": "hyperglykemi/hypoglykemi makroekonomi/mikroekonomi",
    "pl": "hiperglikemia/hipoglikemia makroekonomia/mikroekonomia",
    "ru": "гипергликемия/гипогликемия макроэкономика/микроэкономика эндогенный/экзогенный",
}
"""Words that only opposed prefixes tell apart, by language."""


@dataclass(frozen=True, slots=True)
class Title:
    """A title with the archive that it is from, and its year."""

    archive: str
    text: str
    year: int | None = None


@dataclass(frozen=True, slots=True)
class Trap:
    """Two titles of a field that differ in one word; the candidate's is the only one that any source has."""

    field: str
    written: str
    true: str


def shipped_titles() -> list[Title]:
    """Returns the titles of arXiv papers that are shipped with the tests; arXiv's metadata are CC0."""
    lines = (HERE / "titles.tsv").read_text(encoding="utf-8").splitlines()
    return [Title(archive, text, int(year)) for archive, _, year, text in (line.split("\t") for line in lines)]


def background_titles(facts: Path, number: int) -> list[Title]:
    """Returns titles of the background, as many of each archive as there are, in turn, until there are `number`."""
    import pyarrow.parquet as pq

    table = pq.read_table(facts / "background.parquet", columns=["title", "year", "primary_category"]).to_pylist()
    by_archive: defaultdict[str, list[Title]] = defaultdict(list)
    for row in table:
        if row["primary_category"] and len(_WORD.findall(row["title"])) >= 3:
            archive = row["primary_category"].split(".")[0]
            by_archive[archive].append(Title(archive, row["title"], row["year"]))
    draw, taken = random.Random(5), []
    for titles in by_archive.values():
        draw.shuffle(titles)
    while len(taken) < number and any(by_archive.values()):
        taken += [titles.pop() for titles in by_archive.values() if titles]
    return taken[:number]


def field_traps() -> list[Trap]:
    """Returns the traps by field, each both ways."""
    lines = (HERE / "fields.tsv").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return [Trap(field, *titles) for field, one, other in pairs for titles in ((one, other), (other, one))]


class Neighbours:
    """The words of the lexicon that look like a word: at most three letters off, with its beginning or end."""

    def __init__(self) -> None:
        packed = (files("sources.bibliography") / "data" / WORDS).read_bytes()
        self._words = lzma.decompress(packed).decode().split()
        self._by_part: defaultdict[str, list[str]] = defaultdict(list)
        for word in self._words:
            if len(word) >= _SHORTEST:
                self._by_part[f"{word[:3]}-"].append(word)
                self._by_part[f"-{word[-4:]}"].append(word)

    def of(self, word: str) -> dict[int, list[str]]:
        """Returns distance, 1 to 3 -> other words at that distance; other spellings of the word are none."""
        near: defaultdict[int, list[str]] = defaultdict(list)
        for other in sorted({*self._by_part[f"{word[:3]}-"], *self._by_part[f"-{word[-4:]}"]}):
            distance = OSA.distance(word, other, score_cutoff=FARTHEST)
            if 0 < distance <= FARTHEST and spelling(word) != spelling(other):
                near[distance].append(other)
        return dict(near)


def swapped(title: str, neighbours: Neighbours, draw: random.Random) -> str | None:
    """Returns the title with one word for another that looks like it, None where none of its words has any."""
    places = _places(title)
    draw.shuffle(places)
    for place in places:
        if near := neighbours.of(place[0].lower()):
            other = draw.choice(near[draw.choice(sorted(near))])
            return _with(title, place, other)
    return None


def slipped(title: str, draw: random.Random) -> str | None:
    """Returns the title with a letter dropped, doubled or swapped, None where that makes words of all its words."""
    places = _places(title)
    draw.shuffle(places)
    for place in places:
        made = [word for word in _slips(place[0].lower(), draw) if not is_word(word) and word != place[0].lower()]
        if made:
            return _with(title, place, made[0])
    return None


def verdict(written: Title, true: Title, *, authors: tuple[str, ...] = ()) -> tuple[str, bool]:
    """Returns the status of a mention where there is one other paper, and whether that is its first candidate."""
    told = Mention(line=1, last_line=1, title=written.text, year=written.year, authors=authors)
    paper = Candidate(source="mirror", title=true.text, authors=("Ada Roe", "Bob Low"), year=true.year)
    judged = judge(told, [paper])
    return judged.status, bool(judged.ranked) and judged.ranked[0].candidate == paper


def read_traps() -> list[dict[str, Any]]:
    """Returns the rows of `traps.jsonl`: a mention, a candidate, and whether they are the same paper."""
    return [json.loads(line) for line in (HERE / "traps.jsonl").read_text(encoding="utf-8").splitlines()]


def trap_status(trap: dict[str, Any]) -> str:
    """Returns the status of the mention of a row of `traps.jsonl`, where its candidate is all that there is."""
    told, true = (
        {key: tuple(value) if isinstance(value, list) else value for key, value in trap[side].items()}
        for side in ("mention", "candidate")
    )
    mention = Mention(line=1, last_line=1, **told)
    return judge(mention, [Candidate(**{"source": "s2", **true})]).status


def swaps_of(titles: Iterable[Title], seed: int = 11) -> Iterator[tuple[Title, Title]]:
    """Yields titles with one word swapped beside the true ones; those that leave nothing to swap are passed over."""
    neighbours, draw = Neighbours(), random.Random(seed)
    for title in titles:
        if (changed := swapped(title.text, neighbours, draw)) is not None:
            yield Title(title.archive, changed, title.year), title


def slips_of(titles: Iterable[Title], seed: int = 13) -> Iterator[tuple[Title, Title]]:
    """Yields titles with one slip of the pen beside the true ones."""
    draw = random.Random(seed)
    for title in titles:
        if (changed := slipped(title.text, draw)) is not None:
            yield Title(title.archive, changed, title.year), title


def _places(title: str) -> list[tuple[str, int, int]]:
    return [(match[0], match.start(), match.end()) for match in _WORD.finditer(title)]


def _slips(word: str, draw: random.Random) -> list[str]:
    at = draw.randrange(1, len(word) - 1)
    made = [word[:at] + word[at + 1 :], word[:at] + word[at] + word[at:]]
    if word[at] != word[at + 1]:
        made.append(word[:at] + word[at + 1] + word[at] + word[at + 2 :])
    draw.shuffle(made)
    return made


def _with(title: str, place: tuple[str, int, int], word: str) -> str:
    written, start, end = place
    cased = word.upper() if written.isupper() else word.capitalize() if written[0].isupper() else word
    return title[:start] + cased + title[end:]
