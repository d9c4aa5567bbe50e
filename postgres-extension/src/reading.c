/*
 * The part that this session reads, from its claim to its end.
 */
#include "postgres.h"

#include "shared.h"

static struct
{
	BowshotTicket ticket; /* for nothing where no part is read */
	int part;
	bool begun; /* something of it was sent */
} reading = {{NULL, 0}, 0, false};

static uint64
bit(int part)
{
	return UINT64CONST(1) << (part - 1);
}

/* Takes a part for this session, and says where the holder has what it needs. */
BowshotTicket
bowshot_claim(const char *name, int part, dsm_handle *segment, BowshotSharing *how)
{
	BowshotTicket ticket;
	BowshotShared *place;

	bowshot_lock(LW_EXCLUSIVE);
	place = bowshot_find(name);
	if (!place || place->how == SHARED_NOT_YET)
		bowshot_unknown(name);
	if (part < 1 || part > place->parts)
		ereport(
			ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					   errmsg("shared result \"%s\" has parts 1 to %d, not %d", name, place->parts, part)));
	if (!place->failed && (place->begun & bit(part)))
		ereport(
			ERROR, (errcode(ERRCODE_OBJECT_IN_USE),
					   errmsg("part %d of the shared result \"%s\" was fetched already, or is being fetched",
						   part, name),
					   errhint("Each part can be fetched once; there are %d.", place->parts)));
	ticket.place = place;
	ticket.id = place->id;
	if (place->failed)
	{
		bowshot_unlock();
		bowshot_check_whole(ticket, name, part);
	}
	place->begun |= bit(part);
	place->changed = GetCurrentTimestamp();
	*segment = place->segment;
	*how = place->how;
	reading.ticket = ticket;
	reading.part = part;
	reading.begun = false;
	ConditionVariableBroadcast(&place->wakes);
	bowshot_unlock();
	return ticket;
}

/* Notes how it ended: the part was read whole, or not.  The last one frees the result. */
static void
settle(bool done)
{
	BowshotShared *place = reading.ticket.place;

	bowshot_lock(LW_EXCLUSIVE);
	if (bowshot_is(reading.ticket))
	{
		if (done)
			place->done |= bit(reading.part);
		else
			place->begun &= ~bit(reading.part);
		place->changed = GetCurrentTimestamp();
		if (place->done == bowshot_all_parts(place))
			bowshot_remove(place);
		else
			ConditionVariableBroadcast(&place->wakes);
	}
	bowshot_unlock();
	reading.ticket.place = NULL;
}

/* From now on what goes wrong is the whole result's: something is sent. */
void
bowshot_reading_begins(void)
{
	reading.begun = true;
}

void
bowshot_reading_is_done(void)
{
	settle(true);
}

/* Whether the error is the whole result's, since something was sent; if not, the part can be fetched again.
 */
bool
bowshot_reading_fails(const ErrorData *error)
{
	bool begun = reading.begun;
	BowshotFailure failure;

	if (!reading.ticket.place)
		return false;
	if (begun)
	{
		bowshot_remember(&failure, error, reading.part);
		bowshot_fail(reading.ticket, &failure);
	}
	settle(false);
	return begun;
}
