//! What the members hold: listed and described by their catalogs, remembered for some seconds.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_flight::sql::CommandGetTables;
use arrow_ipc::convert::try_schema_from_ipc_buffer;
use arrow_schema::{Field, Schema, SchemaRef};
use bowshot_core::{Cancel, Error, ErrorKind, Result, SOURCE_TYPE};
use bowshot_gateway_catalog::{TablePath, UNREADABLE, tables};
use parking_lot::Mutex;

use crate::doubt::{Doubt, Doubts, is_decimal, is_text};
use crate::member::{Kind, Member};
use crate::text::{Text, texts};

/// How long a listing or a description is believed. A table that is not found is looked for again at once, and a scan
/// whose columns are no longer those described is an error, so an old one is never answered from.
const AGE: Duration = Duration::from_secs(10);

/// How many descriptions are kept.
const KEPT: usize = 1000;

/// A table's columns as the engine sees them.
#[derive(Debug)]
pub(crate) struct Described {
    pub(crate) path: TablePath,
    /// Without metadata, which differs between listings and reads.
    pub(crate) schema: SchemaRef,
    /// The source's own name of each column's type.
    pub(crate) types: Vec<Option<String>>,
    /// What must not be computed here of each column.
    pub(crate) doubts: Vec<Doubts>,
}

/// Remembers what catalogs said.
#[derive(Default)]
pub(crate) struct Directory {
    listings: Mutex<HashMap<String, (Instant, Listing)>>,
    described: Mutex<HashMap<TablePath, (Instant, Arc<Described>)>>,
}

/// The tables of a member.
pub(crate) type Listing = Arc<Vec<TablePath>>;

impl Directory {
    /// The tables of a member, whoever may see them, and whether they were asked for just now.
    pub(crate) fn list(&self, member: &Member, fresh: bool, cancel: &Cancel) -> Result<(Listing, bool)> {
        if !fresh
            && let Some((made, listing)) = self.listings.lock().get(&member.name)
            && made.elapsed() < AGE
        {
            return Ok((Arc::clone(listing), false));
        }
        let command = CommandGetTables::default();
        let answer = tables(std::slice::from_ref(&member.catalog), &command, &|_| true, cancel)?;
        let (schemas, names) = (answer.batch.column(1).as_string::<i32>(), answer.batch.column(2).as_string::<i32>());
        let path = |row: usize| TablePath {
            catalog: member.name.clone(),
            schema: schemas.is_valid(row).then(|| schemas.value(row).to_owned()),
            table: names.value(row).to_owned(),
        };
        let listing: Listing = Arc::new((0..answer.batch.num_rows()).map(path).collect());
        self.listings.lock().insert(member.name.clone(), (Instant::now(), Arc::clone(&listing)));
        Ok((listing, true))
    }

    /// The columns of a table that is listed.
    pub(crate) fn describe(&self, member: &Member, path: &TablePath, cancel: &Cancel) -> Result<Arc<Described>> {
        if let Some((made, described)) = self.described.lock().get(path)
            && made.elapsed() < AGE
        {
            return Ok(Arc::clone(described));
        }
        let schema = schema(member, path, cancel)?;
        let types = schema.fields().iter().map(|field| field.metadata().get(SOURCE_TYPE).cloned()).collect();
        let doubts = doubts(member, path, &schema, cancel)?;
        let bare = |field: &Arc<Field>| field.as_ref().clone().with_metadata(HashMap::new());
        let bare: Vec<Field> = schema.fields().iter().map(bare).collect();
        let described = Arc::new(Described { path: path.clone(), schema: Arc::new(Schema::new(bare)), types, doubts });
        let mut kept = self.described.lock();
        if kept.len() >= KEPT {
            kept.retain(|_, (made, _)| made.elapsed() < AGE);
        }
        if kept.len() < KEPT {
            kept.insert(path.clone(), (Instant::now(), Arc::clone(&described)));
        }
        Ok(described)
    }

    /// Forgets a table whose columns have changed.
    pub(crate) fn forget(&self, path: &TablePath) {
        self.described.lock().remove(path);
        self.listings.lock().remove(&path.catalog);
    }
}

fn schema(member: &Member, path: &TablePath, cancel: &Cancel) -> Result<Schema> {
    let gone = || Error::new(ErrorKind::Sql, format!("the table {path} is not there any more")).with_sqlstate("42P01");
    let command = CommandGetTables {
        db_schema_filter_pattern: path.schema.clone(),
        table_name_filter_pattern: Some(path.table.clone()),
        include_schema: true,
        ..CommandGetTables::default()
    };
    // A name may hold the characters of patterns: only the table itself is described.
    let only = |other: &TablePath| other.schema == path.schema && other.table == path.table;
    let answer = tables(std::slice::from_ref(&member.catalog), &command, &only, cancel)?;
    if answer.batch.num_rows() == 0 {
        return Err(gone());
    }
    let message = answer.batch.column(4).as_binary::<i32>().value(0);
    let schema = try_schema_from_ipc_buffer(message)?;
    match schema.metadata().get(UNREADABLE) {
        Some(reason) => Err(Error::new(ErrorKind::Sql, format!("the table {path} cannot be read: {reason}"))),
        None => Ok(schema),
    }
}

/// Files hold bytes, whose comparison is DataFusion's; databases have their own.
fn doubts(member: &Member, path: &TablePath, schema: &Schema, cancel: &Cancel) -> Result<Vec<Doubts>> {
    let Kind::Database(dialect) = member.kind else { return Ok(vec![None; schema.fields().len()]) };
    let known = if schema.fields().iter().any(|field| is_text(field.data_type())) {
        texts(member.source.as_ref(), dialect, path, cancel)?
    } else {
        Vec::new()
    };
    let doubt = |field: &Arc<Field>| {
        let column = format!("{path}.{}", field.name());
        if is_text(field.data_type()) {
            let text = known.iter().find(|(name, _)| name == field.name()).map(|(_, text)| text);
            let (why, equality) = match text {
                Some(Text::Bytes) => return None,
                Some(Text::EqualBytes(why)) => (why.clone(), true),
                Some(Text::Other(why)) => (why.clone(), false),
                None => ("is compared by a collation that is not known".to_owned(), false),
            };
            return Some(Arc::new(Doubt { column, why, equality, order: false, division: true }));
        }
        is_decimal(field.data_type()).then(|| {
            let why = "is a decimal, of which quotients and averages have other digits there".to_owned();
            Arc::new(Doubt { column, why, equality: true, order: true, division: false })
        })
    };
    Ok(schema.fields().iter().map(doubt).collect())
}
