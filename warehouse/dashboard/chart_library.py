"""Prints the chart library that a page carries, as a script that defines `vegaEmbed`; it imports nothing of ours."""

from __future__ import annotations

import sys

import vl_convert


def library() -> str:
    """Returns the one copy of the library."""
    newest = vl_convert.get_vegalite_versions()[-1]
    bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=newest)
    return f"(() => {{\n{bundle}\n}})();"


if __name__ == "__main__":
    sys.stdout.write(library())
