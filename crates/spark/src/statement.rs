//! The SQL of a read: the user's query with the columns, conditions and rows that Spark asks for.

use arrow_schema::Schema;
use bowshot_connect::subquery;

use crate::comparable::Comparable;
use crate::plan::Wish;

/// What the query is called in the SQL around it.
const ALIAS: &str = "bowshot";

/// What reads a whole table, before the table's name.
const WHOLE: &str = "SELECT * FROM ";

/// What may be called in a subquery of a database that may evaluate it once for a condition and once more for the result: functions that are
/// the same each time, and words that only look like calls.
const STEADY: &[&str] = &[
    "abs",
    "all",
    "any",
    "as",
    "avg",
    "case",
    "cast",
    "ceil",
    "ceiling",
    "char",
    "coalesce",
    "concat",
    "count",
    "decimal",
    "exists",
    "extract",
    "floor",
    "greatest",
    "if",
    "ifnull",
    "iif",
    "in",
    "least",
    "left",
    "length",
    "lower",
    "lpad",
    "ltrim",
    "max",
    "min",
    "mod",
    "not",
    "nullif",
    "numeric",
    "on",
    "or",
    "over",
    "and",
    "power",
    "replace",
    "right",
    "round",
    "rpad",
    "rtrim",
    "select",
    "sign",
    "sqrt",
    "substr",
    "substring",
    "sum",
    "total",
    "trim",
    "upper",
    "using",
    "values",
    "varchar",
    "when",
    "where",
];

/// The user's query, and what is known of its result.
pub(crate) struct Statement<'a> {
    pub(crate) uri: &'a str,
    pub(crate) scheme: &'a str,
    pub(crate) sql: &'a str,
    pub(crate) is_table: bool,
    pub(crate) schema: &'a Schema,
}

impl Statement<'_> {
    /// The statement with what is wished for, as far as the source can be told; at the least, the query as it is.
    pub(crate) fn with(&self, wish: &Wish, cast: &dyn Fn(&str) -> bool) -> String {
        let whole = self.sql.to_owned();
        if self.scheme == "file" {
            return self.of_files(wish);
        }
        let Some(inner) = subquery(self.uri, self.sql) else { return whole };
        let known = matches!(inner.scheme, "postgresql" | "mysql" | "sqlite");
        if !known || self.is_ambiguous() {
            return whole;
        }
        // PostgreSQL itself keeps conditions away from what is not the same each time.
        let steady = inner.functions.iter().all(|name| STEADY.contains(&name.as_str())) && !inner.sql.contains('@');
        if inner.scheme != "postgresql" && !steady {
            return whole;
        }
        let table = inner.sql.strip_prefix(WHOLE).filter(|_| self.is_table);
        let (opening, closing) = inner.quotes;
        let quoted =
            |name: &str| format!("{opening}{}{closing}", name.replace(closing, &format!("{closing}{closing}")));
        // A name in quotes that SQLite does not know is a text to it, unless it stands behind a table's.
        let written = |name: &str| format!("{ALIAS}.{}", quoted(name));
        let comparable = Comparable { scheme: inner.scheme, fields: self.schema, cast, written: &written };
        let conditions: Vec<String> = wish.filters.iter().filter_map(|filter| comparable.condition(filter)).collect();
        if table.is_none() && conditions.is_empty() && wish.limit.is_none() {
            // As it is, the query may be read in partitions.
            return whole;
        }
        let columns: Vec<String> = wish.columns.iter().map(|name| written(name)).collect();
        let from = table.map_or_else(|| format!("({}\n)", inner.sql), str::to_owned);
        let filtered =
            if conditions.is_empty() { String::new() } else { format!(" WHERE {}", conditions.join(" AND ")) };
        let limit = wish.limit.map_or_else(String::new, |limit| format!(" LIMIT {limit}"));
        format!("SELECT {} FROM {from} {ALIAS}{filtered}{limit}", columns.join(", "))
    }

    /// Files are read plainly, and leave out row groups by conditions of their own.
    fn of_files(&self, wish: &Wish) -> String {
        let table = match self.sql.strip_prefix(WHOLE) {
            Some(table) => table,
            None if self.sql.is_empty() => "data",
            None => return self.sql.to_owned(),
        };
        let limit = wish.limit.map_or_else(String::new, |limit| format!(" LIMIT {limit}"));
        format!("{}{limit}", columns_of(table, &wish.columns))
    }

    /// Whether the database might take two of the names for one: some tell neither cases nor accents apart.
    fn is_ambiguous(&self) -> bool {
        let mut names: Vec<String> = self.schema.fields().iter().map(|field| field.name().to_lowercase()).collect();
        let plain = names.iter().all(|name| name.is_ascii() && !name.trim().is_empty());
        names.sort_unstable();
        !plain || names.windows(2).any(|pair| pair.first() == pair.last())
    }
}

/// The query that reads columns of files.
pub(crate) fn columns_of(table: &str, columns: &[String]) -> String {
    let columns: Vec<String> = columns.iter().map(|name| format!("\"{}\"", name.replace('"', "\"\""))).collect();
    format!("SELECT {} FROM {table}", columns.join(", "))
}

#[cfg(test)]
mod tests {
    use arrow_schema::{DataType, Field};
    use bowshot_core::SOURCE_TYPE;

    use super::*;
    use crate::filter::{Comparison, Filter, Literal};

    fn written(uri: &str, sql: &str, is_table: bool, wish: &Wish) -> String {
        let own = |name: &str| [(SOURCE_TYPE.to_owned(), name.to_owned())].into();
        let schema = Schema::new(vec![
            Field::new("id", DataType::Int32, true).with_metadata(own("int4")),
            Field::new("Name", DataType::Utf8, true).with_metadata(own("text")),
        ]);
        let scheme = bowshot_connect::scheme(uri).unwrap();
        Statement { uri, scheme, sql, is_table, schema: &schema }.with(wish, &|_| false)
    }

    fn wish() -> Wish {
        let filters = vec![Filter::Compare("id".into(), Comparison::Greater, Literal::Integer(7))];
        Wish { columns: vec!["Name".into()], filters, limit: None }
    }

    #[test]
    fn the_database_is_told_what_is_wished_for() {
        let pg = "postgresql://host/db";
        let table = written(pg, "SELECT * FROM \"shop\".\"items\"", true, &wish());
        assert_eq!(table, "SELECT bowshot.\"Name\" FROM \"shop\".\"items\" bowshot WHERE bowshot.\"id\" > 7");
        let query = written(pg, "SELECT id, \"Name\" FROM items -- all", false, &wish());
        assert_eq!(
            query,
            "SELECT bowshot.\"Name\" FROM (SELECT id, \"Name\" FROM items\n) bowshot WHERE bowshot.\"id\" > 7"
        );
    }

    #[test]
    fn a_query_is_left_as_it_is_where_a_longer_one_could_mean_something_else() {
        let pg = "postgresql://host/db";
        let ordered = "SELECT id, \"Name\" FROM items ORDER BY 1";
        assert_eq!(written(pg, ordered, false, &wish()), ordered);
        let plain = "SELECT id, \"Name\" FROM items";
        assert_eq!(written(pg, plain, false, &Wish { filters: Vec::new(), ..wish() }), plain);
        let random = "SELECT id, random() AS \"Name\" FROM items";
        assert_eq!(written("shop.db", random, false, &wish()), random);
    }

    #[test]
    fn files_are_read_by_columns_and_rows() {
        let limited = Wish { limit: Some(3), ..wish() };
        assert_eq!(written("x.parquet", "", true, &limited), "SELECT \"Name\" FROM data LIMIT 3");
        assert_eq!(written("x.parquet", "SELECT * FROM \"a.csv\"", true, &wish()), "SELECT \"Name\" FROM \"a.csv\"");
        assert_eq!(written("x.parquet", "SELECT id FROM data", false, &wish()), "SELECT id FROM data");
    }
}
