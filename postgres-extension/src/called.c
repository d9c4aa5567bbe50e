/*
 * Types whose values mean nothing as they lie on disk: their own functions write
 * them, in the binary form that COPY BINARY sends, or as text.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "port/pg_bswap.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "receiver.h"

struct Caller
{
	FmgrInfo output; /* the type's, or the elements', output function */
	FmgrInfo send;   /* the function that makes the binary form */
	Oid element;     /* of an array whose elements are written as text */
	int16 element_length;
	bool element_by_value;
	char element_alignment;
};

/* What a send function wrote, with its length in front. */
static void
put_cell(BowshotReceiver *receiver, BowshotColumn *column, const bytea *sent)
{
	uint32 length = VARSIZE(sent) - VARHDRSZ;
	uint32 prefix = pg_hton32(length);

	append(receiver, column, (const char *) &prefix, sizeof(prefix));
	column->offsets[receiver->row] = (int32_t) column->used;
	append(receiver, column, VARDATA(sent), length);
	receiver->bytes += sizeof(prefix) + length;
}

/* An array as text[]: the cast that PostgreSQL makes with the elements' output function. */
static Datum
array_of_texts(Caller *caller, Datum datum)
{
	ArrayType *array = DatumGetArrayTypeP(datum);
	Datum *elements;
	bool *nulls;
	int count;

	deconstruct_array(array, caller->element, caller->element_length, caller->element_by_value,
		caller->element_alignment, &elements, &nulls, &count);
	for (int at = 0; at < count; at++)
		if (!nulls[at])
			elements[at] = CStringGetTextDatum(OutputFunctionCall(&caller->output, elements[at]));
	return PointerGetDatum(construct_md_array(elements, nulls, ARR_NDIM(array), ARR_DIMS(array),
		ARR_LBOUND(array), TEXTOID, -1, false, TYPALIGN_INT));
}

/* A value that functions make something of. */
static void
put_called(BowshotReceiver *receiver, BowshotColumn *column, Caller *caller, Datum datum)
{
	if (column->how == BOWSHOT_OUTPUT)
	{
		char *text = OutputFunctionCall(&caller->output, datum);

		put_text(receiver, column, text, strlen(text));
		return;
	}
	if (column->how == BOWSHOT_SENT_TEXTS)
		datum = array_of_texts(caller, datum);
	put_cell(receiver, column, SendFunctionCall(&caller->send, datum));
}

/*
 * The same, with what the functions leave behind thrown away.  Send functions
 * write text in the client's encoding: for their time that is UTF-8.
 */
void
bowshot_put_called(BowshotReceiver *receiver, BowshotColumn *column, Datum datum)
{
	Caller *caller = &receiver->callers[column - receiver->batch.columns];
	MemoryContext old = MemoryContextSwitchTo(receiver->garbage);
	int encoding = pg_get_client_encoding();

	if (likely(encoding == PG_UTF8))
		put_called(receiver, column, caller, datum);
	else
	{
		PG_TRY();
		{
			SetClientEncoding(PG_UTF8);
			put_called(receiver, column, caller, datum);
		}
		PG_FINALLY();
		{
			SetClientEncoding(encoding);
		}
		PG_END_TRY();
	}
	MemoryContextSwitchTo(old);
}

static void
find_functions(Caller *caller, BowshotHow how, Oid type, MemoryContext context)
{
	Oid function;
	bool is_varlena;

	if (how == BOWSHOT_SENT)
	{
		getTypeBinaryOutputInfo(type, &function, &is_varlena);
		fmgr_info_cxt(function, &caller->send, context);
		return;
	}
	if (how == BOWSHOT_SENT_TEXTS)
	{
		type = caller->element = get_element_type(type);
		get_typlenbyvalalign(
			type, &caller->element_length, &caller->element_by_value, &caller->element_alignment);
		getTypeBinaryOutputInfo(TEXTARRAYOID, &function, &is_varlena);
		fmgr_info_cxt(function, &caller->send, context);
	}
	getTypeOutputInfo(type, &function, &is_varlena);
	fmgr_info_cxt(function, &caller->output, context);
}

/* Finds the functions of all columns that need some. */
void
bowshot_find_callers(BowshotReceiver *receiver, TupleDesc columns)
{
	receiver->callers = MemoryContextAllocZero(receiver->context, Max(columns->natts, 1) * sizeof(Caller));
	for (int at = 0; at < columns->natts; at++)
	{
		BowshotHow how = receiver->batch.columns[at].how;

		if (how != BOWSHOT_OUTPUT && how != BOWSHOT_SENT && how != BOWSHOT_SENT_TEXTS)
			continue;
		receiver->calls = true;
		find_functions(
			&receiver->callers[at], how, bowshot_sent_type(TupleDescAttr(columns, at)), receiver->context);
	}
	if (receiver->calls && PrepareClientEncoding(PG_UTF8) < 0)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						   errmsg("conversion between %s and %s is not supported",
							   pg_encoding_to_char(PG_UTF8), GetDatabaseEncodingName())));
}
