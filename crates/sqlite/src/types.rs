//! Which Arrow type a column is read as. The rule is written down in `docs/decisions/0003-sqlite-types.md`.

use arrow_schema::DataType;
use serde::{Deserialize, Serialize};

use crate::handle::Cell;

/// The words that make a declared type of NUMERIC affinity a number; the other words (`DATE`, `BOOLEAN`, …) say nothing
/// about what SQLite stores under them.
const NUMBER_WORDS: &[&str] = &["DECIMAL", "NUMERIC"];

/// What a column's declared type says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// The declaration decides.
    Declared(DataType),
    /// The values decide.
    Values,
}

impl Rule {
    /// By SQLite's own rule of affinity: the first word found in the declared type wins, wherever it stands.
    pub(crate) fn of(declared: Option<&str>) -> Self {
        let Some(declared) = declared else { return Rule::Values };
        let upper = declared.to_ascii_uppercase();
        let holds = |words: &[&str]| words.iter().any(|word| upper.contains(word));
        if holds(&["INT"]) {
            Rule::Declared(DataType::Int64)
        } else if holds(&["CHAR", "CLOB", "TEXT"]) {
            Rule::Declared(DataType::Utf8)
        } else if holds(&["BLOB"]) {
            Rule::Declared(DataType::Binary)
        } else if holds(&["REAL", "FLOA", "DOUB"]) || holds(NUMBER_WORDS) {
            Rule::Declared(DataType::Float64)
        } else {
            Rule::Values
        }
    }
}

/// The storage classes that a column's first values were seen in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seen {
    integer: bool,
    real: bool,
    text: bool,
    blob: bool,
    /// There are values that were not looked at.
    pub(crate) more: bool,
}

impl Seen {
    pub(crate) fn note(&mut self, cell: Cell<'_>) {
        match cell {
            Cell::Null => {}
            Cell::Integer(_) => self.integer = true,
            Cell::Real(_) => self.real = true,
            Cell::Text(_) => self.text = true,
            Cell::Blob(_) => self.blob = true,
        }
    }

    /// What was seen here or in another query of the same request.
    pub(crate) fn and(self, other: Seen) -> Seen {
        Seen {
            integer: self.integer || other.integer,
            real: self.real || other.real,
            text: self.text || other.text,
            blob: self.blob || other.blob,
            more: self.more || other.more,
        }
    }

    /// Whether there was nothing but NULL.
    pub(crate) fn only_nulls(self) -> bool {
        !(self.integer || self.real || self.text || self.blob)
    }

    /// The Arrow type that holds what was seen.
    pub(crate) fn data_type(self) -> DataType {
        let Seen { integer, real, text, blob, more } = self;
        match (integer, real, text, blob) {
            (false, false, false, false) if more => DataType::Utf8,
            (false, false, false, false) => DataType::Null,
            (true, false, false, false) => DataType::Int64,
            (_, true, false, false) => DataType::Float64,
            (false, false, false, true) => DataType::Binary,
            // Numbers are rendered as text. A BLOB among other values fits nothing: reading it will say so.
            _ => DataType::Utf8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_types_decide_by_affinity() {
        let int64 = Rule::Declared(DataType::Int64);
        let utf8 = Rule::Declared(DataType::Utf8);
        let binary = Rule::Declared(DataType::Binary);
        let float64 = Rule::Declared(DataType::Float64);
        for (declared, rule) in [
            ("INTEGER", &int64),
            ("int", &int64),
            ("UNSIGNED BIG INT", &int64),
            ("TINYINT(1)", &int64),
            // SQLite's own rule: INT wins wherever it stands.
            ("FLOATING POINT", &int64),
            ("CHARINT", &int64),
            ("TEXT", &utf8),
            ("VARCHAR(255)", &utf8),
            ("nchar(10)", &utf8),
            ("CLOB", &utf8),
            ("BLOB", &binary),
            ("REAL", &float64),
            ("DOUBLE PRECISION", &float64),
            ("FLOAT", &float64),
            ("DECIMAL(15,2)", &float64),
            ("NUMERIC", &float64),
            ("DATE", &Rule::Values),
            ("DATETIME", &Rule::Values),
            ("TIME", &Rule::Values),
            ("BOOLEAN", &Rule::Values),
            ("STRING", &Rule::Values),
            ("JSON", &Rule::Values),
            ("ANY", &Rule::Values),
            ("", &Rule::Values),
        ] {
            assert_eq!(Rule::of(Some(declared)), *rule, "{declared}");
        }
        assert_eq!(Rule::of(None), Rule::Values);
    }

    #[test]
    fn values_decide_where_the_declaration_does_not() {
        const I: Cell<'_> = Cell::Integer(1);
        const R: Cell<'_> = Cell::Real(0.5);
        const T: Cell<'_> = Cell::Text(b"t");
        const B: Cell<'_> = Cell::Blob(b"b");
        const N: Cell<'_> = Cell::Null;
        for (cells, data_type) in [
            (&[I, N, I][..], DataType::Int64),
            (&[I, R], DataType::Float64),
            (&[N, R], DataType::Float64),
            (&[T], DataType::Utf8),
            (&[T, I], DataType::Utf8),
            (&[R, T], DataType::Utf8),
            (&[B], DataType::Binary),
            (&[B, T], DataType::Utf8),
            (&[B, I], DataType::Utf8),
            (&[N, N], DataType::Null),
            (&[], DataType::Null),
        ] {
            let mut seen = Seen::default();
            cells.iter().for_each(|cell| seen.note(*cell));
            assert_eq!(seen.data_type(), data_type, "{cells:?}");
        }
        assert_eq!(Seen { more: true, ..Seen::default() }.data_type(), DataType::Utf8);
    }
}
