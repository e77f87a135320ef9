"""What a message to the browser says beside its arrays: the one declaration, of which `make lint` makes the types that
the JavaScript is checked against.

None is null in the browser, and a key that is not required may be missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NotRequired, TypedDict

Value = str | float | None


Span = TypedDict("Span", {"low": float, "high": float})


class Axis(Span):
    label: str


class Stats(TypedDict):
    mean: float | None
    variance: float | None
    semivariance: float | None
    min: float | None
    accuracy: float | None


SplitStats = TypedDict("SplitStats", {"train": Stats, "test": Stats})


class Mark(Span):
    """A parameter, drawn where it acts."""

    label: str
    stated: float | None  # the place that the label states
    strength: float | None


class Badge(TypedDict):
    """Facts from the solver, and the counts of an online learner."""

    converged: bool
    gap: float | None
    iterations: int
    seconds: float
    support: int
    supportLabel: str
    objective: float | None
    fit: str  # whether the kernel is exact and why, with estimated seconds; empty for few rows
    landmarks: NotRequired[int]  # whose span replaces the feature space
    exactGap: NotRequired[float | None]  # to the exact kernel problem; None: no bound; missing: not asked for
    exactSure: NotRequired[float]  # the probability with which the bound holds
    updates: NotRequired[int]
    mistakes: NotRequired[int]


NamedValue = TypedDict("NamedValue", {"name": str, "value": float})


class Term(NamedValue):
    """A summand of the objective, and the parameters that act in it."""

    params: list[str]


PanelWindow = TypedDict("PanelWindow", {"x": Axis, "y": Axis})


class PanelHead(TypedDict):
    key: str
    name: str
    color: str
    content: str  # a name for its arrays, equal if they are
    message: str
    marks: list[Mark]
    stats: SplitStats
    terms: list[Term]  # empty if the objective is not a sum


class DrawnPanel(PanelHead):
    status: Literal["ok", "underway", "unconverged", "overbudget"]
    badge: Badge
    ruler: str  # the unit of the margins, equal for margins that can be compared
    window: PanelWindow | None  # of signed distances; None if all share the window of the plane
    note: str
    levels: list[float]
    fieldScale: float
    grid: int
    regions: bool
    votes: bool


class FailedPanel(PanelHead):
    """A method without a picture: the message says why."""

    status: Literal["failed"]


Panel = DrawnPanel | FailedPanel


class PinnedPanel(TypedDict):
    key: str
    name: str
    color: str
    ruler: str
    stats: SplitStats
    grid: int
    fieldScale: float


Pin = TypedDict("Pin", {"slot": str, "label": str, "query": str, "panels": list[PinnedPanel]})
Probe = TypedDict("Probe", {"row": int, "turned": Mapping[str, float]})
# Shift and scale from the picture to unscaled features.
RawScale = TypedDict("RawScale", {"x": list[float], "y": list[float], "note": str})


class SharedPlane(PanelWindow):
    kind: Literal["plane", "components"]
    note: str
    raw: RawScale | None


class DistancePlane(TypedDict):
    """Each panel has a plane of its own."""

    kind: Literal["distance"]
    note: str
    x: None
    y: None
    raw: None


Plane = SharedPlane | DistancePlane


class Learner(TypedDict):
    """The state of one learner, on the online page."""

    key: str
    name: str
    color: str
    step: int
    end: int
    ended: bool
    updates: int
    mistakes: int
    margin: float
    p: float
    limit: float | None
    gap: float | None
    reason: str
    share: float | None
    bounded: bool
    bound: float | None
    proved: float | None
    vacuous: bool


class Clock(TypedDict):
    step: int
    end: int
    previous: int | None
    next: int | None
    examples: int
    row: int | None


class StreamMarks(TypedDict):
    """The marks of a learner's latest update in its panel, in coordinates of the plane."""

    row: int | None
    now: bool
    pair: list[list[float]] | None
    old: list[float] | None


class Weights(TypedDict):
    key: str
    name: str
    color: str
    of: Literal["features", "examples"]
    norm: float
    b: float
    zero: int


class Relaxed(TypedDict):
    z: list[float]
    old: list[float] | None
    theta: list[float] | None
    least: float | None
    kept: bool


class Balls(TypedDict):
    key: str
    name: str
    color: str
    p: float
    q: float
    w: list[float] | None
    relaxed: Relaxed | None


class OnlineScene(TypedDict, total=False):
    clock: Clock | None
    race: list[Learner]
    stream: Mapping[str, StreamMarks]
    weights: list[Weights]
    relevant: int | None
    balls: Balls | None
    sentence: str


class Reached(SplitStats):
    votes: bool


ClassNumber = TypedDict("ClassNumber", {"classes": int, "methods": Mapping[str, Reached]})
Growth = TypedDict("Growth", {"edges": list[float], "now": int | None, "numbers": list[ClassNumber], "waits": bool})


BoundTerms = TypedDict("BoundTerms", {"loss": float, "confidence": float, "complexity": float})


class Bound(TypedDict):
    """Theorem 1 of the mcODM paper."""

    terms: BoundTerms
    value: float
    vacuous: bool
    norm: float
    radius: float
    classes: int
    examples: int


OuterSteps = TypedDict("OuterSteps", {"path": list[float], "gap": float, "converged": bool})
ClassStats = TypedDict("ClassStats", {"train": list[Stats], "test": list[Stats]})


class MulticlassScene(TypedDict, total=False):
    byClass: Mapping[str, ClassStats]
    outer: OuterSteps | None
    bound: Bound | None
    growth: Growth
    unfinished: bool


ToldBound = TypedDict("ToldBound", {"key": str, "name": str, "theorem": str, "value": float | None, "vacuous": bool})


class LectureScene(TypedDict, total=False):
    bounds: list[ToldBound]


SplitSizes = TypedDict("SplitSizes", {"train": int, "test": int})
# Training rows of the picture; a preview if `of` is larger.
RowCount = TypedDict("RowCount", {"shown": int, "of": int})
# Of the margin axis, which is that of the previous picture, perhaps extended, if it is `held`.
Bins = TypedDict("Bins", {"edges": list[float], "held": bool})
MajorityClass = TypedDict("MajorityClass", {"label": str, "train": float | None, "test": float | None})


class Runs(TypedDict):
    """The runs as they are drawn."""

    content: str  # a name for the arrays of all examples, equal if they are
    methods: list[str]
    classes: list[str]
    edits: str  # made by hand; "" if there are none
    canEdit: bool
    plane: Plane
    split: SplitSizes
    rows: RowCount
    histogram: Bins
    majority: MajorityClass
    panels: list[Panel]


class Picture(Runs):
    """What the views draw; frames of a scrubber have no more."""

    query: str
    values: Mapping[str, Value]
    drawn: Mapping[str, Value]
    pins: list[Pin]
    probe: Probe | None


class StageScene(Picture):
    page: str
    source: str
    sentence: str
    charts: list[str]
    offered: list[str]
    chips: int
    lead: list[str]
    several: bool
    opening: str
    settings: str
    kept: list[str]  # the arrays that are not sent again, as those of the last picture are equal
    last: object  # what the next picture takes over, to be sent with its request


Problem = TypedDict("Problem", {"message": str, "key": str | None})
MadeFile = TypedDict("MadeFile", {"name": str, "kind": str, "text": str})


class Slider(TypedDict):
    low: float
    high: float
    log: bool
    zero: bool
    step: float | None
    integer: bool


class Domain(TypedDict):
    """Legal numbers; an end that is None is infinite, and may be included."""

    legalLow: float | None
    legalHigh: float | None
    openLow: bool
    openHigh: bool
    integer: bool


# A setting as it is drawn.
Control = TypedDict("Control", {"name": str, "symbol": str, "default": Value, "help": str, "group": str})


class Choice(Control):
    kind: Literal["choice"]
    options: list[str | float]


class NumberControl(Control, Slider, Domain):
    kind: Literal["number"]
    legal: str
    grid: list[float]
    words: list[str]


AnyControl = Choice | NumberControl


class Source(TypedDict):
    key: str
    title: str
    summary: str
    planar: bool
    options: list[AnyControl]
    defaults: Mapping[str, str | float]
    opens: str  # a state to open with, or ""
    own: NotRequired[bool]


class Method(TypedDict):
    key: str
    name: str
    color: str
    summary: str
    limits: str
    params: list[AnyControl]


ClassMark = TypedDict("ClassMark", {"shape": str, "light": str, "dark": str})
Example = TypedDict("Example", {"title": str, "query": str, "words": str})


class RawCatalog(TypedDict):
    sources: list[Source]
    methods: list[Method]
    common: list[AnyControl]
    classMarks: list[ClassMark]
    examples: list[Example]
    local: list[str]


class Heading(TypedDict):
    """What every message says, refusals included."""

    id: int
    heard: bool  # whether the session of the page knows of this request
    error: Problem | None
    catalogHash: str
    catalog: NotRequired[RawCatalog]
    table: NotRequired[object]
    file: NotRequired[MadeFile]
