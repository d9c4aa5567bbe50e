/* A wire with a delay and losses: two TUN devices, and between them packets that are held for a while, or dropped.
 *
 *     relay DEVICE DEVICE DELAY_MICROSECONDS LOST_OF_A_MILLION OFFLOAD
 *
 * Prints "ready" once both devices are there; they vanish when it ends. It does what Linux' netem does, for kernels
 * that are built without. With OFFLOAD 1 the kernel hands over segments of up to 64 KiB, as it does to network cards
 * (https://docs.kernel.org/networking/tuntap.html, IFF_VNET_HDR): a gigabit needs that, losses need single packets. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* A packet of 64 KiB with the header that TUN puts before it. */
enum { LARGEST = (1 << 16) + 64, HELD = 1 << 14 };

typedef struct {
    int64_t due;
    size_t length;
    uint8_t *bytes;
} Packet;

/* What is on its way in one direction, the oldest first. */
typedef struct {
    Packet packets[HELD];
    size_t first, count;
} Wire;

static Wire wires[2];
static uint8_t buffer[LARGEST];
/* Always the same losses, as far as the packets are. */
static uint64_t random_state = 0x9e3779b97f4a7c15;

static void fail(const char *what) {
    fprintf(stderr, "relay: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* Marsaglia's xorshift64*. */
static uint64_t random_below(uint64_t limit) {
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (random_state * 0x2545f4914f6cdd1dULL >> 11) % limit;
}

static int device(const char *name, int offload) {
    const int file = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
    if (file < 0) fail("/dev/net/tun");
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    if (offload) request.ifr_flags |= IFF_VNET_HDR;
    strncpy(request.ifr_name, name, IFNAMSIZ - 1);
    if (ioctl(file, TUNSETIFF, &request) != 0) fail(name);
    if (offload && ioctl(file, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4) != 0) fail("segments of 64 KiB");
    return file;
}

/* Takes all that waits at a device; a wire that is full drops, as a router would. */
static void take(int from, Wire *wire, int64_t delay, uint64_t lost) {
    for (;;) {
        const ssize_t length = read(from, buffer, sizeof buffer);
        if (length < 0) {
            if (errno == EAGAIN || errno == EIO) return;
            fail("read");
        }
        if (wire->count == HELD || (lost && random_below(1000000) < lost)) continue;
        Packet *packet = &wire->packets[(wire->first + wire->count++) % HELD];
        packet->bytes = malloc((size_t)length);
        if (!packet->bytes) fail("memory");
        memcpy(packet->bytes, buffer, (size_t)length);
        packet->length = (size_t)length;
        packet->due = now() + delay;
    }
}

/* Hands on what is due; returns when the next packet is, or -1. */
static int64_t hand_on(int to, Wire *wire) {
    const int64_t time = now();
    while (wire->count) {
        Packet *packet = &wire->packets[wire->first];
        if (packet->due > time) return packet->due;
        /* A device that is down, or whose queue is full, loses the packet. */
        if (write(to, packet->bytes, packet->length) < 0 && errno != EAGAIN && errno != EIO && errno != ENOBUFS)
            fail("write");
        free(packet->bytes);
        wire->first = (wire->first + 1) % HELD;
        wire->count--;
    }
    return -1;
}

int main(int argument_count, char **arguments) {
    if (argument_count != 6) {
        fprintf(stderr, "usage: relay DEVICE DEVICE DELAY_MICROSECONDS LOST_OF_A_MILLION OFFLOAD\n");
        return 2;
    }
    const int64_t delay = atoll(arguments[3]) * 1000;
    const uint64_t lost = (uint64_t)atoll(arguments[4]);
    const int offload = atoi(arguments[5]);
    struct pollfd ends[2] = {{device(arguments[1], offload), POLLIN, 0}, {device(arguments[2], offload), POLLIN, 0}};
    printf("ready\n");
    fflush(stdout);
    for (;;) {
        int64_t next = -1;
        for (int end = 0; end < 2; end++) {
            take(ends[end].fd, &wires[end], delay, lost);
            const int64_t due = hand_on(ends[1 - end].fd, &wires[end]);
            if (due >= 0 && (next < 0 || due < next)) next = due;
        }
        int64_t wait = next < 0 ? 0 : next - now();
        if (wait < 0) wait = 0;
        const struct timespec timeout = {wait / 1000000000, wait % 1000000000};
        if (ppoll(ends, 2, next < 0 ? NULL : &timeout, NULL) < 0 && errno != EINTR) fail("poll");
    }
}
