//! A query of a source's catalog, read as text.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::DataType;
use bowshot_core::{Cancel, Error, ErrorKind, Options, Query, Request, Result, Source, Stream};

/// No catalog that people browse has more rows; what has is an error rather than all memory.
const MOST_ROWS: usize = 2_000_000;

/// A row of a catalog, by the places of its columns.
pub(crate) struct Row<'a> {
    columns: &'a [StringArray],
    place: usize,
}

impl Row<'_> {
    /// The text of a column; `None` where it is NULL or not there.
    pub(crate) fn text(&self, column: usize) -> Option<String> {
        self.get(column).map(str::to_owned)
    }

    /// The text of a column that a name cannot do without.
    pub(crate) fn name(&self, column: usize) -> String {
        self.text(column).unwrap_or_default()
    }

    /// A comment: what is empty is none.
    pub(crate) fn remarks(&self, column: usize) -> Option<String> {
        self.text(column).filter(|text| !text.is_empty())
    }

    /// A number, where it is one that clients can hold: they read 32 bits.
    pub(crate) fn number(&self, column: usize) -> Option<i32> {
        let text = self.get(column)?.trim();
        // Numbers of some catalogs are decimals.
        text.split('.').next().and_then(|whole| whole.parse().ok())
    }

    /// `YES`, `1` and their like.
    pub(crate) fn flag(&self, column: usize) -> bool {
        let yes = |text: &str| ["1", "t", "true", "y", "yes"].iter().any(|yes| text.trim().eq_ignore_ascii_case(yes));
        self.get(column).is_some_and(yes)
    }

    pub(crate) fn get(&self, column: usize) -> Option<&str> {
        let column = self.columns.get(column)?;
        column.is_valid(self.place).then(|| column.value(self.place))
    }
}

/// Reads `sql` over one connection and makes something of every row.
pub(crate) fn rows<T>(
    source: &dyn Source,
    sql: &str,
    options: Options,
    cancel: &Cancel,
    make: impl Fn(&Row<'_>) -> T,
) -> Result<Vec<T>> {
    let request = Request::new(Query::new(sql), options);
    // A stream that ends early cancels its work: that must not stop who shares `cancel`.
    let own = Cancel::new();
    let _linked = cancel.on_cancel({
        let own = own.clone();
        move || own.cancel()
    });
    let plan = source.plan(&request, &own)?;
    let mut made = Vec::new();
    for batch in Stream::start(plan, &request.options, own) {
        let batch = batch?;
        let columns = texts(&batch)?;
        if made.len().saturating_add(batch.num_rows()) > MOST_ROWS {
            return Err(Error::new(ErrorKind::Unsupported, format!("the catalog lists more than {MOST_ROWS} rows"))
                .with_hint("connect with a user that sees less of the database"));
        }
        made.extend((0..batch.num_rows()).map(|place| make(&Row { columns: &columns, place })));
    }
    Ok(made)
}

/// The columns as text, whatever types the catalog has.
fn texts(batch: &RecordBatch) -> Result<Vec<StringArray>> {
    let strict = CastOptions { safe: false, ..CastOptions::default() };
    let text = |column: &ArrayRef| -> Result<StringArray> {
        Ok(cast_with_options(column, &DataType::Utf8, &strict)?.as_string::<i32>().clone())
    };
    batch.columns().iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, BooleanArray, Decimal128Array, Int64Array, RecordBatch, StringArray, UInt64Array};

    use super::{Row, texts};

    #[test]
    fn catalogs_of_any_types_are_read() {
        let columns: [(&str, ArrayRef); 5] = [
            ("text", Arc::new(StringArray::from(vec![Some("YES"), Some(""), None]))),
            ("truth", Arc::new(BooleanArray::from(vec![Some(true), Some(false), None]))),
            ("long", Arc::new(Int64Array::from(vec![Some(40), Some(4_294_967_295), None]))),
            ("unsigned", Arc::new(UInt64Array::from(vec![1, 0, u64::MAX]))),
            ("decimal", Arc::new(Decimal128Array::from(vec![120, -50, 0]).with_precision_and_scale(10, 1).unwrap())),
        ];
        let columns = texts(&RecordBatch::try_from_iter(columns).unwrap()).unwrap();
        let row = |place| Row { columns: &columns, place };
        assert!(row(0).flag(0) && row(0).flag(1) && row(0).flag(3) && !row(1).flag(1) && !row(2).flag(0));
        assert_eq!((row(0).number(2), row(1).number(2), row(2).number(2)), (Some(40), None, None));
        assert_eq!((row(0).number(4), row(1).number(4), row(2).number(3)), (Some(12), Some(-5), None));
        assert_eq!((row(0).remarks(0).as_deref(), row(1).remarks(0), row(2).text(0)), (Some("YES"), None, None));
        assert_eq!((row(1).text(0).as_deref(), row(2).name(0).as_str(), row(0).text(9)), (Some(""), "", None));
    }
}
