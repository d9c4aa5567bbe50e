/*
 * Asks for the bytes of rows to come while this one is put into its columns. A scan
 * touches every byte once, so that what it waits for is memory.
 */
#ifndef BOWSHOT_PREFETCH_H
#define BOWSHOT_PREFETCH_H

#include "postgres.h"

#include "executor/tuptable.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/bufpage.h"

#define CACHE_LINE 64

/* How far ahead: a few rows of usual tables. */
#define PREFETCH_BYTES 512

static inline void
prefetch(const char *bytes, size_t length)
{
	for (size_t at = 0; at < length; at += CACHE_LINE)
		__builtin_prefetch(bytes + at);
}

/* Rows of the same page: it is filled from its end, so that they lie below this one. */
static inline void
prefetch_rows(HeapTuple tuple)
{
	prefetch((const char *) tuple->t_data - PREFETCH_BYTES, tuple->t_len);
}

/*
 * The next page, its line pointers and its first rows.  Which buffer that will be
 * only the buffer manager knows; a table that was read in one go mostly lies in
 * buffers that follow each other.  A wrong guess costs what it asked for.
 */
static pg_noinline void
prefetch_page(Buffer page, Buffer page_before)
{
	Buffer guess = page + (page - page_before);
	const char *bytes;

	/* There is none for a tuple of the executor's own, and those of temporary tables are below 0. */
	if (page <= 0 || page_before <= 0 || guess <= 0 || guess > NBuffers)
		return;
	bytes = (const char *) BufferGetPage(guess);
	prefetch(bytes, SizeOfPageHeaderData + MaxHeapTuplesPerPage);
	prefetch(bytes + BLCKSZ - PREFETCH_BYTES, PREFETCH_BYTES);
}

/* What comes after the row of a slot; page_before is that of the row before. */
static inline void
prefetch_next(TupleTableSlot *slot, Buffer *page_before)
{
	BufferHeapTupleTableSlot *row = (BufferHeapTupleTableSlot *) slot;

	if (!TTS_IS_BUFFERTUPLE(slot) || !row->base.tuple)
		return;
	prefetch_rows(row->base.tuple);
	if (likely(row->buffer == *page_before))
		return;
	prefetch_page(row->buffer, *page_before);
	*page_before = row->buffer;
}

#endif
