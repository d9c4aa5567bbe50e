//! Codes 0 to 499: the server.

use arrow_flight::sql::metadata::SqlInfoDataBuilder;
use arrow_flight::sql::{SqlInfo, SqlSupportedTransaction};

use super::Server;

/// The format of Arrow that batches are sent in (metadata version V5).
const ARROW_FORMAT: &str = "1.5";

pub(super) fn append(builder: &mut SqlInfoDataBuilder, server: &Server) {
    builder.append(SqlInfo::FlightSqlServerName, "Bowshot");
    builder.append(SqlInfo::FlightSqlServerVersion, server.version.as_str());
    builder.append(SqlInfo::FlightSqlServerArrowVersion, ARROW_FORMAT);
    builder.append(SqlInfo::FlightSqlServerReadOnly, !server.writable);
    builder.append(SqlInfo::FlightSqlServerSql, true);
    builder.append(SqlInfo::FlightSqlServerSubstrait, false);
    // Without Substrait these are NULL by the protocol, for which its union has no place.
    builder.append(SqlInfo::FlightSqlServerSubstraitMinVersion, "");
    builder.append(SqlInfo::FlightSqlServerSubstraitMaxVersion, "");
    // Python's ADBC driver wraps every statement in a transaction where there are any.
    builder.append(SqlInfo::FlightSqlServerTransaction, i32::from(SqlSupportedTransaction::None));
    builder.append(SqlInfo::FlightSqlServerCancel, true);
    builder.append(SqlInfo::FlightSqlServerBulkIngestion, server.writable);
    builder.append(SqlInfo::FlightSqlServerIngestTransactionsSupported, false);
    builder.append(SqlInfo::FlightSqlServerStatementTimeout, server.statement_timeout);
    builder.append(SqlInfo::FlightSqlServerTransactionTimeout, 0_i32);
}
