//! Functions that make one row of many.

use sqlparser::ast::{DuplicateTreatment, Function, FunctionArg, FunctionArgExpr, FunctionArguments};

/// The standard aggregates of SQLite, MySQL, MariaDB and PostgreSQL. A database may have more of its own.
const AGGREGATES: &[&str] = &[
    "any_value",
    "array_agg",
    "avg",
    "bit_and",
    "bit_or",
    "bit_xor",
    "bool_and",
    "bool_or",
    "corr",
    "count",
    "covar_pop",
    "covar_samp",
    "every",
    "group_concat",
    "json_agg",
    "json_arrayagg",
    "json_group_array",
    "json_group_object",
    "json_object_agg",
    "json_objectagg",
    "jsonb_agg",
    "jsonb_group_array",
    "jsonb_group_object",
    "jsonb_object_agg",
    "max",
    "median",
    "min",
    "mode",
    "percentile",
    "percentile_cont",
    "percentile_disc",
    "range_agg",
    "range_intersect_agg",
    "std",
    "stddev",
    "stddev_pop",
    "stddev_samp",
    "string_agg",
    "sum",
    "total",
    "var_pop",
    "var_samp",
    "variance",
    "xmlagg",
];

/// Whether a call aggregates, as far as its text tells.
pub(crate) fn is_aggregate(call: &Function) -> bool {
    if call.filter.is_some() || !call.within_group.is_empty() {
        return true;
    }
    let name = call.name.0.last().and_then(|part| part.as_ident()).map(|name| name.value.to_ascii_lowercase());
    let count = match &call.args {
        FunctionArguments::List(list) => {
            // DISTINCT and ORDER BY among the arguments: only an aggregate takes them.
            if matches!(list.duplicate_treatment, Some(DuplicateTreatment::Distinct)) || !list.clauses.is_empty() {
                return true;
            }
            list.args.len()
        }
        FunctionArguments::Subquery(_) => 1,
        FunctionArguments::None => 0,
    };
    match name.as_deref() {
        // With two arguments and more, SQLite's are the larger and the smaller of them.
        Some("min" | "max") => count == 1,
        Some(name) => AGGREGATES.contains(&name),
        None => false,
    }
}

/// Whether a call is `f(*)`, which always belongs to the query that it stands in.
pub(crate) fn is_over_rows(call: &Function) -> bool {
    let FunctionArguments::List(list) = &call.args else { return false };
    matches!(list.args.as_slice(), [FunctionArg::Unnamed(FunctionArgExpr::Wildcard)])
}
