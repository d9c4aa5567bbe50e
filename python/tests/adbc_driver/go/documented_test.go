package adbcdriver

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-adbc/go/adbc/drivermgr"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// The code of docs/adbc-driver.md: the test below compares it with the page.
func documented(ctx context.Context, uri string, each func(array.RecordReader)) error {
	var manager drivermgr.Driver
	database, err := manager.NewDatabase(map[string]string{"driver": "bowshot", adbc.OptionKeyURI: uri})
	if err != nil {
		return err
	}
	defer database.Close()
	connection, err := database.Open(ctx)
	if err != nil {
		return err
	}
	defer connection.Close()
	statement, err := connection.NewStatement()
	if err != nil {
		return err
	}
	defer statement.Close()
	if err := statement.SetSqlQuery("SELECT * FROM lineitem"); err != nil {
		return err
	}
	reader, _, err := statement.ExecuteQuery(ctx)
	if err != nil {
		return err
	}
	defer reader.Release() // ends the query, if it has not ended
	for reader.Next() {
		each(reader)
	}
	return reader.Err()
}

func TestTheDocumentedCodeRuns(t *testing.T) {
	connection := connect(t, postgres)
	change(t, connection, "CREATE TABLE lineitem AS SELECT n FROM generate_series(1, 1000) n")
	defer change(t, connection, "DROP TABLE lineitem")
	var rows int64
	count := func(reader array.RecordReader) { rows += reader.RecordBatch().NumRows() }
	if err := documented(context.Background(), postgres, count); err != nil || rows != 1000 {
		t.Fatal(rows, err)
	}
	page, err := os.ReadFile("../../../../docs/adbc-driver.md")
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile("documented_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(page, -1)
	if len(blocks) != 1 || !strings.Contains(string(own), string(blocks[0][1])) {
		t.Fatal("docs/adbc-driver.md has other code than this file")
	}
}
