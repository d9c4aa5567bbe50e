//! Schemas of tables, remembered for a while.

use bowshot_catalog::Column;
use std::collections::HashMap;
use std::time::Instant;

use arrow_schema::SchemaRef;
use parking_lot::Mutex;

use crate::catalog::Limits;
use bowshot_catalog::Place;

/// Schemas by table. One is only believed while the source lists the columns that it had when the table was planned.
#[derive(Default)]
pub(crate) struct SchemaCache {
    entries: Mutex<HashMap<Place, Entry>>,
}

struct Entry {
    columns: Vec<Column>,
    schema: SchemaRef,
    made: Instant,
}

impl SchemaCache {
    pub(crate) fn get(&self, place: &Place, columns: &[Column], limits: &Limits) -> Option<SchemaRef> {
        let entries = self.entries.lock();
        let entry = entries.get(place)?;
        (entry.columns == columns && entry.made.elapsed() < limits.age).then(|| SchemaRef::clone(&entry.schema))
    }

    pub(crate) fn put(&self, place: Place, columns: &[Column], schema: SchemaRef, limits: &Limits) {
        let mut entries = self.entries.lock();
        if entries.len() >= limits.remembered && !entries.contains_key(&place) {
            entries.retain(|_, entry| entry.made.elapsed() < limits.age);
        }
        // Those that are left are all of the same worth.
        if entries.len() < limits.remembered || entries.contains_key(&place) {
            entries.insert(place, Entry { columns: columns.to_vec(), schema, made: Instant::now() });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use arrow_schema::Schema;

    use super::SchemaCache;
    use crate::catalog::Limits;
    use bowshot_catalog::Column;
    use bowshot_catalog::Place;

    fn place(table: &str) -> Place {
        (None, table.to_owned())
    }

    fn column(name: &str) -> Vec<Column> {
        vec![Column { name: name.into(), ..Column::default() }]
    }

    #[test]
    fn a_schema_is_believed_while_the_columns_are_the_same() {
        let (cache, limits) = (SchemaCache::default(), Limits::default());
        cache.put(place("t"), &column("a"), Arc::new(Schema::empty()), &limits);
        assert!(cache.get(&place("t"), &column("a"), &limits).is_some());
        assert!(cache.get(&place("t"), &column("b"), &limits).is_none());
        assert!(cache.get(&place("u"), &column("a"), &limits).is_none());
    }

    #[test]
    fn a_schema_is_believed_no_longer_than_its_age() {
        let (cache, limits) = (SchemaCache::default(), Limits { age: Duration::ZERO, ..Limits::default() });
        cache.put(place("t"), &[], Arc::new(Schema::empty()), &limits);
        assert!(cache.get(&place("t"), &[], &limits).is_none());
    }

    #[test]
    fn no_more_schemas_are_remembered_than_the_limit_says() {
        let (cache, limits) = (SchemaCache::default(), Limits { remembered: 2, ..Limits::default() });
        for table in ["a", "b", "c", "a"] {
            cache.put(place(table), &[], Arc::new(Schema::empty()), &limits);
        }
        assert_eq!(cache.entries.lock().len(), 2);
        assert!(cache.get(&place("a"), &[], &limits).is_some() && cache.get(&place("c"), &[], &limits).is_none());
    }
}
