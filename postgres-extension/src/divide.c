/*
 * Whether several sessions may execute one plan, each on its share of the pages
 * of one table, so that their rows together are the result: where every row comes
 * from one row of that table, and nothing in the query depends on who executes it.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "storage/bufmgr.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "segment.h"

/* What the other tables may have of the divided one's pages: each session reads them for itself. */
#define OTHERS_SHARE 4

/*
 * Functions that may be something else in another session: those that parallel
 * workers may not call either, and stable ones, of which PostgreSQL's own, but for
 * a few, depend on settings that the sessions adopt.
 */
static bool
depends_on_session(Oid function, void *context)
{
	switch (function)
	{
		case F_CURRENT_SETTING_TEXT:
		case F_CURRENT_SETTING_TEXT_BOOL:
		case F_AGE_TIMESTAMP:
		case F_AGE_TIMESTAMPTZ:
		case F_SESSION_USER:
			return true;
	}
	if (func_parallel(function) != PROPARALLEL_SAFE)
		return true;
	return function >= FirstNormalObjectId && func_volatile(function) != PROVOLATILE_IMMUTABLE;
}

static bool
walk(Node *node, void *context)
{
	if (!node)
		return false;
	/* What a domain checks is not in the query. */
	if (IsA(node, CoerceToDomain) || check_functions_in_node(node, depends_on_session, context))
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, walk, context, 0);
	return expression_tree_walker(node, walk, context);
}

/* Whether a query means the same in every session. */
bool
bowshot_may_divide(Query *query)
{
	return !contain_volatile_functions((Node *) query) && !walk((Node *) query, NULL);
}

static bool find_scans(PlanState *state, List **scans);

static bool
find_scans_of_append(AppendState *state, List **scans)
{
	Append *plan = (Append *) state->ps.plan;

#if PG_VERSION_NUM >= 180000
	if (plan->part_prune_index >= 0)
		return false;
#else
	if (plan->part_prune_info)
		return false;
#endif
	for (int at = 0; at < state->as_nplans; at++)
		if (!find_scans(state->appendplans[at], scans))
			return false;
	return true;
}

/* A join whose rows each come from one row of its outer side. */
static bool
keeps_outer_rows(JoinType type)
{
	return type == JOIN_INNER || type == JOIN_LEFT || type == JOIN_SEMI || type == JOIN_ANTI;
}

static bool
find_scans(PlanState *state, List **scans)
{
	if (!state)
		return false;
	switch (nodeTag(state))
	{
		case T_SeqScanState:
			*scans = lappend(*scans, state);
			return true;
		case T_AppendState:
			return find_scans_of_append((AppendState *) state, scans);
		case T_SubqueryScanState:
			return find_scans(((SubqueryScanState *) state)->subplan, scans);
		case T_ResultState:
		case T_ProjectSetState:
			return find_scans(outerPlanState(state), scans);
		case T_HashJoinState:
		case T_NestLoopState:
			return keeps_outer_rows(((JoinState *) state)->jointype) &&
				   find_scans(outerPlanState(state), scans);
		default:
			return false;
	}
}

/* The sequential scans that every row of the result comes from, in an order that is the plan's; or none. */
List *
bowshot_driving_scans(PlanState *state)
{
	List *scans = NIL;

	return find_scans(state, &scans) ? scans : NIL;
}

/* The pages of all tables of a plan; false where one is not PostgreSQL's own. */
static bool
count_pages(PlannedStmt *plan, uint64 *pages)
{
	ListCell *cell;

	foreach (cell, plan->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);
		Relation relation;
		char kind;

		if (entry->rtekind != RTE_RELATION)
			continue;
		/* The plan has them locked. */
		relation = relation_open(entry->relid, NoLock);
		kind = relation->rd_rel->relkind;
		if (RELKIND_HAS_STORAGE(kind))
			*pages += RelationGetNumberOfBlocks(relation);
		relation_close(relation, NoLock);
		if (kind == RELKIND_FOREIGN_TABLE)
			return false;
	}
	return true;
}

/* Whether what these scans read is most of what the plan reads. */
bool
bowshot_is_driven(QueryDesc *running, List *scans)
{
	uint64 all = 0;
	uint64 driving = 0;
	ListCell *cell;

	if (scans == NIL || !count_pages(running->plannedstmt, &all))
		return false;
	foreach (cell, scans)
		driving += RelationGetNumberOfBlocks(((ScanState *) lfirst(cell))->ss_currentRelation);
	return all - Min(all, driving) <= driving / OTHERS_SHARE;
}
