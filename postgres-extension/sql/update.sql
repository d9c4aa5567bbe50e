-- complain if this file is fed to psql instead of ALTER EXTENSION
\echo Use "ALTER EXTENSION bowshot UPDATE" to load this file. \quit
