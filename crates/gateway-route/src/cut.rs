//! A query without its source's name.

use bowshot_core::ErrorKind;
use bowshot_sql::{Dialect, Name, Tables, leading_parts};

use crate::refused::Refused;

/// How the tables of a text are found.
pub(crate) type Find = fn(&str, Dialect) -> Option<Tables>;

/// The text with the first part of some tables' names cut out, `cut` saying of which; and of the columns that are named with
/// them. Nothing else changes; `find` reads the new text again.
pub(crate) fn without_source(
    sql: &str,
    read: &Tables,
    cut: &[bool],
    dialect: Dialect,
    find: Find,
) -> Result<String, Refused> {
    if !cut.contains(&true) {
        return Ok(sql.to_owned());
    }
    let named: Vec<_> = read.tables.iter().zip(cut).filter(|(_, cut)| **cut).map(|(table, _)| table).collect();
    let columns =
        read.qualified.iter().filter(|column| named.iter().any(|table| begins_with(&column.name, &table.name)));
    let names = named.iter().map(|table| &table.range).chain(columns.map(|column| &column.range));
    let mut ranges: Vec<_> = names.filter_map(|range| leading_parts(sql, range, 1, dialect)).collect();
    ranges.sort_by_key(|range| range.start);
    let mut text = String::with_capacity(sql.len());
    let mut done = 0;
    for range in ranges {
        text.push_str(sql.get(done..range.start).unwrap_or_default());
        done = range.end;
    }
    text.push_str(sql.get(done..).unwrap_or_default());
    if find(&text, dialect).is_some_and(|again| is_same(&again, read, cut)) {
        Ok(text)
    } else {
        Err(hidden(&named.iter().map(|it| &it.name).collect::<Vec<_>>()))
    }
}

/// Whether a column's name begins with all of a table's.
fn begins_with(column: &Name, table: &Name) -> bool {
    let same =
        |(one, other): (&bowshot_sql::NamePart, &bowshot_sql::NamePart)| one.text.eq_ignore_ascii_case(&other.text);
    column.0.len() > table.0.len() && column.0.iter().zip(&table.0).all(same)
}

/// Whether the new text reads the same tables: what is left of a name may be one that the query itself defines.
fn is_same(again: &Tables, read: &Tables, cut: &[bool]) -> bool {
    let kept = |(table, cut): (&bowshot_sql::TableName, &bool)| {
        let skipped = usize::from(*cut);
        table.name.0.iter().skip(skipped).cloned().collect::<Vec<_>>()
    };
    let expected: Vec<_> = read.tables.iter().zip(cut).map(kept).collect();
    again.functions == read.functions && again.tables.iter().map(|table| table.name.0.clone()).eq(expected)
}

fn hidden(names: &[&Name]) -> Refused {
    let name = names.first().map(|name| name.to_string()).unwrap_or_default();
    Refused::failed(
        ErrorKind::Config,
        format!("without its source, \"{name}\" means something else in this query"),
        "name the table with its schema too (source.schema.table), or give the query's own names other names",
    )
}
