"""Preparation of tables: choices take effect as described, and nothing is learnt from test rows."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdcore.data import (
    Choices,
    DataProblem,
    Dataset,
    Table,
    class_counts,
    feature_names,
    inputs,
    preparation,
    prepare,
    propose,
    read_table,
    select,
    split,
    to_dataset,
)
from mdcore.data.tables.proposals import propose_positive
from mdcore.data.tables.wording import reason

CSV = """id,age,height,colour,grade,town,label
1,31,1.70,red,2,Rome,yes
2,45,,green,1,Oslo,no
3,28,1.62,red,3,Rome,no
4,51,1.81,,2,Oslo,yes
5,39,1.75,blue,1,Rome,maybe
6,44,1.69,green,3,Oslo,no
7,25,1.66,red,1,Rome,yes
8,60,1.90,green,2,Oslo,no
9,33,1.58,blue,2,Rome,maybe
10,47,1.77,red,3,Oslo,yes
11,52,1.73,green,1,Oslo,
12,36,1.64,red,2,Rome,no
"""


@pytest.fixture
def table() -> Table:
    return read_table(CSV.encode(), "people.csv")


@pytest.fixture
def choices(table: Table) -> Choices:
    return propose(table)


def fitted(table: Table, choices: Choices):
    chosen = select(table, choices)
    made = preparation(table, choices).fit(chosen.X)
    return chosen, made, made.transform(chosen.X)


# Choices


def test_the_proposal_drops_the_index_and_guesses_the_target(choices):
    assert (choices.target, choices.dropped) == ("label", ("id",))
    assert [name for name, kind in choices.kinds if kind == "category"] == ["colour", "town", "label"]


@given(
    names=st.lists(st.text(min_size=1), min_size=3, max_size=6, unique=True),
    missing=st.sampled_from(["drop", "impute", "indicator"]),
    encoding=st.sampled_from(["one-hot", "ordinal", "drop"]),
    scaling=st.sampled_from(["none", "unit", "standard"]),
    threshold=st.none() | st.floats(allow_nan=False, allow_infinity=False),
    rest=st.booleans(),
    test=st.just(0.0) | st.floats(1e-6, 0.99),
    seed=st.integers(0, 2**32 - 1),
)
def test_choices_survive_json_and_are_keys(names, missing, encoding, scaling, threshold, rest, test, seed):
    target, dropped, *others = names
    given = Choices(
        target=target,
        kinds=tuple((name, "numeric") for name in others),
        dropped=(dropped,),
        missing=missing,
        encoding=encoding,
        scaling=scaling,
        classes=tuple(names[:2]),
        positive=names[0],
        rest=rest,
        threshold=threshold,
        test=test,
        seed=seed,
    )
    again = Choices.from_json(given.to_json())
    assert again == given
    assert {given: 1}[again] == 1


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"missing": "guess"}, "one of drop, impute, indicator"),
        ({"encoding": "hash"}, "one of one-hot, pooled, target, ordinal, drop"),
        ({"scaling": "log"}, "none, unit, standard"),
        ({"test": 1.0}, r"\[0, 1\)"),
        ({"seed": -1}, "seed must be an integer"),
        ({"threshold": float("nan")}, "finite number"),
        ({"kinds": (("age", "datum"),)}, "numeric or category or date"),
        ({"dropped": ("label",)}, "both the target and dropped"),
        ({"classes": ("yes",)}, "Keep 2 to 9"),
        ({"classes": tuple("abcdefghij")}, "Keep 2 to 9"),
        ({"classes": ("yes", "no"), "positive": "maybe"}, "not among the classes kept"),
    ],
)
def test_illegal_choices_say_what_is_legal(choices, changed, what):
    with pytest.raises(ValueError, match=what):
        replace(choices, **changed)


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"target": "a", "kinds": [], "colour": 1}'])
def test_json_that_is_no_choices(text):
    with pytest.raises(DataProblem, match=r"JSON|fields"):
        Choices.from_json(text)


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"target": "wage"}, "no column 'wage'"),
        ({"dropped": ("wage",)}, "no column 'wage'"),
        ({"classes": ("yes", "never")}, "no class 'never'"),
        ({"positive": "never"}, "no class 'never'"),
        ({"dropped": ("id", "age", "height", "colour", "grade", "town")}, "No column is left"),
        ({"dropped": ("id", "age", "height", "grade"), "encoding": "drop"}, "No column is left"),
    ],
)
def test_choices_that_do_not_fit_the_table(table, choices, changed, what):
    with pytest.raises(DataProblem, match=what):
        select(table, replace(choices, **changed))


# Rows and labels


def test_rows_without_a_label_leave_and_the_others_keep_their_numbers(table, choices):
    chosen = select(table, choices)
    assert chosen.rows.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11]
    assert chosen.X.index.tolist() == chosen.rows.tolist()
    assert chosen.y.tolist() == table.frame["label"][chosen.rows].tolist()
    assert (chosen.classes, chosen.positive) == (("maybe", "no", "yes"), "yes")
    assert class_counts(table, choices) == {"maybe": 2, "no": 5, "yes": 4}


def test_rows_with_gaps_are_dropped_on_request_alone(table, choices):
    chosen = select(table, replace(choices, missing="drop"))
    assert chosen.rows.tolist() == [0, 2, 4, 5, 6, 7, 8, 9, 11]
    without = replace(choices, missing="drop", dropped=("id", "height", "colour"))
    assert len(select(table, without).rows) == 11


def test_dropping_rows_may_leave_no_class(table, choices):
    emptied = table.frame.assign(height=table.frame["height"].where(table.frame["label"] != "yes"))
    with pytest.raises(DataProblem, match="none of them of class 'yes'"):
        select(replace(table, frame=emptied), replace(choices, missing="drop"))


def test_two_classes_are_kept_or_one_is_set_against_the_rest(table, choices):
    pair = select(table, replace(choices, classes=("no", "yes"), positive="no"))
    assert (pair.classes, pair.positive, len(pair.y)) == (("no", "yes"), "no", 9)
    rest = select(table, replace(choices, positive="maybe", rest=True))
    assert (rest.classes, rest.positive, len(rest.y)) == (("(rest)", "maybe"), "maybe", 11)
    assert np.sum(rest.y == "maybe") == 2


@pytest.mark.parametrize(
    ("classes", "positive", "why"),
    [
        ({"+": 70, "-": 30}, "+", "a positive name"),
        ({"neg": 3, "pos": 7}, "pos", "a positive name"),
        ({"No": 3, "Yes": 7}, "Yes", "a positive name"),
        ({"False": 3, "True": 7}, "True", "a positive name"),
        ({"case": 9, "control": 1}, "case", "a positive name"),
        ({"benign": 1, "malignant": 9}, "malignant", "a positive name"),
        ({"cancer": 9, "healthy": 1}, "cancer", "a negative name"),
        ({"0": 3, "1": 7}, "1", "largest"),
        ({"-1": 3, "1": 7}, "1", "largest"),
        ({"2": 3, "10": 7}, "10", "largest"),
        ({"<=50K": 3, ">50K": 7}, ">50K", "largest"),
        ({"bad": 300, "good": 700}, "bad", "rarest"),
        ({"B": 357, "M": 212}, "M", "rarest"),
        ({"F": 5, "M": 5}, "M", "last of the 2 rarest"),
        ({"setosa": 50, "versicolor": 50, "virginica": 50}, "virginica", "last of the 3 rarest"),
        ({"negative": 5, "neutral": 1, "positive": 5}, "positive", "a positive name"),
    ],
)
def test_the_proposed_positive_class_is_the_one_people_expect(classes, positive, why):
    proposed = propose_positive(classes)
    assert proposed.value == positive
    assert why in reason(proposed)


def test_the_proposed_positive_class_is_of_those_kept(choices):
    table = read_table(CSV.replace("yes", "ill").replace("no\n", "healthy\n").encode(), "people.csv")
    assert select(table, choices).positive == "ill"
    assert select(table, replace(choices, classes=("healthy", "maybe"))).positive == "maybe"


def test_a_numeric_target_is_cut_at_the_threshold(table, choices):
    kinds = tuple((name, "numeric" if name == "age" else kind) for name, kind in choices.kinds)
    chosen = select(table, replace(choices, target="age", kinds=kinds, threshold=40.0))
    assert chosen.classes == ("<= 40", "> 40")
    assert ((table.frame["age"][chosen.rows] > 40) == (chosen.y == "> 40")).all()


def test_whole_numbers_are_integer_labels(table, choices):
    kinds = tuple((name, "category" if name == "grade" else kind) for name, kind in choices.kinds)
    y = select(table, replace(choices, target="grade", kinds=kinds)).y
    assert y.dtype == np.int64
    assert y.tolist() == table.frame["grade"].tolist()


# Preparation


def test_a_column_can_be_called_a_category_or_a_number(table, choices):
    kinds = tuple((name, "category" if name == "grade" else kind) for name, kind in choices.kinds)
    _, made, _ = fitted(table, replace(choices, kinds=kinds))
    assert [name for name in feature_names(made) if name.startswith("grade")] == ["grade = 1", "grade = 2", "grade = 3"]
    numeric = replace(choices, kinds=tuple((name, "numeric") for name, _ in choices.kinds))
    assert inputs(table, replace(numeric, target="label"))["town"].isna().all()


def test_gaps_are_filled_with_median_and_most_frequent_level(table, choices):
    chosen, made, Z = fitted(table, replace(choices, scaling="none"))
    names = feature_names(made)
    assert names == (
        "age", "height", "grade", "colour = blue", "colour = green", "colour = red", "town = Oslo", "town = Rome",
    )  # fmt: skip
    assert Z[1, names.index("height")] == chosen.X["height"].median()
    assert Z[3, names.index("colour = red")] == 1


def test_gaps_are_marked_on_request(table, choices):
    _, made, Z = fitted(table, replace(choices, scaling="none", missing="indicator"))
    names = feature_names(made)
    assert np.flatnonzero(Z[:, names.index("height missing")]).tolist() == [1]
    assert np.flatnonzero(Z[:, names.index("colour = (missing)")]).tolist() == [3]


def test_categories_are_numbered_or_left_out_on_request(table, choices):
    _, made, Z = fitted(table, replace(choices, scaling="none", encoding="ordinal"))
    assert feature_names(made) == ("age", "height", "grade", "colour", "town")
    assert set(Z[:, 3]) == {0, 1, 2}
    _, made, _ = fitted(table, replace(choices, encoding="drop"))
    assert feature_names(made) == ("age", "height", "grade")


@pytest.mark.parametrize("missing", ["drop", "impute", "indicator"])
@pytest.mark.parametrize("encoding", ["one-hot", "ordinal", "drop"])
@pytest.mark.parametrize("scaling", ["none", "unit", "standard"])
def test_every_way_gives_finite_numbers_and_a_name_for_each(table, choices, missing, encoding, scaling):
    chosen, made, Z = fitted(table, replace(choices, missing=missing, encoding=encoding, scaling=scaling))
    assert Z.shape == (len(chosen.rows), len(feature_names(made)))
    assert np.isfinite(Z).all()
    if scaling == "standard":
        np.testing.assert_allclose(Z.mean(axis=0), 0, atol=1e-12)
    if scaling == "unit":
        assert (Z.min(), Z.max()) == (0, 1)


def test_nothing_is_learnt_from_test_rows(table, choices):
    """Arbitrary changes of test rows change no number of the training rows, and new levels add no columns."""
    chosen = select(table, choices)
    training, held_out = split(chosen.y, 0.3, 0)
    X = chosen.X.copy()
    X.iloc[held_out, X.columns.get_loc("age")] = 1e9
    X.iloc[held_out, X.columns.get_loc("colour")] = "ultraviolet"
    made = [preparation(table, choices).fit(rows.iloc[training]) for rows in (chosen.X, X)]
    assert feature_names(made[0]) == feature_names(made[1])
    np.testing.assert_array_equal(*(step.transform(chosen.X.iloc[training]) for step in made))
    strange = made[0].transform(X.iloc[held_out])
    plain = replace(choices, scaling="none")
    levels = preparation(table, plain).fit(X.iloc[training]).transform(X.iloc[held_out])
    names = feature_names(made[0])
    assert np.isfinite(strange).all()
    assert not levels[:, [j for j, name in enumerate(names) if name.startswith("colour")]].any()


def test_imputer_scaler_and_encoder_are_those_of_the_training_rows(table, choices):
    chosen = select(table, choices)
    training, _ = split(chosen.y, 0.3, 1)
    rows = chosen.X.iloc[training]
    made = preparation(table, choices).fit(rows)
    parts = made.named_steps["columns"].named_transformers_
    np.testing.assert_array_equal(parts["numbers"].statistics_, rows[["age", "height", "grade"]].median())
    levels = parts["categories"].named_steps["encoded"].categories_
    assert [list(found) for found in levels] == [sorted(rows[name].dropna().unique()) for name in ("colour", "town")]
    np.testing.assert_allclose(made.transform(rows).mean(axis=0), 0, atol=1e-12)


@pytest.mark.parametrize("scaling", ["none", "unit", "standard"])
def test_the_stage_sees_what_the_pipeline_makes(table, choices, scaling):
    """The dataset, scaled by the stage as chosen, equals the pipeline's output on the same split."""
    choices = replace(choices, scaling=scaling, test=0.3, seed=2)
    dataset = to_dataset(table, choices)
    assert isinstance(dataset, Dataset)
    on_stage = prepare(dataset, scaling=choices.scaling, test=choices.test, seed=choices.seed)
    chosen = select(table, choices)
    made = preparation(table, choices).fit(chosen.X.iloc[on_stage.train])
    assert dataset.features == feature_names(made)
    np.testing.assert_allclose(on_stage.X_train, made.transform(chosen.X.iloc[on_stage.train]), atol=1e-12)
    np.testing.assert_allclose(on_stage.X_test, made.transform(chosen.X.iloc[on_stage.test]), atol=1e-12)
    assert on_stage.y_train.tolist() == chosen.y[on_stage.train].tolist()


def test_a_preparation_too_wide_for_memory_is_refused(table, choices, monkeypatch):
    monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(available=2000))
    with pytest.raises(DataProblem, match="12 rows of 8 numbers") as problem:
        preparation(table, choices)
    assert "'colour' first" in problem.value.todo
