"""Several server processes behind nginx on this machine, with the configuration that `deploy/` gives to containers."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.browser.server import ROOT, Server, free_port, serve
from tests.waiting import until

LETTERS = "ABC"


@contextmanager
def fleet(processes: int) -> Iterator[tuple[str, Sequence[Server]]]:
    """Start one process, or as many as deploy/nginx.conf knows behind nginx, and return the address for visitors."""
    if processes not in (1, len(LETTERS)):
        raise ValueError(f"deploy/nginx.conf is for {len(LETTERS)} processes; ask for 1 or {len(LETTERS)}.")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        shared = {"MARGIN_LAB_KEY": str(folder / "key"), "FORWARDED_ALLOW_IPS": "*"}
        servers = [
            stack.enter_context(serve(**shared, MARGIN_LAB_ROOM_LETTER=letter)) for letter in LETTERS[:processes]
        ]
        if processes == 1:
            yield servers[0].address, servers
        else:
            yield stack.enter_context(_nginx(servers, folder)), servers


@contextmanager
def _nginx(servers: Sequence[Server], folder: Path) -> Iterator[str]:
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if program is None:
        raise RuntimeError("several processes need nginx: install the package nginx-light.")
    port = free_port()
    configuration = folder / "nginx.conf"
    configuration.write_text(on_this_machine(servers, port, folder), encoding="utf-8")
    process = subprocess.Popen([program, "-p", str(folder), "-c", str(configuration), "-g", "daemon off;"])
    try:
        until(lambda: (folder / "nginx.pid").exists())
        yield f"http://localhost:{port}"
    finally:
        process.terminate()
        process.wait()


def on_this_machine(servers: Sequence[Server], port: int, folder: Path) -> str:
    """Return deploy/nginx.conf with the addresses of these servers in place of those of the containers."""
    text = (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")
    for number, server in enumerate(servers, start=1):
        text = text.replace(f"server app{number}:8501;", f"server {server.address.removeprefix('http://')};")
    text = re.sub(r"listen \d+;", f"listen 127.0.0.1:{port}; listen [::1]:{port};", text)
    paths = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    kept = "\n".join(f"  {name}_temp_path {folder}/{name};" for name in paths)
    text = re.sub(r"^pid .*;$", f"pid {folder}/nginx.pid;\nerror_log {folder}/error.log;", text, flags=re.MULTILINE)
    return text.replace("http {", f"http {{\n{kept}", 1)
