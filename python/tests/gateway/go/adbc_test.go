package gateway

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-adbc/go/adbc/driver/flightsql"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

const header = "adbc.flight.sql.rpc.call_header."

// No table is made: the gateway only reads, so the rows are the database's own.
const sql = "SELECT n AS id, n * 0.25 AS price, 'row ' || n AS name FROM generate_series(1, 60000) n"

func connect(t *testing.T, options map[string]string) adbc.Connection {
	t.Helper()
	all := map[string]string{adbc.OptionKeyURI: only.address}
	for name, value := range options {
		all[name] = value
	}
	database, err := flightsql.NewDriver(memory.DefaultAllocator).NewDatabase(all)
	if err != nil {
		t.Fatal(err)
	}
	connection, err := database.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		connection.Close()
		database.Close()
	})
	return connection
}

// The first column of all batches, which is of int32.
func numbers(t *testing.T, reader array.RecordReader) []int {
	t.Helper()
	defer reader.Release()
	var found []int
	for reader.Next() {
		for _, value := range reader.RecordBatch().Column(0).(*array.Int32).Int32Values() {
			found = append(found, int(value))
		}
	}
	if err := reader.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

func statement(t *testing.T, connection adbc.Connection, query string) adbc.Statement {
	t.Helper()
	statement, err := connection.NewStatement()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { statement.Close() })
	if err := statement.SetSqlQuery(query); err != nil {
		t.Fatal(err)
	}
	return statement
}

func whole(t *testing.T, found []int) {
	t.Helper()
	sort.Ints(found)
	if len(found) != orders || found[0] != 1 || found[orders-1] != orders {
		t.Fatalf("%d rows", len(found))
	}
}

func TestEveryCodecAndNumberOfEndpointsIsTheSameRows(t *testing.T) {
	for _, codec := range []string{"none", "lz4", "zstd", "auto"} {
		for _, endpoints := range []string{"1", "2", "4", "8"} {
			t.Run(codec+" "+endpoints, func(t *testing.T) {
				connection := connect(t, map[string]string{
					header + "bowshot-compression": codec, header + "bowshot-endpoints": endpoints,
				})
				reader, _, err := statement(t, connection, sql).ExecuteQuery(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				whole(t, numbers(t, reader))
			})
		}
	}
}

func TestPartitionsAreReadOnOtherConnections(t *testing.T) {
	connection := connect(t, map[string]string{header + "bowshot-endpoints": "4"})
	_, partitions, _, err := statement(t, connection, sql).ExecutePartitions(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var all []int
	var lock sync.Mutex
	var group sync.WaitGroup
	for _, partition := range partitions.PartitionIDs {
		other := connect(t, nil)
		group.Go(func() {
			reader, err := other.ReadPartition(context.Background(), partition)
			if err != nil {
				t.Error(err)
				return
			}
			found := numbers(t, reader)
			lock.Lock()
			defer lock.Unlock()
			all = append(all, found...)
		})
	}
	group.Wait()
	whole(t, all)
}

func TestAnErrorSaysWhere(t *testing.T) {
	connection := connect(t, nil)
	_, _, err := statement(t, connection, "SELECT nonsense").ExecuteQuery(context.Background())
	if err == nil || !strings.Contains(err.Error(), "at character 8 of the query") {
		t.Fatal(err)
	}
}

func TestACancelledContextEndsTheQuery(t *testing.T) {
	connection := connect(t, nil)
	ctx, cancel := context.WithCancel(context.Background())
	reader, _, err := statement(t, connection, "SELECT n FROM generate_series(1, 50000000) n").ExecuteQuery(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Release()
	reader.Next()
	cancel()
	for reader.Next() {
	}
	if reader.Err() == nil {
		t.Fatal("a result that was cut off looks whole")
	}
}

func TestInfoAndTablesAreTold(t *testing.T) {
	connection := connect(t, nil)
	reader, err := connection.GetInfo(context.Background(), []adbc.InfoCode{adbc.InfoVendorName})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Release()
	if !reader.Next() || !strings.Contains(fmt.Sprint(reader.RecordBatch()), "Bowshot") {
		t.Fatal("the vendor is unknown")
	}
	types, err := connection.GetTableTypes(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer types.Release()
	if !types.Next() || types.RecordBatch().NumRows() == 0 {
		t.Fatal("there are no kinds of tables")
	}
}
