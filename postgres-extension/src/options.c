/*
 * The options of COPY ... (FORMAT arrow).
 */
#include "postgres.h"

#include "commands/defrem.h"
#include "utils/pg_locale.h"

#include "bowshot.h"

/* About 1 MB is the optimum for messages of columnar results. */
#define DEFAULT_BATCH_BYTES (1024 * 1024)

/* With one more value of 1 GB, a column's offsets still fit 32 bits. */
#define MOST_BATCH_BYTES (512 * 1024 * 1024)

static bool
is_option(const DefElem *option, const char *name)
{
	return strcmp(option->defname, name) == 0;
}

/*
 * Whether the statement asks for Arrow.  Statements that are wrong in another
 * way are left to PostgreSQL.
 */
bool
bowshot_is_arrow(const CopyStmt *stmt)
{
	ListCell *cell;

	foreach (cell, stmt->options)
	{
		DefElem *option = lfirst_node(DefElem, cell);

		if (is_option(option, "format") && option->arg && IsA(option->arg, String) &&
			strcmp(strVal(option->arg), "arrow") == 0)
			return true;
	}
	return false;
}

/* Each value, with where it stands in the statement, or -1. */
static size_t
batch_bytes(ParseState *pstate, int64 bytes, int location)
{
	if (bytes < 1 || bytes > MOST_BATCH_BYTES)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						   errmsg("batch_bytes must be between 1 and %d", MOST_BATCH_BYTES),
						   parser_errposition(pstate, location)));
	return (size_t) bytes;
}

static uint8
compression(ParseState *pstate, const char *method, int location)
{
	if (strcmp(method, "none") == 0)
		return 0;
	if (strcmp(method, "lz4") == 0)
		return 1;
	if (strcmp(method, "zstd") == 0)
		return 2;
	ereport(ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("compression \"%s\" not recognized", method),
			errhint("Arrow has \"none\", \"lz4\" and \"zstd\"."), parser_errposition(pstate, location)));
}

static bool
infinity_is_null(ParseState *pstate, const char *what, int location)
{
	if (strcmp(what, "error") == 0)
		return false;
	if (strcmp(what, "null") == 0)
		return true;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("infinity \"%s\" not recognized", what),
					   errhint("Infinite dates and timestamps are an \"error\" or become \"null\"."),
					   parser_errposition(pstate, location)));
}

static void
refuse_twice(ParseState *pstate, const CopyStmt *stmt, const DefElem *option)
{
	ListCell *cell;

	foreach (cell, stmt->options)
	{
		DefElem *other = lfirst_node(DefElem, cell);

		if (other == option)
			return;
		if (is_option(other, option->defname))
			ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR), errmsg("conflicting or redundant options"),
							   parser_errposition(pstate, option->location)));
	}
}

/* How many digits money has after the point: cash_out in cash.c. */
static uint8
money_scale(void)
{
	int digits = PGLC_localeconv()->frac_digits;

	return (digits < 0 || digits > 10) ? 2 : digits;
}

/* The options; an error that names the one that makes no sense. */
BowshotSettings
bowshot_settings(ParseState *pstate, const CopyStmt *stmt)
{
	BowshotSettings settings = {.batch_bytes = DEFAULT_BATCH_BYTES, .money_scale = money_scale()};
	ListCell *cell;

	foreach (cell, stmt->options)
	{
		DefElem *option = lfirst_node(DefElem, cell);

		refuse_twice(pstate, stmt, option);
		if (is_option(option, "format"))
			continue;
		if (is_option(option, "batch_bytes"))
			settings.batch_bytes = batch_bytes(pstate, defGetInt64(option), option->location);
		else if (is_option(option, "compression"))
			settings.compression = compression(pstate, defGetString(option), option->location);
		else if (is_option(option, "infinity"))
			settings.infinity_is_null = infinity_is_null(pstate, defGetString(option), option->location);
		else
			ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
							   errmsg("option \"%s\" not recognized with FORMAT arrow", option->defname),
							   errhint("The options are batch_bytes, compression and infinity."),
							   parser_errposition(pstate, option->location)));
	}
	return settings;
}

/* The same of a function's arguments. */
BowshotSettings
bowshot_settings_of(int64 bytes, const char *method, const char *infinity)
{
	BowshotSettings settings = {.batch_bytes = batch_bytes(NULL, bytes, -1),
		.compression = compression(NULL, method, -1),
		.infinity_is_null = infinity_is_null(NULL, infinity, -1),
		.money_scale = money_scale()};

	return settings;
}

/* A part of a shared result has no options of its own. */
void
bowshot_refuse_options(ParseState *pstate, const CopyStmt *stmt)
{
	ListCell *cell;

	foreach (cell, stmt->options)
	{
		DefElem *option = lfirst_node(DefElem, cell);

		refuse_twice(pstate, stmt, option);
		if (!is_option(option, "format"))
			ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
							   errmsg("option \"%s\" is not for a part of a shared result", option->defname),
							   errhint("Give it to bowshot.declare: all parts have the same options."),
							   parser_errposition(pstate, option->location)));
	}
}
