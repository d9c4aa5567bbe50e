/*
 * The query of a COPY statement, analysed, rewritten and planned as PostgreSQL's
 * own COPY does (DoCopy and BeginCopyTo in its commands/), so that privileges,
 * row-level security, views and parallel plans are what they always are.
 */
#include "postgres.h"

#include "access/table.h"
#include "commands/copy.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "parser/analyze.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "tcop/tcopprot.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "bowshot.h"

/* The same relations as PostgreSQL's COPY, with its errors and hints. */
static void
check_kind(Relation relation)
{
	const char *kind;
	bool has_query = true;

	switch (relation->rd_rel->relkind)
	{
		case RELKIND_RELATION:
			return;
		case RELKIND_MATVIEW:
#if PG_VERSION_NUM >= 180000
			if (RelationIsPopulated(relation))
				return;
			ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
							   errmsg("cannot copy from unpopulated materialized view \"%s\"",
								   RelationGetRelationName(relation)),
							   errhint("Use the REFRESH MATERIALIZED VIEW command.")));
#endif
			kind = "materialized view";
			break;
		case RELKIND_VIEW:
			kind = "view";
			break;
		case RELKIND_FOREIGN_TABLE:
			kind = "foreign table";
			break;
		case RELKIND_SEQUENCE:
			kind = "sequence";
			has_query = false;
			break;
		case RELKIND_PARTITIONED_TABLE:
			kind = "partitioned table";
			break;
		default:
			kind = "non-table relation";
			has_query = false;
	}
	ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
					   errmsg("cannot copy from %s \"%s\"", kind, RelationGetRelationName(relation)),
					   has_query ? errhint("Try the COPY (SELECT ...) TO variant.") : 0));
}

/*
 * COPY table (columns) as a query, which is what PostgreSQL makes of it where
 * row-level security applies.  The relation stays locked, and named in full, so
 * that the query is about the same one.
 */
static Node *
select_columns(const CopyStmt *stmt, Oid *relation_id)
{
	Relation relation = table_openrv(stmt->relation, AccessShareLock);
	TupleDesc columns = RelationGetDescr(relation);
	SelectStmt *select = makeNode(SelectStmt);
	RangeVar *from;
	ListCell *cell;

	check_kind(relation);
	foreach (cell, CopyGetAttnums(columns, relation, stmt->attlist))
	{
		Form_pg_attribute column = TupleDescAttr(columns, lfirst_int(cell) - 1);
		ColumnRef *reference = makeNode(ColumnRef);
		ResTarget *target = makeNode(ResTarget);

		reference->fields = list_make1(makeString(pstrdup(NameStr(column->attname))));
		reference->location = -1;
		target->val = (Node *) reference;
		target->location = -1;
		select->targetList = lappend(select->targetList, target);
	}

	from = makeRangeVar(
		get_namespace_name(RelationGetNamespace(relation)), pstrdup(RelationGetRelationName(relation)), -1);
	from->inh = false; /* ONLY */
	select->fromClause = list_make1(from);
	*relation_id = RelationGetRelid(relation);
	table_close(relation, NoLock);
	return (Node *) select;
}

/* Whether FROM consists of tables and inner joins of them. */
static bool
joins_tables(const Query *query, const List *items)
{
	const ListCell *cell;

	foreach (cell, items)
	{
		const Node *item = lfirst(cell);

		if (IsA(item, RangeTblRef))
		{
			int place = ((const RangeTblRef *) item)->rtindex;

			if (rt_fetch(place, query->rtable)->rtekind != RTE_RELATION)
				return false;
		}
		else
		{
			const JoinExpr *join = castNode(JoinExpr, item);

			if (join->jointype != JOIN_INNER || !joins_tables(query, list_make2(join->larg, join->rarg)))
				return false;
		}
	}
	return true;
}

/*
 * Whether a column of a table that is NOT NULL is so in the result: the client's
 * rule (bowshot-sql's Shape::plain), which looks at the text of the query.
 */
static bool
keeps_not_null(const Query *query)
{
	ListCell *cell;

	if (query->commandType != CMD_SELECT || query->cteList || query->setOperations || query->groupClause ||
		query->groupingSets || query->havingQual || query->hasAggs)
		return false;
	foreach (cell, query->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, cell);

		if (!target->resjunk && checkExprHasSubLink((Node *) target->expr))
			return false;
	}
	return query->jointree && joins_tables(query, query->jointree->fromlist);
}

/* Why rules made none or several queries of it, with PostgreSQL's words. */
static void
refuse_rules(const List *queries)
{
	const char *rules = "multi-statement DO INSTEAD";
	const ListCell *cell;

	if (queries == NIL)
		rules = "DO INSTEAD NOTHING";
	foreach (cell, queries)
	{
		const Query *query = lfirst_node(Query, cell);

		if (query->querySource == QSRC_QUAL_INSTEAD_RULE)
			rules = "conditional DO INSTEAD";
		if (query->querySource == QSRC_NON_INSTEAD_RULE)
			rules = "DO ALSO";
	}
	ereport(ERROR,
		(errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("%s rules are not supported for COPY", rules)));
}

static void
check_returns_rows(const Query *query)
{
	if (query->utilityStmt && IsA(query->utilityStmt, CreateTableAsStmt))
		ereport(
			ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("COPY (SELECT INTO) is not supported")));
	if (query->utilityStmt)
		ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("COPY query must not be a utility command")));
	if (query->commandType != CMD_SELECT && query->returningList == NIL)
		ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("COPY query must have a RETURNING clause")));
}

static Query *
parse(ParseState *pstate, RawStmt *raw)
{
#if PG_VERSION_NUM >= 150000
	return parse_analyze_fixedparams(raw, pstate->p_sourcetext, NULL, 0, pstate->p_queryEnv);
#else
	return parse_analyze(raw, pstate->p_sourcetext, NULL, 0, pstate->p_queryEnv);
#endif
}

/* A statement as PostgreSQL analyses and rewrites it, and whether columns that are NOT NULL stay so. */
Query *
bowshot_analyse(ParseState *pstate, RawStmt *raw, bool *keeps)
{
	Query *query = parse(pstate, raw);
	List *queries;

	*keeps = keeps_not_null(query);
	queries = pg_rewrite_query(query);
	if (list_length(queries) != 1)
		refuse_rules(queries);
	query = linitial_node(Query, queries);
	check_returns_rows(query);
	return query;
}

/* The plan of the statement's query. */
BowshotQuery
bowshot_query(ParseState *pstate, const CopyStmt *stmt, const PlannedStmt *utility)
{
	BowshotQuery result;
	Oid relation_id = InvalidOid;
	RawStmt *raw = makeNode(RawStmt);
	Query *query;

	/* Analysis scribbles on the statement, which may be in a plan cache. */
	raw->stmt = stmt->relation ? select_columns(stmt, &relation_id) : copyObject(stmt->query);
	raw->stmt_location = utility->stmt_location;
	raw->stmt_len = utility->stmt_len;

	query = bowshot_analyse(pstate, raw, &result.keeps_not_null);
	result.plan = pg_plan_query(query, pstate->p_sourcetext, CURSOR_OPT_PARALLEL_OK, NULL);
	if (OidIsValid(relation_id) && !list_member_oid(result.plan->relationOids, relation_id))
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						   errmsg("relation referenced by COPY statement has changed")));
	return result;
}
