/*
 * A query that its session executes together with parallel workers, which have
 * nothing to do but what it does: fill batches with the rows of the next pages.
 *
 * The planner's own parallel plans hand single rows to the leader, at a cost that
 * keeps it from making one for a query that returns most of what it reads.  Batches
 * are handed over at that of a copy.
 */
#ifndef BOWSHOT_TEAM_H
#define BOWSHOT_TEAM_H

#include "access/parallel.h"
#include "executor/instrument.h"
#include "storage/dsm.h"
#include "storage/shm_mq.h"

#include "bowshot.h"

/* What workers are to know. */
typedef struct BowshotWork
{
	BowshotSettings settings;
	bool keeps_not_null;
	int scans;          /* tables whose pages are shared */
	dsm_handle segment; /* where their scans are; 0 for the workers' own segment */
} BowshotWork;

/* All that the leader and its workers share. */
typedef struct BowshotTask
{
	BowshotWork work;
	pg_atomic_uint64 rows; /* that workers have sent */
} BowshotTask;

enum
{
	TEAM_TASK = 1000, /* beside the scans */
	TEAM_QUERY,
	TEAM_PLAN,
	TEAM_BUFFER_USAGE, /* one a worker */
	TEAM_WAL_USAGE,
	TEAM_QUEUES
};

/*
 * A worker's messages come to the leader in chunks, each behind a byte that says
 * whether more of the message follows: values may be as large as PostgreSQL has
 * them, and queues are not.  A queue holds some batches, since the leader looks at
 * it only behind each of its own.
 */
#define TEAM_CHUNK_BYTES ((size_t) 1024 * 1024)
#define TEAM_QUEUE_BYTES ((Size) 4 * 1024 * 1024)

typedef struct BowshotTeam BowshotTeam;

/* A session that sends its own messages, and those of its workers if it has any. */
typedef struct BowshotLead
{
	BowshotSink sink;
	bool shares; /* it may have workers */
	BowshotWork work;
	QueryDesc *running;
	List *scans; /* that are to be shared */
	int workers; /* that it wants, and has not got yet */
	BowshotTeam *team;
} BowshotLead;

/* team.c */
extern BowshotSink bowshot_lead_sink(BowshotLead *lead);
extern uint64 bowshot_lead(BowshotLead *lead, QueryDesc *running, BowshotReceiver *receiver);

#endif
