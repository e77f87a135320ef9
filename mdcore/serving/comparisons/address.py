"""A comparison as a URL query: the stage's query, extended by `view.` keys. Uploaded files have none."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from mdcore.data import OwnSource
from mdcore.data.splitting import K_FOLD, folds_of
from mdcore.experiment import Experiment
from mdcore.experiment.query import METHOD_LIMIT, VIEW, BadKey, number_text, parse_query
from mdcore.methods import METHODS
from mdcore.spaces.within import BY_COST, BY_ROWS, KERNEL_FITS, KERNEL_ROWS, LANDMARKS, Within, codes_text, parse_codes
from mdcore.spec import Choice, Interval, Param, Setting, Slider
from mdcore.study import LEARNERS, Candidate, Plan, is_reference
from mdcore.study.plan import CRITERION, FOLDS, NYSTROEM, REPEATS, SEVERAL
from mdcore.study.splits import SCHEME

EQUAL, DEFAULTS, PAPERS, GIVEN = "tuned", "defaults", "papers", "given"
PARAMETERS = Choice(
    "parameters",
    "parameters",
    EQUAL,
    (EQUAL, DEFAULTS, PAPERS, GIVEN),
    "Tuned: parameters, γ and the treatment of several classes are chosen by cross-validation inside each training "
    "part, with the same number of candidates at most for every method and reference. The papers' grids are larger for "
    "some methods than for others.",
)
YES_NO = ("0", "1")
WIDTHS = Choice(
    "widths", "Choose γ too", "1", YES_NO, "With the papers' grids, also tries γ times 1/16, 1/4, 4 and 16."
)
BALANCED = Choice(
    "balanced",
    "Give classes equal weight",
    "0",
    YES_NO,
    "class_weight='balanced' in every method that supports it: all classes have the same total weight.",
)
HELD_OUT = Choice(
    "held_out",
    "Thresholds and probabilities",
    "0",
    YES_NO,
    "Also scores the training rows by folds that leave them out, to choose thresholds by cost and to calibrate "
    "probabilities. Free with cross-validation; otherwise it takes one more fit per fold.",
)
OUTER_FOLDS = Param(
    "outer_folds",
    "outer folds",
    5,
    Interval(2, 20),
    Slider(2, 10, step=1),
    "Each fold is tested once by models fitted on the others; more splits than folds repeat all of them.",
    integer=True,
)
TOGGLES = (WIDTHS, BALANCED, HELD_OUT)
SIZE = (KERNEL_FITS, KERNEL_ROWS, LANDMARKS)
SETTINGS = (PARAMETERS, SEVERAL, REPEATS, SCHEME, OUTER_FOLDS, FOLDS, CRITERION, *SIZE, NYSTROEM, *TOGGLES)
COMPARED = "view.compared"
WITHIN = "view.within"
TABLE, CHOICES = "view.table", "view.choices"


@dataclass(frozen=True)
class Linked:
    """The contents of a query: data, kernel, parameters, the methods `compared` if it names them, and values of the
    SETTINGS that it names.

    `names_methods` is true if it names methods in any way, `sets_parameters` if it names the value of a method's
    parameter. `within` is what methods are fitted on, by key, if it was decided by cost. If the data are a table,
    `table` is its address and `choices` are the choices about it.
    """

    experiment: Experiment
    compared: tuple[str, ...]
    names_methods: bool
    sets_parameters: bool
    settings: Mapping[Setting, Any]
    within: Mapping[str, Within]
    table: str
    choices: str


def query_of(
    experiment: Experiment,
    plan: Plan,
    parameters: str,
    by_hand: Mapping[Param, Any] | None = None,
    table: str = "",
    choices: str = "",
) -> str:
    """Return the query of a plan on an experiment's data or on a table; its method parameters are those set in the
    experiment.

    `by_hand` are the values of KERNEL_ROWS and LANDMARKS by which it is chosen what kernel methods are fitted on; None
    if it was decided by cost. The query then names the decisions.

    The stage opens the query with the experiment's data and the first methods.
    """
    keys = [candidate.key for candidate in plan.candidates]
    methods = tuple(key for key in keys if not is_reference(key))
    shown = replace(
        experiment,
        kernel=plan.kernel,
        methods=methods[:METHOD_LIMIT],
        params=tuple((key, tuple(experiment.settings(key).items())) for key in METHODS if key in methods),
    )
    values = {
        PARAMETERS.name: parameters,
        WIDTHS.name: _flag(len(plan.widths) > 1 or parameters != PAPERS),
        OUTER_FOLDS.name: folds_of(plan.test) if plan.scheme == K_FOLD else OUTER_FOLDS.default,
    }
    values |= {setting.name: _flag(getattr(plan, setting.name)) for setting in (BALANCED, HELD_OUT)}
    values[KERNEL_FITS.name] = BY_COST if by_hand is None else BY_ROWS
    values |= {setting.name: value for setting, value in (by_hand or {}).items()}
    values |= {s.name: getattr(plan, s.name) for s in SETTINGS if s not in SIZE and s.name not in values}
    decided = {c.key: c.within for c in plan.candidates if plan.needs_matrix(c)} if by_hand is None else {}
    own = {TABLE: table, CHOICES: choices} if table else {}
    own |= {WITHIN: codes_text(decided)} if decided else {}
    own |= {COMPARED: ",".join(keys)} | {f"{VIEW}{name}": number_text(value) for name, value in values.items()}
    return f"{shown.to_query()}&{urlencode(own, safe=',')}"


def _flag(value: bool) -> str:
    return YES_NO[value]


def read_query(query: str, own: Collection[OwnSource] = ()) -> Linked:
    """Parse a query: the inverse of `query_of`. Raise BadKey for an invalid key; `settings` has no entry for omitted
    keys."""
    experiment, given = Experiment.from_query(query, own), parse_query(query)
    methods: tuple[str, ...] = ()
    if COMPARED in given:
        methods = tuple(given[COMPARED].split(","))
        unknown = [key for key in methods if key not in LEARNERS]
        if unknown or len(set(methods)) < len(methods):
            wrong = repr(unknown[0]) if unknown else f"{given[COMPARED]!r}, which names one twice"
            raise BadKey(COMPARED, f"{COMPARED} must be different methods of {', '.join(LEARNERS)}; got {wrong}.")
    settings: dict[Setting, Any] = {}
    for setting in SETTINGS:
        key = f"{VIEW}{setting.name}"
        if key in given:
            try:
                settings[setting] = setting.parse(given[key], "the address")
            except ValueError as error:
                raise BadKey(key, str(error)) from None
    if KERNEL_FITS not in settings and settings.keys() & {KERNEL_ROWS, LANDMARKS}:
        settings[KERNEL_FITS] = BY_ROWS  # an address from before it could be decided by cost
    return Linked(
        experiment=experiment,
        compared=methods,
        names_methods=bool(given.keys() & {COMPARED, "methods"}),
        sets_parameters=any(key.partition(".")[0] in METHODS for key in given if "." in key),
        settings=settings,
        within=_within(given.get(WITHIN, "")),
        table=given.get(TABLE, ""),
        choices=given.get(CHOICES, ""),
    )


def _within(text: str) -> dict[str, Within]:
    """Return what methods are fitted on, by key; raise BadKey for methods that cannot be fitted so."""
    try:
        found = parse_codes(text)
        for key, within in found.items():
            replace(Candidate.fixed(key), within=within)
    except ValueError as error:
        raise BadKey(WITHIN, f"{WITHIN}: {error}") from None
    return found
