// SPDX-License-Identifier: Apache-2.0
#include "tools/compare/read_files.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <memory>
#include <sched.h>
#include <sys/stat.h>
#include <thread>
#include <vector>

#include "base/input.hpp"
#include "base/node_set.hpp"
#include "base/text.hpp"

namespace nettune::tools::compare {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::string_view kSuffixes[] = {".json", ".jsonl", ".json.gz", ".jsonl.gz"};
/// The largest document.
constexpr std::size_t kMaxDocument = std::size_t{16} << 20;
/// The largest file, unpacked: a small one can unpack to any size.
constexpr std::size_t kMaxFile = std::size_t{4} << 30;
constexpr std::size_t kMaxDocuments = 200'000;

/// Whether a document of nettune seems to begin here: all of them name their schema first.
bool begins_document(std::string_view text) {
  if (!text.starts_with('{')) return false;
  const auto member = text.find_first_not_of(" \t\r\n", 1);
  return member != std::string_view::npos && text.substr(member).starts_with("\"schema\"");
}

/// Passes on the documents of a long text one by one, so that only one is in memory.
class Splitter {
 public:
  template <class Take>
  void feed(std::string_view bytes, Take&& take) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const char c = bytes[i];
      if (c == '\n' && depth_ > 0 && begins_document(bytes.substr(i + 1))) {
        // The document before it was cut.
        document_.append(bytes, begin, i + 1 - begin);
        begin = i + 1;
        depth_ = 0;
        in_text_ = escaped_ = false;
        take(document_);
        document_.clear();
        continue;
      }
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

/// Where behind `from` a document of nettune seems to begin.
std::size_t next_document(std::string_view text, std::size_t from) {
  std::size_t at = text.find('{', from);
  while (at != std::string_view::npos && !begins_document(text.substr(at)))
    at = text.find('{', at + 1);
  return at;
}

/// A text and a copy of it, since reading changes it. Their memory is used again.
struct Buffer {
  std::vector<char> piece = std::vector<char>(kPiece);
  std::string text;
  std::string copy;
};

/// Reads all documents of buffer.text. One that is damaged ends where the next one begins.
void parse(Buffer& buffer, Gatherer& gatherer) {
  constexpr std::size_t kMostDamaged = 64;  // each costs a copy of what follows
  buffer.copy = buffer.text;
  std::string_view rest = buffer.copy;
  for (std::size_t damaged = 0;; ++damaged) {
    std::size_t at = 0;
    const auto read = nettune::json::read_in_place(buffer.text, gatherer, &at);
    if (read) return;
    // Brackets of what was around a document that was found again are no document.
    if (damaged == 0 || rest.substr(at).starts_with('{'))
      gatherer.give_up(read.error().text);
    else
      gatherer.pass_over();
    if (damaged == kMostDamaged)
      return gatherer.give_up(
          cat("holds more than ", kMostDamaged, " damaged documents: the rest was not read"));
    const std::size_t next = next_document(rest, at + 1);
    if (next == std::string_view::npos) return;
    rest.remove_prefix(next);
    buffer.text = rest;
  }
}

void read_documents(const std::string& file, Gatherer& gatherer, Buffer& buffer) {
  auto input = Input::open(file);
  if (!input) return gatherer.give_up(input.error().text);
  std::size_t have = 0;
  const auto fill = [&]() -> bool {
    have = 0;
    while (have < buffer.piece.size()) {
      const auto got = input->read(buffer.piece.data() + have, buffer.piece.size() - have);
      if (!got) {
        gatherer.give_up(got.error().text);
        return false;
      }
      if (*got == 0) break;
      have += *got;
    }
    return true;
  };
  if (!fill()) return;
  if (have < kPiece) {
    buffer.text.assign(buffer.piece.data(), have);
    return parse(buffer, gatherer);
  }
  Splitter splitter;
  std::size_t bytes = 0;
  std::size_t documents = 0;
  do {
    splitter.feed({buffer.piece.data(), have}, [&](std::string& document) {
      if (++documents > kMaxDocuments) return;
      buffer.text.swap(document);
      parse(buffer, gatherer);
    });
    bytes += have;
    if (documents > kMaxDocuments || bytes > kMaxFile)
      return gatherer.give_up(cat("holds more than ", kMaxDocuments, " documents or ",
                                  kMaxFile >> 30,
                                  " GiB: the rest was not read; give it in several files"));
    if (splitter.is_too_large())
      return gatherer.give_up(cat("holds a document of more than ", kMaxDocument >> 20, " MiB"));
    if (!fill()) return;
  } while (have > 0);
  buffer.text = std::move(splitter).rest();
  if (!trim(buffer.text).empty()) parse(buffer, gatherer);
}

void read_file(const std::string& file, Gatherer& gatherer, Buffer& buffer) {
  gatherer.begin_file(file);
  const std::size_t before = gatherer.documents();
  read_documents(file, gatherer, buffer);
  if (gatherer.documents() == before) gatherer.give_up("is empty");
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

Result<std::vector<std::unique_ptr<Gatherer>>> read_files(const std::vector<std::string>& inputs,
                                                          const MakeGatherer& make) {
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
  std::vector<std::unique_ptr<Gatherer>> gatherers;
  for (std::size_t i = 0; i < count; ++i) gatherers.push_back(make());
  std::atomic<std::size_t> next = 0;
  const auto work = [&](Gatherer& gatherer) {
    Buffer buffer;
    for (std::size_t i = next++; i < files.size(); i = next++)
      read_file(files[i], gatherer, buffer);
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < count; ++i) threads.emplace_back(work, std::ref(*gatherers[i]));
  work(*gatherers.front());
  for (std::thread& thread : threads) thread.join();
  return gatherers;
}

Result<Fleet> read_fleet(const std::vector<std::string>& inputs, const Rules& rules) {
  TRY_ASSIGN(auto gatherers, read_files(inputs, [&] { return std::make_unique<Gatherer>(rules); }));
  Fleet fleet = std::move(gatherers.front()->fleet());
  for (std::size_t i = 1; i < gatherers.size(); ++i) fleet.merge(std::move(gatherers[i]->fleet()));
  fleet.finish();
  return fleet;
}

}  // namespace nettune::tools::compare
