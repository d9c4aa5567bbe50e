//! A query's text becomes DataFusion's logical plan.

use bowshot_core::{Error, ErrorKind, Result};
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion, TreeNodeVisitor};
use datafusion::execution::SessionState;
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::prelude::SQLOptions;
use datafusion::sql::parser::Statement as Parsed;
use datafusion::sql::planner::{ParserOptions, SqlToRel};
use datafusion::sql::sqlparser::ast::Statement;

use crate::context::Tables;
use crate::depth::{self, DEPTH, too_deep};
use crate::error::inside;

/// The plan of the one query that `sql` is.
///
/// # Errors
/// Of kind [`Unsupported`](ErrorKind::Unsupported) for anything but a query: nothing is created, written, copied or set.
pub(crate) fn plan(sql: &str, state: &SessionState, tables: &Tables<'_>) -> Result<LogicalPlan> {
    let dialect = state.config().options().sql_parser.dialect;
    let statement = state.sql_to_statement(sql, &dialect).map_err(inside)?;
    check(&statement)?;
    let planner = SqlToRel::new_with_options(tables, parser_options(state));
    let plan = planner.statement_to_plan(statement).map_err(inside)?;
    let options = SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false);
    options.verify_plan(&plan).map_err(|error| only_queries(&error.strip_backtrace()))?;
    check_depth(&plan)?;
    Ok(plan)
}

/// Refuses what is no query before anything of it is looked up.
fn check(statement: &Parsed) -> Result<()> {
    match statement {
        Parsed::Statement(statement) => match statement.as_ref() {
            Statement::Query(_) => depth::check_depth(statement),
            Statement::Explain { statement, .. } if matches!(statement.as_ref(), Statement::Query(_)) => {
                depth::check_depth(statement)
            }
            other => Err(only_queries(&first_words(&other.to_string()))),
        },
        Parsed::Explain(explain) => check(&explain.statement),
        other => Err(only_queries(&first_words(&other.to_string()))),
    }
}

fn only_queries(what: &str) -> Error {
    Error::new(ErrorKind::Unsupported, format!("this is no query: {what}"))
        .with_hint("the gateway reads: SELECT, WITH, VALUES, and EXPLAIN of these")
}

fn first_words(text: &str) -> String {
    text.split_whitespace().take(3).collect::<Vec<_>>().join(" ")
}

fn parser_options(state: &SessionState) -> ParserOptions {
    let options = &state.config().options().sql_parser;
    ParserOptions {
        parse_float_as_decimal: options.parse_float_as_decimal,
        enable_ident_normalization: options.enable_ident_normalization,
        support_varchar_with_length: options.support_varchar_with_length,
        enable_options_value_normalization: options.enable_options_value_normalization,
        map_string_types_to_utf8view: options.map_string_types_to_utf8view,
        collect_spans: options.collect_spans,
        default_null_ordering: options.default_null_ordering.as_str().into(),
    }
}

/// Evaluating recurses as deep as expressions are: what is deeper than any stack is refused here.
fn check_depth(plan: &LogicalPlan) -> Result<()> {
    let mut nodes = Depth::default();
    plan.visit_with_subqueries(&mut nodes).map_err(inside)?;
    let mut deepest = nodes.deepest;
    plan.apply_with_subqueries(|node| {
        node.apply_expressions(|expression| {
            let mut depth = ExpressionDepth(Depth::default());
            expression.visit(&mut depth)?;
            deepest = deepest.max(depth.0.deepest);
            Ok(TreeNodeRecursion::Continue)
        })
    })
    .map_err(inside)?;
    if deepest > DEPTH { Err(too_deep()) } else { Ok(()) }
}

/// Measures how deep a tree is.
#[derive(Default)]
struct Depth {
    now: usize,
    deepest: usize,
}

impl Depth {
    fn down(&mut self) -> datafusion::error::Result<TreeNodeRecursion> {
        self.now += 1;
        self.deepest = self.deepest.max(self.now);
        Ok(TreeNodeRecursion::Continue)
    }

    fn up(&mut self) -> datafusion::error::Result<TreeNodeRecursion> {
        self.now = self.now.saturating_sub(1);
        Ok(TreeNodeRecursion::Continue)
    }
}

impl<'n> TreeNodeVisitor<'n> for Depth {
    type Node = LogicalPlan;

    fn f_down(&mut self, _: &'n LogicalPlan) -> datafusion::error::Result<TreeNodeRecursion> {
        self.down()
    }

    fn f_up(&mut self, _: &'n LogicalPlan) -> datafusion::error::Result<TreeNodeRecursion> {
        self.up()
    }
}

/// The same for expressions: the trait has one type of node for each implementation.
struct ExpressionDepth(Depth);

impl<'n> TreeNodeVisitor<'n> for ExpressionDepth {
    type Node = Expr;

    fn f_down(&mut self, _: &'n Expr) -> datafusion::error::Result<TreeNodeRecursion> {
        self.0.down()
    }

    fn f_up(&mut self, _: &'n Expr) -> datafusion::error::Result<TreeNodeRecursion> {
        self.0.up()
    }
}
