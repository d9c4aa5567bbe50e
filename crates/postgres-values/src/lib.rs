//! What a PostgreSQL type is in Arrow, and how its values become arrays: the one table that the client, which reads
//! results from a socket, and the extension inside the server share.
//!
//! [`Types::column`] finds the Arrow field and the decoder of a column, [`Catalog`] holds what is known of types that
//! are not built in, and [`Decode`] turns the binary form of values, as PostgreSQL's send functions write it, into an
//! array. There is no network in this crate.
//!
//! ```
//! use bowshot_postgres_values::{Catalog, CatalogType, Described, Types};
//!
//! let mut catalog = Catalog::default();
//! catalog.insert(20, CatalogType::builtin(20));
//! let types = Types { catalog: &catalog, infinity: Default::default() };
//! let id = Described { name: "id".into(), oid: 20, modifier: -1, origin: None };
//! let column = types.column(&id, None, 0, false)?;
//! assert_eq!(column.field.data_type().to_string(), "Int64");
//! assert_eq!(column.field.metadata()["bowshot.type"], "int8");
//! # Ok::<(), bowshot_core::Error>(())
//! ```

mod catalog;
mod cells;
mod column;
mod decode;
mod types;

pub use catalog::{Attribute, Catalog, CatalogType, Kind};
pub use cells::values_of;
pub use column::{Cast, Column, Described, broken};
pub use decode::{Binary, Decimal, Decode, Reject, Text, temporal};
pub use types::{
    Native, Types, comes_as_text, is_builtin, modifier_of_scale, precision_and_scale, scalar, unconstrained,
};
