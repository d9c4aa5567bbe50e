/*
 * COPY's messages to the client.  What they carry, one after the other, is the
 * Arrow IPC stream; where one ends means nothing.
 */
#include "postgres.h"

/* The connection's struct is not looked at: the headers of its libraries need not be there. */
#undef ENABLE_GSS
#undef USE_OPENSSL
#include "libpq/libpq.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"

#include "bowshot.h"

/* Pieces up to this size are gathered: a message for each would cost more. */
#define GATHERED (32 * 1024)

/* The most bytes of one message. */
#define MOST_BYTES (1024 * 1024)

/* CopyOutResponse: all columns are in a binary format. */
void
bowshot_send_begin(int columns)
{
	StringInfoData message;

	pq_beginmessage(&message, 'H');
	pq_sendbyte(&message, 1);
	pq_sendint16(&message, columns);
	for (int column = 0; column < columns; column++)
		pq_sendint16(&message, 1);
	pq_endmessage(&message);
}

/* CopyData, in as many messages as it takes. */
static void
send_bytes(const uint8_t *bytes, size_t length)
{
	while (length > 0)
	{
		size_t		part = Min(length, MOST_BYTES);

		CHECK_FOR_INTERRUPTS();
		/* A client that is gone is found out by the next check for interrupts. */
		(void) pq_putmessage('d', (const char *) bytes, part);
		bytes += part;
		length -= part;
	}
}

/* All pieces that the stream has ready. */
void
bowshot_send_pieces(BowshotArrow *stream)
{
	BowshotPieces ready = bowshot_arrow_pieces(stream);
	StringInfoData gathered;

	initStringInfo(&gathered);
	for (size_t at = 0; at < ready.count; at++)
	{
		BowshotPiece piece = ready.pieces[at];
		bool		small = piece.length <= GATHERED;

		if (!small || gathered.len + piece.length > GATHERED)
		{
			send_bytes((const uint8_t *) gathered.data, gathered.len);
			resetStringInfo(&gathered);
		}
		if (small)
			appendBinaryStringInfo(&gathered, (const char *) piece.bytes, piece.length);
		else
			send_bytes(piece.bytes, piece.length);
	}
	send_bytes((const uint8_t *) gathered.data, gathered.len);
	pfree(gathered.data);
}

/* CopyDone. */
void
bowshot_send_end(void)
{
	pq_putemptymessage('c');
}
