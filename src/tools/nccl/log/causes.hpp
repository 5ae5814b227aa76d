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

/// A text of the catalogue, and the facts of which each rules it out.
struct Suggestion {
  std::string text;
  std::vector<Fact> unless = {};
};

/// A kind of error that NCCL or its caller prints, out of catalog/nccl-causes.toml.
struct Cause {
  /// `cause`: it began there. `either`: it can have begun there, and follows as well when a peer
  /// died. `local`: no other rank makes it, but a program may catch it. `symptom`: it follows from
  /// something else, mostly on another rank. `echo`: it repeats that something failed, and not
  /// what. `end`: somebody ended the job, because of what was before or of nothing. `program`: an
  /// exception of the program, which counts where it came before all others. `note`: printed as a
  /// warning, and is none.
  enum class Role { cause, either, local, symptom, echo, end, program, note };
  /// NCCL as a warning; or PyTorch, a launcher, the scheduler or the kernel, in a line of its own.
  enum class By { nccl, job };
  std::string id;
  By by = By::nccl;
  /// Ways to say it: of one of them all texts stand in the message.
  std::vector<std::vector<std::string>> any;
  /// Only where this file of NCCL prints it ("nvls.cc"), or at the end of a "traceback"; "" for any
  /// place, or none that is known.
  std::string at;
  Role role = Role::cause;
  bool ends = false;  ///< a process ended so: a call that failed before, in the same file, is first
  /// It only keeps a job from starting: where ranks make a communicator after it, somebody tried
  /// again.
  bool starts = false;
  /// It follows from a process that ended, or from an exception, before it in its file.
  bool follows = false;
  bool late = false;  ///< said long after what it follows from: an exception in its file came first
  bool below = false;  ///< what is below it in its file says why
  bool fails = false;  ///< NCCL always gives up the call after it
  bool warns = false;  ///< of a program that may go on: it shows no failure
  std::string why;     ///< the likely reason, one or two sentences
  /// Possible ones, said behind `why`; none where that has them all.
  std::vector<Suggestion> reasons = {};
  std::vector<Suggestion> check;  ///< what to look at on the node
  std::string source;
};

/// Which cause fits what one of them says: the first in the order of the catalogue; kNone of
/// log.hpp for none. `place` is "transport/nvls.cc:157" where the line says it.
std::uint32_t find_cause(const std::vector<Cause>& causes, Cause::By by, std::string_view message,
                         std::string_view place = {});

/// The begin of a text that is longer than `longest`, up to a whole word, and " ..."; else all.
std::string begin_of(std::string_view text, std::size_t longest);

/// What is shown of a message: its begin, and at most `longest` letters. Where the texts that make
/// it one of `cause` stand behind that, what is around them follows "..."; nullptr for no cause.
std::string quote_of(std::string_view message, const Cause* cause, std::size_t longest);

}  // namespace nettune::tools::nccl::log
