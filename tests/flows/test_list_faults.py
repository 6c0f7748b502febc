"""Lists that are gone, emptied, unreadable or told apart by a secret, and lists that are forgotten: nothing is lost."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flows.commands.serve import serve
from flows.commands.status import QUERIES
from flows.refresh.plan import plan_refresh
from flows.refresh.reading import read_and_parse
from flows.refresh.summary import RunSummary
from sources.errors import PermanentSourceError, TransientSourceError, UsageError
from sources.lists.list_urls import Fetched
from sources.lists.locations import try_lists
from standins.trials.bench import Bench
from tests.matrices import first_each_push
from warehouse.maintenance.lake_check import check_lake

pytestmark = pytest.mark.slow

CNN = "# CNN\n\n- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n- [ResNet](https://arxiv.org/abs/1512.03385)\n"
NORM = "# Norms\n\n- [Layer Normalization](https://arxiv.org/abs/1607.06450)\n"
PROSE = "# Nothing here any more\n\nThis list has moved.\n"
STANDING = """
    SELECT any_value(l.location) AS location, count(*) AS n FROM mentions m JOIN reading_lists l USING (list_id)
    WHERE removed_at IS NULL GROUP BY list_id ORDER BY n
"""


def standing(bench: Bench) -> dict[str, int]:
    return {row["location"].rsplit("/", 1)[-1]: row["n"] for row in bench.rows(STANDING)}


def locations(bench: Bench) -> list[str]:
    return [row["location"] for row in bench.rows("SELECT location FROM reading_lists ORDER BY location")]


def refresh(bench: Bench, *lists: str, **options: Any) -> RunSummary:
    summary = bench.refresh(*lists, offline=True, **options)
    assert summary.mentions == summary.resolved + summary.ambiguous + summary.not_found + summary.failed
    return summary


@pytest.fixture
def lists(bench: Bench) -> Path:
    """A folder of two lists that the lake knows."""
    folder = bench.folder / "lists"
    folder.mkdir()
    bench.write(CNN, "lists/a.md")
    bench.write(NORM, "lists/b.md")
    assert not [one for one in refresh(bench, str(folder)).problems if "a.md" in one or "b.md" in one]
    return folder


CHANGES: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "emptied": lambda file: file.write_text(""),
    "rewritten": lambda file: file.write_text(PROSE),
    "overwritten": lambda file: file.write_bytes(b"\x89PNG\0\0"),
}


def stays(summary: RunSummary) -> list[str]:
    """Returns the problems that say that a list's mentions stay as they were."""
    return [problem for problem in summary.problems if "stay as they were" in problem]


LOST = [(change, "named") for change in CHANGES]
LOST += [(change, name) for change in ("deleted", "rewritten") for name in ("folder", "deep glob", "all of the lake")]


@pytest.mark.parametrize(("change", "name"), first_each_push(LOST, count=2))
def test_a_list_that_is_lost_is_named_and_its_mentions_stay(bench: Bench, lists: Path, change: str, name: str):
    CHANGES[change](lists / "a.md")
    arguments = {
        "named": [str(lists / "a.md"), str(lists / "b.md")],
        "folder": [str(lists)],
        "deep glob": [str(bench.folder / "**" / "*.md")],
        "all of the lake": [],
    }[name]

    summary = refresh(bench, *arguments)

    assert summary.status == "completed_with_failures"
    (problem,) = [one for one in summary.problems if str(lists / "a.md") in one]
    assert "its 2 mentions stay as they were" in problem
    assert "\n" not in problem
    assert standing(bench) == {"a.md": 2, "b.md": 1}
    assert (summary.lists, summary.mentions, summary.mentions_removed) == (1, 1, 0)
    (told,) = bench.rows(QUERIES["unread"])
    assert (told["list"], told["not_read_because"]) == (str(lists / "a.md"), problem)

    bench.write(CNN, "lists/a.md")
    assert not stays(refresh(bench, str(lists)))  # what is back has no fault any more
    assert bench.rows(QUERIES["unread"]) == []
    assert standing(bench) == {"a.md": 2, "b.md": 1}


@pytest.mark.nightly
def test_force_takes_a_lost_list_for_emptied(bench: Bench, lists: Path):
    (lists / "a.md").unlink()
    summary = refresh(bench, str(lists / "a.md"), str(lists / "b.md"), force=True)
    assert not [one for one in summary.problems if "a.md" in one]
    assert summary.mentions_removed == 2
    assert standing(bench) == {"b.md": 1}
    assert not [one for one in refresh(bench, str(lists)).problems if "a.md" in one], "it is said once"


def test_force_also_takes_the_only_list(bench: Bench):
    path = bench.write(CNN)
    refresh(bench, path)
    bench.write(PROSE)
    with pytest.raises(UsageError, match="no paper is named"):
        refresh(bench, path)
    assert standing(bench) == {"list.md": 2}
    assert refresh(bench, path, force=True).mentions_removed == 2


def test_force_takes_nothing_from_a_list_that_cannot_be_read(bench: Bench, lists: Path):
    CHANGES["overwritten"](lists / "a.md")
    summary = refresh(bench, str(lists / "a.md"), str(lists / "b.md"), force=True)
    assert summary.status == "completed_with_failures"
    assert standing(bench) == {"a.md": 2, "b.md": 1}


@pytest.mark.nightly
def test_lists_beside_the_lake_follow_it_although_their_text_has_changed(bench: Bench, lists: Path):
    before = bench.rows("SELECT mention_id, first_seen_at FROM mentions ORDER BY mention_id")
    lake = bench.folder.rename(f"{bench.folder}-moved")
    bench = replace(bench, folder=lake)
    bench.write(f"{CNN}\nMore to come.\n", "lists/a.md")
    summary = refresh(bench)
    assert (summary.mentions, summary.mentions_new, summary.mentions_removed) == (3, 0, 0)
    assert bench.rows("SELECT mention_id, first_seen_at FROM mentions ORDER BY mention_id") == before
    assert locations(bench) == [str(lake / "lists" / name) for name in ("a.md", "b.md")]


def test_the_lists_of_a_copied_lake_stay_where_they_are(bench: Bench, lists: Path):
    copy = Path(shutil.copytree(bench.folder, f"{bench.folder}-copy"))
    bench = replace(bench, folder=copy)
    refresh(bench)
    assert locations(bench) == [str(lists / name) for name in ("a.md", "b.md")]


def test_a_list_that_the_lake_never_knew_stops_no_other_and_one_that_is_not_named_is_no_matter(
    bench: Bench, lists: Path
):
    typo = str(bench.folder / "typo.md")
    with pytest.raises(UsageError, match="no such file"):
        refresh(bench, typo)
    summary = refresh(bench, str(lists), typo)
    assert summary.status == "completed_with_failures"
    assert ["no such file" in problem for problem in summary.problems] == [True]
    (lists / "a.md").unlink()  # other lists of the lake are no matter, but to a plan of all
    plan = plan_refresh(read_and_parse([str(lists)], bench.place), bench.settings(offline=True))
    assert [str(lists / "a.md") in one for one in plan.problems] == [True]
    assert not [one for one in refresh(bench, str(lists / "b.md")).problems if "a.md" in one]


class Web:
    """Stands for the network: address -> its bytes, or what it raises."""

    def __init__(self) -> None:
        self.held: dict[str, bytes | Exception] = {}

    def __call__(self, url: str) -> Fetched:
        found = self.held.get(url, PermanentSourceError(f"{url} answered 404", source="list", status=404))
        if isinstance(found, Exception):
            raise found
        return Fetched(body=found)


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Web:
    shelf = Web()
    monkeypatch.setattr("flows.refresh.reading.try_lists", lambda named: try_lists(named, fetch=shelf))
    return shelf


RAW = "https://raw.githubusercontent.com/ada/lists/HEAD/README.md"
FAULTS = [
    PermanentSourceError("it answered 404", source="list", status=404),
    TransientSourceError("it answered 503", source="list", status=503),
    UsageError("it is a web page, not a list"),
    PROSE.encode(),
]


@pytest.mark.nightly
@pytest.mark.parametrize("fault", FAULTS, ids=str)
@pytest.mark.parametrize(
    ("named", "address"), [("github:ada/lists", RAW), ("https://lists.test/a.md", "https://lists.test/a.md")]
)
def test_an_address_that_answers_otherwise_is_named_and_its_mentions_stay(
    bench: Bench, web: Web, named: str, address: str, fault: bytes | Exception
):
    other = bench.write(NORM, "other.md")
    web.held["https://down.test/a.md"] = TransientSourceError("https://down.test/a.md answered 503", status=503)
    summary = refresh(bench, "https://down.test/a.md", other)  # a new address holds up no other list
    assert ("https://down.test/a.md answered 503" in summary.problems, summary.lists) == (True, 1)
    web.held[address] = CNN.encode()
    refresh(bench, named, other)
    web.held[address] = fault
    for arguments in ((named, other), ()):
        summary = refresh(bench, *arguments)
        assert summary.status == "completed_with_failures"
        assert len([one for one in summary.problems if "its 2 mentions stay as they were" in one]) == 1
        assert sum(standing(bench).values()) == 3


SECRETS = ["key={}", "t=ghp_{}{}", "q=eyJhbGciOiJub25lIn0.{}{}{}"]


@pytest.mark.nightly
def test_lists_that_differ_in_a_parameter_are_two_lists(bench: Bench, web: Web):
    parameters = [*SECRETS, "author={}", "page={}"]
    pairs = [
        [f"https://lists.test/{number}.md?{parameter.replace('{}', f'{letter * 6}{number}')}" for letter in "AB"]
        for number, parameter in enumerate(parameters)
    ]
    for first, second in pairs:
        web.held |= {first: CNN.encode(), second: NORM.encode()}
    refresh(bench, *(url for pair in pairs for url in pair))
    refresh(bench, *(second for _, second in pairs))
    refresh(bench, *(first for first, _ in pairs))
    assert [row["n"] for row in bench.rows(STANDING)] == [1] * len(pairs) + [2] * len(pairs)
    assert bench.rows("SELECT count(*) AS n FROM mentions")[0]["n"] == 3 * len(pairs)
    everything = repr(bench.contents())
    for number, parameter in enumerate(parameters):
        assert (f"AAAAAA{number}" in everything) == (parameter not in SECRETS)


def test_an_address_with_a_secret_must_be_named_again_and_says_so(bench: Bench, web: Web):
    url = "https://lists.test/l.md?token=s3cret"
    web.held[url] = CNN.encode()
    refresh(bench, url, bench.write(NORM, "other.md"))
    (problem,) = stays(refresh(bench))
    assert "name the whole address" in problem
    assert "PAPERLAKE_LISTS" in problem
    assert sum(standing(bench).values()) == 3
    with pytest.raises(UsageError, match="PAPERLAKE_LISTS") as refused:
        serve([url], offline=True)
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize("first", ["mine.md", "link.md"])
@pytest.mark.parametrize("then", first_each_push([["."], ["mine.md", "link.md"]], count=1))
def test_a_file_by_two_paths_is_the_list_that_the_lake_knows(bench: Bench, first: str, then: list[str]):
    folder = bench.folder / "lists"
    folder.mkdir()
    bench.write(CNN, "lists/mine.md")
    (folder / "link.md").symlink_to("mine.md")
    refresh(bench, str(folder / first))
    summary = refresh(bench, *(str(folder / name) for name in then))
    assert not [one for one in summary.problems if ".md" in one]
    assert sorted(standing(bench)) == [first]


ONE = "- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n- [What's in a Name?](https://example.org/names.pdf)\n"
OTHER = "- [Layer Normalization](https://arxiv.org/abs/1607.06450)\n"


def test_a_list_is_forgotten_with_its_mentions_and_its_papers_stay(bench: Bench):
    bench.refresh(bench.write(ONE, "one.md"), bench.write(OTHER, "other.md"))
    papers = bench.rows("FROM papers ORDER BY paper_id")
    (bench.folder / "one.md").unlink()
    gone = bench.refresh()
    assert (gone.status, gone.lists, gone.mentions) == ("completed_with_failures", 1, 1), "the others are refreshed"
    assert any("one.md" in problem and "its 2 mentions stay" in problem for problem in gone.problems)

    with pytest.raises(UsageError, match=r"knows no list 'ne.md'; it knows one.md, other.md"):
        bench.does("lake", "forget", "other.md", "ne.md")
    told = json.loads(bench.does("lake", "forget", "one.md", "--json"))
    assert told == {"lists": [str(bench.folder / "one.md")], "mentions": 2}
    assert [row["list"] for row in bench.rows("FROM coverage")] == ["other.md"]
    assert {row["title"] for row in bench.rows("FROM mentions")} == {"Layer Normalization"}
    assert bench.rows("FROM candidates WHERE mention_id NOT IN (SELECT mention_id FROM mentions)") == []
    assert bench.rows("FROM papers ORDER BY paper_id") == papers
    assert check_lake(bench.place).faults == []
    assert bench.refresh().status == "completed"


def test_a_copy_of_a_list_is_a_list_of_its_own(bench: Bench):
    bench.refresh(bench.write(ONE, "one.md"))
    bench.refresh(bench.write(ONE, "copy.md"))
    assert len(bench.rows("FROM coverage")) == 2
    assert len(bench.rows("FROM mentions")) == 4
