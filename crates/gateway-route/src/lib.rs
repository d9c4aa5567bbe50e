//! Where a query of the gateway goes, or a statement that changes something, and whether its user may send it.
//!
//! A query whose tables live in one database goes there as its user wrote it. A query over files, over the gateway's own
//! tables or over several sources goes to the gateway's engine. Users with rules are held to them before anything is sent:
//! each table must be one that the source lists and that a rule allows, each function one that is known to read nothing,
//! and the text one that all readers read in the same way.
//!
//! ```
//! use std::sync::Arc;
//!
//! use bowshot_core::{Cancel, testing::Numbers};
//! use bowshot_gateway_access::Rights;
//! use bowshot_gateway_catalog::{Catalog, Dialect};
//! use bowshot_gateway_route::{Refused, Route, Router, Served};
//!
//! let source = Arc::new(Numbers { partitions: 1, rows: 10 });
//! let catalogs = [Catalog::new("shop", source, Dialect::Other)];
//! let router = Router::new(vec![Served::database("shop", bowshot_sql::Dialect::Postgres)]);
//! let ask = |sql: &str, rights: &Rights| router.route(sql, None, rights, &catalogs, &Cancel::new());
//!
//! // A source's name is cut out; nothing else changes.
//! let Ok(Route::Source { sql, .. }) = ask("SELECT x FROM shop.public.orders -- new", &Rights::all()) else { panic!() };
//! assert_eq!(sql, "SELECT x FROM public.orders -- new");
//!
//! let rights = Rights::parse(&["deny shop.hr", "allow shop"])?;
//! assert!(matches!(ask("SELECT * FROM hr.salaries", &rights), Err(Refused::PermissionDenied(_))));
//! # Ok::<(), bowshot_core::Error>(())
//! ```
//!
//! # What holds a user with rules
//!
//! - **Tables.** A name is looked up among the tables that the source lists, and every table that it can mean must be allowed:
//!   an unqualified name means any schema, unless the source has one default schema that is known. What is not listed may not
//!   be read, so that a name which only the server takes for another (by collation, by cutting its end) reaches nothing. What a
//!   source lists is remembered for some seconds. A source that lists nothing (ODBC, ADBC) is asked by its plain names alone.
//!   A view is a table: who made it decided what it shows.
//! - **System catalogs** need a rule that names their schema (in SQLite: the table) and would not fit any other.
//! - **Functions** must stand in a list of functions that read nothing; **casts** must be to types that name nothing.
//! - **Doubt** is refused: what one reader takes for a comment, a string or a name and another for something else. Each is a
//!   sentence of [`Tables::doubts`](bowshot_sql::Tables::doubts).
//! - **Only queries**, and where a rule lets the user write, INSERT, UPDATE and DELETE: one statement that the parser knows.
//! - **The same words** for a table that is not allowed and one that does not exist; a listing is read again by its age alone,
//!   so that the time of an answer tells nothing either.
//!
//! What is left to whoever runs the database: in Oracle, a function without arguments is called by its bare name, like a column;
//! in PostgreSQL, a function of a row by `row.function`; and a view or function of one's own may do anything. Rules do not replace
//! a login of the source's own with few rights; they divide what it may read.

mod allowed;
mod asking;
mod change;
mod cut;
mod engine;
mod ingest;
mod listing;
mod place;
mod refused;
mod route;
mod served;
mod several;
mod single;
mod strict;
mod system;

pub use allowed::{is_allowed_function, is_allowed_type};
pub use change::ChangeRoute;
pub use refused::Refused;
pub use route::{Route, RoutedTable, Router};
pub use served::{Kind, Served};

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
