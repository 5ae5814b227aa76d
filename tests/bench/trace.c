// SPDX-License-Identifier: Apache-2.0
//
// Writes a trace in the shape of those of PyTorch's profiler (Kineto,
// libkineto/src/output_json.cpp): for each kernel on the GPU two events of the CPU.
//
//     trace MEGABYTES > FILE
//
// A step of 50 ms has 400 kernels of 100 us, one behind the other, and 4 all-reduces of 2 ms that
// begin at 10, 20, 30 and 39.9 ms: 40 ms of compute, 8 of communication, 1.9 exposed, 8.1 idle.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t written;

static void event(const char* category, const char* name, double ts, double us, const char* args) {
  written += (uint64_t)printf(
      ",\n  {\n    \"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": 0, \"tid\": 7,\n"
      "    \"ts\": %.3f, \"dur\": %.3f,\n    \"args\": {\n      %s\n    }\n  }",
      category, name, ts, us, args);
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s MEGABYTES\n", argv[0]);
    return 2;
  }
  const uint64_t limit = strtoull(argv[1], NULL, 10) * 1000000;
  printf(
      "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [],\n  \"distributedInfo\": "
      "{\"backend\": \"nccl\", "
      "\"rank\": 0, \"world_size\": 8},\n  \"traceEvents\": [\n  {\"ph\": \"M\", \"name\": "
      "\"process_name\", "
      "\"pid\": 0, \"tid\": 0, \"ts\": 0.000, \"args\": {\"name\": \"python\"}}");
  for (int step = 0; written < limit; ++step) {
    const double begin = step * 50000.0;
    char name[64];
    snprintf(name, sizeof name, "ProfilerStep#%d", step);
    event("gpu_user_annotation", name, begin, 50000, "\"External id\": 1");
    for (int k = 0; k < 400; ++k) {
      const double ts = begin + k * 100.0;
      event("cpu_op", "aten::convolution_backward", ts / 2, 80,
            "\"External id\": 77, \"Record function id\": 0, \"Sequence number\": 4711, \"Fwd "
            "thread id\": 1, "
            "\"Ev Idx\": 123");
      event("cuda_runtime", "cudaLaunchKernel", ts / 2, 6,
            "\"External id\": 77, \"cbid\": 211, \"correlation\": 99");
      event("kernel", "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_nn", ts, 100,
            "\"External id\": 77, \"queued\": 0, \"device\": 0, \"context\": 1, \"stream\": 7, "
            "\"correlation\": "
            "99, \"registers per thread\": 230, \"shared memory\": 81920, \"grid\": [64, 2, 1], "
            "\"block\": [128, "
            "1, 1], \"est. achieved occupancy %\": 12");
    }
    const double at[] = {10000, 20000, 30000, 39900};
    for (int k = 0; k < 4; ++k)
      event("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
            begin + at[k], 2000,
            "\"External id\": 5, \"stream\": 20, \"Collective name\": \"allreduce\", \"In msg "
            "nelems\": 6553600, "
            "\"Out msg nelems\": 6553600, \"Group size\": 8, \"dtype\": \"Float\"");
  }
  printf("\n  ],\n  \"traceName\": \"trace_rank0.json\"\n}\n");
  return 0;
}
