/*
 * Sharing by plan: the holder has the plan and the scan of its table, from which
 * the sessions that fetch take the next pages until none is left.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "tcop/pquery.h"
#include "tcop/tcopprot.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "segment.h"

static QueryDesc *
start(BowshotHeld *held, Query *query)
{
	/* Without parallel workers: the sessions are those. */
	PlannedStmt *plan = pg_plan_query(copyObject(query), held->query, 0, NULL);
	QueryDesc *running = CreateQueryDesc(
		plan, held->query, GetActiveSnapshot(), InvalidSnapshot, None_Receiver, NULL, NULL, 0);

	ExecutorStart(running, 0);
	return running;
}

/* What the sessions will find out for themselves is told to the owner first: columns that cannot be read. */
static void
check_columns(BowshotHeld *held)
{
	QueryDesc *running = held->running;
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "bowshot columns", ALLOCSET_DEFAULT_SIZES);

	bowshot_describe(bowshot_stream(context, held->common.settings), running->tupDesc,
		FetchStatementTargetList((Node *) running->plannedstmt), held->common.keeps_not_null);
	MemoryContextDelete(context);
}

static void *
put(shm_toc *toc, uint64 key, const void *bytes, Size size)
{
	void *place = shm_toc_allocate(toc, size);

	if (bytes)
		memcpy(place, bytes, size);
	shm_toc_insert(toc, key, place);
	return place;
}

static dsm_segment *
make_segment(BowshotHeld *held, List *scans)
{
	Snapshot snapshot = GetActiveSnapshot();
	char *plan = nodeToString(held->running->plannedstmt);
	Size settings_length;
	char *settings = bowshot_value_settings(&settings_length);
	shm_toc_estimator estimator;
	dsm_segment *segment;
	shm_toc *toc;
	Size size;

	shm_toc_initialize_estimator(&estimator);
	shm_toc_estimate_chunk(&estimator, sizeof(BowshotCommon));
	shm_toc_estimate_chunk(&estimator, settings_length);
	shm_toc_estimate_chunk(&estimator, strlen(held->query) + 1);
	shm_toc_estimate_chunk(&estimator, strlen(plan) + 1);
	shm_toc_estimate_chunk(&estimator, EstimateSnapshotSpace(snapshot));
	shm_toc_estimate_keys(&estimator, 5);
	bowshot_estimate_scans(&estimator, scans, snapshot);
	size = shm_toc_estimate(&estimator);
	segment = dsm_create(size, 0);
	toc = shm_toc_create(BOWSHOT_SEGMENT, dsm_segment_address(segment), size);

	put(toc, KEY_COMMON, &held->common, sizeof(BowshotCommon));
	put(toc, KEY_VALUE_SETTINGS, settings, settings_length);
	put(toc, KEY_QUERY, held->query, strlen(held->query) + 1);
	put(toc, KEY_PLAN, plan, strlen(plan) + 1);
	SerializeSnapshot(snapshot, put(toc, KEY_SNAPSHOT, NULL, EstimateSnapshotSpace(snapshot)));
	bowshot_put_scans(toc, scans, snapshot);
	return segment;
}

/* Shares the query's plan; false where it cannot be. */
bool
bowshot_hold_plan(BowshotHeld *held, Query *query)
{
	QueryDesc *running = start(held, query);
	List *scans = bowshot_driving_scans(running->planstate);

	if (!bowshot_is_driven(running, scans))
	{
		ExecutorFinish(running);
		ExecutorEnd(running);
		FreeQueryDesc(running);
		return false;
	}
	held->running = running;
	held->common.scans = list_length(scans);
	held->common.columns = running->tupDesc->natts;
	check_columns(held);
	bowshot_publish(held, make_segment(held, scans), SHARED_BY_PLAN);
	return true;
}
