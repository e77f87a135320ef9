"""Requests of the stage that Streamlit drops: the final picture arrives nevertheless."""

from __future__ import annotations

import json
import re

from playwright.sync_api import BrowserContext, Page, WebSocketRoute, expect
from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.browser.conftest import Visit
from tests.browser.stage import Stage

SMALL = "data=moons&n=80&noise=0.2&seed=1&gamma=1&methods=svm,ldm&svm.C=1"
SILENCE = 20_000  # ms until the stage reports a missing answer


class Forgetful:
    """A proxy between a page and its server that, while it `forgets`, drops requests until the whole page is run."""

    def __init__(self, page: Page) -> None:
        self.forgets = False
        self.forgotten: list[str] = []
        page.route_web_socket(re.compile("stream$"), self._connect)

    def _connect(self, socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def sent(message: str | bytes) -> None:
            if isinstance(message, bytes) and self.forgets:
                run = BackMsg.FromString(message).rerun_script
                self.forgets = bool(run.fragment_id)
                if self.forgets:
                    states = (json.loads(widget.json_value) for widget in run.widget_states.widgets)
                    self.forgotten += [state["request"]["query"] for state in states]
                    return
            server.send(message)

        socket.on_message(sent)


def forgetful(stage: Stage) -> Forgetful:
    between = Forgetful(stage.page)
    stage.page.clock.install()
    stage.page.reload()
    stage.settle()
    return between


def ask_in_vain(stage: Stage, between: Forgetful) -> None:
    between.forgets = True
    stage.type_number("svm.C", "4")
    expect(stage.root).to_have_attribute("data-busy", "true")
    stage.page.wait_for_function("location.search.includes('svm.C=4')")
    assert "svm.C=4" in between.forgotten[-1]


def test_a_step_back_brings_a_picture_though_a_request_was_forgotten(visit: Visit, new_profile: BrowserContext) -> None:
    stage = visit(SMALL, context=new_profile)
    between = forgetful(stage)
    stage.type_number("svm.C", "2")
    stage.settle()
    ask_in_vain(stage, between)
    stage.page.go_back()
    expect(stage.root).to_have_attribute("data-drawn", re.compile('"svm.C":2,'))
    stage.check_numbers()
    stage.page.go_forward()
    expect(stage.root).to_have_attribute("data-drawn", re.compile('"svm.C":4,'))
    stage.check_numbers()
    assert len(between.forgotten) == 1


def test_trying_again_is_understood_by_a_server_that_knows_of_no_request(
    visit: Visit, new_profile: BrowserContext
) -> None:
    stage = visit(SMALL, context=new_profile)
    between = forgetful(stage)
    ask_in_vain(stage, between)
    stage.page.clock.fast_forward(SILENCE)
    expect(stage.root.get_by_role("alert")).to_contain_text("No answer from the server for 20 s.")
    stage.button("Try again").click()
    expect(stage.root).to_have_attribute("data-drawn", re.compile('"svm.C":4,'))
    stage.check_numbers()
    expect(stage.root.get_by_role("alert")).to_be_hidden()
