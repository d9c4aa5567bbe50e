/*
 * An error of one process as the error of all that have to do with its result.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "utils/elog.h"

#include "shared.h"

static void
keep(char *to, size_t room, const char *text)
{
	size_t length = text ? pg_mbcliplen(text, strlen(text), room - 1) : 0;

	if (length > 0)
		memcpy(to, text, length);
	to[length] = '\0';
}

/* What others would take for their own cancel, or for the end of their own session. */
static bool
is_about_the_session(int sqlstate)
{
	int class = ERRCODE_TO_CATEGORY(sqlstate);

	return class == ERRCODE_OPERATOR_INTERVENTION || class == ERRCODE_CONNECTION_EXCEPTION;
}

/* Keeps an error that happened to the session that fetches a part, or, for part 0, to the holder. */
void
bowshot_remember(BowshotFailure *failure, const ErrorData *error, int part)
{
	const char *message = error->message ? error->message : "no message";

	failure->part = part;
	failure->sqlstate = error->sqlerrcode;
	if (is_about_the_session(error->sqlerrcode))
	{
		failure->sqlstate = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;
		if (part > 0)
			message = psprintf("part %d was not read to its end: %s", part, message);
		else
			message = psprintf("the process that holds the result has ended: %s", message);
	}
	keep(failure->message, sizeof(failure->message), message);
	keep(failure->detail, sizeof(failure->detail), error->detail);
	keep(failure->hint, sizeof(failure->hint),
		error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE && !error->hint
			? "Somebody waits to alter a table of the query. Declare the result again."
			: error->hint);
	keep(failure->column, sizeof(failure->column), error->column_name);
}

/* Raises it. */
void
bowshot_raise(const BowshotFailure *failure, const char *name)
{
	ereport(ERROR, (errcode(failure->sqlstate), errmsg_internal("%s", failure->message),
					   failure->detail[0] ? errdetail_internal("%s", failure->detail) : 0,
					   failure->hint[0] ? errhint("%s", failure->hint) : 0,
					   failure->column[0] ? err_generic_string(PG_DIAG_COLUMN_NAME, failure->column) : 0,
					   failure->part ? errcontext("part %d of the shared result \"%s\"", failure->part, name)
									 : errcontext("shared result \"%s\"", name)));
}
