"""Any legal query to a page with a stage is drawn, or the answer explains why not."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mdcore.data import SOURCES
from mdcore.methods import METHODS
from mdcore.serving.stage.message import decode
from mdcore.serving.stage.scene import Request, answer
from mdcore.serving.stage.stage_page import PLAYGROUND, StagePage
from mdcore.serving.stage_pages.multiclass import MULTICLASS
from mdcore.serving.stage_pages.online import ONLINE
from mdcore.spec import Choice, Setting

SMALL = {"n": ["20", "60"], "each": ["8"], "keep": None}
COMMON = {
    "seed": ["0", "1"],
    "kernel": ["linear", "rbf", "poly", "laplacian"],
    "gamma": ["1", "scale", "distance", "0.01", "100"],
    "test": ["0", "0.3", "0.7"],
    "scaling": ["none", "unit", "standard"],
    "bias": ["0", "1"],
    "scale": ["functional", "geometric"],
    "several": ["own", "one-versus-rest"],
    "step": ["0", "1", "7", "500"],
    "edits": ["d_1", "m_2_0.5_0.1"],
}


def values(setting: Setting) -> list[str]:
    if isinstance(setting, Choice):
        return list(setting.options)
    ends = [setting.slider.low, setting.slider.high, setting.default, *setting.grid]
    return [str(int(value) if setting.integer else value) for value in ends if value in setting.legal]


@st.composite
def queries(draw: st.DrawFn) -> str:
    source = draw(st.sampled_from([key for key in SOURCES if key != "digits"]))
    methods = draw(st.lists(st.sampled_from(list(METHODS)), min_size=1, max_size=4, unique=True))
    pairs = {"data": source, "methods": ",".join(methods)}
    for option in SOURCES[source].options:
        if option.name in SMALL:
            pairs[option.name] = draw(st.sampled_from(SMALL[option.name] or values(option)))
    for key in draw(st.sets(st.sampled_from(list(COMMON)), max_size=6)):
        pairs[key] = draw(st.sampled_from(COMMON[key]))
    for method in methods:
        for param in METHODS[method].params:
            if draw(st.booleans()):
                pairs[f"{method}.{param.name}"] = draw(st.sampled_from(values(param)))
    return "&".join(f"{key}={value}" for key, value in pairs.items())


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("opening", [PLAYGROUND, MULTICLASS, ONLINE], ids=lambda opening: opening.key)
def test_it_is_drawn_or_the_answer_says_why_and_most_are_drawn(opening: StagePage) -> None:
    found: list[str] = []

    @settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
    @given(query=queries())
    def answered(query: str) -> None:
        header, arrays = decode(answer(Request(query, 1), None, opening)[0])
        if header["error"] is not None:
            found.append("refused")
            assert header["error"]["key"] in ("edits", "test"), header["error"]["message"]
            return
        for panel in header["panels"]:
            found.append(panel["status"])
            assert panel["status"] in ("ok", "unconverged", "overbudget", "underway", "failed")
            assert (panel["status"] == "failed") == (f"margin:{panel['key']}" not in arrays)
            assert panel["status"] != "failed" or panel["message"]

    answered()
    drawn = len(found) - found.count("refused") - found.count("failed")
    assert drawn > len(found) / 2, found
    assert found.count("ok") > len(found) / 4, found


@pytest.mark.parametrize(
    ("opening", "query"),
    [
        (PLAYGROUND, "data=moons&n=20&methods=ldm,odm&ldm.lambda1=1e100&odm.lam=1e100"),
        (PLAYGROUND, "data=moons&n=20&methods=svm,ldm,mcsvm&svm.C=1e-100&ldm.C=1e-100&mcsvm.C=1e-100"),
        (ONLINE, "data=blobs&n=20&methods=pumma&pumma.delta=1e-100"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::sklearn.exceptions.ConvergenceWarning")
def test_parameters_at_the_ends_of_the_numbers(opening: StagePage, query: str) -> None:
    header, _ = decode(answer(Request(query, 1), None, opening)[0])
    assert header["error"] is None
    assert "failed" not in [panel["status"] for panel in header["panels"]]
