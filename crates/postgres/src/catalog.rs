//! What PostgreSQL's catalogue says of types that are not built in.

use std::collections::BTreeSet;

use bowshot_core::{Error, ErrorKind, Result};
use bowshot_postgres_values::{Attribute, Catalog, CatalogType, Kind};
use postgres_types::Type;

use crate::connect::Session;

/// Asks for every type that `oids` are made of, and that `is_known` does not know.
pub(crate) fn load(
    session: &mut Session,
    oids: impl IntoIterator<Item = u32>,
    is_known: impl Fn(u32) -> bool,
) -> Result<Catalog> {
    let mut catalog = Catalog::default();
    let mut wanted: BTreeSet<u32> = oids.into_iter().collect();
    let mut needs_money = false;
    while !wanted.is_empty() {
        needs_money |= wanted.contains(&Type::MONEY.oid());
        let (known, unknown): (BTreeSet<u32>, BTreeSet<u32>) = wanted.iter().partition(|&&oid| is_known(oid));
        for oid in known {
            catalog.insert(oid, CatalogType::builtin(oid));
        }
        if !unknown.is_empty() {
            fetch(&mut catalog, session, &unknown)?;
        }
        wanted = catalog.missing();
    }
    if needs_money {
        let scale = session.query("SELECT pg_catalog.scale(0::pg_catalog.money::pg_catalog.numeric)")?;
        catalog.money_scale = scale.first().and_then(|row| cell(row, 0).parse().ok());
    }
    Ok(catalog)
}

fn fetch(catalog: &mut Catalog, session: &mut Session, oids: &BTreeSet<u32>) -> Result<()> {
    let list = oids.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    // Multiranges came with PostgreSQL 14.
    let multirange = if session.version() >= 140_000 { "m.rngtypid" } else { "NULL" };
    let join =
        if session.version() >= 140_000 { "LEFT JOIN pg_catalog.pg_range m ON m.rngmultitypid = t.oid" } else { "" };
    let rows = session.query(&format!(
        "SELECT t.oid, t.typname, t.typtype, t.typelem, t.typcategory, t.typbasetype, t.typtypmod, t.typrelid, \
             r.rngsubtype, {multirange}, \
             pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(p.proname) \
             FROM pg_catalog.pg_type t JOIN pg_catalog.pg_proc p ON p.oid = t.typoutput \
             JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace \
             LEFT JOIN pg_catalog.pg_range r ON r.rngtypid = t.oid {join} WHERE t.oid IN ({list})"
    ))?;
    for row in &rows {
        let oid: u32 = number(row, 0)?;
        let element: u32 = number(row, 3)?;
        let kind = match (cell(row, 2), cell(row, 4)) {
            // The category tells arrays from types such as point, which have elements but are none.
            (_, "A") if element != 0 => Kind::Array(element),
            ("e", _) => Kind::Enumeration(labels(session, oid)?),
            ("d", _) => Kind::Domain(number(row, 5)?, number(row, 6)?),
            ("c", _) => Kind::Composite(attributes(session, number(row, 7)?)?),
            ("r", _) => Kind::Range(number(row, 8)?),
            ("m", _) => Kind::Multirange(number(row, 9)?),
            _ => Kind::Scalar,
        };
        let (name, output) = (cell(row, 1).to_owned(), cell(row, 10).to_owned());
        catalog.insert(oid, CatalogType { name, kind, output });
    }
    match oids.iter().find(|oid| catalog.get(**oid).is_none()) {
        Some(oid) => Err(Error::new(ErrorKind::Protocol, format!("the server's catalogue has no type {oid}"))),
        None => Ok(()),
    }
}

fn labels(session: &mut Session, oid: u32) -> Result<Vec<String>> {
    let sql = format!("SELECT enumlabel FROM pg_catalog.pg_enum WHERE enumtypid = {oid} ORDER BY enumsortorder");
    Ok(session.query(&sql)?.iter().map(|row| cell(row, 0).to_owned()).collect())
}

fn attributes(session: &mut Session, relation: u32) -> Result<Vec<Attribute>> {
    let rows = session.query(&format!(
        "SELECT attname, atttypid, atttypmod, attndims FROM pg_catalog.pg_attribute \
         WHERE attrelid = {relation} AND attnum > 0 AND NOT attisdropped ORDER BY attnum"
    ))?;
    let attribute = |row: &Vec<Option<String>>| {
        Ok(Attribute {
            name: cell(row, 0).to_owned(),
            oid: number(row, 1)?,
            modifier: number(row, 2)?,
            dimensions: number(row, 3)?,
        })
    };
    rows.iter().map(attribute).collect()
}

/// A cell of a catalogue row; NULL as the empty text.
pub(crate) fn cell(row: &[Option<String>], column: usize) -> &str {
    row.get(column).and_then(Option::as_deref).unwrap_or_default()
}

/// A number in a catalogue row.
pub(crate) fn number<N: std::str::FromStr>(row: &[Option<String>], column: usize) -> Result<N> {
    let text = cell(row, column);
    let broken = || Error::new(ErrorKind::Protocol, format!("the server's catalogue holds \"{text}\" for a number"));
    text.parse().map_err(|_| broken())
}
