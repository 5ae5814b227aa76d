// SPDX-License-Identifier: Apache-2.0
//
// What launchers, schedulers, MPI, containers and Ray say. Projects and issues are named at the
// lines.
#include "tools/nccl/log/judge/event_details.hpp"
#include "tools/nccl/log/voice.hpp"
#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log::job {
namespace {

std::string first_in(const std::string& text) { return Case(text + "\n").first(); }

/// What stands below the first cause of it.
std::string below(const std::string& text) {
  const Case one(text + "\n");
  if (!one.verdict.first) return "none";
  return join(judge::event_details(one.log, causes(), one.log.events[*one.verdict.first]), "|");
}

/// Slurm's src/slurmd/slurmstepd/req.c, src/common/slurm_errno.c, src/api/step_launch.c.
TEST(NcclLogJobLaunchers, WhySlurmDidNotStartOrEndedAJob) {
  const std::pair<const char*, const char*> lines[] = {
      {"slurmstepd: error: *** STEP 608.0 ON n1 CANCELLED AT 2022-08-12T02:06:12 DUE TO JOB "
       "REQUEUE ***",
       "slurm-requeued"},
      // facebookincubator/submitit issue 1708
      {"submitit WARNING (2022-08-12 02:06:11,453) - Caught signal SIGUSR2 on n1: this job is "
       "preempted.\nslurmstepd: error: *** JOB 608 ON n1 CANCELLED AT 2022-08-12T02:06:12 DUE TO "
       "JOB REQUEUE ***",
       "submitit-preempted"},
      {"submitit WARNING (2022-08-12 02:06:11,453) - Caught signal SIGUSR2 on n1: this job is "
       "timed-out.",
       "submitit-time-limit"},
      {"srun: error: Task launch for 36.0 failed on node n3: Job credential expired",
       "slurm-credential"},
      {"srun: error: Task launch for 36.0 failed on node n3: Invalid job credential",
       "slurm-authentication"},
      {"srun: error: slurm_receive_msgs: [[n4]:6818] failed: Socket timed out on send/recv "
       "operation",
       "slurm-silent"},
      {"srun: error: Task launch for StepId=34.0 failed on node n4: Socket timed out on send/recv "
       "operation",
       "slurm-silent"},
      {"srun: error: timeout waiting for task launch, started 3 of 4 tasks", "slurm-silent"},
      {"srun: error: Unable to allocate resources: Unable to contact slurm controller (connect "
       "failure)",
       "slurm-controller"},
      {"srun: error: Unable to allocate resources: Requested node configuration is not available",
       "slurm-refused"},
      {"slurmstepd: error: execve(): ./train: No such file or directory", "slurm-program"},
      {"srun: error: Task launch for StepId=5.0 failed on node n1: Job prolog failed",
       "slurm-prolog"},
      {"slurmstepd: error: TaskProlog failed status=1", "slurm-prolog"},
      {"srun: error: CPU binding outside of job step allocation, allocated CPUs are: 0x01F.\nsrun: "
       "error: Task launch for StepId=5.0 failed on node n1: Unable to satisfy cpu bind request",
       "slurm-cpu-binding"},
      {"slurmstepd: error: Could not open stdout file /data/out.txt: No such file or directory",
       "slurm-output"},
      {"srun: error: Aborting, io error and missing step on node 3", "slurm-stepd-lost"},
      {"slurmstepd: error: *** JOB 7 STEPD TERMINATED ON n1 AT 2024-01-01T00:00:00 DUE TO JOB NOT "
       "ENDING WITH SIGNALS ***",
       "slurm-unkillable"},
      // BiBiServ/bibigrid issue 705
      {"Feb 02 09:52:07 n1 slurmd[12]: slurmd: fatal: can't stat gres.conf file /dev/nvidia0: No "
       "such file or directory",
       "slurmd-gres"},
      {"Feb 02 09:52:07 n1 slurmd[12]: fatal: Unable to determine this slurmd's NodeName",
       "slurmd-fatal"},
      {"Feb 02 09:52:07 n1 sshd[12]: fatal: Timeout before authentication", "none"},
      // openpmix/openpmix issues 3320 and 1484
      {"slurmstepd: error: mpi/pmix_v5: _dmdx_req: n1 [0]: pmixp_dmdx.c:319: Bad request from n2: "
       "nspace \"slurm.pmix.5.0\" has only 2 ranks, asked for -1",
       "slurm-pmix"},
      {"slurmstepd: error: n1 [0] pmixp_dmdx.c:320 [_dmdx_req] mpi/pmix: ERROR: Bad request from "
       "n2: nspace \"slurm.pmix.8.0\" has only 4 ranks, asked for -1",
       "slurm-pmix"}};
  for (const auto& [line, cause] : lines) EXPECT_EQ(first_in(line), cause) << line;
}

/// aws/aws-parallelcluster issue 4179, desihub/desitarget pull request 628.
TEST(NcclLogJobLaunchers, NodesAndTasksOfSlurm) {
  EXPECT_EQ(below("srun: error: slurm_receive_msgs: [[n4]:6818] failed: Socket timed out\n"
                  "srun: error: slurm_receive_msgs: [[n5]:6818] failed: Socket timed out\n"),
            "node n4; node n5");
  EXPECT_EQ(
      below("slurmstepd: error: *** STEP 3.0 ON n1 CANCELLED AT 2020-07-03T02:59:56 DUE TO "
            "TIME LIMIT ***\nsrun: error: n1: tasks 2,4: Terminated\nsrun: error: n2: task 8: "
            "Terminated\n"),
      "srun names tasks 2,4 on n1; task 8 on n2");
  std::string many;
  for (int i = 0; i < 40; ++i)
    many += cat("srun: error: slurm_receive_msgs: [[n", i, "]:6818] failed: Socket timed out\n");
  EXPECT_TRUE(below(many).ends_with("; node n15; and more")) << below(many);
  // A line of others says nothing of Slurm's tasks.
  EXPECT_EQ(below("CUDA out of memory: OutOfMemoryError\nsrun: error: n1: task 2: Exited with exit "
                  "code 1\n"),
            "");
}

/// NVIDIA/pyxis issues 61, 101 and 166: the line of enroot's log, or of its hook, is the reason.
TEST(NcclLogJobLaunchers, WhyAContainerDidNotStart) {
  const std::string begin =
      "slurmstepd: error: pyxis: container start failed with error code: 1\n"
      "slurmstepd: error: pyxis: printing enroot log file:\n";
  const std::string end =
      "slurmstepd: error: pyxis: couldn't start container\n"
      "slurmstepd: error: spank: required plugin spank_pyxis.so: task_init() failed with rc=-1\n"
      "srun: error: n1: task 0: Exited with exit code 1\n";
  for (const std::string reason :
       {"nvidia-container-cli: container error: file lookup failed: /x: permission denied",
        "enroot-switchroot: failed to execute: /bin/bash: No such file or directory",
        "[ERROR] Command not found: nvidia-container-cli, see https://github.com/NVIDIA/x"}) {
    const Case one(begin + "slurmstepd: error: pyxis:     " + reason + "\n" + end);
    EXPECT_EQ(one.first(), "container-reason") << reason;
    EXPECT_NE(printed(one).find(reason.substr(0, 30)), std::string::npos) << printed(one);
    EXPECT_NE(printed(one).find("srun names task 0 on n1"), std::string::npos) << printed(one);
  }
  const std::string home =
      "slurmstepd: error: pyxis:     /usr/bin/enroot: line 44: HOME: unbound\n";
  EXPECT_EQ(first_in(begin + home + end), "container-failed");
}

/// kubernetes/kubernetes pkg/kubelet and pkg/scheduler; gnosia93/training-on-eks.
TEST(NcclLogJobLaunchers, WhyAPodDoesNotRun) {
  const std::string waits =
      "  Warning  FailedScheduling  9m  default-scheduler  0/5 nodes are available: 1 Insufficient "
      "nvidia.com/gpu.\n";
  EXPECT_EQ(first_in(waits), "kubernetes-unschedulable");
  EXPECT_EQ(first_in(waits + "n1:1:2 [0] NCCL INFO comm 0x1 rank 0 nranks 2 - Init COMPLETE\n"),
            "none");
  EXPECT_EQ(first_in(waits + "  Warning  UnexpectedAdmissionError  3m2s  kubelet  Allocate failed "
                             "due to no healthy devices present; cannot allocate unhealthy devices "
                             "nvidia.com/gpu, which is unexpected\n"),
            "kubernetes-devices");
  EXPECT_EQ(first_in("The node was low on resource: memory. Container trainer was using 90Gi"),
            "kubernetes-evicted");
  EXPECT_EQ(first_in("  Warning  Failed  9s  kubelet  Error: ImagePullBackOff"),
            "kubernetes-image");
}

/// Open MPI's help texts; openucx/ucx issue 8440, open-mpi/ompi issue 11669, horovod/horovod issue
/// 1950, mlcommons/training_results_v4.0.
TEST(NcclLogJobLaunchers, HelpTextsOfOpenMpi) {
  const std::string component =
      "A requested component was not found, or was unable to be opened.  This\nmeans that this "
      "component is either not installed or is unable to be\n\nHost:      n1\nFramework: pml\n"
      "Component: ucx\n-----\n";
  EXPECT_EQ(first_in(component), "mpi-component");
  EXPECT_EQ(below(component), "host n1; framework pml; component ucx");
  EXPECT_EQ(first_in("[n1:1724] PML ucx cannot be selected"), "mpi-component");
  const std::string none =
      "[1,0]<stderr>:No components were able to be opened in the pml framework.\n"
      "[1,0]<stderr>:\n[1,0]<stderr>:  Host:      n5\n";
  EXPECT_EQ(first_in(none), "mpi-component");
  EXPECT_EQ(below(none + "x\n"), "host n5");
  const std::string peer =
      "An MPI communication peer process has unexpectedly disconnected.  This\n\n"
      "  Local host: n3\n  Local PID:  7720\n  Peer host:  n6\n";
  EXPECT_EQ(first_in(peer), "mpi-peer-lost");
  EXPECT_EQ(below(peer + "-----\n"), "local host n3; local PID 7720; peer host n6");
  // What ends a file may be cut.
  const Log cut = read(peer);
  EXPECT_EQ(join(cut.events.at(0).details, "; "), "local host n3; local PID 7720");
  // Why the peer ended comes first, wherever it stands.
  EXPECT_EQ(first_in(peer + "python: exitcode: -9)\n"), "killed");
  // Lines of the program itself are no fields of the text.
  EXPECT_EQ(below("[n1:1] PML ucx cannot be selected\nHost: n9\n"), "");
  EXPECT_EQ(first_in("srun: error: n1: task 0: Exited with exit code 1\nThe application appears to "
                     "have been direct launched using \"srun\",\n*** An error occurred in "
                     "MPI_Init_thread\n"),
            "mpi-direct-launch");
  EXPECT_EQ(first_in("[n1:12] *** An error occurred in MPI_Allreduce"), "mpi-call-failed");
  EXPECT_EQ(first_in("WARNING: Open MPI failed to TCP connect to a peer MPI process.  This"),
            "mpi-connect");
  EXPECT_EQ(first_in("It appears as if there is not enough space for /dev/shm/x (the shared-memory "
                     "backing"),
            "mpi-shared-memory");
  const std::string call =
      "A system call failed during shared memory initialization that should\n\n  Local host:  n1\n"
      "  System call: unlink(2) /dev/shm/x\n  Error:       Operation not permitted (errno 1)\n";
  EXPECT_EQ(first_in(call), "mpi-system-call");
  EXPECT_EQ(below(call + "\n"),
            "local host n1; system call unlink(2) /dev/shm/x; error Operation not permitted (errno "
            "1)");
  EXPECT_EQ(first_in("A call to mkdir was unable to create the desired directory:"),
            "mpi-directory");
  EXPECT_EQ(first_in("mpirun was unable to find the specified executable file, and therefore"),
            "launcher-program");
  EXPECT_EQ(first_in("All nodes which are allocated for this job are already filled."),
            "launcher-slots");
}

/// open-mpi/ompi issue 5639: what ssh says is the cause, and mpirun's text the consequence.
TEST(NcclLogJobLaunchers, SshComesBeforeWhatFollowsFromIt) {
  const std::string ssh = "ssh: connect to host 10.0.0.7 port 22: Connection refused\n";
  const std::string orte = "ORTE was unable to reliably start one or more daemons.\n";
  EXPECT_EQ(first_in(ssh + orte), "launcher-ssh");
  EXPECT_EQ(first_in(orte + ssh), "launcher-ssh");
  EXPECT_EQ(first_in(orte), "launcher-start");
  // No rank runs yet that could have failed earlier.
  EXPECT_EQ(printed(Case(ssh)).find("another rank that failed earlier"), std::string::npos);
  EXPECT_NE(printed(Case("Process 0 exited on signal 11 (Segmentation fault).\n"))
                .find("another rank that failed earlier"),
            std::string::npos);
  // Nor does another rank make this.
  EXPECT_EQ(printed(Case("free(): invalid pointer\n")).find("another rank that failed earlier"),
            std::string::npos);
}

/// ggml-org/llama.cpp issue 4792, openai/jukebox issue 155; MPICH's Hydra and Intel MPI.
TEST(NcclLogJobLaunchers, BadTerminationOfMpich) {
  const auto block = [](const std::string& code, const std::string& string) {
    return cat(
        "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   PID 9665 RUNNING AT n1",
        "\n=   EXIT CODE: ", code, "\n=   CLEANING UP REMAINING PROCESSES\nYOUR APPLICATION ",
        "TERMINATED WITH THE EXIT STRING: ", string, "\nThis typically refers to\n");
  };
  const std::string aborted = block("134", "Terminated (signal 15)");
  EXPECT_EQ(first_in(aborted), "mpi-bad-termination");
  EXPECT_EQ(below(aborted),
            "PID 9665 on n1; exit code 134|exit code 134 is 128 + 6: a shell says so of a process "
            "that SIGABRT ended");
  EXPECT_EQ(first_in(block("9", "Killed (signal 9)")), "killed");
  EXPECT_EQ(below(block("9", "Killed (signal 9)")), "PID 9665 on n1; exit code 9");
  EXPECT_EQ(below("=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   RANK 3 PID 12 "
                  "RUNNING AT n2\nx\n"),
            "RANK 3 PID 12 on n2");
  EXPECT_EQ(first_in("RuntimeError: CUDA error: an illegal memory access\n" + aborted),
            "cuda-program-kernel");
}

/// bash(1), timeout(1); mlcommons/training_results_v2.0, NVlabs/VILA.
TEST(NcclLogJobLaunchers, WhatAnExitCodeMeans) {
  const std::pair<const char*, const char*> lines[] = {
      {"srun: error: n1: task 0: Exited with exit code 137",
       "exit code 137 is 128 + 9: a shell says so of a process that SIGKILL ended"},
      {"srun: error: n1: task 0: Exited with exit code 127",
       "exit code 127: a shell says so of a program that it did not find"},
      {"exits with return code = 126",
       "exit code 126: a shell says so of a program that it may not execute"},
      {"  exitcode  : 124 (pid: 94385)", "exit code 124: timeout(1) ends so when the time is up"},
      {"srun: error: n1: task 0: Exited with exit code 1", ""},
      {"srun: error: n1: task 0: Exited with exit code 255", ""},
      {"command terminated with exit code 128", ""}};
  for (const auto& [line, meaning] : lines) EXPECT_EQ(below(line), meaning) << line;
  EXPECT_EQ(
      below("mpirun detected that one or more processes exited with non-zero status, thus "
            "causing\nthe job to be terminated. The first process to do so was:\n\n  Process "
            "name: [[50740,1],9]\n  Exit code:    142\n-----\n"),
      "process name [[50740,1],9]; exit code 142|exit code 142 is 128 + 14: a shell says so of "
      "a process that SIGALRM ended");
  EXPECT_EQ(first_in("./run.sh: line 224:  6519 Alarm clock             python train.py"), "alarm");
}

std::string failure(int rank, const std::string& code, const std::string& signal) {
  return cat(
      "[", rank, "]:\n  time      : 2023-06-14_22:36:10\n  host      : n1\n  rank      : ", rank,
      " (local_rank: ", rank, ")\n  exitcode  : ", code, " (pid: ", 2900 + rank,
      ")\n  error_file: <N/A>\n",
      signal.empty() ? "" : cat("  traceback : ", signal, " received by PID ", 2900 + rank), "\n");
}

/// open-mmlab/mmsegmentation issue 3106: what torchrun calls the root cause is quoted, and all
/// failures of the same kind are named.
TEST(NcclLogJobLaunchers, TheRootCauseOfTorchrun) {
  const std::string abort = "Signal 6 (SIGABRT)";
  const std::string report = cat("Failures:\n", failure(1, "-6", abort), failure(2, "-6", abort),
                                 "-----\nRoot Cause (first observed failure):\n");
  const Case one(report + failure(0, "-6", abort));
  EXPECT_EQ(one.first(), "aborted");
  const Event& event = one.log.events[*one.verdict.first];
  EXPECT_EQ(event.text, "traceback : Signal 6 (SIGABRT) received by PID 2900");
  EXPECT_EQ(event.count, 3U);
  EXPECT_EQ(
      join(event.details, "|"),
      "torchrun's root cause: rank 0, pid 2900 on n1|also rank 1, pid 2901 on n1|also rank 2, "
      "pid 2902 on n1");
  // The end is missing, or the root cause is.
  const Case cut(report + failure(0, "-6", ""));
  EXPECT_EQ(cut.log.events[*cut.verdict.first].text, "exitcode  : -6 (pid: 2900)");
  const Case headless("Failures:\n" + failure(1, "-11", "Signal 11 (SIGSEGV)"));
  EXPECT_EQ(headless.first(), "crashed");
  EXPECT_EQ(join(headless.log.events[*headless.verdict.first].details, "|"),
            "rank 1, pid 2901 on n1");
  // What torchrun killed is no cause; a root cause that was killed is.
  const Case killed(cat("Failures:\n", failure(1, "-9", "Signal 9 (SIGKILL)"),
                        "Root Cause (first observed failure):\n", failure(0, "1", "")));
  EXPECT_EQ(killed.first(), "rank-failed");
  EXPECT_EQ(
      first_in(cat("Failures:\n", failure(1, "1", ""), "Root Cause (first observed failure):\n",
                   failure(0, "-9", "Signal 9 (SIGKILL)"))),
      "killed");
  // Failures of another kind stand for themselves.
  const Case other(cat("Failures:\n", failure(1, "-11", "Signal 11 (SIGSEGV)"),
                       "Root Cause (first observed failure):\n", failure(0, "1", "")));
  EXPECT_EQ(other.first(), "crashed");
}

/// pytorch/pytorch issue 134006: the time of torchrun's report is ten minutes before the time-out.
TEST(NcclLogJobLaunchers, AProcessThatEndedBeforeTheTimeOut) {
  const auto report = [](const char* time, const char* code) {
    return cat("Failures:\n  <NO_OTHER_FAILURES>\nRoot Cause (first observed failure):\n[0]:\n",
               "  time      : ", time, "\n  host      : n3\n  rank      : 4 (local_rank: 0)\n",
               code);
  };
  const std::string code = "  exitcode  : 1 (pid: 7930)\n  error_file: <N/A>\n";
  const std::string wait =
      "[rank0]:[E820 11:47:24.069865760 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught "
      "collective operation timeout: WorkNCCL(SeqNum=2, OpType=_ALLGATHER_BASE, NumelIn=1, "
      "NumelOut=2, Timeout(ms)=600000) ran for 600001 milliseconds before timing out.\n";
  const Case one(report("2024-08-20_11:37:36", code.c_str()) +
                 "srun: error: n3: task 1: Exited with exit code 1\n" + wait);
  ASSERT_EQ(one.first(), "rank-failed");
  const Event& event = one.log.events[*one.verdict.first];
  EXPECT_EQ(event.text, "exitcode  : 1 (pid: 7930)");
  EXPECT_EQ(event.count, 2U);
  const std::string text = printed(one);
  for (const char* const said :
       {"torchrun's root cause: rank 4, pid 7930 on n3", "it ended before the watchdog's first",
        "torchrun reports that rank 4 failed"})
    EXPECT_NE(text.find(said), text.npos) << said << text;
  for (const char* const said :
       {"rank other than 0", "follows from something else", "Root Cause ("})
    EXPECT_EQ(text.find(said), text.npos) << said << text;
  // Later than the time-out, or nobody knows when: it says nothing.
  EXPECT_EQ(first_in(report("2024-08-20_11:48:36", code.c_str()) + wait), "watchdog");
  EXPECT_EQ(first_in(report("(unknown)", code.c_str()) + wait), "watchdog");
  // Of two reports the earlier one counts.
  const Case two(report("2024-08-20_11:48:36", "  exitcode  : 1 (pid: 5)\n") +
                 report("2024-08-20_11:37:36", code.c_str()) + wait);
  ASSERT_EQ(two.first(), "rank-failed");
  EXPECT_EQ(two.log.events[*two.verdict.first].text, "exitcode  : 1 (pid: 7930)");
  // The exit code is missing.
  const Case cut(report("2024-08-20_11:37:36", ""));
  ASSERT_TRUE(cut.verdict.first);
  EXPECT_EQ(cut.log.events[*cut.verdict.first].text,
            "Root Cause (first observed failure): at 2024-08-20_11:37:36 rank 4 on n3");
  // ZhehengJiangLancaster/AMVUR issue 2: somebody wrote the heading in another way.
  const Case other("Failures:\nRoot Cause (first observed failure) :\n[0]:\nrank2\n");
  EXPECT_EQ(other.log.events[*other.verdict.first].count, 1U);
}

/// deepspeedai/DeepSpeed deepspeed/launcher/launch.py and issue 4000.
TEST(NcclLogJobLaunchers, WhatDeepSpeedEnds) {
  const std::string killing =
      "[2023-07-20 15:45:13,980] [INFO] [launch.py:315:sigkill_handler] Killing subprocess 3966\n";
  const std::string error =
      "[2023-07-20 15:45:13,982] [ERROR] [launch.py:321:sigkill_handler] ['/usr/bin/python3', "
      "'main.py', '--local_rank=1'";
  EXPECT_EQ(first_in(killing + error), "launcher-killed-others");
  EXPECT_EQ(first_in(killing + error + "] exits with return code = 1"), "rank-failed");
  EXPECT_EQ(first_in(killing + error + "] exits with return code = -9"), "killed");
  EXPECT_EQ(first_in(killing + "[INFO] [launch.py:330:sigkill_handler] Main process received "
                               "SIGTERM, exiting"),
            "terminated");
}

/// open-mpi/ompi ompi/mca/mtl/ofi/help-mtl-ofi.txt: printed by MPI_Init, which may do without it.
TEST(NcclLogJobLaunchers, AStartOfOpenMpiThatWentOn) {
  const std::string failed =
      "Open MPI failed an OFI Libfabric library call (fi_endpoint).  This is highly\nunusual; your "
      "job may behave unpredictably (and/or abort) after this.\n\n  Local host: n2\n  Location: "
      "mtl_ofi_component.c:513\n  Error: Invalid argument (22)\n";
  const std::string complete =
      "n1:1:2 [0] NCCL INFO comm 0x1 rank 0 nranks 2 cudaDev 0 - Init COMPLETE\n";
  const std::string limit =
      "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-02T03:04:05 DUE TO TIME LIMIT "
      "***\n";
  EXPECT_EQ(first_in(failed + complete + limit), "slurm-time-limit");
  EXPECT_EQ(first_in(failed + limit), "mpi-system-call");
  EXPECT_EQ(first_in(complete + failed + limit), "mpi-system-call");
}

/// vllm-project/aibrix issue 927, gpustack/gpustack issue 5509, vllm-project/vllm issue 427,
/// sgl-project/sglang issue 3889.
TEST(NcclLogJobLaunchers, RayAndServers) {
  const std::string waits =
      "INFO 06-07 [ray_utils.py:464] Waiting for creating a placement group of specs for 150 "
      "seconds. specs=[{'GPU': 1.0}, {'GPU': 1.0}].\n";
  EXPECT_EQ(first_in(waits), "ray-resources");
  EXPECT_EQ(below(waits + "Total Usage:\n0.0/34.0 CPU\n0.0/1.0 GPU\n0.0/1.0 TPU\nx\n"),
            "ray status: 0.0 of 1.0 GPUs are used");
  EXPECT_EQ(first_in(waits + "n1:1:2 [0] NCCL INFO comm 0x1 rank 0 nranks 2 - Init COMPLETE\n"),
            "none");
  EXPECT_EQ(first_in("WARNING ray_utils.py:320] The number of required GPUs exceeds the total "
                     "number of available GPUs in the placement group."),
            "ray-resources");
  EXPECT_EQ(first_in("The actor is dead because its worker process has died. Worker exit type: "
                     "SYSTEM_ERROR\nUnhandled exception: St13runtime_error. what(): NCCL Error 5: "
                     "invalid usage\n"),
            "ray-call-failed");
  EXPECT_EQ(first_in("gcs_rpc_client.h:151: Failed to connect to GCS at address 10.0.0.1:6379 "
                     "within 5 seconds."),
            "ray-head");
  const std::string versions =
      "Version mismatch: The cluster was started with:\n    Ray: 2.8.0\n    Python: 3.10.8\nThis "
      "process on node 10.0.0.2 was started with:\n    Ray: 2.8.0\n    Python: 3.10.13\n";
  EXPECT_EQ(first_in("RuntimeError: " + versions), "ray-version");
  EXPECT_EQ(below("RuntimeError: " + versions + "\n"), "ray 2.8.0; python 3.10.8; python 3.10.13");
  EXPECT_EQ(first_in("WARNING utils.py:1591 -- Python patch " + versions), "none");
  const std::string died = "RuntimeError: Rank 0 scheduler died during initialization (exit code: ";
  EXPECT_EQ(first_in(died + "1)."), "python-server-failed");
  EXPECT_EQ(first_in(died + "-9)."), "killed");
  EXPECT_EQ(first_in(died + "-11)."), "crashed");
  const std::string server =
      "[2025-02-26 12:01:56 TP2] Scheduler hit an exception: Traceback (most recent call last):\n";
  EXPECT_EQ(first_in(server + "  File \"x.py\", line 1, in f\n"), "python-server-failed");
  EXPECT_EQ(first_in(server + "  File \"x.py\", line 1, in f\nValueError: wrong size\n"),
            "program-exception");
  EXPECT_EQ(first_in("(EngineCore_0 pid=9) ERROR [core.py:700] EngineCore failed to start."),
            "python-server-failed");
}

/// mlcommons/training_results_v4.1; kubeflow/trainer issue 2041; open-mmlab/mmpretrain issue 960.
TEST(NcclLogJobLaunchers, AddressesAndPortsOfTheMaster) {
  EXPECT_EQ(first_in("[W socket.cpp:601] [c10d] The IPv6 network addresses of (n[01,05], 53394) "
                     "cannot be retrieved (gai error: -2 - Name or service not known)."),
            "torch-name-list");
  EXPECT_EQ(
      first_in("[W socket.cpp:601] [c10d] The IPv6 network addresses of (n[01,05], 53394) "
               "cannot be retrieved (gai error: -2 - Name or service not known).\nslurmstepd: "
               "error: *** JOB 2 ON n01 CANCELLED AT 2024-07-10T15:46:57 ***"),
      "torch-name-list");
  EXPECT_EQ(first_in("[W socket.cpp:601] [c10d] The IPv6 network addresses of (n01, 53394) cannot "
                     "be retrieved (gai error: -2 - Name or service not known)."),
            "none");
  EXPECT_EQ(first_in("WARNING:x:The node 'w-1_17_0' has failed to shutdown the rendezvous 'none' "
                     "due to an error of type RendezvousConnectionError."),
            "torch-rendezvous-end");
  const std::string taken = "RuntimeError: Address already in use\n";
  EXPECT_EQ(first_in(taken), "torch-port");
  // Tried again with another port.
  EXPECT_EQ(first_in(taken + "n1:1:2 [0] NCCL INFO comm 0x1 rank 0 nranks 2 - Init COMPLETE\n"),
            "none");
  const std::string port = printed(
      Case("[W socket.cpp:401] [c10d] The server socket has failed to bind to [::]:22 (errno: 98 - "
           "Address already in use).\n"));
  EXPECT_NE(port.find("another rank or a second"), std::string::npos) << port;
  EXPECT_EQ(port.find("another rank that failed earlier"), std::string::npos) << port;
}

/// openucx/ucx issue 6264.
TEST(NcclLogJobLaunchers, MemoryKeysOfARdmaDevice) {
  for (const char* const line :
       {"[33058.2] infiniband mlx5_0: create_mkey_warn:158:(pid 0): async reg mr failed. status "
        "-121",
        "[33059.0] mlx5_core 0000:41:00.0: mlx5_cmd_out_err:800:(pid 2335): CREATE_MKEY(0x200) "
        "op_mod(0x0) failed, status limits exceeded(0x8), syndrome (0x18af6), err(-12)"})
    EXPECT_EQ(first_in(line), "rdma-memory-keys") << line;
}

/// srun --label numbers its tasks: of torchrun that is a node, and slurmstepd speaks of the step.
TEST(NcclLogJobLaunchers, ALabelOfALauncherIsNoRank) {
  EXPECT_EQ(rank_in_front("1: [rank9]: ValueError: x"), 9U);
  EXPECT_EQ(rank_in_front("1: ValueError: x"), 1U);
  EXPECT_EQ(rank_in_front("1: E0 1 torch/distributed/elastic/multiprocessing/api.py:869] failed "
                          "(exitcode: 1) local_rank: 2 (pid: 30) of binary: python"),
            std::nullopt);
  EXPECT_EQ(rank_in_front("0: slurmstepd: error: *** STEP 7.0 ON n1 CANCELLED AT 2026-01-01 ***"),
            std::nullopt);
}

}  // namespace
}  // namespace nettune::tools::nccl::log::job
