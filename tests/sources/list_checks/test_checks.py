"""What each check finds, and what it lets be."""

from dataclasses import replace
from pathlib import Path

from sources.bibliography.identifiers import Identifier
from sources.lists.checks.findings import PaperFacts, Publication
from tests.matrices import for_each
from tests.sources.list_checks.lists import ATTENTION, RCNN, by_arxiv, check, found, mended

ICCV = Publication(source="dblp", kind="conference", venue="ICCV", year=2015, doi="10.1109/ICCV.2015.169")
ATTENTION_LINK = "[Attention Is All You Need](https://arxiv.org/abs/1706.03762)"
RCNN_LINE = "- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n"
REGIONS = replace(RCNN, title="Learning Fast Regions of Interest")
LATER = replace(REGIONS, arxiv_id=None, year=2018, sources=("s2",), publications=(replace(ICCV, year=2018),))
WORDS = "Maps Trees Birds Seas Lists Stars Hills Roads Towns Lakes".split()
LINKED = "".join(
    f"- {name} (2018). [pdf](https://arxiv.org/abs/1801.0000{n})\n"
    for n, name in enumerate(("Going Deeper", "Learning to Rank Trees", "Counting Birds over Seas", "Lists of Old"), 1)
)
SELDOM = [
    replace(RCNN, paper_id=f"p{n}", title=f"Learning {word} Regions of Interest", arxiv_id=f"1504.0808{n}")
    for n, word in enumerate(("Fast", "Slow", "Deep", "Wide", "Long"))
]


def by_year(*years: int) -> str:
    pairs = zip(WORDS, years, strict=False)
    return "".join(
        f"- [Learning to Find {word} in Pictures](https://example.org/{word}.pdf), {y}\n" for word, y in pairs
    )


STRAY = by_year(2024, 2024, 2024, 2023, 2019, 2023, 2021, 2021, 2020, 2020)


def on_line(number: int, paper: PaperFacts):
    return lambda entry: {"paper": paper if entry.mention.line == number else None}


def titled(paper: PaperFacts):
    return lambda entry: {"paper": paper if entry.mention.title == paper.title else None}


def all_with(**facts):
    return lambda _: facts


FOUND = {
    "a preprint beside its published version": (
        f"- {ATTENTION_LINK}\n{RCNN_LINE}- [Attention Is All You Need](https://papers.nips.cc/paper/7181.pdf)\n",
        lambda entry: {"paper": {1: ATTENTION, 2: RCNN, 3: ATTENTION}[entry.mention.line]},
        [(3, "duplicate-version", "warning")],
    ),
    "a link to a paper that may have had the title": (
        "- [Attention Is All You Need](https://arxiv.org/abs/1504.08083)\n",
        all_with(linked=replace(RCNN, other_titles=("Attention Is All You Need",))), [],
    ),
    "words around a link to a paper": (
        "- Adding [Fast](https://arxiv.org/abs/1504.08083) improves the state of the art significantly\n",
        all_with(linked=RCNN), [],
    ),
    "another page's title before a link to a paper": (
        "- [Looking at all Pictures Once](https://example.org/blog) [pdf](https://arxiv.org/abs/1504.08083)\n",
        all_with(linked=RCNN), [],
    ),
    "another title beside a link to a paper": (
        "- Looking at all Pictures Once [pdf](https://arxiv.org/abs/1504.08083)\n",
        all_with(linked=RCNN), [(1, "link-title-disagree", "note")],
    ),
    "a link to a paper whose people are named": (
        "- Ross Girshick. Attention is all you need. [pdf](https://arxiv.org/abs/1504.08083)\n",
        all_with(linked=RCNN, titled=ATTENTION), [],
    ),
    "a link under its name and its people, and another title": (
        "- Ross Girshick. Fast: Attention is all you need. [pdf](https://arxiv.org/abs/1504.08083)\n",
        all_with(linked=replace(RCNN, title="FAST: Regions of Pictures"), titled=ATTENTION),
        [(1, "link-title-disagree", "error")],
    ),
    "an identifier that nobody has": (
        f"- {ATTENTION_LINK}\n".replace("1706.0", "1706.9"), all_with(unknown=(Identifier("arxiv", "1706.93762"),)),
        [(1, "identifier-unknown", "error")],
    ),
    "a link without an address": (
        "- [Attention Is All You Need]()\n", all_with(paper=ATTENTION), [(1, "empty-link", "warning")],
    ),
    "a retracted paper": (RCNN_LINE, by_arxiv(replace(RCNN, retraction="x")), [(1, "retracted-paper", "error")]),
    "a paper that the entry calls retracted": (
        RCNN_LINE.replace("\n", " (retracted)"), by_arxiv(replace(RCNN, retraction="x")), [],
    ),
    "a withdrawn paper": (RCNN_LINE, by_arxiv(replace(RCNN, withdrawn=True)), [(1, "withdrawn-paper", "warning")]),
    "a year of the preprint's number": (
        "- [Learning Fast Regions of Interest](https://arxiv.org/abs/1504.08083), 2015\n", all_with(paper=LATER), [],
    ),
    "a year of no version": (
        "- [Learning Fast Regions of Interest](https://a.example/b), 2015\n", all_with(paper=LATER), [],
    ),
    "years that are seldom the papers'": (
        "".join(f"- 2009: [{paper.title}](https://arxiv.org/abs/{paper.arxiv_id})\n" for paper in SELDOM),
        by_arxiv(*SELDOM), [],
    ),
    "a missing link among links": (
        f"{LINKED}- Attention Is All You Need (2017).\n", titled(ATTENTION), [(5, "missing-link", "warning")],
    ),
    "a missing link among others": ("- Attention Is All You Need\n- Going Deeper with Maps\n", titled(ATTENTION), []),
    "one in order by a year of its paper": (
        STRAY,
        on_line(5, replace(RCNN, title="Learning to Find Lists in Pictures", publications=(replace(ICCV, year=2023),))),
        [],
    ),
    "a venue beside one of which no year is known": (
        "- Learning Fast Regions of Interest. ICML 2015\n",
        all_with(paper=replace(REGIONS, arxiv_id=None, year=None, venue="CVPR")), [(1, "venue-at-odds", "warning")],
    ),
    "a paper of which only the title is known": (
        "- [Fast R-CNN](https://arxiv.org/abs/1504.08083), ICCV 2015\n- Mask R-CNN, 2017\n",
        on_line(1, PaperFacts(paper_id="p", title="Fast R-CNN")), [],
    ),
}  # fmt: skip


LISTS = Path(__file__).with_name("found.txt").read_text(encoding="utf-8").removeprefix("§ ").split("\n§ ")
"""What is shown, and a list, with what is found on a line behind that line."""


@for_each("case", LISTS)
def test_what_is_found_in_a_list_by_itself(case):
    lines = [line.split(" ⇐ ") for line in case.strip("\n").split("\n")[1:]]
    expected = [(at, *each.split()) for at, (_, *marks) in enumerate(lines, 1) for each in marks]
    assert found("\n".join(line for line, *_ in lines)) == expected


@for_each(("case", "text", "facts", "expected"), [(name, *row) for name, row in FOUND.items()])
def test_what_is_found_and_what_is_let_be(case, text, facts, expected):
    assert found(text, facts) == expected


@for_each(
    ("broken", "whole"),
    [
        ("[Fast R-CNN](https://arxiv.org/abs/1504.08083", "[Fast R-CNN](https://arxiv.org/abs/1504.08083)"),
        ("[Fast R-CNN(https://arxiv.org/abs/1504.08083)", "[Fast R-CNN](https://arxiv.org/abs/1504.08083)"),
        ("(Fast R-CNN)[https://arxiv.org/abs/1504.08083]", "[Fast R-CNN](https://arxiv.org/abs/1504.08083)"),
        ("Fast R-CNN [[pdf](https://arxiv.org/abs/1504.08083]", "Fast R-CNN [[pdf](https://arxiv.org/abs/1504.08083)]"),
        (
            "Fast R-CNN [论文] (https://arxiv.org/abs/1504.08083）",
            "Fast R-CNN [论文](https://arxiv.org/abs/1504.08083)",
        ),
    ],
)
def test_a_broken_link_is_an_error_and_its_edit_mends_it(broken: str, whole: str):
    text = f"# L\r\n\r\n- {broken}\r\n- [Mask R-CNN](https://arxiv.org/abs/1703.06870)\r\n"
    findings = [item for item in check(text) if item.code == "broken-markup"]
    assert [(item.line, item.level) for item in findings] == [(3, "error")]
    assert mended(text, findings) == text.replace(broken, whole)


def test_a_link_without_an_address_is_a_warning_that_names_the_papers_address():
    (item,) = check("- [Attention Is All You Need]()\n", lambda _: {"paper": ATTENTION})
    assert (item.code, item.level, item.evidence) == (
        "empty-link",
        "warning",
        ("the paper is at https://arxiv.org/abs/1706.03762",),
    )


def test_a_paper_twice_is_an_error_in_a_section_and_a_note_across_sections():
    line = "- [Attention Is All You Need](https://arxiv.org/abs/1706.03762)"
    rcnn = "- [Fast R-CNN](https://arxiv.org/abs/1504.08083)"
    assert found(f"## A\n{line}\n{rcnn}\n{line}v2\n") == [(4, "duplicate", "error")]
    other = line.replace("abs", "pdf")
    (item,) = check(f"## A\n{line}\n{rcnn}\n\n## B\n{other}\n")
    assert (item.line, item.code, item.level, item.others) == (6, "duplicate-section", "note", (2,))
    assert "sections: “A”, and “B”" in item.evidence


def test_a_link_to_another_paper_is_an_error_where_both_papers_are_known():
    text = "- [Attention Is All You Need](https://arxiv.org/abs/1504.08083)\n"
    (item,) = check(text, lambda _: {"linked": RCNN, "titled": ATTENTION})
    assert (item.code, item.level) == ("link-title-disagree", "error")
    assert item.evidence == (
        "linked: arXiv:1504.08083, Ross Girshick, 2015",
        "titled: arXiv:1706.03762, Ashish Vaswani et al., 2017",
    )
    long = "- [Mixed Precision Training of Networks](https://arxiv.org/abs/1504.08083)\n"
    assert [each.level for each in check(long, lambda _: {"linked": RCNN})] == ["note"]
    version = replace(ATTENTION, authors=RCNN.authors)
    assert [each.level for each in check(text, lambda _: {"linked": RCNN, "titled": version})] == ["note"]
    topic = "## Mixed Precision Training of Networks\n\n- https://arxiv.org/abs/1504.08083\n"
    assert check(topic, lambda _: {"linked": RCNN}) == []


@for_each(
    ("written", "codes"),
    [
        ("Attention Iss All You Need", []),  # a word of three letters is no proof
        ("Atention Is All You Need", ["title-misspelt"]),
        ("ATENTION IS ALL YOU NEED", ["title-misspelt"]),
        ("Attention Is Not All You Need", []),
    ],
)
def test_only_what_is_no_word_is_misspelt(written: str, codes: list[str]):
    text = f"- [{written}](https://arxiv.org/abs/1706.03762)\n"
    findings = check(text, by_arxiv(ATTENTION))
    assert [item.code for item in findings] == codes
    if codes:
        assert mended(text, findings).casefold() == text.replace(written, ATTENTION.title).casefold()


@for_each(
    ("written", "true", "codes"),
    [
        ("NSP-BERT: A Prompt-based Zero-Shot Learner Through an Original Pre-training Task —— Next Sentence Prediction",
         "NSP-BERT: A Prompt-based Few-Shot Learner Through an Original Pre-training Task--Next Sentence Prediction",
         ["title-changed"]),
        ("Learning with Overhead Cameras for Mapping Towns", "Learning with Overhead Cameras for Naming Birds",
         ["title-changed"]),
        ("Learning without Overhead Cameras for Mapping Towns", "Learning with Overhead Cameras for Mapping Towns", []),
        ("用俯视摄像头 Learning Overhead Cameras Mapping", "Learning with Overhead Cameras for Naming Birds", []),
    ],
)  # fmt: skip
def test_a_title_that_shares_enough_with_the_papers_is_one_that_it_had(written: str, true: str, codes: list[str]):
    paper = replace(ATTENTION, title=true)
    found_codes = [code for _, code, _ in found(f"- [{written}](https://arxiv.org/abs/1706.03762)\n", by_arxiv(paper))]
    assert found_codes == codes


@for_each(
    ("words", "change", "level"),
    [
        ("2018", {"publications": (ICCV,)}, None),
        ("2018", {}, None),
        ("2020", {"publications": (ICCV,)}, "warning"),
        ("2010", {"arxiv_id": None, "publications": (ICCV,)}, "warning"),
        ("2013", {"arxiv_id": None, "publications": (ICCV,)}, None),  # a preprint that is not known
        ("2005", {"sources": ("arxiv",)}, None),  # brought to arXiv ten years later
        ("2021", {}, None),  # a journal's version that is not known
        ("ICCV 2021", {"publications": (ICCV,)}, "warning"),
        ("Machine Learning, 2021", {"publications": (ICCV,)}, None),
    ],
)
def test_a_year_counts_only_against_versions_that_it_may_be_of(words: str, change: dict, level: str | None):
    paper = replace(RCNN, title="Learning Fast Regions of Interest", **change)
    text = f"- Learning Fast Regions of Interest, {words}\n"
    found_levels = [item.level for item in check(text, lambda _: {"paper": paper}) if item.code == "year-at-odds"]
    assert found_levels == ([level] if level else [])


@for_each(
    ("written", "known", "level"),
    [
        ("ICML 2015", "ICCV", "warning"),
        ("ICCV 2015", "ICCV", None),
        ("TPAMI 2015", "ICCV", None),
        ("ICML Workshop 2015", "ICCV", None),
        ("ICML submission 2015", "ICCV", None),
        ("ICML 2014", "ICCV", "note"),  # a version before those that are known, such as a demo
        ("ICLR 2015", "ICML", "note"),  # a workshop there
        ("ICML 2015", "ICLR", None),
        ("UAI 2015", "IJCAI", None),  # printed once more there
        ("IAAI 2015", "AAAI", None),
        ("Lisa Lee, 2015", "ICCV", None),
    ],
)
def test_a_venue_beside_one_that_has_papers_of_others_is_a_note(written: str, known: str, level: str | None):
    paper = replace(
        RCNN,
        title="Learning Fast Regions of Interest",
        authors=(*RCNN.authors, "Lisa Lee"),
        publications=(replace(ICCV, venue=known),),
    )
    text = f"- [Learning Fast Regions of Interest](https://arxiv.org/abs/1504.08083). {written}.\n"
    facts = by_arxiv(paper)
    assert [item.level for item in check(text, facts) if item.code == "venue-at-odds"] == ([level] if level else [])


PEOPLE = replace(
    REGIONS, title="Learning Fast Regions of Interest", authors=("Ross Girshick", "Ada Lovelace", "Jan Seo")
)


@for_each(
    ("written", "level"),
    [
        ("Ross Girschick, Ada Lovelace", "warning"),  # a letter too many
        ("Ross Girshick and Ada Lovlace", "warning"),  # one that lacks
        ("Ross Girshick, Ada Lovelace, Jan Soe", "warning"),  # two changed about, in a short name
        ("R. Girschick, A. Lovelace", "note"),
        ("Girschick et al.", "note"),
        ("R. Girshick, A. Lovelace, J. Soe", None),  # who may be somebody else
        ("Ross Girshick, Jan Seo, Ada Lovlace", None),  # in another's place
        ("Ross Girshick, Eve Lovlace", None),
        ("Girshick R, Lovelace A", None),
        ("Kurt Gödel, Alan Turing", "note"),
        ("K. Gödel, A. Turing", None),
        ("Ada Gödel, Kurt Turing", None),
        ("Alan Turing", None),
    ],
)
def test_a_name_with_a_letter_wrong_is_misspelt_and_people_of_whom_none_is_an_author_are_anothers(written, level):
    text = f"- {written}. [{PEOPLE.title}](https://arxiv.org/abs/1504.08083)\n"
    assert [item.level for item in check(text, by_arxiv(PEOPLE)) if item.code == "authors-at-odds"] == [level] * (
        level is not None
    )


def test_authors_are_compared_where_the_title_is_the_papers_and_others_hardly_have_it():
    for title in ("Learning Fast Regions of Interest in Pictures", "Fast R-CNN"):
        text = f"- Kurt Gödel, Alan Turing. [{title}](https://arxiv.org/abs/1504.08083)\n"
        paper = replace(PEOPLE, title="Fast R-CNN") if title == "Fast R-CNN" else PEOPLE
        assert "authors-at-odds" not in [item.code for item in check(text, by_arxiv(paper))]


def test_a_preprint_that_was_published_is_a_note():
    line = "- [Fast R-CNN](https://arxiv.org/abs/1504.08083)"
    paper = replace(RCNN, publications=(ICCV,))
    (item,) = check(line, by_arxiv(paper))
    assert (item.code, item.level) == ("published-version", "note")
    assert item.evidence == ("ICCV 2015, doi:10.1109/ICCV.2015.169 (DBLP)",)
    assert found(f"{line}, ICCV 2015", by_arxiv(paper)) == []
    paragraph = "**Fast R-CNN**  \nRoss Girshick, Kaiming He  \nNeurIPS 2015 [pdf](https://arxiv.org/abs/1504.08083)"
    assert found(paragraph, by_arxiv(replace(RCNN, publications=(replace(ICCV, venue="NeurIPS"),)))) == []
    things = ("Maps", "Trees", "Birds", "Seas", "Stars")
    others = "".join(f"- [Learning to Find {name} in Pictures](https://example.org/{name}.pdf)\n" for name in things)
    assert found(f"{others}{line}\n", lambda entry: {"paper": paper if entry.mention.arxiv_id else None}) == []


def test_a_link_to_a_paywall_is_a_note_where_a_free_copy_is_known():
    line = "- [Fast R-CNN](https://ieeexplore.ieee.org/document/7410526), ICCV 2015"
    (item,) = check(line, lambda _: {"paper": RCNN})
    assert (item.code, item.level, item.evidence) == (
        "paywalled-link", "note", ("free copy: https://arxiv.org/abs/1504.08083",)
    )  # fmt: skip
    assert check(f"{line} [[arXiv]](https://arxiv.org/abs/1504.08083)", lambda _: {"paper": RCNN}) == []


def test_only_the_lines_given_are_reported_also_of_the_first_of_two():
    line = "- [Attention Is All You Need](https://arxiv.org/abs/1706.03762)\n"
    text = f"{line}- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n{line}"
    assert [item.line for item in check(text, lines={3})] == [3]
    (item,) = check(text, lines={1})
    assert (item.line, item.others) == (1, (3,))
    assert check(text, lines={2}) == []
