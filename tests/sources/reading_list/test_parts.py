"""Parts of works in many layouts and languages: the part belongs to the title, and no other part is the paper."""

import pytest

from sources.bibliography.titles import parts_behind, title_key
from sources.lists.reading import parse_reading_list
from sources.lists.reading.citation_parts import goes_on_as_part
from sources.matching.candidates import Candidate
from sources.matching.judge import judge
from sources.records import Mention

WORK = "Quantum Groups and Their Crystal Bases"
AUTHORS = ("Ludvig Faddeev", "Peter Smith")
LAYOUTS = {
    "plain": "- {}. L. Faddeev, P. Smith. 1990",
    "full names": "- {}. Ludvig Faddeev, Peter Smith. 1990",
    "APA": "- Faddeev, L., & Smith, P. (1990). {}. Journal of Mathematical Physics, 12(3), 11-20.",
    "APA, unknown journal": "- Faddeev, L., & Smith, P. (1990). {}. *Some Reports*, 12.",
    "Vancouver": "- Faddeev L, Smith P. {}. Phys Rev. 1990;12(3):1-10.",
    "MLA": '- Faddeev, Ludvig, and Peter Smith. "{}." Physical Review, vol. 12, 1990, pp. 1-10.',
    "bold": "- **{}** Ludvig Faddeev, Peter Smith (1990)",
    "linked": "- [{}](https://example.org/a.pdf) - Ludvig Faddeev, Peter Smith, 1990",
    "by": "- {}, by Ludvig Faddeev and Peter Smith (1990)",
    "table": "| Title | Authors | Year |\n|---|---|---|\n| {} | Ludvig Faddeev, Peter Smith | 1990 |",
}
JOINTS = ("{}. {}", "{}, {}", "{}: {}", "{} ({})", "{} - {}", "{} {}")
OTHERS = {
    "II": "I", "XII": "XI", "IV": "V", "Part 2": "Part 1", "Part II": "Part I", "Part Two": "Part One",
    "Pt. 2": "Pt. 1", "Vol. 2": "Vol. 1", "Volume 3": "Volume 2", "Book II": "Book I", "2nd ed.": "1st ed.",
    "second edition": "first edition", "II: Applications": "I: Theory", "Part 2. Applications": "Part 1. Theory",
    "Teil II": "Teil I", "2. Teil": "1. Teil", "Zweiter Teil": "Erster Teil", "Bd. 2": "Bd. 1",
    "2. Auflage": "1. Auflage", "partie II": "partie I", "Deuxième partie": "Première partie", "tome 2": "tome 1",
    "Segunda parte": "Primera parte", "2ª ed.": "1ª ed.", "Parte seconda": "Parte prima", "deel 2": "deel 1",
    "del 2": "del 1", "część 2": "część 1", "wyd. 2": "wyd. 1", "часть 2": "часть 1", "Т. 2": "Т. 1",
    "2-е изд.": "1-е изд.",
}  # fmt: skip


def _mention(layout: str, title: str) -> Mention | None:
    found = parse_reading_list(f"# Papers\n\n## Papers\n\n{LAYOUTS[layout].format(title)}\n").mentions
    return next((mention for mention in found if (mention.title or "").startswith(WORK)), None)


def _candidate(title: str, number: int) -> Candidate:
    return Candidate(source="s2", title=title, authors=AUTHORS, year=1990, s2_paper_id=f"{number:040x}")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_part_stays_in_the_title_and_no_other_part_is_the_paper(layout):
    read = lost = 0
    for part, other in OTHERS.items():
        for joint in JOINTS:
            title, rivals = joint.format(WORK, part), (joint.format(WORK, other), WORK, f"{WORK}. {other}")
            mention = _mention(layout, title)
            if mention is None:
                continue
            read += 1
            lost += title_key(mention.title or "") != title_key(title)
            rival = [_candidate(text, number) for number, text in enumerate(rivals, 2)]
            chosen = judge(mention, [_candidate(title, 1), *rival]).chosen
            assert chosen is None or chosen.title == title, (title, mention.title)
            for each in rival:
                assert judge(mention, [each]).chosen is None, (title, mention.title, each.title)
    assert read >= 0.8 * len(OTHERS) * len(JOINTS)
    assert lost <= (0.2 if layout == "APA, unknown journal" else 0.02) * read


CUT = (
    "- \\emph{{{0} — {1}}}, L. Faddeev, P. Smith, 1990",
    "- L. Faddeev, P. Smith, ``{0} ({1}),'' Math. 1990",
    "- **{0}** {1}. Ludvig Faddeev, Peter Smith (1990)",
    "- [{0}](https://example.org/a.pdf) {1}, Ludvig Faddeev, 1990",
    "- Ludvig Faddeev, Peter Smith. {0}. In two parts. {1}. Annals of Mathematics, 1990.",
    "- Ludvig Faddeev, Peter Smith\n  {0}, {1}\n  Annals of Mathematics, 1990",
    "- {0} – {1}. Ludvig Faddeev and Peter Smith, 1990",
)
"""Layouts in which reading may end the title before the part."""


@pytest.mark.parametrize("layout", CUT)
@pytest.mark.parametrize(
    "work", [WORK, "Data Preservation - why, how and when?", "Undirected Graphs of Entanglement 3"]
)
def test_a_part_behind_the_title_is_told_from_others_wherever_reading_ends_the_title(layout, work):
    parts = ("I", "II", "Part V", "Teil 2", "Vierter Teil", "Deuxième partie", "Part B", "часть 3", "2nd ed.")
    for part in parts:
        others = [f"{work} {other}" for other in parts if other != part and {part, other} != {"II", "Teil 2"}]
        rivals = [_candidate(text, number) for number, text in enumerate((work, *others), 2)]
        for mention in parse_reading_list(f"# Papers\n\n{layout.format(work, part)}\n").mentions:
            for rival in rivals:
                same = {part, rival.title.removeprefix(f"{work} ")} in SAME_PARTS
                assert same or judge(mention, [rival]).chosen is None, (mention.text, mention.title, rival.title)


SAME_PARTS = ({"II", "Deuxième partie"}, {"Teil 2", "Deuxième partie"})


def test_the_number_of_a_century_is_no_part():
    century = "La minería de la plata en el siglo XIX. En Lecturas de historia"
    assert goes_on_as_part(century, 0, century.index("."), century.index(".") + 1) is None


def test_what_follows_a_title_is_its_part_but_not_the_volume_of_a_journal():
    def parts(entry: str) -> list[str]:
        return [part for part, _ in parts_behind(entry, entry.index(WORK) + len(WORK))]

    assert parts(f"- **{WORK}** (Part II), 1990") == ["2"]
    assert parts(f"- [{WORK}](https://example.org/x), III. 1990") == ["3"]
    assert parts(f"- \\emph{{{WORK} — IV}}, 1990") == ["4"]
    assert parts(f"- {WORK}. In two parts. Zweiter Teil. 1990") == ["2"]
    assert parts(f"- {WORK} 2, Ludvig Faddeev") == ["2"]
    assert parts(f"- {WORK}, 2nd ed., 1990") == ["2 ed"]
    assert parts(f"- {WORK}, vol. 12, no. 3, 1990") == []
    assert parts(f"- {WORK}. 2 authors agree") == []
