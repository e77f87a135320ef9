"""A comparison as an address: the stage's grammar, and `view.` keys for what it lacks. Uploads have none."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from mdcore.data import OwnSource
from mdcore.experiment import Experiment
from mdcore.methods import METHODS
from mdcore.query import METHOD_LIMIT, VIEW, BadKey, number_text, parse_query
from mdcore.spec import Choice
from mdcore.study import Plan
from mdcore.study.plan import CRITERION, FOLDS, KERNEL_ROWS, NYSTROEM, PAPER_WIDTHS, REPEATS

DEFAULTS, GIVEN, TUNED = "defaults", "given", "cross-validation"
PARAMETERS = Choice(
    "parameters",
    "parameters",
    DEFAULTS,
    (DEFAULTS, GIVEN, TUNED),
    "Cross-validation costs a fit for each point of the grid and each fold, and every split chooses anew.",
)
WIDTHS = Choice("widths", "γ too", "0", ("0", "1"), "Whether the cross-validation chooses γ too.")
SETTINGS = (PARAMETERS, REPEATS, FOLDS, CRITERION, WIDTHS, KERNEL_ROWS, NYSTROEM)
COMPARED = "view.compared"
TABLE, CHOICES = "view.table", "view.choices"


@dataclass(frozen=True)
class Linked:
    """What an address says: data, kernel and parameters, the methods compared, and those of SETTINGS that it names.

    Where the data are a table from elsewhere, `table` says which, and `choices` what is made of it.
    """

    experiment: Experiment
    methods: tuple[str, ...]
    settings: Mapping[str, Any]
    table: str
    choices: str


def query_of(experiment: Experiment, plan: Plan, parameters: str, table: str = "", choices: str = "") -> str:
    """The address of a plan on an experiment's data, or a table's; its parameters are those given by hand.

    The stage opens the address with the experiment's data and the first methods.
    """
    methods = tuple(candidate.key for candidate in plan.candidates)
    shown = replace(
        experiment,
        kernel=plan.kernel,
        methods=methods[:METHOD_LIMIT],
        several=plan.several,
        params=tuple((key, tuple(experiment.settings(key).items())) for key in METHODS if key in methods),
    )
    widths = "1" if plan.widths == PAPER_WIDTHS else "0"
    values = {PARAMETERS.name: parameters, WIDTHS.name: widths}
    values |= {s.name: getattr(plan, s.name) for s in SETTINGS if s.name not in values}
    own = {TABLE: table, CHOICES: choices} if table else {}
    own |= {COMPARED: ",".join(methods)} | {f"{VIEW}{name}": number_text(value) for name, value in values.items()}
    return f"{shown.to_query()}&{urlencode(own, safe=',')}"


def read_query(query: str, own: Collection[OwnSource] = ()) -> Linked:
    """The inverse. A BadKey names the key that cannot be used; keys left out are left to the page."""
    experiment, given = Experiment.from_query(query, own), parse_query(query)
    methods = experiment.methods
    if COMPARED in given:
        methods = tuple(given[COMPARED].split(","))
        unknown = [key for key in methods if key not in METHODS]
        if unknown or len(set(methods)) < len(methods):
            wrong = repr(unknown[0]) if unknown else f"{given[COMPARED]!r}, which names one twice"
            raise BadKey(COMPARED, f"{COMPARED} must be different methods of {', '.join(METHODS)}; got {wrong}.")
    settings = {}
    for setting in SETTINGS:
        key = f"{VIEW}{setting.name}"
        if key in given:
            try:
                settings[setting.name] = setting.parse(given[key], "the address")
            except ValueError as error:
                raise BadKey(key, str(error)) from None
    return Linked(experiment, methods, settings, given.get(TABLE, ""), given.get(CHOICES, ""))
