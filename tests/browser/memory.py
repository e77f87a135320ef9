"""A long drag, and the memory that it leaves in use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import psutil
from playwright.sync_api import CDPSession

from tests.browser.stage import Stage

MB = 2**20
COUNT = """() => {
  window.pictureCount = 0;
  const stage = document.querySelector('[data-testid=stage]');
  new MutationObserver(() => { window.pictureCount += 1; })
    .observe(stage, {attributes: true, attributeFilter: ['data-drawn']});
}"""


@dataclass(frozen=True)
class Memory:
    """Reachable JavaScript objects and the server's resident set, in MB, after a number of pictures."""

    pictures: int
    heap: float
    server: float


class Drag:
    """A slider dragged from end to end and back without release, with one picture at each stop."""

    STOPS = 12

    def __init__(self, stage: Stage, param: str, pid: int) -> None:
        self.stage = stage
        self.param = param
        self.pictures = 0
        self._server = psutil.Process(pid)
        self._devtools: CDPSession = stage.page.context.new_cdp_session(stage.page)
        stage.page.evaluate(COUNT)

    def run(self) -> Iterator[Memory]:
        """Drag endlessly; yield a measurement after every sweep forth and back."""
        stage, mouse = self.stage, self.stage.page.mouse
        slider = stage.slider(self.param)
        stops = [0.05 + 0.9 * stop / self.STOPS for stop in range(self.STOPS)]
        mouse.move(*stage.at(slider, stops[0], 0.5))
        mouse.down()
        try:
            while True:
                for share in [*stops[1:], *stops[-2::-1]]:
                    mouse.move(*stage.at(slider, share, 0.5), steps=2)
                    self.pictures += 1
                    stage.page.wait_for_function("least => window.pictureCount >= least", arg=self.pictures)
                stage.settle()
                self.pictures = int(stage.page.evaluate("window.pictureCount"))
                yield self.measure()
        finally:
            mouse.up()

    def measure(self) -> Memory:
        self._devtools.send("HeapProfiler.collectGarbage")
        heap = self._devtools.send("Runtime.getHeapUsage")["usedSize"]
        return Memory(self.pictures, heap / MB, self._server.memory_info().rss / MB)
