/* The floor of a MySQL read: send a query, receive the packets of its result, keep nothing.
 *
 *     mysql_discard PORT USER DATABASE SQL
 *
 * Logs in on 127.0.0.1 without a password. Prints the number of rows. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* https://mariadb.com/kb/en/connection/ */
enum { CONNECT_WITH_DB = 8, PROTOCOL_41 = 512, TRANSACTIONS = 8192, SECURE_CONNECTION = 32768, PLUGIN_AUTH = 1 << 19 };
enum { COM_QUERY = 3, UTF8MB4 = 45 };

static uint8_t buffer[1 << 20];
static size_t start, end;
static int server;

static void fail(const char *what) {
    fprintf(stderr, "mysql_discard: %s\n", what);
    exit(1);
}

/* Makes sure that at least `count` bytes, at most the buffer's size, wait to be looked at. */
static void need(size_t count) {
    if (end - start >= count) return;
    memmove(buffer, buffer + start, end - start);
    end -= start;
    start = 0;
    while (end < count) {
        ssize_t got = read(server, buffer + end, sizeof buffer - end);
        if (got <= 0) fail("the server hung up");
        end += (size_t)got;
    }
}

/* Passes over the next packet; returns its first byte and its length. */
static uint8_t packet(size_t *length) {
    need(5);
    *length = buffer[start] | (size_t)buffer[start + 1] << 8 | (size_t)buffer[start + 2] << 16;
    const uint8_t first = buffer[start + 4];
    if (first == 0xff) {
        need(4 + (*length < 512 ? *length : 512));
        fprintf(stderr, "%.*s\n", (int)*length - 3, (const char *)buffer + start + 7);
        fail("the server refused");
    }
    size_t left = *length + 4;
    while (left > end - start) {
        left -= end - start;
        start = end = 0;
        need(1);
    }
    start += left;
    return first;
}

static void send_packet(uint8_t number, const uint8_t *body, size_t length) {
    uint8_t *bytes = malloc(length + 4);
    if (!bytes) fail("no memory");
    bytes[0] = (uint8_t)length;
    bytes[1] = (uint8_t)(length >> 8);
    bytes[2] = (uint8_t)(length >> 16);
    bytes[3] = number;
    memcpy(bytes + 4, body, length);
    if (write(server, bytes, length + 4) != (ssize_t)length + 4) fail("the query cannot be sent");
    free(bytes);
}

static void login(const char *user, const char *database) {
    uint8_t body[512] = {0};
    const uint32_t capabilities = CONNECT_WITH_DB | PROTOCOL_41 | TRANSACTIONS | SECURE_CONNECTION | PLUGIN_AUTH;
    const uint32_t largest = 1 << 30;
    size_t length;
    packet(&length); /* the greeting */
    memcpy(body, &capabilities, 4);
    memcpy(body + 4, &largest, 4);
    body[8] = UTF8MB4;
    /* 23 reserved bytes, the user, an empty answer, the database, how it would be checked. */
    const int more = snprintf((char *)body + 32, sizeof body - 32, "%s%c%c%s%cmysql_native_password", user, 0, 0, database, 0);
    send_packet(1, body, 32 + (size_t)more + 1);
    if (packet(&length) != 0) fail("the server wants a password");
}

int main(int argument_count, char **arguments) {
    if (argument_count != 5) {
        fprintf(stderr, "usage: mysql_discard PORT USER DATABASE SQL\n");
        return 2;
    }
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(arguments[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server = socket(AF_INET, SOCK_STREAM, 0);
    const int on = 1;
    setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(server, (struct sockaddr *)&address, sizeof address) != 0) fail("nobody listens");
    login(arguments[2], arguments[3]);

    const size_t length = strlen(arguments[4]) + 1;
    uint8_t *query = malloc(length);
    if (!query) fail("no memory");
    query[0] = COM_QUERY;
    memcpy(query + 1, arguments[4], length - 1);
    send_packet(0, query, length);

    size_t size;
    packet(&size); /* how many columns */
    /* The columns end with an EOF packet, and so do the rows: its first byte is 0xfe, and it is short. */
    while (packet(&size) != 0xfe || size >= 9) continue;
    int64_t rows = 0;
    while (packet(&size) != 0xfe || size >= 9) rows++;
    printf("%lld\n", (long long)rows);
    return 0;
}
