-- Version 2: what the cross-validation of a cell counted, so that its sensitivity needs no further fit.

CREATE TABLE selection (cell TEXT PRIMARY KEY REFERENCES cell, answers TEXT NOT NULL);
