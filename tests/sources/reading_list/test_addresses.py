"""Identifiers from addresses: every host that carries one, every sloppy form, and what is broken."""

from html import escape
from urllib.parse import quote

from markdown_it import MarkdownIt

from sources.lists.reading import parse_reading_list
from sources.lists.reading.addresses import carried_by, kind_of, split_address
from sources.lists.reading.marked_text import read_inline
from tests.matrices import for_each


def identifiers(url):
    return [str(identifier) for identifier in carried_by(split_address(url)).identifiers]


@for_each(
    ("url", "expected"),
    [
        ("https://arxiv.org/abs/1706.03762", ["arxiv:1706.03762"]),
        ("https://arxiv.org/abs/1706.03762.pdf", ["arxiv:1706.03762"]),
        ("https://arxiv.org/pdf/1706.03762v5.pdf#page=3", ["arxiv:1706.03762"]),
        ("https://www.arxiv.org/html/2401.12522v2", ["arxiv:2401.12522"]),
        ("https://export.arxiv.org/abs/cs/0601001", ["arxiv:cs/0601001"]),
        ("https://arxiv.org/abs/math.GT/0309136", ["arxiv:math/0309136"]),
        ("arxiv.org/abs/1706.03762", ["arxiv:1706.03762"]),
        ("https://arxiv.org/ftp/arxiv/papers/1701/1701.00160.pdf", ["arxiv:1701.00160"]),
        ("https://ar5iv.labs.arxiv.org/html/1706.03762", ["arxiv:1706.03762"]),
        ("https://www.alphaxiv.org/abs/2310.06825v1", ["arxiv:2310.06825"]),
        ("https://scirate.com/arxiv/1706.03762", ["arxiv:1706.03762"]),
        ("https://www.arxiv-vanity.com/papers/1706.03762/", ["arxiv:1706.03762"]),
        ("https://doi.org/10.48550/arXiv.2205.11916", ["arxiv:2205.11916", "doi:10.48550/arxiv.2205.11916"]),
        ("https://doi.org/10.1145/3065386", ["doi:10.1145/3065386"]),
        ("https://link.springer.com/content/pdf/10.1007/BF00115009.pdf", ["doi:10.1007/bf00115009"]),
        ("http://onlinelibrary.wiley.com/doi/10.1207/s15516709cog2805_2/pdf", ["doi:10.1207/s15516709cog2805_2"]),
        ("https://www.biorxiv.org/content/10.1101/2022.07.20.500902v3.full.pdf", ["doi:10.1101/2022.07.20.500902"]),
        ("https://journals.plos.org/plosone/article?id=10.1371/journal.pone.0130140",
         ["doi:10.1371/journal.pone.0130140"]),
        ("https://doi.org/10.1016/S0004-3702(99)00052-1", ["doi:10.1016/s0004-3702(99)00052-1"]),
        ("https://www.nature.com/articles/s41586-019-1724-z.epdf", ["doi:10.1038/s41586-019-1724-z"]),
        ("https://www.nature.com/articles/nm.3161.pdf?origin=ppub", ["doi:10.1038/nm.3161"]),
        ("http://www.nature.com/nature/journal/v521/n7553/full/nature14539.html", ["doi:10.1038/nature14539"]),
        ("https://www.nature.com/articles/323533a0", ["doi:10.1038/323533a0"]),
        ("https://www.nature.com/articles/hdy201524", []),
        ("https://www.nature.com/news/statistical-errors-1.14700", []),
        ("https://www.biorxiv.org/content/biorxiv/early/2018/01/05/242867.full.pdf", ["doi:10.1101/242867"]),
        ("https://elifesciences.org/articles/12345", ["doi:10.7554/elife.12345"]),
        ("https://www.nber.org/papers/w12345.pdf", ["doi:10.3386/w12345"]),
        ("https://papers.ssrn.com/sol3/papers.cfm?abstract_id=3053921", ["doi:10.2139/ssrn.3053921"]),
        ("https://openreview.net/forum?id=rJl-b3RcF7", ["openreview:rJl-b3RcF7"]),
        ("https://aclanthology.org/2020.acl-main.542.pdf", ["acl:2020.acl-main.542"]),
        ("http://acl.ldc.upenn.edu/P/P95/P95-1026.pdf", ["acl:P95-1026"]),
        ("https://www.semanticscholar.org/paper/Some-Title/204e3073870fae3d05bcbc2f6a8e263d9b72e776",
         ["s2:204e3073870fae3d05bcbc2f6a8e263d9b72e776"]),
        ("https://api.semanticscholar.org/CorpusID:13756489", ["corpus:13756489"]),
        ("https://pubmed.ncbi.nlm.nih.gov/34265844/", ["pmid:34265844"]),
        ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC7612213/", ["pmcid:7612213"]),
        ("https://dblp.org/rec/conf/nips/VaswaniSPUJGKP17.html", ["dblp:conf/nips/VaswaniSPUJGKP17"]),
        ("https://arxiv.org/list/cs.LG/recent", []),
        ("https://example.org/paper.pdf", []),
        ("./notes/1706.03762.md", []),
    ],
)  # fmt: skip
def test_identifiers_of_an_address(url, expected):
    assert identifiers(url) == expected


@for_each(
    ("url", "code", "value"),
    [
        ("https://arxiv.org/abs/1802.4924", "malformed-arxiv-id", "1802.4924"),
        ("https://arxiv.org/abs/1813.01234", "malformed-arxiv-id", "1813.01234"),
        ("https://arxiv.org/abs/N/A", "malformed-arxiv-id", "abs/N/A"),
        ("https://arxiv.org/pdf/18020.4924", "malformed-arxiv-id", "pdf/18020.4924"),
        ("http://citeseerx.ist.psu.edu/viewdoc/download?doi=10.1.1.720.8476&rep=rep1", "citeseerx-number",
         "10.1.1.720.8476"),
        ("https://doi.org/10.5555/3388242.3388295", "unregistered-doi", "10.5555/3388242.3388295"),
        ("https://doi.org/not-a-doi", "malformed-doi", "not-a-doi"),
    ],
)  # fmt: skip
def test_a_broken_identifier_is_a_finding_and_not_an_identifier(url, code, value):
    carried = carried_by(split_address(url))
    assert carried.identifiers == ()
    assert [(finding.code, finding.value) for finding in carried.findings] == [(code, value)]


@for_each(
    ("url", "kind"),
    [
        ("https://arxiv.org/abs/1706.03762", "paper"),
        ("https://www.usenix.org/conference/nsdi21/presentation/sapio", "paper"),
        ("https://www.cs.cmu.edu/~muli/file/parameter_server_osdi14.pdf", "pdf"),
        ("https://github.com/microsoft/CCF/blob/main/CCF-TECHNICAL-REPORT.pdf", "pdf"),
        ("https://github.com/horovod/horovod", "code"),
        ("https://www.youtube.com/watch?v=xtxxLWZznBI", "video"),
        ("https://www.usenix.org/system/files/nsdi21_slides_sapio.pdf", "slides"),
        ("http://dlsys.cs.washington.edu/pdf/lecture11.pdf", "slides"),
        ("https://openai.com/blog/gpt-2-1-5b-release/", "blog"),
        ("https://lbann.readthedocs.io/en/latest/publications.html", "docs"),
        ("https://mlperf.org/", "page"),
        ("./papers/LeNet.md", "note"),
        ("https://img.shields.io/badge/x-y-z", "image"),
    ],
)
def test_what_an_address_leads_to(url, kind):
    assert kind_of(split_address(url)) == kind


@for_each(
    "address",
    [
        "https://arxiv.org/abs/1706.03762",
        "https://doi.org/10.1016/S0140-6736(97)11096-0", "a(b(c)", "a)b",
        "<https://a.example/with blank>", "<https://a.example/open",
        "https://a.example/\\(escaped\\)",
        "https://a.example/?a=1&amp;b=2", "https://a.example/?a=1&b=2",
        'https://a.example/ "A Title"', "https://a.example/\u00a0x", "https://a.example/\x01x", "#", "",
    ],
)  # fmt: skip
@for_each("form", ["[Words]({})", "![Words]({})", "[Words]( {} ) and *more* - [words]: `code`"])
def test_an_address_is_what_markdown_makes_of_it(form, address):
    text = form.format(address)
    plain = MarkdownIt("js-default", {"html": True}).disable(["linkify", "replacements", "smartquotes"])
    plain.normalizeLink, plain.validateLink = str, bool
    tokens = plain.parseInline(text)[0].children
    expected = [(t.type, t.attrs.get("href", t.attrs.get("src"))) for t in tokens if t.type in ("link_open", "image")]
    marks = [mark for mark in read_inline(text, {}, 1).marks if mark.kind in ("link", "image")]
    assert [(f"{mark.kind}_open" if mark.kind == "link" else "image", mark.url) for mark in marks] == expected


@for_each("pages", ["<1661::AID-SIM968>3.0.CO;2-2", "<L1::AID-ANGE7>3.0.CO;2-#"])
@for_each(
    "form",
    ["{}", "<{}>", "doi: {}.", "[paper](https://doi.org/{})", "[Wiley](https://onlinelibrary.wiley.com/doi/abs/{})",
     "https://doi.org/{}", "<https://doi.org/{}>", "(https://doi.org/{})."],
)  # fmt: skip
def test_an_old_doi_with_angle_brackets_is_read_whole(form, pages):
    doi = f"10.1002/(SICI)1097-0258(19980815/30)17:15/16{pages}"
    address = doi.replace("#", "%23")
    for written in (doi, address, quote(doi, safe="/:();"), quote(quote(doi)), escape(address)):
        if "/{}" in form and "#" in written:
            continue
        entry = f"- Extrapolating the Survival of Patients in Old Trials. J. Smith. 1998. {form.format(written)}"
        mention = parse_reading_list(f"# Papers\n\n{entry}\n").mentions[0]
        assert (mention.title, mention.doi) == ("Extrapolating the Survival of Patients in Old Trials", doi.lower())
