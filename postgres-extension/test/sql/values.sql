-- Values that Arrow cannot hold are named, with a way out.
SELECT bowshot.version() IS NOT NULL AS loaded;
COPY (SELECT 'infinity'::date AS day) TO STDOUT (FORMAT arrow);
COPY (SELECT '-infinity'::timestamptz AS moment) TO STDOUT (FORMAT arrow);
COPY (SELECT 'NaN'::numeric(5, 2) AS price) TO STDOUT (FORMAT arrow);
COPY (SELECT 'NaN'::numeric AS price) TO STDOUT (FORMAT arrow);
COPY (SELECT 1e60::numeric AS price) TO STDOUT (FORMAT arrow);
COPY (SELECT '24:00'::time AS hour) TO STDOUT (FORMAT arrow);
COPY (SELECT ARRAY['infinity'::date] AS days) TO STDOUT (FORMAT arrow);
\o /dev/null
COPY (SELECT CASE WHEN n < 100000 THEN current_date ELSE 'infinity' END AS late FROM generate_series(1, 100000) n)
    TO STDOUT (FORMAT arrow);

COPY (SELECT 'infinity'::date, '-infinity'::timestamp) TO STDOUT (FORMAT arrow, infinity 'null');

-- Values that lie elsewhere, compressed or not, and are larger than a batch.
CREATE TABLE large (compressed text, plain text, bytes bytea, nested text[]);
ALTER TABLE large ALTER plain SET STORAGE EXTERNAL;
INSERT INTO large SELECT repeat('long', 100000), repeat('p', n * 1000), decode(repeat('ab', n), 'hex'),
    ARRAY[repeat('q', 5000), NULL] FROM generate_series(1, 50) n;
COPY large TO STDOUT (FORMAT arrow, batch_bytes 1000);
COPY (SELECT repeat('x', 200000000) AS huge FROM generate_series(1, 2)) TO STDOUT (FORMAT arrow);
\o
DROP TABLE large;

-- A limit of time ends it, and the session goes on.
SET statement_timeout = '100ms';
COPY (SELECT pg_sleep(30)) TO STDOUT (FORMAT arrow);
RESET statement_timeout;
\o /dev/null
COPY (SELECT 1) TO STDOUT (FORMAT arrow);
\o
