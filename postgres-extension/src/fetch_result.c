/*
 * A part of a result that its holder executes: the messages that nobody else has
 * taken.
 */
#include "postgres.h"

#include "segment.h"

/* How an Arrow stream ends: https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format */
static const uint8_t END_OF_STREAM[] = {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0};

static void
send_bytes(BowshotTicket ticket, const void *bytes, size_t length, bool last)
{
	BowshotPiece piece = {bytes, length};
	BowshotPieces pieces = {&piece, 1};

	pg_atomic_fetch_add_u64(&ticket.place->bytes, length);
	bowshot_send_pieces(pieces, last);
}

/* Sends the part, but for its last message; the number of rows. */
uint64
bowshot_fetch_result(BowshotTicket ticket, const char *name, int part, dsm_segment *segment)
{
	shm_toc *toc = bowshot_toc(segment);
	BowshotCommon *common = shm_toc_lookup(toc, KEY_COMMON, false);
	BowshotQueue *queue = shm_toc_lookup(toc, KEY_QUEUE, false);
	dsa_area *area = bowshot_queue_attach(queue);
	BowshotMessage message;
	uint64 rows = 0;

	bowshot_reading_begins();
	bowshot_send_begin(common->columns);
	send_bytes(ticket, shm_toc_lookup(toc, KEY_HEAD, false), common->head_length, false);
	while (bowshot_queue_take(queue, ticket, name, part, &message))
	{
		send_bytes(ticket, dsa_get_address(area, message.bytes), message.length, false);
		dsa_free(area, message.bytes);
		rows += message.rows;
	}
	send_bytes(ticket, END_OF_STREAM, sizeof(END_OF_STREAM), true);
	dsa_detach(area);
	return rows;
}
