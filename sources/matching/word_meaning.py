"""What single words of titles say: how much they prove, whether they reverse a title, or mark a work about another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from sources.bibliography.lexicon import frequency
from sources.bibliography.parts import ROMAN, ordinal

ARTICLES = frozenset({"a", "an", "the"})
LINKING = ARTICLES | frozenset(
    "of in for and with by from via using to on at as into over through its their or that we our within s".split()
)
"""Words that join others; alone they prove nothing."""
DIRECTIONS = frozenset("from to into over through by".split())
"""Of these, those that turn what a title says where one stands for another."""
NEGATIONS = frozenset(
    "not no non without never cannot cant dont doesnt isnt arent wont neither nor nothing none against anti un beyond "
    "considered harmful fails failure myth".split()
)
"""Words that turn a title into its opposite, or into an answer to it."""
QUESTIONS = frozenset(
    "is are was were be do does did can could should would will may might how why what when where which who whether "
    "if than versus vs".split()
)
"""Words that make a question or a comparison of a title."""
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
GENERIC = SEQUELS | frozenset(
    "a an and at by board book books chair chairs conclusion conclusions contents cover editor editors email for from "
    "front guest in index issue issues its matter memoriam message news obituary of on prologue epilogue the this to "
    "special section theme title welcome conference symposium abstracts program programme committee committees "
    "acknowledgment acknowledgments acknowledgement acknowledgements reviewers in our "
    "der die das zum zur des le la les du de el los las al del e y et und".split()
)
"""Words of which titles of many works consist, such as "Editorial" and "Introduction to the Special Issue"."""
UNSPACED_SEQUELS = frozenset(
    "书评 書評 评论 評論 述评 综述 綜述 勘误 勘誤 更正 回复 答复 回應 补遗 補遺 訂正 正誤 続 続編 续 续编 付録 入門 "
    "上 中 下 上卷 中卷 下卷 上册 下册".split()
)
"""The same of titles in ideographs, where each character is a word; they are all that a name or a tail says."""
EDITIONS = frozenset("extended abstract full long short version edition technical report preprint tr".split())
"""Words that name another edition of a paper, which only the authors can tell from another paper."""
NUMBERED = frozenset(
    "ed edn edition editions edicion edicio edicao edizione auflage aufl ausgabe uitgave druk upplaga utgave udgave "
    "wydanie vydani издание изд uppl wyd kiadas painos teil band partie tome parte tomo deel part pt volume vol "
    "book bd band cz tom del часть ч том т".split()
)
"""What a number before it counts in the name of a part or an edition: "2nd ed.", "2. Teil"; folded."""
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
"""What a subtitle says that makes a companion of a work: the plan of a trial, a guide to a book; articles aside."""
EVENTS = frozenset("challenge competition contest task track workshop".split())
"""Words in which titles of events end: what follows a colon then is a contribution to it, not its subtitle."""
SHIFTS = SEQUELS | frozenset(
    "reviewing introductory benchmarking towards toward improving improved improves improvement improvements "
    "enhancing enhanced extending extended extension extensions perspective perspectives position viewpoint "
    "comparison comparative comparing evaluation evaluating assessment understanding analyzing analysis explaining "
    "demystifying investigating investigation study case report lessons challenge competition demonstration summary "
    "variant variants alternative beating faster better deeper generalized generalizing accelerating accelerated "
    "speeding scaling scalable simplifying simplified lite mini tiny pro max turbo next embedded efficient fast".split()
)
"""Words that make another title when they stand inside a title or before it; a subtitle may have them itself."""

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
_VERY_COMMON, COMMON = 1 / 100, 1 / 400
"""Shares of all titles above which a word proves little, and less than most."""


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
