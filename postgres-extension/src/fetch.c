/*
 * COPY (SELECT bowshot.fetch('name', 1)) TO STDOUT (FORMAT arrow): one part of a
 * shared result.
 */
#include "postgres.h"

#include "fmgr.h"
#include "nodes/parsenodes.h"
#include "nodes/value.h"
#include "utils/memutils.h"

#include "segment.h"

PG_FUNCTION_INFO_V1(bowshot_fetch_function);

/* A constant, or one with a cast. */
static A_Const *
constant(Node *node)
{
	while (node && IsA(node, TypeCast))
		node = ((TypeCast *) node)->arg;
	return node && IsA(node, A_Const) ? (A_Const *) node : NULL;
}

#define VALUE(constant) ((Node *) &(constant)->val)
#if PG_VERSION_NUM >= 150000
#define IS_NULL(constant) ((constant)->isnull)
#else
#define IS_NULL(constant) IsA(VALUE(constant), Null)
#endif

static bool
is_our_function(const FuncCall *call)
{
	return list_length(call->funcname) == 2 && strcmp(strVal(linitial(call->funcname)), "bowshot") == 0 &&
		   strcmp(strVal(lsecond(call->funcname)), "fetch") == 0 && list_length(call->args) == 2 &&
		   !call->agg_order && !call->agg_filter && !call->over && !call->agg_star && !call->agg_distinct;
}

/* The call, where the query is nothing but that. */
static const FuncCall *
only_call(const CopyStmt *stmt)
{
	const SelectStmt *select = (const SelectStmt *) stmt->query;
	const ResTarget *target;

	if (!select || !IsA(select, SelectStmt) || list_length(select->targetList) != 1 || select->fromClause ||
		select->whereClause || select->distinctClause || select->intoClause || select->groupClause ||
		select->havingClause || select->windowClause || select->valuesLists || select->sortClause ||
		select->limitOffset || select->limitCount || select->lockingClause || select->withClause ||
		select->op != SETOP_NONE)
		return NULL;
	target = linitial_node(ResTarget, select->targetList);
	return IsA(target->val, FuncCall) && is_our_function((const FuncCall *) target->val)
			   ? (const FuncCall *) target->val
			   : NULL;
}

/* The name and the number of the part; false where they are not constants. */
static bool
arguments(const FuncCall *call, const char **name, int *part)
{
	A_Const *first = constant(linitial(call->args));
	A_Const *second = constant(lsecond(call->args));

	if (!first || !second || IS_NULL(first) || IS_NULL(second) || !IsA(VALUE(first), String) ||
		!IsA(VALUE(second), Integer))
		return false;
	*name = strVal(VALUE(first));
	*part = intVal(VALUE(second));
	return true;
}

/* Whether the statement fetches a part. */
bool
bowshot_is_fetch(const CopyStmt *stmt)
{
	const FuncCall *call = only_call(stmt);
	const char *name;
	int part;

	return call && arguments(call, &name, &part);
}

static uint64
read_part(BowshotTicket ticket, const char *name, int part, dsm_handle handle, BowshotSharing how)
{
	dsm_segment *segment = dsm_attach(handle);
	uint64 rows;

	if (!segment)
	{
		bowshot_check_whole(ticket, name, part);
		bowshot_unknown(name);
	}
	rows = how == SHARED_BY_PLAN ? bowshot_fetch_plan(ticket, name, part, segment)
								 : bowshot_fetch_result(ticket, name, part, segment);
	/* All of it was sent, and yet it is nothing without the others. */
	bowshot_check_whole(ticket, name, part);
	dsm_detach(segment);
	return rows;
}

/* Runs the statement; the number of rows. */
uint64
bowshot_fetch(ParseState *pstate, const CopyStmt *stmt)
{
	MemoryContext context = CurrentMemoryContext;
	BowshotTicket ticket;
	BowshotSharing how;
	dsm_handle segment;
	const char *name = NULL;
	int part = 0;
	volatile uint64 rows = 0;

	bowshot_check_direction(stmt);
	bowshot_refuse_options(pstate, stmt);
	(void) arguments(only_call(stmt), &name, &part);
	bowshot_watch_session();
	ticket = bowshot_claim(name, part, &segment, &how);

	PG_TRY();
	{
		rows = read_part(ticket, name, part, segment, how);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		/* What had already gone wrong elsewhere is the reason for what goes wrong here. */
		if (!bowshot_reading_fails(CopyErrorData()) && !bowshot_is_whole(ticket))
		{
			FlushErrorState();
			bowshot_check_whole(ticket, name, part);
		}
		PG_RE_THROW();
	}
	PG_END_TRY();
	bowshot_reading_is_done();
	bowshot_send_end();
	return rows;
}

/* The function, called in any other way. */
Datum
bowshot_fetch_function(PG_FUNCTION_ARGS)
{
	ereport(
		ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("bowshot.fetch does not return rows"),
				   errhint("Write COPY (SELECT bowshot.fetch('name', 1)) TO STDOUT (FORMAT arrow), with a "
						   "constant name and number and nothing else in the query.")));
}
