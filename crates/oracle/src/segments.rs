//! Where the rows of a table are: its partitions, their sizes, and addresses that divide them evenly.

use bowshot_core::{Result, Value};
use bowshot_sql::{Dialect, quote_identifier};

use crate::session::Session;

/// A table by the names that the dictionary has for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) owner: String,
    pub(crate) name: String,
    pub(crate) rows: Option<u64>,
    pub(crate) segments: Vec<Segment>,
}

/// A part of a table with addresses of its own: all of it, a partition or a subpartition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    /// How it is named behind the table; empty for all of it.
    pub(crate) clause: String,
    /// How many blocks it has, as the statistics say.
    pub(crate) blocks: u64,
}

/// A table of the dictionary. What it is made of decides whether addresses can divide it.
const TABLE: &str = "SELECT t.OWNER, t.PARTITIONED, t.IOT_TYPE, t.CLUSTER_NAME, t.TEMPORARY, TO_CHAR(t.BLOCKS), \
    TO_CHAR(t.NUM_ROWS), (SELECT COUNT(*) FROM ALL_EXTERNAL_TABLES e WHERE e.OWNER = t.OWNER AND e.TABLE_NAME = t.TABLE_NAME) \
    FROM ALL_TABLES t WHERE t.OWNER = NVL(:1, SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA')) AND t.TABLE_NAME = :2";
const PARTITIONS: &str = "SELECT PARTITION_NAME, TO_CHAR(BLOCKS), COMPOSITE FROM ALL_TAB_PARTITIONS \
    WHERE TABLE_OWNER = :1 AND TABLE_NAME = :2 ORDER BY PARTITION_POSITION";
const SUBPARTITIONS: &str = "SELECT s.SUBPARTITION_NAME, TO_CHAR(s.BLOCKS) FROM ALL_TAB_SUBPARTITIONS s \
    JOIN ALL_TAB_PARTITIONS p ON p.TABLE_OWNER = s.TABLE_OWNER AND p.TABLE_NAME = s.TABLE_NAME AND p.PARTITION_NAME = s.PARTITION_NAME \
    WHERE s.TABLE_OWNER = :1 AND s.TABLE_NAME = :2 ORDER BY p.PARTITION_POSITION, s.SUBPARTITION_POSITION";
/// Blocks of which addresses are looked at, for each range that is wanted: ranges of about equal size need several.
const SAMPLES: u64 = 8;

impl Table {
    /// The table of that name; or why addresses do not divide it.
    pub(crate) fn find(session: &mut Session, owner: Option<&str>, name: &str) -> Result<Result<Table, String>> {
        let schema = owner.map_or(Value::Null, |owner| Value::Text(owner.to_owned()));
        let rows = session.rows(TABLE, &[schema, Value::Text(name.to_owned())])?;
        let Some(row) = rows.into_iter().next() else {
            return Ok(Err(format!(
                "{name} is no table, or one that the dictionary does not show (a view, a synonym)"
            )));
        };
        let Ok([owner, partitioned, organized, cluster, temporary, blocks, count, external]) =
            <[Option<String>; 8]>::try_from(row)
        else {
            return Ok(Err("the dictionary's answer makes no sense".into()));
        };
        let owner = owner.unwrap_or_default();
        let refusal = if organized.is_some() {
            Some("is organized by its index, and its rows have no addresses")
        } else if cluster.is_some() {
            Some("is in a cluster with other tables")
        } else if temporary.as_deref() == Some("Y") {
            Some("is temporary, and other connections see other rows")
        } else if external.as_deref() != Some("0") {
            Some("is external, and its rows have no addresses")
        } else {
            None
        };
        if let Some(refusal) = refusal {
            return Ok(Err(format!("{name} {refusal}")));
        }
        let segments = if partitioned.as_deref() == Some("YES") {
            Segment::of_partitions(session, &owner, name)?
        } else {
            vec![Segment { clause: String::new(), blocks: whole(blocks.as_deref()) }]
        };
        Ok(Ok(Table { owner, name: name.to_owned(), rows: count.and_then(|count| count.parse().ok()), segments }))
    }

    /// How many blocks the statistics know of.
    pub(crate) fn blocks(&self) -> u64 {
        self.segments.iter().map(|segment| segment.blocks).fold(0, u64::saturating_add)
    }

    /// How one of its segments is named in FROM.
    pub(crate) fn from(&self, segment: &Segment) -> String {
        let [owner, name] = [&self.owner, &self.name].map(|name| quote_identifier(name, Dialect::Oracle));
        format!("{owner}.{name}{}", segment.clause)
    }

    /// Addresses that divide a segment into about `ranges` ranges of equal size, in their order.
    ///
    /// They are those of rows in blocks picked at random. Whatever they are, ranges between them leave no row out.
    pub(crate) fn bounds(&self, session: &mut Session, segment: &Segment, ranges: u64) -> Result<Vec<String>> {
        let wanted = (ranges * SAMPLES).max(1);
        if ranges < 2 || segment.blocks == 0 {
            return Ok(Vec::new());
        }
        // Hundredths of a per cent are fine enough for tables of millions of blocks.
        let millionths = (wanted.saturating_mul(100_000_000) / segment.blocks).clamp(1, 99_999_999);
        let percent = format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000);
        // The first fifteen digits of an address are those of its block.
        let sql = format!(
            "SELECT ROWIDTOCHAR(r) FROM (SELECT MIN(ROWID) r FROM {} SAMPLE BLOCK ({percent}) \
             GROUP BY SUBSTR(ROWIDTOCHAR(ROWID), 1, 15)) ORDER BY r",
            self.from(segment)
        );
        let found: Vec<String> =
            session.rows(&sql, &[])?.into_iter().flatten().flatten().filter(|address| is_address(address)).collect();
        Ok(evenly(&found, ranges))
    }
}

impl Segment {
    fn of_partitions(session: &mut Session, owner: &str, name: &str) -> Result<Vec<Segment>> {
        let values = [Value::Text(owner.to_owned()), Value::Text(name.to_owned())];
        let partitions = session.rows(PARTITIONS, &values)?;
        let composite = partitions.iter().any(|row| row.get(2).cloned().flatten().as_deref() == Some("YES"));
        let (rows, word) =
            if composite { (session.rows(SUBPARTITIONS, &values)?, "SUBPARTITION") } else { (partitions, "PARTITION") };
        let segment = |row: Vec<Option<String>>| {
            let mut row = row.into_iter();
            let name = row.next().flatten()?;
            let clause = format!(" {word} ({})", quote_identifier(&name, Dialect::Oracle));
            Some(Segment { clause, blocks: whole(row.next().flatten().as_deref()) })
        };
        Ok(rows.into_iter().filter_map(segment).collect())
    }
}

fn whole(text: Option<&str>) -> u64 {
    text.and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// Whether text can stand as an address in SQL.
fn is_address(text: &str) -> bool {
    text.len() == 18 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/')
}

/// `ranges` - 1 of the addresses, at equal distances.
fn evenly(addresses: &[String], ranges: u64) -> Vec<String> {
    let count = u64::try_from(addresses.len()).unwrap_or(u64::MAX);
    let ranges = ranges.min(count + 1);
    let at = |number: u64| usize::try_from(number * count / ranges).ok();
    let mut bounds: Vec<String> = (1..ranges).filter_map(|number| addresses.get(at(number)?).cloned()).collect();
    bounds.dedup();
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_addresses_at_equal_distances() {
        let addresses: Vec<String> = (10..90).map(|number| format!("AAAR3sAAEAAAACX{number}A")).collect();
        let bounds = evenly(&addresses, 4);
        assert_eq!(bounds, [&addresses[20], &addresses[40], &addresses[60]].map(String::clone));
        assert!(evenly(&[], 4).is_empty());
        assert_eq!(evenly(&addresses[..1], 4).len(), 1);
        assert!(is_address(&addresses[0]));
        assert!(!is_address("AAAR3sAAEAAAACX' OR"));
        assert!(!is_address("short"));
    }
}
