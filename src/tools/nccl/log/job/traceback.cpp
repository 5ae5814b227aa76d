// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/job/traceback.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "tools/nccl/log/job/frames.hpp"
#include "tools/nccl/log/lines.hpp"
#include "tools/nccl/log/voice.hpp"

namespace nettune::tools::nccl::log::job {

namespace {

constexpr std::string_view kBeginOfTraceback = "Traceback (most recent call last)";
constexpr std::string_view kOriginal = "Original ";
constexpr std::size_t kMostTracebacks = 64;
constexpr unsigned kMostBetween = 4096;  ///< lines of all ranks, until nobody waits any more

/// Those of launchers, and of who talked to a process that ended: they say that another one failed.
bool is_of_a_bystander(std::string_view name) {
  static constexpr std::string_view kNames[] = {
      "ChildFailedError", "CalledProcessError", "SignalException", "ProcessRaisedException",
      "ProcessExitedException", "DistBackendError", "DistNetworkError", "DistStoreError",
      "BrokenPipeError", "ConnectionResetError", "ConnectionAbortedError", "ConnectionRefusedError",
      "ActorDiedError", "RayActorError", "RayTaskError", "EOFError", "RemoteDisconnectedError",
      "IncompleteReadError", "CancelledError",
      // What ends a program, and no error.
      "KeyboardInterrupt", "SystemExit"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

/// What ends a traceback: "torch.cuda.SomeError: text", or without a text.
struct Exception {
  std::string_view name;  ///< "SomeError"; "" for a line that is none
  std::string_view rest;  ///< ": text"
};

Exception exception_of(std::string_view line) {
  const auto end =
      line.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
  const std::string_view path = line.substr(0, end);
  const std::string_view rest = end == line.npos ? std::string_view() : line.substr(end);
  if (!rest.empty() && rest.front() != ':' && !trim(rest).empty()) return {};
  const std::string_view name = path.substr(path.rfind('.') + 1);
  // "torch._dynamo.exc.BackendCompilerFailed", "subprocess.TimeoutExpired"
  const bool may_be_one = !rest.empty() && path.size() > name.size() &&
                          (name.ends_with("Failed") || name.ends_with("Expired"));
  // "socket.gaierror", "struct.error"
  const bool is_of_c = !rest.empty() && path.size() > name.size() && name.ends_with("error");
  if (!name.ends_with("Error") && !name.ends_with("Exception") && !may_be_one && !is_of_c &&
      name != "StopIteration" && !is_of_a_bystander(name))
    return {};
  return {name, rest};
}

/// It is not one of a launcher, nor of who talked to a process that ended.
bool says_what_failed(const Exception& exception) {
  if (exception.name.empty() || is_of_a_bystander(exception.name)) return false;
  // torch.multiprocessing.spawn() puts what failed on the lines behind a bare "Exception: ".
  const bool says_something = exception.name != "Exception" || exception.rest.size() > 2;
  // TorchScript puts what failed below.
  if (exception.rest.find("failed in the TorchScript interpreter") != exception.rest.npos)
    return false;
  // vLLM: "Engine core initialization failed. See root cause above.", but not "Worker failed with
  // error '...', please check the stack trace above for the root cause".
  return says_something && (exception.rest.find("root cause") == exception.rest.npos ||
                            exception.rest.find("failed with error '") != exception.rest.npos);
}

/// "ValueError: Caught ValueError in DataLoader worker process 0.": PyTorch passes on what a
/// process or a thread raised, with its "Original Traceback" below (torch/_utils.py,
/// ExceptionWrapper). "CheckpointException ranks:dict_keys([0, 1])": what ranks raised stands
/// below, a traceback for each (torch/distributed/checkpoint/api.py).
bool is_passed_on(std::string_view exception) {
  if (exception.find(": CheckpointException ranks:") != exception.npos) return true;
  const auto at = exception.find(": Caught ");
  return at != exception.npos &&
         (exception.find(" in DataLoader worker process ", at) != exception.npos ||
          exception.find(" in replica ", at) != exception.npos ||
          exception.find(" in pin memory thread ", at) != exception.npos);
}

/// "Exception ignored in: <function Pool.__del__>", "Exception ignored while ..." of 3.14: what
/// is in the traceback below did not end the process (PyErr_WriteUnraisable of CPython's
/// Python/errors.c).
bool is_of_ignored(std::string_view line) {
  return line.find("Exception ignored in") != line.npos ||
         line.find("Exception ignored while") != line.npos;
}

/// These lines end in the frames of a traceback that Python ignored.
bool ends_in_ignored(std::string_view lines) {
  const auto begin = lines.rfind(kBeginOfTraceback);
  if (begin == lines.npos) return false;
  for (auto end = lines.find('\n', begin); end + 1 < lines.size(); end = lines.find('\n', end + 1))
    if (lines[end + 1] != ' ') return false;
  const auto newline = lines.rfind('\n', begin);
  return newline != lines.npos && is_of_ignored(last_line(lines.substr(0, newline + 1)));
}

/// Blanks at the begin of a line in front of a label; those of a label alone belong to it.
std::size_t blanks_before(std::string_view line, std::size_t end) {
  const auto first = line.find_first_not_of(' ');
  return first < end ? first : 0;
}

/// The line without the front that its begin had. That is kept without the blanks of a label, which
/// srun pads (" 1: [rank1]: ").
std::string_view behind_front(std::string_view line, std::string_view front) {
  const std::string_view text = without_front(line, front);
  if (front.empty() || text.size() != line.size() || !line.starts_with(' ')) return text;
  const auto first = std::min(line.find_first_not_of(' '), line.size());
  const std::string_view behind = without_front(line.substr(first), front);
  return behind.size() + first == line.size() ? line : behind;
}

/// "[rank2]: " of "Train:  7%|  | 4/58 [00:31<06:35][rank2]: " (tqdm) and of "[ 0:00:50 , ? it/s
/// ][rank2]: " (rich): a progress bar has no newline behind it. Otherwise all of it.
std::string_view behind_progress_bar(std::string_view front) {
  const auto rank = front.rfind("[rank");
  if (rank == front.npos) return front;
  const std::string_view bar = front.substr(0, rank);
  const bool is_bar = bar.find("%|") != bar.npos || bar.find("it/s") != bar.npos;
  return is_bar ? front.substr(rank) : front;
}

/// A logger says in front of a traceback that the program goes on, and does not only pass on what
/// a process printed.
bool is_logged(std::string_view front) {
  constexpr std::string_view kLevel = "WARNING";
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
  if (front.find("stderr") != front.npos || front.find("stdout") != front.npos) return false;
  const auto at = front.find(kLevel);
  if (at == front.npos) return false;
  const auto is_letter = [&](std::size_t index) {
    return index < front.size() && kLetters.find(front[index]) != kLetters.npos;
  };
  return !is_letter(at + kLevel.size()) && (at == 0 || !is_letter(at - 1));
}

/// Python's own formats have the level of a record in front of the line above the traceback:
/// "2026-11-26 14:31:04,235 - data - WARNING - text" and "WARNING:data:text".
bool is_record(std::string_view line) {
  if (line.find(" - WARNING - ") != line.npos) return true;
  constexpr std::string_view kLevel = "WARNING:";
  if (!line.starts_with(kLevel)) return false;
  const auto end = line.find_first_of(": ", kLevel.size());
  return end != line.npos && end != kLevel.size() && line[end] == ':';
}

/// "Thread-3 (send_async)" of "Exception in thread Thread-3 (send_async):", which Python prints
/// above the traceback (threading.excepthook of CPython); "" for another line.
std::string_view thread_in(std::string_view line) {
  constexpr std::string_view kThread = "Exception in thread ";
  constexpr std::size_t kLongest = 80;
  if (!line.starts_with(kThread)) return {};
  line.remove_prefix(kThread.size());
  line = trim(line);
  return line.ends_with(':') ? line.substr(0, std::min(line.size() - 1, kLongest))
                             : std::string_view();
}

/// `  File "train.py", line 7, in main` as "main() at train.py:7", without the function where the
/// line has none (SyntaxError); "" for no such line.
std::string frame_in(std::string_view line) {
  constexpr std::string_view kFile = "  File \"";
  constexpr std::string_view kLine = "\", line ";
  constexpr std::string_view kIn = ", in ";
  constexpr std::size_t kLongest = 300;
  if (!line.starts_with(kFile)) return {};
  const auto number = line.find(kLine);
  if (number > kLongest) return {};  // npos is, too
  const std::string_view rest = line.substr(number + kLine.size());
  const auto digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  std::string at =
      cat(line.substr(kFile.size(), number - kFile.size()), ":", rest.substr(0, digits));
  if (!rest.substr(digits).starts_with(kIn)) return at;
  return frame_text(trim(rest.substr(digits + kIn.size())).substr(0, kLongest), at);
}

}  // namespace

void Tracebacks::begin_file() {
  constexpr unsigned kHead = 256;
  open_.clear();
  passed_on_.clear();
  continued_.reset();
  head_ = kHead;
  frame_ = false;
}

bool Tracebacks::passes(std::string_view line) {
  for (const std::string_view word : {"Error", "Exception", "Failed", "Expired",
                                      "error: ", "Interrupt", "SystemExit", "StopIteration"})
    if (line.find(word) != line.npos) return false;
  count(line);
  return true;
}

void Tracebacks::count(std::string_view line) {
  if (++waited_ > kMostBetween) open_.clear();
  if (head_ == 0) return;
  --head_;
  frame_ = frame_ || (line.find("File \"") != line.npos && line.find("\", line ") != line.npos);
}

void Tracebacks::take_more(std::string_view line) {
  constexpr std::size_t kLongest = 400;
  Continued& more = *continued_;
  if (--more.left == 0 || line.find(kBeginOfTraceback) != line.npos) return continued_.reset();
  if (voice_of(line) != more.voice) return;
  const std::string_view text = trim(behind_front(line, more.front));
  std::string& said = log_.events[more.event].text;
  if (!text.empty() && said.size() < kLongest) said = begin_of(cat(said, " ", text), kLongest);
  if (!text.ends_with(':')) continued_.reset();
}

void Tracebacks::take(std::string_view line) {
  if (continued_) take_more(line);
  raised_.clear();
  if (line.find(kBeginOfTraceback) != line.npos) {
    head_ = 0;
    if (is_of_ignored(last_line(position_.before()))) return;
  }
  const std::string_view exception = exception_in(line);
  if (!exception.empty()) take_exception(line, exception, 0);
}

std::string_view Tracebacks::exception_in(std::string_view line) {
  const auto begin = line.find(kBeginOfTraceback);
  if (begin == line.npos) count(line);
  if (begin == line.npos && !waits()) return {};
  // "  [rank7]: Traceback", and the lines below it without the blanks.
  std::string_view front =
      begin == line.npos
          ? std::string_view()
          : behind_progress_bar(line.substr(0, begin).substr(blanks_before(line, begin)));
  const std::uint64_t voice =
      voice_of(begin == line.npos ? line : line.substr(begin - front.size()));
  const bool is_original =
      front.ends_with(kOriginal) ||
      (begin != line.npos && line.substr(begin + kBeginOfTraceback.size()).starts_with(": (RANK "));
  if (front.ends_with(kOriginal)) front.remove_suffix(kOriginal.size());
  const auto open =
      std::find_if(open_.begin(), open_.end(), [&](const Open& one) { return one.voice == voice; });
  if (begin != line.npos) {
    waited_ = 0;
    // A torn line may have the begin of another one as well.
    const unsigned begins =
        line.find(kBeginOfTraceback, begin + kBeginOfTraceback.size()) == line.npos ? 1 : 2;
    const std::string_view above = last_line(position_.before());
    const std::string_view said =
        begins == 1 && above.starts_with(front) ? above.substr(front.size()) : std::string_view();
    if (open != open_.end()) {
      open->front = front;
      open->count += begins;
      open->warned = false;
      open->original = is_original;
      open->thread.clear();
    } else if (open_.size() < kMostTracebacks) {
      open_.push_back({voice, begins, std::string(front), is_record(said), is_original,
                       std::string(thread_in(said))});
    }
    return {};
  }
  // What is left of a frame may be the line of the program alone.
  const std::string_view above = last_line(position_.before());
  const bool is_code = above.starts_with("    ") &&
                       (above.find('(') != above.npos || above.find("raise ") != above.npos ||
                        above.find("^^^") != above.npos);
  const bool is_of_head = open == open_.end() && head_ != 0 && (frame_ || is_code);
  if (open == open_.end() && !is_of_head) return {};
  const std::string_view text = is_of_head ? without_label(line) : behind_front(line, open->front);
  const Exception exception = exception_of(text);
  if (exception.name.empty()) return {};
  raised_.clear();
  logged_ = false;
  warned_ = false;
  original_ = false;
  voice_ = voice;
  thread_.clear();
  front_.clear();
  if (is_of_head) {
    head_ = 0;
  } else {
    logged_ = is_logged(open->front);
    warned_ = open->warned;
    original_ = open->original;
    thread_ = open->thread;
    front_ = open->front;
    if (open->count == 1) raised_ = raised_in(open->front);
    if (--open->count == 0) open_.erase(open);
  }
  return says_what_failed(exception) ? text : std::string_view();
}

/// The frames stand directly above the line that is read, below the begin of their traceback; lines
/// of other voices may be between them.
std::string Tracebacks::raised_in(std::string_view front) const {
  constexpr unsigned kMost = 1000;
  constexpr std::size_t kLongestCode = 120;
  std::string raised;
  std::string own;
  std::string code;  // of the program, that stands below its frame
  const std::string begin = cat(front, kBeginOfTraceback, ":");  // a progress bar may be in front
  std::string_view before = position_.before();
  for (unsigned back = 0; back < kMost && !before.empty(); ++back) {
    if (before.ends_with('\n')) before.remove_suffix(1);
    const auto newline = before.rfind('\n');
    const std::string_view line = before.substr(newline == before.npos ? 0 : newline + 1);
    before = before.substr(0, newline == before.npos ? 0 : newline + 1);
    std::string_view text = behind_front(line, front);
    const bool is_begin = !front.empty() && line.ends_with(begin);
    if (!front.empty() && text.size() == line.size() && !is_begin) continue;
    if (text.starts_with(kOriginal)) text.remove_prefix(kOriginal.size());
    if (is_begin || text.starts_with(kBeginOfTraceback)) {
      if (raised.empty() || own.empty() || own == raised)
        return raised.empty() ? raised : cat("raised in ", raised);
      return cat("raised in ", raised, ", called from ", own);
    }
    if (!text.starts_with(' ')) return {};
    const std::string frame = frame_in(text);
    if (frame.empty()) {
      // Python 3.11 marks the part that is meant with ^ and ~ below it.
      const std::string_view words = trim(text);
      const bool is_code = words.find_first_not_of("^~") != words.npos &&
                           !words.starts_with("[Previous line repeated ");
      if (is_code) code = begin_of(words, kLongestCode);
      continue;
    }
    const bool is_own = own.empty() && !is_of_library(frame);
    const std::string with_code =
        cat(frame, is_own && !code.empty() ? ": " : "", is_own ? code : "");
    code.clear();
    if (raised.empty()) raised = with_code;
    if (is_own) own = with_code;
  }
  return {};
}

void Tracebacks::take_above() {
  constexpr unsigned kClose = 4;
  constexpr unsigned kMost = 64;  // with what torchrun says to the others
  const bool is_known =
      std::any_of(log_.events.begin(), log_.events.end(), [&](const Event& event) {
        const Cause* const cause = events_.cause(event.cause);
        return event.file == position_.file() && cause != nullptr &&
               cause->tier == Cause::Tier::exception;
      });
  if (is_known) return;
  std::string_view before = position_.before();
  unsigned others = 0;
  for (unsigned back = 1; back <= kMost && others < kClose && !before.empty(); ++back) {
    if (before.ends_with('\n')) before.remove_suffix(1);
    const auto newline = before.rfind('\n');
    const std::string_view line = before.substr(newline == before.npos ? 0 : newline + 1);
    before = before.substr(0, newline == before.npos ? 0 : newline + 1);
    if (line.find(" closing signal ") == line.npos) ++others;
    const std::string_view exception = without_label(trim(line));
    if (!says_what_failed(exception_of(exception)) || ends_in_ignored(before)) continue;
    logged_ = false;
    warned_ = false;
    original_ = false;
    thread_.clear();
    take_exception(line, exception, position_.line() - back);
    return;
  }
}

bool Tracebacks::replace_passed_on(std::string_view exception, bool is_taken_elsewhere) {
  constexpr std::size_t kLongest = 400;
  const auto known =
      std::ranges::find(passed_on_, voice_, [](const auto& one) { return one.first; });
  if (known == passed_on_.end()) return false;
  const auto [index, count] = known->second;
  Event& event = log_.events[index];
  passed_on_.erase(known);
  if (event.count != count) return false;
  event.replaced = is_taken_elsewhere;
  if (is_taken_elsewhere) return true;
  event.text = exception.substr(0, kLongest);
  event.line = position_.line();
  event.raised = std::move(raised_);
  return true;
}

void Tracebacks::take_exception(std::string_view line, std::string_view exception,
                                std::uint64_t at) {
  const std::uint32_t cause =
      events_.cause_of(Cause::By::job, exception, logged_ ? "logged traceback" : "traceback");
  if (cause == kNone) return;
  // Others need no traceback: they are taken where the line is read.
  const bool is_taken_elsewhere = events_.cause(cause)->at.empty();
  if (original_ && replace_passed_on(exception, is_taken_elsewhere)) return;
  if (is_taken_elsewhere) return;
  const std::uint32_t index = events_.take_in(line, exception, cause, at);
  if (index == kNone) return;
  Event& event = log_.events[index];
  // The first one, or a later one that is shown since those before were caught.
  const bool is_shown = event.count == 1 || (at == 0 && event.line == position_.line() &&
                                             event.file == position_.file());
  constexpr unsigned kMostBelow = 24;  // of all ranks
  if (is_shown && at == 0 && trim(exception).ends_with(':'))
    continued_ = {voice_, front_, index, kMostBelow};
  event.may_be_logged = warned_ && (is_shown || event.may_be_logged);
  if (is_shown && at == 0) event.raised = std::move(raised_);
  if (is_shown) event.thread = thread_;
  if (is_shown && is_passed_on(exception) && passed_on_.size() < kMostTracebacks)
    passed_on_.emplace_back(voice_, std::pair(index, event.count));
}

}  // namespace nettune::tools::nccl::log::job
