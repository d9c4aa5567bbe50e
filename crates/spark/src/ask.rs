//! What a program asks Spark to read, and what can be known of it before anything is read.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use bowshot_catalog::{Dialect, Lister, TableType};
use bowshot_connect::settings::refused;
use bowshot_connect::{Settings, Text, plan_text};
use bowshot_core::{Aggregate, Cancel, Error, ErrorKind, Estimate, Options, Params, Result, Source};

/// An address, what to read there, and how.
pub struct Asked {
    pub(crate) uri: String,
    pub(crate) text: String,
    pub(crate) settings: Settings,
    pub(crate) source: Arc<dyn Source>,
}

/// What a plan says of a query; nothing of it is kept in the database.
pub struct Looked {
    /// The columns.
    pub schema: SchemaRef,
    /// The statement: the text, or what reads the table of its name.
    pub sql: String,
    /// Whether the text was the name of a table.
    pub is_table: bool,
    /// What the database expects.
    pub estimate: Estimate,
    /// How it would be read, for people.
    pub reason: String,
    /// Whether the source knows something of all rows without reading them; see [`Asked::aggregates`].
    pub has_facts: bool,
}

impl Asked {
    /// `text` is SQL, the name of a table, or empty where the address says what to read; `options` are those of
    /// [`Settings`], without a password.
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config) for an address or an option that makes no sense.
    pub fn new(uri: &str, text: &str, options: &[(&str, &str)]) -> Result<Self> {
        let mut settings = Settings::default();
        for (key, value) in options {
            if !settings.set(key, value)? {
                return Err(refused(key, "there is no option of this name"));
            }
        }
        let uri = resolved(uri)?;
        let source = bowshot_connect::connect(&uri)?;
        Ok(Asked { uri, text: text.to_owned(), settings, source })
    }

    /// The same for the table whose name has these parts, as the source spells them.
    ///
    /// # Errors
    /// Those of a source that has to be asked how it writes names.
    pub fn of_table(mut self, parts: &[&str]) -> Result<Self> {
        let naming = self.source.naming(&Cancel::new())?;
        let quoted: Vec<String> = parts.iter().map(|part| naming.quote(part)).collect();
        self.text = quoted.join(".");
        Ok(self)
    }

    /// Its tables and views, each with its schema where the source has schemas, without those of the source's own catalog.
    ///
    /// # Errors
    /// The source's.
    pub fn tables(&self) -> Result<Vec<(Option<String>, String)>> {
        let named = self.uri.split(':').next().unwrap_or_default();
        let dialect = match Dialect::of_scheme(self.scheme()) {
            Dialect::Other => Dialect::of_scheme(named),
            known => known,
        };
        let lister = Lister::new(Arc::clone(&self.source), dialect).with_options(self.settings.options()?);
        let tables = lister.tables(&Cancel::new())?.into_iter();
        Ok(tables
            .filter(|table| table.kind != TableType::SystemTable)
            .map(|table| (table.schema, table.name))
            .collect())
    }

    /// The kind of source: `postgresql`, `file`, …; empty where the address does not tell.
    #[must_use]
    pub fn scheme(&self) -> &'static str {
        bowshot_connect::scheme(&self.uri).unwrap_or_default()
    }

    /// Plans the query, and lets go of the plan.
    ///
    /// # Errors
    /// Those of planning.
    pub fn look(&self) -> Result<Looked> {
        let text = Text { text: &self.text, columns: &[], params: &Params::None };
        let options = Options { connections: Some(1), ..self.options()? };
        let named = plan_text(self.source.as_ref(), text, &options, &Cancel::new())?;
        if named.plan.schema.fields().is_empty() {
            return Err(Error::new(ErrorKind::Unsupported, "the result has no columns"));
        }
        Ok(Looked {
            schema: Arc::clone(&named.plan.schema),
            sql: named.sql,
            is_table: named.is_table,
            estimate: named.plan.estimate,
            reason: named.plan.reason.clone(),
            has_facts: named.plan.scan.aggregates(&[Aggregate::Rows])?.is_some(),
        })
    }

    /// How it is read: by tasks, each of which costs Spark something, unless the user says how large they are. Files of a folder are put
    /// together as Spark does it, and the folders' keys have its types.
    pub(crate) fn options(&self) -> Result<Options> {
        let mut options = self.settings.options()?;
        options.partition_bytes.get_or_insert(Options::PARTITION_BYTES_OF_TASKS);
        options.spark_keys = true;
        options.merge_schemas = true;
        Ok(options)
    }
}

/// The address with what its references stand for in this process.
pub(crate) fn resolved(uri: &str) -> Result<String> {
    bowshot_connect::resolve(uri, |name| std::env::var(name).ok())
}
