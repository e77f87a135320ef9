"""Generated tables, as text, with planted problems that a comparison has to report."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def text(columns: dict[str, Sequence[object]]) -> bytes:
    rows = zip(*columns.values(), strict=True)
    lines = [
        ",".join(columns),
        *(",".join(f"{v:.4f}" if isinstance(v, float) else str(v) for v in row) for row in rows),
    ]
    return ("\n".join(lines) + "\n").encode()


def grouped(seed: int, groups: int = 30, size: int = 5, name: str = "patient") -> bytes:
    """Return nearly equal rows for each patient, whose single diagnosis is independent of the columns.

    Without a name, no column says whose rows they are.
    """
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(groups), size)
    centres, ill = rng.normal(size=(groups, 4)), rng.permutation(groups) % 2
    X = centres[who] + 0.05 * rng.normal(size=(len(who), 4))
    made: dict[str, Sequence[object]] = {name: [f"P{w:03}" for w in who]} if name else {}
    return text(
        made | {f"v{j}": X[:, j].tolist() for j in range(4)} | {"diagnosis": [("ok", "ill")[ill[w]] for w in who]}
    )


def ungrouped(seed: int, groups: int = 30, size: int = 5) -> bytes:
    """Return a table with repeated names and numbers, but independent rows."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(groups), size)
    X = rng.normal(size=(len(who), 4))
    made: dict[str, Sequence[object]] = {"colour": [f"P{w:03}" for w in who], "score": rng.permutation(who).tolist()}
    side = X[:, 0] + 0.5 * rng.normal(size=len(who)) > 0
    return text(
        made | {f"v{j}": X[:, j].tolist() for j in range(4)} | {"diagnosis": ["ill" if s else "ok" for s in side]}
    )


def sources(seed: int, sizes: Sequence[int] = (2, 3, 4, 5, 6), n: int = 180) -> bytes:
    """Return nearly equal rows of sources that no column names, each of one class that is independent of the columns.

    The number of rows differs from source to source; a category is that of the source.
    """
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(n), rng.choice(sizes, n))[:n]
    centres, ill, town = rng.normal(size=(n, 5)), rng.integers(0, 2, n), rng.integers(0, 4, n)
    X = centres[who] + 0.05 * rng.normal(size=(n, 5))
    order = rng.permutation(n)
    made: dict[str, Sequence[object]] = {f"v{j}": X[order, j].tolist() for j in range(5)}
    made |= {"town": [f"T{town[w]}" for w in who[order]]}
    return text(made | {"diagnosis": [("ok", "ill")[ill[w]] for w in who[order]]})


def copied(seed: int, rows: int = 120, n: int = 300) -> bytes:
    """Return rows drawn with replacement, with classes independent of the columns."""
    rng = np.random.default_rng(seed)
    X, side, drawn = rng.normal(size=(rows, 4)), rng.integers(0, 2, rows), rng.integers(0, rows, n)
    made: dict[str, Sequence[object]] = {f"v{j}": X[drawn, j].tolist() for j in range(4)}
    return text(made | {"state": ["on" if s else "off" for s in side[drawn]]})


def copied_codes(seed: int, rows: int = 120, n: int = 300) -> bytes:
    """Return rows of few distinct values, drawn with replacement: 120 of 1,024 possible ones, the classes at random."""
    rng = np.random.default_rng(seed)
    X, side, drawn = rng.integers(0, 4, (rows, 5)), rng.integers(0, 2, rows), rng.integers(0, rows, n)
    made: dict[str, Sequence[object]] = {f"c{j}": [f"L{v}" for v in X[drawn, j]] for j in range(5)}
    return text(made | {"state": ["on" if s else "off" for s in side[drawn]]})


def codes(seed: int, levels: int = 4, columns: int = 5, n: int = 300, *, dependent: bool = False) -> bytes:
    """Return independent rows of few distinct values, many of them equal, and a class that depends on two columns."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, levels, (n, columns))
    if dependent:
        hidden = rng.normal(size=(n, 2)) @ rng.normal(size=(2, columns)) + 0.5 * rng.normal(size=(n, columns))
        X = np.digitize(hidden, np.linspace(-1.0, 1.0, levels + 1)[1:-1])
    side = X[:, 0] + X[:, 1] + rng.normal(size=n) > levels - 1
    made: dict[str, Sequence[object]] = {f"c{j}": [f"L{v}" for v in X[:, j]] for j in range(columns)}
    return text(made | {"state": ["on" if s else "off" for s in side]})


def many_levels(seed: int, levels: Sequence[int] = (80, 97), n: int = 400, effect: float = 0.0) -> bytes:
    """Return categories with many levels, whose effect on the class has this deviation, beside four columns of
    numbers."""
    rng = np.random.default_rng(seed)
    X, of = rng.normal(size=(n, 4)), [rng.integers(0, number, n) for number in levels]
    side = 1.2 * X[:, 0] + 0.8 * X[:, 1] + 0.7 * rng.normal(size=n)
    side += sum(effect * rng.normal(size=number)[own] for number, own in zip(levels, of, strict=True))
    made: dict[str, Sequence[object]] = {f"v{j}": X[:, j].tolist() for j in range(4)}
    made |= {f"place{j}": [f"P{v}" for v in own] for j, own in enumerate(of)}
    return text(made | {"state": ["on" if s > 0 else "off" for s in side]})


def sorted_numbers(seed: int, n: int = 200) -> bytes:
    """Return rows in the order of their classes with a number that grows from row to row in uneven steps."""
    rng = np.random.default_rng(seed)
    side = np.sort(rng.integers(0, 2, n))
    X = rng.normal(size=(n, 3)) + 0.7 * side[:, None]
    made: dict[str, Sequence[object]] = {"file": (4000 + np.cumsum(rng.integers(1, 9, n))).tolist()}
    made |= {f"v{j}": X[:, j].tolist() for j in range(3)}
    return text(made | {"state": ["on" if s else "off" for s in side]})


def steady(seed: int, n: int = 400) -> bytes:
    """Return a table with a date in which nothing drifts."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    side = X[:, 0] - 0.5 * X[:, 1] + 0.7 * rng.normal(size=n) > 0
    made: dict[str, Sequence[object]] = {"day": [str(np.datetime64("2020-01-01") + j) for j in range(n)]}
    return text(made | {f"v{j}": X[:, j].tolist() for j in range(3)} | {"state": ["up" if s else "down" for s in side]})


def drifting(seed: int, n: int = 400, name: str = "day", times: Sequence[object] = ()) -> bytes:
    """Return a table in which the direction that separates the classes rotates with time."""
    rng = np.random.default_rng(seed)
    X, angle = rng.normal(size=(n, 3)), np.linspace(0, np.pi, n)
    side = np.cos(angle) * X[:, 0] + np.sin(angle) * X[:, 1] > 0
    days = [str(np.datetime64("2020-01-01") + j) for j in range(n)]
    made: dict[str, Sequence[object]] = {name: times or days}
    return text(made | {f"v{j}": X[:, j].tolist() for j in range(3)} | {"state": ["up" if s else "down" for s in side]})


def doubled(seed: int, n: int = 200) -> bytes:
    """Return a table with one column in two units, two columns of noise, and classes that depend on the others."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    side = X[:, 0] + 0.7 * X[:, 1] + 0.3 * rng.normal(size=n) > 0
    columns = {"celsius": X[:, 0], "fahrenheit": 32 + 1.8 * X[:, 0], "weight": X[:, 1]}
    columns |= {"noise1": X[:, 2], "noise2": X[:, 3]}
    made: dict[str, Sequence[object]] = {name: values.tolist() for name, values in columns.items()}
    return text(made | {"kind": ["big" if s else "small" for s in side]})


def written_afterwards(seed: int, n: int = 200, *, twice: bool = False) -> bytes:
    """Return a table with one or two columns whose values are known only after the class."""
    rng = np.random.default_rng(seed)
    X, side = rng.normal(size=(n, 3)), rng.integers(0, 2, n)
    X[:, 0] += side
    made: dict[str, Sequence[object]] = {f"v{j}": X[:, j].tolist() for j in range(3)}
    refund, closed = np.where(side == 1, rng.uniform(5, 9, n), 0.0), ["by agent" if s else "open" for s in side]
    made |= {"refund": refund.tolist()} | ({"closed": closed} if twice else {})
    return text(made | {"churn": ["yes" if s else "no" for s in side]})


def easy(seed: int, n: int = 200) -> bytes:
    """Return classes that every single column separates."""
    rng = np.random.default_rng(seed)
    side = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 4)) + 5.0 * side[:, None]
    made: dict[str, Sequence[object]] = {f"v{j}": X[:, j].tolist() for j in range(4)}
    return text(made | {"kind": ["big" if s else "small" for s in side]})


def rare(seed: int, n: int = 400, share: float = 0.15) -> bytes:
    """Return a table with a rare class that the columns predict poorly."""
    rng = np.random.default_rng(seed)
    X, side = rng.normal(size=(n, 3)), (rng.uniform(size=n) < share).astype(int)
    X[:, 0] += 1.5 * side
    made: dict[str, Sequence[object]] = {f"v{j}": X[:, j].tolist() for j in range(3)}
    return text(made | {"part": ["faulty" if s else "ok" for s in side]})
