/*
 * A worker of a team: it executes the leader's plan on the pages that nobody has
 * taken, and hands its batches to the leader.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodes.h"
#include "pgstat.h"
#include "storage/proc.h"
#include "tcop/pquery.h"
#include "tcop/tcopprot.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "segment.h"
#include "team.h"

PGDLLEXPORT void bowshot_work(dsm_segment *segment, shm_toc *toc);

static void
send_parts(shm_mq_handle *queue, shm_mq_iovec *parts, int count)
{
#if PG_VERSION_NUM >= 150000
	shm_mq_result result = shm_mq_sendv(queue, parts, count, false, true);
#else
	shm_mq_result result = shm_mq_sendv(queue, parts, count, false);
#endif

	if (result != SHM_MQ_SUCCESS)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						   errmsg("the session that leads the query has ended")));
}

/* Hands a message over, which may be larger than what a queue takes. */
static void
send_to_leader(void *self, BowshotPieces pieces, uint64 rows, bool last)
{
	shm_mq_iovec *parts = palloc((pieces.count + 1) * sizeof(shm_mq_iovec));
	const BowshotPiece *piece = pieces.pieces;
	size_t begun = 0; /* bytes of the piece that were handed over */
	size_t left = 0;
	char more = true;

	for (size_t at = 0; at < pieces.count; at++)
		left += pieces.pieces[at].length;
	parts[0].data = &more;
	parts[0].len = 1;
	while (more)
	{
		size_t room = TEAM_CHUNK_BYTES;
		int count = 1;

		while (room > 0 && left > 0)
		{
			size_t length = Min(piece->length - begun, room);

			parts[count].data = (const char *) piece->bytes + begun;
			parts[count++].len = length;
			room -= length;
			left -= length;
			begun += length;
			if (begun == piece->length)
			{
				piece++;
				begun = 0;
			}
		}
		more = left > 0;
		send_parts(self, parts, count);
	}
	pfree(parts);
}

static shm_mq_handle *
attach_queue(dsm_segment *segment, shm_toc *toc)
{
	char *places = shm_toc_lookup(toc, TEAM_QUEUES, false);
	shm_mq *queue = (shm_mq *) (places + ParallelWorkerNumber * TEAM_QUEUE_BYTES);

	shm_mq_set_sender(queue, MyProc);
	return shm_mq_attach(queue, segment, NULL);
}

/* Where the scans are. */
static shm_toc *
scans_of(const BowshotWork *work, shm_toc *own)
{
	dsm_segment *segment;

	if (work->segment == 0)
		return own;
	segment = dsm_attach(work->segment);
	if (!segment)
		ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("the shared result has ended")));
	return bowshot_toc(segment);
}

/* Runs the plan; the number of rows. */
static uint64
run(const BowshotWork *work, shm_toc *toc, BowshotSink sink)
{
	PlannedStmt *plan = stringToNode(shm_toc_lookup(toc, TEAM_PLAN, false));
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "bowshot worker", ALLOCSET_DEFAULT_SIZES);
	BowshotArrow *stream = bowshot_stream(context, work->settings);
	BowshotReceiver *receiver = bowshot_receiver(stream, context, sink);
	QueryDesc *running = CreateQueryDesc(plan, debug_query_string, GetActiveSnapshot(), InvalidSnapshot,
		(DestReceiver *) receiver, NULL, NULL, 0);
	uint64 rows;

	ExecutorStart(running, 0);
	bowshot_join_scans(running, scans_of(work, toc), work->scans);
	bowshot_describe(stream, running->tupDesc, FetchStatementTargetList((Node *) plan), work->keeps_not_null);
	/* What the stream begins with the leader has sent. */
	bowshot_check(stream, bowshot_arrow_head(stream));
	bowshot_receiver_start(receiver, running->tupDesc);
	bowshot_run(running);
	rows = bowshot_receiver_flush(receiver);

	ExecutorFinish(running);
	ExecutorEnd(running);
	FreeQueryDesc(running);
	MemoryContextDelete(context);
	return rows;
}

/* The worker, from its beginning to its end. */
void
bowshot_work(dsm_segment *segment, shm_toc *toc)
{
	BowshotTask *task = shm_toc_lookup(toc, TEAM_TASK, false);
	BufferUsage *buffers = shm_toc_lookup(toc, TEAM_BUFFER_USAGE, false);
	WalUsage *wal = shm_toc_lookup(toc, TEAM_WAL_USAGE, false);
	shm_mq_handle *queue = attach_queue(segment, toc);
	BowshotSink sink = {send_to_leader, queue};

	debug_query_string = shm_toc_lookup(toc, TEAM_QUERY, false);
	pgstat_report_activity(STATE_RUNNING, debug_query_string);
	InstrStartParallelQuery();
	pg_atomic_fetch_add_u64(&task->rows, run(&task->work, toc, sink));
	InstrEndParallelQuery(&buffers[ParallelWorkerNumber], &wal[ParallelWorkerNumber]);
	shm_mq_detach(queue);
}
