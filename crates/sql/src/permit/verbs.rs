//! What statements begin with, database by database: a list of what is known to read. What is in no list is refused.

use super::Database;

/// What the first word of a statement means.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verbs {
    /// Begin statements that read, if no clause of them writes.
    pub(super) reads: &'static [&'static str],
    /// Begin statements about the statement, or the table, that follows.
    pub(super) about: &'static [&'static str],
    /// Run what the text does not show.
    pub(super) calls: &'static [&'static str],
    /// Begin compound statements, which hold semicolons; they are calls, too.
    pub(super) blocks: &'static [&'static str],
}

const NOTHING: &[&str] = &[];

impl Verbs {
    pub(super) fn of(database: Database) -> Verbs {
        match database {
            // FETCH reads from a cursor that the user's own statements declared; SUBSCRIBE is Materialize's.
            Database::Postgres => Verbs {
                reads: &["select", "values", "table", "show", "fetch", "subscribe"],
                about: &["explain"],
                calls: &["call", "execute", "do"],
                blocks: NOTHING,
            },
            Database::MySql => Verbs {
                reads: &["select", "values", "table", "show", "help", "checksum", "handler", "xa"],
                about: &["explain", "describe", "desc", "analyze"],
                calls: &["call", "execute", "do"],
                blocks: &["begin", "declare", "if", "case", "loop", "while", "repeat", "for"],
            },
            Database::Sqlite => {
                Verbs { reads: &["select", "values", "pragma"], about: &["explain"], calls: NOTHING, blocks: NOTHING }
            }
            Database::DuckDb => Verbs {
                reads: &["select", "values", "table", "from", "show", "summarize", "pivot", "unpivot", "pragma"],
                about: &["explain", "describe", "desc"],
                calls: &["call", "execute"],
                blocks: NOTHING,
            },
            Database::SqlServer => Verbs {
                reads: &["select"],
                about: NOTHING,
                calls: &["exec", "execute"],
                blocks: &["begin", "declare", "if", "while"],
            },
            // EXPLAIN PLAN writes to a table.
            Database::Oracle => {
                Verbs { reads: &["select", "values"], about: NOTHING, calls: &["call"], blocks: &["begin", "declare"] }
            }
            Database::ClickHouse => Verbs {
                reads: &["select", "values", "from", "show", "exists"],
                about: &["explain", "describe", "desc"],
                calls: &["execute"],
                blocks: NOTHING,
            },
            Database::Trino => Verbs {
                reads: &["select", "values", "table", "show"],
                about: &["explain", "describe", "desc"],
                calls: &["call", "execute"],
                blocks: NOTHING,
            },
            Database::FlightSql | Database::Unknown => Verbs {
                reads: &[
                    "select",
                    // Teradata's short form, Access' crosstabs, and DAX.
                    "sel",
                    "transform",
                    "evaluate",
                    "values",
                    "table",
                    "from",
                    "show",
                    "exists",
                    "summarize",
                    "pivot",
                    "unpivot",
                    "pragma",
                    "list",
                    "help",
                ],
                about: &["explain", "describe", "desc"],
                calls: &["call", "exec", "execute", "do"],
                blocks: &["begin", "declare"],
            },
        }
    }
}

/// Words that may stand between EXPLAIN or its like and the statement that it is about.
pub(super) const ABOUT_OPTIONS: &[&str] = &[
    "analyse",
    "analyze",
    "ast",
    "codegen",
    "cost",
    "costs",
    "distributed",
    "estimate",
    "extended",
    "formatted",
    "indexes",
    "json",
    "logical",
    "partitions",
    "physical",
    "pipeline",
    "plan",
    "query",
    "syntax",
    "tree",
    "verbose",
];

/// Words that begin what writes or runs something, in whatever database: what EXPLAIN and WITH may be about, and must not.
pub(super) const WRITES: &[&str] = &[
    "alter", "attach", "call", "copy", "create", "delete", "drop", "exec", "execute", "export", "import", "insert",
    "load", "merge", "optimize", "refresh", "reindex", "replace", "set", "truncate", "update", "upsert", "vacuum",
];

/// SQL Server's reserved words that begin a statement. It needs no semicolon before one: `SELECT 1 a DELETE FROM t` is two.
pub(super) const RESERVED: &[&str] = &[
    "add",
    "alter",
    "backup",
    "begin",
    "bulk",
    "checkpoint",
    "close",
    "commit",
    "create",
    "dbcc",
    "deallocate",
    "declare",
    "delete",
    "deny",
    "disk",
    "drop",
    "dump",
    "exec",
    "execute",
    "goto",
    "grant",
    "if",
    "insert",
    "kill",
    "lineno",
    "load",
    "merge",
    "open",
    "print",
    "raiserror",
    "reconfigure",
    "restore",
    "return",
    "revert",
    "revoke",
    "rollback",
    "save",
    "set",
    "setuser",
    "shutdown",
    "trigger",
    "truncate",
    "update",
    "updatetext",
    "use",
    "waitfor",
    "while",
    "writetext",
];

/// Words that an unknown database might take for the beginning of another statement, or of a part of this one that writes.
pub(super) const SUSPECT: &[&str] = &[
    "alter", "create", "delete", "drop", "exec", "execute", "grant", "insert", "merge", "revoke", "truncate", "update",
    "upsert",
];

/// SQLite's and DuckDB's pragmas that tell something of what stands in their parentheses.
pub(super) const PRAGMAS_OF: &[&str] = &[
    "foreign_key_check",
    "foreign_key_list",
    "index_info",
    "index_list",
    "index_xinfo",
    "integrity_check",
    "quick_check",
    "show",
    "storage_info",
    "table_info",
    "table_list",
    "table_xinfo",
];

/// Pragmas that tell something where nothing is given to them.
pub(super) const PRAGMAS: &[&str] = &[
    "analysis_limit",
    "application_id",
    "auto_vacuum",
    "automatic_index",
    "busy_timeout",
    "cache_size",
    "cache_spill",
    "cell_size_check",
    "checkpoint_fullfsync",
    "collation_list",
    "collations",
    "compile_options",
    "count_changes",
    "data_version",
    "database_list",
    "database_size",
    "default_cache_size",
    "defer_foreign_keys",
    "empty_result_callbacks",
    "encoding",
    "extension_versions",
    "foreign_key_check",
    "foreign_keys",
    "freelist_count",
    "full_column_names",
    "fullfsync",
    "function_list",
    "functions",
    "hard_heap_limit",
    "ignore_check_constraints",
    "integrity_check",
    "journal_mode",
    "journal_size_limit",
    "legacy_alter_table",
    "legacy_file_format",
    "locking_mode",
    "max_page_count",
    "metadata_info",
    "mmap_size",
    "module_list",
    "page_count",
    "page_size",
    "platform",
    "pragma_list",
    "query_only",
    "quick_check",
    "read_uncommitted",
    "recursive_triggers",
    "reverse_unordered_selects",
    "schema_version",
    "secure_delete",
    "short_column_names",
    "show_databases",
    "show_tables",
    "show_tables_expanded",
    "soft_heap_limit",
    "synchronous",
    "table_list",
    "temp_store",
    "threads",
    "trusted_schema",
    "user_agent",
    "user_version",
    "version",
    "wal_autocheckpoint",
    "writable_schema",
];
