"""Visitors with real browsers: some drag a slider, and two start computations of minutes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Page, async_playwright

from tests.browser.server import FLAGS, find_chromium

QUERY = "data=moons&n=300&noise=0.25&gamma=1&methods=svm,ldm&seed={seed}"
COMPARISON = (
    "compare?data=moons&n=1000&noise=0.3&seed=1&methods=svm,ldm&view.parameters=cross-validation&view.repeats=100"
)
HEATMAP = (
    "sensitivity?data=moons&n=600&noise=0.3&seed=1&methods=svm,ldm"
    "&view.x=ldm.lambda1&view.y=ldm.C&view.xn=41&view.yn=41"
)
# Returns the milliseconds from a step of the slider to the picture with its value.
STEP = """([key, moved]) => new Promise(resolve => {
  const stage = document.querySelector('[data-testid=stage]');
  const slider = document.querySelector(`input[type=range][data-param="${moved}"]`);
  const begun = performance.now();
  const watch = new MutationObserver(() => {
    if (stage.dataset.busy === 'false') { watch.disconnect(); resolve(performance.now() - begun); }
  });
  watch.observe(stage, {attributes: true, attributeFilter: ['data-drawn', 'data-busy']});
  slider[key]();
  slider.dispatchEvent(new Event('input', {bubbles: true}));
})"""


class Dragging:
    """A user who drags a slider back and forth, one step for each change."""

    SWEEP = 20

    def __init__(self, page: Page, moved: str = "svm.C") -> None:
        self._page = page
        self._moved = moved
        self._steps = 0

    async def change(self) -> float:
        self._steps += 1
        key = "stepUp" if self._steps // self.SWEEP % 2 else "stepDown"
        return float(await asyncio.wait_for(self._page.evaluate(STEP, [key, self._moved]), 30.0))


@asynccontextmanager
async def browsers(address: str, dragging: int, heavy: bool) -> AsyncIterator[list[Dragging]]:
    """Open pages, each in its own profile; with `heavy`, two more pages whose computations are already running."""
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)

        async def opened(path: str) -> Page:
            page = await chromium.new_page(viewport={"width": 1280, "height": 800}, bypass_csp=True)
            page.set_default_timeout(60_000)
            await page.goto(f"{address}/{path}")
            return page

        hands = []
        for seed in range(dragging):
            page = await opened(f"?{QUERY.format(seed=seed)}")
            await page.wait_for_selector("[data-testid=stage][data-busy=false]:not([data-drawn='{}'])")
            hands.append(Dragging(page))
        if heavy:
            comparing = await opened(COMPARISON)
            await comparing.get_by_role("button", name="Compare", exact=True).click()
            for page in (comparing, await opened(HEATMAP)):
                await page.get_by_role("button", name="Cancel").wait_for()
        yield hands
        await chromium.close()
