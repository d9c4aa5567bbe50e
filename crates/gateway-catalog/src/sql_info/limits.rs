//! Codes 541 to 576: limits, transactions, result sets. A limit of 0 is none, or one that each database sets by itself.

use arrow_flight::sql::metadata::SqlInfoDataBuilder;
use arrow_flight::sql::{
    SqlInfo, SqlSupportedResultSetConcurrency, SqlSupportedResultSetType, SqlTransactionIsolationLevel,
};

use super::{Server, bits};

/// Limits that each database sets by itself.
const UNKNOWN: [SqlInfo; 17] = [
    SqlInfo::SqlMaxBinaryLiteralLength,
    SqlInfo::SqlMaxCharLiteralLength,
    SqlInfo::SqlMaxColumnNameLength,
    SqlInfo::SqlMaxColumnsInGroupBy,
    SqlInfo::SqlMaxColumnsInIndex,
    SqlInfo::SqlMaxColumnsInOrderBy,
    SqlInfo::SqlMaxColumnsInSelect,
    SqlInfo::SqlMaxColumnsInTable,
    SqlInfo::SqlMaxCursorNameLength,
    SqlInfo::SqlMaxIndexLength,
    SqlInfo::SqlDbSchemaNameLength,
    SqlInfo::SqlMaxProcedureNameLength,
    SqlInfo::SqlMaxCatalogNameLength,
    SqlInfo::SqlMaxRowSize,
    SqlInfo::SqlMaxTableNameLength,
    SqlInfo::SqlMaxTablesInSelect,
    SqlInfo::SqlMaxUsernameLength,
];

/// What no gateway can do.
const NOT_SUPPORTED: [SqlInfo; 7] = [
    SqlInfo::SqlTransactionsSupported,
    SqlInfo::SqlDataDefinitionCausesTransactionCommit,
    SqlInfo::SqlDataDefinitionsInTransactionsIgnored,
    SqlInfo::SqlSavepointsSupported,
    SqlInfo::SqlNamedParametersSupported,
    SqlInfo::SqlLocatorsUpdateCopy,
    SqlInfo::SqlStoredFunctionsUsingCallSyntaxSupported,
];

pub(super) fn append(builder: &mut SqlInfoDataBuilder, server: &Server) {
    for code in UNKNOWN {
        builder.append(code, 0_i64);
    }
    for code in NOT_SUPPORTED {
        builder.append(code, false);
    }
    builder.append(SqlInfo::SqlBatchUpdatesSupported, server.writable);
    builder.append(SqlInfo::SqlMaxConnections, server.connections);
    builder.append(SqlInfo::SqlMaxStatementLength, server.statement_length);
    builder.append(SqlInfo::SqlMaxStatements, server.statements);
    builder.append(SqlInfo::SqlMaxRowSizeIncludesBlobs, true);
    append_transactions(builder);
    append_result_sets(builder);
}

fn append_transactions(builder: &mut SqlInfoDataBuilder) {
    let none = SqlTransactionIsolationLevel::SqlTransactionNone;
    // The protocol says 32 bits, its JDBC driver casts to 64 or fails.
    builder.append(SqlInfo::SqlDefaultTransactionIsolation, i64::from(i32::from(none)));
    builder.append(SqlInfo::SqlSupportedTransactionsIsolationLevels, bits(&[none]));
}

/// A result is read once, from its first row to its last.
fn append_result_sets(builder: &mut SqlInfoDataBuilder) {
    let none = bits::<SqlSupportedResultSetConcurrency>(&[]);
    let read_only = bits(&[SqlSupportedResultSetConcurrency::SqlResultSetConcurrencyReadOnly]);
    let forward_only = bits(&[SqlSupportedResultSetType::SqlResultSetTypeForwardOnly]);
    builder.append(SqlInfo::SqlSupportedResultSetTypes, forward_only);
    builder.append(SqlInfo::SqlSupportedConcurrenciesForResultSetUnspecified, none);
    builder.append(SqlInfo::SqlSupportedConcurrenciesForResultSetForwardOnly, read_only);
    builder.append(SqlInfo::SqlSupportedConcurrenciesForResultSetScrollSensitive, none);
    builder.append(SqlInfo::SqlSupportedConcurrenciesForResultSetScrollInsensitive, none);
}
