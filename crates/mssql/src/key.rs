//! The clustered key of a table, by whose ranges it is read.

use bowshot_core::{Result, Value};
use bowshot_sql::{Dialect, KeyRange, Probe, quote_identifier};

use crate::session::Session;

/// The first column of a table's clustered index.
pub(crate) struct Key {
    pub(crate) name: String,
    /// In quotes.
    quoted: String,
    /// The lowest and highest number that its type has.
    low: i64,
    pub(crate) high: i64,
    /// About how many rows the table has.
    pub(crate) rows: u64,
}

impl Key {
    pub(crate) fn of(session: &mut Session, table: &str) -> Result<Option<Key>> {
        const KEY: &str = "SELECT c.name, c.system_type_id, (SELECT SUM(p.rows) FROM sys.partitions p \
             WHERE p.object_id = i.object_id AND p.index_id = i.index_id) \
             FROM sys.indexes i \
             JOIN sys.index_columns k ON k.object_id = i.object_id AND k.index_id = i.index_id AND k.key_ordinal = 1 \
             JOIN sys.columns c ON c.object_id = k.object_id AND c.column_id = k.column_id \
             WHERE i.object_id = OBJECT_ID(@P1) AND i.type = 1 AND c.is_nullable = 0";
        let rows = session.rows(KEY, &[Value::Text(table.to_owned())])?;
        let Some([Value::Text(name), Value::Int(id), Value::Int(rows)]) = rows.first().map(Vec::as_slice) else {
            return Ok(None);
        };
        let (low, high) = match id {
            48 => (0, i64::from(u8::MAX)),
            52 => (i64::from(i16::MIN), i64::from(i16::MAX)),
            56 => (i64::from(i32::MIN), i64::from(i32::MAX)),
            127 => (i64::MIN, i64::MAX),
            _ => return Ok(None),
        };
        let quoted = quote_identifier(name, Dialect::SqlServer);
        Ok(Some(Key { name: name.clone(), quoted, low, high, rows: u64::try_from(*rows).unwrap_or(0) }))
    }

    /// The key that a probe asks for.
    pub(crate) fn after(&self, session: &mut Session, table: &str, probe: Probe) -> Result<Option<i64>> {
        let Probe { from, offset } = probe;
        if from > self.high {
            return Ok(None);
        }
        // A literal has the smallest type that holds it, so that the index is used as it is.
        let (key, from) = (&self.quoted, from.max(self.low));
        let sql = format!(
            "SELECT {key} FROM {table} WHERE {key} >= {from} ORDER BY {key} OFFSET {offset} ROWS FETCH NEXT 1 ROWS ONLY"
        );
        match session.value(&sql, &[])? {
            Value::Int(key) => Ok(Some(key)),
            _ => Ok(None),
        }
    }

    /// What is true of the rows of a range; the first and the last one have no end.
    pub(crate) fn condition(&self, range: &KeyRange) -> String {
        let key = &self.quoted;
        match (range.first <= self.low, range.last >= self.high) {
            (true, _) => format!("{key} <= {}", range.last.min(self.high)),
            (false, true) => format!("{key} >= {}", range.first),
            (false, false) => format!("{key} >= {} AND {key} <= {}", range.first, range.last),
        }
    }

    pub(crate) fn label(&self, range: &KeyRange) -> String {
        let name = &self.name;
        match (range.first <= self.low, range.last >= self.high) {
            (true, _) => format!("{name} up to {}", range.last),
            (false, true) => format!("{name} from {}", range.first),
            (false, false) => format!("{name} from {} to {}", range.first, range.last),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_cover_every_key() {
        let key = Key { name: "k".into(), quoted: "[k]".into(), low: 0, high: 255, rows: 0 };
        let of = |first, last| key.condition(&KeyRange { first, last, rows: 0 });
        assert_eq!(of(i64::MIN, 9), "[k] <= 9");
        assert_eq!(of(10, 19), "[k] >= 10 AND [k] <= 19");
        assert_eq!(of(20, i64::MAX), "[k] >= 20");
        assert_eq!(of(i64::MIN, i64::MAX), "[k] <= 255");
    }
}
