//! Which table a column's name belongs to.

use std::collections::HashSet;

use sqlparser::ast::{Ident, ObjectName, Query, TableAlias, TableFactor, TableWithJoins};

use crate::walk::{key, part};
use crate::{Dialect, Name};

const POSTGRES: Dialect = Dialect::Postgres;

/// What the FROM of a query brings in.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) tables: Vec<Name>,
    /// There is something else, whose columns may have any name.
    pub(super) open: bool,
    /// By which name the query knows each table, and by which schema where it has no alias; others have no table.
    references: Vec<(Option<usize>, Option<String>, String)>,
    expressions: HashSet<String>,
}

impl Scope {
    /// The scope of a query's SELECT list.
    pub(super) fn of(query: &Query, from: &[TableWithJoins]) -> Scope {
        let expressions = query.with.iter().flat_map(|with| &with.cte_tables);
        let expressions = expressions.map(|expression| key(&expression.alias.name, POSTGRES)).collect();
        let mut scope = Scope { expressions, ..Scope::default() };
        from.iter().for_each(|item| scope.item(item));
        scope
    }

    fn item(&mut self, item: &TableWithJoins) {
        self.factor(&item.relation);
        item.joins.iter().for_each(|join| self.factor(&join.relation));
    }

    fn factor(&mut self, factor: &TableFactor) {
        match factor {
            TableFactor::Table { name, alias, args: None, with_ordinality: false, .. } => {
                self.table(name, alias.as_ref());
            }
            TableFactor::NestedJoin { table_with_joins, alias: None } => self.item(table_with_joins),
            TableFactor::Table { alias, .. }
            | TableFactor::Derived { alias, .. }
            | TableFactor::TableFunction { alias, .. }
            | TableFactor::Function { alias, .. }
            | TableFactor::UNNEST { alias, .. }
            | TableFactor::NestedJoin { alias, .. } => self.other(alias.as_ref()),
            _ => self.other(None),
        }
    }

    fn table(&mut self, name: &ObjectName, alias: Option<&TableAlias>) {
        let parts: Option<Vec<&Ident>> = name.0.iter().map(|part| part.as_ident()).collect();
        let renames = alias.is_some_and(|alias| !alias.columns.is_empty() || alias.at.is_some());
        let parts = match parts.as_deref() {
            // The parser takes `ONLY t` for a table `only` with an alias.
            Some([table]) if table.quote_style.is_none() && key(table, POSTGRES) == "only" => None,
            Some([table]) if self.expressions.contains(&key(table, POSTGRES)) => None,
            Some(parts @ ([_] | [_, _])) if !renames => Some(parts),
            _ => None,
        };
        let Some(parts) = parts else { return self.other(alias) };
        let name = Name(parts.iter().map(|ident| part(ident, POSTGRES)).collect());
        let (schema, reference) = match alias {
            Some(alias) => (None, key(&alias.name, POSTGRES)),
            None => (name.schema().map(str::to_owned), name.last().to_owned()),
        };
        self.references.push((Some(self.tables.len()), schema, reference));
        self.tables.push(name);
    }

    fn other(&mut self, alias: Option<&TableAlias>) {
        self.open = true;
        if let Some(alias) = alias {
            self.references.push((None, None, key(&alias.name, POSTGRES)));
        }
    }

    /// The place of the one table that a name in front of a column's means.
    pub(super) fn table_of(&self, qualifier: &[Ident]) -> Option<usize> {
        let (schema, table) = match qualifier {
            [table] => (None, key(table, POSTGRES)),
            [schema, table] => (Some(key(schema, POSTGRES)), key(table, POSTGRES)),
            _ => return None,
        };
        let is_meant = |known: &&(Option<usize>, Option<String>, String)| {
            known.2 == table && (schema.is_none() || known.1 == schema)
        };
        let mut meant = self.references.iter().filter(is_meant);
        let (found, ..) = meant.next()?;
        if meant.next().is_some() { None } else { *found }
    }
}
