//! Bulk ingest: the options that say where rows go.

use adbc_core::constants::{
    ADBC_INGEST_OPTION_MODE_APPEND, ADBC_INGEST_OPTION_MODE_CREATE, ADBC_INGEST_OPTION_MODE_CREATE_APPEND,
    ADBC_INGEST_OPTION_MODE_REPLACE,
};
use adbc_core::error::Status;
use adbc_core::options::OptionStatement;
use arrow_schema::SchemaRef;
use bowshot_catalog::Lister;
use bowshot_core::{Cancel, Error, ErrorKind, Ingest, IngestMode, Result};

use crate::error::is_missing;
use crate::target::Target;
use bowshot_connect::settings::{refused, truth};

/// Where rows go, as far as it is said.
#[derive(Clone, Debug)]
pub(crate) struct IngestOptions {
    pub(crate) table: Option<String>,
    catalog: Option<String>,
    schema: Option<String>,
    mode: IngestMode,
    temporary: bool,
}

impl Default for IngestOptions {
    fn default() -> Self {
        IngestOptions { table: None, catalog: None, schema: None, mode: IngestMode::Create, temporary: false }
    }
}

impl IngestOptions {
    /// Sets an option; false where it is none of these.
    pub(crate) fn set(&mut self, option: &OptionStatement, value: &str) -> Result<bool> {
        let some = || Some(value.to_owned()).filter(|value| !value.is_empty());
        match option {
            OptionStatement::TargetTable => self.table = some(),
            OptionStatement::TargetCatalog => self.catalog = some(),
            OptionStatement::TargetDbSchema => self.schema = some(),
            OptionStatement::Temporary => self.temporary = truth(option.as_ref(), value)?,
            OptionStatement::IngestMode => self.mode = mode(option.as_ref(), value)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The value of an option that was set.
    pub(crate) fn get(&self, option: &OptionStatement) -> Option<String> {
        match option {
            OptionStatement::TargetTable => self.table.clone(),
            OptionStatement::TargetCatalog => self.catalog.clone(),
            OptionStatement::TargetDbSchema => self.schema.clone(),
            OptionStatement::Temporary => Some(self.temporary.to_string()),
            OptionStatement::IngestMode => Some(mode_name(self.mode).to_owned()),
            _ => None,
        }
    }

    /// Where rows of these columns go.
    ///
    /// # Errors
    /// Of kind [`Unsupported`](ErrorKind::Unsupported): a temporary table, and a catalog that is not the connection's.
    pub(crate) fn target(&self, table: &str, columns: SchemaRef, target: &Target, cancel: &Cancel) -> Result<Ingest> {
        if self.temporary {
            let message =
                "a temporary table would end with the session that makes it, which is that of the ingest alone";
            return Err(Error::new(ErrorKind::Unsupported, message)
                .with_hint("leave temporary out, and drop the table afterwards"));
        }
        if let Some(asked) = &self.catalog {
            let own = target.lister(Default::default()).catalog_name(cancel)?;
            if own.as_ref() != Some(asked) {
                let known = own.map_or_else(|| "has none".to_owned(), |own| format!("is in \"{own}\""));
                return Err(Error::new(
                    ErrorKind::Unsupported,
                    format!("rows cannot go to the catalog \"{asked}\": the connection {known}"),
                )
                .with_hint("leave the catalog out, and connect to the database that it means"));
            }
        }
        Ok(Ingest { schema: self.schema.clone(), table: table.to_owned(), mode: self.mode, columns })
    }
}

/// What ADBC calls the refusal of an ingest, by what the table is: databases have codes of their own for it, or none.
pub(crate) fn conflict(ingest: &Ingest, lister: &Lister, cancel: &Cancel) -> Option<Status> {
    let found = match lister.table_schema(ingest.schema.as_deref(), &ingest.table, cancel) {
        Ok(found) => found,
        Err(error) if is_missing(&error) && ingest.mode == IngestMode::Append => return Some(Status::NotFound),
        Err(_) => return None,
    };
    let has = |name: &str| found.fields().iter().any(|field| field.name().eq_ignore_ascii_case(name));
    match ingest.mode {
        IngestMode::Replace => None,
        IngestMode::Append | IngestMode::CreateAppend if ingest.columns.fields().iter().all(|own| has(own.name())) => {
            None
        }
        IngestMode::Create | IngestMode::Append | IngestMode::CreateAppend => Some(Status::AlreadyExists),
    }
}

fn mode(key: &str, value: &str) -> Result<IngestMode> {
    Ok(match value {
        ADBC_INGEST_OPTION_MODE_CREATE => IngestMode::Create,
        ADBC_INGEST_OPTION_MODE_APPEND => IngestMode::Append,
        ADBC_INGEST_OPTION_MODE_REPLACE => IngestMode::Replace,
        ADBC_INGEST_OPTION_MODE_CREATE_APPEND => IngestMode::CreateAppend,
        _ => return Err(refused(key, "it is none of the modes create, append, replace and create_append")),
    })
}

fn mode_name(mode: IngestMode) -> &'static str {
    match mode {
        IngestMode::Create => ADBC_INGEST_OPTION_MODE_CREATE,
        IngestMode::Append => ADBC_INGEST_OPTION_MODE_APPEND,
        IngestMode::Replace => ADBC_INGEST_OPTION_MODE_REPLACE,
        IngestMode::CreateAppend => ADBC_INGEST_OPTION_MODE_CREATE_APPEND,
    }
}
