"""Figures of a sweep as data: every trace has the numbers of the table, and every point its parameter values."""

from __future__ import annotations

import numpy as np
import pytest

from mdcore import METHODS, Experiment
from mdcore.figures import heatmap_figure, ranking_figure, sides_figure, sweep_figure, terms_figure
from mdcore.figures.sweep import positions
from mdcore.sweep import MEASURES, TIE, Axis, Sweep, SweepTable, axis_params, kinks, ranks, run, spaced

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

QUERY = "data=moons&n=60&noise=0.3&seed=0&gamma=1&methods=svm,ldm,odm&ldm.lambda1=4"


def table(*keys: str, count: int = 6, repeats: int = 1) -> SweepTable:
    experiment = Experiment.from_query(QUERY)
    params = axis_params(experiment)
    return run(Sweep(experiment, tuple(Axis(key, spaced(params[key], count)) for key in keys), repeats=repeats))


@pytest.mark.parametrize("statistic", MEASURES)
def test_curves_are_the_medians_of_single_runs_in_the_methods_colours(statistic: str) -> None:
    shown = table("ldm.lambda1")
    lines = [trace for trace in sweep_figure(shown, statistic).data if trace.mode == "lines+markers"]
    for method, trace in zip(shown.methods, lines, strict=True):
        assert trace.line.color == METHODS[method].color
        assert np.array_equal(trace.y, shown.values(method, statistic)[0], equal_nan=True)
    if statistic == "test.mean":
        for at in range(6):
            cold = shown.sweep.experiment_at((at,)).run_method("ldm")
            assert lines[1].y[at] == pytest.approx(cold.test.mean, rel=1e-8)


def test_what_was_fitted_one_versus_rest_is_named_so() -> None:
    experiment = Experiment.from_query("data=iris&methods=svm,mcsvm&several=one-versus-rest")
    shown = run(Sweep(experiment, (Axis("C", (1.0, 8.0)),)))
    names = {trace.name for trace in sweep_figure(shown, "test.accuracy").data if trace.mode == "lines+markers"}
    assert names == {"SVM, one-versus-rest", "mcSVM"}


def test_kinks_stand_at_the_foot_where_the_solution_bends() -> None:
    shown = table("ldm.lambda2")
    found = kinks(shown.sweep, "ldm")
    rug = sweep_figure(shown, "train.mean", {"ldm": found}).data[-1]
    assert rug.name == f"LDM: kinks ({len(found)})"
    assert len(rug.x) > 0
    assert set(np.round(rug.x, 9)) <= set(np.round(np.log2(found[found > 0]), 9))


def test_every_point_of_a_curve_knows_its_place_and_its_value() -> None:
    shown = table("ldm.lambda1")
    trace = sweep_figure(shown, "train.mean").data[0]
    assert [tuple(data[:2]) for data in trace.customdata] == list(enumerate(shown.sweep.axes[0].values))


def test_points_where_the_solver_has_not_converged_are_hollow() -> None:
    experiment = Experiment.from_query("data=moons&n=60&noise=0.3&seed=0&gamma=1&methods=svm,fmm")
    steps = Axis("fmm.max_iter", (1, 1600)), Axis("gamma", (1.0, 1024.0))
    shown = run(Sweep(experiment, steps[:1]))
    converged = [shown.sweep.experiment_at((at,)).run_method("fmm").model.converged_ for at in range(2)]
    assert not all(converged), "the test needs a harder case"
    svm, fmm = sweep_figure(shown, "train.min").data
    assert set(svm.marker.symbol) == {"circle"}
    assert list(fmm.marker.symbol) == ["circle" if done else "circle-open" for done in converged]
    both = run(Sweep(experiment, steps))
    marked = heatmap_figure(both, "fmm", "train.min").data[2]
    assert len(marked.x) == both.unconverged("fmm").sum()
    assert len(heatmap_figure(both, "svm", "train.min").data) == 2


def test_zero_stands_left_of_the_powers_of_two() -> None:
    shown = table("ldm.lambda1")
    x = positions(shown, shown.sweep.axes[0])
    values = shown.sweep.axes[0].values
    assert values[0] == 0
    np.testing.assert_allclose(x[1:], np.log2(values[1:]))
    assert x[0] == pytest.approx(x[1] - (x[2] - x[1]))
    ticks = sweep_figure(shown, "train.mean").layout.xaxis
    labels = dict(zip(ticks.tickvals, ticks.ticktext, strict=True))
    assert (labels[x[0]], labels[-8.0], labels[10.0]) == ("0", "2⁻⁸", "2¹⁰")


def test_bands_are_drawn_between_the_quantiles() -> None:
    shown = table("C", repeats=4)
    band, line = sweep_figure(shown, "test.accuracy").data[:2]
    values = shown.values("svm", "test.accuracy")
    np.testing.assert_allclose(band.y[:6], np.quantile(values, 0.9, axis=0))
    np.testing.assert_allclose(band.y[6:][::-1], np.quantile(values, 0.1, axis=0))
    np.testing.assert_allclose(line.y, np.median(values, axis=0))


def test_cells_of_a_heatmap_are_single_runs_and_know_their_place() -> None:
    shown = table("ldm.lambda1", "ldm.C", count=4)
    heat, clicks = heatmap_figure(shown, "ldm", "train.variance").data
    assert len(clicks.customdata) == 16
    for i, j, across, up, value in clicks.customdata:
        experiment = shown.sweep.experiment_at((int(i), int(j)))
        assert experiment.settings("ldm")["lambda1"] == across
        assert experiment.settings("ldm")["C"] == up
        assert value == pytest.approx(experiment.run_method("ldm").train.variance, rel=1e-8)
        assert heat.z[int(j)][int(i)] == value
    assert list(clicks.x[:4]) == list(heat.x)


def test_a_first_look_stands_beneath_until_finer_cells_cover_it() -> None:
    whole = table("ldm.lambda1", "ldm.C", count=4)
    look = run(whole.sweep.preview(4))
    begun = look.refined(whole.sweep, whole.results[:6])
    assert not begun.complete
    beneath, above, _clicks = heatmap_figure(begun, "ldm", "test.accuracy", look).data
    assert np.shape(beneath.z) == (2, 2)
    assert np.isfinite(beneath.z).all()
    assert beneath.coloraxis == above.coloraxis, "a colour means one value in both"
    finer = SweepTable(whole.sweep, whole.results[:6]).band("ldm", "test.accuracy")[1].T
    assert np.array_equal(np.asarray(above.z)[~np.isnan(finer)], finer[~np.isnan(finer)])
    assert np.array_equal(np.asarray(above.z)[np.ix_((0, 3), (0, 3))], beneath.z)
    assert look.refined(whole.sweep, whole.results).complete


def test_one_value_alone_is_the_only_number_at_the_colours() -> None:
    whole = table("ldm.lambda1", "ldm.C", count=4)
    one = SweepTable(whole.sweep, whole.results[:1])
    colors = heatmap_figure(one, "svm", "test.accuracy").layout.coloraxis
    (value,) = colors.colorbar.tickvals
    assert value == whole.results[0].statistics["test.accuracy"]
    assert (colors.cmin + colors.cmax) / 2 == pytest.approx(value)
    assert heatmap_figure(whole, "ldm", "train.variance").layout.coloraxis.colorbar.tickvals is None
    alike = heatmap_figure(whole, "svm", "train.variance")  # which λ₁ and C of LDM do not concern
    assert len(alike.layout.coloraxis.colorbar.tickvals) == 1
    z = np.asarray(alike.data[0].z)
    assert np.ptp(z) <= 1e-5 * (alike.layout.coloraxis.cmax - alike.layout.coloraxis.cmin), "one colour"


def test_stacked_terms_add_up_to_the_objective() -> None:
    shown = table("ldm.lambda2")
    *terms, total = terms_figure(shown, "ldm").data
    np.testing.assert_allclose(np.sum([trace.y for trace in terms], axis=0), total.y)
    np.testing.assert_allclose(total.y, shown.values("ldm", "objective")[0], rtol=1e-9)
    below = [trace.name for trace in terms if trace.stackgroup == "below"]
    assert below == ["−λ₂ · mean"]


def test_changing_examples_are_drawn_row_by_row() -> None:
    shown = table("gamma")
    changing = shown.sides("ldm").changing()
    heat, *names = sides_figure(shown, "ldm", changing).data
    assert [one.name for one in names] == ["wrong side", "right side"]
    assert list(heat.y) == [f"row {row}" for row in changing.rows]
    assert np.array_equal(heat.z, changing.correct.astype(float))


def test_a_winner_is_best_by_the_medians_and_outside_the_bands_else_there_is_none() -> None:
    shown = table("C", repeats=3)
    criteria = ("train.mean", "test.accuracy")
    heat, *names = ranking_figure(shown, criteria).data
    expected = [(METHODS[method].name, METHODS[method].color) for method in shown.methods]
    assert [(one.name, one.marker.color) for one in names[1:]] == expected
    kinds = set()
    for row, criterion in enumerate(criteria):
        bands = {method: shown.band(method, criterion) for method in shown.methods}
        for at in range(6):
            found = int(heat.z[row][at])
            kinds.add(found == TIE)
            first = [m for m in shown.methods if ranks(shown, criterion)[m][at] == 1]
            if found == TIE:
                own = bands[first[0]][1][at]
                others = [m for m in shown.methods if m != first[0]]
                assert len(first) > 1 or any(bands[m][0][at] <= own <= bands[m][2][at] for m in others)
                assert heat.customdata[row][at].startswith("no winner")
            else:
                assert first == [shown.methods[found]]
                assert heat.customdata[row][at] == METHODS[first[0]].name
    assert kinds == {True, False}, "the test needs both"


def test_a_table_that_is_not_complete_is_drawn_as_far_as_it_goes() -> None:
    whole = table("C", repeats=2)
    part = SweepTable(whole.sweep, whole.results[:7])
    line = sweep_figure(part, "train.mean").data[1]
    assert np.isnan(line.y).tolist() == [False, False, False, True, True, True]
    assert len(sweep_figure(part, "train.mean").data[0].x) == 6
    ranking_figure(part, ("train.mean",))
    sides_figure(part, "ldm", part.sides("ldm").changing())
    beginning = SweepTable(whole.sweep, whole.results[:2])
    assert len(beginning.sides("ldm").changing().rows) == 0
