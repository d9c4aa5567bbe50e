/*
 * The view bowshot.results: the user's own shared results in this database.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/builtins.h"

#include "shared.h"

#define COLUMNS 10

PG_FUNCTION_INFO_V1(bowshot_results);

/* The results as they are now, in memory of this session's. */
static BowshotShared *
own_results(int *count)
{
	BowshotShared *found = palloc(MOST_RESULTS * sizeof(BowshotShared));

	*count = 0;
	bowshot_lock(LW_SHARED);
	for (int at = 0; at < MOST_RESULTS; at++)
	{
		BowshotShared *place = bowshot_place(at);

		if (place->id != 0 && place->database == MyDatabaseId && place->user == GetUserId())
			memcpy(&found[(*count)++], place, sizeof(BowshotShared));
	}
	bowshot_unlock();
	return found;
}

static Datum
text_of(const char *text)
{
	return CStringGetTextDatum(text);
}

static HeapTuple
row_of(TupleDesc columns, BowshotShared *result)
{
	Datum values[COLUMNS];
	bool nulls[COLUMNS] = {false};

	values[0] = text_of(result->name);
	values[1] = Int32GetDatum(result->parts);
	nulls[2] = result->how == SHARED_NOT_YET;
	values[2] = nulls[2] ? (Datum) 0 : text_of(result->how == SHARED_BY_PLAN ? "plan" : "result");
	values[3] = Int32GetDatum(pg_popcount64(result->begun));
	values[4] = Int32GetDatum(pg_popcount64(result->done));
	values[5] = Int64GetDatum((int64) pg_atomic_read_u64(&result->bytes));
	values[6] = TimestampTzGetDatum(result->declared);
	values[7] = Int32GetDatum(result->owner);
	nulls[8] = result->holder == 0;
	values[8] = Int32GetDatum(result->holder);
	nulls[9] = !result->failed;
	values[9] = nulls[9] ? (Datum) 0 : text_of(result->failure.message);
	return heap_form_tuple(columns, values, nulls);
}

Datum
bowshot_results(PG_FUNCTION_ARGS)
{
	FuncCallContext *calls;

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext old;
		TupleDesc columns;
		int count;

		calls = SRF_FIRSTCALL_INIT();
		old = MemoryContextSwitchTo(calls->multi_call_memory_ctx);
		if (get_call_result_type(fcinfo, NULL, &columns) != TYPEFUNC_COMPOSITE)
			elog(ERROR, "bowshot.shared_results must return a row type");
		calls->tuple_desc = BlessTupleDesc(columns);
		calls->user_fctx = own_results(&count);
		calls->max_calls = count;
		MemoryContextSwitchTo(old);
	}
	calls = SRF_PERCALL_SETUP();
	if (calls->call_cntr < calls->max_calls)
	{
		BowshotShared *results = calls->user_fctx;
		HeapTuple row = row_of(calls->tuple_desc, &results[calls->call_cntr]);

		SRF_RETURN_NEXT(calls, HeapTupleGetDatum(row));
	}
	SRF_RETURN_DONE(calls);
}
