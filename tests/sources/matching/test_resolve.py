"""The order of asking: who is asked for what, and what a fault does to the answer."""

from dataclasses import replace
from typing import Any

import pytest

from sources.bibliography.identifiers import Identifier
from sources.bibliography.titles import title_keys
from sources.errors import TooManyHits
from sources.http.queries import GAP
from sources.matching.candidates import Candidate
from sources.matching.lookup import closed, open_mentions
from sources.matching.mention_queries import pieces_for, search_titles_for
from sources.matching.resolve import by_best_match, by_last_search, resolve
from sources.records import Mention, S2Paper, TitleAnswer
from standins.trials.world import Row, Service, World, WorldMirror
from tests.matrices import for_each

ROWS = [
    Row("Attention Is All You Need", ("Ashish Vaswani", "Noam Shazeer"), 2017, "1706.03762", None, "NeurIPS 2017"),
    Row("Attention Is Not All You Need", ("Yihe Dong",), 2021, "2103.03404", None, None),
    Row("Mask R-CNN", ("Kaiming He", "Georgia Gkioxari"), 2017, "1703.06870", None, "ICCV 2017"),
    Row("Rich Feature Hierarchies: Accurate Object Detection", ("Ross Girshick",), 2014, "1311.2524", None, None),
    Row("A Study of Venues without Preprints", ("Jane Doe", "Ada Roe"), 2003, None, "10.1/study", "VLDB 2003"),
]


class Lake:
    """What the lake knows: some rows, by identifier and by title key."""

    def __init__(self, *rows: Row) -> None:
        self.papers = [
            Candidate(source="lake", title=row.title, authors=row.authors, arxiv_id=row.arxiv_id, paper_id=f"p{number}")
            for number, row in enumerate(rows)
        ]

    def by_identifiers(self, identifiers):
        return {i: p for i in identifiers for p in self.papers if i == Identifier("arxiv", p.arxiv_id or "")}

    def by_title_keys(self, keys):
        return {key: found for key in keys if (found := [p for p in self.papers if key in title_keys(p.title)])}


def mention(title: str | None, **fields: Any) -> Mention:
    arxiv_id = fields.get("arxiv_id")
    identifiers = (Identifier("arxiv", arxiv_id),) if arxiv_id else ()
    return Mention(**{"line": 1, "last_line": 1, "title": title, "identifiers": identifiers, **fields})


@pytest.fixture
def world() -> World:
    return World(ROWS)


@pytest.fixture
def arxiv(world: World) -> Service:
    return Service(world, "arxiv")


@pytest.fixture
def s2(world: World) -> Service:
    return Service(world, "s2")


def test_the_identifiers_of_the_lake_s_papers_cost_no_request(arxiv, s2):
    told = [mention("Whatever", arxiv_id="1706.03762")]
    done = resolve(told, known=Lake(*ROWS[:3]), papers=(arxiv,), searches=(arxiv, s2), best_match=s2)
    assert [(each.method, each.chosen.paper_id) for each in done] == [("identifier", "p0")]
    assert arxiv.asked == s2.asked == []


def test_a_title_of_the_lake_settles_only_what_the_services_leave_open(arxiv, s2):
    lake_alone = replace(ROWS[2], title="A Title of One Paper in the Lake", arxiv_id="1801.00009")
    told = [mention("Mask R-CNN", year=2017), mention(lake_alone.title)]
    done = resolve(told, known=Lake(*ROWS[:3], lake_alone), searches=(arxiv, s2), best_match=s2)
    assert [each.method for each in done] == ["title-search", "known"]
    assert [each.chosen.arxiv_id for each in done] == [ROWS[2].arxiv_id, lake_alone.arxiv_id]


def test_the_mirror_s_papers_cost_no_request(world, arxiv, s2):
    told = [mention("x", arxiv_id="1706.03762"), mention("Attention is all you need")]
    done = resolve(told, mirror=WorldMirror(world), papers=(arxiv,), searches=(arxiv, s2), best_match=s2)
    assert [each.method for each in done] == ["identifier", "mirror"]
    assert {each.chosen.arxiv_id for each in done} == {"1706.03762"}
    assert arxiv.asked == s2.asked == []


def test_equal_titles_are_asked_for_once_and_the_second_service_only_for_what_is_left(arxiv, s2):
    told = [mention("Attention Is All You Need"), mention("attention is all you need."), mention(ROWS[4].title)]
    done = resolve(told, searches=(arxiv, s2), best_match=s2)
    assert [each.status for each in done] == ["resolved"] * 3
    assert [each.chosen.title for each in done] == [ROWS[0].title, ROWS[0].title, ROWS[4].title]
    assert len(arxiv.asked) == 2
    assert s2.asked == [ROWS[4].title]


def test_the_best_match_is_asked_only_for_what_no_phrase_finds(arxiv, s2):
    done = resolve([mention("Atention Is All You Need"), mention("Mask R-CNN")], searches=(arxiv,), best_match=s2)
    assert [each.method for each in done] == ["best-match", "title-search"]
    assert s2.asked == ["Atention Is All You Need"]


def test_titles_with_slips_are_found_by_their_pieces_in_one_search_and_not_asked_for_one_by_one(arxiv, s2):
    told = [
        mention("Rich Feature Hieracrhies: Accurrate Object Detection"),
        mention("Quokka Husbandry and Adversarial Feature Extraction for Robust Object Detection"),
    ]
    done = resolve(told, searches=(s2, arxiv), pieces=s2, best_match=s2)
    assert [(each.status, each.method) for each in done] == [("resolved", "piece-search"), ("not_found", "none")]
    assert s2.searches == 2
    assert s2.matched == []


@for_each("fault", ["half", "left out", "too many"])
def test_a_search_that_does_not_answer_leaves_a_mention_open(world, fault):
    class Faulty(Service):
        def search_titles(self, titles):
            self.down = fault == "half" and any(GAP in title for title in titles)
            answer = super().search_titles(titles)
            if fault == "left out":
                return replace(answer, requested=(), answered=frozenset())
            if fault == "too many":
                return TitleAnswer(requested=tuple(titles), failed=dict.fromkeys(titles, TooManyHits("9,000 hits")))
            return answer

    faulty, told = Faulty(world, "s2"), mention("Quokka Husbandry and Adversarial Feature Extraction for Tracking")
    (done,) = resolve([told], searches=(faulty,), pieces=faulty if fault == "half" else None)
    assert done.status == ("ambiguous" if fault == "too many" else "failed")
    assert (done.error is None) == (fault == "too many")


def test_a_run_asks_for_so_many_titles_one_by_one_and_leaves_the_rest_to_the_next(s2):
    told = [mention(f"Quokka Husbandry {word}") for word in ("Alpha", "Beta", "Alpha", "Gamma")]
    stage = by_best_match(open_mentions(told), s2, most=2)
    done = [closed(item) for item in stage.still_open]
    assert s2.matched == ["Quokka Husbandry Alpha", "Quokka Husbandry Beta"]
    assert [each.status for each in done] == ["not_found", "not_found", "not_found", "failed"]
    assert "left for the next" in str(done[3].error)


def test_what_gives_nothing_to_ask_for_is_ambiguous_as_nobody_answered(arxiv, s2):
    (done,) = resolve([mention("YOLO")], searches=(s2, arxiv), pieces=s2, best_match=s2)
    assert (done.status, arxiv.asked, s2.asked) == ("ambiguous", [], [])
    assert done.verdict.reasons == ("it gives too little to ask anybody for",)


@pytest.mark.parametrize("down", [None, "arxiv", "s2"])
def test_what_could_not_be_asked_everywhere_is_failed_never_not_found(arxiv, s2, down):
    for service in (arxiv, s2):
        service.down = service.name == down
    nowhere, there = resolve(
        [mention("Zymurgical Foundations of Quokka Husbandry"), mention("Attention Is All You Need")],
        searches=(arxiv, s2),
        best_match=s2,
    )
    assert nowhere.status == ("failed" if down else "not_found")
    assert (nowhere.error and nowhere.error.source) == down
    assert (there.status, there.chosen.arxiv_id) == ("resolved", "1706.03762")


def test_a_look_alike_is_ambiguous_with_its_candidates(world, arxiv, s2):
    world.hide("1706.03762", ROWS[0].title)
    (done,) = resolve([mention("Attention Is All You Need")], searches=(arxiv, s2), best_match=s2)
    assert done.status == "ambiguous"
    assert done.verdict.ranked[0].candidate.arxiv_id == "2103.03404"


def test_while_its_own_identifier_cannot_be_asked_only_a_paper_that_has_it_is_taken(world, arxiv, s2):
    arxiv.down = True
    told = [mention("Attention Is All You Need", arxiv_id="1706.03762"), mention(ROWS[4].title, arxiv_id="0301.00001")]
    taken, left = resolve(told, papers=(arxiv,), searches=(s2,), best_match=s2)
    assert (taken.status, taken.chosen.arxiv_id) == ("resolved", "1706.03762")
    assert left.status == "failed"


def test_an_identifier_that_its_owner_does_not_have_is_reported_and_the_title_decides(arxiv, s2):
    (done,) = resolve([mention("Attention Is All You Need", arxiv_id="1706.99999")], papers=(arxiv,), searches=(arxiv,))
    assert (done.status, done.chosen.arxiv_id) == ("resolved", "1706.03762")
    assert [finding.code for finding in done.findings] == ["identifier-unknown"]


def test_a_doi_that_nobody_knows_is_said_to_be_unknown(arxiv, s2):
    s2.schemes = frozenset({"doi"})
    doi = Identifier("doi", "10.9999/nowhere.17")
    told = mention("A Made-up Study That Nobody Ever Wrote Down", identifiers=(doi,))
    (done,) = resolve([told], papers=(s2,), searches=(arxiv, s2))
    assert done.status == "not_found"
    assert "no source that was asked has doi:10.9999/nowhere.17" in done.verdict.reasons


def test_a_title_cut_short_waits_for_every_source_before_it_is_taken(world, s2):
    whole = Row("Rich Feature Hierarchies", ("Somebody Else",), 2014, None, "10.1/rich", "PAMI 2014")
    wider = World([*ROWS, whole])
    told = mention("Rich Feature Hierarchies", year=2014, authors=("Somebody Else",))
    (done,) = resolve([told], mirror=WorldMirror(wider), searches=(Service(wider, "s2"),))
    assert done.chosen.doi == "10.1/rich"
    (alone,) = resolve([replace(told, authors=("R. Girshick",))], mirror=WorldMirror(world))
    assert (alone.method, alone.chosen.arxiv_id) == ("mirror", "1311.2524")


def test_a_record_s_many_authors_do_not_hide_who_is_meant(world):
    crowd = tuple(f"Given{n} Family{n}" for n in range(2_000))
    paper = S2Paper(s2_paper_id="c" * 40, title="Deep Crowd", authors=crowd, year=2020)

    class Crowded(Service):
        def match_title(self, title):
            return paper

    told = mention("Deep Crowd", authors=("G. Family1999",))
    (done,) = resolve([told], best_match=Crowded(world, "s2"))
    assert done.status == "resolved"


def test_pieces_leave_out_what_no_other_title_says():
    pieces = pieces_for(mention("SMiRL: Surpprise Minimizing Reinforcement Learning in Unstable Environments"))
    assert pieces.thorough
    assert f"Reinforcement Learning in {GAP} Environments" in pieces.ways[0]
    assert "smirl surpprise" in pieces.ways


@for_each("title", ["Mask R-CNN", "On the Way", "深度学习", ""])
def test_a_short_title_has_no_pieces_that_would_tell_it_from_others(title):
    assert not pieces_for(mention(title)).thorough


@pytest.mark.parametrize(
    ("told", "titles"),
    [
        pytest.param(mention("Attention Is All You Need."), ("Attention Is All You Need",), id="without its full stop"),
        pytest.param(
            mention("Capuchin: Tensor-based GPU Memory Management"),
            ("Capuchin: Tensor-based GPU Memory Management", "Tensor-based GPU Memory Management"),
            id="with and without its system name",
        ),
        pytest.param(mention("YOLO"), (), id="a nickname"),
        pytest.param(mention("YOLO", authors=("J. Redmon",)), ("YOLO",), id="a nickname with authors"),
        pytest.param(mention(None), (), id="nothing"),
        pytest.param(mention("https://arxiv.org/abs/1706.03762"), (), id="a link for a title"),
        pytest.param(mention("On the"), (), id="small words only"),
    ],
)
def test_only_titles_whose_answer_could_settle_something_are_asked_for(told, titles):
    assert search_titles_for(told) == titles


LINKED = mention("Mask R-CNN for Object Detection and Pose Estimation", arxiv_id="1706.03762")
BEARER = Row(LINKED.title or "", ("Eve Moe", "Fay Noe"), 2018, "1801.00001", None, None)


@for_each("where", ["lake", "mirror", "search"])
def test_a_link_under_the_title_of_another_paper_is_ambiguous_wherever_that_is_known(where):
    world = World([*ROWS, BEARER])
    arxiv, s2 = Service(world, "arxiv"), Service(world, "s2")
    asked = {
        "lake": {"known": Lake(BEARER)},
        "mirror": {"mirror": WorldMirror(world)},
        "search": {"searches": (s2, arxiv), "pieces": s2, "best_match": s2},
    }[where]
    (done,) = resolve([LINKED], papers=(arxiv,), **asked)
    assert (done.status, done.chosen) == ("ambiguous", None)
    assert [scored.candidate.arxiv_id for scored in done.verdict.ranked] == ["1706.03762", "1801.00001"]
    assert [finding.code for finding in done.findings] == ["link-title-disagree"]
    assert s2.matched == []


def test_a_link_under_a_title_that_nobody_has_is_its_paper_with_a_lower_score(arxiv, s2):
    (done,) = resolve([LINKED], papers=(arxiv,), searches=(s2, arxiv), pieces=s2, best_match=s2)
    assert (done.status, done.method, done.chosen.arxiv_id) == ("resolved", "identifier", "1706.03762")
    assert done.verdict.score < 0.7
    assert "no other paper is known by its title" in done.verdict.reasons
    assert [finding.code for finding in done.findings] == ["link-title-disagree"]
    assert s2.matched == []


def test_a_link_under_another_title_is_believed_unsearched_only_beside_the_people_of_the_linked_paper(arxiv, s2):
    down = Service(s2.world, "s2", down=True)
    alone, named = resolve([LINKED, replace(LINKED, authors=("Vaswani et al.",))], papers=(arxiv,), searches=(down,))
    assert (alone.status, alone.chosen) == ("failed", None)
    assert (named.status, named.chosen.arxiv_id) == ("resolved", "1706.03762")
    assert named.verdict.score < 0.7
    assert [finding.code for finding in named.findings] == ["link-title-disagree"]


def test_a_word_of_other_titles_of_the_mirror_is_no_slip():
    true = Row("Kinetics of Sequential Nitration of Xylenes in Flow", ("Ada Roe",), 2018, "1801.00002", None, None)
    other = Row("Nitrotion as a Process of its Own", ("Bob Low",), 2011, "1101.00003", None, None)
    told = mention("Kinetics of Sequential Nitrotion of Xylenes in Flow")
    s2 = Service(World([true]), "s2")
    alone, beside = WorldMirror(World([true])), WorldMirror(World([true, other]))
    assert resolve([told], mirror=alone, searches=(s2,), pieces=s2, best_match=s2)[0].status == "resolved"
    assert resolve([told], mirror=beside, searches=(s2,), pieces=s2, best_match=s2)[0].status == "ambiguous"


def test_the_last_source_is_searched_for_long_titles_first_and_never_for_what_another_could_not_be_asked(world):
    last = Service(world, "openalex")
    titles = ("Four Words Are Enough", "Aluminum", "A Rather Longer Title About Nothing", "One That Failed Elsewhere")
    items = list(open_mentions([mention(title) for title in titles]))
    items[3] = replace(items[3], errors=(TooManyHits("too many"),))
    stage = by_last_search(items, last)
    assert last.asked == [titles[2], titles[0]]
    assert [item.mention.title for item in stage.still_open] == list(titles)
    assert [item.was_searched for item in stage.still_open] == [True, False, True, False]
