"""The multi-class page: it opens, and its additions to the message agree with the runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mdcore import Experiment
from mdcore.margins.bounds import multiclass_bound
from mdcore.margins.distribution import STATISTICS, MarginDistribution, common_edges
from mdcore.methods import METHODS
from mdcore.serving.stage.last_picture import LastPicture
from mdcore.serving.stage.message import decode
from mdcore.serving.stage.scene import Request, answer
from mdcore.serving.stage_pages.multiclass import BINS, MULTICLASS, numbers_of_classes
from tests.waiting import PATIENCE

SMALL = "data=blobs-k&each=12&classes=4&noise=0.5&seed=1&gamma=1"
ALL = f"{SMALL}&methods=mcodm,mcsvm,ova,ecoc"


def scene(
    query: str, before: LastPicture | None = None
) -> tuple[dict[str, Any], dict[str, np.ndarray], LastPicture | None]:
    message, drawn = answer(Request(query), before, MULTICLASS)
    return *decode(message), drawn


def finished(query: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the final picture: like the browser, ask again as long as something is missing."""
    header, sent, drawn = scene(query)
    while header["unfinished"]:
        header, sent, drawn = scene(query, drawn)
    return header, sent


def test_the_page_opens_on_mcodm_beside_others() -> None:
    page = AppTest.from_file("../frame.py", default_timeout=PATIENCE).run().switch_page("pages/multiclass.py").run()
    assert not page.exception
    Experiment.from_query(MULTICLASS.query).run()  # compiles, which a server does before; a picture's time is limited
    header, *_ = scene("")
    assert header["error"] is None
    assert header["methods"] == ["mcodm", "mcsvm", "ova"]
    assert header["offered"][:5] == ["mcodm", "mcsvm", "ova", "ovo", "ecoc"]
    assert sorted(header["offered"]) == sorted(METHODS)
    assert header["chips"] == 5
    assert {panel["status"] for panel in header["panels"]} == {"ok"}
    assert len(header["outer"]["path"]) > 2


def test_the_opening_shows_what_the_paper_says() -> None:
    """mcODM has a larger mean and a smaller variance than both SVMs, and no lower test accuracy."""
    runs = Experiment.from_query(MULTICLASS.query).run()
    ours = runs.pop("mcodm")
    for run in runs.values():
        assert ours.train.mean > run.train.mean
        assert ours.train.variance < run.train.variance
        assert ours.test.accuracy >= run.test.accuracy


def test_classes_part_the_margins() -> None:
    for key, run in Experiment.from_query(ALL).run().items():
        for part in ("train", "test"):
            whole, classes = getattr(run, part), run.by_class(part)
            labels = run.prepared.y_train if part == "train" else run.prepared.y_test
            assert [len(own) for own in classes] == [np.sum(labels == c) for c in range(4)], key
            np.testing.assert_array_equal(np.sort(np.concatenate([own.values for own in classes])), whole.ordered)
            weights = [len(own) / len(whole) for own in classes]
            assert np.dot(weights, [own.mean for own in classes]) == pytest.approx(whole.mean)
            assert np.dot(weights, [own.accuracy for own in classes]) == pytest.approx(whole.accuracy)
            assert {own.scale for own in classes} == {whole.scale}


def test_every_class_has_the_numbers_of_its_own_examples() -> None:
    header, sent, _ = scene(ALL)
    runs = Experiment.from_query(ALL).run()
    assert set(header["byClass"]) == set(runs)
    for key, run in runs.items():
        for part in ("train", "test"):
            for number, own in enumerate(run.by_class(part)):
                told = header["byClass"][key][part][number]
                assert told == {name: getattr(own, name) for name in STATISTICS}
                np.testing.assert_array_equal(sent[f"curve:{key}:{part}:{number}"], own.ordered)
            counts = [sent[f"count:{key}:{part}:{number}"] for number in range(4)]
            np.testing.assert_array_equal(np.sum(counts, axis=0), sent[f"count:{key}:{part}"])


def test_a_class_without_test_examples_has_no_statistics() -> None:
    header, *_ = scene(f"{SMALL}&methods=mcodm&test=0")
    assert header["byClass"]["mcodm"]["test"] == [dict.fromkeys(STATISTICS)] * 4


def test_outer_steps_and_the_bound_are_those_of_the_model() -> None:
    header, *_ = scene(f"{SMALL}&methods=mcodm,mcsvm&mcodm.lam=4096&mcodm.theta=0.2")
    run = Experiment.from_query(header["query"]).run()["mcodm"]
    path = header["outer"]["path"]
    assert path == run.model.path_.tolist()
    assert (np.diff(path) <= 0).all()
    assert header["outer"]["gap"] == run.model.gap_
    space = run.fit.space
    radius = np.sqrt(np.diagonal(space.gram).max())
    bound = multiclass_bound(MarginDistribution(run.fit.train, "functional"), run.model.norm_, radius, 4, 0.2)
    shown = header["bound"]
    assert shown["terms"] == pytest.approx(bound.terms)
    assert shown["value"] == pytest.approx(sum(bound.terms.values()))
    assert shown["vacuous"] is True
    assert scene(f"{SMALL}&methods=mcodm&scale=functional&mcodm.lam=4096&mcodm.theta=0.2")[0]["bound"] == shown


def test_without_mcodm_there_is_no_outer_step_and_no_bound() -> None:
    header, *_ = scene(f"{SMALL}&methods=mcsvm")
    assert header["outer"] is None
    assert header["bound"] is None


def test_every_number_of_classes_is_fitted_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mdcore.serving.stage_pages.multiclass.SLOW", np.inf)  # on a busy machine any fit may be slow
    header, sent = finished(ALL)
    growth = header["growth"]
    assert growth["now"] == 4
    assert not growth["waits"]
    assert [known["classes"] for known in growth["numbers"]] == [2, 3, 4, 5, 6, 7, 8]
    edges = np.array(growth["edges"])
    drawn = []
    for known in growth["numbers"]:
        k = known["classes"]
        runs = Experiment.from_query(f"{ALL}&".replace("classes=4", f"classes={k}")).run()
        assert list(known["methods"]) == list(runs)
        for key, run in runs.items():
            told = known["methods"][key]
            assert told["votes"] == run.votes
            assert told["train"]["mean"] == run.train.mean
            assert told["test"]["accuracy"] == run.test.accuracy
            assert run.votes == (key == "ecoc" and k > 2)
            assert (f"share:{key}:{k}" in sent) == (key != "ecoc")
            if key != "ecoc":
                np.testing.assert_allclose(sent[f"share:{key}:{k}"], run.train.counts(edges) / len(run.train))
                drawn.append(run.train)
    np.testing.assert_array_equal(edges, common_edges(drawn, BINS))
    assert all(share.sum() == pytest.approx(1.0) for name, share in sent.items() if name.startswith("share:"))


def test_a_picture_is_the_first_answer_and_the_rest_follows_with_the_same_sentence() -> None:
    query = f"{SMALL}&methods=mcodm&mcodm.lam=300"
    header, _, drawn = scene(query)
    known = [number["classes"] for number in header["growth"]["numbers"] if number["methods"]]
    assert known == [4], "a moved slider waits for no other number of classes"
    moved, _, drawn = scene(f"{SMALL}&methods=mcodm&mcodm.lam=301", drawn)
    again, _, _ = scene(f"{SMALL}&methods=mcodm&mcodm.lam=301", drawn)
    assert "λ 300 → 301" in moved["sentence"]
    assert again["sentence"] == moved["sentence"]
    count = [sum(bool(n["methods"]) for n in each["growth"]["numbers"]) for each in (moved, again)]
    assert count[1] > count[0] == 1


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("data=sectors&classes=3", {2: "2", 3: "3", 4: "4", 5: "5", 6: "6", 7: "7", 8: "8"}),
        ("data=iris", {2: "setosa,versicolor", 3: "all"}),
        ("data=wine&keep=class_0,class_1", {2: "class_0,class_1", 3: "all"}),
        ("data=digits", {k: ",".join(map(str, range(k))) for k in range(2, 10)} | {10: "all"}),
        ("data=moons", {}),
        ("data=waveform", {}),
    ],
)
def test_numbers_of_classes_are_those_a_source_can_have(query: str, numbers: dict[int, str]) -> None:
    experiment = Experiment.from_query(query, opening=MULTICLASS.query)
    found = numbers_of_classes(experiment)
    chosen = {k: dict(other.data.options) for k, other in found.items()}
    assert {k: str(options.get("classes", options.get("keep"))) for k, options in chosen.items()} == numbers
    for k, other in found.items():
        assert len(other.prepare().dataset.classes) == k


def test_data_of_two_classes_are_shown_too() -> None:
    header, sent = finished("data=moons&n=40&methods=svm,mcodm")
    assert header["growth"] == {"edges": header["growth"]["edges"], "now": None, "numbers": [], "waits": False}
    assert {"field:svm", "field:mcodm", "curve:svm:train:1"} <= set(sent)


def test_a_method_that_takes_two_classes_only_says_so_and_leaves_the_rest() -> None:
    header, _ = finished(f"{SMALL}&methods=svm,mcodm")
    assert [panel["status"] for panel in header["panels"]] == ["failed", "ok"]
    assert list(header["byClass"]) == ["mcodm"]
    methods = {known["classes"]: list(known["methods"]) for known in header["growth"]["numbers"]}
    assert methods[2] == ["svm", "mcodm"]
    assert methods[5] == ["mcodm"]


def test_after_a_slow_fit_none_with_more_classes_is_made_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exhaustive code doubles with every class: a visitor with three classes must not pay for more."""
    query = f"{SMALL}&methods=ecoc&ecoc.C=31".replace("classes=4", "classes=3")
    monkeypatch.setattr("mdcore.serving.stage_pages.multiclass.SLOW", -1.0)
    monkeypatch.setattr("mdcore.serving.stage_pages.multiclass.MOMENT", -1.0)
    growth = finished(query)[0]["growth"]
    assert growth["waits"]
    assert [number["classes"] for number in growth["numbers"] if number["methods"]] == [2, 3]
    monkeypatch.setattr("mdcore.serving.stage_pages.multiclass.SLOW", 60.0)
    growth = finished(query)[0]["growth"]
    assert not growth["waits"]
    assert all(number["methods"] for number in growth["numbers"])
