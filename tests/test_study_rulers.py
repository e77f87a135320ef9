"""Margins of a comparison are compared where they have one unit, and a note says where they have not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.preprocessing import StandardScaler

from mdcore import load_dataset
from mdcore.experiment.query import KernelKey
from mdcore.study import Candidate, Comparison, Plan, compare, unit_notes

LINEAR = KernelKey("linear", "scale", 3, 1.0, True)
MOONS = load_dataset("moons", n=60, noise=0.3, seed=0)
RARE = load_dataset("imbalanced", n=100, noise=2.5, balance=0.2, seed=0)


def fixed(*keys: str, data=MOONS, **plan) -> Comparison:  # type: ignore[no-untyped-def]
    return compare(data.X, data.y, StandardScaler(), Plan(tuple(map(Candidate.fixed, keys)), repeats=2, **plan))


def test_equal_kernels_are_one_ruler_and_a_gamma_of_ones_own_is_another() -> None:
    found = fixed("svm", "ldm")
    assert not found.rulers_differ
    assert unit_notes(found, "geometric") == []
    own = [replace(result, params=result.params | {"gamma": 7.0}) for result in found.of("ldm")]
    apart = found.with_outcomes(own)
    assert apart.rulers_differ
    (note,) = unit_notes(apart, "geometric")
    assert note.startswith("Kernel, its settings or the norm differ between methods")
    assert unit_notes(apart, "functional") == []


def test_a_linear_method_beside_kernel_machines_has_a_ruler_of_its_own() -> None:
    assert fixed("svm", "mdo").rulers_differ
    assert not fixed("svm", "mdo", kernel=LINEAR).rulers_differ


def test_log_odds_and_votes_are_named() -> None:
    iris = load_dataset("iris")
    notes = unit_notes(fixed("mcsvm", "ovo", "logistic", data=iris, kernel=LINEAR), "geometric")
    assert [note.split()[0] for note in notes] == ["Reference", "Margins"]
    assert notes[1].endswith("on either scale: ovoSVM.")


def test_one_split_without_a_boundary_leaves_all_margins_of_a_method_functional() -> None:
    found = fixed("svm", "mamc", data=RARE, kernel=LINEAR)
    assert found.flat == ("SVM",)
    assert [found.scale_of(key, "geometric") for key in ("svm", "mamc")] == ["functional", "geometric"]
    for margins, result in zip(found.margins("svm", "test", "geometric"), found.of("svm"), strict=True):
        np.testing.assert_array_equal(margins.values, result.test)
    (note,) = unit_notes(found, "geometric")
    assert note.endswith("functional margins are shown: SVM.")
