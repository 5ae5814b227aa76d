// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nettune::tools::nccl::log {

/// What a log can show of a job, so that some reason of a cause, or something to check, is not it.
enum class Fact {
  one_process,      ///< all ranks are in one process
  one_version,      ///< all ranks say their version of NCCL, and it is the same
  one_network,      ///< all ranks say their network, and it is the same
  interface_found,  ///< all ranks say which interface they begin with ("Bootstrap : Using")
  set_up,           ///< all communicators of the process stood before the line ("Init COMPLETE")
  setting_up,       ///< the process shows its start, and no line that one of it ever stood
  amd,              ///< all versions are RCCL's, and there is one
  tests,            ///< nccl-tests ran, and no line shows another program
};

/// What else a log says of a cause, elsewhere than in its line.
enum class Also {
  nothing,
  driver,         ///< which CUDA the drivers support
  communicators,  ///< which ranks begin a communicator with another id
  asked_host,     ///< for which host PyTorch looked
  ucx,            ///< what UCX had said before
};

/// What a cause says of a rank, for the report on who waits for whom.
enum class Means {
  nothing,
  lost_rank,  ///< a rank was lost
  timeout,    ///< a collective did not finish in time
};

/// A pattern with named places ("srun: error: {node}: task {task}: "; {} is for what does not
/// matter), and how their values are told.
struct Shown {
  std::string pattern;
  std::string as;  ///< "task {task} on {node}"; "" for "node n1, task 3"
};

/// A text of the catalogue, and the facts of which each rules it out.
struct Suggestion {
  std::string text;
  std::vector<Fact> unless = {};
};

/// Lines that NCCL did not write are found by texts of at least so many letters: the longer they
/// are, the faster.
constexpr std::size_t kShortestMark = 9;

/// A kind of error that NCCL or its caller prints, out of catalog/nccl-causes.toml.
struct Cause {
  /// `origin`: it began there. `either`: it can have begun there, and follows as well when a peer
  /// died. `local`: no other rank makes it, but a program may catch it. `symptom`: it follows from
  /// something else, mostly on another rank. `echo`: it repeats that something failed, and not
  /// what. `end`: somebody ended the job, because of what was before or of nothing. `exception`: an
  /// exception of the program, which counts where it came before all others. `note`: printed as a
  /// warning, and is none.
  enum class Tier { origin, either, local, symptom, echo, end, exception, note };
  /// NCCL as a warning; or PyTorch, a launcher, the scheduler or the kernel, in a line of its own.
  enum class By { nccl, job };
  std::string id;
  By by = By::nccl;
  /// Ways to say it: the message has all texts of one of them. A way that NCCL does not print
  /// has a text of kShortestMark letters or more.
  std::vector<std::vector<std::string>> any;
  std::string recogniser = {};  ///< or what finds it, by its name; "" for none
  /// Only where this file of NCCL prints it ("nvls.cc"), or at the end of a "traceback"; "" for any
  /// place, or none that is known.
  std::string at;
  Tier tier = Tier::origin;
  bool ends = false;  ///< a process ended so: a call that failed before, in the same file, is first
  /// It only keeps a job from starting: where ranks make a communicator after it, somebody tried
  /// again.
  bool starts = false;
  /// It follows from a process that ended, or from an exception, before it in its file.
  bool follows = false;
  bool late = false;  ///< said long after what it follows from: an exception in its file came first
  bool no_reason = false;  ///< its line does not say why the call failed
  bool fails = false;      ///< NCCL always gives up the call after it
  bool warns = false;      ///< of a program that may go on: it shows no failure
  bool of_tests = false;   ///< nccl-tests, or the MPI that starts them, says it
  Also also = Also::nothing;
  Means means = Means::nothing;
  std::string why;  ///< the likely reason, one or two sentences
  /// Possible ones, said behind `why`; none where that has them all.
  std::vector<Suggestion> reasons = {};
  std::vector<Suggestion> check;  ///< what to look at on the node
  std::vector<Shown> shows = {};
  std::string source;
  std::string example = {};  ///< a log of one or a few lines, in which it is found
};

/// Which cause fits what one of them says: the first in the order of the catalogue; kNone of
/// log.hpp for none. `place` is "transport/nvls.cc:157" where the line says it.
std::uint32_t find_cause(const std::vector<Cause>& causes, Cause::By by, std::string_view message,
                         std::string_view place = {});

/// The one that has this recogniser; kNone of log.hpp for none.
std::uint32_t find_recognised(const std::vector<Cause>& causes, std::string_view recogniser);

/// What the line shows by the patterns of its cause: "task 3 on n1"; "" for nothing.
std::string shown_in(const Cause& cause, std::string_view line);

/// The begin of a text that is longer than `longest`, up to a whole word, and " ..."; else all.
std::string begin_of(std::string_view text, std::size_t longest);

/// What is shown of a message: its begin, and at most `longest` letters. Where the texts that make
/// it one of `cause` stand behind that, what is around them follows "..."; nullptr for no cause.
std::string quote_of(std::string_view message, const Cause* cause, std::size_t longest);

}  // namespace nettune::tools::nccl::log
