from __future__ import annotations

import re

import pytest

from standins.github.repository import ROOT
from standins.trials.pull_request import record

_SENTENCES = re.compile(r"(?m)^(::error file=.*?::|- line \d+, \w+ `[a-z-]+`: |# list\.md:\d+: [a-z-]+: ).*$")


def outline(page: str) -> str:
    """Returns the page without the sentences of findings: others hold their words, this one what is found and done."""
    return _SENTENCES.sub(r"\1...", page)


@pytest.mark.nightly
def test_the_page_of_the_way_of_a_pull_request_is_what_the_steps_print(tmp_path, standins):
    services = {**standins.env(openalex=True), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    printed = "".join(f"{part}\n" for part in record(tmp_path, services))
    page = (ROOT / "docs" / "pull-request.md").read_text(encoding="utf-8")
    assert outline(printed) == outline(page), "run `python -m standins.trials.pull_request > docs/pull-request.md`"
