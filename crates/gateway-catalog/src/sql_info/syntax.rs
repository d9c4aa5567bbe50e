//! Codes 500 to 540: the SQL that is understood.
//!
//! A query is passed on to the database that its tables are in, so what is said here holds in all of them; where they
//! differ, it is what PostgreSQL does. Names are quoted as the source does that the caller's queries go to.

use std::collections::BTreeMap;

use arrow_flight::sql::metadata::SqlInfoDataBuilder;
use arrow_flight::sql::{
    SqlInfo, SqlNullOrdering, SqlOuterJoinsSupportLevel, SqlSupportedCaseSensitivity, SqlSupportedElementActions,
    SqlSupportedGroupBy, SqlSupportedPositionedCommands, SqlSupportedSubqueries, SqlSupportedUnions,
    SupportedSqlGrammar,
};

use super::{Server, bits, words};

/// The first bit of `SupportedAnsi92SqlGrammarLevel`, `ANSI92_ENTRY_SQL`.
const ANSI92_ENTRY: i32 = 1;

pub(super) fn append(builder: &mut SqlInfoDataBuilder, server: &Server) {
    append_names(builder, server);
    append_words(builder);
    append_clauses(builder);
}

fn append_names(builder: &mut SqlInfoDataBuilder, server: &Server) {
    let unknown_case = i32::from(SqlSupportedCaseSensitivity::SqlCaseSensitivityUnknown);
    let nothing = bits::<SqlSupportedElementActions>(&[]);
    builder.append(SqlInfo::SqlDdlCatalog, false);
    builder.append(SqlInfo::SqlDdlSchema, false);
    builder.append(SqlInfo::SqlDdlTable, false);
    // Each database folds names in its own way.
    builder.append(SqlInfo::SqlIdentifierCase, unknown_case);
    builder.append(SqlInfo::SqlIdentifierQuoteChar, server.quote.to_string().as_str());
    builder.append(SqlInfo::SqlQuotedIdentifierCase, unknown_case);
    builder.append(SqlInfo::SqlAllTablesAreSelectable, true);
    // Patterns have no escape: a backslash means itself.
    builder.append(SqlInfo::SqlSearchStringEscape, "");
    builder.append(SqlInfo::SqlExtraNameCharacters, "");
    builder.append(SqlInfo::SqlSchemaTerm, "schema");
    builder.append(SqlInfo::SqlProcedureTerm, "procedure");
    builder.append(SqlInfo::SqlCatalogTerm, "catalog");
    builder.append(SqlInfo::SqlCatalogAtStart, true);
    builder.append(SqlInfo::SqlSchemasSupportedActions, nothing);
    builder.append(SqlInfo::SqlCatalogsSupportedActions, nothing);
}

fn append_words(builder: &mut SqlInfoDataBuilder) {
    builder.append(SqlInfo::SqlKeywords, words::KEYWORDS);
    builder.append(SqlInfo::SqlNumericFunctions, words::NUMERIC_FUNCTIONS);
    builder.append(SqlInfo::SqlStringFunctions, words::STRING_FUNCTIONS);
    builder.append(SqlInfo::SqlSystemFunctions, words::SYSTEM_FUNCTIONS);
    builder.append(SqlInfo::SqlDatetimeFunctions, words::DATETIME_FUNCTIONS);
    // Of JDBC's escape {fn CONVERT(…)}, which no database knows.
    builder.append(SqlInfo::SqlSupportsConvert, BTreeMap::<i32, Vec<i32>>::new());
}

fn append_clauses(builder: &mut SqlInfoDataBuilder) {
    let group_by = [SqlSupportedGroupBy::SqlGroupByUnrelated, SqlSupportedGroupBy::SqlGroupByBeyondSelect];
    let grammar = [SupportedSqlGrammar::SqlMinimumGrammar, SupportedSqlGrammar::SqlCoreGrammar];
    // Not with ANY and ALL, which SQLite lacks.
    let subqueries = [
        SqlSupportedSubqueries::SqlSubqueriesInComparisons,
        SqlSupportedSubqueries::SqlSubqueriesInExists,
        SqlSupportedSubqueries::SqlSubqueriesInIns,
    ];
    let unions = [SqlSupportedUnions::SqlUnion, SqlSupportedUnions::SqlUnionAll];
    builder.append(SqlInfo::SqlNullOrdering, i32::from(SqlNullOrdering::SqlNullsSortedHigh));
    builder.append(SqlInfo::SqlSupportsColumnAliasing, true);
    builder.append(SqlInfo::SqlNullPlusNullIsNull, true);
    builder.append(SqlInfo::SqlSupportsTableCorrelationNames, true);
    builder.append(SqlInfo::SqlSupportsDifferentTableCorrelationNames, false);
    builder.append(SqlInfo::SqlSupportsExpressionsInOrderBy, true);
    builder.append(SqlInfo::SqlSupportsOrderByUnrelated, true);
    builder.append(SqlInfo::SqlSupportedGroupBy, bits(&group_by));
    builder.append(SqlInfo::SqlSupportsLikeEscapeClause, true);
    builder.append(SqlInfo::SqlSupportsNonNullableColumns, true);
    builder.append(SqlInfo::SqlSupportedGrammar, bits(&grammar));
    builder.append(SqlInfo::SqlAnsi92SupportedLevel, ANSI92_ENTRY);
    builder.append(SqlInfo::SqlSupportsIntegrityEnhancementFacility, false);
    // The protocol says a number, its JDBC driver reads bits. 2 is "full" as a number and "limited" as a bit; MySQL has
    // no FULL JOIN.
    builder.append(SqlInfo::SqlOuterJoinsSupportLevel, bits(&[SqlOuterJoinsSupportLevel::SqlLimitedOuterJoins]));
    builder.append(SqlInfo::SqlSupportedPositionedCommands, bits::<SqlSupportedPositionedCommands>(&[]));
    builder.append(SqlInfo::SqlSelectForUpdateSupported, false);
    builder.append(SqlInfo::SqlStoredProceduresSupported, false);
    builder.append(SqlInfo::SqlSupportedSubqueries, bits(&subqueries));
    builder.append(SqlInfo::SqlCorrelatedSubqueriesSupported, true);
    builder.append(SqlInfo::SqlSupportedUnions, bits(&unions));
}
