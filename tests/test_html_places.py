"""Every place that writes HTML has been reviewed and is on a list; no user input is executed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WRITES = re.compile(
    r"\bst\.html\(|unsafe_allow_html|HTMLResponse\(|(?<!re)(?:\bhtml\.|\b)escape\(|from html import"
    r"|innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|srcdoc|createContextualFragment"
)
RUNS = re.compile(
    r"\b(?:import pickle|pickle\.loads?|joblib\.load|yaml\.load|marshal\.loads?|allow_pickle=True|new Function\()"
    r"|(?<![\w.])(?:eval|exec)\("
)


def sources() -> list[Path]:
    places = [ROOT / "app.py", ROOT / "frame.py", *(ROOT / "pages").glob("*.py")]
    return places + [path for path in (ROOT / "mdcore").rglob("*") if path.suffix in {".py", ".js"}]


def test_every_place_that_writes_html_is_on_the_list() -> None:
    trust = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
    _, _, section = trust.partition("## Where HTML is written")
    listed = set(re.findall(r"^\| `([^`]+)` \|", section.partition("\n## ")[0], re.M))
    writing = {
        str(path.relative_to(ROOT))
        for path in sources()
        if any(
            WRITES.search(line) and "re.escape(" not in line for line in path.read_text(encoding="utf-8").splitlines()
        )
    }
    assert writing == listed, "look at the place, then put it on the list of docs/trust.md"


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_is_unpickled_or_evaluated(path: Path) -> None:
    assert not RUNS.search(path.read_text(encoding="utf-8"))
