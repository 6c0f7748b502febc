"""The learnt weights: what they were learnt from and how they scored is written down; and what they make of runs."""

import hashlib
import json
import os
import subprocess
import sys
from importlib import resources
from pathlib import Path

from sources.lists.reading import parse_reading_list

LISTS = sorted(str(path) for path in Path(__file__).parents[2].joinpath("lists").glob("*.md"))
DATA = resources.files("sources.lists.reading").joinpath("data")


MANIFEST = json.loads(DATA.joinpath("manifest.json").read_text(encoding="utf-8"))


def test_the_manifest_tells_of_the_weights_that_are_there_and_they_are_small():
    sizes = 0
    for name, digest in MANIFEST["files"].items():
        content = DATA.joinpath(name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == digest, f"{name} is not what `make model` wrote"
        sizes += len(content)
    assert sizes <= 660_000
    assert MANIFEST["learnt_from"]["gold"]["files"] + MANIFEST["learnt_from"]["practice"]["files"] >= 25


def test_lists_that_the_model_was_not_fitted_to_are_read_as_well_as_the_manifest_says():
    held_out = MANIFEST["held_out"]
    assert len(held_out["lists"]) >= 25
    assert held_out["micro"]["strict_f1"] >= 0.93
    assert held_out["micro"]["precision"] >= 0.93
    surest = held_out["reliability"]["0.9-1.0"]
    assert surest["papers"] >= 0.97


def test_every_mention_has_a_confidence_and_its_reasons():
    mentions = parse_reading_list("- [A Study of Rivers](https://arxiv.org/abs/2101.00001) (ICML 2021)\n").mentions
    assert mentions
    for mention in mentions:
        assert 0 < mention.confidence <= 1
        assert any(reason.startswith("+") for reason in mention.reasons)
        assert len(mention.reasons) <= 6


def test_a_list_is_read_alike_to_the_last_digit_in_every_process():
    outputs = {
        subprocess.run(
            [Path(sys.executable).with_name("paperlake"), "parse", "--format", "jsonl", *LISTS],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert outputs.pop().count(b"\n") > len(LISTS)
