"""A new entry is written as the list writes its own, and goes where it belongs; or it is refused."""

import re
from calendar import month_abbr
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.errors import AlreadyListed, UsageError
from sources.lists.checks.findings import PaperFacts, Publication
from sources.lists.edits.additions import addition, additions, shown_entries
from sources.lists.edits.annotations import annotation_changes
from sources.lists.edits.edits import apply_edits, edits_of
from sources.lists.edits.forms import ADDRESS, TITLE, YEAR, is_plain
from sources.lists.edits.places import sorted_section
from sources.lists.reading import parse_reading_list
from tests.matrices import for_each
from tests.sources.list_edits.lists import NAMES, NEW, PAPERS, STYLES, entries_of, facts, list_of, listed


def added(text, paper=None, **more):
    return apply_edits(text, addition(text, paper or facts(), **more).edits)


def entry_in(text, paper=None, **more):
    return addition(text, paper or facts(), **more).edits[0].replacement.strip()


@pytest.mark.slow
@given(
    st.sampled_from(sorted(STYLES)),
    st.sampled_from(sorted(NAMES)),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["\n", "", "\n\n## Other things\n\ntext\n"]),
)
def test_an_entry_is_written_as_its_neighbours_and_stands_in_their_order(style, names, end, last):
    text = list_of(style, PAPERS, names=names, end=end, last=last)
    new = added(text)
    assert new == list_of(style, [*PAPERS[:2], NEW, *PAPERS[2:]], names=names, end=end, last=last)
    with pytest.raises(UsageError, match="has this paper already"):
        addition(new, facts())


def test_an_entry_that_is_only_shown_is_the_one_that_would_be_added():
    for text in (list_of(style, PAPERS) for style in STYLES):
        change = addition(text, facts())
        shown = shown_entries(text, [(facts(), None), (facts(), "Papers on networks"), (facts(PAPERS[1]), None)])
        *words, (nothing, error) = [(entry.words, entry.error) for entry in shown]
        assert words == [(change.edits[0].replacement.strip("\r\n"), None)] * 2
        assert nothing is None
        assert isinstance(error, AlreadyListed)


@for_each(
    "text", ["", "# Read\n\n- ~~**Adam: A Method**~~\n- ~~**Deep Learning**~~\n", "# Links\n\nNothing but words.\n"]
)
def test_a_list_without_a_form_to_copy_shows_no_entry(text):
    shown = list(shown_entries(text, [(facts(), "Read"), (facts(), None)]))
    assert [entry.words for entry in shown] == [None, None]
    assert all(entry.error and not isinstance(entry.error, AlreadyListed) for entry in shown)


def test_the_line_where_a_paper_stands_is_told():
    text = list_of("bullets", PAPERS)
    with pytest.raises(UsageError, match="line 4 has this paper already, with the same identifier"):
        addition(text, facts(PAPERS[1], title="Another Title of It"))
    with pytest.raises(UsageError, match="line 6 has this paper already, under the same title"):
        addition(text, facts(PAPERS[3], arxiv_id="2101.00001"))


def test_in_several_sections_the_section_must_be_named():
    speech = "\n\n## Speech\n\n* *Deep Speech Recognition at Scale*, https://arxiv.org/abs/1412.5567\n"
    text = list_of("bullets", PAPERS, last=speech)
    with pytest.raises(UsageError, match=r"not clear: name one with --section, of Papers on networks; .* > Speech"):
        addition(text, facts())
    with pytest.raises(UsageError, match="no section with entries is named 'Vision'"):
        addition(text, facts(), section="Vision")
    new = added(text, section="speech")
    entry = f"* *{NEW[0]}*, https://arxiv.org/abs/{NEW[4]}\n"  # where the list has its newest entries
    assert new == text.replace("* *Deep", f"{entry}* *Deep")


def test_marks_of_markdown_and_html_in_a_title_stay_text():
    text = list_of("bullets", PAPERS)
    with pytest.raises(UsageError, match="would not be read as this paper"):
        addition(text, facts(title="Learning [x](http://evil.example) <b>Networks</b>"))
    title = "Learning to *Search* in Deep Networks"
    new = added(text, facts(title=title))
    (mention,) = [item for item in parse_reading_list(new).mentions if item.arxiv_id == NEW[4]]
    assert mention.title == title
    assert mention.url == f"https://arxiv.org/abs/{NEW[4]}"


DOI = {"arxiv_id": None, "doi": "10.1145/3065386"}
NEW_ADDRESS = f"https://arxiv.org/abs/{NEW[4]}"
BOLD = "# Papers\n\n**ICML**\n- {} [[paper](https://a.example/1)]\n- {} [[paper](https://a.example/2)]\n\n**Journal**\n"
BOLD += "- {} [[paper](https://a.example/3)]\n- {} [[paper](https://a.example/4)]\n"


@for_each(("venue", "place"), [("ICML", "2)]\n"), ("Nature", "4)]\n"), ("ACL", None), (None, None)])
@pytest.mark.parametrize("bold", ["**{}**", "<B>`{}`</B>"])
def test_among_words_in_bold_an_entry_stands_under_those_that_fit(venue, place, bold):
    text = re.sub(r"\*\*(\w+)\*\*", lambda words: bold.format(words[1]), BOLD.format(*(paper[0] for paper in PAPERS)))
    published = (Publication(source="dblp", venue=venue, year=2015),) if venue else ()
    if place is None:
        with pytest.raises(UsageError, match="words that do not tell where it belongs"):
            addition(text, facts(publications=published))
    else:
        new = added(text, facts(publications=published))
        assert f"{place}- {NEW[0]} [[paper](https://arxiv.org/abs/{NEW[4]})]\n" in new


@for_each("named", ["Journal", "papers > journal"])
def test_words_in_bold_are_named_as_a_section_is(named):
    text = BOLD.format(*(paper[0] for paper in PAPERS)).replace("ICML", "Talks")
    assert added(text, facts(publications=()), section=named) == f"{text}- {NEW[0]} [[paper]({NEW_ADDRESS})]\n"
    with pytest.raises(UsageError, match="no section with entries is named 'Books'"):
        addition(text, facts(), section="Books")


@for_each(
    ("people", "authors", "expected"),
    [
        (["He, Kaiming, and Jian Sun", "Li, Mu, et al.", "Sun, Yi, et al."], 4, "Vaswani, Ashish, et al."),
        (["He, Kaiming, and Jian Sun", "Li, Mu, et al.", "Sun, Yi, et al."], 2, "Vaswani, Ashish, and Noam Shazeer"),
        (["Kaiming He, Mu Li, and Yi Sun", "Ann Lee, Jo Ng, and Mu Yi"], 2, "Ashish Vaswani and Noam Shazeer"),
        (["Kaiming He", "Mu Li", "Yi Sun", "Ann Lee", "Jo Ng"], 4, "Ashish Vaswani"),
    ],
)
def test_people_are_named_as_in_mla_or_the_first_alone_where_the_list_names_them_so(people, authors, expected):
    titles = (f"Networks of {n} Layers for Images" for n in ("Two", "Three", "Four", "Five", "Six"))
    lines = [f'- {who.rstrip(".")}. "{t}". ICLR 2015.' for who, t in zip(people, titles, strict=False)]
    paper = facts(authors=("Ashish Vaswani", "Noam Shazeer", "Niki Parmar", "Jakob Uszkoreit")[:authors])
    assert entry_in("# Papers\n\n" + "\n".join(lines) + "\n", paper) == f'- {expected}. "{NEW[0]}". NIPS 2015.'.replace(
        "..", "."
    )


def test_fields_that_no_entry_of_the_section_has_are_left_out_and_names_of_files_hold_no_year():
    lines = listed("- **{t}** ({y}) [`notes/he{y}_net`](notes/he{y}_net)\n")
    others = listed("- **Study of {n} Things** (2015) [[pdf](https://arxiv.org/abs/1901.0000{n})]\n")
    assert entry_in(f"## A\n\n{lines}\n\n## B\n\n{others}", section="A") == f"- **{NEW[0]}** (2015)"


def test_what_parts_links_goes_with_the_links_of_others():
    lines = listed("- {t}, {v} {y}, ([paper]({u})), ([slides](https://example.org/{y}.pptx))\n")
    assert entry_in(f"# Papers\n\n{lines}") == f"- {NEW[0]}, NIPS {NEW[3]}, ([paper](https://arxiv.org/abs/{NEW[4]}))"


def test_where_no_order_is_kept_an_entry_goes_where_the_newest_stand():
    ids = [f"{20 - n // 4}{(n * 5) % 12 + 1:02}.{n:05}" for n in range(24)]
    lines = "".join(f"- [Networks of {n} Layers](https://arxiv.org/abs/{of})\n" for n, of in enumerate(ids))
    change = addition(f"# Papers\n\n{lines}", facts(arxiv_id="2012.12345"))
    assert change.line == 3
    assert change.evidence == (
        "the section is in no order that shows, so it goes before the first entry, as the list has newer ones first",
    )


@for_each("end", ["- - -\n", "---\n", "[\\[back to top\\]](#papers)\n"])
def test_what_closes_a_section_stays_its_last_line(end):
    text = f"{list_of('bullets', PAPERS)}\n{end}\n## More\n\ntext\n"
    new = added(text, facts((*NEW[:3], 2012, NEW[4])))
    assert new.endswith(f"{NEW[4]}) (NIPS 2012)\n\n{end}\n## More\n\ntext\n")


def test_an_order_is_one_of_the_list_and_may_have_strays():
    def section(name, keys):
        return f"## {name}\n\n" + "".join(
            f"- [Study of {name} {n}](https://example.org/{name}{n}) ({year})\n" for n, year in enumerate(keys)
        )

    falling = section("Trees", [*range(2025, 2017, -1), 2016, 2017, *range(2015, 2003, -1)])
    rising = section("Grass", [2001, 2002])
    paper = facts(publications=(), authors=())
    new = added(falling + rising, paper, section="Trees")
    assert re.findall(r"\((\d{4})\)", new)[9:13] == ["2017", "2015", "2015", "2014"]
    alone = section("Grass", [2001, 2002, 2016])
    others = "".join(section(f"Wood {n}", [2019, 2014, 2018, 2011]) for n in range(5))
    (evidence,) = addition(alone + others, paper, section="Grass").evidence
    assert "no order that shows" in evidence


def test_what_entries_say_of_their_own_is_not_copied():
    text = "# Notes\n\n" + "".join(
        f"- {paper[0]} is what we read in week {n}, and loved.\n" for n, paper in enumerate(PAPERS)
    )
    assert apply_edits(text, addition(text, facts()).edits) == f"{text}- {facts().title}\n"
    lines = [f"- [Learning with {n} Layers](https://arxiv.org/abs/1901.0000{n}), ICLR 20{n}5\n" for n in range(5)]
    paper = PaperFacts(paper_id="p", title="Attention Is All You Need", doi="10.5555/3295222")
    with pytest.raises(UsageError, match=r"they have a year and a venue, which nobody tells .*write it by hand"):
        addition("# Papers\n\n" + "".join(lines), paper)
    told = PaperFacts(paper_id="p", title="Attention Is All You Need", doi="10.5555/3295222", venue="NIPS", year=2017)
    assert "), NIPS 2017\n" in added("# Papers\n\n" + "".join(lines), told)


@for_each(
    ("order", "expected"),
    [("title", (1, 3, 0, 2)), ("year", (0, 1, 2, 3)), ("citations", (3, 2, 1, 0)), ("venue", (0, 1, 3, 2))],
)
def test_a_section_is_sorted_by_whole_entries_and_numbers_stay(order, expected):
    for style in STYLES:
        text = list_of(style, PAPERS, last="")
        change = sorted_section(text, entries_of(text), order)
        new = apply_edits(text, change.edits) if change else text
        assert new == list_of(style, [PAPERS[at] for at in expected], last="")
        assert sorted_section(new, entries_of(new), order) is None


GAP = "\n\n"


def test_children_move_with_their_entry_and_text_between_entries_is_not_moved():
    form = "- [{t}]({u}) ({v} {y})\n  - read in {y}"
    text, expected = (f"# Papers\n\n{listed(form, papers, between=GAP)}\n" for papers in (PAPERS, sorted(PAPERS)))
    change = sorted_section(text, entries_of(text), "title")
    assert apply_edits(text, change.edits) == expected
    text = text.replace("\n\n-", "\n\nAnd then there is\n\n-").replace("And then there is\n\n", "", 1)
    with pytest.raises(UsageError, match="no plain run of entries, see line 6"):
        sorted_section(text, entries_of(text), "title")


def test_no_form_is_copied_whose_table_is_left_open():
    form = '<table><tr><td>\n<a href="{u}">{t}</a> that we read in week {n}\n</td></tr></table>'
    text = f"# Papers\n\n{listed(form, between=GAP)}\n"
    with pytest.raises(UsageError, match="write it by hand"):
        addition(text, facts())


def test_what_may_end_a_section_is_not_sorted_with_its_last_entry():
    text = f"# Papers\n\n{listed('[{t}]({u})', between=GAP)}\n\n> Having read these, you know the field.\n\n#2 More\n"
    with pytest.raises(UsageError, match="what stands below line 9 may belong to its entry or end the section"):
        sorted_section(text, entries_of(text), "title")


def test_a_new_paragraph_stands_behind_the_break_of_the_one_above():
    form = "[{t}]({u})\n\n<br/>"
    text = f"# Papers\n\n{listed(form, between=GAP)}\n\n# More\n"
    new = apply_edits(text, addition(text, facts()).edits)
    assert new.startswith(text.removesuffix("\n\n# More\n"))


def test_items_are_not_sorted_among_paragraphs():
    text = "# Papers\n\n" + listed("- [{t}]({u})\n").replace("- ", "", 1).replace("\n", "\n\n", 1)
    with pytest.raises(UsageError, match="some entries of the section are items and some are not"):
        sorted_section(text, entries_of(text), "title")


@for_each("look", [None, "suffix", "badge", "column"])
@for_each("kind", ["citations", "bibtex"])
def test_what_is_shown_beside_entries_is_renewed_in_place_and_changes_no_reading(look, kind):
    for style in STYLES:
        text = list_of(style, PAPERS, last="")
        changes = annotation_changes(text, entries_of(text), kind, look)
        new = apply_edits(text, edits_of(changes))
        assert (new != text) == (look != "column" or "table" in style)
        before, after = ([replace(each, text="") for each in parse_reading_list(read).mentions] for read in (text, new))
        assert after == before
        assert annotation_changes(new, entries_of(new), kind, look) == []
        assert new.count("<!-- paperlake:") in (0, 1, 4)


@for_each(
    ("form", "expected", "more"),
    [
        ("<b>{t} ({y})</b> [[Paper]({u})]<br>", None, {}),
        ("- [{e}/{m}] **{t}.** [[paper]({u})]", None, {}),
        ("- [{e}.{m}] [{t}]({u})", None, {}),
        ("- {t}. arXiv:{i}, {y}.", None, {}),
        ("- [{t}]({u}) | **[{v}' {s}]**", None, {}),
        ("- [{t}]({u}) – מאמר חשוב ({y})", None, {}),
        ("- 🔥 [{t}]({u}) ⭐ ({v} {y})", None, {}),
        ("- {t}. In *Proceedings of {v} {y}*. [paper]({u})", None, {}),
        ("- {t}. {f} *et al*. [[pdf]({p})]", None, {}),
        ("- [{t}]({u}) ({v} {y}): {x}", "- [{t}]({u}) ({v} {y})", {}),
        ("- **{t}** ![]({x}.png) {v} {y}. [[pdf]({u})], {x}", "- **{t}** {v} {y}. [[pdf]({p})]", {}),
        (
            "- {t} ([{x}](https://a.org/{i})) \\[[Paper]({u})] \\[[Code](https://b.org/{i})]",
            "- {t} \\[[Paper]({u})]",
            {},
        ),
        ('- <img src="{x}.svg" alt="{x}"> [{t}]({u})', "- [{t}]({u})", {}),
        ("- {v}-{s} [{t}]({u}), {x}", "- {v}-{s} [{t}]({u})", {}),
        ("- [{t}]({u})\n  [![Star](s.svg)](https://github.com/a/{i})", "- [{t}]({u})", {}),
        ("- 《{t}》（{v} {y}）：[论文]({u})，{x}", "- 《{t}》（{v} {y}）：[论文]({u})", {}),
        (
            "- {t} ([{v} {y}](https://www.usenix.org/atc/{i})) \\[[Paper]({u})]",
            "- {t} ({v} {y}) \\[[Paper]({u})]",
            {},
        ),
        ("- {t}\n  [[code](https://github.com/a/{i})] | [[pdf]({p})]", "- {t}\n  [[pdf]({p})]", {}),
        ("- {t} ({w} {e}) [[pdf]({p})]", None, {}),
        ("- {t}, 1 {w} {e} [[pdf]({p})]", "- {t}, 12 {w} {e} [[pdf]({p})]", {"published_on": date(2017, 6, 12)}),
        (
            "- [{t}]({u}) - [[code]](https://b.org/{i}) - {f}, Jo Ng ({y})",
            "- [{t}]({u}) - {f}, Noam Shazeer ({y})",
            {},
        ),
        ("- {t} [[arXiv]({u})]", "- {t} [[paper](https://doi.org/10.1145/3065386)]", DOI),
    ],
)
def test_a_new_entry_has_the_form_of_the_others_and_nothing_that_is_said_of_one_of_them(form, expected, more):
    authors = (*NEW[1], "Niki Parmar") if "et al" in form else NEW[1]
    paper = facts(
        **({"publications": (Publication(source="dblp", venue="ICML", year=2015),), "authors": authors} | more)
    )
    notes = iter(("a classic", "read twice", "看第三节", "with slides"))
    text = listed(
        form,
        between="\n",
        x=lambda *_: next(notes),
        p=lambda *paper: f"https://arxiv.org/pdf/{paper[4]}",
        f=lambda *paper: paper[1][0],
        e=lambda *paper: 2000 + int(paper[4][:2]),
        m=lambda *paper: paper[4][2:4],
        w=lambda *paper: month_abbr[int(paper[4][2:4])],
    )
    title, (first, *_), _, _, arxiv_id = NEW
    assert entry_in(f"# Papers on networks\n\n{text}\n", paper) == (expected or form).format(
        t=title, u=f"https://arxiv.org/abs/{arxiv_id}", p=f"https://arxiv.org/pdf/{arxiv_id}", v="ICML", y=2015,
        i=arxiv_id, m="06", e=2017, x="", s=15, f=first, w="Jun",
    )  # fmt: skip


def test_a_published_paper_is_written_as_the_published_ones_and_a_preprint_as_the_others():
    verbs = ("Map", "See", "Build", "Draw")
    preprints = [(f"Learning to {verb} Towns", (), "", 2020, f"2001.0000{n}") for n, verb in enumerate(verbs)]
    text = "# Papers\n\n" + listed("- [{t}]({u}) | {v}' {y}\n") + listed("- [{t}]({u})\n", preprints)
    assert "| ICLR' 2015" in entry_in(text, facts(publications=(Publication(source="dblp", venue="ICLR", year=2015),)))
    assert entry_in(text, facts(publications=(), venue=None)).endswith("1706.03762)")


@for_each(("doi", "expected"), [(None, "Unpublished 2015"), ("10.1145/3065386", "arXiv 2015")])
def test_a_preprint_has_the_word_of_the_list_but_one_with_a_doi_is_not_called_unpublished(doi, expected):
    preprint = ("Learning to Map Towns", (), "Unpublished", 2013, "1301.00001")
    paper = facts(publications=(), venue=None, doi=doi)
    assert expected in entry_in("# Papers\n\n" + listed("- {t}, {v} {y} [[pdf]({u})]\n", [*PAPERS, preprint]), paper)


def test_ratings_and_badges_of_owners_are_left_out_and_rows_may_lack_cells():
    head = "# Papers\n\n|Title|Paper|Rating|\n|---|---|---|\n"
    text = head + listed("|🔥 {t}|[[pdf]]({u})| ⭐️⭐️ ||\n").replace("⭐️ ||", "|", 2).replace("🔥", "🔥🔥", 1)
    paper = PaperFacts(paper_id="p", title="Attention Is All You Need", arxiv_id="1706.03762", year=2017)
    (edit,) = addition(text, paper).edits
    assert "Attention Is All You Need|[[pdf]](https://arxiv.org/pdf/1706.03762)|" in edit.replacement
    assert not {"🔥", "⭐"} & {*edit.replacement}


PREPRINT = {"publications": (), "venue": "arXiv 2015"}
NEW_LINK = f"[{NEW[0]}](https://arxiv.org/abs/{NEW[4]})"
IN_TABLES_AND_LISTS = {  # what is beside the paper in the list -> the list, what is known of the paper, and its entry
    "an entry without a venue": (
        list_of("bullets", PAPERS, last="\n- [Learning without Labels](https://arxiv.org/abs/1805.00001)\n"),
        {"publications": ()}, f"\n- {NEW_LINK}\n- [Sequence",
    ),
    "dates of readings": (
        "| Date | Paper |\n|---|---|\n" + listed("| 2020-0{n}-01 | [{t}]({u}) |\n"),
        {"published_on": date(2017, 6, 12)}, f"\n| | {NEW_LINK} |",
    ),
    "dates of readings in their order": (
        "| Date | Paper |\n|---|---|\n" + listed("| 20{n}0-01-01 | [{t}]({u}) |\n"),
        {}, f"1312.6114) |\n| | {NEW_LINK}",
    ),
    "dates of arXiv where most are preprints": (
        "| Date | Paper | At |\n|---|---|---|\n" + "".join(
            f"| 14 jan 201{n} | [Learning {n}](https://arxiv.org/abs/1{n}01.0000{n}) | arXiv |\n" for n in range(4, 9)
        ),
        {"published_on": date(2017, 6, 12)}, f"\n| 12 jun 2017 | {NEW_LINK} | NIPS |\n| 14 jan 2018",
    ),
    "names of systems": (
        listed("- {t} [[pdf]({u})]\n")
        + "".join(f"- **[M{n}]** M{n}: Maps of Towns [[pdf](https://arxiv.org/abs/1701.0000{n})]\n" for n in range(4)),
        {"title": "TREE: A Network", **PREPRINT},
        "- **[TREE]** TREE: A Network [[pdf](https://arxiv.org/pdf/1706.03762)]\n",
    ),
    "names in a column of their own": (
        "| Name | Paper |\n|---|---|\n" + listed("| Model {n}    | [{t}]({u}) |\n").replace("Model 2", "Adam   ")
        + "| TREE       | [TREE: A Way](https://arxiv.org/abs/1701.00001) |\n",
        {"title": "MAPS: A Network"}, "| MAPS       | [MAPS: A Network](https://arxiv.org/abs/1706.03762) |\n",
    ),
    "no other form than that of the published": (
        listed("- {t}, {v} {y} [[paper]({u})]\n")
        + "- Learning to Map Towns ```seen``` [[paper](https://arxiv.org/abs/1301.00001)]\n",
        PREPRINT, f"- {NEW[0]}, arXiv 2015 [[paper]",
    ),
    "slips, and links to other places": (
        listed("- CVPR {y}, **{t}, [OpenReview](https://openreview.net/forum?id=a{n})\n")
        + "- CVPR 2013, **Learning to Map Towns**, [OpenReview](https://openreview.net/forum?id=a7)\n",
        DOI, f"- NIPS 2015, **{NEW[0]}**, [Paper](https://doi.org/10.1145/3065386)\n",
    ),
    "preprints by their links": (
        listed("- {t}, Tech Report 2014 [[pdf](https://a.example/{i})]\n", PAPERS[:3])
        + listed("- {t}, arXiv 2014 [[pdf](https://arxiv.org/pdf/{i})]\n", PAPERS[3:]),
        PREPRINT, f"- {NEW[0]}, arXiv 2015 [[pdf]",
    ),
    "a word for what is not on arXiv": (
        listed("- {t}, {v} {y} [[pdf]({u})]\n") + "- Maps of Towns, Unpublished 2014 [[pdf](https://a.example/maps)]\n",
        PREPRINT, f"- {NEW[0]}, arXiv 2015 [[pdf]",
    ),
    "preprints of another section in a form of their own": (
        "# 2017\n\n" + listed("- {a}. [Maps {n}](https://arxiv.org/abs/170{n}.00001). *arXiv:170{n}.00001*.\n")
        + "\n# 2015\n\n" + listed("- {a}. [{t}]({u}). In *{v} {y}*.\n"),
        {"publications": (), "venue": None}, f"{NEW_LINK}. *arXiv:{NEW[4]}*.\n",
    ),
    "a venue without its society": (
        listed("- {t}, {v} {y} [[pdf]({u})]\n") + "- Maps of Towns, MM 2014 [[pdf](https://a.example/maps)]\n",
        {"publications": (Publication(source="dblp", venue="ACM MM", year=2015),)}, f"- {NEW[0]}, MM 2015 [[pdf]",
    ),
    "two people before a stop": (
        listed("- {x}. {t}. {v} {y}\n", x=lambda *paper: " and ".join(paper[1])),
        {"authors": ("Ada Lovelace", "Alan Turing", "Emmy Noether")},
        f"- Ada Lovelace, Alan Turing and Emmy Noether. {NEW[0]}.",
    ),
    "people of a section as MLA has them": (
        "# 2016\n\n" + "".join(listed("- {a}. Maps {n}, 2016\n").replace("Maps", f"Maps {n}.") for n in range(3))
        + "\n# 2015\n\n- He, Kaiming, and Jian Sun. Deep Residual Learning for Image Recognition, 2015\n"
        "- Kingma, Diederik, and Jimmy Ba. Adam: A Method for Stochastic Optimization, 2015\n"
        "- Sutskever, Ilya, and Quoc Le. Sequence to Sequence Learning with Neural Networks, 2015\n"
        "- Ling, Wang, et al. Auto-Encoding Variational Bayes, 2015\n",
        {}, f"- Vaswani, Ashish, and Noam Shazeer. {NEW[0]}, 2015\n",
    ),
    "dates within a year": (
        "- [2013/04] [Learning 4](https://arxiv.org/abs/1304.00001)\n"
        + "".join(f"- [2017/{m:02}] [Learning {m}](https://arxiv.org/abs/17{m:02}.00001)\n" for m in (1, 8, 2, 9)),
        {"year": 2017, "publications": ()}, f"1702.00001)\n- [2017/06] {NEW_LINK}\n- [2017/09]",
    ),
    "a stop behind et al.": (
        listed("- {t} by {x}, et al. arXiv, {y}.\n", x=lambda *paper: paper[1][0]), PREPRINT,
        f"- {NEW[0]} by Ashish Vaswani, Noam Shazeer. arXiv, 2015.\n",
    ),
    "numbers behind it": (
        list_of("numbers", PAPERS[:3]), {"publications": (Publication(source="dblp", venue="NIPS", year=2020),)},
        list_of("numbers", [(*NEW[:3], 2020, NEW[4]), *PAPERS[:3]]).partition("\n\n")[2],
    ),
}  # fmt: skip


ADDED = Path(__file__).with_name("added.txt").read_text(encoding="utf-8").removeprefix("§ ").split("\n§ ")
"""What is beside the paper, and behind a bar the section; and a list, with arrows before the lines of the new entry, or
with a cross at its end and why there is none."""


@for_each("case", ADDED)
def test_a_new_entry_stands_in_its_place_and_nothing_else_changes(case):
    head, _, case_text = case.rstrip("\n").partition("\n")
    text, _, refusal = case_text.partition("\n✗ ")
    section = head.partition(" | ")[2] or None
    lines = [f"{line}\n" for line in text.split("\n")]
    before = "".join(line for line in lines if not line.startswith("⇒"))
    if refusal:
        with pytest.raises(UsageError, match=refusal):
            added(before, section=section)
    else:
        assert added(before, section=section) == "".join(line.removeprefix("⇒ ") for line in lines)


@for_each(("beside", "text", "known", "entry"), [(name, *row) for name, row in IN_TABLES_AND_LISTS.items()])
def test_a_new_entry_is_like_those_beside_it(beside, text, known, entry):
    new = added(text if text.startswith("#") else f"# Papers\n\n{text}", facts(**known))
    assert new.count(entry) == 1


def test_a_long_section_has_its_own_order_whatever_the_others_have():
    entries = [f"- Learning {year}, ICML {year} [[pdf](https://a.example/{year})]\n" for year in range(2024, 2003, -1)]
    rest = [f"- Maps {year}, ICML {year} [[pdf](https://a.example/m{year})]\n" for year in (2001, 2003, 2002) * 9]
    text = f"# Papers\n\n## Networks\n\n{''.join(entries)}\n## Maps\n\n{''.join(rest)}"
    assert f"{entries[9]}- {NEW[0]}, NIPS 2015 [[pdf]({NEW_ADDRESS.replace('abs', 'pdf')})]\n" in added(
        text, section="Networks"
    )


def test_a_preprint_is_in_no_proceedings():
    text = "# Papers\n\n" + listed("- {t}. In {v} {y}. [paper]({u})\n", PAPERS[:3])
    text += listed("- {t}. Journal of Trees {y}. [paper]({u})\n", PAPERS[3:])
    assert f"- {NEW[0]}. arXiv 2015. [paper]" in added(text, facts(**PREPRINT))


@for_each(("words", "is_copied"), [("[pdf]", True), ("*ACL*", False), ("`paper`", True), ("*Nature*", False)])
def test_words_beside_fields_are_copied_if_they_name_links_but_not_if_they_name_publishers(words, is_copied):
    assert is_plain(f"- [{TITLE}]({ADDRESS}) {words}, {YEAR}") == is_copied


# What stands with entries, each of them marked with a word and a number of its own.
STANDING = {
    "quotations right below items": "- [{t}]({u})\n> remark {n}\n",
    "sentences behind an empty line": "**{t}** [[paper]({u})]\n\nremark {n} on it.\n\n",
    "notes of a paragraph that are items": "[{t}]({u})\n- remark {n}\n\n",
    "items inside others": "- [{t}]({u})\n  - remark {n}\n  - [Slides of Talk {n}](https://arxiv.org/abs/2201.0000{n})\n",
    "pictures above items": '<img src="{n}.png" alt="remark {n}">\n\n- [{t}]({u})\n\n',
    "rules between": "**{t}** [[paper]({u})]\n\nremark {n}\n\n---\n\n",
    "pictures below": '**{t}** ({v} {y}) [[paper]({u})]\n<p align="center"><img src="{n}.png"></p>\n\n',
    "notes that go on behind a colon": "**{t}** ({v} {y}) [[paper]({u})]\n\nOf number {n} they say:\n\nit is good.\n\n",
    "notes below a heading": "### [{t}]({u}), {v} {y}\n\n- a note on number {n}\n- another one\n\n",
}


@for_each("form", STANDING.values())
@for_each("end", ["", "## Other things\n\ntext\n"])
def test_no_mark_that_stood_with_an_entry_stands_with_a_new_one(form, end):
    entries = [listed(form.replace("{n}", str(number)), [paper]) for number, paper in enumerate(PAPERS, start=1)]
    new = added(f"# Networks\n\n{''.join(entries)}{end}", section="Networks" if end and form.startswith("#") else None)
    assert NEW[0] in new
    assert [entry for entry in entries if entry.strip("\n-") not in new] == []


@for_each(
    ("venues", "venue", "expected"),
    [
        (("Nature", "CVPR", "Science", "ICLR"), "ICML", "ICML"),
        (("Proc. of CVPR", "Nature", "Proc. of ICLR", "arXiv"), "ICML", "Proc. of ICML"),
        (("CVPR", "ICLR", "ICML", "KDD"), "Neural Computation", "Neural Computation"),
    ],
)
def test_a_venue_that_no_entry_has_is_named_as_the_others_are(venues, venue, expected):
    papers = [(*paper[:2], name, *paper[3:]) for paper, name in zip(PAPERS, venues, strict=True)]
    assert f"({expected} 2015)" in entry_in(list_of("bullets", papers), facts((*NEW[:2], venue, *NEW[3:])))


def test_where_pictures_stand_above_entries_only_a_place_that_parts_none_is_taken():
    entries = listed("![figure {n}]({n}.png)\n\n**{t}** ({v} {y})\n", PAPERS[:3], between="\n")
    text = f"# Networks\n\n{entries}"
    new = added(text, facts((*NEW[:3], 2013, NEW[4])))
    assert new == f"{text}\n**{NEW[0]}** (NIPS 2013)\n"
    for year in (2015, 2020):
        with pytest.raises(UsageError, match=r"may belong to either.* the place is not clear"):
            addition(text, facts((*NEW[:3], year, NEW[4])))


def test_several_papers_are_added_each_behind_the_one_before_and_the_others_are_named():
    for style in STYLES:
        text = list_of(style, PAPERS[:3])
        other = (PAPERS[3][0], PAPERS[3][1], "NIPS", 2013, PAPERS[3][4])
        papers = [(facts(NEW), None), (facts(PAPERS[0]), None), (facts(other), None)]
        changes, errors = additions(text, papers)
        new = apply_edits(text, edits_of(changes))
        assert new == list_of(style, [*PAPERS[:2], NEW, PAPERS[2], other])
        assert [error is None for error in errors] == [True, False, True]
        assert isinstance(errors[1], AlreadyListed)
        assert [change.message[1:10] for change in changes] == [NEW[0][:9], other[0][:9]]


def test_a_name_stands_in_an_order_that_few_break():
    names = [f"Net{number:02}" for number in range(30)]
    names[7], names[8] = names[8], names[7]
    lines = [
        f"- {name} - [{name}: Learning to {name}](https://arxiv.org/abs/2001.{at:05})" for at, name in enumerate(names)
    ]
    text = "# Networks\n\n" + "\n".join(lines) + "\n"
    new = added(text, facts(("Net20b: Learning Things", *NEW[1:])))
    assert new.splitlines()[23] == "- Net20b - [Net20b: Learning Things](https://arxiv.org/abs/1706.03762)"


def test_a_column_is_added_to_rows_with_fewer_cells_at_its_own_place():
    ends = iter(("|good|", "|", "", "|good|far|too|"))
    rows = listed("|2024|{t}|[[pdf]]({u}){x}\n", x=lambda *_: next(ends))
    text = f"|Date|Title|Paper|Note|\n|---|---|---|---|\n{rows}"
    known = entries_of(text)

    def annotated(text):
        return apply_edits(text, edits_of(annotation_changes(text, known, "bibtex")))

    new = annotated(text)
    assert [row.count("|") for row in new.splitlines()] == [6, 6, 6, 6, 5, 8]
    assert re.search(r"\|good\| \[bibtex\]\(\S+\) \|far\|too\|$", new)
    assert annotated(new) == new


@pytest.mark.parametrize("ends", [("", ""), ("|", "|"), ("", "|")])
def test_a_column_is_renewed_at_its_own_place_whether_rows_begin_with_a_bar_or_not(ends):
    lines = ["Year|Title|Paper", "---|---|---"]
    lines += listed("2024|{t}|[[pdf]]({u})\n").splitlines()
    text = "".join(f"{ends[at % 2]}{line}\n" for at, line in enumerate(lines))
    known = entries_of(text)
    new = apply_edits(text, edits_of(annotation_changes(text, known, "bibtex")))
    read = parse_reading_list(new).mentions
    assert [replace(each, text="") for each in read] == [replace(each.mention, text="") for each in known]
    again = [replace(each, mention=mention) for each, mention in zip(known, read, strict=True)]
    assert annotation_changes(new, again, "bibtex") == []
    more = [replace(each, paper=replace(each.paper, arxiv_id="2401.99999")) for each in again]
    renewed = apply_edits(new, edits_of(annotation_changes(new, more, "bibtex")))
    assert [row.split("|")[-1].strip() for row in renewed.splitlines()[2:]] == [
        "[bibtex](https://arxiv.org/bibtex/2401.99999)"
    ] * len(PAPERS)


def test_a_link_named_by_a_doi_leads_to_it():
    style = "- {}. [[10.1145/{}]](https://doi.org/10.1145/{})\n"
    text = "# Papers\n\n" + "".join(style.format(title, *[arxiv_id] * 2) for title, *_, arxiv_id in PAPERS)
    entry = entry_in(text, facts(doi="10.1145/3295222"))
    assert entry == style.format(NEW[0], "3295222", "3295222").strip()
