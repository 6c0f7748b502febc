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
@pytest.mark.slow
def test_the_page_of_the_way_of_a_pull_request_is_what_the_steps_print(tmp_path, standins):
    services = {**standins.env(openalex=True), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    printed = "".join(f"{part}\n" for part in record(tmp_path, services))
    page = (ROOT / "docs" / "pull-request.md").read_text(encoding="utf-8")
    assert outline(printed) == outline(page), "run `python -m standins.trials.pull_request > docs/pull-request.md`"


def test_the_page_shows_what_is_found_and_what_is_done():
    page = outline((ROOT / "docs" / "pull-request.md").read_text(encoding="utf-8"))
    assert re.findall(r"^::error file=list.md,line=(\d+),.*title=paperlake%3A ([a-z-]+)::", page, re.MULTILINE) == [
        ("13", "link-title-disagree"), ("14", "duplicate"), ("15", "malformed-arxiv-id")
    ]  # fmt: skip
    assert re.findall(r"exit code (\d)", page) == ["1", "0", "0", "0"]
    assert "BERT" not in page.partition("## 3.")[0].partition("prints:")[2]
    assert re.findall(r"^# list\.md:(\d+): ([a-z-]+)", page, re.MULTILINE) == [
        ("5", "http-address"), ("6", "title-misspelt"), ("12", "empty-link")
    ]  # fmt: skip
    assert "nothing to correct" in page.partition("## 5.")[2]
