"""Small odd tables, like those that other programs export."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

ROWS = 60


def features(count: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of numbers, and labels that mostly depend on them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, count))
    return X, (X[:, 0] + 0.3 * rng.normal(size=ROWS) > 0).astype(int)


def text(header: Sequence[str], rows: Sequence[Sequence[object]], delimiter: str = ",") -> str:
    return "\n".join(delimiter.join(map(str, row)) for row in [header, *rows]) + "\n"


def labelled(first: object, second: object) -> bytes:
    X, side = features()
    rows = [(f"{a:.4f}", f"{b:.4f}", (first, second)[s]) for (a, b), s in zip(X, side, strict=True)]
    return text(("width", "height", "kind"), rows).encode()


def semicolons() -> bytes:
    X, side = features()
    rows = [
        (f"{a:.3f}".replace(".", ","), f"{b:.3f}".replace(".", ","), ("süß", "herb")[s])
        for (a, b), s in zip(X, side, strict=True)
    ]
    return text(("Größe", "Länge", "Geschmack"), rows, ";").encode("latin-1")


def utf_16() -> bytes:
    return labelled("chat", "chien").decode().replace(",", "\t").encode("utf-16")


def gaps() -> bytes:
    X, side = features()
    rows = [
        ("" if i % 9 == 0 else f"{a:.3f}", "NA" if i % 7 == 0 else ("red", "green", "blue")[i % 3], ("no", "yes")[s])
        for i, ((a, _), s) in enumerate(zip(X, side, strict=True))
    ]
    return text(("width", "colour", "bought"), rows).encode()


def letters() -> bytes:
    rng = np.random.default_rng(0)
    rows = [
        (f"{rng.normal(i % 6, 0.3):.3f}", f"{rng.normal(i // 6, 0.3):.3f}", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i])
        for i in range(26)
        for _ in range(8)
    ]
    return text(("across", "up", "letter"), rows).encode()


def useless_columns() -> bytes:
    X, side = features()
    rows = [(i + 1, f"{a:.3f}", "same", f"{b:.3f}", "ab"[s]) for i, ((a, b), s) in enumerate(zip(X, side, strict=True))]
    return text(("id", "width", "always", "height", "kind"), rows).encode()


def twice_named() -> bytes:
    return labelled("a", "b").replace(b"width,height", b"width,width")


def formulas() -> bytes:
    return labelled("=SUM(A1:A9)", "@cmd").replace(b"kind", b"=kind")


def ragged() -> bytes:
    lines = labelled("a", "b").splitlines()
    lines[4] += b",7,8"
    return b"\n".join(lines)


def float_target() -> bytes:
    X, _ = features(3)
    return text(("width", "height", "price"), [[f"{v:.4f}" for v in row] for row in X]).encode()
