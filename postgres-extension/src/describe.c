/*
 * Describes the columns of a result, and the types that are not built in, to the
 * library: what RowDescription and the catalogue tell the client.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "nodes/primnodes.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "bowshot.h"

/* The labels of an enum in their order. */
static void
describe_labels(Oid type, BowshotType *found)
{
	Relation relation = table_open(EnumRelationId, AccessShareLock);
	Relation index = index_open(EnumTypIdSortOrderIndexId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;
	size_t room = 16;
	const char **labels = palloc(room * sizeof(char *));
	uint32_t *oids = palloc(room * sizeof(uint32_t));

	ScanKeyInit(&key, Anum_pg_enum_enumtypid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(type));
	scan = systable_beginscan_ordered(relation, index, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext_ordered(scan, ForwardScanDirection)))
	{
		Form_pg_enum row = (Form_pg_enum) GETSTRUCT(tuple);

		if (found->labels_count == room)
		{
			room *= 2;
			labels = repalloc(labels, room * sizeof(char *));
			oids = repalloc(oids, room * sizeof(uint32_t));
		}
		labels[found->labels_count] = bowshot_to_utf8(NameStr(row->enumlabel));
		oids[found->labels_count++] = row->oid;
	}
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	table_close(relation, AccessShareLock);
	found->labels = labels;
	found->label_oids = oids;
}

/* The attributes of a composite type that were not dropped. */
static void
describe_attributes(Oid type, BowshotType *found)
{
	TupleDesc columns = lookup_rowtype_tupdesc(type, -1);
	BowshotAttribute *attributes = palloc(Max(columns->natts, 1) * sizeof(BowshotAttribute));

	for (int at = 0; at < columns->natts; at++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, at);
		BowshotAttribute *attribute = &attributes[found->attributes_count];

		if (column->attisdropped)
			continue;
		attribute->name = bowshot_to_utf8(NameStr(column->attname));
		attribute->oid = column->atttypid;
		attribute->modifier = column->atttypmod;
		attribute->dimensions = Max(column->attndims, 0);
		found->attributes_count++;
	}
	ReleaseTupleDesc(columns);
	found->attributes = attributes;
}

static void
describe_type(BowshotArrow *stream, Oid type)
{
	HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	Form_pg_type row;
	BowshotType found = {.oid = type, .kind = 'b', .modifier = -1};

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for type %u", type);
	row = (Form_pg_type) GETSTRUCT(tuple);
	found.name = bowshot_to_utf8(NameStr(row->typname));

	/* The category tells arrays from types such as point, which have elements but are none. */
	if (row->typcategory == TYPCATEGORY_ARRAY && OidIsValid(row->typelem))
	{
		found.kind = 'a';
		found.part = row->typelem;
	}
	else if (row->typtype == TYPTYPE_ENUM)
	{
		found.kind = 'e';
		describe_labels(type, &found);
	}
	else if (row->typtype == TYPTYPE_DOMAIN)
	{
		found.kind = 'd';
		found.part = row->typbasetype;
		found.modifier = row->typtypmod;
	}
	else if (row->typtype == TYPTYPE_COMPOSITE)
	{
		found.kind = 'c';
		describe_attributes(type, &found);
	}
	else if (row->typtype == TYPTYPE_RANGE)
	{
		found.kind = 'r';
		found.part = get_range_subtype(type);
	}
	else if (row->typtype == TYPTYPE_MULTIRANGE)
	{
		found.kind = 'm';
		found.part = get_multirange_range(type);
	}
	ReleaseSysCache(tuple);
	bowshot_check(stream, bowshot_arrow_know_type(stream, &found));
}

/* What a table's own column adds: whether it is NOT NULL, and an array's dimensions. */
static void
describe_origin(const TargetEntry *target, bool keeps_not_null, BowshotDescribed *described)
{
	HeapTuple tuple;
	Form_pg_attribute origin;

	if (!OidIsValid(target->resorigtbl))
		return;
	tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(target->resorigtbl), Int16GetDatum(target->resorigcol));
	if (!HeapTupleIsValid(tuple))
		return;
	origin = (Form_pg_attribute) GETSTRUCT(tuple);
	described->not_null = keeps_not_null && origin->attnotnull;
	described->dimensions = Max(origin->attndims, 0);
	ReleaseSysCache(tuple);
}

/* A domain is described by its base type, as in RowDescription. */
Oid
bowshot_sent_type(Form_pg_attribute column)
{
	return getBaseType(column->atttypid);
}

/* Describes everything that the library asks for, and starts the stream. */
void
bowshot_describe(BowshotArrow *stream, TupleDesc columns, List *targets, bool keeps_not_null)
{
	ListCell *cell;
	int at = 0;
	Oid type;

	foreach (cell, targets)
	{
		TargetEntry *target = lfirst_node(TargetEntry, cell);
		BowshotDescribed described = {0};
		Form_pg_attribute column;

		if (target->resjunk)
			continue;
		column = TupleDescAttr(columns, at++);
		described.name = bowshot_to_utf8(NameStr(column->attname));
		described.modifier = column->atttypmod;
		described.oid = getBaseTypeAndTypmod(column->atttypid, &described.modifier);
		describe_origin(target, keeps_not_null, &described);
		bowshot_check(stream, bowshot_arrow_describe(stream, &described));
	}
	if (at != columns->natts)
		elog(ERROR, "the plan has %d columns, its result %d", at, columns->natts);

	while ((type = bowshot_arrow_unknown_type(stream)) != 0)
		describe_type(stream, type);
	bowshot_check(stream, bowshot_arrow_start(stream));
}
