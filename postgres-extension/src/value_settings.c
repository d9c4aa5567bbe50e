/*
 * The settings that values depend upon: a session that executes another one's
 * plan adopts them for that time, as postgres_fdw and pg_dump fix theirs.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/guc.h"

#include "segment.h"

static const char *const NAMES[] = {"array_nulls", "bytea_output", "DateStyle", "default_text_search_config",
	"extra_float_digits", "IntervalStyle", "lc_monetary", "lc_numeric", "lc_time", "quote_all_identifiers",
	"search_path", "timezone_abbreviations", "TimeZone", "xmlbinary", "xmloption"};

/* This session's, as texts one after the other. */
char *
bowshot_value_settings(Size *length)
{
	StringInfoData all;

	initStringInfo(&all);
	for (size_t at = 0; at < lengthof(NAMES); at++)
	{
		const char *value = GetConfigOption(NAMES[at], false, false);

		appendBinaryStringInfo(&all, value ? value : "", value ? strlen(value) + 1 : 1);
	}
	*length = all.len;
	return all.data;
}

/* Takes them over; the caller began a nesting level of settings, and ends it. */
void
bowshot_adopt_settings(const char *settings)
{
	for (size_t at = 0; at < lengthof(NAMES); at++)
	{
		const char *own = GetConfigOption(NAMES[at], false, false);

		if (!own || strcmp(own, settings) != 0)
			(void) set_config_option(
				NAMES[at], settings, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
		settings += strlen(settings) + 1;
	}
}
