
CREATE FUNCTION bowshot.declare(name text, query text, n int, batch_bytes int DEFAULT 1048576,
    compression text DEFAULT 'none', infinity text DEFAULT 'error', timeout interval DEFAULT '1 minute') RETURNS int
    AS 'MODULE_PATHNAME', 'bowshot_declare'
    LANGUAGE C VOLATILE PARALLEL UNSAFE;

COMMENT ON FUNCTION bowshot.declare IS
    'plans a query whose result n connections of this user fetch together; the number of its parts';

CREATE FUNCTION bowshot.fetch(name text, part int) RETURNS void
    AS 'MODULE_PATHNAME', 'bowshot_fetch_function'
    LANGUAGE C VOLATILE PARALLEL UNSAFE;

COMMENT ON FUNCTION bowshot.fetch IS
    'a part of a shared result: COPY (SELECT bowshot.fetch(''name'', 1)) TO STDOUT (FORMAT arrow)';

CREATE FUNCTION bowshot.close(name text) RETURNS void
    AS 'MODULE_PATHNAME', 'bowshot_close'
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION bowshot.close IS 'ends a shared result, also for those who fetch it now';

CREATE FUNCTION bowshot.shared_results(OUT name text, OUT n int, OUT how text, OUT begun int, OUT done int,
    OUT bytes bigint, OUT declared timestamptz, OUT owner_pid int, OUT holder_pid int, OUT failure text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'bowshot_results'
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

CREATE VIEW bowshot.results AS SELECT * FROM bowshot.shared_results();

COMMENT ON VIEW bowshot.results IS 'your own shared results in this database';

GRANT SELECT ON bowshot.results TO PUBLIC;
