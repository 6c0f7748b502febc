"""Gives the site the pages that stand outside of docs/; MkDocs calls it.

https://www.mkdocs.org/user-guide/configuration/#hooks says with what.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
# Page of the site -> its file.
OUTSIDE = {
    "index.md": "README.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "SECURITY.md": "SECURITY.md",
    "reading-lists.md": "benchmarks/reading_lists/README.md",
}
_PAGES = {file: page for page, file in OUTSIDE.items()}
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?:|#|\))([^()\s#]+)(#[^()\s]*)?\)")
_FILE_ALONE = frozenset({"LICENSE"})  # linked, and no page of the site


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages."""
    for page, file in OUTSIDE.items():
        files.append(File.generated(config, page, content=(ROOT / file).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Returns the page with its links as the site has them."""
    folder = (ROOT / OUTSIDE[page.file.src_uri]).parent if page.file.src_uri in OUTSIDE else ROOT / "docs"

    def on_site(match: re.Match[str]) -> str:
        path = Path(folder, match[2]).resolve()
        if not path.is_relative_to(ROOT) or path.name in _FILE_ALONE:
            return match[1]
        name = path.relative_to(ROOT).as_posix()
        return f"[{match[1]}]({_PAGES.get(name, name.removeprefix('docs/'))}{match[3] or ''})"

    return _LINK.sub(on_site, markdown)
