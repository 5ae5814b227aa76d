// SPDX-License-Identifier: Apache-2.0
//
// Runs two commands in turns, so that a machine whose speed drifts is fair to both, and prints the
// medians of what they took:
//
//     alternate ROUNDS COMMAND... -- COMMAND...
//     wall_us FIRST SECOND RATIO
//     cpu_us FIRST SECOND RATIO
//     rss_kib FIRST SECOND RATIO
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char** environ;

struct Samples {
  double* values;
  int count;
};

enum { kWall, kCpu, kRss, kMeasures };

static double seconds(struct timeval value) {
  return (double)value.tv_sec + (double)value.tv_usec / 1e6;
}

static void run(char** command, struct Samples* samples) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  struct timespec begin;
  struct timespec end;
  pid_t child = 0;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  const int error = posix_spawn(&child, command[0], &actions, NULL, command, environ);
  int status = 0;
  struct rusage usage;
  if (error != 0 || wait4(child, &status, 0, &usage) != child) {
    fprintf(stderr, "%s: %s\n", command[0], strerror(error != 0 ? error : errno));
    exit(2);
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  posix_spawn_file_actions_destroy(&actions);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    fprintf(stderr, "%s failed with status %#x\n", command[0], (unsigned)status);
    exit(1);
  }
  const int i = samples[kWall].count;
  samples[kWall].values[i] =
      (double)(end.tv_sec - begin.tv_sec) * 1e6 + (double)(end.tv_nsec - begin.tv_nsec) / 1e3;
  samples[kCpu].values[i] = (seconds(usage.ru_utime) + seconds(usage.ru_stime)) * 1e6;
  samples[kRss].values[i] = (double)usage.ru_maxrss;
  for (int m = 0; m < kMeasures; ++m) samples[m].count = i + 1;
}

static int compare(const void* left, const void* right) {
  const double a = *(const double*)left;
  const double b = *(const double*)right;
  return (a > b) - (a < b);
}

static double median(struct Samples samples) {
  qsort(samples.values, (size_t)samples.count, sizeof(double), compare);
  const int half = samples.count / 2;
  if (samples.count % 2 == 1) return samples.values[half];
  return (samples.values[half - 1] + samples.values[half]) / 2;
}

int main(int argc, char** argv) {
  int second = 2;
  while (second < argc && strcmp(argv[second], "--") != 0) ++second;
  const int rounds = argc > 1 ? atoi(argv[1]) : 0;
  if (rounds < 1 || second + 1 >= argc || second == 2) {
    fprintf(stderr, "usage: %s ROUNDS COMMAND... -- COMMAND...\n", argv[0]);
    return 2;
  }
  argv[second] = NULL;
  char** const commands[2] = {argv + 2, argv + second + 1};
  struct Samples samples[2][kMeasures];
  for (int c = 0; c < 2; ++c)
    for (int m = 0; m < kMeasures; ++m)
      samples[c][m] = (struct Samples){calloc((size_t)rounds, sizeof(double)), 0};
  for (int c = 0; c < 2; ++c) {  // a first run warms the caches and does not count
    run(commands[c], samples[c]);
    for (int m = 0; m < kMeasures; ++m) samples[c][m].count = 0;
  }
  for (int round = 0; round < rounds; ++round)
    for (int c = 0; c < 2; ++c) run(commands[c], samples[c]);

  static const char* const names[kMeasures] = {"wall_us", "cpu_us", "rss_kib"};
  for (int m = 0; m < kMeasures; ++m) {
    const double first = median(samples[0][m]);
    const double other = median(samples[1][m]);
    printf("%s %.0f %.0f %.2f\n", names[m], first, other, other / first);
  }
  return 0;
}
