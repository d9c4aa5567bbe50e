//! Flight SQL's commands that ask what there is, not what it holds.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_flight::sql::Command;
use arrow_schema::SchemaRef;
use bowshot_core::{Cancel, Result};
use bowshot_gateway_catalog as catalog;
use bowshot_gateway_catalog::{Answer, Server, TablePath};
use bowshot_sql::Dialect;
use tonic::Status;

use crate::caller::Caller;
use crate::gateway::Inner;
use crate::status::of_error;

/// The columns of a command's answer; `None` where it is no command of this kind.
pub(crate) fn columns(command: &Command) -> Option<SchemaRef> {
    Some(match command {
        Command::CommandGetCatalogs(_) => catalog::catalogs_schema(),
        Command::CommandGetDbSchemas(_) => catalog::db_schemas_schema(),
        Command::CommandGetTables(command) => catalog::tables_schema(command.include_schema),
        Command::CommandGetTableTypes(_) => catalog::table_types_schema(),
        Command::CommandGetPrimaryKeys(_) => catalog::primary_keys_schema(),
        Command::CommandGetImportedKeys(_)
        | Command::CommandGetExportedKeys(_)
        | Command::CommandGetCrossReference(_) => catalog::foreign_keys_schema(),
        Command::CommandGetSqlInfo(_) => catalog::sql_info_schema(),
        Command::CommandGetXdbcTypeInfo(_) => catalog::xdbc_type_info_schema(),
        _ => return None,
    })
}

impl Inner {
    /// Answers a command, with what the caller may see.
    pub(crate) async fn describe(
        self: &Arc<Self>,
        command: Command,
        caller: Arc<Caller>,
    ) -> Result<RecordBatch, Status> {
        let inner = Arc::clone(self);
        // The sources are asked, which blocks.
        let answer = tokio::task::spawn_blocking(move || inner.listing(&command, &caller));
        let answer = answer.await.map_err(|_| Status::internal("a listing panicked; please report this"))?;
        answer.map_err(|error| of_error(&error))
    }

    fn listing(&self, command: &Command, caller: &Caller) -> Result<RecordBatch> {
        let (all, cancel) = (self.catalogs.as_slice(), &Cancel::new());
        let visible: catalog::Visible<'_> = &|path: &TablePath| caller.sees(path);
        let rights = caller.session.identity().rights();
        let reachable: catalog::Reachable<'_> = &|source: &str, schema: &str| rights.may_see_schema(source, schema);
        let whole = |answer: Result<Answer>| answer.map(|answer| answer.batch);
        match command {
            Command::CommandGetCatalogs(_) => whole(catalog::catalogs(all, visible, reachable, cancel)),
            Command::CommandGetDbSchemas(command) => {
                whole(catalog::db_schemas(all, command, visible, reachable, cancel))
            }
            Command::CommandGetTables(command) => whole(catalog::tables(all, command, visible, cancel)),
            Command::CommandGetPrimaryKeys(command) => whole(catalog::primary_keys(all, command, visible, cancel)),
            Command::CommandGetImportedKeys(command) => whole(catalog::imported_keys(all, command, visible, cancel)),
            Command::CommandGetExportedKeys(command) => whole(catalog::exported_keys(all, command, visible, cancel)),
            Command::CommandGetCrossReference(command) => {
                whole(catalog::cross_reference(all, command, visible, cancel))
            }
            Command::CommandGetSqlInfo(command) => {
                let dialect = self.dialect(caller.catalog().as_deref());
                catalog::sql_info(&server(self.may_write(caller), dialect), command)
            }
            Command::CommandGetXdbcTypeInfo(command) => catalog::xdbc_type_info(command),
            _ => catalog::table_types(),
        }
    }
}

fn server(writable: bool, dialect: Dialect) -> Server {
    let quote = dialect.naming().quotes.map_or('"', |(open, _)| open);
    Server { version: env!("CARGO_PKG_VERSION").to_owned(), writable, quote, ..Server::default() }
}
