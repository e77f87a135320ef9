-- Version 3: papers print different shapes of the same data set, so the deviation belongs to the table, not the data.

ALTER TABLE dataset DROP COLUMN differs;
ALTER TABLE dataset ADD COLUMN constant INTEGER NOT NULL DEFAULT 0;
