/*
 * Sharing by result: the holder executes the query, once, and puts its messages
 * into a queue, from which the sessions that fetch take the next one.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "tcop/pquery.h"
#include "tcop/tcopprot.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "segment.h"

typedef struct Feed
{
	BowshotHeld *held;
	BowshotQueue *queue;
	dsa_area *area;
} Feed;

static void
feed(void *self, BowshotPieces pieces, uint64 rows, bool last)
{
	Feed *to = self;

	bowshot_queue_put(to->held, to->queue, to->area, pieces, rows);
}

static Size
length_of(BowshotPieces pieces)
{
	Size length = 0;

	for (size_t at = 0; at < pieces.count; at++)
		length += pieces.pieces[at].length;
	return length;
}

/* The segment, with what every part begins with: the schema and the dictionaries. */
static dsm_segment *
make_segment(BowshotHeld *held, BowshotPieces head, BowshotQueue **queue)
{
	shm_toc_estimator estimator;
	dsm_segment *segment;
	shm_toc *toc;
	Size size;
	char *to;
	BowshotCommon *common;

	held->common.head_length = length_of(head);
	shm_toc_initialize_estimator(&estimator);
	shm_toc_estimate_chunk(&estimator, sizeof(BowshotCommon));
	shm_toc_estimate_chunk(&estimator, held->common.head_length);
	shm_toc_estimate_chunk(&estimator, bowshot_queue_size());
	shm_toc_estimate_keys(&estimator, 3);
	size = shm_toc_estimate(&estimator);
	segment = dsm_create(size, 0);
	toc = shm_toc_create(BOWSHOT_SEGMENT, dsm_segment_address(segment), size);

	common = shm_toc_allocate(toc, sizeof(BowshotCommon));
	*common = held->common;
	shm_toc_insert(toc, KEY_COMMON, common);
	to = shm_toc_allocate(toc, held->common.head_length);
	shm_toc_insert(toc, KEY_HEAD, to);
	for (size_t at = 0; at < head.count; at++)
	{
		memcpy(to, head.pieces[at].bytes, head.pieces[at].length);
		to += head.pieces[at].length;
	}
	*queue = shm_toc_allocate(toc, bowshot_queue_size());
	shm_toc_insert(toc, KEY_QUEUE, *queue);
	return segment;
}

/* Executes the query for those who fetch. */
void
bowshot_hold_result(BowshotHeld *held, Query *query)
{
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "bowshot share", ALLOCSET_DEFAULT_SIZES);
	PlannedStmt *plan = pg_plan_query(query, held->query, CURSOR_OPT_PARALLEL_OK, NULL);
	BowshotArrow *stream = bowshot_stream(context, held->common.settings);
	Feed to = {.held = held};
	BowshotSink sink = {feed, &to};
	BowshotReceiver *receiver = bowshot_receiver(stream, context, sink);
	dsm_segment *segment;

	held->running = CreateQueryDesc(
		plan, held->query, GetActiveSnapshot(), InvalidSnapshot, (DestReceiver *) receiver, NULL, NULL, 0);
	ExecutorStart(held->running, 0);
	held->common.columns = held->running->tupDesc->natts;
	bowshot_describe(
		stream, held->running->tupDesc, FetchStatementTargetList((Node *) plan), held->common.keeps_not_null);
	bowshot_check(stream, bowshot_arrow_head(stream));
	segment = make_segment(held, bowshot_arrow_pieces(stream), &to.queue);
	to.area = bowshot_queue_create(to.queue);
	bowshot_receiver_start(receiver, held->running->tupDesc);
	bowshot_publish(held, segment, SHARED_BY_RESULT);

	bowshot_run(held->running);
	(void) bowshot_receiver_flush(receiver);
	bowshot_queue_end(held, to.queue);
	/* The memory of the columns is not needed while others read. */
	MemoryContextDelete(context);
}
