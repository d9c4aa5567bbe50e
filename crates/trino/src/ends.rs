//! The lowest and the highest key of a query.

use bowshot_core::{Cancel, Error, ErrorKind, Result, Value};

use crate::json::{Cursor, Token};
use crate::parameters;
use crate::statement::{Cluster, Statement};

/// The two values of a query of one row, rounded outwards to whole numbers; `None` where they are NULL.
pub(crate) fn ask(cluster: &Cluster, sql: &str, values: &[Value], cancel: &Cancel) -> Result<Option<(i128, i128)>> {
    let mut statement = Statement::start(cluster, sql, &parameters::text(sql, values), cancel)?;
    let columns = statement.columns(cancel)?;
    for column in &columns {
        let name = column.signature.name.as_str();
        if !matches!(name, "tinyint" | "smallint" | "integer" | "bigint" | "real" | "double" | "decimal" | "unknown") {
            return Err(Error::new(
                ErrorKind::Config,
                format!("a column of type {} cannot be split into ranges of numbers", column.type_name),
            )
            .with_hint("partition on a column of numbers"));
        }
    }
    let mut row = None;
    while let Some(page) = statement.next(cancel)? {
        if row.is_none() && !page.rows().is_empty() {
            row = ends(page.rows()).map_err(|what| {
                Error::new(ErrorKind::Protocol, format!("the server's lowest and highest key cannot be read: {what}"))
            })?;
        }
    }
    row.ok_or_else(|| {
        Error::new(ErrorKind::Protocol, "the server does not say which key is the lowest and which the highest")
    })
}

type Ends = Option<(i128, i128)>;

/// Of `[[1, "2.5"]]`; `None` where there is no row.
fn ends(rows: &str) -> Result<Option<Ends>, &'static str> {
    let mut cursor = Cursor::default();
    let (mut first_row, mut first_value) = (true, true);
    if cursor.token(rows)? != Token::List || !cursor.item(rows, &mut first_row)? {
        return Ok(None);
    }
    if cursor.token(rows)? != Token::List {
        return Err("no row");
    }
    let mut next = |up: bool| -> Result<Option<i128>, &'static str> {
        if !cursor.item(rows, &mut first_value)? {
            return Err("too few values");
        }
        match cursor.token(rows)? {
            Token::Null => Ok(None),
            Token::Number(text) | Token::Text(text) => whole(text, up).map(Some).ok_or("not a finite number"),
            _ => Err("not a number"),
        }
    };
    let (low, high) = (next(false)?, next(true)?);
    Ok(Some(low.zip(high)))
}

/// A number in text, rounded up or down to a whole one.
fn whole(text: &str, up: bool) -> Option<i128> {
    if text.contains(['e', 'E']) {
        let value: f64 = text.parse().ok()?;
        return format!("{:.0}", if up { value.ceil() } else { value.floor() }).parse().ok();
    }
    let (number, fraction) = text.split_once('.').unwrap_or((text, ""));
    let toward_zero: i128 = number.parse().ok()?;
    let exact = fraction.bytes().all(|digit| digit == b'0');
    Some(match (exact, up, text.starts_with('-')) {
        (false, true, false) => toward_zero + 1,
        (false, false, true) => toward_zero - 1,
        _ => toward_zero,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_rounded_outwards() {
        for (rows, expected) in [
            ("[[1,10]]", Ok(Some(Some((1, 10))))),
            ("[[\"-1.50\",\"2.50\"]]", Ok(Some(Some((-2, 3))))),
            ("[[-1.5E2,1.0E20]]", Ok(Some(Some((-150, 100_000_000_000_000_000_000))))),
            ("[[null,null]]", Ok(Some(None))),
            ("[]", Ok(None)),
            ("[[1]]", Err("too few values")),
            ("[[\"NaN\",\"NaN\"]]", Err("not a finite number")),
            ("[[true,1]]", Err("not a number")),
            ("[1]", Err("no row")),
        ] {
            assert_eq!(ends(rows), expected, "{rows}");
        }
    }
}
