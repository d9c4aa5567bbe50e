//! How a gateway names a table.

use std::fmt;

/// A table as clients of the gateway name it: the source's configured name, the source's schema (in MySQL: the
/// database), the table.
///
/// ```
/// use bowshot_gateway_catalog::TablePath;
///
/// let path = TablePath { catalog: "shop".into(), schema: Some("public".into()), table: "orders".into() };
/// assert_eq!(path.to_string(), "shop.public.orders");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TablePath {
    /// The name that the source has in the gateway.
    pub catalog: String,
    /// `None` where the source has no schemas, as a folder of files has none.
    pub schema: Option<String>,
    /// The table's or view's own name, as the source spells it.
    pub table: String,
}

/// Says whether the user may see a table. What it refuses is left out of every listing, and with it the schemas and
/// catalogs of which nothing is left.
pub type Visible<'a> = &'a dyn Fn(&TablePath) -> bool;

/// Says whether the user may see a schema that has no tables yet, of a catalog: both by their names.
pub type Reachable<'a> = &'a dyn Fn(&str, &str) -> bool;

impl fmt::Display for TablePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.", self.catalog)?;
        if let Some(schema) = &self.schema {
            write!(f, "{schema}.")?;
        }
        f.write_str(&self.table)
    }
}
