//! Walks the whole syntax tree for what forbids a split wherever it stands.

use std::collections::HashSet;
use std::ops::ControlFlow;

use sqlparser::ast::{
    Distinct, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, ObjectName, Query, Select,
    Statement, TableFactor, Visit, Visitor,
};

use crate::{Dialect, NamePart};

/// What stands somewhere in a statement.
pub(crate) struct Walk {
    dialect: Dialect,
    /// How many queries are open around the current node.
    depth: usize,
    /// Queries, the outermost included.
    pub(crate) queries: usize,
    /// Statements, the outermost included: more than one means an INSERT or the like inside a query.
    pub(crate) statements: usize,
    /// A SELECT … INTO.
    pub(crate) writes: bool,
    /// A TABLESAMPLE.
    pub(crate) samples: bool,
    /// A window function of the outermost query.
    pub(crate) window: bool,
    /// What a subquery does that may turn out differently each time.
    pub(crate) vague_subquery: Option<&'static str>,
    /// Names without a dot that stand where a value stands, as keys: columns, or rows of a whole table.
    pub(crate) bare_names: HashSet<String>,
}

impl Walk {
    /// Walks a statement.
    pub(crate) fn over(statement: &Statement, dialect: Dialect) -> Walk {
        let mut walk = Walk {
            dialect,
            depth: 0,
            queries: 0,
            statements: 0,
            writes: false,
            samples: false,
            window: false,
            vague_subquery: None,
            bare_names: HashSet::new(),
        };
        // It never breaks off.
        let _ = statement.visit(&mut walk);
        walk
    }

    fn saw_window(&mut self) {
        if self.depth > 1 {
            self.vague_subquery = Some("a subquery has a window function");
        } else {
            self.window = true;
        }
    }

    fn saw_call(&mut self, call: &Function) {
        if call.over.is_some() {
            self.saw_window();
        }
        let FunctionArguments::List(list) = &call.args else { return };
        for argument in &list.args {
            let (FunctionArg::Unnamed(value)
            | FunctionArg::Named { arg: value, .. }
            | FunctionArg::ExprNamed { arg: value, .. }) = argument;
            if let FunctionArgExpr::QualifiedWildcard(table) = value {
                self.saw_row(table);
            }
        }
    }

    /// `t.*` as a value.
    fn saw_row(&mut self, table: &ObjectName) {
        let name = table.0.last().and_then(|part| part.as_ident());
        self.bare_names.extend(name.map(|name| key(name, self.dialect)));
    }
}

impl Visitor for Walk {
    type Break = ();

    fn pre_visit_statement(&mut self, _: &Statement) -> ControlFlow<()> {
        self.statements += 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        self.depth += 1;
        self.queries += 1;
        if self.depth > 1 && (query.limit_clause.is_some() || query.fetch.is_some()) {
            self.vague_subquery = Some("a subquery has a LIMIT");
        }
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        self.writes |= select.into.is_some();
        if !select.named_window.is_empty() || select.qualify.is_some() {
            self.saw_window();
        }
        if self.depth > 1 && (matches!(select.distinct, Some(Distinct::On(_))) || select.top.is_some()) {
            self.vague_subquery = Some("a subquery picks one row of many");
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        if let TableFactor::Table { sample: Some(_), .. } | TableFactor::Derived { sample: Some(_), .. } = factor {
            self.samples = true;
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Function(call) => self.saw_call(call),
            Expr::Identifier(name) => {
                self.bare_names.insert(key(name, self.dialect));
            }
            Expr::QualifiedWildcard(table, _) => self.saw_row(table),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// A parser's identifier as the database folds it.
pub(crate) fn part(name: &Ident, dialect: Dialect) -> NamePart {
    match name.quote_style {
        Some(_) => NamePart { text: name.value.clone(), quoted: true },
        None => NamePart { text: dialect.fold(&name.value), quoted: false },
    }
}

/// A parser's identifier in the form in which names that mean the same are equal.
pub(crate) fn key(name: &Ident, dialect: Dialect) -> String {
    dialect.key(&part(name, dialect).text)
}
