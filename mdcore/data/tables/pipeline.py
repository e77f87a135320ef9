"""The selected rows, inputs and labels of a table, and their preparation as an unfitted scikit-learn pipeline.

Callers must fit the pipeline on training rows only. Nothing here is cached or written to disk.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mdcore.basics.memory import free_memory
from mdcore.data.dataset import Dataset
from mdcore.data.preparation import scaler
from mdcore.data.splitting import GROUPS, RANDOM, TIME, Codes, Rows, Scheme, codes_of, split_rows
from mdcore.data.tables.cells import as_numbers, as_texts
from mdcore.data.tables.columns import (
    MANY,
    MOST_CLASSES,
    REST,
    Choices,
    class_counts,
    has_many_levels,
    is_whole,
    label_texts,
)
from mdcore.data.tables.dates import date_names, date_numbers, day_comes_first, days
from mdcore.data.tables.problems import DataProblem
from mdcore.data.tables.proposals import propose_positive
from mdcore.data.tables.reading import Table

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.pipeline import Pipeline

GAP = "(missing)"
RARE = "(rare)"
CROSS_FITS = 5  # parts of the training rows, each encoded by the shares of the classes in the others
POOLED = 0.01  # levels with a smaller share of the rows are pooled in one column


@dataclass(frozen=True, eq=False)
class Selection:
    """The rows of a table that are used: `rows` are their indices, `X` and `y` their inputs and labels.

    `y` has integers if all classes are whole numbers, and texts otherwise. `classes` are in the order of the decision
    function; `positive` is the class to which precision and recall refer. `along` has the group or the time of every
    row, or is None if splits are random.
    """

    rows: Rows
    X: pd.DataFrame
    y: NDArray[Any]
    classes: tuple[int | str, ...]
    positive: int | str
    along: NDArray[Any] | None = None


def select(table: Table, choices: Choices) -> Selection:
    """Return the selected rows with inputs and labels; raise DataProblem if nothing can be learnt from them."""
    X, y, along = inputs(table, choices), label_texts(table, choices), along_of(table, choices)
    counts = class_counts(table, choices)
    where = f"{table.name}, target {choices.target!r}"
    unknown = [name for name in (*choices.classes, choices.positive) if name and name not in counts]
    if unknown:
        raise DataProblem("unknown class", where, name=unknown[0], classes=list(counts))
    kept = choices.classes or tuple(counts)
    if len(kept) > MOST_CLASSES:
        raise DataProblem("too many classes", where, number=len(kept), most=MOST_CLASSES)
    if len(kept) < 2:
        raise DataProblem("one class", where, name=kept[0])
    used = y.isin(kept)
    if choices.missing == "drop":
        used &= X.notna().all(axis=1)
    positive = choices.positive or propose_positive({name: counts[name] for name in counts if name in kept}).value
    y = y[used]
    if choices.rest:
        y, kept = y.where(y == positive, REST), (REST, positive)
    left = set(y)
    gone = [name for name in kept if name not in left]
    if gone:
        raise DataProblem("class without full rows", table.name, left=int(used.sum()), rows=table.n, name=gone[0])
    whole = all(map(is_whole, kept))
    labels = y.to_numpy(dtype=np.int64) if whole else y.to_numpy(dtype=str)
    return Selection(
        rows=np.flatnonzero(used),
        X=X[used],
        y=labels,
        classes=tuple(np.unique(labels).tolist()),
        positive=int(positive) if whole else positive,
        along=None if along is None else along[used.to_numpy()],
    )


def inputs(table: Table, choices: Choices) -> pd.DataFrame:
    """Return the columns used as inputs, for every row, as floats or texts; NaN for missing cells."""
    import pandas as pd

    def cells(column: pd.Series) -> pd.Series:
        return as_numbers(column, table.decimal) if choices.kind(str(column.name)) == "numeric" else as_texts(column)

    return pd.DataFrame({name: cells(table.frame[name]) for name in _used(table, choices)})


def along_of(table: Table, choices: Choices) -> NDArray[Any] | None:
    """Return the group or the time of every row of the table, or None if splits are random."""
    if choices.scheme == RANDOM:
        return None
    column = table.column(choices.along)
    values = table.frame[choices.along]
    where = f"{table.name}, column {choices.along!r}"
    if choices.scheme == TIME:
        first = column.kind == "date" and day_comes_first(values.dropna())
        moments = days(values, first) if column.kind == "date" else as_numbers(values, table.decimal).to_numpy()
        if np.isnan(moments).any():
            raise DataProblem("rows without a time", where, number=int(np.isnan(moments).sum()))
        return np.asarray(moments)
    if values.isna().any():
        raise DataProblem("rows without a group", where, number=int(values.isna().sum()))
    return np.asarray(as_texts(values).to_numpy(dtype=str))


def _used(table: Table, choices: Choices) -> list[str]:
    for name in (choices.target, *choices.dropped, *(name for name, _ in choices.kinds)):
        table.column(name)
    left_out = {choices.target, choices.along, *choices.dropped}
    used = [
        column.name
        for column in table.columns
        if column.name not in left_out and not (choices.encoding == "drop" and choices.kind(column.name) == "category")
    ]
    if not used:
        raise DataProblem("no features", table.name)
    return used


def preparation(table: Table, choices: Choices) -> Pipeline:
    """Return an unfitted pipeline, made of scikit-learn's parts, that encodes and scales `select(...).X`."""
    from sklearn.pipeline import Pipeline

    return Pipeline([("columns", _to_numbers(table, choices)), ("scaling", scaler(choices.scaling))])


def _to_numbers(table: Table, choices: Choices) -> Any:
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.model_selection import KFold
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, TargetEncoder

    used = _used(table, choices)
    numbers = [name for name in used if choices.kind(name) == "numeric"]
    dates = [name for name in used if choices.kind(name) == "date"]
    categories = [name for name in used if choices.kind(name) == "category"]
    _check_width(table, choices, numbers, categories)

    filled: Any = FunctionTransformer()
    encoded: list[tuple[str, Any]] = []
    if choices.missing != "drop":
        marked = choices.missing == "indicator"
        filled = SimpleImputer(strategy="median", add_indicator=marked, keep_empty_features=True)
        way: dict[str, Any] = {"strategy": "constant"} if marked else {"strategy": "most_frequent"}
        encoded = [("filled", SimpleImputer(**way, fill_value=GAP, keep_empty_features=True))]
    many = by_classes(table, choices)
    by_target = [*encoded, ("encoded", TargetEncoder(cv=KFold(CROSS_FITS, shuffle=True, random_state=0)))]
    if choices.encoding in ("one-hot", "target"):
        # Keep both columns of a two-level category, so that different levels are equally far apart in every category.
        encoded.append(("encoded", OneHotEncoder(handle_unknown="ignore", sparse_output=False)))
    elif choices.encoding == "pooled":
        options: dict[str, Any] = {"handle_unknown": "infrequent_if_exist", "min_frequency": POOLED}
        encoded.append(("encoded", OneHotEncoder(sparse_output=False, **options)))
    else:
        encoded.append(("encoded", OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)))
    few = [name for name in categories if name not in many]
    first = {name: day_comes_first(table.frame[name].dropna()) for name in dates}
    read = FunctionTransformer(date_numbers, kw_args={"way": choices.dates, "dayfirst": first})
    parts = [
        ("numbers", filled, numbers),
        ("dates", Pipeline([("read", read), ("filled", SimpleImputer(strategy="median"))]), dates),
        ("categories", Pipeline(encoded), few),
        ("many levels", Pipeline(by_target), many),
    ]
    return ColumnTransformer([part for part in parts if part[2]], sparse_threshold=0)


def fit_transform(preparation: Any, X: Any, y: NDArray[Any], groups: Codes | None = None) -> Any:
    """Fit a preparation to training rows and return them prepared.

    What is encoded by each level's share of the classes is cross-fitted: no row by its own class nor, with `groups`, by
    those of its group, which a model would recognise.
    """
    from sklearn.model_selection import GroupKFold
    from sklearn.preprocessing import TargetEncoder

    if groups is not None:
        parts = GroupKFold(min(CROSS_FITS, len(np.unique(groups))), shuffle=True, random_state=0)
        for part in preparation.get_params().values():
            if isinstance(part, TargetEncoder):
                part.cv = list(parts.split(y, y, groups))
    return preparation.fit_transform(X, y)


def by_classes(table: Table, choices: Choices) -> list[str]:
    """Return the categories that are encoded by each level's share of the classes."""
    if choices.encoding != "target":
        return []
    used = (name for name in _used(table, choices) if choices.kind(name) == "category")
    return [name for name in used if has_many_levels(table.column(name).distinct, table.n)]


def _check_width(table: Table, choices: Choices, numbers: list[str], categories: list[str]) -> None:
    levels = {name: table.column(name).distinct for name in categories}
    most = {"one-hot": table.n, "pooled": int(1 / POOLED), "target": MANY}.get(choices.encoding, 1)
    width = len(numbers) + sum(min(found, most) for found in levels.values())
    needed, available = 3 * 8 * table.n * width, free_memory()
    if needed > available:
        widest = max(levels, key=levels.__getitem__, default=numbers[0])
        size = {"rows": table.n, "width": width, "needed": needed, "available": available}
        raise DataProblem("wide inputs", table.name, widest=widest, **size)


def feature_names(fitted: Pipeline) -> tuple[str, ...]:
    """Return the names of the outputs of a fitted preparation, such as `age`, `age missing`, `sex = male`."""
    return _output_names(fitted.named_steps["columns"])


def _output_names(fitted: Any) -> tuple[str, ...]:
    names: list[str] = []
    for part, step, columns in fitted.transformers_:
        if part == "dates":
            names += date_names(step.named_steps["read"], columns)
        else:
            names += columns if part == "numbers" else _category_names(step.named_steps["encoded"], columns)
        if part == "numbers" and getattr(step, "indicator_", None) is not None:
            names += [f"{columns[j]} missing" for j in step.indicator_.features_]
    return tuple(names)


def _category_names(encoder: Any, columns: list[str]) -> list[str]:
    if hasattr(encoder, "encodings_"):
        several = encoder.target_type_ == "multiclass"
        return [
            f"{column} by {label}" for column in columns for label in (encoder.classes_ if several else ("target",))
        ]
    if not hasattr(encoder, "drop_idx_"):
        return columns
    rare = getattr(encoder, "infrequent_categories_", None) or [None] * len(columns)
    names = []
    for column, found, pooled in zip(columns, encoder.categories_, rare, strict=True):
        gone = set() if pooled is None else set(pooled)
        names += [f"{column} = {level}" for level in found if level not in gone] + [f"{column} = {RARE}"] * bool(gone)
    return names


@dataclass(frozen=True, eq=False)
class Raw:
    """Selected rows of a table before encoding, which depends on the training rows.

    `columns` is an unfitted transformer that imputes and encodes. It does not scale, since experiments do.
    """

    name: str
    note: str
    X: pd.DataFrame
    y: NDArray[Any]
    columns: Any
    scheme: Scheme = RANDOM
    along: Codes | None = None

    def encoded(self, training: Rows) -> Dataset:
        """Return all rows as numbers, with imputation and encoding fitted on the training rows alone."""
        from sklearn.base import clone

        fitted = clone(self.columns)
        groups = self.along[training] if self.scheme == GROUPS and self.along is not None else None
        seen = fit_transform(fitted, self.X.iloc[training], self.y[training], groups)
        X, features = fitted.transform(self.X), _output_names(fitted)
        X[training] = seen
        return Dataset(self.name, X, self.y, features, title=self.name, note=self.note)

    def sample(self, rows: Rows) -> Raw:
        along = None if self.along is None else self.along[rows]
        return replace(self, X=self.X.iloc[rows], y=self.y[rows], along=along)


def raw(table: Table, choices: Choices, chosen: Selection) -> Raw:
    """Return the selected rows, for an experiment to split and encode."""
    note = f"{len(chosen.rows):,} of {table.n:,} rows; target {choices.target!r}"
    along = None if chosen.along is None else codes_of(chosen.along)
    return Raw(table.name, note, chosen.X, chosen.y, _to_numbers(table, choices), choices.scheme, along)


def to_dataset(table: Table, choices: Choices) -> Dataset:
    """Return the selected rows as numbers, without scaling, encoded as fitted on the training rows of the split."""
    rows = raw(table, choices, select(table, choices))
    training, _ = split_rows(rows.scheme, rows.y, rows.along, choices.test, choices.seed)
    return rows.encoded(training)
