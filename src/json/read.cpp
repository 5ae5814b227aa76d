// SPDX-License-Identifier: Apache-2.0
#include "json/read.hpp"

#include <memory>
#if defined(__SSE2__)
#define RAPIDJSON_SSE2
#endif
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace nettune::json {

namespace {

/// RapidJSON's handler; it bounds the depth, and so RapidJSON's own recursion.
class Handler {
 public:
  /// `count` is how many values there were.
  Handler(Events& events, std::size_t& count) : events_(events), count_(count) {}

  bool Null() { return scalar(Scalar::null, "null"); }
  bool Bool(bool value) { return scalar(Scalar::boolean, value ? "true" : "false"); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    return scalar(Scalar::number, {text, size});
  }
  bool String(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    return scalar(Scalar::text, {text, size});
  }
  bool Key(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    return events_.key({text, size});
  }
  bool StartObject() { return enter() && events_.begin(Container::object); }
  bool EndObject(rapidjson::SizeType /*members*/) { return leave(Container::object); }
  bool StartArray() { return enter() && events_.begin(Container::array); }
  bool EndArray(rapidjson::SizeType /*elements*/) { return leave(Container::array); }
  // RapidJSON wants these, and with numbers as texts calls none of them.
  bool Int(int /*value*/) { return false; }
  bool Uint(unsigned /*value*/) { return false; }
  bool Int64(std::int64_t /*value*/) { return false; }
  bool Uint64(std::uint64_t /*value*/) { return false; }
  bool Double(double /*value*/) { return false; }

  bool too_deep() const { return depth_ > kMaxDepth; }

 private:
  bool scalar(Scalar kind, std::string_view text) {
    ++count_;
    return events_.scalar(kind, text);
  }
  bool enter() { return ++depth_ <= kMaxDepth; }
  bool leave(Container what) {
    --depth_;
    return events_.end(what);
  }

  Events& events_;
  std::size_t& count_;
  int depth_ = 0;
};

/// What RapidJSON calls a stream, over a Source: one piece in memory.
class Stream {
 public:
  using Ch = char;
  explicit Stream(Source& source) : source_(source), piece_(kPiece) { fill(); }
  std::size_t& count() { return count_; }

  char Peek() const { return at_ < end_ ? piece_[at_] : '\0'; }
  char Take() {
    const char taken = Peek();
    if (at_ < end_ && ++at_ == end_) fill();
    return taken;
  }
  std::size_t Tell() const { return before_ + at_; }
  // Of streams that are written to.
  char* PutBegin() { return nullptr; }
  void Put(char /*c*/) {}
  void Flush() {}
  std::size_t PutEnd(char* /*begin*/) { return 0; }

  const Result<>& state() const { return state_; }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 20;

  void fill() {
    before_ += end_;
    at_ = end_ = 0;
    // RapidJSON keeps the whole of a string before it reports any of it.
    if (count_ != last_count_) quiet_from_ = before_;
    last_count_ = count_;
    if (before_ - quiet_from_ > kMaxString) {
      state_ = fail(Errc::invalid, cat("holds a string of more than ", kMaxString >> 20,
                                       " MiB (byte ", before_, ")"));
      return;
    }
    const auto got = source_.read(piece_.data(), piece_.size());
    if (got) {
      end_ = *got;
    } else {
      state_ = fail(got.error());
    }
  }

  Source& source_;
  std::vector<char> piece_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::size_t before_ = 0;
  std::size_t count_ = 0;  ///< of values so far
  std::size_t last_count_ = 0;
  std::size_t quiet_from_ = 0;  ///< no value ended since
  Result<> state_;
};

template <unsigned flags, class Input>
Result<> read_all(Input& input, Events& events, std::size_t& count, std::size_t* begin = nullptr) {
  rapidjson::Reader reader;
  for (;;) {
    rapidjson::SkipWhitespace(input);
    if (begin) *begin = input.Tell();
    if (input.Peek() == '\0') return {};
    Handler handler(events, count);
    const auto result = reader.Parse<flags | rapidjson::kParseNumbersAsStringsFlag |
                                     rapidjson::kParseStopWhenDoneFlag>(input, handler);
    if (result.IsError()) {
      const std::string at = cat(" (byte ", result.Offset(), ")");
      if (handler.too_deep())
        return fail(Errc::invalid, cat("is nested deeper than ", kMaxDepth, " levels", at));
      if (result.Code() == rapidjson::kParseErrorTermination)
        return fail(Errc::invalid, events.stopped() + at);
      return fail(Errc::invalid,
                  cat("is not JSON: ", rapidjson::GetParseError_En(result.Code()), at));
    }
    if (!events.document()) return fail(Errc::invalid, events.stopped());
  }
}

}  // namespace

Result<> read_in_place(std::string& text, Events& events, std::size_t* damaged) {
  // With SSE2, RapidJSON looks at 16 bytes at a time, also where the text ends before.
  text.reserve(text.size() + 16);
  rapidjson::InsituStringStream input(text.data());
  std::size_t count = 0;
  TRY(read_all<rapidjson::kParseInsituFlag>(input, events, count, damaged));
  const auto read = static_cast<std::size_t>(input.src_ - text.data());
  if (read < text.size())
    return fail(Errc::invalid, cat("is not JSON: a zero byte (byte ", read, ")"));
  return {};
}

Result<> read_stream(Source& source, Events& events) {
  Stream input(source);
  Result<> done = read_all<rapidjson::kParseNoFlags>(input, events, input.count());
  TRY(input.state());
  return done;
}

}  // namespace nettune::json
