// SPDX-License-Identifier: Apache-2.0
// A plugin of node-problem-detector. It reads nettune's summary, and nothing else:
//
//     nettune-npd [DIRECTORY]      DIRECTORY: /run/nettune
//
// Exit status, as the protocol of custom plugins has it: 0 no problem, 1 drift or lost state, 2
// unknown (no summary, a stale one, one of another boot, or a file that is not what nettune
// writes). Standard output has one line, with words of this program and numbers only: nothing that
// is read from the file is printed.
//
//     gcc -O2 -static -o nettune-npd nettune-npd.c
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
  kOk = 0,
  kProblem = 1,
  kUnknown = 2,
  kLargest = 1 << 20,
  kFresh_s = 7200,
  kClockSlack_s = 300
};

static char text[kLargest + 2];

static int say(int status, const char* words) {
  puts(words);
  return status;
}

// A file that only root can have written.
static int is_roots(const struct stat* file) {
  return file->st_uid == 0 && (file->st_mode & 022) == 0;
}

static ssize_t read_file(int directory, const char* name, char* into, size_t most) {
  struct stat file;
  const int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t size = -1;
  if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && is_roots(&file)) {
    size_t have = 0;
    ssize_t got = 0;
    while (have < most && (got = read(fd, into + have, most - have)) > 0) have += (size_t)got;
    if (got >= 0) size = (ssize_t)have;
  }
  close(fd);
  return size;
}

// nettune writes one member a line, indented by its depth, and no text in it has a line break. So a
// line that begins with `begin` is that member, and nothing inside of a text. Returns what follows;
// NULL if it is not there exactly once.
static const char* member(const char* begin) {
  const size_t length = strlen(begin);
  const char* found = NULL;
  for (const char* line = text; line != NULL && *line != '\0';
       line = strchr(line, '\n'), line += line != NULL) {
    if (strncmp(line, begin, length) != 0) continue;
    if (found != NULL) return NULL;
    found = line + length;
  }
  return found;
}

static int is(const char* begin, const char* rest) {
  const char* const value = member(begin);
  return value != NULL && strncmp(value, rest, strlen(rest)) == 0 && value[strlen(rest)] == '\n';
}

// A number that is the whole of its member; -1 if it is not there, or something else.
static long long number(const char* begin) {
  const char* const value = member(begin);
  if (value == NULL || *value < '0' || *value > '9') return -1;
  char* end = NULL;
  errno = 0;
  const long long parsed = strtoll(value, &end, 10);
  return errno == 0 && end[0] == ',' && end[1] == '\n' ? parsed : -1;
}

// How many settings differ.
static int count_apart(void) {
  int count = 0;
  const char* line = strstr(text, "\n    \"apart\": [\n");
  if (line == NULL) return 0;
  for (line = strchr(line + 1, '\n'); line != NULL && strncmp(line, "\n    ]", 6) != 0;
       line = strchr(line + 1, '\n'))
    count += strncmp(line, "\n        \"setting\": ", 20) == 0;
  return count;
}

int main(int argc, char** argv) {
  const int directory =
      open(argc > 1 ? argv[1] : "/run/nettune", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat status;
  if (directory < 0 || faccessat(directory, "summary.json", F_OK, AT_SYMLINK_NOFOLLOW) != 0)
    return say(kUnknown, "no summary: nettune check has not run since the boot");
  if (fstat(directory, &status) != 0 || !is_roots(&status))
    return say(kUnknown, "others than root may write the summary's directory");
  const ssize_t size = read_file(directory, "summary.json", text, kLargest + 1);
  if (size < 0)
    return say(kUnknown, "the summary cannot be read, or others than root may write it");
  if (size > kLargest || memchr(text, '\0', (size_t)size) != NULL ||
      strncmp(text, "{\n  \"schema\": 1,\n", 17) != 0 || !is("  \"kind\": ", "\"summary\",") ||
      size < 3 || strcmp(text + size - 3, "\n}\n") != 0)
    return say(kUnknown, "the summary is not what nettune writes");

  char boot[64] = "\"";
  const int proc = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  const ssize_t length = proc < 0 ? -1 : read(proc, boot + 1, 36);
  if (length != 36) return say(kUnknown, "the kernel's boot_id cannot be read");
  strcat(boot, "\",");
  if (!is("  \"boot_id\": ", boot)) return say(kUnknown, "the summary is of another boot");

  if (is("  \"state_lost\": ", "true,")) return say(kProblem, "nettune's state is lost");
  if (!is("  \"state_lost\": ", "false,") || !is("  \"known\": ", "true,"))
    return say(kUnknown, "what is applied is unknown");
  if (!is("  \"pending\": ", "null,"))
    return say(kUnknown, "a change is waiting, or was interrupted");
  if (is("  \"check\": ", "null,")) return say(kUnknown, "no check since the last change");

  const int in_sync = is("    \"verdict\": ", "\"in_sync\",");
  long long checked = number("    \"time_s\": ");
  // While everything stays in sync, a check only touches this file.
  if (in_sync && is("    \"exit\": ", "0,") &&
      fstatat(directory, "in-sync", &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode) &&
      is_roots(&status) && status.st_mtime > checked)
    checked = status.st_mtime;
  const long long age = (long long)time(NULL) - checked;
  if (checked < 0 || age < -kClockSlack_s)
    return say(kUnknown, "the time of the last check makes no sense");
  if (age > kFresh_s) return say(kUnknown, "the last check is older than two hours");
  if (in_sync) return say(kOk, "the node is as applied");
  if (is("    \"verdict\": ", "\"unmanaged\",")) return say(kOk, "nothing is applied");
  if (!is("    \"verdict\": ", "\"drift\","))
    return say(kUnknown, "the last check could not decide");
  printf("drift: %d settings differ; see nettune check\n", count_apart());
  return kProblem;
}
