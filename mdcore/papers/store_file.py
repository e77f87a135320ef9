"""The SQLite file of a store: opened, created or migrated, written in transactions, with errors that say what to do.

It must not lie on a network disk, where SQLite's write-ahead log does not work.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

APPLICATION = 0x4D4C5442  # the application id in the header of the SQLite file
SCHEMAS = ("schema.sql", "schema_2.sql", "schema_3.sql")  # the n-th script migrates from version n to version n + 1
BUSY = 60.0  # seconds that a write waits for another write to end

_LOCKED = f"Another program has locked it for {BUSY:.0f} seconds: stop it, then run the same command again."
_NOT_WRITABLE = "Choose a file in an existing, writable folder."
REMEDIES = {  # SQLite's error -> what to do
    sqlite3.SQLITE_NOTADB: "It is a file of another program: choose another file for --store.",
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_FULL: "Free some disk space, then run the same command again: all finished cells are in the store.",
    sqlite3.SQLITE_CANTOPEN: _NOT_WRITABLE,
    sqlite3.SQLITE_READONLY: _NOT_WRITABLE,
    sqlite3.SQLITE_IOERR: "It may be on a network disk, where SQLite does not work: choose a local disk.",
}
PRIMARY = 0xFF  # the bits of an error code that name the kind of error
DAMAGED = (
    "It is damaged: restore the file from a backup, or choose another file for --store. "
    "`sqlite3 FILE .recover` may recover some of its contents."
)


class StoreProblem(ValueError):
    """The store cannot be used, at least for now. The message says what to do; no stored data are lost."""


class StoreFile:
    """An open file. Each thread needs its own."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        with _explained(self.path):
            self._db = sqlite3.connect(self.path, timeout=BUSY, isolation_level=None)
            self._db.row_factory = sqlite3.Row
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    @classmethod
    def view(cls, path: str | os.PathLike[str]) -> Self:
        """Open a file for reading only; a file that does not exist counts as an empty store."""
        made = cls(path if Path(path).exists() else ":memory:")
        made._db.execute("PRAGMA query_only = ON")
        return made

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Open a write transaction.

        It locks at once, because a transaction that upgrades from reading to writing could fail.
        """
        with _explained(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def rows(self, statement: str, *values: Any) -> list[sqlite3.Row]:
        with _explained(self.path):
            return self._db.execute(statement, values).fetchall()

    def _prepare(self) -> None:
        self._db.execute("BEGIN")  # a consistent snapshot: another process may be creating the file
        made_by, version = self._pragma("application_id"), self._pragma("user_version")
        tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        self._db.execute("COMMIT")
        if made_by != APPLICATION and tables:
            raise StoreProblem(f"{self.path} is a database of another program. Choose another file for --store.")
        if version < 0:
            raise StoreProblem(
                f"{self.path} claims to have version {version}: its header is damaged. Restore the file from a backup, "
                "or choose another file for --store."
            )
        if version > len(SCHEMAS):
            raise StoreProblem(
                f"{self.path} has version {version}, written by a newer Margin Lab; this one reads versions up to "
                f"{len(SCHEMAS)}. Update Margin Lab, or choose another file for --store."
            )
        self._keep_a_log()
        if version < len(SCHEMAS):
            with self.writing() as db:
                for number in range(self._pragma("user_version"), len(SCHEMAS)):  # another process may be first
                    for statement in _statements(SCHEMAS[number]):
                        db.execute(statement)
                db.execute(f"PRAGMA application_id = {APPLICATION}")
                db.execute(f"PRAGMA user_version = {len(SCHEMAS)}")

    def _keep_a_log(self) -> None:
        """Switch to write-ahead logging, so that readers need not wait for writers.

        Retry, because SQLite refuses immediately while another process does the same to a new file.
        """
        waited_since = time.monotonic()
        while self._pragma("journal_mode") not in ("wal", "memory"):
            try:
                self._db.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError:
                if time.monotonic() - waited_since > BUSY:
                    raise
                time.sleep(0.01)

    def _pragma(self, name: str) -> Any:
        return self._db.execute(f"PRAGMA {name}").fetchone()[0]


def _statements(name: str) -> Iterator[str]:
    text = files("mdcore.papers").joinpath(name).read_text(encoding="utf-8")
    return (statement for statement in text.split(";") if statement.strip())


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into StoreProblem with a remedy."""
    try:
        yield
    except sqlite3.Error as error:
        remedy = REMEDIES.get(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & PRIMARY, "")
        if not remedy and _is_our_fault(error):
            raise
        raise StoreProblem(f"{path} cannot be used ({error}). {remedy or DAMAGED}") from None
    except MemoryError:  # SQLite's reaction to some damaged headers
        raise StoreProblem(
            f"{path} cannot be used: reading it takes more memory than is available. Unless other programs hold the "
            "memory, the file is damaged: restore it from a backup, or choose another file for --store."
        ) from None


def _is_our_fault(error: sqlite3.Error) -> bool:
    """Return whether the error is a bug in this program: a misused connection, or a syntax error in a statement of ours
    rather than in a schema read from a damaged file."""
    misused = isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError)
    return misused or (str(error).endswith(": syntax error") and "malformed" not in str(error))
