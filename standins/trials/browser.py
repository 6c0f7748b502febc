"""Debian's Chromium without any network, for tests of a page: what it says, asks for and stumbles over is kept."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
_QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
]
_STANDS_ON = "selector => document.activeElement.matches(selector)"
_LIES_BEFORE = """selector => {
  const wanted = document.querySelector(selector);
  return Boolean(document.activeElement.compareDocumentPosition(wanted) & Node.DOCUMENT_POSITION_PRECEDING);
}"""
_UNFOLD = """document.addEventListener("DOMContentLoaded", () => {
  for (const fold of document.querySelectorAll(".fold")) fold.open = true;
})"""
_CELLS = "rows => rows.map(row => [...row.children].map(one => one.textContent))"
_MOST_STEPS = 400


@dataclass
class Visit:
    """An open page, and all that it should not have done."""

    page: Any
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    @contextmanager
    def redrawn(self) -> Iterator[None]:
        """Waits until what is done inside has been drawn, also where it is out of view."""
        before = self.page.get_attribute("body", "data-drawn")
        yield
        self.page.wait_for_selector(f"body[data-settled]:not([data-drawn='{before}'])")

    def choose(self, name: str, value: str | None = None, **option: Any) -> None:
        """Chooses in a filter: a value, or what Playwright's `select_option` takes."""
        with self.redrawn():
            self.page.select_option(f"select[name={name}]", value, **option)

    def search(self, words: str) -> None:
        """Types into the search of the table of papers."""
        with self.redrawn():
            self.page.fill("input[name=q]", words)

    def press(self, selector: str) -> None:
        """Clicks on what changes the page."""
        with self.redrawn():
            self.page.click(selector)

    def says(self, panel: str) -> str:
        """Returns the sentence of a panel."""
        text: str = self.page.inner_text(f"#{panel}-says")
        return text

    def numbers(self, panel: str) -> list[list[str]]:
        """Returns the rows of the table behind a panel's picture."""
        self.page.evaluate(f"document.getElementById('{panel}-numbers').open = true")
        self.page.wait_for_selector(f"#{panel}-numbers tbody tr", state="attached")
        rows: list[list[str]] = self.page.eval_on_selector_all(f"#{panel}-numbers tbody tr", _CELLS)
        return rows

    def tab_to(self, selector: str) -> None:
        """Goes with Tab alone, or back with Shift and Tab, to the next place that fits `selector`."""
        key = "Shift+Tab" if self.page.evaluate(_LIES_BEFORE, selector) else "Tab"
        for _ in range(_MOST_STEPS):
            if self.page.evaluate(_STANDS_ON, selector):
                return
            self.page.keyboard.press(key)
        pytest.fail(f"{key} does not lead to {selector}")


@contextmanager
def chromium() -> Iterator[Any]:
    """Starts Chromium; skips where there is none."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium)")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=_QUIET)
        yield browser
        browser.close()


@contextmanager
def visit(
    browser: Any, file: Path, *, hash_: str = "", on_open: str = "", folded: bool = False, **context: Any
) -> Iterator[Visit]:
    """Opens `file` as by double click, in a context of its own, and waits until all of it is drawn.

    Args:
        browser: Chromium, running.
        file: The page.
        hash_: What the address has after the file's name.
        folded: Whether the panels that are folded stay so; else all are opened before.
        on_open: A function in JavaScript to call before the page's own scripts.
        context: What else the browser should pretend, as Playwright's `new_context` takes it.
    """
    with browser.new_context(accept_downloads=True, **context) as own:
        page = own.new_page()
        visited = Visit(page)
        page.on("console", lambda message: visited.said.append(message.text))
        page.on("pageerror", lambda error: visited.said.append(str(error)))
        page.on("dialog", lambda dialog: (visited.said.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: visited.asked.append(request.url))
        if on_open:
            page.add_init_script(f"({on_open})()")
        if not folded:
            page.add_init_script(_UNFOLD)
        page.goto(file.as_uri() + hash_)
        page.wait_for_selector("body[data-settled]")
        yield visited
