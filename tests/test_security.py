"""Security headers, which confine pages to this server."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route
from streamlit.config import _config_options_template

from mdcore.serving.web.security import EMBEDDERS, POLICY, SecurityHeaders, content_policy, embedders, inline_hashes
from mdcore.ui.workarounds.server import streamlit_page

ROOT = Path(__file__).parents[1]


def headers_of(response: HTMLResponse, path: str = "/") -> Headers:
    """Return the headers of a route's response as a browser receives them."""
    sent: list[dict[str, Any]] = []

    async def page(request: Request) -> HTMLResponse:
        return response

    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    async def send(message: Any) -> None:
        sent.append(message)

    app = SecurityHeaders(Starlette(routes=[Route("/", page)]), streamlit_page())
    scope = {"type": "http", "method": "GET", "path": path, "headers": [], "query_string": b""}
    with ThreadPoolExecutor(1) as thread:  # a separate event loop, as this thread may have one from Playwright
        thread.submit(asyncio.run, app(scope, receive, send)).result()
    return Headers(raw=sent[0]["headers"])


def rules(policy: str) -> dict[str, list[str]]:
    return {name: sources for name, *sources in (rule.split() for rule in policy.split("; "))}


def test_an_inline_script_is_allowed_by_its_hash_alone():
    digest = base64.b64encode(hashlib.sha256(b"\n go()\n").digest()).decode()
    assert inline_hashes('<script>\n go()\n</script><script src="x.js"></script>') == [f"'sha256-{digest}'"]
    allowed = rules(content_policy([f"'sha256-{digest}'"], []))
    assert allowed["script-src"] == ["'self'", f"'sha256-{digest}'"]
    assert not {"'unsafe-inline'", "'unsafe-eval'", "*", "https:", "data:", "blob:"} & set(allowed["script-src"])
    assert allowed["default-src"] == allowed["base-uri"] == allowed["form-action"] == ["'self'"]


def test_streamlits_page_has_inline_scripts():
    assert inline_hashes(streamlit_page()), "Streamlit's page runs no inline scripts: server.py can go"


def test_every_answer_has_the_headers_and_may_bring_a_policy_of_its_own():
    plain = headers_of(HTMLResponse("x"))
    assert plain["x-content-type-options"] == "nosniff"
    assert plain["referrer-policy"] == "same-origin"
    assert rules(plain[POLICY])["frame-ancestors"] == ["'self'"]
    own = headers_of(HTMLResponse("x", headers={POLICY: "default-src 'none'"}))
    assert own[POLICY] == "default-src 'none'"
    assert headers_of(HTMLResponse("x"), "/nowhere")["x-content-type-options"] == "nosniff"


def test_only_the_sites_named_may_frame_the_app(monkeypatch):
    monkeypatch.setenv(EMBEDDERS, "https://course.example http://localhost:9000")
    framers = rules(headers_of(HTMLResponse("x"))[POLICY])["frame-ancestors"]
    assert framers == ["'self'", "https://course.example", "http://localhost:9000"]


@pytest.mark.parametrize("named", ["course.example", "https://a.example; script-src *", "javascript:1", "'none'"])
def test_what_is_no_origin_is_refused_by_name(named):
    with pytest.raises(ValueError, match=EMBEDDERS):
        embedders(named)


def test_streamlit_protects_its_own_routes_and_keeps_traces_to_the_log():
    configured = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert configured["client"]["showErrorDetails"] == "none"
    assert configured["server"]["maxMessageSize"] <= 50, "a socket could make the server hold so much"
    for name in ("server.enableXsrfProtection", "server.enableCORS"):
        section, _, option = name.partition(".")
        assert configured[section].get(option, _config_options_template[name].value) is True
