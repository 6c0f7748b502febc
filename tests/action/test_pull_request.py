from __future__ import annotations

import pytest

from standins.github_repository import ROOT
from standins.trials.pull_request import record


@pytest.mark.slow
def test_the_page_of_the_way_of_a_pull_request_is_what_the_steps_print(tmp_path, standins):
    services = {**standins.env(openalex=True), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    printed = "".join(f"{part}\n" for part in record(tmp_path, services))
    page = (ROOT / "docs" / "pull-request.md").read_text(encoding="utf-8")
    assert printed == page, "run `python -m standins.trials.pull_request > docs/pull-request.md`"
