/*
 * Arrow's text is UTF-8, whatever the server's and the client's encodings are.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"

#include "bowshot.h"

/* A copy of text in the server's encoding. */
char *
bowshot_to_utf8(const char *text)
{
	char *converted = pg_server_to_any(text, strlen(text), PG_UTF8);

	return converted == text ? pstrdup(text) : converted;
}

/* A copy of text in UTF-8. */
char *
bowshot_from_utf8(const char *text)
{
	char *converted = pg_any_to_server(text, strlen(text), PG_UTF8);

	return converted == text ? pstrdup(text) : converted;
}
