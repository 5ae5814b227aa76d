// SPDX-License-Identifier: Apache-2.0
//
// What the C library, CUDA, libfabric, Ray and programs without PyTorch say. Issues are named at
// the lines.
#include "base/text.hpp"
#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log::job {
namespace {

/// glibc's malloc.c; NVIDIA/nccl issue 726, horovod/horovod issues 356, 489 and 1185.
TEST(NcclLogJobPrograms, TheCLibraryFindsDamage) {
  const auto first = [](const std::string& line) { return Case(line + "\n").first(); };
  for (const char* const line :
       {"free(): invalid pointer", "free(): double free detected in tcache 2",
        "free(): corrupted unsorted chunks", "free(): unaligned chunk detected in tcache 2",
        "*** Error in `python': double free or corruption (fasttop): 0x00007f3c2c000b50 ***",
        "*** Error in `python': malloc(): smallbin double linked list corrupted: 0x0000 ***",
        "*** Error in `python': munmap_chunk(): invalid pointer: 0x00005584 ***",
        "malloc(): invalid size (unsorted)", "malloc_consolidate(): invalid chunk size",
        "malloc(): unaligned tcache chunk detected", "realloc(): invalid next size",
        "corrupted size vs. prev_size while consolidating", "corrupted double-linked list",
        "*** stack smashing detected ***: terminated"})
    EXPECT_EQ(first(line), "heap-damaged") << line;
  EXPECT_EQ(first("profile: malloc(): 3 % of the time, free(): 2 %"), "none");
  EXPECT_EQ(first("python[77]: segfault at 8 ip 00007f1 sp 00007ffd error 4 in libnccl.so.2"),
            "crashed-in-nccl");
  EXPECT_EQ(first("python[77]: segfault at 8 ip 00007f1 sp 00007ffd error 4 in libc.so.6"),
            "crashed");
  EXPECT_EQ(first("./run.sh: line 12:  4120 Aborted                 (core dumped) python x.py"),
            "aborted");
}

/// A crash while a job that failed is taken down is not where it began.
TEST(NcclLogJobPrograms, WhatFailedBeforeACrashComesFirst) {
  const std::string failed = "n1: Test NCCL failure common.cu:951 'internal error / '\n";
  const std::string damage = "corrupted double-linked list\n";
  const std::string abort = "[n1:77] Signal: Aborted (6)\n";
  EXPECT_EQ(Case(failed + damage + abort).first(), "nccl-internal-error");
  EXPECT_EQ(Case(failed + abort).first(), "nccl-internal-error");
  EXPECT_EQ(Case(failed + "[n1:77] Signal: Segmentation fault (11)\n").first(),
            "nccl-internal-error");
  EXPECT_EQ(Case(failed + "[n1:77] Signal: Bus error (7)\n").first(), "nccl-internal-error");
  EXPECT_EQ(Case(damage + abort + failed).first(), "heap-damaged");
  EXPECT_EQ(Case(damage + abort).first(), "heap-damaged");
  EXPECT_EQ(Case(abort).first(), "aborted");
  // A reason is more than that a call failed.
  EXPECT_EQ(
      Case("n1:1:2 [0] x.cc:1 NCCL WARN Cuda failure 'out of memory'\n" + failed + damage).first(),
      "cuda-oom");
  // The logs of two ranks: what is in another file is not before it.
  reader::Reader reader(causes());
  reader.begin_file("a");
  reader.feed(failed);
  reader.begin_file("b");
  reader.feed("x\ny\n" + damage);
  const Log log = reader.finish();
  const judge::Verdict verdict = judge::judge(log, causes());
  ASSERT_TRUE(verdict.first);
  EXPECT_EQ(causes()[log.events[*verdict.first].cause].id, "heap-damaged");
}

/// Macros of NVIDIA's samples, of NCCL's examples, thrust, llama.cpp, XLA.
TEST(NcclLogJobPrograms, ErrorsOfCudaInProgramsWithoutPyTorch) {
  const auto first = [](const std::string& line) { return Case(line + "\n").first(); };
  const std::vector<std::pair<const char*, const char*>> all = {
      {"CUDA error at main.cu:112 code=700(cudaErrorIllegalAddress) \"cudaDeviceSynchronize()\"",
       "cuda-program-kernel"},
      {"GPUassert: an illegal memory access was encountered ring.cu 84", "cuda-program-kernel"},
      {"terminate called: what():  parallel_for failed: cudaErrorIllegalAddress: an illegal memory "
       "access was encountered",
       "cuda-program-kernel"},
      {"Failed: Cuda error example.cu:31 'unspecified launch failure'", "cuda-program-launch"},
      {"[rank2]: torch.AcceleratorError: CUDA error: unspecified launch failure",
       "cuda-program-launch"},
      // A hint that PyTorch prints below every error of CUDA.
      {"[rank12]: Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.", "none"},
      {"CUDA error at main.cu:12 code=710(cudaErrorAssert) \"cudaDeviceSynchronize()\"",
       "cuda-program-assert"},
      {"RuntimeError: CUDA error: device-side assert triggered", "cuda-program-assert"},
      {"CUDA error: no kernel image is available for execution on the device",
       "cuda-program-image"},
      {"RuntimeError: cuda runtime error (35) : CUDA driver version is insufficient for CUDA "
       "runtime "
       "version at x.cpp:50",
       "cuda-program-driver"},
      {"Failed: Cuda error example.cu:31 'no CUDA-capable device is detected'",
       "cuda-program-no-device"},
      {"Failed: Cuda error example.cu:31 'invalid device ordinal'", "cuda-program-ordinal"},
      {"CUDA error: all CUDA-capable devices are busy or unavailable", "cuda-program-busy"},
      {"CUDA error: CUDA driver is a stub library", "cuda-program-stub"},
      {"CUDA error at main.cu:12 code=34(cudaErrorStubLibrary) \"cudaSetDevice(0)\"",
       "cuda-program-stub"},
      {"Failed: Cuda error example.cu:31 'peer access is not supported between these two devices'",
       "cuda-program-peer-access"},
      {"Failed: Cuda error example.cu:31 'system not yet initialized'", "cuda-program-fabric"},
      {"Failed: Cuda error example.cu:31 'out of memory'", "program-gpu-memory"},
      {"CUDA error at main.cu:12 code=2(cudaErrorMemoryAllocation) \"cudaMalloc(&p, n)\"",
       "program-gpu-memory"},
      {"CUDA error at main.cu:12 code=999(cudaErrorUnknown) \"cudaMalloc(&p, n)\"",
       "cuda-program-failure"},
      {"CUDA Runtime Error: unknown error", "cuda-program-failure"},
      {"RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling "
       "`cublasCreate(handle)`",
       "cuda-library-handle"},
      {"RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED", "cuda-library-handle"},
      {"all-reduce: Test CUDA failure common.cu:730 'unknown error'", "test-cuda-failure"},
      // NVIDIA/nccl-tests src/common.h
      {"n1: Test CUDA failure common.cu:891 'CUDA driver version is insufficient for CUDA runtime "
       "version'",
       "cuda-program-driver"},
      {"n1: Test CUDA failure common.cu:891 'no CUDA-capable device is detected'",
       "cuda-program-no-device"},
      {"n1: Test CUDA failure common.cu:891 'out of memory'", "program-gpu-memory"},
      {"n1: Test CUDA failure all_reduce.cu:63 'an illegal memory access was encountered'",
       "cuda-program-kernel"},
      {"n1: Test CUDA failure common.cu:891 'system not yet initialized'", "cuda-program-fabric"},
      {"n1: Test CUDA failure common.cu:891 'no kernel image is available for execution on the "
       "device'",
       "cuda-program-image"},
      {"n1: Test CUDA failure common.cu:891 'uncorrectable ECC error encountered'",
       "cuda-program-ecc"},
      {"import cudaErrorString; print(\"no CUDA errors\")", "none"}};
  for (const auto& [line, cause] : all) EXPECT_EQ(first(line), cause) << line;
}

/// The texts of ncclGetErrorString(), as programs without PyTorch print them.
TEST(NcclLogJobPrograms, ResultsOfNcclInOtherPrograms) {
  const auto first = [](const std::string& line) { return Case(line + "\n").first(); };
  const std::vector<std::pair<const char*, const char*>> all = {
      {"  what():  NCCL error: internal error, NCCL version 2.7.8", "nccl-internal-error"},
      {"n1: Test NCCL failure common.cu:951 'internal error / '", "nccl-internal-error"},
      {"n1: Test NCCL failure common.cu:1005 'unhandled CUDA error'", "nccl-cuda-error"},
      {"Failed, NCCL error x.cu:227 'invalid usage'", "nccl-invalid-usage"},
      {"Failed, NCCL error x.cu:227 'invalid argument'", "nccl-invalid-usage"},
      // ppengtang/oicr issue 10, PaddlePaddle/Paddle issue 10608, PaddleDetection issue 4139.
      {"F0118 37264 parallel.cpp:135] Check failed: result == ncclSuccess (2 vs. 0)  unhandled "
       "system error",
       "nccl-system-error"},
      {"paddle.fluid.core.EnforceNotMet: unhandled cuda error at [/w/platform/nccl_helper.h:93]",
       "nccl-cuda-error"},
      {"OSError: (External)  Nccl error, unhandled cuda error  (at /p/collective_helper.cc:100)",
       "nccl-cuda-error"},
      // jax-ml/jax issue 18391.
      {"nccl_utils.cc:133: NCCL operation ncclGetUniqueId(&id) failed: Unable to load NCCL "
       "library. "
       "Multi-GPU collectives will not work.;",
       "program-without-nccl"},
      {"an internal error of the web server", "none"}};
  for (const auto& [line, cause] : all) EXPECT_EQ(first(line), cause) << line;
  // The first of two is told, whatever they are.
  EXPECT_EQ(Case("what():  NCCL error: internal error, NCCL version 2.7.8\nwhat():  NCCL error: "
                 "unhandled system error, NCCL version 2.7.8\n")
                .first(),
            "nccl-internal-error");
}

/// bash jobs.c; openpbs/openpbs src/resmom; bhist(1) of LSF; openxla/xla xla/service/rendezvous.cc
/// and pjrt/distributed; torch/csrc/distributed/c10d/reducer.cpp; google/glog; ld.so(8).
TEST(NcclLogJobPrograms, EndsAsShellsAndSchedulersTellThem) {
  const auto first = [](const std::string& line) { return Case(line + "\n").first(); };
  const std::vector<std::pair<const char*, const char*>> all = {
      {"Segmentation fault", "crashed"},
      {"run.sh: line 3: 4242 Segmentation fault      (core dumped) python x.py", "crashed"},
      {"run.sh: line 3: 4242 Segmentation fault      python x.py", "crashed"},
      {"a Segmentation fault was seen last week", "none"},
      {"Bus error", "bus-error"},
      {"run.sh: line 3: 4242 Bus error               (core dumped) python x.py", "bus-error"},
      {"run.sh: line 3: 4242 Aborted                 python x.py", "aborted"},
      {"  42     Aborted    train_v1", "none"},
      {"  42     Segmentation fault   train_v1", "none"},
      {"[1]+  Segmentation fault      (core dumped) python x.py", "crashed"},
      {"testing: child terminated with signal SIGSEGV ... ok", "none"},
      {"ProcessExitedException: process 1 terminated with signal SIGSEGV", "crashed"},
      {"=>> PBS: job killed: walltime 3630 exceeded limit 3600", "pbs-limit"},
      {"TERM_RUNLIMIT: job killed after reaching LSF run time limit.", "lsf-ended"},
      {"ERROR:  One or more process (first noticed rank 1) terminated with signal 9",
       "mpi-rank-failed"},
      {"Connection to n2 closed by remote host.", "ssh-lost"},
      {"client_loop: send disconnect: Broken pipe", "ssh-lost"},
      {"./all_reduce_perf: error while loading shared libraries: libcudart.so.12: cannot open "
       "shared object file: No such file or directory",
       "program-library-missing"},
      {"./x: /lib/libc.so.6: version `GLIBC_2.38' not found (required by ./x)",
       "program-library-missing"},
      {"x.py:13: UserWarning: Failed to load image Python extension: '/lib/libc.so.6: version "
       "`GLIBC_2.38' not found (required by /x/image.so)'If you don't plan on using it",
       "none"},
      {"./x: error while loading shared libraries: libnccl.so.2: cannot open shared object file",
       "nccl-library-missing"},
      {"F0101 10:00:00.000000 7 x.cc:20] Check failed: n == 2 (1 vs. 2)", "check-failed"},
      {"I0101 10:00:00.000000 7 x.cc:20] Check failed: try again", "none"},
      {"[WARN] Check failed: n", "none"},
      {"2025-01-01 10:00:00: F external/xla/x.cc:20] Check failed: n", "check-failed"},
      {"  what():  [10:00:00] /x/y.cc:12: Check failed: n", "check-failed"},
      {"MXNetError: Check failed: e == cudaSuccess: CUDA: initialization error", "check-failed"},
      {"Terminating process because the coordinator detected missing heartbeats.", "jax-peer-lost"},
      {"XlaRuntimeError: DEADLINE_EXCEEDED: GetKeyValue() timed out with key: cuda:0,1",
       "jax-peer-lost"},
      {"E0 x rendezvous.cc:92] This thread has been waiting for `x` for 10 seconds and may be "
       "stuck. Expected 8 threads to join the rendezvous, but not all of them arrived on time.",
       "jax-waits"},
      {"E0 x rendezvous.cc:9] Termination timeout for `x` of 40 seconds exceeded. Exiting to "
       "ensure "
       "a consistent program state. Expected 8 threads",
       "jax-peer-lost"},
      {"XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 9 bytes.",
       "program-gpu-memory"},
      {"ResourceExhaustedError: OOM when allocating tensor with shape[8,8]", "program-gpu-memory"},
      {"OutOfMemoryError: Out of memory allocating 8,192 bytes (allocated so far: 0 bytes).",
       "program-gpu-memory"},
      {"RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED", "cuda-program-cudnn"},
      {"RuntimeError: DDP expects same model across all ranks, but Rank 0 has 8 params, while rank "
       "1 has inconsistent 7 params.",
       "ddp-models-differ"},
      {"RuntimeError: [1]: params[0] in this process with sizes [8] appears not to match sizes of "
       "the same param in process 0.",
       "ddp-models-differ"}};
  for (const auto& [line, cause] : all) EXPECT_EQ(first(line), cause) << line;
}

/// ROCm/rccl src/enqueue.cc, misc/rocmwrap.cc, graph/connect.cc; nccl-rdma-sharp-plugins
/// ucx_plugin.c.
TEST(NcclLogJobPrograms, WhatRcclAndTheUcxPluginWarnOf) {
  const auto of = [](const std::string& text) {
    return Case("n0:1:2 [0] x.cc:1 NCCL WARN " + text + "\nn0:1:2 [0] NCCL INFO init.cc:9 -> 3\n");
  };
  EXPECT_EQ(of("computeCollWorkFunc: unsupported collective. Please ensure the collective has been "
               "enabled in build.")
                .first(),
            "rccl-kernel-missing");
  EXPECT_EQ(of("ucx_isend: unable to send message (Destination is unreachable)").first(), "ucx");
  for (const char* const hint :
       {"pfn_hsa_system_get_info failed with 4107",
        "NCCL_MIN_NCHANNELS set by environment is ignored due to less than 8 GPUs.",
        "MSCCL++: Feature not enabled. ENABLE_MSCCLPP must be defined at compile-time"})
    EXPECT_EQ(of(hint).first(), "call-failed") << hint;
}

/// Sanitizers report and go on; Rust says why in the line below (library/std/src/panicking.rs).
TEST(NcclLogJobPrograms, SanitizersAndRust) {
  const Case undefined("alloc.h:79:13: runtime error: null pointer passed as argument 2\n");
  EXPECT_EQ(undefined.first(), "sanitizer-warning");
  EXPECT_FALSE(undefined.verdict.failed);
  for (const char* const other :
       {"panic: runtime error: index out of range [3] with length 3\n", "x: runtime error: no\n",
        "1: runtime error: no\n", ": runtime error: no\n"})
    EXPECT_EQ(Case(other).first(), "none") << other;
  EXPECT_EQ(Case("WARNING: ThreadSanitizer: data race (pid=7)\n").first(), "sanitizer-warning");
  EXPECT_EQ(Case("==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x1\n").first(),
            "sanitizer-error");
  // Status 12 comes first, wherever the sanitizer speaks.
  EXPECT_EQ(
      Case("x.h:79:13: runtime error: null\nn0:1:2 [0] transport/net_ib.cc:9 NCCL WARN NET/IB "
           ": Got completion from peer 10.0.0.2<4> with status=12 opcode=0 len=0 vendor err "
           "129\nn0:1:2 [0] NCCL INFO transport/net.cc:9 -> 6\n")
          .first(),
      "ib-retry-exceeded");
  const std::string old = "thread 'main' panicked at 'no', src/nic.rs:4:5\nnote: run with\n";
  EXPECT_EQ(printed(Case(old)).find("also in the log: note"), std::string::npos);
  const std::string signal = "[n0:00007] Signal: Aborted (6)\n";
  for (const char* const head : {"thread 'main' panicked at src/nic.rs:4:5:\n",
                                 "thread '<unnamed>' (77) panicked at src/nic.rs:4:5:\n"}) {
    const Case panic(cat(head, "failed to bind: AddrInUse\n", signal));
    EXPECT_EQ(panic.first(), "rust-panic") << head;
    EXPECT_NE(printed(panic).find("also in the log: failed to bind: AddrInUse"), std::string::npos)
        << printed(panic);
  }
}

/// CUDA_ERROR_STUB_LIBRARY; a library that has only its full name.
TEST(NcclLogJobPrograms, ALibraryOfCudaThatIsNoneOrTheWrongOne) {
  const auto of = [](const std::string& text) {
    return Case(cat("n0:1:2 [0] misc/cudawrap.cc:1 NCCL WARN ", text, "\n")).first();
  };
  EXPECT_EQ(of("cuDriverGetVersion failed with 34"), "cuda-driver-stub");
  EXPECT_EQ(of("cuDriverGetVersion failed with 3"), "cuda-driver-old");
  const std::string none =
      "Failed to find CUDA library libcuda.so (NCCL_CUDA_PATH='') : libcuda.so: ";
  EXPECT_EQ(of(none + "cannot open shared object file: No such file"), "cuda-library-not-found");
  EXPECT_EQ(of(none + "file too short"), "cuda-library");
  EXPECT_EQ(of("Failed to find CUDA library in /opt/cuda (NCCL_CUDA_PATH=/opt/cuda)"),
            "cuda-library");
}

/// espnet/espnet issue 4531; torch/csrc/distributed/c10d/TCPStore.cpp; OpenRLHF/OpenRLHF issue 621.
TEST(NcclLogJobPrograms, WhoWaitsForAnotherProcess) {
  const auto first = [](const std::string& line) { return Case(line + "\n").first(); };
  for (const char* const line :
       {"RuntimeError: [1] is setting up NCCL communicator and retrieving ncclUniqueId from [0] "
        "via "
        "c10d key-value store by key '0', but store->get('0') got error: Socket Timeout",
        "torch.distributed.DistStoreError: Timed out after 1801 seconds waiting for clients. 3/4 "
        "clients joined.",
        "RuntimeError: Timeout waiting for key: default_pg/0/0 after 1800000 ms",
        "torch.distributed.DistStoreError: wait timeout after 600000ms, keys: /default_pg/0/0"})
    EXPECT_EQ(first(line), "torch-store") << line;
  // Why the other one is not there comes first, also behind it.
  EXPECT_EQ(
      Case("DistStoreError: wait timeout after 1ms, keys: /0\nn0:1:2 [0] x.cc:1 NCCL WARN Cuda "
           "failure 'out of memory'\n")
          .first(),
      "cuda-oom");
  const Case ray(
      "(raylet) A worker died or was killed while executing a task by an unexpected system error. "
      "Worker exit type: SYSTEM_ERROR. (1) The process is killed by SIGKILL by OOM killer\n");
  EXPECT_EQ(ray.first(), "ray-worker-died");
  EXPECT_EQ(first("The actor is dead because its worker process has died."), "ray-worker-died");
}

/// ray-project/ray python/ray/exceptions.py and src/ray/raylet/worker_pool.cc: the caller may learn
/// of it before raylet's line is printed.
TEST(NcclLogJobPrograms, CallersOfAWorkerOfRayThatDied) {
  const std::string head = "Traceback (most recent call last):\n  File \"a.py\", line 1, in run\n";
  const std::string died =
      "(raylet) A worker died or was killed while executing a task by an unexpected system error. "
      "To troubleshoot the problem, check the logs for the dead worker. Worker IP address: "
      "10.0.0.7 Worker port: 40001 Worker PID: 4321 Worker exit type: SYSTEM_ERROR Worker exit "
      "detail: Worker unexpectedly exits with a connection error code 2. End of file.\n";
  for (const char* const lost :
       {"ray.exceptions.ActorUnavailableError: The actor d5a1 is unavailable: RPC error: Socket "
        "closed rpc_code: 14.\n",
        "ray.exceptions.WorkerCrashedError: The worker died unexpectedly while executing this "
        "task.\n",
        "ray.exceptions.OwnerDiedError: Failed to retrieve object ab.\n",
        "ray.exceptions.LocalRayletDiedError: The task's local raylet died.\n"}) {
    for (const std::string& text : {head + lost + died, died + head + lost}) {
      const Case one(text);
      EXPECT_EQ(one.first(), "ray-worker-died") << text;
      EXPECT_EQ(join(one.log.events[*one.verdict.first].details, "; "),
                "Worker exit type: SYSTEM_ERROR; worker pid 4321 on 10.0.0.7");
    }
    EXPECT_EQ(Case(head + lost).first(), "ray-actor-lost") << lost;
  }
}

/// aws/aws-ofi-nccl issues 156, 161, 346 and 889.
TEST(NcclLogJobPrograms, WhatLibfabricWarnsOf) {
  const auto first = [](const std::string& line) { return Case(line + "\n").first(); };
  EXPECT_EQ(
      first("[1,13]<stderr>:libfabric:35:1668017255::efa:cq:rxr_cq_write_tx_error():243<warn> "
            "rxr_cq_write_tx_error: err: 20, prov_err: Not a directory (20)"),
      "libfabric-transfer");
  EXPECT_EQ(first("libfabric:4:17::efa:cq:efa_rdm_txe_handle_error():737<warn> err: 113, message: "
                  "Unresponsive receiver (reachable by EFA device but handshake failed)"),
            "libfabric-unreachable");
  EXPECT_EQ(first("libfabric:4:17::efa:mr:efa_mr_reg_impl():1<warn> Unable to register MR: Cannot "
                  "allocate memory"),
            "libfabric-memlock");
  EXPECT_EQ(
      first("libfabric:4:17::cxi:core:cxip_ux_onload_cb():2657<warn> c2345 RXC (0x5b8:0) PtlTE "
            "114: resources exhausted"),
      "libfabric-cxi");
  EXPECT_EQ(first("Libfabric EFA provider has encountered an internal error:"),
            "libfabric-transfer");
  // It warns of every provider that it tries, in healthy jobs as well.
  const std::string hints =
      "libfabric:462:16:efa:core:rxr_info_to_rxr():506<warn> FI_HMEM capability requires RDMA, "
      "which this device does not support.\n"
      "libfabric:85:17::core:core:fi_getinfo_():1392<warn> fi_getinfo: provider efa output empty "
      "list\n";
  EXPECT_EQ(Case(hints).first(), "none");
  // But why there is no GPUDirect, or no EFA, they say.
  std::string text = hints;
  for (const char* const end : {"0 -> 1 [send]", "1 -> 0 [receive]"})
    text += cat("a:1:2 [0] NCCL INFO Channel 00 : ", end, " via NET/AWS Libfabric/0\n");
  const std::string told = join(Case(text).verdict.remarks, "\n");
  EXPECT_NE(told.find("libfabric: FI_HMEM capability requires RDMA"), told.npos) << told;
  EXPECT_EQ(told.find("output empty list"), told.npos) << told;
  std::string sockets = hints;
  for (const char* const host : {"a", "b"})
    sockets += cat(host, ":1:2 [0] NCCL INFO Using network Socket\n");
  const std::string over = printed(Case(sockets));
  EXPECT_NE(over.find("provider efa output empty list"), over.npos) << over;
  EXPECT_EQ(over.find("FI_HMEM"), over.npos) << over;
}

/// NVIDIA/nccl issue 1184: the table of nccl-tests, before its last line.
TEST(NcclLogJobPrograms, RowsOfNcclTestsWithWrongValues) {
  const std::string head =
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     "
      "time  "
      " algbw   busbw #wrong\n"
      "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            "
      "(us)  "
      "(GB/s)  (GB/s)       \n";
  const std::string right =
      "      262144         65536     float     sum      -1    325.1    0.81    0.81      0    "
      "325.3    "
      "0.81    0.81      0\n";
  const std::string wrong =
      "      524288        131072     float     sum      -1    663.1    0.79    0.79 237858    "
      "569.4    "
      "0.92    0.92 238038\n";
  const std::string of_second =
      "      524288        131072     float     sum      -1    663.1    0.79    0.79      0    "
      "569.4    "
      "0.92    0.92      4\n";
  for (const std::string& row : {wrong, of_second}) {
    const Case one(head + right + row);
    EXPECT_EQ(one.first(), "test-wrong-results") << row;
    ASSERT_EQ(one.log.events.size(), 1U) << row;
    EXPECT_EQ(one.log.events[0].line, 4U) << row;
    EXPECT_EQ(Case("[1,0]<stdout>:" + head + "[1,0]<stdout>:" + row).first(), "test-wrong-results");
  }
  EXPECT_EQ(Case(head + right).first(), "none");
  EXPECT_EQ(Case(wrong).first(), "none");  // of what table is not known
  EXPECT_EQ(Case(head + "# Out of bounds values : 0 OK\n" + wrong).first(), "none");
  // A row that is cut, and values that nobody checked.
  for (std::size_t end = 1; end < right.size(); ++end)
    EXPECT_EQ(Case(head + right.substr(0, end) + "\n").first(), "none") << right.substr(0, end);
  EXPECT_EQ(
      Case(head +
           "  524288  131072  float  sum  -1  663.1  0.79  0.79  N/A  12345  0.92  0.92  N/A\n")
          .first(),
      "none");
}

/// open-mpi/ompi opal/util/stacktrace.c; NVIDIA/nccl issues 20 and 1363, chainer/chainer issue
/// 7586.
TEST(NcclLogJobPrograms, BlocksOfOpenMpiAboutASignal) {
  const std::string received = "[n1:77] *** Process received signal ***\n";
  const auto first = [&](const std::string& signal) {
    return Case(cat(received, "[n1:77] Signal: ", signal, "\n[n1:77] Failing at address: (nil)\n"))
        .first();
  };
  EXPECT_EQ(first("Segmentation fault (11)"), "crashed");
  EXPECT_EQ(first("Aborted (6)"), "aborted");
  EXPECT_EQ(first("Bus error (7)"), "bus-error");
  EXPECT_EQ(first("Illegal instruction (4)"), "crashed-instruction");
  EXPECT_EQ(first("Floating point exception (8)"), "crashed-division");
  EXPECT_EQ(Case("*** Process received signal ***\nSignal: Segmentation fault (11)\n").first(),
            "crashed");
  const Case cut("a line\n" + received);
  EXPECT_EQ(cut.first(), "signal-received");
  EXPECT_EQ(cut.log.events[0].line, 2U);
  EXPECT_EQ(Case("0  /usr/lib/libucs.so.0(ucs_handle_error+0x2dc) [0x7f5a6c0b6bdc]\n").first(),
            "crashed-signal");  // horovod/horovod issue 3625
}

/// NVIDIA/nccl issue 241, NVIDIA/nccl-tests issue 218, kubeflow/mpi-operator issue 501.
TEST(NcclLogJobPrograms, WhatMpirunSays) {
  const std::string ended =
      "Primary job  terminated normally, but 1 process returned\na non-zero exit code. Per "
      "user-direction, the job has been aborted.\n";
  EXPECT_EQ(Case(ended).first(), "mpi-rank-failed");
  EXPECT_EQ(Case("mpirun detected that one or more processes exited with non-zero status, thus "
                 "causing\n")
                .first(),
            "mpi-rank-failed");
  // That a process ended is no call that failed before it crashed.
  EXPECT_EQ(Case(ended +
                 "mpirun noticed that process rank 3 with PID 1167 on node n2 exited on signal 11 "
                 "(Segmentation fault).\n")
                .first(),
            "crashed");
  EXPECT_EQ(Case("/etc/mpi/kubexec.sh: 11: /opt/kube/kubectl: not found\ncommand terminated with "
                 "exit code 1\n")
                .first(),
            "program-missing");
  EXPECT_EQ(Case("ORTE was unable to reliably start one or more daemons.\n").first(),
            "launcher-start");
  EXPECT_EQ(Case("PRTE has lost communication with a remote daemon.\n").first(), "launcher-lost");
}

TEST(NcclLogJobPrograms, TheTailOfEverydayLines) {
  const auto first = [](const std::string& line) { return Case(line + "\n").first(); };
  const std::vector<std::pair<const char*, const char*>> all = {
      // open-mmlab/mmdetection3d issue 183, KellerJordan/modded-nanogpt issue 15.
      {"subprocess.CalledProcessError: Command '['python', 'train.py']' returned non-zero exit "
       "status 1.",
       "rank-failed"},
      {"  exitcode  : 1 (pid: 8040)", "rank-failed"},
      // TexasInstruments/edgeai-mmdetection issue 8.
      {"RuntimeError: NCCL communicator was aborted on rank 1.", "nccl-remote-error"},
      // NVIDIA/nccl-tests issue 131.
      {"# Out of bounds values : 50 FAILED", "test-wrong-results"},
      {"# Out of bounds values : 0 OK", "none"},
      // rwth-i6/returnn issue 1486, wilicc/gpu-burn issue 1.
      {"Unable to determine the device handle for GPU0000:03:00.0: Unknown Error",
       "gpu-unreachable"},
      {"pcieport 0000:00:02.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction "
       "Layer",
       "pcie-error"},
      {"pcieport 0000:00:03.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer", "none"},
      // xh-liu/CC-FPSE issue 6: PyTorch up to 1.8.
      {"Traceback (most recent call last):\n  File \"x.py\", line 120, in f\nRuntimeError: "
       "connect() timed out.",
       "torch-rendezvous"},
      // pytorch/gloo issue 223, sgl-project/sglang issue 11959.
      {"RuntimeError: Gloo connectFullMesh failed with [../gloo/transport/tcp/pair.cc:144] no "
       "error",
       "gloo-connect"},
      {"[/w/gloo/transport/tcp/pair.cc:761] connect [127.0.1.1]:60817: Connection refused",
       "gloo-connect"},
      // WangRongsheng/XrayGLM issue 83.
      {"Error while creating shared memory segment /dev/shm/nccl-CsYXMW (size 9637888)",
       "program-shm-segment"}};
  for (const auto& [line, cause] : all) EXPECT_EQ(first(line), cause) << line;
  // hiyouga/LlamaFactory issue 7233: all that the block has, and so no consequence.
  const Case segment(
      block("[rank1]: ", "ncclSystemError",
            "Error while creating shared memory segment /dev/shm/nccl-L (size 9637888)"));
  EXPECT_EQ(segment.first(), "shm-segment");
  EXPECT_EQ(printed(segment).find("follows from something else"), std::string::npos);
}

/// sgl-project/sglang issue 3837: a trace of UCX, and Python's line about the signal below it.
TEST(NcclLogJobPrograms, ACrashInsideNccl) {
  const std::string frames =
      " 0 0x0000000000042520 __sigaction()  ???:0\n"
      " 1 0x000000000006a920 SaveProxy()  /build/nccl/stable/src/proxy.cc:518\n"
      " 2 0x0000000000049543 uploadProxyOps()  /build/nccl/stable/src/enqueue.cc:1145\n";
  const std::string begin = "==== backtrace (tid:  25645) ====\n";
  const std::string python = "Fatal Python error: Segmentation fault\n";
  const Case one(begin + frames + "=================================\n" + python);
  EXPECT_EQ(one.first(), "crashed-in-nccl");
  EXPECT_NE(printed(one).find("SaveProxy()"), std::string::npos) << printed(one);
  // The line about the signal is one with its trace.
  const std::string caught = "[n1:77 :0:77] Caught signal 11 (Segmentation fault: invalid)\n";
  const Case both(caught + begin + frames);
  EXPECT_EQ(both.first(), "crashed-in-nccl");
  EXPECT_EQ(both.log.events.size(), 1U);
  // Another process crashes elsewhere.
  const Case two(caught + begin + frames + "a line\nanother\n" + caught + begin +
                 " 0 0x0000000000042520 __sigaction()  ???:0\n"
                 " 1 0x00000000000401f6 train()  /home/a/train.cc:12\n"
                 " 2 0x000000000006a920 SaveProxy()  /build/nccl/stable/src/proxy.cc:518\n");
  EXPECT_EQ(two.log.events.size(), 2U);
  EXPECT_EQ(two.first(), "crashed-in-nccl");
  // Where the frames at the top are not there, nobody knows.
  const std::string last = frames.substr(frames.find(" 2 0x"));
  for (const std::string& cut :
       {begin + last + python, frames + python, begin + "...\n" + last + python})
    EXPECT_EQ(Case(cut).first(), "crashed") << cut;
  // By its name, where NCCL is a part of another library.
  EXPECT_EQ(Case(begin + " 0  /usr/lib/libucs.so.0(ucs_handle_error+0x2dc) [0x7f5a]\n"
                         " 1  /usr/lib/libtorch_cuda.so(ncclCommAbort+0x1c) [0x7f5b]\n")
                .first(),
            "crashed-in-nccl");
  EXPECT_EQ(Case("python3[77]: segfault at 10 ip 00007f sp 00007e error 4 in libnccl.so.2.18[7f]\n")
                .first(),
            "crashed-in-nccl");
}

/// NVIDIA/nccl issue 1363, chainer/chainer issue 7586: traces of Open MPI.
TEST(NcclLogJobPrograms, ACrashInWhatNcclHadCalled) {
  const auto trace = [](const std::string& front, const std::vector<std::string>& libraries) {
    std::string text =
        cat(front, "*** Process received signal ***\n", front, "Signal: Segmentation fault (11)\n",
            front, "Signal code: Address not mapped (1)\n", front, "Failing at address: 0x7ff2\n");
    for (std::size_t i = 0; i < libraries.size(); ++i)
      text += cat(front, "[ ", i, "] ", libraries[i], "(+0x1aee)[0x7ff320091aee]\n");
    return Case(text).first();
  };
  const std::string libc = "/lib/x86_64-linux-gnu/libc.so.6";
  const std::string nccl = "/usr/lib/x86_64-linux-gnu/libnccl.so.2";
  const std::string mlx = "/usr/lib/libibverbs/libmlx4-rdmav2.so";
  for (const char* const front : {"", "[n1:627483] "}) {
    EXPECT_EQ(trace(front, {libc, nccl, nccl}), "crashed-in-nccl") << front;
    EXPECT_EQ(trace(front, {libc, mlx, nccl}), "crashed-below-nccl") << front;
    EXPECT_EQ(trace(front, {libc, "/opt/a/libmodel.so", nccl}), "crashed") << front;
    EXPECT_EQ(trace(front, {libc, "/opt/nccl-tests/all_reduce_perf"}), "crashed") << front;
    EXPECT_EQ(trace(front, {libc}), "crashed") << front;
  }
}

/// Reports to ModelCloud/GPTQModel and of AMD's RDNA GPUs; ROCm/ROCR-Runtime; pytorch/pytorch
/// c10/hip.
TEST(NcclLogJobPrograms, ErrorsOfRocm) {
  const auto first = [](const std::string& line) { return Case(line + "\n").first(); };
  const std::string fault =
      "4.2%Memory access fault by GPU node-1 (Agent handle: 0x556e9b7e3360) on address "
      "0x7f52c3f5f000. Reason: Page not present or supervisor privilege.\n";
  const std::string hang =
      "HW Exception by GPU node-1 (Agent handle: 0x563e71f098b0) reason :GPU Hang\n";
  const std::string aborted = "Aborted (core dumped)\n";
  EXPECT_EQ(Case(fault + hang + aborted).first(), "rocm-memory-fault");
  EXPECT_EQ(Case(hang + aborted).first(), "rocm-hardware-exception");
  EXPECT_EQ(Case(aborted).first(), "aborted");
  EXPECT_EQ(
      first(":0:rocdevice.cpp :2881: 1 us: [pid:1 tid:0x1] Callback: Queue 0x7f aborting with "
            "error : HSA_STATUS_ERROR_EXCEPTION: An HSAIL operation resulted in a hardware "
            "exception. code: 0x1016"),
      "rocm-hardware-exception");
  EXPECT_EQ(first("[rank0]: torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2 GiB."),
            "program-gpu-memory-hip");
  EXPECT_EQ(first("RuntimeError: HIP error: invalid device function"), "cuda-program-image");
  EXPECT_EQ(first("RuntimeError: HIP error: an illegal memory access was encountered"),
            "cuda-program-kernel");
  EXPECT_EQ(first("RuntimeError: HIP error: unspecified"), "rocm-failure");
  EXPECT_EQ(first("RuntimeError: No HIP GPUs are available"), "cuda-program-no-device");
  EXPECT_EQ(first("[rank0]:[E1028 10:45:49.568 compiler_depend.ts:429] operator():x.ts:34 NPU "
                  "function error: call aclnnRmsNorm failed, error code is 507015"),
            "npu-failure");
  EXPECT_EQ(first("n1 kernel: amdgpu 0000:05:00.0: amdgpu: GPU reset begin!"), "amd-gpu-reset");
}

/// vllm-project/vllm, sgl-project/sglang, sparticlesteve/pytorch-cuda-mpi-error; documents with
/// logs of a full disk and of MoRI.
TEST(NcclLogJobPrograms, ErrorsOfWhatRunsBesideNccl) {
  const std::string store =
      "[rank1]:[W901 07:40:19.968570826 TCPStore.cpp:125] [c10d] recvValue failed on "
      "SocketImpl(fd=64, addr=[localhost]:35986, remote=[localhost]:45489): Failed to recv, got 0 "
      "bytes. Connection was likely closed. Did the remote server shutdown or crash?\n";
  EXPECT_EQ(
      Case("(Worker pid=428) ERROR 09-01 07:40:16 [multiproc_executor.py:901] ValueError: Free "
           "memory on device cuda:0 (110.9/140.55 GiB) on startup is less than desired GPU "
           "memory utilization (0.8, 112.44 GiB).\n" +
           store)
          .first(),
      "vllm-memory");
  EXPECT_EQ(Case(store).first(), "torch-store-gone");
  const std::string timeout =
      "[rank12]:[E906 03:02:35.091834500 ProcessGroupNCCL.cpp:683] [Rank 12] Watchdog caught "
      "collective operation timeout: WorkNCCL(SeqNum=3, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, "
      "Timeout(ms)=30000) ran for 30002 milliseconds before timing out.\n";
  const std::string full = "checkpoint write retry: [Errno 28] No space left on device\n";
  EXPECT_EQ(Case(full + timeout).first(), "disk-full");
  EXPECT_EQ(Case(timeout).first(), "watchdog");
  const std::string closed =
      "RuntimeError: [gloo/transport/tcp/pair.cc:547] Connection closed by peer\n";
  EXPECT_EQ(Case("[mori]src/io/rdma/backend_impl.cpp:801: ControlPlaneServer::BuildRdmaConn:\n  "
                 "Assertion `hdr.type == MessageType::RegEndpoint' failed.\n" +
                 closed)
                .first(),
            "assertion");
  EXPECT_EQ(Case("x.cu:1290: f: block: [0,0,0], thread: [1,0,0] Assertion `src < size` failed.\n")
                .first(),
            "cuda-program-assert");
  const std::string crash =
      "0: [cgpu12:56309:2:56362] Caught signal 11 (Segmentation fault: address not mapped)\n";
  const std::string ucx =
      "0: [1579244748.838971] [cgpu12:56309:2]    cuda_ipc_md.c:62   UCX  ERROR ";
  EXPECT_EQ(Case(ucx + "cuCtxGetDevice(&cu_device) is failed. ret:invalid device context\n" + crash)
                .first(),
            "ucx-cuda");
  EXPECT_EQ(Case(ucx + "Failed to unpack remote key\n" + crash).first(), "crashed");
  // ROCm/rccl issue 502: it may continue with another transport, and nothing else is to be found.
  const Case alone(ucx + "Failed to create ipc for 0x2b651b200000/620000\n");
  EXPECT_EQ(alone.first(), "ucx-error");
  EXPECT_FALSE(alone.verdict.failed);
  EXPECT_EQ(printed(alone).find("follows from something else"), std::string::npos);
  // It may be a consequence of what another symptom says before it.
  EXPECT_EQ(Case(closed + ucx + "tcp_ep.c:1 recv failed: Connection reset by peer\n").first(),
            Case(closed).first());
  // The plugin repeats that UCX failed, and not why.
  const std::string plugin =
      ":2 [0] ucx_plugin.c:9 NCCL WARN Failed: UCX error ucx_plugin.c:9 '-5' Invalid parameter\n";
  const std::string insert = ucx + "failed to insert region 0x2b: Invalid parameter\n";
  const auto quotes = [](const std::string& text) {
    return printed(Case(text)).find("UCX says before it: ") != std::string::npos;
  };
  EXPECT_TRUE(quotes(insert + "cgpu12:56309" + plugin));
  EXPECT_FALSE(quotes(insert + "cgpu13:56309" + plugin));
  EXPECT_FALSE(quotes(insert + "cgpu12:5630" + plugin));
  EXPECT_FALSE(quotes("cgpu12:56309" + plugin + insert));
  // NVIDIA/nccl-tests src/common.cu: its own limit, and what NCCL says of the abort.
  EXPECT_EQ(Case("n0: Test timeout (10s) common.cu:321\nn0:10:2 [0] NCCL INFO misc/socket.cc:47 -> "
                 "3\n")
                .first(),
            "test-timeout");
  const std::string python =
      "Fatal Python error: PyThreadState_Get: the function must be called with the\n";
  EXPECT_EQ(Case(python + closed).first(), "crashed-python");
  EXPECT_EQ(Case("Fatal Python error: Aborted\n").first(), "aborted");
  EXPECT_EQ(Case("terminate called after throwing an instance of 'std::runtime_error'\n").first(),
            "uncaught-exception");
  EXPECT_EQ(
      Case("[enforce fail at alloc_cpu.cpp:117] err == 0. DefaultCPUAllocator: can't allocate "
           "memory: you tried to allocate 9 bytes. Error code 12 (Cannot allocate memory)\n")
          .first(),
      "program-host-memory");
  EXPECT_EQ(Case("ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on "
                 "memory.\n")
                .first(),
            "ray-memory");
}

/// NVIDIA/pyxis and Slurm in eth-cscs/cscs-docs; Open MPI's help texts; kubeflow/mpi-operator.
TEST(NcclLogJobPrograms, AJobThatDoesNotStart) {
  const auto first = [](const std::string& line) { return Case(line + "\n").first(); };
  const std::string exited = "srun: error: nid001234: task 0: Exited with exit code 1\n";
  EXPECT_EQ(
      Case("slurmstepd: error: pyxis: container start failed with error code: 1\n"
           "slurmstepd: error: pyxis:     mkdir: cannot create directory: Permission denied\n" +
           exited)
          .first(),
      "container-reason");
  const std::string refused =
      "srun: error: Unable to allocate resources: Job violates accounting/QOS policy\n";
  EXPECT_EQ(Case(refused + exited).first(), "slurm-refused");
  EXPECT_EQ(first("slurmstepd: error: execve(): python: No such file or directory"),
            "slurm-program");
  EXPECT_EQ(first("There are not enough slots available in the system to satisfy the 16"),
            "launcher-slots");
  EXPECT_EQ(first("At least one pair of MPI processes are unable to reach each other for"),
            "mpi-unreachable");
  EXPECT_EQ(first("bash: line 1: orted: command not found"), "program-missing");
  EXPECT_EQ(first("run.sh: line 18: 14250 Killed                  python train.py"),
            "killed-in-shell");
  // AMD's AITER, which prints no colon.
  EXPECT_EQ(
      first("[AITER] /x/fmha.cpp:142 fail to call hipModuleLaunchKernel(f, 1) ---> [HIP error]"
            "(invalid resource handle)"),
      first("HIP error: invalid resource handle"));
  // A batch script goes on, and so did the job.
  const std::string script =
      "/var/spool/slurmd/job7/slurm_script: line 363: python: command not found";
  const std::string rank =
      "\n[rank3]: Traceback (most recent call last):\n[rank3]:   File \"t.py\", line 1, in f\n"
      "[rank3]: ValueError: x\n";
  EXPECT_EQ(first(script), "program-missing");
  EXPECT_EQ(first(script + rank), "program-exception");
  EXPECT_EQ(first("/x/wrapper.sh: line 3: python: command not found" + rank), "program-missing");
  EXPECT_EQ(first("MPI_ABORT was invoked on rank 0 in communicator MPI_COMM_WORLD"),
            "mpi-rank-failed");
  EXPECT_EQ(first("[2025-12-17T12:59:34.342] error: *** STEP 2.21 ON n1 CANCELLED AT "
                  "2025-12-17T12:59:34 DUE TO TASK FAILURE ***"),
            "slurm-task-failure");
  // Tried again until it worked.
  const std::string complete = "n1:1:2 [0] NCCL INFO comm 0x1 rank 0 nranks 2 - Init COMPLETE\n";
  for (const char* const line :
       {"ssh: connect to host n2 port 22: Connection refused\n",
        "[W socket.cpp:436] [c10d] The server socket on [::ffff:10.0.0.1]:29500 has timed out, "
        "will "
        "retry.\n",
        "[W socket.cpp:601] [c10d] The IPv4 network addresses of (master-0, 23456) cannot be "
        "retrieved (gai error: -2 - Name or service not known).\n"}) {
    EXPECT_NE(Case(line).first(), "none") << line;
    EXPECT_EQ(Case(line + complete).first(), "none") << line;
    EXPECT_NE(Case(line + complete + line).first(), "none") << line;
  }
  const std::string silent =
      "[c10d] The server socket on [::ffff:10.0.0.1]:29500 has timed out, will retry.\n";
  EXPECT_EQ(Case(silent).first(), "torch-master-silent");
  EXPECT_FALSE(Case(silent).verdict.failed);
  EXPECT_NE(printed(Case(silent)).find("This was retried"), std::string::npos);
  EXPECT_EQ(
      Case(silent + "DistNetworkError: The client socket has timed out after 600s while trying "
                    "to connect to (10.0.0.1, 29500).\n")
          .first(),
      "torch-rendezvous");
}

}  // namespace
}  // namespace nettune::tools::nccl::log::job
