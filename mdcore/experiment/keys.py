"""The settings of an experiment by key: one table for the query string, code, controls and the browser.

Three parts of an experiment are not settings and have their own form: the source of the data, which determines its
options, the edits made by hand, and the methods.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from mdcore.basics.text import quoted
from mdcore.data import SCALING, SEED, TEST, Source
from mdcore.data import edits as hand
from mdcore.experiment.picture_fits import Decided
from mdcore.experiment.query import BIAS, METHOD_LIMIT, SCALE, STEP, BadKey, number_text
from mdcore.methods import METHODS
from mdcore.methods.one_versus_rest import SEVERAL
from mdcore.spaces.kernels import COEF0, DEGREE, GAMMA, GAMMA_WORDS, KERNEL
from mdcore.spec import Param, Setting

if TYPE_CHECKING:
    from mdcore.experiment.experiment import Experiment

NEVER = object()


@dataclass(frozen=True)
class Key:
    """One key: functions that parse its value, check it, get it from an experiment, put it into one and write it.

    `setting` describes the control, `group` is where the browser shows it, `words` are legal values beside numbers, and
    `omitted` is a value that is not written.
    """

    name: str
    parse: Callable[[str], Any]
    check: Callable[[Any], Any]
    get: Callable[[Experiment], Any]
    put: Callable[[Experiment, Any], Experiment]
    text: Callable[[Any], str] = number_text
    setting: Setting | None = None
    group: str = ""
    words: tuple[str, ...] = ()
    omitted: Any = NEVER

    def read(self, text: str) -> Any:
        """Return the value of a text; raise a BadKey that names the key if it is not legal."""
        return self._named(self.parse, text)

    def checked(self, value: Any) -> Any:
        """Return a value in its own type; raise a BadKey that names the key if it is not legal."""
        return value if value == self.omitted else self._named(self.check, value)

    def _named(self, take: Callable[[Any], Any], value: Any) -> Any:
        try:
            return take(value)
        except ValueError as error:
            raise BadKey(self.name, str(error)) from None


def keys_on(source: Source) -> dict[str, Key]:
    """Return all keys of experiments on a source, except the parameters of methods."""
    return COMMON | _option_keys(source)


def find_key(known: Mapping[str, Key], name: str) -> Key:
    """Return the key with a name, among the `known` keys or those of a method; raise a BadKey if there is none."""
    if name in known:
        return known[name]
    if "." not in name:
        found = "no setting of these data, the kernel or the view has this name"
        raise BadKey(name, f"Unknown key {quoted(name)}: {found}. Parameters of methods are written as in svm.C.")
    method, _, param = name.partition(".")
    if method not in METHODS:
        raise BadKey(name, f"{quoted(name)}: unknown method {quoted(method)}; the methods are {', '.join(METHODS)}.")
    params = method_keys(method)
    if name not in params:
        has = ", ".join(setting.name for setting in METHODS[method].params)
        raise BadKey(name, f"{METHODS[method].name} has no parameter {quoted(param)}; its parameters are {has}.")
    return params[name]


def written_keys(experiment: Experiment) -> Iterator[Key]:
    """Yield the keys of an experiment's address in order: data, split and kernel, methods and parameters, view."""
    yield from (_option_keys(experiment.data.record) | _group("data")).values()
    yield from (_group("split") | _group("kernel")).values()
    yield METHODS_KEY
    for method, _ in experiment.params:
        yield from method_keys(method).values()
    yield from _group("view").values()


def control_keys(experiment: Experiment) -> Iterator[Key]:
    """Yield every key with a control, including the parameters of methods that are not shown."""
    yield from (key for key in keys_on(experiment.data.record).values() if key.setting)
    for method in METHODS:
        yield from method_keys(method).values()


def _option_keys(source: Source) -> dict[str, Key]:
    return {option.name: _of_option(option) for option in source.options}


def _group(group: str) -> dict[str, Key]:
    return {key.name: key for key in SETTINGS if key.group == group}


@cache
def method_keys(method: str) -> dict[str, Key]:
    """Return the keys of a method's parameters."""
    keys = [_of_param(method, setting) for setting in METHODS[method].params]
    return {key.name: key for key in keys}


def _of_setting(setting: Setting, part: str, field: str, group: str, **more: Any) -> Key:
    """Return the key of a field of the experiment, or, if `part` is given, of a field of that part."""
    words = more.get("words", ())

    def check(value: Any) -> Any:
        return value if value in words else _plain(setting, setting.check(value, "query"))

    def parse(text: str) -> Any:
        return text if text in words else _plain(setting, setting.parse(text, "query"))

    def get(experiment: Experiment) -> Any:
        return getattr(getattr(experiment, part) if part else experiment, field)

    def put(experiment: Experiment, value: Any) -> Experiment:
        if not part:
            return replace(experiment, **{field: value})
        return replace(experiment, **{part: replace(getattr(experiment, part), **{field: value})})

    return Key(
        setting.name, **{"parse": parse, "check": check, "get": get, "put": put} | more, setting=setting, group=group
    )


def _plain(setting: Setting, value: Any) -> Any:
    """Return a setting's number in its one type, so that equal experiments compare equal."""
    if not isinstance(setting, Param):
        return value
    return int(value) if setting.integer and math.isfinite(value) else float(value)


@lru_cache(maxsize=512)  # users' tables have their own options
def _of_option(option: Setting) -> Key:
    if option.name == SEED.name:
        return SEED_KEY
    return Key(
        option.name,
        parse=lambda text: _plain(option, option.parse(text, "query")),
        check=lambda value: _plain(option, option.check(value, "query")),
        get=lambda experiment: dict(experiment.data.options)[option.name],
        put=lambda experiment, value: _with_options(experiment, {option.name: value}),
        setting=option,
        group="data",
    )


def _of_param(method: str, setting: Setting) -> Key:
    def put(experiment: Experiment, value: Any) -> Experiment:
        params = dict(experiment.params)
        params[method] = tuple((dict(params.get(method, ())) | {setting.name: value}).items())
        return replace(experiment, params=tuple(params.items()))

    return Key(
        f"{method}.{setting.name}",
        parse=lambda text: setting.parse(text, method),
        check=lambda value: setting.check(value, method),
        get=lambda experiment: experiment.settings(method)[setting.name],
        put=put,
        setting=setting,
        group=method,
    )


def _with_options(experiment: Experiment, values: dict[str, Any]) -> Experiment:
    options = tuple((name, values.get(name, value)) for name, value in experiment.data.options)
    return replace(experiment, data=replace(experiment.data, options=options))


def _put_seed(experiment: Experiment, seed: int) -> Experiment:
    """Set the seed, which is the same for generated data and for the split."""
    seeded = _with_options(experiment, {SEED.name: seed})
    return replace(seeded, data=replace(seeded.data, seed=seed))


def _check_edits(edits: Any) -> tuple[hand.Edit, ...]:
    return hand.parse(hand.format(edits))


def _parse_methods(text: str) -> tuple[str, ...]:
    return _check_methods(tuple(part for part in text.split(",") if part), text)


def _check_methods(methods: Any, given: Any = None) -> tuple[str, ...]:
    unknown = [key for key in methods if key not in METHODS]
    if unknown:
        raise ValueError(f"unknown method {quoted(unknown[0])}; the methods are {', '.join(METHODS)}.")
    if not 1 <= len(methods) <= METHOD_LIMIT or len(set(methods)) < len(methods):
        got = methods if given is None else given
        raise ValueError(f"methods must list one to {METHOD_LIMIT} different methods; got {quoted(got)}.")
    return tuple(methods)


def _parse_within(text: str) -> Decided:
    decided = Decided.parse(text)
    for key, within in decided.within:
        if key not in METHODS or (within.landmarks and not METHODS[key].landmarks):
            raise ValueError(f"within: {quoted(key)} is no method that has landmarks.")
    return decided


SEED_KEY = _of_setting(SEED, "data", "seed", "data", put=_put_seed)
EDITS_KEY = Key(
    "edits",
    hand.parse,
    _check_edits,
    get=lambda experiment: experiment.data.edits,
    put=lambda experiment, edits: replace(experiment, data=replace(experiment.data, edits=edits)),
    text=hand.format,
    group="data",
    omitted=(),
)
METHODS_KEY = Key(
    "methods",
    _parse_methods,
    _check_methods,
    get=lambda experiment: experiment.methods,
    put=lambda experiment, methods: replace(experiment, methods=methods),
    text=",".join,
    group="methods",
)
BIAS_KEY = _of_setting(
    BIAS,
    "kernel",
    "bias",
    "kernel",
    get=lambda experiment: str(int(experiment.kernel.bias)),
    put=lambda experiment, bias: replace(experiment, kernel=replace(experiment.kernel, bias=bias == "1")),
)
WITHIN_KEY = Key(
    "within",
    _parse_within,
    lambda decided: _parse_within(decided.text),
    get=lambda experiment: experiment.decided,
    put=lambda experiment, decided: replace(experiment, decided=decided),
    text=lambda decided: decided.text,
    group="kernel",
    omitted=None,
)
SETTINGS = (
    SEED_KEY,
    EDITS_KEY,
    _of_setting(TEST, "data", "test", "split"),
    _of_setting(SCALING, "data", "scaling", "split"),
    _of_setting(KERNEL, "kernel", "name", "kernel"),
    _of_setting(GAMMA, "kernel", "gamma", "kernel", words=GAMMA_WORDS),
    _of_setting(DEGREE, "kernel", "degree", "kernel"),
    _of_setting(COEF0, "kernel", "coef0", "kernel"),
    BIAS_KEY,
    _of_setting(SEVERAL, "", "several", "kernel"),
    WITHIN_KEY,
    _of_setting(SCALE, "", "scale", "view"),
    _of_setting(STEP, "", "step", "view", omitted=math.inf),
)
COMMON = {key.name: key for key in (METHODS_KEY, *SETTINGS)}
