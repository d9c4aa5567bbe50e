/*
 * The background worker that holds a shared result: it plans the query as its
 * owner would, has the snapshot and the locks, and ends when all parts were
 * fetched, when nobody fetches any for too long, or with its owner.
 */
#include "postgres.h"

#include "access/xact.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "storage/ipc.h"
#include "storage/proc.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "request.h"
#include "segment.h"

PGDLLEXPORT void bowshot_hold(Datum request);

/* From now on parts can be fetched. */
void
bowshot_publish(BowshotHeld *held, dsm_segment *segment, BowshotSharing how)
{
	BowshotShared *place = held->ticket.place;

	bowshot_lock(LW_EXCLUSIVE);
	if (bowshot_is(held->ticket))
	{
		place->segment = dsm_segment_handle(segment);
		place->how = how;
		place->changed = GetCurrentTimestamp();
		ConditionVariableBroadcast(&place->wakes);
	}
	bowshot_unlock();
}

/* How long nobody may fetch anything from now on, in milliseconds; negative where somebody does. */
static int64
time_left(const BowshotHeld *held)
{
	BowshotShared *place = held->ticket.place;
	int64 left = -1;

	bowshot_lock(LW_SHARED);
	if (bowshot_is(held->ticket) && bowshot_reading(place) == 0)
		left = Max(place->patience - (GetCurrentTimestamp() - place->changed) / 1000, 0);
	bowshot_unlock();
	return left;
}

/* Waits for a change; an error where the result has ended meanwhile. */
void
bowshot_wait_for_readers(BowshotHeld *held)
{
	int64 left = time_left(held);

	bowshot_check_whole(held->ticket, held->name, 0);
	if (left == 0)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						   errmsg("the shared result has ended, since nobody fetched its next part in time"),
						   errhint("Fetch its parts sooner, or declare it with a longer timeout.")));
	if (left < 0)
		ConditionVariableSleep(&held->ticket.place->wakes, bowshot_wait_event());
	else
		(void) ConditionVariableTimedSleep(&held->ticket.place->wakes, left, bowshot_wait_event());
}

/* What takes locks while the query is planned and runs does not wait for long. */
static void
limit_locks(void)
{
	if (LockTimeout == 0 || LockTimeout > LOCK_PATIENCE)
		SetConfigOption("lock_timeout", psprintf("%d", LOCK_PATIENCE), PGC_USERSET, PGC_S_SESSION);
}

static Query *
analyse(BowshotHeld *held)
{
	ParseState *pstate = make_parsestate(NULL);

	pstate->p_sourcetext = held->query;
	return bowshot_fix_moment(
		bowshot_analyse(pstate, bowshot_one_statement(held->query), &held->common.keeps_not_null));
}

static void
hold(dsm_segment *request, BowshotHeld *held)
{
	Query *query;

	bowshot_request_snapshot(request);
	limit_locks();
	query = analyse(held);
	if (!bowshot_may_divide(query) || !bowshot_hold_plan(held, query))
		bowshot_hold_result(held, query);

	while (bowshot_is(held->ticket))
		bowshot_wait_for_readers(held);
	ConditionVariableCancelSleep();

	ExecutorFinish(held->running);
	ExecutorEnd(held->running);
	FreeQueryDesc(held->running);
	PopActiveSnapshot();
	CommitTransactionCommand();
}

/* Hands the error to those who have to do with the result; the log need not have it. */
static void
hand_on(const BowshotHeld *held, MemoryContext context)
{
	BowshotFailure failure;

	MemoryContextSwitchTo(context);
	bowshot_remember(&failure, CopyErrorData(), 0);
	FlushErrorState();
	bowshot_fail(held->ticket, &failure);
	AbortCurrentTransaction();
}

static void
begin(dsm_segment *request, BowshotHeld *held)
{
	BowshotWish wish = bowshot_request_wish(request);

	held->query = wish.query;
	held->common.settings = wish.settings;
	bowshot_lock(LW_EXCLUSIVE);
	if (bowshot_is(held->ticket))
		held->ticket.place->holder = MyProcPid;
	held->name = pstrdup(held->ticket.place->name);
	bowshot_unlock();
	debug_query_string = held->query;
	pgstat_report_activity(STATE_RUNNING, held->query);
}

/* The worker, from its beginning to its end. */
void
bowshot_hold(Datum handle)
{
	BowshotHeld held = {.common.holder = MyProc};
	BowshotTicket nothing = {NULL, 0};
	MemoryContext context = TopMemoryContext;
	dsm_segment *request;

	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();
	request = bowshot_request_attach((dsm_handle) DatumGetUInt32(handle));
	/* The owner has given up. */
	if (!request)
		proc_exit(0);
	held.ticket = bowshot_request_ticket(request);
	bowshot_watch_session();
	bowshot_now_holding(held.ticket);
	bowshot_request_connect(request);
	begin(request, &held);

	PG_TRY();
	{
		bowshot_request_restore(request);
		hold(request, &held);
	}
	PG_CATCH();
	{
		hand_on(&held, context);
	}
	PG_END_TRY();
	bowshot_now_holding(nothing);
	proc_exit(0);
}
