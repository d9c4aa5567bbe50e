/*
 * The end of the executor's pipe: each value of a row goes straight from the
 * tuple into the memory of its column.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "mb/pg_wchar.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "prefetch.h"
#include "receiver.h"
#include "values.h"

/* Makes room for a long value. */
void
bowshot_grow(BowshotReceiver *receiver, BowshotColumn *column, size_t more)
{
	size_t place = column - receiver->batch.columns;

	bowshot_check(receiver->stream, bowshot_arrow_grow(receiver->stream, place, more));
}

/* Sends the rows of the batch, if there are any, and begins the next one, if there is one. */
static pg_noinline void
flush(BowshotReceiver *receiver, bool last)
{
	BowshotArrow *stream = receiver->stream;

	if (receiver->row == 0)
		return;
	bowshot_check(stream, bowshot_arrow_batch(stream, receiver->row));
	receiver->sink.send(receiver->sink.self, bowshot_arrow_pieces(stream), receiver->row, last);
	receiver->rows += receiver->row;
	receiver->row = 0;
	receiver->bytes = 0;
	if (last)
		return;
	bowshot_check(stream, bowshot_arrow_clear(stream));
	receiver->batch = bowshot_arrow_room(stream);
}

/* A row whose values the executor has at hand. */
static inline void
put_values(BowshotReceiver *receiver, const Datum *values, const bool *nulls)
{
	BowshotColumn *column = receiver->batch.columns;
	size_t row = receiver->row;

	for (size_t at = 0; at < receiver->batch.columns_count; at++, column++)
	{
		Datum datum = values[at];

		if (unlikely(nulls[at]))
			put_null(column, row);
		else if (column->how == BOWSHOT_BYTE4)
			((int32 *) column->values)[row] = DatumGetInt32(datum);
		else if (column->how == BOWSHOT_BYTE8)
			((int64 *) column->values)[row] = DatumGetInt64(datum);
		else if (column->how == BOWSHOT_BYTE2)
			((int16 *) column->values)[row] = DatumGetInt16(datum);
		else if (column->how == BOWSHOT_BYTE1)
			column->values[row] = DatumGetBool(datum);
		else
			put_datum(receiver, column, datum);
	}
}

/* A varlena with a header of one byte, which has no alignment, in its place in a tuple. */
static inline bool
is_short(const char *value)
{
	return VARATT_IS_1B(value) && !VARATT_IS_1B_E(value);
}

/* Where a varlena begins: one with a short header is not aligned, and a byte of padding is zero. */
static inline char *
unpadded(char *next, char *aligned)
{
	return *next != 0 ? next : aligned;
}

/*
 * A row as it lies in its table's page: its values go into the columns without a
 * stop in the slot's arrays, which is a tenth of the whole.  What it knows of a
 * tuple is what heap_deform_tuple in heaptuple.c knows.
 */
static pg_attribute_always_inline void
put_tuple(BowshotReceiver *receiver, HeapTuple tuple, const char *limit, bool has_nulls)
{
	BowshotColumn *column = receiver->batch.columns;
	BowshotColumn *end = column + receiver->batch.columns_count;
	Layout *layout = receiver->layouts;
	/* A bit a column, the next one lowest: 0 for NULL. */
	const bits8 *bitmap = tuple->t_data->t_bits;
	unsigned present = 0;
	char *next = (char *) tuple->t_data + tuple->t_data->t_hoff;
	size_t row = receiver->row;
	bool is_utf8 = !receiver->converts;
	size_t bytes = 0;

	for (size_t at = 0; column < end; at++, column++, layout++)
	{
		char *value;

		if (has_nulls)
		{
			present = at % 8 == 0 ? *bitmap++ : present >> 1;
			if (!(present & 1))
			{
				put_null(column, row);
				continue;
			}
		}
		if (column->how == BOWSHOT_TEXT && is_short(next) && likely(is_utf8))
		{
			size_t length = VARSIZE_1B(next) - VARHDRSZ_SHORT;

			put_uncounted(receiver, column, row, VARDATA_1B(next), length, limit - next > COPIED_WIDE);
			bytes += length;
			next += VARHDRSZ_SHORT + length;
			continue;
		}
		if (column->how == BOWSHOT_DECIMAL && is_short(next))
		{
			size_t length = VARSIZE_1B(next) - VARHDRSZ_SHORT;

			put_decimal(receiver, column, VARDATA_1B(next), length);
			next += VARHDRSZ_SHORT + length;
			continue;
		}
		/* The data begins at an aligned place, so that addresses tell what offsets would. */
		value = (char *) (((uintptr_t) next + layout->alignment) & ~(uintptr_t) layout->alignment);
		switch (column->how)
		{
			case BOWSHOT_BYTE4:
				memcpy(column->values + 4 * row, value, 4);
				next = value + 4;
				break;
			case BOWSHOT_BYTE8:
				memcpy(column->values + 8 * row, value, 8);
				next = value + 8;
				break;
			case BOWSHOT_BYTE2:
				memcpy(column->values + 2 * row, value, 2);
				next = value + 2;
				break;
			case BOWSHOT_BYTE1:
				column->values[row] = *value != 0;
				next = value + 1;
				break;
			default:
				if (layout->length == -1)
					value = unpadded(next, value);
				put_datum(receiver, column, fetch_att(value, layout->by_value, layout->length));
				next = att_addlength_pointer(value, layout->length, value);
		}
	}
	receiver->bytes += bytes;
}

/*
 * Up to where bytes may be read: the end of the tuple's page, which other tuples lie
 * behind, or the end of a tuple that lies elsewhere.
 */
static inline const char *
readable_end(TupleTableSlot *slot, HeapTuple tuple)
{
	if (TTS_IS_BUFFERTUPLE(slot) && BufferIsValid(((BufferHeapTupleTableSlot *) slot)->buffer))
		return (const char *) BufferGetPage(((BufferHeapTupleTableSlot *) slot)->buffer) + BLCKSZ;
	return (const char *) tuple->t_data + tuple->t_len;
}

/* The tuple of a slot whose columns are those of the result, if it is one as it lies on disk. */
static inline HeapTuple
whole_tuple(BowshotReceiver *receiver, TupleTableSlot *slot)
{
	HeapTuple tuple;

	/* Columns that were looked at before are at hand already. */
	if (slot->tts_nvalid > 0 || !(TTS_IS_BUFFERTUPLE(slot) || TTS_IS_HEAPTUPLE(slot)) ||
		slot->tts_tupleDescriptor->natts != (int) receiver->batch.columns_count)
		return NULL;
	tuple = ((HeapTupleTableSlot *) slot)->tuple;
	/* Columns that its table had not when it was written have their values elsewhere. */
	if (!tuple || HeapTupleHeaderGetNatts(tuple->t_data) < (int) receiver->batch.columns_count)
		return NULL;
	return tuple;
}

static bool
receive_slot(TupleTableSlot *slot, DestReceiver *self)
{
	BowshotReceiver *receiver = (BowshotReceiver *) self;
	HeapTuple tuple;

	prefetch_next(slot, &receiver->page);
	tuple = whole_tuple(receiver, slot);
	if (tuple && HeapTupleHasNulls(tuple))
		put_tuple(receiver, tuple, readable_end(slot, tuple), true);
	else if (tuple)
		put_tuple(receiver, tuple, readable_end(slot, tuple), false);
	else
	{
		slot_getallattrs(slot);
		put_values(receiver, slot->tts_values, slot->tts_isnull);
	}
	if (receiver->calls)
		MemoryContextReset(receiver->garbage);

	receiver->row++;
	if (receiver->row == receiver->batch.rows_most ||
		receiver->bytes + receiver->row * receiver->batch.row_bytes >= receiver->batch.bytes_most)
		flush(receiver, false);
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

/* A receiver for the stream, whose messages go into the sink; it lives in the context. */
BowshotReceiver *
bowshot_receiver(BowshotArrow *stream, MemoryContext context, BowshotSink sink)
{
	BowshotReceiver *receiver = MemoryContextAllocZero(context, sizeof(BowshotReceiver));

	StaticAssertStmt(sizeof(Interval) == 16 && UUID_LEN == 16, "sixteen bytes are copied");
	receiver->pub.receiveSlot = receive_slot;
	receiver->pub.rStartup = do_nothing_at_startup;
	receiver->pub.rShutdown = do_nothing;
	receiver->pub.rDestroy = do_nothing;
	receiver->pub.mydest = DestNone;
	receiver->stream = stream;
	receiver->sink = sink;
	receiver->context = context;
	receiver->garbage = AllocSetContextCreate(context, "bowshot values", ALLOCSET_DEFAULT_SIZES);
	receiver->converts = GetDatabaseEncoding() != PG_UTF8;
	return receiver;
}

static Layout
layout_of(Form_pg_attribute column)
{
	Layout layout = {.length = column->attlen, .by_value = column->attbyval};

	switch (column->attalign)
	{
		case TYPALIGN_CHAR:
			layout.alignment = 0;
			break;
		case TYPALIGN_SHORT:
			layout.alignment = ALIGNOF_SHORT - 1;
			break;
		case TYPALIGN_INT:
			layout.alignment = ALIGNOF_INT - 1;
			break;
		default:
			layout.alignment = ALIGNOF_DOUBLE - 1;
	}
	return layout;
}

/* Gets ready for rows of these columns, once the stream has started. */
void
bowshot_receiver_start(BowshotReceiver *receiver, TupleDesc columns)
{
	receiver->batch = bowshot_arrow_room(receiver->stream);
	receiver->layouts = MemoryContextAllocZero(receiver->context, Max(columns->natts, 1) * sizeof(Layout));
	for (int at = 0; at < columns->natts; at++)
		receiver->layouts[at] = layout_of(TupleDescAttr(columns, at));
	bowshot_find_callers(receiver, columns);
}

/* Sends the rows that are left; the number of all rows. */
uint64
bowshot_receiver_flush(BowshotReceiver *receiver)
{
	flush(receiver, true);
	return receiver->rows;
}

/* The same, and the end of the stream. */
uint64
bowshot_receiver_finish(BowshotReceiver *receiver)
{
	uint64 rows = bowshot_receiver_flush(receiver);

	bowshot_check(receiver->stream, bowshot_arrow_finish(receiver->stream));
	receiver->sink.send(receiver->sink.self, bowshot_arrow_pieces(receiver->stream), 0, true);
	return rows;
}
