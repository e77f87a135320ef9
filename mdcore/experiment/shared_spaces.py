"""The data and the kernel spaces that the methods of an experiment share, computed once and cached.

Those of a preview are samples of those of all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import TYPE_CHECKING

from mdcore.data import Prepared, load_dataset, prepare
from mdcore.data.splitting import Rows, stratified
from mdcore.experiment.query import BadKey, DataKey, KernelKey
from mdcore.experiment.result_caches import caches_of
from mdcore.solvers.arrays import Array
from mdcore.spaces.kernels import Kernel, resolve_gamma
from mdcore.spaces.landmarks import FixedLandmarks, LandmarkSpace
from mdcore.spaces.space import KernelSpace

if TYPE_CHECKING:
    from mdcore.experiment.experiment import Experiment


GRAM_ROWS = 3500  # training rows up to which the Gram matrix is computed at once


def prepared(experiment: Experiment) -> Prepared:
    """Return the prepared data of an experiment."""
    data, key = experiment.data, experiment.data_key
    if experiment.sample is None:
        return caches_of(data.own).prepared.get(key, lambda: _prepare(data))
    return caches_of(data.own).prepared.get(
        (key, experiment.sample), lambda: experiment.full.prepare().part(*_sample_rows(experiment))
    )


def exact_space(experiment: Experiment) -> KernelSpace:
    """Return the kernel space of the training rows."""
    if experiment.sample is not None:
        return _sampled(experiment, "exact", experiment.full.space)
    key = experiment.data_key, experiment.kernel
    return caches_of(experiment.data.own).spaces.get(key, lambda: _space(experiment.prepare(), experiment.kernel))


def landmark_space(experiment: Experiment, landmarks: int) -> KernelSpace:
    """Return the space that so many landmarks span."""
    if experiment.sample is not None:
        kind = landmarks, landmark_kernel(experiment, landmarks)
        return _sampled(experiment, kind, lambda: _space_to_sample(experiment, landmarks))
    data, kernel, caches = experiment.data_key, experiment.kernel, caches_of(experiment.data.own)
    space = caches.landmark_spaces.get(
        (data, kernel, landmarks), lambda: _landmark_space(experiment.prepare(), kernel, landmarks)
    )
    caches.landmarks.put((data, kernel, landmarks), FixedLandmarks(space.landmarks))
    caches.landmark_kernels.put((data, landmarks), kernel)
    return space


def landmark_kernel(experiment: Experiment, landmarks: int) -> KernelKey:
    """Return the kernel whose landmarks a preview uses.

    This is the preview's own kernel if landmarks have been drawn for it, or else the last kernel with landmarks if it
    differs only in γ: a change of landmarks would be mistaken for an effect of γ.
    """
    data, kernel, caches = experiment.data_key, experiment.kernel, caches_of(experiment.data.own)
    last = caches.landmark_kernels.peek((data, landmarks))
    known = (data, kernel, landmarks) in caches.landmarks
    return last if last and not known and replace(last, gamma=kernel.gamma) == kernel else kernel


def _space_to_sample(preview: Experiment, landmarks: int) -> KernelSpace:
    """Return the space of all rows that a preview is a sample of, with the known landmarks if these are independent in
    this kernel."""
    key = preview.data_key, landmark_kernel(preview, landmarks), landmarks
    drawn = caches_of(preview.data.own).landmarks.peek(key)
    if drawn is not None:
        space = _landmark_space(preview.full.prepare(), preview.kernel, landmarks, drawn)
        if space.independent and not space.exhausted:
            return space
    return landmark_space(preview.full, landmarks)


def _sampled(preview: Experiment, kind: Hashable, whole: Callable[[], KernelSpace]) -> KernelSpace:
    key = preview.data_key, preview.kernel, preview.sample, kind
    return caches_of(preview.data.own).samples.get(key, lambda: whole().sampled(_sample_rows(preview)[0]))


def _sample_rows(preview: Experiment) -> tuple[Rows, Rows]:
    """Return the indices of a preview's sample among the training rows and among the test rows."""
    key = preview.data_key, preview.sample
    return caches_of(preview.data.own).sample_rows.get(key, lambda: _draw_sample(preview))


def _draw_sample(preview: Experiment) -> tuple[Rows, Rows]:
    assert preview.sample is not None
    whole = preview.full.prepare()
    share, seed = preview.sample / len(whole.y_train), preview.data.seed
    tested = max(1, round(share * len(whole.y_test))) if len(whole.y_test) else 0
    return stratified(whole.y_train, preview.sample, seed), stratified(whole.y_test, tested, seed)


def _prepare(key: DataKey) -> Prepared:
    options = dict(key.options)
    examples = key.own.make(**options) if key.own else load_dataset(key.source, **options)
    try:
        return prepare(examples, scaling=key.scaling, test=key.test, seed=key.seed, edits=key.edits)
    except ValueError as error:
        raise BadKey("edits" if key.edits else "test", str(error)) from None


def _landmark_space(
    data: Prepared, key: KernelKey, landmarks: int, drawn: FixedLandmarks | None = None
) -> LandmarkSpace:
    X = data.X_train
    return LandmarkSpace(X, _kernel(X, key), min(landmarks, len(X)), drawn)


def _kernel(X: Array, key: KernelKey) -> Kernel:
    thinned = X[:: max(1, len(X) // GRAM_ROWS)]  # gamma='distance' takes all pairs
    return key.kernel(resolve_gamma(key.gamma, thinned))


def _space(data: Prepared, key: KernelKey) -> KernelSpace:
    """Return the space of the training rows.

    A small Gram matrix is computed at once; otherwise the last digits of a fit could depend on the fits before it.
    """
    space = KernelSpace(data.X_train, _kernel(data.X_train, key))
    if key.name != "linear" and len(space) <= GRAM_ROWS:
        _ = space.gram
    return space
