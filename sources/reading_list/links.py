"""Link -> what it leads to: a paper, code, a talk, somebody's notes... From its address and from the word it stands on."""

from __future__ import annotations

import re
from typing import Literal

from sources.reading_list.addresses import Address

Kind = Literal[
    "paper", "pdf", "page", "code", "video", "slides", "blog", "docs", "course", "data", "social", "note", "image"
]
"""What an address leads to. `pdf` is a file that may be a paper; `page` is any page about which the host tells nothing."""

Word = Literal["paper", "code", "talk", "page", "data", "notes", "other"]
"""What the word that a link stands on calls it."""

_PAPER_HOSTS = frozenset(
    "arxiv.org doi.org dx.doi.org openreview.net aclanthology.org aclweb.org acl.ldc.upenn.edu aclanthology.info "
    "dl.acm.org portal.acm.org doi.acm.org queue.acm.org ieeexplore.ieee.org computer.org link.springer.com "
    "sciencedirect.com linkinghub.elsevier.com onlinelibrary.wiley.com tandfonline.com journals.sagepub.com "
    "pnas.org jmlr.org jmlr.csail.mit.edu proceedings.mlr.press openaccess.thecvf.com proceedings.neurips.cc "
    "papers.nips.cc papers.neurips.cc ojs.aaai.org ijcai.org jair.org vldb.org eprint.iacr.org iacr.org isca-speech.org "
    "isca-archive.org drops.dagstuhl.de biorxiv.org medrxiv.org ssrn.com papers.ssrn.com hal.science hal.archives-ouvertes.fr "
    "pubmed.ncbi.nlm.nih.gov pmc.ncbi.nlm.nih.gov europepmc.org semanticscholar.org pdfs.semanticscholar.org "
    "api.semanticscholar.org citeseerx.ist.psu.edu citeseer.ist.psu.edu citeseer.nj.nec.com researchgate.net "
    "academia.edu jstor.org frontiersin.org journals.plos.org mdpi.com hindawi.com cell.com iopscience.iop.org "
    "journals.aps.org pubs.acs.org epubs.siam.org direct.mit.edu mitpressjournals.org academic.oup.com "
    "royalsocietypublishing.org projecteuclid.org nowpublishers.com ecva.net bmvc2018.org roboticsproceedings.org "
    "distill.pub transformer-circuits.pub scirate.com papers.cool ar5iv.org alphaxiv.org arxiv-vanity.com lmcs.episciences.org theoryofcomputing.org "
    "journals.cambridge.org cambridge.org dblp.org elifesciences.org peerj.com f1000research.com psycnet.apa.org "
    "worldscientific.com degruyter.com emerald.com proceedings.mlsys.org mlsys.org sysml.cc cidrdb.org osf.io chemrxiv.org "
    "techrxiv.org preprints.org zenodo.org hdl.handle.net ntrs.nasa.gov osti.gov repository.upenn.edu paperswithcode.com "
    "emergentmind.com philpapers.org aaai.org nber.org econstor.eu cnki.net kns.cnki.net jstage.jst.go.jp ci.nii.ac.jp".split()
)
_PAPER_DOMAINS = (
    "arxiv.org",
    "episciences.org",
    "springer.com",
    "mlr.press",
    "springeropen.com",
    "biomedcentral.com",
    "doi.org",
    "iclr.cc",
)
_HOST_KINDS: dict[str, Kind] = {
    **dict.fromkeys(
        "github.com gitlab.com bitbucket.org codeocean.com sourceforge.net colab.research.google.com pypi.org crates.io "
        "gitee.com kaggle.com replicate.com huggingface.co hf.co modelscope.cn code.google.com git.io hub.docker.com".split(),
        "code",
    ),
    **dict.fromkeys(
        "youtube.com youtu.be m.youtube.com vimeo.com bilibili.com b23.tv videolectures.net techtalks.tv slideslive.com "
        "crossminds.ai infoq.com ted.com coursera.org udacity.com udemy.com edx.org".split(),
        "video",
    ),
    **dict.fromkeys("slideshare.net speakerdeck.com docs.google.com prezi.com".split(), "slides"),
    **dict.fromkeys(
        "medium.com towardsdatascience.com zhuanlan.zhihu.com zhihu.com jianshu.com cnblogs.com qiita.com dev.to "
        "hackernoon.com substack.com mp.weixin.qq.com juejin.cn segmentfault.com habr.com machinelearningmastery.com "
        "analyticsvidhya.com lesswrong.com alignmentforum.org lilianweng.github.io jalammar.github.io colah.github.io "
        "karpathy.github.io ruder.io sebastianruder.com inference.vc zenn.dev note.com velog.io tistory.com".split(),
        "blog",
    ),
    **dict.fromkeys(
        "twitter.com x.com reddit.com linkedin.com facebook.com news.ycombinator.com t.me weibo.com discord.gg "
        "scholar.google.com scholar.google.com.hk orcid.org amazon.com goodreads.com quora.com douban.com".split(),
        "social",
    ),
    **dict.fromkeys("drive.google.com dropbox.com pan.baidu.com figshare.com archive.org".split(), "data"),
    **dict.fromkeys(
        "wikipedia.org readthedocs.io readthedocs.org stackoverflow.com mathworld.wolfram.com".split(), "docs"
    ),
}
_DOMAIN_KINDS: tuple[tuple[str, Kind], ...] = (
    (".readthedocs.io", "docs"),
    (".readthedocs.org", "docs"),
    (".wikipedia.org", "docs"),
    (".medium.com", "blog"),
    (".substack.com", "blog"),
    (".wordpress.com", "blog"),
    (".blogspot.com", "blog"),
    (".blog.csdn.net", "blog"),
    (".csdn.net", "blog"),
    (".tistory.com", "blog"),
    (".stackexchange.com", "docs"),
    (".bilibili.com", "video"),
)
_PAPER_PATHS = re.compile(
    r"/(?:publications?|pubs?|papers?|preprints?|tech-?reports?|reports|articles?|abstracts?|proceedings|theses|thesis|"
    r"conference/[^/]+/presentation)(?:/|$)|/(?:eid|record|handle)/|/research/(?:publication|pubs)",
    re.IGNORECASE,
)
_SLIDES = re.compile(
    r"slides?(?:[^a-z]|$)|\.pptx?$|/talks?/|presentation\.pdf|lectures?/|[/_-]lec\d|lecture[-_]?\d",
    re.IGNORECASE,
)
_COURSE = re.compile(
    r"/(?:courses?|classes|class|teaching|syllabus|homeworks?|hw\d?)/|/~?cs\d{3}|/(?:tutorials?|guide)(?:/|$)",
    re.IGNORECASE,
)
_BLOG = re.compile(r"(?:^|[./-])(?:blogs?|news|posts?|devblogs|engineering)(?:[./-]|$)|/20\d\d/[01]?\d/", re.IGNORECASE)
_DOCS = re.compile(r"(?:^|[./])(?:docs?|documentation|wiki|manual|faq|help|api)(?:[./]|$)", re.IGNORECASE)
_VIDEO = re.compile(r"\.(?:mp4|mov|avi|webm)$|/videos?/", re.IGNORECASE)
_IMAGE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|bmp)$", re.IGNORECASE)
_DOCUMENT = re.compile(r"\.(?:pdf|ps|ps\.gz|ps\.z|djvu|dvi)$", re.IGNORECASE)
_DATA = re.compile(r"\.(?:zip|tar|gz|tgz|csv|json|bib|bibtex|txt|ipynb|py)$", re.IGNORECASE)

_WORD_OF = {
    word: meaning
    for meaning, words in {
        "paper": "paper papers pdf arxiv arvix axriv arxive abs abstract preprint publication article doi acm acmdl ieee springer elsevier "
        "openreview acl html journal manuscript link links here url download fulltext ps thesis techreport report biorxiv "
        "ssrn nature science sciencedirect wiley jmlr pmlr cvf usenix semantic scholar hal pubmed pmc "
        "论文 原文 論文 链接 連結 論文リンク 地址 論文地址 论文地址 论文链接 文章 논문 artículo articulo artigo papier статья pdf下载 下载 リンク 링크 enlace lien",
        "code": "code github repo repository source implementation implementations codes pytorch tensorflow jax tf torch keras caffe matlab "
        "library package colab notebook gitlab official 代码 源码 コード 코드 código codigo код 実装 开源代码 demo demos app tool software",
        "talk": "slides slide video videos talk talks lecture lectures presentation youtube keynote poster ppt pptx webinar tutorial "
        "recording oral spotlight diapositivas transparencias folien transparents diapos diapo 视频 讲解 幻灯片 スライド 動画 발표 vídeo видео слайды bilibili",
        "page": "project page webpage website web site homepage home project-page projectpage blog blogpost post news article-blog twitter tweet thread "
        "medium wiki wikipedia documentation docs doc 主页 项目主页 项目 官网 博客 知乎 ブログ 解説 블로그 blog-post reddit press hn discussion",
        "data": "data dataset datasets benchmark weights model models checkpoint checkpoints supplementary supplement supplemental supp suppl appendix "
        "bibtex bib cite citation citations benchmark leaderboard hub 数据 数据集 データ supplementary-material material huggingface hf errata",
        "notes": "notes note summary review annotation annotations comment comments commentary memo reading-notes mynotes 笔记 阅读笔记 我的笔记 筆記 解读 "
        "论文笔记 メモ ノート 要約 まとめ 정리 notas resumen resumo заметки konspekt notizen résumé",
    }.items()
    for word in words.split()
}
_STRONG_ORDER: tuple[Word, ...] = ("notes", "talk", "code", "data", "page", "paper")
_FILLER = frozenset(
    "the a an my our official full short long extended original version to of and & on in for with main link text read see "
    "new old v1 v2 v3 online local free only open access camera ready conference published pdf-link 1 2 3 4 5 i ii".split()
)
_WORDS = re.compile(r"[^\s/|,;:()\[\]{}<>\"'“”‘’.!?+→·•-]+")


def kind_of(address: Address) -> Kind:
    """Returns what `address` leads to, as far as host and path tell."""
    if not address.is_web:
        return _local_kind(address)
    host, path = address.host, address.path
    if _IMAGE.search(path) or host == "img.shields.io":
        return "image"
    if _VIDEO.search(path):
        return "video"
    if (kind := _host_kind(host)) is not None:
        return _kind_within(kind, address)
    if host in _PAPER_HOSTS or host.endswith(_PAPER_DOMAINS):
        return "paper" if len(path) > 1 or address.query else "page"
    return _kind_by_path(host, path, address.query)


def word_of(label: str) -> Word:
    """Returns what `label`, the text of a link, calls its target; `other` where it is not such a word."""
    words = [word.lower() for word in _WORDS.findall(label)]
    if not words or len(words) > 5:
        return "other"
    meanings: set[Word] = set()
    for word in words:
        if word in _FILLER or word.isdigit():
            continue
        meaning = _WORD_OF.get(word) or _WORD_OF.get(word.rstrip("s"))
        if meaning is None:
            return "other"
        meanings.add(meaning)  # type: ignore[arg-type]
    return next((meaning for meaning in _STRONG_ORDER if meaning in meanings), "other")


def _local_kind(address: Address) -> Kind:
    path = address.path.lower()
    if address.scheme in ("mailto", "javascript", "data"):
        return "social"
    if _SLIDES.search(path):
        return "slides"
    if _IMAGE.search(path):
        return "image"
    if _DOCUMENT.search(path):
        return "pdf"
    return "note"


def _host_kind(host: str) -> Kind | None:
    found = _HOST_KINDS.get(host)
    if found is not None:
        return found
    return next((kind for domain, kind in _DOMAIN_KINDS if host.endswith(domain)), None)


def _kind_within(kind: Kind, address: Address) -> Kind:
    """Returns `kind`, unless the path says that the host only keeps a file of another kind."""
    path = address.path
    if address.host in ("huggingface.co", "hf.co") and path.startswith("/papers/"):
        return "paper"
    if _DOCUMENT.search(path) and kind != "social":
        return "slides" if _SLIDES.search(path) else "pdf"
    if address.host == "drive.google.com" and path.startswith("/file/"):
        return "page"
    if address.host == "semanticscholar.org" and path.startswith("/author"):
        return "social"
    return kind


def _kind_by_path(host: str, path: str, query: str) -> Kind:
    if _DOCUMENT.search(path):
        return "slides" if _SLIDES.search(path) else "pdf"
    if _SLIDES.search(path):
        return "slides"
    if "research/publication" in path or "/research/pubs" in path or "/pubs/" in path:
        return "paper"
    if _BLOG.search(host) or _BLOG.search(path):
        return "blog"
    if _DOCS.search(host) or _DOCS.search(path):
        return "docs"
    if _COURSE.search(path) or _COURSE.search("/" + host):
        return "course"
    if "usenix.org" in host and ("/presentation/" in path or "/legacy/" in path or "/publications/" in path):
        return "paper"
    if _DATA.search(path):
        return "data"
    if (
        _PAPER_PATHS.search(path)
        or "nature.com" in host
        and "/articles/" in path
        or "science.org" in host
        and "/doi/" in path
    ):
        return "paper"
    if ".pdf" in query or ".pdf" in path:
        return "pdf"
    return "page"
