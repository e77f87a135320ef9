"""Take the screenshots in assets/, and the moving picture of the README: `make screenshots`."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from tests.browser.server import FLAGS, ROOT, find_chromium, serve
from tests.browser.stage import Stage

ASSETS = ROOT / "assets"
LAPTOP = {"width": 1280, "height": 800}
LARGEST = 300_000  # bytes, because the README shows the moving one
SHADE = 3  # a divisor of 255
MOVED = "ldm.lambda1"
VALUES = [str(4.0**power) for power in range(-1, 6)]  # the slider moves up, and then back
STATE = f"methods=svm,ldm&ldm.lambda2=64&{MOVED}={VALUES[0]}"
SHOWN = {"x": 268, "y": 124, "width": 1002, "height": 424}  # boundaries, histogram and sliders
SMALLER, COLOURS, PAUSE = 0.75, 80, 450  # of the moving picture; milliseconds
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
        move(browser, server.address)
        browser.close()


def move(browser: Browser, address: str) -> None:
    """Save what a slider does to the margins as a moving picture."""
    page = browser.new_context(viewport=LAPTOP, bypass_csp=True).new_page()
    page.goto(f"{address}/?{STATE}")
    stage = Stage(page)
    stage.settle()
    pictures = []
    for value in VALUES:
        stage.field(MOVED).fill(value)
        stage.field(MOVED).press("Enter")
        stage.settle()
        picture = Image.open(io.BytesIO(page.screenshot(clip=SHOWN))).convert("RGB")
        pictures.append(picture.resize([round(SMALLER * size) for size in picture.size], Image.Resampling.LANCZOS))
    palette = pictures[len(pictures) // 2].quantize(COLOURS)
    frames = [
        picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in (*pictures, *pictures[-2:0:-1])
    ]
    path = ASSETS / "margins-move.gif"
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=PAUSE, loop=0, optimize=True)
    report(path)


def _stretch(page: Any) -> None:
    """Make the window as high as the page, because Streamlit scrolls an element, not the page."""
    height = page.evaluate("Math.max(...[...document.querySelectorAll('*')].map((e) => e.scrollHeight))")
    page.set_viewport_size({"width": page.viewport_size["width"], "height": height})
    Stage(page).settle()


def write(path: Path, screenshot: bytes) -> None:
    """Save a screenshot a fifth smaller by merging indistinguishable shades; black, white and every hue stay."""
    picture = Image.open(io.BytesIO(screenshot)).convert("RGB").point(lambda value: SHADE * round(value / SHADE))
    picture.save(path, optimize=True)
    report(path)


def report(path: Path) -> None:
    size = path.stat().st_size
    if size > LARGEST:
        raise SystemExit(f"{path} has {size} bytes, more than {LARGEST}")
    print(f"{path.relative_to(ROOT)}: {size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
