"""The generated sources: their options, and a record for each generator in `toys`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from mdcore.data.dataset import Dataset
from mdcore.data.preparation import ScalingName
from mdcore.data.source import Source
from mdcore.data.sources import toys
from mdcore.data.splitting import SEED
from mdcore.spaces.kernels import KernelName
from mdcore.spec import Choice, Interval, Param, Setting, Slider

N = Param(
    name="n",
    symbol="n",
    default=300,
    legal=Interval(4, 20000),
    slider=Slider(20, 1000, step=10),
    help="Number of examples.",
    integer=True,
)


def _noise(default: float, help: str, high: float = 1.0) -> Param:
    return Param(
        name="noise",
        symbol="σ",
        default=default,
        legal=Interval(0, 10),
        slider=Slider(0, high, step=0.01),
        help=help,
    )


def _outliers(default: int) -> Param:
    return Param(
        name="outliers",
        symbol="outliers",
        default=default,
        legal=Interval(0, 1000),
        slider=Slider(0, 8, step=1),
        help="Number of points of the larger class (−1 if both are equal) deep inside the region of the other class. "
        "They are training examples.",
        integer=True,
    )


def _balance(default: float = 0.5) -> Param:
    return Param(
        name="balance",
        symbol="share of +1",
        default=default,
        legal=Interval(0.01, 0.99),
        slider=Slider(0.05, 0.95, step=0.05),
        help="Share of the examples in class +1, before labels are flipped; no class is empty.",
    )


def _label_noise(default: float = 0.0) -> Param:
    return Param(
        name="label_noise",
        symbol="flipped",
        default=default,
        legal=Interval(0, 0.5),
        slider=Slider(0, 0.5, step=0.01),
        help="Share of the labels that are flipped.",
    )


def _count(name: str, default: int, high: int, help: str, most: int = 200) -> Param:
    return Param(
        name=name,
        symbol=name,
        default=default,
        legal=Interval(1, most),
        slider=Slider(1, high, step=1),
        help=help,
        integer=True,
    )


CLASSES = Param(
    name="classes",
    symbol="classes",
    default=4,
    legal=Interval(2, toys.SECTORS),
    slider=Slider(2, toys.SECTORS, step=1),
    help="Number of classes. Another class does not move the points of the others.",
    integer=True,
)


# Records

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def _generated(
    key: str,
    title: str,
    summary: str,
    options: tuple[Setting, ...],
    generate: Callable[..., tuple[toys.Points, toys.Labels] | tuple[toys.Points, toys.Labels, toys.Rows]],
    scaling: ScalingName = "standard",
    planar: bool = False,
    kernel: KernelName | None = None,
) -> Source:
    def make(**chosen: Any) -> Dataset:
        drawn = generate(**chosen)
        X, y, outliers = (*drawn, ()) if len(drawn) == 2 else drawn
        features = tuple(f"x{str(column + 1).translate(SUBSCRIPTS)}" for column in range(X.shape[1]))
        return Dataset(
            name=key, X=X, y=y, features=features, title=title, note=summary, for_training=tuple(map(int, outliers))
        )

    return Source(key, title, summary, options, make, scaling, planar, kernel=kernel)


def _planar(
    key: str,
    title: str,
    summary: str,
    shape: Callable[..., toys.Shape],
    *,
    noise: Param,
    own: tuple[Setting, ...] = (),
    outliers: int = 0,
    balance: float = 0.5,
    label_noise: float = 0.0,
    kernel: KernelName | None = None,
) -> Source:
    options = (N, noise, *own, _outliers(outliers), _balance(balance), _label_noise(label_noise), SEED)
    return _generated(key, title, summary, options, partial(toys.planar, shape), "none", planar=True, kernel=kernel)


def _several(
    key: str, title: str, summary: str, shape: Callable[..., tuple[toys.Points, toys.Points]], noise: Param
) -> Source:
    each = _count("each", 60, 200, "Examples of each class.", most=2000)
    options = (each, CLASSES, noise, _label_noise(), SEED)
    return _generated(key, title, summary, options, partial(toys.several, shape), scaling="none", planar=True)


_DEVIATION = "Standard deviation of the normal noise added to every point; the "
GENERATED = (
    _planar(
        "moons",
        "Two moons",
        "Two interleaving half circles with normal noise.",
        toys.moons,
        noise=_noise(0.3, _DEVIATION + "half circles have radius 1."),
    ),
    _planar(
        "circles",
        "Circles",
        "A circle inside a circle, with normal noise.",
        toys.circles,
        noise=_noise(0.12, _DEVIATION + "circles have radius 1 and 0.5."),
    ),
    _planar(
        "blobs",
        "Blobs",
        "Two normal clouds: the best boundary is a line.",
        toys.blobs,
        noise=_noise(0.6, "Standard deviation of each cloud; the centres are 2.24 apart.", high=2.0),
    ),
    _planar(
        "xor",
        "XOR",
        "Four squares, labelled by the sign of x₁x₂: no line separates the classes.",
        toys.xor,
        noise=_noise(0.15, _DEVIATION + "squares reach from 0.1 to 1."),
    ),
    _planar(
        "spirals",
        "Spirals",
        "Two arms of one and a half turns, with normal noise.",
        toys.spirals,
        noise=_noise(0.1, _DEVIATION + "arms are 0.6 apart.", high=0.5),
    ),
    _planar(
        "imbalanced",
        "Imbalanced",
        "Two normal clouds, one of them rare.",
        toys.blobs,
        noise=_noise(0.6, "Standard deviation of each cloud; the centres are 2.24 apart.", high=2.0),
        balance=0.1,
    ),
    _planar(
        "one-outlier",
        "One outlier",
        "Two separable discs and one point far on the wrong side: how much does a single point move the boundary?",
        toys.separable_discs,
        noise=_noise(1.0, "Radius of the discs; the centres are 3 apart, so they are separable below 1.5.", high=1.4),
        own=(
            Param(
                name="distance",
                symbol="distance",
                default=3.0,
                legal=Interval(0, 100),
                slider=Slider(0, 6, step=0.1),
                help="How far the outlier lies on the wrong side of the line midway between the discs.",
            ),
        ),
        kernel="linear",
        outliers=1,
    ),
    _planar(
        "label-noise",
        "Label noise",
        "Two normal clouds with a share of the labels flipped.",
        toys.blobs,
        noise=_noise(0.5, "Standard deviation of each cloud; the centres are 2.24 apart.", high=2.0),
        label_noise=0.1,
    ),
    _several(
        "blobs-k",
        "Several blobs",
        "A normal cloud for each of two to eight classes.",
        toys.clouds,
        noise=_noise(0.6, "Standard deviation of each cloud; neighbouring centres are about 2 apart.", high=2.0),
    ),
    _several(
        "sectors",
        "Sectors",
        "Two to eight slices of a ring, with normal noise: neighbouring classes overlap, and the centre is empty.",
        toys.sectors,
        noise=_noise(0.15, _DEVIATION + "ring reaches from radius 0.5 to 2."),
    ),
    _generated(
        "threshold",
        "r-of-k threshold",
        "The PUMMA paper's generator: vectors of -1 and +1, labelled +1 iff at least r of the first k entries are +1.",
        (
            N,
            _count("features", 100, 200, "Number of variables, at least k."),
            _count("k", 16, 50, "Number of relevant variables, the first k; at least r."),
            _count("r", 4, 50, "Number of relevant variables that must be +1 for the label +1."),
            _balance(),
            _label_noise(),
            SEED,
        ),
        toys.threshold,
        kernel="linear",
    ),
    _generated(
        "twonorm",
        "Twonorm",
        "Breiman's twonorm: two unit normals in 20 dimensions; the Bayes error is 2.3 %.",
        (N, _balance(), _label_noise(), SEED),
        toys.twonorm,
    ),
    _generated(
        "ringnorm",
        "Ringnorm",
        "Breiman's ringnorm: in 20 dimensions, a unit normal inside one of covariance 4I; the Bayes error is 1.2 %.",
        (N, _balance(), _label_noise(), SEED),
        toys.ringnorm,
    ),
    _generated(
        "waveform",
        "Waveform",
        "Breiman's waveform: 21 noisy samples of a random mixture of two triangle waves, a pair for each class.",
        (
            N,
            Choice(
                name="classes",
                symbol="classes",
                default=toys.ONE_WAVE_VERSUS_REST,
                options=(toys.ONE_WAVE_VERSUS_REST, "all"),
                help="Class 0 (as +1) against the two others, or all three classes.",
            ),
            SEED,
        ),
        toys.waveform,
    ),
)
