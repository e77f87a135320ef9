"""Checks of what an estimator is given: rows, labels, switches, and the weights that come of them."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from mdcore.basics.text import quoted
from mdcore.spec import HUGE


def check_weights(w: NDArray[Any] | float) -> None:
    """Raise ValueError unless `w`, the weights or a value computed from them, is finite."""
    if not np.isfinite(w).all():
        raise ValueError("The weights overflow: the rows are too large. Scale the features.")


def is_table(X: Any) -> bool:
    """Return whether X is a non-empty C-contiguous float64 matrix, which needs no conversion."""
    return type(X) is np.ndarray and X.ndim == 2 and X.dtype == np.float64 and X.flags.c_contiguous and X.size > 0


def check_finite(X: Any, names: Any) -> None:
    """Raise ValueError unless all numbers are within ±HUGE, with the first row and column of a dense X that is not."""
    values = X.data if issparse(X) else X
    if values.size == 0 or (values.min() >= -HUGE and values.max() <= HUGE):  # false if any is NaN
        return
    if issparse(X):
        raise ValueError(
            "Input X contains NaN or infinity in a sparse matrix, or a number too large; every stored value must be "
            f"within ±{HUGE:g}."
        )
    row, column = (int(i) for i in np.argwhere(~(np.abs(X) <= HUGE))[0])
    value = X[row, column]
    place = f"column {_named(names, column)}, row {row}"
    if np.isfinite(value):
        raise ValueError(
            f"Input X contains {value:.3g}: {place}. Scale the features; every value must be within ±{HUGE:g}."
        )
    raise ValueError(
        f"Input X contains {'NaN' if np.isnan(value) else 'infinity'}: {place}. Fill or drop missing values first; "
        "every value must be a finite number."
    )


def _named(names: Any, column: int) -> str:
    return str(column) if names is None else repr(names[column])


def require_numbers(table: Any) -> None:
    """Raise ValueError if a column of a data frame has a cell that is not a number, such as a word or a date."""
    import pandas as pd
    from pandas.api.types import is_numeric_dtype

    if not isinstance(table, pd.DataFrame):
        return
    for place, name in enumerate(table.columns):
        column = table.iloc[:, place]
        if is_numeric_dtype(column):
            continue
        numbers = pd.to_numeric(column.astype(object), errors="coerce")
        wrong = np.flatnonzero(numbers.isna() & column.notna())
        if len(wrong):
            cell = quoted(str(column.iloc[wrong[0]]))
            raise ValueError(
                f"Input X contains {cell}: column {name!r}, row {wrong[0]}. Encode or drop the column first; every "
                "value must be a number."
            )


def check_switch(value: Any, name: str, owner: str) -> None:
    """Raise ValueError unless the value is a Boolean or 0/1: the string "False" from a settings file would be true."""
    if not (isinstance(value, Integral | np.bool_) and value in (0, 1)):
        raise ValueError(f"{owner}: {name} must be True or False; got {value!r}.")


def typed_labels(y: NDArray[Any]) -> NDArray[Any]:
    """Return labels that are Python objects, as numbers if they are; raise ValueError if one is missing."""
    import pandas as pd

    missing = np.flatnonzero(pd.isna(y))
    if len(missing):
        raise ValueError(f"Input y has a missing label (None or NaN), first in row {missing[0]}: every row needs one.")
    return np.array(y.tolist()) if all(isinstance(label, Real | np.bool_) for label in y) else y


def are_integers(classes: NDArray[Any]) -> bool:
    return classes.dtype.kind in "biu" or (classes.dtype.kind == "f" and bool((classes == np.rint(classes)).all()))


def label_column(y: ArrayLike) -> NDArray[Any]:
    if isinstance(y, np.ndarray) and y.ndim == 1:
        return y
    from sklearn.utils import column_or_1d

    return np.asarray(column_or_1d(y, warn=True))
