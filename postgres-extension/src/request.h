/*
 * What the owner's session hands to the holder of a result that it declares.
 */
#ifndef BOWSHOT_REQUEST_H
#define BOWSHOT_REQUEST_H

#include "shared.h"

/* How the result is to be made. */
typedef struct BowshotWish
{
	const char *query;
	BowshotSettings settings;
} BowshotWish;

/* request.c: a segment of shared memory with the session's state */
extern dsm_segment *bowshot_request(const BowshotWish *wish, BowshotTicket ticket);
extern dsm_segment *bowshot_request_attach(dsm_handle handle);
extern BowshotTicket bowshot_request_ticket(dsm_segment *segment);
extern void bowshot_request_connect(dsm_segment *segment);
extern void bowshot_request_restore(dsm_segment *segment);
extern void bowshot_request_snapshot(dsm_segment *segment);
extern BowshotWish bowshot_request_wish(dsm_segment *segment);

#endif
