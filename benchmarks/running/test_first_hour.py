"""A stranger's hour: what the README says to type works in a fresh clone, and says what it should."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.nightly
def test_three_strangers_get_by_with_the_readme():
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-m", "benchmarks.running.first_hour"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout[-2000:]}{done.stderr}"
