-- Version 1. Change these tables only by a further file and one more version, so that existing stores are migrated.

CREATE TABLE protocol (id TEXT PRIMARY KEY, paper TEXT NOT NULL, tab INTEGER NOT NULL, method TEXT NOT NULL);

CREATE TABLE printed (
  paper TEXT, tab INTEGER, dataset TEXT, method TEXT, section TEXT, mean REAL, deviation REAL,
  PRIMARY KEY (paper, tab, dataset, method)
);

CREATE TABLE dataset (
  fingerprint TEXT PRIMARY KEY, name TEXT, source TEXT, n INTEGER, features INTEGER, classes INTEGER, differs TEXT
);

CREATE TABLE environment (id TEXT PRIMARY KEY, facts TEXT NOT NULL);

CREATE TABLE cell (
  id TEXT PRIMARY KEY,
  task TEXT NOT NULL,
  paper TEXT NOT NULL, tab INTEGER NOT NULL, dataset TEXT NOT NULL, method TEXT NOT NULL, split INTEGER NOT NULL,
  protocol TEXT NOT NULL REFERENCES protocol,
  fingerprint TEXT NOT NULL REFERENCES dataset,
  code TEXT NOT NULL,
  fits INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'leased', 'done', 'failed')),
  owner TEXT,
  lease REAL,
  attempts INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE result (
  cell TEXT PRIMARY KEY REFERENCES cell,
  value REAL NOT NULL, params TEXT NOT NULL, gap REAL, converged INTEGER NOT NULL,
  seconds REAL NOT NULL, selection_seconds REAL NOT NULL, fits INTEGER NOT NULL,
  n_train INTEGER NOT NULL, n_test INTEGER NOT NULL,
  digest TEXT NOT NULL, environment TEXT NOT NULL REFERENCES environment, finished REAL NOT NULL
);

CREATE TABLE margins (cell TEXT PRIMARY KEY REFERENCES cell, norm REAL NOT NULL, train BLOB NOT NULL, test BLOB NOT NULL);

CREATE TABLE failure (cell TEXT NOT NULL REFERENCES cell, attempt INTEGER, at REAL, owner TEXT, reason TEXT);

-- A later result of a cell with other numbers than the first, which is kept.
CREATE TABLE nondeterminism (
  cell TEXT NOT NULL REFERENCES cell, digest TEXT NOT NULL, value REAL, environment TEXT, at REAL,
  PRIMARY KEY (cell, digest)
);

CREATE TABLE run (id TEXT PRIMARY KEY, request TEXT NOT NULL, begun REAL NOT NULL, cancelled INTEGER NOT NULL DEFAULT 0);

CREATE TABLE run_cell (run TEXT NOT NULL, position INTEGER NOT NULL, cell TEXT NOT NULL, PRIMARY KEY (run, position));

CREATE INDEX run_cell_by_cell ON run_cell (cell);
