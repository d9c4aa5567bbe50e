CREATE SCHEMA bowshot;
GRANT USAGE ON SCHEMA bowshot TO PUBLIC;

-- PostgreSQL loads the library when the function is first called: from then on the session has FORMAT arrow, without
-- shared_preload_libraries or LOAD.
CREATE FUNCTION bowshot.version() RETURNS text
    AS 'MODULE_PATHNAME', 'bowshot_version'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION bowshot.version() IS
    'version of the library; once called, the session has COPY ... TO STDOUT (FORMAT arrow)';
