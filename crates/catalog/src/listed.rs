//! What a source lists: tables, columns, keys.

/// What a table is, by the names that clients of Flight SQL and ADBC know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TableType {
    /// A table of another server, or of files, that the source shows as its own.
    ForeignTable,
    /// A view whose rows are stored.
    MaterializedView,
    /// A table or view of the source's own catalog.
    SystemTable,
    /// A table.
    Table,
    /// A view.
    View,
}

impl TableType {
    /// All of them, in the order of their names.
    pub const ALL: [TableType; 5] = [
        TableType::ForeignTable,
        TableType::MaterializedView,
        TableType::SystemTable,
        TableType::Table,
        TableType::View,
    ];

    /// The name that clients see and ask for.
    ///
    /// ```
    /// assert_eq!(bowshot_catalog::TableType::SystemTable.name(), "SYSTEM TABLE");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            TableType::ForeignTable => "FOREIGN TABLE",
            TableType::MaterializedView => "MATERIALIZED VIEW",
            TableType::SystemTable => "SYSTEM TABLE",
            TableType::Table => "TABLE",
            TableType::View => "VIEW",
        }
    }

    /// The type that a dialect's SQL names; what it names otherwise is a table that can be read like any other.
    pub(crate) fn of(name: &str) -> Self {
        TableType::ALL.into_iter().find(|kind| kind.name() == name).unwrap_or(TableType::Table)
    }
}

/// A table of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// `None` where the source has no schemas.
    pub schema: Option<String>,
    /// As the source spells it.
    pub name: String,
    /// What it is.
    pub kind: TableType,
    /// The comment that its owner gave it.
    pub remarks: Option<String>,
}

/// What a source says of a column, beside its Arrow type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// As the source spells it.
    pub name: String,
    /// The source's name of the type, without its length.
    pub type_name: Option<String>,
    /// Whether it may be NULL.
    pub nullable: bool,
    /// Digits of a number, characters of a text.
    pub precision: Option<i32>,
    /// Digits after the point.
    pub scale: Option<i32>,
    /// The comment that its owner gave it.
    pub remarks: Option<String>,
    /// The source gives it a value of its own when a row comes without one.
    pub auto_increment: bool,
}

/// A column of a table's primary key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrimaryKeyColumn {
    /// The table's schema; `None` where the source has none.
    pub schema: Option<String>,
    /// The table.
    pub table: String,
    /// The column.
    pub column: String,
    /// The constraint's name, where the source gives it one.
    pub key: Option<String>,
    /// Counted from 1.
    pub sequence: i32,
}

/// A column of a foreign key, and the column that it refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignKeyColumn {
    /// What is referred to.
    pub primary: End,
    /// What refers.
    pub foreign: End,
    /// Counted from 1.
    pub sequence: i32,
    /// What an update of what is referred to does, by the number that JDBC and Flight SQL give it.
    pub update_rule: u8,
    /// What a deletion does, in the same way.
    pub delete_rule: u8,
}

/// One end of a foreign key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// The table's schema; `None` where the source has none.
    pub schema: Option<String>,
    /// The table.
    pub table: String,
    /// The column.
    pub column: String,
    /// The constraint's name, where it has one.
    pub key: Option<String>,
}

/// The number of a rule, as JDBC and `UpdateDeleteRules` of `FlightSql.proto` count them. A source that names none does nothing by
/// itself.
pub(crate) fn rule(name: Option<&str>) -> u8 {
    match name.map(str::to_ascii_uppercase).as_deref() {
        Some("CASCADE") => 0,
        Some("RESTRICT") => 1,
        Some("SET NULL") => 2,
        Some("SET DEFAULT") => 4,
        _ => 3,
    }
}
