"""The claims of the lessons about their pictures, each of which must be true for the seeds that they use."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from mdcore import Experiment
from mdcore.experiment.run import Run
from mdcore.serving.lecture.lesson import Lesson
from mdcore.serving.lecture.lesson_files import find_lesson, lesson_names
from mdcore.serving.stage.bounds import told_bounds
from mdcore.spaces.kernels import Kernel

Runs = Mapping[str, Run]
Claim = Callable[[Runs, Runs], bool]
LEVELS = np.linspace(0, 1, 1001)

CLAIMS: dict[tuple[str, str], tuple[Claim, ...]] = {}


def of(lesson: str, step: str) -> Callable[[Claim], Claim]:
    def keep(claim: Claim) -> Claim:
        CLAIMS[lesson, step] = (*CLAIMS.get((lesson, step), ()), claim)
        return claim

    return keep


def errors(run: Run, label: int | None = None) -> int:
    """Count misclassified training examples, of one class if a label is given, numbered from 0."""
    classes = run.prepared.dataset.classes
    rows = slice(None) if label is None else run.prepared.y_train == classes[label]
    return int(np.sum(run.train.values[rows] <= 0))


def margin_of_row(run: Run, row: int) -> float:
    return float(run.train.values[list(run.prepared.train).index(row)])


def direction(run: Run) -> np.ndarray:  # type: ignore[type-arg]
    field = run.field(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    return np.array([field[0, 1] - field[0, 0], field[1, 0] - field[0, 0]])


def degrees(a: Run, b: Run) -> float:
    u, v = direction(a), direction(b)
    return float(np.degrees(np.arccos(u @ v / (np.linalg.norm(u) * np.linalg.norm(v)))))


def right_of(a: Run, b: Run) -> float:
    """Return the share of its length on which the curve of a lies to the right of the curve of b."""
    return float(np.mean(np.asarray(a.train.quantile(LEVELS)) > np.asarray(b.train.quantile(LEVELS))))


def on_scale(runs: Runs, scale: str) -> Runs:
    return {key: Run(run.method, run.params, run.fit, run.prepared, scale) for key, run in runs.items()}  # type: ignore[arg-type]


def upper_half(run: Run) -> float:
    return run.train.variance - run.train.semivariance


@of("margins", "What a margin is")
def moved_across_the_line_it_is_negative(ask: Runs, reveal: Runs) -> bool:
    return margin_of_row(ask["svm"], 24) > 0 > margin_of_row(reveal["svm"], 24)


@of("margins", "What a margin is")
def the_height_at_zero_is_the_share_of_errors(ask: Runs, reveal: Runs) -> bool:
    run = reveal["svm"]
    return run.train.cdf(0.0) == errors(run) / len(run.train)


@of("margins", "The largest smallest margin: SVM")
def the_smallest_margin_is_larger_the_mean_smaller(ask: Runs, reveal: Runs) -> bool:
    svm, mean = reveal["svm"].train, reveal["mamc"].train
    return svm.min > mean.min > 0 and svm.mean < mean.mean


@of("margins", "The largest smallest margin: SVM")
def the_bias_inside_its_norm_makes_no_difference_to_the_svm(ask: Runs, reveal: Runs) -> bool:
    return reveal["svm"].train.min > 0.99999 * largest_margin(reveal["svm"])


@of("margins", "One outlier")
def one_example_turns_one_line_and_not_the_other(ask: Runs, reveal: Runs) -> bool:
    beside = Experiment.from_query(find_lesson("margins").states(3)[1].replace("outliers=1", "outliers=0")).run()
    return degrees(ask["svm"], reveal["svm"]) > 20 and degrees(beside["ldm"], reveal["ldm"]) < 2


@of("margins", "The same smallest margin")
def the_smallest_margin_of_the_svm_is_the_largest_possible(ask: Runs, reveal: Runs) -> bool:
    return ask["svm"].train.min > 0.99999 * largest_margin(ask["svm"])


@of("margins", "The same smallest margin")
def the_same_minimum_and_another_distribution(ask: Runs, reveal: Runs) -> bool:
    svm, ldm = reveal["svm"].train, reveal["ldm"].train
    return 0.98 * svm.min < ldm.min <= svm.min and ldm.variance < 0.6 * svm.variance


@of("margins", "The mean margin alone")
def the_bias_takes_more_than_half_of_the_errors_away(ask: Runs, reveal: Runs) -> bool:
    return errors(reveal["mamc"]) < 0.5 * errors(ask["mamc"])


@of("margins", "Mean and more: λ₂")
def without_both_terms_it_is_the_svm(ask: Runs, reveal: Runs) -> bool:
    return np.allclose(ask["ldm"].train.values, ask["svm"].train.values, atol=1e-4)


@of("margins", "Mean and more: λ₂")
def the_mean_grows_the_variance_doubles_the_smallest_falls(ask: Runs, reveal: Runs) -> bool:
    old, new = ask["ldm"].train, reveal["ldm"].train
    return new.mean > 1.2 * old.mean and new.variance > 2 * old.variance and new.min < old.min < 0


@of("margins", "Mean and more: λ₂")
def which_curve_lies_right_depends_on_the_scale(ask: Runs, reveal: Runs) -> bool:
    functional = on_scale(reveal, "functional")
    return right_of(functional["ldm"], functional["svm"]) > 0.9 and right_of(reveal["ldm"], reveal["svm"]) < 0.8


@of("margins", "Less variance: λ₁")
def the_variance_is_paid_for_with_the_mean(ask: Runs, reveal: Runs) -> bool:
    svm, old, new = reveal["svm"].train, ask["ldm"].train, reveal["ldm"].train
    return new.variance < 0.5 * svm.variance and new.min > old.min and new.mean < svm.mean


@of("margins", "A band instead: ODM")
def the_upper_part_moves(ask: Runs, reveal: Runs) -> bool:
    old, new = (np.asarray(runs["odm"].train.quantile([0.1, 0.9])) for runs in (ask, reveal))
    return abs(new[0] / old[0] - 1) < 0.02 and new[1] > 1.1 * old[1]


@of("margins", "Only the lower half: MSVM_Av")
def more_mean_more_variance_in_both_halves_a_lower_minimum(ask: Runs, reveal: Runs) -> bool:
    ldm, av = reveal["ldm"], reveal["msvmav"]
    wider = av.train.variance > ldm.train.variance and av.train.semivariance > ldm.train.semivariance
    return (
        wider and upper_half(av) > upper_half(ldm) and av.train.mean > ldm.train.mean and av.train.min < ldm.train.min
    )


@of("margins", "p-norm margins, update by update: PUMMA")
def both_reach_nine_tenths_with_a_tenth_of_the_updates(ask: Runs, reveal: Runs) -> bool:
    best = largest_margin(ask["pumma"])
    few = all(runs["pumma"].model.n_updates_ < 0.1 * runs["romma"].model.n_updates_ for runs in (ask, reveal))
    return few and min(ask["pumma"].train.min, ask["romma"].train.min) >= 0.9 * best


@of("margins", "p-norm margins, update by update: PUMMA")
def with_a_larger_p_the_line_turns_to_one_feature_and_separates(ask: Runs, reveal: Runs) -> bool:
    first, second = np.abs(reveal["pumma"].model.coef_.ravel())
    turned = degrees(ask["pumma"], reveal["pumma"]) > 25 and second < 0.1 * first
    return turned and reveal["pumma"].train.min > 0 and reveal["pumma"].model.converged_


@of("margins", "Several classes: mcODM")
def a_margin_is_negative_where_the_prediction_is_wrong(ask: Runs, reveal: Runs) -> bool:
    run = ask["mcodm"]
    wrong = run.model.predict(run.prepared.X_train) != run.prepared.y_train
    return bool(np.array_equal(run.train.values <= 0, wrong))


@of("margins", "Several classes: mcODM")
def the_svm_has_the_lower_minimum_and_mean(ask: Runs, reveal: Runs) -> bool:
    svm, odm = reveal["mcsvm"].train, reveal["mcodm"].train
    return svm.min < odm.min < 0 and svm.mean < odm.mean


@of("margins", "What the theorems say")
def one_bound_says_something_and_one_is_vacuous(ask: Runs, reveal: Runs) -> bool:
    found = {bound["key"]: bound for bound in told_bounds(reveal)}
    ldm, svm, av = found["ldm"], found["svm"], found["msvmav"]
    several_times = ldm["value"] > 2 * (1 - reveal["ldm"].test.accuracy)
    says_something = ldm["value"] < 0.5 and ldm["value"] < svm["value"] < 1
    return says_something and several_times and av["value"] > 1 and av["vacuous"]


@of("margins", "What the theorems say")
def the_sample_has_210_examples(ask: Runs, reveal: Runs) -> bool:
    return len(ask["svm"].train) == 210


@of("margins", "Does it matter? One split")
def another_split_another_order_and_small_differences(ask: Runs, reveal: Runs) -> bool:
    accuracies = [{key: run.test.accuracy for key, run in runs.items()} for runs in (ask, reveal)]
    orders = [sorted(found, key=lambda key, found=found: -found[key]) for found in accuracies]
    close = all(np.ptp([found[key] for key in ("svm", "ldm", "odm")]) <= 0.02 for found in accuracies)
    return orders[0] != orders[1] and close


def paper_cells() -> list[list[dict[str, str]]]:
    """Return the cells of SVM and LDM for every data set and table of the last step."""
    shown = find_lesson("margins").shown()["steps"][-1]["papers"]
    pairs = [row["cells"][at : at + 2] for row in shown["rows"] for at in (0, 2)]
    return [pair for pair in pairs if all(pair)]


@of("margins", "Does it matter? The papers' tables")
def nine_in_ten_of_the_rerun_means_meet_the_printed(ask: Runs, reveal: Runs) -> bool:
    met = [cell["within"] for pair in paper_cells() for cell in pair if cell["within"] is not None]
    return len(met) > 30 and np.mean(met) > 0.9


@of("margins", "Does it matter? The papers' tables")
def most_printed_differences_are_below_their_deviations(ask: Runs, reveal: Runs) -> bool:
    printed = [[[float(part) for part in cell["printed"].split(" ± ")] for cell in pair] for pair in paper_cells()]
    return np.mean([abs(a[0] - b[0]) < min(a[1], b[1]) for a, b in printed]) > 0.5


@of("margins", "Does it matter? The papers' tables")
def another_paper_is_met_less_well(ask: Runs, reveal: Runs) -> bool:
    met = find_lesson("margins").shown()["steps"][-1]["papers"]["met"]
    return min(each["met"] / each["of"] for each in met) < 0.5


@of("lambda", "Two more knobs")
def the_grid_of_the_paper_moves_little(ask: Runs, reveal: Runs) -> bool:
    return abs(reveal["ldm"].train.mean / ask["ldm"].train.mean - 1) < 0.02


@of("lambda", "Where λ₁ acts")
def beyond_it_the_variance_halves_and_the_mean_falls(ask: Runs, reveal: Runs) -> bool:
    old, new = ask["ldm"].train, reveal["ldm"].train
    return new.variance < 0.5 * old.variance and new.mean < old.mean


@of("lambda", "The class as a sweep")
def the_test_sample_has_60_examples(ask: Runs, reveal: Runs) -> bool:
    return len(ask["ldm"].test) == 60


@of("imbalanced", "Rare, and rarer")
def the_rare_class_is_given_up_and_the_accuracy_rises(ask: Runs, reveal: Runs) -> bool:
    rare = len(reveal["svm"].by_class("train")[1])
    return errors(reveal["svm"], 1) == rare and reveal["svm"].train.accuracy > ask["svm"].train.accuracy


@of("imbalanced", "The bias")
def fewer_errors_more_of_them_rare(ask: Runs, reveal: Runs) -> bool:
    old, new = ask["mamc"], reveal["mamc"]
    return errors(new) < 0.5 * errors(old) and errors(new, 1) > errors(old, 1) and errors(new, 0) < errors(old, 0)


@of("imbalanced", "A slope")
def the_svm_makes_more_errors_on_the_rare_class(ask: Runs, reveal: Runs) -> bool:
    return errors(reveal["svm"], 1) > errors(reveal["mamc"], 1)


@of("online", "One example at a time")
def few_updates_for_fifteen_examples(ask: Runs, reveal: Runs) -> bool:
    return 0 < reveal["pumma"].model.n_updates_ - ask["pumma"].model.n_updates_ <= 5


@of("online", "When it ends")
def nine_tenths_of_the_largest_margin(ask: Runs, reveal: Runs) -> bool:
    return reveal["pumma"].train.min >= 0.9 * largest_margin(reveal["pumma"])


@of("online", "Who needs how many")
def pumma_makes_the_fewest_updates(ask: Runs, reveal: Runs) -> bool:
    updates = {key: run.model.n_updates_ for key, run in reveal.items()}
    separate = all(run.train.min > 0 for run in reveal.values())
    return separate and min(updates, key=lambda key: updates[key]) == "pumma"


def largest_margin(run: Run) -> float:
    """Return the largest margin of all functions with a free bias, by scikit-learn's hard-margin SVM as an oracle."""
    from sklearn.svm import SVC

    kernel, X = run.kernel, run.prepared.X_train
    model = SVC(kernel=kernel.name, gamma=kernel.gamma, C=1e6, tol=1e-8).fit(X, run.prepared.y_train)
    a, K = model.dual_coef_[0], Kernel(kernel.name, kernel.gamma, bias=False)(X[model.support_], X[model.support_])
    return float(1 / np.sqrt(a @ K @ a))


def both(lesson: Lesson, number: int) -> tuple[Runs, Runs]:
    ask, reveal = (Experiment.from_query(state).run() for state in lesson.states(number))
    return ask, reveal


STEPS = [(name, number) for name in lesson_names() for number in range(1, len(find_lesson(name).steps) + 1)]


@pytest.mark.parametrize(("name", "number"), STEPS)
def test_what_a_step_claims_is_true_for_its_seed(name: str, number: int) -> None:
    lesson = find_lesson(name)
    claims = CLAIMS.get((name, lesson.steps[number - 1]["title"]), ())
    assert claims, "a step without a claim has nothing to teach"
    ask, reveal = both(lesson, number)
    untrue = [claim.__name__ for claim in claims if not claim(ask, reveal)]
    assert not untrue, f"{lesson.steps[number - 1]['title']}: {untrue}"
    unconverged = [
        run.name for runs in (ask, reveal) for run in runs.values() if not (run.model.converged_ or run.has_stream)
    ]
    assert set(unconverged) <= {"MSVM_Av"}


def test_every_claim_is_one_of_a_step() -> None:
    titles = {(name, step["title"]) for name in lesson_names() for step in find_lesson(name).steps}
    assert set(CLAIMS) == titles
