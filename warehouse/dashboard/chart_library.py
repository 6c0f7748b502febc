"""Prints the chart library that a page carries, as a script that defines `vega`; it imports nothing of ours."""

from __future__ import annotations

import sys

import vl_convert

# The parts of Vega that draw a compiled chart, without a compiler and without code made of text, which a page's policy
# forbids. vl-convert carries all of it: nothing is fetched, and these addresses are names within it.
_PARTS = """
import {{ View, parse }} from "https://cdn.jsdelivr.net/npm/vega@{vega}/+esm";
import {{ expressionInterpreter }} from "https://cdn.jsdelivr.net/npm/vega-interpreter@2.0.0/+esm";
window.vega = {{ View, parse, expressionInterpreter }};
"""


def library() -> str:
    """Returns the one copy of the library."""
    newest = vl_convert.get_vegalite_versions()[-1]
    bundle = vl_convert.javascript_bundle(_PARTS.format(vega=vl_convert.get_vega_version()), vl_version=newest)
    return f"(() => {{\n{bundle}\n}})();"


if __name__ == "__main__":
    sys.stdout.write(library())
