/* What receiving alone costs: take so many bytes over loopback, and keep them in new memory, or throw them away.
 *
 *     receive BYTES kept|thrown
 *
 * A process apart sends them as fast as they are taken. Memory is mapped a body at a time, before it is written, which costs
 * less than to have each page mapped by its first byte. After a short read it waits a little, so that bytes gather. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BODY = 1 << 20, READ = 256 << 10, SHORT_READ = 64 << 10 };

static uint8_t buffer[BODY];

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void send_all(const struct sockaddr_in *address, size_t count) {
    const int out = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(out, (const struct sockaddr *)address, sizeof *address) != 0) fail("connect");
    memset(buffer, 1, sizeof buffer);
    while (count > 0) {
        const ssize_t sent = write(out, buffer, count < sizeof buffer ? count : sizeof buffer);
        if (sent <= 0) fail("write");
        count -= (size_t)sent;
    }
}

static uint8_t *new_body(void) {
    uint8_t *body = mmap(NULL, BODY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (body == MAP_FAILED) fail("mmap");
    return body;
}

int main(int argument_count, char **arguments) {
    if (argument_count != 3) {
        fprintf(stderr, "usage: receive BYTES kept|thrown\n");
        return 2;
    }
    const size_t count = strtoull(arguments[1], NULL, 10);
    const int keep = strcmp(arguments[2], "kept") == 0;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 1) != 0) fail("listen");
    getsockname(listener, (struct sockaddr *)&address, &size);
    /* Nobody waits for the sender, so that its time is not counted as the receiver's. */
    if (fork() == 0) {
        send_all(&address, count);
        _exit(0);
    }
    const int in = accept(listener, NULL, NULL);
    uint8_t *body = keep ? NULL : buffer;
    for (size_t received = 0, used = BODY; received < count;) {
        if (used == BODY) {
            if (keep) body = new_body();
            used = 0;
        }
        const size_t asked = BODY - used < READ ? BODY - used : READ;
        const ssize_t got = read(in, body + used, asked);
        if (got <= 0) fail("read");
        received += (size_t)got;
        used += (size_t)got;
        const struct timespec pause = {.tv_nsec = 2000000};
        if ((size_t)got < asked && got < SHORT_READ) nanosleep(&pause, NULL);
    }
    return 0;
}
