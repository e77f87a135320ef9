"""nginx and the processes behind it agree on which process has which rooms."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mdcore.serving.room.rooms import LETTER, LETTERS
from mdcore.serving.visits import VARIABLE
from mdcore.ui.web.pictures import MOST_BYTES, SPARE

DEPLOY = Path(__file__).parents[1] / "deploy"
NGINX = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
COMPOSE = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
PROCESSES = dict(re.findall(rf"^  (\w+):\n    <<: \*app\n    environment: .*\b{LETTER}: (\w)\}}$", COMPOSE, re.M))
PATTERNS = dict(re.findall(r'^ +"~\*(\^/\S.*)" (\w+);$', NGINX, re.M))


def place(path: str, asked: str = "") -> str:
    """Return the process to which nginx's map sends a request: that of the first matching pattern, ignoring case."""
    found = (name for pattern, name in PATTERNS.items() if re.search(pattern, f"{path} {asked}", re.I))
    return next(found, "visitors")


def test_every_process_takes_visitors_and_has_a_letter_of_its_own() -> None:
    assert len(PROCESSES) == len(set(PROCESSES.values())) == 3
    assert set(PROCESSES.values()) <= set(LETTERS)
    (visitors,) = re.findall(r"upstream visitors \{(.*?)\}", NGINX, re.S)
    assert re.findall(r"server (\w+):8501;", visitors) == list(PROCESSES)
    for name in PROCESSES:
        assert f"upstream {name} {{ server {name}:8501; }}" in NGINX


@pytest.mark.parametrize(("name", "letter"), PROCESSES.items())
def test_a_room_is_found_where_it_lives(name: str, letter: str) -> None:
    code = f"{letter}JOINA"
    for path in (f"/join/{code}", f"/join/{code.lower()}", f"/join/{code}/events", f"/join/{code}/qr.svg"):
        assert place(path) == name
    assert place("/join", code.lower()) == name
    assert place("/stage/picture", code) == name, "the presenter's pictures"


@pytest.mark.parametrize(
    "path",
    ["/", "/join", "/join/", "/joint/A", "/lecture", "/rooms", "/_stcore/stream", "/stage/picture", "/stage/table"],
)
def test_everything_else_stays_with_its_visitor(path: str) -> None:
    assert place(path) == "visitors"


def test_a_picture_for_which_its_process_has_no_time_goes_to_the_least_busy_one() -> None:
    (location,) = re.findall(r"location = /stage/picture \{(.*?)\n    \}", NGINX, re.S)
    assert "error_page 503 = @least_busy;" in location
    assert "proxy_intercept_errors on;" in location
    assert f"client_max_body_size {MOST_BYTES // 2**10}k;" in location
    (spare,) = re.findall(r"location @least_busy \{(.*?)\n    \}", NGINX, re.S)
    assert f"rewrite ^ {SPARE} break;" in spare
    (upstream,) = re.findall(r"upstream least_busy \{(.*?)\n  \}", NGINX, re.S)
    assert re.findall(r"server (\w+):8501;", upstream) == list(PROCESSES)


def test_all_processes_share_one_key() -> None:
    (folder,) = re.findall(r'volumes: \["key:(.+)"\]', COMPOSE)
    assert f"{VARIABLE}: {folder}/" in COMPOSE
    assert f"install -d -o lab {folder}" in (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
