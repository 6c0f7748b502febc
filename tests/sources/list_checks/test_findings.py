"""The codes of findings, and findings made of them."""

from __future__ import annotations

import re

from sources.lists.checks.findings import CODES, finding
from sources.records import Mention


def test_every_code_says_its_level_what_is_found_and_what_it_means():
    for name, code in CODES.items():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
        assert code.level in ("error", "warning", "note")
        assert re.fullmatch(r"[a-z].*[^.]", code.summary), name
        assert re.fullmatch(r"[A-Z].*[.]", code.meaning), name


def test_a_finding_stands_on_the_lines_of_its_mention_with_the_level_of_its_code():
    mention = Mention(line=3, last_line=5, title="Fast R-CNN")
    usual = finding("duplicate", mention, "It stands twice.", "line 2")
    assert (usual.line, usual.last_line, usual.level, usual.evidence) == (3, 5, "error", ("line 2",))
    assert finding("duplicate", mention, "It stands twice.", level="note").level == "note"
