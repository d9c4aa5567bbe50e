/*
 * The state of a session as another process takes it over: as PostgreSQL's own
 * parallel workers do (access/transam/parallel.c), but for a transaction of its
 * own that only reads.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "catalog/pg_authid.h"
#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "storage/proc.h"
#include "storage/shm_toc.h"
#include "utils/guc.h"
#include "utils/snapmgr.h"

#include "request.h"

#define MAGIC UINT64CONST(0x626f7773686f7431)

enum
{
	KEY_STATE,
	KEY_QUERY,
	KEY_LIBRARIES,
	KEY_SETTINGS,
	KEY_SNAPSHOT
};

typedef struct State
{
	int place;
	uint64 id;
	BowshotSettings settings;
	PGPROC *owner;
	Oid database;
	Oid login;
	Oid role; /* of SET ROLE */
	bool role_is_superuser;
	Oid user;
	int security;
	TimestampTz transaction_start;
	TimestampTz statement_start;
} State;

static void *
put(shm_toc *toc, uint64 key, Size size)
{
	void *place = shm_toc_allocate(toc, size);

	shm_toc_insert(toc, key, place);
	return place;
}

static void *
get(dsm_segment *segment, uint64 key)
{
	return shm_toc_lookup(shm_toc_attach(MAGIC, dsm_segment_address(segment)), key, false);
}

static void
put_state(State *state, const BowshotWish *wish, BowshotTicket ticket)
{
	state->place = bowshot_number(ticket.place);
	state->id = ticket.id;
	state->settings = wish->settings;
	state->owner = MyProc;
	state->database = MyDatabaseId;
	state->login = GetAuthenticatedUserId();
	state->role = GetCurrentRoleId();
	state->role_is_superuser = superuser_arg(OidIsValid(state->role) ? state->role : GetSessionUserId());
	GetUserIdAndSecContext(&state->user, &state->security);
	state->transaction_start = GetCurrentTransactionStartTimestamp();
	state->statement_start = GetCurrentStatementStartTimestamp();
}

/* This session's state and what it asks for. */
dsm_segment *
bowshot_request(const BowshotWish *wish, BowshotTicket ticket)
{
	Snapshot snapshot = GetActiveSnapshot();
	Size query = strlen(wish->query) + 1;
	Size libraries = EstimateLibraryStateSpace();
	Size settings = EstimateGUCStateSpace();
	Size seen = EstimateSnapshotSpace(snapshot);
	Size sizes[] = {sizeof(State), query, libraries, settings, seen};
	shm_toc_estimator estimator;
	dsm_segment *segment;
	shm_toc *toc;
	Size size;

	shm_toc_initialize_estimator(&estimator);
	for (size_t at = 0; at < lengthof(sizes); at++)
		shm_toc_estimate_chunk(&estimator, sizes[at]);
	shm_toc_estimate_keys(&estimator, lengthof(sizes));
	size = shm_toc_estimate(&estimator);
	segment = dsm_create(size, 0);
	toc = shm_toc_create(MAGIC, dsm_segment_address(segment), size);

	put_state(put(toc, KEY_STATE, sizeof(State)), wish, ticket);
	memcpy(put(toc, KEY_QUERY, query), wish->query, query);
	SerializeLibraryState(libraries, put(toc, KEY_LIBRARIES, libraries));
	SerializeGUCState(settings, put(toc, KEY_SETTINGS, settings));
	SerializeSnapshot(snapshot, put(toc, KEY_SNAPSHOT, seen));
	return segment;
}

/* The request of another process, or NULL where that is gone. */
dsm_segment *
bowshot_request_attach(dsm_handle handle)
{
	return dsm_attach(handle);
}

BowshotTicket
bowshot_request_ticket(dsm_segment *segment)
{
	State *state = get(segment, KEY_STATE);
	BowshotTicket ticket = {bowshot_place(state->place), state->id};

	return ticket;
}

BowshotWish
bowshot_request_wish(dsm_segment *segment)
{
	State *state = get(segment, KEY_STATE);
	BowshotWish wish = {pstrdup(get(segment, KEY_QUERY)), state->settings};

	return wish;
}

/* Connects this process to the session's database, as the user who logged in. */
void
bowshot_request_connect(dsm_segment *segment)
{
	State *state = get(segment, KEY_STATE);

	BackgroundWorkerInitializeConnectionByOid(state->database, state->login, 0);
}

/* Begins a transaction that has the session's settings, user and time, and may only read. */
void
bowshot_request_restore(dsm_segment *segment)
{
	State *state = get(segment, KEY_STATE);

	/* In a transaction of its own: some settings are the transaction's. */
	StartTransactionCommand();
	RestoreLibraryState(get(segment, KEY_LIBRARIES));
	/* As in parallel workers, what a session has set is not judged again: a standby has no read-write
	 * default. */
	InitializingParallelWorker = true;
	RestoreGUCState(get(segment, KEY_SETTINGS));
	InitializingParallelWorker = false;
	CommitTransactionCommand();

	StartTransactionCommand();
	XactIsoLevel = XACT_REPEATABLE_READ;
	XactReadOnly = true;
	XactDeferrable = false;
	/* So that now() is what it is to the owner; the function is meant for parallel workers, and says so. */
	ParallelWorkerNumber = 0;
	SetParallelStartTimestamps(state->transaction_start, state->statement_start);
	ParallelWorkerNumber = -1;
	SetCurrentRoleId(state->role, state->role_is_superuser);
	SetUserIdAndSecContext(state->user, state->security);
}

/* Sees what the session sees.  It waits meanwhile, so that its snapshot holds. */
void
bowshot_request_snapshot(dsm_segment *segment)
{
	State *state = get(segment, KEY_STATE);
	Snapshot snapshot = RestoreSnapshot(get(segment, KEY_SNAPSHOT));

	/* The session has written nothing; what those who read the parts have written is not theirs to see. */
	snapshot->curcid = FirstCommandId;
	RestoreTransactionSnapshot(snapshot, state->owner);
	PushActiveSnapshot(snapshot);
}
