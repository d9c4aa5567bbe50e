/*
 * The session that leads a team: how many workers there are, and what it does with
 * their messages.
 */
#include "postgres.h"

#include <unistd.h>

#include "access/transam.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "optimizer/paths.h"
#include "storage/bufmgr.h"
#include "storage/latch.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "segment.h"
#include "team.h"

struct BowshotTeam
{
	ParallelContext *context;
	shm_mq_handle **queues; /* one a worker; NULL where nothing follows */
};

/* As many as the planner gives a scan of the table: compute_parallel_worker in its allpaths.c. */
static int
workers_for(Relation relation)
{
	uint64 pages = RelationGetNumberOfBlocks(relation);
	int workers = RelationGetParallelWorkers(relation, -1);

	if (workers >= 0)
		return workers;
	workers = 0;
	for (uint64 enough = Max(min_parallel_table_scan_size, 1); pages >= enough; enough *= 3)
		workers++;
	return workers;
}

/* No more than there are other processors: the leader works, too, and they all have little to wait for. */
static int
workers_wanted(List *scans)
{
	int most = Min(max_parallel_workers_per_gather, (int) sysconf(_SC_NPROCESSORS_ONLN) - 1);
	int wanted = 0;
	ListCell *cell;

	foreach (cell, scans)
		wanted = Max(wanted, workers_for(((ScanState *) lfirst(cell))->ss_currentRelation));
	return Min(wanted, Max(most, 0));
}

/* Hands on the next message of a worker, if it has begun to come; whether it had. */
static bool
forward_next(BowshotLead *lead, shm_mq_handle **queue)
{
	bool begun = false;
	bool more = true;

	while (more)
	{
		void *chunk;
		Size length;
		shm_mq_result result = shm_mq_receive(*queue, &length, &chunk, !begun);

		if (result == SHM_MQ_SUCCESS)
		{
			BowshotPiece piece = {(uint8_t *) chunk + 1, length - 1};
			BowshotPieces pieces = {&piece, 1};

			more = *(char *) chunk;
			lead->sink.send(lead->sink.self, pieces, 0, false);
			begun = true;
			continue;
		}
		if (begun)
		{
			/* What has happened to it, it may have said. */
			CHECK_FOR_INTERRUPTS();
			ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
							   errmsg("a parallel worker has ended in the middle of a batch")));
		}
		if (result == SHM_MQ_DETACHED)
			*queue = NULL;
		return false;
	}
	return true;
}

/* Hands on what has come from the workers; whether anything had. */
static bool
forward(BowshotLead *lead)
{
	BowshotTeam *team = lead->team;
	bool found = false;

	for (int at = 0; at < team->context->nworkers_launched; at++)
		if (team->queues[at] && forward_next(lead, &team->queues[at]))
			found = true;
	return found;
}

static bool
may_follow(const BowshotTeam *team)
{
	for (int at = 0; at < team->context->nworkers_launched; at++)
		if (team->queues[at])
			return true;
	return false;
}

static void
put_text(shm_toc *toc, uint64 key, const char *text)
{
	Size size = strlen(text) + 1;
	char *place = shm_toc_allocate(toc, size);

	memcpy(place, text, size);
	shm_toc_insert(toc, key, place);
}

static void
put_task(shm_toc *toc, BowshotWork work)
{
	BowshotTask *task = shm_toc_allocate(toc, sizeof(BowshotTask));

	task->work = work;
	pg_atomic_init_u64(&task->rows, 0);
	shm_toc_insert(toc, TEAM_TASK, task);
}

static void
put_usage(shm_toc *toc, int workers)
{
	shm_toc_insert(toc, TEAM_BUFFER_USAGE, shm_toc_allocate(toc, mul_size(sizeof(BufferUsage), workers)));
	shm_toc_insert(toc, TEAM_WAL_USAGE, shm_toc_allocate(toc, mul_size(sizeof(WalUsage), workers)));
}

static void
make_queues(BowshotTeam *team, MemoryContext memory)
{
	ParallelContext *context = team->context;
	char *places = shm_toc_allocate(context->toc, mul_size(TEAM_QUEUE_BYTES, context->nworkers));

	shm_toc_insert(context->toc, TEAM_QUEUES, places);
	team->queues = MemoryContextAllocZero(memory, Max(context->nworkers, 1) * sizeof(shm_mq_handle *));
	for (int at = 0; at < context->nworkers; at++)
	{
		shm_mq *queue = shm_mq_create(places + at * TEAM_QUEUE_BYTES, TEAM_QUEUE_BYTES);

		shm_mq_set_receiver(queue, MyProc);
		team->queues[at] = shm_mq_attach(queue, context->seg, NULL);
	}
}

/* Has workers start, who share the scans from where they are, or join those of another segment. */
static void
make_team(BowshotLead *lead)
{
	QueryDesc *running = lead->running;
	char *plan = nodeToString(running->plannedstmt);
	bool is_shared = lead->work.segment != 0;
	List *scans = is_shared ? NIL : lead->scans;
	Snapshot snapshot = GetActiveSnapshot();
	BowshotTeam *team = MemoryContextAllocZero(running->estate->es_query_cxt, sizeof(BowshotTeam));
	ParallelContext *context;

	EnterParallelMode();
	context = team->context = CreateParallelContext("bowshot", "bowshot_work", lead->workers);
	shm_toc_estimate_chunk(&context->estimator, sizeof(BowshotTask));
	shm_toc_estimate_chunk(&context->estimator, strlen(running->sourceText) + 1);
	shm_toc_estimate_chunk(&context->estimator, strlen(plan) + 1);
	shm_toc_estimate_chunk(&context->estimator, mul_size(sizeof(BufferUsage), lead->workers));
	shm_toc_estimate_chunk(&context->estimator, mul_size(sizeof(WalUsage), lead->workers));
	shm_toc_estimate_chunk(&context->estimator, mul_size(TEAM_QUEUE_BYTES, lead->workers));
	shm_toc_estimate_keys(&context->estimator, 6);
	bowshot_estimate_scans(&context->estimator, scans, snapshot);
	InitializeParallelDSM(context);

	put_task(context->toc, lead->work);
	put_text(context->toc, TEAM_QUERY, running->sourceText);
	put_text(context->toc, TEAM_PLAN, plan);
	put_usage(context->toc, context->nworkers);
	make_queues(team, running->estate->es_query_cxt);
	bowshot_move_scans(context->toc, scans, snapshot);
	LaunchParallelWorkers(context);
	for (int at = 0; at < context->nworkers_launched; at++)
		shm_mq_set_handle(team->queues[at], context->worker[at].bgwhandle);
	lead->team = team;
	lead->workers = 0;
}

/*
 * Sends a message of the leader's own, and those that have come meanwhile.  Workers
 * start behind the first batch, so that the client does not wait for them, and a
 * result of one batch does without.
 */
static void
send_all(void *self, BowshotPieces pieces, uint64 rows, bool last)
{
	BowshotLead *lead = self;

	lead->sink.send(lead->sink.self, pieces, rows, last);
	if (last)
		return;
	if (lead->workers > 0)
		make_team(lead);
	while (lead->team && forward(lead))
		;
}

/* Where the leader's own messages go. */
BowshotSink
bowshot_lead_sink(BowshotLead *lead)
{
	BowshotSink sink = {send_all, lead};

	return sink;
}

/* Whether values may go through functions that are not PostgreSQL's own, of which nobody has asked the
 * planner. */
static bool
has_foreign_types(TupleDesc columns)
{
	for (int at = 0; at < columns->natts; at++)
	{
		Oid type = bowshot_sent_type(TupleDescAttr(columns, at));

		if (type >= FirstNormalObjectId && get_typtype(type) != TYPTYPE_ENUM)
			return true;
	}
	return false;
}

/* The scans of a query that workers may execute, too, as the planner found. */
static List *
scans_to_share(QueryDesc *running)
{
	const PlannedStmt *plan = running->plannedstmt;
	List *scans = NIL;

	if (plan->planTree->parallel_safe && !plan->parallelModeNeeded)
		scans = bowshot_driving_scans(running->planstate);
	return bowshot_is_driven(running, scans) ? scans : NIL;
}

/* Decides how many workers a query will have, which has not begun. */
static void
plan_team(BowshotLead *lead, QueryDesc *running)
{
	bool is_shared = lead->work.segment != 0;
	int workers;

	lead->scans = is_shared ? bowshot_driving_scans(running->planstate) : scans_to_share(running);
	workers = workers_wanted(lead->scans);
	if (workers == 0 || IsInParallelMode() || has_foreign_types(running->tupDesc))
		return;
	if (!is_shared)
		bowshot_begin_scans(lead->scans, GetActiveSnapshot());
	lead->running = running;
	lead->workers = workers;
	lead->work.scans = list_length(lead->scans);
}

/* Hands on what workers still send; the number of their rows. */
static uint64
finish(BowshotLead *lead)
{
	ParallelContext *context = lead->team->context;
	BufferUsage *buffers = shm_toc_lookup(context->toc, TEAM_BUFFER_USAGE, false);
	WalUsage *wal = shm_toc_lookup(context->toc, TEAM_WAL_USAGE, false);
	BowshotTask *task = shm_toc_lookup(context->toc, TEAM_TASK, false);
	uint64 rows;

	for (;;)
	{
		if (forward(lead))
			continue;
		if (!may_follow(lead->team))
			break;
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH, 0, bowshot_wait_event());
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
	/* Here a worker's error is raised. */
	WaitForParallelWorkersToFinish(context);
	for (int at = 0; at < context->nworkers_launched; at++)
		InstrAccumParallelQuery(&buffers[at], &wal[at]);
	rows = pg_atomic_read_u64(&task->rows);
	DestroyParallelContext(context);
	ExitParallelMode();
	lead->team = NULL;
	return rows;
}

/* Runs the query to the end of its stream; the number of all rows. */
uint64
bowshot_lead(BowshotLead *lead, QueryDesc *running, BowshotReceiver *receiver)
{
	uint64 rows = 0;

	if (lead->shares)
		plan_team(lead, running);
	bowshot_run(running);
	if (lead->team)
		rows = finish(lead);
	return rows + bowshot_receiver_finish(receiver);
}
