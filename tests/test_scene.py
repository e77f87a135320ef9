"""Messages to the browser contain the numbers of the runs, and reasons instead of tracebacks."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, quote

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mdcore import METHODS, Experiment
from mdcore.experiment.projection import distance_view
from mdcore.margins.distribution import STATISTICS
from mdcore.serving.stage.catalog import catalog
from mdcore.serving.stage.last_picture import LastPicture
from mdcore.serving.stage.message import CODES, decode, encode
from mdcore.serving.stage.scene import Request, answer

SMALL = "data=moons&n=60&noise=0.3&seed=0&gamma=1"
ALL = SMALL + "&methods=svm,ldm,odm,msvmav"


def scene(query: str, before: LastPicture | None = None, **request):  # type: ignore[no-untyped-def]
    message, drawn = answer(Request(query, **request), before)
    return *decode(message), drawn


@given(
    st.dictionaries(
        st.text(min_size=1, max_size=8),
        st.sampled_from(sorted(CODES)).flatmap(lambda name: arrays(name, st.integers(0, 20))),
        max_size=5,
    ),
    st.text(max_size=40),
)
def test_a_message_arrives_as_it_was_sent(sent: dict, note: str) -> None:
    header, received = decode(encode({"note": note}, sent))
    assert header["note"] == note
    assert sorted(received) == sorted(sent)
    for name, array in sent.items():
        assert received[name].dtype == array.dtype
        assert received[name].tobytes() == array.tobytes()


def test_every_statistic_is_that_of_the_run_to_the_last_digit() -> None:
    header, *_ = scene(ALL)
    runs = Experiment.from_query(ALL).run()
    for panel in header["panels"]:
        for part in ("train", "test"):
            for name in STATISTICS:
                assert panel["stats"][part][name] == getattr(getattr(runs[panel["key"]], part), name)


def test_margins_curves_and_counts_describe_the_same_examples() -> None:
    header, sent, _ = scene(ALL)
    train = header["split"]["train"]
    edges = np.array(header["histogram"]["edges"])
    assert 0.0 in edges
    for panel in header["panels"]:
        margins = sent[f"margin:{panel['key']}"]
        for part, values in (("train", margins[:train]), ("test", margins[train:])):
            assert np.array_equal(sent[f"curve:{panel['key']}:{part}"], np.sort(values))
            assert sent[f"count:{panel['key']}:{part}"].sum() == len(values)
            assert np.array_equal(sent[f"count:{panel['key']}:{part}"], np.histogram(values, edges)[0])


def test_the_field_is_f_within_its_rounding_and_limits() -> None:
    header, sent, _ = scene(ALL)
    runs = Experiment.from_query(ALL).run()
    plane = header["plane"]
    xs, ys = (np.linspace(plane[axis]["low"], plane[axis]["high"], 100) for axis in "xy")
    for panel in header["panels"]:
        limit = 32000 / panel["fieldScale"]
        assert limit >= 4 * panel["levels"][2]
        expected = np.clip(runs[panel["key"]].field(xs, ys), -limit, limit)
        received = sent[f"field:{panel['key']}"].reshape(100, 100) / panel["fieldScale"]
        assert np.abs(received - expected).max() <= 0.51 / panel["fieldScale"]


def test_a_steep_field_is_not_clipped_where_its_contour_is_interpolated() -> None:
    """On overlapping classes ROMMA ends with such a large w that f crosses the outer contours between two nodes."""
    query = "data=moons&n=100&noise=0.4&kernel=linear&methods=romma"
    header, sent, _ = scene(query)
    (panel,) = header["panels"]
    xs, ys = (np.linspace(header["plane"][axis]["low"], header["plane"][axis]["high"], 100) for axis in "xy")
    f = Experiment.from_query(query).run()["romma"].field(xs, ys)
    crossing = f[:, 1:] * f[:, :-1] < 0
    assert np.abs(f[:, 1:][crossing]).max() > 4 * panel["levels"][2], "steep enough to matter"
    received = sent["field:romma"].reshape(100, 100) / panel["fieldScale"]
    assert np.allclose(received[:, 1:][crossing], f[:, 1:][crossing], atol=1 / panel["fieldScale"])


def test_a_faint_field_has_its_boundary() -> None:
    """Parameters far outside their grids can make f ten million times smaller than the outer contours."""
    header, sent, _ = scene("data=moons&n=100&methods=svm&svm.C=1e-8")
    (panel,) = header["panels"]
    xs, ys = (np.linspace(header["plane"][axis]["low"], header["plane"][axis]["high"], 100) for axis in "xy")
    f = Experiment.from_query("data=moons&n=100&methods=svm&svm.C=1e-8").run()["svm"].field(xs, ys)
    received = sent["field:svm"].reshape(100, 100)
    assert np.abs(f).max() < 1e-5 * panel["levels"][2], "faint enough to matter"
    assert np.array_equal(
        np.sign(received)[np.abs(f) > 1e-3 * np.abs(f).max()], np.sign(f)[np.abs(f) > 1e-3 * np.abs(f).max()]
    )
    assert 0.05 < np.mean(received > 0) < 0.95


def test_points_carry_class_part_and_row() -> None:
    header, sent, _ = scene(SMALL)
    prepared = Experiment.from_query(SMALL).prepare()
    assert np.array_equal(sent["row"], np.concatenate([prepared.train, prepared.test]))
    assert np.array_equal(sent["part"], np.repeat([0, 1], [len(prepared.train), len(prepared.test)]))
    assert [header["classes"][code] for code in sent["label"]] == [
        str(label) for label in np.concatenate([prepared.y_train, prepared.y_test])
    ]


def test_the_window_stays_while_a_point_is_dragged_inside_it() -> None:
    before, *_ = scene(SMALL)
    x, y = before["plane"]["x"], before["plane"]["y"]
    corner, *_ = scene(f"{SMALL}&edits=m_0_{x['high'] - 1e-6!r}_{y['low'] + 1e-6!r}")
    outside, *_ = scene(f"{SMALL}&edits=m_0_{x['high'] + 1!r}_{y['low']!r}")
    assert corner["plane"] == before["plane"]
    assert outside["plane"]["x"]["high"] > x["high"] + 1


def test_a_bad_request_names_its_key_and_leaves_the_picture() -> None:
    _, _, drawn = scene(SMALL)
    header, sent, still = scene(SMALL + "&gamma=-1&gamma=2", drawn, id=7)
    assert header["id"] == 7
    assert header["error"]["key"] == "gamma"
    assert "panels" not in header
    assert sent == {}
    assert still is drawn


def test_a_bad_address_opens_on_the_opening_picture_with_the_reason() -> None:
    header, _, drawn = scene("data=nowhere")
    assert header["error"]["key"] == "data"
    assert [panel["status"] for panel in header["panels"]] == ["ok", "ok"]
    assert drawn is not None


def test_a_method_that_cannot_run_says_why_and_keeps_its_place() -> None:
    header, sent, _ = scene(SMALL + "&kernel=linear&methods=ldm,svm&svm.C=inf")
    assert [panel["status"] for panel in header["panels"]] == ["ok", "failed"]
    assert "finite C" in header["panels"][1]["message"]
    assert "field:svm" not in sent
    three, *_ = scene("data=iris")
    assert {panel["status"] for panel in three["panels"]} == {"failed"}
    assert "the data have 3" in three["panels"][0]["message"]


def test_an_unfinished_solve_says_so() -> None:
    header, *_ = scene("data=moons&n=200&gamma=1&methods=msvmav")
    (panel,) = header["panels"]
    run = Experiment.from_query("data=moons&n=200&gamma=1&methods=msvmav").run()["msvmav"]
    assert panel["badge"]["converged"] == run.model.converged_
    assert (panel["status"] == "ok") == run.model.converged_
    assert (panel["message"] == "") == run.model.converged_


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_more_than_two_features_are_shown_by_their_exact_signed_distance(kernel: str) -> None:
    header, sent, _ = scene(f"data=breast-cancer&kernel={kernel}&methods=svm")
    assert header["plane"]["kind"] == "distance"
    assert not header["canEdit"]
    sign = np.where(sent["label"] == 1, 1.0, -1.0)
    np.testing.assert_allclose(sign * sent["x:svm"], sent["margin:svm"], rtol=1e-6, atol=1e-6)
    window = header["panels"][0]["window"]
    assert window["x"]["low"] < min(0.0, sent["x:svm"].min())
    assert window["x"]["high"] > max(0.0, sent["x:svm"].max())


def test_a_pin_is_a_whole_state_with_its_own_numbers() -> None:
    pinned = SMALL + "&methods=ldm&ldm.lambda1=1"
    header, sent, _ = scene(f"{SMALL}&methods=ldm&ldm.lambda1=64&view.pin2={quote(pinned)}")
    (pin,) = header["pins"]
    run = Experiment.from_query(pinned).run()["ldm"]
    assert pin["slot"] == "view.pin2"
    assert pin["label"] == "LDM λ₁ = 1"
    assert pin["panels"][0]["stats"]["train"]["variance"] == run.train.variance
    assert np.array_equal(sent["pin2:curve:ldm:train"], run.train.ordered)
    assert Experiment.from_query(pin["query"]) == Experiment.from_query(pinned)


def test_the_probe_tells_how_much_of_the_picture_changed_side() -> None:
    moved = f"{SMALL}&methods=svm&svm.C=100&edits=m_0_0.5_-1.2&view.probe=0"
    header, *_ = scene(moved)
    plane = header["plane"]
    xs, ys = (np.linspace(plane[axis]["low"], plane[axis]["high"], 100) for axis in "xy")
    now = Experiment.from_query(moved).run()["svm"].field(xs, ys) > 0
    then = Experiment.from_query(f"{SMALL}&methods=svm&svm.C=100").run()["svm"].field(xs, ys) > 0
    assert header["probe"] == {"row": 0, "turned": {"svm": np.mean(now != then)}}
    assert scene(f"{SMALL}&view.probe=0")[0]["probe"]["turned"] == {"svm": 0.0, "ldm": 0.0}


def test_the_catalogue_travels_once() -> None:
    first, *_ = scene(SMALL)
    again, *_ = scene(SMALL, have=first["catalogHash"])
    assert "catalog" in first
    assert "catalog" not in again
    assert [method["key"] for method in first["catalog"]["methods"]] == list(METHODS)


def test_the_label_of_a_pin_names_settings_as_their_controls_do() -> None:
    now = "data=moons&n=40&noise=0.3&seed=0&gamma=1&methods=svm&svm.C=1"
    before = now.replace("noise=0.3", "noise=0.1").replace("gamma=1", "gamma=4").replace("C=1", "C=inf")
    for pinned, label in ((before, "γ = 4, σ = 0.1, SVM C = ∞"), (now.replace("moons", "circles"), "Circles")):
        header, *_ = scene(f"{now}&view.pin1={quote(pinned)}")
        assert header["pins"][0]["label"].startswith(label)


def test_a_methods_choice_is_a_control_a_value_and_part_of_a_pins_label() -> None:
    first, _, drawn = scene(f"{SMALL}&methods=mamc")
    (control,) = [
        control
        for method in first["catalog"]["methods"]
        for control in method["params"]
        if control["name"] == "mamc.bias"
    ]
    assert (control["kind"], control["options"]) == ("choice", ["optimal", "mean", "zero"])
    assert first["drawn"]["mamc.bias"] == first["values"]["mamc.bias"] == control["default"] == "optimal"
    pinned = quote(f"{SMALL}&methods=mamc&mamc.bias=zero")
    second, *_ = scene(f"{SMALL}&methods=mamc&mamc.bias=mean&view.pin1={pinned}", drawn)
    assert second["sentence"].startswith("MAMC, b optimal → mean: ")
    assert second["pins"][0]["label"] == "MAMC b = zero"


def test_the_catalogue_has_every_control_a_query_takes() -> None:
    _, content = catalog()
    names = {control["name"] for control in content["common"]}
    names |= {control["name"] for source in content["sources"] for control in source["options"]}
    names |= {control["name"] for method in content["methods"] for control in method["params"]}
    header, *_ = scene(SMALL)
    assert set(header["values"]) - {"data"} <= names | {"seed"}
    assert header["drawn"]["svm.C"] == 10.0
    assert Experiment.from_query(header["query"]) == Experiment.from_query(SMALL)


CLOUDS = "data=blobs-k&seed=0&gamma=1&classes=4"
MULTICLASS = [key for key, method in METHODS.items() if method.multiclass]


@pytest.mark.parametrize("key", MULTICLASS)
def test_several_classes_are_drawn_as_regions(key: str) -> None:
    query = f"{CLOUDS}&methods={key}&view.pin1={quote(f'{CLOUDS}&methods={key}')}&view.probe=0"
    header, sent, _ = scene(query)
    run = Experiment.from_query(query).run()[key]
    (panel,) = header["panels"]
    region, certainty = (sent[f"{name}:{key}"].reshape(100, 100) for name in ("region", "certainty"))
    xs, ys = (np.linspace(header["plane"][axis]["low"], header["plane"][axis]["high"], 100) for axis in "xy")
    grid = np.column_stack([axis.ravel() for axis in np.meshgrid(xs, ys)])
    assert panel["regions"]
    assert panel["status"] != "failed"
    assert len(header["classes"]) == 4
    assert region.dtype == certainty.dtype == np.uint8
    assert f"field:{key}" not in sent
    np.testing.assert_array_equal(run.model.classes_[region.ravel()], run.model.predict(grid))
    ordered = np.sort(run.model.scores(grid), axis=1)
    ahead = np.clip(ordered[:, -1] - ordered[:, -2], 0.0, 1.0) * 255
    assert np.abs(certainty.ravel() - ahead).max() <= 0.5 + 1e-6
    assert header["probe"] == {"row": 0, "turned": {key: 0.0}}


@pytest.mark.parametrize("key", MULTICLASS)
def test_the_distances_of_a_multiclass_method_are_those_to_the_boundary_of_its_f(key: str) -> None:
    query = f"data=twonorm&n=60&seed=0&methods={key}&scale=functional"
    _, sent, _ = scene(query)
    run = Experiment.from_query(query).run()[key]
    sign = np.where(sent["label"] == 1, 1.0, -1.0)
    x = sign * sent[f"margin:{key}"] / run.model.distance_norm()
    np.testing.assert_allclose(sent[f"x:{key}"], x, rtol=1e-5, atol=1e-6)


FLAT = "data=imbalanced&n=100&noise=2.5&balance=0.2&seed=0&kernel=linear&methods=svm,mamc"


def test_a_method_without_a_boundary_has_no_margins_but_its_accuracy_and_errors() -> None:
    header, sent, _ = scene(FLAT)
    flat, other = header["panels"]
    assert [flat["key"], flat["ruler"]] == ["svm", ""]
    assert flat["message"].startswith("For SVM there is no boundary: f is constant")
    stats = flat["stats"]["train"]
    assert [name for name, value in stats.items() if value is not None] == ["accuracy"]
    assert stats["accuracy"] == np.mean(sent["predicted:svm"][sent["part"] == 0] == sent["label"][sent["part"] == 0])
    assert not [name for name in sent if name.startswith(("margin:svm", "count:svm", "curve:svm"))]
    assert other["stats"]["train"]["mean"] is not None
    functional, arrays, _ = scene(f"{FLAT}&scale=functional")
    assert "margin:svm" in arrays
    assert functional["panels"][0]["stats"]["train"]["mean"] is not None


def test_without_a_boundary_the_view_by_distance_shows_f_itself() -> None:
    X, f = np.random.default_rng(0).normal(size=(10, 3)), np.full(10, -0.9)
    view = distance_view(X, 8, f, np.nan, np.zeros(3), "SVM's boundary")
    assert view.labels[0] == "f(x), a constant"
    assert "SVM's boundary does not exist" in view.note
    np.testing.assert_array_equal(view.points[:, 0], f)
    assert view.slope == 1.0


def test_panels_name_the_unit_of_their_margins() -> None:
    header, *_ = scene(f"{CLOUDS}&methods=mcsvm,ovo")
    first, second = header["panels"]
    assert first["ruler"] == "distance in the space of the rbf kernel, γ = 1"
    assert second["ruler"] == "share of votes"


def test_a_method_of_two_classes_is_drawn_and_named_one_versus_rest_where_it_is_asked_to() -> None:
    header, *_ = scene(f"{CLOUDS}&methods=svm,linearldm&several=one-versus-rest")
    assert header["values"]["several"] == "one-versus-rest"
    for panel in header["panels"]:
        assert panel["status"] == "ok"
        assert panel["regions"]
        assert panel["name"].endswith(", one-versus-rest")
    refused, *_ = scene(f"{CLOUDS}&methods=svm")
    assert "Set several classes to one-versus-rest" in refused["panels"][0]["message"]


@pytest.mark.parametrize("key", MULTICLASS)
def test_two_classes_are_drawn_with_the_f_of_a_multiclass_method(key: str) -> None:
    for query in (SMALL, "data=twonorm&n=60&seed=0"):
        header, sent, _ = scene(f"{query}&methods={key}")
        (panel,) = header["panels"]
        assert panel["status"] == "ok"
        assert not panel["regions"]
        assert f"field:{key}" in sent
        assert f"region:{key}" not in sent


def test_several_classes_in_many_features_are_drawn_where_they_lie() -> None:
    """In the plane of two components there are no regions to draw, so the predicted classes are sent."""
    query = "data=iris&methods=svm,mcsvm,mcodm&gamma=distance"
    header, sent, _ = scene(query)
    two, *several = header["panels"]
    assert two["status"] == "failed"
    assert "the data have 3" in two["message"]
    assert header["plane"]["kind"] == "components"
    assert not header["canEdit"]
    experiment = Experiment.from_query(query)
    prepared = experiment.prepare()
    X = np.vstack([prepared.X_train, prepared.X_test])
    centred = X - prepared.X_train.mean(axis=0)
    _, _, directions = np.linalg.svd(prepared.X_train - prepared.X_train.mean(axis=0))
    for axis, direction in zip("xy", directions, strict=False):
        assert np.allclose(np.abs(sent[axis]), np.abs(centred @ direction), atol=1e-5)
        window = header["plane"][axis]
        assert window["low"] < sent[axis].min() <= sent[axis].max() < window["high"]
    wrong = []
    for panel in several:
        key, run = panel["key"], experiment.run_method(panel["key"])
        assert not {f"region:{key}", f"certainty:{key}", f"field:{key}"} & set(sent)
        np.testing.assert_array_equal(
            np.array(prepared.dataset.classes)[sent[f"predicted:{key}"]], run.model.predict(X)
        )
        errors = sent[f"predicted:{key}"] != sent["label"]
        np.testing.assert_array_equal(errors, sent[f"margin:{key}"] <= 0)
        wrong.append(errors.sum())
    assert max(wrong) > 0


def test_methods_left_out_are_those_of_the_opening() -> None:
    opening = "data=blobs-k&methods=mcodm,ova"
    assert Experiment.from_query("data=iris", opening=opening).methods == ("mcodm", "ova")
    assert Experiment.from_query("data=iris").methods == ("svm", "ldm")


def test_a_sentence_begins_with_a_capital_and_leaves_names_alone() -> None:
    header, *_ = scene("data=iris&methods=mcodm,ecoc")
    assert header["sentence"].startswith("mcODM's training margins have mean ")
    assert header["sentence"].endswith("Margins that count votes (ecocSVM) are not compared: their units differ.")
    header, *_ = scene("data=iris&methods=mcodm,mcsvm")
    assert header["sentence"].startswith("On the geometric scale ")


@pytest.mark.parametrize("pin", ["", f"&view.pin1={quote(SMALL)}"])
def test_the_query_of_a_picture_is_parsed_once(pin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in a drag, whose start and pins are states that earlier pictures have shown."""
    _, last = answer(Request(f"{SMALL}&svm.C=2{pin}", gesture=1), None)
    _, last = answer(Request(f"{SMALL}&svm.C=3{pin}", gesture=2), last)
    parsed: list[str] = []

    def count(text: str, **options: Any) -> list[tuple[str, str]]:
        parsed.append(text)
        return parse_qsl(text, **options)

    monkeypatch.setattr("mdcore.experiment.query.parse_qsl", count)
    request = Request(f"{SMALL}&svm.C=4{pin}", gesture=2, held=True)
    message, _ = answer(request, last)
    assert decode(message)[0]["error"] is None
    assert parsed == [request.query]


def test_what_has_not_changed_is_not_sent_again() -> None:
    first, sent, last = scene(f"{ALL}&svm.C=2")
    assert first["kept"] == []
    again, moved, _ = scene(f"{ALL}&svm.C=3", last)
    assert {*again["kept"]} | {*moved} == {*sent}
    assert {name for name in moved if ":" in name} == {name for name in sent if ":svm" in name}
    assert not {*again["kept"]} & {*moved}
    whole = scene(f"{ALL}&svm.C=3")[1]
    for name in (kept for kept in again["kept"] if not kept.startswith("count")):  # bins of a first picture differ
        np.testing.assert_array_equal(whole[name], sent[name])


def test_other_data_and_a_first_picture_are_sent_whole() -> None:
    _, sent, last = scene(ALL)
    other, arrays, _ = scene(ALL.replace("seed=0", "seed=1"), last)
    assert other["kept"] == []
    assert {*arrays} == {*sent}


def test_a_pin_and_a_wider_axis_are_sent_although_the_method_stays() -> None:
    query = f"{SMALL}&methods=svm,ldm&svm.C=2"
    _, _, last = scene(query)
    header, arrays, _ = scene(f"{query}&view.pin1={quote(query)}", last)
    assert "pin1:curve:ldm:train" in arrays
    assert "curve:ldm:train" in header["kept"]
    wide, arrays, _ = scene(f"{SMALL}&methods=svm,ldm&svm.C=4096&scale=functional", last)
    assert "count:ldm:train" not in wide["kept"]
    assert len(arrays["count:ldm:train"]) == len(wide["histogram"]["edges"]) - 1
