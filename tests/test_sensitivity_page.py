"""The sensitivity page, its background job, and the message and file of the scrubber."""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Iterator

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mdcore import Experiment
from mdcore.experiment.query import parse_query
from mdcore.margins.distribution import STATISTICS
from mdcore.serving.bundle import stylesheet
from mdcore.serving.jobs.job import SHUTDOWN_MESSAGE
from mdcore.serving.stage.message import decode
from mdcore.serving.stage.packed_field import GRID
from mdcore.serving.stage.picture import shared_plane
from mdcore.serving.stage.scrubber_export import scrubber_html
from mdcore.serving.stage.scrubber_scene import pack_path
from mdcore.solvers.budget import raise_if_stopped
from mdcore.sweep import Axis, Sweep, walk
from mdcore.ui.pages.sensitivity.address import JOB
from mdcore.ui.pages.sensitivity.choice import AxisView, View, query_of, read_view
from mdcore.ui.shared.words import plain
from tests.apptest import captions, page_of, press, unexplained

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

QUERY = (
    "data=moons&n=60&noise=0.3&seed=1&gamma=1&methods=svm,ldm&ldm.lambda1=4"
    "&view.x=ldm.lambda1&view.xlow=0&view.xhigh=16&view.xn=5&view.repeats=2"
)


def open_page(query: str) -> AppTest:
    page = page_of("sensitivity")
    page.query_params.update(dict(pair.split("=", 1) for pair in query.split("&")))
    return settle(page.run())


def settle(page: AppTest) -> AppTest:
    """Wait for the job, and return the page run again."""
    assert not page.exception
    if JOB in page.session_state:
        page.session_state[JOB].wait()
    return page.run()


def charts(page: AppTest) -> list[dict]:  # type: ignore[type-arg]
    return [json.loads(element.proto.spec) for element in page.get("plotly_chart")]


def numbers(spec: object) -> list[float]:
    """Return the numbers of a trace; Plotly writes arrays as base64."""
    if isinstance(spec, dict):
        return np.frombuffer(base64.b64decode(spec["bdata"]), spec["dtype"]).tolist()
    assert isinstance(spec, list)
    return spec


def test_the_page_draws_the_sweep_of_its_address() -> None:
    page = open_page(QUERY)
    (chart,) = charts(page)
    lines = [trace for trace in chart["data"] if trace["mode"] == "lines+markers"]
    experiment = Experiment.from_query(QUERY)
    expected = [
        np.median(
            [
                Experiment.from_query(QUERY.replace("seed=1", f"seed={seed}"))
                .with_param("ldm", "lambda1", value)
                .run_method("ldm")
                .test.accuracy
                for seed in (1, 2)
            ]
        )
        for value in (0.0, 2**-8, 2**-4, 1.0, 16.0)
    ]
    assert numbers(lines[1]["y"]) == pytest.approx(expected)
    assert Experiment.from_query(f"data={experiment.data.source}&" + joined(page)) == experiment


def joined(page: AppTest) -> str:
    given = page.query_params
    return "&".join(
        f"{key}={value[0] if isinstance(value, list) else value}" for key, value in given.items() if key != "data"
    )


def test_the_opening_needs_no_address() -> None:
    page = page_of("sensitivity").run()
    assert not page.exception
    assert not page.error
    sweep = page.session_state[JOB].subject
    assert sweep.experiment == Experiment.from_query("")
    assert sweep.axes[0].key == "ldm.lambda1"
    page.session_state[JOB].cancel()


def picture(name: str) -> AppTest:
    page = open_page(f"{QUERY}&view.show={name}")
    assert not page.exception
    assert not page.error
    assert not unexplained(page)
    return page


def test_the_terms_of_the_objective_add_up_to_it() -> None:
    (chart,) = charts(picture("terms"))
    lines = {trace["name"]: np.array(numbers(trace["y"])) for trace in chart["data"]}
    whole = lines.pop("objective")
    assert len(whole) == 5
    assert len(lines) == 4
    np.testing.assert_allclose(sum(lines.values()), whole, rtol=1e-9)


def test_the_table_has_a_row_for_every_fit_and_the_ranking_one_for_every_value() -> None:
    (table,) = picture("table").dataframe
    assert len(table.value) == 5 * 2 * 2  # values, methods, repeats
    (ranking,) = picture("ranking").dataframe
    assert len(ranking.value) == 5


def test_who_changes_side_is_drawn_or_it_is_said_that_nobody_does() -> None:
    page = picture("sides")
    moved = page.session_state[JOB].items
    assert charts(page) or [info for info in page.info if "side" in info.value]
    assert len(moved) == 20


def test_a_path_cancelled_on_its_way_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def first_alone(sweep: Sweep) -> Iterator[object]:
        yield next(walk(sweep))
        while True:
            raise_if_stopped()

    with monkeypatch.context() as patched:
        patched.setattr("mdcore.ui.stage.scrubber.walk", first_alone)
        page = open_page(f"{QUERY}&view.show=path")
        job = page.session_state["scrubber job"]
        while not job.items:
            pass
        job.cancel()
        job.wait()
        page.run()
    assert not page.exception
    assert [warning.value for warning in page.warning] == ["Cancelled after 1 of 10 fits."]
    press(page, "Start again")
    page.session_state["scrubber job"].wait()
    page.run()
    assert not page.exception
    assert not page.warning
    assert page.get("download_button")


def test_a_sweep_that_the_server_ended_tells_its_reason_alone() -> None:
    page = open_page(QUERY)
    task = page.session_state[JOB]._task
    task.progress.made, task.problem = 3, SHUTDOWN_MESSAGE
    task.cancelled.set()
    page.run()
    assert [error.value for error in page.error] == [plain(SHUTDOWN_MESSAGE)]
    assert not page.warning, "it was not cancelled by its visitor"


def test_the_path_is_computed_ahead_and_packed() -> None:
    page = picture("path")
    page.session_state["scrubber job"].wait()
    page.run()
    _, message = page.session_state["scrubber message"]
    assert len(decode(message)[0]["frames"]) == 5


def test_two_parameters_make_a_heatmap() -> None:
    page = open_page(QUERY + "&view.y=ldm.C&view.yn=3")
    (chart,) = charts(page)
    assert [trace["type"] for trace in chart["data"]] == ["heatmap", "scatter"]
    assert len(chart["data"][1]["customdata"]) == 15


def test_of_a_large_sweep_a_first_look_is_computed_until_all_is_asked_for() -> None:
    page = open_page(QUERY.replace("repeats=2", "repeats=5") + "&view.y=ldm.C&view.yn=41")
    assert page.session_state[JOB].subject.size == 5 * 9 * 2
    told = r"A first look: 5 × 9 of 5 × 41 points, 1 of 5 repeats\. All of them take 2,050 fits, about \d+ s\."
    assert re.search(told, captions(page))
    press(page, "Compute all points")
    whole = page.session_state[JOB]
    assert len(numbers(charts(page)[0]["data"][0]["z"])) == 5 * 9, "the first look is still seen"
    whole.cancel()
    assert whole.subject.size == 2050
    assert "A first look" not in captions(page)


def test_another_statistic_computes_nothing_anew() -> None:
    page = open_page(QUERY)
    job = page.session_state[JOB]
    page.selectbox(key="sensitivity statistic").set_value("train.min").run()
    assert page.session_state[JOB] is job
    assert charts(page)[0]["layout"]["title"]["text"].endswith("training minimum<br>margin?")


def test_a_changed_parameter_begins_another_sweep_and_ends_the_one_before() -> None:
    page = open_page(QUERY)
    before = page.session_state[JOB]
    page.text_input(key="sensitivity svm C").set_value("3").run()
    after = page.session_state[JOB]
    assert after is not before
    assert before.cancelled
    assert after.subject.experiment.settings("svm")["C"] == 3.0
    after.wait()


@pytest.mark.parametrize(
    ("key", "text", "words"),
    [
        ("sensitivity svm C", "-1", "C must be a number in (0, ∞]"),
        ("sensitivity ldm.lambda1 x low", "wide", "lambda1 must be a number in [0, ∞)"),
        ("sensitivity ldm.lambda1 x low", "32", "from a number to a larger one"),
        ("sensitivity gamma", "0", "gamma must be a number in (0, ∞)"),
        ("sensitivity moons n", "3", "n must be an integer in [4, 20000]"),
    ],
)
def test_what_cannot_be_read_is_said_with_the_legal_range(key: str, text: str, words: str) -> None:
    page = open_page(QUERY)
    page.text_input(key=key).set_value(text).run()
    assert not page.exception
    assert words in page.error[0].value


@pytest.mark.parametrize(
    "query",
    [
        "data=nowhere",
        "data=moons&view.t=high",
        "data=moons&view.t=inf",
        "data=moons&svm.C=0",
        "methods=svm&view.x=ldm.lambda1",
        "methods=svm&view.method=ldm",
        "view.y=seed",
        "view.xn=1",
        "view.repeats=1e3",
        "view.stat=mean",
        "view.show=film",
    ],
)
def test_an_address_that_cannot_be_read_shows_the_opening_and_says_why(query: str) -> None:
    page = open_page(query)
    assert page.error[0].value.startswith("The address cannot be read")
    assert len(charts(page)) == 1
    page.session_state[JOB].cancel()


@pytest.mark.parametrize(
    "view",
    [
        View(AxisView("ldm.lambda1"), method="ldm"),
        View(AxisView("ldm.C", 0.5, math.inf, 7), AxisView("n", 40, 60), 3, "test.cost", cost=2.5, picture="table"),
        View(AxisView("gamma", 1 / 3, 4.0), repeats=1, statistic="loo_bound", threshold=-0.25, picture="sides"),
    ],
)
def test_an_address_keeps_the_whole_view(view: View) -> None:
    experiment = Experiment.from_query("data=moons&methods=svm,ldm")
    query = query_of(experiment, view)
    assert read_view(parse_query(query), Experiment.from_query(query)) == view


def test_other_data_bring_their_own_scaling_and_width_and_keep_the_axis_that_they_have() -> None:
    page = open_page(QUERY.replace("ldm.lambda1&view.xlow=0&view.xhigh=16", "n&view.xlow=40&view.xhigh=60"))
    page.session_state[JOB].cancel()
    page.selectbox(key="sensitivity source").set_value("wine").run()
    assert not page.exception
    experiment = page.session_state[JOB].subject.experiment
    assert (experiment.data.source, experiment.data.scaling, experiment.kernel.gamma) == ("wine", "standard", "scale")
    assert "scaling none → standard" in captions(page).replace("\\", "")
    assert page.session_state[JOB].subject.axes[0].key == "ldm.lambda1"
    page.session_state[JOB].cancel()


def test_what_cannot_be_shown_says_why() -> None:
    page = open_page(f"{QUERY}&test=0")
    assert "No examples are kept for testing" in page.info[0].value
    page = open_page(QUERY.replace("svm,ldm", "ldm") + "&view.show=ranking")
    assert "A ranking needs at least two methods" in page.info[0].value
    page = open_page(
        QUERY.replace("ldm.lambda1&view.xlow=0&view.xhigh=16", "n&view.xlow=40&view.xhigh=60") + "&view.show=sides"
    )
    assert "n changes the sample" in page.info[0].value


def path(
    query: str = "data=moons&n=50&seed=1&gamma=1&methods=svm,ldm", values: tuple[float, ...] = (0.0, 1.0, 64.0)
) -> Sweep:
    return Sweep(Experiment.from_query(query), (Axis("ldm.lambda1", values),))


def test_every_frame_of_the_path_is_a_single_run() -> None:
    sweep = path()
    header, arrays = decode(pack_path(sweep, walk(sweep)))
    assert [frame["drawn"] for frame in header["frames"]] == [{"ldm.lambda1": value} for value in (0.0, 1.0, 64.0)]
    for at, frame in enumerate(header["frames"]):
        experiment = sweep.experiment_at((at,))
        assert Experiment.from_query(frame["query"]) == experiment
        for panel in frame["panels"]:
            run = experiment.run_method(panel["key"])
            for name in STATISTICS:
                assert panel["stats"]["test"][name] == pytest.approx(getattr(run.test, name), rel=1e-8, abs=1e-12)
            names = frame["arrays"]
            margins = arrays[names[f"margin:{panel['key']}"]]
            np.testing.assert_allclose(
                margins, np.concatenate([run.train.values, run.test.values]), rtol=1e-6, atol=1e-7
            )
            plane = shared_plane(experiment)
            assert plane is not None
            scale = panel["fieldScale"]
            field = np.clip(run.field(*plane.window.grid(GRID)), -32000 / scale, 32000 / scale)
            packed = arrays[names[f"field:{panel['key']}"]].reshape(GRID, GRID) / scale
            np.testing.assert_allclose(packed, field, atol=1.01 / scale)
    edges = header["common"]["histogram"]["edges"]
    runs = [sweep.experiment_at((at,)).run_method("ldm") for at in range(3)]
    assert edges[0] <= min(run.train.min for run in runs)


def test_what_does_not_change_is_packed_once() -> None:
    sweep = path()
    header, _ = decode(pack_path(sweep, walk(sweep)))
    fields = [frame["arrays"]["field:svm"] for frame in header["frames"]]
    assert len(set(fields)) == 1
    assert len({frame["arrays"]["field:ldm"] for frame in header["frames"]}) == 3
    assert "plane" in header["common"]


def test_a_method_that_cannot_be_fitted_keeps_its_panel() -> None:
    sweep = path("data=moons&n=50&seed=1&kernel=linear&methods=svm,ldm&svm.C=inf")
    header, _ = decode(pack_path(sweep, walk(sweep)))
    assert [panel["status"] for panel in header["frames"][0]["panels"]] == ["failed", "ok"]


def test_a_path_has_one_parameter() -> None:
    experiment = Experiment.from_query("data=moons&n=50&methods=ldm")
    sweep = Sweep(experiment, (Axis("ldm.lambda1", (0.0, 1.0)), Axis("ldm.C", (1.0, 2.0))))
    with pytest.raises(ValueError, match="one parameter"):
        pack_path(sweep, walk(sweep))


def test_the_file_needs_nothing_from_outside() -> None:
    sweep = path()
    page = scrubber_html(pack_path(sweep, walk(sweep)), "SVM & LDM")
    assert "<title>SVM &amp; LDM</title>" in page
    assert not re.search(r'(src|href)="|url\(|@import|https?://(?!www\.w3\.org)', page)
    assert not re.search(r"^(import|export)\b", page, re.MULTILINE), "a module is left outside"
    assert ".ml-drawing" in stylesheet("stage.css")
