-- Version 2: the counts of each cross-validation, so that the sensitivity figures need no further fit.

CREATE TABLE selection (cell TEXT PRIMARY KEY REFERENCES cell, answers TEXT NOT NULL);
