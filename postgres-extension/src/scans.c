/*
 * The scans that several processes share: each takes the next pages of a table
 * until none is left.
 */
#include "postgres.h"

#include "access/tableam.h"

#include "segment.h"

static Relation
relation_of(const ListCell *cell)
{
	return ((ScanState *) lfirst(cell))->ss_currentRelation;
}

/* Counts what these scans will take of a segment. */
void
bowshot_estimate_scans(shm_toc_estimator *estimator, List *scans, Snapshot snapshot)
{
	ListCell *cell;

	foreach (cell, scans)
		shm_toc_estimate_chunk(estimator, table_parallelscan_estimate(relation_of(cell), snapshot));
	shm_toc_estimate_keys(estimator, list_length(scans));
}

/* Puts them into a segment, with all of their pages to be read. */
void
bowshot_put_scans(shm_toc *toc, List *scans, Snapshot snapshot)
{
	ListCell *cell;

	foreach (cell, scans)
	{
		Relation relation = relation_of(cell);
		ParallelTableScanDesc scan = shm_toc_allocate(toc, table_parallelscan_estimate(relation, snapshot));

		table_parallelscan_initialize(relation, scan, snapshot);
		shm_toc_insert(toc, KEY_SCANS + foreach_current_index(cell), scan);
	}
}

/* Has a query, which has not begun, read its tables as if it shared their scans, so that it can once it has
 * begun. */
void
bowshot_begin_scans(List *scans, Snapshot snapshot)
{
	ListCell *cell;

	foreach (cell, scans)
	{
		ScanState *scan = lfirst(cell);
		Relation relation = scan->ss_currentRelation;
		ParallelTableScanDesc shared = palloc0(table_parallelscan_estimate(relation, snapshot));

		table_parallelscan_initialize(relation, shared, snapshot);
		scan->ss_currentScanDesc = table_beginscan_parallel(relation, shared);
	}
}

/* Puts scans that have begun so into a segment: what they have not read is for all. */
void
bowshot_move_scans(shm_toc *toc, List *scans, Snapshot snapshot)
{
	ListCell *cell;

	foreach (cell, scans)
	{
		TableScanDesc scan = ((ScanState *) lfirst(cell))->ss_currentScanDesc;
		Size size = table_parallelscan_estimate(relation_of(cell), snapshot);
		ParallelTableScanDesc shared = shm_toc_allocate(toc, size);

		/* Nobody else has it yet, so that its lock and its atomics are bytes like others. */
		memcpy(shared, scan->rs_parallel, size);
		scan->rs_parallel = shared;
		shm_toc_insert(toc, KEY_SCANS + foreach_current_index(cell), shared);
	}
}

/* A query that has not begun goes on with those pages that others have not taken. */
void
bowshot_join_scans(QueryDesc *running, shm_toc *toc, int expected)
{
	List *scans = bowshot_driving_scans(running->planstate);
	ListCell *cell;

	if (list_length(scans) != expected)
		elog(ERROR, "the plan has %d scans to share, not %d", list_length(scans), expected);
	foreach (cell, scans)
	{
		ScanState *scan = lfirst(cell);

		scan->ss_currentScanDesc = table_beginscan_parallel(
			scan->ss_currentRelation, shm_toc_lookup(toc, KEY_SCANS + foreach_current_index(cell), false));
	}
}
