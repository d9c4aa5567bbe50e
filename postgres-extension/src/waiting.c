/*
 * What pg_stat_activity says of those who wait for a shared result.
 */
#include "postgres.h"

#if PG_VERSION_NUM >= 170000
#include "utils/wait_event.h"
#else
#include "pgstat.h"
#endif

#include "shared.h"

uint32
bowshot_wait_event(void)
{
#if PG_VERSION_NUM >= 170000
	static uint32 event = 0;

	if (event == 0)
		event = WaitEventExtensionNew("BowshotSharedResult");
	return event;
#else
	return PG_WAIT_EXTENSION;
#endif
}
