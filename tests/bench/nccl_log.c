// SPDX-License-Identifier: Apache-2.0
//
// Writes a log as 1,024 ranks of one job write into one file: 128 nodes of 8 GPUs, NCCL 2.21, every
// line between the lines of others, mixed with what the program prints.
//
//     nccl_log RANKS MEGABYTES > FILE
//
// It is made again and again until it is large enough, as jobs do that set up communicators anew:
// so the number of connections does not grow with the size.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { kGpus = 8, kChannels = 16, kStepsOfProgram = 24 };

static uint64_t written;
static int ranks;

static void head(int rank) {
  written += (uint64_t)printf("node%03d:%d:%d [%d] NCCL INFO ", rank / kGpus, 2000 + rank % kGpus,
                              3000 + rank % kGpus, rank % kGpus);
}

static void introduce(int rank, int step, int round) {
  head(rank);
  switch (step) {
    case 0:
      written += (uint64_t)printf("Bootstrap : Using eth0:10.0.%d.%d<0>\n", rank / kGpus / 250,
                                  rank / kGpus % 250 + 1);
      break;
    case 1:
      written += (uint64_t)printf("NCCL_IB_TC set by environment to 106.\n");
      break;
    case 2:
      written += (uint64_t)printf(
          "NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE [2]mlx5_2:1/RoCE [3]mlx5_3:1/RoCE "
          "[4]mlx5_4:1/RoCE [5]mlx5_5:1/RoCE [6]mlx5_6:1/RoCE [7]mlx5_7:1/RoCE [RO]; OOB "
          "eth0:10.0.%d.%d<0>\n",
          rank / kGpus / 250, rank / kGpus % 250 + 1);
      break;
    case 3:
      written += (uint64_t)printf("Using network IB\n");
      break;
    default:
      written += (uint64_t)printf(
          "ncclCommInitRank comm 0x55d9607ee%03x rank %d nranks %d cudaDev %d nvmlDev %d busId "
          "%d000 commId 0x%08x%08x - Init %s\n",
          rank, rank, ranks, rank % kGpus, rank % kGpus, 1 + rank % kGpus, 0xabcdef, round,
          step == 4 ? "START" : "COMPLETE");
  }
}

/// A ring inside the node by P2P, its ends over the network; channel c enters at GPU c.
static void connect_one(int rank, int channel) {
  const int gpu = rank % kGpus;
  const int next = gpu == (channel + kGpus - 1) % kGpus;
  const int enters = gpu == channel % kGpus;
  const int to = next ? (rank + kGpus) % ranks / kGpus * kGpus + channel % kGpus
                      : rank / kGpus * kGpus + (gpu + 1) % kGpus;
  if (enters) {
    const int from = (rank + ranks - kGpus) % ranks / kGpus * kGpus + (channel + kGpus - 1) % kGpus;
    head(rank);
    written +=
        (uint64_t)printf("Channel %02d/0 : %d[%d] -> %d[%d] [receive] via NET/IB/%d/GDRDMA\n",
                         channel, from, from % kGpus, rank, gpu, channel % kGpus);
  }
  head(rank);
  if (next)
    written += (uint64_t)printf("Channel %02d/0 : %d[%d] -> %d[%d] [send] via NET/IB/%d/GDRDMA\n",
                                channel, rank, gpu, to, to % kGpus, channel % kGpus);
  else
    written += (uint64_t)printf("Channel %02d/0 : %d[%d] -> %d[%d] via P2P/CUMEM/read\n", channel,
                                rank, gpu, to, to % kGpus);
}

static void train(int step) {
  written += (uint64_t)printf(
      " [2026-01-31 08:15:%02d] iteration %8d/ 500000 | consumed samples: %12d | elapsed time per "
      "iteration (ms): 1234.5 | learning rate: 1.500E-04 | lm loss: 2.345678E+00 |\n",
      step % 60, step, step * 1024);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  ranks = atoi(argv[1]);
  const uint64_t enough = strtoull(argv[2], NULL, 10) * 1000000;
  if (ranks < 2 * kGpus || ranks % kGpus != 0) return 2;
  static char buffer[1 << 20];
  setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
  printf("NCCL version 2.21.5+cuda12.4\n");
  for (int round = 0; written < enough; ++round) {
    for (int step = 0; step < 5; ++step)
      for (int rank = 0; rank < ranks; ++rank) introduce((rank * 7 + step) % ranks, step, 0);
    for (int channel = 0; channel < kChannels; ++channel)
      for (int rank = 0; rank < ranks; ++rank) connect_one((rank * 5 + channel) % ranks, channel);
    for (int rank = 0; rank < ranks; ++rank) introduce(rank * 3 % ranks, 5, 0);
    for (int step = 0; step < kStepsOfProgram; ++step) train(round * kStepsOfProgram + step);
  }
  return 0;
}
