"""Lists of a few papers in several styles, and what is known of a paper that is added to them or mended in them."""

from sources.lists.checks.findings import CheckedEntry, PaperFacts, Publication
from sources.lists.reading import parse_reading_list

PAPERS = [
    ("Deep Residual Learning for Image Recognition", ("Kaiming He", "Xiangyu Zhang"), "CVPR", 2016, "1512.03385"),
    ("Adam: A Method for Stochastic Optimization", ("Diederik Kingma", "Jimmy Ba"), "ICLR", 2015, "1412.6980"),
    ("Sequence to Sequence Learning with Neural Networks", ("Ilya Sutskever", "Quoc Le"), "NIPS", 2014, "1409.3215"),
    ("Auto-Encoding Variational Bayes", ("Diederik Kingma", "Max Welling"), "ICLR", 2014, "1312.6114"),
]
NEW = ("Attention Networks for Document Translation", ("Ashish Vaswani", "Noam Shazeer"), "NIPS", 2015, "1706.03762")
STYLES = {
    "bullets": ("- [{t}]({u}) ({v} {y})", "\n"),
    "bold": ("* **{t}.** {a}. *{v}, {y}.* [[paper]({u})]", "\n"),
    "short year": ("+ {a}. [{t}]({u}). {v}'{s}", "\n"),
    "paragraphs": ("**{t}**, {a}, {v} {y} [[paper]({u})]", "\n\n"),
    "two lines": ("- **{t}** ({v} {y})\n  - {u}", "\n"),
    "numbers": ("{n}. {a}. {t}. {v} {y}. [paper]({u})", "\n"),
    "ones": ("1. [{t}]({u}), {v} {y}", "\n"),
    "table": ("| {t} | {a} | {v} | {y} | [link]({u}) |", "\n"),
    "tight table": ("|{y}|[{t}]({u})|{v}|", "\n"),
}
HEADS = {
    "table": "| Title | Authors | Venue | Year | Link |\n|---|---|---|---|---|\n",
    "tight table": "|Year|Paper|Venue|\n|---|---|---|\n",
}
NAMES = {"full": str, "initials": lambda name: f"{name[0]}. {name.split()[1]}"}


def listed(form, papers=PAPERS, *, names="full", between="", **more):
    """Writes papers down in a form; `more` gives what it says besides, as made of a paper."""
    lines = []
    for number, (title, people, venue, year, arxiv_id) in enumerate(papers, start=1):
        fields = {"t": title, "v": venue, "y": year, "s": f"{year % 100:02}", "i": arxiv_id, "n": number}
        fields |= {"a": ", ".join(map(NAMES[names], people)), "u": f"https://arxiv.org/abs/{arxiv_id}"}
        own = {name: make(title, people, venue, year, arxiv_id) for name, make in more.items()}
        lines.append(form.format(**fields, **own))
    return between.join(lines)


def list_of(style, papers, *, names="full", end="\n", last="\n"):
    form, between = STYLES[style]
    text = f"# Papers on networks\n\n{HEADS.get(style, '')}" + listed(form, papers, names=names, between=between)
    return text.replace("\n", end) + last.replace("\n", end)


def facts(paper=NEW, **more):
    title, authors, venue, year, arxiv_id = paper
    published = (Publication(source="dblp", venue=venue, year=year),)
    known = {"title": title, "authors": authors, "arxiv_id": arxiv_id, "year": year, "publications": published}
    return PaperFacts(paper_id=arxiv_id, **(known | more))


def entries_of(text):
    mentions = parse_reading_list(text).mentions
    known = {paper[4]: facts(paper, open_citation_count=10 * n) for n, paper in enumerate(PAPERS)}
    return [CheckedEntry(mention=item, paper=known.get(item.arxiv_id)) for item in mentions]
