"""What the heading above an entry, or the entry's own words, say against its being a paper."""

from __future__ import annotations

import re
from functools import lru_cache

from sources.reading_list.words import FUNCTION_WORDS

_AGAINST = frozenset(
    """
    blog blogs post posts course courses lecture lectures video videos talk talks tool tools toolbox toolboxes
    software library libraries libs package packages framework frameworks dataset datasets data book books
    textbook textbooks people researchers contributing contribution contributions contributors contribute
    license licence contents resource resources tutorial tutorials implementation implementations code codes
    project projects slides companies conferences workshops community news acknowledgement acknowledgements
    acknowledgments citation cite about faq links website websites benchmark benchmarks history opensource
    open-source repositories repos demos demo podcasts newsletters groups labs jobs competitions challenges
    introduction installation usage 课程 博客 视频 工具 数据集 书籍 代码 开源 目录 资源 贡献 ライブラリ cursos
    libros herramientas
    """.split()
)
_FOR = re.compile(
    r"\b(?:papers?|publications?|readings?|(?:to|must)[- ]read|articles?|bibliography|"
    r"references|literature|preprints|surveys?|artículos|"
    r"lecturas)\b|论文|文献|論文|논문",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_NUMBERED = re.compile(
    r"(?:lecture|lec|lesson|week|day|chapters?|section|part|homework|hw|project|assignment|exercise|lab|unit|module|"
    r"session|figure|fig)\b[\s.#]*\d",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"(?:slides?|video|talk|course|blog|source code|download|install(?:ation)?|license|contributing|table of contents|"
    r"contents|back to top|readme|todo|github|home ?page|website|documentation|demo|quiz|midterm|exam|"
    r"changelog)(?=$|[\s:])",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"\b(?:slides?|lecture notes|review notes|notes|worksheet|homework|syllabus|videos?|demo|guide|manual|handbook|"
    r"cheat ?sheet|documentation|proposal|playlist|newsletter|homepage|blog(?: post)?|website|repo(?:sitory)?)$",
    re.IGNORECASE,
)
_ANYWHERE = (
    "source code",
    "github",
    "official site",
    "awesome-",
    "awesome ",
    "implementation of",
    "implementation in ",
    "code for ",
    "programmers guide",
    "programmer's guide",
    "user guide",
    "users guide",
    "developer guide",
    "reference manual",
    "user manual",
)


@lru_cache(maxsize=512)
def leaning(heading: str) -> float:
    """Returns what `heading` says about the entries below it: above 0 for papers, below 0 for something else."""
    if _FOR.search(heading):
        return 0.3
    words = [word.lower() for word in _WORD.findall(heading)]
    content = [word for word in words if word not in FUNCTION_WORDS]
    against = 2 * sum(word in _AGAINST for word in content) >= len(content)
    return -1.5 if content and against else 0.0


def speaks_of_papers(heading: str) -> bool:
    """Returns whether `heading` says that papers, or things to read, stand below it."""
    return _FOR.search(heading) is not None


def names_no_paper(title: str) -> bool:
    """Returns whether `title` calls itself a lecture, slides, a tool, a page of the list..."""
    if _NUMBERED.match(title) or _OPENING.match(title) or _CLOSING.search(title, max(len(title) - 30, 0)):
        return True
    lowered = title.lower()
    return any(words in lowered for words in _ANYWHERE)
