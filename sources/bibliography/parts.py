"""Parts, volumes and editions in titles: "Part II", "Teil 2", "III", "2nd ed.". Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from sources.bibliography.titles import fold

_ROMAN_ONES = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
# Roman numerals below 40, in small letters, and what they count; a single letter may be an initial.
ROMAN = {
    tens + ones: str(10 * number + digit)
    for number, tens in enumerate(("", "x", "xx", "xxx"))
    for digit, ones in enumerate(_ROMAN_ONES)
    if tens + ones
}
_ROMAN = r"(?:X{0,2}(?:IX|IV|V?I{1,3})|X{1,2}V?|V)"
_CARDINALS = (
    "one|eins|un|uno|один", "two|zwei|deux|dos|due|dois|два", "three|drei|trois|tres|tre|três|три",
    "four|vier|quatre|cuatro|quattro|quatro|четыре", "five|fünf|cinq|cinco|cinque|пять", "six|sechs|seis|sei|шесть",
    "seven|sieben|sept|siete|sette|sete|семь", "eight|acht|huit|ocho|otto|oito|восемь",
    "nine|neun|neuf|nueve|nove|девять", "ten|zehn|dix|diez|dieci|dez|десять",
)  # fmt: skip
_ORDINALS = (
    "first|erste[rsn]?|premi(?:ère|er)|primera|primeira|prima|eerste|första|første|pierwsza|první|primul|перв(?:ая|ое)",
    "second|zweite[rsn]?|deuxième|seconde?|segunda|seconda|tweede|andra|anden|druga|druhá|doua|втор(?:ая|ое)|друга",
    "third|dritte[rsn]?|troisième|tercera|terceira|terza|derde|tredje|trzecia|třetí|трет(?:ья|ье)|третя",
    "fourth|vierte[rsn]?|quatrième|cuarta|quarta|vierde|fjärde|fjerde|czwarta|čtvrtá|четв[её]рт(?:ая|ое)|четверта",
    "fifth|fünfte[rsn]?|cinquième|quinta|vijfde|femte|piąta|pátá|пят(?:ая|ое)",
    "sixth|sechste[rsn]?|sixième|sexta|sesta|zesde|sjätte|sjette|szósta|šestá|шест(?:ая|ое)|шоста",
    "seventh|siebte[rsn]?|siebente[rsn]?|septième|séptima|sétima|settima|zevende|sjunde|syvende|седьм(?:ая|ое)",
    "eighth|achte[rsn]?|huitième|octava|oitava|ottava|achtste|åttonde|ottende|восьм(?:ая|ое)",
    "ninth|neunte[rsn]?|neuvième|novena|nona|negende|nionde|niende|девят(?:ая|ое)",
    "tenth|zehnte[rsn]?|dixième|décima|decima|tiende|tionde|десят(?:ая|ое)",
)
_COUNT = rf"(?:\d{{1,2}}|[ivx]{{1,5}}|(?-i:[A-H])|{'|'.join(_CARDINALS)})(?!\w)"
_ORDINAL = (
    r"(?:\d{1,2}\s?(?:st|nd|rd|th|\.|-?e|-?a|-?o|ème|ère|er|re|ª|º|°|-?я|-?е|-?ое)?|[IVX]{1,4}\.?|revised|new|"
    rf"{'|'.join(_ORDINALS)})"
)
_PART = (
    r"(?:parts?|pt|volume|vol|book|teil|band|bd|partie|parte|partea|tome|tomo|livro|libro|deel|del|bind|część|cz|tom|část|díl|"
    r"časť|dio|часть|ч|том|т|частина|частка|rész|kötet|osa|bölüm|kısım|cilt|μέρος|bagian|phần|dalis)"
)
_EDITION = (
    r"(?:ed(?:ition|n|ición|ició|ição|izione)?|éd(?:ition)?|auflage|aufl|ausgabe|uitgave|druk|upplaga|uppl|utgave|udgave|"
    r"wydanie|wyd|vydání|издание|изд|kiadás|painos|baskı)(?!\w)"
)
_UNSPACED = (
    r"第\s?[一二三四五六七八九十\d]{1,3}\s?(?:部分?|編|编|篇|卷|巻|册|冊|版|報|报|分册)|その\s?[一二三四五六七八九十\d]{1,3}|"
    r"[上中下](?:篇|编|編|卷|巻|册|冊)|제\s?\d{1,3}\s?(?:부|권|편|판)"
)
_NAMED = (
    rf"{_PART}\.?\s?{_COUNT}|{_ORDINAL}\s{_PART}(?!\w)|{_PART}\s{_ORDINAL}(?!\w)|{_ORDINAL}\s{_EDITION}\.?|"
    rf"{_EDITION}\.?\s\d{{1,2}}(?!\w)|{_UNSPACED}"
)
_BARE = rf"{_ROMAN}(?!\w)"
_ENDS = r"(?=\s*(?:$|[.,:;)\]}\x1d\n\v|(\[*_\"”“»'<]|[-–—]+\s))"
# The name of a part at a place in a text: with a word for it, or a Roman number by itself before a mark.
LABEL = re.compile(rf"(?i:{_NAMED})|{_BARE}{_ENDS}")
BRACKETED = re.compile(rf"(?i:{_NAMED})|{_BARE}|[一二三四五六七八九十上中下]")  # the same as all that a bracket holds
_LABEL_BEHIND = re.compile(rf"(?:(?:^|[\s(\[])(?i:{_NAMED})|[.,:;(–—-]\s?{_BARE})[)\]]?\.?$")
_LONGEST = 28
_SHORTEST_BEFORE_PART = 4
_BEFORE_LABEL = re.compile(r"[\s.,:;()\[–—-]+")
_NUMBER_OR_WORD = re.compile(r"\d+|[^\W\d_]+")
_OF_EDITION = re.compile(rf"(?i:{_EDITION})|版")
_ORDINAL_WORD = re.compile(fold("|".join(f"({form})" for form in _ORDINALS)))
_CARDINAL_WORD = re.compile(fold("|".join(f"({form})" for form in _CARDINALS)))
_HAN_NUMBERS = "一二三四五六七八九十"
_MARK_UP = r"\]\([^()\s]*\)|</?\w+>"
_DIGIT_BEHIND = re.compile(
    rf"(?:[ ?!*_\"”“»'’`)}}]|{_MARK_UP})*(?<=[ *_)])([1-9])(?=[ \t]*(?:$|[.,:;|)\]}}*_\n])| [-–—(])"
)
# How many parts there are, before the name of one: "In two parts. Part I".
_NUMBER_OF_PARTS = re.compile(rf"(?i:in (?:\d|{'|'.join(_CARDINALS)}) (?:parts|volumes|books)[\s.,:;–—-]+)")
_WORD = re.compile(r"\w+")
_LONGEST_WORD = 12
_JOINTS = frozenset(".,:;-–—。，： \t")
_BETWEEN = re.compile(rf"(?:[\s.,:;?!*_\"”“»'’`|)}}–—-]|{_MARK_UP})*[(\[（]?")
_VOLUME_OF_JOURNAL = re.compile(r"(?i:(?:vol|bd|т)\.?\s?\d+\)?[\s,.;:(]*(?:no|nr|pp?|issue|iss|№)\b)")


def stands_between(text: str, at: int, after: int) -> bool:
    """Returns whether what stands at `at` to `after` can part a title from its part: a stop, a colon, a dash..."""
    return _JOINTS.issuperset(text[at:after])


def is_inside_part(text: str, at: int) -> bool:
    """Returns whether the stop at `at` stands within the name of a part: "2. Teil"."""
    if text[at : at + 1] != ".":
        return False
    starts = (match.start() for match in _WORD.finditer(text, max(at - _LONGEST_WORD, 0), at))
    labels = (LABEL.match(text, start) for start in starts if start == 0 or not text[start - 1].isalnum())
    return any(label is not None and label.end() > at + 1 for label in labels)


def part_at(text: str, position: int) -> str | None:
    """Returns the name of a part that begins at `position`, behind blanks; None where none does."""
    while text[position : position + 1] == " ":
        position += 1
    match = LABEL.match(text, position)
    return match[0] if match else None


def ends_with_part(text: str) -> bool:
    """Returns whether `text` ends with the name of a part."""
    return _LABEL_BEHIND.search(text[-_LONGEST:]) is not None


def part_in(title: str) -> tuple[int, int, tuple[str, ...]]:
    """Returns where the name of a part begins and ends in a title, and what it counts, as `parts_behind` tells it."""
    for match in _BEFORE_LABEL.finditer(title, _SHORTEST_BEFORE_PART):
        if parts := parts_behind(title, match.start()):
            return match.start(), parts[-1][1], tuple(part for part, _ in parts)
    return len(title), len(title), ()


def parts_behind(text: str, position: int) -> list[tuple[str, int]]:
    """Returns what the names of parts count that stand in an entry at `position`, right behind a title, and their ends.

    That is a number, a letter, or the like, with what is counted where that is editions: "2", "b", "2 ed". What is the
    volume of a journal is none.
    """
    found: list[tuple[str, int]] = []
    if digit := _DIGIT_BEHIND.match(text, position):
        position = digit.end()
        found.append((digit[1], position))
    while True:
        start = _BETWEEN.match(text, position).end()  # type: ignore[union-attr]  # it matches nothing, too
        if number := _NUMBER_OF_PARTS.match(text, start):
            start = number.end()
        match = LABEL.match(text, start) if start > position and not _VOLUME_OF_JOURNAL.match(text, start) else None
        if match is None:
            return found
        position = match.end()
        found.append((_counted(match[0]), position))


@lru_cache(maxsize=4096)
def ordinal(word: str) -> str | None:
    """Returns the number that a folded word stands for as an ordinal of one of many languages, "zweiter": "2"."""
    match = _ORDINAL_WORD.fullmatch(word)
    return str(match.lastindex) if match else None


def _counted(label: str) -> str:
    """Returns what the name of a part counts: equal ones do so in whatever language and numerals."""
    words = [fold(word) for word in _NUMBER_OR_WORD.findall(label)]
    readings = (
        *(str(int(word)) for word in words if word.isdecimal()),
        *(ROMAN[word] for word in words if word in ROMAN),
        *(number for word in words if (number := ordinal(word))),
        *(str(match.lastindex) for word in words if (match := _CARDINAL_WORD.fullmatch(word))),
        *(str(at) for at, sign in enumerate(_HAN_NUMBERS, 1) if sign in label),
        *(sign for sign in "上中下" if sign in label),
        *(word for word in words if len(word) == 1),
    )
    number = next(iter(readings), label.casefold())
    return f"{number} ed" if _OF_EDITION.search(label) else number
