"""What is missing where the answer is known: the planted works come first, and the famous ones not at all."""

from __future__ import annotations

import pytest

from standins.trials.citation_world import PLANS, SMALL, make_world, missing_works

TOP = 10


def precision(plan, seed: int) -> float:
    world = make_world(plan, seed)
    top = missing_works(world, TOP)
    assert world.famous.isdisjoint(top)
    return sum(work in world.planted for work in top) / len(top)


def test_planted_works_are_found_and_the_famous_are_not():
    assert precision(SMALL, seed=7) >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize("seed", [20, pytest.param(21, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", ["weak links", "half of the crowd is famous", "a short list", "a very short list"])
def test_ten_of_five_hundred_papers_miss_are_right(name, seed):
    assert precision(PLANS[name], seed) >= 0.9
