"""Slips of the pen that show where a list is read otherwise, or beside a neighbour."""

from dataclasses import replace

from sources.bibliography.years import LAST_YEAR
from tests.matrices import for_each
from tests.sources.list_checks.lists import ATTENTION, RCNN, check, found, mended

WORDS = "Maps Trees Birds Seas Lists Stars".split()
DATED = "".join(
    f"- [Learning to Find {word} in Pictures](https://example.org/{word}.pdf), ICML 2019\n" for word in WORDS
)
BOLD = "".join(f"- **Learning to Find {word} in Pictures** ([notes](notes/{word}.md))\n" for word in WORDS)
NAMES = "".join(f"- [{word}Net](https://arxiv.org/abs/1906.0123{at})\n" for at, word in enumerate(WORDS))
NUMBERED = "".join(f"{number}. {line[2:]}" for number, line in enumerate(DATED.splitlines(keepends=True), 1))


@for_each(
    ("entry", "codes"),
    [
        ("[Counting Towns on Roads](https://example.org/a.pdf), ICML {}", ["future-year"]),
        ("{}.04 [Counting Towns on Roads](https://example.org/a.pdf)", ["future-year"]),
        ("[Counting Towns on Roads](https://example.org/a.pdf) (Byron et al., 03-{})", ["future-year"]),
        ("[Counting Towns on Roads](https://example.org/a.pdf), _6 may {}_", ["future-year"]),
        ("Ada Byron and Bo Lund ({}): _Counting Towns on Roads_, Example Press.", ["future-year"]),
        ("[Counting Towns on Roads by {}](https://example.org/a.pdf), ICML 2019", []),
        ("[Counting Towns on Roads: The Way to {}](https://example.org/a.pdf)", []),
        ("[Counting Towns on Roads](https://example.org/{}/a.pdf), ICML 2019", []),
    ],
)
def test_a_year_that_is_still_to_come_is_a_warning_and_one_in_a_title_is_not(entry: str, codes: list[str]):
    for year, expected in ((LAST_YEAR + 3, codes), (LAST_YEAR, [])):
        assert [item[1] for item in found(f"{DATED}- {entry.format(year)}\n")] == expected


@for_each(
    ("text", "second"),
    [
        (DATED, "- [Learning to Find Birds"),
        (DATED.replace("\n- [Learning to Find Birds", "- [Learning to Find Birds"), None),
        (DATED.replace("- [", "* [").replace("\n* [Learning to Find Birds", "* [Learning to Find Birds"), None),
        (NUMBERED.replace("\n3. ", " 3. "), None),
        (BOLD, "- **Learning to Find Birds"),
        (NAMES.replace("\n- [Birds", "- [Birds"), None),
    ],
)  # fmt: skip
def test_two_entries_on_one_line_are_a_warning_that_its_edit_mends(text: str, second: str | None):
    findings = [item for item in check(text) if item.code == "joined-entries"]
    assert [(item.line, item.level) for item in findings] == ([] if second else [(2, "warning")])
    assert mended(text, findings).count("\n") == DATED.count("\n")


def code(first: str, second: str, repository: str) -> str:
    link = f"[[code]](https://github.com/{repository})"
    return (
        f"- [{first}](https://arxiv.org/abs/1504.08083) {link}\n- [{second}](https://arxiv.org/abs/1706.03762) {link}\n"
    )


@for_each(
    ("repository", "expected"),
    [
        ("rbg/fast-rcnn", [(2, "warning")]),
        ("someone/attention", [(1, "warning")]),
        ("someone/attention-and-fast-rcnn", [(2, "note")]),
        ("someone/things", [(2, "note")]),
    ],
)
def test_code_that_fits_a_neighbour_alone_is_a_warning_where_they_are_other_people(repository, expected):
    known = {1: RCNN, 2: ATTENTION}
    text = code("Fast R-CNN", "Attention Is All You Need", repository)
    facts = lambda entry: {"paper": known[entry.mention.line]}  # noqa: E731
    assert [(item.line, item.level) for item in check(text, facts) if item.code == "copied-code"] == expected
    same = {1: replace(RCNN, authors=ATTENTION.authors), 2: ATTENTION}
    assert check(text, lambda entry: {"paper": same[entry.mention.line]}) == []
    assert [item for item in check(text) if item.code == "copied-code"] == [], (
        "people whom nobody knows may be one team"
    )
    both = text.replace("\n", " [more](https://github.com/lab/own)\n", 1)
    alone = [(item.line, item.level) for item in check(both, facts) if item.code == "copied-code"]
    assert alone == [each for each in expected if each[1] == "warning"], "one has code of its own"


def test_code_that_other_entries_of_its_people_have_is_theirs():
    text = code("Fast R-CNN", "Attention Is All You Need", "someone/things")
    third = "- [One Model To Learn Them All](https://arxiv.org/abs/1706.05137) [[code]](https://github.com/someone/things)\n"
    known = {1: RCNN, 2: ATTENTION, 3: replace(ATTENTION, paper_id="p3", title="One Model To Learn Them All")}
    facts = lambda entry: {"paper": known[entry.mention.line]}  # noqa: E731
    findings = [item for item in check(text + third, facts) if item.code == "copied-code"]
    assert {(item.line, item.level) for item in findings} == {(1, "note")}


YOLO = replace(
    RCNN, paper_id="p4", title="YOLO: Looking at Pictures Once", authors=("Ada Byron",), arxiv_id="1506.02640"
)
ZERO = replace(ATTENTION, paper_id="p5", title="ZeRO: Training in Little Memory", arxiv_id="1910.02054")
PAPERS = {paper.arxiv_id: paper for paper in (RCNN, YOLO, ZERO)}
YOLO_LINE = "- YOLO: Looking at Pictures Once. [pdf](https://arxiv.org/abs/1506.02640)\n"


def names(text: str, papers=PAPERS):
    findings = check(text, lambda entry: {"paper": papers.get(entry.mention.arxiv_id)})
    return [(item.line, item.level) for item in findings if item.code == "name-at-odds"]


@for_each(
    ("line", "expected"),
    [
        ("**YOLO**: [ZeRO: Training in Little Memory](https://arxiv.org/abs/1910.02054)", [(2, "warning")]),
        ("**YOLO**, [ZeRO: Training in Little Memory](https://arxiv.org/abs/1910.02054), 2019", [(2, "warning")]),
        ("YOLO: Training in Little Memory. [pdf](https://arxiv.org/abs/1910.02054)", [(2, "warning")]),
        ("[YOLO](https://arxiv.org/abs/1910.02054)", [(2, "warning")]),
        ("[YOLO] ZeRO: Training in Little Memory. [[pdf]](https://example.org/zero.pdf)", [(2, "warning")]),
        ("**ZeRO**: [Training in Little Memory](https://arxiv.org/abs/1910.02054)", []),
        ("[YOLOv2](https://arxiv.org/abs/1910.02054)", []),
        ("**DeepSpeed**: [ZeRO: Training in Little Memory](https://arxiv.org/abs/1910.02054)", []),
        ("**YOLO**: [Fast R-CNN](https://arxiv.org/abs/1504.08083)", []),
    ],
)
def test_the_name_of_another_entrys_paper_is_a_warning_beside_one_with_its_own(line: str, expected):
    assert names(f"{YOLO_LINE}- {line}\n") == expected


def test_what_a_paper_is_called_elsewhere_or_by_its_initials_is_its_name():
    line = "- [YOLO](https://arxiv.org/abs/1910.02054)\n"
    for known, expected in (
        ({"names": ("YOLO",)}, []),
        ({"other_titles": ("YOLO Trained in Little Memory",)}, []),
        ({"title": "ZeRO: You Only Live for Order"}, []),
        ({"title": "Training in Little Memory"}, []),
        ({"title": "Training in Little Memory", "names": ("ZeRO",)}, [(2, "warning")]),
        ({"authors": YOLO.authors}, [(2, "note")]),
    ):
        assert names(YOLO_LINE + line, {**PAPERS, ZERO.arxiv_id: replace(ZERO, **known)}) == expected


def test_a_name_with_a_number_is_one():
    later = replace(YOLO, title=f"YOLO 5.5{YOLO.title[4:]}")
    text = f"{YOLO_LINE.replace('YOLO', 'YOLO 5.5')}- YOLO 5.5: Training in Little Memory. [pdf](https://arxiv.org/abs/1910.02054)\n"
    assert names(text, {**PAPERS, YOLO.arxiv_id: later}) == [(2, "warning")]


def test_names_of_topics_and_of_rows_of_results_are_not_at_odds():
    zero, rcnn = "https://arxiv.org/abs/1910.02054", "https://arxiv.org/abs/1504.08083"
    papers = {**PAPERS, RCNN.arxiv_id: replace(RCNN, title="FRCN: Fast Regions")}
    assert names(f"{YOLO_LINE}- [YOLO]({zero})\n- [YOLO]({rcnn})\n", papers) == []
    assert names(f"{YOLO_LINE}- [YOLO]({zero})\n- [Baseline]({zero})\n", papers) == []
    assert names(f"{YOLO_LINE}- [YOLO]({zero})\n- [FRCN]({rcnn})\n", papers) == [(2, "warning")]
