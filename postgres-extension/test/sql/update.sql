-- From the first version to this one: the same objects as a new installation has.
CREATE TEMPORARY TABLE fresh AS SELECT pg_describe_object(classid, objid, 0) AS object FROM pg_depend
    WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
    AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'bowshot');
DROP EXTENSION bowshot;
CREATE EXTENSION bowshot VERSION '0.1.0';
SELECT bowshot.declare('early', 'SELECT 1', 1);
ALTER EXTENSION bowshot UPDATE;
SELECT extversion = bowshot.version() AS same FROM pg_extension WHERE extname = 'bowshot';
SELECT object FROM fresh EXCEPT SELECT pg_describe_object(classid, objid, 0) FROM pg_depend
    WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
    AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'bowshot');
SELECT count(*) > 0 AS some FROM fresh;
SELECT bowshot.declare('early', 'SELECT 1', 1);
SELECT bowshot.close('early');
DROP TABLE fresh;
