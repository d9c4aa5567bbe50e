// Package adbcdriver holds what Go's driver manager reads through Bowshot's ADBC driver.
package adbcdriver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-adbc/go/adbc/drivermgr"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// The address of a private PostgreSQL, which ends with the tests.
var postgres string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	server := exec.Command(os.Getenv("BOWSHOT_TESTKIT"), "postgres")
	stdin, _ := server.StdinPipe()
	stdout, _ := server.StdoutPipe()
	if err := server.Start(); err != nil {
		fmt.Println("BOWSHOT_TESTKIT names no program: run dev/go_test.sh:", err)
		return 1
	}
	defer func() {
		stdin.Close()
		server.Wait()
	}()
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	var described struct {
		URI string `json:"uri"`
	}
	if err != nil || json.Unmarshal(line, &described) != nil {
		fmt.Println("the database does not start:", err)
		return 1
	}
	postgres = described.URI
	return m.Run()
}

// A connection by the driver's manifest, which ADBC_DRIVER_PATH leads to.
func connect(t *testing.T, uri string) adbc.Connection {
	t.Helper()
	return open(t, map[string]string{"driver": "bowshot", adbc.OptionKeyURI: uri})
}

func open(t *testing.T, options map[string]string) adbc.Connection {
	t.Helper()
	var driver drivermgr.Driver
	database, err := driver.NewDatabase(options)
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

func statement(t *testing.T, connection adbc.Connection, sql string) adbc.Statement {
	t.Helper()
	statement, err := connection.NewStatement()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { statement.Close() })
	if err := statement.SetSqlQuery(sql); err != nil {
		t.Fatal(err)
	}
	return statement
}

func change(t *testing.T, connection adbc.Connection, sql string) int64 {
	t.Helper()
	rows, err := statement(t, connection, sql).ExecuteUpdate(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Every cell of a result, row by row, as Arrow writes it; and the columns' types.
func cells(t *testing.T, reader array.RecordReader, err error) (rows [][]string, types []string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Release()
	for _, field := range reader.Schema().Fields() {
		types = append(types, field.Type.String())
	}
	for reader.Next() {
		batch := reader.RecordBatch()
		for row := range int(batch.NumRows()) {
			var found []string
			for _, column := range batch.Columns() {
				found = append(found, strings.Clone(column.ValueStr(row)))
			}
			rows = append(rows, found)
		}
	}
	if err := reader.Err(); err != nil {
		t.Fatal(err)
	}
	return rows, types
}

func query(t *testing.T, connection adbc.Connection, sql string) ([][]string, []string) {
	t.Helper()
	reader, _, err := statement(t, connection, sql).ExecuteQuery(context.Background())
	return cells(t, reader, err)
}
