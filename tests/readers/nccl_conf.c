// SPDX-License-Identifier: Apache-2.0
// What a process without variables gets from an nccl.conf: the rules of NCCL's setEnvFile()
// (src/misc/param.cc), said in other words. Prints NAME=VALUE lines.
//
//     nccl_conf FILE          NCCL from 2.26.2 on, which skips lines that begin with '#'
//     nccl_conf FILE --old    before, when there were no comments
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char** environ;

// Name and value are cut there.
enum { kMost = 1023 };

int main(int argc, char** argv) {
  FILE* file = argc > 1 ? fopen(argv[1], "r") : NULL;
  if (!file) return 1;
  const int comments = argc < 3;
  clearenv();
  char* line = NULL;
  size_t room = 0;
  ssize_t length = 0;
  while ((length = getline(&line, &room, file)) != -1) {
    if (line[length - 1] == '\n') line[--length] = '\0';
    if (comments && line[0] == '#') continue;
    char* equals = strchr(line, '=');
    if (!equals) continue;
    *equals = '\0';
    char name[kMost + 1];
    char value[kMost + 1];
    snprintf(name, sizeof name, "%s", line);
    snprintf(value, sizeof value, "%s", equals + 1);
    setenv(name, value, 0);  // the first line for a name wins, and the environment before all
  }
  free(line);
  fclose(file);
  for (char** entry = environ; entry && *entry; ++entry) puts(*entry);
  return 0;
}
