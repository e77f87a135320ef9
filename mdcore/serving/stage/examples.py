"""Named example states of the playground. Each is a query; tests check the claims in their texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from mdcore.data import OwnSource, Source, all_sources
from mdcore.data.source import KEEP
from mdcore.experiment import Experiment
from mdcore.experiment.query import OPENING, parse_query
from mdcore.methods.one_versus_rest import REST, SEVERAL
from mdcore.spec import Choice

OUTLIER_ROW = 1
NOISY = "data=moons&n=300&noise=0.25&outliers=6&seed=0&kernel=rbf&gamma=1"
CELLS = "data=breast-cancer&seed=0&kernel=linear&methods=ldm&ldm.lambda1=16&ldm.C=100"


@dataclass(frozen=True)
class Example:
    """A state as a query, and a hint on what to look at, appended to the sentence while the state is unchanged."""

    title: str
    query: str
    words: str


def _pin(query: str) -> str:
    return query.replace("%", "%25").replace("&", "%26").replace("=", "%3D")


OUTLIER = (
    "data=one-outlier&n=200&outliers=0&seed=0&kernel=linear&methods=svm,ldm&svm.C=1"
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
        "Margins inside the band 1 ± θ cost nothing; the cost above it is weighted by μ.",
    ),
    Example(
        "Four methods", f"{NOISY}&methods=svm,ldm,odm,msvmav&svm.C=10&ldm.lambda1=256&ldm.lambda2=256&ldm.C=10", ""
    ),
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
        "Lower λ₂ to 64, and SVM has the larger mean.",
    ),
    Example(
        "Below the mean",
        f"{NOISY}&methods=svm,msvmav&svm.C=10&msvmav.alpha=1&msvmav.beta=0.015625",
        "MSVM_Av penalises only margins below the mean: the shaded half.",
    ),
    Example(
        "Real data", "data=breast-cancer&seed=0&methods=svm,ldm&svm.C=10&ldm.lambda1=256&ldm.lambda2=256&ldm.C=10", ""
    ),
)

# Opening states of sources that need one: an outlier to drag, and data with several classes, on which most methods are
# fitted one versus the rest.
OPENING_QUERIES = {"one-outlier": EXAMPLES[0].query} | {
    key: f"data={key}&several={REST}" for key in ("blobs-k", "sectors")
}


def opening_query(source: Source) -> str:
    """Return the query with which a source opens when chosen from the menu; "" for the defaults."""
    if isinstance(source, OwnSource) and source.classes > 2:
        return f"data={source.key}&several={REST}"
    return OPENING_QUERIES.get(source.key, "")


def with_opening(given: Mapping[str, str], *, several: bool) -> Mapping[str, str]:
    """Return the keys of an address, or those of the source's opening query if it names nothing but such a source.

    If the page is not made for `several` classes and the address does not select classes or methods, data with more
    classes open on the first pair, as in the page's menu: the page's default methods separate two classes.
    """
    if set(given) == {"data"} and given["data"] in OPENING_QUERIES:
        return parse_query(OPENING_QUERIES[given["data"]])
    pair = "" if several or given.keys() & {"methods", SEVERAL.name, KEEP} else _first_pair(given.get("data", ""))
    return {**given, KEEP: pair} if pair else given


def _first_pair(key: str) -> str:
    """Return the option value that keeps the first two classes of a source; "" if it has no such option."""
    source = all_sources().get(key)
    found = (option for option in source.options if isinstance(option, Choice)) if source else ()
    return next((option.options[1] for option in found if option.name == KEEP), "")


def hint_for(experiment: Experiment) -> str:
    """Return the hint of the example that equals this experiment, or ""."""
    return _by_state().get(experiment, "")


@cache
def _by_state() -> dict[Experiment, str]:
    return {Experiment.from_query(example.query): example.words for example in EXAMPLES}
