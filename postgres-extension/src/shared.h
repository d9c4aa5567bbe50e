/*
 * Results that n connections share: what their owner, the process that holds
 * each of them, and those who fetch its parts know of it.
 *
 * The owner's session declares one.  A background worker, the holder, has the
 * snapshot, the locks and the plan, and either executes the query itself and
 * hands out its messages (by result), or waits while each part's session
 * executes the plan on its share of the table's pages (by plan).
 */
#ifndef BOWSHOT_SHARED_H
#define BOWSHOT_SHARED_H

#include "postgres.h"

#include "port/atomics.h"
#include "storage/condition_variable.h"
#include "storage/dsm.h"
#include "storage/lwlock.h"
#include "utils/timestamp.h"

#include "bowshot.h"

#if PG_VERSION_NUM >= 180000
#define NEVER_RETURNS pg_noreturn
#else
#define NEVER_RETURNS pg_attribute_noreturn()
#endif

/* Parts fit the bits of a word. */
#define MOST_PARTS 64

/* Results at a time, of the whole server: what fits into the shared memory that PostgreSQL has to spare. */
#define MOST_RESULTS 32

/*
 * How long holders and readers wait for a lock, in milliseconds.  The owner has had
 * each of them, and then the holder has it, so that only somebody who waits for a
 * stronger one can be in the way; and that one waits for the result, which waits for
 * the lock.  No detector of deadlocks would see that.
 */
#define LOCK_PATIENCE 2000

/* The first thing that went wrong with a result. */
typedef struct BowshotFailure
{
	int sqlstate;
	int part; /* whose session it happened in; 0 for the holder */
	char message[320];
	char detail[160];
	char hint[192];
	char column[NAMEDATALEN];
} BowshotFailure;

typedef enum BowshotSharing
{
	SHARED_NOT_YET, /* the holder has no plan yet */
	SHARED_BY_PLAN,
	SHARED_BY_RESULT
} BowshotSharing;

/* A result in the registry; all but the atomic and the condition is guarded by its lock. */
typedef struct BowshotShared
{
	uint64 id; /* tells it from those before in the same place; 0 where there is none */
	char name[NAMEDATALEN];
	Oid database;
	Oid user;
	int owner;  /* the process whose end ends it */
	int holder; /* the process that holds it; 0 where it has ended */
	int parts;
	BowshotSharing how;
	uint64 begun; /* parts that were fetched or are being so, a bit each */
	uint64 done;  /* parts that were fetched whole */
	uint64 told;  /* parts that have learnt of the failure */
	bool failed;
	BowshotFailure failure;
	int64 patience; /* milliseconds without any fetch after which it ends */
	TimestampTz declared;
	TimestampTz changed;     /* when a fetch last began or ended, or it failed */
	dsm_handle segment;      /* what the holder has for those who fetch */
	pg_atomic_uint64 bytes;  /* that were sent */
	ConditionVariable wakes; /* those who wait for any change */
} BowshotShared;

/* A result that somebody remembers: its place, which another one may have taken meanwhile. */
typedef struct BowshotTicket
{
	BowshotShared *place;
	uint64 id;
} BowshotTicket;

/* registry.c: all shared results */
extern void bowshot_lock(LWLockMode mode);
extern void bowshot_unlock(void);
extern int bowshot_tranche(void);
extern BowshotShared *bowshot_place(int number);
extern int bowshot_number(const BowshotShared *place);
extern BowshotShared *bowshot_find(const char *name);
extern BowshotTicket bowshot_register(const char *name, int parts, int64 patience);
extern void bowshot_remove(BowshotShared *place);
extern bool bowshot_is(BowshotTicket ticket);
NEVER_RETURNS extern void bowshot_unknown(const char *name);

/* lifetime.c: how a result ends */
extern uint64 bowshot_all_parts(const BowshotShared *shared);
extern int bowshot_reading(const BowshotShared *shared);
extern void bowshot_close_result(BowshotTicket ticket);
extern void bowshot_fail(BowshotTicket ticket, const BowshotFailure *failure);
extern bool bowshot_is_whole(BowshotTicket ticket);
extern void bowshot_check_whole(BowshotTicket ticket, const char *name, int part);
extern void bowshot_watch_session(void);
extern void bowshot_now_holding(BowshotTicket ticket);

/* reading.c: a part, from its claim to its end */
extern BowshotTicket bowshot_claim(const char *name, int part, dsm_handle *segment, BowshotSharing *how);
extern void bowshot_reading_begins(void);
extern void bowshot_reading_is_done(void);
extern bool bowshot_reading_fails(const ErrorData *error);

/* failure.c: errors between processes */
extern void bowshot_remember(BowshotFailure *failure, const ErrorData *error, int part);
NEVER_RETURNS extern void bowshot_raise(const BowshotFailure *failure, const char *name);

/* waiting.c: the name of what sessions wait for */
extern uint32 bowshot_wait_event(void);

#endif
