/*
 * The receiver of a query's rows, and how values are put into the columns of its
 * batch.
 */
#ifndef BOWSHOT_RECEIVER_H
#define BOWSHOT_RECEIVER_H

#include "postgres.h"

#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "storage/buf.h"
#include "utils/memutils.h"

#include "bowshot.h"

/* How a column's values lie in a tuple. */
typedef struct Layout
{
	uint32 alignment; /* bytes, less one */
	int16 length;     /* as in pg_attribute: -1 for a varlena */
	bool by_value;
} Layout;

/* The functions that a column's values go through; called.c. */
typedef struct Caller Caller;

struct BowshotReceiver
{
	DestReceiver pub;
	BowshotArrow *stream;
	BowshotSink sink;
	BowshotBatch batch;
	size_t row;            /* rows in the batch */
	size_t bytes;          /* bytes of values without a fixed length in the batch */
	uint64 rows;           /* rows of all batches before */
	Layout *layouts;       /* one a column */
	Caller *callers;       /* one a column */
	bool converts;         /* the server's text is not UTF-8 */
	bool calls;            /* a column's values go through functions */
	Buffer page;           /* of the row before */
	MemoryContext context; /* as long as the receiver */
	MemoryContext garbage; /* what those functions leave, a row long */
};

/* Makes room for a long value; receive.c. */
extern void bowshot_grow(BowshotReceiver *receiver, BowshotColumn *column, size_t more);

/* A value through its type's functions; called.c. */
extern void bowshot_put_called(BowshotReceiver *receiver, BowshotColumn *column, Datum datum);
extern void bowshot_find_callers(BowshotReceiver *receiver, TupleDesc columns);

/*
 * Copies a few bytes without a call: a value from both of its ends, which may
 * overlap.
 */
static pg_attribute_always_inline void
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

/* Behind a column's room there are more bytes than these. */
#define COPIED_WIDE 48

/*
 * Like copy_short where COPIED_WIDE bytes may be read, without a look at how many
 * there are: a processor can't guess the length of a text.
 */
static pg_attribute_always_inline void
copy_wide(uint8_t *to, const char *from, size_t length)
{
	memcpy(to, from, 16);
	memcpy(to + 16, from + 16, 16);
	memcpy(to + 32, from + 32, 16);
	if (unlikely(length > COPIED_WIDE))
		memcpy(to + COPIED_WIDE, from + COPIED_WIDE, length - COPIED_WIDE);
}

/* Where the next bytes of a column go whose values have no fixed length. */
static pg_attribute_always_inline uint8_t *
next_place(BowshotReceiver *receiver, BowshotColumn *column, size_t length)
{
	if (unlikely(length > column->room - column->used))
		bowshot_grow(receiver, column, length);
	return column->values + column->used;
}

/* Appends bytes; who calls it counts them. */
static pg_attribute_always_inline void
append(BowshotReceiver *receiver, BowshotColumn *column, const char *bytes, size_t length)
{
	copy_short(next_place(receiver, column, length), bytes, length);
	column->used += length;
}

/* A value that is the bytes themselves, wide if COPIED_WIDE of them may be read; who calls it counts them. */
static pg_attribute_always_inline void
put_uncounted(
	BowshotReceiver *receiver, BowshotColumn *column, size_t row, const char *bytes, size_t length, bool wide)
{
	uint8_t *place = next_place(receiver, column, length);

	if (wide)
		copy_wide(place, bytes, length);
	else
		copy_short(place, bytes, length);
	column->used += length;
	column->offsets[row + 1] = (int32_t) column->used;
}

/* A value that is the bytes themselves. */
static pg_attribute_always_inline void
put_bytes(BowshotReceiver *receiver, BowshotColumn *column, const char *bytes, size_t length)
{
	put_uncounted(receiver, column, receiver->row, bytes, length, false);
	receiver->bytes += length;
}

/* Text in the server's encoding. */
static inline void
put_text(BowshotReceiver *receiver, BowshotColumn *column, const char *text, size_t length)
{
	char *converted;

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

/* Behind the last row's place there is room for more than a NULL takes, and rows come in their order. */
static pg_attribute_always_inline void
put_null(BowshotColumn *column, size_t row)
{
	column->validity[row / 8] &= ~(1 << (row % 8));
	column->nulls++;
	if (column->how <= BOWSHOT_BYTE16)
		memset(column->values + column->how * row, 0, 16);
	else if (column->how <= BOWSHOT_OUTPUT)
		column->offsets[row + 1] = (int32_t) column->used;
	else if (column->how == BOWSHOT_DECIMAL)
		memset(column->values + 16 * row, 0, 16);
	else
		column->offsets[row] = 0;
}

#endif
