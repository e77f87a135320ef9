"""The routes beside Streamlit's: they answer without a session."""

from __future__ import annotations

import json
from urllib.request import urlopen

from tests.browser.server import Server


def test_the_server_says_that_it_is_well(server: Server) -> None:
    with urlopen(f"{server.address}/healthz") as answer:
        assert answer.status == 200
        assert json.load(answer) == {"status": "ok"}
        assert answer.headers["cache-control"] == "no-store"
