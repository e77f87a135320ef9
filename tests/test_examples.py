"""The named examples can be drawn, and their claims are true."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from mdcore import Experiment
from mdcore.experiment.majority import beats_majority
from mdcore.experiment.query import OPENING, parse_query
from mdcore.experiment.run import Run
from mdcore.methods import METHODS
from mdcore.serving.stage.examples import EXAMPLES, OPENING_QUERIES, with_opening
from mdcore.serving.stage.message import decode
from mdcore.serving.stage.scene import Request, answer
from mdcore.serving.stage_pages.multiclass import MULTICLASS
from mdcore.serving.stage_pages.online import ONLINE

BY_TITLE = {example.title: example for example in EXAMPLES}
PARTS = np.linspace(0.1, 0.9, 17)


@cache
def runs(query: str) -> dict[str, Run]:
    return Experiment.from_query(query).run()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.title)
def test_every_example_is_drawn_and_says_its_words(example) -> None:  # type: ignore[no-untyped-def]
    header, _ = decode(answer(Request(example.query), None)[0])
    assert header["error"] is None
    assert header["sentence"].endswith(example.words)


def test_the_opening_shows_what_the_field_claims_and_says_where_it_is_not_so() -> None:
    svm, ldm = runs(OPENING).values()
    assert ldm.train.mean > svm.train.mean
    assert ldm.train.variance < svm.train.variance
    assert np.mean(ldm.train.quantile(PARTS) > svm.train.quantile(PARTS)) > 0.75, "to the right"
    assert ldm.test.accuracy >= svm.test.accuracy
    other = Experiment.from_query(OPENING).with_param("ldm", "lambda2", 64.0).run_method("ldm")
    assert svm.train.mean > other.train.mean, "as the words say"


@pytest.mark.parametrize(
    "query", [*(example.query for example in EXAMPLES), *OPENING_QUERIES.values(), MULTICLASS.query, ONLINE.query]
)
def test_what_opens_side_by_side_has_equal_costs(query: str) -> None:
    """C of the methods whose loss it multiplies example by example, and the shortfall that online learners allow."""
    experiment = Experiment.from_query(query)
    for name in ("C", "delta"):
        assert len({values[name] for key in experiment.methods if name in (values := experiment.settings(key))}) <= 1


def test_at_one_outlier_svm_turns_and_ldm_does_not_and_the_sentence_says_by_how_much() -> None:
    query = BY_TITLE["An outlier"].query
    given = parse_query(query)
    assert (given["kernel"], with_opening({"data": "one-outlier"}, several=False)) == ("linear", given)
    assert OPENING_QUERIES["one-outlier"] == query
    header, _ = decode(answer(Request(query), None)[0])
    turned = header["probe"]["turned"]
    assert turned["svm"] > 5 * turned["ldm"]
    assert "SVM's boundary turns by 31" in header["sentence"]
    assert "SVM follows one example, LDM hardly does, at parameter settings that are not tuned." in header["sentence"]


@pytest.mark.parametrize("source", OPENING_QUERIES)
def test_a_source_with_an_opening_of_its_own_teaches_every_method_something(source: str) -> None:
    for run in Experiment.from_texts(with_opening({"data": source}, several=False)).run().values():
        assert beats_majority(run), run.name


@pytest.mark.parametrize(("query", "keep"), [("data=digits", "3,8"), ("data=iris&seed=3", "setosa,versicolor")])
def test_an_address_of_many_classes_opens_on_a_pair_where_the_page_is_for_two(query: str, keep: str) -> None:
    given = parse_query(query)
    assert with_opening(given, several=False) == given | {"keep": keep}
    for unchanged, several in [(given, True), (given | {"methods": "mcsvm"}, False), (given | {"keep": "all"}, False)]:
        assert with_opening(unchanged, several=several) == unchanged


def test_a_larger_lambda1_shrinks_the_variance_of_the_pinned_state() -> None:
    example = BY_TITLE["λ₁ shrinks the variance"]
    before = runs(parse_query(example.query)["view.pin1"])["ldm"]
    now = runs(example.query)["ldm"]
    assert now.train.variance < 0.6 * before.train.variance
    header, _ = decode(answer(Request(example.query), None)[0])
    assert header["sentence"].startswith("Since pin 1: LDM, λ₁ 0 → 256: the geometric margins narrow")


def test_lambda2_raises_the_functional_mean_while_the_geometric_one_falls() -> None:
    example = BY_TITLE["λ₂ on two scales"]
    before = runs(parse_query(example.query)["view.pin1"])["ldm"]
    now = runs(example.query)["ldm"]
    assert now.fit.train.mean() > before.fit.train.mean()
    assert now.train.mean < before.train.mean
    header, _ = decode(answer(Request(example.query), None)[0])
    assert "This raises the functional mean; ‖w‖ grows faster, so the geometric mean falls." in header["sentence"]


@pytest.mark.parametrize("query", [OPENING, MULTICLASS.query, *(example.query for example in EXAMPLES)])
def test_machines_that_open_beside_each_other_have_the_same_price(query: str) -> None:
    """Methods whose C is the price of the hinge loss of an example; others have no parameter that is comparable."""
    experiment = Experiment.from_query(query)
    offered = MULTICLASS.methods if query == MULTICLASS.query else ()
    assert (
        len(
            {
                experiment.settings(key)["C"]
                for key in (*experiment.methods, *offered)
                if "C" in experiment.settings(key)
            }
        )
        <= 1
    )


def test_the_default_price_is_the_same_for_all_methods() -> None:
    assert {param.default for method in METHODS.values() for param in method.params if param.name == "C"} == {10.0}
