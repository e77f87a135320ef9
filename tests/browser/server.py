"""The server of the app and Chromium, as tests, benchmarks and screenshots start them."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.waiting import PATIENCE, until

ROOT = Path(__file__).parents[2]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # Without two hidden pages of the address bar, which every window loads, opening a page costs a fifth less.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup",
]
# The headless shell is the same engine without windows, and opens a page in three quarters of the time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@dataclass(frozen=True)
class Server:
    address: str
    pid: int


def find_chromium() -> str:
    """Return the path in CHROMIUM, which `make` sets, else Chromium on PATH."""
    named = os.environ.get("CHROMIUM")
    found = named or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        raise RuntimeError(
            f"no Chromium: CHROMIUM is not set and none of {', '.join(NAMES)} is on PATH; use `make test`"
        )
    return found


@contextmanager
def serve(script: str = "app.py", *, port: int = 0, **variables: str) -> Iterator[Server]:
    """Start a separate Streamlit server, on a free port unless one is given, and stop it at the end.

    Its output is shown when something fails.

    `variables` are added to its environment.
    """
    port = port or free_port()
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.port", str(port)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)} | variables
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT)
        address = f"http://localhost:{port}"
        try:
            _wait(f"{address}/_stcore/health", process)
            yield Server(address, process.pid)
        except BaseException:
            log.seek(0)
            sys.stderr.write(log.read().decode(errors="replace"))
            raise
        finally:
            process.terminate()
            process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait(address: str, process: subprocess.Popen[bytes]) -> None:
    def answers() -> bool:
        if process.poll() is not None:
            raise RuntimeError(f"the server stopped with exit code {process.returncode}")
        try:
            with urllib.request.urlopen(address, timeout=PATIENCE):
                return True
        except OSError:
            return False

    until(answers)  # the first start compiles
