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
