// SPDX-License-Identifier: Apache-2.0
//
// The least that anybody must do to know that a node holds what it should: read every sysctl by
// openat() on a directory, dump the links once, read every file, and compare. No parser, no
// library, no output when all is well. `nettune check` is measured against this.
//
//     floor EXPECTED        0: all as expected; 1: it says what is not
//
// EXPECTED is a list of records: "sysctl PATH LENGTH\nBYTES\n", "file PATH LENGTH\nBYTES\n", and
// "links mtu LENGTH\nBYTES\n", where the bytes are a line "NAME MTU\n" for each link, in the order
// of the kernel's dump.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { kBufferBytes = 32768 };

static char buffer[kBufferBytes];

static void die(const char* what) {
  perror(what);
  exit(2);
}

static size_t slurp(int directory, const char* path, char* into, size_t size) {
  const int fd = openat(directory, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) die(path);
  const ssize_t got = read(fd, into, size);
  if (got < 0) die(path);
  close(fd);
  return (size_t)got;
}

/// Takes the line of this link from the front of `wanted` when it is the next one there; 0 when its
/// MTU is another.
static int compare_link(const char** wanted, const char* name, unsigned mtu) {
  const size_t length = strlen(name);
  if (strncmp(*wanted, name, length) != 0 || (*wanted)[length] != ' ') return 1;  // not asked for
  char* end = NULL;
  const int holds = strtoul(*wanted + length + 1, &end, 10) == mtu;
  *wanted = end + 1;
  return holds;
}

/// From one dump: whether every link in `wanted` is there and has its MTU.
static int links_hold(const char* wanted, const char* end) {
  struct {
    struct nlmsghdr header;
    struct ifinfomsg info;
    struct rtattr attribute;
    __u32 mask;
  } request = {
      .header = {.nlmsg_len = sizeof(request),
                 .nlmsg_type = RTM_GETLINK,
                 .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
      .attribute = {.rta_len = RTA_LENGTH(sizeof(__u32)), .rta_type = IFLA_EXT_MASK},
      .mask = RTEXT_FILTER_SKIP_STATS,
  };
  const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (fd < 0 || send(fd, &request, sizeof(request), 0) < 0) die("RTM_GETLINK");
  int all = 1;
  for (;;) {
    ssize_t left = recv(fd, buffer, sizeof(buffer), 0);
    if (left < 0) die("recv");
    for (struct nlmsghdr* message = (struct nlmsghdr*)buffer; NLMSG_OK(message, left);
         message = NLMSG_NEXT(message, left)) {
      if (message->nlmsg_type == NLMSG_DONE) {
        close(fd);
        return all && wanted == end;
      }
      struct ifinfomsg* const info = NLMSG_DATA(message);
      int rest = (int)IFLA_PAYLOAD(message);
      const char* name = "";
      unsigned mtu = 0;
      for (struct rtattr* attribute = IFLA_RTA(info); RTA_OK(attribute, rest);
           attribute = RTA_NEXT(attribute, rest)) {
        if (attribute->rta_type == IFLA_IFNAME) name = RTA_DATA(attribute);
        if (attribute->rta_type == IFLA_MTU) mtu = *(__u32*)RTA_DATA(attribute);
      }
      all &= compare_link(&wanted, name, mtu);
    }
  }
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const size_t limit = 1 << 20;
  char* const expected = malloc(limit + 1);
  const size_t size = slurp(AT_FDCWD, argv[1], expected, limit);
  expected[size] = '\0';
  const int proc_sys = open("/proc/sys", O_PATH | O_DIRECTORY | O_CLOEXEC);
  int wrong = 0;
  for (char* at = expected; *at != '\0';) {
    char kind[16];
    char name[256];
    unsigned length = 0;
    int header = 0;
    if (sscanf(at, "%15s %255s %u%n", kind, name, &length, &header) != 3) return 2;
    at += header;
    ++at;
    if (kind[0] == 'l') {
      if (!links_hold(at, at + length)) {
        printf("a link is not there, or its MTU is another\n");
        wrong = 1;
      }
      at += length + 1;
      continue;
    }
    const int directory = kind[0] == 's' ? proc_sys : AT_FDCWD;
    const size_t got = slurp(directory, name, buffer, sizeof(buffer));
    if (got != length || memcmp(buffer, at, length) != 0) {
      printf("%s %s differs\n", kind, name);
      wrong = 1;
    }
    at += length + 1;
  }
  return wrong;
}
