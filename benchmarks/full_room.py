"""A full room: `python -m benchmarks.full_room --phones 200`, with two real browsers, the presenter's and a follower's.

The presenter drags a slider of the lecture's step, first alone and then with an audience: every phone keeps a stream of
events open and votes at a random moment within two seconds, and the follower's browser draws what it receives. The
output is the time of the votes, the number counted, the delay from the last vote to the presenter's screen, the
presenter's drag with and without audience, the delay of the follower's picture, and the size of a picture.
"""

from __future__ import annotations

import argparse
import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np
from playwright.async_api import Browser, Page, async_playwright

from benchmarks.load.browsers import Dragging
from mdcore.serving.lecture.lesson_files import find_lesson
from mdcore.serving.room.small_picture import small_picture
from mdcore.serving.stage_pages.lecture import picture_of
from tests.browser.server import FLAGS, find_chromium, serve
from tests.phones import Phone, joined

SPREAD = 2.0  # seconds within which all phones vote
MOVES = 40  # of the slider, at least
STEP, MOVED = 7, "ldm.lambda1"
# Resolves when the follower's page has drawn a new picture.
NEXT_PICTURE = """() => new Promise(resolve => {
  const watch = new MutationObserver(() => { watch.disconnect(); requestAnimationFrame(resolve); });
  watch.observe(document.getElementById('follow'), {attributeFilter: ['data-drawn']});
})"""


@dataclass(frozen=True)
class Found:
    """Seconds of each vote; milliseconds of each move, and of the delays of the screen and of the follower."""

    votes: list[float]
    counted: int
    screen: float
    alone: list[float]
    beside: list[float]
    follower: list[float]


async def opened(chromium: Browser, address: str, width: int, height: int) -> Page:
    page = await chromium.new_page(viewport={"width": width, "height": height}, bypass_csp=True)
    page.set_default_timeout(60_000)
    await page.goto(address)
    return page


async def held(chromium: Browser, address: str, phones: int) -> Found:
    """Run the room from the first drag to the last vote."""
    presenter = await opened(chromium, f"{address}/lecture?step={STEP}", 1280, 720)
    await presenter.wait_for_selector("[data-testid=stage][data-busy=false]:not([data-drawn='{}'])")
    room = await presenter.wait_for_selector("[data-testid=room][data-join]")
    join = urlsplit(await room.get_attribute("data-join") or "").path
    hand = Dragging(presenter, MOVED)
    for _ in range(MOVES):
        await hand.change()  # warm-up
    alone = [await hand.change() for _ in range(MOVES)]

    follower = await opened(chromium, f"{address}{join}", 390, 844)
    await follower.wait_for_selector("#follow canvas")
    devices = [joined(address, join) for _ in range(phones)]
    for _ in range(phones):
        threading.Thread(target=listen, args=(Phone(address), join), daemon=True).start()
    waits = np.random.default_rng(0).uniform(0, SPREAD, phones)

    def vote(number: int) -> tuple[float, float]:
        time.sleep(waits[number])
        reply = devices[number].vote(join, STEP, number % 3)
        assert reply.status == 200, reply.body
        return reply.seconds, time.perf_counter()

    async def heard() -> float:
        await presenter.wait_for_selector(f'[data-testid=room][data-votes="{phones}"]')
        return time.perf_counter()

    loop, beside = asyncio.get_running_loop(), []
    with ThreadPoolExecutor(phones) as pool:
        screen = asyncio.ensure_future(heard())
        voting = asyncio.gather(*(loop.run_in_executor(pool, vote, number) for number in range(phones)))
        while not voting.done() or len(beside) < MOVES:
            beside.append(await hand.change())
        done = await voting
    last = max(at for _, at in done)
    waited = [await seen(follower, hand) for _ in range(5)]
    counted = int(Phone(address).ask("GET", f"{join}/state").json["votes"])
    return Found([s for s, _ in done], counted, 1e3 * max(0.0, await screen - last), alone, beside, waited)


async def seen(follower: Page, hand: Dragging) -> float:
    """Return the milliseconds from the presenter's move to the follower's picture."""
    picture = asyncio.ensure_future(follower.evaluate(NEXT_PICTURE))
    begun = time.perf_counter()
    await asyncio.gather(asyncio.wait_for(picture, 30.0), hand.change())
    return 1e3 * (time.perf_counter() - begun)


def listen(phone: Phone, join: str) -> None:
    for name, state in phone.events(join):
        if name == "state" and state.get("ended"):
            return


async def in_browsers(address: str, phones: int) -> Found:
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        try:
            return await held(chromium, address, phones)
        finally:
            await chromium.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.full_room", description=__doc__)
    parser.add_argument("--phones", type=int, default=200)
    phones = parser.parse_args().phones
    with serve() as server:
        found = asyncio.run(in_browsers(server.address, phones))
    print(f"{phones} phones with event streams, voting within {SPREAD:g} s, and two browsers:")
    print(f"  a vote: median {1e3 * np.median(found.votes):.0f} ms, p95 {1e3 * np.quantile(found.votes, 0.95):.0f} ms")
    print(f"  counted: {found.counted} of {phones}")
    print(f"  last vote to the presenter's screen: {found.screen:.0f} ms")
    old, new = np.median(found.alone), np.median(found.beside)
    print(f"  presenter's drag: median {old:.0f} ms alone, {new:.0f} ms with the audience, ratio {new / old:.2f}")
    print(f"  presenter's move to the follower's picture: median {np.median(found.follower):.0f} ms")
    picture = small_picture(picture_of(find_lesson("margins").states(STEP)[1])) or ""
    print(f"  a follower's picture: {len(picture) / 1e3:.1f} kB")


if __name__ == "__main__":
    main()
