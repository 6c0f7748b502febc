"""What a service can say that is well formed and not true, by name: where, and how the entries of a reply are changed.

A lie is whole where every field of a record is another paper's but what ties it to the question, and partial where one
is. `PROVABLE` can be told from the truth by something that is known or by the reply itself, where there is anything to
compare with: a search by title has no other title than its own. Of `UNPROVABLE` nothing tells: they must do no more
harm than the field they are in, and must be gone after the next honest reply. `UNPROVABLE_CELLS` are the places where
nothing tells a lie of `PROVABLE` from the truth.
"""

from __future__ import annotations

from typing import Any

Steps = list[list[Any]]

S2_MANY = ("S2 batch", "S2 bulk")
S2_ALL = (*S2_MANY, "S2 match")
ARXIV = ("arXiv ids", "arXiv titles")

_NAMES = ["paperId", "corpusId", "externalIds"]
_WORDS = ["title", "authors"]
_TIMES = ["year", "publicationDate"]
_COUNTS = ["citationCount", "influentialCitationCount", "referenceCount"]
_BODY = [*_WORDS, *_TIMES, *_COUNTS, "abstract", "venue"]
_STRANGER = [{"authorId": "1", "name": "Nemo Nobody"}, {"authorId": "2", "name": "Ulysses Outis"}]
_TITLE = "A Study of Something Else That Nobody Asked For"
_ELSEWHERE = {"ArXiv": "1706.03762", "CorpusId": 13756489}
OPENALEX = ("OpenAlex works",)
_WORK_NAMES = ["doi", "locations", "primary_location"]
_WORK_WORDS = ["title", "authorships"]
_WORK_TIMES = ["publication_year", "publication_date"]
_WORK_COUNTS = ["cited_by_count", "counts_by_year"]
_WORK_BODY = [*_WORK_WORDS, *_WORK_TIMES, *_WORK_COUNTS, "referenced_works", "referenced_works_count", "topics", "type"]
_WORK_STRANGER = [
    {"author": {"id": "https://openalex.org/A1", "display_name": "Nemo Nobody"}, "raw_author_name": "Nemo Nobody"},
    {"author": {"id": "https://openalex.org/A2", "display_name": "Ulysses Outis"}, "raw_author_name": "Ulysses Outis"},
]
_ANOTHER_DOI = "10.18653/v1/2020.acl-main.542"
_HE = "204e3073870fae3d05bcbc2f6a8e263d9b72e776"

PROVABLE: dict[str, tuple[tuple[str, ...], Steps]] = {
    # whole records
    "records rotated, names null": (S2_MANY, [["rotate", [*_NAMES, *_BODY]], ["null", ["externalIds"]]]),
    "records rotated, names and corpus null": (
        S2_MANY, [["rotate", [*_NAMES, *_BODY]], ["null", ["externalIds", "corpusId"]]],
    ),
    "records rotated, names stay": (S2_MANY, [["rotate", _BODY]]),
    "records swapped, names null": (S2_MANY, [["swap", [*_NAMES, *_BODY]], ["null", ["externalIds"]]]),
    "records swapped, names stay": (S2_MANY, [["swap", _BODY]]),
    "one record for all, names null": (S2_MANY, [["share", [*_NAMES, *_BODY]], ["null", ["externalIds"]]]),
    "one record for all, names stay": (S2_MANY, [["share", _BODY]]),
    "one record for all": (S2_MANY, [["share", [*_NAMES, *_BODY]]]),
    "a stranger's words": (S2_ALL, [["first", ["title"], _TITLE], ["first", ["authors"], _STRANGER]]),
    "a stranger's words for all": (S2_MANY, [["set", ["title"], _TITLE], ["set", ["authors"], _STRANGER]]),
    "a stranger's words, names null": (
        S2_ALL,
        [["first", ["title"], _TITLE], ["first", ["authors"], _STRANGER], ["null", ["externalIds"]]],
    ),
    # words
    "titles rotated": (S2_MANY, [["rotate", ["title"]]]),
    "titles rotated, names null": (S2_MANY, [["rotate", ["title"]], ["null", ["externalIds"]]]),
    "titles swapped": (S2_MANY, [["swap", ["title"]]]),
    "one title for all": (S2_MANY, [["share", ["title"]]]),
    "titles and authors rotated": (S2_MANY, [["rotate", _WORDS]]),
    "authors rotated": (S2_MANY, [["rotate", ["authors"]]]),
    "authors swapped": (S2_MANY, [["swap", ["authors"]]]),
    "one list of authors for all": (S2_MANY, [["share", ["authors"]]]),
    "an endless title": (S2_ALL, [["first", ["title"], "word " * 1_000]]),
    "endless authors": (S2_MANY, [["first", ["authors"], [{"name": "A. Nobody"}] * 20_001]]),
    # names
    "all names rotated": (S2_MANY, [["rotate", _NAMES]]),
    "all names swapped": (S2_MANY, [["swap", _NAMES]]),
    "one paperId for all": (S2_MANY, [["share", ["paperId"]]]),
    "one corpusId for all": (S2_MANY, [["share", ["corpusId"]]]),
    "one paperId and corpusId for all": (S2_MANY, [["share", ["paperId", "corpusId", "externalIds.CorpusId"]]]),
    "external names rotated": (S2_MANY, [["rotate", ["externalIds"]]]),
    "external names of the first for all": (S2_MANY, [["share", ["externalIds"]]]),
    "another paper's arXiv id": (S2_ALL, [["first", ["externalIds.ArXiv"], "1706.03762"]]),
    "another paper's names": (S2_ALL, [["first", ["externalIds"], _ELSEWHERE], ["first", ["corpusId"], 13756489]]),
    "another paper's names and paperId": (
        S2_ALL,
        [["first", ["externalIds"], _ELSEWHERE], ["first", ["corpusId"], 13756489], ["first", ["paperId"], _HE]],
    ),
    "two corpus ids": (S2_ALL, [["first", ["externalIds.CorpusId"], 77]]),
    "a DOI of arXiv's for another paper": (
        S2_ALL,
        [["first", ["externalIds.ArXiv"], "1810.04805"], ["first", ["externalIds.DOI"], "10.48550/arXiv.1706.03762"]],
    ),
    "a paperId that is none": (S2_ALL, [["first", ["paperId"], "none"]]),
    # numbers
    "the year 1": (S2_ALL, [["first", ["year"], 1]]),
    "the year 9999": (S2_ALL, [["set", ["year"], 9999]]),
    "a year below zero": (S2_ALL, [["first", ["year"], -2017]]),
    "a day in 2999": (S2_ALL, [["first", ["publicationDate"], "2999-01-01"]]),
    "a count of 2^62": (S2_ALL, [["first", ["citationCount"], 2**62]]),
    "a count of 10^8": (S2_ALL, [["set", ["citationCount"], 10**8]]),
    "references of 2^63": (S2_ALL, [["first", ["referenceCount"], 2**63]]),
    "more influential than all": (
        S2_ALL, [["first", ["citationCount"], 3], ["first", ["influentialCitationCount"], 4]],
    ),
    "another paper's DOI": (S2_MANY, [["first", ["externalIds.DOI"], _ANOTHER_DOI]]),
    "one DOI for all": (S2_MANY, [["share", ["externalIds.DOI"]]]),
    # arXiv
    "ids rotated": (ARXIV, [["rotate", ["id"]]]),
    "ids swapped": (ARXIV, [["swap", ["id"]]]),
    "one id for all": (ARXIV, [["share", ["id"]]]),
    "arXiv titles rotated": (ARXIV, [["rotate", ["title"]]]),
    "arXiv titles swapped": (ARXIV, [["swap", ["title"]]]),
    "one arXiv title for all": (ARXIV, [["share", ["title"]]]),
    "arXiv titles and authors rotated": (ARXIV, [["rotate", ["title", "author"]]]),
    "arXiv authors rotated": (ARXIV, [["rotate", ["author"]]]),
    "arXiv bodies rotated": (
        ARXIV,
        [["rotate", ["title", "author", "summary", "published", "updated", "category", "arxiv:primary_category"]]],
    ),
    "arXiv words rotated, days stay": (ARXIV, [["rotate", ["title", "author", "summary", "category"]]]),
    "another paper's arXiv id in a feed": (ARXIV, [["first", ["id"], "http://arxiv.org/abs/1706.03762v5"]]),
    "a stranger's title in a feed": (ARXIV, [["first", ["title"], _TITLE]]),
    "another paper's DOI in a feed": (("arXiv ids",), [["first", ["arxiv:doi"], _ANOTHER_DOI]]),
    "published in 2999": (ARXIV, [["first", ["published"], "2999-01-01T00:00:00Z"]]),
    "published in 1492": (ARXIV, [["set", ["published"], "1492-10-12T00:00:00Z"]]),
    "published in another decade": (ARXIV, [["first", ["published"], "2025-01-01T00:00:00Z"]]),
    "an endless arXiv title": (ARXIV, [["first", ["title"], "word " * 1_000]]),
    # invented when the defence against those above was built
    "the neighbour's people and years": (S2_MANY, [["rotate", ["authors", *_TIMES]]]),
    "a stranger's people and year": (
        S2_ALL,
        [["first", ["authors"], _STRANGER], ["first", ["year"], 1990], ["first", ["publicationDate"], "1990-01-01"]],
    ),
    "a sequel's title": (S2_ALL, [["append", ["title"], ", Part II"]]),
    "a sequel's title and year": (
        S2_MANY, [["append", ["title"], ", Part II"], ["first", ["year"], 2021], ["first", ["publicationDate"], None]],
    ),
    "DOIs and venues rotated": (S2_MANY, [["rotate", ["externalIds.DOI", "venue"]]]),
    "arXiv identifiers alone rotated": (S2_MANY, [["rotate", ["externalIds.ArXiv"]]]),
    "corpus ids rotated": (S2_MANY, [["rotate", ["corpusId", "externalIds.CorpusId"]]]),
    "no title, and a stranger's fields": (
        S2_ALL,
        [["first", ["title"], None], ["first", ["authors"], _STRANGER], ["first", ["year"], 1990],
         ["first", ["citationCount"], 5]],
    ),
    "a record twice, once under another title": (S2_MANY, [["twin", ["title"], _TITLE]]),
    "a record twice, once of other people": (S2_MANY, [["twin", ["authors"], _STRANGER]]),
    "a record twice, once of another year": (S2_MANY, [["twin", ["year"], 1990]]),
    "records shifted from the middle on, names null": (
        S2_MANY, [["shift", [*_NAMES, *_BODY]], ["null", ["externalIds"]]],
    ),
    "records shifted from the middle on, names stay": (S2_MANY, [["shift", _BODY]]),
    "arXiv bodies shifted from the middle on": (
        ARXIV,
        [["shift", ["title", "author", "summary", "published", "updated", "category", "arxiv:primary_category"]]],
    ),
    "an entry twice, once under another title": (ARXIV, [["twin", ["title"], _TITLE]]),
    "an entry twice, once of another day": (ARXIV, [["twin", ["published"], "2016-05-05T00:00:00Z"]]),
    "a sequel's title in a feed": (ARXIV, [["append", ["title"], ", Part II"]]),
    "changed before it was published": (ARXIV, [["first", ["updated"], "2001-01-01T00:00:00Z"]]),
    "DOIs of a feed rotated": (("arXiv ids",), [["rotate", ["arxiv:doi"]]]),
    # OpenAlex: whole works
    "works rotated under their DOIs": (OPENALEX, [["rotate", ["id", *_WORK_BODY]]]),
    "works rotated under their DOIs and ids": (OPENALEX, [["rotate", _WORK_BODY]]),
    "works swapped under their DOIs": (OPENALEX, [["swap", ["id", *_WORK_BODY]]]),
    "works shifted from the middle on": (OPENALEX, [["shift", ["id", *_WORK_BODY]]]),
    "one work under all DOIs": (OPENALEX, [["share", ["id", *_WORK_BODY]]]),
    "one work under all DOIs and ids": (OPENALEX, [["share", _WORK_BODY]]),
    "a stranger's work": (OPENALEX, [["first", ["title"], _TITLE], ["first", ["authorships"], _WORK_STRANGER]]),
    "a stranger's work for all": (OPENALEX, [["set", ["title"], _TITLE], ["set", ["authorships"], _WORK_STRANGER]]),
    "a work twice, once under another title": (OPENALEX, [["twin", ["title"], _TITLE]]),
    "a work twice, once of other people": (OPENALEX, [["twin", ["authorships"], _WORK_STRANGER]]),
    # its DOIs and ids
    "DOIs of works rotated": (OPENALEX, [["rotate", _WORK_NAMES]]),
    "DOIs of works swapped": (OPENALEX, [["swap", _WORK_NAMES]]),
    "one DOI for all works": (OPENALEX, [["share", _WORK_NAMES]]),
    "no DOI for any work": (OPENALEX, [["null", _WORK_NAMES]]),
    "another paper's DOI for a work": (OPENALEX, [["first", ["doi"], f"https://doi.org/{_ANOTHER_DOI}"]]),
    "one id for all works": (OPENALEX, [["share", ["id"]]]),
    "ids of works rotated": (OPENALEX, [["rotate", ["id"]]]),
    "ids of works swapped": (OPENALEX, [["swap", ["id"]]]),
    "an id that is none": (OPENALEX, [["first", ["id"], "https://openalex.org/A5023888391"]]),
    "no id for any work": (OPENALEX, [["null", ["id"]]]),
    # its words
    "titles of works rotated": (OPENALEX, [["rotate", ["title"]]]),
    "titles of works swapped": (OPENALEX, [["swap", ["title"]]]),
    "one title for all works": (OPENALEX, [["share", ["title"]]]),
    "no title for any work": (OPENALEX, [["null", ["title"]]]),
    "a sequel's title for a work": (OPENALEX, [["append", ["title"], ", Part II"]]),
    "an endless title for a work": (OPENALEX, [["first", ["title"], "word " * 1_000]]),
    "authors of works rotated": (OPENALEX, [["rotate", ["authorships"]]]),
    "authors of works swapped": (OPENALEX, [["swap", ["authorships"]]]),
    "one list of authors for all works": (OPENALEX, [["share", ["authorships"]]]),
    "no authors for any work": (OPENALEX, [["null", ["authorships"]]]),
    "endless authors for a work": (
        OPENALEX, [["first", ["authorships"], [{"raw_author_name": "A. Nobody"}] * 20_001]],
    ),
    # its numbers
    "the year 1 for a work": (OPENALEX, [["first", ["publication_year"], 1]]),
    "the year 9999 for all works": (OPENALEX, [["set", ["publication_year"], 9999]]),
    "a year below zero for a work": (OPENALEX, [["first", ["publication_year"], -2017]]),
    "years of works ten too early": (OPENALEX, [["add", ["publication_year"], -10]]),
    "no year for any work": (OPENALEX, [["null", _WORK_TIMES]]),
    "a day of another year for all works": (OPENALEX, [["set", ["publication_date"], "1950-01-01"]]),
    "cited 2^62 times": (OPENALEX, [["first", ["cited_by_count"], 2**62]]),
    "all cited 10^8 times": (OPENALEX, [["set", ["cited_by_count"], 10**8]]),
    "cited less than no time": (OPENALEX, [["first", ["cited_by_count"], -3]]),
    "no count of any work": (OPENALEX, [["null", ["cited_by_count"]]]),
    "a year's citations twice": (
        OPENALEX, [["first", ["counts_by_year"], [{"year": 2025, "cited_by_count": 5}] * 2]],
    ),
    "citations in the year 9999": (OPENALEX, [["first", ["counts_by_year"], [{"year": 9999, "cited_by_count": 5}]]]),
    "references to what is no work": (OPENALEX, [["first", ["referenced_works"], ["https://openalex.org/A1"]]]),
    "endless references": (
        OPENALEX, [["first", ["referenced_works"], [f"https://openalex.org/W{10**9 + n}" for n in range(10_001)]]],
    ),
    "retracted in words": (OPENALEX, [["set", ["is_retracted"], "yes"]]),
}  # fmt: skip

# The first fifteen are figures within bounds of another paper, which no service has ever been seen to send.
UNPROVABLE: dict[str, tuple[tuple[str, ...], Steps]] = {
    "years ten too early for all": (("S2 batch",), [["add", ["year"], -10], ["null", ["publicationDate"]]]),
    "one set of counts for all": (("S2 batch",), [["share", _COUNTS]]),
    "years too early in a search": (("S2 bulk",), [["add", ["year"], -10], ["null", ["publicationDate"]]]),
    "a year that its day contradicts": (
        S2_ALL,
        [["first", ["year"], 1900], ["first", ["publicationDate"], "2019-01-01"]],
    ),
    "one count for all works": (OPENALEX, [["share", _WORK_COUNTS]]),
    "all works retracted": (OPENALEX, [["set", ["is_retracted"], True]]),
    "one list of references for all works": (OPENALEX, [["share", ["referenced_works", "referenced_works_count"]]]),
    "counts a hundredfold": (("S2 batch",), [["scale", ["citationCount"], 100]]),
    "counts a hundredth": (("S2 batch",), [["scale", ["citationCount", "influentialCitationCount"], 0.01]]),
    "citations of works a hundredfold": (OPENALEX, [["scale", ["cited_by_count"], 100]]),
    "citations of works a hundredth": (OPENALEX, [["scale", ["cited_by_count"], 0.01]]),
    "no citations for all": (
        ("S2 batch",),
        [["set", ["citationCount"], 0], ["set", ["influentialCitationCount"], 0]],
    ),
    "no citations of any work": (OPENALEX, [["set", ["cited_by_count"], 0]]),
    "more citations in a year than in all": (
        OPENALEX,
        [["set", ["counts_by_year"], [{"year": 2025, "cited_by_count": 10**7}]]],
    ),
    "years and days rotated": (("S2 batch",), [["rotate", _TIMES]]),
    "counts rotated": (("S2 batch",), [["rotate", _COUNTS]]),
    "abstracts rotated": (("S2 batch",), [["rotate", ["abstract"]]]),
    "venues rotated": (("S2 batch",), [["rotate", ["venue"]]]),
    "years off by two": (("S2 batch",), [["null", ["publicationDate"]], ["set", ["year"], 2012]]),
    "paperIds rotated": (("S2 batch",), [["rotate", ["paperId"]]]),
    "paperIds of nobody": (("S2 batch",), [["first", ["paperId"], "ab" * 20]]),
    "titles halved": (("S2 batch",), [["halve", ["title"]]]),
    "abstracts swapped": (S2_MANY, [["swap", ["abstract"]]]),
    "a version that nobody wrote": (("arXiv ids",), [["append", ["id"], "77"]]),
    "summaries swapped": (("arXiv ids",), [["swap", ["summary"]]]),
    "summaries rotated": (("arXiv ids",), [["rotate", ["summary"]]]),
    "categories rotated": (("arXiv ids",), [["rotate", ["category", "arxiv:primary_category"]]]),
    "said to be withdrawn": (("arXiv ids",), [["set", ["arxiv:comment"], "This paper has been withdrawn"]]),
    "counts of works rotated": (OPENALEX, [["rotate", _WORK_COUNTS]]),
    "citations by year rotated": (OPENALEX, [["rotate", ["counts_by_year"]]]),
    "references of works rotated": (OPENALEX, [["rotate", ["referenced_works", "referenced_works_count"]]]),
    "topics of works rotated": (OPENALEX, [["rotate", ["topics"]]]),
    "years of works off by two": (OPENALEX, [["add", ["publication_year"], -2]]),
    "a work said to be retracted": (OPENALEX, [["first", ["is_retracted"], True]]),
    "a day in 2999 for a work": (OPENALEX, [["first", ["publication_date"], "2999-01-01"]]),
    "places of works rotated": (OPENALEX, [["rotate", ["open_access"]]]),
}

_ONLY_S2 = "only this service has the paper, and nothing else says what is changed"
_NUMBERS = "nobody else tells this service's numbers"
_NOBODY = "works without authors are told as they are, and none of those known is lost"
_RENAMED = "papers get new titles, and the people are the paper's"
_LENT = "authors give arXiv another paper's DOI at times, and nothing else says whose it is"
UNPROVABLE_CELLS: dict[tuple[str, str, str, str], str] = {
    (name, "S2 batch", "first", "nothing"): _ONLY_S2
    for name in (
        "a stranger's words",
        "authors rotated",
        "authors swapped",
        "one list of authors for all",
        "the neighbour's people and years",
        "a stranger's people and year",
        "a sequel's title",
        "a sequel's title and year",
    )
}
UNPROVABLE_CELLS |= {("corpus ids rotated", "S2 batch", at, "nothing"): _NUMBERS for at in ("first", "middle")}
UNPROVABLE_CELLS["corpus ids rotated", "S2 bulk", "first", "nothing"] = _NUMBERS
UNPROVABLE_CELLS |= {
    (name, "OpenAlex works", at, "nothing"): _NUMBERS
    for name in ("ids of works rotated", "ids of works swapped")
    for at in ("first", "middle", "last")
}
UNPROVABLE_CELLS |= {
    ("no authors for any work", "OpenAlex works", at, "nothing"): _NOBODY for at in ("first", "middle", "last")
}
UNPROVABLE_CELLS |= {
    (name, "arXiv ids", at, "nothing"): _RENAMED
    for name in ("a stranger's title in a feed", "a sequel's title in a feed")
    for at in ("first", "middle", "last")
}
UNPROVABLE_CELLS["DOIs of a feed rotated", "arXiv ids", "first", "nothing"] = _LENT
"""Lie, endpoint, position and what is known -> why nothing can tell it.

The first batch asks for two papers that arXiv does not have. The list gives of one the DOI alone, of the other the DOI
and the title, and of neither the authors.
"""
