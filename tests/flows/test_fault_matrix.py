"""Whole refreshes under one fault each: a part of what `python -m benchmarks.faults.matrix` runs.

The adapters' own matrix, tests/sources/test_fault_matrix.py, has every fault at every endpoint and position.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from standins import StandIns
from standins.fault_trials.fault_matrix import ENDPOINTS, HEADING, Matrix, OpenAlexMatrix, small_batches
from standins.fault_trials.title_searches import TITLE_SEARCHES, TitleSearchMatrix
from standins.faults import KINDS
from standins.harms import HARMS, OPENALEX_HARMS
from tests.matrices import first_each_push

pytestmark = pytest.mark.slow

CELLS = (
    ("arXiv ids", "every second left out", "middle"),
    ("arXiv ids", "error with 200", "middle"),
    ("arXiv ids", "another paper's record", "last"),
    ("arXiv titles", "429 Retry-After an hour", "middle"),
    ("arXiv titles", "no entries, total 0", "first"),
    ("arXiv titles", "total of 0 with hits, arXiv", "first"),
    ("S2 batch", "every second null", "middle"),
    ("S2 batch", "all null", "first"),
    ("S2 batch", "a count below zero", "last"),
    ("S2 batch", "reordered", "middle"),
    ("S2 bulk", "an answer without hits", "first"),
    ("S2 bulk", "a token for ever", "middle"),
    ("S2 match", "404", "middle"),
    ("S2 match", "{}", "first"),
)


@pytest.fixture(scope="module")
def matrix(
    _small_process: StandIns, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Matrix]:
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        sys.stdout.write(f"\n{HEADING}\n")
    with small_batches():
        yield Matrix(_small_process, tmp_path_factory.mktemp("matrix"))


@pytest.mark.parametrize(("endpoint", "harm", "position"), first_each_push(CELLS, count=3))
def test_a_refresh_outlives_a_fault_and_the_next_one_makes_it_good(endpoint, harm, position, matrix, capsys):
    cell = matrix.cell(endpoint, harm, position, lasting=True)
    with capsys.disabled():
        sys.stdout.write(f"{cell.line()}\n")
    assert cell.wrong == ()


OPENALEX_CELLS = (
    ("all titles null", "last"),
    ("allowance spent", "first"),
    ("403", "middle"),
    ("301 merged", "first"),
    ("a count of hits too high", "middle"),
    ("a wrong record under a right DOI", "first"),
)


@pytest.fixture(scope="module")
def openalex(_small_process: StandIns, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Matrix]:
    with small_batches():
        yield OpenAlexMatrix(_small_process, tmp_path_factory.mktemp("openalex"))


@pytest.mark.parametrize(("harm", "position"), first_each_push(OPENALEX_CELLS, count=1))
def test_a_fault_of_openalex_touches_nothing_of_the_others(harm, position, openalex, capsys):
    cell = openalex.cell("OpenAlex works", harm, position, lasting=True)
    with capsys.disabled():
        sys.stdout.write(f"{cell.line()}\n")
    assert cell.wrong == ()


@pytest.fixture(scope="module")
def title_searches(_small_process: StandIns, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Matrix]:
    with small_batches():
        yield TitleSearchMatrix(_small_process, tmp_path_factory.mktemp("titles"))


@pytest.mark.parametrize("endpoint", TITLE_SEARCHES)
@pytest.mark.parametrize(
    ("harm", "position"), first_each_push([("last left out", "first"), ("a count of hits too high", "middle")], count=1)
)
def test_a_fault_of_a_title_search_makes_no_title_not_found(endpoint, harm, position, title_searches, capsys):
    cell = title_searches.cell(endpoint, harm, position, lasting=True)
    with capsys.disabled():
        sys.stdout.write(f"{cell.line()}\n")
    assert cell.wrong == ()


def test_a_fault_that_passes_is_outlived_within_the_run(matrix):
    cell = matrix.cell("S2 batch", "503", "middle", lasting=False)
    assert cell.wrong == ()
    assert cell.run.status == "completed"


def test_every_kind_of_fault_is_in_the_matrix_at_every_endpoint():
    named = {kind for kind, _ in (*HARMS.values(), *OPENALEX_HARMS.values())}
    openalex = ("no_title_filter", "prepaid", "searches_paused", "timed_out", "wrong_key")
    elsewhere = {"echo": "test_secrets.py"} | dict.fromkeys(openalex, "test_wire.py")
    assert KINDS.keys() - named == elsewhere.keys()
    assert {endpoint for endpoint, _, _ in CELLS} == ENDPOINTS.keys()
    assert {harm for _, harm, _ in CELLS} <= HARMS.keys()
    assert {harm for harm, _ in OPENALEX_CELLS} <= HARMS.keys() | OPENALEX_HARMS.keys()
