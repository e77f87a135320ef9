"""Take the screenshots in assets/: `make screenshots`."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.browser.server import FLAGS, ROOT, find_chromium, serve
from tests.browser.stage import Stage

ASSETS = ROOT / "assets"
LAPTOP = {"width": 1280, "height": 800}
LARGEST = 300_000  # bytes, because the README shows one of them
SHADE = 3  # a divisor of 255
SHOTS: dict[str, dict[str, Any]] = {
    "playground-light": {"viewport": LAPTOP, "color_scheme": "light"},
    "playground-dark": {"viewport": LAPTOP, "color_scheme": "dark"},
    "playground-projector": {"viewport": {"width": 1280, "height": 720}, "query": "view.projector=1"},
    "playground-phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "tall": True},
}


def main() -> None:
    with sync_playwright() as playwright, serve() as server:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        for name, options in SHOTS.items():
            chosen = dict(options)
            query, tall = chosen.pop("query", ""), chosen.pop("tall", False)
            context = browser.new_context(**chosen, bypass_csp=True)
            page = context.new_page()
            page.goto(f"{server.address}/?{query}")
            Stage(page).settle()
            if tall:
                _stretch(page)
            write(ASSETS / f"{name}.png", page.screenshot())
            context.close()
        browser.close()


def _stretch(page: Any) -> None:
    """Make the window as high as the page, because Streamlit scrolls an element, not the page."""
    height = page.evaluate("Math.max(...[...document.querySelectorAll('*')].map((e) => e.scrollHeight))")
    page.set_viewport_size({"width": page.viewport_size["width"], "height": height})
    Stage(page).settle()


def write(path: Path, screenshot: bytes) -> None:
    """Save a screenshot a fifth smaller by merging indistinguishable shades; black, white and every hue stay."""
    picture = Image.open(io.BytesIO(screenshot)).convert("RGB").point(lambda value: SHADE * round(value / SHADE))
    picture.save(path, optimize=True)
    size = path.stat().st_size
    if size > LARGEST:
        raise SystemExit(f"{path} has {size} bytes, more than {LARGEST}")
    print(f"{path.relative_to(ROOT)}: {picture.width} x {picture.height}, {size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
