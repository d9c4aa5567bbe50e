//! Expressions whose digits follow from those of columns.

use std::collections::BTreeSet;

use sqlparser::ast::{
    BinaryOperator, CastKind, DataType, ExactNumberInfo, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArguments, Ident, UnaryOperator, Value,
};

use crate::Dialect;
use crate::walk::key;

use super::scope::Scope;
use super::term::{Digits, Step, Term};

/// Reads the items of a SELECT list.
pub(super) struct Reader<'a> {
    scope: &'a Scope,
    /// The columns that were seen.
    pub(super) columns: BTreeSet<String>,
    /// The functions that were seen.
    pub(super) functions: BTreeSet<String>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(scope: &'a Scope) -> Self {
        Reader { scope, columns: BTreeSet::new(), functions: BTreeSet::new() }
    }

    /// What a value is made of; `None` for one whose digits nothing proves, and for one of literals alone.
    pub(super) fn term(&mut self, value: &Expr) -> Option<Term> {
        let mut term = Term::default();
        self.read(value, &mut term.0)?;
        let columns = term.0.iter().filter_map(|step| match step {
            Step::Column(_, name) => Some(name.clone()),
            _ => None,
        });
        self.columns.extend(columns);
        if !term.0.iter().any(|step| matches!(step, Step::Column(..) | Step::Typed(_))) {
            return None;
        }
        Some(term)
    }

    fn read(&mut self, value: &Expr, steps: &mut Vec<Step>) -> Option<()> {
        match value {
            Expr::Nested(inner) => self.read(inner, steps),
            Expr::Identifier(name) => {
                steps.push(Step::Column(None, key(name, Dialect::Postgres)));
                Some(())
            }
            Expr::CompoundIdentifier(parts) => {
                let (name, qualifier) = parts.split_last()?;
                let table = self.scope.table_of(qualifier)?;
                steps.push(Step::Column(Some(table), key(name, Dialect::Postgres)));
                Some(())
            }
            Expr::Value(value) => {
                steps.push(Step::Number(number(&value.value)?));
                Some(())
            }
            Expr::UnaryOp { op: UnaryOperator::Minus | UnaryOperator::Plus | UnaryOperator::PGAbs, expr } => {
                self.read(expr, steps)
            }
            Expr::BinaryOp { left, op, right } => {
                let step = match op {
                    BinaryOperator::Plus | BinaryOperator::Minus => Step::Plus,
                    BinaryOperator::Multiply => Step::Times,
                    _ => return None,
                };
                self.read(left, steps)?;
                self.read(right, steps)?;
                steps.push(step);
                Some(())
            }
            Expr::Case { conditions, else_result, .. } => {
                let results = conditions.iter().map(|when| &when.result).chain(else_result.as_deref());
                self.one_of(results, steps)
            }
            Expr::Cast {
                kind: CastKind::Cast | CastKind::DoubleColon,
                expr,
                data_type,
                array: false,
                format: None,
            } => {
                match cast_to(data_type)? {
                    // Whatever it was before.
                    Some(digits) => {
                        steps.push(Step::Typed(digits));
                        Some(())
                    }
                    None => self.read(expr, steps),
                }
            }
            Expr::Function(call) => self.call(call, steps),
            _ => None,
        }
    }

    fn one_of<'e>(&mut self, items: impl Iterator<Item = &'e Expr>, steps: &mut Vec<Step>) -> Option<()> {
        let mut count = 0;
        for item in items {
            self.read(item, steps)?;
            count += 1;
        }
        steps.push(Step::OneOf(count));
        Some(())
    }

    fn call(&mut self, call: &Function, steps: &mut Vec<Step>) -> Option<()> {
        let is_plain = !call.uses_odbc_syntax
            && call.within_group.is_empty()
            && call.null_treatment.is_none()
            && matches!(call.parameters, FunctionArguments::None);
        let idents: Vec<&Ident> = call.name.0.iter().map(|part| part.as_ident()).collect::<Option<_>>()?;
        let (name, is_qualified) = match idents.as_slice() {
            [name] => (*name, false),
            [schema, name] if key(schema, Dialect::Postgres) == "pg_catalog" => (*name, true),
            _ => return None,
        };
        let FunctionArguments::List(list) = &call.args else { return None };
        if !is_plain {
            return None;
        }
        // These belong to the grammar, and are no functions of any schema.
        let is_syntax = !is_qualified && name.quote_style.is_none();
        let name = key(name, Dialect::Postgres);
        let arguments = || list.args.iter().map(argument).collect::<Option<Vec<&Expr>>>();
        match (name.as_str(), list.args.len()) {
            ("coalesce" | "greatest" | "least", 1..) if is_syntax => {
                return self.one_of(arguments()?.into_iter(), steps);
            }
            ("nullif", 2) if is_syntax => return self.read(arguments()?.first()?, steps),
            ("count", 1) => steps.push(Step::Number(Digits { before: 19, after: 0 })),
            ("sum" | "min" | "max" | "abs", 1) => {
                self.read(arguments()?.first()?, steps)?;
                if name == "sum" {
                    steps.push(Step::Sum);
                }
            }
            _ => return None,
        }
        if !is_qualified {
            self.functions.insert(name);
        }
        Some(())
    }
}

fn argument(argument: &FunctionArg) -> Option<&Expr> {
    match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => Some(value),
        _ => None,
    }
}

/// The digits of a number as it is written; NULL has none. What has an exponent, or is a text, may have any.
fn number(value: &Value) -> Option<Digits> {
    match value {
        Value::Null => Some(Digits::default()),
        Value::Number(text, false) => {
            let (before, after) = text.split_once('.').unwrap_or((text, ""));
            let count = |digits: &str| {
                let is_plain = digits.bytes().all(|digit| digit.is_ascii_digit());
                u32::try_from(digits.len()).ok().filter(|_| is_plain)
            };
            Some(Digits { before: count(before)?, after: count(after)? })
        }
        _ => None,
    }
}

/// The digits of all values of a type; the inner `None` says that a cast to it changes none, the outer one that nothing is known.
fn cast_to(data_type: &DataType) -> Option<Option<Digits>> {
    let whole = |before| Some(Some(Digits { before, after: 0 }));
    match data_type {
        DataType::SmallInt(None) | DataType::Int2(None) => whole(5),
        DataType::Int(None) | DataType::Integer(None) | DataType::Int4(None) => whole(10),
        DataType::BigInt(None) | DataType::Int8(None) => whole(19),
        DataType::Numeric(info) | DataType::Decimal(info) | DataType::Dec(info) => match *info {
            ExactNumberInfo::None => Some(None),
            ExactNumberInfo::Precision(precision) => whole(u32::try_from(precision).ok()?),
            ExactNumberInfo::PrecisionAndScale(precision, scale) => {
                Some(Some(Digits::of_type(u32::try_from(precision).ok()?, i32::try_from(scale).ok()?)))
            }
        },
        _ => None,
    }
}
