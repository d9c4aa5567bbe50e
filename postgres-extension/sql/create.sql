-- complain if this file is fed to psql instead of CREATE EXTENSION
\echo Use "CREATE EXTENSION bowshot" to load this file. \quit

