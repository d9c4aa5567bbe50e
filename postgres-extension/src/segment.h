/*
 * What the holder of a result has for those who fetch its parts.
 */
#ifndef BOWSHOT_SEGMENT_H
#define BOWSHOT_SEGMENT_H

#include "nodes/execnodes.h"
#include "storage/shm_toc.h"
#include "utils/dsa.h"

#include "shared.h"

#define BOWSHOT_SEGMENT UINT64CONST(0x626f7773686f7432)

enum
{
	KEY_COMMON,
	KEY_VALUE_SETTINGS,
	/* by plan */
	KEY_QUERY,
	KEY_PLAN,
	KEY_SNAPSHOT,
	/* by result */
	KEY_HEAD,
	KEY_QUEUE,
	/* by plan: each table's scan, counted from here */
	KEY_SCANS
};

typedef struct BowshotCommon
{
	BowshotSettings settings;
	bool keeps_not_null;
	int columns;
	int scans;
	Size head_length;
	struct PGPROC *holder;
} BowshotCommon;

/* A result as its holder has it. */
typedef struct BowshotHeld
{
	BowshotTicket ticket;
	const char *name;
	const char *query;
	BowshotCommon common;
	QueryDesc *running;
} BowshotHeld;

/* hold_plan.c, hold_result.c: the two ways to share, of which the first may be impossible */
extern bool bowshot_hold_plan(BowshotHeld *held, Query *query);
extern void bowshot_hold_result(BowshotHeld *held, Query *query);

/* holder.c */
extern void bowshot_publish(BowshotHeld *held, dsm_segment *segment, BowshotSharing how);
extern void bowshot_wait_for_readers(BowshotHeld *held);

/* divide.c: whether a plan can be shared */
extern bool bowshot_may_divide(Query *query);
extern List *bowshot_driving_scans(PlanState *state);
extern bool bowshot_is_driven(QueryDesc *running, List *scans);

/* scans.c: the scans of a plan that is shared */
extern void bowshot_estimate_scans(shm_toc_estimator *estimator, List *scans, Snapshot snapshot);
extern void bowshot_put_scans(shm_toc *toc, List *scans, Snapshot snapshot);
extern void bowshot_begin_scans(List *scans, Snapshot snapshot);
extern void bowshot_move_scans(shm_toc *toc, List *scans, Snapshot snapshot);
extern void bowshot_join_scans(QueryDesc *running, shm_toc *toc, int expected);

/* What a segment holds. */
static inline shm_toc *
bowshot_toc(dsm_segment *segment)
{
	return shm_toc_attach(BOWSHOT_SEGMENT, dsm_segment_address(segment));
}

/* moment.c: what is a constant during a statement, as one */
extern Query *bowshot_fix_moment(Query *query);

/* value_settings.c: settings that values depend upon */
extern char *bowshot_value_settings(Size *length);
extern void bowshot_adopt_settings(const char *settings);

/* queue.c: messages on their way from the holder to those who ask first */
typedef struct BowshotQueue BowshotQueue;

extern Size bowshot_queue_size(void);
extern dsa_area *bowshot_queue_create(BowshotQueue *queue);
extern void bowshot_queue_put(
	BowshotHeld *held, BowshotQueue *queue, dsa_area *area, BowshotPieces pieces, uint64 rows);
extern void bowshot_queue_end(BowshotHeld *held, BowshotQueue *queue);

typedef struct BowshotMessage
{
	dsa_pointer bytes;
	Size length;
	uint64 rows;
} BowshotMessage;

extern dsa_area *bowshot_queue_attach(BowshotQueue *queue);
extern bool bowshot_queue_take(
	BowshotQueue *queue, BowshotTicket ticket, const char *name, int part, BowshotMessage *message);

/* fetch_plan.c, fetch_result.c: a part, from its first message to its last but the end; the number of rows */
extern uint64 bowshot_fetch_plan(BowshotTicket ticket, const char *name, int part, dsm_segment *segment);
extern uint64 bowshot_fetch_result(BowshotTicket ticket, const char *name, int part, dsm_segment *segment);

#endif
