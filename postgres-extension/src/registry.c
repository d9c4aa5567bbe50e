/*
 * All shared results of the server, in a few kilobytes of its shared memory.
 * They are made when they are first needed, so that nothing has to be preloaded.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/shmem.h"
#include "utils/builtins.h"

#include "shared.h"

typedef struct Registry
{
	LWLock lock;
	int tranche;
	uint64 last_id;
	BowshotShared places[MOST_RESULTS];
} Registry;

static Registry *registry = NULL;

static Registry *
attach(void)
{
	bool found;

	if (registry)
		return registry;
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	registry = ShmemInitStruct("bowshot shared results", sizeof(Registry), &found);
	if (!found)
	{
		memset(registry, 0, sizeof(Registry));
		registry->tranche = LWLockNewTrancheId();
		LWLockInitialize(&registry->lock, registry->tranche);
		for (int at = 0; at < MOST_RESULTS; at++)
		{
			pg_atomic_init_u64(&registry->places[at].bytes, 0);
			ConditionVariableInit(&registry->places[at].wakes);
		}
	}
	LWLockRelease(AddinShmemInitLock);
	LWLockRegisterTranche(registry->tranche, "bowshot");
	return registry;
}

void
bowshot_lock(LWLockMode mode)
{
	LWLockAcquire(&attach()->lock, mode);
}

void
bowshot_unlock(void)
{
	LWLockRelease(&registry->lock);
}

/* The kind of the locks in shared memory that is ours. */
int
bowshot_tranche(void)
{
	return attach()->tranche;
}

/* A place of the registry, by its number. */
BowshotShared *
bowshot_place(int number)
{
	return &attach()->places[number];
}

int
bowshot_number(const BowshotShared *place)
{
	return place - attach()->places;
}

/* How long a failure is told at least, in milliseconds. */
#define REMEMBERED 60000

/* Whether it has failed so long ago that nobody will ask for it any more. */
static bool
is_forgotten(const BowshotShared *place)
{
	return place->failed && TimestampDifferenceExceeds(place->changed, GetCurrentTimestamp(),
								(int) Max(place->patience, REMEMBERED));
}

/*
 * The user's own result of that name in this database, or NULL.  Others' are not
 * found, so that nobody learns of them.  The lock is held.
 */
BowshotShared *
bowshot_find(const char *name)
{
	for (int at = 0; at < MOST_RESULTS; at++)
	{
		BowshotShared *place = &registry->places[at];

		if (place->id != 0 && place->database == MyDatabaseId && place->user == GetUserId() &&
			strcmp(place->name, name) == 0 && !is_forgotten(place))
			return place;
	}
	return NULL;
}

/* The one error for names that are not there, or not the user's. */
void
bowshot_unknown(const char *name)
{
	ereport(ERROR,
		(errcode(ERRCODE_UNDEFINED_CURSOR), errmsg("shared result \"%s\" does not exist", name),
			errhint("It may have been fetched whole, closed, or not fetched for longer than its timeout; "
					"it also ends with the session that declared it. Declare it again.")));
}

/* Frees the place of a result; who still has to do with it sees that it is gone.  The lock is held. */
void
bowshot_remove(BowshotShared *place)
{
	place->id = 0;
	ConditionVariableBroadcast(&place->wakes);
}

static BowshotShared *
free_place(void)
{
	BowshotShared *found = NULL;

	for (int at = 0; at < MOST_RESULTS && !found; at++)
	{
		BowshotShared *place = &registry->places[at];

		if (place->id != 0 && is_forgotten(place))
			bowshot_remove(place);
		if (place->id == 0)
			found = place;
	}
	return found;
}

/* A new result of this session's, which has no plan yet. */
BowshotTicket
bowshot_register(const char *name, int parts, int64 patience)
{
	BowshotShared *place;
	BowshotTicket ticket;

	bowshot_lock(LW_EXCLUSIVE);
	if (bowshot_find(name))
		ereport(
			ERROR, (errcode(ERRCODE_DUPLICATE_CURSOR), errmsg("shared result \"%s\" already exists", name),
					   errhint("Choose another name, or free it with SELECT bowshot.close(%s).",
						   quote_literal_cstr(name))));
	place = free_place();
	if (!place)
		ereport(ERROR, (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
						   errmsg("the server has %d shared results, which is all it can have", MOST_RESULTS),
						   errhint("Fetch or close others first.")));
	ticket.place = place;
	ticket.id = place->id = ++registry->last_id;
	strlcpy(place->name, name, NAMEDATALEN);
	place->database = MyDatabaseId;
	place->user = GetUserId();
	place->owner = MyProcPid;
	place->holder = 0;
	place->parts = parts;
	place->how = SHARED_NOT_YET;
	place->begun = place->done = place->told = 0;
	place->failed = false;
	place->patience = patience;
	place->declared = place->changed = GetCurrentTimestamp();
	place->segment = DSM_HANDLE_INVALID;
	pg_atomic_write_u64(&place->bytes, 0);
	bowshot_unlock();
	return ticket;
}

/* Whether the result is still in its place. */
bool
bowshot_is(BowshotTicket ticket)
{
	return ticket.place->id == ticket.id;
}
