"""Named states to begin a lecture from; each is an address, and each claim of their words is held by a test."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from urllib.parse import urlencode

from mdcore.data import OwnSource, Source, all_sources
from mdcore.experiment import Experiment
from mdcore.methods.one_versus_rest import REST, SEVERAL
from mdcore.query import OPENING, parse_query
from mdcore.spec import Choice

OUTLIER_ROW = 1
KEEP = "keep"  # the option that says which classes of a source there are
NOISY = "data=moons&n=300&noise=0.25&outliers=6&seed=0&kernel=rbf&gamma=1"
CELLS = "data=breast-cancer&seed=0&kernel=linear&methods=ldm&ldm.lambda1=16&ldm.C=100"


@dataclass(frozen=True)
class Example:
    """A state by its query, and what to look at there: said after the sentence as long as nothing was moved."""

    title: str
    query: str
    words: str


def _pin(query: str) -> str:
    return query.replace("%", "%25").replace("&", "%26").replace("=", "%3D")


OUTLIER = (
    "data=one-outlier&n=200&outliers=0&seed=0&kernel=linear&methods=svm,ldm&svm.C=100"
    f"&ldm.lambda1=64&ldm.lambda2=64&ldm.C=1&edits=m_{OUTLIER_ROW}_0.5_1.5"
)

EXAMPLES = (
    Example(
        "An outlier",
        f"{OUTLIER}&view.probe={OUTLIER_ROW}",
        "Drag the ringed point.",
    ),
    Example(
        "θ and μ",
        f"{NOISY}&methods=odm&odm.lam=256&odm.mu=0.4&odm.theta=0.4&scale=functional",
        "Margins inside the band 1 ± θ cost nothing; above it they weigh μ.",
    ),
    Example("Four methods", f"{NOISY}&methods=svm,ldm,odm,msvmav&svm.C=10&ldm.lambda1=256&ldm.lambda2=256&ldm.C=1", ""),
    Example(
        "λ₁ shrinks the variance",
        f"{NOISY}&methods=ldm&ldm.lambda1=256&ldm.lambda2=16&ldm.C=1"
        f"&view.pin1={_pin(f'{NOISY}&methods=ldm&ldm.lambda1=0&ldm.lambda2=16&ldm.C=1')}",
        "",
    ),
    Example(
        "λ₂ on two scales",
        f"{CELLS}&ldm.lambda2=256&view.pin1={_pin(f'{CELLS}&ldm.lambda2=16')}",
        "",
    ),
    Example(
        "Opening",
        OPENING,
        "Lower SVM's C to 10 and it is SVM that has the larger mean.",
    ),
    Example(
        "Below the mean",
        f"{NOISY}&methods=svm,msvmav&svm.C=10&msvmav.alpha=1&msvmav.beta=0.015625",
        "MSVM_Av counts only what lies below the mean: the shaded half.",
    ),
    Example(
        "Real data", "data=breast-cancer&seed=0&methods=svm,ldm&svm.C=10&ldm.lambda1=256&ldm.lambda2=256&ldm.C=1", ""
    ),
)

# Sources that open on a state of their own, chosen from the menu: an outlier to drag, and several classes, which most
# methods tell apart one against the rest.
OPENS = {"one-outlier": EXAMPLES[0].query} | {key: f"data={key}&several={REST}" for key in ("blobs-k", "sectors")}


def opens(source: Source) -> str:
    """Return the state that a source opens on when it is chosen from the menu; "" where that is no other than as it
    stands."""
    if isinstance(source, OwnSource) and source.classes > 2:
        return f"data={source.key}&several={REST}"
    return OPENS.get(source.key, "")


def opened(query: str, *, several: bool) -> str:
    """Return the query, or the opening of the source that is all it names.

    A page that is not made for `several` classes opens a set of many on its first pair, as its menu does: the methods
    that it shows unasked tell two classes apart.
    """
    given = parse_query(query)
    if set(given) == {"data"} and given["data"] in OPENS:
        return OPENS[given["data"]]
    pair = "" if several or given.keys() & {"methods", SEVERAL.name, KEEP} else _first_pair(given.get("data", ""))
    return f"{query}&{urlencode({KEEP: pair})}" if pair else query


def _first_pair(key: str) -> str:
    """Return how the first two classes of a source are chosen; "" where it has no such choice."""
    source = all_sources().get(key)
    found = (option for option in source.options if isinstance(option, Choice)) if source else ()
    return next((option.options[1] for option in found if option.name == KEEP), "")


def words_for(experiment: Experiment) -> str:
    """Return what to look at, where an example stands untouched."""
    return _by_state().get(experiment, "")


@cache
def _by_state() -> dict[Experiment, str]:
    return {Experiment.from_query(example.query): example.words for example in EXAMPLES}
