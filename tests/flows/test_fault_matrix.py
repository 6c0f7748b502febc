"""Whole refreshes under one fault each: a part of what `python -m benchmarks.faults.matrix` runs.

The adapters' own matrix, tests/sources/test_fault_matrix.py, has every fault at every endpoint and position.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from standins import StandIns
from standins.fault_trials.fault_matrix import Matrix, OpenAlexMatrix, small_batches
from standins.fault_trials.title_searches import TITLE_SEARCHES, TitleSearchMatrix
from tests.matrices import first_each_push

pytestmark = pytest.mark.slow

CELLS = (
    ("arXiv ids", "every second left out", "middle"),
    ("arXiv ids", "another paper's record", "last"),
    ("arXiv titles", "429 Retry-After an hour", "middle"),
    ("arXiv titles", "total of 0 with hits, arXiv", "first"),
    ("S2 batch", "every second null", "middle"),
    ("S2 batch", "a count below zero", "last"),
    ("S2 bulk", "an answer without hits", "first"),
    ("S2 match", "404", "middle"),
)


@pytest.fixture(scope="module")
def matrix(_small_process: StandIns, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Matrix]:
    with small_batches():
        yield Matrix(_small_process, tmp_path_factory.mktemp("matrix"))


@pytest.mark.parametrize(("endpoint", "harm", "position"), first_each_push(CELLS, count=3))
def test_a_refresh_outlives_a_fault_and_the_next_one_makes_it_good(endpoint, harm, position, matrix):
    cell = matrix.cell(endpoint, harm, position, lasting=True)
    assert cell.wrong == ()


OPENALEX_CELLS = (
    ("all titles null", "last"),
    ("allowance spent", "first"),
    ("403", "middle"),
    ("a wrong record under a right DOI", "first"),
)


@pytest.fixture(scope="module")
def openalex(_small_process: StandIns, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Matrix]:
    with small_batches():
        yield OpenAlexMatrix(_small_process, tmp_path_factory.mktemp("openalex"))


@pytest.mark.parametrize(("harm", "position"), first_each_push(OPENALEX_CELLS, count=1))
def test_a_fault_of_openalex_touches_nothing_of_the_others(harm, position, openalex):
    cell = openalex.cell("OpenAlex works", harm, position, lasting=True)
    assert cell.wrong == ()


@pytest.fixture(scope="module")
def title_searches(_small_process: StandIns, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Matrix]:
    with small_batches():
        yield TitleSearchMatrix(_small_process, tmp_path_factory.mktemp("titles"))


@pytest.mark.parametrize("endpoint", TITLE_SEARCHES)
@pytest.mark.parametrize(
    ("harm", "position"), first_each_push([("last left out", "first"), ("a count of hits too high", "middle")], count=1)
)
def test_a_fault_of_a_title_search_makes_no_title_not_found(endpoint, harm, position, title_searches):
    cell = title_searches.cell(endpoint, harm, position, lasting=True)
    assert cell.wrong == ()


def test_a_fault_that_passes_is_outlived_within_the_run(matrix):
    cell = matrix.cell("S2 batch", "503", "middle", lasting=False)
    assert cell.wrong == ()
    assert cell.run.status == "completed"
