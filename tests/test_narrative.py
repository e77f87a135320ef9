"""The sentence about the picture claims no more than the numbers support."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import pytest

from mdcore import Experiment
from mdcore.basics.text import percent, steady
from mdcore.narrative import TWO_LINES, Pinned, Probe, _since, sentence

SMALL = "data=moons&n=100&noise=0.3&seed=0&gamma=1"


def tell(before: str | None, now: str) -> str:
    pairs = [
        None if query is None else (Experiment.from_query(query), Experiment.from_query(query).run())
        for query in (before, now)
    ]
    return sentence(pairs[0], pairs[1])  # type: ignore[arg-type]


def test_a_moved_parameter_is_told_with_its_symbol_values_and_effect() -> None:
    old, new = f"{SMALL}&methods=ldm&ldm.lambda1=1", f"{SMALL}&methods=ldm&ldm.lambda1=256"
    text = tell(old, new)
    before, after = (Experiment.from_query(query).run()["ldm"].train for query in (old, new))
    assert text.startswith("LDM, λ₁ 1 → 256: ")
    direction = "down" if after.variance < before.variance else "up"
    size = percent(abs(after.variance / before.variance - 1.0), 2)
    assert f"variance {direction} {size} to {steady(after.variance)}" in text


def test_a_change_without_effect_is_told_as_none() -> None:
    text = tell(f"{SMALL}&methods=svm&svm.C=10", f"{SMALL}&methods=svm&svm.C=10.000001")
    assert "mean and variance of the training margins change by at most 0.5 %" in text
    assert "accuracy stays at" in text


def test_the_overview_says_whose_numbers_are_not_those_of_a_solution() -> None:
    experiment = Experiment.from_query(f"{SMALL}&methods=svm,ldm")
    runs = dict(experiment.run())
    assert "converged" not in sentence(None, (experiment, runs))
    model = copy(runs["ldm"].model)
    model.converged_ = False
    runs["ldm"] = replace(runs["ldm"], fit=replace(runs["ldm"].fit, model=model))
    assert "LDM has not converged." in sentence(None, (experiment, runs))


def test_the_overview_names_the_true_extremes_and_the_scale() -> None:
    query = f"{SMALL}&methods=svm,ldm,odm,msvmav"
    runs = Experiment.from_query(query).run()
    text = tell(None, query)
    highest = max(runs.values(), key=lambda run: run.train.mean).method.name
    tightest = min(runs.values(), key=lambda run: run.train.variance).method.name
    assert f"{highest} has the largest mean training margin" in text
    assert f"{tightest} the smallest variance" in text
    assert "geometric scale" in text
    functional = tell(None, query + "&scale=functional")
    assert functional.startswith("Functional margins of different methods have different units and are not compared")
    assert "largest" not in functional


def test_votes_are_not_ranked_with_margins() -> None:
    query = "data=sectors&each=20&seed=0&gamma=1&methods=mcsvm,ova,ecoc"
    runs = Experiment.from_query(query).run()
    assert max(runs, key=lambda key: runs[key].train.mean) == "ecoc", "the test needs another case"
    text = tell(None, query)
    highest = max((runs[key] for key in ("mcsvm", "ova")), key=lambda run: run.train.mean)
    assert f"{highest.method.name} has the larger mean training margin" in text
    assert f"Margins that count votes ({runs['ecoc'].method.name}) are not compared" in text


def test_margins_in_different_norms_are_not_compared() -> None:
    query = "data=blobs&n=40&noise=0.4&seed=0&kernel=linear&methods=pumma,romma&pumma.p="
    assert tell(None, f"{query}8") == "Margins in different norms are not compared: PUMMA p = 8, ROMMA p = 2."
    assert "larger mean" in tell(None, f"{query}2")
    assert "norm" not in tell(None, f"{query}8&scale=functional")
    moved = tell(f"{query}2", f"{query}8")
    assert moved.startswith("PUMMA, p 2 → 8: its margins are now measured in another norm; test accuracy")


def test_distances_in_the_spaces_of_different_kernels_are_not_compared() -> None:
    methods = "methods=svm,linearldm"
    text = tell(None, f"{SMALL}&{methods}")
    assert text == "Margins in the spaces of different kernels are not compared: SVM rbf, LinearLDM linear."
    assert "larger mean" in tell(None, f"{SMALL}&{methods}&kernel=linear")


def test_since_a_pin_with_another_kernel_no_margin_is_said_to_have_moved() -> None:
    query = f"{SMALL}&methods=svm,ldm"
    pinned, before = state(query), state(query.replace("gamma=1", "gamma=4"))
    now = state(f"{query.replace('gamma=1', 'gamma=4')}&svm.C=1")
    assert _since(Pinned(1, pinned), before, now) == ""
    assert "SVM's" in _since(Pinned(1, pinned), None, state(f"{query}&svm.C=1"))


def test_a_bias_inside_the_norm_of_one_method_only_does_not_decide_who_has_the_larger_margins() -> None:
    query = "data=imbalanced&n=300&noise=1&balance=0.1&seed=0&kernel=linear&methods=svm,mamc"
    svm, mamc = Experiment.from_query(query).run().values()
    assert (svm.fit.train / svm.model.norm_).mean() < mamc.train.mean < svm.train.mean
    assert "SVM has the larger mean training margin (2.01)" in tell(None, query)


def test_who_ranks_says_that_nothing_was_tuned() -> None:
    assert tell(None, f"{SMALL}&methods=svm,ldm").endswith(", at parameter settings that are not tuned.")


def test_a_method_without_a_boundary_is_not_ranked() -> None:
    query = "data=imbalanced&n=100&noise=2.5&balance=0.2&seed=0&kernel=linear&methods=svm,mamc,lssvm"
    runs = Experiment.from_query(query).run()
    assert [run.is_flat for run in runs.values()] == [True, False, False]
    text = tell(None, query)
    assert text.startswith("SVM is no better than always predicting")
    assert "has the larger mean training margin" in text
    assert text.endswith("For SVM there is no boundary: f is constant.")
    moved = tell(f"{query}&svm.C=0.001", f"{query}&svm.C=10")
    assert "SVM, C 0.001 → 10: now there is no boundary: f is constant; " in moved
    assert "no boundary" not in tell(None, f"{query}&scale=functional")


def test_new_data_are_announced() -> None:
    assert tell(SMALL, SMALL.replace("seed=0", "seed=1")).startswith("New sample: ")
    breast = "data=breast-cancer&gamma=0.01&seed=0"
    assert tell(breast, breast.replace("seed=0", "seed=1")).startswith("New split: "), "the rows are the same"
    more = SMALL.replace("n=100", "n=120").replace("noise=0.3", "noise=0.25") + "&test=0.5"
    assert tell(SMALL, more).startswith("Data, test 0.3 → 0.5, n 100 → 120, σ 0.3 → 0.25: ")
    assert tell(SMALL, SMALL.replace("moons", "xor")).startswith("XOR")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("", "f_0", "Row 0 flipped: "),
        ("f_0", "f_0~m_3_0.5_0.25", "Row 3 moved: "),
        ("f_0", "f_0~d_4", "Row 4 deleted: "),
        ("f_0", "f_0~a_0.5_0.25_1", "Example added: "),
        ("f_0~d_4", "f_0", "Last edit undone: "),
        ("f_0", "", "All edits undone: "),
        ("", "f_0~d_4", "Edited data: "),
        ("f_0", "d_4", "Edited data: "),
    ],
)
def test_an_edit_is_named(before: str, after: str, said: str) -> None:
    old, new = (f"{SMALL}&edits={edits}" if edits else SMALL for edits in (before, after))
    assert tell(old, new).startswith(said)


def test_a_new_kernel_is_named_with_its_settings() -> None:
    assert tell(SMALL, SMALL.replace("gamma=1", "gamma=4")).startswith("Kernel, γ 1 → 4: ")
    assert tell(SMALL, f"{SMALL}&kernel=poly").startswith("Kernel rbf → poly: ")


def test_a_class_below_zero_has_a_minus_sign() -> None:
    text = tell(None, "data=imbalanced&n=300&noise=1&balance=0.1&seed=0&kernel=linear&methods=mamc&mamc.bias=zero")
    assert "always predicting ‘−1’" in text


def state(query: str):  # type: ignore[no-untyped-def]
    return Experiment.from_query(query), Experiment.from_query(query).run()


def test_what_a_drag_means_follows_from_its_ends() -> None:
    """In either direction and on either scale, the variance decides narrow or wide, and the mean left or right."""
    for scale in ("geometric", "functional"):
        query = f"{SMALL}&methods=ldm&scale={scale}&ldm.lambda1="
        for old, new in ((f"{query}1", f"{query}256"), (f"{query}256", f"{query}1")):
            before, after = (state(one)[1]["ldm"].train for one in (old, new))
            text = tell(old, new)
            assert ("narrow" if after.variance < before.variance else "spread") in text
            assert ("move right" if after.mean > before.mean else "move left") in text
            assert f"the {scale} margins" in text


def test_no_better_than_the_majority_is_said_first_and_nothing_is_praised() -> None:
    text = tell(None, "data=breast-cancer&scaling=none&gamma=1&seed=0&methods=svm,ldm")
    assert text.startswith("SVM and LDM are no better than always predicting ‘benign’ (62.6 % of the test examples).")
    assert "variance" not in text


def test_a_pin_is_told_by_what_moved_since() -> None:
    old, new = state(f"{SMALL}&methods=ldm&ldm.lambda1=1"), state(f"{SMALL}&methods=ldm&ldm.lambda1=256")
    assert sentence(None, new, pin=Pinned(2, old)).startswith("Since pin 2: LDM, λ₁ 1 → 256: ")
    assert "This is pin 2" in sentence(new, new, pin=Pinned(2, new))
    both = sentence(state(f"{SMALL}&methods=ldm&ldm.lambda1=16"), new, pin=Pinned(1, old))
    assert both.startswith("LDM, λ₁ 16 → 256: ")
    assert "Since pin 1: LDM's variance down" in both


def test_a_change_that_starts_at_the_pin_is_told_once() -> None:
    old, new = state(f"{SMALL}&methods=ldm&ldm.lambda1=1"), state(f"{SMALL}&methods=ldm&ldm.lambda1=256")
    assert sentence(old, new, pin=Pinned(1, old)) == sentence(old, new)


def test_the_differences_from_a_pin_never_need_a_third_line() -> None:
    methods = "svm,ldm,odm,msvmav"
    old = state(f"{SMALL}&methods={methods}")
    other = f"{SMALL}&methods={methods}&ldm.lambda1=500&odm.lam=1&msvmav.beta=1"
    before, now = state(other), state(f"{other}&svm.C=1")
    text = sentence(before, now, pin=Pinned(1, old))
    assert len(f"{text} {_since(Pinned(1, old), before, now)}") > TWO_LINES, "the test needs another case"
    assert text == sentence(before, now)


def test_a_probe_names_who_follows_one_example_only_where_one_does() -> None:
    _, runs = now = state(f"{SMALL}&methods=svm,ldm")
    apart = sentence(None, now, probe=Probe(7, {"svm": 0.2, "ldm": 0.01}, {"svm": 40.0, "ldm": 2.0}))
    assert "With row 7 moved, SVM's boundary turns by 40° (20.0 % of the picture changes side)" in apart
    assert apart.endswith("SVM follows one example, LDM hardly does, at parameter settings that are not tuned.")
    assert "follows" not in sentence(None, now, probe=Probe(7, {"svm": 0.02, "ldm": 0.01}))
    assert "drag it" in sentence(None, now, probe=Probe(7, dict.fromkeys(runs, 0.0)))
