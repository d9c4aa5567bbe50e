//! What the planner of DataFusion may know: the members' tables, the functions, and nothing else.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use arrow_schema::{DataType, SchemaRef};
use bowshot_core::Options;
use datafusion::catalog::cte_worktable::CteWorkTable;
use datafusion::catalog::default_table_source::provider_as_source;
use datafusion::common::TableReference;
use datafusion::config::ConfigOptions;
use datafusion::datasource::MemTable;
use datafusion::error::Result;
use datafusion::execution::SessionState;
use datafusion::logical_expr::planner::{ContextProvider, ExprPlanner, TypePlanner};
use datafusion::logical_expr::{AggregateUDF, HigherOrderUDF, ScalarUDF, TableSource, WindowUDF};

use crate::error::outside;
use crate::names::{Found, Names};
use crate::table::SourceTable;
use crate::tables::Directory;

/// The tables that one query names.
pub(crate) struct Tables<'a> {
    pub(crate) names: Names<'a>,
    pub(crate) directory: &'a Arc<Directory>,
    pub(crate) options: &'a Options,
    pub(crate) state: &'a SessionState,
    /// Those that were found, by the name that was written.
    found: RefCell<HashMap<TableReference, Arc<dyn TableSource>>>,
    /// The members that they are of.
    pub(crate) used: RefCell<BTreeSet<String>>,
}

impl<'a> Tables<'a> {
    pub(crate) fn new(
        names: Names<'a>,
        directory: &'a Arc<Directory>,
        options: &'a Options,
        state: &'a SessionState,
    ) -> Self {
        Tables { names, directory, options, state, found: RefCell::default(), used: RefCell::default() }
    }

    fn look_up(&self, name: &TableReference) -> bowshot_core::Result<Arc<dyn TableSource>> {
        match self.names.resolve(name)? {
            Found::Member(member, path) => {
                let cancel = self.names.cancel;
                let described = self.directory.describe(member, &path, cancel)?;
                self.used.borrow_mut().insert(member.name.clone());
                let table = SourceTable::new(member, described, self.options, self.directory, cancel);
                Ok(provider_as_source(Arc::new(table)))
            }
            Found::System(system) => {
                let batch = (system.batches)()?;
                self.used.borrow_mut().insert(system.schema.clone());
                let table = MemTable::try_new(Arc::clone(&system.columns), vec![vec![batch]]);
                Ok(provider_as_source(Arc::new(table.map_err(crate::error::inside)?)))
            }
        }
    }
}

impl ContextProvider for Tables<'_> {
    fn get_table_source(&self, name: TableReference) -> Result<Arc<dyn TableSource>> {
        if let Some(found) = self.found.borrow().get(&name) {
            return Ok(Arc::clone(found));
        }
        let source = self.look_up(&name).map_err(outside)?;
        self.found.borrow_mut().insert(name, Arc::clone(&source));
        Ok(source)
    }

    fn create_cte_work_table(&self, name: &str, schema: SchemaRef) -> Result<Arc<dyn TableSource>> {
        Ok(provider_as_source(Arc::new(CteWorkTable::new(name, schema))))
    }

    fn get_expr_planners(&self) -> &[Arc<dyn ExprPlanner>] {
        self.state.expr_planners()
    }

    fn get_type_planner(&self) -> Option<Arc<dyn TypePlanner>> {
        None
    }

    fn get_function_meta(&self, name: &str) -> Option<Arc<ScalarUDF>> {
        self.state.scalar_functions().get(name).cloned()
    }

    fn get_higher_order_meta(&self, name: &str) -> Option<Arc<HigherOrderUDF>> {
        self.state.higher_order_functions().get(name).cloned()
    }

    fn get_aggregate_meta(&self, name: &str) -> Option<Arc<AggregateUDF>> {
        self.state.aggregate_functions().get(name).cloned()
    }

    fn get_window_meta(&self, name: &str) -> Option<Arc<WindowUDF>> {
        self.state.window_functions().get(name).cloned()
    }

    fn get_variable_type(&self, _: &[String]) -> Option<DataType> {
        None
    }

    fn options(&self) -> &ConfigOptions {
        self.state.config_options()
    }

    fn udf_names(&self) -> Vec<String> {
        self.state.scalar_functions().keys().cloned().collect()
    }

    fn higher_order_function_names(&self) -> Vec<String> {
        self.state.higher_order_functions().keys().cloned().collect()
    }

    fn udaf_names(&self) -> Vec<String> {
        self.state.aggregate_functions().keys().cloned().collect()
    }

    fn udwf_names(&self) -> Vec<String> {
        self.state.window_functions().keys().cloned().collect()
    }
}
