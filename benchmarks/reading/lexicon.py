"""Builds the lexicon that matching tells slips of the pen from words with: `sources/bibliography/data`.

    python -m benchmarks.reading.lexicon TITLES.parquet WORDS... [--out FOLDER]

TITLES.parquet has a column `title`. Each of WORDS is a list of words, one a line, as Debian's packages
wamerican-insane, wbritish-insane and wspanish install them in /usr/share/dict; their terms are in
`words.LICENSE.txt` beside the result. The same input gives the same files. A word of titles is taken where at least
three titles have it, unless it is more likely a misspelling: rare, and one slip away from a far more frequent word.
"""

from __future__ import annotations

import argparse
import lzma
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from sources.bibliography import lexicon
from sources.bibliography.titles import fold, title_words

FEWEST_TITLES = 3
"""Titles that must have a word which no list has."""
_RARE = 20
"""Titles below which a word may be a misspelling that was made several times."""
_TIMES_AS_FREQUENT = 50
"""How much more frequent the word is that such a misspelling stands for."""
_SHORTEST_MISSPELT = 5
_LISTED = re.compile(r"[a-z]{3,}")
_COUNTED = re.compile(r"[a-z]{2,}")
"""Of two letters the lists have mostly abbreviations; those of titles are taken where they are frequent."""


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("titles", type=Path)
    arguments.add_argument("words", type=Path, nargs="+")
    arguments.add_argument("--out", type=Path, default=Path("sources/bibliography/data"))
    options = arguments.parse_args()
    counted, titles = count_words(read_titles(options.titles))
    listed = set().union(*map(read_words, options.words))
    of_titles = words_of_titles(counted, titles, listed)
    write_words(options.out / lexicon.WORDS, listed | of_titles)
    write_frequencies(options.out / lexicon.FREQUENCIES, counted, titles)
    print(f"{len(listed | of_titles):,} words: {len(listed):,} of the lists, {len(of_titles):,} of {titles:,} titles")


def read_titles(path: Path) -> list[str]:
    import pyarrow.parquet as pq

    return [title for title in pq.read_table(path, columns=["title"])["title"].to_pylist() if title]


def read_words(path: Path) -> set[str]:
    """Returns the folded words of a list; a possessive is no word beside its noun, and an abbreviation is none."""
    lines = path.read_text(encoding="utf-8").splitlines()
    plain = (fold(line).replace("'", "") for line in lines if not line.endswith("'s") and not line.isupper())
    return {word for line in plain for word in _LISTED.findall(line)}


def count_words(titles: Iterable[str]) -> tuple[Counter[str], int]:
    """Returns in how many titles each word of letters stands, and how many titles there are."""
    counted: Counter[str] = Counter()
    number = 0
    for title in titles:
        number += 1
        counted.update({word for word in title_words(title).words if _COUNTED.fullmatch(word)})
    return counted, number


def words_of_titles(counted: Counter[str], titles: int, listed: set[str]) -> set[str]:
    """Returns the words that enough of the titles have and no list does, misspellings left out."""
    of_two = titles * lexicon.LEAST_FREQUENT
    fewest = (FEWEST_TITLES if len(word) > 2 else of_two for word in counted)
    taken = {word for word, least in zip(counted, fewest, strict=True) if counted[word] >= least}
    return {word for word in taken - listed if not _is_misspelling(word, counted)}


def _is_misspelling(word: str, counted: Counter[str]) -> bool:
    titles = counted[word]
    if titles >= _RARE or len(word) < _SHORTEST_MISSPELT:
        return False
    return any(counted[other] >= _TIMES_AS_FREQUENT * titles for other in _one_slip_away(word) if other in counted)


def _one_slip_away(word: str) -> Iterator[str]:
    """Yields what `word` is with a letter dropped, doubled or replaced, or two swapped; not its plural or singular."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    for at in range(len(word)):
        if not (at == len(word) - 1 and word[at] == "s"):
            yield word[:at] + word[at + 1 :]
        yield from (word[:at] + letter + word[at + 1 :] for letter in letters)
        yield from (word[:at] + letter + word[at:] for letter in letters)
        yield word[:at] + word[at : at + 2][::-1] + word[at + 2 :]


def write_words(path: Path, words: Iterable[str]) -> None:
    text = "".join(f"{word}\n" for word in sorted(words))
    path.write_bytes(lzma.compress(text.encode(), format=lzma.FORMAT_XZ, preset=9 | lzma.PRESET_EXTREME))


def write_frequencies(path: Path, counted: Counter[str], titles: int) -> None:
    shares = {word: 1_000_000 * count // titles for word, count in counted.items() if _LISTED.fullmatch(word)}
    least = 1_000_000 * lexicon.LEAST_FREQUENT
    lines = (f"{word}\t{share}\n" for word, share in sorted(shares.items()) if share >= least)
    path.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
