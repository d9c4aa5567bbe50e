-- Results that n connections share, as one session sees them; the Python tests have the connections.
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE TABLE numbers AS SELECT n, n % 3 AS kind FROM generate_series(1, 1000) n;
ANALYZE numbers;

-- Declared, fetched in any order, gone.
SELECT bowshot.declare('plan', 'SELECT * FROM numbers', 2);
SELECT bowshot.declare('result', 'SELECT kind, count(*) FROM numbers GROUP BY kind', 3, compression => 'zstd');
SELECT name, n, how, begun, done, bytes, failure FROM bowshot.results ORDER BY name;
\o /dev/null
COPY (SELECT bowshot.fetch('plan', 2)) TO STDOUT (FORMAT arrow);
COPY (SELECT bowshot.fetch('result'::text, '1'::int)) TO STDOUT (FORMAT arrow);
COPY (SELECT bowshot.fetch('result'::text, 1::int)) TO STDOUT (FORMAT arrow);
\o
SELECT name, n, how, begun, done, bytes > 0 AS sent, failure FROM bowshot.results ORDER BY name;
COPY (SELECT bowshot.fetch('plan', 2)) TO STDOUT (FORMAT arrow);
\o /dev/null
COPY (SELECT bowshot.fetch('plan', 1)) TO STDOUT (FORMAT arrow);
COPY (SELECT bowshot.fetch('result', 2)) TO STDOUT (FORMAT arrow);
COPY (SELECT bowshot.fetch('result', 3)) TO STDOUT (FORMAT arrow);
\o
SELECT * FROM bowshot.results;
COPY (SELECT bowshot.fetch('plan', 1)) TO STDOUT (FORMAT arrow);

-- Parts and names.
SELECT bowshot.declare('taken', 'SELECT 1', 2);
SELECT bowshot.declare('taken', 'SELECT 2', 2);
COPY (SELECT bowshot.fetch('taken', 0)) TO STDOUT (FORMAT arrow);
COPY (SELECT bowshot.fetch('taken', 3)) TO STDOUT (FORMAT arrow);
COPY (SELECT bowshot.fetch('taken', -1)) TO STDOUT (FORMAT arrow);
SELECT bowshot.close('taken');
SELECT bowshot.close('taken');
SELECT bowshot.declare('taken', 'SELECT 1', 1);
SELECT bowshot.close('taken');
SELECT bowshot.declare('', 'SELECT 1', 1);
SELECT bowshot.declare(repeat('x', 64), 'SELECT 1', 1);
SELECT bowshot.declare(NULL, 'SELECT 1', 1);
SELECT bowshot.declare('none', 'SELECT 1', 0);
SELECT bowshot.declare('many', 'SELECT 1', 65);

-- The options are the declaration's.
SELECT bowshot.declare('o', 'SELECT 1', 1, 0);
SELECT bowshot.declare('o', 'SELECT 1', 1, compression => 'gzip');
SELECT bowshot.declare('o', 'SELECT 1', 1, infinity => 'forever');
SELECT bowshot.declare('o', 'SELECT 1', 1, timeout => '0');
SELECT bowshot.declare('o', 'SELECT 1', 1, timeout => '2 days');
COPY (SELECT bowshot.fetch('o', 1)) TO STDOUT (FORMAT arrow, batch_bytes 1000);
COPY (SELECT bowshot.fetch('o', 1)) TO STDOUT (FORMAT arrow, header);
COPY (SELECT bowshot.fetch('o', 1)) TO '/tmp/o.arrows' (FORMAT arrow);

-- Queries that cannot be shared.
SELECT bowshot.declare('q', 'SELECT * FROM nothing', 1);
SELECT bowshot.declare('q', 'SELECT 1 +', 1);
SELECT bowshot.declare('q', '', 1);
SELECT bowshot.declare('q', 'SELECT 1; SELECT 2', 1);
SELECT bowshot.declare('q', 'DELETE FROM numbers RETURNING n', 1);
SELECT bowshot.declare('q', 'WITH gone AS (DELETE FROM numbers RETURNING n) SELECT * FROM gone', 1);
SELECT bowshot.declare('q', 'SELECT * FROM numbers FOR UPDATE', 1);
SELECT bowshot.declare('q', 'CREATE TABLE no (a int)', 1);
SELECT bowshot.declare('q', 'SELECT 1 AS n INTO numbers', 1);
SELECT bowshot.declare('q', 'SELECT $1', 1);
CREATE TEMPORARY TABLE own (a int);
SELECT bowshot.declare('q', 'SELECT 1 WHERE EXISTS (SELECT FROM own)', 1);
CREATE SEQUENCE ids;
SELECT bowshot.declare('q', 'SELECT nextval(''ids'')', 1);
\o /dev/null
COPY (SELECT bowshot.fetch('q', 1)) TO STDOUT (FORMAT arrow);
\o
SELECT bowshot.close('q');
SELECT * FROM bowshot.results;

-- Transactions.
BEGIN;
INSERT INTO numbers VALUES (0);
SELECT bowshot.declare('t', 'SELECT * FROM numbers', 1);
ROLLBACK;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT bowshot.declare('t', 'SELECT * FROM numbers', 1);
ROLLBACK;
BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE;
SELECT bowshot.declare('t', 'SELECT * FROM numbers', 1);
ROLLBACK;
\o /dev/null
COPY (SELECT bowshot.fetch('t', 1)) TO STDOUT (FORMAT arrow);
\o

-- fetch is no function like others.
SELECT bowshot.fetch('t', 1);
COPY (SELECT bowshot.fetch('t', n) FROM generate_series(1, 2) n) TO STDOUT (FORMAT arrow);
COPY (SELECT bowshot.fetch('t', 1)) TO STDOUT;

-- Rights are the user's own.
CREATE ROLE bowshot_sharer;
CREATE ROLE bowshot_other;
CREATE TABLE secret AS SELECT 1 AS id;
CREATE TABLE own_rows AS SELECT name, 1 AS id FROM (VALUES ('bowshot_sharer'), ('postgres')) v(name);
GRANT SELECT ON own_rows TO bowshot_sharer;
ALTER TABLE own_rows ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON own_rows USING (name = current_user);
SET ROLE bowshot_sharer;
SELECT bowshot.declare('r', 'SELECT * FROM secret', 1);
SELECT bowshot.declare('r', 'SELECT count(*) FROM secret', 1);
SELECT bowshot.declare('r', 'SELECT * FROM own_rows', 1);
SELECT how FROM bowshot.results;
SET ROLE bowshot_other;
COPY (SELECT bowshot.fetch('r', 1)) TO STDOUT (FORMAT arrow);
SELECT bowshot.close('r');
SELECT * FROM bowshot.results;
RESET ROLE;
COPY (SELECT bowshot.fetch('r', 1)) TO STDOUT (FORMAT arrow);
SET ROLE bowshot_sharer;
\o /dev/null
COPY (SELECT bowshot.fetch('r', 1)) TO STDOUT (FORMAT arrow);
\o
RESET ROLE;

DROP TABLE numbers, secret, own_rows, own;
DROP SEQUENCE ids;
DROP ROLE bowshot_sharer, bowshot_other;
