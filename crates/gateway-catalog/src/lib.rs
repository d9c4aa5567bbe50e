//! What the sources of a gateway hold, as the metadata of Arrow Flight SQL: catalogs, schemas, tables with their Arrow
//! schemas, keys, and what the server itself can do.
//!
//! Each function takes a command of `FlightSql.proto` and answers with the record batch that clients demand, its schema
//! exact to the nullability of each column. There is no server here: the gateway decodes the command, says who may see
//! what, and sends the batch.
//!
//! A source is a catalog under the name that it has in the gateway; its schemas are the source's (in MySQL: databases).
//! Sources are asked through [`bowshot_core::Source`] like for any query; nothing but the tables' Arrow schemas is
//! remembered between commands.
//!
//! ```
//! use std::sync::Arc;
//!
//! use arrow_flight::sql::CommandGetTables;
//! use bowshot_core::{Cancel, testing::Numbers};
//! use bowshot_gateway_catalog::{Catalog, Dialect, TablePath, tables};
//!
//! let source = Arc::new(Numbers { partitions: 1, rows: 10 });
//! let catalogs = [Catalog::new("numbers", source, Dialect::Other).with_tables(["data".into(), "secret".into()])];
//! let visible = |path: &TablePath| path.table != "secret";
//! let command = CommandGetTables { include_schema: true, ..CommandGetTables::default() };
//! let answer = tables(&catalogs, &command, &visible, &Cancel::new())?;
//! assert_eq!((answer.batch.num_rows(), answer.batch.num_columns()), (1, 5));
//! # Ok::<(), bowshot_core::Error>(())
//! ```

mod batch;
mod catalog;
mod catalogs;
mod foreign_keys;
mod gather;
mod primary_keys;
mod schema_cache;
mod schemas;
mod sql_info;
mod table_path;
mod table_schema;
mod tables;
mod xdbc;

pub use bowshot_catalog::{Dialect, TableType, table_of_files};
pub use catalog::{Catalog, Limits};
pub use catalogs::{catalogs, db_schemas};
pub use foreign_keys::{cross_reference, exported_keys, imported_keys};
pub use gather::{Answer, Missing};
pub use primary_keys::primary_keys;
pub use schemas::{
    catalogs_schema, db_schemas_schema, foreign_keys_schema, primary_keys_schema, sql_info_schema, table_types_schema,
    tables_schema, xdbc_type_info_schema,
};
pub use sql_info::{Server, sql_info};
pub use table_path::{Reachable, TablePath, Visible};
pub use table_schema::UNREADABLE;
pub use tables::{table_types, tables};
pub use xdbc::xdbc_type_info;
