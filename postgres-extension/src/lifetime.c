/*
 * How a shared result ends: fetched whole, closed, failed, or with the session
 * that has to do with it.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "storage/ipc.h"

#include "shared.h"

/* The result that this process holds. */
static BowshotTicket holding = {NULL, 0};
static bool watched = false;

/* A bit for each part. */
uint64
bowshot_all_parts(const BowshotShared *shared)
{
	return shared->parts == 64 ? PG_UINT64_MAX : (UINT64CONST(1) << shared->parts) - 1;
}

/* How many parts are being fetched now. */
int
bowshot_reading(const BowshotShared *shared)
{
	return pg_popcount64(shared->begun & ~shared->done);
}

/* Frees it, if it is there. */
void
bowshot_close_result(BowshotTicket ticket)
{
	bowshot_lock(LW_EXCLUSIVE);
	if (bowshot_is(ticket))
		bowshot_remove(ticket.place);
	bowshot_unlock();
}

/* Notes the first thing that went wrong. */
void
bowshot_fail(BowshotTicket ticket, const BowshotFailure *failure)
{
	BowshotShared *place = ticket.place;

	bowshot_lock(LW_EXCLUSIVE);
	if (bowshot_is(ticket) && !place->failed)
	{
		place->failed = true;
		place->failure = *failure;
		if (failure->part > 0)
			place->told |= UINT64CONST(1) << (failure->part - 1);
		place->changed = GetCurrentTimestamp();
		ConditionVariableBroadcast(&place->wakes);
	}
	bowshot_unlock();
}

/* Whether it is still there, and nothing has gone wrong. */
bool
bowshot_is_whole(BowshotTicket ticket)
{
	return bowshot_is(ticket) && !ticket.place->failed;
}

/* Raises what went wrong with the result anywhere; the part has been told then.  Its place is free once all
 * have. */
void
bowshot_check_whole(BowshotTicket ticket, const char *name, int part)
{
	BowshotShared *place = ticket.place;
	BowshotFailure failure;
	bool failed = false;

	/* Looked at without the lock first: this is asked before every message. */
	if (bowshot_is_whole(ticket))
		return;
	bowshot_lock(LW_EXCLUSIVE);
	if (bowshot_is(ticket) && place->failed)
	{
		failed = true;
		failure = place->failure;
		if (part > 0)
			place->told |= UINT64CONST(1) << (part - 1);
		if ((place->told | place->done) == bowshot_all_parts(place))
			bowshot_remove(place);
	}
	bowshot_unlock();
	if (failed)
		bowshot_raise(&failure, name);
	ereport(ERROR,
		(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("shared result \"%s\" was closed", name),
			errhint("Somebody called bowshot.close, or the session that declared it has ended.")));
}

/* At the end of the session, for whatever reason. */
static void
session_ends(int code, Datum argument)
{
	ErrorData error = {.sqlerrcode = ERRCODE_ADMIN_SHUTDOWN, .message = "its session has ended"};

	(void) bowshot_reading_fails(&error);
	if (holding.place)
	{
		BowshotFailure failure;

		error.message = "the server's log has the reason";
		bowshot_remember(&failure, &error, 0);
		bowshot_fail(holding, &failure);
	}
	bowshot_lock(LW_EXCLUSIVE);
	if (holding.place && bowshot_is(holding))
		holding.place->holder = 0;
	for (int at = 0; at < MOST_RESULTS; at++)
	{
		BowshotShared *place = bowshot_place(at);

		if (place->id != 0 && place->owner == MyProcPid)
			bowshot_remove(place);
	}
	bowshot_unlock();
}

/* From now on the session's end is seen. */
void
bowshot_watch_session(void)
{
	if (watched)
		return;
	/* The shared memory is there before anything depends on it. */
	(void) bowshot_tranche();
	before_shmem_exit(session_ends, (Datum) 0);
	watched = true;
}

/* The session holds a result, or, with a ticket for nothing, none any more. */
void
bowshot_now_holding(BowshotTicket ticket)
{
	holding = ticket;
}
