/*
 * bowshot.declare: has a holder started for a result, and waits until it has the
 * snapshot, the locks and the plan.  bowshot.close ends one.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_class.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "postmaster/bgworker.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "request.h"

/* How often the owner looks whether the worker is still there. */
#define LOOK_AGAIN 100

#define LONGEST_PATIENCE (INT64CONST(24) * 60 * 60 * 1000)

PG_FUNCTION_INFO_V1(bowshot_declare);
PG_FUNCTION_INFO_V1(bowshot_close);

/* The text's statement; an error where there is none, or more than one. */
RawStmt *
bowshot_one_statement(const char *text)
{
	List *statements = pg_parse_query(text);

	if (list_length(statements) != 1)
		ereport(
			ERROR, (errcode(ERRCODE_INVALID_CURSOR_DEFINITION),
					   errmsg("a shared result is that of one query, not of %d", list_length(statements))));
	return linitial_node(RawStmt, statements);
}

static bool
reads_temporary_table(Node *node, void *context)
{
	if (!node)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		RangeTblEntry *entry = (RangeTblEntry *) node;

		return entry->rtekind == RTE_RELATION && get_rel_persistence(entry->relid) == RELPERSISTENCE_TEMP;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, reads_temporary_table, context, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, reads_temporary_table, context);
}

static void
check_reads(bool reads)
{
	if (!reads)
		ereport(
			ERROR, (errcode(ERRCODE_INVALID_CURSOR_DEFINITION),
					   errmsg("a shared result is that of a query that only reads"),
					   errhint("Leave out INSERT, UPDATE, DELETE, MERGE, INTO and FOR UPDATE or SHARE.")));
}

/* Places are in the text of the query, not in the statement that has it as an argument. */
static void
point_into_query(void *text)
{
	int place = geterrposition();

	if (place <= 0)
		return;
	errposition(0);
	internalerrposition(place);
	internalerrquery(text);
}

/* What is wrong with the query is told here, where its text is at hand. */
static void
check_query(const char *text)
{
	ErrorContextCallback callback = {error_context_stack, point_into_query, (void *) text};
	ParseState *pstate = make_parsestate(NULL);
	RawStmt *statement;
	bool keeps_not_null;
	Query *query;

	error_context_stack = &callback;
	pstate->p_sourcetext = text;
	statement = bowshot_one_statement(text);
	check_reads(IsA(statement->stmt, SelectStmt) && !((SelectStmt *) statement->stmt)->intoClause);
	query = bowshot_analyse(pstate, statement, &keeps_not_null);
	error_context_stack = callback.previous;
	check_reads(query->commandType == CMD_SELECT && !query->hasModifyingCTE && !query->rowMarks);
	if (reads_temporary_table((Node *) query, NULL))
		ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("a shared result cannot read temporary tables"),
				errdetail("No other session sees them."),
				errhint("Use COPY (SELECT ...) TO STDOUT (FORMAT arrow) in this session.")));
	free_parsestate(pstate);
}

/* Whether what the session sees is what a snapshot says, which others can have too. */
static void
check_session(void)
{
	if (TransactionIdIsValid(GetTopTransactionIdIfAny()))
		ereport(ERROR, (errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
						   errmsg("a transaction that has written cannot declare a shared result"),
						   errdetail("Other sessions do not see what it has written."),
						   errhint("Declare the result first, or commit before.")));
	if (IsolationIsSerializable() && !(XactReadOnly && XactDeferrable))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						   errmsg("a serializable transaction cannot declare a shared result"),
						   errhint("Use REPEATABLE READ, or SERIALIZABLE READ ONLY DEFERRABLE: the rows are "
								   "read by others.")));
	if (InSecurityRestrictedOperation())
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						   errmsg("cannot declare a shared result within security-restricted operation")));
}

static char *
text_argument(FunctionCallInfo fcinfo, int at)
{
	return text_to_cstring(PG_GETARG_TEXT_PP(at));
}

/* A name that the registry can keep. */
static char *
name_argument(FunctionCallInfo fcinfo)
{
	char *name = text_argument(fcinfo, 0);

	if (name[0] == '\0' || strlen(name) >= NAMEDATALEN)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_NAME), errmsg("the name of a shared result has 1 to %d bytes, not %d",
												NAMEDATALEN - 1, (int) strlen(name))));
	return name;
}

/* Milliseconds. */
static int64
patience_argument(const Interval *interval)
{
	int64 days = interval->day + INT64CONST(30) * interval->month;
	int64 milliseconds = interval->time / 1000 + Min(days, 1000000) * 24 * 60 * 60 * 1000;

	if (milliseconds < 1 || milliseconds > LONGEST_PATIENCE)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						   errmsg("timeout must be between a millisecond and a day")));
	return milliseconds;
}

static BackgroundWorkerHandle *
start_holder(dsm_segment *request)
{
	BackgroundWorker worker;
	BackgroundWorkerHandle *handle;

	memset(&worker, 0, sizeof(worker));
	strlcpy(worker.bgw_name, "bowshot shared result", BGW_MAXLEN);
	strlcpy(worker.bgw_type, "bowshot shared result", BGW_MAXLEN);
	worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker.bgw_start_time = BgWorkerStart_ConsistentState;
	worker.bgw_restart_time = BGW_NEVER_RESTART;
	strlcpy(worker.bgw_library_name, "bowshot", sizeof(worker.bgw_library_name));
	strlcpy(worker.bgw_function_name, "bowshot_hold", sizeof(worker.bgw_function_name));
	worker.bgw_main_arg = UInt32GetDatum(dsm_segment_handle(request));
	worker.bgw_notify_pid = MyProcPid;
	if (!RegisterDynamicBackgroundWorker(&worker, &handle))
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_RESOURCES),
						   errmsg("no background worker is free to hold a shared result"),
						   errhint("Fetch or close others first, or raise max_worker_processes, which is %s.",
							   GetConfigOption("max_worker_processes", false, false))));
	return handle;
}

/* Waits until parts can be fetched; an error where that will never be. */
static void
wait_for_holder(BowshotTicket ticket, const char *name, BackgroundWorkerHandle *holder)
{
	BowshotShared *place = ticket.place;

	for (;;)
	{
		pid_t process;
		bool stopped = GetBackgroundWorkerPid(holder, &process) == BGWH_STOPPED;
		bool ready;

		bowshot_lock(LW_SHARED);
		ready = bowshot_is(ticket) && place->how != SHARED_NOT_YET;
		bowshot_unlock();
		/* What goes wrong afterwards is told to those who fetch. */
		if (ready)
			break;
		bowshot_check_whole(ticket, name, 0);
		if (stopped)
			ereport(
				ERROR, (errcode(ERRCODE_INSUFFICIENT_RESOURCES),
						   errmsg("the background worker for the shared result \"%s\" did not start", name),
						   errhint("The server's log has the reason.")));
		(void) ConditionVariableTimedSleep(&place->wakes, LOOK_AGAIN, bowshot_wait_event());
	}
	ConditionVariableCancelSleep();
}

static void
refuse_null(FunctionCallInfo fcinfo)
{
	for (int at = 0; at < PG_NARGS(); at++)
		if (PG_ARGISNULL(at))
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							   errmsg("argument %d of bowshot.declare is NULL", at + 1)));
}

/* declare(name, query, n, batch_bytes, compression, infinity, timeout): the number of parts. */
Datum
bowshot_declare(PG_FUNCTION_ARGS)
{
	BackgroundWorkerHandle *volatile holder = NULL;
	BowshotWish wish;
	BowshotTicket ticket;
	char *name;
	int64 patience;
	int parts;

	refuse_null(fcinfo);
	name = name_argument(fcinfo);
	wish.query = text_argument(fcinfo, 1);
	parts = PG_GETARG_INT32(2);
	if (parts < 1 || parts > MOST_PARTS)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						   errmsg("a shared result has 1 to %d parts, not %d", MOST_PARTS, parts)));
	wish.settings =
		bowshot_settings_of(PG_GETARG_INT32(3), text_argument(fcinfo, 4), text_argument(fcinfo, 5));
	patience = patience_argument(PG_GETARG_INTERVAL_P(6));
	check_session();
	check_query(wish.query);

	bowshot_watch_session();
	ticket = bowshot_register(name, parts, patience);
	PG_TRY();
	{
		dsm_segment *request = bowshot_request(&wish, ticket);

		holder = start_holder(request);
		wait_for_holder(ticket, name, holder);
		dsm_detach(request);
	}
	PG_CATCH();
	{
		bowshot_close_result(ticket);
		if (holder)
			TerminateBackgroundWorker(holder);
		PG_RE_THROW();
	}
	PG_END_TRY();
	PG_RETURN_INT32(parts);
}

/* close(name). */
Datum
bowshot_close(PG_FUNCTION_ARGS)
{
	char *name = text_argument(fcinfo, 0);
	BowshotShared *place;

	bowshot_lock(LW_EXCLUSIVE);
	place = bowshot_find(name);
	if (!place)
		bowshot_unknown(name);
	bowshot_remove(place);
	bowshot_unlock();
	PG_RETURN_VOID();
}
