// Package gateway holds what Go's stock clients read from `bowshot serve`.
package gateway

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"testing"
	"time"
)

const orders = 60_000

// A gateway in front of a private PostgreSQL; both end with the tests.
type served struct {
	address string
	direct  string
}

var only served

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	database := exec.Command(os.Getenv("BOWSHOT_TESTKIT"), "postgres")
	stdin, _ := database.StdinPipe()
	stdout, _ := database.StdoutPipe()
	if err := database.Start(); err != nil {
		fmt.Println("BOWSHOT_TESTKIT names no program: run dev/go_test.sh:", err)
		return 1
	}
	defer func() {
		stdin.Close()
		database.Wait()
	}()
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	var described struct {
		URI string `json:"uri"`
	}
	if err != nil || json.Unmarshal(line, &described) != nil {
		fmt.Println("the database does not start:", err)
		return 1
	}

	log, err := os.CreateTemp("", "bowshot")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer os.Remove(log.Name())
	gateway := exec.Command(os.Getenv("BOWSHOT_COMMAND"), "serve", "shop="+described.URI, "--listen", "127.0.0.1:0")
	gateway.Stdout, gateway.Stderr = log, log
	if err := gateway.Start(); err != nil {
		fmt.Println("BOWSHOT_COMMAND names no program: run dev/go_test.sh:", err)
		return 1
	}
	defer func() {
		gateway.Process.Signal(os.Interrupt)
		gateway.Wait()
	}()
	address := regexp.MustCompile(`grpc://[\d.]+:\d+`)
	for range 600 {
		text, _ := os.ReadFile(log.Name())
		if found := address.Find(text); found != nil {
			only = served{address: string(found), direct: described.URI}
			return m.Run()
		}
		time.Sleep(100 * time.Millisecond)
	}
	fmt.Println("the gateway does not listen")
	return 1
}
