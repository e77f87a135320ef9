"""Modules of a page are served under a versioned path, so that a browser may cache them for good."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urljoin

import pytest
from starlette.datastructures import Headers
from starlette.routing import Router
from streamlit.web.server.starlette.starlette_routes import create_bidi_component_routes

from mdcore.ui.workarounds import lasting_modules
from mdcore.ui.workarounds.lasting_modules import IMMUTABLE, LastingModules, version
from tests.asgi import Sent, asked

COMPONENT = "/_stcore/bidi-components/mdcore.stage/"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy the modules of the pages to a place where tests can change them."""
    copied = shutil.copytree(lasting_modules.ASSETS, tmp_path / "assets")
    monkeypatch.setattr(lasting_modules, "ASSETS", copied)
    return copied


@pytest.fixture
def streamlit(folder: Path) -> Router:
    """Return Streamlit's own handler for the files of a component."""
    manager: Any = SimpleNamespace(get=lambda name: name, get_component_path=lambda name: str(folder))
    return Router(create_bidi_component_routes(manager, None))


def answer(app: Any, path: str) -> tuple[int, Headers, bytes]:
    sent: Sent = asked(app, {"type": "http", "path": path})
    content = b"".join(message.get("body", b"") for message in sent)
    return sent[0]["status"], Headers(raw=sent[0]["headers"]), content


def test_streamlit_lets_no_browser_keep_a_module(streamlit: Router) -> None:
    status, headers, _ = answer(streamlit, f"{COMPONENT}stage.js")
    assert status == 200
    lasts = {"etag", "last-modified", "expires"} & set(headers) or "max-age" in headers["cache-control"]
    assert not lasts, "Streamlit's modules stay in the browser: lasting_modules.py can go"


def test_the_first_module_of_a_page_leads_to_the_same_file_below_its_version(streamlit: Router, folder: Path) -> None:
    app = LastingModules(streamlit)
    status, headers, _ = answer(app, f"/behind/a/proxy{COMPONENT}stage.js")
    assert (status, headers["cache-control"]) == (307, "no-cache")
    leads = urljoin(f"/behind/a/proxy{COMPONENT}stage.js", headers["location"])
    assert leads == f"/behind/a/proxy{COMPONENT}{version()}/stage.js"
    status, headers, content = answer(app, leads.removeprefix("/behind/a/proxy"))
    assert (status, headers["cache-control"]) == (200, IMMUTABLE)
    assert content == (folder / "stage.js").read_bytes()


@pytest.mark.parametrize("file", ["shell/shell.js", "css/stage.css"])
def test_what_a_module_names_is_kept_as_well(file: str, streamlit: Router, folder: Path) -> None:
    status, headers, content = answer(LastingModules(streamlit), f"{COMPONENT}{version()}/{file}")
    assert (status, headers["cache-control"]) == (200, IMMUTABLE)
    assert content == (folder / file).read_bytes()


@pytest.mark.parametrize(
    ("path", "status"),
    [("{other}/shell/shell.js", 200), ("{version}/no_such_file.js", 404), ("{version}/../../run.py", 400)],
    ids=["a version of another server", "a file that is missing", "a file outside the folder"],
)
def test_nothing_else_is_kept(path: str, status: int, streamlit: Router) -> None:
    requested = path.format(version=version(), other="0" * 16)
    answered, headers, _ = answer(LastingModules(streamlit), f"{COMPONENT}{requested}")
    assert answered == status
    assert headers.get("cache-control") != IMMUTABLE


def test_the_version_is_that_of_the_content(folder: Path) -> None:
    first, module = version(), folder / "shell" / "shell.js"
    os.utime(module, (1.0, 1.0))
    assert version() == first, "the same files on another server, installed at another time"
    module.write_bytes(module.read_bytes() + b"// changed")
    changed = version()
    assert changed != first
    module.rename(module.with_name("moved.js"))
    assert version() not in (first, changed)


def test_a_module_that_has_changed_is_found_by_the_next_visit(streamlit: Router, folder: Path) -> None:
    app, before = LastingModules(streamlit), version()
    (folder / "stage.js").write_text("export default () => {};", encoding="utf-8")
    _, headers, _ = answer(app, f"{COMPONENT}stage.js")
    assert headers["location"] != f"{before}/stage.js"
    _, headers, content = answer(app, f"{COMPONENT}{headers['location']}")
    assert (headers["cache-control"], content) == (IMMUTABLE, b"export default () => {};")
