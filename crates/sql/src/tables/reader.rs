//! Walks the syntax tree of a query for the tables that it reads.

use std::collections::HashSet;
use std::ops::ControlFlow;

use sqlparser::ast::{
    DataType, Expr, FunctionArgumentClause, FunctionArguments, Ident, ObjectName, Query, Select, SetExpr, Statement,
    TableAlias, TableFactor, Visitor,
};

use crate::facts::lower;
use crate::from::{Text, locate};
use crate::walk::part;
use crate::{Dialect, Name, NamePart};

use super::TableName;
use super::scope::{Meaning, Scope};

/// What a query reads, as far as it was walked.
pub(super) struct Reader<'a> {
    text: &'a Text<'a>,
    scope: Scope,
    statements: usize,
    pub(super) tables: Vec<TableName>,
    pub(super) table_functions: Vec<Name>,
    pub(super) types: Vec<String>,
    /// Where names begin that the query itself gives with columns in parentheses: they call nothing.
    pub(super) declared: HashSet<usize>,
    pub(super) doubts: Vec<&'static str>,
    /// Why the tables cannot be known.
    pub(super) unreadable: Option<&'static str>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a Text<'a>) -> Self {
        Reader {
            text,
            scope: Scope::new(text.dialect),
            statements: 0,
            tables: Vec::new(),
            table_functions: Vec::new(),
            types: Vec::new(),
            declared: HashSet::new(),
            doubts: Vec::new(),
            unreadable: None,
        }
    }

    fn saw_table(&mut self, name: &ObjectName, alias: Option<&TableAlias>) {
        let idents: Option<Vec<&Ident>> = name.0.iter().map(|part| part.as_ident()).collect();
        // A name that the parser has from a string or from nowhere has no place in the text.
        let Some((range, name)) = idents.and_then(|idents| locate(&idents, self.text)) else {
            self.unreadable = Some("names a table in a way that Bowshot does not know");
            return;
        };
        let mut perhaps_with = false;
        if let [NamePart { text, quoted }] = name.0.as_slice() {
            match self.scope.meaning(text) {
                Meaning::With => return,
                Meaning::PerhapsWith => perhaps_with = true,
                Meaning::Table => {}
            }
            let is = |word: &str| !quoted && text.eq_ignore_ascii_case(word);
            // The parser takes `ONLY t` for a table `only` with an alias.
            if is("only") && alias.is_some() {
                self.unreadable = Some("reads ONLY one table of an inheritance tree");
            }
            // It stands where nothing is read.
            if is("dual") && matches!(self.text.dialect, Dialect::MySql | Dialect::Oracle) {
                return;
            }
        }
        self.tables.push(TableName { name, range, perhaps_with });
    }

    /// A table that the statement changes.
    pub(super) fn saw_target(&mut self, name: &ObjectName) {
        self.saw_table(name, None);
    }

    fn saw_table_function(&mut self, name: &ObjectName) {
        let parts = name.0.iter().filter_map(|name| name.as_ident());
        let name = Name(parts.map(|name| lower(&part(name, self.text.dialect))).collect());
        if !self.table_functions.contains(&name) {
            self.table_functions.push(name);
        }
    }

    fn saw_type(&mut self, data_type: &DataType) {
        let text = data_type.to_string();
        if !self.types.contains(&text) {
            self.types.push(text);
        }
    }

    fn saw_alias(&mut self, alias: Option<&TableAlias>) {
        let Some(alias) = alias else { return };
        for column in &alias.columns {
            if let Some(data_type) = &column.data_type {
                self.saw_type(data_type);
            }
        }
        if !alias.columns.is_empty()
            && let Some(token) = self.text.locations.token(alias.name.span.start)
        {
            self.declared.extend(self.text.tokens.get(token).map(|token| token.range.start));
        }
    }
}

impl Visitor for Reader<'_> {
    type Break = ();

    fn pre_visit_statement(&mut self, _: &Statement) -> ControlFlow<()> {
        self.statements += 1;
        if self.statements > 1 {
            self.unreadable = Some("writes to the database");
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            self.saw_alias(Some(&cte.alias));
        }
        self.scope.enter(query);
        if has_table_command(&query.body) {
            self.unreadable = Some("has a TABLE command in a form that Bowshot does not know");
        }
        if !query.locks.is_empty() {
            self.doubts.push("locks rows");
        }
        if query.settings.is_some() || query.format_clause.is_some() || !query.pipe_operators.is_empty() {
            self.doubts.push("has a clause that Bowshot does not know");
        }
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        self.scope.leave(query);
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        if select.into.is_some() {
            self.unreadable = Some("writes to the database");
        }
        if !select.lateral_views.is_empty() || !select.optimizer_hints.is_empty() || select.value_table_mode.is_some() {
            self.doubts.push("has a clause that Bowshot does not know");
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        match factor {
            TableFactor::Table { name, alias, args, json_path, .. } => {
                match args {
                    None => self.saw_table(name, alias.as_ref()),
                    Some(_) => self.saw_table_function(name),
                }
                if json_path.is_some() {
                    self.doubts.push("has a path behind a table's name");
                }
                self.saw_alias(alias.as_ref());
            }
            TableFactor::Function { name, alias, .. } => {
                self.saw_table_function(name);
                self.saw_alias(alias.as_ref());
            }
            TableFactor::Derived { alias, .. }
            | TableFactor::NestedJoin { alias, .. }
            | TableFactor::Pivot { alias, .. }
            | TableFactor::Unpivot { alias, .. }
            | TableFactor::UNNEST { alias, .. } => self.saw_alias(alias.as_ref()),
            TableFactor::TableFunction { alias, .. }
            | TableFactor::JsonTable { alias, .. }
            | TableFactor::OpenJsonTable { alias, .. }
            | TableFactor::XmlTable { alias, .. }
            | TableFactor::MatchRecognize { alias, .. }
            | TableFactor::SemanticView { alias, .. } => {
                self.saw_alias(alias.as_ref());
                self.doubts.push("reads a table of a kind that Bowshot does not know");
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Cast { data_type, .. } | Expr::Convert { data_type: Some(data_type), .. } => self.saw_type(data_type),
            Expr::TypedString(typed) => self.saw_type(&typed.data_type),
            Expr::Function(call) => {
                let FunctionArguments::List(list) = &call.args else { return ControlFlow::Continue(()) };
                for clause in &list.clauses {
                    if let FunctionArgumentClause::JsonReturningClause(returning) = clause {
                        self.saw_type(&returning.data_type);
                    }
                }
            }
            Expr::Lambda(_) => self.doubts.push("has a function of its own"),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// Whether one of the set operations of a query is a TABLE command. They are all written otherwise for the parser: one that
/// is left is one that our own tokens do not show.
fn has_table_command(body: &SetExpr) -> bool {
    match body {
        SetExpr::Table(_) => true,
        SetExpr::SetOperation { left, right, .. } => has_table_command(left) || has_table_command(right),
        _ => false,
    }
}
