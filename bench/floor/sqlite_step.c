/* The floor of a SQLite read: step through the rows of a query and read every column of each, keeping nothing.
 *
 *     sqlite_step FILE SQL
 *
 * Prints the number of rows. */
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>

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
