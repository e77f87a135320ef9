"""The store of the papers' tables: states and results of cells in one SQLite file, shared by several processes.

A process claims a cell in one statement and owns it until its lease expires. The first result of a cell is kept. A
later result must have the same digest; if not, it is recorded as nondeterminism and reported.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from mdcore.papers.cells import Cell, environment
from mdcore.papers.evaluation import CellOutcome, Task
from mdcore.papers.protocol import TableProtocol
from mdcore.papers.sets import Rows
from mdcore.papers.store_file import StoreFile

LEASE = 60.0  # seconds after which a lease that is not renewed expires
MOST_ATTEMPTS = 25  # a cell whose workers died this often is marked as failed


@dataclass(frozen=True)
class Claim:
    """A cell that the owner may compute until its lease expires."""

    id: str
    task: Task
    fingerprint: str
    code: str
    attempt: int


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

    def plan(self, table: TableProtocol, sets: Mapping[str, Rows], cells: Sequence[Cell], request: str) -> str:
        """Enter the cells and their data unless present, and return the name of their run.

        The same cells give the same run, which continues where it stopped; a cancelled run becomes active again.
        """
        run = run_name(cells)
        with self.writing() as db:
            for (dataset, method), printed in table.printed.items():
                known = (table.paper, table.table, dataset, method, table.section, printed.mean, printed.deviation)
                db.execute("INSERT OR REPLACE INTO printed VALUES (?, ?, ?, ?, ?, ?, ?)", known)
            for name, rows in sets.items():
                d = rows.dataset
                facts = (rows.fingerprint, name, d.name, d.n, d.d, len(d.classes), rows.constant)
                db.execute("INSERT INTO dataset VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", facts)
            for cell in cells:
                self._enter(db, cell)
            db.execute(
                "INSERT INTO run VALUES (?, ?, ?, 0) ON CONFLICT DO UPDATE SET cancelled = 0", (run, request, _now())
            )
            db.executemany(
                "INSERT INTO run_cell VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                ((run, cell.position, cell.id) for cell in cells),
            )
        return run

    def _enter(self, db: sqlite3.Connection, cell: Cell) -> None:
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
                ") RETURNING id, task, fingerprint, code, attempts",
                (owner, _now() + LEASE, run, _now()),
            ).fetchall()
        if not found:
            return None
        (cell,) = found
        return Claim(cell["id"], Task.from_json(cell["task"]), cell["fingerprint"], cell["code"], cell["attempts"])

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

    def release_dead(self, owner: str, cause: str) -> None:
        """Free the cells of an owner that has died."""
        for row in self.rows("SELECT id FROM cell WHERE owner = ? AND state = 'leased'", owner):
            self.release_dead_cell(row["id"], owner, cause)

    def release_dead_cell(self, cell: str, owner: str, cause: str) -> None:
        """Free a cell, or mark it as failed once its workers have died MOST_ATTEMPTS times."""
        reason = f"its worker died {MOST_ATTEMPTS} times, the last time by {cause}"
        with self.writing() as db:
            db.execute(
                "INSERT INTO failure SELECT id, attempts, ?, ?, ? FROM cell "
                "WHERE id = ? AND owner = ? AND state = 'leased' AND attempts >= ?",
                (_now(), owner, reason, cell, owner, MOST_ATTEMPTS),
            )
            db.execute(
                "UPDATE cell SET state = iif(attempts >= ?, 'failed', 'open'), owner = NULL, lease = NULL "
                "WHERE id = ? AND owner = ? AND state = 'leased'",
                (MOST_ATTEMPTS, cell, owner),
            )

    def count_attempt(self, cell: str) -> None:
        """Count another start of a cell that was not claimed again."""
        with self.writing() as db:
            db.execute("UPDATE cell SET attempts = attempts + 1 WHERE id = ?", (cell,))

    def sets_of(self, run: str) -> dict[tuple[str, int, str], str]:
        """Return the fingerprints of the sets of a run's unfinished cells, by paper, table and name."""
        found = self.rows(
            "SELECT DISTINCT paper, tab, dataset, fingerprint FROM run_cell JOIN cell ON cell.id = run_cell.cell "
            "WHERE run = ? AND state NOT IN ('done', 'failed')",
            run,
        )
        return {(row["paper"], row["tab"], row["dataset"]): row["fingerprint"] for row in found}

    def owners(self) -> list[str]:
        return [row["owner"] for row in self.rows("SELECT DISTINCT owner FROM cell WHERE state = 'leased'")]

    def reopen_failed(self, run: str) -> int:
        """Reopen the failed cells of a run, and return their number."""
        with self.writing() as db:
            return db.execute(
                "UPDATE cell SET state = 'open', attempts = 0 WHERE state = 'failed' AND id IN "
                "(SELECT cell FROM run_cell WHERE run = ?)",
                (run,),
            ).rowcount

    def cancel(self, run: str) -> None:
        with self.writing() as db:
            db.execute("UPDATE run SET cancelled = 1 WHERE id = ?", (run,))

    # Looking

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


def run_name(cells: Iterable[Cell]) -> str:
    """Return a name that depends only on the set of cells."""
    return sha256("\n".join(sorted(cell.id for cell in cells)).encode()).hexdigest()[:12]


def _now() -> float:
    return time.time()
