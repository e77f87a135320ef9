"""The store of the papers' tables: states and results of cells in one SQLite file, shared by several processes.

A process claims a cell in one statement and owns it until its lease expires. The first result of a cell is kept. A
later result must have the same digest; if not, it is recorded as nondeterminism and reported.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from mdcore.papers.cells import Cell, environment
from mdcore.papers.evaluation import CellOutcome, Task
from mdcore.papers.protocol import TableProtocol
from mdcore.papers.run_plan import RunPlan, TableRequest
from mdcore.papers.store_file import StoreFile

LEASE = 60.0  # seconds after which a lease that is not renewed expires
MOST_ATTEMPTS = 25  # a cell whose workers died this often is marked as failed
AMONG = "IN (SELECT value FROM json_each(?))"  # the values of a JSON array


@dataclass(frozen=True)
class Claim:
    """A cell that the owner may compute until its lease expires."""

    id: str
    task: Task
    fingerprint: str
    code: str


@dataclass(frozen=True)
class RunStanding:
    """Progress of a run: its cells by state, and the attempts made."""

    total: int
    done: int
    failed: int
    leased: int
    attempts: int
    cancelled: int | None

    @property
    def left(self) -> int:
        return self.total - self.done - self.failed


class Store(StoreFile):
    """The cells, runs and results in a file."""

    # Planning

    def enter(self, plan: RunPlan) -> None:
        """Enter a run with its cells and their data unless present. A run that was cancelled stays so: see `resume`."""
        table = plan.table
        with self.writing() as db:
            for (dataset, method), printed in table.printed.items():
                known = (table.paper, table.table, dataset, method, table.section, printed.mean, printed.deviation)
                db.execute("INSERT OR REPLACE INTO printed VALUES (?, ?, ?, ?, ?, ?, ?)", known)
            for name, rows in plan.sets.items():
                d = rows.dataset
                facts = (rows.fingerprint, name, d.name, d.n, d.d, len(d.classes), rows.constant)
                db.execute("INSERT INTO dataset VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", facts)
            for cell in plan.cells:
                self._enter_cell(db, cell)
            run = (plan.run, plan.request.to_json(), _now())
            db.execute("INSERT INTO run VALUES (?, ?, ?, 0) ON CONFLICT DO NOTHING", run)
            db.executemany(
                "INSERT INTO run_cell VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                ((plan.run, cell.position, cell.id) for cell in plan.cells),
            )

    def _enter_cell(self, db: sqlite3.Connection, cell: Cell) -> None:
        task, plan = cell.task, sha256(cell.conditions.encode()).hexdigest()
        known = (plan, task.paper, task.table, cell.conditions)
        db.execute("INSERT INTO protocol VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", known)
        where = (task.paper, task.table, task.dataset, task.method, task.split)
        values = (cell.id, task.to_json(), *where, plan, cell.fingerprint, cell.code, cell.fits)
        db.execute(
            "INSERT INTO cell (id, task, paper, tab, dataset, method, split, protocol, fingerprint, code, fits) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            values,
        )

    # Working

    def claim(self, run: str, owner: str) -> Claim | None:
        """Lease and return the next cell of a run that is open or whose lease has expired, or None if there is none
        now. Cells with fewer attempts come first: a cell whose worker died may have caused the death."""
        with self.writing() as db:
            found = db.execute(
                "UPDATE cell SET state = 'leased', owner = ?, lease = ?, attempts = attempts + 1 WHERE id = ("
                "  SELECT cell.id FROM run_cell JOIN cell ON cell.id = run_cell.cell"
                "  WHERE run = ? AND (state = 'open' OR (state = 'leased' AND lease < ?))"
                "  ORDER BY attempts, position LIMIT 1"
                ") RETURNING id, task, fingerprint, code",
                (owner, _now() + LEASE, run, _now()),
            ).fetchall()
        if not found:
            return None
        (cell,) = found
        return Claim(cell["id"], Task.from_json(cell["task"]), cell["fingerprint"], cell["code"])

    def renew(self, owner: str) -> None:
        """Extend the leases of an owner."""
        with self.writing() as db:
            db.execute("UPDATE cell SET lease = ? WHERE owner = ? AND state = 'leased'", (_now() + LEASE, owner))

    def finish(self, cell: str, outcome: CellOutcome) -> bool:
        """Store a result. Return False if the cell already has one, which is kept."""
        facts = json.dumps(environment(), sort_keys=True)
        place = sha256(facts.encode()).hexdigest()[:16]
        with self.writing() as db:
            db.execute("INSERT INTO environment VALUES (?, ?) ON CONFLICT DO NOTHING", (place, facts))
            values = (
                *(cell, outcome.value, json.dumps(outcome.params, sort_keys=True), outcome.gap, outcome.converged),
                *(outcome.seconds, outcome.selection_seconds, outcome.fits, outcome.n_train, outcome.n_test),
                *(outcome.digest, place, _now()),
            )
            marks = ", ".join("?" * len(values))
            added = db.execute(f"INSERT INTO result VALUES ({marks}) ON CONFLICT DO NOTHING", values).rowcount == 1
            if added:
                margins = (cell, outcome.norm, outcome.train, outcome.test)
                db.execute("INSERT INTO margins VALUES (?, ?, ?, ?)", margins)
                db.execute("INSERT INTO selection VALUES (?, ?)", (cell, json.dumps(outcome.answers)))
            else:
                (first,) = db.execute("SELECT digest FROM result WHERE cell = ?", (cell,)).fetchone()
                if first != outcome.digest:
                    other = (cell, outcome.digest, outcome.value, place, _now())
                    db.execute("INSERT INTO nondeterminism VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", other)
            db.execute("UPDATE cell SET state = 'done', owner = NULL, lease = NULL WHERE id = ?", (cell,))
        return added

    def record(self, claim: Claim, result: CellOutcome | str, owner: str) -> None:
        """Store the outcome of a cell, or the reason why there is none."""
        if isinstance(result, str):
            self.fail(claim.id, result, owner)
        else:
            self.finish(claim.id, result)

    def fail(self, cell: str, reason: str, owner: str) -> None:
        with self.writing() as db:
            db.execute(
                "INSERT INTO failure SELECT id, attempts, ?, ?, ? FROM cell WHERE id = ?", (_now(), owner, reason, cell)
            )
            db.execute(
                "UPDATE cell SET state = 'failed', owner = NULL, lease = NULL WHERE id = ? AND state <> 'done'", (cell,)
            )

    def release(self, owner: str) -> None:
        """Free the cells of an owner that stops deliberately; the attempt does not count."""
        with self.writing() as db:
            db.execute(
                "UPDATE cell SET state = 'open', owner = NULL, lease = NULL, attempts = attempts - 1 "
                "WHERE owner = ? AND state = 'leased'",
                (owner,),
            )

    def release_dead(self, owner: str, cause: str, cell: str = "%") -> None:
        """Free the cells of an owner that has died, or one of them; mark a cell as failed once its workers have died
        MOST_ATTEMPTS times."""
        reason = f"its worker died {MOST_ATTEMPTS} times, the last time by {cause}"
        dead = "owner = ? AND id LIKE ? AND state = 'leased'"
        with self.writing() as db:
            db.execute(
                f"INSERT INTO failure SELECT id, attempts, ?, ?, ? FROM cell WHERE {dead} AND attempts >= ?",
                (_now(), owner, reason, owner, cell, MOST_ATTEMPTS),
            )
            db.execute(
                "UPDATE cell SET state = iif(attempts >= ?, 'failed', 'open'), owner = NULL, lease = NULL "
                f"WHERE {dead}",
                (MOST_ATTEMPTS, owner, cell),
            )

    def owners(self) -> list[str]:
        return [row["owner"] for row in self.rows("SELECT DISTINCT owner FROM cell WHERE state = 'leased'")]

    def resume(self, run: str, *, retry: bool) -> None:
        """Take back the cancellation of a run; with `retry`, open its failed cells again."""
        with self.writing() as db:
            db.execute("UPDATE run SET cancelled = 0 WHERE id = ?", (run,))
            if retry:
                db.execute(
                    "UPDATE cell SET state = 'open', attempts = 0 WHERE state = 'failed' AND id IN "
                    "(SELECT cell FROM run_cell WHERE run = ?)",
                    (run,),
                )

    def cancel(self, run: str) -> None:
        """Have every process that works on a run stop."""
        with self.writing() as db:
            db.execute("UPDATE run SET cancelled = 1 WHERE id = ?", (run,))

    # Reading

    def claimable(self, run: str) -> int:
        """Return the number of cells of a run that could be claimed now."""
        (found,) = self.rows(
            "SELECT count(*) FROM run_cell JOIN cell ON cell.id = run_cell.cell "
            "WHERE run = ? AND (state = 'open' OR (state = 'leased' AND lease < ?))",
            *(run, _now()),
        )
        return int(found[0])

    def standing(self, run: str) -> RunStanding:
        (found,) = self.rows(
            "SELECT count(*) AS total, coalesce(sum(state = 'done'), 0) AS done, "
            "coalesce(sum(state = 'failed'), 0) AS failed, coalesce(sum(state = 'leased'), 0) AS leased, "
            "coalesce(sum(attempts), 0) AS attempts, "
            "(SELECT cancelled FROM run WHERE id = ?) AS cancelled "
            "FROM run_cell JOIN cell ON cell.id = run_cell.cell WHERE run = ?",
            *(run, run),
        )
        return RunStanding(**dict(found))

    def runs(self) -> list[tuple[str, TableRequest, frozenset[str]]]:
        """Return the runs, the latest first, with the owners of their leased cells; a cancelled run counts none."""
        found = self.rows(
            "SELECT id, request, (SELECT json_group_array(DISTINCT owner) FROM run_cell "
            "JOIN cell ON cell.id = run_cell.cell WHERE run = run.id AND state = 'leased' AND lease > ? "
            "AND NOT run.cancelled) AS owners FROM run ORDER BY begun DESC",
            _now(),
        )
        return [(r["id"], TableRequest.from_json(r["request"]), frozenset(json.loads(r["owners"]))) for r in found]

    def in_state(self, state: str) -> set[str]:
        """Return the cells in a state."""
        return {row["id"] for row in self.rows("SELECT id FROM cell WHERE state = ?", state)}

    def cells(self, table: TableProtocol, among: Iterable[str] | None = None) -> list[sqlite3.Row]:
        """Return the cells of a table, or those of the given ones, with their results, by set, method and split."""
        chosen = None if among is None else _array(among)
        return self.rows(
            "SELECT cell.*, value, converged, finished, n_train, n_test, "
            "n, features + constant AS features, classes, "
            "(SELECT reason FROM failure WHERE failure.cell = cell.id ORDER BY at DESC LIMIT 1) AS reason, "
            "(SELECT count(*) FROM nondeterminism AS other WHERE other.cell = cell.id) AS others "
            "FROM cell JOIN dataset USING (fingerprint) LEFT JOIN result ON result.cell = cell.id "
            f"WHERE paper = ? AND tab = ? AND (? IS NULL OR cell.id {AMONG}) "
            "ORDER BY dataset, method, split, cell.rowid",
            *(table.paper, table.table, chosen, chosen),
        )

    def splits(self, cells: Iterable[str]) -> list[sqlite3.Row]:
        """Return the results of cells with their margins and cross-validations, by split."""
        return self.rows(
            "SELECT id, split, value, params, seconds, selection_seconds, norm, train, test, answers FROM cell "
            "JOIN result ON result.cell = id JOIN margins ON margins.cell = id "
            f"LEFT JOIN selection ON selection.cell = id WHERE id {AMONG} ORDER BY split",
            _array(cells),
        )

    def provenance(self, cells: Iterable[str]) -> list[sqlite3.Row]:
        """Return the results of cells with what they depend on, by set, method and split."""
        return self.rows(
            "SELECT cell.id AS cell, paper, tab AS 'table', dataset, method, split, fingerprint, code, result.* "
            f"FROM cell JOIN result ON result.cell = cell.id WHERE cell.id {AMONG} ORDER BY dataset, method, split",
            _array(cells),
        )

    def results_named(self, start: str) -> list[sqlite3.Row]:
        """Return the results of the cells whose names begin so."""
        return self.rows(
            "SELECT cell.id, task, fingerprint, code, value, digest FROM cell JOIN result ON result.cell = cell.id "
            "WHERE id LIKE ? || '%'",
            start,
        )

    def times(self) -> list[sqlite3.Row]:
        """Return the seconds and fits of the finished cells, by paper, set and method."""
        return self.rows(
            "SELECT paper, dataset, method, sum(seconds + selection_seconds) AS took, sum(result.fits) AS made "
            "FROM cell JOIN result ON result.cell = cell.id GROUP BY paper, dataset, method"
        )

    def environments(self) -> list[tuple[dict[str, str], int]]:
        """Return the environments of the results with the number of results, the largest first."""
        found = self.rows("SELECT facts, (SELECT count(*) FROM result WHERE environment = id) AS n FROM environment")
        return sorted(((json.loads(row["facts"]), row["n"]) for row in found), key=lambda each: -each[1])


def _array(values: Iterable[str]) -> str:
    return json.dumps(list(values))


def _now() -> float:
    return time.time()
