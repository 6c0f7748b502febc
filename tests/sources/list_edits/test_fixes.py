"""What is mended, in the list's own form, and what is left alone."""

from dataclasses import replace

from sources.lists.checks.checks import check_list, suppression_of
from sources.lists.checks.findings import CheckedEntry, Edit, ListFinding, Publication
from sources.lists.checks.list_text import ListText
from sources.lists.edits.annotations import annotation_changes
from sources.lists.edits.edits import Change, apply_edits, edits_of
from sources.lists.edits.fixes import changes_of
from sources.lists.edits.sound import settled_changes
from sources.lists.reading import parse_reading_list
from tests.matrices import for_each
from tests.sources.list_edits.lists import NEW, PAPERS, facts, listed

STYLES = {
    "bullets": "- [{t}]({u}) ({v} {y})",
    "bold": "* **{t}.** *{v}, {y}.* [[paper]({u})]",
    "numbers": "1. {t}. {v} {y}. [pdf]({u})",
    "quotes": '+ "{t}", {v} {y}, {u}',
    "table": "| {t} | {v} | {y} | [link]({u}) |",
}
HEADS = {"table": "| Title | Venue | Year | Link |\n|---|---|---|---|\n"}
OURS = (*NEW[:3], 2017, NEW[4])
KNOWN = facts(OURS, sources=("arxiv", "dblp"))
RIGHT = listed(STYLES["bullets"], [OURS])


def list_of(style, last):
    return f"# Papers on networks\n\n{HEADS.get(style, '')}" + listed(f"{STYLES[style]}\n") + f"{last}\n"


def fixed(text, paper, *codes, message=""):
    mentions = parse_reading_list(text).mentions
    assert len(mentions) == len(PAPERS) + 1
    entries = [*(CheckedEntry(mention=item) for item in mentions[:-1]), CheckedEntry(mention=mentions[-1], paper=paper)]
    line = mentions[-1].line
    findings = [
        ListFinding(code=code, level="warning", line=line, last_line=line, message=message or code) for code in codes
    ]
    changes, left_out = changes_of(text, entries, findings)
    assert not left_out
    return apply_edits(text, edits_of(changes))


@for_each("style", STYLES)
def test_a_typing_error_and_the_venue_of_a_preprint_are_mended_and_a_title_that_differs_otherwise_stays(style):
    title, people, _, _, arxiv_id = OURS
    papers = (OURS, (title.replace("lation", "laton"), *OURS[1:]), (title, people, "arXiv", 2016, arxiv_id))
    right, misspelt, preprint = (list_of(style, listed(STYLES[style], [paper])) for paper in papers)
    assert fixed(misspelt, KNOWN, "title-misspelt") == right
    other = right.replace("Document", "Picture")
    assert fixed(other, KNOWN, "title-misspelt") == other
    assert fixed(preprint, KNOWN, "published-version") == right


@for_each(
    ("style", "without"),
    [
        ("bullets", "- [{t}]({u})"),
        ("bold", "* **{t}.** [[paper]({u})]"),
        ("numbers", "1. {t}. [pdf]({u})"),
        ("quotes", '+ "{t}", {u}'),
        ("table", "| {t} |  |  | [link]({u}) |"),
    ],
)
def test_a_missing_venue_and_year_are_filled_in(style, without):
    assert fixed(list_of(style, listed(without, [OURS])), KNOWN) == list_of(style, listed(STYLES[style], [OURS]))


def test_nothing_is_filled_in_that_the_sources_do_not_agree_on():
    others = (*KNOWN.publications, Publication(source="openalex", venue="Nature", year=2019))
    text = list_of("bullets", listed("- [{t}]({u})", [OURS]))
    assert fixed(text, replace(KNOWN, publications=others), "published-version") == text
    assert fixed(text, None) == text


DEAD = "http://gone.example.org/a.pdf"


@for_each(
    ("line", "codes", "mended"),
    [
        (RIGHT.replace("https://arxiv.org/abs/1706.03762", ""), (), RIGHT),
        (f"{RIGHT} [code]()", (), f"{RIGHT} [code]()"),
        (RIGHT.replace("https://arxiv.org/abs/1706.03762", DEAD), ("dead-link",), RIGHT),
        (listed("- {t} ({v} {y})", [OURS]), ("missing-link",), RIGHT),
    ],
)
def test_an_empty_dead_or_missing_link_becomes_the_papers_own_address_in_the_form_of_the_list(line, codes, mended):
    text = list_of("bullets", line)
    assert fixed(text, KNOWN, *codes, message=f"{DEAD} answered 404, twice") == list_of("bullets", mended)
    assert fixed(text, None, *codes, message=f"{DEAD} answered 404, twice") == text


def test_addresses_get_their_present_form_and_all_else_stays():
    lines = listed(STYLES["bullets"], between="\r\n").replace("https:", "http:")
    other = f"- [{OURS[0]}](http://dx.doi.org/10.1145/3292500) \t\r\n\r\nhttp://arxiv.org/list is none"
    text = f"\ufeff# Papers \r\n\r\n{lines}\r\n{other}"
    expected = text.replace("http://arxiv.org/abs", "https://arxiv.org/abs").replace("http://dx.", "https://")
    assert fixed(text, None) == expected
    assert fixed(expected, None) == expected


def test_signs_of_an_address_whose_host_serves_https_are_not_encoded():
    own = "http://openaccess.thecvf.com/cvpr_2017/html/Brachmann_DSAC_-_Differentiable__CVPR_2017_paper.html"
    text = list_of("bullets", f"- [{OURS[0]}]({own}), 2017")
    assert fixed(text, None) == text.replace("http://openaccess", "https://openaccess")


def test_code_is_left_as_it_is():
    record = f"@article{{a,\n  title = {{{NEW[0]}}},\n  author = {{Ashish Vaswani}},\n"
    text = f"# L\n\n```bibtex\n{record}  year = {{2017}},\n  url = {{http://arxiv.org/abs/1706.03762}}\n}}\n```\n" * 4
    mentions = parse_reading_list(text).mentions
    assert mentions
    entries = [CheckedEntry(mention=item, paper=replace(KNOWN, open_citation_count=3)) for item in mentions]
    assert changes_of(text, entries)[0] == []
    assert annotation_changes(text, entries, "citations") == []


def mended_by_checks(text, entries):
    checked = ListText(text)
    findings = check_list(checked, entries, suppression=suppression_of(checked))
    return changes_of(text, entries, findings)[0]


def test_what_an_entry_lacks_beside_mended_neighbours_is_mended_in_the_same_run():
    venues = ("ACL", "ACL", "ACL", "ACL", "TACL")
    papers = [(f"Reading Comprehension {n}", (), venue, 2019, f"1904.0967{n}") for n, venue in enumerate(venues)]
    written = iter((" (ACL2019)", " (ACL2019)", "", "", " (TACL)"))  # the two in the midst were preprints
    text = "# Papers\n\n" + listed("* [{t} Texts]({u}){x}\n", papers, x=lambda *_: next(written))
    papers = (facts((f"{title} Texts", *more)) for title, *more in papers)
    entries = [
        CheckedEntry(mention=mention, unasked=False, paper=paper)
        for mention, paper in zip(parse_reading_list(text).mentions, papers, strict=True)
    ]
    changes = settled_changes(text, entries, mended_by_checks)
    new = apply_edits(text, edits_of(changes))
    assert new.count("(ACL2019)") == 4
    assert "(TACL2019)" in new
    mentions = parse_reading_list(new).mentions
    again = [replace(entry, mention=mention) for entry, mention in zip(entries, mentions, strict=True)]
    assert settled_changes(new, again, mended_by_checks) == []


def test_a_change_of_what_was_put_in_becomes_part_of_the_earlier_change():
    rounds = {
        "a-c\n": [("a-c", 2, 2, "b")],
        "a-bc\n": [("first", 0, 1, "A"), ("second", 3, 3, "b"), ("third", 5, 5, "end\n")],
    }

    def mend(text, _):
        return [
            Change(code="x", line=1, message=message, edits=(Edit(start=start, end=end, replacement=words),))
            for message, start, end, words in rounds.get(text, ())
        ]

    changes = settled_changes("a-c\n", [], mend)
    assert apply_edits("a-c\n", edits_of(changes)) == "A-bbc\nend\n"
    assert [(change.message, change.line) for change in changes] == [("first", 1), ("a-c; second", 1), ("third", 1)]


def test_addresses_in_link_definitions_of_entries_are_mended_and_others_stay():
    entries = listed("- [{t}][{n}], {v} {y}\n")
    more = "- [Mask R-CNN][ mask  R-CNN ], 2017\n- [Fast R-CNN], 2015\n"
    off = "- [Faster R-CNN], 2015 <!-- paperlake: ignore http-address -->\n"
    definitions = listed('[{n}]: <http://arxiv.org/abs/{i}> "PDF"\r\n')
    definitions += (
        "[Mask r-cnn]: http://arxiv.org/abs/1703.06870\n[Fast R-CNN]: http://dx.doi.org/10.1109/ICCV.2015.169\n"
    )
    others = "[Faster R-CNN]: http://arxiv.org/abs/1506.01497\n[4]: http://arxiv.org/abs/1111.11111\n"
    others += "[nobody]: http://arxiv.org/abs/1111.22222\n```\n[1]: http://arxiv.org/abs/1409.3215\n```\n"
    text = f"# Papers\n\n{entries}{more}{off}\n{definitions}{others}"
    known = [CheckedEntry(mention=mention) for mention in parse_reading_list(text).mentions]
    assert len(known) == len(PAPERS) + 3
    suppression = suppression_of(ListText(text))
    changes, left_out = changes_of(text, known, is_off=suppression.is_off)
    mended = apply_edits(text, edits_of(changes))
    better = definitions.replace("http://dx.", "https://").replace("http://", "https://")
    assert (mended, left_out) == (f"# Papers\n\n{entries}{more}{off}\n{better}{others}", [])
