/*
 * The messages of a result that its holder executes, in their order, on their
 * way to whoever asks first.  Nobody waits for a session that reads slowly, and
 * one that never comes costs nothing.
 */
#include "postgres.h"

#include "segment.h"

/* More than ever wait: two a session that reads, and two. */
#define MOST_WAITING (2 * MOST_PARTS + 2)

struct BowshotQueue
{
	LWLock lock;
	dsa_handle area;
	bool ended;   /* no message follows */
	uint64 put;   /* messages that ever came */
	uint64 taken; /* and that ever went */
	BowshotMessage messages[MOST_WAITING];
};

Size
bowshot_queue_size(void)
{
	return sizeof(BowshotQueue);
}

/* An empty queue, and the memory for its messages. */
dsa_area *
bowshot_queue_create(BowshotQueue *queue)
{
	dsa_area *area = dsa_create(bowshot_tranche());

	memset(queue, 0, sizeof(BowshotQueue));
	LWLockInitialize(&queue->lock, bowshot_tranche());
	queue->area = dsa_get_handle(area);
	return area;
}

/* The queue's memory, in another process. */
dsa_area *
bowshot_queue_attach(BowshotQueue *queue)
{
	return dsa_attach(queue->area);
}

/* Whether another message may wait, with so many sessions that read. */
static bool
has_room(BowshotQueue *queue, int readers)
{
	bool room;

	LWLockAcquire(&queue->lock, LW_SHARED);
	room = queue->put - queue->taken < 2 * readers + 2;
	LWLockRelease(&queue->lock);
	return room;
}

static int
count_readers(BowshotTicket ticket)
{
	int readers;

	bowshot_lock(LW_SHARED);
	readers = bowshot_reading(ticket.place);
	bowshot_unlock();
	return readers;
}

static BowshotMessage
copy_pieces(dsa_area *area, BowshotPieces pieces, uint64 rows)
{
	BowshotMessage message = {.rows = rows};
	char *to;

	for (size_t at = 0; at < pieces.count; at++)
		message.length += pieces.pieces[at].length;
	message.bytes = dsa_allocate_extended(area, message.length, DSA_ALLOC_HUGE);
	to = dsa_get_address(area, message.bytes);
	for (size_t at = 0; at < pieces.count; at++)
	{
		memcpy(to, pieces.pieces[at].bytes, pieces.pieces[at].length);
		to += pieces.pieces[at].length;
	}
	return message;
}

/* Adds a message, once there is room. */
void
bowshot_queue_put(BowshotHeld *held, BowshotQueue *queue, dsa_area *area, BowshotPieces pieces, uint64 rows)
{
	BowshotMessage message;

	while (!has_room(queue, count_readers(held->ticket)))
		bowshot_wait_for_readers(held);
	ConditionVariableCancelSleep();

	message = copy_pieces(area, pieces, rows);
	LWLockAcquire(&queue->lock, LW_EXCLUSIVE);
	queue->messages[queue->put++ % MOST_WAITING] = message;
	LWLockRelease(&queue->lock);
	ConditionVariableBroadcast(&held->ticket.place->wakes);
}

/* No message follows. */
void
bowshot_queue_end(BowshotHeld *held, BowshotQueue *queue)
{
	LWLockAcquire(&queue->lock, LW_EXCLUSIVE);
	queue->ended = true;
	LWLockRelease(&queue->lock);
	ConditionVariableBroadcast(&held->ticket.place->wakes);
}

/* Takes the next message, waiting for it; false where none follows, an error where the result has failed. */
bool
bowshot_queue_take(
	BowshotQueue *queue, BowshotTicket ticket, const char *name, int part, BowshotMessage *message)
{
	for (;;)
	{
		bool found = false;
		bool ended;

		bowshot_check_whole(ticket, name, part);
		LWLockAcquire(&queue->lock, LW_EXCLUSIVE);
		ended = queue->ended;
		if (queue->put > queue->taken)
		{
			*message = queue->messages[queue->taken++ % MOST_WAITING];
			found = true;
		}
		LWLockRelease(&queue->lock);
		if (found || ended)
		{
			ConditionVariableCancelSleep();
			if (found)
				ConditionVariableBroadcast(&ticket.place->wakes);
			return found;
		}
		ConditionVariableSleep(&ticket.place->wakes, bowshot_wait_event());
	}
}
