"""What fails any browser test: an error that a page logs, an answer that is an error, a request to the outside."""

from __future__ import annotations

import pytest

from tests.browser.conftest import opener
from tests.browser.desk import Desk
from tests.browser.server import Server


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("fetch('https://example.org/').catch(() => {})", r"ERR_NAME_NOT_RESOLVED.*https://example\.org/"),
        ("fetch('https://93.184.215.14/').catch(() => {})", r"ERR_NAME_NOT_RESOLVED.*https://93\.184\.215\.14/"),
        ("void new WebSocket('wss://example.org/')", r"wss://example\.org/.*ERR_NAME_NOT_RESOLVED"),
        ("document.body.append(Object.assign(new Image(), {src: 'https://example.org/a.png'}))", "example.org/a.png"),
        ("fetch('/lessons/none/offline')", "404.*lessons/none/offline"),
        ("console.error('a word')", "console: a word"),
        ("setTimeout(() => { throw new Error('nobody catches it') })", "uncaught: .*nobody catches it"),
    ],
)
def test_a_page_with_an_error_fails_its_test(server: Server, desk: Desk, code: str, said: str) -> None:
    def visit() -> None:
        with opener(server, desk) as open_page:
            page = open_page("_stcore/health")
            with page.expect_event("pageerror" if "throw" in code else "console"):
                page.evaluate(f"() => {{ {code} }}")

    with pytest.raises(AssertionError, match=said):
        visit()
