/*
 * The time of a statement is one time, whoever executes it: now() and its like
 * become constants before the query is planned.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"

#include "segment.h"

static bool
is_moment(Node *node)
{
	if (IsA(node, FuncExpr))
	{
		Oid function = ((FuncExpr *) node)->funcid;

		return function == F_NOW || function == F_TRANSACTION_TIMESTAMP || function == F_STATEMENT_TIMESTAMP;
	}
	/* CURRENT_DATE, LOCALTIME, SESSION_USER and their like. */
	return IsA(node, SQLValueFunction);
}

static Node *
fix(Node *node, void *planner)
{
	if (!node)
		return NULL;
	if (is_moment(node))
		return estimate_expression_value(planner, node);
	if (IsA(node, Query))
		return (Node *) query_tree_mutator((Query *) node, fix, planner, 0);
	return expression_tree_mutator(node, fix, planner);
}

/* The query with what is constant while it runs as constants. */
Query *
bowshot_fix_moment(Query *query)
{
	PlannerInfo *planner = makeNode(PlannerInfo);

	planner->glob = makeNode(PlannerGlobal);
	return (Query *) fix((Node *) query, planner);
}
