// SPDX-License-Identifier: Apache-2.0
// A wire between two network namespaces with a rate, a delay and a queue: two TUN devices, joined.
//     delayline NETNS NETNS MBIT_PER_S DELAY_MS QUEUE_BYTES [LOSE]
// The devices are called "wire". With LOSE, of as many packets one is lost. Kernels without netem
// have TUN.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { kSlots = 65536, kLargest = 2048 };

struct packet {
  double due_s;
  int size;
  char bytes[kLargest];
};

struct direction {
  int from, to;
  struct packet* ring;
  unsigned first, last;
  unsigned seen;
  double free_s;  // when the rate has carried all that was taken in
};

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int open_tun(const char* netns) {
  const int space = open(netns, O_RDONLY | O_CLOEXEC);
  if (space < 0 || setns(space, CLONE_NEWNET) != 0) {
    perror(netns);
    exit(1);
  }
  const int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  struct ifreq request;
  memset(&request, 0, sizeof request);
  strcpy(request.ifr_name, "wire");
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  if (fd < 0 || ioctl(fd, TUNSETIFF, &request) != 0) {
    perror("/dev/net/tun");
    exit(1);
  }
  return fd;
}

static void take_in(struct direction* one, double rate, double delay, double queue_bytes,
                    unsigned lose) {
  while (one->last - one->first < kSlots) {
    struct packet* packet = &one->ring[one->last % kSlots];
    const ssize_t size = read(one->from, packet->bytes, kLargest);
    if (size <= 0) return;
    const double now = now_s();
    if (one->free_s < now) one->free_s = now;
    if ((one->free_s - now) * rate > queue_bytes) continue;  // the queue is full
    if (lose > 0 && ++one->seen % lose == 0) continue;
    one->free_s += (double)size / rate;
    packet->size = (int)size;
    packet->due_s = one->free_s + delay;
    ++one->last;
  }
}

static double give_out(struct direction* one) {
  while (one->first != one->last) {
    struct packet* packet = &one->ring[one->first % kSlots];
    const double left = packet->due_s - now_s();
    if (left > 0) return left;
    (void)!write(one->to, packet->bytes, (size_t)packet->size);
    ++one->first;
  }
  return 1;
}

int main(int argc, char** argv) {
  if (argc != 6 && argc != 7) return 2;
  const double rate = atof(argv[3]) * 1e6 / 8;
  const double delay = atof(argv[4]) / 1e3;
  const double queue = atof(argv[5]);
  const unsigned lose = argc == 7 ? (unsigned)atoi(argv[6]) : 0;
  const int a = open_tun(argv[1]);
  const int b = open_tun(argv[2]);
  struct direction ways[2] = {{a, b, calloc(kSlots, sizeof(struct packet)), 0, 0, 0, 0},
                              {b, a, calloc(kSlots, sizeof(struct packet)), 0, 0, 0, 0}};
  puts("ready");
  fflush(stdout);
  for (;;) {
    double wait = 1;
    for (int i = 0; i < 2; ++i) {
      take_in(&ways[i], rate, delay, queue, lose);
      const double left = give_out(&ways[i]);
      if (left < wait) wait = left;
    }
    struct pollfd fds[2] = {{a, POLLIN, 0}, {b, POLLIN, 0}};
    const struct timespec time = {(time_t)wait, (long)((wait - (double)(time_t)wait) * 1e9)};
    ppoll(fds, 2, &time, NULL);
  }
}
