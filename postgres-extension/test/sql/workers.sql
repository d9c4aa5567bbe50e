-- Parallel workers beside the session, as valgrind sees them; what they send the Python tests compare. On a machine with
-- one processor none come, and this test says so.
SELECT bowshot.version() IS NOT NULL AS loaded;
\set VERBOSITY default
\set SHOW_CONTEXT always
SET min_parallel_table_scan_size = 0;
CREATE TYPE feeling AS ENUM ('sad', 'happy');
CREATE TABLE many WITH (parallel_workers = 2) AS
    SELECT n AS id, CASE WHEN n % 7 > 0 THEN 'name ' || n END AS name, n * 1.37::numeric(15, 2) AS price,
        date '2000-01-01' + n % 5000 AS day, (ARRAY['sad', 'happy'])[1 + n % 2]::feeling AS feeling,
        CASE WHEN n % 5 = 0 THEN ARRAY[n, NULL] END AS pair, repeat('p', n % 300) AS pad
    FROM generate_series(1, 20000) n;
CREATE TABLE huge (id int, value text) WITH (parallel_workers = 1);
ALTER TABLE huge ALTER value SET STORAGE EXTERNAL;
INSERT INTO huge SELECT n, repeat(md5(n::text), 40000) FROM generate_series(1, 20) n;
VACUUM ANALYZE many, huge;

-- Fails in a worker; until one comes, the session takes its time.
CREATE FUNCTION told(id int, leader int) RETURNS int LANGUAGE plpgsql PARALLEL SAFE AS $$
BEGIN
    IF pg_backend_pid() <> leader THEN
        RAISE EXCEPTION 'a worker has come';
    END IF;
    PERFORM pg_sleep(0.001);
    RETURN id;
END $$;
SELECT pg_backend_pid() AS leader \gset
\o /dev/null
COPY (SELECT id, pad, told(id, :leader) FROM many) TO STDOUT (FORMAT arrow, batch_bytes 1000);
\set SHOW_CONTEXT never

-- After which the session goes on.
COPY many TO STDOUT (FORMAT arrow, batch_bytes 10000);
COPY (SELECT id, upper(name), price FROM many WHERE id % 5 > 0) TO STDOUT (FORMAT arrow, batch_bytes 1000, compression 'zstd');
COPY (SELECT id, pad FROM many UNION ALL SELECT -id, pad FROM many) TO STDOUT (FORMAT arrow, batch_bytes 10000);
COPY huge TO STDOUT (FORMAT arrow, batch_bytes 1000);

-- A value that Arrow cannot hold, wherever it is found.
COPY (SELECT id, pad, CASE WHEN id > 10000 THEN 'infinity'::date ELSE day END AS late FROM many)
    TO STDOUT (FORMAT arrow, batch_bytes 10000);

-- A limit of time ends workers, too.
SET statement_timeout = '1s';
COPY (SELECT id, pad, pg_sleep(0.01) IS NULL AS slow FROM many) TO STDOUT (FORMAT arrow, batch_bytes 1000);
RESET statement_timeout;

-- The parts of a shared result have workers of their own.
SELECT bowshot.declare('parts', 'SELECT * FROM many', 2, 10000);
COPY (SELECT bowshot.fetch('parts', 1)) TO STDOUT (FORMAT arrow);
COPY (SELECT bowshot.fetch('parts', 2)) TO STDOUT (FORMAT arrow);
SELECT bowshot.declare('failed', format('SELECT id, pad, told(id, %s) FROM many', :leader), 1, 1000);
COPY (SELECT bowshot.fetch('failed', 1)) TO STDOUT (FORMAT arrow);
\o
SELECT * FROM bowshot.results;

-- A transaction sees its own rows.
BEGIN;
INSERT INTO many SELECT * FROM many WHERE id <= 10;
\o /dev/null
COPY many TO STDOUT (FORMAT arrow, batch_bytes 10000);
\o
ROLLBACK;

RESET min_parallel_table_scan_size;
DROP TABLE many, huge;
DROP FUNCTION told;
DROP TYPE feeling;
