-- Relations and queries: what COPY reads, and PostgreSQL's own errors for the rest.
SELECT bowshot.version() IS NOT NULL AS loaded;
CREATE TABLE parent (a int, b text);
CREATE TABLE child (c int) INHERITS (parent);
CREATE TABLE made (a int, twice int GENERATED ALWAYS AS (a * 2) STORED);
CREATE TABLE divided (a int) PARTITION BY RANGE (a);
CREATE VIEW seen AS SELECT a FROM parent;
CREATE MATERIALIZED VIEW kept AS SELECT a FROM parent WITH NO DATA;
CREATE SEQUENCE counted;
INSERT INTO parent VALUES (1, 'one'), (2, 'two');
INSERT INTO child VALUES (3, 'three', 3);
INSERT INTO made VALUES (1);

COPY missing TO STDOUT (FORMAT arrow);
COPY parent (z) TO STDOUT (FORMAT arrow);
COPY parent (a, a) TO STDOUT (FORMAT arrow);
COPY made (twice) TO STDOUT (FORMAT arrow);
COPY divided TO STDOUT (FORMAT arrow);
COPY seen TO STDOUT (FORMAT arrow);
COPY counted TO STDOUT (FORMAT arrow);
COPY (SELECT a INTO other FROM parent) TO STDOUT (FORMAT arrow);
COPY (DELETE FROM parent) TO STDOUT (FORMAT arrow);
COPY (SELECT 1 / (a - 2) FROM parent) TO STDOUT (FORMAT arrow);
COPY (SELECT nothing FROM parent) TO STDOUT (FORMAT arrow);

-- A table without its children; rows that a statement changes; a query without columns and without rows.
\o /dev/null
COPY parent TO STDOUT (FORMAT arrow);
COPY (SELECT * FROM parent) TO STDOUT (FORMAT arrow);
COPY (UPDATE parent SET b = upper(b) RETURNING a, b) TO STDOUT (FORMAT arrow);
COPY (SELECT FROM parent) TO STDOUT (FORMAT arrow);
COPY (SELECT a FROM parent WHERE false) TO STDOUT (FORMAT arrow);
\o
SELECT * FROM parent ORDER BY a;

-- Rules that make none or several statements of one.
CREATE RULE quiet AS ON DELETE TO parent DO INSTEAD NOTHING;
CREATE RULE more AS ON INSERT TO parent DO ALSO NOTIFY more;
COPY (DELETE FROM parent RETURNING a) TO STDOUT (FORMAT arrow);
COPY (INSERT INTO parent VALUES (4) RETURNING a) TO STDOUT (FORMAT arrow);

-- Where no client listens.
CREATE FUNCTION inside() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    COPY parent TO STDOUT (FORMAT arrow);
END $$;
SELECT inside();
DO $$ BEGIN EXECUTE 'COPY parent TO STDOUT (FORMAT arrow)'; END $$;

-- In a transaction that may not write, and in one that failed.
BEGIN READ ONLY;
\o /dev/null
COPY parent TO STDOUT (FORMAT arrow);
\o
COPY (SELECT 1 / 0) TO STDOUT (FORMAT arrow);
COPY parent TO STDOUT (FORMAT arrow);
ROLLBACK;

DROP FUNCTION inside();
DROP SEQUENCE counted;
DROP MATERIALIZED VIEW kept;
DROP VIEW seen;
DROP TABLE divided, made, child, parent;
