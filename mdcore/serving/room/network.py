"""The network address at which phones reach this server: not "localhost", which on a phone is the phone itself."""

from __future__ import annotations

import io
import ipaddress
import socket

import psutil
import segno

OWN_NAMES = frozenset({"localhost", "0.0.0.0", "::", "[::]"})


def public_host(host: str) -> str:
    """Return the host, with the port if given, by which others reach a server that was requested as `host`."""
    name, port = _split(host)
    if not _is_own(name):
        return host
    found = next(iter(network_addresses()), None) or "127.0.0.1"
    return f"{found}:{port}" if port else found


def reaches_others(host: str) -> bool:
    """Return whether other machines can reach this host: it is neither a local name nor a loopback address."""
    return not _is_own(_split(host)[0])


def network_addresses() -> list[str]:
    """Return the IPv4 addresses of this machine, the one used for outgoing traffic first and virtual ones last."""
    states = psutil.net_if_stats()
    found = [
        address.address
        for name, addresses in psutil.net_if_addrs().items()
        if name in states and states[name].isup
        for address in addresses
        if address.family == socket.AF_INET and not ipaddress.ip_address(address.address).is_loopback
    ]
    first = _outgoing_address()
    return sorted(found, key=lambda address: (address != first, _virtual(address)))


def qr_code(text: str) -> bytes:
    """Return a QR code as SVG, dark on light in every theme, as cameras expect."""
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


def _outgoing_address() -> str | None:
    """Return the source address of outgoing packets, or None; no packet is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        return str(probe.getsockname()[0])


def _virtual(address: str) -> bool:
    """Return whether an address is link-local or belongs to Docker's default network."""
    return address.startswith(("172.17.", "169.254."))
