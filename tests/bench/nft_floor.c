// SPDX-License-Identifier: Apache-2.0
//
// The least that anybody must do who wants to know a rule set: dump tables, chains, sets and rules
// of nf_tables once, each by one request, and look at the length of every message.
//
//     nft_floor        prints how many rules there are
#define _GNU_SOURCE
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static char buffer[65536] __attribute__((aligned(8)));

static void die(const char* what) {
  perror(what);
  exit(2);
}

/// How many messages a dump has.
static long count(int fd, int type) {
  struct {
    struct nlmsghdr header;
    struct nfgenmsg family;
  } request = {.header = {.nlmsg_len = sizeof(request),
                          .nlmsg_type = (unsigned short)((NFNL_SUBSYS_NFTABLES << 8) | type),
                          .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP}};
  if (send(fd, &request, sizeof(request), 0) < 0) die("send");
  for (long messages = 0;;) {
    ssize_t left = recv(fd, buffer, sizeof(buffer), 0);
    if (left < 0) die("recv");
    for (struct nlmsghdr* message = (struct nlmsghdr*)buffer; NLMSG_OK(message, left);
         message = NLMSG_NEXT(message, left)) {
      if (message->nlmsg_type == NLMSG_DONE) return messages;
      if (message->nlmsg_type == NLMSG_ERROR) {
        fprintf(stderr, "the kernel refuses a dump of nf_tables\n");
        exit(2);
      }
      ++messages;
    }
  }
}

int main(void) {
  const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
  if (fd < 0) die("socket");
  count(fd, NFT_MSG_GETTABLE);
  count(fd, NFT_MSG_GETCHAIN);
  count(fd, NFT_MSG_GETSET);
  printf("%ld\n", count(fd, NFT_MSG_GETRULE));
  close(fd);
  return 0;
}
