/*
 * COPY ... TO STDOUT (FORMAT arrow), from the statement to its last message.
 */
#include "postgres.h"

#include "access/xact.h"
#include "executor/executor.h"
#include "tcop/pquery.h"
#include "tcop/tcopprot.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "bowshot.h"
#include "team.h"

/* Only out, and only to the client. */
void
bowshot_check_direction(const CopyStmt *stmt)
{
	if (stmt->is_from)
		ereport(
			ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("COPY FROM does not read FORMAT arrow"),
					   errhint("FORMAT arrow writes results: COPY ... TO STDOUT.")));
	if (stmt->filename)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						   errmsg("COPY with FORMAT arrow does not write to a file or a program"),
						   errhint("Use TO STDOUT, and have the client write the file.")));
	if (whereToSendOutput != DestRemote)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						   errmsg("COPY with FORMAT arrow needs a client that is connected")));
}

/* Has the executor hand all rows to the receiver. */
void
bowshot_run(QueryDesc *running)
{
#if PG_VERSION_NUM >= 180000
	ExecutorRun(running, ForwardScanDirection, 0);
#else
	ExecutorRun(running, ForwardScanDirection, 0, true);
#endif
}

static void
send_to_client(void *self, BowshotPieces pieces, uint64 rows, bool last)
{
	bowshot_send_pieces(pieces, last);
}

/* Runs the statement; the number of rows. */
uint64
bowshot_copy(ParseState *pstate, const CopyStmt *stmt, const PlannedStmt *utility)
{
	MemoryContext context;
	BowshotSettings settings;
	BowshotQuery query;
	BowshotArrow *stream;
	BowshotLead lead = {.sink = {send_to_client, NULL}, .shares = true};
	BowshotReceiver *receiver;
	QueryDesc *running;
	uint64 rows;

	bowshot_check_direction(stmt);
	settings = bowshot_settings(pstate, stmt);
	query = bowshot_query(pstate, stmt, utility);

	context = AllocSetContextCreate(CurrentMemoryContext, "bowshot copy", ALLOCSET_DEFAULT_SIZES);
	stream = bowshot_stream(context, settings);
	receiver = bowshot_receiver(stream, context, bowshot_lead_sink(&lead));

	/* As BeginCopyTo: the query sees what statements before it have done. */
	PushCopiedSnapshot(GetActiveSnapshot());
	UpdateActiveSnapshotCommandId();
	running = CreateQueryDesc(query.plan, pstate->p_sourcetext, GetActiveSnapshot(), InvalidSnapshot,
		(DestReceiver *) receiver, NULL, NULL, 0);
	ExecutorStart(running, 0);

	bowshot_describe(
		stream, running->tupDesc, FetchStatementTargetList((Node *) query.plan), query.keeps_not_null);
	lead.work.settings = settings;
	lead.work.keeps_not_null = query.keeps_not_null;
	bowshot_receiver_start(receiver, running->tupDesc);

	bowshot_send_begin(running->tupDesc->natts);
	rows = bowshot_lead(&lead, running, receiver);

	ExecutorFinish(running);
	ExecutorEnd(running);
	FreeQueryDesc(running);
	PopActiveSnapshot();
	MemoryContextDelete(context);
	bowshot_send_end();
	return rows;
}
