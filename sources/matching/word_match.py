"""Compares words of titles: when two are the same word, and which words only one title has. Pure.

The words that only one title has are divided by place: a name before, a tail behind, or words inside.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from rapidfuzz.distance import OSA

from sources.bibliography.lexicon import frequency, is_word, opposed, root, spelling
from sources.bibliography.titles import ROMAN, TitleWords, ordinal

# What single words of titles say: how much they prove, whether they reverse a title, or mark a work about another.


ARTICLES = frozenset({"a", "an", "the"})
# Words that join others; alone they prove nothing.
LINKING = ARTICLES | frozenset(
    "of in for and with by from via using to on at as into over through its their or that we our within s".split()
)
# Of these, those that reverse a title where one replaces another.
DIRECTIONS = frozenset("from to into over through by".split())
# Words that turn a title into its opposite, or into an answer to it.
NEGATIONS = frozenset(
    "not no non without never cannot cant dont doesnt isnt arent wont neither nor nothing none against anti un beyond "
    "considered harmful fails failure myth".split()
)
# Words that make a question or a comparison of a title.
QUESTIONS = frozenset(
    "is are was were be do does did can could should would will may might how why what when where which who whether "
    "if than versus vs".split()
)
SEQUELS = frozenset(
    "survey surveys review reviews reviewed overview tutorial primer introduction benchmark benchmarks revisit "
    "revisits revisiting revisited rethink rethinks rethinking rethought reconsidering reconsidered reexamining "
    "reassessing reloaded comment comments commentary reply replies response rebuttal discussion remark remarks note "
    "notes correction corrections corrigendum erratum errata addendum retraction retracted supplement supplementary "
    "supplemental appendix replication replicating replicability reproducing reproducibility reproduction critique "
    "critical rejoinder summary amended abridged keynote invited panel letter session criticism editorial preface "
    "foreword workshop proceedings thesis dissertation poster demo part volume ii iii iv plus plusplus sharp xl "
    "strikes "
    "rezension rezensionen besprechung buchbesprechung kommentar anmerkungen bemerkungen berichtigung berichtigungen "
    "nachtrag einfuhrung einleitung uberblick erwiderung entgegnung vorwort teil "
    "recension compte rendu commentaire commentaires remarques rectificatif reponse partie tome synthese "
    "resena resenas recensiones comentario comentarios respuesta correccion fe introduccion parte tomo revision "
    "prologo recensione recensioni commento risposta introduzione rassegna errata corrige "
    "resenha resenhas resposta introducao revisao recensie boekbespreking inleiding deel reactie naschrift "
    "recenzja recenzje wstep uwagi czesc recenze recenzija anmeldelse recensioner "
    "рецензия рецензии отзыв отзывы комментарии комментарии ответ поправка исправление опечатки введение часть том "
    "обзор замечания послесловие рецензіі рецензія відгук частина "
    "ismertetes recenzio konyvismertetes arvostelu kirjaarvostelu oikaisu rattelse rettelse sprostowanie duzeltme "
    "resensi recenzie rezumat βιβλιοκρισια διορθωση مراجعة تعقيب تصحيح نقد ביקורת תיקון समीक्षा "
    "서평 정오표 개관 속편".split()
)
"""Words by which another work is made out of a paper: surveys, replies, sequels, replications; wherever they stand.

Beside the English ones those that German, French, Spanish, Italian, Portuguese, Dutch, Scandinavian and Slavic journals
and others put before or behind a title for reviews, replies, corrections, introductions and parts; folded.
"""
# Words of which titles of many works consist, such as "Editorial" and "Introduction to the Special Issue".
GENERIC = SEQUELS | frozenset(
    "a an and at by board book books chair chairs conclusion conclusions contents cover editor editors email for from "
    "front guest in index issue issues its matter memoriam message news obituary of on prologue epilogue the this to "
    "special section theme title welcome conference symposium abstracts program programme committee committees "
    "acknowledgment acknowledgments acknowledgement acknowledgements reviewers in our "
    "der die das zum zur des le la les du de el los las al del e y et und".split()
)
# The same of titles in ideographs, where each character is a word; they are all that a name or a tail says.
UNSPACED_SEQUELS = frozenset(
    "书评 書評 评论 評論 述评 综述 綜述 勘误 勘誤 更正 回复 答复 回應 补遗 補遺 訂正 正誤 続 続編 续 续编 付録 入門 "
    "上 中 下 上卷 中卷 下卷 上册 下册".split()
)
# Words that name another edition of a paper, which only the authors can tell from another paper.
EDITIONS = frozenset("extended abstract full long short version edition technical report preprint tr".split())
# What a number before it counts in the name of a part or an edition: "2nd ed.", "2. Teil"; folded.
NUMBERED = frozenset(
    "ed edn edition editions edicion edicio edicao edizione auflage aufl ausgabe uitgave druk upplaga utgave udgave "
    "wydanie vydani издание изд uppl wyd kiadas painos teil band partie tome parte tomo deel part pt volume vol "
    "book bd band cz tom del часть ч том т".split()
)
# What a subtitle says that makes a companion of a work: the plan of a trial, a guide to a book; articles aside.
COMPANIONS = (
    "study protocol",
    "trial protocol",
    "protocol for a",
    "rationale and design",
    "design and rationale",
    "statistical analysis plan",
    "readers guide",
    "study guide",
    "teachers guide",
    "instructors manual",
    "teachers manual",
    "solutions manual",
    "workbook",
    "problems book",
    "sourcebook",
)
# Words in which titles of events end: what follows a colon then is a contribution to it, not its subtitle.
EVENTS = frozenset("challenge competition contest task track workshop".split())
# Words that make another title when they stand inside a title or before it; a subtitle may have them itself.
SHIFTS = SEQUELS | frozenset(
    "reviewing introductory benchmarking towards toward improving improved improves improvement improvements "
    "enhancing enhanced extending extended extension extensions perspective perspectives position viewpoint "
    "comparison comparative comparing evaluation evaluating assessment understanding analyzing analysis explaining "
    "demystifying investigating investigation study case report lessons challenge competition demonstration summary "
    "variant variants alternative beating faster better deeper generalized generalizing accelerating accelerated "
    "speeding scaling scalable simplifying simplified lite mini tiny pro max turbo next embedded efficient fast".split()
)

_CARDINALS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_NUMBER_WORDS = {
    word: str(number)
    for words, first in ((_CARDINALS, 0), (_ORDINALS, 1))
    for number, word in enumerate(words.split(), first)
}
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
_VERSION = re.compile(r"v(?:er|ersion)?(\d+)")
_DIGIT = re.compile(r"\d")
_VERY_COMMON, COMMON = 1 / 100, 1 / 400  # shares of all titles above which a word proves little, and less than most


@lru_cache(maxsize=65536)
def weight(word: str) -> int:
    """Returns how much a word proves, 0 to 4: nothing for `of`, most for a word that few titles have."""
    if word in LINKING or word in QUESTIONS:
        return 0
    share = frequency(word)
    if share >= _VERY_COMMON or (len(word) == 1 and not word.isdigit()):
        return 1
    if share >= COMMON or len(word) == 2:
        return 2
    return 3 if share else 4


@lru_cache(maxsize=65536)
def is_familiar(word: str) -> bool:
    """Returns whether the word is frequent in titles, and so is no name that was made up for one system."""
    return frequency(word) > 0 or word in LINKING or word in QUESTIONS


@lru_cache(maxsize=65536)
def number_in(word: str) -> str | None:
    """Returns the number that a word states (`2nd`, `two`, `II`, `v2`, `zweiter`: `2`), None for words without one."""
    if value := _NUMBER_WORDS.get(word) or (len(word) > 1 and ROMAN.get(word)) or ordinal(word):
        return value
    if match := _ORDINAL.fullmatch(word) or _VERSION.fullmatch(word):
        return match[1]
    return word if _DIGIT.search(word) else None


def are_numerals(word: str, other: str) -> bool:
    """Returns whether both words are Roman numerals, of one letter too; of other words the letter may be one."""
    return word in ROMAN and other in ROMAN


def makes_another_title(word: str) -> bool:
    """Returns whether the word, inside a title or before it, makes another title of it."""
    return word in SHIFTS or word in NEGATIONS or word in QUESTIONS or number_in(word) is not None


def is_edition(words: Sequence[str]) -> bool:
    """Returns whether words say only which edition this is: "(extended version)", "technical report"."""
    return bool(words) and all(word in EDITIONS or word in LINKING for word in words)


def is_part(subtitle: Sequence[str]) -> bool:
    """Returns whether a subtitle names a part or a companion of the work: a number, a century, a guide to it."""
    text = f" {' '.join(subtitle)} "
    is_numbered = len(subtitle) <= 2 and any(map(number_in, subtitle)) and EDITIONS.isdisjoint(subtitle)
    return is_numbered or is_part_number(subtitle) or any(f" {name} " in text for name in COMPANIONS)


def is_part_number(tail: Sequence[str]) -> bool:
    """Returns whether the words that end a title are the number of a part, such as "Part 2" or "I"."""
    return len(tail) <= 2 and (number_in(tail[-1]) is not None or are_numerals(tail[-1], tail[-1]))


# same: letter for letter. variant: another spelling, or the same number otherwise. inflected: another form of the word,
# as a plural. typo: no word, and a typing error explains it. misread: off by a letter or two, and it may be another
# word. rival: alike, but another word.
WordMatch = Literal["same", "variant", "inflected", "typo", "misread", "rival"]

FARTHEST = 3  # the most letters by which a word may differ and still be the other one mistyped, or be taken for it


@lru_cache(maxsize=65536)
def compare_words(written: str, true: str, *, own: bool = False) -> WordMatch | None:
    """Returns how two words are the same or only look alike; None where they do neither.

    There is a typing error only where the word written is no word itself: `hypokalemia` is not `hyperkalemia` mistyped,
    nor is a coined `DRQN` a mistyped `DQN`; and only where the other one is known to be a word: of two gene names,
    neither is the other mistyped.

    With `own`, the word written is known to be no typing error: it is coined, or other titles have it.
    """
    if written == true:
        return "same"
    number, other = number_in(written), number_in(true)
    if spelling(written) == spelling(true) or (number and number == other):
        return "variant"
    if not number and not other and root(written) == root(true) and is_word(written):
        return "inflected"
    shorter, longer = sorted((written, true), key=len)
    if are_numerals(written, true) or opposed(shorter, longer):
        return "rival"
    if (number or other) and ((number and other) or is_word(written) or not (written + true).isalpha()):
        return "rival" if _look_alike(written, true) else None
    slip = _slip(written, true, len(shorter), own=own)
    if slip is None and _look_alike(written, true):
        slip = "rival" if own or is_word(written) else "misread"
    return slip


def _slip(written: str, true: str, length: int, *, own: bool) -> WordMatch | None:
    """Returns whether `written` is `true` mistyped; how far it may be from it depends on what kind of word it is."""
    distance = OSA.distance(written, true, score_cutoff=FARTHEST)
    if distance > FARTHEST or (length < 4 and written[0] != true[0]):
        return None
    if own or is_word(written):
        return "misread" if distance <= 1 <= length - 4 else None
    # Of four letters another one makes another word (BART and BERT), a lost or moved one does not.
    replaced = len(written) == len(true) and sorted(written) != sorted(true)
    if distance <= _letters_off(true, length, replaced=replaced):
        return "typo"
    if length >= 6:
        return "misread" if distance <= 2 else None
    return "misread" if distance == 1 and length > (4 if replaced else 3) else None


def _letters_off(true: str, length: int, *, replaced: bool) -> int:
    """Returns by how many letters something that is no word may differ from `true`; `length` is that of the shorter."""
    share = frequency(true)
    if length < 5 and (true in LINKING or share >= COMMON):
        return 1
    if not is_word(true) or length < (5 if replaced else 4):
        return 0
    if share:
        return 1 if length < 6 else 2 if length < 10 else 3
    return 1 if length < 7 else 2


def _look_alike(written: str, true: str) -> bool:
    most = min(FARTHEST, max(len(written), len(true)) // 2)
    return OSA.distance(written, true, score_cutoff=most) <= most


def slipped_apart(written: str, true: str) -> bool:
    """Returns whether words that are joined on one side are the same but for a typing error."""
    if is_word(written) or number_in(written) != number_in(true) or opposed(*sorted((written, true), key=len)):
        return False
    most = 1 if min(len(written), len(true)) < 9 else 2
    return OSA.distance(written, true, score_cutoff=most) <= most


_DIGITS = re.compile(r"\d+")


def near_name(text: str, other: str, *, in_capitals: bool = False) -> bool:
    """Returns whether one of two systems' names may be the other mistyped; the rest of the titles must then decide.

    Digits, and marks of a sequel, are never typing errors: YOLOv3 is not YOLOv4. Nor is a letter in the place of
    another in a name in capitals, such as a gene's: KRAS is not NRAS.
    """
    if in_capitals and len(text) == len(other) and sorted(text) != sorted(other):
        return False
    if _DIGITS.findall(text) != _DIGITS.findall(other) or opposed(*sorted((text, other), key=len)):
        return False
    allowed = 1 if min(len(text), len(other)) < 6 else 2
    return OSA.distance(text, other, score_cutoff=allowed) <= allowed


_CAPITAL_INSIDE = re.compile(r"[a-z][A-Z]|[A-Z]{2,}[a-z]")
_COINED = re.compile(r"[a-z][A-Z]|[A-Z]{2}|[A-Za-z]\d|\d[A-Za-z]")
_MIXED = re.compile(r"(?=.*[a-z][A-Z])[A-Za-z]+")
# As if made up for one system, of small and capital letters mixed or otherwise; or plain.
NameForm = Literal["mixed", "coined", "plain"]
LONGEST_NAME = 3  # words that a system's name before a title has at most
# Letters of a symbol such as mRNA or IgA, at most; most longer ones of that kind are in the lexicon.
_LONGEST_SYMBOL = 4


@dataclass(frozen=True, slots=True)
class Residue:
    """The words that only one of two titles has, by their place."""

    name: tuple[str, ...] = ()  # a system's name before the title
    glued: bool = False  # whether nothing parts the name from the title, so that it may be a word of it
    coined: bool = False  # whether the name looks made up for one system
    capitals: bool = False  # whether the name has no small letter
    wordy: bool = False  # whether the name has several words, none with capitals or digits inside
    tail: tuple[str, ...] = ()  # words after everything that is common
    at_cut: bool = False  # whether the tail begins a part of its own
    numbered: bool = False  # whether the tail begins with the number of a part: "II. Applications", "2nd ed.".
    inside: tuple[str, ...] = ()  # words before or between the common ones, without articles
    links: tuple[str, ...] = ()  # words inside that only join others

    @property
    def gap(self) -> int:
        """Returns how many distinctive words there are, without a system's name."""
        return sum(weight(word) > 0 for word in self.inside + self.tail)

    def __bool__(self) -> bool:
        return bool(self.name or self.tail or self.inside or self.links)


def residue_of(title: TitleWords, unmatched: Sequence[int], name_ends: AbstractSet[int]) -> Residue:
    """Returns a title's unmatched words by their place; a name may end at one of `name_ends`."""
    if not unmatched:
        return Residue()
    # Words at the front are a system's name: a short first part, or a coined word.
    name = _leading(unmatched)
    if name not in name_ends or name > LONGEST_NAME:
        name = int(name == 1 and len(title.words) > 1 and is_coined(title.raw[0], title.words[0]))
    tail = _tail_start(title, unmatched)
    inside = [title.words[index] for index in unmatched if name <= index < tail and title.words[index] not in ARTICLES]
    front = title.words[unmatched[0]] if unmatched[0] == 0 and not name else ""
    turning = [word for word in inside if word not in LINKING or (word == front == "on")]
    return Residue(
        name=title.words[:name],
        glued=name == 1 and name not in name_ends,
        coined=any(map(is_coined, title.raw[:name], title.words[:name])),
        capitals=in_capitals(*title.raw[:name]),
        wordy=name > 1 and not any(map(looks_coined, title.raw[:name])),
        tail=title.words[tail:],
        at_cut=tail in title.cuts,
        numbered=_is_numbered(title, tail),
        inside=tuple(turning),
        links=tuple(word for word in inside if word not in turning),
    )


def _is_numbered(title: TitleWords, tail: int) -> bool:
    """Returns whether the words from `tail` on begin with the number of a part, and a mark behind it."""
    words = title.words[tail : tail + 3]
    if words[:1] and words[0] in NUMBERED and any(number_in(word) or are_numerals(word, word) for word in words[1:2]):
        return True
    if not words or (number_in(words[0]) is None and not are_numerals(words[0], words[0])):
        return False
    is_parted = title.raw[tail][-1] in ".)" or tail + 1 in {*title.cuts, *title.commas, len(title.words)}
    return is_parted or not NUMBERED.isdisjoint(words[1:])


def in_capitals(*words: str) -> bool:
    """Returns whether words as written have letters, and no small ones."""
    return "".join(words).isupper()


def looks_coined(raw: str) -> bool:
    """Returns whether a word is written like a system's name: with capitals or digits inside."""
    return _COINED.search(raw) is not None


def is_coined(raw: str, word: str) -> bool:
    """Returns whether a word looks made up for one system: capitals or digits inside, and no word of other titles."""
    return not is_familiar(word) and looks_coined(raw)


def _is_unusual_name(raw: str, word: str) -> bool:
    """Returns whether a word before a title is a system's name and no word, number, or name of something in nature.

    Genes, diseases and stars have digits in their names; a word of a language may have capitals inside as a name.
    """
    if is_familiar(word) or _DIGIT.search(raw):
        return False
    return not is_word(word) or _CAPITAL_INSIDE.search(raw) is not None


def form_of_name(raw: Sequence[str], words: Sequence[str]) -> NameForm | None:
    """Returns how the name before a title looks, None where it is made of words, numbers or names in nature.

    Of a name that mixes small and capital letters there is no second system.
    """
    if not any(map(_is_unusual_name, raw, words)):
        return None
    if not any(map(is_coined, raw, words)):
        return "plain"
    is_mixed = len(words) == 1 and len(words[0]) > _LONGEST_SYMBOL and not is_word(words[0])
    return "mixed" if is_mixed and _MIXED.fullmatch(raw[0].strip(":,")) else "coined"


def _tail_start(title: TitleWords, unmatched: Sequence[int]) -> int:
    """Returns where the unmatched words that end the title begin; the title's length where it ends matched.

    Of a tail that begins within a part no word is left out, not even an article.
    """
    start = len(title.words)
    for index in reversed(unmatched):
        if index != start - 1:
            break
        start = index
    return start if start else len(title.words)


def without_idle(title: TitleWords, unmatched: Sequence[int], idle: frozenset[str]) -> tuple[int, ...]:
    """Returns the unmatched words without idle ones at the front and at the end."""
    start = _tail_start(title, unmatched)
    front = _leading(unmatched)
    remaining = [index for index in unmatched if front <= index < start]
    tail = [index for index in unmatched if index >= start]
    head = [index for index in unmatched if index < front]
    return (*_unless_idle(title, head, idle), *remaining, *_unless_idle(title, tail, idle))


def _leading(unmatched: Sequence[int]) -> int:
    return next((number for number, index in enumerate(unmatched) if index != number), len(unmatched))


def _unless_idle(title: TitleWords, run: list[int], idle: frozenset[str]) -> list[int]:
    words = [title.words[index] for index in run]
    proves_nothing = any(word in idle for word in words) and all(word in idle or word in LINKING for word in words)
    return [] if proves_nothing else run
