"""Words of titles: which exist, how frequent they are, how they are spelled, and which prefixes change meaning.

The words and their frequencies are data files beside this module, made by `benchmarks/reading/lexicon.py`;
`data/words.LICENSE.txt` states their sources and terms. They are read when a word is first looked up, not at import.
"""

from __future__ import annotations

import lzma
import re
from functools import cache, lru_cache
from importlib.resources import files

WORDS = "words.txt.xz"  # the words, folded as `sources.bibliography.titles` folds them, sorted, one a line
# The frequent words of titles, each with the number of titles in a million that have it.
FREQUENCIES = "frequencies.tsv"
LEAST_FREQUENT = 1 / 3_200  # the smallest share of titles for which a word is among the frequent ones


@lru_cache(maxsize=65536)
def is_listed(word: str) -> bool:
    """Returns whether the folded `word` is in the lexicon, as it stands or with the `s` of a possessive or plural."""
    return _in_list(word) or (len(word) > 4 and word[-1] == "s" and word[-2] != "s" and _in_list(word[:-1]))


def frequency(word: str) -> float:
    """Returns the share of titles that have the folded `word`, 0 to 1; 0 where it is below `LEAST_FREQUENT`."""
    return _frequencies().get(word, 0.0)


def frequent_words() -> frozenset[str]:
    """Returns the words that stand in at least `LEAST_FREQUENT` of all titles."""
    return frozenset(_frequencies())


def _in_list(word: str) -> bool:
    """Returns whether a line of the list is `word`. The list is searched as it is: as a set it takes ten times more."""
    words, wanted = _words(), word.encode()
    low, high = 0, len(words)
    while low < high:
        start = words.rfind(b"\n", 0, (low + high) // 2) + 1
        end = words.find(b"\n", start)
        line = words[start:end]
        if line == wanted:
            return True
        if line < wanted:
            low = end + 1
        else:
            high = start
    return False


@cache
def _words() -> bytes:
    return lzma.decompress(_data(WORDS))


@cache
def _frequencies() -> dict[str, float]:
    lines = _data(FREQUENCIES).decode().splitlines()
    return {word: int(count) / 1_000_000 for word, count in (line.split("\t") for line in lines)}


def _data(name: str) -> bytes:
    return (files(__package__) / "data" / name).read_bytes()


# Spellings of one word, in the order in which they are put into one form.
_SPELLINGS = (
    (re.compile(r"ae(?=\w{3})|(?<=\w{3})ae(?=\w)"), "e"),
    (re.compile(r"^oe(?=[cdnst]\w{3})|(?<=f)oe(?=t)|(?<=rrh)oe|(?<=hom)oe|(?<=am)oe(?=b)|^(?<=c)oe(?=l)"), "e"),
    (re.compile(r"(?<=[aeiouy][^aeiou])is(e|es|ed|er|ers|ing|ation|ations|able)$"), r"iz\1"),
    (re.compile(r"ys(e|es|ed|er|ers|ing)$"), r"yz\1"),
    (re.compile(r"^(\w*[aeiou]\w+)our(s|ed|ing|al|able|hood|ist|less|ful)?$"), r"\1or\2"),
    (re.compile(r"^(?!timbre)(\w*[aeiou]\w*[bdt])re(s|d)?$"), r"\1er\2"),
    (re.compile(r"(?<=[aeiou])(?P<between>[a-z]+[aeiou])ll(ed|er|ers|ing|ings|ment|ments)$"), r"\g<between>l\2"),
    (re.compile(r"^(appa|disti|enro|fulfi|insta|insti)ll$"), r"\1l"),
    (re.compile(r"(?<=[aeiou]l)ogue(s)?$"), r"og\1"),
    (re.compile(r"ence(s)?$"), r"ense\1"),
    (re.compile(r"xion(s)?$"), r"ction\1"),
    (re.compile(r"(?<=[dg])ement(s|al)?$"), r"ment\1"),
    (re.compile(r"^grey"), "gray"),
    (re.compile(r"^artefact"), "artifact"),
    (re.compile(r"^aluminium"), "aluminum"),
    (re.compile(r"^enquir"), "inquir"),
    (re.compile(r"^sceptic"), "skeptic"),
    (re.compile(r"sulph"), "sulf"),
    (re.compile(r"(?<=m)ould"), "old"),
    (re.compile(r"ageing$"), "aging"),
    (re.compile(r"(?<=\w\w)wards$"), "ward"),
    (re.compile(r"^programme$"), "program"),
)
# Prefix -> its usual form: a word with one of them is not the word without it, nor the word with another.
_PREFIXES = {
    prefix: group.split(",")[0]
    for group in (
        "un non in,im,il,ir dis,des de a,an anti,анти counter contra,kontra,контра inter,интер,меж,mezi,miedzy "
        "intra,интра,внутри intro extra,экстра over,uber,sobre,sovra,nad,над under,unter,onder,pod,под sub,суб "
        "re super,супер supra hypo,hipo,ipo,гипо,гіпо hyper,hiper,iper,гипер,гіпер pre,пре,пред,przed "
        "post,пост,после,nach pro ex en,em,e endo,эндо exo,egzo,ekso,экзо ecto,ekto macro,makro,макро "
        "meso,mezo,мезо micro,mikro,микро nano,нано uni bi,би di tri,три tetra,тетра mono,моно poly,poli,поли "
        "multi,мульти homo,гомо hetero,гетеро homeo iso,изо syn,sym trans cis ortho,orto meta para semi quasi "
        "neo mis co,con,com per be up down out fore back mal eu dys tachy,taqui,tachi,taky,тахи "
        "brady,bradi,бради ab ad ante retro infra,инфра ultra,ультра mega,мега auto,авто pseudo proto allo "
        "epi,эпи peri,пери photo thermo electro bio geo vor sur sous sotto"
    ).split()
    for prefix in group.split(",")
}
# Endings that stand against each other: a nitrate is no nitrite, an employer no employee.
_SUFFIXES = tuple(
    tuple(group.split())
    for group in ("ate ite ide", "ane ene yne ine", "ol al one yl ose ase", "or ee", "er ee", "less ful", "ous ic")
)
_SHORTEST_STEM = 3


@lru_cache(maxsize=65536)
def is_word(word: str) -> bool:
    """Returns whether the word is one of a language, in whichever spelling, and so no slip of the pen."""
    return is_listed(word) or (len(word) > 6 and is_listed(spelling(word)))


@lru_cache(maxsize=65536)
def root(word: str) -> str:
    """Returns what all forms of the word have in common, in one spelling: the word without plural and verb endings.

    It serves only to compare two words that are otherwise alike.
    """
    word = spelling(word)
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 3 and (word.endswith("ae") or (word.endswith("s") and not word.endswith(("ss", "us", "is")))):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if len(word) >= len(ending) + 4 and word.endswith(ending):
            word = word[: -len(ending)]
            return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


@lru_cache(maxsize=65536)
def spelling(word: str) -> str:
    """Returns the word in the one of its spellings that stands for all."""
    if len(word) < 4:
        return word
    for pattern, replacement in _SPELLINGS:
        word = pattern.sub(replacement, word)
    return word


def opposed(shorter: str, longer: str) -> bool:
    """Returns whether prefixes or endings that change the meaning are all that tells the two words apart.

    What is left of a word by its first letters is opposed to it only if it is a word: `daptive` is `adaptive` mistyped,
    and a prefix is another only if it differs by more than a letter lost: `unversal` is `universal` mistyped.
    """
    ours, others = _without_prefixes(shorter), _without_prefixes(longer)
    for rest in ours.keys() & others.keys():
        short, long = sorted((ours[rest], others[rest]), key=len)
        lost = len(long) == len(short) + 1 and any(long[:at] + long[at + 1 :] == short for at in range(len(long)))
        if is_word(shorter) if rest == shorter else short != long and not lost:
            return True
    mine, theirs = _without_endings(shorter), _without_endings(longer)
    return any(theirs.get(stem, ending) != ending for stem, ending in mine.items())


@lru_cache(maxsize=65536)
def _without_prefixes(word: str) -> dict[str, str]:
    """Returns what is left of the word without each prefix that it has -> the prefix, and the word itself -> nothing.

    First letters that come twice, as in `coconversion`, are no prefix.
    """
    prefixes = [prefix for prefix in _PREFIXES if word.startswith(prefix) and not word.startswith(2 * prefix)]
    rests = {word.removeprefix(prefix): _PREFIXES[prefix] for prefix in prefixes}
    return {word: ""} | {rest: usual for rest, usual in rests.items() if len(rest) > 3}


@lru_cache(maxsize=65536)
def _without_endings(word: str) -> dict[tuple[str, int], str]:
    """Returns what is left of the word, in the singular, without an ending, and the ending's group -> the ending."""
    single = word.removesuffix("s")
    return {
        (single.removesuffix(ending), group): ending
        for group, endings in enumerate(_SUFFIXES)
        for ending in endings
        if single.endswith(ending) and len(single) - len(ending) >= _SHORTEST_STEM
    }
