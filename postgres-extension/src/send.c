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
#include "port/pg_bswap.h"

#include "bowshot.h"

/* The most bytes that one message carries. */
#define MOST_BYTES (1024 * 1024)

/* Smaller pieces are gathered: to send each by itself would cost more than to copy it. */
#define GATHERED (32 * 1024)

/* Bytes on their way to the socket. */
typedef struct Sender
{
	char gathered[2 * GATHERED];
	size_t length;
} Sender;

/*
 * Writes to the socket.
 *
 * Not through pq_putmessage, which before PostgreSQL 17 copies everything into a
 * buffer of 8 KB and wakes the client for each: for results of many megabytes
 * that is half of what sending costs.  What waits in that buffer goes first, and
 * a broken connection ends the query as in pqcomm.c's internal_flush.
 */
static void
write_bytes(const char *bytes, size_t length)
{
	while (length > 0 && !ClientConnectionLost)
	{
		ssize_t written = secure_write(MyProcPort, (char *) bytes, length);

		if (written > 0)
		{
			bytes += written;
			length -= written;
		}
		else if (errno != EINTR)
		{
			ereport(COMMERROR, (errcode_for_socket_access(), errmsg("could not send data to client: %m")));
			ClientConnectionLost = 1;
			InterruptPending = 1;
		}
	}
}

static void
write_gathered(Sender *sender)
{
	write_bytes(sender->gathered, sender->length);
	sender->length = 0;
}

static void
gather(Sender *sender, const void *bytes, size_t length)
{
	if (length > sizeof(sender->gathered) - sender->length)
		write_gathered(sender);
	memcpy(sender->gathered + sender->length, bytes, length);
	sender->length += length;
}

static void
send_header(Sender *sender, size_t length)
{
	uint32 announced = pg_hton32((uint32) length + 4);

	gather(sender, "d", 1);
	gather(sender, &announced, sizeof(announced));
}

static void
send_part(Sender *sender, const char *bytes, size_t length)
{
	if (length <= GATHERED)
		gather(sender, bytes, length);
	else
	{
		write_gathered(sender);
		write_bytes(bytes, length);
	}
}

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

/*
 * A few bytes, through PostgreSQL's own buffer: what waits there before them goes
 * with them, and the last ones go with what ends the statement.
 */
static void
send_few(BowshotPieces ready, bool last)
{
	StringInfoData message;

	CHECK_FOR_INTERRUPTS();
	pq_beginmessage(&message, 'd');
	for (size_t at = 0; at < ready.count; at++)
		pq_sendbytes(&message, (const char *) ready.pieces[at].bytes, ready.pieces[at].length);
	pq_endmessage(&message);
	if (!last)
		(void) pq_flush();
}

/* CopyData: all pieces, which may wait for the statement's end if they are the last ones. */
void
bowshot_send_pieces(BowshotPieces ready, bool last)
{
	Sender sender;
	size_t left = 0;       /* bytes of all pieces that no message has carried */
	size_t in_message = 0; /* bytes that the message still lacks */

	sender.length = 0;
	for (size_t at = 0; at < ready.count; at++)
		left += ready.pieces[at].length;
	if (left <= GATHERED)
	{
		send_few(ready, last);
		return;
	}
	if (pq_flush() != 0)
		return;
	for (size_t at = 0; at < ready.count; at++)
	{
		const char *bytes = (const char *) ready.pieces[at].bytes;
		size_t length = ready.pieces[at].length;

		while (length > 0)
		{
			size_t part;

			if (in_message == 0)
			{
				/* No message is half sent here, so that an error can be told. */
				write_gathered(&sender);
				CHECK_FOR_INTERRUPTS();
				in_message = Min(left, MOST_BYTES);
				send_header(&sender, in_message);
			}
			part = Min(length, in_message);
			send_part(&sender, bytes, part);
			bytes += part;
			length -= part;
			left -= part;
			in_message -= part;
		}
	}
	write_gathered(&sender);
}

/* CopyDone. */
void
bowshot_send_end(void)
{
	pq_putemptymessage('c');
}
