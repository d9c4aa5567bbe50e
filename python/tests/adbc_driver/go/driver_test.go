package adbcdriver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// What a column holds, its type as the database writes it and as Arrow does, and the cell.
var kinds = []struct{ sql, kind, arrow, cell string }{
	{"true", "bool", "bool", "true"},
	{"-32768", "int2", "int16", "-32768"},
	{"2147483647", "int4", "int32", "2147483647"},
	{"-9223372036854775808", "int8", "int64", "-9223372036854775808"},
	{"0.1", "float4", "float32", "0.1"},
	{"0.1", "float8", "float64", "0.1"},
	{"-12345678.90", "numeric(10, 2)", "decimal(10, 2)", "-12345678.9"},
	{"größe 🎯", "text", "utf8", "größe 🎯"},
	{`\x00ff`, "bytea", "binary", "AP8="},
	{"0001-02-28", "date", "date32", "0001-02-28"},
	{"23:59:59.999999", "time", "time64[us]", "23:59:59.999999"},
	{"2024-02-29 12:34:56.789012", "timestamp", "timestamp[us]", "2024-02-29T12:34:56.789012"},
	{"2024-02-29 12:34:56+02", "timestamptz", "timestamp[us, tz=UTC]", "2024-02-29T10:34:56Z"},
	{"{1,NULL,3}", "int4[]", "list<item: int32, nullable>", "[1,null,3]"},
}

func TestEveryTypeAndItsNull(t *testing.T) {
	var values, nulls, types, found []string
	for _, kind := range kinds {
		values = append(values, "'"+kind.sql+"'::"+kind.kind)
		nulls = append(nulls, "NULL::"+kind.kind)
		types = append(types, kind.arrow)
		found = append(found, kind.cell)
	}
	connection := connect(t, postgres)
	change(t, connection, "CREATE TABLE kinds AS SELECT "+strings.Join(named(values), ", "))
	defer change(t, connection, "DROP TABLE kinds")
	change(t, connection, "INSERT INTO kinds SELECT "+strings.Join(nulls, ", "))
	rows, columns := query(t, connection, "SELECT * FROM kinds ORDER BY 1")
	if !reflect.DeepEqual(columns, types) {
		t.Fatalf("%q\n%q", columns, types)
	}
	if len(rows) != 2 || !reflect.DeepEqual(rows[0], found) {
		t.Fatalf("%q\n%q", rows, found)
	}
	for _, cell := range rows[1] {
		if cell != array.NullValueStr {
			t.Fatalf("%q", rows[1])
		}
	}
}

func named(values []string) (columns []string) {
	for place, value := range values {
		columns = append(columns, value+" AS c"+string(rune('a'+place)))
	}
	return columns
}

func TestTheLibrarySPathIsADriverToo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "numbers.csv")
	if err := os.WriteFile(path, []byte("n,word\n7,seven\n8,\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	connection := open(t, map[string]string{"driver": os.Getenv("BOWSHOT_ADBC_DRIVER"), adbc.OptionKeyURI: path})
	rows, _ := query(t, connection, "SELECT n FROM numbers")
	if !reflect.DeepEqual(rows, [][]string{{"7"}, {"8"}}) {
		t.Fatalf("%q", rows)
	}
}

func TestParametersAndIngest(t *testing.T) {
	connection := connect(t, postgres)
	builder := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "word", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil))
	defer builder.Release()
	builder.Field(0).(*array.Int64Builder).AppendValues([]int64{1, 2}, nil)
	builder.Field(1).(*array.StringBuilder).AppendValues([]string{"one", ""}, []bool{true, false})
	batch := builder.NewRecordBatch()
	defer batch.Release()
	ingest := statement(t, connection, "")
	for name, value := range map[string]string{
		adbc.OptionKeyIngestTargetTable: "words", adbc.OptionKeyIngestMode: adbc.OptionValueIngestModeCreate,
	} {
		if err := ingest.SetOption(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := ingest.Bind(context.Background(), batch); err != nil {
		t.Fatal(err)
	}
	if count, err := ingest.ExecuteUpdate(context.Background()); err != nil || count != 2 {
		t.Fatal(count, err)
	}
	defer change(t, connection, "DROP TABLE words")
	bound := statement(t, connection, "SELECT id FROM words WHERE id = $1 AND word IS NOT DISTINCT FROM $2")
	if err := bound.Bind(context.Background(), batch); err != nil {
		t.Fatal(err)
	}
	reader, _, err := bound.ExecuteQuery(context.Background())
	if rows, _ := cells(t, reader, err); !reflect.DeepEqual(rows, [][]string{{"1"}, {"2"}}) {
		t.Fatalf("%q", rows)
	}
}

func TestObjectsAndSchemas(t *testing.T) {
	connection := connect(t, postgres)
	change(t, connection, "CREATE TABLE keyed (id int PRIMARY KEY, word text)")
	defer change(t, connection, "DROP TABLE keyed")
	table := "keyed"
	reader, err := connection.GetObjects(context.Background(), adbc.ObjectDepthAll, nil, nil, &table, nil, nil)
	rows, _ := cells(t, reader, err)
	for _, part := range []string{`"table_name":"keyed"`, `"column_name":"word"`, `"constraint_type":"PRIMARY KEY"`} {
		if len(rows) != 1 || !strings.Contains(rows[0][1], part) {
			t.Fatalf("%s: %q", part, rows)
		}
	}
	schema, err := connection.GetTableSchema(context.Background(), nil, nil, table)
	if err != nil || schema.NumFields() != 2 || schema.Field(0).Type.ID() != arrow.INT32 {
		t.Fatal(schema, err)
	}
}

func TestErrorsHaveTheirStatusAndSQLSTATE(t *testing.T) {
	connection := connect(t, postgres)
	for sql, wanted := range map[string]adbc.Error{
		"SELECT nonsense":       {Code: adbc.StatusInvalidArgument, SqlState: [5]byte([]byte("42703"))},
		"SELECT * FROM nowhere": {Code: adbc.StatusNotFound, SqlState: [5]byte([]byte("42P01"))},
	} {
		_, _, err := statement(t, connection, sql).ExecuteQuery(context.Background())
		var found adbc.Error
		if !errors.As(err, &found) || found.Code != wanted.Code || found.SqlState != wanted.SqlState {
			t.Fatal(sql, err)
		}
	}
	// What ends a result that has begun is text alone.
	late := statement(t, connection, "SELECT 1 / (n - 300000) AS n FROM generate_series(1, 400000) n")
	reader, _, err := late.ExecuteQuery(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Release()
	for reader.Next() {
	}
	if reader.Err() == nil || !strings.Contains(reader.Err().Error(), "SQLSTATE 22012") {
		t.Fatal(reader.Err())
	}
}

// Go's manager passes no context on: releasing the reader is what ends a query.
func TestAReleasedReaderEndsItsQuery(t *testing.T) {
	connection := connect(t, postgres)
	reading := statement(t, connection, "SELECT 'let go' AS word FROM generate_series(1, 100000) a, generate_series(1, 100000) b")
	reader, _, err := reading.ExecuteQuery(context.Background())
	if err != nil || !reader.Next() {
		t.Fatal(err)
	}
	reader.Release()
	watch := connect(t, postgres)
	const running = "SELECT pid FROM pg_stat_activity WHERE query LIKE '%let go%' AND state = 'active' AND pid <> pg_backend_pid()"
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		rows, _ := query(t, watch, running)
		if len(rows) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the query runs on")
		}
	}
}

// The day that Go's manager passes partitions on, docs/adbc-driver.md is to say so.
func TestGoSManagerHasNoPartitions(t *testing.T) {
	connection := connect(t, postgres)
	_, _, _, err := statement(t, connection, "SELECT 1").ExecutePartitions(context.Background())
	var found *adbc.Error
	if !errors.As(err, &found) || found.Code != adbc.StatusNotImplemented {
		t.Fatal(err)
	}
}
