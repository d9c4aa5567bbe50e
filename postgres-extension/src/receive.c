/*
 * The end of the executor's pipe: each value of a row goes straight from the
 * tuple into the memory of its column.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "port/pg_bswap.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "bowshot.h"
#include "decimal.h"

/* What a column needs besides its memory. */
typedef struct Caller
{
	FmgrInfo	output;			/* the type's, or the elements', output function */
	FmgrInfo	send;			/* the function that makes the binary form */
	Oid			element;		/* of an array whose elements are written as text */
	int16		element_length;
	bool		element_by_value;
	char		element_alignment;
} Caller;

struct BowshotReceiver
{
	DestReceiver pub;
	BowshotArrow *stream;
	BowshotBatch batch;
	size_t		row;			/* rows in the batch */
	size_t		bytes;			/* bytes of values without a fixed length in the batch */
	uint64		rows;			/* rows of all batches before */
	Caller	   *callers;		/* one a column */
	bool		converts;		/* the server's text is not UTF-8 */
	bool		calls;			/* a column's values go through functions */
	MemoryContext context;		/* as long as the receiver */
	MemoryContext garbage;		/* what those functions leave, a row long */
};

static pg_noinline void
grow(BowshotReceiver *receiver, BowshotColumn *column, size_t more)
{
	size_t		place = column - receiver->batch.columns;

	bowshot_check(receiver->stream, bowshot_arrow_grow(receiver->stream, place, more));
}

/*
 * Copies a few bytes without a call: a value from both of its ends, which may
 * overlap.
 */
static inline void
copy_short(uint8_t *to, const char *from, size_t length)
{
	if (length > 32)
		memcpy(to, from, length);
	else if (length >= 16)
	{
		memcpy(to, from, 16);
		memcpy(to + length - 16, from + length - 16, 16);
	}
	else if (length >= 8)
	{
		memcpy(to, from, 8);
		memcpy(to + length - 8, from + length - 8, 8);
	}
	else if (length >= 4)
	{
		memcpy(to, from, 4);
		memcpy(to + length - 4, from + length - 4, 4);
	}
	else
		for (size_t at = 0; at < length; at++)
			to[at] = from[at];
}

/* Appends bytes to a column whose values have no fixed length. */
static inline void
append(BowshotReceiver *receiver, BowshotColumn *column, const char *bytes, size_t length)
{
	if (unlikely(length > column->room - column->used))
		grow(receiver, column, length);
	copy_short(column->values + column->used, bytes, length);
	column->used += length;
	receiver->bytes += length;
}

/* A value that is the bytes themselves. */
static inline void
put_bytes(BowshotReceiver *receiver, BowshotColumn *column, const char *bytes, size_t length)
{
	append(receiver, column, bytes, length);
	column->offsets[receiver->row + 1] = (int32_t) column->used;
}

/* Text in the server's encoding. */
static inline void
put_text(BowshotReceiver *receiver, BowshotColumn *column, const char *text, size_t length)
{
	char	   *converted;

	if (likely(!receiver->converts))
	{
		put_bytes(receiver, column, text, length);
		return;
	}
	converted = pg_server_to_any(text, length, PG_UTF8);
	if (converted == text)
		put_bytes(receiver, column, text, length);
	else
	{
		put_bytes(receiver, column, converted, strlen(converted));
		pfree(converted);
	}
}

/* A decimal, of two words of which the higher one is mostly the sign. */
static inline void
put_decimal(BowshotReceiver *receiver, BowshotColumn *column, const char *numeric, size_t length)
{
	uint8_t    *value = column->values + 16 * receiver->row;
	int64		words[2];

	if (likely(decimal_unscaled(column, numeric, length, &words[0])))
	{
		words[1] = words[0] >> 63;
#ifdef WORDS_BIGENDIAN
#error "decimals are written with the lower word first"
#endif
		memcpy(value, words, sizeof(words));
		return;
	}
	bowshot_check(receiver->stream,
				  bowshot_arrow_decimal(receiver->stream, column - receiver->batch.columns,
										(const uint8_t *) numeric, length, value));
}

/* What a varlena holds, without its header. */
static inline void
put_payload(BowshotReceiver *receiver, BowshotColumn *column, const struct varlena *value)
{
	const char *bytes = VARDATA_ANY(value);
	size_t		length = VARSIZE_ANY_EXHDR(value);

	if (column->how == BOWSHOT_DECIMAL)
		put_decimal(receiver, column, bytes, length);
	else if (column->how == BOWSHOT_TEXT)
		put_text(receiver, column, bytes, length);
	else
		put_bytes(receiver, column, bytes, length);
}

/* A varlena, wherever it is. */
static inline void
put_varlena(BowshotReceiver *receiver, BowshotColumn *column, struct varlena *value)
{
	if (unlikely(VARATT_IS_COMPRESSED(value) || VARATT_IS_EXTERNAL(value)))
	{
		struct varlena *plain = detoast_attr(value);

		put_payload(receiver, column, plain);
		pfree(plain);
	}
	else
		put_payload(receiver, column, value);
}

/* What a send function wrote, with its length in front. */
static void
put_cell(BowshotReceiver *receiver, BowshotColumn *column, const bytea *sent)
{
	uint32		length = VARSIZE(sent) - VARHDRSZ;
	uint32		prefix = pg_hton32(length);

	append(receiver, column, (const char *) &prefix, sizeof(prefix));
	column->offsets[receiver->row] = (int32_t) column->used;
	append(receiver, column, VARDATA(sent), length);
}

/* An array as text[]: the cast that PostgreSQL makes with the elements' output function. */
static Datum
array_of_texts(Caller *caller, Datum datum)
{
	ArrayType  *array = DatumGetArrayTypeP(datum);
	Datum	   *elements;
	bool	   *nulls;
	int			count;

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
		char	   *text = OutputFunctionCall(&caller->output, datum);

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
static pg_noinline void
put_through_functions(BowshotReceiver *receiver, BowshotColumn *column, Datum datum)
{
	Caller	   *caller = &receiver->callers[column - receiver->batch.columns];
	MemoryContext old = MemoryContextSwitchTo(receiver->garbage);
	int			encoding = pg_get_client_encoding();

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
put_null(BowshotReceiver *receiver, BowshotColumn *column)
{
	size_t		row = receiver->row;

	column->validity[row / 8] &= ~(1 << (row % 8));
	column->nulls++;
	switch (column->how)
	{
		case BOWSHOT_BYTE1:
			column->values[row] = 0;
			break;
		case BOWSHOT_BYTE2:
			((int16 *) column->values)[row] = 0;
			break;
		case BOWSHOT_BYTE4:
			((int32 *) column->values)[row] = 0;
			break;
		case BOWSHOT_BYTE8:
			((int64 *) column->values)[row] = 0;
			break;
		case BOWSHOT_BYTE16:
		case BOWSHOT_DECIMAL:
			memset(column->values + 16 * row, 0, 16);
			break;
		case BOWSHOT_SENT:
		case BOWSHOT_SENT_TEXTS:
			column->offsets[row] = 0;
			break;
		default:
			column->offsets[row + 1] = (int32_t) column->used;
	}
}

/* Sends the rows of the batch, if there are any, and begins the next one. */
static pg_noinline void
flush(BowshotReceiver *receiver)
{
	BowshotArrow *stream = receiver->stream;

	if (receiver->row == 0)
		return;
	bowshot_check(stream, bowshot_arrow_batch(stream, receiver->row));
	bowshot_send_pieces(stream);
	bowshot_check(stream, bowshot_arrow_clear(stream));
	receiver->batch = bowshot_arrow_room(stream);
	receiver->rows += receiver->row;
	receiver->row = 0;
	receiver->bytes = 0;
}

static bool
receive_slot(TupleTableSlot *slot, DestReceiver *self)
{
	BowshotReceiver *receiver = (BowshotReceiver *) self;
	BowshotColumn *column = receiver->batch.columns;
	size_t		row = receiver->row;

	slot_getallattrs(slot);
	for (size_t at = 0; at < receiver->batch.columns_count; at++, column++)
	{
		Datum		datum = slot->tts_values[at];

		if (unlikely(slot->tts_isnull[at]))
		{
			put_null(receiver, column);
			continue;
		}
		switch (column->how)
		{
			case BOWSHOT_BYTE1:
				column->values[row] = DatumGetBool(datum);
				break;
			case BOWSHOT_BYTE2:
				((int16 *) column->values)[row] = DatumGetInt16(datum);
				break;
			case BOWSHOT_BYTE4:
				((int32 *) column->values)[row] = DatumGetInt32(datum);
				break;
			case BOWSHOT_BYTE8:
				((int64 *) column->values)[row] = DatumGetInt64(datum);
				break;
			case BOWSHOT_BYTE16:
				memcpy(column->values + 16 * row, DatumGetPointer(datum), 16);
				break;
			case BOWSHOT_BYTES:
			case BOWSHOT_TEXT:
			case BOWSHOT_DECIMAL:
				put_varlena(receiver, column, (struct varlena *) DatumGetPointer(datum));
				break;
			case BOWSHOT_NAME:
				put_text(receiver, column, NameStr(*DatumGetName(datum)),
						 strlen(NameStr(*DatumGetName(datum))));
				break;
			default:
				put_through_functions(receiver, column, datum);
		}
	}
	if (receiver->calls)
		MemoryContextReset(receiver->garbage);

	receiver->row++;
	if (receiver->row == receiver->batch.rows_most ||
		receiver->bytes + receiver->row * receiver->batch.row_bytes >= receiver->batch.bytes_most)
		flush(receiver);
	return true;
}

static void
do_nothing_at_startup(DestReceiver *self, int operation, TupleDesc columns)
{
}

static void
do_nothing(DestReceiver *self)
{
}

/* A receiver for the stream; it lives in the context. */
BowshotReceiver *
bowshot_receiver(BowshotArrow *stream, MemoryContext context)
{
	BowshotReceiver *receiver = MemoryContextAllocZero(context, sizeof(BowshotReceiver));

	StaticAssertStmt(sizeof(Interval) == 16 && UUID_LEN == 16, "sixteen bytes are copied");
	receiver->pub.receiveSlot = receive_slot;
	receiver->pub.rStartup = do_nothing_at_startup;
	receiver->pub.rShutdown = do_nothing;
	receiver->pub.rDestroy = do_nothing;
	receiver->pub.mydest = DestNone;
	receiver->stream = stream;
	receiver->context = context;
	receiver->garbage = AllocSetContextCreate(context, "bowshot values", ALLOCSET_DEFAULT_SIZES);
	receiver->converts = GetDatabaseEncoding() != PG_UTF8;
	return receiver;
}

static void
find_functions(Caller *caller, BowshotHow how, Oid type, MemoryContext context)
{
	Oid			function;
	bool		is_varlena;

	if (how == BOWSHOT_SENT)
	{
		getTypeBinaryOutputInfo(type, &function, &is_varlena);
		fmgr_info_cxt(function, &caller->send, context);
		return;
	}
	if (how == BOWSHOT_SENT_TEXTS)
	{
		type = caller->element = get_element_type(type);
		get_typlenbyvalalign(type, &caller->element_length, &caller->element_by_value,
							 &caller->element_alignment);
		getTypeBinaryOutputInfo(TEXTARRAYOID, &function, &is_varlena);
		fmgr_info_cxt(function, &caller->send, context);
	}
	getTypeOutputInfo(type, &function, &is_varlena);
	fmgr_info_cxt(function, &caller->output, context);
}

/* Gets ready for rows of these columns, once the stream has started. */
void
bowshot_receiver_start(BowshotReceiver *receiver, TupleDesc columns)
{
	receiver->batch = bowshot_arrow_room(receiver->stream);
	receiver->callers =
		MemoryContextAllocZero(receiver->context, Max(columns->natts, 1) * sizeof(Caller));
	for (int at = 0; at < columns->natts; at++)
	{
		BowshotHow	how = receiver->batch.columns[at].how;

		if (how != BOWSHOT_OUTPUT && how != BOWSHOT_SENT && how != BOWSHOT_SENT_TEXTS)
			continue;
		receiver->calls = true;
		find_functions(&receiver->callers[at], how, bowshot_sent_type(TupleDescAttr(columns, at)),
					   receiver->context);
	}
	if (receiver->calls && PrepareClientEncoding(PG_UTF8) < 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("conversion between %s and %s is not supported", pg_encoding_to_char(PG_UTF8),
						GetDatabaseEncodingName())));
}

/* Sends what is left and the end of the stream; the number of rows. */
uint64
bowshot_receiver_finish(BowshotReceiver *receiver)
{
	flush(receiver);
	bowshot_check(receiver->stream, bowshot_arrow_finish(receiver->stream));
	bowshot_send_pieces(receiver->stream);
	return receiver->rows;
}
