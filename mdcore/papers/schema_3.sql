-- Version 3: papers that share a data set print other shapes of it, so that the difference is the table's, not the data's.

ALTER TABLE dataset DROP COLUMN differs;
ALTER TABLE dataset ADD COLUMN constant INTEGER NOT NULL DEFAULT 0;
