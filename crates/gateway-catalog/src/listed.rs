//! What a source lists: tables, columns, keys.

use arrow_flight::sql::UpdateDeleteRules;

/// What a table is, by the names that clients of Flight SQL know.
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
    /// assert_eq!(bowshot_gateway_catalog::TableType::SystemTable.name(), "SYSTEM TABLE");
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
pub(crate) struct Table {
    pub(crate) schema: Option<String>,
    pub(crate) name: String,
    pub(crate) kind: TableType,
    /// The comment that its owner gave it.
    pub(crate) remarks: Option<String>,
}

/// What a source says of a column, beside its Arrow type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// The source's name of the type, without its length.
    pub(crate) type_name: Option<String>,
    pub(crate) nullable: bool,
    /// Digits of a number, characters of a text.
    pub(crate) precision: Option<i32>,
    pub(crate) scale: Option<i32>,
    pub(crate) remarks: Option<String>,
    /// The source gives it a value of its own when a row comes without one.
    pub(crate) auto_increment: bool,
}

/// A column of a table's primary key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PrimaryKeyColumn {
    pub(crate) schema: Option<String>,
    pub(crate) table: String,
    pub(crate) column: String,
    /// The constraint's name, where the source gives it one.
    pub(crate) key: Option<String>,
    /// Counted from 1.
    pub(crate) sequence: i32,
}

/// A column of a foreign key, and the column that it refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ForeignKeyColumn {
    pub(crate) primary: End,
    pub(crate) foreign: End,
    /// Counted from 1.
    pub(crate) sequence: i32,
    pub(crate) update_rule: u8,
    pub(crate) delete_rule: u8,
}

/// One end of a foreign key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) schema: Option<String>,
    pub(crate) table: String,
    pub(crate) column: String,
    /// The constraint's name, where it has one.
    pub(crate) key: Option<String>,
}

/// The number of a rule in `UpdateDeleteRules` of `FlightSql.proto`. A source that names none does nothing by itself.
pub(crate) fn rule(name: Option<&str>) -> u8 {
    let rule = match name.map(str::to_ascii_uppercase).as_deref() {
        Some("CASCADE") => UpdateDeleteRules::Cascade,
        Some("RESTRICT") => UpdateDeleteRules::Restrict,
        Some("SET NULL") => UpdateDeleteRules::SetNull,
        Some("SET DEFAULT") => UpdateDeleteRules::SetDefault,
        _ => UpdateDeleteRules::NoAction,
    };
    u8::try_from(i32::from(rule)).unwrap_or_default()
}
