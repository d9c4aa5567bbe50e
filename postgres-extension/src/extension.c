/*
 * The module: a hook that takes COPY ... (FORMAT arrow) and nothing else.
 */
#include "postgres.h"

#include "fmgr.h"
#include "tcop/utility.h"
#include "utils/builtins.h"

#include "bowshot.h"

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

PG_FUNCTION_INFO_V1(bowshot_version);

static ProcessUtility_hook_type next_process_utility = NULL;

static void
process_utility(PlannedStmt *pstmt, const char *query_string, bool read_only_tree,
	ProcessUtilityContext context, ParamListInfo params, QueryEnvironment *environment, DestReceiver *dest,
	QueryCompletion *completion)
{
	CopyStmt *stmt = (CopyStmt *) pstmt->utilityStmt;

	if (IsA(stmt, CopyStmt) && bowshot_is_arrow(stmt))
	{
		ParseState *pstate = make_parsestate(NULL);
		uint64 rows;

		pstate->p_sourcetext = query_string;
		pstate->p_queryEnv = environment;
		rows = bowshot_is_fetch(stmt) ? bowshot_fetch(pstate, stmt) : bowshot_copy(pstate, stmt, pstmt);
		if (completion)
			SetQueryCompletion(completion, CMDTAG_COPY, rows);
		free_parsestate(pstate);
	}
	else if (next_process_utility)
		next_process_utility(
			pstmt, query_string, read_only_tree, context, params, environment, dest, completion);
	else
		standard_ProcessUtility(
			pstmt, query_string, read_only_tree, context, params, environment, dest, completion);
}

void
_PG_init(void)
{
	next_process_utility = ProcessUtility_hook;
	ProcessUtility_hook = process_utility;
}

Datum
bowshot_version(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(BOWSHOT_VERSION));
}
