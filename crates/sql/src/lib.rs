//! What a SQL query is, from its text alone: what it returns, whether it may be split over one of its tables, where its
//! placeholders are, and the SQL of its slices.
//!
//! There is no database in this crate, and none of its functions renders SQL from a syntax tree: what they change, they
//! change in the bytes of the user's own text, so that nothing else in it can turn into something else.
//!
//! ```
//! use bowshot_core::{Params, Query, Value};
//! use bowshot_sql::{Dialect, analyse, bind, splice, strip_end};
//!
//! let query = Query {
//!     sql: "SELECT o.id, U&'\\0061' FROM orders o WHERE o.price > %s; -- the dear ones".into(),
//!     params: Params::Positional(vec![Value::Int(100)]),
//! };
//! let (sql, values) = bind(&query, Dialect::Postgres)?;
//! let sql = strip_end(&sql, Dialect::Postgres);
//! assert_eq!(sql, "SELECT o.id, U&'\\0061' FROM orders o WHERE o.price > $1");
//! assert_eq!(values, [Value::Int(100)]);
//!
//! let shape = analyse(sql, Dialect::Postgres);
//! assert!(shape.read);
//! let tables = shape.split.map_err(|reason| format!("1 partition because {reason}")).unwrap();
//! assert_eq!(
//!     splice(sql, &tables[0], "(SELECT * FROM ONLY orders WHERE ctid < '(9,0)')"),
//!     "SELECT o.id, U&'\\0061' FROM (SELECT * FROM ONLY orders WHERE ctid < '(9,0)') o WHERE o.price > $1",
//! );
//! # Ok::<(), bowshot_core::Error>(())
//! ```

mod aggregate;
mod analyse;
mod asked;
mod bare_name;
mod by_column;
mod candidate;
mod chain;
mod cursor;
mod deep;
mod dialect;
mod division;
mod edited;
mod facts;
mod from;
mod grammar;
mod keys;
mod lex;
mod location;
mod name;
mod ordered;
mod outer;
mod permit;
mod placeholders;
mod prepared;
mod quote;
mod reads;
mod rules;
mod scale;
mod strip;
mod tables;
mod target;
mod walk;

pub use analyse::{Shape, analyse};
pub use asked::divide_as_asked;
pub use bare_name::{Reading, TableReference, reading, table_names};
pub use by_column::{Bounds, ByColumn};
pub use candidate::{Candidate, splice};
pub use cursor::CursorStatement;
pub use dialect::Dialect;
pub use division::Division;
pub use keys::{KeyRange, Probe, balanced_ranges};
pub use name::{Name, NamePart};
pub use ordered::is_ordered;
pub use permit::{Database, Modes, Permit, depends_on_modes};
pub use placeholders::{bind, parameters};
pub use prepared::Prepared;
pub use quote::{quote_identifier, quote_literal};
pub use scale::{Digits, Scales, scales};
pub use strip::strip_end;
pub use tables::{
    ChangeKind, Changes, Located, TableName, Tables, Unreadable, changes, is_change, is_of_session, leading_parts,
    tables,
};
pub use target::Target;

#[cfg(test)]
mod tests;
