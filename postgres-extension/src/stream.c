/*
 * The library's stream, which lives as long as a memory context, and its errors
 * as PostgreSQL's.
 */
#include "postgres.h"

#include "utils/elog.h"
#include "utils/memutils.h"

#include "bowshot.h"

static void
free_stream(void *stream)
{
	bowshot_arrow_free(stream);
}

/* A stream that is freed with the context, however the query ends. */
BowshotArrow *
bowshot_stream(MemoryContext context, BowshotSettings settings)
{
	MemoryContextCallback *callback = MemoryContextAlloc(context, sizeof(MemoryContextCallback));
	BowshotArrow *stream = bowshot_arrow_new(settings);

	if (!stream)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	callback->func = free_stream;
	callback->arg = stream;
	MemoryContextRegisterResetCallback(context, callback);
	return stream;
}

/* Raises the library's error, if there is one. */
void
bowshot_check(BowshotArrow *stream, bool done)
{
	BowshotError error;
	const char *state;

	if (likely(done))
		return;
	error = bowshot_arrow_error(stream);
	state = error.sqlstate ? error.sqlstate : "XX000";
	ereport(ERROR,
		(errcode(MAKE_SQLSTATE(state[0], state[1], state[2], state[3], state[4])),
			errmsg_internal("%s", error.message ? bowshot_from_utf8(error.message) : "no message"),
			error.hint ? errhint("%s", bowshot_from_utf8(error.hint)) : 0,
			error.column ? err_generic_string(PG_DIAG_COLUMN_NAME, bowshot_from_utf8(error.column)) : 0));
}
