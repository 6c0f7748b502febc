"""Author lists as they are written: "J Dean, S Ghemawat.", "Dean, J., & Ghemawat, S. (2004)", "Dean et al."..."""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib import resources
from typing import NamedTuple
from zlib import crc32

from sources.bibliography.venues import ACRONYMS, WHOLE_NAMES
from sources.bibliography.years import YEAR_DIGITS, is_year
from sources.lists.reading.title_model import CJK, FUNCTION_WORDS

# How much words read like those of a person's name, and not like those of a title.
#
# A word's odds are how often authors of real papers have it beside how often titles do; a second figure is how often
# it is their given name beside their family name. Both are in data/names.bin, by checksum of the word;
# `python -m benchmarks.model` counts them.

STEP = 0.05  # what one unit of stored odds is worth, in natural logarithms

_OF_TITLES = -2.5  # the odds below which a word is a title's

MOST_ODDS = 5.0  # what the odds of one word are at most, in natural logarithms: a word decides less than two

_INITIAL_WEIGHT = 2.0  # what the initials of a name count together, as one word does; "A" may be none

_LAST_LATIN = "\u024f"  # the last letter of the alphabets in which the counted names are written

NAME_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")  # a word as names and titles hold it

SELDOM = ""  # key of the default odds for unknown words, which are more often names

_BYTES_OF_WORD = 6

_FAMILY = -1.5  # the logarithm of the odds of a given name below which a word is a family name


@lru_cache(maxsize=32768)
def word_odds(word: str) -> float:
    """Returns the logarithm of the odds that `word` is of a person's name and not of a title; 0 is even."""
    if len(word) == 1:
        return _INITIAL_WEIGHT / 2 if word == "A" else _INITIAL_WEIGHT
    if not word or word[0] > _LAST_LATIN:
        return 0.0
    units = _units_by_code().get(word_code(word))
    if units is None and len(parts := word.strip("-").split("-")) > 1:
        return sum(map(word_odds, parts)) / len(parts)
    return STEP * (_units_by_code()[word_code(SELDOM)] if units is None else units)[0]


def is_family_name(word: str) -> bool:
    """Returns whether `word` is known as a family name, and seldom as a given name."""
    units = _units_by_code().get(word_code(word))
    return units is not None and STEP * units[1] < _FAMILY


def is_given_name(word: str) -> bool:
    """Returns whether `word` is known as a name, and seldom as a family name."""
    return word_odds(word) >= SURE_NAMES and not is_family_name(word)


def word_code(word: str) -> int:
    """Returns the checksum under which `word` is stored, in whatever case."""
    return crc32(word.lower().encode("utf-8", "replace"))


def name_odds(words: Sequence[str]) -> float:
    """Returns the mean of the odds of `words`, all initials being one word; 0 where there are none."""
    odds = [word_odds(word) for word in words if len(word) > 1]
    if len(odds) < len(words):
        odds.append(max(word_odds(word) for word in words if len(word) == 1))
    return sum(odds) / len(odds) if odds else 0.0


@lru_cache(maxsize=1)
def _units_by_code() -> dict[int, tuple[int, int]]:
    """Returns the checksums of the known words, each with its two odds in units of `STEP`."""
    content = resources.files("sources.lists.reading").joinpath("data/names.bin").read_bytes()
    count = len(content) // _BYTES_OF_WORD
    codes, odds = array("I", content[: 4 * count]), array("b", content[4 * count :])
    if sys.byteorder == "big":
        codes.byteswap()
    return dict(zip(codes, zip(odds[::2], odds[1::2], strict=True), strict=True))


def forget() -> None:
    """Clears the caches, after the odds have been written anew."""
    _units_by_code.cache_clear()
    word_odds.cache_clear()


class Authors(NamedTuple):
    """Names read from the start of a text, where they end in it, and how sure it is that these are names."""

    names: tuple[str, ...]
    end: int
    sure: bool = True
    others: bool = False


# What stands for the authors of the entry above: "____. Title", "———, Title", "Idem, Title".
SAME_AUTHORS = re.compile(
    r"\s*(?:(?:_{3,}|[-–—―]{2,})\s?[.,:;]|(?:[Ii]dem|[Ee]adem|[Ii]d\.|[Ee]ad\.|[Dd](?:ers|ies)(?:\.|elben?\b))[,:]?)\s"
)
SAME = "____"  # the name that stands for them until the entry above is known

YEAR_IN_BRACKETS = rf"(?:\x1d{{6,8}}|\({YEAR_DIGITS}[a-z]?\))"  # or what one that was taken out left
# What stands before the last name of a list.
_AND_WORDS = "and|&|und|et|y|e|и|og|och|és|ve|ja|oraz|i|și|şi|ir|dan|và|та|і|και"
UPPER = r"A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĞĢĪİĶĹĻĽŁŃŅŇŌŐŒŔŘŚŞŠŢŤŪŮŰŹŻŽΑ-ΩА-Я"
_LOWER_PART = (
    r"(?:van|von|der|den|dem|de|la|di|da|das|do|dos|del|della|degli|du|le|ten|ter|bin|ben|ibn|al|el|zu|zum|zur|af|av|"
    r"st\.|['’][st])"
)
# What a surname begins with in small letters, up to the next word: "van der ", "al-", "d'".
_PARTICLES = rf"(?:{_LOWER_PART}[ \n]|(?:al|el|ben|ibn|ul)-|(?:d|l|dell|dall|de)['’](?=[{UPPER}]))"
_WORD = rf"(?![A-Z][a-z]{{1,8}}[A-Z]{{2}})[{UPPER}][^\W\d_]++(?:['’–-][^\W\d_]++)*+|[{UPPER}]['’][{UPPER}][^\W\d_]++"
_ONE_INITIAL = rf"[{UPPER}][huyzsжюяеё]?\."  # one letter, or two that stand for one: "Th.", "Gy.", "Дж."
_INITIALS = rf"{_ONE_INITIAL}(?:[ \n]?-?{_ONE_INITIAL})*"
_PART = rf"(?:{_INITIALS}|[{UPPER}]{{1,3}}(?![^\W\d_]|['’])|[JS]r\.?(?!\w)|III?\b|{_WORD})"
_GAP = r"(?:(?<=\.)|[ ]|\n(?![^\n]{0,20}:))"
_FORWARD = rf"{_PARTICLES}{{0,3}}{_PART}(?:{_GAP}{_PARTICLES}{{0,3}}{_PART}){{0,5}}"
# The last initial may be small, as Mendeley writes it, or be followed by a particle: "Diaz, D. a.", "Vries, M. de".
_INVERTED = (
    rf"{_PARTICLES}{{0,3}}(?:{_WORD})(?:-(?:{_WORD}))?,[ \n]{{0,2}}(?:{_INITIALS})"
    r"(?:[ ](?:[a-z]\.?|van|von|de|der|den|du|da|di)(?=[,.]|$|\s[&(‘“„«\"]))?(?![^\W\d_])"
)
# The same with a surname of several words, behind which another name or the year must follow.
_INVERTED_LONG = (
    rf"{_PARTICLES}{{0,3}}(?:{_WORD}|St\.)(?:[ -](?:(?:y|i) |{_PARTICLES}{{1,2}})?(?:{_WORD})){{1,2}},"
    rf"[ \n]?(?:{_INITIALS})"
    rf"(?=[,;]|\s?[&(\x1d]|\s(?:{_AND_WORDS})\s|\s{YEAR_DIGITS}\.)"
)
_SURNAME_FIRST = (
    rf"{_PARTICLES}{{0,3}}(?:{_WORD})(?:[ -](?:{_WORD}))?[ \n](?:{_INITIALS}|"
    rf"(?:[{UPPER}](?: [{UPPER}]){{1,2}}|[{UPPER}]{{1,3}})(?: [JS]r\b)?(?![^\W\d_]|\.[{UPPER}]))"
)
# The same with initials that have no stops, as Harvard style has them: "Rao, S, Silva, JL & Chen, M 1985".
_INVERTED_PLAIN = (
    rf"{_PARTICLES}{{0,3}}(?:{_WORD})(?:-(?:{_WORD}))?,[ ][{UPPER}]{{1,3}}"
    rf"(?=,|\s?&|\s(?:{_AND_WORDS})\s|\s?\x1d|\s\(?{YEAR_DIGITS})"
)
_FORWARD_NAME, _SURNAME_FIRST_NAME = re.compile(_FORWARD), re.compile(_SURNAME_FIRST)
_LONGEST_FAMILY = 100  # how many signs a family name of several words and particles has at most
_STRAIGHT = (_FORWARD_NAME, _SURNAME_FIRST_NAME)  # forms of names without a comma
_NAMES = (*map(re.compile, (_INVERTED, _INVERTED_LONG, _INVERTED_PLAIN)), *_STRAIGHT)
# A family name with initials before a word, which may be of the title: "Chen S. OctNet: Learning ...".
_FAMILY_AND_INITIALS = re.compile(
    rf"({_PARTICLES}{{0,3}}(?:{_WORD})(?:-(?:{_WORD}))?)[ \n](?:{_INITIALS})(?=\s({_WORD}))"
)
_SIGNS = "*∗†‡§¶‖⋆#¹²³⁴⁵"  # what names are marked with, to say who wrote as much as others and where they work
_SEPARATOR = re.compile(
    rf"[\s\x1d{_SIGNS}]*(?:,\s*(?:{_AND_WORDS})\s|;\s*(?:(?:{_AND_WORDS})\s)?|,\s*|\s(?:{_AND_WORDS})\s|\s?&\s?|"
    rf"\sa\s(?={_WORD} (?:{_INITIALS} )?[{UPPER}]{{3}})|/(?=[^\W\d_]+\.? [^\W\d_])|、|，|；)\s*"
)
_PARTICLE = re.compile(_PARTICLES)
_CHINESE_COMMA = re.compile(r"[、，,]\s?")
_CHINESE_NAMES = re.compile(
    r"((?:[\u4e00-\u9fff]{2,4}[、，,]\s?){0,6}[\u4e00-\u9fff]{2,4}?)[、，,]?\s?(?:等人?|et al\.?|ら)(?![\u3040-\u9fff])"
)
_ASIAN_JOINT = r"(?:\s?[、，,;；・·]\s?(?:&\s?)?|\s&\s)"  # what stands between the names
_ASIAN = CJK.pattern
# Names before a title in quotation marks, or before one with a stop behind it, and then the place and the year.
_CITED_NAMES = re.compile(
    rf"((?:{_ASIAN}{{2,5}}{_ASIAN_JOINT}){{0,12}}{_ASIAN}{{2,5}})\s?"
    r"(?:(?=[「『《“][^\n]{4,90}[」』》”].{0,60}(?<!\d)(?:19|20)\d\d(?!\d))|"
    r"[.．。]\s?(?=[^\n.．。]{4,90}[.．。].{0,60}(?<!\d)(?:19|20)\d\d(?!\d)))"
)
_ASIAN_NAME = rf"(?:{_ASIAN}{{1,3}}[ \u3000]{_ASIAN}{{1,3}}(?!{_ASIAN})|{_ASIAN}{{2,5}}(?!{_ASIAN}))"
# Names before what parts them from a title; those of topics look the same.
_ASIAN_NAMES = re.compile(
    rf"({_ASIAN_NAME}(?:(?:{_ASIAN_JOINT}|[ \u3000]){_ASIAN_NAME}){{0,12}})"
    r"(?=\s?(?:[:：;；]\s?[^\s\d]|[.．。]\s|[，,]?\s?[「『《“\x1d]|[，,]\s?[^\n\v\x1d，,、.。]{9,}))"
)
_SPACED_NAME = re.compile(rf"{_ASIAN}{{1,3}}[ \u3000]{_ASIAN}{{1,3}}")  # as Japanese writes family and given name
_YEAR_LATER = re.compile(rf"\x1d{{6}}|(?<!\d){YEAR_DIGITS}(?!\d)")
_ASIAN_DATED = re.compile(rf"[.．。]?\s?{YEAR_IN_BRACKETS}[.．。]")
_ASIAN_FULL_NAME = re.compile(_ASIAN_NAME)
_ASIAN_COMMA = re.compile(_ASIAN_JOINT)
# Family names that most people of China, Japan and Korea have, or how they begin.
_SURNAMES = frozenset(
    "王李张張刘劉陈陳杨楊赵趙黄黃周吴吳徐孙孫胡朱高林何郭马馬罗羅梁宋郑鄭谢謝韩韓唐冯馮于董萧蕭程曹袁邓鄧"
    "许許傅沈曾彭吕呂苏蘇卢盧蒋蔣蔡贾賈丁魏薛叶葉阎閻余潘杜戴夏钟鍾汪田任姜范方石姚谭譚廖邹鄒熊金陆陸郝孔"
    "白崔康毛邱秦江史顾顧侯邵孟龙龍万萬段雷钱錢汤湯尹黎易常武乔喬贺賀赖賴龚龔文庞龐樊兰蘭殷施陶洪翟安颜顏"
    "倪严嚴牛温溫芦季俞章鲁魯葛伍韦韋申尤毕畢聂聶丛焦向柳邢路岳齐齊梅莫庄莊辛管祝左涂谷祁时時舒耿牟卜詹关"
    "關苗凌费費纪紀靳盛童欧歐甄项項曲成游阳陽裴席卫衛查屈鲍鮑位覃霍翁隋植甘景薄单單包司柏宁寧柯阮桂闵解强"
    "柴华華车車冉房边邊辜吉饶饒刁瞿戚丘古米池滕晋晉苑邬臧畅宫"
).union(
    "欧阳 歐陽 司马 司馬 上官 诸葛 諸葛 佐藤 鈴木 高橋 田中 伊藤 渡辺 渡邊 山本 中村 "
    "小林 加藤 吉田 山田 佐々 山口 松本 井上 木村 斎藤 清水 山崎 池田 橋本 阿部 石川 "
    "山下 中島 石井 小川 前田 岡田 長谷 藤田 後藤 近藤 村上 遠藤 青木 坂本 斉藤 福田 "
    "太田 西村 藤井 金子 岡本 藤原 中野 三浦 原田 中川 松田 竹内 小野 田村 中山 和田 "
    "石田 森田 上田 柴田 酒井 工藤 横山 宮崎 宮本 内田 高木 谷口 安藤 丸山 今井 大野 "
    "高田 菅原 河野 武田 藤本 上野 杉山 千葉 村田 増田 小島 小山 大塚 平野 久保 松井 "
    "渡部 佐野 古川 島田 水野 高野 吉川 山内 西田 西川 北村 安田 五十嵐 川口 中田 平田 川崎 川﨑 本田 飯田 "
    "吉村 服部 浅野 小田 荒井 中井 川上 岩田 大西 大島 松下 片山 荒木 星野 黒田 尾崎 土屋 須藤 成田 早川 "
    "望月 永井 大久 内藤 松村 石原 秋山 大橋 熊谷 川村 田口 大石 川島 鎌田 吉岡 小松 樋口 矢野 堀内 広瀬 "
    "福島 北川 宮田 奥村 井口 松岡 三宅 岸本 児玉 広田 根本 川端 関口 武藤 中西 八木 沢田 富田 田島 浜田 "
    "馬場 岡崎 牧野 森本 荻野 白石 大川 栗原 川田 飯塚 西山 吉野 片岡 小池 山中 佐久 町田 平井 古谷 金澤 "
    "金沢 北条 水上 長田 須田 篠田 坂井 梶原 西岡 梅田 大森 竹田 松原 松浦 竹中 田辺 榎本 日野 小西 高山 "
    "石塚 杉本 関根 河合 土井 藤岡 森山 三好 若林 小泉 神田 山﨑 齋藤 吉永 堀江 久野 平林 北原 "
    "岩崎 桜井 野口 松尾 野村 木下 菊地 菊池 新井 永田 塚田 長尾 森 林 原 金 朴 김 이 "
    "박 최 정 강 조 윤 장 임 한 오 서 신 권 황 안 송 전 홍 유 고 문 양 손 배 백 "
    "허 남 심 노 하 곽 성 차 주 우 구 나 민 진 지 엄 채 원 천 방 공 현 함 변 염".split()
)
_AND = re.compile(rf"\s(?:{_AND_WORDS})\s")
OTHERS = re.compile(
    r"[\s\x1d]*,?\s*(?:(?:and|&)\s+)?(?:et\.?,?\s*al(?:ii)?\b\.?,?|e al\.|u\.\s?a\.|"
    r"e\.\s?a\.|m\.\s?fl\.|a kol\.|ve ark\.|e cols\.|y (?:otros|cols?\.?)|"
    r"и др\.|i (?:drugi|dr\.|in\.)|"
    r"等人?(?:著)?|ら(?=[\s,.(]|$)|"
    r"(?:and\s)?others\b|(?:and|&)\sthe\s(?-i:(?:[A-Z][\w’'-]*\s(?:of\s)?){1,5}(?:Group|Team|Consortium|Collaboration))|"
    r"…|\.\.\.)",
    re.IGNORECASE,
)
_DOTS = re.compile(r"\s*,?\s*(?:…|\.\.\.)\s*(?:,\s*)?(?:&\s*|and\s+)?")
_FOLLOWS = re.compile(
    rf"[\s\x1d{_SIGNS}]*(?:$|[.:;(\[“\"「《«\n\v\x1d,，；、&…–—|·•]|-\s|/(?:/|(?=[^\W\d_]+\.? [^\W\d_]))|"
    rf"et\b|e al\b|and\b|und\b|(?:{_AND_WORDS})\s|others\b|[ue]\.\s?a|m\.\s?fl|a kol|等|ら|"
    rf"{YEAR_DIGITS}(?!\d))",
    re.IGNORECASE,
)
SURNAME = re.compile(rf"(?:{_LOWER_PART} )?(?:[OD]['’])?[{UPPER}][^\W\d_]*[^\W\d_{UPPER}](?:[-'’ ][{UPPER}][^\W\d_]+)?")
_ENDS = re.compile(rf"[\s{_SIGNS}]*(?:$|[.:(\[“\"「《«\n\v\x1d,，。；;]|[-–—|·•]\s|//\s|{YEAR_DIGITS}(?!\d))")
# The beginning of a sentence of three words or more: a title, where surnames stand before it.
_TITLE_NEXT = re.compile(rf"[.,]\s+[{UPPER}\d][^\s.]*(?:\s+[^\s.]+){{2}}")
# Where a word for "by" begins, with nothing but names behind it, which are its second group, up to where the stretch
# ends.
_SIGNED = re.compile(
    rf"\s(?=(by|de|do|da|von|di|del|par|av|af|door)\s+"
    rf"((?:{_WORD}|{_INITIALS})(?:,?\s(?:(?:and|et|y|e|und|og|en|&|de|van|von)\s)?(?:{_WORD}|{_INITIALS})){{0,5}})"
    r"(?:\s(?:et al\b|y otros|e outros|e colegas|et coll?\b|u\. ?a\.)\.?)?\s*(?:$|[.,;:()\[\x1d\n\v–—|]))"
)
_OF_OR_BY = frozenset(("de", "do", "da", "di", "del"))

# A capitalised word at the end of a title whose word before begins with a small letter.
_WITHIN_NAME = re.compile(rf"(?<!\w)[a-z]\w* [{UPPER}]\w+$")

_INVERTED_WHOLE = re.compile(
    rf"({_PARTICLES}{{0,3}}(?:{_WORD})(?:[ -](?:{_WORD}))?), "
    rf"((?:{_WORD}|{_INITIALS})(?: (?:{_WORD}|[{UPPER}])\.?){{0,3}})(?=[.,]? ?[.,:“\"«„*_(\x1d])"
)
_INVERTED_LINE = re.compile(
    rf"(?:{_PARTICLES}|D[EAO]S?[ ]){{0,3}}(?:{_WORD})(?:[ -](?:D(?:[AEO]S?|EL)[ ])?(?:{_WORD})){{0,2}}, "
    rf"(?>{_INITIALS}(?:[ ](?:{_PARTICLES})?(?:{_INITIALS}|[{UPPER}](?=[;,/]|$)))?|"
    rf"(?:{_WORD}|[{UPPER}]{{1,3}}(?!\w))(?:[ ](?:{_PARTICLES})?(?:{_WORD})){{0,4}}"
    rf"(?:[ ](?:{_INITIALS}|[{UPPER}]\.?)){{0,2}})"
)
_INVERTED_JOINT = rf"(?:\s?[;/]\s?(?:(?:{_AND_WORDS})\s)?|[,;]?\s+(?:{_AND_WORDS})\s+)"
# A surname in capitals, the given names in full, and the stop before a title, as Brazil has it: "LIMA, Ana de Souza. ".
_CAPITALS_INVERTED = re.compile(
    rf"((?:[{UPPER}]{{2,}}[ -]){{0,3}}[{UPPER}]{{3,}}), "
    rf"((?:{_WORD})(?:[ ](?:{_PARTICLES})?(?:{_WORD})){{0,3}}(?:[ ](?:{_INITIALS}|[{UPPER}](?=\. )|d[aeo]s?(?=\. )))?|"
    rf"{_INITIALS})"
    r"\.?(?=\. |:? |, ?[\"“„«‘])"
)
# The same before other names, which have the given names in front: "MÜLLER, Ulrike, Hans LINDNER and ...".
_CAPITALS_BEFORE_OTHERS = re.compile(
    rf"(?:[{UPPER}]{{2,}}[ -]){{0,3}}[{UPPER}]{{3,}}, (?:{_WORD})(?: (?:{_WORD}|{_INITIALS})){{0,2}}"
    rf"(?=(?:,| (?:{_AND_WORDS}|a)) (?:{_WORD}|{_INITIALS})(?: (?:{_WORD}|{_INITIALS})){{0,3}} [{UPPER}]{{3}})"
)
# Names with the surname in front and semicolons or strokes between: "LURIA, S. ; DELBRÜCK, M:", "Beck, J/Popp, I:".
_INVERTED_LIST = re.compile(
    rf"({_INVERTED_LINE.pattern}(?:\.?{_INVERTED_JOINT}{_INVERTED_LINE.pattern}){{0,30}})\.?"
    r"(\s?[;,]?\s(?:u\.\s?a\.|et al\.?))?(?:(?<=\.)|(?=\s?(?:[:.,(\x1d]|$)))"
)
# Names with dashes between, in either order, before the year or a colon: "Virtanen, Terhi – Olli Korhonen. 2025."
_DASHED_NAME = rf"(?:{_INVERTED_LINE.pattern}|(?:{_WORD})(?:[ ](?:{_PARTICLES})?(?:{_WORD}|{_INITIALS})){{1,3}})"
_DASH = re.compile(r"\s[–—-]\s")
_DASHED_LIST = re.compile(
    rf"({_DASHED_NAME}(?:{_DASH.pattern}{_DASHED_NAME}){{1,30}})(?=\.?:|[.,]?\s?{YEAR_IN_BRACKETS}|[.,]?\s{YEAR_DIGITS})"
)
_STROKE, _JOINTS = re.compile(r"[;/]"), re.compile(_INVERTED_JOINT)
_YEAR_BEHIND = re.compile(rf"[.,]?\s?{YEAR_IN_BRACKETS}")
_STOP_AND_YEAR = re.compile(rf"\. {YEAR_DIGITS}\.")  # behind three surnames: "Eiter, Ianni, Krennwallner. 2009."
# The year behind two surnames: "Hubel & Wiesel 1962.", "Hirata & Seljak 2004 - ...".
_PAIR_DATED = re.compile(rf"(?<=\w) {YEAR_DIGITS}[a-z]?(?:[.:,]|\s[-–—]\s)")
# A journal and a year and nothing more: two surnames stand before it where these are a line of their own.
_JOURNAL_NEXT = re.compile(r"[.,]\s+(?:[A-Z][\w.]*,?\s){1,6}(?:\d[\d():, –-]{0,40})?(?:19|20)\d\d\.?\s*$")
# Words of titles in which "de" or "von" is "of": "Historia de la ciencia en España".
_OF_ITS_LANGUAGE = frozenset(
    "el la los las y en para con por un una sobre le les des et du pour dans une sur au il di della per che sul sulla "
    "nel o os um uma no na em com como da do dos das ao der die das und für mit zur im am het een".split()
)
# Where a word in small letters begins that neither a name holds nor what joins names.
_NO_WORD_OF_NAMES = re.compile(
    rf"\s(?=[a-z])(?!(?:{_LOWER_PART}|{_AND_WORDS}|others|u|otros|cols?)\b|a\.|(?:d|l|dell|dall)['’])"
)
_FEWEST_WORDS, _MOST_NAMES = 3, 200
_NO_SURNAME = -2.5  # logarithm of the odds below which a single word is no surname
SURE_NAMES = 1.5  # logarithm of the odds from which single words in a row are surnames, wherever they stand
SURELY_NAME = 3.0  # logarithm of the odds from which a word alone before a year is a surname, no place and no system
_GIVEN_NAMES, _LONGEST_SURNAME = 0.5, 3  # the least odds of given names behind a surname in capitals; words of either
_NO_NAME = -1.0  # logarithm of the odds below which several words are no name; behind other names, `_NO_SURNAME` is
# The first word of a name, and the beginning of a second one that none goes on with: "Learning to".
_FIRST_WORD = re.compile(rf"['’]?([^\W\d_]+)( (?!(?:{_LOWER_PART}|{_AND_WORDS}|others|u)\b|{_PARTICLES})[a-z])?")
_SURNAME_AND_INITIALS = re.compile(rf"[^\W\d_]+ [{UPPER}]\.(?:[ -]{{0,2}}[{UPPER}]\.)*")
_SURNAME_FIRST_WHOLE = re.compile(rf"[^\W\d_]+ [{UPPER}]{{1,3}}")
# How names as medicine writes them go on: "Bone RC, Balk RA, ...", of which the first may be any word.
_LISTED_ON = re.compile(rf", (?:{_WORD}) [{UPPER}]{{1,3}}[,.;]")
_GIVEN = re.compile(rf"(?:{_WORD})(?: [{UPPER}]{{1,3}}\.?)*")
_PLAIN_INITIAL = re.compile(rf"^(?:[{UPPER}]\.|[B-HJ-Z]{{1,2}}[ ])| [{UPPER}]\.|, ")
_NEVER = frozenset(
    "The An On In Of For With And From To By At Is Are As Its Their Into Over Under Between Through Using "
    "Without Across How Why What When Workshop Workshops Conference Symposium Journal Proceedings Proc Transactions "
    "University Press Institute Springer Elsevier Report Thesis Letters Chapter Section Part Volume Table".split()
)
LAST_INITIAL = re.compile(rf"[ .][{UPPER}]$")
_INITIAL = re.compile(rf"(?<![^\W\d_])(?:[{UPPER}]\.|[{UPPER}]{{1,2}}(?=[ ,.]|$))")
# Authors and year, and maybe the place in brackets: "Gray et al (1975)", "Aitken 1880 (Nature 23)".
_AUTHOR_YEAR = re.compile(
    rf"([^()\d]{{2,80}}?)(?:,?\s+et\.?\s+al\.?)?[\s,]*\(?({YEAR_DIGITS})[a-z]?\)?(?:\s\([^()]{{2,60}}\))?"
)
_KEY_AND_JOURNAL = re.compile(rf"(.{{2,80}}? {YEAR_DIGITS}[a-z]?),? ([^\W\d_].{{1,60}})")
_PLACED = re.compile(r"\d[a-z]? \([^()]+\)$")  # a year and the place behind it, which no system has
_KEY_PARTS = re.compile(r",\s*(?:and\s|&\s?)?|\s(?:and|&)\s")
_KEY_NAME = re.compile(rf"(?:{_LOWER_PART} )?(?:{_PART})(?: (?:{_LOWER_PART} )?(?:{_PART})){{0,3}}")


def read_authors(text: str, start: int = 0, *, surnames: bool = False) -> Authors | None:
    """Returns the author list that starts at `start`; None where none does.

    Two capitalised words may be a name or a short title; `sure` says that initials, "et al." or several names tell.
    With `surnames`, three surnames in a row are a list as well.
    """
    sign = text[start : start + 1]
    if sign > "\u2e7f":
        return _in_chinese(text, start, behind=surnames)
    if (not sign.isalpha() or sign.islower()) and not _PARTICLE.match(text, start):
        return None
    capitals = _CAPITALS_BEFORE_OTHERS.match(text, start)
    first = capitals.end() if capitals and _is_name(capitals[0]) else _name_end(text, start, _NAMES)
    listed = _inverted_list(text, start)
    if listed or not first:
        return listed
    end, names, others, joint = first, [text[start:first]], False, ""
    forms = _NAMES if ", " in names[0] and not capitals else _STRAIGHT
    while len(names) < _MOST_NAMES:
        separator = _SEPARATOR.match(text, end)
        apart = joint == "/" or (joint == ";" and ", " in names[-1])
        if separator and apart and separator[0].strip()[:1] == ",":
            break  # what strokes or semicolons part goes on behind no comma
        found = None if others else OTHERS.match(text, end)
        if found is not None:
            others, separator, end = True, _DOTS.match(text, found.start()), found.end()
        following = _further_name(text, separator.end(), names, forms) if separator else 0
        if not separator or not following:
            found = OTHERS.match(text, separator.end()) if separator and not others else None
            others, end = (True, found.end()) if found else (others, end)
            break
        names.append(text[separator.end() : following])
        end, joint = following, separator[0].strip()[:1]
        if _AND.search(separator[0]) and _TITLE_NEXT.match(text, end) and not OTHERS.match(text, end):
            break
    people = _judged(text, names, end, others=others, surnames=surnames)
    if people is None and len(names) > 1 and " " in _without_particles(names[0]) and text[first : first + 2] == ", ":
        return _judged(text, names[:1], first, others=False, surnames=surnames)  # words of a title follow the name
    return people


def _further_name(text: str, position: int, names: Sequence[str], forms: tuple[re.Pattern[str], ...]) -> int:
    """Returns where the name at `position` behind `names` ends; 0 where none is, or what a paper is called.

    Behind names with initials or commas, a word before a colon is a nickname: "Chen, E. E., Clipper: A ...".
    """
    listed = _SURNAME_FIRST_WHOLE.fullmatch(names[-1]) is not None
    listed = listed or (len(names) > 1 and all(map(_SURNAME_AND_INITIALS.fullmatch, names)))
    end = _name_end(text, position, forms, first=False, listed=listed)
    formal = ", " in names[0] or _INITIAL.search(names[0]) is not None
    if formal and end and " " not in text[position:end] and text[end : end + 2] == ": ":
        return 0
    if listed and not end:
        match = _SURNAME_FIRST_WHOLE.match(text, position)
        end = match.end() if match and text[match.end() : match.end() + 1] in (",", ".") else 0
    return end


def _inverted_list(text: str, start: int) -> Authors | None:
    """Returns names with the surname in front that semicolons part, or that "and others" or a year follows.

    Or names that dashes part.
    """
    ahead = text[start : start + 60]
    dashed = _DASHED_LIST.match(text, start) if _DASH.search(ahead) else None
    if dashed and name_odds(NAME_WORD.findall(dashed[1])) >= SURE_NAMES:
        return Authors(tuple(_DASH.split(dashed[1])), dashed.end())
    match = _INVERTED_LIST.match(text, start) if "," in ahead else None
    if match is None:
        return None
    families = [name.partition(",")[0] for name in _JOINTS.split(match[1])]
    capitals = len(families) > 1 and all(map(str.isupper, families))
    joined = capitals or _STROKE.search(match[1])
    joined = joined or (_JOINTS.search(match[1]) and _YEAR_BEHIND.match(text, match.end()))
    if not joined and (match[2] is None or name_odds(NAME_WORD.findall(match[1])) < 0):
        return None
    names = tuple(name.strip() for name in _JOINTS.split(match[1]))
    return Authors(names, match.end(), others=match[2] is not None)


def _in_chinese(text: str, start: int, *, behind: bool) -> Authors | None:
    """Returns Chinese, Japanese or Korean names that "and others" closes, or a citation, or names before a title.

    Behind a title, others may be a topic.
    """
    if match := _CHINESE_NAMES.match(text, start):
        return Authors(tuple(_CHINESE_COMMA.split(match[1])), match.end(), others=True)
    if match := _CITED_NAMES.match(text, start):
        return Authors(tuple(filter(None, _ASIAN_COMMA.split(match[1]))), match.end(1))
    match = None if behind else _ASIAN_NAMES.match(text, start)
    if match is None:
        return None
    names = [name for name in _ASIAN_COMMA.split(match[1]) if name]
    if len(names) == 1 and all(map(_is_asian_name, names[0].split())):
        names = names[0].split()  # nothing but blanks between the names
    dated = _ASIAN_DATED.match(text, match.end(1)) is not None
    spaced = all(map(_SPACED_NAME.fullmatch, names))
    spaced = spaced and (len(names) > 1 or _YEAR_LATER.search(text, match.end(1)) is not None)
    known = sum(map(_is_asian_name, names))
    listed = known > 0 and len(names) > 1 and _YEAR_LATER.search(text, match.end(1)) is not None
    named = dated or spaced or listed or 2 * known > len(names)
    return Authors(tuple(names), match.end(1)) if named else None


def asian_names(text: str) -> tuple[str, ...]:
    """Returns the Chinese, Japanese or Korean names that `text` consists of, empty where it holds anything else."""
    names = _ASIAN_COMMA.split(text.strip())
    return tuple(names) if all(map(_ASIAN_FULL_NAME.fullmatch, names)) else ()


def _is_asian_name(name: str) -> bool:
    letters = len(name.replace(" ", ""))
    return (letters in (2, 3) and name[:1] in _SURNAMES) or (letters in (3, 4, 5) and name[:2] in _SURNAMES)


def _name_end(
    text: str, position: int, forms: tuple[re.Pattern[str], ...], *, first: bool = True, listed: bool = False
) -> int:
    """Returns where the name that starts at `position` ends, the first of a list or a later one; 0 where none does.

    `listed` says that it follows a family name with initials: "Novak PS, ".
    """
    word = _FIRST_WORD.match(text, position)
    if word is None or word[2] or word[1] in _NEVER:
        return 0
    if forms is _NAMES and text.find(",", position, position + _LONGEST_FAMILY) < 0:
        forms = _STRAIGHT
    for form in forms:
        match = form.match(text, position)
        cut = _FAMILY_AND_INITIALS.match(text, position) if form is _FORWARD_NAME and match else None
        if cut and not is_family_name(cut[2]) and (listed or (is_family_name(cut[1]) and not _goes_on(text, cut))):
            match = None  # the surname stands in front, and a title behind it
        if match is None or not (
            _FOLLOWS.match(text, match.end()) or (match[0].endswith(".") and form is not _FORWARD_NAME)
        ):
            continue
        if first and form is _SURNAME_FIRST_NAME and _LISTED_ON.match(text, match.end()):
            return match.end()
        if _is_name(match[0], _NO_NAME if first else _NO_SURNAME) and (first or not _is_word_of_titles(match[0])):
            return match.end()
    return 0


def _goes_on(text: str, name: re.Match[str]) -> bool:
    """Returns whether a list of names goes on behind a family name, initials and a word."""
    separator = _SEPARATOR.match(text, name.end() + 1 + len(name[2]))
    end = _name_end(text, separator.end(), (_FORWARD_NAME,), first=False) if separator else 0
    return separator is not None and " " in text[separator.end() : end]


def inverted_name(text: str, position: int) -> Authors | None:
    """Returns the one name at `position` with the surname in front, behind which a stop stands: "Barthes, Roland."."""
    match = _CAPITALS_INVERTED.match(text, position) or _INVERTED_WHOLE.match(text, position)
    words = NAME_WORD.findall(match[0]) if match else []
    if match is None or not _NEVER.isdisjoint(words) or any(map(_is_shouted, match[2].split())):
        return None
    surname, given = match.groups()
    likely = name_odds(words) >= _NO_NAME
    return Authors((f"{surname}, {given}",), match.end()) if likely else None


def signatures(text: str, start: int, end: int) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yields where "by" and names begin between `start` and `end`, and the names.

    "de" and its like mean "of" as well: before a single word they do, unless the title is in English. Behind a word in
    capitals that small letters stand before they are a part of a name: "according to Lanza del Vasto".
    """
    for match in _SIGNED.finditer(text, start, end):
        names = tuple(name.strip() for name in _SEPARATOR.split(match[2]) if name.strip())
        title = text[start : match.start()]
        is_of = match[1] in _OF_OR_BY and " " not in names[0]
        foreign = not title.isascii() or not _OF_ITS_LANGUAGE.isdisjoint(NAME_WORD.findall(title))
        is_of = is_of and (foreign or _WITHIN_NAME.search(title) is not None)
        if not is_of and all(map(_is_name, names)) and name_odds(NAME_WORD.findall(match[2])) >= _NO_SURNAME:
            yield match.start(), names


def signature(text: str, start: int, end: int) -> tuple[int, tuple[str, ...]] | None:
    """Returns where "by" and the authors begin behind a title that starts at `start`, and their names; or None."""
    for at, names in signatures(text, start, end):
        words = [word.lower() for word in NAME_WORD.findall(text[start:at])]
        own = not text.startswith("by", at + 1) and not _OF_ITS_LANGUAGE.isdisjoint(words)
        if len(words) >= _FEWEST_WORDS and not own and words[-1] not in FUNCTION_WORDS:
            return at, names
    return None


@lru_cache(maxsize=8192)
def only_authors(text: str) -> tuple[str, ...]:
    """Returns the names that `text` consists of, empty where it holds anything else."""
    text = text.strip(" \t\n.,;:()[]*_-–—|")
    text += "." if ", " in text and LAST_INITIAL.search(text) else ""
    if len(text) < 5 or not ("," in text or " " in text) or _NO_WORD_OF_NAMES.search(text):
        return ()
    found = read_authors(text, surnames=True)
    if found is None or not found.sure or text[found.end :].strip(" .,;:*†‡§∗"):
        return ()
    return found.names


def names_of_line(line: str) -> tuple[str, ...]:
    """Returns the names that a line of its own before a title holds, where one name in full is enough; or none."""
    line = line.strip(" \t,.;:*_|>-")
    inverted = [part.strip() for part in line.split(";")]
    found = read_authors(line, surnames=True)
    if all(map(_INVERTED_LINE.fullmatch, inverted)) and (len(inverted) > 1 or found is None):
        names = tuple(inverted)
    elif found is not None and not line[found.end :].strip(" .,;:*_†‡§∗"):
        names = found.names
    else:
        names = (line,) if SURNAME.fullmatch(line) or _SURNAME_FIRST_WHOLE.fullmatch(line) else ()
    likely = name_odds([word for name in names for word in NAME_WORD.findall(name)]) >= _NO_NAME
    return names if likely else ()


@lru_cache(maxsize=8192)
def author_year(text: str) -> tuple[tuple[str, ...], int] | None:
    """Returns what a key such as "Gray et al (1975)" or "Ziv, Lempel 1977" names; None where `text` is no such key."""
    key = _without_journal_behind_year(text.strip(" []"))
    key = key[1:-1] if key[:1] == "(" and key[-1:] == ")" else key
    match = _AUTHOR_YEAR.fullmatch(key) if key[-1:] == ")" or key[-2:-1].isdigit() else None
    if match is None:
        return None
    names = tuple(name.strip() for name in _KEY_PARTS.split(match[1]) if name.strip())
    words = [word for name in names for word in name.split()]
    plain = is_year(int(match[2])) and name_odds(words) >= _NO_NAME
    plain = plain and not any(word in _NEVER or _is_shouted(word) for word in words)
    return (names, int(match[2])) if names and plain and all(map(_KEY_NAME.fullmatch, names)) else None


def _without_journal_behind_year(key: str) -> str:
    match = _KEY_AND_JOURNAL.fullmatch(key)
    return match[1] if match and match[2].lower() in WHOLE_NAMES else key


def is_author_key(label: str) -> bool:
    """Returns whether a label cites by people and year: "Gray et al. (1975)". One name and a year may be a system's."""
    key = author_year(label)
    if key is None:
        return False
    placed = _PLACED.search(label) is not None and not key[0][0].isupper()
    placed = placed or _without_journal_behind_year(label) != label
    return len(key[0]) > 1 or " et al" in label or placed


def _is_shouted(word: str) -> bool:
    return len(word) > 3 and word.isupper()


def _judged(text: str, names: list[str], position: int, *, others: bool, surnames: bool) -> Authors | None:
    if not others and not _ENDS.match(text, position) and names[-1][-1] != ".":
        return None
    names = _joined(names)
    if _is_word_of_titles(names[0]) and not others:
        return None
    if "." not in names[0] and names[-1].count(".") == 1:
        names[-1] = names[-1].removesuffix(".")
    initials = any(_INITIAL.search(name) for name in names)
    single = [name for name in names if len(_without_particles(name).split()) < 2]
    if single and not others and not initials and not _may_be_surnames_alone(text, names, position, surnames=surnames):
        return None
    words = NAME_WORD.findall(names[0])
    capitals = _is_shouted(words[0]) and _given_names(words) >= SURE_NAMES
    plain = _PLAIN_INITIAL.search(names[0]) or (_SURNAME_FIRST_WHOLE.fullmatch(names[0]) and is_family_name(words[0]))
    sure = others or len(names) > 1 or capitals or (initials and plain is not None)
    if len(single) == len(names) == 2 and is_given_name(names[1]):
        joint = _AND.search(text, max(0, position - len(names[1]) - 8), position)
        names = names if joint else [", ".join(names)]  # "Foucault, Michel. ..." is one person
    return Authors(tuple(" ".join(name.split()) for name in names), position, sure, others)


def _joined(names: list[str]) -> list[str]:
    """Returns the names with "Turing", "Alan M." made one again: a surname and the given names behind its comma."""
    if len(names) < 2 or len(_without_particles(names[0]).split()) > 1 or not _GIVEN.fullmatch(names[1]):
        return names
    if any(len(name.split()) < 2 for name in names[2:] or names[1:]):
        return names
    return [f"{names[0]}, {names[1]}", *names[2:]]


def _without_particles(name: str) -> str:
    while match := _PARTICLE.match(name):
        name = name[match.end() :]
    return name


def _may_be_surnames_alone(text: str, names: list[str], position: int, *, surnames: bool) -> bool:
    if not all(SURNAME.fullmatch(name) for name in names) or name_odds(names) < _NO_NAME:
        return False
    joined = len(names) > 1 and _AND.search(text, max(0, position - len(names[-1]) - 8), position) is not None
    sentence = text[position : position + 1] == "." and len(names) == 2
    if (joined or sentence) and _TITLE_NEXT.match(text, position):
        return True
    pair = joined and len(names) == 2 and text[position : position + 2].strip()[:1] in ("(", "\x1d", "", ",")
    pair = pair or (joined and text[position : position + 2] == ": " and name_odds(names) > 0)
    pair = pair or (len(names) == 2 and any(form.match(text, position) for form in (_PAIR_DATED, _JOURNAL_NEXT)))
    stop = (joined or len(names) > 2) and _STOP_AND_YEAR.match(text, position) is not None
    return pair or stop or (surnames and len(names) > 2)


def is_surname(word: str) -> bool:
    """Returns whether one word may be a surname, by itself."""
    return _is_name(word) and not _is_word_of_titles(word)


def _is_word_of_titles(name: str) -> bool:
    return " " not in name and name_odds([name]) < _NO_SURNAME


def _given_names(words: Sequence[str]) -> float:
    """Returns the odds of the given names beside a surname in capitals, "DE LA ROCHE Paul"; very low without."""
    if not (words[0].isupper() and len(words[0]) > 1):
        words = words[::-1]  # "Paul DE LA ROCHE"
    if words[0].lower() in ACRONYMS:
        return -MOST_ODDS  # a place behind a name: "Jane Doe NIPS"
    surname = next((at for at, word in enumerate(words) if not word.isupper()), len(words))
    given = words[surname:]
    follows = 0 < surname <= _LONGEST_SURNAME and 0 < len(given) <= _LONGEST_SURNAME
    return name_odds(given) if follows and not any(map(_is_shouted, given)) else -MOST_ODDS


def _is_name(name: str, least: float = _NO_NAME) -> bool:
    words = NAME_WORD.findall(name)
    if not words or len(words) > 7 or not _NEVER.isdisjoint(words[:-1] if words[1:] and words[-1] == "An" else words):
        return False
    is_plain = (name[1:2] == "." or ", " in name) and sum(len(word) > 1 for word in words) == 1
    is_plain = is_plain or (len(words) > 2 and all(len(word) == 1 and word.isupper() for word in words[1:]))
    judged = words[:1] if _SURNAME_FIRST_WHOLE.fullmatch(name) else words
    if (
        len(words) > 1
        and not is_plain
        and (name_odds(judged) < least or sum(word_odds(word) < _OF_TITLES for word in words) > 1)
    ):
        return False
    if any(map(str.isupper, words)) and (shouted := sum(map(_is_shouted, words))):
        listed = ", " in name or _SURNAME_AND_INITIALS.fullmatch(name)
        initials = sum(len(word) == 1 for word in words) if listed else 0
        return len(words) > 1 and (shouted + initials == len(words) or _given_names(words) >= _GIVEN_NAMES)
    return len(words) > 1 or (len(words[0]) > 1 and not words[0].isupper())
