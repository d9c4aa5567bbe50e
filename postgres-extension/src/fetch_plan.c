/*
 * A part of a result that is shared by plan: the plan, executed here on the pages
 * that the others have not taken.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodes.h"
#include "storage/latch.h"
#include "storage/lmgr.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "tcop/pquery.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/wait_event.h"

#include "segment.h"
#include "team.h"

/* How often a lock is tried, in milliseconds. */
#define LOCK_PAUSE 20

typedef struct Part
{
	BowshotTicket ticket;
	const char *name;
	int number;
} Part;

static void
send_part(void *self, BowshotPieces pieces, uint64 rows, bool last)
{
	Part *part = self;
	uint64 bytes = 0;

	bowshot_check_whole(part->ticket, part->name, part->number);
	for (size_t at = 0; at < pieces.count; at++)
		bytes += pieces.pieces[at].length;
	pg_atomic_fetch_add_u64(&part->ticket.place->bytes, bytes);
	bowshot_send_pieces(pieces, last);
}

static void
lock_table(Oid table, LOCKMODE mode)
{
	for (int waited = 0; !ConditionalLockRelationOid(table, mode); waited += LOCK_PAUSE)
	{
		if (waited >= LOCK_PATIENCE)
			ereport(
				ERROR, (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
						   errmsg("somebody waits to alter the table \"%s\", and would have to wait for the "
								  "whole shared result",
							   get_rel_name(table)),
						   errhint("Fetch the part again later, or declare the result again.")));
		(void) WaitLatch(
			MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, LOCK_PAUSE, bowshot_wait_event());
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

static void
lock_tables(const PlannedStmt *plan)
{
	ListCell *cell;

	foreach (cell, plan->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);

		if (entry->rtekind == RTE_RELATION || (entry->rtekind == RTE_SUBQUERY && OidIsValid(entry->relid)))
			lock_table(entry->relid, entry->rellockmode);
	}
}

/* What else takes locks while the plan runs does not wait for long either. */
static void
adopt_settings(const char *settings)
{
	bowshot_adopt_settings(settings);
	if (LockTimeout == 0 || LockTimeout > LOCK_PATIENCE)
		(void) set_config_option("lock_timeout", psprintf("%d", LOCK_PATIENCE), PGC_USERSET, PGC_S_SESSION,
			GUC_ACTION_SAVE, true, 0, false);
}

/* Sees what the holder sees, also when that one ends. */
static void
push_snapshot(shm_toc *toc, const BowshotCommon *common)
{
	Snapshot snapshot = RestoreSnapshot(shm_toc_lookup(toc, KEY_SNAPSHOT, false));

	if (!ProcArrayInstallRestoredXmin(snapshot->xmin, common->holder))
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						   errmsg("the process that holds the shared result has ended")));
	PushActiveSnapshot(snapshot);
}

/* Sends the part, but for its last message; the number of rows. */
uint64
bowshot_fetch_plan(BowshotTicket ticket, const char *name, int number, dsm_segment *segment)
{
	shm_toc *toc = bowshot_toc(segment);
	BowshotCommon *common = shm_toc_lookup(toc, KEY_COMMON, false);
	PlannedStmt *plan = stringToNode(shm_toc_lookup(toc, KEY_PLAN, false));
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "bowshot part", ALLOCSET_DEFAULT_SIZES);
	BowshotArrow *stream = bowshot_stream(context, common->settings);
	Part part = {ticket, name, number};
	/* Who fetches one of several parts has the sessions of the others to help him. */
	BowshotLead lead = {.sink = {send_part, &part},
		.shares = bowshot_all_parts(ticket.place) == 1,
		.work = {common->settings, common->keeps_not_null, common->scans, dsm_segment_handle(segment)}};
	BowshotReceiver *receiver = bowshot_receiver(stream, context, bowshot_lead_sink(&lead));
	int level = NewGUCNestLevel();
	QueryDesc *running;
	uint64 rows;

	adopt_settings(shm_toc_lookup(toc, KEY_VALUE_SETTINGS, false));
	lock_tables(plan);
	push_snapshot(toc, common);
	running = CreateQueryDesc(plan, shm_toc_lookup(toc, KEY_QUERY, false), GetActiveSnapshot(),
		InvalidSnapshot, (DestReceiver *) receiver, NULL, NULL, 0);
	ExecutorStart(running, 0);
	bowshot_join_scans(running, toc, common->scans);
	bowshot_describe(
		stream, running->tupDesc, FetchStatementTargetList((Node *) plan), common->keeps_not_null);
	bowshot_receiver_start(receiver, running->tupDesc);

	/* From here on what goes wrong is the whole result's. */
	bowshot_reading_begins();
	bowshot_send_begin(running->tupDesc->natts);
	rows = bowshot_lead(&lead, running, receiver);

	ExecutorFinish(running);
	ExecutorEnd(running);
	FreeQueryDesc(running);
	PopActiveSnapshot();
	AtEOXact_GUC(true, level);
	MemoryContextDelete(context);
	return rows;
}
