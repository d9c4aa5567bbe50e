/*
 * Values that are not NULL, by how the library wants them.
 */
#ifndef BOWSHOT_VALUES_H
#define BOWSHOT_VALUES_H

#include "postgres.h"

#include "access/detoast.h"

#include "decimal.h"
#include "receiver.h"

/* A decimal, of two words of which the higher one is mostly the sign. */
static pg_attribute_always_inline void
put_decimal(BowshotReceiver *receiver, BowshotColumn *column, const char *numeric, size_t length)
{
	uint8_t *value = column->values + 16 * receiver->row;
	int64 words[2];

	if (likely(decimal_unscaled(column, numeric, length, &words[0])))
	{
		words[1] = words[0] >> 63;
#ifdef WORDS_BIGENDIAN
#error "decimals are written with the lower word first"
#endif
		memcpy(value, words, sizeof(words));
		return;
	}
	bowshot_check(receiver->stream, bowshot_arrow_decimal(receiver->stream, column - receiver->batch.columns,
										(const uint8_t *) numeric, length, value));
}

/* What a varlena holds, without its header. */
static inline void
put_payload(BowshotReceiver *receiver, BowshotColumn *column, const char *bytes, size_t length)
{
	if (column->how == BOWSHOT_DECIMAL)
		put_decimal(receiver, column, bytes, length);
	else if (column->how == BOWSHOT_TEXT)
		put_text(receiver, column, bytes, length);
	else
		put_bytes(receiver, column, bytes, length);
}

/* A varlena that is compressed or lies elsewhere. */
static pg_noinline void
put_toasted(BowshotReceiver *receiver, BowshotColumn *column, struct varlena *value)
{
	struct varlena *plain = detoast_attr(value);

	put_payload(receiver, column, VARDATA_ANY(plain), VARSIZE_ANY_EXHDR(plain));
	pfree(plain);
}

/* A varlena, wherever it is. */
static inline void
put_varlena(BowshotReceiver *receiver, BowshotColumn *column, struct varlena *value)
{
	if (unlikely(VARATT_IS_COMPRESSED(value) || VARATT_IS_EXTERNAL(value)))
		put_toasted(receiver, column, value);
	else if (VARATT_IS_SHORT(value))
		put_payload(receiver, column, VARDATA_SHORT(value), VARSIZE_SHORT(value) - VARHDRSZ_SHORT);
	else
		put_payload(receiver, column, VARDATA(value), VARSIZE(value) - VARHDRSZ);
}

/* A value that is not NULL, and is none of the commonest kinds. */
static pg_noinline void
put_datum(BowshotReceiver *receiver, BowshotColumn *column, Datum datum)
{
	switch (column->how)
	{
		case BOWSHOT_BYTE16:
			memcpy(column->values + 16 * receiver->row, DatumGetPointer(datum), 16);
			break;
		case BOWSHOT_BYTES:
		case BOWSHOT_TEXT:
		case BOWSHOT_DECIMAL:
			put_varlena(receiver, column, (struct varlena *) DatumGetPointer(datum));
			break;
		case BOWSHOT_NAME:
			put_text(receiver, column, NameStr(*DatumGetName(datum)), strlen(NameStr(*DatumGetName(datum))));
			break;
		default:
			bowshot_put_called(receiver, column, datum);
	}
}

#endif
