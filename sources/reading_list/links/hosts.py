"""What hosts and paths lead to. Data only."""

from __future__ import annotations

import re
from typing import Literal

Kind = Literal[
    "paper", "pdf", "page", "code", "video", "slides", "blog", "docs", "course", "data", "social", "note", "image"
]
"""What an address leads to. `pdf` is a file that may be a paper; `page` is one about which the host tells nothing."""

PAPER_HOSTS = frozenset(
    "arxiv.org doi.org dx.doi.org openreview.net aclanthology.org aclweb.org acl.ldc.upenn.edu aclanthology.info "
    "dl.acm.org portal.acm.org doi.acm.org queue.acm.org ieeexplore.ieee.org computer.org link.springer.com "
    "sciencedirect.com linkinghub.elsevier.com onlinelibrary.wiley.com tandfonline.com journals.sagepub.com "
    "pnas.org jmlr.org jmlr.csail.mit.edu proceedings.mlr.press openaccess.thecvf.com proceedings.neurips.cc "
    "papers.nips.cc papers.neurips.cc ojs.aaai.org ijcai.org jair.org vldb.org eprint.iacr.org iacr.org "
    "isca-speech.org "
    "isca-archive.org drops.dagstuhl.de biorxiv.org medrxiv.org ssrn.com papers.ssrn.com hal.science "
    "hal.archives-ouvertes.fr "
    "pubmed.ncbi.nlm.nih.gov pmc.ncbi.nlm.nih.gov europepmc.org semanticscholar.org pdfs.semanticscholar.org "
    "api.semanticscholar.org citeseerx.ist.psu.edu citeseer.ist.psu.edu citeseer.nj.nec.com researchgate.net "
    "academia.edu jstor.org frontiersin.org journals.plos.org mdpi.com hindawi.com cell.com iopscience.iop.org "
    "journals.aps.org pubs.acs.org epubs.siam.org direct.mit.edu mitpressjournals.org academic.oup.com "
    "royalsocietypublishing.org projecteuclid.org nowpublishers.com ecva.net bmvc2018.org roboticsproceedings.org "
    "distill.pub transformer-circuits.pub scirate.com papers.cool ar5iv.org alphaxiv.org arxiv-vanity.com "
    "lmcs.episciences.org theoryofcomputing.org "
    "journals.cambridge.org cambridge.org dblp.org elifesciences.org peerj.com f1000research.com psycnet.apa.org "
    "worldscientific.com degruyter.com emerald.com proceedings.mlsys.org mlsys.org sysml.cc cidrdb.org osf.io "
    "chemrxiv.org "
    "techrxiv.org preprints.org zenodo.org hdl.handle.net ntrs.nasa.gov osti.gov repository.upenn.edu "
    "paperswithcode.com "
    "emergentmind.com philpapers.org aaai.org nber.org econstor.eu cnki.net kns.cnki.net jstage.jst.go.jp "
    "ci.nii.ac.jp".split()
)
PAPER_DOMAINS = (
    "arxiv.org",
    "episciences.org",
    "springer.com",
    "mlr.press",
    "springeropen.com",
    "biomedcentral.com",
    "doi.org",
    "iclr.cc",
)
HOST_KINDS: dict[str, Kind] = {
    **dict.fromkeys(
        "github.com gitlab.com bitbucket.org codeocean.com sourceforge.net colab.research.google.com pypi.org "
        "crates.io "
        "gitee.com kaggle.com replicate.com huggingface.co hf.co modelscope.cn code.google.com git.io "
        "hub.docker.com".split(),
        "code",
    ),
    **dict.fromkeys(
        "youtube.com youtu.be m.youtube.com vimeo.com bilibili.com b23.tv videolectures.net techtalks.tv "
        "slideslive.com "
        "crossminds.ai infoq.com ted.com coursera.org udacity.com udemy.com edx.org".split(),
        "video",
    ),
    **dict.fromkeys("slideshare.net speakerdeck.com docs.google.com prezi.com".split(), "slides"),
    **dict.fromkeys(
        "medium.com towardsdatascience.com zhuanlan.zhihu.com zhihu.com jianshu.com cnblogs.com qiita.com dev.to "
        "hackernoon.com substack.com mp.weixin.qq.com juejin.cn segmentfault.com habr.com machinelearningmastery.com "
        "analyticsvidhya.com lesswrong.com alignmentforum.org lilianweng.github.io jalammar.github.io "
        "colah.github.io "
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
DOMAIN_KINDS: tuple[tuple[str, Kind], ...] = (
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
PAPER_PLACES = (
    ("microsoft.com", "/research/publication"),
    ("research.google", "/pubs"),
    ("ai.google", "/pubs/"),
    ("research.google.com", "/pubs/"),
    ("usenix.org", "/presentation/"),
    ("usenix.org", "/legacy/"),
    ("usenix.org", "/publications/"),
    ("nature.com", "/articles/"),
    ("science.org", "/doi/"),
    ("sciencemag.org", "/content/"),
)
"""Where a host that holds other things too keeps papers."""

TALK_PLACES = (("usenix.org", "/conference/srecon"), ("usenix.org", "/conference/enigma"))
"""Where a host of papers keeps conferences of talks, which no papers go with."""

NOT_PAPERS = ("/api/", "/oai", "/list/", "/help/", "/search", "/a/", "/archive/", "/rss/", "/year/", "/user")
"""Where arXiv keeps other things than papers."""

PAPER_PATHS = re.compile(
    r"/(?:publications?|pubs?|papers?|preprints?|tech-?reports?|reports|articles?|abstracts?|proceedings|theses|"
    r"thesis)(?:/|$)|"
    r"/(?:eid|record|handle)/|\.(?:academia\.edu|jstor\.org)/",
    re.IGNORECASE,
)
SLIDES = re.compile(
    r"slides?(?:[^a-z]|$)|\.pptx?$|/talks?/|presentation\.pdf|lectures?/|[/_-]lec\d|lecture[-_]?\d", re.IGNORECASE
)
COURSE = re.compile(
    r"/(?:courses?|classes|class|teaching|syllabus|homeworks?|hw\d?)/|/~?cs\d{3}|/(?:tutorials?|guide)(?:/|$)|"
    r"^/courses?\.",
    re.IGNORECASE,
)
BLOG = re.compile(r"[./-](?:blogs?|news|posts?|devblogs|engineering)(?:[./-]|$)|/20\d\d/[01]?\d/", re.IGNORECASE)
DOCS = re.compile(r"[./](?:docs?|documentation|wiki|manual|faq|help|api)(?:[./]|$)", re.IGNORECASE)
VIDEO = re.compile(r"\.(?:mp4|mov|avi|webm)$|/videos?/", re.IGNORECASE)
IMAGE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|bmp)$", re.IGNORECASE)
DOCUMENT = re.compile(r"\.(?:pdf|ps|ps\.gz|ps\.z|djvu|dvi)$", re.IGNORECASE)
DATA = re.compile(r"\.(?:zip|tar|gz|tgz|csv|json|bib|bibtex|txt|ipynb|py)$", re.IGNORECASE)
