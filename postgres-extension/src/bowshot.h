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
extern BowshotSettings bowshot_settings_of(int64 batch_bytes, const char *compression, const char *infinity);
extern void bowshot_refuse_options(ParseState *pstate, const CopyStmt *stmt);

/* query.c: the query of a COPY, analysed and planned */
typedef struct BowshotQuery
{
	PlannedStmt *plan;
	bool keeps_not_null; /* it makes no NULL of a column's values itself */
} BowshotQuery;

extern BowshotQuery bowshot_query(ParseState *pstate, const CopyStmt *stmt, const PlannedStmt *utility);
extern Query *bowshot_analyse(ParseState *pstate, RawStmt *raw, bool *keeps_not_null);

/* copy.c: the statement */
extern uint64 bowshot_copy(ParseState *pstate, const CopyStmt *stmt, const PlannedStmt *utility);
extern void bowshot_check_direction(const CopyStmt *stmt);
extern void bowshot_run(QueryDesc *running);

/* declare.c: a result that several connections share */
extern RawStmt *bowshot_one_statement(const char *text);

/* fetch.c: a part of it */
extern bool bowshot_is_fetch(const CopyStmt *stmt);
extern uint64 bowshot_fetch(ParseState *pstate, const CopyStmt *stmt);

/* stream.c: the library's stream, and its errors as PostgreSQL's */
extern BowshotArrow *bowshot_stream(MemoryContext context, BowshotSettings settings);
extern void bowshot_check(BowshotArrow *stream, bool done);

/* describe.c: the columns of the result */
extern void bowshot_describe(BowshotArrow *stream, TupleDesc columns, List *targets, bool keeps_not_null);
extern Oid bowshot_sent_type(Form_pg_attribute column);

/* receive.c: from slots to columns */
typedef struct BowshotReceiver BowshotReceiver;

/* Where messages go: the pieces of one, how many rows are in it, and whether it is the last one. */
typedef struct BowshotSink
{
	void (*send)(void *self, BowshotPieces pieces, uint64 rows, bool last);
	void *self;
} BowshotSink;

extern BowshotReceiver *bowshot_receiver(BowshotArrow *stream, MemoryContext context, BowshotSink sink);
extern void bowshot_receiver_start(BowshotReceiver *receiver, TupleDesc columns);
extern uint64 bowshot_receiver_flush(BowshotReceiver *receiver);
extern uint64 bowshot_receiver_finish(BowshotReceiver *receiver);

/* send.c: from the stream to the client */
extern void bowshot_send_begin(int columns);
extern void bowshot_send_pieces(BowshotPieces ready, bool last);
extern void bowshot_send_end(void);

/* encoding.c: between the server's encoding and UTF-8 */
extern char *bowshot_to_utf8(const char *text);
extern char *bowshot_from_utf8(const char *text);

#endif
