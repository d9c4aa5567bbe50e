/* The floor of a SQLite read: step through the rows of a query and read every column of each, keeping nothing.
 *
 *     sqlite_step FILE SQL
 *
 * Prints the number of rows. */
#include <stdint.h>
#include <stdio.h>

/* What is used of SQLite's interface, which is stable: the library comes with Python, its header in a package apart. */
typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
enum { SQLITE_OK = 0, SQLITE_ROW = 100, SQLITE_DONE = 101, SQLITE_OPEN_READONLY = 1 };
enum { SQLITE_INTEGER = 1, SQLITE_FLOAT = 2, SQLITE_TEXT = 3, SQLITE_BLOB = 4 };
int sqlite3_open_v2(const char *, sqlite3 **, int, const char *);
int sqlite3_close(sqlite3 *);
const char *sqlite3_errmsg(sqlite3 *);
int sqlite3_prepare_v2(sqlite3 *, const char *, int, sqlite3_stmt **, const char **);
int sqlite3_step(sqlite3_stmt *);
int sqlite3_finalize(sqlite3_stmt *);
int sqlite3_column_count(sqlite3_stmt *);
int sqlite3_column_type(sqlite3_stmt *, int);
long long sqlite3_column_int64(sqlite3_stmt *, int);
double sqlite3_column_double(sqlite3_stmt *, int);
const unsigned char *sqlite3_column_text(sqlite3_stmt *, int);
const void *sqlite3_column_blob(sqlite3_stmt *, int);
int sqlite3_column_bytes(sqlite3_stmt *, int);

static int fail(sqlite3 *database) {
    fprintf(stderr, "sqlite_step: %s\n", sqlite3_errmsg(database));
    return 1;
}

int main(int argument_count, char **arguments) {
    sqlite3 *database = NULL;
    sqlite3_stmt *statement = NULL;
    if (argument_count != 3) {
        fprintf(stderr, "usage: sqlite_step FILE SQL\n");
        return 2;
    }
    if (sqlite3_open_v2(arguments[1], &database, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) return fail(database);
    if (sqlite3_prepare_v2(database, arguments[2], -1, &statement, NULL) != SQLITE_OK) return fail(database);

    const int columns = sqlite3_column_count(statement);
    int64_t rows = 0;
    /* What is read ends up here, so that the compiler cannot leave a read out. */
    volatile int64_t integers = 0, bytes = 0;
    volatile double reals = 0;
    int status;
    while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int column = 0; column < columns; column++) {
            switch (sqlite3_column_type(statement, column)) {
            case SQLITE_INTEGER: integers += sqlite3_column_int64(statement, column); break;
            case SQLITE_FLOAT: reals += sqlite3_column_double(statement, column); break;
            case SQLITE_TEXT: {
                const unsigned char *text = sqlite3_column_text(statement, column);
                const int length = sqlite3_column_bytes(statement, column);
                bytes += length + (length ? text[0] : 0);
                break;
            }
            case SQLITE_BLOB: {
                const unsigned char *blob = sqlite3_column_blob(statement, column);
                const int length = sqlite3_column_bytes(statement, column);
                bytes += length + (length ? blob[0] : 0);
                break;
            }
            default: break;
            }
        }
        rows++;
    }
    if (status != SQLITE_DONE) return fail(database);
    printf("%lld\n", (long long)rows);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return 0;
}
