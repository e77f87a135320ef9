"""Where phones find this server: never "localhost", which is each phone's own name for itself."""

from __future__ import annotations

import io
import ipaddress
import socket

import psutil
import segno

OWN_NAMES = frozenset({"localhost", "0.0.0.0", "::", "[::]"})


def public_host(host: str) -> str:
    """Return the host by which others reach a server that was asked for as `host`, its port included."""
    name, port = _split(host)
    if not _is_own(name):
        return host
    found = next(iter(network_addresses()), None) or "127.0.0.1"
    return f"{found}:{port}" if port else found


def reaches_others(host: str) -> bool:
    """Return whether anybody but this machine can reach it."""
    return not _is_own(_split(host)[0])


def network_addresses() -> list[str]:
    """Return the addresses of this machine in its networks, the one that is on the way out first."""
    states = psutil.net_if_stats()
    found = [
        address.address
        for name, addresses in psutil.net_if_addrs().items()
        if name in states and states[name].isup
        for address in addresses
        if address.family == socket.AF_INET and not ipaddress.ip_address(address.address).is_loopback
    ]
    first = _way_out()
    return sorted(found, key=lambda address: (address != first, _virtual(address)))


def qr_code(text: str) -> bytes:
    """As SVG: dark on light, as cameras expect, whatever the page's theme."""
    drawing = io.BytesIO()
    segno.make(text, error="m").save(drawing, kind="svg", xmldecl=False, scale=8, border=3, dark="#000", light="#fff")
    return drawing.getvalue()


def _split(host: str) -> tuple[str, str]:
    name, colon, port = host.rpartition(":")
    return (name, port) if colon and port.isdecimal() and not name.endswith(":") else (host, "")


def _is_own(name: str) -> bool:
    bare = name.strip("[]")
    if name.lower() in OWN_NAMES or bare.lower().endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(bare).is_loopback
    except ValueError:
        return False


def _way_out() -> str | None:
    """Return the address that packets to elsewhere would bear; none is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        return str(probe.getsockname()[0])


def _virtual(address: str) -> bool:
    """Addresses of networks inside the machine, of containers say, come last."""
    return address.startswith(("172.17.", "169.254."))
