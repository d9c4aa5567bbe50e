/*
 * What the files of the extension show each other.
 */
#ifndef BOWSHOT_H
#define BOWSHOT_H

#include "postgres.h"

#include "executor/execdesc.h"
#include "nodes/parsenodes.h"
#include "parser/parse_node.h"
#include "tcop/cmdtag.h"
#include "tcop/dest.h"

#include "bowshot_arrow.h"

/* options.c: what stands behind FORMAT arrow */
extern bool bowshot_is_arrow(const CopyStmt *stmt);
extern BowshotSettings bowshot_settings(ParseState *pstate, const CopyStmt *stmt);

/* query.c: the query of a COPY, analysed and planned */
typedef struct BowshotQuery
{
	PlannedStmt *plan;
	bool keeps_not_null; /* it makes no NULL of a column's values itself */
} BowshotQuery;

extern BowshotQuery bowshot_query(ParseState *pstate, const CopyStmt *stmt, const PlannedStmt *utility);

/* copy.c: the statement */
extern uint64 bowshot_copy(ParseState *pstate, const CopyStmt *stmt, const PlannedStmt *utility);

/* stream.c: the library's stream, and its errors as PostgreSQL's */
extern BowshotArrow *bowshot_stream(MemoryContext context, BowshotSettings settings);
extern void bowshot_check(BowshotArrow *stream, bool done);

/* describe.c: the columns of the result */
extern void bowshot_describe(BowshotArrow *stream, TupleDesc columns, List *targets, bool keeps_not_null);
extern Oid bowshot_sent_type(Form_pg_attribute column);

/* receive.c: from slots to columns */
typedef struct BowshotReceiver BowshotReceiver;

extern BowshotReceiver *bowshot_receiver(BowshotArrow *stream, MemoryContext context);
extern void bowshot_receiver_start(BowshotReceiver *receiver, TupleDesc columns);
extern uint64 bowshot_receiver_finish(BowshotReceiver *receiver);

/* send.c: from the stream to the client */
extern void bowshot_send_begin(int columns);
extern void bowshot_send_pieces(BowshotArrow *stream, bool last);
extern void bowshot_send_end(void);

/* encoding.c: between the server's encoding and UTF-8 */
extern char *bowshot_to_utf8(const char *text);
extern char *bowshot_from_utf8(const char *text);

#endif
