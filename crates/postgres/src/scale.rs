//! The scale of `sum(amount)`: PostgreSQL tells that of no expression, but its rules make it certain where the query's text and the
//! catalogue say enough.

use std::collections::BTreeMap;

use bowshot_core::{Options, Result};
use bowshot_postgres_values::{Described, modifier_of_scale, precision_and_scale};
use bowshot_sql::{Dialect, Digits, Name, Prepared, Scales, quote_identifier, quote_literal, scales};
use postgres_types::Type;

use crate::catalog::{cell, number};
use crate::connect::Session;
use crate::snapshot;

/// The digits of a decimal128.
const MOST_DIGITS: u32 = 38;

/// Digits before the point that always have room: those of the largest bigint, but one. A column that might need more than there is
/// room for, and has room for fewer than these, stays what it is.
const ROOM: u32 = 18;

/// The table of each name has these columns, with the digits of those that are numbers.
type Known = BTreeMap<(String, String), Option<Digits>>;

/// The columns with the modifier of `numeric(38, scale)` where the scale is proven, and the places of these.
///
/// What a user wants as another type stays as it is. Queries of a list prove a scale together.
pub(crate) fn prove(
    session: &mut Session,
    queries: &[Prepared],
    described: &[Described],
    options: &Options,
) -> Result<(Vec<Described>, Vec<usize>)> {
    let mut typed = described.to_vec();
    let mut proven = Vec::new();
    let is_open = |column: &Described| {
        column.oid == Type::NUMERIC.oid() && column.modifier == -1 && !options.types.contains_key(&column.name)
    };
    let mut open: Vec<usize> = (0..).zip(described).filter(|(_, column)| is_open(column)).map(|(at, _)| at).collect();
    if open.is_empty() {
        return Ok((typed, proven));
    }
    let read = |query: &Prepared| if query.shape.read { scales(&query.sql) } else { None };
    let Some(texts) = queries.iter().map(read).collect::<Option<Vec<Scales>>>() else { return Ok((typed, proven)) };
    open.retain(|&place| texts.iter().all(|text| text.may_prove(place, described.len())));
    if open.is_empty() {
        return Ok((typed, proven));
    }
    let known = snapshot::planning(session, |session| ask(session, &texts))?.unwrap_or_default();
    for place in open {
        let digits = |text: &Scales| {
            text.digits(place, described.len(), |table, column| known.get(&(quoted(table), column.to_owned())).copied())
        };
        let Some(all) = texts.iter().map(digits).collect::<Option<Vec<Digits>>>() else { continue };
        if let (Some(scale), Some(column)) = (scale(&all), typed.get_mut(place)) {
            column.modifier = modifier_of_scale(scale);
            proven.push(place);
        }
    }
    Ok((typed, proven))
}

/// The scale of a decimal128 for numbers of so many digits; `None` where they might not fit.
fn scale(all: &[Digits]) -> Option<u8> {
    let after = all.iter().map(|digits| digits.after).max()?;
    let before = all.iter().map(|digits| digits.before).max()?;
    let room = MOST_DIGITS.checked_sub(after)?;
    if room == 0 || room < before.min(ROOM) { None } else { u8::try_from(after).ok() }
}

/// A table's name as the server reads it back.
fn quoted(table: &Name) -> String {
    let parts: Vec<String> = table.0.iter().map(|part| quote_identifier(&part.text, Dialect::Postgres)).collect();
    parts.join(".")
}

/// What the catalogue says of the tables' columns: nothing at all where it does not know one of them, or where a function or an operator
/// of the user's may stand for PostgreSQL's own.
fn ask(session: &mut Session, texts: &[Scales]) -> Result<Known> {
    let mut tables: Vec<String> = texts.iter().flat_map(|text| &text.tables).map(quoted).collect();
    tables.sort();
    tables.dedup();
    if tables.is_empty() {
        return Ok(Known::new());
    }
    let literal = |text: &String| quote_literal(text, Dialect::Postgres);
    let relations: Vec<String> = (0..)
        .zip(&tables)
        .map(|(place, table): (usize, _)| format!("({place}, pg_catalog.to_regclass({}))", literal(table)))
        .collect();
    let list = |names: Vec<String>| if names.is_empty() { "NULL".to_owned() } else { names.join(", ") };
    let columns = list(texts.iter().flat_map(|text| &text.columns).map(literal).collect());
    let functions = list(texts.iter().flat_map(|text| &text.functions).map(literal).collect());
    let numbers = [Type::INT2, Type::INT4, Type::INT8, Type::NUMERIC].map(|known| known.oid().to_string()).join(", ");
    // 11 is the schema pg_catalog. What stands there for the same types comes first, unless search_path says otherwise.
    let rows = session.query(&format!(
        "SELECT t.place, t.relation IS NULL, a.attname, CASE y.typtype WHEN 'd' THEN y.typbasetype ELSE a.atttypid END, \
             CASE y.typtype WHEN 'd' THEN y.typtypmod ELSE a.atttypmod END \
         FROM (VALUES {}) AS t (place, relation) LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = t.relation \
             AND a.attnum > 0 AND NOT a.attisdropped AND a.attname IN ({columns}) \
         LEFT JOIN pg_catalog.pg_type y ON y.oid = a.atttypid \
         WHERE NOT EXISTS (SELECT 1 FROM pg_catalog.pg_proc p WHERE p.proname IN ({functions}) AND p.pronamespace <> 11 \
             AND p.proargtypes[0] IN ({numbers}) AND pg_catalog.pg_function_is_visible(p.oid)) \
         AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_operator o WHERE o.oprname IN ('+', '-', '*', '@') \
             AND o.oprnamespace <> 11 AND o.oprleft IN (0, {numbers}) AND o.oprright IN ({numbers}) \
             AND pg_catalog.pg_operator_is_visible(o.oid))",
        relations.join(", ")
    ))?;
    let mut known = Known::new();
    for row in &rows {
        if cell(row, 1) == "t" {
            return Ok(Known::new());
        }
        let column = cell(row, 2).to_owned();
        if let (Some(table), false) = (tables.get(number::<usize>(row, 0)?), column.is_empty()) {
            known.insert((table.clone(), column), digits(number(row, 3)?, number(row, 4)?));
        }
    }
    Ok(known)
}

/// The digits of a column's numbers; `None` for other types, and for a numeric that may have any.
fn digits(oid: u32, modifier: i32) -> Option<Digits> {
    let whole = |before| Some(Digits { before, after: 0 });
    match Type::from_oid(oid)? {
        Type::INT2 => whole(5),
        Type::INT4 => whole(10),
        Type::INT8 => whole(19),
        Type::NUMERIC => {
            let (precision, scale) = precision_and_scale(modifier)?;
            Some(Digits::of_type(u32::try_from(precision).ok()?, scale))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_leaves_room_for_the_digits_before_the_point() {
        let of = |before, after| scale(&[Digits { before, after }]);
        assert_eq!(of(32, 2), Some(2));
        assert_eq!(of(55, 2), Some(2), "a sum of numeric(38, 2)");
        assert_eq!(of(41, 6), Some(6), "price * (1 - discount) * (1 + tax)");
        assert_eq!((of(8, 30), of(9, 30)), (Some(30), None));
        assert_eq!((of(100, 20), of(100, 21)), (Some(20), None));
        assert_eq!((of(1, 37), of(0, 38), of(1, 39)), (Some(37), None, None));
        let [narrow, wide] = [Digits { before: 3, after: 1 }, Digits { before: 1, after: 4 }];
        assert_eq!(scale(&[narrow, wide]), Some(4));
        assert_eq!(scale(&[]), None);
    }

    #[test]
    fn digits_follow_from_the_declared_type() {
        assert_eq!(digits(Type::NUMERIC.oid(), modifier_of_scale(2)), Some(Digits { before: 36, after: 2 }));
        assert_eq!(digits(Type::INT8.oid(), -1), Some(Digits { before: 19, after: 0 }));
        assert_eq!((digits(Type::NUMERIC.oid(), -1), digits(Type::FLOAT8.oid(), -1)), (None, None));
    }
}
