"""Learners side by side at a step of an experiment, and the scene of the online page."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from mdcore import METHODS, Experiment
from mdcore.experiment.query import BadKey
from mdcore.experiment.race import clock, largest, standings
from mdcore.margins.bounds import update_bound
from mdcore.narrative import race_sentence
from mdcore.serving.stage.message import decode
from mdcore.serving.stage.scene import Request, answer
from mdcore.serving.stage_pages.online import ONLINE
from tests.oracles import NormMarginProblem, link

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

ONLINE_KEYS = [key for key, method in METHODS.items() if method.family == "online"]
BLOBS = "data=blobs&n=60&noise=0.4&seed=1&kernel=linear&methods=pumma,romma,micra"
MOONS = "data=moons&n=40&noise=0.4&seed=0&kernel=linear&methods=pumma"
THRESHOLD = "data=threshold&n=80&features=12&k=6&r=2&seed=0&kernel=linear&methods=pumma,alma&pumma.p=4&alma.p=4"


def at(query, step=math.inf):
    experiment = Experiment.from_query(query if math.isinf(step) else f"{query}&step={step}")
    runs = experiment.run()
    learners = standings(experiment, runs)
    return experiment, runs, clock(experiment, learners), learners


def signs(experiment):
    prepared = experiment.prepare()
    return np.where(prepared.y_train == prepared.dataset.classes[1], 1.0, -1.0)


def scene(query=""):
    message, drawn = answer(Request(query), None, ONLINE)
    header, arrays = decode(message)
    return header, arrays, drawn


# The step of an experiment


@pytest.mark.parametrize("key", ONLINE_KEYS)
@pytest.mark.parametrize("step", [0, 1, 17, 60, 10**9])
def test_a_run_at_a_step_has_seen_so_many_examples(key, step):
    experiment = Experiment.from_query(f"{BLOBS}&methods={key}&step={step}".replace("&methods=pumma,romma,micra", ""))
    prepared, run = experiment.prepare(), experiment.run()[key]
    trace = experiment.trace(key)
    assert run.model.n_updates_ == trace.state(min(step, trace.end)).updates
    assert run.fit.mid_stream == (step < trace.end)
    model = METHODS[key].estimator()
    if step >= trace.end:
        model.fit(prepared.X_train, prepared.y_train)
    elif step:
        if hasattr(model, "radius"):
            model.set_params(radius=float(np.linalg.norm(prepared.X_train, axis=1).max()))
        rows = np.arange(step) % len(prepared.train)
        for first in range(0, step, len(prepared.train)):
            part = rows[first : first + len(prepared.train)]
            model.partial_fit(prepared.X_train[part], prepared.y_train[part], classes=prepared.dataset.classes)
    else:
        assert run.model.norm_ == 0.0
        assert run.is_flat  # no hyperplane, no distances
        return
    np.testing.assert_array_equal(run.model.coef_, model.coef_)
    np.testing.assert_array_equal(run.fit.train, model.margins(prepared.X_train, prepared.y_train))
    np.testing.assert_array_equal(run.fit.test, model.margins(prepared.X_test, prepared.y_test))


def test_without_a_step_a_run_is_the_fit_and_so_is_one_at_the_end():
    whole = Experiment.from_query(BLOBS).run()
    for key, run in whole.items():
        late = Experiment.from_query(f"{BLOBS}&step=1000000").run()[key]
        np.testing.assert_array_equal(late.fit.train, run.fit.train)
        assert not run.fit.mid_stream
        assert not late.fit.mid_stream


def test_a_step_is_a_key_of_the_query_like_others():
    assert Experiment.from_query(BLOBS).step == math.inf
    assert "step" not in Experiment.from_query(BLOBS).to_query()
    experiment = Experiment.from_query(f"{BLOBS}&step=17")
    assert "&step=17" in experiment.to_query()
    assert Experiment.from_query(experiment.to_query()) == experiment
    for text in ("-1", "2.5", "soon", "inf"):
        with pytest.raises(BadKey, match=r"step must be an integer in \[0, ∞\)") as error:
            Experiment.from_query(f"{BLOBS}&step={text}")
        assert error.value.key == "step"


def test_a_batch_method_has_one_solution_whatever_the_step():
    query = "data=moons&n=60&gamma=1&methods=svm,pumma"
    assert Experiment.from_query(f"{query}&step=3").run_method("svm").fit is (
        Experiment.from_query(query).run_method("svm").fit
    )


def test_data_alone_keep_the_pages_methods_and_kernel():
    experiment = Experiment.from_query("data=moons", opening=ONLINE.query)
    assert (experiment.methods, experiment.kernel.name) == (("pumma", "romma"), "linear")
    assert Experiment.from_query("data=moons").methods == ("svm", "ldm")


# The clock and the standings


def test_the_clock_knows_the_updates_around_it():
    experiment = Experiment.from_query(BLOBS)
    traces = [experiment.trace(key) for key in experiment.methods]
    made = sorted({trace.step_of(k) for trace in traces for k in range(1, trace.updates + 1)})
    for step in (0, 1, 5, 40, 41, made[-1] - 1, made[-1]):
        _, _, now, _ = at(BLOBS, step)
        assert (now.step, now.end) == (step, max(trace.end for trace in traces))
        assert now.previous == max((u for u in made if u < step), default=None)
        assert now.next == min((u for u in made if u > step), default=None)
    _, _, now, _ = at(BLOBS)
    assert (now.step, now.previous, now.next) == (now.end, made[-1], None)


def test_a_batch_method_has_no_clock():
    assert at("data=moons&n=40&methods=svm")[2] is None


@pytest.mark.parametrize("step", [0, 1, 2, 9, 200, math.inf])
def test_a_standing_is_the_model_and_its_last_update(step):
    experiment, runs, _, learners = at(BLOBS, step)
    for learner in learners:
        model = runs[learner.method.key].model
        assert (learner.updates, learner.mistakes) == (model.n_updates_, model.n_mistakes_)
        assert learner.margin == model.margin_
        records = list(METHODS[learner.method.key].estimator().updates(experiment.prepare().X_train, signs(experiment)))
        if learner.updates == 0:
            assert learner.last is None
            continue
        np.testing.assert_array_equal(learner.last.w, records[learner.updates - 1].w)
        np.testing.assert_array_equal(learner.last.w, model.coef_[0])
        if learner.updates > 1:
            np.testing.assert_array_equal(learner.before.w, records[learner.updates - 2].w)
        assert learner.now == (learner.trace.step_of(learner.updates) == learner.step)


@pytest.mark.parametrize("query", [BLOBS, THRESHOLD])
def test_the_limit_is_the_conic_solvers_largest_margin(optima, query):
    experiment, _, _, learners = at(query)
    for learner in learners:
        (best,) = optima(NormMarginProblem(experiment.prepare().X_train, signs(experiment), learner.p))
        assert learner.limit.margin == pytest.approx(best, rel=1e-6)
        assert learner.margin <= learner.limit.margin * (1.0 + 1e-9)
        if learner.method.key == "pumma":
            assert learner.margin >= learner.share * learner.limit.margin


def test_the_limit_of_a_kernel_and_of_a_soft_margin_is_that_of_their_space(conic):
    query = f"{MOONS}&pumma.soft=0.5".replace("kernel=linear", "kernel=rbf&gamma=2")
    experiment, runs, _, (learner,) = at(query)
    gram = experiment.space().plain.gram + 0.5 * np.eye(len(signs(experiment)))
    values, vectors = np.linalg.eigh(gram)
    (best,) = conic(NormMarginProblem(vectors * np.sqrt(np.maximum(values, 0.0)), signs(experiment), 2.0))
    assert learner.limit.margin == pytest.approx(best, rel=1e-6)
    assert 0.9 * best <= runs["pumma"].model.margin_ <= best * (1.0 + 1e-6)
    assert largest(experiment, "romma").reason.startswith("not separable")


def test_without_a_largest_margin_there_is_no_limit_and_no_bound():
    _, runs, _, (learner,) = at(MOONS)
    assert not learner.trace.settled
    assert "may not be separable" in runs["pumma"].model.status_
    assert (learner.limit.margin, learner.bound) == (None, None)
    assert "not separable" in learner.limit.reason


def test_the_bound_is_theorem_2_for_the_largest_margin_and_pummas_alone():
    experiment, runs, _, learners = at(THRESHOLD)
    by_key = {learner.method.key: learner for learner in learners}
    R = np.linalg.norm(experiment.prepare().X_train, ord=4.0, axis=1).max()
    expected = update_bound(p=4.0, delta=0.1, R=R, margin=by_key["pumma"].limit.margin)
    assert by_key["pumma"].bound.value == pytest.approx(expected.value)
    assert by_key["pumma"].updates <= by_key["pumma"].bound.value
    assert by_key["pumma"].bound.value <= runs["pumma"].model.update_bound_ * (1.0 + 1e-9)
    assert by_key["alma"].bound is None


def test_the_sentence_tells_what_an_example_did():
    _, _, now, learners = at(BLOBS, 0)
    assert race_sentence(Experiment.from_query(BLOBS), now, learners).startswith("No example has been seen")
    experiment, _, now, learners = at(BLOBS, 2)
    text = race_sentence(experiment, now, learners)
    assert text.startswith(f"Example 2 (pass 1, row {experiment.prepare().train[1]}, class ")
    assert any(learner.updates == 1 and not learner.now for learner in learners)
    assert "stays at 1 update," in text
    experiment, _, now, learners = at(BLOBS)
    pumma = learners[0]
    text = race_sentence(experiment, now, learners)
    assert f"PUMMA has ended after {pumma.trace.end} examples with {pumma.updates} updates, margin 0.523" in text
    assert "100 % of the largest" in text
    assert "stopped at the last pass allowed" in race_sentence(*(at(MOONS)[i] for i in (0, 2, 3)))


# The scene


def test_the_page_opens_in_the_middle_of_a_race():
    header, arrays, _ = scene()
    assert header["error"] is None
    assert header["charts"] == ["race", "cumulative", "weights", "balls", "counts"]
    assert header["offered"][:4] == ["pumma", "romma", "alma", "micra"]
    assert 0 < header["clock"]["step"] < header["clock"]["end"]
    assert header["drawn"]["step"] == header["clock"]["step"]
    assert [panel["status"] for panel in header["panels"]] == ["underway", "underway"]
    json.dumps(header, allow_nan=False)
    experiment = Experiment.from_query(header["query"])
    for learner, panel in zip(header["race"], header["panels"], strict=True):
        trace = experiment.trace(learner["key"])
        curve = {name: arrays[f"race:{learner['key']}:{name}"] for name in ("step", "updates", "margin")}
        np.testing.assert_array_equal(curve["step"], [moment.step for moment in trace.moments])
        np.testing.assert_allclose(curve["margin"], [moment.margin for moment in trace.moments], rtol=1e-6)
        assert panel["badge"]["updates"] == learner["updates"]


def test_pummas_picture_is_the_problem_it_solved():
    for step in (6, 20, 126):
        query = ONLINE.query.replace("step=16", f"step={step}").replace("pumma.p=2", "pumma.p=3")
        header, arrays, _ = scene(query)
        balls, marks = header["balls"], header["stream"]["pumma"]
        relaxed, (x_pos, x_neg) = balls["relaxed"], np.array(marks["pair"])
        w, q = np.array(balls["w"]), balls["q"]
        assert 1.0 / balls["p"] + 1.0 / q == pytest.approx(1.0)
        np.testing.assert_allclose(relaxed["z"], x_pos - x_neg)
        assert w @ relaxed["z"] == pytest.approx(2.0)
        np.testing.assert_allclose(relaxed["theta"], link(np.array(relaxed["old"]), q), rtol=1e-9)
        assert relaxed["kept"]
        assert w @ relaxed["theta"] >= relaxed["least"] * (1.0 - 1e-9)
        run = Experiment.from_query(query).run()["pumma"]
        np.testing.assert_allclose(arrays["weights:pumma"], run.model.coef_[0] / run.model.norm_, rtol=1e-6)
        assert marks["old"][:2] == relaxed["old"]


def test_the_example_just_seen_is_a_training_row_until_the_learner_has_ended():
    header, *_ = scene(f"{BLOBS}&step=43")
    rows = Experiment.from_query(BLOBS).prepare().train
    assert header["stream"]["pumma"]["row"] == header["clock"]["row"] == rows[0]
    header, *_ = scene(BLOBS)
    assert {marks["row"] for marks in header["stream"].values()} == {None}


def test_a_kernel_draws_its_pair_and_no_weights_plane():
    header, arrays, _ = scene("data=moons&n=60&kernel=rbf&gamma=1&methods=pumma&pumma.soft=0.5&step=30")
    assert header["balls"]["w"] is None
    assert header["balls"]["relaxed"] is None
    assert header["stream"]["pumma"]["old"] is None
    assert np.shape(header["stream"]["pumma"]["pair"]) == (2, 2)
    assert (header["weights"][0]["of"], len(arrays["weights:pumma"])) == ("examples", 42)


def test_many_features_show_which_decide_and_no_marks_of_the_plane():
    header, arrays, _ = scene(f"{THRESHOLD}&step=30")
    assert header["relevant"] == 6
    assert len(arrays["weights:pumma"]) == 12
    assert header["stream"]["pumma"]["pair"] is None
    assert header["balls"]["w"] is None
    assert header["stream"]["pumma"]["row"] is not None


def test_no_online_learner_means_no_clock():
    header, *_ = scene("methods=svm")
    assert (header["clock"], header["race"], header["balls"]) == (None, [], None)
    assert [panel["status"] for panel in header["panels"]] == ["ok"]


def test_a_bound_no_smaller_than_the_examples_seen_is_vacuous():
    easy = "data=blobs&n=60&noise=0.1&methods=pumma&pumma.delta=0.9&step"
    for query, vacuous in ((ONLINE.query, True), (f"{easy}=5", True), (f"{easy}=80", False)):
        pumma = scene(query)[0]["race"][0]
        assert pumma["vacuous"] == vacuous == (pumma["bound"] >= pumma["step"])
        assert pumma["proved"] == 2 * pumma["bound"]
        assert pumma["updates"] <= pumma["bound"]
