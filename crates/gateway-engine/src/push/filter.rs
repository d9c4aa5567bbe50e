//! Filters in the source's SQL: only those that keep the same rows there as in DataFusion.
//!
//! Floating-point numbers are never compared there: NaN, and the zero below zero, are equal in some databases to what
//! they differ from in others.

use arrow_schema::DataType;
use bowshot_gateway_catalog::Dialect;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{Between, BinaryExpr, Cast, Expr, Operator};

use super::{literal, quoted};
use crate::doubt::Need;
use crate::tables::Described;

/// The longest list that all databases take (Oracle: 1,000).
const LONGEST_LIST: usize = 1000;

/// What values of a column can be compared with in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Whole,
    Decimal,
    Date,
    Timestamp,
    TimestampWithZone,
    Truth,
    /// Only as equal or not.
    Text,
}

/// Writes filters of one table.
pub(super) struct Writer<'a> {
    pub(super) table: &'a Described,
    pub(super) dialect: Dialect,
}

impl Writer<'_> {
    /// A condition in parentheses where it needs them.
    pub(super) fn predicate(&self, expression: &Expr) -> Option<String> {
        match expression {
            Expr::BinaryExpr(BinaryExpr { left, op: op @ (Operator::And | Operator::Or), right }) => {
                Some(format!("({} {op} {})", self.predicate(left)?, self.predicate(right)?))
            }
            Expr::BinaryExpr(binary) => self.comparison(binary),
            Expr::Not(inner) => Some(format!("(NOT {})", self.predicate(inner)?)),
            Expr::IsNull(inner) => Some(format!("{} IS NULL", self.any_column(inner)?)),
            Expr::IsNotNull(inner) => Some(format!("{} IS NOT NULL", self.any_column(inner)?)),
            Expr::Between(between) => self.between(between),
            Expr::InList(list) => self.list(list),
            Expr::Column(_) => {
                let (name, class) = self.column(expression)?;
                (class == Class::Truth).then_some(name)
            }
            _ => None,
        }
    }

    fn comparison(&self, BinaryExpr { left, op, right }: &BinaryExpr) -> Option<String> {
        if !is_column(left) && is_column(right) {
            return self.comparison(&BinaryExpr::new(right.clone(), op.swap()?, left.clone()));
        }
        let (name, class) = self.column(left)?;
        let sign = match *op {
            Operator::Eq => "=",
            Operator::NotEq => "<>",
            Operator::Lt if class != Class::Text => "<",
            Operator::LtEq if class != Class::Text => "<=",
            Operator::Gt if class != Class::Text => ">",
            Operator::GtEq if class != Class::Text => ">=",
            _ => return None,
        };
        Some(format!("{name} {sign} {}", self.literal(right, class)?))
    }

    fn between(&self, between: &Between) -> Option<String> {
        let (name, class) = self.column(&between.expr)?;
        if class == Class::Text {
            return None;
        }
        let not = if between.negated { "NOT " } else { "" };
        let (low, high) = (self.literal(&between.low, class)?, self.literal(&between.high, class)?);
        Some(format!("({name} {not}BETWEEN {low} AND {high})"))
    }

    fn list(&self, list: &InList) -> Option<String> {
        let (name, class) = self.column(&list.expr)?;
        if list.list.is_empty() || list.list.len() > LONGEST_LIST {
            return None;
        }
        let not = if list.negated { "NOT " } else { "" };
        let values = list.list.iter().map(|value| self.literal(value, class)).collect::<Option<Vec<_>>>()?;
        Some(format!("{name} {not}IN ({})", values.join(", ")))
    }

    /// A column of whatever type.
    fn any_column(&self, expression: &Expr) -> Option<String> {
        let Expr::Column(column) = expression else { return None };
        let known = self.table.schema.index_of(&column.name).is_ok() && self.dialect != Dialect::Other;
        known.then(|| quoted(&column.name, Some(self.dialect)))
    }

    /// A column that can be compared in the source, and with what.
    fn column(&self, expression: &Expr) -> Option<(String, Class)> {
        let (column, cast) = match expression {
            Expr::Column(column) => (column, None),
            Expr::Cast(Cast { expr, field }) => match expr.as_ref() {
                Expr::Column(column) => (column, Some(field.data_type())),
                _ => return None,
            },
            _ => return None,
        };
        let place = self.table.schema.index_of(&column.name).ok()?;
        let own = self.table.schema.field(place).data_type();
        if cast.is_some_and(|cast| !keeps_values(own, cast)) {
            return None;
        }
        Some((quoted(&column.name, Some(self.dialect)), self.class(place, own)?))
    }

    /// What the source's own type of a column can be compared with there as here.
    fn class(&self, place: usize, data_type: &DataType) -> Option<Class> {
        use Dialect::{ClickHouse, DuckDb, MySql, Oracle, Postgres, SqlServer, Sqlite, Trino};
        let type_name = self.table.types.get(place).and_then(Option::as_deref).unwrap_or_default().to_ascii_lowercase();
        let doubt = self.table.doubts.get(place).and_then(Option::as_ref);
        match (self.dialect, data_type) {
            // Other columns of SQLite may hold any value in any row.
            (Sqlite, data_type) if data_type.is_integer() && type_name.contains("int") => Some(Class::Whole),
            (Sqlite, _) => None,
            (Postgres | MySql | SqlServer | Oracle | ClickHouse | Trino | DuckDb, data_type)
                if data_type.is_integer() =>
            {
                Some(Class::Whole)
            }
            (Postgres, DataType::Decimal128(..) | DataType::Decimal256(..)) if type_name == "numeric" => {
                Some(Class::Decimal)
            }
            (MySql, DataType::Decimal128(..) | DataType::Decimal256(..)) if type_name.starts_with("decimal") => {
                Some(Class::Decimal)
            }
            (Postgres | MySql, DataType::Date32) if type_name == "date" => Some(Class::Date),
            (Postgres, DataType::Timestamp(_, None)) if type_name == "timestamp" => Some(Class::Timestamp),
            (MySql, DataType::Timestamp(_, None)) if type_name == "datetime" => Some(Class::Timestamp),
            (Postgres, DataType::Timestamp(_, Some(_))) if type_name == "timestamptz" => Some(Class::TimestampWithZone),
            (Postgres, DataType::Boolean) => Some(Class::Truth),
            (Postgres, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
                if matches!(type_name.as_str(), "text" | "varchar")
                    && doubt.is_none_or(|doubt| doubt.allows(Need::Equality)) =>
            {
                Some(Class::Text)
            }
            _ => None,
        }
    }

    fn literal(&self, expression: &Expr, class: Class) -> Option<String> {
        let Expr::Literal(value, _) = expression else { return None };
        written(value, class, self.dialect)
    }
}

/// A value for a column of a class.
fn written(value: &ScalarValue, class: Class, dialect: Dialect) -> Option<String> {
    match class {
        Class::Whole if dialect == Dialect::Postgres || dialect == Dialect::MySql => {
            literal::whole(value).or_else(|| literal::decimal(value))
        }
        Class::Whole => literal::whole(value),
        Class::Decimal => literal::whole(value).or_else(|| literal::decimal(value)),
        Class::Date => literal::date(value),
        Class::Timestamp => literal::timestamp(value),
        Class::TimestampWithZone => literal::timestamp_with_zone(value),
        Class::Truth => literal::truth(value),
        Class::Text => literal::text(value, dialect),
    }
}

fn is_column(expression: &Expr) -> bool {
    match expression {
        Expr::Column(_) => true,
        Expr::Cast(cast) => is_column(&cast.expr),
        _ => false,
    }
}

/// Whether a cast changes no value, so that the column itself can be compared.
fn keeps_values(from: &DataType, to: &DataType) -> bool {
    let whole_digits = |precision: u8, scale: i8| i16::from(precision) - i16::from(scale);
    match (from, to) {
        (from, to) if from == to => true,
        (
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View,
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View,
        ) => true,
        (from, to) if from.is_integer() && to.is_integer() => {
            let signed = |data_type: &DataType| data_type.is_signed_integer();
            let wider = to.primitive_width() > from.primitive_width();
            wider && (signed(to) || !signed(from))
                || (signed(from) == signed(to) && to.primitive_width() == from.primitive_width())
        }
        (from, DataType::Decimal128(precision, scale) | DataType::Decimal256(precision, scale))
            if from.is_integer() =>
        {
            whole_digits(*precision, *scale) >= 20
        }
        (
            DataType::Decimal128(from_precision, from_scale) | DataType::Decimal256(from_precision, from_scale),
            DataType::Decimal128(precision, scale) | DataType::Decimal256(precision, scale),
        ) => scale >= from_scale && whole_digits(*precision, *scale) >= whole_digits(*from_precision, *from_scale),
        _ => false,
    }
}
