-- Rows of about 900 bytes, 8 of them a page: 2,500 pages, a little over the least that is split.
CREATE TABLE big (id int8 PRIMARY KEY, grp int NOT NULL, price numeric(12,2), day date, note text);
INSERT INTO big SELECT i, i % 97, CASE WHEN i % 11 > 0 THEN i / 7.0 END, date '2020-01-01' + i % 1000,
  rpad('row ' || i, 900, 'x') FROM generate_series(1, 20000) i;
CREATE TABLE small AS SELECT i AS grp, 'group ' || i AS name FROM generate_series(0, 90) i;
CREATE TABLE empty (id int, note text);
CREATE VIEW big_view AS SELECT id, now() AS at FROM big;
CREATE MATERIALIZED VIEW big_copy AS SELECT * FROM big;
CREATE UNLOGGED TABLE unlogged AS SELECT * FROM big;

-- Range, and below it hash; a partition with its columns in another order and a dropped one.
CREATE TABLE parted (id int8 NOT NULL, grp int NOT NULL, note text) PARTITION BY RANGE (id);
CREATE TABLE parted_low PARTITION OF parted FOR VALUES FROM (0) TO (8000);
CREATE TABLE parted_odd (junk text, note text, grp int NOT NULL, id int8 NOT NULL);
ALTER TABLE parted_odd DROP COLUMN junk;
ALTER TABLE parted ATTACH PARTITION parted_odd FOR VALUES FROM (8000) TO (15000);
CREATE TABLE parted_rest PARTITION OF parted DEFAULT PARTITION BY HASH (grp);
CREATE TABLE parted_rest_0 PARTITION OF parted_rest FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parted_rest_1 PARTITION OF parted_rest FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO parted SELECT id, grp, note FROM big;
CREATE TABLE listed (kind text, id int8, note text) PARTITION BY LIST (kind);
CREATE TABLE listed_a PARTITION OF listed FOR VALUES IN ('a', 'b');
CREATE TABLE listed_null PARTITION OF listed FOR VALUES IN (NULL);
CREATE TABLE listed_empty PARTITION OF listed FOR VALUES IN ('z');
CREATE TABLE listed_default PARTITION OF listed DEFAULT;
INSERT INTO listed SELECT (ARRAY['a', 'b', 'c', NULL])[id % 4 + 1], id, note
  FROM (SELECT * FROM big UNION ALL SELECT * FROM big) AS twice;

-- Inheritance, from two parents too.
CREATE TABLE parent (id int8, note text);
CREATE TABLE other_parent (id int8, extra int);
CREATE TABLE child (more text) INHERITS (parent);
CREATE TABLE grandchild (note text, id int8) INHERITS (child, other_parent);
INSERT INTO parent SELECT id, note FROM big WHERE id <= 7000;
INSERT INTO child SELECT id, note, 'more' FROM big WHERE id > 7000 AND id <= 14000;
INSERT INTO grandchild (id, note) SELECT id, note FROM big WHERE id > 14000;

-- Dead rows everywhere, whole dead ranges, empty pages at the end, freed room that was used again.
CREATE TABLE bloated (id int8, note text) WITH (fillfactor = 70);
INSERT INTO bloated SELECT id, note FROM big;
UPDATE bloated SET note = 'changed ' || note WHERE id % 3 = 0;
DELETE FROM bloated WHERE id BETWEEN 4000 AND 9000 OR id % 7 = 0;
VACUUM (TRUNCATE off) bloated;
INSERT INTO bloated SELECT -id, note FROM big WHERE id <= 1000;
DELETE FROM bloated WHERE id BETWEEN -500 AND 0;
CREATE TABLE hollow AS SELECT * FROM big;
DELETE FROM hollow WHERE id > 50;
VACUUM (TRUNCATE off) hollow;

-- Values outside of the row, dropped and generated columns, one added later.
CREATE TABLE wide (id int8, gone text, note text, doubled int8 GENERATED ALWAYS AS (id * 2) STORED, value text);
ALTER TABLE wide ALTER value SET STORAGE EXTERNAL;
INSERT INTO wide (id, gone, note, value)
  SELECT id, 'gone', note, CASE WHEN id % 100 = 0 THEN repeat(id::text, 3000) END FROM big;
ALTER TABLE wide DROP COLUMN gone;
ALTER TABLE wide ADD COLUMN late int DEFAULT 7;

-- Names that need quotes, and one name in two schemas.
CREATE SCHEMA "Sch.ema ""ü";
CREATE TABLE "Sch.ema ""ü"."Ta.ble" AS SELECT id AS "I d", note AS "from" FROM big;
CREATE TABLE "größe" AS SELECT id, grp AS "größe" FROM big LIMIT 10;
CREATE SCHEMA one;
CREATE SCHEMA two;
CREATE TABLE one.twin AS SELECT id, 'one' AS whose, note FROM big;
CREATE TABLE two.twin AS SELECT id, 'two' AS whose, note FROM big WHERE id <= 17000;
CREATE TABLE twin AS SELECT 0 AS id, 'public' AS whose;

-- Keys of every kind to partition by.
CREATE TABLE keys AS SELECT i AS id, i::int2 AS small, i::int4 AS middle,
  CASE i WHEN 1 THEN -9223372036854775808 WHEN 2 THEN 9223372036854775807 WHEN 3 THEN NULL ELSE i END::int8 AS whole,
  CASE i % 50 WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' WHEN 3 THEN '-Infinity' WHEN 4 THEN NULL ELSE i / 3.0 END::float8
    AS double,
  CASE i % 50 WHEN 1 THEN 'NaN' WHEN 2 THEN '1e30' WHEN 4 THEN NULL ELSE i / 3.0 END::float4 AS single,
  CASE i % 50 WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' WHEN 3 THEN '-Infinity' WHEN 4 THEN NULL ELSE i / 3.0 END::numeric
    AS number,
  CASE i WHEN 1 THEN 1e38 WHEN 2 THEN -1e38 ELSE i END::numeric AS wide_number,
  CASE i WHEN 1 THEN 1e300 WHEN 2 THEN -1e300 ELSE i END::numeric AS huge_number,
  CASE WHEN i % 50 = 1 THEN 'infinity'::date WHEN i % 50 = 2 THEN '-infinity' WHEN i % 50 <> 3 THEN
    date '2020-01-01' + i END AS day,
  CASE WHEN i % 50 = 1 THEN 'infinity'::timestamp WHEN i % 50 = 2 THEN '-infinity' WHEN i % 50 <> 3 THEN
    timestamp '2020-01-01' + i * interval '1 hour 0.5 seconds' END AS moment,
  CASE WHEN i % 50 = 1 THEN 'infinity'::timestamptz WHEN i % 50 = 2 THEN '-infinity' WHEN i % 50 <> 3 THEN
    timestamptz '2020-01-01 00:00+00' + i * interval '1 hour' END AS instant,
  CASE i WHEN 1 THEN '294276-12-31 23:59:59'::timestamp WHEN 2 THEN '4713-01-01 BC' ELSE '294276-12-31' END AS edge,
  CASE WHEN i = 1000 THEN 1000000 ELSE i % 5 END AS skewed, NULL::int AS nothing, 'text ' || i AS words
  FROM generate_series(1, 1000) i;

-- What differs from call to call, without telling.
CREATE FUNCTION volatile_one() RETURNS int LANGUAGE sql VOLATILE AS 'SELECT (random() * 100)::int';
CREATE FUNCTION stable_one() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT now()';
CREATE FUNCTION steady(int8) RETURNS int8 LANGUAGE sql IMMUTABLE AS 'SELECT $1 + 1';
CREATE FUNCTION summed_state(int8, int8) RETURNS int8 LANGUAGE sql IMMUTABLE AS 'SELECT coalesce($1, 0) + $2';
CREATE AGGREGATE summed(int8) (SFUNC = summed_state, STYPE = int8);

-- Who may read what.
CREATE TABLE secured AS SELECT id, grp, note FROM big;
ALTER TABLE secured ENABLE ROW LEVEL SECURITY;
CREATE POLICY even ON secured TO reader USING (grp % 2 = 0);
CREATE TABLE secured_parent (id int8, note text) PARTITION BY RANGE (id);
CREATE TABLE secured_leaf PARTITION OF secured_parent FOR VALUES FROM (0) TO (10000);
CREATE TABLE secured_rest PARTITION OF secured_parent DEFAULT;
INSERT INTO secured_parent SELECT id, note FROM big;
ALTER TABLE secured_parent ENABLE ROW LEVEL SECURITY;
ALTER TABLE secured_leaf ENABLE ROW LEVEL SECURITY;
CREATE POLICY even ON secured_parent TO reader USING (id % 2 = 0);
CREATE TABLE gates AS SELECT grp, name FROM small;
ALTER TABLE gates ENABLE ROW LEVEL SECURITY;
CREATE POLICY timely ON gates TO reader USING (now() > '2000-01-01');
GRANT SELECT ON big, secured, secured_parent, gates, parted TO reader;
CREATE TABLE partly AS SELECT * FROM big;
GRANT SELECT (id, grp) ON partly TO reader;

ANALYZE;
CREATE TABLE unanalysed AS SELECT * FROM big;
CREATE TABLE counted AS SELECT * FROM big;
VACUUM counted;
