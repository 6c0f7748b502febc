"""Normalises titles to keys and words, without their typography, and reads parts in them ("Part II"). Pure, linear."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

# Characters of a title that are read as words; what is longer is no title, and comparing must stay cheap.
MAX_TITLE = 1000

_LETTER_COMMANDS = {"o": "o", "l": "l", "i": "i", "j": "j", "ss": "ss", "ae": "ae", "oe": "oe", "aa": "a"}
_STYLES = frozenset(
    "emph text textbf textit textsc texttt textrm textsf textnormal textsuperscript textsubscript mathcal mathbf "
    "mathrm mathit mathbb mathsf mathfrak mathtt bm boldsymbol bf it rm em sc tt sf left right operatorname "
    "ensuremath mbox hbox protect uppercase lowercase".split()
)
_ACCENT = re.compile(r"\\[`'^\"~=.]\s*\{?\s*\\?([A-Za-z])\s*\}?")
_LETTER_ACCENT = re.compile(r"\\[cvuHkrbdt](?:\s*\{\s*\\?([A-Za-z])\s*\}|\s+([A-Za-z])\b)")
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?\s*")

_GREEK = dict(
    zip(
        "αβγδεζηθικλμνξοπρστυφχψω",
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi "
        "chi psi omega".split(),
        strict=True,
    )
)
_LETTERS = str.maketrans(
    {**_GREEK, "ø": "o", "đ": "d", "ð": "d", "ł": "l", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i", "ħ": "h", "×": "x"}
)
_MARKS = re.compile("[\u0300-\u036f\ufe00-\ufe0f]")

_PLUS_PLUS = re.compile(r"(?<=[^\W_])\+\+")
_PLUS = re.compile(r"(?<=[^\W_])\+(?![\w+])")
_SHARP = re.compile(r"(?<=\b[a-z])#")
_AMPERSAND = re.compile(r"(?<=\s)&(?=\s)")
_SPECIAL = frozenset("\\$&+#{}")

_APOSTROPHES = re.compile("['\u2019\u2018\u02bc`\u00b4]")
_WORD = re.compile(r"[^\W_]+")
_SIGN = re.compile(r"[(\[]([+\u00b1\u2010-\u2013\u2212-]|\+/-)[)\]]")
_MINUS = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"))
_GLUE = re.compile(r"([\s/\u2010-\u2013-]+)")
_ASCII_REST = re.compile(r"[^a-z0-9]+")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_CUT = re.compile(r"\s*[:;?!\u2014\u2015|]+\s*|\s+[-\u2010-\u2013~]+\s+|\s+[(\[]|(?<=\w{3})\.+\s+|\.{3,}\s*")


@dataclass(frozen=True, slots=True)
class TitleWords:
    """A title as words, with the places where a colon, a dash, a bracket or a full stop parts it."""

    words: tuple[str, ...]  # folded words, in order
    raw: tuple[str, ...]  # the same words as written, with their capitals
    cuts: frozenset[int] = frozenset()  # indices of the words that begin a new part; 0 is never among them
    commas: frozenset[int] = frozenset()  # indices of the words that follow a comma
    joined: frozenset[int] = frozenset()  # indices of the words that a hyphen or a slash joins to the one before
    signs: tuple[str, ...] = ()  # plus and minus signs in brackets, as chemists write them, in order
    cut_off: bool = False  # whether the title ends in an ellipsis

    @property
    def head(self) -> int:
        """Returns the length of the first part, 0 where the title has only one."""
        return min(self.cuts, default=0)


def plain(text: str) -> str:
    """Returns `text` without TeX, HTML entities, accents and compatibility forms; capitals and punctuation stay."""
    if text.isascii() and _SPECIAL.isdisjoint(text):
        return text
    text = html.unescape(text)
    if "\\" in text:
        text = _ACCENT.sub(r"\1", text)
        text = _LETTER_ACCENT.sub(lambda match: match[1] or match[2], text)
        text = _COMMAND.sub(_command, text)
    text = text.replace("$", "").replace("{", "").replace("}", "").replace("\\", "")
    composed = unicodedata.normalize("NFKC", text)
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", composed)))


@lru_cache(maxsize=65536)
def fold(text: str) -> str:
    """Returns `text` in lower case without TeX, HTML entities, accents and ligatures; punctuation stays."""
    bare = plain(text)
    if bare.isascii():
        return bare.lower()
    bare = _APOSTROPHES.sub("", unicodedata.normalize("NFKC", bare.casefold()))
    letters = _MARKS.sub("", unicodedata.normalize("NFD", bare)).translate(_LETTERS)
    return unicodedata.normalize("NFKC", letters).casefold()


@lru_cache(maxsize=65536)
def title_key(title: str) -> str:
    """Returns the key under which equal titles meet: letters and digits of the folded title, nothing else.

    Cheap, total and idempotent; empty where the title holds neither letter nor digit, and an empty key equals nothing.
    """
    folded = _spelled_out(fold(title))
    if folded.isascii():
        return _ASCII_REST.sub("", folded)
    return "".join(
        character for character in folded if (character.isalnum() or unicodedata.category(character) in ("Mn", "Mc"))
    )


def title_keys(title: str) -> tuple[str, ...]:
    """Returns the keys to look a title up by, the most trusted first: whole, without system name, without subtitle.

    Only the first is the title itself; what the others find must still be judged.
    """
    bare = plain(title)
    cuts = list(_CUT.finditer(bare))[:6]
    tails = [bare[cut.end() :] for cut in cuts[:1] if 0 < len(bare[: cut.start()].split()) <= 3]
    heads = [bare[: cut.start()] for cut in reversed(cuts) if cut.start() > 0 and cut.end() < len(bare)]
    whole, *others = map(title_key, (bare, *tails, *heads))
    return tuple(dict.fromkeys([whole] * bool(whole) + [key for key in others if len(key) >= 12]))


@lru_cache(maxsize=8192)
def title_words(title: str) -> TitleWords:
    """Returns the title as words; ideographs and kana, which are written without spaces, are words of one character."""
    words: list[str] = []
    raw: list[str] = []
    cuts: list[int] = []
    commas: list[int] = []
    joined: list[int] = []
    bare = plain(title[:MAX_TITLE]).strip()
    for part in _CUT.split(bare):
        before = len(words)
        for written, word, is_joined in _words_of(part):
            if raw and raw[-1].endswith(","):
                commas.append(len(words))
            if is_joined:
                joined.append(len(words))
            words.append(word)
            raw.append(written)
        if before and len(words) > before:
            cuts.append(before)
    return TitleWords(
        tuple(words),
        tuple(raw),
        cuts=frozenset(cuts),
        commas=frozenset(commas),
        joined=frozenset(joined),
        signs=tuple(sign.translate(_MINUS) for sign in _SIGN.findall(bare)),
        cut_off=bare.endswith("..."),
    )


def _words_of(part: str) -> Iterator[tuple[str, str, bool]]:
    """Yields each word as it is written and folded, and whether a hyphen or a slash joins it to the one before."""
    before, *pieces = _GLUE.split(part)
    for glue, chunk in zip(("", *pieces[::2]), (before, *pieces[1::2]), strict=True):
        folded = _APOSTROPHES.sub("", _spelled_out(fold(chunk)))
        is_joined = bool(glue) and not glue.isspace()
        for word in _WORD.findall(folded):
            letters = list(word) if _UNSPACED.search(word) else [word]
            for piece in letters:
                yield chunk, piece, is_joined
                is_joined = False


def _spelled_out(folded: str) -> str:
    """Returns folded text with the marks that tell one system from another ("C++", "PointNet++") as words."""
    if "+" in folded:
        folded = _PLUS.sub(" plus ", _PLUS_PLUS.sub(" plusplus ", folded))
    if "&" in folded:
        folded = _AMPERSAND.sub("and", folded)
    return _SHARP.sub(" sharp ", folded) if "#" in folded else folded


def _command(match: re.Match[str]) -> str:
    name = match[1]
    if name in _STYLES:
        return ""
    return _LETTER_COMMANDS.get(name, f"{name} " if match[0][-1].isspace() else name)


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
_UNSPACED_NUMBERING = (
    r"第\s?[一二三四五六七八九十\d]{1,3}\s?(?:部分?|編|编|篇|卷|巻|册|冊|版|報|报|分册)|その\s?[一二三四五六七八九十\d]{1,3}|"
    r"[上中下](?:篇|编|編|卷|巻|册|冊)|제\s?\d{1,3}\s?(?:부|권|편|판)"
)
_NAMED = (
    rf"{_PART}\.?\s?{_COUNT}|{_ORDINAL}\s{_PART}(?!\w)|{_PART}\s{_ORDINAL}(?!\w)|{_ORDINAL}\s{_EDITION}\.?|"
    rf"{_EDITION}\.?\s\d{{1,2}}(?!\w)|{_UNSPACED_NUMBERING}"
)
_BARE = rf"{_ROMAN}(?!\w)"
_ENDS = r"(?=\s*(?:$|[.,:;)\]}\x1d\n\v|(\[*_\"”“»'<]|[-–—]+\s))"
# The name of a part at a place in a text: with a word for it, or a Roman number by itself before a mark.
LABEL = re.compile(rf"(?i:{_NAMED})|{_BARE}{_ENDS}")
BRACKETED = re.compile(rf"(?i:{_NAMED})|{_BARE}|[一二三四五六七八九十上中下]")  # the same as all that a bracket holds
_LABEL_BEHIND = re.compile(rf"(?:(?:^|[\s(\[])(?i:{_NAMED})|[.,:;(–—-]\s?{_BARE})[)\]]?\.?$")
# The last word of what ends with the name of a part; most texts have another there, and are not searched for one.
_LAST_WORD = re.compile(
    rf"(?:.*[.,:;(\[–—-])?(?:(?i:{_PART}|(?:{_PART}\.?)?{_COUNT}|{_ORDINAL}|{_EDITION})|{_BARE})|.*\d|.*[\u2e80-\uffff]"
)
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
_ANY_WORD = re.compile(r"\w+")
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
    starts = (match.start() for match in _ANY_WORD.finditer(text, max(at - _LONGEST_WORD, 0), at))
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
    ending = text[-_LONGEST:]
    last = ending.rstrip(")].").rsplit(None, 1)[-1:]
    return bool(last) and _LAST_WORD.fullmatch(last[0]) is not None and _LABEL_BEHIND.search(ending) is not None


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
        found.append((_counted_by_label(match[0]), position))


@lru_cache(maxsize=4096)
def ordinal(word: str) -> str | None:
    """Returns the number that a folded word stands for as an ordinal of one of many languages, "zweiter": "2"."""
    match = _ORDINAL_WORD.fullmatch(word)
    return str(match.lastindex) if match else None


def _counted_by_label(label: str) -> str:
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
