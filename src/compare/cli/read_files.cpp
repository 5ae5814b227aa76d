// SPDX-License-Identifier: Apache-2.0
#include "compare/cli/read_files.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <deque>
#include <dirent.h>
#include <memory>
#include <sched.h>
#include <sys/stat.h>
#include <thread>

#include "base/input.hpp"
#include "base/node_set.hpp"
#include "base/text.hpp"

namespace nettune::cli {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::string_view kSuffixes[] = {".json", ".jsonl", ".json.gz", ".jsonl.gz"};
/// The largest document.
constexpr std::size_t kMaxDocument = std::size_t{16} << 20;
/// The largest file, unpacked: a small one can unpack to any size.
constexpr std::size_t kMaxFile = std::size_t{4} << 30;
constexpr std::size_t kMaxDocuments = 200'000;

/// Passes on the documents of a long text one by one, so that only one is in memory.
class Splitter {
 public:
  template <class Take>
  void feed(std::string_view bytes, Take&& take) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const char c = bytes[i];
      if (in_text_) {
        if (c == '"' && !escaped_) in_text_ = false;
        escaped_ = c == '\\' && !escaped_;
        continue;
      }
      if (c == '"') in_text_ = true;
      if (c == '{' || c == '[') ++depth_;
      if ((c == '}' || c == ']') && depth_ > 0 && --depth_ == 0) {
        document_.append(bytes, begin, i + 1 - begin);
        begin = i + 1;
        take(document_);
        document_.clear();
      }
    }
    document_.append(bytes.substr(begin));
  }
  /// The text after the last document: a truncated document, or something else.
  std::string rest() && { return std::move(document_); }
  bool is_too_large() const { return document_.size() > kMaxDocument; }

 private:
  std::string document_;
  int depth_ = 0;
  bool in_text_ = false;
  bool escaped_ = false;
};

void parse(std::string& text, const std::string& file, compare::Gatherer& gatherer) {
  gatherer.begin_file(file);
  if (const auto read = nettune::json::read_in_place(text, gatherer); !read)
    gatherer.fleet().add_unread(file, read.error().text);
}

void read_file(const std::string& file, compare::Gatherer& gatherer, std::string& buffer) {
  auto input = Input::open(file);
  if (!input) return gatherer.fleet().add_unread(file, input.error().text);
  std::size_t have = 0;
  buffer.resize(kPiece);
  const auto fill = [&]() -> bool {
    have = 0;
    while (have < buffer.size()) {
      const auto got = input->read(buffer.data() + have, buffer.size() - have);
      if (!got) {
        gatherer.fleet().add_unread(file, got.error().text);
        return false;
      }
      if (*got == 0) break;
      have += *got;
    }
    return true;
  };
  if (!fill()) return;
  if (have < kPiece) {
    buffer.resize(have);
    return parse(buffer, file, gatherer);
  }
  Splitter splitter;
  std::size_t bytes = 0;
  std::size_t documents = 0;
  do {
    splitter.feed({buffer.data(), have}, [&](std::string& document) {
      if (++documents <= kMaxDocuments) parse(document, file, gatherer);
    });
    bytes += have;
    if (documents > kMaxDocuments || bytes > kMaxFile)
      return gatherer.fleet().add_unread(
          file, cat("holds more than ", kMaxDocuments, " documents or ", kMaxFile >> 30,
                    " GiB: the rest was not read; give it in several files"));
    if (splitter.is_too_large())
      return gatherer.fleet().add_unread(
          file, cat("holds a document of more than ", kMaxDocument >> 20, " MiB"));
    if (!fill()) return;
  } while (have > 0);
  std::string rest = std::move(splitter).rest();
  if (!trim(rest).empty()) parse(rest, file, gatherer);
}

Result<> add_directory(const std::string& path, std::vector<std::string>& files) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), ::closedir);
  if (!directory) return fail(Errc::io, cat(printable(path), ": ", std::strerror(errno)), errno);
  const std::size_t before = files.size();
  while (const dirent* const entry = ::readdir(directory.get())) {
    const std::string name = entry->d_name;
    const bool is_facts = std::ranges::any_of(
        kSuffixes, [&](std::string_view suffix) { return name.ends_with(suffix); });
    if (!name.starts_with('.') && is_facts)
      files.push_back(cat(path, path.ends_with('/') ? "" : "/", name));
  }
  if (files.size() == before)
    return fail(Errc::not_found, cat(printable(path),
                                     ": no file here ends in .json or .jsonl; write them with "
                                     "nettune facts --json > NODE.json"));
  std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end(), name_less);
  return {};
}

std::size_t cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return static_cast<std::size_t>(std::max(1, CPU_COUNT(&set)));
}

}  // namespace

Result<compare::Fleet> read_fleet(const std::vector<std::string>& inputs,
                                  const compare::Rules& rules) {
  std::vector<std::string> files;
  for (const std::string& input : inputs) {
    struct stat info {};
    if (input != "-" && ::stat(input.c_str(), &info) != 0)
      return fail(Errc::not_found, cat(printable(input), ": ", std::strerror(errno)), errno);
    if (input != "-" && S_ISDIR(info.st_mode)) {
      TRY(add_directory(input, files));
    } else {
      files.push_back(input);
    }
  }
  constexpr std::size_t kMostThreads = 16;
  const std::size_t count =
      std::clamp<std::size_t>(files.size() / 64, 1, std::min(cores(), kMostThreads));
  std::deque<compare::Gatherer> gatherers;
  for (std::size_t i = 0; i < count; ++i) gatherers.emplace_back(rules);
  std::atomic<std::size_t> next = 0;
  const auto work = [&](compare::Gatherer& gatherer) {
    std::string buffer;
    for (std::size_t i = next++; i < files.size(); i = next++)
      read_file(files[i], gatherer, buffer);
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < count; ++i) threads.emplace_back(work, std::ref(gatherers[i]));
  work(gatherers.front());
  for (std::thread& thread : threads) thread.join();
  compare::Fleet fleet = std::move(gatherers.front().fleet());
  for (std::size_t i = 1; i < count; ++i) fleet.merge(std::move(gatherers[i].fleet()));
  fleet.finish();
  return fleet;
}

}  // namespace nettune::cli
