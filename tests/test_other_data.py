"""Every source opens with sensible scaling, kernel and gamma, from a URL and from a menu."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from mdcore import METHODS, Experiment
from mdcore.data import Choices, own_source, propose, read_table
from mdcore.data.sources.catalogue import SOURCES
from mdcore.experiment.other_data import changed_settings, on_source
from mdcore.experiment.query import OPENING
from mdcore.methods.one_versus_rest import OWN, REST, SEVERAL
from mdcore.serving.stage.examples import opening_query

ENOUGH = 0.5  # seconds for a solver, whose solution at that time must suffice
MOONS = Experiment.from_query(OPENING)


def majority(experiment: Experiment) -> float:
    """Return the share of test rows in the largest class of the training rows."""
    prepared = experiment.prepare()
    labels, counts = np.unique(prepared.y_train, return_counts=True)
    return float(np.mean(prepared.y_test == labels[counts.argmax()]))


def line_helps(experiment: Experiment) -> bool:
    """Return whether a linear rule beats the majority class."""
    prepared = experiment.prepare()
    model = LogisticRegression().fit(prepared.X_train, prepared.y_train)
    return bool(model.score(prepared.X_test, prepared.y_test) > majority(experiment))


def openings(key: str) -> list[str]:
    """Return queries by which pages open a source: with all its classes, and with the first pair if there are more."""
    keep = next((option.options for option in SOURCES[key].options if option.name == "keep"), ("all",))
    return [f"data={key}", *(f"data={key}&keep={classes}" for classes in keep[1:2])]


@pytest.mark.parametrize("query", [query for key in SOURCES for query in openings(key)])
def test_every_method_that_can_beats_the_majority_of_every_source_with_the_defaults(query: str) -> None:
    experiment = Experiment.from_query(query)
    several, least = experiment.classes > 2, majority(experiment)
    for key, method in METHODS.items():
        if (several and not method.multiclass) or not (method.kernels or line_helps(experiment)):
            continue
        run = experiment.run_method(key, ENOUGH)
        assert run.test.accuracy > least, key


@pytest.mark.parametrize("key", SOURCES)
def test_a_source_chosen_from_a_menu_is_what_its_address_opens(key: str) -> None:
    chosen, opened = on_source(MOONS, SOURCES[key]), Experiment.from_query(f"data={key}")
    if key == "moons":
        assert chosen == MOONS
        return
    assert (chosen.data, chosen.kernel) == (opened.data, opened.kernel)
    assert chosen.methods == MOONS.methods
    assert on_source(chosen, SOURCES["moons"]) == MOONS


def test_what_was_chosen_by_hand_goes_along_where_it_means_the_same() -> None:
    wine, cancer = SOURCES["wine"], SOURCES["breast-cancer"]
    by_hand = Experiment.from_query(f"{OPENING}&scaling=unit&test=0.4&bias=0".replace("kernel=rbf", "kernel=laplacian"))
    moved = on_source(by_hand, wine)
    assert (moved.data.scaling, moved.data.test, moved.data.seed) == ("unit", 0.4, 0)
    assert (moved.kernel.name, moved.kernel.gamma, moved.kernel.bias) == ("laplacian", "scale", False)
    assert on_source(Experiment.from_query("data=wine&gamma=distance"), cancer).kernel.gamma == "distance"
    assert on_source(Experiment.from_query("data=wine&gamma=0.5"), cancer).kernel.gamma == "scale"
    assert on_source(Experiment.from_query("data=wine&scaling=none"), cancer).data.scaling == "standard"


def test_what_changed_with_the_data_is_said_and_nothing_else() -> None:
    moved = on_source(MOONS, SOURCES["breast-cancer"])
    assert changed_settings(MOONS, moved) == f"scaling none → standard, γ {MOONS.kernel.gamma:g} → scale"
    assert changed_settings(moved, on_source(moved, SOURCES["iris"])) == ""


def test_an_own_table_opens_scaled_with_a_width_of_its_own() -> None:
    rows = "".join(f"{100 * i},{i % 2},{'ab'[i % 2]}\n" for i in range(40))
    table = read_table(f"salary,member,class\n{rows}".encode(), "people.csv")
    kinds = (("salary", "numeric"), ("member", "numeric"), ("class", "category"))
    own = own_source(table, Choices(target="class", kinds=kinds))
    moved = on_source(MOONS, own)
    assert moved.several == OWN
    assert (moved.data.scaling, moved.kernel.gamma) == ("standard", "scale")
    assert moved == Experiment.from_query(moved.to_query(), [own])


def test_an_own_table_of_several_classes_opens_where_every_method_can_be_fitted() -> None:
    rows = "".join(f"{7 * i % 5},{11 * i % 13},{'abc'[i % 3]}\n" for i in range(60))
    table = read_table(f"salary,age,class\n{rows}".encode(), "people.csv")
    own = own_source(table, propose(table, "class"))
    moved = on_source(MOONS, own)
    assert moved.several == REST
    assert f"{SEVERAL.symbol} {OWN} → {REST}" in changed_settings(MOONS, moved)
    assert set(moved.run()) == set(MOONS.methods)
    assert opening_query(own) == f"data={own.key}&several={REST}"  # options of the menu of the stage
