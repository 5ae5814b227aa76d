// SPDX-License-Identifier: Apache-2.0
//
// What Python says above and below an exception.

#include "base/text.hpp"
#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log::job {
namespace {

constexpr const char* kTraceback = "Traceback (most recent call last):\n";

/// A traceback of a script that calls into a package, each line with `front`.
std::string raised_by(const std::string& front, const std::string& exception,
                      const std::string& first = "") {
  return cat(
      first.empty() ? front : first, kTraceback, front,
      "  File \"/home/me/train.py\", line 7, in main\n", front, "    model(batch)\n", front,
      "  File \"/opt/env/lib/python3.10/site-packages/torch/nn/linear.py\", line 125, in forward\n",
      front, "    return F.linear(input)\n", front, "           ^^^^^^^^^^^^^^^\n", front,
      exception, "\n");
}

bool shows_words(const std::string& text, const std::string& part) {
  const std::string shown = printed(Case(text));
  std::string all;
  for (const std::string_view word : words(shown)) all += cat(word, " ");
  return all.find(part) != std::string::npos;
}

TEST(NcclLogJobTraceback, WhereItWasRaised) {
  const std::string said =
      "raised in forward() at /opt/env/lib/python3.10/site-packages/torch/nn/linear.py:125, called "
      "from main() at /home/me/train.py:7";
  // srun pads its labels.
  for (const char* const front : {"", "[rank3]: ", "(Worker pid=77) ", " 3: [rank3]: ", "  3: "}) {
    EXPECT_TRUE(shows_words("x\n" + raised_by(front, "ValueError: x") + "end\n", said)) << front;
    EXPECT_TRUE(shows_words("x\n" + raised_by(front, "ValueError: x"), said))
        << front << " at the end of the file";
  }
  // The frames of another rank between them are not its own.
  const std::string mixed =
      cat("[rank0]: ", kTraceback, raised_by("[rank1]: ", "KeyError: 'y'"),
          "[rank0]:   File \"a.py\", line 1, in f\n[rank0]:     g()\n[rank0]: ValueError: x\n");
  EXPECT_TRUE(shows_words(mixed, said)) << printed(Case(mixed));
  EXPECT_FALSE(shows_words(mixed, "a.py"));
  // A line of the program is no frame, and a SyntaxError is where its own line says.
  EXPECT_TRUE(
      shows_words(cat(kTraceback, "  File \"a.py\", line 3, in f\n",
                      "    check('File \"cfg.yaml\", line 3, in parse')\n", "ValueError: x\n"),
                  "raised in f() at a.py:3"));
  EXPECT_TRUE(shows_words(
      cat(kTraceback, "  File \"a.py\", line 3, in f\n    import b\n",
          "  File \"b.py\", line 12\n    x = = 1\n        ^\n", "SyntaxError: invalid syntax\n"),
      "raised in b.py:12"));
  EXPECT_FALSE(
      shows_words(cat("Traceback (most recent call last):", kTraceback,
                      "  File \"a.py\", line 1, in f\n    g()\n  File \"b.py\", line 2, in h\n",
                      "KeyError: 'y'\n"),
                  "raised in"));
  EXPECT_FALSE(shows_words(
      cat(kTraceback, "  File \"a.py\", line 3, in f\n  [Previous line repeated 985 more times]\n",
          "RecursionError: x\n"),
      "Previous line"));
  // Where nothing tells them apart, no frame is anybody's.
  const std::string open = cat(kTraceback, kTraceback, "  File \"a.py\", line 1, in f\n    g()\n",
                               "  File \"b.py\", line 2, in h\n", "ValueError: x\nKeyError: 'y'\n");
  EXPECT_EQ(Case(open).first(), "program-exception");
  EXPECT_FALSE(shows_words(open, "raised in"));
}

/// vLLM logs what it could not import, and goes on without it.
TEST(NcclLogJobTraceback, WhatALoggerOnlyWarnsOf) {
  const std::string warned =
      raised_by("(EngineCore pid=9) WARNING 06-11 01:28:03 [import_utils.py:408] ",
                "ImportError: cannot import name '_C'");
  EXPECT_EQ(Case(warned).first(), "none");
  EXPECT_EQ(Case(warned).verdict.notes.size(), 1U);
  // Not a level of its own, and what a launcher passes on.
  for (const char* const front : {"2024-01-02 10:00:01 INFO [stderr] ", "(RayWARNING_S pid=3) ",
                                  "2024-01-02 WARNING [stderr] "})
    EXPECT_EQ(Case(raised_by(front, "IndexError: list index out of range")).first(),
              "program-exception")
        << front;
  const Case both(warned + raised_by("(EngineCore pid=9) ERROR 06-11 01:28:58 [core.py:1199] ",
                                     "RuntimeError: Unsupported max_mma_kv: 0"));
  ASSERT_EQ(both.first(), "program-exception");
  EXPECT_NE(both.log.events[*both.verdict.first].text.find("max_mma_kv"), std::string::npos);
}

/// Below torchrun's own traceback the first line of a rank's is indented.
/// A job of two ranks that both destroy their communicator.
std::string good_job(const std::string& between, const std::string& behind = "") {
  std::string text;
  for (const char* const last : {"Init COMPLETE", "", "Destroy COMPLETE"}) {
    if (*last == '\0') text += between;
    for (int rank = 0; rank < 2 && *last != '\0'; ++rank)
      text +=
          cat("n1:7", rank, ":9 [0] NCCL INFO comm 0x1", rank, " rank ", rank,
              " nranks 2 cudaDev 0 busId 60 ", last[0] == 'I' ? "commId 0x5 - " : "- ", last, "\n");
  }
  return text + behind;
}

/// Python's default format has the level on the line above.
TEST(NcclLogJobTraceback, WhatALoggerWarnsOfOnTheLineAbove) {
  const std::string warned =
      cat("2026-11-26 14:31:04,235 - data - WARNING - no cache, building it\n",
          raised_by("", "FileNotFoundError: /data/index.json"));
  const Case one(good_job(warned));
  EXPECT_EQ(one.first(), "none");
  EXPECT_EQ(one.verdict.notes.size(), 1U);
  EXPECT_EQ(Case(good_job("WARNING:data:no cache\n" + raised_by("", "OSError: x"))).first(),
            "none");
  for (const char* const other : {"WARNING: OMP_NUM_THREADS is not set\n", "[WARNING] slow\n"})
    EXPECT_EQ(Case(good_job(other + raised_by("", "ValueError: x"))).first(), "program-exception");
  EXPECT_EQ(Case(good_job(warned, "run.sh: line 1: 7 Killed                  python x\n")).first(),
            "program-exception");
  // Only the good end of all ranks tells that from a warning that happens to stand there.
  EXPECT_EQ(Case(warned).first(), "program-exception");
  EXPECT_EQ(Case(good_job(raised_by("", "FileNotFoundError: x"))).first(), "program-exception");
  EXPECT_EQ(Case(good_job("", warned)).first(), "program-exception");
  EXPECT_EQ(
      Case(good_job(warned, "[E] failed (exitcode: 1) local_rank: 0 (pid: 70) of binary: x\n"))
          .first(),
      "program-exception");
  EXPECT_EQ(Case(good_job(warned + raised_by("", "FileNotFoundError: /data/index.json"))).first(),
            "program-exception");
}

/// torch/_utils.py, ExceptionWrapper: the exception of a process or a thread is below.
TEST(NcclLogJobTraceback, WhatPyTorchPassesOnOfAWorker) {
  for (const char* const front : {"", "[rank2]: "}) {
    const std::string text =
        raised_by(front, "ValueError: Caught ValueError in DataLoader worker process 0.") +
        raised_by(front, "ValueError: Unknown modality: caption", cat(front, "Original "));
    const Case one(text + "end\n");
    ASSERT_TRUE(one.verdict.first) << text;
    EXPECT_EQ(one.log.events[*one.verdict.first].text, "ValueError: Unknown modality: caption")
        << text;
    EXPECT_EQ(one.log.events.size(), 1U) << text;
    EXPECT_TRUE(shows_words(text + "end\n", "called from main() at /home/me/train.py:7")) << text;
  }
}

/// Where the original one is cut, or says only that a connection broke, what was passed on stays.
TEST(NcclLogJobTraceback, WhatPyTorchPassesOnAlone) {
  const std::string front = "[rank2]: ";
  const std::string text =
      raised_by(front, "OSError: Caught OSError in DataLoader worker process 0.");
  for (const std::string& behind :
       {std::string(), raised_by(front, "ConnectionResetError: x", "[rank2]: Original "),
        raised_by("[rank3]: ", "ValueError: y", "[rank3]: Original ")}) {
    const Case one(text + behind);
    ASSERT_TRUE(one.verdict.first) << behind;
    EXPECT_EQ(one.log.events[*one.verdict.first].text,
              "OSError: Caught OSError in DataLoader worker process 0.");
  }
}

/// torch/distributed/checkpoint/api.py, CheckpointException.__str__().
TEST(NcclLogJobTraceback, WhatACheckpointExceptionPassesOn) {
  for (const char* const front : {"", "[rank2]: "}) {
    std::string text = raised_by(front,
                                 "torch.distributed.checkpoint.api.CheckpointException: "
                                 "CheckpointException ranks:dict_keys([0, 1])");
    for (const char* const rank : {"0", "1"}) {
      std::string one = raised_by(front, "RuntimeError: Missing key in checkpoint state_dict: x");
      const std::string begin = "Traceback (most recent call last):";
      one.insert(one.find(begin) + begin.size(), cat(" (RANK ", rank, ")"));
      text += one;
    }
    const Case one(text + "end\n");
    ASSERT_TRUE(one.verdict.first) << text;
    EXPECT_EQ(one.log.events[*one.verdict.first].text,
              "RuntimeError: Missing key in checkpoint state_dict: x")
        << text;
    EXPECT_TRUE(shows_words(text + "end\n", "reported by a CheckpointException for ranks 0, 1"));
  }
  // What the catalogue has without a traceback, too.
  std::string memory = raised_by("", "RuntimeError: CUDA error: out of memory");
  memory.insert(memory.find(":\n") + 1, " (RANK 1)");
  const Case full(raised_by("",
                            "torch.distributed.checkpoint.api.CheckpointException: "
                            "CheckpointException ranks:dict_keys([1])") +
                  memory + "end\n");
  EXPECT_EQ(full.first(), "program-gpu-memory");
  EXPECT_EQ(full.verdict.events.size(), 1U);
}

TEST(NcclLogJobTraceback, ABeginBehindAProgressBar) {
  for (const char* const before :
       {"Train:   7%|| 4/58 [00:31<06:35]", "  7%|| 4/58 [00:31<06:35]  ",
        "Epoch 0   0% 0/67,878  [ 0:00:50 < -:--:-- , ? it/s ]"}) {
    const std::string text =
        "[rank0]: x\n" + raised_by("[rank2]: ", "ValueError: x", cat(before, "[rank2]: "));
    const Case one(text + "end\n");
    ASSERT_EQ(one.first(), "program-exception") << text;
    EXPECT_EQ(one.log.events[*one.verdict.first].rank, 2U);
    EXPECT_TRUE(shows_words(text + "end\n", "called from main() at")) << text;
  }
}

TEST(NcclLogJobTraceback, DataThatEnded) {
  const Case one("37: begin\n" + raised_by("36: [rank36]: ", "StopIteration") + "37: next\n");
  EXPECT_EQ(one.first(), "program-data-ended");
  EXPECT_EQ(one.log.events[*one.verdict.first].rank, 36U);
}

TEST(NcclLogJobTraceback, AGoodEndBelowTheFirstErrorIsSaid) {
  const std::string exception = raised_by("", "RuntimeError: in a child");
  const std::string said = "(Destroy COMPLETE), below the first error in the log";
  EXPECT_TRUE(shows_words(good_job(exception), said));
  EXPECT_FALSE(shows_words(good_job("", exception), said));
}

TEST(NcclLogJobTraceback, WhoElseReportsIt) {
  const auto raised = [](const char* rank, const char* text) {
    return raised_by(cat("[rank", rank, "]: "), text);
  };
  EXPECT_TRUE(shows_words(raised("0", "ValueError: x") + raised("1", "ValueError: x"),
                          "rank 1 reports the same exception"));
  EXPECT_FALSE(shows_words(raised("0", "ValueError: x") + raised("1", "ValueError: y"),
                           "the same exception"));
}

/// Of memory and of SIGINT the place is known as well; of CUDA's errors it is where they came up.
TEST(NcclLogJobTraceback, WhereOtherErrorsWereRaised) {
  const auto shown = [](const char* text) {
    return shows_words(raised_by("[rank1]: ", text), "raised in forward() at");
  };
  EXPECT_TRUE(shown("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 300.00 GiB."));
  EXPECT_TRUE(shown("KeyboardInterrupt"));
  EXPECT_FALSE(shown("RuntimeError: CUDA error: an illegal memory access was encountered"));
}

/// vLLM prints the traceback at once, and NCCL's lines may wait in a buffer until the end.
TEST(NcclLogJobTraceback, BelowWhatAServerSaysNobodyCaughtIt) {
  const std::string front = "(VllmWorker rank=1 pid=71) ERROR 07-09 00:57:28 [executor.py:487] ";
  const std::string raised = raised_by(front, "RuntimeError: sizes differ");
  const std::string complete =
      "n1:71:9 [0] NCCL INFO comm 0x1 rank 1 nranks 2 cudaDev 0 commId 0x5 - Init COMPLETE\n";
  EXPECT_EQ(Case(front + "WorkerProc failed to start.\n" + raised + complete).first(),
            "program-exception");
  EXPECT_EQ(Case(raised + complete).first(), "none");
}

/// vllm-project/vllm vllm/v1/executor/multiproc_executor.py; the worker's own log may be elsewhere.
TEST(NcclLogJobTraceback, WhatVllmPassesOnOfAWorker) {
  const std::string passed_on = raised_by(
      "(EngineCore pid=7001) ",
      "RuntimeError: Worker failed with error 'The buffer size is insufficient.', please check the "
      "stack trace above for the root cause");
  const std::string server = raised_by("(APIServer pid=6602) ",
                                       "RuntimeError: Engine core initialization failed. See root "
                                       "cause above. Failed core proc(s): {}");
  const Case one("x\n" + passed_on + server);
  ASSERT_EQ(one.first(), "program-exception");
  EXPECT_EQ(one.log.events[*one.verdict.first].line, 8U);
  // It is there.
  const Case both("x\n" + raised_by("(Worker pid=8) ", "ValueError: buffer") + passed_on + server);
  EXPECT_EQ(both.log.events[*both.verdict.first].line, 8U);
  EXPECT_TRUE(both.log.events[*both.verdict.first].text.starts_with("ValueError"));
}

/// vllm-project/vllm's workers send in threads.
TEST(NcclLogJobTraceback, AThreadThatEnded) {
  const std::string front = "(Worker_TP2 pid=48) ";
  const std::string above = front + "Exception in thread Thread-3 (send_async):\n";
  const std::string raised = raised_by(front, "AttributeError: no shape");
  const std::string detail = "it ended the thread Thread-3 (send_async) alone";
  EXPECT_TRUE(shows_words(above + raised, detail));
  EXPECT_FALSE(shows_words(above + front + "more\n" + raised, detail));
  EXPECT_FALSE(shows_words("Exception in thread Thread-3 (send_async):\n" + raised, detail));
  // The traceback below it is another one.
  EXPECT_FALSE(shows_words(above + raised_by(front, "ChildFailedError: x") + raised, detail));
  // Of the first traceback the begin is missing.
  const std::string cut = raised_by("(Worker_TP7 pid=49) ", "AttributeError: no shape")
                              .substr(cat("(Worker_TP7 pid=49) ", kTraceback).size());
  const Case both("x\n" + cut + above + raised);
  ASSERT_EQ(both.first(), "program-exception");
  EXPECT_EQ(both.log.events[*both.verdict.first].line, 7U);
  EXPECT_EQ(both.log.events[*both.verdict.first].count, 2U);
  EXPECT_EQ(both.log.events[*both.verdict.first].who, "Worker_TP7 pid=49");
  // Somebody caught the first one: ranks made a communicator behind it.
  const std::string complete =
      "n1:48:9 [0] NCCL INFO comm 0x1 rank 0 nranks 2 cudaDev 0 commId 0x5 - Init COMPLETE\n";
  const Case last("x\n" + cut + complete + above + raised);
  ASSERT_EQ(last.first(), "program-exception");
  EXPECT_EQ(last.log.events[*last.verdict.first].who, "Worker_TP2 pid=48");
  EXPECT_NE(last.log.events[*last.verdict.first].raised, "");
  EXPECT_EQ(last.log.events[*last.verdict.first].thread, "Thread-3 (send_async)");
  // The one that is shown is not of a thread.
  EXPECT_EQ(both.log.events[*both.verdict.first].thread, "");
  const Case main(above + raised + complete + raised);
  EXPECT_EQ(main.log.events[*main.verdict.first].thread, "");
}

/// The script starts the program again. That its ranks make a communicator shows no exception of
/// the first run to be caught: a launcher said that a process of that had ended.
TEST(NcclLogJobTraceback, AnExceptionOfARunBefore) {
  const std::string raised = raised_by("", "TypeError: sample() takes 2 arguments");
  const std::string ended =
      "[2026-07-29 17:27:54,798] torch.distributed.elastic.multiprocessing.api: [ERROR] failed "
      "(exitcode: 1) local_rank: 0 (pid: 71505) of binary: /usr/bin/python\n";
  const auto complete = [](int pid) {
    return cat("n1:", pid, ":9 [0] NCCL INFO comm 0x1 rank 0 nranks 1 cudaDev 0 commId 0x", pid,
               " - Init COMPLETE\n");
  };
  const Case again(complete(70) + raised + raised + ended + complete(80) + raised + ended +
                   complete(90));
  ASSERT_EQ(again.first(), "program-exception");
  EXPECT_EQ(again.log.events[*again.verdict.first].line, 8U);
  // The last run failed of something else; or only a request for a step did.
  const std::string closed =
      "n1:90:9 [0] x.cc:1 NCCL WARN socketProgress: Connection closed by remote peer n2<42>\n";
  EXPECT_EQ(Case(raised + ended + complete(90) + closed).first(), "peer-closed");
  EXPECT_EQ(
      Case(raised + "srun: error: ioctl(TIOCGWINSZ): not a terminal\n" + complete(90)).first(),
      "none");
  EXPECT_EQ(
      Case(raised + "srun: error: n1: task 0: Exited with exit code 1\n" + complete(90)).first(),
      "program-exception");
  // That the same was caught in the next run changes nothing of that.
  EXPECT_EQ(Case(raised + ended + complete(80) + raised + complete(90)).first(),
            "program-exception");
  // Caught in the first run, which then ended for another reason.
  EXPECT_EQ(Case(raised + complete(70) + ended + complete(80)).first(), "rank-failed");
}

TEST(NcclLogJobTraceback, AnIndentedBegin) {
  const std::string text = cat(
      kTraceback,
      "  File \"/opt/env/lib/python3.10/site-packages/torch/distributed/run.py\", line 994, in "
      "<module>\n",
      "    main()\n", raised_by("[rank7]: ", "FileNotFoundError: no checkpoint", "  [rank7]: "));
  const Case one(text);
  ASSERT_EQ(one.first(), "program-exception");
  EXPECT_EQ(one.log.events[*one.verdict.first].rank, 7U);
}

/// The watchdog's monitor ends a process minutes after the exception: what the rank itself printed
/// came before that, wherever it stands.
TEST(NcclLogJobTraceback, AnExceptionBeatsAWatchdogThatIsStuck) {
  std::string stuck;
  for (int rank = 0; rank < 3; ++rank)
    stuck += cat("[rank", rank,
                 "]:[F919 07:00:13.4 ProcessGroupNCCL.cpp:1653] [PG ID 0 PG GUID 0 Rank ", rank,
                 "] Terminating the process after attempting to dump debug info, due to "
                 "ProcessGroupNCCL watchdog hang.\n");
  const std::string end =
      "E0919 07:00:20.9 2643 torch/distributed/elastic/multiprocessing/api.py:986] failed "
      "(exitcode: -6) local_rank: 0 (pid: 2764) of binary: python\n";
  const std::string exception = raised_by("[rank2]: ", "FileNotFoundError: no checkpoint");
  EXPECT_EQ(Case(stuck + end + exception).first(), "program-exception");
  EXPECT_EQ(Case(exception + stuck + end).first(), "program-exception");
  EXPECT_EQ(Case(stuck + end).first(), "watchdog-stuck");
  // An exception of nobody known, after the abort, is of the end.
  EXPECT_EQ(Case(stuck + end + raised_by("", "ValueError: I/O operation on closed file")).first(),
            "watchdog-stuck");
  const Case two(stuck + end + exception + raised_by("[rank1]: ", "ValueError: closed file"));
  ASSERT_TRUE(two.verdict.first);
  EXPECT_EQ(two.log.events[*two.verdict.first].rank, 2U);
  // What others lose after that follows from it.
  EXPECT_EQ(
      Case(stuck + "n2:9:11 [1] misc/socket.cc:49 NCCL WARN socketProgress: Connection closed by "
                   "remote peer n1<34483>\n")
          .first(),
      "watchdog-stuck");
  // A time-out of a collective is what it was stuck in.
  const std::string late =
      "[rank1]:[E919 06:50:00.1 ProcessGroupNCCL.cpp:632] [Rank 1] Watchdog caught collective "
      "operation timeout: WorkNCCL(SeqNum=9, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, "
      "Timeout(ms)=600000) ran for 600001 milliseconds before timing out.\n";
  EXPECT_EQ(Case(stuck + late).first(), "watchdog");
}

TEST(NcclLogJobTraceback, SymbolsAndMemory) {
  const std::string symbol =
      "ImportError: /x/fused_adam_op.so: undefined symbol: _ZN3c106detail4FailE";
  EXPECT_EQ(Case(raised_by("[rank2]: ", symbol)).first(), "program-symbol");
  EXPECT_EQ(Case(raised_by("",
                           "ImportError: /x/libcusparse.so.12: undefined symbol: "
                           "__nvJitLinkAddData_12_1, version libnvJitLink.so.12"))
                .first(),
            "program-cuda-symbol");
  const auto memory = [](const std::string& wanted) {
    return cat("[rank2]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate ", wanted,
               ". GPU 2 has a total capacity of 79.14 GiB of which 37.02 GiB is free.\n");
  };
  const std::string said = "it asked for more than the whole GPU has";
  EXPECT_TRUE(shows_words(memory("184.13 GiB"), said));
  for (const char* const other : {"20.00 GiB", "512.00 MiB", "x GiB"})
    EXPECT_FALSE(shows_words(memory(other), said));
  const auto held = [](const char* free, const char* own) {
    return cat(
        "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. "
        "GPU 3 has a total capacity of 79.18 GiB of which ",
        free, " is free. Including non-PyTorch memory, this process has ", own,
        " memory in use.\n");
  };
  EXPECT_TRUE(shows_words(held("16.88 MiB", "48.46 GiB"),
                          "about 30.7 GiB of this GPU are held by others than this process"));
  EXPECT_TRUE(shows_words(held("1.40 GiB", "77.77 GiB"),
                          "this process itself holds nearly all of this GPU"));
  for (const std::string& other :
       {held("30.00 GiB", "48.46 GiB"), held("16.88 MiB", "17179869184.00 GiB"),
        held("many bytes", "48.46 GiB"), held("-1.00 GiB", "48.46 GiB")}) {
    EXPECT_FALSE(shows_words(other, "of this GPU are held")) << other;
    EXPECT_FALSE(shows_words(other, "this process itself holds")) << other;
  }
  // nvidia-smi and expandable segments are no help with AMD.
  const std::string hip =
      "[rank1]: torch.OutOfMemoryError: HIP out of memory. Tried to allocate 12.55 GiB.\n";
  EXPECT_EQ(Case(hip).first(), "program-gpu-memory-hip");
  EXPECT_TRUE(shows_words(hip, "rocm-smi"));
  EXPECT_FALSE(shows_words(hip, "nvidia-smi"));
}

/// A text that ends with a colon goes on below: NVIDIA DALI's do.
TEST(NcclLogJobTraceback, AnExceptionThatGoesOnBelow) {
  for (const char* const front : {"", "[rank2]: "}) {
    const auto line = [&](const char* text) { return cat(front, text, "\n"); };
    const std::string head = raised_by(front, "RuntimeError: Critical error in pipeline:");
    const std::string text = head + "[rank7]: other\n" +
                             line("Error in the operator readers__TFRecord:") +
                             line("[/opt/dali/loader.h:105] Failed to open file /dev/shm/x.idx") +
                             line("Stacktrace:") + "end\n";
    const Case one(text);
    ASSERT_TRUE(one.verdict.first);
    const std::string& said = one.log.events[*one.verdict.first].text;
    EXPECT_TRUE(
        said.ends_with("pipeline: Error in the operator readers__TFRecord: "
                       "[/opt/dali/loader.h:105] Failed to open file /dev/shm/x.idx"))
        << said;
    EXPECT_EQ(said.find("Stacktrace"), std::string::npos) << said;
    const Case alone(head + kTraceback);
    EXPECT_TRUE(alone.log.events[*alone.verdict.first].text.ends_with("pipeline:"));
  }
}

/// torch/csrc/jit: the exception of the interpreter stands above what failed.
TEST(NcclLogJobTraceback, WhatTorchScriptPassesOn) {
  const Case one(
      raised_by("",
                "RuntimeError: The following operation failed in the TorchScript "
                "interpreter.") +
      "Traceback of TorchScript (most recent call last):\n  File \"m.py\", line 35, in f\n"
      "    x = a + b\n        ~~~~~ <--- HERE\nRuntimeError: CUDA out of memory. Tried to "
      "allocate 40.00 MiB\nend\n");
  EXPECT_EQ(one.first(), "program-gpu-memory");
  EXPECT_EQ(one.verdict.events.size(), 1U);
}

/// Exceptions that C code makes begin with a small letter.
TEST(NcclLogJobTraceback, ExceptionsOfModulesInC) {
  const std::string end = "socket.gaierror: [Errno -2] Name or service not known";
  const Case one(raised_by("", end) + "end\n");
  EXPECT_EQ(one.first(), "program-exception");
  EXPECT_EQ(one.log.events[0].text, end);
  EXPECT_EQ(Case(raised_by("", "error: text") + "end\n").first(), "none");
}

/// vLLM puts the label of the parent in front of that of a worker.
TEST(NcclLogJobTraceback, WorkersBehindTheLabelOfTheirParent) {
  const auto front = [](int worker) {
    return cat("(EngineCore_DP0 pid=7) (Worker_TP", worker, " pid=", 10 + worker, ") ERROR ");
  };
  const std::string frame = "  File \"a.py\", line 1, in f\n";
  std::string text;
  for (const char* const part :
       {"Traceback (most recent call last):\n", frame.c_str(), "    g()\n"})
    for (const int worker : {0, 1}) text += front(worker) + part;
  const Case one(text + front(0) + "ValueError: x\n" + front(1) + "KeyError: 'y'\n" + "end\n");
  ASSERT_EQ(one.first(), "program-exception");
  EXPECT_EQ(one.log.events[*one.verdict.first].who, "Worker_TP0 pid=10");
  EXPECT_TRUE(one.log.events[*one.verdict.first].raised.starts_with("raised in f() at a.py:1"));
  EXPECT_EQ(one.verdict.events.size(), 2U);
}

/// torch.multiprocessing.spawn() of PyTorch 1.0 passes the traceback of a process on.
TEST(NcclLogJobTraceback, WhatSpawnPassesOn) {
  const std::string head = "Exception:\n\n-- Process 6 terminated with the following error:\n";
  const std::string error =
      "RuntimeError: NCCL error in: /x/torch/lib/c10d/NCCLUtils.hpp:39, invalid argument";
  EXPECT_EQ(Case(head + raised_by("", error)).first(), "nccl-invalid-usage");
  EXPECT_EQ(Case(head).first(), "spawned-process-failed");
  // What stands above it, or much further down, is not what it passes on.
  EXPECT_EQ(Case(error + "\n" + std::string(400, '\n') + head).first(), "nccl-invalid-usage");
  EXPECT_EQ(Case(head + std::string(400, '\n') + error + "\n").first(), "spawned-process-failed");
  EXPECT_EQ(Case(head + "n2:9:11 [0] NCCL INFO init.cc:49 -> 6\n").first(),
            "spawned-process-failed");
}

}  // namespace
}  // namespace nettune::tools::nccl::log::job
