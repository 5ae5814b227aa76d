// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace nettune::nccl_log {

/// Of each text that catalog/nccl-causes.toml has of others than NCCL ("said_by"), of each kind of
/// an error block, and of lines of NCCL before 2.3.5. The longer the shortest of them is, the
/// faster they are found; the others may be as long as they like.
inline constexpr std::array kMarks = std::to_array<std::string_view>({
    "ncclSystemError",
    "ncclRemoteError",
    "ncclInternalError",
    "ncclInvalidUsage",
    "ncclInvalidArgument",
    "ncclUnhandledCudaError",
    "unhandled system error",  // of ncclGetErrorString()
    "unhandled cuda error",
    "unhandled CUDA error",
    "failed: internal error",  // ncclCommInitRank failed: ...
    "failed: invalid usage",
    "failed: invalid argument",
    "ncclUniqueId",
    " exits successfully",
    "DUE TO TIME LIMIT",
    " spawned with command: ",
    "world_size",
    "world size",
    "World Size",
    "World size",
    "WORLD_SIZE",
    "WORLD SIZE",
    "[Errno 13] Permission denied",
    "operator name is Hccl",
    "terminated with the following error",  // of torch.multiprocessing.spawn()
    "did not become ready within",
    "Future for ProcessGroup abort timed out",
    " SIGINT's within ",
    "signal SIGKILL",   // terminated with signal SIGKILL
    "signal: SIGKILL",  // killed by signal: SIGKILL
    "Received SIGTERM",
    "Terminated",  // of a shell
    " Killed     ",
    "---> [HIP error]",
    " died from signal ",  // of HPE's PALS
    " exited with code ",
    " received by PID",    // Signal 9 (SIGKILL) received by PID 3
    " received at time=",  // *** SIGTERM received at time=1700000000, of Abseil
    "<Signals.",           // died with <Signals.SIGBUS
    "BY SIGNAL",           // KILLED BY SIGNAL: 7
    "Signal: Bus error",   // of Open MPI
    "Signal: Aborted",
    "Signal: Segmentation",
    "Signal: Floating",
    "Signal: Illegal",
    "Process received signal",
    "ucs_handle_error",  // in a trace of UCX
    "==== backtrace",    // above it
    "free(): in",        // of glibc's malloc.c
    "free(): do",
    "free(): co",
    "free(): un",
    "malloc(): ",
    "realloc(): ",
    "malloc_consolidate(): ",
    "munmap_chunk(): ",
    "corrupted size vs. prev_size",
    "corrupted double-linked",
    "double free or corruption",
    "stack smashing detected",
    "(core dumped)",
    "segfault at ",  // of the kernel
    "Fatal Python error",
    "Assertion `",
    "terminate called after",  // of libstdc++
    "terminate called without an active",
    "kernel image is invalid",
    "with an unsupported toolchain",
    "pure virtual method called",
    "Traceback (most recent call last)",
    "died or was killed",  // of Ray
    "actor died unexpectedly",
    "actor is dead because",
    "Worker exit type",
    "NodeDiedError",
    "ActorUnavailableError",
    "WorkerCrashedError",
    "OwnerDiedError",
    "LocalRayletDiedError",
    "has missed too many heartbeats",
    "running low on memory",
    "SignalException",  // of torchrun
    "KeyboardInterrupt",
    "process interrupted (SIGINT)",  // of Intel's Fortran
    "Caught signal ",                // of UCX
    "death signal",                  // Received 15 death signal
    "Segmentation fault",
    "Bus error (",
    "bus error encountered",
    "EXIT STRING: ",  // of MPICH
    "exitcode: ",
    "exitcode  : ",
    "returned non-zero exit status",
    "exits with return code",
    "exited on signal",
    "process exited or",
    "with non-zero status",  // of mpirun
    "non-zero exit code",
    "reliably start one or more daemons",
    "daemon has unexpectedly failed",
    "enough slots available",
    "MPI processes are unable to reach",
    "MPI_ABORT was invoked",
    "called MPI_Abort(",
    "ssh: connect to host",
    "ssh: Could not resolve",
    "Host key verification",
    "Permission denied (publickey",
    "command not found",
    "communication with a remote daemon",
    "terminated with exit code",  // of kubectl exec
    "kubectl: not found",
    "Root Cause (",  // what torchrun calls so
    "to the rendezvous",
    "RendezvousClosedError",
    "RendezvousTimeoutError",
    "RendezvousConnectionError",
    "same CUDA device is not",  // of XGBoost
    "slurmstepd",
    "srun: error",
    "salloc: error",
    "sbatch: error",
    "error: *** ",  // of Slurm, without its program
    "error: pyxis:",
    "container creation failed",  // of Apptainer
    "OCI runtime create failed",
    "could not select device driver",
    "Killed process",
    "oom-kill:",
    "OOMKilled",
    "Out of memory",
    "Out Of Memory",
    "OutOfMemoryError",
    " out of memory",
    "CUDA error",
    "CUDA Error",
    "CUDA failure",
    "CUDA Runtime",
    "Cuda error",
    "Cuda failure",
    "cudaErrorMemoryAllocation",
    "cudaErrorIllegalAddress",
    "cudaErrorInvalidDevice",
    "illegal memory access",
    "device-side assert",
    "cudaErrorAssert",
    "HIP out of memory",
    "HIP error: ",
    "HIP Error: ",
    "HIP failure ",
    "hipErrorOutOfMemory",
    "hipErrorNoBinaryForGpu",
    "no ROCm-capable device",
    "access fault by GPU",
    "HW Exception by GPU",
    "HSA_STATUS_ERROR",
    "No CUDA GPUs are available",
    "No HIP GPUs are available",
    "Found no NVIDIA driver",
    "NPU function error",
    "NPU out of memory",
    "call acl api failed",
    "unspecified launch failure",
    "no kernel image is available",
    "driver version is insufficient",
    "no CUDA-capable device",
    "invalid device ordinal",
    "busy or unavailable",
    "system not yet initialized",
    "GPU memory utilization",  // of vLLM
    "memory for the cache blocks",
    "stored in KV cache",
    "increase --mem-fraction-static",  // of SGLang
    "No space left on device",
    "DefaultCPUAllocator",
    "UCX  ERROR",
    "Transport retry count exceeded",
    "ndpoint timeout",
    "NVRM: Xid",
    "SXid (PCI",
    "fallen off the bus",
    "GPU reset begin",  // of amdgpu
    "amdgpu: GPU reset",
    "the device handle for GPU",  // of nvidia-smi
    "severity=Uncorrected",       // of PCIe's AER
    "client socket has",
    "network addresses of (",  // of c10d
    "has timed out, will retry",
    "use_libuv was requested",
    "connect() timed out",
    "Timeout waiting for key",
    "DistStoreError",
    "waiting for clients",
    "wait timeout after ",
    "Gloo connectFullMesh",
    "gloo/transport/tcp/",
    "op.preamble.length",
    "enforce fail at",
    "unsupported gloo device",
    "Wait timeout for key(s)",
    "monitoredBarrier",
    "caused pair closure",  // Application timeout caused pair closure, of Gloo
    "failed to listen on any",
    "RuntimeError: Address already in use",
    "server socket has failed to bind",
    "failed to listen on [",
    "Expected to have finished reduction in the prior",
    "Parameter indices which did not receive grad",
    "Expected to mark a variable ready only once",
    "peer access is not supported",
    "TCPStore server has shut down",
    "[c10d] recv",
    "[c10d] send",
    "DistNetworkError: ",
    "exception dump flag",
    "libfabric:",
    "WARN: Function: ",  // of a test program of aws-ofi-nccl
    " unique id ",       // of libsharp
    " - context.c:",
    " - comm.c:",
    " - tree_ops.c:",
    "Begin job id: ",  // of its daemon
    "RCCL version",
    " nccl-library=",  // of nccl-tests
    "undefined symbol: nccl",
    "undefined symbol: pnccl",
    "libnccl.so.2: cannot",
    "libnccl.so.2: file too",
    "libnccl.so.2: invalid",
    "subset of ranks",  // of Horovod
    "[missing ranks:",
    "retry count exceeded on",  // of UCX
    "ailed to modify QP",
    "ibv_modify_qp failed",
    "UCX  FATAL",
    "UCX Fatal:",
    "UCP ERROR",
    "caused by previous Xid",
    "JAX distributed service",
    "in coordination service has failed",
    "stopped sending heartbeats",
    "join the rendezvous, but only",
    "running low on memory",  // of Ray
    "MPI_ABORT was invoked",
    "enough slots available",
    "ssh: connect to host",
    "Host key verification failed",
    "Command 'ssh ",
    "nodes via passwordless ssh",
    "ssh exited with exit code 255",
    "DataLoader worker",
    "to file </torch_",
    "object </torch_",
    "from file </torch_",
    "Too many open files",
    "items of ancdata",
    "DefaultCPUAllocator",
    "Cannot allocate memory",
    "ArrayMemoryError",
    "] No space left on device",
    "Disk quota exceeded",
    "Permission denied (publickey",
    "find the specified executable",
    "launch the specified application",
    "nvidia-container-cli: ",
    "No CUDA GPUs are available",
    "Found no NVIDIA driver",
    "only supported with GPUs",
    "failed to pass monitoredBarrier",
    "group in store based barrier",
    "RuntimeError: Socket Timeout",
    "RuntimeError: Connection reset by peer",
    "RuntimeError: Broken pipe",
    "Libfabric EFA provider",
    "Libfabric error: ",
    "/dev/shm/nccl-",
    "mismatch between collectives",
    "uncorrectable ECC",
    "uncorrectable NVLink",
    "(exit code: -",           // Rank 0 scheduler died (exit code: -9), of SGLang
    "Duplicate GPU detected",  // above its block where the newest line comes first
    "is using nccl==",         // of vLLM and SGLang
    "credential expired",      // of Slurm
    "Invalid job credential",
    "Invalid authentication credential",
    "could not execve job",
    "Job prolog failed",
    "prolog failed status",
    "TaskProlog failed",
    "CPU binding outside of",
    "satisfy cpu bind request",
    "connect to GCS at address",  // of Ray
    "any running Ray instance",
    "The cluster was started",
    "failed during shared memory",  // of Open MPI
    "failed during sm BTL",
    "OFI Libfabric library",
    "scheduler died during",  // of SGLang
    "srun: fatal: ",
    "Could not open stdout",
    "Could not open stderr",
    "Could not open output",
    "STEPD TERMINATED ON",
    "stat gres.conf file",
    "slurmd: fatal: ",
    "]: fatal: ",
    "Bad request from",
    "cannot allocate unhealthy",  // of Kubernetes
    "no healthy devices",
    "Allocate failed due to",
    "The node was low on",
    "node had condition: [",
    "ErrImagePull",
    "ImagePullBackOff",
    "Failed to pull image",
    "FailedScheduling",
    "component was not found",  // of Open MPI and PMIx
    "able to be opened in the",
    " cannot be selected",
    "been direct launched",
    "a local PMIx server",
    "PMIx_Init failed",
    "peer process has unexpectedly",
    "TCP connect to a peer",
    "handshake with a connecting",
    "a communication connection to",
    "shared-memory backing",
    "create the desired directory",
    "this job are already filled",
    "daemon died unexpectedly",
    "error occurred in MPI_",
    "your parallel process is",
    "BAD TERMINATION",    // of MPICH
    "hit an exception",   // of SGLang
    "EngineCore failed",  // of vLLM
    "core initialization failed",
    "EngineCore encountered",
    "WorkerProc failed",
    "WorkerProc init",
    "sigkill_handler] [",  // of DeepSpeed
    "SIGQUIT received.",   // of SGLang
    "sigquit from a child",
    "live scheduler processes",
    "could finish the model",
    "worker.status.FAILED",  // of torchelastic
    "std::bad_alloc",
    "Main process received",
    " Alarm clock ",
    "number of required GPUs",
    "creating a placement group",
    "provide a placement group",
    "exceeds available GPUs",
    "can fulfill resource request",
    "cannot be scheduled right",
    "Unhandled exception: ",
    "CREATE_MKEY(",
    "reg mr failed",
    "INTERNAL ASSERT FAILED",
    "Failures:",  // of torchrun
    "time      : ",
    "host      : ",
    "rank      : ",
    "Out of bounds values",  // of nccl-tests
    "\"run_stop\"",          // of MLPerf
    "\"run_start\"",
    "\"init_start\"",
    "Avg bus bandwidth",          // below it
    "Group     Comms     Nodes",  // of NCCL's RAS
    "Communicator ranks have different ",
    "busbw #wrong",  // the heading of its table
    "busbw  #wrong",
    "busbw error",  // the same before 2.10
    "busbw  error",
    "   float   ",  // its rows
    "    half   ",
    "bfloat16     sum",
    "Collective test starting",
    "reduce_perf",  // its programs
    "gather_perf",
    "scatter_perf",
    "alltoall_perf",
    "alltoallv_perf",
    "broadcast_perf",
    "sendrecv_perf",
    "hypercube_perf",
    " Group  0 Pid ",                // its list of ranks
    "#   Rank ",                     // the same before 2.13
    "# Rank 0 on ",                  // the same, its blanks lost; the others follow it
    "] INFO NET : Using interface",  // of NCCL before 2.3.5: "host:1:2 [0] INFO NET : ..."
    "] INFO NET/IB",
    "] INFO NET/Socket",
    "] INFO Using internal Network",
    "] INFO Using external Network",
    "Got completion from peer ",  // of NCCL, without its prefix
    "Got completion with ",
    "Got async event",
    "Call to ibv_",
    "ncclSocketInit: ",
    "socketProgress: ",
    "socketProgressOpt: ",
    "include/socket.h:",
    "misc/socket.cc:",
    "misc/ibvwrap.c",
    "misc/shmutils.cc:",
    "transport/net_",
    "via P2P/IPC",
    "via P2P/direct",
    "via P2P/common",
    "via NET/IB/",
    "via NET/Socket/",
    "via direct shared",
    "] INFO CUDA Dev ",
    "] INFO [0] Ring ",  // the order of a ring up to 2.2
    "] INFO comm 0x",
    "] INFO init.cu:",
    "] INFO include/",
    "] INFO transport/",
    "] INFO misc/",
    "] init.cu:",
    "] bootstrap.cu:",
    "] include/",
    "] transport/",
    "] misc/ibvwrap",
    "] misc/enqueue",
});

}  // namespace nettune::nccl_log
