/*
 * What the extension calls of crates/postgres-arrow, which makes an Arrow IPC
 * stream of the values that it is handed.
 *
 * Nothing behind these functions calls PostgreSQL, raises its errors or uses its
 * memory.  A function that returns false has left an error in the stream.
 */
#ifndef BOWSHOT_ARROW_H
#define BOWSHOT_ARROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A result on its way. */
typedef struct BowshotArrow BowshotArrow;

typedef struct BowshotSettings
{
	size_t batch_bytes;    /* what a batch aims at */
	uint8_t compression;   /* 0: none, 1: LZ4 frames, 2: ZSTD */
	bool infinity_is_null; /* infinite dates and timestamps are NULL */
	uint8_t money_scale;   /* digits after the point of money */
} BowshotSettings;

/* A column of the result, as RowDescription describes it. */
typedef struct BowshotDescribed
{
	const char *name;    /* in UTF-8, as all text here */
	uint32_t oid;        /* its type, or the base type of a domain */
	int32_t modifier;    /* the type's modifier; -1 for none */
	uint32_t dimensions; /* declared dimensions of an array */
	bool not_null;       /* no row can be NULL */
} BowshotDescribed;

typedef struct BowshotAttribute
{
	const char *name;
	uint32_t oid;
	int32_t modifier;
	uint32_t dimensions;
} BowshotAttribute;

/* What the catalogue says of a type. */
typedef struct BowshotType
{
	const char *name; /* without its schema */
	uint32_t oid;
	char kind;                  /* b: base, a: array, e: enum, d: domain, c: composite,
								 * r: range, m: multirange */
	uint32_t part;              /* element, base type, bound, or range */
	int32_t modifier;           /* of a domain's base type */
	const char *const *labels;  /* of an enum, in their order */
	const uint32_t *label_oids; /* their OIDs, which are an enum's datums */
	size_t labels_count;
	const BowshotAttribute *attributes; /* of a composite type */
	size_t attributes_count;
} BowshotType;

/* How the values of a column are handed over. */
typedef enum BowshotHow
{
	BOWSHOT_BYTE1 = 1,       /* a boolean datum */
	BOWSHOT_BYTE2 = 2,       /* two bytes of the datum */
	BOWSHOT_BYTE4 = 4,       /* four bytes of the datum */
	BOWSHOT_BYTE8 = 8,       /* eight bytes of the datum */
	BOWSHOT_BYTE16 = 16,     /* sixteen bytes that the datum points to */
	BOWSHOT_BYTES = 17,      /* a varlena's bytes without its header */
	BOWSHOT_TEXT = 18,       /* the same, text in the server's encoding */
	BOWSHOT_NAME = 19,       /* a name */
	BOWSHOT_OUTPUT = 20,     /* what the output function writes */
	BOWSHOT_SENT = 21,       /* what the send function writes, with its
							  * length in front, big-endian */
	BOWSHOT_SENT_TEXTS = 22, /* the array as text[], sent */
	BOWSHOT_DECIMAL = 23     /* a numeric's unscaled value in sixteen bytes */
} BowshotHow;

/* The memory of a column in the batch that is being filled. */
typedef struct BowshotColumn
{
	uint8_t *values;   /* at the row's place where the length is fixed, with
						* 16 bytes to spare behind the last,
						* else one after the other */
	int32_t *offsets;  /* [row + 1]: where the value of the row ends;
						* of sent ones, [row]: where it begins, or 0 */
	uint8_t *validity; /* a bit a row; all are set */
	size_t used;       /* bytes of values without a fixed length */
	size_t room;       /* bytes that there is room for */
	size_t nulls;      /* rows that are NULL */
	int64_t limit;     /* of decimals: the least value that is too large */
	int32_t scale;     /* of decimals: digits after the point */
	uint8_t how;       /* a BowshotHow */
} BowshotColumn;

/* The batch that is being filled. */
typedef struct BowshotBatch
{
	BowshotColumn *columns;
	size_t columns_count;
	size_t rows_most;  /* rows that it may have */
	size_t bytes_most; /* bytes that it aims at */
	size_t row_bytes;  /* bytes of a row without its values of no fixed
						* length */
} BowshotBatch;

/* A part of the stream. */
typedef struct BowshotPiece
{
	const uint8_t *bytes;
	size_t length;
} BowshotPiece;

typedef struct BowshotPieces
{
	const BowshotPiece *pieces;
	size_t count;
} BowshotPieces;

/* What went wrong; each part may be NULL. */
typedef struct BowshotError
{
	const char *sqlstate;
	const char *message;
	const char *column;
	const char *hint;
} BowshotError;

/* To begin with: NULL where memory is short. */
extern BowshotArrow *bowshot_arrow_new(BowshotSettings settings);
extern void bowshot_arrow_free(BowshotArrow *stream);
extern BowshotError bowshot_arrow_error(const BowshotArrow *stream);

/* To describe: every column, then every type that is asked for, then the start. */
extern bool bowshot_arrow_describe(BowshotArrow *stream, const BowshotDescribed *column);
extern uint32_t bowshot_arrow_unknown_type(BowshotArrow *stream);
extern bool bowshot_arrow_know_type(BowshotArrow *stream, const BowshotType *type);
extern bool bowshot_arrow_start(BowshotArrow *stream);

/* To fill: the room of the batch, more of it for a long value, a decimal of many digits. */
extern BowshotBatch bowshot_arrow_room(BowshotArrow *stream);
extern bool bowshot_arrow_grow(BowshotArrow *stream, size_t column, size_t more);
extern bool bowshot_arrow_decimal(
	BowshotArrow *stream, size_t column, const uint8_t *numeric, size_t length, uint8_t *unscaled);

/* To send: the head that every part of a shared result begins with, a batch or the end, its pieces, and room
 * for the next one. */
extern bool bowshot_arrow_head(BowshotArrow *stream);
extern bool bowshot_arrow_batch(BowshotArrow *stream, size_t rows);
extern bool bowshot_arrow_finish(BowshotArrow *stream);
extern BowshotPieces bowshot_arrow_pieces(const BowshotArrow *stream);
extern bool bowshot_arrow_clear(BowshotArrow *stream);

#endif
