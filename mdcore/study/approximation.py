"""Which kernel methods are fitted exactly, which in the span of landmarks, and which on a sample of the rows.

A method is fitted exactly unless landmarks save time that counts and lose nothing that counts, or unless the exact fits
would take too long or too much memory. Seconds and bytes are estimates for this machine (`mdcore.spaces.costs`). The
loss is measured in a trial on training rows of the first split, in the kernel whose γ is nearest to the plan's own.

The decision is made once. It becomes part of the plan's candidates, so that another machine computes the same.

The machines of the trial are those of LSSVM, one for each class, exactly and in landmarks. A single factorisation
serves all classes, so that a trial takes a moment. They are scored on other training rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from mdcore.basics.memory import free_memory
from mdcore.basics.text import fixed
from mdcore.basics.threads import libraries
from mdcore.data.splitting import stratified
from mdcore.solvers.arrays import Array
from mdcore.spaces.costs import FEW_ROWS, MEMORY, Costs, Pace, exact_bytes, in_seconds, pace_of, spanned_bytes
from mdcore.spaces.kernels import Kernel, KernelName
from mdcore.spaces.landmarks import LandmarkSpace
from mdcore.spaces.within import EXACT, Within
from mdcore.study.data import Data
from mdcore.study.fitting import kernel_of
from mdcore.study.folds import PreparedRows, prepare_rows
from mdcore.study.plan import REPEATS, Candidate, Plan
from mdcore.study.scores import score_of
from mdcore.study.splits import inner

MOST_ROWS, FOLDS = 4500, 3  # the trial takes at most so many rows, and scores one fold of them
PRICES = (1.0, 10.0)  # the better C counts on each side, as a narrower span also regularises

COUNTS = (256, 512, 1024)  # numbers of landmarks to choose from
EQUAL = 0.003  # a smaller loss of the score does not count
SECONDS = 40.0  # limit for all fits of a method on one split
WORTH = 10.0  # seconds that landmarks must save on REPEATS.default splits, besides the time of the trial
FEWEST = 500  # a sample has at least so many rows

CHEAPER, BETTER, EQUALLY_GOOD, TOO_SLOW, TOO_LARGE, UNTRIED = "cheaper", "better", "equal", "slow", "large", "untried"


class Trial:
    """The trial of one kernel; `losses` are the losses measured so far, by number of landmarks."""

    def __init__(self, prepared: PreparedRows, kernel: Kernel, criterion: str, balanced: bool) -> None:
        self.prepared, self.kernel = prepared, kernel
        self.losses: dict[int, float] = {}
        self._criterion = criterion
        self._classes, codes, counts = np.unique(prepared.y_fit, return_inverse=True, return_counts=True)
        self._targets = np.where(codes[:, None] == np.arange(len(self._classes)), 1.0, -1.0)
        self._weights = (len(codes) / (len(counts) * counts))[codes] if balanced else np.ones(len(codes))

    @property
    def rows(self) -> int:
        return len(self.prepared.y_fit)

    def seconds(self, landmarks: int, pace: Pace) -> float:
        """Return the estimated seconds of `loss`."""
        m, n = self.rows, landmarks
        value = pace.value + self.prepared.X_fit.shape[1] * pace.column
        spanned = 1.5 * m * n * value + (1 + len(PRICES)) * n**2 * (m + n) * pace.product
        exact = 1.5 * m**2 * value + len(PRICES) * m**3 / 3.0 * pace.product
        return float(spanned) + (0.0 if "_exact" in self.__dict__ else exact)

    def loss(self, landmarks: int) -> float:
        """Return the score of the exact machine less the score in landmarks."""
        if landmarks not in self.losses:
            with libraries().limit(limits=1):
                self.losses[landmarks] = self._exact - self._spanned(landmarks)
        return self.losses[landmarks]

    @cached_property
    def _exact(self) -> float:
        gram = self.kernel.gram(self.prepared.X_fit)
        cross = self.kernel(self.prepared.X_new, self.prepared.X_fit)
        return max(
            self._score(cross @ _solved(gram + np.diag(1.0 / (C * self._weights)), self._targets)) for C in PRICES
        )

    def _spanned(self, landmarks: int) -> float:
        space = LandmarkSpace(self.prepared.X_fit, self.kernel, min(landmarks, self.rows))
        Z = space.features(self.kernel.bias).Z.astype(np.float64)
        new = space.project(space.raw(self.prepared.X_new, space.span))
        if self.kernel.bias:
            new = np.column_stack([new, np.ones(len(new))])
        weighted = Z * self._weights[:, None]
        square, pull, one = weighted.T @ Z, weighted.T @ self._targets, np.eye(Z.shape[1])
        return max(self._score(new @ _solved(square + one / C, pull)) for C in PRICES)

    def _score(self, scores: Array) -> float:
        f = scores if scores.shape[1] > 2 else scores[:, 1]
        return score_of(self._criterion, self.prepared.y_new, f, self._classes, 0)


def _solved(matrix: Array, targets: Array) -> Array:
    return np.asarray(cho_solve(cho_factor(matrix, lower=True, overwrite_a=True), targets))


def trial_of(data: Data, plan: Plan) -> Trial | None:
    """Return the trial of a plan's first split, in the kernel whose γ is nearest to the plan's own; None if a class has
    too few rows."""
    train, _ = plan.split(data.y, 0, data.along)
    rows = train[stratified(data.y[train], min(len(train), MOST_ROWS), plan.seed)]
    y = data.y[rows]
    if np.unique(y, return_counts=True)[1].min() < FOLDS:
        return None
    try:
        fit, held_out = next(inner(plan.scheme, y, data.along_of(rows), FOLDS, plan.seed))
    except ValueError:  # groups or times leave no fold with every class
        return None
    machine = Candidate.fixed("lssvm")
    prepared = prepare_rows(data, plan, machine, rows[fit], rows[held_out])
    width = min(plan.widths_for(machine.method), key=lambda factor: abs(np.log(factor)))
    return Trial(prepared, kernel_of(plan, prepared.X_fit, width), plan.criterion, plan.balanced)


@dataclass(frozen=True)
class Decision:
    """What a method is fitted on, and why.

    `exact` and `approximate` are the estimated seconds of a fit, exactly and within `other`; `loss` is what the
    landmarks of `other` lost in a trial on `trial_rows` rows, None without a trial.
    """

    key: str
    within: Within
    why: str
    other: Within
    exact: float
    approximate: float
    exact_bytes: float
    loss: float | None = None
    trial_rows: int = 0

    def text(self, name: str) -> str:
        """Return one line with the numbers; all seconds and bytes are estimates."""
        exact, approximate = in_seconds(self.exact), in_seconds(self.approximate)
        trial = f" in a trial (LSSVM, {self.trial_rows:,} training rows)"
        if self.within == EXACT:
            lost = " and may lose accuracy" if self.loss is None else f" and {_lost(self.loss)}{trial}"
            instead = f"; {self.other.note} would take about {approximate}{lost}" if self.other != EXACT else ""
            return f"{name}: exact, about {exact} a fit{instead}."
        lost = "" if self.loss is None else f", and {_lost(self.loss)}{trial}"
        reason = {
            TOO_LARGE: f"would need about {self.exact_bytes / 2**30:.2g} GiB, too much of the free memory",
            TOO_SLOW: f"would take about {exact}, too long: all fits of a split together have {in_seconds(SECONDS)}",
        }.get(self.why, f"would take about {exact}")
        return (
            f"{name}: {self.within.note} take about {approximate} a fit{lost}; the exact kernel on all rows {reason}."
        )


def decide(
    data: Data,
    plan: Plan,
    *,
    trial: Callable[[], Trial | None] | None = None,
    jobs: int = 1,
    pace: Callable[[KernelName], Pace] = pace_of,
) -> tuple[Decision, ...]:
    """Return the decision for each kernel method of a plan for which there is something to decide.

    It depends neither on the other methods nor on the number of splits, so that a comparison that is extended goes on
    from its results. `trial` returns a trial made before for the same data, kernel and splits; `jobs` is the number of
    fits that run at once.
    """
    rows = len(plan.split(data.y, 0, data.along)[0])
    kernels = [one for one in plan.candidates if plan.needs_matrix(one)]
    if rows <= FEW_ROWS or not kernels:
        return ()
    tried = trial() if trial else trial_of(data, plan)
    columns = tried.prepared.X_fit.shape[1] if tried else data.X.shape[1]
    about = (rows, columns, len(np.unique(data.y)), tried, pace(plan.kernel.name), MEMORY * free_memory() / jobs)
    return tuple(_decide(_Case(plan, one, *about)) for one in kernels)


def with_decisions(plan: Plan, decisions: Sequence[Decision]) -> Plan:
    """Return the plan with every candidate fitted as decided, and exactly where nothing was to decide."""
    within = {decision.key: decision.within for decision in decisions}
    return replace(plan, candidates=tuple(replace(c, within=within.get(c.key, EXACT)) for c in plan.candidates))


def by_rows(plan: Plan, training_rows: int, kernel_rows: int, landmarks: int) -> Plan:
    """Return the plan with kernel methods fitted exactly on up to `kernel_rows` training rows.

    On more rows they use so many landmarks; without landmarks, or if the number is 0, a sample of `kernel_rows` rows.
    """

    def within(candidate: Candidate) -> Within:
        if training_rows <= kernel_rows or not plan.needs_matrix(candidate):
            return EXACT
        return Within(landmarks=landmarks) if landmarks and _spans(candidate, plan) else Within(rows=kernel_rows)

    return replace(plan, candidates=tuple(replace(c, within=within(c)) for c in plan.candidates))


def _spans(candidate: Candidate, plan: Plan) -> bool:
    """Return whether a candidate can be fitted in the span of landmarks: hard margins cannot."""
    hard = any(isinstance(value, float) and np.isinf(value) for _, value in candidate.params)
    return candidate.method.landmarks and plan.kernel.name != "linear" and not hard


def _decide(case: _Case) -> Decision:
    obstacle = _obstacle(case)
    counts = [n for n in case.counts if spanned_bytes(case.rows, n) <= case.most_bytes] or list(case.counts[:1])
    tried = 0
    for n in counts:
        if not obstacle and case.fit.spanned(n) >= case.fit.exact:
            return case.decision(EXACT, BETTER if tried else CHEAPER, tried or n)
        if case.trial is None or not (obstacle or case.is_worth_trying(n)):
            break
        tried = n
        if case.trial.loss(n) <= EQUAL:
            return case.decision(Within(landmarks=n), obstacle or EQUALLY_GOOD, n)
    if not obstacle:
        return case.decision(EXACT, BETTER if tried else UNTRIED, tried or min(counts, default=0))
    if not counts:
        return case.decision(Within(rows=case.most_exact_rows()), obstacle)
    most = max((n for n in counts if case.spanned(n) <= SECONDS), default=min(counts))
    return case.decision(Within(landmarks=most), obstacle, most)


def _obstacle(case: _Case) -> str:
    """Return why a method cannot be fitted exactly, or ""."""
    if exact_bytes(case.candidate.method, case.rows) > case.most_bytes:
        return TOO_LARGE
    return TOO_SLOW if case.exact > SECONDS else ""


@dataclass(frozen=True, eq=False)
class _Case:
    """A candidate on a number of training rows: the costs of a fit on them, and of the fits inside them."""

    plan: Plan
    candidate: Candidate
    rows: int
    columns: int
    classes: int
    trial: Trial | None
    pace: Pace
    most_bytes: float

    def costs(self, rows: int) -> Costs:
        return Costs.of(self.candidate.method, rows, self.columns, self.classes, self.pace)

    @cached_property
    def fit(self) -> Costs:
        return self.costs(self.rows)

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers of landmarks to choose from; none if the method has no landmarks."""
        return tuple(n for n in COUNTS if n < self.rows) if _spans(self.candidate, self.plan) else ()

    @property
    def exact(self) -> float:
        """Seconds of all fits of a split with the exact kernel; most of them are on folds."""
        return self._split(self.rows, lambda costs: costs.exact)

    def spanned(self, landmarks: int) -> float:
        """Return the same in the span of landmarks."""
        return self._split(self.rows, lambda costs: costs.spanned(landmarks))

    def _split(self, rows: int, seconds: Callable[[Costs], float]) -> float:
        whole, inside, inside_rows = self.plan.fits_on(self.candidate, rows)
        return whole * seconds(self.costs(rows)) + inside * seconds(self.costs(inside_rows))

    def is_worth_trying(self, landmarks: int) -> bool:
        """Return whether landmarks could save time that counts, the time of their trial deducted."""
        saved = REPEATS.default * (self.exact - self.spanned(landmarks))
        return self.trial is not None and saved - self.trial.seconds(landmarks, self.pace) >= WORTH

    def most_exact_rows(self) -> int:
        """Return how many rows can be fitted exactly, in hundreds."""
        low, high = FEWEST, self.rows
        while high - low > 1:
            rows = (low + high) // 2
            seconds, room = self._split(rows, lambda costs: costs.exact), exact_bytes(self.candidate.method, rows)
            low, high = (rows, high) if seconds <= SECONDS and room <= self.most_bytes else (low, rows)
        return low // 100 * 100

    def decision(self, within: Within, why: str, landmarks: int = 0) -> Decision:
        """Return the decision, with the costs and the loss of so many landmarks, or of the sample, for comparison."""
        other = Within(landmarks=landmarks) if landmarks else within
        fit, tried = self.fit, self.trial.losses if self.trial else {}
        return Decision(
            key=self.candidate.key,
            within=within,
            why=why,
            other=other,
            exact=fit.exact,
            approximate=fit.spanned(landmarks) if landmarks else self.costs(other.rows or self.rows).exact,
            exact_bytes=exact_bytes(self.candidate.method, self.rows),
            loss=tried.get(landmarks) if why not in (CHEAPER, UNTRIED) else None,
            trial_rows=self.trial.rows if self.trial else 0,
        )


def _lost(loss: float) -> str:
    if abs(loss) <= 0.0005:
        return "lose nothing"
    return f"{'lose' if loss > 0.0 else 'gain'} {fixed(100.0 * abs(loss), 1)} points"
