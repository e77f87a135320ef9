"""Answers that are sent at once, instead of waiting until the browser has acknowledged their headers.

Seen in Streamlit 1.67 on Python 3.11: asyncio switches Nagle's algorithm off for sockets that name TCP as their
protocol, and the server's names none. Headers and body are written one after the other, so the body of a picture waited
for the acknowledgment of its headers, which a system may delay by 40 ms.
"""

from __future__ import annotations

import asyncio
import socket


def send_at_once() -> None:
    """Let asyncio switch Nagle's algorithm off for every TCP connection from now on."""

    def set_nodelay(sock: socket.socket) -> None:
        if sock.family in (socket.AF_INET, socket.AF_INET6) and sock.type == socket.SOCK_STREAM:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    asyncio.base_events._set_nodelay = set_nodelay  # type: ignore[attr-defined]  # private
