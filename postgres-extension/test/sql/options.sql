-- What stands behind FORMAT arrow, and what is refused.
\set VERBOSITY default
SELECT bowshot.version();

-- Every option, known and unknown.
COPY (SELECT 1) TO STDOUT (FORMAT arrow, batch_bytes 0);
COPY (SELECT 1) TO STDOUT (FORMAT arrow, batch_bytes 536870913);
COPY (SELECT 1) TO STDOUT (FORMAT arrow, batch_bytes 'many');
COPY (SELECT 1) TO STDOUT (FORMAT arrow, batch_bytes);
COPY (SELECT 1) TO STDOUT (FORMAT arrow, compression 'gzip');
COPY (SELECT 1) TO STDOUT (FORMAT arrow, infinity 'forever');
COPY (SELECT 1) TO STDOUT (FORMAT arrow, delimiter '|');
COPY (SELECT 1) TO STDOUT (FORMAT arrow, header);
COPY (SELECT 1) TO STDOUT (FORMAT arrow, FORMAT csv);
COPY (SELECT 1) TO STDOUT (FORMAT arrow, compression 'lz4', compression 'zstd');
COPY (SELECT 1) TO STDOUT (FORMAT "Arrow");

-- Only out, and only to the client.
CREATE TABLE numbers (n int NOT NULL, name text);
COPY numbers FROM STDIN (FORMAT arrow);
\.
COPY numbers TO '/tmp/numbers.arrows' (FORMAT arrow);
COPY numbers TO PROGRAM 'cat' (FORMAT arrow);

-- Every other COPY is PostgreSQL's.
COPY numbers FROM STDIN (FORMAT text);
1	one
2	two
\.
COPY numbers TO STDOUT;
COPY numbers (name) TO STDOUT (FORMAT csv, HEADER);
COPY numbers TO STDOUT (FORMAT parquet);

-- Those that are known.
\o /dev/null
COPY numbers TO STDOUT (FORMAT arrow, compression 'none', infinity 'error', batch_bytes 1);
\o
DROP TABLE numbers;
